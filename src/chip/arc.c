/*
 * The ARC tile (arc.h). It does what its firmware would do.
 *
 * Message queues: a header of eight words, then the requests, then the responses. Pointers count to
 * twice the number of entries, so that a full queue differs from an empty one. The host owns the
 * request's write pointer and the response's read pointer; they may hold anything.
 */
#include "chip/arc.h"

#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "arch/arch.h"
#include "geometry.h"

/* --- Tables --- */

/* What BY names in arc.def. */
typedef enum answer arc_handler(struct arc *arc, const struct reg_place *place, bool writes,
                                uint32_t *value, char *rule);
static arc_handler arc_by_reference_clock, arc_by_control, arc_by_catcher;

#define REG_FILE    arc_registers
#define REG_TABLE   "arc.def"
#define REG_STATE   struct arc
#define REG_BY(has) arc_by_##has
#include "isa/reg_table.h"

static const struct {
    unsigned index;
    uint32_t value;
} starts[] = {
#define ARC_START(NAME, index, value) {index, value},
#include "arc.def"
};

enum message_kind { ANSWER, BOARD, SET_CLOCK, POWER, FORCE_CLOCK, GET_CLOCK, TEST, SERIAL };

static const struct message_row {
    uint8_t code;
    enum message_kind kind;
    uint32_t value;
} messages[] = {
#define ARC_MESSAGE(code, NAME, kind, value) {code, kind, value},
#include "arc.def"
};

enum telemetry_kind {
    FIXED,
    BOARD_HIGH,
    BOARD_LOW,
    ASIC_HIGH,
    ASIC_LOW,
    LOCATION,
    ETHERNET,
    TRAINED_BANKS,
    HEARTBEAT,
    COLUMNS,
    ROWS,
    BANKS,
    PCIE
};

static const struct telemetry_row {
    uint16_t tag;
    enum telemetry_kind kind;
    uint32_t value;
} telemetry[] = {
#define ARC_TELEMETRY(tag, NAME, kind, value) {tag, kind, value},
#include "arc.def"
};

enum {
    TELEMETRY_ENTRIES = sizeof telemetry / sizeof *telemetry,
    TELEMETRY_VERSION = 1,
    TAG_AICLK = 14,
    APB_BYTES = END_ARC_APB - AT_ARC_APB,
};

_Static_assert(TELEMETRY_ENTRIES <= (AT_ARC_VALUES - AT_ARC_TAGS) / 4 - 2,
               "tags end before values");
_Static_assert(TELEMETRY_ENTRIES <= (AT_ARC_QUEUE_CONTROL - AT_ARC_VALUES) / 4,
               "values end as well");

/* --- Memory --- */

static uint32_t arc_load(const struct arc *arc, uint64_t address)
{
    uint32_t value;
    memcpy(&value, arc->csm + (address - AT_ARC_CSM), sizeof value);
    return value;
}

static void arc_store(struct arc *arc, uint64_t address, uint32_t value)
{
    memcpy(arc->csm + (address - AT_ARC_CSM), &value, sizeof value);
}

static uint64_t now(const struct arc *arc)
{
    return arc->board.now ? arc->board.now(arc->board.context) : 0;
}

/* --- Telemetry --- */

/* HW: firmware counts its updates, of which there is one in 100 ms. */
static uint32_t heartbeat(const struct arc *arc)
{
    const uint64_t cycles_per_update = 100 * UINT64_C(1000000);
    return (uint32_t)(1 + now(arc) / cycles_per_update);
}

static uint32_t telemetry_at_boot(const struct telemetry_row *row, const struct grid *grid,
                                  const struct chip_identity *identity)
{
    enum {
        ALL_COLUMNS = (1 << GRID_COLUMNS) - 1,
        ALL_ROWS = (1 << GRID_ROWS) - 1,
        ALL_ETHERNET = (1 << GRID_ETHERNET_TILES) - 1,
        ALL_BANKS = (1 << GRID_BANKS) - 1
    };
    uint32_t banks = ALL_BANKS & ~(uint32_t)grid->fused.banks;
    uint32_t trained = 0;
    switch (row->kind) {
    case BOARD_HIGH:
        return (uint32_t)(identity->board >> 32);
    case BOARD_LOW:
        return (uint32_t)identity->board;
    case ASIC_HIGH:
        return (uint32_t)(identity->asic >> 32);
    case ASIC_LOW:
        return (uint32_t)identity->asic;
    case LOCATION:
        return (uint32_t)identity->location;
    case ETHERNET:
        return ALL_ETHERNET & ~(uint32_t)grid->fused.ethernet;
    case TRAINED_BANKS: /* two bits a bank: trained, failed */
        for (unsigned bank = 0; bank < GRID_BANKS; bank++) {
            trained |= (banks >> bank & 1) << (2 * bank);
        }
        return trained;
    case COLUMNS:
        return ALL_COLUMNS & ~(uint32_t)grid->fused.columns;
    case ROWS:
        return ALL_ROWS & ~(uint32_t)grid->fused.rows;
    case BANKS:
        return banks;
    case PCIE: /* two bits a tile: 1 is an endpoint */
        return UINT32_C(1) << (2 * grid->pcie);
    case HEARTBEAT:
        return 1;
    case FIXED:
        break;
    }
    return row->value;
}

static int telemetry_index(unsigned tag)
{
    for (int i = 0; i < (int)TELEMETRY_ENTRIES; i++) {
        if (telemetry[i].tag == tag) {
            return i;
        }
    }
    return -1;
}

static uint64_t telemetry_address(int index)
{
    return AT_ARC_VALUES + 4 * (uint64_t)index;
}

static void set_clock(struct arc *arc, uint32_t megahertz)
{
    arc_store(arc, telemetry_address(telemetry_index(TAG_AICLK)), megahertz);
}

/* --- Messages --- */

enum {
    ENTRY_BYTES = 4 * ARC_MESSAGE_WORDS,
    HEADER_BYTES = 4 * ARC_QUEUE_HEADER_WORDS,
    QUEUE_BYTES = HEADER_BYTES + 2 * ARC_QUEUE_ENTRIES * ENTRY_BYTES,
    POINTER_WRAP = 2 * ARC_QUEUE_ENTRIES,

    REQUEST_WRITE = 0x00, /* in the header */
    RESPONSE_READ = 0x04,
    REQUEST_READ = 0x10,
    RESPONSE_WRITE = 0x14,
    LAST_SERIAL = 0x18,

    STATUS_UNKNOWN = 0xff,
    CLOCK_IS_FREE = 1, /* GET_AICLK's mode */

    POST_CODE_MESSAGES_DONE = 0x3f,
    POST_CODE_TELEMETRY_DONE = 0x41,
};

#define POST_CODE UINT32_C(0xc0de0000)

static uint8_t power_setting(struct arc *arc, uint32_t word)
{
    bool has_clock = word >> 8 & 15, is_busy = word >> 16 & 1;
    if (has_clock) {
        set_clock(arc, is_busy ? ARC_BUSY_MEGAHERTZ : ARC_IDLE_MEGAHERTZ);
    }
    return 0;
}

static uint8_t serve_board(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    return arc->board.message ? arc->board.message(arc->board.context, request, response) : 0;
}

/* Fills the response but for the exit code, which is returned. */
static uint8_t serve(struct arc *arc, const struct message_row *row, uint64_t queue,
                     const uint32_t *request, uint32_t *response)
{
    switch (row->kind) {
    case BOARD:
        return serve_board(arc, request, response);
    case SET_CLOCK:
        set_clock(arc, row->value);
        return 0;
    case POWER:
        return power_setting(arc, request[0]);
    case FORCE_CLOCK: /* 0 sets it free */
        set_clock(arc, request[1] ? request[1] : ARC_FREE_MEGAHERTZ);
        return 0;
    case GET_CLOCK:
        response[1] = arc_load(arc, telemetry_address(telemetry_index(TAG_AICLK)));
        response[2] = CLOCK_IS_FREE;
        return 0;
    case TEST:
        response[1] = request[1] + 1;
        response[2] = arc_load(arc, queue + LAST_SERIAL) + 1;
        return 0;
    case SERIAL:
        arc_store(arc, queue + LAST_SERIAL, request[1]);
        return 0;
    case ANSWER:
        break;
    }
    return (uint8_t)row->value;
}

static const struct message_row *find_message(uint32_t code)
{
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        if (messages[i].code == code) {
            return &messages[i];
        }
    }
    return NULL;
}

static void handle(struct arc *arc, uint64_t queue, const uint32_t *request, uint32_t *response)
{
    const struct message_row *row = find_message(request[0] & 0xff);
    memset(response, 0, ENTRY_BYTES);
    uint8_t code = row ? serve(arc, row, queue, request, response) : STATUS_UNKNOWN;
    response[0] |= code;
    if (!row || row->kind != SERIAL) {
        arc_store(arc, queue + LAST_SERIAL, arc_load(arc, queue + LAST_SERIAL) + 1);
    }
    arc->messages++;
}

static uint64_t request_at(uint64_t queue, uint32_t pointer)
{
    return queue + HEADER_BYTES + ENTRY_BYTES * (uint64_t)(pointer % ARC_QUEUE_ENTRIES);
}

static uint64_t response_at(uint64_t queue, uint32_t pointer)
{
    return request_at(queue, pointer) + ARC_QUEUE_ENTRIES * ENTRY_BYTES;
}

/* Takes a message from a queue, if there is one and room for the answer. Pointers beyond the wrap
 * stop the queue, as they do in firmware. */
static bool handle_next(struct arc *arc, uint64_t queue)
{
    uint32_t written = arc_load(arc, queue + REQUEST_WRITE),
             taken = arc_load(arc, queue + REQUEST_READ);
    uint32_t answered = arc_load(arc, queue + RESPONSE_WRITE),
             seen = arc_load(arc, queue + RESPONSE_READ);
    bool is_full = (answered - seen) % POINTER_WRAP == ARC_QUEUE_ENTRIES;
    if (written == taken || is_full || written >= POINTER_WRAP || taken >= POINTER_WRAP ||
        answered >= POINTER_WRAP || seen >= POINTER_WRAP) {
        return false;
    }
    uint32_t request[ARC_MESSAGE_WORDS], response[ARC_MESSAGE_WORDS];
    memcpy(request, arc->csm + (request_at(queue, taken) - AT_ARC_CSM), sizeof request);
    handle(arc, queue, request, response);
    memcpy(arc->csm + (response_at(queue, answered) - AT_ARC_CSM), response, sizeof response);
    arc_store(arc, queue + REQUEST_READ, (taken + 1) % POINTER_WRAP);
    arc_store(arc, queue + RESPONSE_WRITE, (answered + 1) % POINTER_WRAP);
    return true;
}

static void handle_messages(struct arc *arc)
{
    for (unsigned i = 0; i < ARC_QUEUES; i++) {
        uint64_t queue = AT_ARC_QUEUE_BASE + QUEUE_BYTES * (uint64_t)i;
        for (unsigned turn = 0; turn < POINTER_WRAP && handle_next(arc, queue); turn++) {
        }
    }
    arc->scratch[0] = POST_CODE | POST_CODE_MESSAGES_DONE;
}

/* --- Start --- */

void arc_init(struct arc *arc, const struct grid *grid, const struct chip_identity *identity,
              const struct arc_board *board)
{
    if (board) {
        arc->board = *board;
    }
    arc->scratch[0] = POST_CODE | POST_CODE_TELEMETRY_DONE;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        arc->scratch_ram[starts[i].index] = starts[i].value;
    }
    arc_store(arc, AT_ARC_QUEUE_CONTROL, (uint32_t)AT_ARC_QUEUE_BASE);
    arc_store(arc, AT_ARC_QUEUE_CONTROL + 4, ARC_QUEUE_ENTRIES | ARC_QUEUES << 8);
    arc_store(arc, AT_ARC_TAGS, TELEMETRY_VERSION);
    arc_store(arc, AT_ARC_TAGS + 4, TELEMETRY_ENTRIES);
    for (int i = 0; i < (int)TELEMETRY_ENTRIES; i++) {
        arc_store(arc, AT_ARC_TAGS + 8 + 4 * (uint64_t)i, telemetry[i].tag | (uint32_t)i << 16);
        arc_store(arc, telemetry_address(i), telemetry_at_boot(&telemetry[i], grid, identity));
    }
    struct grid_position at;
    if (grid_locate(grid, PENROSE_TILE_ARC, 0, 0, &at)) {
        for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
            grid_configure_niu(grid, noc, at, &arc->niu[noc]);
        }
    }
}

/* --- Registers --- */

enum { INTERRUPT_BITS = 0xf << 16 };

/* HW: the reference clock has 50 MHz. GUESS: the tile clock has 1 GHz, whatever messages have set.
 */
static enum answer arc_by_reference_clock(struct arc *arc, const struct reg_place *place,
                                          bool writes, uint32_t *value, char *rule)
{
    enum { CYCLES = 20 };
    (void)writes;
    (void)rule;
    *value = (uint32_t)(now(arc) / CYCLES >> (32 * place->word));
    return ANSWER_DONE;
}

/* A write of the interrupt bits runs the message queues; firmware acknowledges it. */
static enum answer arc_by_control(struct arc *arc, const struct reg_place *place, bool writes,
                                  uint32_t *value, char *rule)
{
    (void)place;
    (void)writes;
    (void)rule;
    arc->misc_control = *value & ~(uint32_t)INTERRUPT_BITS;
    if (*value & INTERRUPT_BITS) {
        handle_messages(arc);
    }
    return ANSWER_DONE;
}

/* A write of zero runs the message queues: other interrupts are none of firmware's, which empties
 * the FIFO at once. */
static enum answer arc_by_catcher(struct arc *arc, const struct reg_place *place, bool writes,
                                  uint32_t *value, char *rule)
{
    if (!writes) {
        return grid_answer(ANSWER_REFUSED, rule,
                           "ARC: the MSI catcher's FIFO is empty: read its status at 0x%08x first",
                           AT_ARC_APB + reg_banks[place->bank].first +
                               reg_rows[ROW_MSI_CATCHER_STATUS].offset);
    }
    if (*value == 0) {
        handle_messages(arc);
    }
    return ANSWER_DONE;
}

/* The NIU that an offset in the APB range belongs to; NULL for others. */
static struct niu *niu_at(struct arc *arc, uint32_t offset, uint32_t *in_niu)
{
    static const uint32_t bases[GRID_NOCS] = {AT_ARC_NIU0 - AT_ARC_APB, AT_ARC_NIU1 - AT_ARC_APB};
    for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
        *in_niu = offset - bases[noc];
        if (*in_niu < ARC_NIU_BYTES) {
            return &arc->niu[noc];
        }
    }
    return NULL;
}

static enum answer no_register(uint32_t offset, char *rule)
{
    return grid_answer(ANSWER_UNMODELLED, rule,
                       "ARC: register 0x%08llx is not modelled: it reads zero and ignores writes",
                       (unsigned long long)(AT_ARC_APB + offset));
}

static enum answer niu_reply(enum answer got, uint32_t offset, char *rule)
{
    return got == ANSWER_DONE
               ? got
               : grid_answer(got, rule, "ARC: NIU register 0x%03x is not modelled", offset);
}

static enum answer arc_register(struct arc *arc, uint32_t offset, bool writes, uint32_t *value,
                                char *rule)
{
    uint32_t in_niu;
    struct niu *niu = niu_at(arc, offset, &in_niu);
    struct reg_place place;
    if (niu) {
        return niu_reply(writes ? grid_niu_write(niu, in_niu, *value)
                                : grid_niu_read(niu, in_niu, value),
                         in_niu, rule);
    }
    if (!reg_find(&arc_registers, offset, &place)) {
        return no_register(offset, rule);
    }
    uint32_t *word = reg_state_word(arc, &place);
    enum reg_reply reply =
        writes ? reg_write(place.row, word, true, *value) : reg_read(place.row, word, true, value);
    return reply == REG_ASK ? ((arc_handler *)place.row->handler)(arc, &place, writes, value, rule)
                            : ANSWER_DONE;
}

/* --- Accesses --- */

enum area { CSM, APB, NIU, NOWHERE };

static enum area area_of(uint64_t address, uint32_t *offset)
{
    if (address - AT_ARC_CSM < ARC_CSM_BYTES) {
        *offset = (uint32_t)(address - AT_ARC_CSM);
        return CSM;
    }
    if (address - AT_ARC_APB < APB_BYTES) {
        *offset = (uint32_t)(address - AT_ARC_APB);
        return APB;
    }
    return grid_niu_address(PENROSE_TILE_ARC, address, offset) ? NIU : NOWHERE;
}

/* Rules that hold for reads and writes; nothing has happened yet. */
static enum answer check_access(enum area area, uint64_t address, uint32_t offset, uint32_t size,
                                char *rule)
{
    if (area == NOWHERE) {
        return grid_answer(ANSWER_UNMAPPED, rule,
                           "ARC: nothing is at 0x%llx: memory is at " ARCH_TEXT(
                               AT_ARC_CSM) ", registers at " ARCH_TEXT(AT_ARC_APB),
                           (unsigned long long)address);
    }
    if (area == CSM && size > ARC_CSM_BYTES - offset) {
        return grid_answer(ANSWER_REFUSED, rule,
                           "ARC: %u bytes at 0x%llx reach beyond the end of its memory at 0x%08x",
                           size, (unsigned long long)address, AT_ARC_CSM + ARC_CSM_BYTES);
    }
    if (area != CSM && (size != 4 || offset % 4)) {
        return grid_answer(
            ANSWER_REFUSED, rule,
            "ARC: %u bytes at register 0x%llx: access registers as aligned 32-bit words", size,
            (unsigned long long)address);
    }
    return ANSWER_DONE;
}

/* The heartbeat word as it is now, where a read of [offset, offset + size) covers it. */
static void refresh(const struct arc *arc, uint32_t offset, uint8_t *to, uint32_t size)
{
    for (int i = 0; i < (int)TELEMETRY_ENTRIES; i++) {
        uint32_t value = heartbeat(arc);
        const uint8_t *bytes = (const uint8_t *)&value; /* little-endian hosts only */
        for (unsigned byte = 0; telemetry[i].kind == HEARTBEAT && byte < sizeof value; byte++) {
            uint64_t at = telemetry_address(i) - AT_ARC_CSM + byte - offset;
            if (at < size) {
                to[at] = bytes[byte];
            }
        }
    }
}

enum answer arc_read(struct arc *arc, unsigned noc, uint64_t address, void *to, uint32_t size,
                     char *rule)
{
    uint32_t offset = 0, value = 0;
    enum area area = area_of(address, &offset);
    enum answer got = check_access(area, address, offset, size, rule);
    if (got != ANSWER_DONE) {
        memset(to, 0xff, size);
        return got;
    }
    switch (area) {
    case CSM:
        memcpy(to, arc->csm + offset, size);
        refresh(arc, offset, to, size);
        return ANSWER_DONE;
    case APB:
        got = arc_register(arc, offset, false, &value, rule);
        break;
    case NIU:
    case NOWHERE:
        got = niu_reply(grid_niu_read(&arc->niu[noc & 1], offset, &value), offset, rule);
        break;
    }
    memcpy(to, &value, sizeof value);
    return got;
}

enum answer arc_write(struct arc *arc, unsigned noc, uint64_t address, const void *from,
                      uint32_t size, char *rule)
{
    uint32_t offset = 0, value = 0;
    enum area area = area_of(address, &offset);
    enum answer got = check_access(area, address, offset, size, rule);
    if (got != ANSWER_DONE) {
        return got;
    }
    if (area == CSM) {
        memcpy(arc->csm + offset, from, size);
        return ANSWER_DONE;
    }
    memcpy(&value, from, sizeof value);
    if (area == APB) {
        return arc_register(arc, offset, true, &value, rule);
    }
    return niu_reply(grid_niu_write(&arc->niu[noc & 1], offset, value), offset, rule);
}

bool arc_bar0_address(uint64_t offset, uint64_t *address)
{
    if (offset - AT_BAR0_ARC_CSM < ARC_CSM_BYTES) {
        *address = AT_ARC_CSM + (offset - AT_BAR0_ARC_CSM);
        return true;
    }
    *address = AT_ARC_APB + (offset - AT_BAR0_ARC_APB);
    return offset - AT_BAR0_ARC_APB < APB_BYTES;
}
