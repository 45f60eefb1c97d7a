/* Accesses of a tile's address space: a row of its map answers. */
#include "tile/access.h"

#include <string.h>

#include "addresses.h"
#include "arch/arch.h"
#include "tile/report.h"

const struct tile_range *tile_find_range(const struct tile_map *map, enum tile_agent agent,
                                         uint32_t address)
{
    const struct tile_range *range = map->range + map->last_of[TILE_BLOCK(address)];
    while (address < range->first && range > map->range) {
        range--;
    }
    bool holds = address >= range->first && address <= range->last && range->agents & 1u << agent;
    return holds ? range : NULL;
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

/* Loaders and debuggers reach a hart's instruction RAM; its own loads and stores do not. */
static enum answer access_iram(struct tile *tile, struct mmio_access *access)
{
    const struct rv32_code *iram =
        access->agent < AGENT_NOC ? tile->hart[access->agent].iram : NULL;
    if (mmio_has_effects(access) || !rv32_code_has(iram, access->address)) {
        return ANSWER_UNMAPPED;
    }
    uint32_t offset = access->address - iram->base;
    enum answer answer = access_memory(tile, access, iram->l1 + offset);
    if (mmio_is_write(access)) {
        tile_iram_written(tile, (enum rv32_core)access->agent, offset, access->size);
    }
    return answer;
}

enum answer tile_access(struct tile *tile, struct mmio_access *access)
{
    access->rule = NULL;
    if (access->address < tile->kind->l1_bytes) {
        return access_memory(tile, access, tile->l1 + access->address);
    }
    const struct tile_range *range = tile_find_range(tile->map, access->agent, access->address);
    if (!range) {
        return access_iram(tile, access);
    }
    access->offset = access->address - range->first;
    return range->handle(tile, access);
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

/* In timed runs loads of all harts take turns. */
static uint8_t wait_for_slow_path(struct tile *tile, uint64_t now)
{
    const struct timing *timing = tile->tensix.timing;
    if (!timing) {
        return 0;
    }
    const unsigned cycles = timing_cycles(timing, TIMING_LOCAL_SLOW);
    uint64_t late = timing_serve(&tile->slow_path, 1, cycles, now).begin - now;
    return (uint8_t)(late < UINT8_MAX ? late : UINT8_MAX);
}

bool tile_slow_local(uint32_t address, enum rv32_core *core, uint32_t *at)
{
    static const enum rv32_core core_of[] = {RV32_B, RV32_NC, RV32_T0, RV32_T1, RV32_T2};
    const uint32_t offset = address - AT_LOCAL_SLOW, number = offset >> 13;
    if (number >= sizeof core_of / sizeof *core_of) {
        return false;
    }
    *core = core_of[number];
    *at = offset & (tile_local_size(*core) - 1); /* the TRISCs' RAMs appear twice */
    return true;
}

enum answer tile_mmio_LOCAL_SLOW(struct tile *tile, struct mmio_access *access)
{
    enum rv32_core core = RV32_B;
    uint32_t at = 0;
    (void)tile_slow_local(access->address, &core, &at);
    enum answer answer = access_memory(tile, access, tile->local[core] + at);
    tile->run[core].ram_used |= mmio_is_write(access);
    if (access->operation == MMIO_WRITE) {
        tile_event(tile, access->cycle);
    }
    if (access->operation == MMIO_READ) {
        access->late = wait_for_slow_path(tile, access->cycle);
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
