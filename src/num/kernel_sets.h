/*
 * The sets behind num_kernels_find, and the functions that their tables (kernels_avx2.c,
 * kernels_avx512.c) are made of; for kernels*.c and their tests. The contracts are those of
 * kernels.h. Sets other than the reference exist where NUM_HAS_X86_KERNELS is 1, and run on hosts
 * that num_kernels_find offers them on.
 */
#ifndef NUM_KERNEL_SETS_H
#define NUM_KERNEL_SETS_H

#include "num/kernels.h"

#if defined __x86_64__ && defined __GNUC__
#define NUM_HAS_X86_KERNELS 1
#else
#define NUM_HAS_X86_KERNELS 0
#endif

extern const struct num_kernels num_kernels_reference;
extern const struct num_lanes_kernels num_lanes_reference; /* lanes.c */

#if NUM_HAS_X86_KERNELS
extern const struct num_kernels num_kernels_avx2;   /* AVX2, FMA */
extern const struct num_kernels num_kernels_avx512; /* AVX-512 F, BW, VL, DQ */

/* --- kernels_lanes_avx2.c, kernels_lanes_avx512.c --- */

extern const struct num_lanes_kernels num_lanes_avx2;
extern const struct num_lanes_kernels num_lanes_avx512;

/* --- kernels_matrix_avx2.c, kernels_matrix_avx512.c --- */

void num_dot_avx2(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                  unsigned rows, struct num_dst_rows dst);
void num_multiply_avx2(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                       unsigned rows, struct num_dst_rows dst);
void num_add_avx2(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                  unsigned rows, struct num_dst_rows dst, bool accumulates);
void num_subtract_avx2(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                       unsigned rows, struct num_dst_rows dst, bool accumulates);

void num_dot_avx512(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                    unsigned rows, struct num_dst_rows dst);
void num_multiply_avx512(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                         unsigned rows, struct num_dst_rows dst);
void num_add_avx512(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                    unsigned rows, struct num_dst_rows dst, bool accumulates);
void num_subtract_avx512(const struct num_matrix_mode *mode, const uint32_t *a, const uint32_t *b,
                         unsigned rows, struct num_dst_rows dst, bool accumulates);

/* --- kernels_convert_*.c --- */

void num_unpack_avx2(const struct num_unpack *how, const uint8_t *data, const uint8_t *exponents,
                     size_t rows, uint32_t *stored);
void num_pack_avx2(const struct num_pack *how, const uint16_t *high, const uint16_t *low,
                   size_t rows, uint8_t *data, uint8_t *exponents);
num_pack_function *num_choose_pack_avx2(const struct num_pack *how);
uint16_t num_greatest_avx2(const uint8_t *data, size_t rows, uint32_t mask, uint16_t floor);
void num_accumulate_avx2(enum num_format format, const uint8_t *data, size_t rows, uint8_t *l1);

void num_unpack_avx512(const struct num_unpack *how, const uint8_t *data, const uint8_t *exponents,
                       size_t rows, uint32_t *stored);
void num_pack_avx512(const struct num_pack *how, const uint16_t *high, const uint16_t *low,
                     size_t rows, uint8_t *data, uint8_t *exponents);
num_pack_function *num_choose_pack_avx512(const struct num_pack *how);
uint16_t num_greatest_avx512(const uint8_t *data, size_t rows, uint32_t mask, uint16_t floor);
void num_accumulate_avx512(enum num_format format, const uint8_t *data, size_t rows, uint8_t *l1);
#endif

#endif
