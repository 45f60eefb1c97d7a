/*
 * Operations of the Matrix Unit, the unpackers and the packer on whole rows. There are several sets
 * of these functions, of which one is chosen at run time. All sets give the same bits. The
 * reference set calls the functions on single data of matrix.h and tensix_format.h; the others use
 * the vector instructions of the host.
 *
 * A row has NUM_BLOCK_DATUMS (16) data. Src rows are 16 words of 19 bits as stored, one after the
 * other. Dst rows are rows of 16-bit words as stored: `high` has the data of Dst16b or the upper
 * halves of Dst32b, `low` the lower halves; rows that follow each other lie one after the other in
 * both. Where a mode has 16-bit Dst, `low` is not looked at and may be NULL.
 *
 * The functions change nothing but their results and the generators (num/random.h). With a
 * generator every set uses the reference functions. Safe from any thread.
 */
#ifndef NUM_KERNELS_H
#define NUM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/lanes.h"
#include "num/matrix.h"
#include "num/tensix_format.h"

struct num_dst_rows {
    uint16_t *high, *low;
};

/* A (legal) conversion of an unpacker. */
struct num_unpack {
    uint8_t in;  /* enum num_format: of L1, modes included */
    uint8_t out; /* code as configured */
    bool to_dst;
};

/* The packer's way from Dst to L1. */
struct num_pack {
    struct num_pack_early early;
    struct num_pack_relu relu;
    uint8_t to;          /* enum num_format: of L1 */
    uint32_t *generator; /* stochastic rounding to blocks, or NULL: to nearest */
};

typedef void num_pack_function(const struct num_pack *how, const uint16_t *high,
                               const uint16_t *low, size_t rows, uint8_t *data, uint8_t *exponents);

struct num_kernels {
    const char *name; /* as PENROSE_KERNELS spells it */

    /* --- Matrix Unit --- */

    /* dst[r][c] = num_matrix_dot(mode, column c of a, row r of b, dst[r][c]) for `rows` rows: 1, 4
     * or 8. `a` has 16 rows. */
    void (*dot)(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                unsigned rows, struct num_dst_rows dst);

    /* dst = dst + a * b, datum by datum. a, b and dst have `rows` rows: 1, 4 or 8. */
    void (*multiply)(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                     unsigned rows, struct num_dst_rows dst);

    /* dst = a + b or a - b, plus dst where `accumulates`. */
    void (*add)(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                unsigned rows, struct num_dst_rows dst, bool accumulates);
    void (*subtract)(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                     unsigned rows, struct num_dst_rows dst, bool accumulates);

    /* --- Unpackers --- */

    /* Converts `rows` rows of L1 data, without gaps, to words of Src or Dst as stored. Row i has
     * the shared exponent exponents[i], which is not looked at where `in` has none. */
    void (*unpack)(const struct num_unpack *how, const uint8_t *data, const uint8_t *exponents,
                   size_t rows, uint32_t *stored);

    /* --- Packer --- */

    /* Converts `rows` rows of Dst to L1 data, without gaps, and one shared exponent a row where
     * `to` has them (NULL otherwise). No L1 accumulation. Both conversions must be legal. */
    num_pack_function *pack;

    /* The function to call instead of `pack` for this `how` alone, for frequent callers. */
    num_pack_function *(*choose_pack)(const struct num_pack *how);

    /* The greatest of the 16-bit halves of rows of 32 bytes under a mask, which has a part for
     * each half of a 32-bit word and no signs; or `floor`, itself without sign, if that is
     * greater. */
    uint16_t (*greatest)(const uint8_t *data, size_t rows, uint32_t mask, uint16_t floor);

    /* L1 accumulation: num_pack_accumulate on `rows` rows of FLOAT32, FLOAT16 or FLOAT16_B. */
    void (*accumulate)(enum num_format format, const uint8_t *data, size_t rows, uint8_t *l1);

    /* --- Vector Unit --- */

    const struct num_lanes_kernels *lanes;
};

/*
 * The set of that name: "reference", "avx2", "avx512". NULL: the fastest that this host can run.
 * Returns NULL where there is no such set or the host cannot run it.
 */
const struct num_kernels *num_kernels_find(const char *name);

#endif
