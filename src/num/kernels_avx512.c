/* The set of kernels.h that uses AVX-512: a table of what kernel_sets.h declares. */
#include "num/kernel_sets.h"

#if NUM_HAS_X86_KERNELS

const struct num_kernels num_kernels_avx512 = {
    .name = "avx512",
    .dot = num_dot_avx512,
    .multiply = num_multiply_avx512,
    .add = num_add_avx512,
    .subtract = num_subtract_avx512,
    .unpack = num_unpack_avx512,
    .pack = num_pack_avx512,
    .choose_pack = num_choose_pack_avx512,
    .greatest = num_greatest_avx512,
    .accumulate = num_accumulate_avx512,
    .lanes = &num_lanes_avx512,
};

#endif
