/* State of the packer that is its own: plain data, all zero after power-on. */
#ifndef TENSIX_PACK_H
#define TENSIX_PACK_H

#include <stdbool.h>
#include <stdint.h>

struct tensix_packer {
    uint32_t generator;       /* of stochastic rounding */
    uint32_t histogram[32];   /* of exponents; CLREXPHIST clears it */
    uint32_t max_exponent;
};

#endif
