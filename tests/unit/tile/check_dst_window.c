/*
 * The TRISCs' window on Dst: whose section of the configuration counts, sizes of accesses, several
 * elements at once by trisc2's scalar and vector instructions. Conversions are in
 * check_dst.c.
 */
#include <string.h>

#include "unit/tile/mmio_harness.h"
#include "tensix/config/regs.h"

FIXTURE(harness_setup, harness_teardown);

#define DST             UINT32_C(0xffbd8000)
#define FEATURE_DISABLE UINT32_C(0xffb12068)

enum { FP32, INT32, FP16, BF16, INT16, INT8, FORMATS };

static const uint8_t element_bytes[FORMATS] = {4, 4, 2, 2, 2, 1};

/* Says how `thread` sees Dst in `state`, and makes that its state. */
static void select_format(unsigned thread, unsigned state, unsigned format, bool no_swizzle)
{
    static const enum tensix_field_id formats[] = {TENSIX_FIELD_RISC_DEST_ACCESS_CTRL_SEC0_fmt,
                                                   TENSIX_FIELD_RISC_DEST_ACCESS_CTRL_SEC1_fmt,
                                                   TENSIX_FIELD_RISC_DEST_ACCESS_CTRL_SEC2_fmt};
    static const enum tensix_field_id plain[] = {
        TENSIX_FIELD_RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle,
        TENSIX_FIELD_RISC_DEST_ACCESS_CTRL_SEC1_no_swizzle,
        TENSIX_FIELD_RISC_DEST_ACCESS_CTRL_SEC2_no_swizzle};
    struct tensix *tensix = &harness.tile->tensix;
    tensix_set_config_field(tensix, state, formats[thread], format);
    tensix_set_config_field(tensix, state, plain[thread], no_swizzle);
    tensix_set_thread_field(tensix, thread, TENSIX_FIELD_CFG_STATE_ID_StateID, state);
}

static enum tile_agent trisc(unsigned thread)
{
    return (enum tile_agent)(AGENT_T0 + thread);
}

static uint32_t low(uint32_t value, unsigned bytes)
{
    return bytes == 4 ? value : value & ((UINT32_C(1) << 8 * bytes) - 1);
}

TEST(only_triscs_see_it)
{
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_B, DST, 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_NC, DST, 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_NOC, DST, 0), ANSWER_UNMAPPED);
    for (unsigned thread = 0; thread < 3; thread++) {
        ck_assert_int_eq(try_access(MMIO_READ, trisc(thread), DST, 0), ANSWER_DONE);
    }
}

/* What is stored without conversion is what is there, whatever the element's size. */
TEST_EACH(elements_of_each_size, 6)
{
    unsigned thread = (unsigned)_i % 3, state = (unsigned)_i / 3;
    const struct tensix_dst *dst = &harness.tile->tensix.dst;
    for (unsigned format = 0; format < FORMATS; format++) {
        unsigned bytes = element_bytes[format];
        select_format(thread, state, format, true);
        select_format((thread + 1) % 3, state, (format + 1) % FORMATS, false); /* must not matter */
        for (unsigned element = 0; element < 512 * 16; element += 37) {
            uint32_t address = DST + element * bytes,
                     value = low(0x9e3779b9u * (element + 1), bytes);
            uint32_t back = 0;
            ck_assert_int_eq(try_narrow(MMIO_WRITE, trisc(thread), address, (uint8_t)bytes, &value),
                             ANSWER_DONE);
            ck_assert_int_eq(try_narrow(MMIO_READ, trisc(thread), address, (uint8_t)bytes, &back),
                             ANSWER_DONE);
            ck_assert_uint_eq(back, value);
            unsigned row = element / 16, upper = (row & 0x1f8) << 1 | (row & 7);
            if (bytes == 4) {
                ck_assert_uint_eq(dst->bits[upper][element % 16], value >> 16);
                ck_assert_uint_eq(dst->bits[upper + 8][element % 16], value & 0xffff);
            } else if (bytes == 2) {
                ck_assert_uint_eq(dst->bits[row][element % 16], value);
            } else {
                ck_assert_uint_eq(dst->bits[row][element % 16] >> 5 & 0xff, value);
            }
        }
    }
}

TEST(other_sizes_are_refused)
{
    for (unsigned thread = 0; thread < 3; thread++) {
        for (unsigned format = 0; format < 8; format++) {
            select_format(thread, 0, format, true);
            for (unsigned size = 1; size <= 4; size *= 2) {
                bool reserved = format >= FORMATS;
                bool is_element = !reserved && size == element_bytes[format];
                bool is_many = !reserved && thread == 2 && size > element_bytes[format];
                uint32_t value = 0;
                enum answer reply =
                    try_narrow(MMIO_READ, trisc(thread), DST, (uint8_t)size, &value);
                ck_assert_int_eq(reply, is_element || is_many ? ANSWER_DONE : ANSWER_NARROW);
                reply = try_narrow(MMIO_WRITE, trisc(thread), DST, (uint8_t)size, &value);
                ck_assert_int_eq(reply, is_element || is_many ? ANSWER_DONE : ANSWER_NARROW);
            }
        }
    }
}

TEST(feature_bit_shows_high_halves)
{
    struct tensix *tensix = &harness.tile->tensix;
    select_format(0, 0, BF16, true);
    tensix->dst.bits[16][3] = 0x1234; /* row 8 of Dst32b */
    tensix->dst.bits[8][3] = 0x5678;
    uint32_t value = 0;
    (void)try_narrow(MMIO_READ, AGENT_T0, DST + (8 * 16 + 3) * 2, 2, &value);
    ck_assert_uint_eq(value, 0x5678);
    put(AGENT_B, FEATURE_DISABLE, 1 << 11);
    ck_assert_uint_eq(harness.unmodelled, 0);
    (void)try_narrow(MMIO_READ, AGENT_T0, DST + (8 * 16 + 3) * 2, 2, &value);
    ck_assert_uint_eq(value, 0x1234);
    put(AGENT_B, FEATURE_DISABLE, 1 << 10);
    ck_assert_uint_eq(harness.unmodelled, 1);
    (void)try_narrow(MMIO_READ, AGENT_T0, DST + (8 * 16 + 3) * 2, 2, &value);
    ck_assert_uint_eq(value, 0x5678);
}

/* Four BF16 elements as words, four as a vector of words, four more to other rows. */
static const char vector_copy[] =
    "lui a0, 0xffbd8; addi a1, zero, 4; vsetvli zero, a1, e32, m1, ta, ma; vle32.v v1, (a0); "
    "addi a2, a0, 0x40; vse32.v v1, (a2); lw a3, 4(a0); sw a3, 0x7c(a0); addi a1, zero, 0x700; "
    "vse32.v v1, (a1); ebreak";

TEST(trisc2_takes_several)
{
    struct tensix_dst *dst = &harness.tile->tensix.dst;
    select_format(2, 0, BF16, false);
    for (unsigned i = 0; i < 8; i++) {
        dst->bits[0][i] = (uint16_t)(0x3f01u + 0x101u * i); /* fraction above, exponent below */
    }
    harness_assemble(H, 0x1000, vector_copy);
    harness_release(H, RV32_T2, 0x1000);
    tile_run(harness.tile, 4096);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_int_eq(harness.tile->run[RV32_T2].state, HART_PAUSED);
    ck_assert_mem_eq(dst->bits[2], dst->bits[0], 8 * sizeof(uint16_t));
    ck_assert_uint_eq(dst->bits[3][14], dst->bits[0][2]);
    ck_assert_uint_eq(dst->bits[3][15], dst->bits[0][3]);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t pattern = (0x01u + i) << 7 | (0x3fu + i);
        ck_assert_uint_eq(harness_word(H, 0x700 + i / 2 * 4) >> i % 2 * 16 & 0xffff, pattern);
    }
}

/* With elements of one byte the window ends half way: a vector that crosses the end does
 * nothing. */
TEST(vector_over_the_end_does_nothing)
{
    static const char store_over_end[] =
        "lui a0, 0xffbdc; addi a0, a0, -4; addi a1, zero, 4; vsetvli zero, a1, e32, m1, ta, ma; "
        "vmv.v.i v1, 7; vse32.v v1, (a0); ebreak";
    select_format(2, 0, INT8, true);
    harness_assemble(H, 0x1000, store_over_end);
    harness_release(H, RV32_T2, 0x1000);
    tile_run(harness.tile, 1024);
    ck_assert_uint_eq(harness.faults, 1);
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_uint_eq(harness.tile->tensix.dst.bits[1023][i], 0);
    }
}

TEST(wrong_size_of_a_hart_is_a_fault)
{
    static const char wide_load[] = "lui a0, 0xffbd8; lw a1, 0(a0); ebreak";
    select_format(0, 0, BF16, false);
    harness_assemble(H, 0x1000, wide_load);
    harness_release(H, RV32_T0, 0x1000);
    tile_run(harness.tile, 1024);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_NARROW);
    ck_assert_ptr_nonnull(strstr(harness.fault.text, "only trisc2 can access several"));
}
