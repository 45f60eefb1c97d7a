/*
 * A second model of the floating-point formats, for tests only: values are exact integers times
 * powers of two until one rounding at the end. Written from IEEE 754, the F and Zfh extensions and
 * the prose of the FMA page; it shares nothing with src/num.
 */
#ifndef TESTS_SPEC_FLOAT_H
#define TESTS_SPEC_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

enum spec_format { SPEC_F32, SPEC_F16, SPEC_BF16 };

enum spec_rounding { SPEC_RNE, SPEC_RTZ };

/* A 16-bit format and how its instructions round. */
struct spec_float {
    enum spec_format format;
    enum spec_rounding rounding;
};

extern const struct spec_float spec_single; /* F32, to nearest even */

/* Properties of bit patterns. */
bool spec_is_nan(enum spec_format format, uint32_t a);
bool spec_is_signalling(enum spec_format format, uint32_t a);
bool spec_is_denormal(enum spec_format format, uint32_t a);
bool spec_is_finite(enum spec_format format, uint32_t a);
uint32_t spec_nan(enum spec_format format);      /* the canonical one */
uint32_t spec_infinity(enum spec_format format); /* the positive one */
uint32_t spec_sign_bit(enum spec_format format);

/* Arithmetic with denormals taken and given as zeros of their sign. */
uint32_t spec_add(struct spec_float how, uint32_t a, uint32_t b);
uint32_t spec_mul(struct spec_float how, uint32_t a, uint32_t b);

/* True where the exact product lies below the least normal number but rounds to it: no page says
 * whether fmul flushes before or after rounding. */
bool spec_mul_is_borderline(struct spec_float how, uint32_t a, uint32_t b);

/* a * b + c in F32 as the FMA page describes Blackhole. */
uint32_t spec_fma(uint32_t a, uint32_t b, uint32_t c);

/* True where a * b and a * b + c are numbers of the format (normal or zero), so that all ways of
 * fusing agree; *sum is then the result. */
bool spec_fma_is_exact(struct spec_float how, uint32_t a, uint32_t b, uint32_t c, uint32_t *sum);

/* Comparisons by value, denormals included; false for NaN. -0 equals +0. */
bool spec_equal(enum spec_format format, uint32_t a, uint32_t b);
bool spec_less(enum spec_format format, uint32_t a, uint32_t b);

uint32_t spec_min(enum spec_format format, uint32_t a, uint32_t b);
uint32_t spec_max(enum spec_format format, uint32_t a, uint32_t b);

enum spec_sign_from { SPEC_SIGN_COPY, SPEC_SIGN_NOT, SPEC_SIGN_XOR };
uint32_t spec_inject(enum spec_format format, enum spec_sign_from from, uint32_t a, uint32_t b);

uint32_t spec_class(enum spec_format format, uint32_t a);

/* To an integer of `bits` bits, saturating as fcvt does; from a 32-bit integer. */
uint32_t spec_to_integer(struct spec_float how, uint32_t a, unsigned bits, bool is_signed);
uint32_t spec_from_integer(struct spec_float how, uint32_t a, bool is_signed);

/* Between formats; denormals are numbers like others. */
uint32_t spec_convert(enum spec_format from, struct spec_float to, uint32_t a);

/* A random pattern that likes edges, `near` its exponent when that is a number. */
uint32_t spec_random(enum spec_format format, uint64_t *state, uint32_t near);

#endif
