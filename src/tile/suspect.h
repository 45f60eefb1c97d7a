/* Loads of registers that find again what they found before, and fences that come again: perhaps the
 * hart polls. */
#ifndef TILE_SUSPECT_H
#define TILE_SUSPECT_H

#include "tile/debug.h"
#include "tile/tile.h"

enum {
    TILE_MOST_PERIOD = 32, /* cycles of a polling loop */
    TILE_FENCE = 1,        /* stands for the address of a fence: that of no register */
};

/* The load has found again what it found before: the search for a polling loop may begin. True. */
bool tile_found_again(struct tile *tile, struct tile_load *load, uint64_t cycle);

/* The hart that runs has loaded `value` from a register by the instruction at `pc`. Always true. */
static inline bool tile_suspect(struct tile *tile, uint32_t pc, uint32_t address, uint32_t value,
                                uint64_t cycle)
{
    struct tile_load *load = &tile->run[tile->running].load[pc / 4 % TILE_LOADS];
    bool is_same = load->value == value || address == DEBUG_WALL_CLOCK_LOW;
    if (load->pc == pc && load->address == address && is_same &&
        cycle - load->cycle <= TILE_MOST_PERIOD) {
        return tile_found_again(tile, load, cycle);
    }
    *load = (struct tile_load){pc, address, value, 0, cycle};
    return true;
}

#endif
