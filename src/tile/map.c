/* The address maps of the kinds of tile, and what they say of a place. */
#include "tile/map.h"

#include "addresses.h"

enum {
    B = 1 << AGENT_B,
    TRISCS = 1 << AGENT_T0 | 1 << AGENT_T1 | 1 << AGENT_T2,
    NC = 1 << AGENT_NC,
    HARTS = B | TRISCS | NC,
    NOC = 1 << AGENT_NOC,
};

tile_poll_function tile_mmio_poll_TDMA, tile_mmio_poll_DEBUG, tile_mmio_poll_PIC,
    tile_mmio_poll_PC_BUF, tile_mmio_poll_MAILBOX, tile_mmio_poll_ETH, tile_mmio_poll_NIU,
    tile_mmio_poll_OVERLAY;

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
static const struct tile_range tensix_ranges[] = {
#include "mmio.def"
};
static const struct tile_range ethernet_ranges[] = {
#include "mmio_ethernet.def"
};
static const struct tile_range dram_ranges[] = {
#include "mmio_dram.def"
};
#undef RANGE

/* Rows by number, and the last one of each block of addresses (tile/access.h). */
#define RANGE(token, first, last, agents, poll, title) TENSIX_##token,
enum {
#include "mmio.def"
};
#undef RANGE
#define RANGE(token, first, last, agents, poll, title) ETHERNET_##token,
enum {
#include "mmio_ethernet.def"
};
#undef RANGE
#define RANGE(token, first, last, agents, poll, title) DRAM_##token,
enum {
#include "mmio_dram.def"
};
#undef RANGE

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Woverride-init"
#define RANGE(token, first, last, agents, poll, title)                                             \
    [TILE_BLOCK(first)... TILE_BLOCK(last)] = TENSIX_##token,
static const uint8_t tensix_blocks[TILE_BLOCKS] = {
#include "mmio.def"
};
#undef RANGE
#define RANGE(token, first, last, agents, poll, title)                                             \
    [TILE_BLOCK(first)... TILE_BLOCK(last)] = ETHERNET_##token,
static const uint8_t ethernet_blocks[TILE_BLOCKS] = {
#include "mmio_ethernet.def"
};
#undef RANGE
#define RANGE(token, first, last, agents, poll, title)                                             \
    [TILE_BLOCK(first)... TILE_BLOCK(last)] = DRAM_##token,
static const uint8_t dram_blocks[TILE_BLOCKS] = {
#include "mmio_dram.def"
};
#undef RANGE
#pragma GCC diagnostic pop

const struct tile_map tile_maps[TILE_TYPES] = {
    [TILE_TENSIX] = {tensix_ranges, sizeof tensix_ranges / sizeof tensix_ranges[0], tensix_blocks},
    [TILE_ETHERNET] = {ethernet_ranges, sizeof ethernet_ranges / sizeof ethernet_ranges[0],
                       ethernet_blocks},
    [TILE_DRAM] = {dram_ranges, sizeof dram_ranges / sizeof dram_ranges[0], dram_blocks},
};

const char *tile_range_title(enum tile_type type, enum tile_agent agent, uint32_t address)
{
    if (address < tile_kinds[type].l1_bytes) {
        return "L1";
    }
    const struct tile_range *range = tile_find_range(&tile_maps[type], agent, address);
    const struct tile_iram *iram =
        agent < AGENT_NOC ? tile_iram(type, (enum rv32_core)agent) : NULL;
    return range                                         ? range->title
           : iram && address - iram->first < iram->bytes ? "instruction RAM"
                                                         : "unmapped";
}

bool tile_is_dst(const struct tile *tile, enum tile_agent agent, uint32_t address)
{
    const struct tile_range *range = tile_find_range(tile->map, agent, address);
    return range && range->handle == tile_mmio_DST &&
           tile_dst_has(tile, agent, address - range->first);
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
        const struct tile_range *range = tile_find_range(tile->map, agent, address);
        if (!range) {
            return RV32_POLL_EFFECT;
        }
        if (range->handle == tile_mmio_LOCAL_SLOW && tile->tensix.timing) {
            return RV32_POLL_EFFECT; /* others wait behind each load */
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
