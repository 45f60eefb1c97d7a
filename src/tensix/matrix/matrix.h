/* The Matrix Unit's own state, without Dst, Src and RWCs. */
#ifndef TENSIX_MATRIX_UNIT_H
#define TENSIX_MATRIX_UNIT_H

#include <stdint.h>

struct tensix;

struct tensix_matrix {
    uint32_t generator; /* of stochastic rounding */
    uint32_t src_a_row; /* of the last instruction that had one: what SHIFTXA reads from */
};

/*
 * What SOFT_RESET_0 does to the data of SrcA, SrcB and Dst, to the generator of stochastic rounding
 * and to the packer's histogram (which hangs on the bit of Dst). tensix->held is the new value
 * already, `entering` the bits that were not set before. To be called for every change: leaving
 * gives columns of Src back.
 */
void tensix_matrix_soft_reset(struct tensix *tensix, uint32_t entering);

#endif
