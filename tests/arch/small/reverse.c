/* The Vector instruction that the small chip has and Blackhole has not. */
#include "tensix/vector/common.h"

TENSIX_EXEC_VECTOR(SFPREV)
{
    const uint32_t *c = tensix->vector.lreg[op->vc];
    uint32_t *d = tensix->vector.lreg[op->vd];
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        uint32_t reversed = 0;
        for (unsigned bit = 0; bit < 32; bit++) {
            reversed |= (c[lane] >> bit & 1) << (31 - bit);
        }
        d[lane] = reversed;
    }
    return NULL;
}
