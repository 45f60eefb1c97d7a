/*
 * What the kernels of a matrix multiplication on a grid share.
 *
 * The result is cut into blocks of HEIGHT x WIDTH tiles, one for each tile of the grid. The tiles
 * of a row of the grid need the same rows of A, those of a column the same columns of B. The
 * leftmost tile of a row reads A's panel from DRAM and multicasts it to the right, the topmost tile
 * of a column reads B's and multicasts it down, DEPTH tiles along the inner dimension at a time
 * (panel.h).
 *
 * In circular buffers panels lie in the order of the inner dimension: the HEIGHT (or WIDTH) tiles
 * with k = 0, then those with k = 1.
 */
#ifndef GRID_MATMUL_H
#define GRID_MATMUL_H

enum { PANEL_A = 0, PANEL_B = 1, RESULT = 16 }; /* circular buffers of tiles */

/* Common arguments. Addresses and bytes of a page in DRAM; sizes in tiles; data formats. */
enum {
    ARG_A,
    ARG_B,
    ARG_RESULT,
    ARG_SIZE_A,
    ARG_SIZE_B,
    ARG_SIZE_RESULT,
    ARG_HEIGHT, /* of a tile's block of the result */
    ARG_WIDTH,
    ARG_INNER,   /* width of A and height of B */
    ARG_COLUMNS, /* width of B and of the result */
    ARG_DEPTH,   /* how much of the inner dimension a multicast brings */
    ARG_PHASES,  /* of fidelity, 1 to 4 */
    ARG_FORMAT_A,
    ARG_FORMAT_B,
    ARG_FORMAT_RESULT,
};

/* Arguments: where the tile is in the grid; of its row and its column: y << 6 | x of the first
 * tile, which sends, of the second and of the last one, and how many receive. */
enum {
    ARG_X,
    ARG_Y,
    ARG_ROW_SENDER,
    ARG_ROW_FIRST,
    ARG_ROW_LAST,
    ARG_ROW_RECEIVERS,
    ARG_COLUMN_SENDER,
    ARG_COLUMN_FIRST,
    ARG_COLUMN_LAST,
    ARG_COLUMN_RECEIVERS,
};

enum { A_READY, A_VALID, B_READY, B_VALID }; /* semaphores */

#endif
