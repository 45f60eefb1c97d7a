/* The lanes of the Vector Unit with AVX-512; see kernels_lanes.inc. */
#include "num/kernel_sets.h"

#if NUM_HAS_X86_KERNELS

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma"))), apply_to = function)
#else
#define UNROLL _Pragma("GCC unroll 16")
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")
#endif

#define NAME(function) function##_avx512

#include "num/vector_avx512.h"

#include "num/fp32.h"

#include "num/kernels_lanes.inc"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
