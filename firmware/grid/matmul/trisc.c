/*
 * A tile's block of the result, row by row. Each row goes along the inner dimension once more, so
 * the panels stay until the end; in the first row T0 waits for their parts as they come. Dst has 32
 * bits.
 */
#include "grid/compute.h"
#include "grid/matmul/matmul.h"
#include "tensor/matmul.h"

static inline uint32_t compute_argument(enum argument which)
{
    switch (which) {
    case ARGUMENT_ROWS:
        return common_argument(ARG_HEIGHT);
    case ARGUMENT_COLUMNS:
        return common_argument(ARG_WIDTH);
    case ARGUMENT_INNER:
        return common_argument(ARG_INNER);
    case ARGUMENT_FORMAT_A:
    case ARGUMENT_FORMAT_SRC_A:
        return common_argument(ARG_FORMAT_A);
    case ARGUMENT_FORMAT_B:
    case ARGUMENT_FORMAT_SRC_B:
        return common_argument(ARG_FORMAT_B);
    case ARGUMENT_FORMAT_PACK:
    case ARGUMENT_FORMAT_RESULT:
        return common_argument(ARG_FORMAT_RESULT);
    case ARGUMENT_IS_DST_32BIT:
        return 1;
    case ARGUMENT_PHASES:
        return common_argument(ARG_PHASES);
    default:
        return 0;
    }
}

/* --- T0 --- */

static void unpack_row(unsigned row, unsigned *context)
{
    const unsigned height = common_argument(ARG_HEIGHT), width = common_argument(ARG_WIDTH);
    const unsigned inner = common_argument(ARG_INNER), block = block_of(width);
    const uint32_t size_of_a = format_tile_units(argument(ARGUMENT_FORMAT_A)) * UNIT;
    const uint32_t size_of_b = format_tile_units(argument(ARGUMENT_FORMAT_B)) * UNIT;
    for (unsigned column = 0; column < width; column += block) {
        for (unsigned k = 0; k < inner; k++) {
            cb_wait_pages(PANEL_A, height * (k + 1));
            cb_wait_pages(PANEL_B, width * (k + 1));
            *context = matmul_unpack(*context, cb_front(PANEL_A) + (k * height + row) * size_of_a,
                                     cb_front(PANEL_B) + (k * width + column) * size_of_b, block);
        }
    }
}

static void unpack(void)
{
    const unsigned height = common_argument(ARG_HEIGHT), inner = common_argument(ARG_INNER);
    unsigned context = 0;
    matmul_unpack_configure();
    meet();
    for (unsigned row = 0; row < height; row++) {
        unpack_row(row, &context);
    }
    cb_pop_unpacked(PANEL_A, height * inner);
    cb_pop_unpacked(PANEL_B, common_argument(ARG_WIDTH) * inner);
}

/* --- T1 --- */

static void compute(void)
{
    matmul_compute();
}

/* --- T2 --- */

static void pack(void)
{
    const unsigned tiles = common_argument(ARG_HEIGHT) * common_argument(ARG_WIDTH);
    const unsigned block = block_of(common_argument(ARG_WIDTH));
    unsigned half = 0;
    pack_configure(FACE_ROWS);
    pack_use_tile_mop();
    meet();
    for (unsigned done = 0; done < tiles; done += block) {
        pack_begin();
        for (unsigned tile = 0; tile < block; tile++) {
            cb_reserve_pages(RESULT, 1);
            pack_tile(tile, cb_back(RESULT));
            cb_push_packed(RESULT, 1);
        }
        half = pack_end(half);
    }
}
