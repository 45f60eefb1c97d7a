/*
 * Lane predication: SFPENCC, SFPSETCC, SFPPUSHC, SFPPOPC, SFPCOMPC, SFPLE and SFPGT in every mode
 * on random flags, stacks of all depths and configurations, against a model written lane by lane
 * from the ISA's pages; nested conditions as compilers write them.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "unit/run_suite.h"
#include "unit/tensix/vector_harness.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { ROUNDS = 200 };

/* --- The model --- */

static bool model_encc(struct vector_model *model, const struct vector_call *call)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        if (!vector_takes(model, call, i)) {
            continue;
        }
        if (call->mod & 2) {
            lane->uses_flags = call->imm12 & 1;
        } else if (call->mod & 1) {
            lane->uses_flags = !lane->uses_flags;
        }
        lane->flags = call->mod & 8 ? call->imm12 >> 1 & 1 : true;
    }
    return true;
}

static bool setcc(const struct vector_call *call, uint32_t c)
{
    if (call->mod & 8) {
        return false;
    }
    if (call->mod & 1) {
        return call->imm12 & 1;
    }
    switch (call->mod) {
    case 0:
        return (int32_t)c < 0;
    case 2:
        return c != 0;
    case 4:
        return (int32_t)c >= 0;
    default:
        return c == 0;
    }
}

static bool model_setcc(struct vector_model *model, const struct vector_call *call)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        if (vector_takes(model, call, i) && vector_is_enabled(model, i)) {
            lane->flags = lane->uses_flags && setcc(call, lane->lreg[call->vc]);
        }
    }
    return true;
}

/* SPEC: BooleanOp as a table: the results of a and b that are 00, 01, 10 and 11. */
static bool boolean_op(unsigned mod, bool a, bool b)
{
    static const char table[13][5] = {"",     "0101", "1010", "0001", "0111", "0010", "1011",
                                      "0100", "1101", "1000", "1110", "0110", "1001"};
    return table[mod][2 * a + b] == '1';
}

static bool model_pushc(struct vector_model *model, const struct vector_call *call)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        unsigned wrong = call->mod == 0 ? TENSIX_FLAG_STACK : 0;
        if (vector_takes(model, call, i) && model->lane[i].depth == wrong) {
            return false;
        }
    }
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        if (!vector_takes(model, call, i)) {
            continue;
        }
        if (call->mod == 0) {
            lane->stack[lane->depth].flags = lane->flags;
            lane->stack[lane->depth++].uses_flags = lane->uses_flags;
            continue;
        }
        bool old = lane->stack[lane->depth - 1].flags;
        bool uses = call->mod >= 14 ? true : lane->uses_flags;
        lane->flags = call->mod == 13 ? !lane->flags : lane->flags;
        lane->stack[lane->depth - 1].uses_flags = uses;
        lane->stack[lane->depth - 1].flags = call->mod <= 12
                                                 ? boolean_op(call->mod, old, lane->flags)
                                             : call->mod == 13 ? lane->flags
                                                               : call->mod == 14;
    }
    return true;
}

static bool model_popc(struct vector_model *model, const struct vector_call *call)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        if (vector_takes(model, call, i) && model->lane[i].depth == 0 && call->mod == 0) {
            return false;
        }
    }
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        if (!vector_takes(model, call, i)) {
            continue;
        }
        bool flags = lane->depth && lane->stack[lane->depth - 1].flags;
        bool uses = lane->depth && lane->stack[lane->depth - 1].uses_flags;
        if (call->mod == 0) {
            lane->depth--;
            memset(&lane->stack[lane->depth], 0, sizeof lane->stack[0]);
            lane->flags = flags;
            lane->uses_flags = uses;
        } else if (call->mod <= 12) {
            lane->flags = boolean_op(call->mod, lane->flags, flags);
            lane->uses_flags = uses;
        } else if (call->mod == 13) {
            lane->flags = !lane->flags;
        } else {
            lane->flags = call->mod == 14;
            lane->uses_flags = true;
        }
    }
    return true;
}

static bool model_compc(struct vector_model *model, const struct vector_call *call)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        bool flags = !lane->depth || lane->stack[lane->depth - 1].flags;
        bool uses = !lane->depth || lane->stack[lane->depth - 1].uses_flags;
        if (vector_takes(model, call, i)) {
            lane->flags = uses && lane->uses_flags ? flags && !lane->flags : false;
        }
    }
    return true;
}

static void compare(struct vector_model *model, const struct vector_call *call, bool inverts)
{
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        if (!vector_takes(model, call, i)) {
            continue;
        }
        bool result = vector_is_smaller(lane->lreg[call->vc], lane->lreg[vector_vb(call)]);
        result ^= inverts;
        bool *top = lane->depth ? &lane->stack[lane->depth - 1].flags : NULL;
        if (vector_is_enabled(model, i)) {
            if (call->mod & 8 && (call->vd < 8 || call->vd == 16)) {
                lane->lreg[call->vd] = result ? UINT32_MAX : 0;
            }
            lane->flags = call->mod & 1 ? result : lane->flags;
        }
        if (call->mod & 2 && top) {
            *top = call->mod & 4 ? *top || result : *top && result;
        }
    }
}

static bool model_le(struct vector_model *model, const struct vector_call *call)
{
    compare(model, call, true);
    return true;
}

static bool model_gt(struct vector_model *model, const struct vector_call *call)
{
    compare(model, call, false);
    return true;
}

/* --- Rows --- */

static const struct vector_row rows[] = {
    {"SFPSETCC", 0x7b, 0x1fff, model_setcc, 0}, {"SFPPUSHC", 0x87, 0xff, model_pushc, 0},
    {"SFPPOPC", 0x88, 0xff, model_popc, 0},     {"SFPENCC", 0x8a, 0x30ff, model_encc, 0},
    {"SFPCOMPC", 0x8b, 0xf0, model_compc, 0},   {"SFPLE", 0x96, 0xfff, model_le, 0},
    {"SFPGT", 0x97, 0xfff, model_gt, 0},
};

static struct vector_harness harness;
static struct vector_model model;

/* Each row with each set. */
static bool open_for(int i)
{
    vector_seed((uint64_t)i + 100);
    return vector_open(&harness, vector_kernel_sets[i % VECTOR_KERNEL_SETS]);
}

START_TEST(rows_do_what_pages_say)
{
    const struct vector_row *row = &rows[_i / VECTOR_KERNEL_SETS];
    if (open_for(_i)) {
        vector_check_row(&harness, row, ROUNDS, VECTOR_ALL, false);
        vector_check_row(&harness, row, ROUNDS, VECTOR_LREGS | VECTOR_FLAGS | VECTOR_STACK, false);
        vector_close(&harness);
    }
}
END_TEST

START_TEST(macros_schedule_rows)
{
    if (open_for(_i)) {
        vector_check_row(&harness, &rows[_i / VECTOR_KERNEL_SETS], ROUNDS, VECTOR_ALL, true);
        vector_close(&harness);
    }
}
END_TEST

/* --- Truth tables: every mode on every state of a lane, one state a lane --- */

/* State `i` of 64: flags, uses_flags, depth 0 to 3 or 8, flags and uses_flags of the top. */
static void set_state(struct vector_lane *lane, unsigned i)
{
    static const unsigned depths[4] = {0, 1, 3, 8};
    lane->flags = i & 1;
    lane->uses_flags = i >> 1 & 1;
    lane->depth = depths[i >> 4 & 3];
    memset(lane->stack, 0, sizeof lane->stack);
    if (lane->depth) {
        lane->stack[lane->depth - 1].flags = i >> 2 & 1;
        lane->stack[lane->depth - 1].uses_flags = i >> 3 & 1;
    }
}

/* The word that opcode, Mod1 and a bit of imm2 give; all rows of the table, all modes. */
START_TEST(modes_have_truth_tables)
{
    const struct vector_row *row = &rows[_i];
    unsigned legal = 0;
    ck_assert(vector_open(&harness, NULL));
    for (unsigned k = 0; k < 64 * 4 * 2; k++) {
        uint32_t word = (uint32_t)row->opcode << 24 | k % 16 | (k / 16 % 4) << 12;
        const struct vector_call call = {.word = word & ~(0xf000 & ~row->operands),
                                         .imm12 = (word & row->operands) >> 12,
                                         .mod = word & row->operands & 15};
        if ((word & 0xffffff) & ~row->operands) {
            continue;
        }
        vector_randomise(&model, VECTOR_LREGS);
        for (unsigned i = 0; i < NUM_LANES; i++) {
            set_state(&model.lane[i],
                      (k / 64 % 2 ? i : i % 16 + 16 * (k / 128 % 4)) + k / 256 * 32);
        }
        vector_store(&model, &harness.base.tensix);
        bool is_defined = row->model(&model, &call);
        ck_assert_int_eq(is_defined, vector_execute(&harness, call.word) == NULL);
        vector_compare(&model, &harness.base.tensix, call.word, "truth table");
        legal += is_defined;
    }
    ck_assert_uint_gt(legal, 0);
    vector_close(&harness);
}
END_TEST

/* --- Programs --- */

static const struct fault_row {
    const char *program, *fault;
} fault_rows[] = {
    {"SFPPOPC 0, 0, 0, 0", "SFPPOPC: the flag stack is empty"},
    {"SFPPUSHC 0, 0, 0, 0; SFPPOPC 0, 0, 0, 0; SFPPOPC 0, 0, 0, 0",
     "SFPPOPC: the flag stack is empty"},
    {"SFPPUSHC 0, 0, 0, 1",
     "SFPPUSHC: this Mod1 changes the top of the flag stack, which is empty"},
    {"SFPPUSHC 0, 0, 0, 15",
     "SFPPUSHC: this Mod1 changes the top of the flag stack, which is empty"},
    {"SFPPUSHC 0, 0, 0, 0; SFPPUSHC 0, 0, 0, 0; SFPPUSHC 0, 0, 0, 0; SFPPUSHC 0, 0, 0, 0;"
     "SFPPUSHC 0, 0, 0, 0; SFPPUSHC 0, 0, 0, 0; SFPPUSHC 0, 0, 0, 0; SFPPUSHC 0, 0, 0, 0;"
     "SFPPUSHC 0, 0, 0, 0",
     "SFPPUSHC: the flag stack is full, it has eight entries"},
};

START_TEST(stack_has_limits)
{
    const struct fault_row *row = &fault_rows[_i];
    ck_assert(vector_open(&harness, NULL));
    tensix_harness_run(&harness.base, 1, row->program);
    ck_assert_uint_eq(harness.base.faults, 1);
    ck_assert_int_eq(harness.base.fault.kind, TENSIX_FAULT_UNDEFINED);
    ck_assert_msg(strncmp(harness.base.fault.text, row->fault, strlen(row->fault)) == 0, "%s",
                  harness.base.fault.text);
    vector_close(&harness);
}
END_TEST

/* Full stacks still take the other modes (Blackhole has no bug there), empty ones can be looked at.
 */
START_TEST(edges_of_the_stack_are_legal)
{
    ck_assert(vector_open(&harness, NULL));
    for (unsigned i = 0; i < TENSIX_FLAG_STACK; i++) {
        tensix_harness_run(&harness.base, 0, "SFPENCC 3, 0, 0, 10; SFPPUSHC 0, 0, 0, 0");
    }
    for (unsigned mod = 1; mod < 16; mod++) {
        ck_assert_ptr_null(vector_execute(&harness, UINT32_C(0x88000000) | mod));
        ck_assert_ptr_null(vector_execute(&harness, UINT32_C(0x87000000) | mod));
    }
    for (unsigned i = 0; i < TENSIX_FLAG_STACK; i++) {
        tensix_harness_run(&harness.base, 0, "SFPPOPC 0, 0, 0, 0");
    }
    for (unsigned mod = 1; mod < 16; mod++) {
        ck_assert_ptr_null(vector_execute(&harness, UINT32_C(0x88000000) | mod));
    }
    ck_assert_uint_eq(harness.base.faults, 0);
    vector_close(&harness);
}
END_TEST

/*
 * Nested conditions as sfpi writes them: v_if pushes and sets, v_else complements, v_endif pops. At
 * each of five levels lanes go by a bit of their number; each leaf writes its path to LReg[1].
 */
static void nest(unsigned level, unsigned path)
{
    char text[160];
    if (level == 5) {
        (void)snprintf(text, sizeof text, "SFPLOADI 1, 2, %u", path);
        tensix_harness_run(&harness.base, 0, text);
        return;
    }
    (void)snprintf(
        text, sizeof text,
        "SFPPUSHC 0, 0, 0, 0; SFPMOV 0, 15, 0, 0; SFPSHFT %u, 0, 0, 1; SFPSETCC 0, 0, 0, 0",
        30 - level);
    tensix_harness_run(&harness.base, 0, text);
    nest(level + 1, path | 1u << level);
    tensix_harness_run(&harness.base, 0, "SFPCOMPC 0, 0, 0, 0");
    nest(level + 1, path);
    tensix_harness_run(&harness.base, 0, "SFPPOPC 0, 0, 0, 0");
}

START_TEST(conditions_nest)
{
    ck_assert(vector_open(&harness, NULL));
    const struct tensix_vector *vector = &harness.base.tensix.vector;
    tensix_harness_run(&harness.base, 0, "SFPENCC 3, 0, 0, 10");
    nest(0, 0);
    ck_assert_uint_eq(harness.base.faults, 0);
    ck_assert_uint_eq(vector->flags, UINT32_MAX);
    ck_assert_uint_eq(vector->stack[0].used, 0);
    for (unsigned i = 0; i < NUM_LANES; i++) { /* LReg[15] is twice the lane */
        ck_assert_uint_eq(vector->lreg[1][i], i);
    }
    vector_close(&harness);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tensix_vector_flags");
    TCase *tcase = tcase_create("tensix_vector_flags");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, rows_do_what_pages_say, 0, COUNT(rows) * VECTOR_KERNEL_SETS);
    tcase_add_loop_test(tcase, macros_schedule_rows, 0, COUNT(rows) * VECTOR_KERNEL_SETS);
    tcase_add_loop_test(tcase, modes_have_truth_tables, 0, COUNT(rows));
    tcase_add_loop_test(tcase, stack_has_limits, 0, COUNT(fault_rows));
    tcase_add_test(tcase, edges_of_the_stack_are_legal);
    tcase_add_test(tcase, conditions_nest);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
