/*
 * F and Zfh of a hart: every core has them, rounding mode ignored, memory, long bursts. What
 * instructions compute is in check_float.c.
 */
#include "unit/rv32/rv32_harness.h"

#include <string.h>

#include "rv32/exec.h"

FIXTURE(NULL, harness_destroy_all);

enum { FA0 = 10, FA1, FA2, FA3, NX = 1, UF = 2, OF = 4, NV = 16 };

#define BF16_RTZ RV32_CFG0_EN_BFLOAT
#define BF16_RNE (RV32_CFG0_EN_BFLOAT | RV32_CFG0_EN_BFLOAT_RTNE)

/* One instruction on fa1, fa2, fa3 and a1; its result is in fa0 or a0. */
struct row {
    const char *text;
    uint32_t f1, f2, f3, x1, result, flags, cfg0;
};

static const struct row sum = {
    "fadd.s fa0, fa1, fa2", 0x3f800000, 0x40000000, 0, 0, 0x40400000, 0, 0};

static void prepare(struct harness *h, const struct row *row)
{
    harness_reset(h);
    h->hart.f[FA0] = 0x5a5a5a5a;
    h->hart.f[FA1] = row->f1;
    h->hart.f[FA2] = row->f2;
    h->hart.f[FA3] = row->f3;
    h->hart.x[A1] = row->x1;
    h->hart.csr.cfg0 |= row->cfg0;
}

static uint32_t result_of(const struct harness *h, const struct row *row)
{
    return strstr(row->text, " a0") ? h->hart.x[A0] : h->hart.f[FA0];
}

/* SPEC: rounding mode bits are ignored: all eight, the two reserved ones as well. */
TEST_EACH(rounding_mode_ignored, 8)
{
    static const struct row conversions[] = {
        {"fcvt.w.s a0, fa1", 0x3fc00000, 0, 0, 0, 2, NX, 0},
        {"fadd.s fa0, fa1, fa2", 0x3f800000, 0x33c00000, 0, 0, 0x3f800001, NX, 0},
    };
    struct harness *h = harness_create(RV32_T0);
    for (int i = 0; i < COUNT(conversions); i++) {
        prepare(h, &conversions[i]);
        harness_do(h, harness_encode(conversions[i].text, 0) | (uint32_t)_i << 12);
        ck_assert_uint_eq(result_of(h, &conversions[i]), conversions[i].result);
    }
}

TEST_EACH(every_core_has_floats, RV32_CORES)
{
    struct harness *h = harness_create((enum rv32_core)_i);
    prepare(h, &sum);
    harness_do(h, harness_encode(sum.text, 0));
    ck_assert_uint_eq(h->hart.f[FA0], sum.result);
}

TEST_EACH(no_division, 4)
{
    static const char *const texts[] = {"fdiv.s fa0, fa1, fa2", "fsqrt.s fa0, fa1",
                                        "fdiv.h fa0, fa1, fa2", "fsqrt.h fa0, fa1"};
    struct harness *h = harness_create(RV32_T2);
    uint32_t word = harness_encode(texts[_i], 0);
    harness_execute(h, 0x40, word);
    harness_check_fault(h, PENROSE_FAULT_STUB, 0x40, word);
}

TEST(loads_and_stores)
{
    struct harness *h = harness_create(RV32_NC);
    harness_store(h, 0x1000, 4, 0x89abcdef);
    h->hart.x[A1] = 0x1002;
    harness_do(h, harness_encode("flw fa0, -2(a1)", 0));
    ck_assert_uint_eq(h->hart.f[FA0], 0x89abcdef);
    harness_do(h, harness_encode("flh fa1, 0(a1)", 0));
    ck_assert_uint_eq(h->hart.f[FA1], 0xffff89ab);
    h->hart.f[FA2] = 0x12345678;
    harness_do(h, harness_encode("fsh fa2, 2(a1)", 0));
    harness_do(h, harness_encode("fsw fa2, 6(a1)", 0));
    ck_assert_uint_eq(harness_load(h, 0x1004, 4), 0x00005678);
    ck_assert_uint_eq(harness_load(h, 0x1008, 4), 0x12345678);
}

/* An access that waits or faults has no effect. */
TEST_EACH(refused_accesses, 4)
{
    static const char *const texts[] = {"flw fa0, 0(a1)", "flh fa0, 0(a1)", "fsw fa0, 0(a1)",
                                        "fsh fa0, 0(a1)"};
    struct harness *h = harness_create(RV32_T1);
    uint32_t word = harness_encode(texts[_i], 0);
    h->hart.x[A1] = 0xffe80000;
    h->hart.f[FA0] = 0xffff1234;
    h->waits = 1;
    h->value = 0x4321;
    harness_execute(h, 0x40, word);
    ck_assert_int_eq(h->hart.stop, RV32_STOP_WAIT);
    ck_assert_uint_eq(h->hart.f[FA0], 0xffff1234);
    ck_assert_uint_eq(h->hart.pc, 0x40);
    harness_run(h, 1);
    ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    ck_assert_uint_eq(h->accesses, 1);
    static const uint32_t loaded[] = {0x4321, 0xffff4321, 0xffff1234, 0xffff1234};
    ck_assert_uint_eq(h->hart.f[FA0], loaded[_i]);
    h->hart.x[A1] = 0x1001;
    harness_execute(h, 0x40, word);
    harness_check_fault(h, PENROSE_FAULT_MISALIGNED, 0x40, word);
}

/* A long burst must not grow the host's stack. */
TEST(long_burst)
{
    static const char *const lines[] = {"flw fa0, 0(a1)", "fadd.s fa1, fa0, fa1", "fsh fa1, 4(a1)",
                                        "flh fa2, 4(a1)", "jal zero, 0x40",       NULL};
    struct harness *h = harness_create(RV32_B);
    uint32_t address = 0x40;
    for (const char *const *line = lines; *line; line++, address += 4) {
        harness_put_word(h, address, harness_encode(*line, address));
    }
    h->hart.pc = 0x40;
    h->hart.x[A1] = 0x1000;
    harness_run(h, 2000000);
    ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    ck_assert_uint_eq(h->hart.pc, 0x40);
}
