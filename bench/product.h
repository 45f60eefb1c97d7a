/* Matrix products on a tile: the guest program firmware/tensor/matmul.c on its three TRISCs. */
#ifndef BENCH_PRODUCT_H
#define BENCH_PRODUCT_H

#include "bench.h"

enum {
    PRODUCT_TRISCS = 3,
    PRODUCT_ROWS = 4, /* of the result, in tiles; and columns */
    PRODUCT_MOST_INNER = 16,
    PRODUCT_RESULT = 0x80000,
    PRODUCT_RESULT_BYTES = PRODUCT_ROWS * PRODUCT_ROWS * 2048,
    PRODUCT_HELD = ((1 << PRODUCT_TRISCS) - 1) * BENCH_T0_HELD,
};

/* Programs and random BF16 matrices, of `inner` tiles in the dimension that is summed over. */
void product_load(struct bench_device *device, unsigned x, unsigned y, const char *guests,
                  unsigned phases, unsigned inner);

/* Makes TRISC `i` not done, which it will be again some time after it has left reset. */
void product_rewind(struct bench_device *device, unsigned x, unsigned y, unsigned i);
bool product_is_done(struct bench_device *device, unsigned x, unsigned y, unsigned i);

#endif
