/*
 * The arithmetic of the Matrix Unit, bit for bit, with one datum of Dst in each call. Pure
 * functions, exact integers, safe from any thread.
 *
 * SPEC: WormholeB0 MVMUL, ELWMUL, ELWADD, ELWSUB, GMPOOL, SrcASrcB (fidelity phases), MatrixUnit
 * (pseudocode helpers) give the semantics, but call floating point a rough guide. Its order and
 * rounding are ttsim's, which its vendor calls bit-exact.
 *
 * Operands are stored datums (num/tensix_format.h): 19 bits of SrcA and SrcB, and 32 or 16 bits of
 * Dst. Floating-point formats have neither NaN nor infinity on input: all ones in the exponent is
 * an exponent like any other. Too large results are infinity (8-bit exponents) or the pattern of
 * all ones (FP16 in Dst); results below the least normal number are +0, and so is 0.
 *
 * Stochastic rounding. GUESS: with a generator, random bits stand in for the half of the last
 * rounding, that of the result to Dst's significand; alignment rounds as always. One draw for each
 * floating-point result, 0 included; none for integers and num_matrix_max, which round nothing.
 */
#ifndef NUM_MATRIX_H
#define NUM_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "num/tensix_format.h"

enum num_matrix_style { NUM_MATRIX_BF16, NUM_MATRIX_FP16, NUM_MATRIX_TF32, NUM_MATRIX_INT8 };

enum { NUM_MATRIX_TERMS = 16 };

struct num_matrix_mode {
    enum num_matrix_style a; /* of SrcA; it decides about the exponent's width in Dst, too */
    enum num_matrix_style b; /* of SrcB; FP16 exactly if `a` is, INT8 exactly if `a` is */
    bool is_dst_32bit;       /* always with INT8 */
    bool keeps_denormals;    /* Zero_Flag_disabled_src */
    uint8_t fidelity;        /* phase, 0 to 3 */
    uint32_t *generator;     /* stochastic rounding (num/random.h), or NULL */
};

/* The style of a format code (4 bits) outside INT8 math. */
static inline enum num_matrix_style num_matrix_style_of(unsigned format)
{
    const unsigned fp16 = 1 << NUM_FORMAT_FLOAT16 | 1 << NUM_FORMAT_LF8 | 1 << NUM_FORMAT_BFP8 |
                          1 << NUM_FORMAT_BFP4 | 1 << NUM_FORMAT_BFP2 | 1 << NUM_FORMAT_INT8;
    return fp16 >> format & 1          ? NUM_MATRIX_FP16
           : format == NUM_FORMAT_TF32 ? NUM_MATRIX_TF32
                                       : NUM_MATRIX_BF16;
}

/*
 * dst + a[0] * b[0] + ... + a[15] * b[15]: MVMUL, DOTPV, GAPOOL. The phase chooses the mantissa
 * bits that are multiplied. Each half of the products is aligned to its largest exponent (each
 * product rounded) and summed; both sums and dst are aligned to their largest exponent (rounded
 * again), added, and normalised with one last rounding. GUESS: floating-point denormals of Src are
 * zeros even where they are kept for others; ttsim refuses it, the page knows of integers only.
 */
uint32_t num_matrix_dot(const struct num_matrix_mode *mode, const uint32_t a[NUM_MATRIX_TERMS],
                        const uint32_t b[NUM_MATRIX_TERMS], uint32_t dst);

/* dst + a * b: ELWMUL. */
uint32_t num_matrix_multiply(const struct num_matrix_mode *mode, uint32_t a, uint32_t b,
                             uint32_t dst);

/*
 * a + b or a - b, plus dst where `accumulates` (dst is ignored otherwise): ELWADD, ELWSUB. GUESS:
 * a phase other than 0 divides the sum of a and b by 32 (phase & 1) and 128 (phase & 2) as the page
 * says, and in the way of products; ttsim refuses it.
 */
uint32_t num_matrix_add(const struct num_matrix_mode *mode, uint32_t a, uint32_t b, uint32_t dst,
                        bool accumulates);
uint32_t num_matrix_subtract(const struct num_matrix_mode *mode, uint32_t a, uint32_t b,
                             uint32_t dst, bool accumulates);

/*
 * The greatest of a[i] scaled by the exponent of scale[i], and dst: one column of GMPOOL. `a` is a
 * column of SrcA, `scale` the row of SrcB. With `has_index` (32-bit Dst), low bits of the result
 * are the index of the greatest among the first eight, transformed as the page says. A dst row that
 * ZEROACC has cleared is all ones. GUESS: FP16 into a 32-bit Dst without index, where the page's
 * exponents have two biases.
 */
uint32_t num_matrix_max(const struct num_matrix_mode *mode, const uint32_t a[NUM_MATRIX_TERMS],
                        const uint32_t scale[NUM_MATRIX_TERMS], uint32_t dst, bool has_index);

#endif
