/* State of the Matrix Unit that is its own; Dst, Src and RWCs are elsewhere. */
#ifndef TENSIX_MATRIX_UNIT_H
#define TENSIX_MATRIX_UNIT_H

#include <stdint.h>

struct tensix_matrix {
    uint32_t generator; /* of stochastic rounding */
};

#endif
