/*
 * SFPLOAD and SFPSTORE, every format, address and bit of LaneConfig, against a model of
 * its own that is written from the pages.
 *
 * SPEC: BlackholeA0 SFPLOAD, SFPSTORE, Dst; WormholeB0 RWCs.
 */
#include "unit/tensix/lane_model.h"
#include "unit/random.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = F_SETS, FORMATS = 16, SRCB = 0, INT32_ALL = 10 };

static struct f_world *open_and_put(const char *set, uint64_t seed)
{
    struct f_world *w = f_open_world(set, seed);
    if (w) {
        f_put(&w->model, &w->harness.tensix);
    }
    return w;
}

static void both(struct f_world *w, unsigned thread, uint32_t word, const char *what)
{
    char text[160];
    snprintf(text, sizeof text, "%s, %08x of thread %u", what, (unsigned)word, thread);
    ck_assert(f_execute(&w->model, thread, word));
    f_push(&w->harness, thread, word);
    F_EXPECT(w->harness.faults == 0, "%s: fault %s", text, w->harness.fault.text);
    f_compare(&w->model, &w->harness.tensix, text);
}

#define STATE(tensix, state, name, value)                                                          \
    tensix_set_config_field((tensix), (state), TENSIX_FIELD_##name, (uint32_t)(value))
#define THREAD(tensix, thread, name, value)                                                        \
    tensix_set_thread_field((tensix), (thread), TENSIX_FIELD_##name, (uint32_t)(value))

/* Bases, offsets, modifiers, formats and maps of everything. Address modifiers 0 to 2 do nothing.
 */
static void configure(struct f_world *w, bool with_stack)
{
    struct tensix *t = &w->harness.tensix;
    uint64_t *r = &w->random;
    STATE(t, 0, DEST_ACCESS_CFG_remap_addrs, random_scaled(r, 2));
    STATE(t, 0, DEST_ACCESS_CFG_swizzle_32b, random_scaled(r, 2));
    for (unsigned state = 0; state < 2; state++) {
        STATE(t, state, ALU_ACC_CTRL_SFPU_Fp32_enabled, random_scaled(r, 3) == 0);
        STATE(t, state, ALU_FORMAT_SPEC_REG_SrcB_val, random_scaled(r, FORMATS));
        STATE(t, state, ALU_FORMAT_SPEC_REG_SrcB_override, random_scaled(r, 2));
        STATE(t, state, ALU_FORMAT_SPEC_REG1_SrcB, random_scaled(r, FORMATS));
        STATE(t, state, DEST_REGW_BASE_Base,
              random_scaled(r, 2) ? random_next(r) : 4 * random_scaled(r, 64));
        STATE(t, state, DEST_SP_BASE_Base, with_stack ? random_next(r) : 0);
    }
    for (unsigned thread = 0; thread < 3; thread++) {
        THREAD(t, thread, CFG_STATE_ID_StateID, random_scaled(r, 2));
        THREAD(t, thread, DEST_TARGET_REG_CFG_MATH_Offset, random_next(r));
        THREAD(t, thread, SFPU_DEST_FMT_Enable, random_scaled(r, 2));
        THREAD(t, thread, SFPU_DEST_FMT_Base, random_scaled(r, FORMATS));
        THREAD(t, thread, SFPU_STACK_Incr, with_stack ? random_scaled(r, 9) : 0);
        struct tensix_rwc *rwc = &w->model.state.rwc[thread];
        rwc->dst = random_scaled(r, 1024);
        rwc->dst_cr = random_scaled(r, 1024);
        rwc->src_a = random_scaled(r, 64);
        rwc->src_a_cr = random_scaled(r, 64);
        rwc->src_b = random_scaled(r, 64);
        rwc->src_b_cr = random_scaled(r, 64);
        rwc->fidelity = random_scaled(r, 4);
        for (unsigned i = 3; i < 8; i++) {
            uint16_t *config = t->thread_config[thread];
            config[TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i] =
                (uint16_t)(random_scaled(r, 2) ? random_next(r) : 0);
            config[TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + i] =
                (uint16_t)(random_scaled(r, 2) ? random_next(r) : random_scaled(r, 1024));
            config[TENSIX_WORD_ADDR_MOD_BIAS_SEC0_BiasIncr + i] = 0;
        }
    }
}

/* Some rows of Dst are undefined: they are read as 0 until something is stored there. */
static void clear_rows(struct f_world *w)
{
    for (unsigned row = 0; row < 1024 && random_scaled(&w->random, 2); row++) {
        w->model.state.cleared[row] = random_scaled(&w->random, 3) == 0;
    }
}

/* Any load or store but those of INT32_ALL, which may move Sp. */
static uint32_t random_access(uint64_t *r, unsigned format)
{
    enum f_op op = random_scaled(r, 2) ? F_SFPLOAD : F_SFPSTORE;
    return f_memory(op, random_scaled(r, random_scaled(r, 8) ? 8 : 16), format, random_scaled(r, 8),
                    random_scaled(r, 1024));
}

TEST_EACH(test_everything, SETS)
{
    struct f_world *w = open_and_put(f_sets[_i], (uint64_t)_i);
    for (unsigned i = 0; w && i < 150; i++) {
        f_refill(&w->model, &w->random);
        if (i & 1) {
            f_configure(&w->model, &w->random);
        }
        configure(w, false);
        clear_rows(w);
        f_put(&w->model, &w->harness.tensix);
        for (unsigned k = 0; k < 2 * FORMATS; k++) {
            both(w, random_scaled(&w->random, 3), random_access(&w->random, k % FORMATS), "access");
        }
    }
    f_close_world(w);
}

/* Loads and stores through every map of Dst: LaneConfig as after reset. */
TEST_EACH(test_maps, FORMATS * 8)
{
    unsigned format = (unsigned)_i % FORMATS, map = (unsigned)_i / FORMATS;
    for (unsigned set = 0; set < SETS; set++) {
        struct f_world *w = f_open_world(f_sets[set], 1100 + (uint64_t)_i);
        for (unsigned i = 0; w && i < 60; i++) {
            f_refill(&w->model, &w->random);
            configure(w, false);
            clear_rows(w);
            STATE(&w->harness.tensix, 0, DEST_ACCESS_CFG_remap_addrs, map & 1);
            STATE(&w->harness.tensix, 0, DEST_ACCESS_CFG_swizzle_32b, map >> 1 & 1);
            w->harness.tensix.dst_high_half = map >> 2;
            f_put(&w->model, &w->harness.tensix);
            both(w, random_scaled(&w->random, 3), random_access(&w->random, format), "a map");
        }
        f_close_world(w);
    }
}

/* SETRWC with bit 4 of its mask: ten bits out of the three values, and nothing else. */
TEST(test_setrwc)
{
    struct tensix_harness harness;
    tensix_harness_open(&harness);
    const struct tensix_rwc *rwc = &harness.tensix.thread[1].rwc;
    tensix_harness_run(&harness, 1, "SETRWC 0, 0, 14, 5, 9, 16");
    ck_assert_uint_eq(rwc->sp, 0x259);
    ck_assert_uint_eq(rwc->dst | rwc->src_a, 0);
    tensix_harness_run(&harness, 1, "SETRWC 0, 0, 1, 2, 3, 15");
    ck_assert_uint_eq(rwc->sp, 0x259);
    ck_assert_uint_eq(rwc->dst, 1);
    tensix_harness_run(&harness, 1, "SETRWC 0, 0, 0, 0, 0, 31");
    ck_assert_uint_eq(rwc->sp | rwc->dst, 0);
    /* In a replay buffer, in the middle of a run of counters. */
    tensix_harness_run(&harness, 1,
                       "REPLAY 0, 3, 1, 1; SETRWC 0, 0, 2, 0, 0, 4; "
                       "SETRWC 0, 0, 0, 0, 7, 16; INCRWC 0, 3, 0, 0; SETRWC 0, 0, 0, 0, 0, 31");
    for (unsigned i = 0; i < 5; i++) {
        tensix_harness_run(&harness, 1, "REPLAY 0, 3, 0, 0");
        ck_assert_uint_eq(rwc->sp, 7);
        ck_assert_uint_eq(rwc->dst, 5);
        tensix_harness_run(&harness, 1, "SETRWC 0, 0, 0, 0, 0, 31");
    }
    ck_assert_uint_eq(harness.faults, 0);
    tensix_harness_close(&harness);
}

/* MOD0_FMT_SRCB in every configuration. */
TEST(test_srcb)
{
    struct f_world *w = open_and_put(NULL, 100);
    struct tensix *t = &w->harness.tensix;
    for (unsigned i = 0; i < FORMATS * FORMATS * 8; i++) {
        unsigned first = i % FORMATS, second = i / FORMATS % FORMATS, bits = i / FORMATS / FORMATS;
        F_CONFIG(t, ALU_ACC_CTRL_SFPU_Fp32_enabled, bits == 7);
        F_CONFIG(t, ALU_FORMAT_SPEC_REG_SrcB_override, bits & 1);
        F_CONFIG(t, ALU_FORMAT_SPEC_REG_SrcB_val, bits & 1 ? first : ~first);
        F_CONFIG(t, ALU_FORMAT_SPEC_REG1_SrcB, bits & 1 ? ~first : first);
        F_THREAD(t, SFPU_DEST_FMT_Enable, bits >> 1 & 1);
        F_THREAD(t, SFPU_DEST_FMT_Base, second);
        F_THREAD(t, DISABLE_IMPLIED_SRCB_FMT_Base, bits >> 2 & 1);
        both(w, 0, f_memory(F_SFPLOAD, i % 4, SRCB, 0, i & 0x1fe), "SFPLOAD SRCB");
        both(w, 0, f_memory(F_SFPSTORE, 4 + i % 4, SRCB, 0, i & 0x1fe), "SFPSTORE SRCB");
    }
    f_close_world(w);
}

/* All 16-bit patterns of Dst, loaded in every format; what was loaded is stored in the next one. */
TEST_EACH(test_patterns, SETS)
{
    struct f_world *w = open_and_put(f_sets[_i], 200);
    for (unsigned from = 0; w && from < 0x10000; from += 64 * 16) {
        struct f_state *s = &w->model.state;
        f_refill(&w->model, &w->random);
        memset(s->uses_flags, 0, sizeof s->uses_flags);
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            s->lane_config[lane] = lane & 1 ? F_FP16A_INF : 0;
        }
        for (unsigned i = 0; i < 64 * 16; i++) {
            s->dst[i / 16][i % 16] = (uint16_t)(from + i);
        }
        f_put(&w->model, &w->harness.tensix);
        for (unsigned i = 0; i < 64 * 2; i++) { /* four rows and half of the columns each */
            unsigned format = 1 + (i / 32 + i + from / 1024) % 15, imm = (i & 31) * 2;
            unsigned next = 1 + random_scaled(&w->random, 15);
            if (format != INT32_ALL && next != INT32_ALL) {
                both(w, 0, f_memory(F_SFPLOAD, 5, format, 0, imm), "pattern");
                both(w, 0, f_memory(F_SFPSTORE, 5, next, 0, 512 + imm), "pattern");
            }
        }
    }
    f_close_world(w);
}

/* All upper halves of LRegs, stored in every format. */
TEST_EACH(test_stored_patterns, SETS)
{
    static const uint16_t low[] = {0, 1, 0x0fff, 0x1000, 0x1fff, 0x2000, 0x7fff, 0x8000, 0xffff};
    struct f_world *w = open_and_put(f_sets[_i], 300);
    for (unsigned from = 0; w && from < 0x10000; from += F_LANES) {
        struct tensix_vector *v = &w->harness.tensix.vector;
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            uint32_t x = (from + lane) << 16 | low[random_scaled(&w->random, 9)];
            w->model.state.lreg[2][lane] = v->lreg[2][lane] = x;
            w->model.state.uses_flags[lane] = false;
        }
        v->uses_flags = 0;
        for (unsigned format = 1; format < FORMATS; format++) {
            unsigned imm = random_scaled(&w->random, 128) * 4;
            if (format != INT32_ALL) {
                uint32_t word = f_memory(F_SFPSTORE, 2, format, 0, imm);
                f_execute(&w->model, 0, word);
                f_push(&w->harness, 0, word);
            }
        }
        f_compare(&w->model, &w->harness.tensix, "stored pattern");
    }
    f_close_world(w);
}

/* INT32_ALL pushes and pops: Sp, and DstOffset's low bits. The base makes the stack visible. */
TEST_EACH(test_stack_pointer, SETS)
{
    for (unsigned i = 0; i < 40; i++) {
        struct f_world *w = open_and_put(f_sets[_i], 400 + i);
        if (w == NULL) {
            return;
        }
        configure(w, true);
        f_put(&w->model, &w->harness.tensix);
        for (unsigned thread = 0; thread < 3; thread++) {
            unsigned step = tensix_get_SFPU_STACK_Incr(&w->harness.tensix, thread), depth = 0;
            for (unsigned k = 0; k < 24; k++) {
                bool pushes = depth < 20 && random_scaled(&w->random, 2);
                enum f_op op = pushes ? F_SFPSTORE : F_SFPLOAD;
                both(w, thread,
                     f_memory(op, random_scaled(&w->random, 8), INT32_ALL,
                              random_scaled(&w->random, 8), random_scaled(&w->random, 1024)),
                     "stack");
                depth += pushes ? step : depth ? -step : 0;
                /* Other formats add only the low bits of Sp. */
                both(w, thread, random_access(&w->random, 1 + random_scaled(&w->random, 9)),
                     "beside it");
            }
        }
        f_close_world(w);
    }
}

/* INT32_ALL takes no notice of flags and ROW_MASK, but of BLOCK bits. */
TEST_EACH(test_all_lanes, SETS)
{
    struct f_world *w = open_and_put(f_sets[_i], 500);
    for (unsigned i = 0; w && i < 200; i++) {
        f_refill(&w->model, &w->random);
        f_configure(&w->model, &w->random);
        f_put(&w->model, &w->harness.tensix);
        enum f_op op = i & 1 ? F_SFPLOAD : F_SFPSTORE;
        both(w, 0,
             f_memory(op, random_scaled(&w->random, 16), INT32_ALL, 0,
                      random_scaled(&w->random, 1024)),
             "all lanes");
    }
    f_close_world(w);
}

/* Bit 11 of DBG_FEATURE_DISABLE: 16-bit formats see the upper halves of Dst32b. */
TEST_EACH(test_high_half, SETS)
{
    struct f_world *w = open_and_put(f_sets[_i], 600);
    for (unsigned i = 0; w && i < 300; i++) {
        w->harness.tensix.dst_high_half = true;
        f_refill(&w->model, &w->random);
        configure(w, false);
        clear_rows(w);
        f_put(&w->model, &w->harness.tensix);
        unsigned format = i % FORMATS == INT32_ALL ? 1 : i % FORMATS;
        both(w, 0, random_access(&w->random, format), "high half");
    }
    f_close_world(w);
}

/* The index of a datum comes with it, by the column that is really read. */
TEST_EACH(test_indices, SETS)
{
    struct f_world *w = open_and_put(f_sets[_i], 700);
    for (unsigned i = 0; w && i < 400; i++) {
        f_refill(&w->model, &w->random);
        f_configure(&w->model, &w->random);
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            uint32_t *config = &w->model.state.lane_config[lane];
            *config |= F_DEST_INDEX | F_CAPTURE_INDEX;
            *config &= i & 1 ? UINT32_MAX : ~(uint32_t)F_BLOCK_LOAD;
        }
        configure(w, false);
        f_put(&w->model, &w->harness.tensix);
        unsigned format = 1 + random_scaled(&w->random, 9);
        both(w, 0,
             f_memory(F_SFPLOAD, random_scaled(&w->random, 9), format, 0,
                      random_scaled(&w->random, 1024)),
             "index");
    }
    f_close_world(w);
}

/* BIAS: three modifiers of which the second switches to the upper four. */
TEST(test_bias)
{
    struct f_world *w = open_and_put(NULL, 800);
    struct tensix *t = &w->harness.tensix;
    F_THREAD(t, ADDR_MOD_DST_SEC1_DestIncr, 2);
    F_THREAD(t, ADDR_MOD_BIAS_SEC1_BiasIncr, 1);
    F_THREAD(t, ADDR_MOD_DST_SEC5_DestIncr, 16);
    F_THREAD(t, ADDR_MOD_BIAS_SEC5_BiasClear, 1);
    F_THREAD(t, ADDR_MOD_DST_SEC2_DestIncr, 6);
    F_THREAD(t, ADDR_MOD_BIAS_SEC2_BiasIncr, 4); /* only two bits count */
    for (unsigned i = 0; i < 60; i++) {
        both(w, 0, f_memory(i & 1 ? F_SFPLOAD : F_SFPSTORE, 3, 4, 1 + (i % 5 == 0), 8), "bias");
    }
    f_close_world(w);
}

/* Constants, programmable LRegs and LReg[15] are stored; with VD 12 and up once the backdoor is
 * closed. */
TEST_EACH(test_constants, SETS)
{
    struct f_world *w = open_and_put(f_sets[_i], 900);
    for (unsigned i = 0; w && i < 256; i++) {
        f_refill(&w->model, &w->random);
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            w->model.state.lane_config[lane] = i & 1 || (lane & 7) == i % 8 ? F_NO_BACKDOOR : 0;
        }
        f_put(&w->model, &w->harness.tensix);
        unsigned format = i / 16 == INT32_ALL ? 4 : i / 16;
        both(w, 0, f_memory(F_SFPSTORE, i % 16, format, 0, 4 * i), "constant");
    }
    f_close_world(w);
}
