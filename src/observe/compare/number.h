/*
 * How far two numbers are apart: in units in the last place (ulps) of a data format, and within a
 * tolerance. Pure functions, safe from any thread.
 *
 * Ulps count the format's steps between two numbers: 1 is the next number that the format has. The
 * two zeros are the same place on that scale, denormals count as any number, and numbers between
 * two of the format's are fractions of a step. In a block format the step of a datum is that of its
 * block of 16, whose exponent is that of its greatest number.
 */
#ifndef OBSERVE_COMPARE_NUMBER_H
#define OBSERVE_COMPARE_NUMBER_H

#include <stdbool.h>

#include "num/tensix_format.h"

struct compare_tolerance {
    bool has_ulp, has_relative, has_absolute; /* none: numbers must be equal to the bit */
    double ulp, relative, absolute;
};

/* The scale of a format. */
struct compare_scale {
    unsigned exponent_bits, mantissa_bits; /* 0 exponent bits: integers, whose step is 1 */
    bool is_block;
};

struct compare_scale compare_scale_of(enum num_format format);
/* Of double precision, which is no format of a tile. */
struct compare_scale compare_scale_double(void);

/* The greatest exponent of `count` numbers, for compare_ulps; those that are not finite do not
 * count. */
int compare_exponent(const double *number, unsigned count);

/*
 * Ulps between two numbers, at least 0. Infinity if just one of them is finite, or a NaN; 0 for two
 * NaNs and for equal infinities. `block_exponent` (block formats only) is the greatest exponent of
 * both blocks.
 */
double compare_ulps(struct compare_scale scale, double a, double b, int block_exponent);

/*
 * Are they the same: equal with the same sign (two NaNs are equal), or not further apart than one of
 * the tolerances says: `relative` is measured by the greater of the magnitudes. Symmetric in a and
 * b, and what a tolerance takes a greater one takes too. With a tolerance the zeros are equal.
 * An infinity or a NaN is near nothing else.
 */
bool compare_is_near(const struct compare_tolerance *tolerance, double a, double b, double ulps);

#endif
