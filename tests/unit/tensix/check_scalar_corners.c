/*
 * The Scalar Unit's corners one by one: what waits for L1 and whom it keeps waiting, operands with
 * which behaviour is undefined, registers that are operand and result, special SETDMAREG, REG2FLOP,
 * FLUSHDMA. check_scalar_random.c has the ordinary cases.
 *
 * SPEC: WormholeB0 ScalarUnit and the pages of its instructions, ADCs (later edition).
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "unit/run_suite.h"
#include "tensix/regs.h"
#include "unit/tensix/tensix_harness.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { END_OF_L1 = 1536 * 1024 };

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static uint32_t *const gpr = harness.tensix.gpr[0];

static void setup(void)
{
    tensix_harness_open(&harness);
    for (unsigned i = 0; i < 192; i++) {
        tensix->gpr[i / 64][i % 64] = 0x01010000 * (i / 64 + 1) + 0x1000 + i;
    }
}

static void teardown(void)
{
    tensix_harness_close(&harness);
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

START_TEST(atcas_waits_for_its_value)
{
    static const uint32_t wrong[] = {0, 2, 4, 0x13, 0x80000003, 0x300, 0xffffffff};
    harness.tensix.timed = _i;
    gpr[1] = 0x40;
    uint32_t before[64];
    memcpy(before, gpr, sizeof before);
    run(0, "ATCAS 0, 9, 3, 2, 0, 1; SETC16 1, 7");
    for (int i = 0; i < COUNT(wrong); i++) {
        set(0x408, wrong[i]);
        go();
        ck_assert(waits(0));
        ck_assert_uint_eq(get(0x408), wrong[i]);
    }
    ck_assert_uint_eq(tensix->thread_config[0][1], 0);
    set(0x408, 3);
    go();
    ck_assert_uint_eq(get(0x408), 9);
    ck_assert_uint_eq(get(0x404), 0);
    ck_assert_uint_eq(get(0x40c), 0);
    ck_assert_uint_eq(tensix->thread_config[0][1], 7);
    ck_assert_mem_eq(before, gpr, sizeof before);
}
END_TEST

/* Words of the FIFO's control: read and write counter, padding; what waits, and what lets it go. */
static const struct {
    const char *text;
    uint32_t rd, wr;         /* with which it waits */
    uint32_t rd_go, wr_go;   /* with which it goes on */
    uint32_t rd_end, wr_end; /* what they are in the end */
    uint32_t result;
} fifos[] = {
    /* NoIncr, IncrLog2, IntWidth, Ofs; a FIFO of 4 has counters of 3 bits */
    {"ATINCGETPTR 0, 0, 0, 3, 0, 2, 1", 5, 5, 5, 6, 6, 6, 5},
    {"ATINCGETPTR 0, 0, 0, 3, 1, 2, 1", 2, 6, 3, 6, 3, 7, 6},
    {"ATINCGETPTR 0, 0, 1, 3, 1, 2, 1", 2, 6, 4, 7, 4, 1, 7}, /* wraps in its 3 bits */
    {"ATINCGETPTR 0, 1, 1, 3, 1, 2, 1", 2, 6, 4, 7, 4, 7, 7}, /* only waits */
    {"ATINCGETPTR 0, 1, 0, 3, 0, 2, 1", 4, 4, 7, 1, 7, 1, 7},
    {"ATINCGETPTR 0, 0, 0, 1, 1, 2, 1", 0, 1, 1, 1, 1, 0, 1}, /* a FIFO of 1 */
    {"ATINCGETPTR 0, 0, 3, 15, 1, 2, 1", 0, 0x4000, 1, 0x4000, 1, 0x4008, 0x4000},
    {"ATINCGETPTR 0, 0, 3, 0, 1, 2, 1", 0, 0x8000, 8, 0x8000, 8, 0x8000, 0x8000}, /* width 0 */
    {"ATINCGETPTR 0, 0, 3, 0, 1, 2, 1", 8, 0x10008, 8, 0x4008, 8, 0x4008, 0x4008},
    {"ATINCGETPTR 0, 0, 15, 15, 0, 2, 1", 9, 9, 9, 10, 9, 10, 9}, /* 1 << 15 is masked away */
    /* bits above the counter stay */
    {"ATINCGETPTR 0, 0, 0, 2, 0, 2, 1", 0xff3, 0xff3, 0xff3, 0xff4, 0xff0, 0xff4, 0xff3},
};

START_TEST(atincgetptr_waits_for_its_fifo)
{
    harness.tensix.timed = _i >= COUNT(fifos);
    int i = _i % COUNT(fifos);
    gpr[1] = 0x40;
    set(0x400, fifos[i].rd);
    set(0x404, fifos[i].wr);
    set(0x408, 0x88888888);
    run(0, fifos[i].text);
    ck_assert(waits(0));
    ck_assert_uint_eq(get(0x400), fifos[i].rd);
    ck_assert_uint_eq(get(0x404), fifos[i].wr);
    set(0x400, fifos[i].rd_go);
    set(0x404, fifos[i].wr_go);
    go();
    ck_assert(!waits(0));
    ck_assert_uint_eq(get(0x400), fifos[i].rd_end);
    ck_assert_uint_eq(get(0x404), fifos[i].wr_end);
    ck_assert_uint_eq(get(0x408), 0x88888888);
    ck_assert_uint_eq(gpr[2], fifos[i].result);
}
END_TEST

/* Ofs 2 and 3 look at the same two counters, and move another word. */
START_TEST(atincgetptr_moves_the_word_it_names)
{
    gpr[1] = 0x40;
    for (unsigned i = 0; i < 4; i++) {
        set(0x400 + 4 * i, 0x10 * (i + 1));
    }
    run(0, "ATINCGETPTR 0, 0, 2, 8, 2, 2, 1; ATINCGETPTR 0, 0, 1, 8, 3, 3, 1");
    ck_assert_uint_eq(get(0x400), 0x10);
    ck_assert_uint_eq(get(0x404), 0x20);
    ck_assert_uint_eq(get(0x408), 0x34);
    ck_assert_uint_eq(get(0x40c), 0x42);
    ck_assert_uint_eq(gpr[2], 0x30);
    ck_assert_uint_eq(gpr[3], 0x40);
}
END_TEST

/*
 * "No instructions from any other thread can pass through their Wait Gate and enter the Scalar
 * Unit" until the instruction in it completes; ATCAS "remains busy for the duration".
 */
static const char *const occupants[] = {"ATCAS 0, 9, 3, 0, 0, 1",
                                        "ATINCGETPTR 0, 0, 0, 4, 0, 2, 1"};

START_TEST(who_waits_for_l1_keeps_the_scalar_unit)
{
    harness.tensix.timed = _i / COUNT(occupants);
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
END_TEST

/* A wait in front of the unit is no instruction in it. */
START_TEST(who_waits_at_the_gate_leaves_the_scalar_unit_free)
{
    run(0, "SEMWAIT 0x1ff, 1, 1; ATCAS 0, 9, 3, 0, 0, 1");
    run(1, "SETDMAREG 0, 5, 0, 0");
    ck_assert_uint_eq(tensix->gpr[1][0] & 0xffff, 5);
}
END_TEST

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

START_TEST(undefined_operands_do_nothing)
{
    set_pointers();
    uint32_t before[3][64], config[2][224];
    memcpy(before, tensix->gpr, sizeof before);
    memcpy(config, tensix->config, sizeof config);
    run(0, undefined[_i]);
    ck_assert_msg(harness.faults == 1, "%s: %u faults", undefined[_i], harness.faults);
    ck_assert_int_eq(harness.fault.kind, TENSIX_FAULT_UNDEFINED);
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
END_TEST

START_TEST(operands_at_the_limit_are_defined)
{
    set_pointers();
    run(0, defined[_i]);
    run(0, "SETC16 1, 7");
    ck_assert_msg(harness.faults == 0, "%s: %s", defined[_i], harness.fault.text);
    ck_assert_uint_eq(tensix->thread_config[0][1], 7);
}
END_TEST

/* The pages compute addresses in 32 bits. */
START_TEST(addresses_wrap_at_32_bits)
{
    gpr[1] = 0x10000040;
    run(0, "ATSWAP 0, 3, 4, 1");
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(get(0x400), gpr[4]);
}
END_TEST

/* --- Registers that are operand and result --- */

START_TEST(offset_that_is_stored)
{
    gpr[1] = 0x40;
    gpr[2] = 0x12340004;
    run(0, "STOREIND 1, 0, 1, 4, 3, 2, 1"); /* L1: the offset after the increment */
    ck_assert_uint_eq(get(0x404), 0x12340014);
    gpr[2] = 0x12340004;
    gpr[3] = 0x80000;
    run(0, "STOREIND 0, 1, 0, 4, 3, 2, 3"); /* a register: the one before */
    ck_assert_uint_eq(tensix_harness_register(&harness, 0xffb80000), 0x12340004);
    ck_assert_uint_eq(gpr[2], 0x12340014);
}
END_TEST

START_TEST(offset_that_is_loaded)
{
    for (unsigned i = 0; i < 4; i++) {
        set(0x400 + 4 * i, 0xa0b0c0d0 + i);
    }
    gpr[1] = 0x40;
    gpr[2] = 0x00040004;
    run(0, "LOADIND 3, 4, 2, 2, 1"); /* 8 bits over the incremented offset 8 */
    ck_assert_uint_eq(gpr[2], 0x000400d1);
    gpr[2] = 0x00040004;
    run(0, "LOADIND 2, 5, 1, 2, 1"); /* the other half: both remain */
    ck_assert_uint_eq(gpr[2], 0x0006c0d1);
    gpr[2] = 0xfffc;
    run(0, "LOADIND 0, 4, 3, 15, 2"); /* offsets wrap, address and offset are the same */
    ck_assert_uint_eq(gpr[2], 0xc);
}
END_TEST

/* --- SETDMAREG from the packers, of which none has done anything --- */

START_TEST(special_setdmareg_without_packers)
{
    unsigned source = (unsigned)_i;
    char text[60];
    for (unsigned which = 0; which < 16; which++) {
        memset(gpr, 0xff, 256);
        snprintf(text, sizeof text, "SETDMAREG 2, %u, 1, 23", which << 7 | source << 3 | 5);
        run(0, text);
        for (unsigned i = 0; i < 64; i++) {
            ck_assert_uint_eq(gpr[i], i / 4 == 2 ? 0 : 0xffffffff);
        }
    }
    ck_assert_uint_eq(harness.faults, 0);
}
END_TEST

/* A tile header: size 0 + 1, the format, no zero compression. The state is the thread's. What the
 * override does is not tested: Blackhole has its bit, but not Wormhole's four bits of values. */
START_TEST(special_setdmareg_tile_header)
{
    static const char text[] = "SETDMAREG 2, 0x10, 1, 16; SETDMAREG 3, 0x10, 1, 24;"
                               "SETDMAREG 1, 0x12, 1, 40; SETDMAREG 0, 0x13, 1, 43";
    tensix_set_config_field(tensix, 1, TENSIX_FIELD_THCON_SEC0_REG1_Out_data_format, 0xb);
    tensix_set_config_field(tensix, 1, TENSIX_FIELD_THCON_SEC0_REG1_Disable_zero_compress,
                            (uint32_t)_i);
    memset(gpr, 0xff, 256);
    run(0, "SETC16 0, 1");
    run(0, text);
    uint32_t second = 0x000b0000 | (uint32_t)_i << 20;
    ck_assert_uint_eq(gpr[8], 1);
    ck_assert_uint_eq(gpr[9], second);
    ck_assert_uint_eq(gpr[10], 0);
    ck_assert_uint_eq(gpr[11], 0);
    ck_assert_uint_eq(gpr[12], 0xffff0001); /* what is reserved stays */
    ck_assert_uint_eq(gpr[13], second | 0xff00ffff);
    ck_assert_uint_eq(gpr[14], 0);
    ck_assert_uint_eq(gpr[15], 0xffffffff);
    ck_assert_uint_eq(gpr[20], second);
    ck_assert_uint_eq(gpr[21], second >> 16 << 16 | 0xffff);
}
END_TEST

/* --- REG2FLOP --- */

/* Any size but 0 writes 32 bits (the page; the seeds write 16 or 8 of them). */
START_TEST(reg2flop_below_32_bits)
{
    tensix->config[0][64 + 20] = 0x55555555;
    gpr[4] = 0x89abcdef;
    run(0, _i == 2 ? "REG2FLOP 2, 0, 0, 0, 20, 4" : "REG2FLOP 3, 0, 0, 0, 20, 4");
    ck_assert_uint_eq(tensix->config[0][64 + 20], 0x89abcdef);
}
END_TEST

START_TEST(reg2flop_to_local_registers_is_no_instruction)
{
    uint32_t config[2][224];
    memcpy(config, tensix->config, sizeof config);
    tensix_harness_push(&harness, 0, 0x48500104);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_mem_eq(config, tensix->config, sizeof config);
}
END_TEST

/* X of 18 bits, Y of 13, and on Blackhole Z and W of 13 too. */
START_TEST(reg2flop_to_counters_of_full_width)
{
    gpr[4] = 0xffffffff;
    for (unsigned i = 0; i < 8; i++) {
        char text[60];
        snprintf(text, sizeof text, "REG2FLOP 1, 2, 0, 0, %u, 4", 32 + 8 + i); /* unpacker 1 */
        run(0, text);
    }
    const struct tensix_adc_channel *c = &tensix->thread[0].adc[TENSIX_ADC_UNPACKER1].channel[1];
    ck_assert_uint_eq(c->x, 0x3ffff);
    ck_assert_uint_eq(c->x_cr, 0x3ffff);
    ck_assert_uint_eq(c->y, 0x1fff);
    ck_assert_uint_eq(c->y_cr, 0x1fff);
    ck_assert_uint_eq(c->z, 0x1fff);
    ck_assert_uint_eq(c->z_cr, 0x1fff);
    ck_assert_uint_eq(c->w, 0x1fff);
    ck_assert_uint_eq(c->w_cr, 0x1fff);
}
END_TEST

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

START_TEST(flushdma_waits_for_results)
{
    harness.tensix.timed = _i >= COUNT(later);
    int i = _i % COUNT(later);
    gpr[1] = 0x40;
    gpr[4] = 0;
    set(0x400, 0x1234);
    tensix_harness_set_register(&harness, 0xffb80000, 0x777);
    tensix->config[0][200] = tensix->config[1][200] = 0x99;
    run(0, later[i].text);
    ck_assert_msg(gpr[10] == later[i].expected, "%s: %#x", later[i].text, gpr[10]);
}
END_TEST

START_TEST(registers_that_do_not_answer_yet)
{
    static const char *const texts[] = {"LOADREG 2, 0x20000", "STOREREG 2, 0x20000",
                                        "STOREIND 0, 1, 0, 8, 3, 2, 1"};
    gpr[1] = 0x80000;
    gpr[4] = 0x10000;
    tensix_harness_set_register(&harness, 0xffb80000, 0x777);
    harness.registers_busy = true;
    run(0, texts[_i]);
    ck_assert_uint_eq(gpr[4], 0x10000);
    harness.registers_busy = false;
    run(0, "STALLWAIT 0x1ff, 1; NOP");
    ck_assert(!waits(0));
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(tensix_harness_register(&harness, 0xffb80000), gpr[2]);
    ck_assert_int_eq(gpr[2] == 0x777, _i == 0);
    ck_assert_uint_eq(gpr[4], _i == 2 ? 0x10010 : 0x10000);
    ck_assert_uint_eq(harness.reg[0].writes, _i != 0);
}
END_TEST

/* --- STOREIND to Src: it waits while the matrix unit has the bank that the unpackers use next. ---
 */

START_TEST(storeind_waits_for_src)
{
    unsigned src = (unsigned)_i % 2, bank = (unsigned)_i / 2;
    gpr[1] = 5;
    gpr[4] = 0;
    tensix->src[src].unpack_bank = (uint8_t)bank;
    tensix->src[src].matrix_may[bank] = true;
    run(0, src ? "STOREIND 0, 0, 1, 8, 3, 12, 1; SETC16 1, 7"
               : "STOREIND 0, 0, 0, 8, 3, 12, 1; SETC16 1, 7");
    ck_assert(waits(0));
    ck_assert_uint_eq(tensix->thread_config[0][1], 0);
    tensix->src[src].matrix_may[bank] = false;
    go();
    ck_assert_uint_eq(tensix->thread_config[0][1], 7);
    ck_assert_uint_eq(gpr[4], 16);
}
END_TEST

int main(void)
{
    Suite *all = suite_create("scalar unit");
    TCase *tests = tcase_create("corners");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, atcas_waits_for_its_value, 0, 2);
    tcase_add_loop_test(tests, atincgetptr_waits_for_its_fifo, 0, 2 * COUNT(fifos));
    tcase_add_test(tests, atincgetptr_moves_the_word_it_names);
    tcase_add_loop_test(tests, who_waits_for_l1_keeps_the_scalar_unit, 0, 2 * COUNT(occupants));
    tcase_add_test(tests, who_waits_at_the_gate_leaves_the_scalar_unit_free);
    tcase_add_loop_test(tests, undefined_operands_do_nothing, 0, COUNT(undefined));
    tcase_add_loop_test(tests, operands_at_the_limit_are_defined, 0, COUNT(defined));
    tcase_add_test(tests, addresses_wrap_at_32_bits);
    tcase_add_test(tests, offset_that_is_stored);
    tcase_add_test(tests, offset_that_is_loaded);
    tcase_add_loop_test(tests, special_setdmareg_without_packers, 0, 2);
    tcase_add_loop_test(tests, special_setdmareg_without_packers, 6, 16);
    tcase_add_loop_test(tests, special_setdmareg_tile_header, 0, 2);
    tcase_add_loop_test(tests, reg2flop_below_32_bits, 2, 4);
    tcase_add_test(tests, reg2flop_to_local_registers_is_no_instruction);
    tcase_add_test(tests, reg2flop_to_counters_of_full_width);
    tcase_add_loop_test(tests, flushdma_waits_for_results, 0, 2 * COUNT(later));
    tcase_add_loop_test(tests, registers_that_do_not_answer_yet, 0, 3);
    tcase_add_loop_test(tests, storeind_waits_for_src, 0, 4);
    suite_add_tcase(all, tests);
    return run_suite(all);
}
