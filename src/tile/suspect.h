/* Signs that a hart may poll: loads of registers that find the value that they found before, and
 * repeated fences. */
#ifndef TILE_SUSPECT_H
#define TILE_SUSPECT_H

#include "tile/debug.h"
#include "tile/tile.h"

enum { TILE_MOST_PERIOD = 32 /* cycles of a polling loop */ };

/* The load has found again what it found before: the search for a polling loop may begin. */
void tile_found_again(struct tile *tile, struct tile_load *load, uint64_t cycle);

static inline void tile_suspect_in(struct tile *tile, unsigned slot, struct tile_load now)
{
    struct tile_load *load = &tile->run[tile->running].load[slot];
    bool is_same = load->value == now.value || now.address == AT_WALL_CLOCK_LOW;
    if (load->pc == now.pc && load->address == now.address && is_same &&
        now.cycle - load->cycle <= TILE_MOST_PERIOD) {
        tile_found_again(tile, load, now.cycle);
    } else {
        *load = now;
    }
}

/* The hart that runs has loaded `value` from a register by the instruction at `pc`. */
static inline void tile_suspect(struct tile *tile, uint32_t pc, uint32_t address, uint32_t value,
                                uint64_t cycle)
{
    tile_suspect_in(tile, pc / 4 % TILE_LOADS, (struct tile_load){pc, address, value, 0, cycle});
}

/* It has executed a fence at `pc`. */
static inline void tile_suspect_fence(struct tile *tile, uint32_t pc, uint64_t cycle)
{
    tile_suspect_in(tile, TILE_FENCES, (struct tile_load){pc, 0, 0, 0, cycle});
}

#endif
