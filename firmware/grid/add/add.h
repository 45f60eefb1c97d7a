/* What the kernels of an element-wise sum share. */
#ifndef GRID_ADD_H
#define GRID_ADD_H

enum { INPUT_A = 0, INPUT_B = 1, RESULT = 16 }; /* circular buffers of tiles */

/* Common arguments: addresses, and bytes of a page, in DRAM; tiles of each matrix; tiles of the
 * grid; data formats; is Dst 32 bits wide? */
enum {
    ARG_A,
    ARG_B,
    ARG_RESULT,
    ARG_SIZE_A,
    ARG_SIZE_B,
    ARG_SIZE_RESULT,
    ARG_COUNT,
    ARG_TILES,
    ARG_FORMAT_A,
    ARG_FORMAT_B,
    ARG_FORMAT_RESULT,
    ARG_IS_DST_32BIT,
};

enum { ARG_INDEX }; /* argument: which tile of the grid */

#endif
