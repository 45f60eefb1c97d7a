/*
 * A Matrix Unit that holds both banks of SrcA and SrcB, for its tests and the packer's: patterns of Src
 * and Dst, values of them, and which rows of Dst an instruction left alone.
 */
#ifndef MATRIX_WORLD_H
#define MATRIX_WORLD_H

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "unit/tensix/pack_world.h"
#include "unit/random.h"

enum { COLUMNS = 16, SRC_ROWS = 64, MVMUL = 0x26, ELWMUL, ELWADD, DOTPV, ELWSUB = 0x30 };
enum { GMPOOL = 0x33, GAPOOL };
enum style { BF16, FP16, TF32 };

static const uint8_t style_code[] = {D_BF16, D_FP16, D_TF32};

struct world {
    struct tensix_harness harness;
    struct tensix_dst before;
    uint64_t random;
};

static inline void open_world(struct world *w, enum style style, bool is_32bit, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->random = seed;
    tensix_harness_open(&w->harness);
    struct tensix *t = &w->harness.tensix;
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        t->src[src].matrix_may[0] = t->src[src].matrix_may[1] = true;
        t->src_file[src].format[0] = t->src_file[src].format[1] = style_code[style];
    }
    D_CONFIG(t, ALU_ACC_CTRL_Fp32_enabled, is_32bit);
}

static inline void close_world(struct world *w)
{
    D_EXPECT(w->harness.faults == 0, "%s", w->harness.fault.text);
    tensix_harness_close(&w->harness);
}

static inline int any_integer(struct world *w, unsigned most)
{
    return (int)random_scaled(&w->random, 2 * most + 1) - (int)most;
}

/* --- Patterns --- */

static inline uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Values that all styles have: as Src stores them. */
static inline uint32_t src_of(enum style style, float x)
{
    uint32_t bits = bits_of(x), exponent = bits >> 23 & 0xff;
    if (x == 0) {
        return 0;
    }
    return (bits >> 31) << 18 | (bits >> 13 & 0x3ff) << 8 |
           (style == FP16 ? exponent - 112 : exponent);
}

/* The value of any datum but a denormal, which is 0. */
static inline double src_value(enum style style, uint32_t src)
{
    int exponent = (int)(src & (style == FP16 ? 0x1f : 0xff));
    int bias = style == FP16 ? 15 : 127;
    double x = ldexp(1024 + (src >> 8 & 0x3ff), exponent - bias - 10);
    return exponent == 0 ? 0 : src >> 18 & 1 ? -x : x;
}

static inline void set_src(struct world *w, enum tensix_src src, unsigned row, unsigned column,
                           uint32_t value)
{
    w->harness.tensix.src_file[src].bank[0][row][column] = value;
}

static inline uint32_t read32(const struct tensix_dst *dst, unsigned row, unsigned column)
{
    return tensix_dst_read32(dst, d_no_map, row & 1023, column, TENSIX_DST_READS_ZERO);
}

static inline void write32(struct world *w, unsigned row, unsigned column, uint32_t stored)
{
    tensix_dst_write32(&w->harness.tensix.dst, d_no_map, row, column, stored);
}

static inline double dst_float(const struct tensix_dst *dst, unsigned row, unsigned column)
{
    return (double)float_of(d_load_fp32(read32(dst, row, column)));
}

static inline int64_t dst_int(const struct tensix_dst *dst, unsigned row, unsigned column)
{
    uint32_t x = d_load_fp32(read32(dst, row, column));
    int64_t magnitude = x & INT32_MAX;
    return x >> 31 ? -magnitude : magnitude;
}

static inline void put_int(struct world *w, unsigned row, unsigned column, int64_t x)
{
    uint32_t magnitude = (uint32_t)(x < 0 ? -x : x);
    write32(w, row, column, d_store_fp32(magnitude | (x < 0 ? 0x80000000 : 0)));
}

static inline uint32_t src_int(int x)
{
    unsigned magnitude = (unsigned)(x < 0 ? -x : x);
    return (x < 0 ? UINT32_C(1) << 18 : 0) | magnitude << 8 | (magnitude ? 16 : 0);
}

/* --- Instructions --- */

/* With one or the other set of kernels. */
static inline void run(struct world *w, unsigned opcode, uint32_t operands)
{
    w->before = w->harness.tensix.dst;
    d_use_kernels(&w->harness.tensix, random_next(&w->random) & 1);
    tensix_harness_push(&w->harness, 0, (uint32_t)opcode << 24 | operands);
    D_EXPECT(w->harness.faults == 0, "%s", w->harness.fault.text);
}

static inline void set_rwc(struct world *w, unsigned a, unsigned b, unsigned dst, unsigned fidelity)
{
    struct tensix_rwc *rwc = &w->harness.tensix.thread[0].rwc;
    rwc->src_a = a;
    rwc->src_b = b;
    rwc->dst = dst;
    rwc->fidelity = fidelity;
}

/* Rows that are not marked in `written` hold what they held. */
static inline void check_other_rows(const struct world *w, unsigned first, unsigned written)
{
    for (unsigned row = 0; row < 512; row++) {
        if (row >= first && row - first < 32 && (written >> (row - first) & 1)) {
            continue;
        }
        for (unsigned column = 0; column < COLUMNS; column++) {
            D_EXPECT(read32(&w->harness.tensix.dst, row, column) == read32(&w->before, row, column),
                     "row %u has changed", row);
        }
    }
}

static inline void open_int8(struct world *w, uint64_t seed)
{
    open_world(w, BF16, false, seed);
    D_CONFIG(&w->harness.tensix, ALU_ACC_CTRL_INT8_math_enabled, 1);
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        w->harness.tensix.src_file[src].format[0] = D_INT8;
    }
}

#endif
