/* e^x in the precision of FP32, for the programs of this folder. */
#ifndef VECTOR_EXP_H
#define VECTOR_EXP_H

#include "sfpu.h"

/* Constants that exp_core expects. */
static void exp_prepare(struct body *body)
{
    PROGRAM(L11, 0.0013941806F); /* of the polynomial for e^r */
    PROGRAM(L12, 0.008368802F);
    PROGRAM(L13, 0.04166639F);
    PROGRAM(L14, 0.1666652F);
    CONSTANT(L4, 1.44269504F);       /* 1 / ln 2 */
    CONSTANT_SHORT(L5, 12582912.0F); /* 3 * 2^22: rounds to integers what is added to it */
    CONSTANT(L6, -0.693359375F);     /* -ln 2 in two parts, the first one of 10 bits */
    CONSTANT(L7, 2.12194440e-4F);
}

/* L2 = e^x for x in L0, -87.3365 to 88.7228; changes L0, L1 and L3. x = k ln 2 + r; the low bits of
 * L1 are k, which is added to the exponent at last. */
BODY_INLINE void exp_core(struct body *body)
{
    MAD(L1, L0, L4, L5);
    SUBTRACT(L2, L1, L5);
    MAD(L0, L2, L6, L0);
    MAD(L0, L2, L7, L0);
    MAD(L2, L11, L0, L12);
    MAD(L2, L2, L0, L13);
    MAD(L2, L2, L0, L14);
    CONSTANT_SHORT(L3, 0.5F);
    MAD(L2, L2, L0, L3);
    MAD(L2, L2, L0, L_ONE);
    MAD(L2, L2, L0, L_ONE);
    SHIFT(L1, L1, 23);
    IADD(L2, L1, 0);
}

#endif
