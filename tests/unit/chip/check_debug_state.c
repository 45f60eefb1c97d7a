/* penrose/debug.h: registers and memory of harts, state of the coprocessor by name. */
#include <string.h>

#include <penrose/debug.h>

#include "observe/tensix_items.h"
#include "unit/chip/chip_program.h"
#include "unit/test.h"

enum { X = 1, Y = 2, CODE = 0x1000 };

static const struct penrose_run a_while = {.size = sizeof a_while, .cycles = 20000};
static struct penrose_error error;
static struct penrose_chip *chip;

static void setup(void)
{
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK);
}

static void teardown(void)
{
    penrose_chip_destroy(chip);
}

FIXTURE(setup, teardown);

static enum penrose_status get_register(enum penrose_hart hart, const char *name, uint32_t value[4])
{
    struct penrose_register number;
    ck_assert_msg(penrose_register_find(NULL, name, &number), "%s", name);
    return penrose_register_read(chip, X, Y, hart, number, value, &error);
}

static enum penrose_status put_register(enum penrose_hart hart, const char *name,
                                        const uint32_t value[4])
{
    struct penrose_register number;
    ck_assert_msg(penrose_register_find(NULL, name, &number), "%s", name);
    return penrose_register_write(chip, X, Y, hart, number, value, &error);
}

TEST(registers_have_names)
{
    static const struct {
        const char *name;
        enum penrose_register_file file;
        unsigned number;
    } names[] = {{"x31", PENROSE_X, 31},           {"a0", PENROSE_X, 10},
                 {"zero", PENROSE_X, 0},           {"f3", PENROSE_F, 3},
                 {"v12", PENROSE_V, 12},           {"mcycle", PENROSE_CSR, 0xb00},
                 {"csr0x7c0", PENROSE_CSR, 0x7c0}, {"pc", PENROSE_PC, 0}};
    static const char *const wrong[] = {"", "x32", "x", "x1a", "q0", "csr4096", "x-1"};
    struct penrose_register number;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        ck_assert_msg(penrose_register_find(NULL, names[i].name, &number), "%s", names[i].name);
        ck_assert_int_eq(number.file, names[i].file);
        ck_assert_uint_eq(number.number, names[i].number);
    }
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert_msg(!penrose_register_find(NULL, wrong[i], &number), "%s", wrong[i]);
    }
}

TEST(registers_are_written_and_read)
{
    static const char *const names[] = {"x1", "a7", "f0", "f31", "v0", "v31", "pc", "fcsr", "vl"};
    for (unsigned i = 0; i < 9; i++) {
        const uint32_t wanted[4] = {i + 1, 2, 3, 4};
        uint32_t found[4];
        ck_assert_msg(put_register(PENROSE_TRISC2, names[i], wanted) == PENROSE_OK, "%s",
                      error.text);
        ck_assert_int_eq(get_register(PENROSE_TRISC2, names[i], found), PENROSE_OK);
        ck_assert_uint_eq(found[0], wanted[0]);
        ck_assert_uint_eq(found[3], *names[i] == 'v' && names[i][1] != 'l' ? 4 : 0);
    }
    uint32_t value[4] = {7};
    ck_assert_int_eq(put_register(PENROSE_TRISC2, "zero", value), PENROSE_OK);
    ck_assert_int_eq(get_register(PENROSE_TRISC2, "x0", value), PENROSE_OK);
    ck_assert_uint_eq(value[0], 0);
    ck_assert_int_eq(get_register(PENROSE_BRISC, "v0", value), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(get_register(PENROSE_BRISC, "csr0x123", value), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "0x123"));
    const struct penrose_register none = {.file = PENROSE_X, .number = 32};
    ck_assert_int_eq(penrose_register_read(chip, X, Y, PENROSE_BRISC, none, value, &error),
                     PENROSE_E_ARGUMENT);
}

TEST(harts_have_views_of_memory)
{
    uint8_t bytes[7] = {1, 2, 3, 4, 5, 6, 7}, found[7];
    uint32_t word;
    ck_assert_int_eq(
        penrose_hart_poke(chip, X, Y, PENROSE_BRISC, 0xffb00001, bytes, sizeof bytes, &error),
        PENROSE_OK);
    ck_assert_int_eq(
        penrose_hart_peek(chip, X, Y, PENROSE_BRISC, 0xffb00001, found, sizeof found, &error),
        PENROSE_OK);
    ck_assert_mem_eq(found, bytes, sizeof bytes);
    ck_assert_int_eq(
        penrose_hart_peek(chip, X, Y, PENROSE_TRISC0, 0xffb00004, &word, sizeof word, &error),
        PENROSE_OK);
    ck_assert_uint_eq(word, 0); /* it has its own */
    ck_assert_int_eq(
        penrose_hart_poke(chip, X, Y, PENROSE_TRISC0, CODE, bytes, sizeof bytes, &error),
        PENROSE_OK);
    ck_assert_int_eq(penrose_peek(chip, X, Y, CODE, found, sizeof found, &error), PENROSE_OK);
    ck_assert_mem_eq(found, bytes, sizeof bytes);
    ck_assert_int_eq(
        penrose_hart_peek(chip, X, Y, PENROSE_TRISC0, 0xffb01000, &word, sizeof word, &error),
        PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "0xffb01000"));
}

TEST(instructions_have_texts)
{
    char text[80];
    uint32_t word;
    start_program(chip, X, Y, PENROSE_BRISC, CODE, "ebreak");
    ck_assert_int_gt(penrose_hart_disassemble(chip, X, Y, CODE, &word, text, sizeof text), 0);
    ck_assert_str_eq(text, "ebreak");
    ck_assert_uint_eq(word, 0x00100073);
    ck_assert_int_eq(penrose_hart_disassemble(chip, X, Y, CODE + 1, NULL, text, sizeof text), -1);
}

static uint32_t value_of(const char *name)
{
    uint32_t value;
    ck_assert_msg(penrose_tensix_read(chip, X, Y, name, &value, &error) == PENROSE_OK, "%s",
                  error.text);
    return value;
}

/* Pushes Tensix instructions from trisc0. */
static void push_all(const char *const *texts, unsigned count)
{
    char program[1000] = "", line[200];
    for (unsigned i = 0; i < count; i++) {
        snprintf(line, sizeof line, ".ttinsn %s;", texts[i]);
        strcat(program, line);
    }
    strcat(program, "ebreak");
    start_program(chip, X, Y, PENROSE_TRISC0, CODE, program);
    penrose_run(chip, &a_while);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
}

TEST(the_coprocessor_is_read_by_name)
{
    static const char *const program[] = {
        "SETC16 1, 0x123",          /* DEST_TARGET_REG_CFG_MATH_Offset */
        "SEMINIT 7, 3, 4",          /* of semaphore 2 */
        "SETDMAREG 0, 0x55, 0, 10", /* the low half of GPR 5 */
        "INCRWC 0, 3, 2, 1",        "ATGETM 2",
    };
    push_all(program, sizeof program / sizeof program[0]);
    ck_assert_uint_eq(value_of("0.DEST_TARGET_REG_CFG_MATH_Offset"), 0x123);
    ck_assert_uint_eq(value_of("1.DEST_TARGET_REG_CFG_MATH_Offset"), 0);
    ck_assert_uint_eq(value_of("semaphore.2.max"), 7);
    ck_assert_uint_eq(value_of("semaphore.2.value"), 3);
    ck_assert_uint_eq(value_of("0.gpr.5"), 0x55);
    ck_assert_uint_eq(value_of("0.rwc.dst"), 3);
    ck_assert_uint_eq(value_of("0.rwc.srcb") + 16 * value_of("0.rwc.srca"), 2 + 16);
    ck_assert_uint_eq(value_of("mutex.2"), 0);
    ck_assert_uint_eq(value_of("mutex.3"), 3);
    ck_assert_uint_eq(value_of("srca.0.valid"), 0);
    ck_assert_uint_eq(value_of("0.adc.packer.1.w_cr"), 0);
    ck_assert_uint_eq(value_of("config.1.ALU_FORMAT_SPEC_REG0_SrcA"), 0);
    static const char *const wrong[] = {
        "", "3.gpr.1", "0.gpr.64", "0.rwc", "semaphore.8.max", "0.gpr.1.x", "config.0.x", "srcc"};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint32_t value;
        ck_assert_msg(penrose_tensix_read(chip, X, Y, wrong[i], &value, &error) ==
                          PENROSE_E_ARGUMENT,
                      "%s", wrong[i]);
    }
    ck_assert_int_eq(penrose_tensix_read(chip, 20, 25, "mutex.2", &(uint32_t){0}, &error),
                     PENROSE_E_ARGUMENT);
}

TEST(every_item_is_read_by_its_name)
{
    struct tensix_item_at at, found;
    bool has_begun = false;
    unsigned count = 0, expected = 0;
    while (tensix_item_next(&at, &has_begun)) {
        char name[TENSIX_ITEM_NAME];
        const char *rest;
        value_of(tensix_item_name(at, name));
        ck_assert(tensix_item_find(name, &found, &rest));
        ck_assert_msg(found.item == at.item && found.thread == at.thread && found.index == at.index,
                      "%s", name);
        count++;
    }
    for (unsigned item = 0; item < TENSIX_ITEMS; item++) {
        bool is_of_thread = tensix_item_group((enum tensix_item)item) <= ITEMS_THREAD_GPR;
        expected +=
            tensix_item_count((enum tensix_item)item) * (is_of_thread ? PENROSE_TENSIX_THREADS : 1);
    }
    ck_assert_uint_eq(count, expected);
}

TEST(an_unknown_name_is_told_from_where_it_is_unknown)
{
    static const struct {
        const char *name, *unknown;
    } wrong[] = {{"3.gpr.1", "'3.gpr.1' is unknown"}, {"0.gpr.64", "'64' is unknown"},
                 {"0.rwc.dstx", "'dstx' is unknown"}, {"semaphore.2.maximum", "'maximum' is"},
                 {"0.gpr.1.x", "'x' is unknown"},     {"config.0.x", "'x' is unknown"},
                 {"1.nothing", "'nothing' is"},       {"config.2.x", "'2.x' is unknown"}};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint32_t value;
        penrose_tensix_read(chip, X, Y, wrong[i].name, &value, &error);
        ck_assert_msg(strstr(error.text, wrong[i].unknown), "%s", error.text);
    }
}

TEST(rows_of_register_files_are_read)
{
    static const char *const program[] = {"SFPLOADI 0, 2, 0x1234"};
    uint32_t lane[PENROSE_LANES], datum[PENROSE_SRC_COLUMNS];
    push_all(program, 1);
    ck_assert_int_eq(penrose_lreg_read(chip, X, Y, 0, lane, &error), PENROSE_OK);
    ck_assert_uint_eq(lane[0], 0x1234);
    ck_assert_uint_eq(lane[PENROSE_LANES - 1], 0x1234);
    ck_assert_int_eq(penrose_lreg_read(chip, X, Y, 17, lane, &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_src_read(chip, X, Y, true, 1, 63, datum, &error), PENROSE_OK);
    ck_assert_uint_eq(datum[15], 0);
    ck_assert_int_eq(penrose_src_read(chip, X, Y, true, 2, 0, datum, &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_src_read(chip, X, Y, false, 0, 64, datum, &error), PENROSE_E_ARGUMENT);
}

TEST(a_gate_tells_what_waits)
{
    static const char *const program[] = {"ATGETM 2", "NOP"};
    struct penrose_gate gate;
    ck_assert_int_eq(penrose_gate_read(chip, X, Y, 1, &gate, &error), PENROSE_OK);
    ck_assert(!gate.has_instruction);
    push_all(program, 1); /* thread 0 has it now */
    start_program(chip, X, Y, PENROSE_TRISC1, 2 * CODE, ".ttinsn ATGETM 2; .ttinsn NOP; ebreak");
    penrose_run(chip, &a_while);
    ck_assert_int_eq(penrose_gate_read(chip, X, Y, 1, &gate, &error), PENROSE_OK);
    ck_assert(gate.has_instruction);
    ck_assert_str_eq(gate.text, "ATGETM 2");
    ck_assert_uint_eq(gate.pc, 2 * CODE);
    ck_assert_uint_eq(gate.queued, 1);
    ck_assert_ptr_nonnull(strstr(gate.waits, "mutex 2"));
    ck_assert_int_eq(penrose_gate_read(chip, X, Y, 3, &gate, &error), PENROSE_E_ARGUMENT);
}
