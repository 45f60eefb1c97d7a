/* observe/explain/writers.h: who has written a datum last, from what, and what has become of that. */
#include <string.h>

#include "observe/explain/writers.h"
#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/test.h"

enum { X = 1, Y = 2, OTHER_X = 3, CODE = 0x1000, A = 0x4000, B = 0x4004, SUM = 0x4100 };

static const struct writers_limit no_limit = {UINT64_MAX, UINT64_MAX};
static struct penrose_error error;
static struct penrose_chip *chip;
static struct writers *writers;

static void setup(void)
{
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK);
    writers = NULL;
}

static void teardown(void)
{
    writers_end(writers);
    penrose_chip_destroy(chip);
}

FIXTURE(setup, teardown);

static void watch(const struct writers_datum *data, size_t count, struct writers_limit until)
{
    ck_assert_msg(writers_start(chip, X, Y, data, count, until, &writers, &error) == PENROSE_OK,
                  "%s", error.text);
}

static void run_writers(void)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 20000, .pass_quiet_time = true};
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
}

static void put_word(unsigned x, uint32_t address, uint32_t value)
{
    ck_assert_int_eq(penrose_write(chip, x, Y, address, &value, sizeof value, &error), PENROSE_OK);
}

static const struct writers_datum sum = {.kind = WRITERS_L1, .index = SUM};

/* Adds A and B by way of the local RAM, and clears B. */
static const char adding[] = "lui t0, 4; lui t1, 0xffb00; lw a0, 0(t0); sw a0, 16(t1);"
                             "lw a1, 4(t0); lw a2, 16(t1); add a3, a1, a2; sw zero, 0x100(t0);"
                             "sw a3, 0x100(t0); sw zero, 4(t0); ebreak";
enum { ADDED = CODE + 32 };

TEST(a_store_is_traced_to_the_words_that_were_loaded)
{
    put_word(X, A, 5);
    put_word(X, B, 7);
    start_program(chip, X, Y, PENROSE_BRISC, CODE, adding);
    watch(&sum, 1, no_limit);
    run_writers();
    const struct writers_record *record = writers_record(writers, 0);
    ck_assert(record->is_written && !record->is_range);
    ck_assert_int_eq(record->event.agent, OBSERVED_BRISC);
    ck_assert_uint_eq(record->event.pc, ADDED);
    ck_assert_uint_eq(record->x, X);
    ck_assert_str_eq(record->instruction, "sw a3, 256(t0)");
    ck_assert_uint_eq(record->sources, 2);
    ck_assert_uint_eq(record->source[0].address, B);
    ck_assert_uint_eq(record->source[0].value, 7);
    ck_assert(record->source[0].was_overwritten && record->source[0].is_l1);
    ck_assert_uint_eq(record->source[1].address, A);
    ck_assert_uint_eq(record->source[1].value, 5);
    ck_assert(!record->source[1].was_overwritten);
    ck_assert_ptr_null(writers_record(writers, 1));
}

/* Stores to SUM by all kinds of instructions, and the words that they were made from. t0 is A, t1 is
 * in the local RAM; A and the words behind it are 5, 7, 9, 11, SUM is 3 before. */
static const struct {
    const char *program;
    unsigned sources;
    uint32_t address[8];
} stores[] = {
    {"lw a0, 4(t0); sb a0, 0x100(t0)", 1, {B}},
    {"lw a0, 4(t0); addi a0, zero, 1; sw a0, 0x100(t0)", 0, {0}},
    {"lw a0, 4(t0); lui a0, 1; sw a0, 0x100(t0)", 0, {0}},
    {"lw a0, 4(t0); auipc a0, 1; sw a0, 0x100(t0)", 0, {0}},
    {"lw a0, 4(t0); jal a0, 0x1010; sw a0, 0x100(t0)", 0, {0}},
    {"lw a0, 4(t0); csrrs a0, mcycle, zero; sw a0, 0x100(t0)", 0, {0}},
    {"lw a0, 4(t0); sh1add a0, a0, t0; cpop a0, a0; sw a0, 0x100(t0)", 1, {B}},
    {"lw a0, 4(t0); addi a1, t0, 0x100; amoswap.w zero, a0, (a1)", 1, {B}},
    {"lw a0, 4(t0); addi a1, t0, 0x100; amoadd.w zero, a0, (a1)", 2, {B, SUM}},
    {"addi a1, t0, 4; amoor.w a0, zero, (a1); sw a0, 0x100(t0)", 1, {B}},
    {"flw fa0, 4(t0); fsw fa0, 0x100(t0)", 1, {B}},
    {"flw fa0, 4(t0); fsw fa0, 16(t1); flw fa1, 16(t1); fsw fa1, 0x100(t0)", 1, {B}},
    {"flw fa0, 0(t0); flw fa1, 4(t0); fadd.s fa2, fa0, fa1; fsw fa2, 0x100(t0)", 2, {A, B}},
    {"flw fa0, 0(t0); flw fa1, 4(t0); flw fa2, 8(t0); fmadd.s fa3, fa0, fa1, fa2;"
     "fsw fa3, 0x100(t0)",
     3,
     {A, B, A + 8}},
    {"flw fa0, 4(t0); fmv.x.w a0, fa0; sw a0, 0x100(t0)", 1, {B}},
    {"lw a0, 4(t0); fcvt.s.w fa0, a0; fsh fa0, 0x100(t0)", 1, {B}},
    {"flw fa0, 0(t0); flw fa1, 4(t0); flt.s a0, fa0, fa1; sw a0, 0x100(t0)", 2, {A, B}},
    {"vsetivli zero, 2, e32, m1, tu, mu; vle32.v v4, (t0); addi a1, t0, 0x100;"
     "vse32.v v4, (a1)",
     2,
     {A, B}},
    {"vsetivli zero, 2, e32, m1, tu, mu; vle32.v v4, (t0); addi a2, t0, 8; vle32.v v5, (a2);"
     "vadd.vv v6, v4, v5; addi a1, t0, 0x100; vse32.v v6, (a1)",
     4,
     {A, B, A + 8, A + 12}},
    {"vsetivli zero, 1, e32, m1, tu, mu; lw a0, 4(t0); vmv.v.x v4, a0; addi a1, t0, 0x100;"
     "vse32.v v4, (a1)",
     1,
     {B}},
};

TEST_EACH(every_kind_of_store_is_traced, COUNT(stores))
{
    char program[600];
    const uint32_t words[] = {5, 7, 9, 11};
    for (unsigned i = 0; i < COUNT(words); i++) {
        put_word(X, A + 4 * i, words[i]);
    }
    put_word(X, SUM, 3);
    snprintf(program, sizeof program, "lui t0, 4; lui t1, 0xffb00; %s; ebreak", stores[_i].program);
    start_program(chip, X, Y, PENROSE_TRISC2, CODE, program);
    watch(&sum, 1, no_limit);
    run_writers();
    const struct writers_record *record = writers_record(writers, 0);
    ck_assert_int_eq(record->event.agent, OBSERVED_TRISC2);
    ck_assert_uint_eq(record->sources, stores[_i].sources);
    for (unsigned k = 0; k < stores[_i].sources; k++) {
        bool is_found = false;
        for (unsigned i = 0; i < record->sources; i++) {
            is_found |= record->source[i].address == stores[_i].address[k];
        }
        ck_assert_msg(is_found, "0x%x", stores[_i].address[k]);
    }
}

TEST(events_behind_the_limit_do_not_count)
{
    put_word(X, A, 5);
    start_program(chip, X, Y, PENROSE_BRISC, CODE, adding);
    watch(&sum, 1, no_limit);
    run_writers();
    const struct writers_record whole = *writers_record(writers, 0);
    const struct writers_limit limits[] = {{UINT64_MAX, whole.sequence - 1},
                                           {whole.event.cycle - 1, UINT64_MAX}};
    for (unsigned i = 0; i < COUNT(limits); i++) {
        teardown();
        setup();
        put_word(X, A, 5);
        start_program(chip, X, Y, PENROSE_BRISC, CODE, adding);
        watch(&sum, 1, limits[i]);
        run_writers();
        ck_assert_uint_eq(writers_record(writers, 0)->event.pc, ADDED - 4);
        ck_assert_uint_eq(writers_record(writers, 0)->sources, 0);
    }
}

TEST(the_host_writes_and_what_came_before_is_nobodys)
{
    const struct writers_datum data[] = {sum, {.kind = WRITERS_L1, .index = A}};
    put_word(X, A, 5);
    watch(data, 2, no_limit);
    put_word(X, SUM, 5);
    ck_assert_int_eq(writers_record(writers, 0)->event.agent, OBSERVED_HOST);
    ck_assert(!writers_record(writers, 1)->is_written);
}

TEST(a_packet_is_of_the_tile_that_sent_it)
{
    put_word(OTHER_X, A, 5);
    command_fill(chip, OTHER_X, Y, 0, COMMAND_WRITE, (struct command_end){OTHER_X, Y, A},
                 (struct command_end){X, Y, SUM}, 4);
    start_program(chip, OTHER_X, Y, PENROSE_NCRISC, CODE,
                  "lui t0, 0xffb20; addi t1, zero, 1; sw t1, 0x40(t0); ebreak");
    watch(&sum, 1, no_limit);
    run_writers();
    const struct writers_record *record = writers_record(writers, 0);
    ck_assert_int_eq(record->event.agent, OBSERVED_NOC);
    ck_assert_int_eq(record->event.asker, OBSERVED_NCRISC);
    ck_assert_uint_eq(record->event.pc, CODE + 8);
    ck_assert_uint_eq(record->x, OTHER_X);
    ck_assert_str_eq(record->instruction, "");
}

TEST(words_of_the_local_ram_are_a_harts_own)
{
    const struct writers_datum data[] = {
        {.kind = WRITERS_LOCAL, .part = PENROSE_BRISC, .index = 16},
        {.kind = WRITERS_LOCAL, .part = PENROSE_NCRISC, .index = 16}};
    start_program(chip, X, Y, PENROSE_BRISC, CODE, adding);
    watch(data, 2, no_limit);
    run_writers();
    ck_assert_uint_eq(writers_record(writers, 0)->event.pc, CODE + 12);
    ck_assert_uint_eq(writers_record(writers, 0)->source[0].address, A);
    ck_assert(!writers_record(writers, 1)->is_written);
}

/* Two instructions that change a GPR; what the coprocessor held is told before the second one. */
TEST(the_coprocessor_changes_a_gpr)
{
    const struct writers_datum gpr = {.kind = WRITERS_FIELD, .name = "1.gpr.5"};
    uint64_t held[2][WRITERS_PARTS];
    for (unsigned i = 0; i < 2; i++) {
        teardown();
        setup();
        start_program(chip, X, Y, PENROSE_TRISC1, CODE,
                      i ? ".ttinsn SETC16 12, 7; .ttinsn SETDMAREG 0, 3, 0, 10;"
                          ".ttinsn SETDMAREG 0, 4, 0, 10; .ttinsn SETDMAREG 0, 4, 0, 10; ebreak"
                        : ".ttinsn SETC16 12, 6; .ttinsn SETDMAREG 0, 3, 0, 10;"
                          ".ttinsn SETDMAREG 0, 4, 0, 10; .ttinsn SETDMAREG 0, 4, 0, 10; ebreak");
        watch(&gpr, 1, no_limit);
        run_writers();
        const struct writers_record *record = writers_record(writers, 0);
        ck_assert_int_eq(record->event.kind, OBSERVED_TENSIX);
        ck_assert_uint_eq(record->event.thread, 1);
        ck_assert_uint_eq(record->event.pc, CODE + 8); /* the third one changes nothing */
        ck_assert_ptr_nonnull(strstr(record->instruction, "SETDMAREG"));
        memcpy(held[i], record->held, sizeof held[i]);
    }
    ck_assert_uint_ne(held[0][WRITERS_PART_CONFIG], held[1][WRITERS_PART_CONFIG]);
    ck_assert_uint_eq(held[0][WRITERS_PART_DST], held[1][WRITERS_PART_DST]);
    ck_assert_uint_eq(held[0][WRITERS_PART_LREGS], held[1][WRITERS_PART_LREGS]);
    ck_assert_uint_eq(held[0][WRITERS_PART_SRC], held[1][WRITERS_PART_SRC]);
}
