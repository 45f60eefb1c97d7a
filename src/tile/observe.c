/*
 * Observers of a tile, and the bus of its harts while an observer wants to know what they do. This
 * bus reaches everything that the tile's own bus reaches, and also L1 and the local RAM, by one
 * function, and reports each access.
 */
#include "tile/observe.h"

#include <stdlib.h>

#include "tile/bus.h"
#include "tile/tell.h"
#include "tile/weak.h"

/* --- The bus --- */

static const struct rv32_bus *plain_bus(const struct tile *tile)
{
    return tile->weak ? &tile_weak_bus : &tile_bus;
}

static void tell_access(struct tile *tile, const struct rv32_hart *hart,
                        const struct rv32_access *access)
{
    const struct observed event = {.kind = access->store ? OBSERVED_WRITTEN : OBSERVED_READ,
                                   .agent = (enum observed_agent)hart->core,
                                   .thread = OBSERVED_NO_THREAD,
                                   .cycle = access->cycle,
                                   .pc = rv32_current_pc(hart),
                                   .address = access->address,
                                   .size = access->size,
                                   .value = access->value};
    if (tile_is_observed(tile, event.kind)) {
        tile_tell(tile, &event);
    }
}

static enum answer observed_access(void *owner, struct rv32_hart *hart, struct rv32_access *access)
{
    enum answer answer = plain_bus(owner)->access(owner, hart, access);
    if (answer == ANSWER_DONE) {
        tell_access(owner, hart, access);
    }
    return answer;
}

static bool observed_push(void *owner, struct rv32_hart *hart, uint32_t address, uint32_t word,
                          uint64_t cycle)
{
    bool is_pushed = plain_bus(owner)->push(owner, hart, address, word, cycle);
    if (is_pushed) {
        const struct rv32_access access = {
            .address = address, .value = word, .size = 4, .store = true, .cycle = cycle};
        tell_access(owner, hart, &access);
    }
    return is_pushed;
}

static enum answer observed_fence(void *owner, struct rv32_hart *hart, uint64_t cycle)
{
    return plain_bus(owner)->fence(owner, hart, cycle);
}

static enum rv32_poll observed_poll(void *owner, struct rv32_hart *hart, uint32_t address,
                                    unsigned size, uint32_t *value)
{
    return plain_bus(owner)->poll(owner, hart, address, size, value);
}

/* The local RAM is not reached directly here. */
static bool observed_repeatable(void *owner, struct rv32_hart *hart, uint32_t address)
{
    return address - RV32_LOCAL_BASE < tile_local_size(hart->core) ||
           tile_bus_repeatable(owner, hart, address);
}

static bool observed_starts(void *owner, struct rv32_hart *hart, uint64_t now)
{
    const struct tile *tile = owner;
    return !tile_tell_hart_at(owner, hart->core, OBSERVED_STARTS, hart->pc, now) &&
           !tile->late[hart->core].hart;
}

static void observed_finished(void *owner, struct rv32_hart *hart, uint32_t pc, uint64_t now)
{
    tile_tell_hart_at(owner, hart->core, OBSERVED_FINISHED, pc, now);
}

static const struct rv32_bus observed_bus = {
    .access = observed_access,
    .push = observed_push,
    .fence = observed_fence,
    .poll = observed_poll,
    .repeatable = observed_repeatable,
    .status = tile_bus_status,
    .starts = observed_starts,
    .finished = observed_finished,
};

static void choose_buses(struct tile *tile)
{
    bool is_observed = tile->observed & OBSERVED_OF_HARTS;
    for (unsigned core = 0; core < RV32_CORES; core++) {
        struct rv32_hart *hart = &tile->hart[core];
        bool is_direct = !is_observed && !tile->weak;
        uint32_t local_size = tile_local_size((enum rv32_core)core);
        hart->l1_direct = is_direct ? tile->kind->l1_bytes - RV32_NULL_BYTES : 0;
        hart->local_size = is_observed ? 0 : local_size;
        hart->plain_l1_size = tile->weak ? 0 : tile->kind->l1_bytes;
        hart->told_local_size = local_size;
        hart->bus = is_observed ? &observed_bus : plain_bus(tile);
    }
}

bool tile_weak_enable(struct tile *tile, uint64_t seed)
{
    tile->weak = calloc(1, sizeof *tile->weak);
    if (!tile->weak) {
        return false;
    }
    tile->weak->random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    choose_buses(tile);
    return true;
}

bool tile_observe(struct tile *tile, const struct observer *first)
{
    bool has_room = true;
    tile->observers = 0;
    for (const struct observer *observer = first; observer && has_room; observer = observer->next) {
        if (observer->wants && !observer->wants(observer->context, tile)) {
            continue;
        }
        has_room = tile->observers < TILE_OBSERVERS;
        if (has_room) {
            tile->observer[tile->observers++] = observer;
        }
    }
    tile_tell_kinds(tile);
    choose_buses(tile);
    return has_room;
}

void tile_allow_shortcuts(struct tile *tile, bool allows)
{
    tile->allows_shortcuts = allows;
    tile_tell_kinds(tile);
    choose_buses(tile);
}
