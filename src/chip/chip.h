/*
 * A chip: the grid of tiles, the scheduler, the fault records and the programs that were loaded.
 *
 * Tiles are made when they are first touched; until then they are what a tile in reset is. Time
 * advances in windows: within a window a tile knows nothing of the others. chip->now is the start
 * of the current window; every tile has been run at least that far.
 */
#ifndef CHIP_CHIP_H
#define CHIP_CHIP_H

#include <penrose/penrose.h>

#include "chip/images.h"
#include "num/kernels.h"
#include "tile/tile.h"

enum { CHIP_WIDTH = 17, CHIP_HEIGHT = 12, CHIP_FAULTS = 256, CHIP_UNMODELLED = 512 };

/* A fault record without the texts that penrose_fault_get adds. */
struct chip_fault {
    struct tile_fault fault;
    enum penrose_policy policy;
    unsigned x, y;
    uint64_t repeated;
};

/* A tile that was touched, with what the scheduler needs to know of one that sleeps. */
struct made_tile {
    struct tile *tile;
    uint64_t now, next; /* tile->now, tile_next_event() */
    bool stopped;
};

struct penrose_chip {
    struct penrose_options options;
    const struct num_kernels *kernels; /* that compute what its tiles do */
    uint64_t now;
    struct rv32_code_store *store;
    struct tile_board board;
    struct tile *tile[CHIP_HEIGHT][CHIP_WIDTH];
    struct made_tile made[CHIP_HEIGHT * CHIP_WIDTH]; /* in order of (y, x) */
    unsigned made_count;
    bool touched; /* something outside time may have changed tiles: what `made` notes is stale */

    struct chip_fault fault[CHIP_FAULTS];
    size_t faults;
    struct penrose_unmodelled unmodelled[CHIP_UNMODELLED];
    size_t unmodelled_count;
    struct images images;

    void (*trace)(void *context, const struct penrose_trace_event *event);
    void *trace_context;
};

/* *tile is the worker tile at (x, y), for the caller to do with as he likes; made if need be.
 * PENROSE_E_ARGUMENT when there is none, PENROSE_E_MEMORY. */
enum penrose_status chip_tile(struct penrose_chip *chip, unsigned x, unsigned y,
                              struct tile **tile, struct penrose_error *error);

/* The board functions of a chip's tiles (faults.c). */
void chip_board_init(struct tile_board *board);

#endif
