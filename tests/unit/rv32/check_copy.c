/* Loops that copy words from L1 to the local RAM (rv32/copy.h). */
#include "unit/rv32/bulk_law.h"
#include "rv32/copy.h"

enum { NAMES = 4 };

static bool is_found(const char *const *lines)
{
    return is_found_at(CODE, lines, rv32_exec_copy);
}

START_TEST(loops_of_start_up_code_are_found)
{
    static const char *const three[] = {"lw a6, 0(a1)",
                                        "lw a3, 4(a1)",
                                        "lw a4, 8(a1)",
                                        "addi a1, a1, 12",
                                        "addi a0, a0, 12",
                                        "addi a2, a2, -3",
                                        "sw a6, -12(a0)",
                                        "sw a3, -8(a0)",
                                        "sw a4, -4(a0)",
                                        "blt a5, a2, 0x400",
                                        NULL};
    static const char *const one[] = {"lw t0, 0(a1)",   "sw t0, 4(a0)",      "addi a0, a0, 4",
                                      "addi a1, a1, 4", "bne a1, a2, 0x400", NULL};
    static const char *const rotated[] = {"lw t0, 0(a1)",  "addi a0, a0, 4",  "addi a1, a1, 4",
                                          "sw t0, -4(a0)", "jal zero, 0x200", NULL};
    static const char *const unfinished[] = {"lw t0, 0(a1)",   "lw t1, 4(a1)",  "addi a1, a1, 8",
                                             "addi a0, a0, 8", "sw t0, -8(a0)", NULL};
    ck_assert(is_found(three));
    ck_assert(is_found(one));
    ck_assert(is_found(rotated));
    ck_assert(is_found_at(0x4ec, unfinished, rv32_exec_copy)); /* up to the end of the page */
    ck_assert(!is_found(unfinished));
}
END_TEST

START_TEST(others_are_not)
{
    static const char *const loops[][8] = {
        {"lw t0, 0(a1)", "sw t1, 0(a0)", "addi a0, a0, 4", "addi a1, a1, 4", "bne a1, a2, 0x400"},
        {"lw t0, 0(a1)", "sw t0, 0(a0)", "addi a0, a0, 4", "addi a1, a1, 8", "bne a1, a2, 0x400"},
        {"lw t0, 0(a1)", "sw t0, 0(a0)", "addi a0, a0, 8", "addi a1, a1, 4", "bne a1, a2, 0x400"},
        {"lw t0, 0(a1)", "sw t0, 0(a0)", "addi a0, a0, 4", "addi a1, a1, 4", "bne a1, a2, 0x408"},
        {"lw t0, 0(a1)", "sw t0, 0(a1)", "addi a1, a1, 4", "bne a1, a2, 0x400"},
        {"lw a1, 0(a1)", "sw a1, 0(a0)", "addi a0, a0, 4", "addi a1, a1, 4", "bne a1, a2, 0x400"},
        {"lw t0, 0(a1)", "addi t0, t0, 1", "sw t0, 0(a0)", "addi a0, a0, 4", "addi a1, a1, 4",
         "bne a1, a2, 0x400"},
        {"lh t0, 0(a1)", "sw t0, 0(a0)", "addi a0, a0, 4", "addi a1, a1, 4", "bne a1, a2, 0x400"},
        {"lw t0, 0(a1)", "sb t0, 0(a0)", "addi a0, a0, 4", "addi a1, a1, 4", "bne a1, a2, 0x400"},
        {"lw t0, 0(a1)", "sw t0, 0(a0)", "addi a0, a0, 4", "addi a1, a1, 4", "beq a1, a2, 0x400"},
        {"lw t0, 0(a1)", "addi a1, a1, 8", "lw t1, 4(a1)", "sw t0, 0(a0)", "sw t1, 4(a0)",
         "addi a0, a0, 8", "bne a1, a2, 0x400"},
        {"lw zero, 0(a1)", "sw zero, 0(a0)", "addi a0, a0, 4", "addi a1, a1, 4",
         "bne a1, a2, 0x400"},
    };
    for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        ck_assert_msg(!is_found(loops[i]), "%u", i);
    }
}
END_TEST

/* --- The law --- */

static const char *const loaded[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "s0"};

/* The additions of a turn, in any order, and the stores somewhere among them. */
static void add_middle(struct text *text, uint64_t *random, unsigned words, int first)
{
    const int bytes = 4 * (int)words;
    bool is_odd = below(random, 10) == 0, is_target_moved = false, has_stored = false;
    unsigned order = below(random, 6);
    static const char orders[6][4] = {"stc", "sct", "tsc", "tcs", "cst", "cts"};
    unsigned when = below(random, NAMES);
    for (unsigned i = 0; i < NAMES; i++) {
        if (i == when) {
            for (unsigned j = 0; j < words; j++) {
                add(text, "sw %s, %d(a0)", loaded[is_odd && j == 1 ? 0 : j],
                    first + 4 * (int)j - (is_target_moved ? bytes : 0));
            }
            has_stored = true;
        }
        char which = i < NAMES - 1 ? orders[order][i] : ' ';
        if (which == 's') {
            add(text, "addi a1, a1, %d", bytes);
        } else if (which == 't') {
            add(text, "addi a0, a0, %d", bytes);
            is_target_moved = true;
        } else if (which == 'c' && below(random, 8)) {
            bool is_base = below(random, 10) == 0; /* moved twice */
            add(text, is_base ? "addi a1, a1, -%u" : "addi a2, a2, -%u", 4 * words);
        }
    }
    ck_assert(has_stored);
}

/* A loop that copies, or nearly so, from a1 to a0, with a count in a2. */
static void random_loop(struct harness *h, struct harness *other, uint64_t *random, uint32_t code,
                        struct text *text)
{
    static const char *const branches[] = {"bne a1, a3",  "blt zero, a2", "blt a4, a2",
                                           "bge a2, a4",  "bltu a1, a3",  "bgeu a3, a1",
                                           "bne t0, zero"};
    unsigned words = 1 + below(random, 5);
    int first = (int)below(random, 9) * 4 - 16;
    char branch[40];
    text->count = 0;
    for (unsigned i = 0; i < words; i++) {
        add(text, "lw %s, %d(a1)", loaded[i], first + 4 * (int)i);
    }
    add_middle(text, random, words, (int)below(random, 9) * 4 - 16);
    snprintf(branch, sizeof branch, "%s, 0x%x", branches[below(random, 7)],
             below(random, 12) == 0 ? 0x40 : code + (below(random, 8) ? 0 : 4));
    add_end(text, h, other, random, branch, code);
}

/* In L1, at its end, in the code, in the local RAM, or not aligned. */
static uint32_t random_source(uint64_t *random)
{
    switch (below(random, 8)) {
    case 0:
        return HARNESS_L1_BYTES - 4 * below(random, 64);
    case 1:
        return RV32_LOCAL_BASE + 4 * below(random, HARNESS_LOCAL_BYTES / 4);
    case 2:
        return 0x2000 + below(random, 64);
    case 3:
        return CODE + 4 * below(random, 16);
    default:
        return 0x2000 + 4 * below(random, 256);
    }
}

static uint32_t random_target(uint64_t *random)
{
    switch (below(random, 7)) {
    case 0:
        return RV32_LOCAL_BASE + below(random, 64) - 32;
    case 1:
        return RV32_LOCAL_BASE + HARNESS_LOCAL_BYTES - 4 * below(random, 64);
    case 2:
        return 0x2000 + 4 * below(random, 300);
    default:
        return RV32_LOCAL_BASE + 4 * below(random, HARNESS_LOCAL_BYTES / 4);
    }
}

static void prepare(struct harness *h, uint32_t code, const struct text *text,
                    const uint32_t registers[5])
{
    uint64_t random = registers[4];
    harness_program(h, code, text->lines);
    for (uint32_t at = 0x1c00; at < HARNESS_L1_BYTES; at += 4) {
        uint32_t word = harness_random_word(&random);
        memcpy(h->l1 + at, &word, sizeof word);
    }
    h->hart.pc = code;
    h->hart.x[A0] = registers[0];
    h->hart.x[A1] = registers[1];
    h->hart.x[A2] = registers[2];
    h->hart.x[A3] = registers[1] + 4 * registers[2];
    h->hart.x[A4] = registers[3];
}

START_TEST(bursts_of_any_length_do_the_same_as_steps)
{
    uint64_t random = 99;
    unsigned found = 0;
    for (unsigned i = 0; i < LOOPS; i++) {
        struct text text;
        struct harness *a = harness_create(RV32_B), *b = harness_create(RV32_B);
        uint32_t code = below(&random, 2) ? CODE : CODE + 0x100 - 4 * below(&random, 24);
        random_loop(a, b, &random, code, &text);
        uint32_t registers[5] = {random_target(&random), random_source(&random), below(&random, 90),
                                 below(&random, 4), 1 + harness_random_word(&random) / 2};
        prepare(a, code, &text, registers);
        prepare(b, code, &text, registers);
        found += runs_by(a, code, rv32_exec_copy);
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
        "lui a1, 2",      "lui a0, 3",     "lui a2, 3",         "lw t0, 0(a1)",    "addi a0, a0, 4",
        "addi a1, a1, 4", "sw t0, -4(a0)", "bne a1, a2, 0x40c", "jal zero, 0x400", NULL};
    static const char *const beyond[] = {"lui a1, 2",
                                         "addi a2, a1, 1600",
                                         "lui a0, 0xffb01",
                                         "addi a0, a0, 0",
                                         "lw t0, 0(a1)",
                                         "addi a0, a0, 4",
                                         "addi a1, a1, 4",
                                         "sw t0, -4(a0)",
                                         "bne a1, a2, 0x410",
                                         "jal zero, 0x400",
                                         NULL};
    needs_no_stack(to_l1);
    needs_no_stack(beyond); /* where the board has no room */
}
END_TEST

static void copy(Suite *suite)
{
    const TTest *const finds[] = {loops_of_start_up_code_are_found, others_are_not, NULL};
    const TTest *const runs[] = {bursts_of_any_length_do_the_same_as_steps,
                                 long_bursts_need_no_stack, NULL};
    add_tests(suite, finds, runs);
}

int main(void)
{
    return harness_main("copy", copy);
}
