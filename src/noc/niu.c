/* The register file of an NIU. */
#include "noc/niu.h"

#include <stddef.h>
#include <string.h>

enum kind { PLAIN, TAG, COMMAND, DRIVEN, CLEAR, RTZ_CLR, RTZ_NUM, LATER, PULSE, SLOTS, BLIND };

static const struct niu_row {
    uint16_t first, words;
    bool in_buffers;
    enum kind kind;
    const char *name;
} niu_rows[] = {
#define NIU(first, words, name, kind)        {first, words, false, kind, #name},
#define NIU_BUFFER(first, words, name, kind) {first, words, true, kind, #name},
#include "niu.def"
#undef NIU
#undef NIU_BUFFER
};

static const struct niu_row *find_row(uint32_t offset)
{
    uint32_t in_buffer = offset % NIU_BUFFER_BYTES;
    for (unsigned i = 0; offset < NIU_BYTES && i < sizeof niu_rows / sizeof niu_rows[0]; i++) {
        const struct niu_row *row = &niu_rows[i];
        uint32_t at = row->in_buffers ? in_buffer : offset;
        if (at >= row->first && at < row->first + 4u * row->words) {
            return row;
        }
    }
    return NULL;
}

const char *niu_register_name(uint32_t offset)
{
    const struct niu_row *row = find_row(offset);
    return row ? row->name : NULL;
}

/* --- Identity --- */

enum {
    GRID_WIDTH = 17,
    GRID_HEIGHT = 12,
    TENSIX_TILE = 0x0100, /* the type in ENDPOINT_ID */
    TENSIX_COLUMNS = 14,
    FIRST_TENSIX_ROW = 2,
    LAST_WEST_COLUMN = 7, /* Tensix columns are 1..7 and 10..16 */
    FIRST_EAST_COLUMN = 10,
    TRANSLATION_ON = 1 << 14,
    COLUMNS_WITHOUT_BROADCAST = 1 << 0 | 1 << 8 | 1 << 9,
    ROWS_WITHOUT_BROADCAST = 1 << 0 | 1 << 1,
};

static uint32_t node_id(unsigned noc, unsigned x, unsigned y)
{
    if (noc) { /* NoC 1 counts from the opposite corner */
        x = GRID_WIDTH - 1 - x;
        y = GRID_HEIGHT - 1 - y;
    }
    uint32_t x_before_y = noc == 0;
    return x | y << 6 | GRID_WIDTH << 12 | GRID_HEIGHT << 19 | x_before_y << 28;
}

/* GUESS: tiles are numbered row by row. */
static uint32_t endpoint_id(unsigned noc, unsigned x, unsigned y)
{
    unsigned column = x <= LAST_WEST_COLUMN ? x - 1 : x - FIRST_EAST_COLUMN + LAST_WEST_COLUMN;
    unsigned index = (y - FIRST_TENSIX_ROW) * TENSIX_COLUMNS + column;
    return (index & 0xff) | TENSIX_TILE << 8 | (uint32_t)noc << 24;
}

enum {
    TABLE_ENTRIES_PER_WORD = 6,
    TABLE_ENTRY_BITS = 5,
    TABLE_INDEX = 31, /* inputs count modulo 32 */
    TABLE_X = 0x118 / 4,
    TABLE_Y = 0x130 / 4,
    COLUMN_MASK = 0x150 / 4,
    ROW_MASK = 0x154 / 4,
    TABLE_DDR = 0x158 / 4,
    DDR_COLUMN_SWAP = 0x170 / 4,
    DDR_COLUMN_9 = 1 << 10, /* of the table's last word */
    DDR_COLUMN_0 = 1 << 11,
};

static uint32_t *word_at(struct niu *niu, uint32_t offset)
{
    return &niu->word[niu_buffer(offset / NIU_BUFFER_BYTES) + offset % NIU_BUFFER_BYTES / 4];
}

#define HELD(buffer, offset)                                                                       \
    [((buffer)*NIU_BUFFER_BYTES + (offset)) / 4] = 1 + NIU_BUFFER_AT(buffer) + (offset) / 4
#define HELD_OF(buffer)                                                                            \
    HELD(buffer, NIU_TARG_ADDR_LO), HELD(buffer, NIU_TARG_ADDR_MID),                               \
        HELD(buffer, NIU_TARG_ADDR_HI), HELD(buffer, NIU_RET_ADDR_LO),                             \
        HELD(buffer, NIU_RET_ADDR_MID), HELD(buffer, NIU_RET_ADDR_HI), HELD(buffer, NIU_CTRL),     \
        HELD(buffer, NIU_AT_LEN_BE), HELD(buffer, NIU_AT_LEN_BE_1), HELD(buffer, NIU_AT_DATA),     \
        HELD(buffer, NIU_BRCST_EXCLUDE)

const uint16_t niu_held_place[NIU_BYTES / 4] = {HELD_OF(0), HELD_OF(1), HELD_OF(2), HELD_OF(3)};

void niu_init(struct niu *niu, unsigned noc, unsigned x, unsigned y)
{
    for (unsigned buffer = 0; buffer < NIU_BUFFERS; buffer++) {
        uint32_t base = buffer * NIU_BUFFER_BYTES;
        *word_at(niu, base + NIU_NODE_ID) = node_id(noc, x, y);
        *word_at(niu, base + NIU_ENDPOINT_ID) = endpoint_id(noc, x, y);
    }
    *word_at(niu, NIU_ID_LOGICAL) = x | y << 6;
    *word_at(niu, NIU_ROUTER_CFG_1) = COLUMNS_WITHOUT_BROADCAST;
    *word_at(niu, NIU_ROUTER_CFG_3) = ROWS_WITHOUT_BROADCAST;
}

static void forget_places(struct niu *niu)
{
    memset(niu->known, 0, sizeof niu->known);
}

void niu_set_identity(struct niu *niu, uint32_t offset, uint32_t value)
{
    bool in_buffers = offset == NIU_NODE_ID || offset == NIU_ENDPOINT_ID;
    for (unsigned buffer = 0; buffer < (in_buffers ? NIU_BUFFERS : 1); buffer++) {
        *word_at(niu, buffer * NIU_BUFFER_BYTES + offset) = value;
    }
    forget_places(niu);
}

/* --- The transaction counters and their interrupt --- */

enum { RTZ_ENABLES = 0xffff, RTZ_KEEPS_ON_READ = 1 << 28, OUTSTANDING_MASK = 0xff };

uint32_t niu_outstanding(const struct niu *niu, unsigned id)
{
    return niu->word[NIU_REQS_OUTSTANDING / 4 + id];
}

void niu_set_outstanding(struct niu *niu, unsigned id, uint32_t value)
{
    uint32_t *counter = word_at(niu, NIU_REQS_OUTSTANDING + 4 * id);
    if (*counter && !(value & OUTSTANDING_MASK)) {
        *word_at(niu, NIU_RTZ_SOURCE) |= UINT32_C(1) << id;
    }
    *counter = value & OUTSTANDING_MASK;
}

static uint32_t pending(const struct niu *niu)
{
    return niu->word[NIU_RTZ_SOURCE / 4] & niu->word[NIU_RTZ_CFG / 4] & RTZ_ENABLES;
}

bool niu_interrupt(const struct niu *niu)
{
    return pending(niu) != 0;
}

/* The lowest pending bit's number (SPEC leaves the choice open). */
static uint32_t read_rtz_num(struct niu *niu, bool effects)
{
    uint32_t bits = pending(niu);
    if (!bits) {
        return 0;
    }
    uint32_t number = (uint32_t)__builtin_ctz(bits);
    if (effects && !(niu->word[NIU_RTZ_CFG / 4] & RTZ_KEEPS_ON_READ)) {
        *word_at(niu, NIU_RTZ_SOURCE) &= ~(UINT32_C(1) << number);
    }
    return number;
}

static void clear_outstanding(struct niu *niu, uint32_t ids)
{
    for (unsigned id = 0; id < NIU_TRANSACTIONS; id++) {
        if (ids >> id & 1) {
            niu_set_outstanding(niu, id, 0);
        }
    }
}

/* --- Coordinate translation --- */

static unsigned table_entry(const struct niu *niu, unsigned table, unsigned index)
{
    uint32_t word = niu->word[table + index / TABLE_ENTRIES_PER_WORD];
    return word >> TABLE_ENTRY_BITS * (index % TABLE_ENTRIES_PER_WORD) & TABLE_INDEX;
}

static bool is_ddr_column(const struct niu *niu, unsigned x)
{
    uint32_t last = niu->word[TABLE_DDR + 5];
    return (x == 9 && last & DDR_COLUMN_9) || (x == 0 && last & DDR_COLUMN_0);
}

void niu_translate(const struct niu *niu, unsigned *x, unsigned *y)
{
    unsigned column = *x & TABLE_INDEX, row = *y & TABLE_INDEX;
    if (!(niu->word[NIU_CFG_0 / 4] & TRANSLATION_ON)) {
        return;
    }
    if (niu->word[DDR_COLUMN_SWAP] >> row & 1 && is_ddr_column(niu, column ^ 9)) {
        *x = column ^ 9;
    } else if (!(niu->word[ROW_MASK] >> row & 1)) {
        *x = table_entry(niu, TABLE_X, column);
    }
    if (is_ddr_column(niu, column)) {
        *y = table_entry(niu, TABLE_DDR, row);
    } else if (!(niu->word[COLUMN_MASK] >> column & 1)) {
        *y = table_entry(niu, TABLE_Y, row);
    }
}

/* --- Access --- */

/* The vendor's noc_parameters: a field of 8 bits for each command buffer. GUESS: a buffer has one
 * place while NIU_CFG_0 enables no FIFO, which is not modelled. */
static uint32_t free_slots(const struct niu *niu)
{
    enum { FIELD = 8 };
    uint32_t slots = 0;
    for (unsigned buffer = 0; buffer < NIU_BUFFERS; buffer++) {
        slots |= (~niu->word[niu_buffer(buffer) + NIU_CMD_CTRL / 4] & 1) << FIELD * buffer;
    }
    return slots;
}

enum niu_effect niu_read(struct niu *niu, uint32_t offset, bool effects, uint32_t *value)
{
    const uint32_t *plain = niu_plain(niu, offset, false);
    if (plain) {
        *value = *plain;
        return NIU_DONE;
    }
    const struct niu_row *row = find_row(offset);
    if (!row) {
        return NIU_ABSENT;
    }
    switch (row->kind) {
    case CLEAR:
    case RTZ_CLR:
    case PULSE:
        *value = 0;
        break;
    case SLOTS:
        *value = free_slots(niu);
        break;
    case RTZ_NUM:
        *value = read_rtz_num(niu, effects);
        break;
    case PLAIN:
    case TAG:
    case COMMAND:
    case DRIVEN:
    case LATER:
    case BLIND:
        *value = *word_at(niu, offset);
        break;
    }
    return row->kind == BLIND ? NIU_UNMODELLED : NIU_DONE;
}

enum niu_effect niu_write(struct niu *niu, uint32_t offset, bool effects, uint32_t value)
{
    uint32_t *plain = niu_plain(niu, offset, true);
    if (plain) {
        *plain = niu_held(offset, value);
        return NIU_DONE;
    }
    if (offset < NIU_BYTES && offset % NIU_BUFFER_BYTES == NIU_CMD_CTRL) {
        *word_at(niu, offset) = value;
        return value & 1 ? NIU_COMMAND : NIU_DONE;
    }
    const struct niu_row *row = find_row(offset);
    if (!row) {
        return NIU_ABSENT;
    }
    forget_places(niu);
    switch (row->kind) {
    case PLAIN:
    case TAG: /* of niu_plain */
    case LATER:
    case COMMAND:
        *word_at(niu, offset) = value;
        break;
    case CLEAR:
        if (effects) {
            clear_outstanding(niu, value);
        }
        break;
    case RTZ_CLR:
        if (effects) {
            *word_at(niu, NIU_RTZ_SOURCE) &= ~value;
        }
        break;
    case RTZ_NUM:
    case DRIVEN:
    case PULSE:
    case SLOTS:
    case BLIND:
        break;
    }
    if (row->kind == COMMAND && value & 1) {
        return NIU_COMMAND;
    }
    return row->kind == LATER || row->kind == PULSE ? NIU_UNMODELLED : NIU_DONE;
}
