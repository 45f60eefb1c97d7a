/* The set of kernels.h that uses AVX2: a table of what kernel_sets.h declares. */
#include "num/kernel_sets.h"

#if NUM_HAS_X86_KERNELS

const struct num_kernels num_kernels_avx2 = {
    .name = "avx2",
    .dot = num_dot_avx2,
    .multiply = num_multiply_avx2,
    .add = num_add_avx2,
    .subtract = num_subtract_avx2,
    .unpack = num_unpack_avx2,
    .pack = num_pack_avx2,
    .choose_pack = num_choose_pack_avx2,
    .greatest = num_greatest_avx2,
    .accumulate = num_accumulate_avx2,
    .lanes = &num_lanes_avx2,
};

#endif
