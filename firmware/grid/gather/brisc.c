/*
 * All-gather on a ring: each tile has a shard, and in the end all have all of them, in the order of
 * the ring. In each step a tile passes on to its neighbour what it got in the step before.
 *
 * Each place is written once, so nobody has to wait for room. That the data have arrived is known
 * when they are acknowledged; only then the neighbour is told.
 */
#include "grid/dataflow.h"

enum { ARG_SHARD, ARG_ALL, ARG_SIZE }; /* common arguments: addresses in L1; bytes of a shard */
enum {
    ARG_POSITION,
    ARG_TILES,
    ARG_NEIGHBOUR
};                /* arguments: place in the ring of so many; y << 6 | x */
enum { ARRIVED }; /* semaphore: shards that the neighbour has sent */

void kernel_main(void)
{
    const uint32_t all = common_argument(ARG_ALL), size = common_argument(ARG_SIZE);
    const uint32_t tiles = get_argument(ARG_TILES), neighbour = get_argument(ARG_NEIGHBOUR);
    uint32_t position = get_argument(ARG_POSITION);
    dataflow_begin();
    noc_write(common_argument(ARG_SHARD), own_tile(), all + position * size, size);
    write_barrier();
    for (uint32_t step = 1; step < tiles; step++) {
        noc_write(all + position * size, neighbour, all + position * size, size);
        write_barrier();
        semaphore_add(ARRIVED, neighbour, 1);
        semaphore_wait_at_least(ARRIVED, step);
        position = position == 0 ? tiles - 1 : position - 1;
    }
    atomic_barrier();
}
