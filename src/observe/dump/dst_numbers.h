/* Rows of Dst, in the hardware's order of bits, as numbers. */
#ifndef OBSERVE_DUMP_DST_NUMBERS_H
#define OBSERVE_DUMP_DST_NUMBERS_H

#include "loader/npy.h"
#include "num/tensix_format.h"

enum { DUMP_DST_COLUMNS = 16 };

/*
 * Makes an array of `rows` rows as a dump has them. `format` is Float16_b, Float16, UInt16 or Int8
 * of 16-bit rows (`half`), Float32 or Int32 of 32-bit ones (`half` is NULL, `whole` has them).
 * False without memory.
 */
bool dump_decode_dst(enum num_format format, const uint16_t *half, const uint32_t *whole,
                     uint32_t rows, struct loader_npy *array);

#endif
