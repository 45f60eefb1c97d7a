/* The lanes of the Vector Unit with avx512. NOT YET: the reference's functions. */
#include "num/kernel_sets.h"

#if NUM_HAS_X86_KERNELS
const struct num_lanes_kernels num_lanes_avx512 = {.less = NULL};
#endif
