/* Loops that fill the local RAM (rv32/fill.h). */
#include "unit/rv32/bulk_law.h"
#include "rv32/fill.h"

static bool is_found(const char *const *lines)
{
    return is_found_at(CODE, lines, rv32_exec_fill);
}

START_TEST(loops_of_start_up_code_are_found)
{
    static const char *const four_down[] = {"sw zero, -4(a5)",
                                            "sw zero, -8(a5)",
                                            "sw zero, -12(a5)",
                                            "sw zero, -16(a5)",
                                            "addi a5, a5, 16",
                                            "bgeu a4, a5, 0x400",
                                            NULL};
    static const char *const one[] = {"sw zero, 0(a5)", "addi a5, a5, 4", "bne a5, a4, 0x400",
                                      NULL};
    static const char *const up[] = {"sw t0, 0(a5)", "sw t0, 4(a5)", "addi a5, a5, 8",
                                     "blt a5, a4, 0x400", NULL};
    static const char *const rotated[] = {"sw t0, 0(a5)", "addi a5, a5, 4", "jal zero, 0x200",
                                          NULL};
    ck_assert(is_found(four_down));
    ck_assert(is_found(one));
    ck_assert(is_found(up));
    ck_assert(is_found(rotated));
}
END_TEST

START_TEST(others_are_not)
{
    static const char *const loops[][8] = {
        {"sw zero, 0(a5)", "sw zero, 8(a5)", "addi a5, a5, 8", "bne a5, a4, 0x400"},
        {"sw zero, 0(a5)", "sw t0, 4(a5)", "addi a5, a5, 8", "bne a5, a4, 0x400"},
        {"sw zero, 0(a5)", "sw zero, 4(a4)", "addi a5, a5, 8", "bne a5, a4, 0x400"},
        {"sw zero, 0(a5)", "addi a5, a5, 8", "bne a5, a4, 0x400"},
        {"sw zero, 0(a5)", "addi a5, a5, -4", "bne a5, a4, 0x400"},
        {"sw zero, 0(a5)", "addi a4, a5, 4", "bne a5, a4, 0x400"},
        {"sw zero, 0(a5)", "addi a5, a4, 4", "bne a5, a4, 0x400"},
        {"sw zero, 0(a5)", "addi a5, a5, 4", "bne a5, a4, 0x404"},
        {"sw zero, 0(a5)", "addi a5, a5, 4", "bne a5, a4, 0x3fc"},
        {"sw zero, 0(a5)", "addi a5, a5, 4", "jal ra, 0x3f0"},
        {"sw a5, 0(a5)", "addi a5, a5, 4", "bne a5, a4, 0x400"},
        {"sh zero, 0(a5)", "addi a5, a5, 2", "bne a5, a4, 0x400"},
        {"sw zero, 0(zero)", "addi zero, zero, 4", "bne zero, a4, 0x400"},
    };
    for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        ck_assert_msg(!is_found(loops[i]), "loop %u", i);
    }
}
END_TEST

START_TEST(a_loop_at_the_end_of_a_page)
{
    static const char *const loop[] = {"sw zero, 0(a5)", "addi a5, a5, 4", "bne a5, a4, 0x4f4",
                                       NULL};
    struct harness *h = harness_create(RV32_B);
    for (uint32_t pc = 0x4f4; pc <= 0x4fc; pc += 4) { /* across the boundary from the second on */
        harness_program(h, pc, loop);
        ck_assert_int_eq(runs_by(h, pc, rv32_exec_fill), pc == 0x4f4);
    }
    harness_destroy(h);
}
END_TEST

/* --- The law --- */

/* A loop that fills, or nearly so. */
static void random_loop(struct harness *h, struct harness *other, uint64_t *random,
                        struct text *text)
{
    static const char *const branches[] = {"bne", "blt", "bge", "bltu", "bgeu", "beq"};
    static const char *const values[] = {"zero", "t0", "a4"};
    unsigned stores = 1 + below(random, 8), value = below(random, 3);
    int first = (int)below(random, 9) * 4 - 16, step = below(random, 2) ? 4 : -4;
    bool is_odd = below(random, 8) == 0;
    text->count = 0;
    for (unsigned i = 0; i < stores; i++) {
        add(text, "sw %s, %d(a5)", values[value], first + step * (int)i + (is_odd && i == 1));
    }
    add(text, "addi a5, a5, %u", 4 * stores);
    bool is_swapped = below(random, 2);
    char branch[40];
    snprintf(branch, sizeof branch, "%s %s, %s, 0x%x", branches[below(random, 6)],
             is_swapped ? "a4" : "a5", is_swapped ? "a5" : "a4", CODE + (below(random, 8) ? 0 : 4));
    add_end(text, h, other, random, branch, CODE);
}

static void set_registers(struct harness *h, uint32_t start, uint32_t end, uint32_t value)
{
    h->hart.pc = CODE;
    h->hart.x[A5] = start;
    h->hart.x[A4] = end;
    h->hart.x[T0] = value;
}

/* Mostly within the local RAM, at its ends, or in L1. */
static uint32_t random_base(uint64_t *random)
{
    switch (below(random, 6)) {
    case 0:
        return RV32_LOCAL_BASE + below(random, 64) - 32;
    case 1:
        return RV32_LOCAL_BASE + HARNESS_LOCAL_BYTES - 4 * below(random, 64);
    case 2:
        return 0x2000 + below(random, 64);
    default:
        return RV32_LOCAL_BASE + 4 * below(random, HARNESS_LOCAL_BYTES / 4);
    }
}

START_TEST(bursts_of_any_length_do_the_same_as_steps)
{
    uint64_t random = 77;
    unsigned found = 0;
    for (unsigned i = 0; i < LOOPS; i++) {
        struct text text;
        struct harness *a = harness_create(RV32_B), *b = harness_create(RV32_B);
        random_loop(a, b, &random, &text);
        harness_program(a, CODE, text.lines);
        harness_program(b, CODE, text.lines);
        uint32_t base = random_base(&random), end = base + 4 * below(&random, 90);
        uint32_t value = harness_random_word(&random);
        set_registers(a, base, end, value);
        set_registers(b, base, end, value);
        found += runs_by(a, CODE, rv32_exec_fill);
        obey(a, b, &random, &text);
        harness_destroy(a);
        harness_destroy(b);
    }
    ck_assert_uint_gt(found, LOOPS / 3);
}
END_TEST

START_TEST(long_bursts_need_no_stack)
{
    static const char *const to_l1[] = {
        "lui a5, 2",       "lui a4, 4", "sw zero, 0(a5)", "addi a5, a5, 4", "bne a5, a4, 0x408",
        "jal zero, 0x400", NULL};
    static const char *const beyond[] = {
        "lui a5, 0xffb01", "addi a5, a5, 0",    "addi a4, a5, 1600", "sw zero, 0(a5)",
        "addi a5, a5, 4",  "bne a5, a4, 0x40c", "jal zero, 0x400",   NULL};
    needs_no_stack(to_l1);
    needs_no_stack(beyond); /* where the board has no room */
}
END_TEST

static void fill(Suite *suite)
{
    const TTest *const finds[] = {loops_of_start_up_code_are_found, others_are_not,
                                  a_loop_at_the_end_of_a_page, NULL};
    const TTest *const runs[] = {bursts_of_any_length_do_the_same_as_steps,
                                 long_bursts_need_no_stack, NULL};
    add_tests(suite, finds, runs);
}

int main(void)
{
    return harness_main("fill", fill);
}
