/* The sets behind num_kernels_find, for kernels*.c and their tests. */
#ifndef NUM_KERNEL_SETS_H
#define NUM_KERNEL_SETS_H

#include "num/kernels.h"

extern const struct num_kernels num_kernels_reference;

#endif
