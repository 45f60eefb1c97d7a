/*
 * The Scalar Unit's corners: whom a wait for L1 keeps waiting, operands with which behaviour is
 * undefined and those at the limit, when results are there. check_scalar_random.c has the ordinary
 * cases.
 *
 * SPEC: WormholeB0 ScalarUnit and the pages of its instructions, ADCs (later edition).
 */
#include <check.h>
#include <string.h>

#include "unit/test.h"
#include "unit/tensix/tensix_fixture.h"

enum { END_OF_L1 = 1536 * 1024 };

static uint32_t *const gpr = harness.tensix.gpr[0];

static void set_up_gprs(void)
{
    setup();
    for (unsigned i = 0; i < 192; i++) {
        tensix->gpr[i / 64][i % 64] = 0x01010000 * (i / 64 + 1) + 0x1000 + i;
    }
}

static void run(unsigned thread, const char *text)
{
    tensix_harness_run(&harness, thread, text);
}

static void set(uint32_t address, uint32_t value)
{
    tensix_harness_set_l1(&harness, address, value);
}

static uint32_t get(uint32_t address)
{
    return tensix_harness_l1(&harness, address);
}

static void go(void)
{
    tensix_harness_go(&harness, 0);
}

static bool waits(unsigned thread)
{
    return tensix->thread[thread].has_next;
}

/* --- Waiting for L1 --- */

/*
 * "No instructions from any other thread can pass through their Wait Gate and enter the Scalar
 * Unit" until the instruction in it completes; ATCAS "remains busy for the duration".
 */
static const char *const occupants[] = {"ATCAS 0, 9, 3, 0, 0, 1",
                                        "ATINCGETPTR 0, 0, 0, 4, 0, 2, 1"};

FIXTURE(set_up_gprs, teardown);

TEST_EACH(who_waits_for_l1_keeps_the_scalar_unit, 2 * COUNT(occupants))
{
    harness.tensix.timing = _i / COUNT(occupants) ? &tile_costs : NULL;
    gpr[1] = 0x40;
    run(0, occupants[_i % COUNT(occupants)]);
    run(1, "SETC16 1, 7; SETDMAREG 0, 5, 0, 0");
    run(2, "SETC16 1, 7; DMANOP; SETC16 1, 8");
    ck_assert_uint_eq(tensix->thread_config[1][1], 7); /* other units take instructions */
    ck_assert_uint_eq(tensix->thread_config[2][1], 7);
    ck_assert_uint_ne(tensix->gpr[1][0] & 0xffff, 5);
    set(0x400, 3);
    go();
    ck_assert(!waits(0));
    ck_assert_uint_eq(tensix->gpr[1][0] & 0xffff, 5);
    ck_assert_uint_eq(tensix->thread_config[2][1], 8);
}

/* A wait in front of the unit is no instruction in it. */
TEST(who_waits_at_the_gate_leaves_the_scalar_unit_free)
{
    run(0, "SEMWAIT 0x1ff, 1, 1; ATCAS 0, 9, 3, 0, 0, 1");
    run(1, "SETDMAREG 0, 5, 0, 0");
    ck_assert_uint_eq(tensix->gpr[1][0] & 0xffff, 5);
}

/* --- Undefined behaviour: a fault, and nothing happens --- */

/* R1 is END_OF_L1 / 16, R3 END_OF_L1 / 16 - 1; halves 8 (0), 9 (15) and 10 (16) are offsets; R6 and
 * R7 point before and at the first register that can be reached. */
static const char *const undefined[] = {
    "BITWOPDMAREG 0, 3, 0, 1, 2",
    "BITWOPDMAREG 1, 7, 0, 1, 2",
    "SHIFTDMAREG 0, 2, 0, 1, 2",
    "SHIFTDMAREG 1, 7, 0, 1, 2",
    "CMPDMAREG 0, 3, 0, 1, 2",
    "CMPDMAREG 1, 6, 0, 1, 2",
    "ATCAS 0, 1, 0, 0, 0, 1",
    "ATCAS 0, 1, 0, 3, 0, 1",
    "ATINCGET 0, 31, 0, 2, 1",
    "ATINCGETPTR 0, 0, 0, 3, 1, 2, 1",
    "ATSWAP 0, 0xff, 4, 1",
    "LOADIND 0, 8, 3, 12, 1",
    "LOADIND 3, 10, 1, 12, 3",
    "LOADIND 1, 10, 1, 12, 3",
    "STOREIND 1, 0, 0, 8, 3, 12, 1",
    "STOREIND 1, 1, 1, 10, 2, 12, 3",
    "STOREIND 1, 0, 1, 10, 2, 12, 3",
    "STOREIND 0, 1, 0, 8, 1, 12, 6",
    "STOREIND 0, 1, 0, 10, 1, 12, 8",
    "LOADREG 0, 0",
    "LOADREG 0, 0x43ff",
    "STOREREG 0, 0",
    "STOREREG 0, 0x43ff",
    "REG2FLOP 1, 0, 0, 0, 116, 0",
    "REG2FLOP 0, 0, 0, 0, 127, 0",
    /* to Src: beyond 16 bits, and rows beyond what can be reached */
    "STOREIND 0, 0, 0, 8, 1, 12, 13",
    "STOREIND 0, 0, 1, 8, 1, 12, 13",
    "STOREIND 0, 0, 1, 8, 1, 12, 14",
    "STOREIND 0, 0, 0, 8, 1, 12, 15",
};

static const char *const defined[] = {
    "ATCAS 0, 1, 0, 3, 0, 3",
    "ATINCGET 0, 31, 3, 2, 3",
    "ATSWAP 0, 0xff, 4, 3",
    "LOADIND 0, 9, 3, 12, 3",
    "LOADIND 3, 9, 1, 12, 3",
    "STOREIND 1, 0, 0, 9, 3, 12, 3",
    "STOREIND 1, 1, 1, 9, 2, 12, 3",
    "STOREIND 0, 1, 0, 8, 1, 12, 7",
    "STOREREG 0, 0x4400",
    "STOREREG 0, 0x3ffff",
    "LOADREG 0, 0x4400",
    "REG2FLOP 1, 0, 0, 0, 115, 0",
    "STOREIND 0, 0, 1, 8, 1, 12, 16",
    "STOREIND 0, 0, 0, 8, 1, 12, 17",
    "STOREIND 0, 0, 0, 8, 1, 12, 18",
};

static void set_pointers(void)
{
    gpr[1] = END_OF_L1 / 16;
    gpr[3] = END_OF_L1 / 16 - 1;
    gpr[4] = 15 << 16;
    gpr[5] = 16;
    gpr[6] = 0x10ffc;
    gpr[7] = 0x11000;
    gpr[8] = 0xfff00ffb; /* with the offset of 16 / 16 and without the low bits 0xffc */
    gpr[13] = 0x10000;
    gpr[14] = 16 * 4;       /* SrcB: row 16 */
    gpr[15] = (16 + 4) * 4; /* SrcA: row 16 after the four that are dropped */
    gpr[16] = 15 * 4 + 3;
    gpr[17] = (15 + 4) * 4 + 3;
    gpr[18] = 3; /* dropped */
}

TEST_EACH(undefined_operands_do_nothing, COUNT(undefined))
{
    set_pointers();
    uint32_t before[3][64], config[2][224];
    memcpy(before, tensix->gpr, sizeof before);
    memcpy(config, tensix->config, sizeof config);
    run(0, undefined[_i]);
    ck_assert_msg(harness.faults == 1, "%s: %u faults", undefined[_i], harness.faults);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_UNDEFINED);
    ck_assert_uint_gt(strlen(harness.fault.text), 10);
    ck_assert_mem_eq(before, tensix->gpr, sizeof before);
    ck_assert_mem_eq(config, tensix->config, sizeof config);
    for (unsigned at = END_OF_L1 - 64; at < END_OF_L1; at += 4) {
        ck_assert_uint_eq(get(at), 0);
    }
    ck_assert_uint_eq(harness.regs, 0);
    run(0, "SETC16 1, 7");
    ck_assert_uint_eq(tensix->thread_config[0][1], 7);
}

TEST_EACH(operands_at_the_limit_are_defined, COUNT(defined))
{
    set_pointers();
    run(0, defined[_i]);
    run(0, "SETC16 1, 7");
    bool is_doubtful = harness.faults > 0 && harness.fault.kind == PENROSE_FAULT_TENSIX_DOUBTFUL;
    ck_assert_msg(harness.faults == is_doubtful, "%s: %s", defined[_i], harness.fault.text);
    ck_assert_uint_eq(tensix->thread_config[0][1], 7);
}

/* --- REG2FLOP --- */

TEST(reg2flop_to_local_registers_is_no_instruction)
{
    uint32_t config[2][224];
    memcpy(config, tensix->config, sizeof config);
    tensix_harness_push(&harness, 0, 0x48500104);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_mem_eq(config, tensix->config, sizeof config);
}

/* --- FLUSHDMA, and results that come later --- */

static const struct {
    const char *text;
    uint32_t expected; /* in R10, which is R2 + 1 */
} later[] = {
    {"LOADIND 1, 8, 0, 2, 1; FLUSHDMA 1; ADDDMAREG 1, 10, 1, 2", 0x1235},
    {"LOADIND 0, 8, 0, 0, 1; FLUSHDMA 0; ADDDMAREG 1, 10, 1, 2", 1}, /* R2 is the third word */
    {"LOADREG 2, 0x20000; FLUSHDMA 15; ADDDMAREG 1, 10, 1, 2", 0x778},
    {"ATINCGET 0, 31, 0, 2, 1; FLUSHDMA 1; ADDDMAREG 1, 10, 1, 2", 0x1235},
    {"LOADIND 1, 8, 0, 2, 1; STALLWAIT 0x20, 1; ADDDMAREG 1, 10, 1, 2", 0x1235},
    {"LOADREG 2, 0x20000; STALLWAIT 1, 0; ADDDMAREG 1, 10, 1, 2", 0x778},
    {"ATINCGET 0, 31, 0, 2, 1; SEMWAIT 0x1ff, 0, 1; FLUSHDMA 1; ADDDMAREG 1, 10, 1, 2", 0x1235},
    {"RDCFG 2, 200; STALLWAIT 0x20, 0x1000; ADDDMAREG 1, 10, 1, 2", 0x9a},
    {"ATCAS 0, 5, 0, 1, 0, 1; LOADIND 0, 8, 0, 0, 1; FLUSHDMA 0; ADDDMAREG 1, 10, 1, 1", 6},
    {"ATINCGETPTR 0, 0, 0, 8, 0, 2, 1; ADDDMAREG 1, 10, 1, 2", 0x1235}, /* needs no wait */
};

TEST_EACH(flushdma_waits_for_results, 2 * COUNT(later))
{
    harness.tensix.timing = _i >= COUNT(later) ? &tile_costs : NULL;
    int i = _i % COUNT(later);
    gpr[1] = 0x40;
    gpr[4] = 0;
    set(0x400, 0x1234);
    tensix_harness_set_register(&harness, 0xffb80000, 0x777);
    tensix->config[0][200] = tensix->config[1][200] = 0x99;
    run(0, later[i].text);
    ck_assert_msg(gpr[10] == later[i].expected, "%s: %#x", later[i].text, gpr[10]);
}
