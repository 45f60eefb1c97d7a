/* What loads and stores of the Vector Unit (memory.c) share with their shortcut (memory_fast.c). */
#ifndef TENSIX_VECTOR_MEMORY_H
#define TENSIX_VECTOR_MEMORY_H

#include "tensix/vector/common.h"

enum {
    TENSIX_ADDRESS_MASK = TENSIX_DST_ROWS - 1,
    TENSIX_ADDRESS_COLUMN = 3, /* what of an address is no row */
};

/* --- Formats --- */

/* What Mod0 0 stands for in a thread's loads and stores. */
enum num_lanes_format tensix_vector_srcb_format(const struct tensix *tensix, unsigned thread);

TENSIX_VECTOR_INLINE enum num_lanes_format tensix_vector_format(const struct tensix *tensix,
                                                                unsigned thread, unsigned mod0)
{
    return mod0 == 0 ? tensix_vector_srcb_format(tensix, thread) : (enum num_lanes_format)mod0;
}

/* --- Rows of Dst --- */

/* The upper halves of four rows, or all of them in Dst16b; the lower halves. */
TENSIX_VECTOR_INLINE uint16_t *tensix_vector_high_rows(struct tensix_dst *dst, unsigned physical)
{
    return dst->bits[physical];
}

TENSIX_VECTOR_INLINE uint16_t *tensix_vector_low_rows(struct tensix_dst *dst, unsigned physical)
{
    return dst->bits[physical + TENSIX_DST_LOWER_HALF];
}

TENSIX_VECTOR_INLINE bool tensix_vector_any_undefined(const struct tensix_dst *dst,
                                                      unsigned physical)
{
    bool none[NUM_LANES_ROWS] = {false};
    return memcmp(dst->cleared + physical, none, sizeof none) != 0;
}

#endif
