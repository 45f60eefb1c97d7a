/* The address map: finding the range of an access and handing it over. */
#include <string.h>

#include "addresses.h"
#include "arch/arch.h"
#include "tile/bus.h"
#include "tile/report.h"
#include "tile/tile.h"

enum {
    B = 1 << AGENT_B,
    TRISCS = 1 << AGENT_T0 | 1 << AGENT_T1 | 1 << AGENT_T2,
    NC = 1 << AGENT_NC,
    HARTS = B | TRISCS | NC,
    NOC = 1 << AGENT_NOC,
};

typedef enum rv32_poll poll_function(struct tile *tile, enum tile_agent agent, uint32_t offset);
poll_function tile_mmio_poll_TDMA, tile_mmio_poll_DEBUG, tile_mmio_poll_PIC, tile_mmio_poll_PC_BUF,
    tile_mmio_poll_MAILBOX, tile_mmio_poll_ETH, tile_mmio_poll_NIU, tile_mmio_poll_OVERLAY;

struct range {
    uint32_t first, last;
    unsigned agents;
    tile_mmio_handler *handle;
    enum rv32_poll poll; /* where poll_of is NULL */
    poll_function *poll_of;
    const char *title;
};

#define POLL_STATE(token)  RV32_POLL_STATE, NULL
#define POLL_EFFECT(token) RV32_POLL_EFFECT, NULL
#define POLL_MIXED(token)  RV32_POLL_EFFECT, tile_mmio_poll_##token

/* Names of addresses and rows of the map say the same. */
#define RANGE(token, first, last, agents, poll, title)                                             \
    _Static_assert(AT_##token == UINT32_C(first), #token);
#include "mmio.def"
#undef RANGE

#define RANGE(token, first, last, agents, poll, title)                                             \
    {UINT32_C(first), UINT32_C(last), agents, tile_mmio_##token, POLL_##poll(token), title},
static const struct range tensix_ranges[] = {
#include "mmio.def"
};
static const struct range ethernet_ranges[] = {
#include "mmio_ethernet.def"
};
static const struct range dram_ranges[] = {
#include "mmio_dram.def"
};
#undef RANGE

static const struct address_map {
    const struct range *range;
    unsigned count;
} maps[] = {
    [TILE_TENSIX] = {tensix_ranges, sizeof tensix_ranges / sizeof tensix_ranges[0]},
    [TILE_ETHERNET] = {ethernet_ranges, sizeof ethernet_ranges / sizeof ethernet_ranges[0]},
    [TILE_DRAM] = {dram_ranges, sizeof dram_ranges / sizeof dram_ranges[0]},
};

static bool holds(const struct range *range, enum tile_agent agent, uint32_t address)
{
    return address >= range->first && address <= range->last && range->agents & 1u << agent;
}

static const struct range *find_range(enum tile_type type, enum tile_agent agent, uint32_t address)
{
    const struct range *ranges = maps[type].range;
    for (unsigned i = 0; i < maps[type].count; i++) {
        if (holds(&ranges[i], agent, address)) {
            return &ranges[i];
        }
    }
    return NULL;
}

const char *tile_range_title(enum tile_type type, enum tile_agent agent, uint32_t address)
{
    if (address < tile_kinds[type].l1_bytes) {
        return "L1";
    }
    const struct range *range = find_range(type, agent, address);
    return range ? range->title : "unmapped";
}

bool tile_is_dst(const struct tile *tile, enum tile_agent agent, uint32_t address)
{
    const struct range *range = find_range(tile->kind->type, agent, address);
    return range && range->handle == tile_mmio_DST &&
           tile_dst_has(tile, agent, address - range->first);
}

static enum answer access_memory(struct tile *tile, struct mmio_access *access, uint8_t *at)
{
    if (mmio_is_write(access)) {
        memcpy(at, &access->value, access->size);
        if (access->address < tile->kind->l1_bytes) {
            tile_l1_written(tile, access->address, access->size, access->cycle);
        }
    } else {
        access->value = 0;
        memcpy(&access->value, at, access->size);
    }
    return ANSWER_DONE;
}

enum answer tile_access(struct tile *tile, struct mmio_access *access)
{
    access->rule = NULL;
    if (access->address < tile->kind->l1_bytes) {
        return access_memory(tile, access, tile->l1 + access->address);
    }
    const struct range *range = find_range(tile->kind->type, access->agent, access->address);
    if (!range) {
        return ANSWER_UNMAPPED;
    }
    access->offset = access->address - range->first;
    return range->handle(tile, access);
}

enum rv32_poll tile_poll(struct tile *tile, enum tile_agent agent, uint32_t address, unsigned size,
                         uint32_t *value)
{
    struct mmio_access access = {.operation = MMIO_PEEK,
                                 .agent = agent,
                                 .size = (uint8_t)size,
                                 .address = address,
                                 .cycle = tile->now};
    enum rv32_poll poll = RV32_POLL_STATE;
    if (address >= tile->kind->l1_bytes) {
        const struct range *range = find_range(tile->kind->type, agent, address);
        if (!range) {
            return RV32_POLL_EFFECT;
        }
        poll = range->poll_of ? range->poll_of(tile, agent, address - range->first) : range->poll;
    }
    if (poll == RV32_POLL_STATE) {
        if (tile_access(tile, &access) != ANSWER_DONE) {
            return RV32_POLL_EFFECT;
        }
        *value = access.value;
    }
    return poll;
}

static uint32_t low_bytes(unsigned size)
{
    return size >= 4 ? UINT32_MAX : (UINT32_C(1) << 8 * size) - 1;
}

enum answer mmio_word(struct mmio_access *access, uint32_t *word, uint32_t writable)
{
    if (!mmio_is_write(access)) {
        return mmio_value(access, *word);
    }
    if (access->size != 4) {
        return ANSWER_NARROW;
    }
    *word = (*word & ~writable) | (access->value & writable);
    return ANSWER_DONE;
}

enum answer mmio_value(struct mmio_access *access, uint32_t value)
{
    if (mmio_is_write(access)) {
        return ANSWER_READ_ONLY;
    }
    access->value = value >> 8 * (access->offset & 3) & low_bytes(access->size);
    return ANSWER_DONE;
}

/* --- Memory ranges --- */

enum answer tile_mmio_BEYOND_L1(struct tile *tile, struct mmio_access *access)
{
    (void)tile;
    return mmio_is_write(access) ? ANSWER_DONE
                                 : mmio_refuse(access, ANSWER_UNMAPPED,
                                               "stores there do nothing, but nothing answers "
                                               "loads");
}

uint32_t tile_local_size(enum rv32_core core)
{
    return core == RV32_B || core == RV32_NC ? TILE_B_LOCAL_BYTES : TILE_T_LOCAL_BYTES;
}

_Static_assert(LAST_LOCAL_RAM_T == AT_LOCAL_RAM + TILE_T_LOCAL_BYTES - 1, "the TRISCs' RAM");

enum answer tile_mmio_LOCAL_RAM(struct tile *tile, struct mmio_access *access)
{
    enum rv32_core core = (enum rv32_core)access->agent;
    if (access->offset >= tile_local_size(core)) {
        access->rule = "the TRISCs have 4 KiB of local RAM, up to " ARCH_TEXT(LAST_LOCAL_RAM_T);
        return ANSWER_UNMAPPED;
    }
    /* While the hart is held only a loader or a debugger gets here. */
    tile->run[core].ram_kept |= mmio_is_write(access) && tile->run[core].state == HART_HELD;
    return access_memory(tile, access, tile->local[core] + access->offset);
}

enum answer tile_mmio_LOCAL_SLOW(struct tile *tile, struct mmio_access *access)
{
    static const enum rv32_core core_of[] = {RV32_B, RV32_NC, RV32_T0, RV32_T1, RV32_T2};
    enum rv32_core core = core_of[access->offset >> 13];
    uint32_t at = access->offset & (tile_local_size(core) - 1); /* the TRISCs' RAMs appear twice */
    enum answer answer = access_memory(tile, access, tile->local[core] + at);
    tile->run[core].ram_used |= mmio_is_write(access);
    if (access->operation == MMIO_WRITE) {
        tile_event(tile, access->cycle);
    }
    return answer;
}

/* --- Bytes --- */

static unsigned piece_size(uint32_t address, size_t size)
{
    unsigned piece = address & 1 ? 1 : address & 2 ? 2 : 4;
    while (piece > size) {
        piece /= 2;
    }
    return piece;
}

enum answer tile_access_bytes(struct tile *tile, struct mmio_access access, void *bytes,
                              size_t size, uint32_t *done, const char **rule)
{
    const bool write = mmio_is_write(&access);
    uint8_t *at = bytes;
    while (*done < size) {
        struct mmio_access piece = access;
        piece.address += *done;
        piece.size = (uint8_t)piece_size(piece.address, size - *done);
        memcpy(&piece.value, at + *done, write ? piece.size : 0);
        enum answer answer = tile_access(tile, &piece);
        if (answer != ANSWER_DONE) {
            *rule = piece.rule;
            return answer;
        }
        memcpy(at + *done, &piece.value, write ? 0 : piece.size);
        *done += piece.size;
    }
    return ANSWER_DONE;
}

enum answer tile_noc_access(struct tile *tile, enum mmio_operation operation, uint32_t address,
                            void *bytes, uint32_t size, uint64_t cycle, uint32_t *done,
                            const char **rule)
{
    struct mmio_access access = {
        .operation = operation, .agent = AGENT_NOC, .address = address, .cycle = cycle};
    *done = 0;
    *rule = NULL;
    if (address < tile->kind->l1_bytes && size > 0) {
        uint32_t bulk =
            size < tile->kind->l1_bytes - address ? size : tile->kind->l1_bytes - address;
        if (mmio_is_write(&access)) {
            tile_l1_write(tile, address, bytes, bulk, cycle);
        } else {
            memcpy(bytes, tile->l1 + address, bulk);
        }
        *done = bulk;
    }
    return tile_access_bytes(tile, access, bytes, size, done, rule);
}
