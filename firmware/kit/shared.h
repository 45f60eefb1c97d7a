/* What the harts of this program agree upon: where matrices lie in L1, and who tells whom. */
#ifndef SHARED_H
#define SHARED_H

#include "kit/hart.h"

/* Matrices of 16 x 16 numbers in BF16, row by row. L1 is free from 0x16000 on, see kit/ncrisc.ld. */
enum {
    SIDE = 16,
    DATA = SIDE * SIDE,
    LEFT = 0x20000,
    RIGHT = 0x20200,
    PRODUCT = 0x20400,
    UNIT = 16, /* bytes that the unpackers and the packer count in */
};

/* Semaphores of the coprocessor. */
enum { PRODUCT_IN_DST = 1 };

#endif
