/*
 * Sync Unit and wait gate in functional runs, from the pages alone: semaphores, mutexes, STALLWAIT,
 * SEMWAIT and STREAMWAIT with what they block and what they wait for.
 *
 * SPEC: BlackholeA0 SEMINIT, SEMPOST, SEMGET, SEMWAIT, STALLWAIT, STREAMWAIT, ATGETM, ATRELM,
 * SyncUnit; WormholeB0 WaitGate.
 */
#include "unit/tensix/pages_world.h"

enum {
    B_TDMA = 1 << 0,
    B_SYNC = 1 << 1,
    B_SCALAR = 1 << 5,
    B_MATRIX = 1 << 6,
    B_CONFIG = 1 << 7,
    B_ALL = 0x1ff,
    C_MOVER = 1 << 9,
    C_HART = 1 << 10,
    ADD_ONE = 0x58801000 | 1 << 6, /* ADDDMAREG 1, 1, 1, 0: GPR 1 = GPR 0 + 1 */
};

static uint32_t stallwait(unsigned blocks, unsigned conditions)
{
    return OP(0xa2) | blocks << 15 | conditions;
}

static uint32_t semwait(unsigned blocks, unsigned semaphores, unsigned conditions)
{
    return OP(0xa6) | blocks << 15 | semaphores << 2 | conditions;
}

static uint32_t streamwait(unsigned blocks, unsigned target, unsigned condition, unsigned select)
{
    return OP(0xa7) | blocks << 15 | target << 4 | condition << 3 | select;
}

static uint32_t seminit(unsigned max, unsigned value, unsigned mask)
{
    return OP(0xa3) | max << 20 | value << 16 | mask << 2;
}

static uint32_t sempost(unsigned mask)
{
    return OP(0xa4) | mask << 2;
}

static uint32_t semget(unsigned mask)
{
    return OP(0xa5) | mask << 2;
}

/* Does `word` wait at the gate of `thread`? */
static bool waits(unsigned thread, uint32_t word)
{
    tensix_harness_push(&harness, thread, word);
    return tensix_thread_busy(tt, thread);
}

/* Something outside has changed. */
static void go_on(void)
{
    tensix_harness_go(&harness, 0);
}

static void randomize_semaphores(void)
{
    for (unsigned i = 0; i < 8; i++) {
        tt->semaphore[i].value = (uint8_t)(below(3) ? below(16) : below(2) * 15);
        tt->semaphore[i].max = (uint8_t)below(16);
    }
}

/* --- Semaphores --- */

/* A mask with every set of semaphores; `kind` 0: SEMINIT, 1: SEMPOST, 2: SEMGET. */
START_TEST(semaphore_masks)
{
    for (unsigned n = 0; n < 256 * 16; n++) {
        unsigned mask = n & 255, thread = below(3), max = below(16), value = below(16);
        bool saturates = false;
        uint32_t word = _i == 0   ? seminit(max, value, mask)
                        : _i == 1 ? sempost(mask)
                                  : semget(mask);
        randomize_semaphores();
        read_state(&expected);
        for (unsigned i = 0; i < 8; i++) {
            struct tensix_semaphore *semaphore = &expected.semaphore[i];
            if (!(mask >> i & 1)) {
                continue;
            }
            if (_i == 0) {
                *semaphore = (struct tensix_semaphore){(uint8_t)value, (uint8_t)max};
            } else if (semaphore->value == (_i == 1 ? 15 : 0)) {
                saturates = true;
            } else {
                semaphore->value = (uint8_t)(semaphore->value + (_i == 1 ? 1 : -1));
            }
        }
        unsigned faults = harness.faults;
        execute(thread, word);
        check_state(word);
        ck_assert_uint_eq(harness.faults > faults, saturates);
        if (saturates) {
            ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_SEMAPHORE);
        }
    }
}
END_TEST

/* Max does not limit SEMPOST. */
START_TEST(sempost_beyond_max)
{
    execute(0, seminit(2, 0, 0x10));
    for (unsigned i = 1; i <= 15; i++) {
        execute(i % 3, sempost(0x10));
        ck_assert_uint_eq(tt->semaphore[4].value, i);
    }
    ck_assert_uint_eq(harness.faults, 0);
    execute(1, sempost(0x10));
    ck_assert_uint_eq(tt->semaphore[4].value, 15);
}
END_TEST

/* Under the policy "stop" it has not happened, to any of the semaphores. */
START_TEST(semaphore_overflow_stops)
{
    tt->semaphore[0].value = 15;
    tt->semaphore[1].value = 3;
    harness.stop = true;
    tensix_harness_push(&harness, 1, sempost(3));
    ck_assert(tt->stopped);
    ck_assert_uint_eq(tt->semaphore[0].value, 15);
    ck_assert_uint_eq(tt->semaphore[1].value, 3);
    tt->stopped = false;
    tt->semaphore[0].value = 7;
    go_on();
    ck_assert_uint_eq(tt->semaphore[0].value, 8);
    ck_assert_uint_eq(tt->semaphore[1].value, 4);
    ck_assert(!tensix_thread_busy(tt, 1));
}
END_TEST

/* --- SEMWAIT --- */

static bool semaphores_hold(unsigned mask, unsigned conditions)
{
    for (unsigned i = 0; i < 8; i++) {
        const struct tensix_semaphore *semaphore = &tt->semaphore[i];
        bool hold = (conditions & 1 && semaphore->value == 0) ||
                    (conditions & 2 && semaphore->value >= semaphore->max);
        if (mask >> i & 1 && hold) {
            return true;
        }
    }
    return false;
}

static void quiet_semaphores(void)
{
    for (unsigned i = 0; i < 8; i++) {
        tt->semaphore[i] = (struct tensix_semaphore){1, 2};
    }
}

START_TEST(semwait_random)
{
    unsigned waited = 0;
    for (int n = 0; n < 5000; n++) {
        unsigned thread = below(3), conditions = 1 + below(3), mask = next_random() & 255;
        mask &= below(2) ? next_random() : 255;
        randomize_semaphores();
        for (unsigned i = 0; i < 8; i++) {
            if (below(3)) {
                tt->semaphore[i] = (struct tensix_semaphore){1, 2};
            }
        }
        execute(thread, semwait(B_SCALAR, mask, conditions));
        bool holds = semaphores_hold(mask, conditions);
        ck_assert_msg(waits(thread, ADD_ONE) == holds, "SEMWAIT 0x20, 0x%x, %u", mask, conditions);
        waited += holds;
        quiet_semaphores();
        go_on();
        ck_assert(!tensix_thread_busy(tt, thread));
        execute(thread, ADD_ONE); /* nothing is latched any more */
    }
    ck_assert_uint_gt(waited, 500);
}
END_TEST

/* No condition is undefined (newest SEMWAIT; older ones have it wait as STALLWAIT with 0). */
START_TEST(semwait_without_condition)
{
    for (unsigned n = 0; n < 64; n++) {
        randomize_semaphores();
        execute_fault(n % 3, semwait(below(512), next_random() & 255, 0), TENSIX_FAULT_UNDEFINED);
        execute(n % 3, ADD_ONE); /* nothing has been latched */
    }
}
END_TEST

/* All selected semaphores must be fine at the same moment. Another thread makes them so. */
START_TEST(semwait_is_let_go_by_others)
{
    quiet_semaphores();
    execute(1, seminit(3, 0, 0x25)); /* 0, 2 and 5 are zero */
    execute(0, semwait(B_SCALAR, 0x25, 1));
    ck_assert(waits(0, ADD_ONE));
    execute(1, sempost(0x05));
    ck_assert(tensix_thread_busy(tt, 0));
    execute(2, semget(0x01)); /* 0 is zero again */
    execute(1, sempost(0x20));
    ck_assert(tensix_thread_busy(tt, 0));
    execute(2, sempost(0x01));
    ck_assert(!tensix_thread_busy(tt, 0));
    ck_assert_uint_eq(tt->gpr[0][1], 1);
    /* and while at their maximum */
    execute(1, seminit(2, 2, 0x81));
    execute(2, semwait(B_SYNC, 0x81, 2));
    ck_assert(waits(2, sempost(0x02)));
    execute(0, semget(0x80));
    ck_assert(tensix_thread_busy(tt, 2));
    ck_assert_uint_eq(tt->semaphore[1].value, 1);
    execute(0, seminit(3, 2, 0x01));
    ck_assert(!tensix_thread_busy(tt, 2));
    ck_assert_uint_eq(tt->semaphore[1].value, 2);
}
END_TEST

/* It is forgotten at the first moment at which its conditions are met, though what it blocks comes
 * later, when they are not. */
START_TEST(semwait_is_forgotten_when_met)
{
    quiet_semaphores();
    execute(1, seminit(15, 0, 1));
    execute(0, semwait(B_SCALAR, 1, 1));
    execute(1, sempost(1));
    execute(1, semget(1));
    ck_assert_uint_eq(tt->semaphore[0].value, 0);
    ck_assert(!waits(0, ADD_ONE));
    /* the same with a hart's stores */
    execute(0, semwait(B_SCALAR, 1, 1));
    harness.time += 100;
    tensix_semaphore_post(tt, 0, harness.time);
    harness.time += 100;
    tensix_semaphore_get(tt, 0, harness.time);
    harness.time += 100;
    ck_assert_uint_eq(tt->semaphore[0].value, 0);
    ck_assert(!waits(0, ADD_ONE));
    /* and it was latched before that */
    execute(0, semwait(B_SCALAR, 1, 1));
    ck_assert(waits(0, ADD_ONE));
}
END_TEST

START_TEST(hart_stores_to_semaphores)
{
    execute(0, seminit(1, 0, 0x40));
    execute(2, semwait(B_SCALAR, 0x40, 1));
    ck_assert(waits(2, ADD_ONE));
    tensix_semaphore_post(tt, 6, harness.time + 10);
    harness.time += 11;
    go_on();
    ck_assert(!tensix_thread_busy(tt, 2));
    for (unsigned i = 2; i <= 15; i++) {
        tensix_semaphore_post(tt, 6, harness.time);
        ck_assert_uint_eq(tt->semaphore[6].value, i);
    }
    tensix_semaphore_post(tt, 6, harness.time);
    ck_assert_uint_eq(tt->semaphore[6].value, 15);
    for (unsigned i = 15; i-- > 0;) {
        tensix_semaphore_get(tt, 6, harness.time);
        ck_assert_uint_eq(tt->semaphore[6].value, i);
    }
    tensix_semaphore_get(tt, 6, harness.time);
    ck_assert_uint_eq(tt->semaphore[6].value, 0);
}
END_TEST

/* --- What is blocked --- */

/* SPEC: the table of BlackholeA0 STALLWAIT; NOP is a special case. */
static const struct probe {
    const char *name;
    uint32_t word;
    uint16_t blocks;
} probes[] = {
    {"ADDDMAREG", OP(0x58), 0x21},
    {"ADDRCRXY", OP(0x53), 0x01},
    {"ADDRCRZW", OP(0x56), 0x01},
    {"APOOL3S1", OP(0x25), 0x40},
    {"APOOL3S2", OP(0x32), 0x40},
    {"ATCAS", OP(0x64), 0x21},
    {"ATGETM", OP(0xa0), 0x02},
    {"ATINCGET", OP(0x61), 0x21},
    {"ATINCGETPTR", OP(0x62) | 1 << 12, 0x21}, /* a push; a pop would wait for data */
    {"ATRELM", OP(0xa1), 0x02},
    {"ATSWAP", OP(0x63), 0x21},
    {"BITWOPDMAREG", OP(0x5b), 0x21},
    {"CFGSHIFTMASK", OP(0xb8), 0x80},
    {"CLEARDVALID", OP(0x36), 0x40},
    {"CLREXPHIST", OP(0x21), 0x40},
    {"CMPDMAREG", OP(0x5d), 0x21},
    {"CONV3S1", OP(0x22), 0x40},
    {"CONV3S2", OP(0x23), 0x40},
    {"DMANOP", OP(0x60), 0x21},
    {"DOTPV", OP(0x29), 0x40},
    {"ELWADD", OP(0x28), 0x40},
    {"ELWMUL", OP(0x27), 0x40},
    {"ELWSUB", OP(0x30), 0x40},
    {"FLUSHDMA", OP(0x46), 0x21},
    {"GAPOOL", OP(0x34), 0x40},
    {"GATESRCRST", OP(0x35), 0x40},
    {"GMPOOL", OP(0x33), 0x40},
    {"INCADCXY", OP(0x52), 0x01},
    {"INCADCZW", OP(0x55), 0x01},
    {"INCRWC", OP(0x38), 0x40},
    {"LOADIND", OP(0x49), 0x21},
    {"LOADREG", OP(0x68) | 0x20000, 0x21},
    {"MFCONV3S1", OP(0x3a), 0x40},
    {"MOVA2D", OP(0x12), 0x40},
    {"MOVB2A", OP(0x0b), 0x40},
    {"MOVB2D", OP(0x13), 0x40},
    {"MOVD2A", OP(0x08), 0x40},
    {"MOVD2B", OP(0x0a), 0x40},
    {"MOVDBGA2D", OP(0x09), 0x40},
    {"MPOOL3S1", OP(0x24), 0x40},
    {"MPOOL3S2", OP(0x31), 0x40},
    {"MULDMAREG", OP(0x5a), 0x21},
    {"MVMUL", OP(0x26), 0x40},
    {"PACR", OP(0x41), 0x05},
    {"PACR_SETREG", OP(0x4a), 0x05},
    {"RDCFG", OP(0xb1), 0x80},
    {"REG2FLOP", OP(0x48), 0x21},
    {"RMWCIB0", OP(0xb3), 0x80},
    {"RMWCIB1", OP(0xb4), 0x80},
    {"RMWCIB2", OP(0xb5), 0x80},
    {"RMWCIB3", OP(0xb6), 0x80},
    {"RSTDMA", OP(0x44), 0x01},
    {"SEMGET", OP(0xa5), 0x02},
    {"SEMINIT", OP(0xa3), 0x02},
    {"SEMPOST", OP(0xa4), 0x02},
    {"SEMWAIT", OP(0xa6) | 1, B_ALL}, /* of no semaphores */
    {"SETADC", OP(0x50), 0x01},
    {"SETADCXX", OP(0x5e), 0x01},
    {"SETADCXY", OP(0x51), 0x01},
    {"SETADCZW", OP(0x54), 0x01},
    {"SETC16", OP(0xb2), 0x80},
    {"SETDMAREG", OP(0x45), 0x21},
    {"SETDMAREG special", OP(0x45) | 15u << 11 | 1 << 7, 0x21},
    {"SETDVALID", OP(0x57), 0x01},
    {"SETRWC", OP(0x37), 0x40},
    {"SFPABS", OP(0x7d), 0x100},
    {"SFPADD", OP(0x85), 0x100},
    {"SFPADDI", OP(0x75), 0x100},
    {"SFPAND", OP(0x7e), 0x100},
    {"SFPARECIP", OP(0x99), 0x100},
    {"SFPCAST", OP(0x90), 0x100},
    {"SFPCOMPC", OP(0x8b), 0x100},
    {"SFPCONFIG", OP(0x91), 0x100},
    {"SFPDIVP2", OP(0x76), 0x100},
    {"SFPENCC", OP(0x8a), 0x100},
    {"SFPEXEXP", OP(0x77), 0x100},
    {"SFPEXMAN", OP(0x78), 0x100},
    {"SFPGT", OP(0x97), 0x100},
    {"SFPIADD", OP(0x79), 0x100},
    {"SFPLE", OP(0x96), 0x100},
    {"SFPLOAD", OP(0x70), 0x100},
    {"SFPLOADI", OP(0x71), 0x100},
    {"SFPLOADMACRO", OP(0x93), 0x100},
    {"SFPLUT", OP(0x73), 0x100},
    {"SFPLUTFP32", OP(0x95), 0x100},
    {"SFPLZ", OP(0x81), 0x100},
    {"SFPMAD", OP(0x84), 0x100},
    {"SFPMOV", OP(0x7c), 0x100},
    {"SFPMUL", OP(0x86), 0x100},
    {"SFPMUL24", OP(0x98), 0x100},
    {"SFPMULI", OP(0x74), 0x100},
    {"SFPNOP", OP(0x8f), 0x100},
    {"SFPNOT", OP(0x80), 0x100},
    {"SFPOR", OP(0x7f), 0x100},
    {"SFPPOPC", OP(0x88), 0x100},
    {"SFPPUSHC", OP(0x87), 0x100},
    {"SFPSETCC", OP(0x7b), 0x100},
    {"SFPSETEXP", OP(0x82), 0x100},
    {"SFPSETMAN", OP(0x83), 0x100},
    {"SFPSETSGN", OP(0x89), 0x100},
    {"SFPSHFT", OP(0x7a), 0x100},
    {"SFPSHFT2", OP(0x94), 0x100},
    {"SFPSTOCHRND", OP(0x8e), 0x100},
    {"SFPSTORE", OP(0x72), 0x100},
    {"SFPSWAP", OP(0x92), 0x100},
    {"SFPTRANSP", OP(0x8c), 0x100},
    {"SFPXOR", OP(0x8d), 0x100},
    {"SHIFTDMAREG", OP(0x5c), 0x21},
    {"SHIFTXA", OP(0x17), 0x40},
    {"SHIFTXB", OP(0x18), 0x40},
    {"STALLWAIT", OP(0xa2), B_ALL},
    {"STOREIND to SrcA", OP(0x66), 0x21},
    {"STOREIND to L1", OP(0x66) | 1 << 23, 0x21},
    {"STOREREG", OP(0x67) | 0x20000, 0x21},
    {"STREAMWAIT", OP(0xa7), B_ALL},
    {"STREAMWRCFG", OP(0xb7), 0x80},
    {"SUBDMAREG", OP(0x59), 0x21},
    {"TRNSPSRCB", OP(0x16), 0x40},
    {"UNPACR", OP(0x42), 0x09},
    {"UNPACR_NOP", OP(0x43), 0x09},
    {"WRCFG", OP(0xb0), 0x80},
    {"XMOV", OP(0x40), 0x11},
    {"ZEROACC", OP(0x10), 0x40},
    {"ZEROSRC", OP(0x11), 0x40},
    /* never at the gate */
    {"MOP_CFG", OP(0x03), 0},
    {"RESOURCEDECL", OP(0x05) | 15, 0},
};

enum { NOP = 0x02000000 };

/* Banks such that nothing waits for them. */
static void free_banks(const struct probe *probe)
{
    bool matrix = probe->blocks == B_MATRIX;
    for (unsigned i = 0; i < 4; i++) {
        tt->src[i / 2].matrix_may[i % 2] = matrix;
    }
}

/* Latched wait of each kind, which does not end by itself, with this block mask. */
static void latch(unsigned kind, unsigned blocks)
{
    switch (kind) {
    case 0:
        harness.mover_busy = true;
        execute(0, stallwait(blocks, C_MOVER));
        break;
    case 1:
        tt->semaphore[3].value = 0;
        execute(0, semwait(blocks, 8, 1));
        break;
    case 2:
        harness.stream[0][29] = 0;
        execute(0, streamwait(blocks, 1, 0, 0));
        break;
    }
}

static void let_go(void)
{
    harness.mover_busy = false;
    tt->semaphore[3] = (struct tensix_semaphore){1, 2};
    harness.stream[0][29] = 1;
    go_on();
}

/* 0, each bit alone, all but one, all, and random ones. */
static unsigned block_mask(unsigned n)
{
    return n == 0   ? 0
           : n < 10 ? 1u << (n - 1)
           : n < 19 ? B_ALL ^ 1u << (n - 10)
           : n < 20 ? B_ALL
                    : next_random() & B_ALL;
}

/* Each instruction of the page with many block masks; 0 means B6. */
START_TEST(block_masks)
{
    for (unsigned i = 0; i < COUNT(probes) * 32; i++) {
        const struct probe *probe = &probes[i / 32];
        unsigned blocks = block_mask(i % 32);
        bool is_blocked = probe->blocks & (blocks ? blocks : B_MATRIX);
        free_banks(probe);
        latch((unsigned)_i, blocks);
        ck_assert_msg(waits(0, probe->word) == is_blocked, "%s, block mask 0x%x", probe->name,
                      blocks);
        let_go();
        ck_assert_msg(!tensix_thread_busy(tt, 0), "%s, block mask 0x%x does not go on", probe->name,
                      blocks);
        tensix_reset(tt);
    }
}
END_TEST

START_TEST(block_masks_and_nop)
{
    for (unsigned blocks = 0; blocks <= B_ALL; blocks++) {
        latch((unsigned)_i, blocks);
        ck_assert_msg(waits(0, NOP) == (blocks == B_ALL), "NOP, block mask 0x%x", blocks);
        let_go();
        ck_assert(!tensix_thread_busy(tt, 0));
        tensix_reset(tt);
    }
}
END_TEST

/* A wait for something outside is forgotten at the first moment at which it is over, though nothing
 * stands at the gate then: what comes later passes. 0: mover, 1: hart, 2: stream. */
START_TEST(outside_wait_is_forgotten_when_met)
{
    bool *busy = _i == 0 ? &harness.mover_busy : &harness.hart_access_pending;
    if (_i == 2) {
        execute(0, streamwait(B_SCALAR, 1, 1, 0));
        harness.stream[0][259] = 1;
        go_on();
        harness.stream[0][259] = 0;
    } else {
        *busy = true;
        execute(0, stallwait(B_SCALAR, _i == 0 ? C_MOVER : C_HART));
        *busy = false;
        go_on();
        *busy = true;
    }
    ck_assert(!waits(0, ADD_ONE));
    ck_assert_uint_eq(tt->gpr[0][1], 1);
}
END_TEST

/* Instructions pass in order: what stands behind a blocked one waits too; other threads do not. */
START_TEST(blocked_in_order)
{
    harness.mover_busy = true;
    execute(0, stallwait(B_CONFIG, C_MOVER));
    execute(0, sempost(1));
    ck_assert(waits(0, OP(0xb2) | 10 << 16 | 0x1234)); /* SETC16 */
    ck_assert(waits(0, sempost(1)));
    ck_assert(waits(0, ADD_ONE));
    execute(1, OP(0xb2) | 10 << 16 | 0x5678);
    execute(2, sempost(2));
    ck_assert_uint_eq(tt->thread_config[0][10], 0);
    ck_assert_uint_eq(tt->thread_config[1][10], 0x5678);
    ck_assert_uint_eq(tt->semaphore[0].value, 1);
    ck_assert_uint_eq(tt->semaphore[1].value, 1);
    harness.mover_busy = false;
    go_on();
    ck_assert_uint_eq(tt->thread_config[0][10], 0x1234);
    ck_assert_uint_eq(tt->semaphore[0].value, 2);
    ck_assert_uint_eq(tt->gpr[0][1], 1);
}
END_TEST

/* --- Conditions of STALLWAIT --- */

/* Of an idle coprocessor, with these banks, mover and hart. */
static bool conditions_hold(unsigned conditions)
{
    const struct tensix_src_banks *a = &tt->src[0], *b = &tt->src[1];
    unsigned hold = (unsigned)a->matrix_may[a->unpack_bank] << 5 |
                    (unsigned)b->matrix_may[b->unpack_bank] << 6 |
                    (unsigned)!a->matrix_may[a->matrix_bank] << 7 |
                    (unsigned)!b->matrix_may[b->matrix_bank] << 8 |
                    (unsigned)harness.mover_busy << 9 | (unsigned)harness.hart_access_pending << 10;
    return conditions & hold;
}

static void set_conditions(unsigned bits)
{
    for (unsigned s = 0; s < 2; s++, bits >>= 4) {
        tt->src[s].matrix_bank = bits & 1;
        tt->src[s].unpack_bank = bits >> 1 & 1;
        tt->src[s].matrix_may[0] = bits >> 2 & 1;
        tt->src[s].matrix_may[1] = bits >> 3 & 1;
    }
    harness.mover_busy = bits & 1;
    harness.hart_access_pending = bits >> 1 & 1;
}

/* Nothing to wait for. */
static void free_all(void)
{
    tt->src[0] = tt->src[1] = (struct tensix_src_banks){1, 0, {false, true}, {0}};
    harness.mover_busy = harness.hart_access_pending = false;
}

/* Each condition alone in all situations; those of idle pipelines hold nothing up. A mask of 0 is
 * one of C0 to C3. */
START_TEST(stallwait_conditions)
{
    unsigned conditions = _i == 13 ? 0 : 1u << _i, waited = 0;
    for (unsigned bits = 0; bits < 1024; bits++) {
        set_conditions(bits);
        execute(bits % 3, stallwait(B_SCALAR, conditions));
        bool holds = conditions_hold(conditions);
        ck_assert_msg(waits(bits % 3, ADD_ONE) == holds, "C%d, situation 0x%x", _i, bits);
        if (holds) {
            /* conditions that were not asked for change: nothing happens */
            set_conditions(bits ^ (0x300 & ~(conditions >> 1)));
            go_on();
            ck_assert(tensix_thread_busy(tt, bits % 3) == conditions_hold(conditions));
            waited++;
        }
        free_all();
        go_on();
        ck_assert(!tensix_thread_busy(tt, bits % 3));
    }
    ck_assert_uint_eq(waited, _i >= 5 && _i <= 10 ? 512 : 0);
}
END_TEST

/* Any sets of conditions: it waits until all are met at once. */
START_TEST(stallwait_condition_sets)
{
    for (int n = 0; n < 5000; n++) {
        unsigned conditions = next_random() & 0x1fff & (below(2) ? next_random() : 0x1fff);
        unsigned thread = below(3);
        set_conditions(below(1024));
        execute(thread, stallwait(B_SCALAR, conditions));
        bool holds = conditions_hold(conditions);
        ck_assert_msg(waits(thread, ADD_ONE) == holds, "conditions 0x%x", conditions);
        for (unsigned tries = 0; holds && tries < 20; tries++) {
            set_conditions(below(1024));
            holds = conditions_hold(conditions);
            go_on();
            ck_assert_msg(tensix_thread_busy(tt, thread) == holds, "conditions 0x%x", conditions);
        }
        free_all();
        go_on();
        ck_assert(!tensix_thread_busy(tt, thread));
    }
}
END_TEST

/* Instructions that give banks away end waits: SETDVALID and SETRWC. */
START_TEST(stallwait_and_banks)
{
    for (unsigned src = 0; src < 2; src++) {
        unsigned bit = 1u << src;
        execute(1, stallwait(B_SCALAR, 1u << (7 + src))); /* C7, C8: matrix unit's bank */
        ck_assert(waits(1, ADD_ONE));
        execute(0, OP(0x57) | (bit ^ 3));
        ck_assert(tensix_thread_busy(tt, 1));
        execute(0, OP(0x57) | bit);
        ck_assert(!tensix_thread_busy(tt, 1));
        execute(0, OP(0x57) | bit);                       /* both banks are the matrix unit's now */
        execute(0, stallwait(B_SCALAR, 1u << (5 + src))); /* C5, C6: unpackers' bank */
        ck_assert(waits(0, ADD_ONE));
        execute(1, OP(0x37) | (bit ^ 3) << 22);
        ck_assert(tensix_thread_busy(tt, 0));
        execute(1, OP(0x37) | bit << 22);
        ck_assert(!tensix_thread_busy(tt, 0));
        tensix_reset(tt);
    }
}
END_TEST

/* --- STREAMWAIT --- */

enum { PHASE_HI = 57, MESSAGES_HI = 58, STREAM_ID_SYNC = 59, PHASE = 29, MESSAGES = 259 };

static void clear_streams(void)
{
    memset(harness.stream, 0, sizeof harness.stream);
}

START_TEST(streamwait_random)
{
    unsigned condition = (unsigned)_i, waited = 0;
    unsigned reg = condition ? MESSAGES : PHASE, other = condition ? PHASE : MESSAGES;
    for (int n = 0; n < 3000; n++) {
        unsigned thread = below(3), select = below(4), stream = below(64), lo = below(1024);
        unsigned hi = below(4) ? below(condition ? 128 : 1024) : 0;
        for (unsigned i = 0; i < 4; i++) {
            tt->thread_config[thread][STREAM_ID_SYNC + i] = (uint16_t)((stream + i + 1) % 64);
        }
        tt->thread_config[thread][STREAM_ID_SYNC + select] = (uint16_t)stream;
        tt->thread_config[thread][PHASE_HI] = (uint16_t)(condition ? ~hi & 1023 : hi);
        tt->thread_config[thread][MESSAGES_HI] = (uint16_t)(condition ? hi : ~hi & 127);
        uint32_t target = hi << 10 | lo, value = below(2) ? target + below(3) - 1 : next_random();
        value = target == 0 ? 0 : value;
        clear_streams();
        harness.stream[stream][reg] = value;
        harness.stream[stream][other] = UINT32_MAX;
        execute(thread, streamwait(B_SCALAR, lo, condition, select));
        bool holds = value < target;
        ck_assert_msg(waits(thread, ADD_ONE) == holds, "0x%" PRIx32 " of 0x%" PRIx32, value,
                      target);
        waited += holds;
        for (uint32_t v = target - 1; holds && v <= target; v++) {
            harness.stream[stream][reg] = v;
            go_on();
            ck_assert(tensix_thread_busy(tt, thread) == (v < target));
        }
        ck_assert(!tensix_thread_busy(tt, thread));
    }
    ck_assert_uint_gt(waited, 300);
}
END_TEST

/* The target is made when it executes; the stream is looked up when the gate looks at it. */
START_TEST(streamwait_samples)
{
    tt->thread_config[1][PHASE_HI] = 2;
    tt->thread_config[1][STREAM_ID_SYNC + 3] = 11;
    harness.stream[11][PHASE] = 2 * 1024 + 4;
    harness.stream[12][PHASE] = 2 * 1024 + 5;
    execute(1, streamwait(B_SCALAR, 5, 0, 3));
    execute(1, OP(0xb2) | PHASE_HI << 16); /* SETC16: not blocked */
    ck_assert(waits(1, ADD_ONE));
    harness.stream[11][PHASE] = 5;
    go_on();
    ck_assert(tensix_thread_busy(tt, 1));
    tt->thread_config[1][STREAM_ID_SYNC + 3] = 12;
    go_on();
    ck_assert(!tensix_thread_busy(tt, 1));
}
END_TEST

/* --- Mutexes --- */

static uint32_t get_mutex(unsigned index)
{
    return OP(0xa0) | index;
}

static uint32_t release_mutex(unsigned index)
{
    return OP(0xa1) | index;
}

/* When thread i releases and both others wait, (i + 1) % 3 gets it. Whoever asked first. */
START_TEST(mutex_round_robin)
{
    static const unsigned indices[] = {0, 2, 3, 4};
    for (unsigned n = 0; n < 24; n++) {
        unsigned index = indices[n / 6], i = n / 2 % 3, second = (i + 1) % 3, third = (i + 2) % 3;
        execute(i, get_mutex(index));
        ck_assert_uint_eq(tt->mutex[index], i);
        ck_assert(waits(n % 2 ? third : second, get_mutex(index)));
        ck_assert(waits(n % 2 ? second : third, get_mutex(index)));
        ck_assert(waits(second, sempost(1 << 1)));
        execute(i, release_mutex(index));
        ck_assert_uint_eq(tt->mutex[index], second);
        ck_assert(!tensix_thread_busy(tt, second) && tensix_thread_busy(tt, third));
        /* the one that released it asks again: the other comes first */
        ck_assert(waits(i, get_mutex(index)));
        execute(second, release_mutex(index));
        ck_assert_uint_eq(tt->mutex[index], third);
        ck_assert(tensix_thread_busy(tt, i));
        execute(third, release_mutex(index));
        ck_assert_uint_eq(tt->mutex[index], i);
        execute(i, release_mutex(index));
        ck_assert_uint_eq(tt->mutex[index], TENSIX_MUTEX_FREE);
    }
    ck_assert_uint_eq(tt->semaphore[1].value, 15);
}
END_TEST

/* Threads get and release mutexes in any order; a thread that waits does nothing else. */
START_TEST(mutex_random)
{
    static const unsigned indices[] = {0, 2, 3, 4};
    unsigned holder[5], wants[3];
    unsigned handed_over = 0;
    for (int n = 0; n < 6000; n++) {
        if (n % 60 == 0) {
            tensix_reset(tt);
            for (unsigned i = 0; i < 5; i++) {
                holder[i] = TENSIX_MUTEX_FREE;
            }
            wants[0] = wants[1] = wants[2] = 0xff;
        }
        unsigned thread = below(3), index = indices[below(4)], faults = harness.faults;
        if (wants[thread] != 0xff) {
            continue;
        }
        if (below(2)) {
            tensix_harness_push(&harness, thread, get_mutex(index));
            if (holder[index] == TENSIX_MUTEX_FREE || holder[index] == thread) {
                holder[index] = thread;
            } else {
                wants[thread] = index;
            }
            ck_assert_uint_eq(harness.faults, faults);
        } else {
            bool is_stranger = holder[index] != thread;
            tensix_harness_push(&harness, thread, release_mutex(index));
            ck_assert_uint_eq(harness.faults, faults + is_stranger);
            if (is_stranger) {
                ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_MUTEX);
            } else {
                holder[index] = TENSIX_MUTEX_FREE;
                for (unsigned i = 1; i < 3; i++) {
                    unsigned next = (thread + i) % 3;
                    if (wants[next] == index) {
                        holder[index] = next;
                        wants[next] = 0xff;
                        handed_over++;
                        break;
                    }
                }
            }
        }
        for (unsigned i = 0; i < 4; i++) {
            ck_assert_uint_eq(tt->mutex[indices[i]], holder[indices[i]]);
        }
        for (unsigned i = 0; i < 3; i++) {
            ck_assert_int_eq(tensix_thread_busy(tt, i), wants[i] != 0xff);
        }
    }
    ck_assert_uint_gt(handed_over, 100);
}
END_TEST

/* The hardware would wait for ever. */
START_TEST(mutex_without_existence)
{
    static const unsigned indices[] = {1, 5, 6, 7, 8, 0x100, 0x102, 0x8000, 0xffff};
    for (int i = 0; i < COUNT(indices); i++) {
        execute_fault((unsigned)i % 3, get_mutex(indices[i]), TENSIX_FAULT_HANG);
        execute_fault((unsigned)i % 3, release_mutex(indices[i]), TENSIX_FAULT_HANG);
    }
}
END_TEST

START_TEST(encodings)
{
    assembles_to("STALLWAIT 0x155, 0x1aaa", stallwait(0x155, 0x1aaa));
    assembles_to("SEMWAIT 0x155, 0xa5, 2", semwait(0x155, 0xa5, 2));
    assembles_to("STREAMWAIT 0x155, 0x2a5, 1, 2", streamwait(0x155, 0x2a5, 1, 2));
    assembles_to("SEMINIT 9, 5, 0xa5", seminit(9, 5, 0xa5));
    assembles_to("SEMPOST 0xa5", sempost(0xa5));
    assembles_to("SEMGET 0xa5", semget(0xa5));
    assembles_to("ATGETM 4", get_mutex(4));
    assembles_to("ATRELM 3", release_mutex(3));
    assembles_to("ADDDMAREG 1, 1, 1, 0", ADD_ONE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reader A: sync");
    TCase *tcase = tcase_create("sync");
    tcase_add_checked_fixture(tcase, open_coprocessor, close_coprocessor);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, semaphore_masks, 0, 3);
    tcase_add_test(tcase, sempost_beyond_max);
    tcase_add_test(tcase, semaphore_overflow_stops);
    tcase_add_test(tcase, semwait_random);
    tcase_add_test(tcase, semwait_without_condition);
    tcase_add_test(tcase, semwait_is_let_go_by_others);
    tcase_add_test(tcase, semwait_is_forgotten_when_met);
    tcase_add_test(tcase, hart_stores_to_semaphores);
    tcase_add_loop_test(tcase, block_masks, 0, 3);
    tcase_add_loop_test(tcase, block_masks_and_nop, 0, 3);
    tcase_add_loop_test(tcase, outside_wait_is_forgotten_when_met, 0, 3);
    tcase_add_test(tcase, blocked_in_order);
    tcase_add_loop_test(tcase, stallwait_conditions, 0, 14);
    tcase_add_test(tcase, stallwait_condition_sets);
    tcase_add_test(tcase, stallwait_and_banks);
    tcase_add_loop_test(tcase, streamwait_random, 0, 2);
    tcase_add_test(tcase, streamwait_samples);
    tcase_add_test(tcase, mutex_round_robin);
    tcase_add_test(tcase, mutex_random);
    tcase_add_test(tcase, mutex_without_existence);
    tcase_add_test(tcase, encodings);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
