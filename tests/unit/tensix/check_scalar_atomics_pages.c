/*
 * Scalar Unit with memory, from the pages alone: atomics on L1, with what waits for another value
 * and what it keeps from going on. Their encodings are compared in check_scalar_memory_pages.c.
 *
 * SPEC: WormholeB0 ATINCGET, ATINCGETPTR, ATSWAP, ATCAS. They say 1464 KiB of L1; Blackhole has
 * 1536.
 */
#include "unit/tensix/pages_l1.h"

static void expect_word(uint32_t address, uint32_t value)
{
    memcpy(expected_l1 + address, &value, sizeof value);
}

/* --- ATINCGET --- */

static void atincget_case(unsigned thread, unsigned width, unsigned ofs, unsigned in_out,
                          unsigned address_reg)
{
    uint32_t word = atincget_word(width, ofs, in_out, address_reg);
    read_state(&expected);
    uint32_t *gprs = expected.gpr[thread];
    uint32_t address = gprs[address_reg] * 16 + ofs * 4;
    bool in_l1 = address < L1_SIZE;
    if (in_l1) {
        uint32_t mask = width == 31 ? UINT32_MAX : (UINT32_C(2) << width) - 1;
        uint32_t original = expected_word(address), sum = original + gprs[in_out];
        expect_word(address, (sum & mask) | (original & ~mask));
        gprs[in_out] = original;
    }
    run_predicted(thread, word, !in_l1, address);
}

/* All widths, at a line of L1 that is anywhere, with increments that carry out of the width. */
START_TEST(atincget_random)
{
    unsigned width = (unsigned)_i;
    for (int n = 0; n < 300; n++) {
        unsigned thread = below(3), ofs = below(4), in_out = below(64), address = below(64);
        randomize_gprs();
        tt->gpr[thread][address] = any_line();
        if (tt->gpr[thread][address] < LINES && n % 2) {
            set_l1(tt->gpr[thread][address] * 16 + ofs * 4, any_value());
        }
        atincget_case(thread, width, ofs, in_out, address);
    }
    check_l1();
}
END_TEST

/* The register holds address and increment. */
START_TEST(atincget_in_out_is_address)
{
    for (unsigned line = 0; line < LINES; line += 97) {
        tt->gpr[1][12] = line;
        atincget_case(1, line % 32, line % 4, 12, 12);
    }
    check_l1();
}
END_TEST

START_TEST(atomics_outside_l1)
{
    static const uint32_t lines[] = {LINES,      LINES + 1,  0x0fffffff, 0x00ffffff, 0x7fffffff,
                                     0x80018000, 0xffffffff, 0x08000000, 0x1001ffff};
    for (int i = 0; i < COUNT(lines); i++) {
        tt->gpr[0][1] = lines[i];
        for (unsigned ofs = 0; ofs < 4; ofs++) {
            execute_fault(0, atincget_word(31, ofs, 2, 1), TENSIX_FAULT_UNDEFINED);
            execute_fault(0, OP(0x62) | 4u << 14 | ofs << 12 | 2u << 6 | 1, TENSIX_FAULT_UNDEFINED);
            execute_fault(0, OP(0x64) | ofs << 12 | 1, TENSIX_FAULT_UNDEFINED);
        }
        execute_fault(0, OP(0x63) | 0xffu << 14 | 2u << 6 | 1, TENSIX_FAULT_UNDEFINED);
    }
    check_l1();
}
END_TEST

/* The multiplication by 16 has 32 bits. */
START_TEST(atomics_address_wraps)
{
    for (int n = 0; n < 200; n++) {
        tt->gpr[0][1] = below(16) << 28 | below(LINES);
        tt->gpr[0][2] = any_value();
        atincget_case(0, below(32), below(4), 2, 1);
    }
    check_l1();
}
END_TEST

/* --- ATINCGETPTR --- */

/* False where it waits. */
static bool atincgetptr_model(uint32_t line, bool no_incr, unsigned incr_log2, unsigned width,
                              unsigned ofs, uint32_t *result)
{
    uint32_t size = expected_word(line + 4) - expected_word(line);
    if (ofs & 1) {
        uint32_t capacity = width ? UINT32_C(1) << (width - 1) : 0x8000;
        if (size % capacity == 0 && size != 0) {
            return false;
        }
    } else if (size == 0) {
        return false;
    }
    uint32_t mask = (UINT32_C(1) << width) - 1, original = expected_word(line + ofs * 4);
    uint32_t sum = original + (no_incr ? 0 : UINT32_C(1) << incr_log2);
    expect_word(line + ofs * 4, (sum & mask) | (original & ~mask));
    *result = original;
    return true;
}

/* Counters of a FIFO as software has them: `width` bits; sometimes any words. */
static void set_fifo(uint32_t line, unsigned width)
{
    uint32_t mask = (UINT32_C(1) << width) - 1, rd = next_random(), capacity;
    capacity = width ? UINT32_C(1) << (width - 1) : 1;
    uint32_t filled = below(3) == 0 ? 0 : below(2) ? capacity : next_random() % (capacity + 1);
    if (below(4) == 0) {
        set_l1(line, any_value());
        set_l1(line + 4, any_value());
    } else {
        set_l1(line, rd & mask);
        set_l1(line + 4, (rd + filled) & mask);
    }
    set_l1(line + 8, any_value());
    set_l1(line + 12, any_value());
}

/* Where it waits, other contents let it go on. */
START_TEST(atincgetptr_random)
{
    unsigned width = (unsigned)_i;
    for (int n = 0; n < 500; n++) {
        unsigned thread = below(3), ofs = below(4), incr = below(16), result = below(64);
        unsigned address = below(64);
        bool no_incr = below(2);
        uint32_t word = atincgetptr_word(no_incr, incr, width, ofs, result, address);
        uint32_t line = below(LINES) * 16, original;
        randomize_gprs();
        tt->gpr[thread][address] = line / 16;
        set_fifo(line, width);
        read_state(&expected);
        bool waits = !atincgetptr_model(line, no_incr, incr, width, ofs, &original);
        if (waits) {
            tensix_harness_push(&harness, thread, word);
            ck_assert_msg(tensix_thread_busy(tt, thread), "0x%08" PRIx32 " does not wait", word);
            check_state(word);
            check_l1_near(word, line);
            ck_assert_uint_eq(harness.watched & ~15u, line);
            bool pushes = ofs & 1;
            set_l1(line, 1);
            set_l1(line + 4, pushes ? 1 : 2);
            ck_assert(atincgetptr_model(line, no_incr, incr, width, ofs, &original));
            tensix_harness_go(&harness, 0);
            ck_assert_msg(!tensix_thread_busy(tt, thread), "0x%08" PRIx32 " still waits", word);
        } else {
            execute(thread, word);
        }
        expected.gpr[thread][result] = original;
        check_state(word);
        check_l1_near(word, line);
        ck_assert_uint_eq(harness.faults, 0);
    }
    check_l1();
}
END_TEST

/* A FIFO of four is filled and emptied again. The push on the full one waits, with what is behind
 * it, until a hart has popped; a thread's pop would not get into the Scalar Unit, which is busy. */
START_TEST(atincgetptr_fifo)
{
    enum { LINE = 0x4000, PUSH = 1, POP = 0 };
    uint32_t push = atincgetptr_word(false, 0, 3, PUSH, 5, 1);
    uint32_t pop = atincgetptr_word(false, 0, 3, POP, 6, 2);
    uint32_t full_test = atincgetptr_word(true, 9, 3, PUSH, 7, 1);
    tt->gpr[0][1] = tt->gpr[1][2] = LINE / 16;
    set_l1(LINE, 6);
    set_l1(LINE + 4, 6);
    for (unsigned i = 0; i < 4; i++) {
        execute(0, full_test);
        ck_assert_uint_eq(tt->gpr[0][7], (6 + i) % 8);
        execute(0, push);
        ck_assert_uint_eq(tt->gpr[0][5], (6 + i) % 8);
    }
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE + 4), 2); /* 6 + 4 of 3 bits */
    tensix_harness_push(&harness, 0, push);
    tensix_harness_push(&harness, 0, OP(0x45) | 99u << 8 | 2 * 40);
    tensix_harness_push(&harness, 1, pop);
    ck_assert(tensix_thread_busy(tt, 0));
    ck_assert(tensix_thread_busy(tt, 1));
    ck_assert_uint_eq(tt->gpr[0][40], 0);
    set_l1(LINE, 7);
    tensix_harness_go(&harness, 0);
    ck_assert(!tensix_thread_busy(tt, 0));
    ck_assert_uint_eq(tt->gpr[0][5], 2);
    ck_assert_uint_eq(tt->gpr[0][40], 99);
    ck_assert(!tensix_thread_busy(tt, 1));
    ck_assert_uint_eq(tt->gpr[1][6], 7);
    for (unsigned i = 0; i < 3; i++) {
        execute(1, pop);
        ck_assert_uint_eq(tt->gpr[1][6], i);
    }
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE), 3);
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE + 4), 3);
    tensix_harness_push(&harness, 1, pop);
    ck_assert(tensix_thread_busy(tt, 1));
}
END_TEST

/* --- ATSWAP --- */

static void atswap_case(unsigned thread, bool single, unsigned mask, unsigned data,
                        unsigned address_reg)
{
    uint32_t word = OP(0x63) | (uint32_t)single << 22 | mask << 14 | data << 6 | address_reg;
    read_state(&expected);
    const uint32_t *gprs = expected.gpr[thread];
    uint32_t address = gprs[address_reg] * 16, to_write[4] = {0};
    bool in_l1 = address < L1_SIZE;
    if (single) {
        to_write[data & 3] = gprs[data];
    } else {
        memcpy(to_write, &gprs[data & ~3u], 16);
    }
    for (unsigned i = 0; in_l1 && i < 8; i++) {
        if (mask >> i & 1) {
            memcpy(expected_l1 + address + 2 * i, (const char *)to_write + 2 * i, 2);
        }
    }
    run_predicted(thread, word, !in_l1, address);
}

/* Every mask; data may hold the address. */
START_TEST(atswap_masks)
{
    bool single = _i;
    for (unsigned mask = 0; mask < 256; mask++) {
        for (int n = 0; n < 10; n++) {
            unsigned thread = below(3), address = below(64);
            unsigned data = n < 3 ? address ^ (unsigned)n : below(64);
            randomize_gprs();
            tt->gpr[thread][address] = any_line();
            atswap_case(thread, single, mask, data, address);
        }
    }
    check_l1();
}
END_TEST

/* --- ATCAS --- */

/* All pairs of values; the whole word is compared; a thread that waits goes on when it fits. */
START_TEST(atcas_values)
{
    for (unsigned n = 0; n < 16 * 16 * 8; n++) {
        unsigned set = n & 15, compare = n >> 4 & 15, ofs = below(4), thread = below(3);
        unsigned address_reg = below(64);
        uint32_t address = below(LINES) * 16 + 4 * ofs;
        uint32_t word = atcas_word(set, compare, ofs, below(64), address_reg);
        randomize_gprs();
        tt->gpr[thread][address_reg] = address / 16;
        read_state(&expected);
        uint32_t before = n >> 8 < 2   ? compare
                          : n >> 8 < 4 ? compare | 1u << (4 + below(28))
                          : n >> 8 < 6 ? below(16)
                                       : any_value();
        set_l1(address, before);
        tensix_harness_push(&harness, thread, word);
        bool waits = before != compare;
        ck_assert_msg(tensix_thread_busy(tt, thread) == waits, "0x%08" PRIx32 " finds 0x%" PRIx32,
                      word, before);
        if (waits) {
            check_state(word);
            check_l1_near(word, address);
            ck_assert_uint_eq(harness.watched & ~15u, address & ~15u);
            set_l1(address, compare);
            tensix_harness_go(&harness, 0);
            ck_assert(!tensix_thread_busy(tt, thread));
        }
        expect_word(address, set);
        check_state(word);
        check_l1_near(word, address);
        ck_assert_uint_eq(harness.faults, 0);
    }
    check_l1();
}
END_TEST

/* A lock in L1: one thread holds it, the others take it in turn when it is released. */
START_TEST(atcas_lock)
{
    enum { LINE = 0x100 };
    uint32_t lock = atcas_word(1, 0, 2, 0, 3), unlock = atcas_word(0, 1, 2, 0, 3);
    tt->gpr[0][3] = tt->gpr[1][3] = tt->gpr[2][3] = LINE;
    set_l1(LINE * 16 + 8, 0);
    execute(0, lock);
    tensix_harness_push(&harness, 1, lock);
    tensix_harness_push(&harness, 2, lock);
    ck_assert(tensix_thread_busy(tt, 1) && tensix_thread_busy(tt, 2));
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE * 16 + 8), 1);
    set_l1(LINE * 16 + 8, 0); /* as a hart releases it */
    tensix_harness_go(&harness, 0);
    ck_assert(tensix_thread_busy(tt, 1) != tensix_thread_busy(tt, 2));
    unsigned holder = tensix_thread_busy(tt, 1) ? 2 : 1;
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE * 16 + 8), 1);
    set_l1(LINE * 16 + 8, 0);
    tensix_harness_go(&harness, 0);
    ck_assert(!tensix_thread_busy(tt, 1) && !tensix_thread_busy(tt, 2));
    execute(holder, unlock);
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE * 16 + 8), 0);
}
END_TEST

/* The Scalar Unit is busy while an instruction in it tries again and again: no other thread's
 * instruction enters it, but instructions of other units go on. 1: timed. */
START_TEST(scalar_unit_is_held)
{
    static const struct {
        uint32_t word, line[2];
    } cases[] = {{OP(0x64) | 5u << 14 | 3, {0, 5}},           /* ATCAS, compares with 5 */
                 {OP(0x62) | 4u << 14 | 7u << 6 | 3, {0, 5}}, /* pop of an empty FIFO */
                 {OP(0x62) | 4u << 14 | 1u << 12 | 7u << 6 | 3, {8, 1}}}; /* push on a full one */
    tt->timed = _i;
    for (int i = 0; i < COUNT(cases); i++) {
        bool is_cas = cases[i].word >> 24 == 0x64;
        tt->gpr[0][3] = 0x100;
        set_l1(0x1000, is_cas ? cases[i].line[0] : 0);
        set_l1(0x1004, cases[i].line[0]);
        tt->gpr[1][0] = 0;
        tt->semaphore[0].value = 0;
        tensix_harness_push(&harness, 0, cases[i].word);
        ck_assert(tensix_thread_busy(tt, 0));
        execute(2, OP(0xa4) | 1u << 2); /* SEMPOST */
        ck_assert_uint_eq(tt->semaphore[0].value, 1);
        tensix_harness_push(&harness, 1, OP(0x58) | 1u << 23 | 1u << 6); /* ADDDMAREG */
        ck_assert_uint_eq(tt->gpr[1][0], 0);
        ck_assert(tensix_thread_busy(tt, 1));
        set_l1(is_cas ? 0x1000 : 0x1004, cases[i].line[1]);
        tensix_harness_go(&harness, 0);
        ck_assert(!tensix_thread_busy(tt, 0) && !tensix_thread_busy(tt, 1));
        ck_assert_uint_eq(tt->gpr[1][0], 1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("atomics");
    TCase *tcase = tcase_create("atomics");
    tcase_add_checked_fixture(tcase, open_with_l1, close_coprocessor);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, atincget_random, 0, 32);
    tcase_add_test(tcase, atincget_in_out_is_address);
    tcase_add_test(tcase, atomics_outside_l1);
    tcase_add_test(tcase, atomics_address_wraps);
    tcase_add_loop_test(tcase, atincgetptr_random, 0, 16);
    tcase_add_test(tcase, atincgetptr_fifo);
    tcase_add_loop_test(tcase, atswap_masks, 0, 2);
    tcase_add_test(tcase, atcas_values);
    tcase_add_test(tcase, atcas_lock);
    tcase_add_loop_test(tcase, scalar_unit_is_held, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
