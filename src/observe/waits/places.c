/* The purposes of places. SPEC: BlackholeA0 NoC/Counters and MemoryMap. tt-metal's mailboxes and
 * circular buffers say how software uses L1 and stream registers. */
#include "observe/waits/places.h"

#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "chip/chip.h"
#include "eth/base_firmware.h"
#include "metal/buffers.h"
#include "metal/firmware.h"
#include "observe/waits/owed.h"
#include "observe/waits/under_way.h"
#include "tile/eth_window.h"

/* --- Code --- */

/* ", inlined at FILE:LINE, ...". */
static void put_calls(struct wait_words *words, const struct penrose_chip *chip,
                      const struct tile *tile, uint32_t pc, bool has_folders)
{
    char text[1024];
    images_calls_text(chip_images(chip), tile->x, tile->y, pc, has_folders, text, sizeof text);
    wait_words_put(words, "%s", text);
}

void wait_places_line(struct wait_words *words, struct penrose_chip *chip, const struct tile *tile,
                      uint32_t pc)
{
    char source[256];
    chip_locate(chip, tile->x, tile->y, pc, NULL, 0, source, sizeof source);
    const char *slash = strrchr(source, '/');
    if (*source) {
        wait_words_put(words, " (%s", slash ? slash + 1 : source);
        put_calls(words, chip, tile, pc, false);
        wait_words_put(words, ")");
    }
}

void wait_places_position(struct wait_words *words, struct penrose_chip *chip,
                          const struct tile *tile, uint32_t pc)
{
    char symbol[128], source[256];
    wait_words_put(words, " at pc 0x%08x", pc);
    if (!chip_locate(chip, tile->x, tile->y, pc, symbol, sizeof symbol, source, sizeof source)) {
        return;
    }
    wait_words_put(words, "%s%s%s%s", *symbol ? " in " : "", symbol, *source ? ", " : "", source);
    put_calls(words, chip, tile, pc, true);
}

/* --- Firmware's mailboxes --- */

static bool is_within(uint32_t address, uint32_t start, const struct loader_member *member)
{
    uint32_t offset = address - start - member->offset;
    return offset < member->size * member->count;
}

static bool is_go_message(const struct loader_layout *layout, uint32_t address)
{
    return is_within(address, layout->mailbox_base, &layout->mailboxes_go_messages);
}

static bool is_sync(const struct loader_layout *layout, uint32_t address)
{
    return is_within(address, layout->mailbox_base, &layout->mailboxes_subordinate_sync);
}

/* Waits for a go message, perhaps among other things; NULL: it does not. That is the first hart of the
 * tile, or erisc1 where erisc0 runs base firmware. */
static const struct rv32_idle_place *find_go_message(const struct loader_layout *layout,
                                                     const struct rv32_idle *idle)
{
    for (unsigned i = 0; i < idle->places; i++) {
        if (is_go_message(layout, idle->place[i].address)) {
            return &idle->place[i];
        }
    }
    return NULL;
}

static bool are_all_sync(const struct loader_layout *layout, const struct rv32_idle *idle)
{
    bool are_all = idle->places > 0;
    for (unsigned i = 0; i < idle->places; i++) {
        are_all &= is_sync(layout, idle->place[i].address);
    }
    return are_all;
}

/* Base firmware of an Ethernet tile waits for calls in its mailboxes, and for nothing else. */
static bool is_base_firmware(const struct tile *tile, enum rv32_core core)
{
    const struct rv32_idle *idle = &tile->run[core].idle;
    bool is = tile->eth && core == RV32_B && idle->places > 0;
    for (unsigned i = 0; i < idle->places; i++) {
        is &= idle->place[i].address - ETH_BASE_MAILBOXES < ETH_BASE_MAILBOX_BYTES;
    }
    return is;
}

bool wait_places_for_work(const struct penrose_chip *chip, const struct tile *tile,
                          enum rv32_core core, struct wait_words *words)
{
    const struct loader_layout *layout = metal_layout(chip, tile);
    const struct rv32_idle *idle = &tile->run[core].idle;
    if (is_base_firmware(tile, core)) {
        wait_words_put(words, ": base firmware, which waits for calls");
        return true;
    }
    if (!layout) {
        return false;
    }
    const struct rv32_idle_place *go = find_go_message(layout, idle);
    if (go) {
        wait_words_put(words, ": waits for the host: the go message at 0x%08x", go->address);
        wait_words_value(words, " holds 0x%x", go->value);
    }
    bool is_subordinate = core != RV32_B && are_all_sync(layout, idle);
    if (is_subordinate) {
        wait_words_put(words, ": waits for %s to start it (0x%08x", tile->kind->hart[RV32_B],
                       idle->place[0].address);
        wait_words_value(words, " holds 0x%x", idle->place[0].value);
        wait_words_put(words, ")");
    }
    return go || is_subordinate;
}

bool wait_places_is_done(const struct penrose_chip *chip, const struct tile *tile,
                         enum rv32_core core)
{
    const struct loader_layout *layout = metal_layout(chip, tile);
    const struct rv32_idle *idle = &tile->run[core].idle;
    return is_base_firmware(tile, core) ||
           (layout && (are_all_sync(layout, idle) || find_go_message(layout, idle) != NULL));
}

/* --- NIUs --- */

static const char *const counters[] = {
#define COUNTER(name) [NIU_##name] = "NIU_" #name
    COUNTER(MST_ATOMIC_RESP_RECEIVED),
    COUNTER(MST_WR_ACK_RECEIVED),
    COUNTER(MST_RD_RESP_RECEIVED),
    COUNTER(MST_RD_DATA_WORD_RECEIVED),
    COUNTER(MST_CMD_ACCEPTED),
    COUNTER(MST_RD_REQ_SENT),
    COUNTER(MST_NONPOSTED_ATOMIC_SENT),
    COUNTER(MST_POSTED_ATOMIC_SENT),
    COUNTER(MST_NONPOSTED_WR_DATA_WORD_SENT),
    COUNTER(MST_POSTED_WR_DATA_WORD_SENT),
    COUNTER(MST_NONPOSTED_WR_REQ_SENT),
    COUNTER(MST_POSTED_WR_REQ_SENT),
    COUNTER(MST_NONPOSTED_WR_REQ_STARTED),
    COUNTER(MST_POSTED_WR_REQ_STARTED),
    COUNTER(MST_RD_REQ_STARTED),
    COUNTER(MST_NONPOSTED_ATOMIC_STARTED),
    COUNTER(SLV_ATOMIC_RESP_SENT),
    COUNTER(SLV_WR_ACK_SENT),
    COUNTER(SLV_RD_RESP_SENT),
    COUNTER(SLV_RD_DATA_WORD_SENT),
    COUNTER(SLV_REQ_ACCEPTED),
    COUNTER(SLV_RD_REQ_RECEIVED),
    COUNTER(SLV_NONPOSTED_ATOMIC_RECEIVED),
    COUNTER(SLV_POSTED_ATOMIC_RECEIVED),
    COUNTER(SLV_NONPOSTED_WR_DATA_WORD_RECEIVED),
    COUNTER(SLV_POSTED_WR_DATA_WORD_RECEIVED),
    COUNTER(SLV_NONPOSTED_WR_REQ_RECEIVED),
    COUNTER(SLV_POSTED_WR_REQ_RECEIVED),
    COUNTER(SLV_NONPOSTED_WR_REQ_STARTED),
    COUNTER(SLV_POSTED_WR_REQ_STARTED),
#undef COUNTER
};

enum { FIRST_ID_COUNTER = NIU_COUNT_REQS_OUTSTANDING, COUNTERS = NIU_COUNTER_COUNT };

const char *wait_places_counter(unsigned counter)
{
    return counter < sizeof counters / sizeof counters[0] ? counters[counter] : NULL;
}

/* Which packets a counter counts that a hart waits for. */
struct awaited {
    const struct tile *tile;
    unsigned noc, counter;
    struct under_way found;
};

static bool is_of_read(const struct noc_packet *packet)
{
    return packet->kind == NOC_READ || packet->kind == NOC_READ_RESPONSE;
}

static bool is_of_write(const struct noc_packet *packet)
{
    return packet->kind == NOC_WRITE || packet->kind == NOC_WRITE_ACK;
}

static bool is_counted(const struct awaited *awaited, const struct noc_packet *packet)
{
    unsigned counter = awaited->counter;
    if (counter >= FIRST_ID_COUNTER && counter < FIRST_ID_COUNTER + NIU_TRANSACTIONS) {
        return noc_transaction(packet) == counter - FIRST_ID_COUNTER;
    }
    switch (counter) {
    case NIU_MST_ATOMIC_RESP_RECEIVED:
        return !is_of_read(packet) && !is_of_write(packet);
    case NIU_MST_WR_ACK_RECEIVED:
        return is_of_write(packet);
    case NIU_MST_RD_RESP_RECEIVED:
    case NIU_MST_RD_DATA_WORD_RECEIVED:
        return is_of_read(packet);
    default:
        return true;
    }
}

static void visit_awaited(void *context, const struct noc_packet *packet)
{
    struct awaited *awaited = context;
    bool for_others = awaited->counter >= NIU_SLV_ATOMIC_RESP_SENT;
    bool is_his = for_others ? under_way_is_request(packet) && packet->to == awaited->tile->node
                             : packet->origin == awaited->tile->node && packet->wants_response;
    if (is_his && packet->noc == awaited->noc && (for_others || is_counted(awaited, packet))) {
        under_way_add(&awaited->found, for_others ? packet->origin : under_way_peer(packet));
    }
}

bool wait_places_departs(const struct tile *tile, unsigned noc)
{
    bool departs = false;
    for (unsigned buffer = 0; buffer < NIU_BUFFERS; buffer++) {
        departs |= tile->command[noc][buffer].waits;
    }
    return departs;
}

/* What becomes of the requests that a counter counts. */
static void put_awaited(const struct penrose_chip *chip, const struct tile *tile, unsigned noc,
                        unsigned counter, struct wait_words *words)
{
    struct awaited awaited = {.tile = tile, .noc = noc, .counter = counter};
    char text[200] = "";
    struct sink sink = {.text = text, .size = sizeof text};
    bool for_others = counter >= NIU_SLV_ATOMIC_RESP_SENT;
    under_way_visit(chip, visit_awaited, &awaited);
    under_way_put(&sink, chip, &awaited.found, "request", for_others ? "from" : "to");
    if (!awaited.found.packets && !for_others && wait_places_departs(tile, noc)) {
        wait_words_value(words, "; a request waits to depart");
        return;
    }
    wait_words_value(words, "; %s", text);
    if (awaited.found.packets || for_others) {
        return;
    }
    bool is_of_id = counter >= FIRST_ID_COUNTER && counter < FIRST_ID_COUNTER + NIU_TRANSACTIONS;
    wait_words_value(words, is_of_id && !owed_ids_hold(&tile->niu[noc])
                                ? ": it counts a multicast once, and down for each receiver"
                                : ": an answer was lost, or nobody asked");
}

static void put_niu(struct penrose_chip *chip, const struct tile *tile, uint32_t address,
                    struct wait_words *words)
{
    unsigned noc = (address - AT_NIU) / STEP_NIU, offset = (address - AT_NIU) % STEP_NIU;
    unsigned counter = (offset - NIU_COUNTERS) / 4;
    if (offset < NIU_COUNTERS || counter >= COUNTERS) {
        const char *name = reg_name(&niu_registers, offset);
        wait_words_put(words, "NoC %u: %s", noc, name ? name : "NIU");
    } else if (wait_places_counter(counter)) {
        wait_words_put(words, "NoC %u: %s", noc, wait_places_counter(counter));
        put_awaited(chip, tile, noc, counter, words);
    } else if (counter < FIRST_ID_COUNTER + NIU_TRANSACTIONS) {
        wait_words_put(words, "NoC %u: outstanding requests of transaction id %u", noc,
                       counter - FIRST_ID_COUNTER);
        put_awaited(chip, tile, noc, counter, words);
    } else {
        wait_words_put(words, "NoC %u: NIU_COUNTER %u", noc, counter);
    }
}

/* --- Stream registers --- */

static uint32_t peek(struct tile *tile, uint32_t address)
{
    struct mmio_access access = {.operation = MMIO_PEEK,
                                 .agent = AGENT_NOC,
                                 .size = 4,
                                 .address = address,
                                 .cycle = tile->now};
    return tile_access(tile, &access) == ANSWER_DONE ? access.value : 0;
}

/* The configuration of the kernels that the tile runs, in its launch message; NULL: there is none. */
static const uint8_t *kernel_config_at(const struct loader_layout *layout, const struct tile *tile)
{
    const struct loader_member *member = &layout->mailboxes_launch_msg_rd_ptr;
    uint32_t pointer = 0, ring = layout->mailbox_base + layout->mailboxes_launch.offset;
    memcpy(&pointer, tile->l1 + layout->mailbox_base + member->offset,
           member->size < 4 ? member->size : 4);
    return pointer < layout->mailboxes_launch.count
               ? tile->l1 + ring + pointer * layout->mailboxes_launch.size +
                     layout->launch_msg_kernel_config.offset
               : NULL;
}

static bool is_stream_register(const struct tile *tile, uint32_t address)
{
    return address >= OVERLAY_REGISTERS_ADDRESS &&
           address < OVERLAY_REGISTERS_ADDRESS + (tile->kind->streams << 12);
}

/* Does the launch message of the running kernels have the buffer? True where that is not known. */
static bool is_configured(const struct loader_layout *layout, const struct tile *tile, unsigned id)
{
    const uint8_t *config = kernel_config_at(layout, tile);
    const struct loader_member *member = &layout->kernel_config_local_cb_mask;
    uint64_t mask = 0;
    if (!config || member->size == 0) {
        return true;
    }
    memcpy(&mask, config + member->offset, member->size < 8 ? member->size : 8);
    return id < 64 && mask >> id & 1;
}

/* "circular buffer 3", and whether its kernels know it; without firmware the stream's number. */
static void name_buffer(const struct penrose_chip *chip, const struct tile *tile, unsigned stream,
                        char *name, size_t size)
{
    const struct loader_layout *layout = metal_layout(chip, tile);
    unsigned first = metal_first_buffer_stream(layout);
    if (!layout || stream < first) {
        snprintf(name, size, "stream %u", stream);
        return;
    }
    snprintf(name, size, "circular buffer %u%s", stream - first,
             is_configured(layout, tile, stream - first)
                 ? ""
                 : ", which the program has not configured");
}

/* So many more pages were popped than were pushed: both counters go round at 65536. */
static unsigned popped_beyond(unsigned received, unsigned acknowledged)
{
    int16_t pages = (int16_t)(received - acknowledged);
    return pages < 0 ? (unsigned)-pages : 0;
}

static void put_stream(const struct penrose_chip *chip, struct tile *tile, uint32_t address,
                       struct wait_words *words)
{
    const struct loader_layout *layout = metal_layout(chip, tile);
    unsigned stream = (address - OVERLAY_REGISTERS_ADDRESS) >> 12, index = (address & 0xfff) / 4;
    const char *name = reg_name(&overlay_registers, 4 * index);
    uint32_t base = address & ~UINT32_C(0xfff);
    char buffer[80];
    if (!layout || tile->kind->type != TILE_TENSIX || stream < metal_first_buffer_stream(layout) ||
        (index != METAL_PAGES_ACKNOWLEDGED && index != METAL_PAGES_RECEIVED)) {
        wait_words_put(words, "stream %u: %s", stream, name ? name : "no register");
        return;
    }
    name_buffer(chip, tile, stream, buffer, sizeof buffer);
    wait_words_put(words, "%s: pages %s", buffer,
                   index == METAL_PAGES_RECEIVED ? "received, which its producer counts"
                                                 : "acknowledged, which its consumer counts");
    unsigned received = peek(tile, base + 4 * METAL_PAGES_RECEIVED) & 0xffff;
    unsigned acknowledged = peek(tile, base + 4 * METAL_PAGES_ACKNOWLEDGED) & 0xffff;
    unsigned beyond = popped_beyond(received, acknowledged);
    if (beyond) {
        wait_words_put(words, "; more pages were popped than came");
    }
    wait_words_value(words, "; received %u, acknowledged %u", received, acknowledged);
}

/* A consumer polls the count of received pages, a producer that of acknowledged ones. If a loop
 * polls both, its hart decides: trisc0 takes, trisc2 makes, and others take from an empty
 * buffer. */
bool wait_places_buffer(const struct penrose_chip *chip, struct tile *tile, enum rv32_core core,
                        struct wait_buffer *buffer)
{
    const struct rv32_idle *idle = &tile->run[core].idle;
    bool polls[2] = {false, false};
    uint32_t base = 0;
    for (unsigned i = 0; i < idle->places; i++) {
        uint32_t address = idle->place[i].address, index = (address & 0xfff) / 4;
        if (tile->kind->type == TILE_TENSIX && is_stream_register(tile, address) &&
            (index == METAL_PAGES_ACKNOWLEDGED || index == METAL_PAGES_RECEIVED)) {
            base = address & ~UINT32_C(0xfff);
            polls[index == METAL_PAGES_RECEIVED] = true;
        }
    }
    if (!base) {
        return false;
    }
    uint32_t received = peek(tile, base + 4 * METAL_PAGES_RECEIVED),
             acknowledged = peek(tile, base + 4 * METAL_PAGES_ACKNOWLEDGED),
             pages = received - acknowledged;
    buffer->beyond = popped_beyond(received, acknowledged);
    name_buffer(chip, tile, (base - OVERLAY_REGISTERS_ADDRESS) >> 12, buffer->name,
                sizeof buffer->name);
    buffer->is_empty = (pages & 0xffff) == 0;
    buffer->wants_pages = polls[0] != polls[1] ? polls[1]
                          : core == RV32_T2    ? false
                                               : core == RV32_T0 || buffer->is_empty;
    return true;
}

/* --- L1 --- */

struct writers {
    const struct tile *tile;
    uint32_t start, end;
    struct under_way found;
};

/* Visits packets that will write there: writes, atomics and data that were read, once they
 * arrive. */
static void visit_writer(void *context, const struct noc_packet *packet)
{
    struct writers *writers = context;
    bool writes = packet->kind == NOC_WRITE || packet->kind == NOC_ATOMIC ||
                  packet->kind == NOC_READ_RESPONSE;
    uint64_t size = packet->kind == NOC_ATOMIC ? 4 : packet->size;
    if (writes && packet->to == writers->tile->node && packet->address < writers->end &&
        packet->address + size > writers->start) {
        under_way_add(&writers->found, packet->from);
    }
}

/* The semaphore of the kernels that the tile runs which lies at an address; -1: none. */
static int semaphore_at(const struct loader_layout *layout, const struct tile *tile,
                        uint32_t address)
{
    enum { SEMAPHORE_BYTES = 16 };
    uint32_t base = 0, semaphores = 0, buffers = 0;
    const uint8_t *config = kernel_config_at(layout, tile);
    if (!config) {
        return -1;
    }
    memcpy(&base, config + layout->kernel_config_kernel_config_base.offset, 4);
    memcpy(&semaphores, config + layout->kernel_config_sem_offset.offset, 2);
    memcpy(&buffers, config + layout->kernel_config_local_cb_offset.offset, 2);
    uint32_t start = base + semaphores, end = base + buffers;
    return base && address >= start && address < end ? (int)((address - start) / SEMAPHORE_BYTES)
                                                     : -1;
}

static void put_l1(const struct penrose_chip *chip, const struct tile *tile,
                   const struct rv32_idle_place *place, struct wait_words *words)
{
    const struct loader_layout *layout = metal_layout(chip, tile);
    bool is_worker = layout && tile->kind->type == TILE_TENSIX;
    int semaphore = is_worker ? semaphore_at(layout, tile, place->address) : -1;
    wait_words_put(words, "L1");
    if (semaphore >= 0) {
        wait_words_put(words, ", semaphore %d of its kernels", semaphore);
    } else if (layout && is_sync(layout, place->address)) {
        wait_words_put(words, ", where the other harts say that they are done");
    }
}

static void put_writers(const struct penrose_chip *chip, const struct tile *tile,
                        const struct rv32_idle_place *place, struct wait_words *words)
{
    struct writers writers = {
        .tile = tile, .start = place->address, .end = place->address + place->size};
    char text[200] = "";
    struct sink sink = {.text = text, .size = sizeof text};
    under_way_visit(chip, visit_writer, &writers);
    if (writers.found.packets) {
        under_way_put(&sink, chip, &writers.found, "write to it", "from");
        wait_words_value(words, ", %s", text);
    }
}

void wait_places_read(const struct penrose_chip *chip, const struct asked *asked, char *text,
                      size_t size)
{
    struct sink sink = {.text = text, .size = size};
    under_way_put_place(&sink, chip, asked->to);
    sink_put(&sink, " at 0x%08llx", (unsigned long long)asked->address);
}

/* --- All --- */

enum where { IN_L1, IN_NIU, IN_STREAMS, IN_SEMAPHORES, IN_ETHERNET, ELSEWHERE };

static enum where find_where(const struct tile *tile, uint32_t address)
{
    if (address < tile->kind->l1_bytes) {
        return IN_L1;
    }
    if (address >= AT_NIU && address < OVERLAY_REGISTERS_ADDRESS) {
        return IN_NIU;
    }
    if (address >= OVERLAY_REGISTERS_ADDRESS &&
        address < OVERLAY_REGISTERS_ADDRESS + tile->kind->streams * STEP_STREAM) {
        return IN_STREAMS;
    }
    if (address >= ETH_REGISTER_BASE && address < ETH_REGISTER_BASE + ETH_REGISTER_BYTES &&
        tile->eth) {
        return IN_ETHERNET;
    }
    const uint32_t semaphores = AT_SEMAPHORES - AT_PC_BUF,
                   in_pc_buf = (address - AT_PC_BUF) % STEP_PC_BUF;
    bool in_pc_bufs = address >= AT_PC_BUF && address < END_PC_BUF;
    return tile->kind->type == TILE_TENSIX && in_pc_bufs && in_pc_buf >= semaphores &&
                   in_pc_buf < semaphores + 4 * TENSIX_SEMAPHORES
               ? IN_SEMAPHORES
               : ELSEWHERE;
}

static void put_ethernet(const struct penrose_chip *chip, const struct tile *tile, uint32_t address,
                         struct wait_words *words)
{
    uint32_t offset = address - ETH_REGISTER_BASE;
    const char *name = reg_name(&eth_registers, offset);
    const struct chip_place *port = &chip->place[tile->node];
    unsigned packets = eth_unacknowledged(tile->eth, offset);
    char peer[60];
    struct sink sink = {.text = peer, .size = sizeof peer};
    wait_words_put(words, "Ethernet: %s", name ? name : "no register");
    if (tile->eth->link == ETH_LINK_DOWN) {
        wait_words_put(words, "; the port has no link");
    } else if (port->peer && packets) {
        under_way_put_far_place(&sink, chip, port->peer, port->peer_place);
        wait_words_value(words, "; %u packets to %s are not acknowledged", packets, peer);
    }
}

static void put_place(struct penrose_chip *chip, struct tile *tile, enum rv32_core core,
                      const struct rv32_idle_place *place, struct wait_words *words)
{
    switch (find_where(tile, place->address)) {
    case IN_L1:
        put_l1(chip, tile, place, words);
        break;
    case IN_NIU:
        put_niu(chip, tile, place->address, words);
        break;
    case IN_STREAMS:
        put_stream(chip, tile, place->address, words);
        break;
    case IN_SEMAPHORES:
        wait_words_put(words, "Tensix semaphore %u",
                       (place->address - AT_SEMAPHORES) % STEP_PC_BUF / 4);
        break;
    case IN_ETHERNET:
        put_ethernet(chip, tile, place->address, words);
        break;
    case ELSEWHERE:
        wait_words_put(words, "%s",
                       tile_range_title(tile->kind->type, (enum tile_agent)core, place->address));
        break;
    }
}

void wait_places_name(struct penrose_chip *chip, struct tile *tile, enum rv32_core core,
                      const struct rv32_idle_place *place, char *name, size_t size)
{
    struct wait_words words;
    wait_words_start(&words);
    put_place(chip, tile, core, place, &words);
    if (find_where(tile, place->address) == IN_L1) {
        wait_words_put(&words, " at 0x%08x", place->address);
    }
    snprintf(name, size, "%.*s", (int)size - 1, words.key_bytes);
}

void wait_places_put(struct penrose_chip *chip, struct tile *tile, enum rv32_core core,
                     const struct rv32_idle_place *place, struct wait_words *words)
{
    wait_words_put(words, "0x%08x (", place->address);
    put_place(chip, tile, core, place, words);
    wait_words_value(words, ", holds 0x%x", place->value);
    wait_words_put(words, ")");
    if (find_where(tile, place->address) == IN_L1) {
        put_writers(chip, tile, place, words);
    }
}
