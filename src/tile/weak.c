/*
 * Weak memory, see weak.h. Only stores to L1 wait in the queue. Stores to devices take effect at
 * once, so they overtake earlier stores to L1. They may do so on hardware, where each memory region
 * is served by itself.
 */
#include "tile/weak.h"

#include <stdlib.h>
#include <string.h>

#include "tile/tile.h"

/* The chance that a request flushes the L0 cache is about 0.8 % (SPEC: BabyRISCV README). */
enum { FLUSH_ONE_IN = 128, WORD = 4 };
#define CFG0_NO_PERIODIC_FLUSH (UINT32_C(1) << 24)

/* xorshift64*: deterministic, good enough to shake schedules */
static uint32_t random_below(struct tile_weak *weak, uint32_t bound)
{
    weak->random ^= weak->random >> 12;
    weak->random ^= weak->random << 25;
    weak->random ^= weak->random >> 27;
    return (uint32_t)(((weak->random * UINT64_C(0x2545f4914f6cdd1d)) >> 32) * bound >> 32);
}

static void drain_one(struct tile *tile, struct weak_core *core, uint64_t cycle)
{
    struct weak_store store = core->queue[0];
    core->queued--;
    memmove(core->queue, core->queue + 1, core->queued * sizeof core->queue[0]);
    memcpy(tile->l1 + store.address, &store.value, store.size);
    tile_l1_written(tile, store.address, store.size, cycle);
}

static void drain_all(struct tile *tile, struct weak_core *core, uint64_t cycle)
{
    while (core->queued) {
        drain_one(tile, core, cycle);
    }
}

static void flush_cache(struct weak_core *core)
{
    for (unsigned i = 0; i < WEAK_LINES; i++) {
        core->line[i].valid = false;
    }
}

static struct weak_line *find_line(struct weak_core *core, uint32_t address)
{
    for (unsigned i = 0; i < WEAK_LINES; i++) {
        if (core->line[i].valid && core->line[i].address == (address & ~(WEAK_LINE_BYTES - 1u))) {
            return &core->line[i];
        }
    }
    return NULL;
}

static bool overlaps_queue(const struct weak_core *core, uint32_t address, unsigned size)
{
    for (unsigned i = 0; i < core->queued; i++) {
        const struct weak_store *store = &core->queue[i];
        if (store->address < address + size && address < store->address + store->size) {
            return true;
        }
    }
    return false;
}

void tile_weak_load(struct tile *tile, struct rv32_hart *hart, struct rv32_access *access)
{
    struct weak_core *core = &tile->weak->core[hart->core];
    const uint8_t *from = tile->l1 + access->address;
    if (overlaps_queue(core, access->address, access->size)) {
        drain_all(tile, core, access->cycle);
    }
    access->value = 0;
    if (!access->atomic && !(hart->csr.cfg0 & RV32_CFG0_DIS_LOW_CASH)) {
        struct weak_line *line = find_line(core, access->address);
        if (!line) {
            line = &core->line[core->victim++ % WEAK_LINES];
            line->valid = true;
            line->read = 0;
            line->address = access->address & ~(WEAK_LINE_BYTES - 1u);
            memcpy(line->bytes, tile->l1 + line->address, WEAK_LINE_BYTES);
        }
        line->read |= (uint8_t)(1 << access->address % WEAK_LINE_BYTES / WORD);
        memcpy(&access->value, line->bytes + access->address % WEAK_LINE_BYTES, access->size);
        if (!(hart->csr.cfg0 & CFG0_NO_PERIODIC_FLUSH) &&
            random_below(tile->weak, FLUSH_ONE_IN) == 0) {
            flush_cache(core);
        }
        return;
    }
    memcpy(&access->value, from, access->size);
}

void tile_weak_store(struct tile *tile, struct rv32_hart *hart, const struct rv32_access *access)
{
    struct weak_core *core = &tile->weak->core[hart->core];
    struct weak_line *line = find_line(core, access->address);
    if (line) {
        line->valid = false;
    }
    if (core->queued == WEAK_QUEUE) {
        drain_one(tile, core, access->cycle);
    }
    core->queue[core->queued++] = (struct weak_store){
        .address = access->address, .value = access->value, .size = access->size};
    if (access->atomic) {
        drain_all(tile, core, access->cycle);
    }
}

void tile_weak_fence(struct tile *tile, enum rv32_core core, uint64_t cycle)
{
    drain_all(tile, &tile->weak->core[core], cycle);
    flush_cache(&tile->weak->core[core]);
}

/* The bytes of L1 that the hart has in its L0 cache; NULL: it would fetch them. */
static const uint8_t *find_cached(struct tile *tile, const struct rv32_hart *hart, uint32_t address)
{
    struct weak_line *line = NULL;
    if (address < tile->kind->l1_bytes && !(hart->csr.cfg0 & RV32_CFG0_DIS_LOW_CASH)) {
        line = find_line(&tile->weak->core[hart->core], address);
    }
    return line ? line->bytes + address % WEAK_LINE_BYTES : NULL;
}

enum rv32_poll tile_weak_poll(struct tile *tile, const struct rv32_hart *hart, uint32_t address,
                              unsigned size, enum rv32_poll poll, uint32_t *value)
{
    const uint8_t *cached = find_cached(tile, hart, address);
    bool is_stale = cached && memcmp(cached, tile->l1 + address, size) != 0;
    bool is_flushed = !(hart->csr.cfg0 & CFG0_NO_PERIODIC_FLUSH);
    bool is_queued = overlaps_queue(&tile->weak->core[hart->core], address, size);
    if (is_stale && !is_flushed) {
        memcpy(value, cached, size);
    }
    return is_queued || (is_stale && is_flushed) ? RV32_POLL_EFFECT : poll;
}

void tile_weak_free(struct tile *tile)
{
    free(tile->weak);
    tile->weak = NULL;
}

uint32_t tile_weak_choose(struct tile *tile, uint32_t bound)
{
    return random_below(tile->weak, bound);
}

uint64_t tile_weak_turn(struct tile *tile, enum rv32_core core, uint64_t most)
{
    struct weak_core *weak = &tile->weak->core[core];
    for (unsigned n = random_below(tile->weak, WEAK_QUEUE + 1); n > 0 && weak->queued; n--) {
        drain_one(tile, weak, tile->round_start);
    }
    return 1 + random_below(tile->weak, (uint32_t)most);
}

bool tile_weak_pending(const struct tile *tile, enum rv32_core core)
{
    return tile->weak && tile->weak->core[core].queued;
}

bool tile_weak_stale(const struct tile *tile, enum rv32_core core, uint32_t *address,
                     uint32_t *cached, uint32_t *held)
{
    for (unsigned i = 0; tile->weak && i < WEAK_LINES * WEAK_LINE_BYTES / WORD; i++) {
        const struct weak_line *line = &tile->weak->core[core].line[i % WEAK_LINES];
        unsigned word = i / WEAK_LINES;
        *address = line->address + word * WORD;
        if (line->valid && line->read >> word & 1 && *address <= tile->kind->l1_bytes - WORD) {
            memcpy(cached, line->bytes + word * WORD, WORD);
            memcpy(held, tile->l1 + *address, WORD);
            if (*cached != *held) {
                return true;
            }
        }
    }
    return false;
}

void tile_weak_reset(struct tile *tile, enum rv32_core core)
{
    if (tile->weak) {
        tile_weak_fence(tile, core, tile->now);
    }
}
