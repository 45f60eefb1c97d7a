/* Accesses to the first bytes of L1, where null pointers lead: who is told of them, in every schedule,
 * and that nothing else comes of it. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/loader/loader_image.h"

enum { X = 1, Y = 2, CODE = 0x1000, NULL_BYTES = 16, WORDS = 8 };

/* What else the program has. */
enum other { NOTHING, SYMBOL, ABSOLUTE, CONSTANT, SECTION, HEADERS, OTHERS };

static const bool is_object[OTHERS] = {[SYMBOL] = true, [ABSOLUTE] = true, [SECTION] = true};

enum schedule { FUNCTIONAL, TIMED, LOCKSTEP, RANDOM, SCHEDULES };

static struct penrose_chip *open_chip(enum schedule schedule)
{
    struct penrose_options options = {
        .size = sizeof options,
        .timed = schedule == TIMED,
        .schedule = schedule == LOCKSTEP ? PENROSE_LOCKSTEP
                    : schedule == RANDOM ? PENROSE_RANDOM
                                         : PENROSE_FAST,
        .policy = {[PENROSE_FAULT_MISALIGNED] = PENROSE_WARN},
    };
    struct penrose_chip *chip;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    return chip;
}

static unsigned assemble(const char *program, uint32_t words[WORDS])
{
    struct penrose_error error = {0};
    char lines[400], *rest = lines;
    unsigned count = 0;
    snprintf(lines, sizeof lines, "%s;ebreak", program);
    for (char *line; (line = strsep(&rest, ";")); count++) {
        ck_assert_uint_lt(count, WORDS);
        ck_assert_msg(penrose_assemble(NULL, line, CODE + 4 * count, &words[count], &error) ==
                          PENROSE_OK,
                      "%s: %s", line, error.text);
    }
    return count;
}

/* A program of these lines at CODE, with start-up code "_start". */
static void load(struct penrose_chip *chip, enum penrose_hart hart, const char *program,
                 enum other other)
{
    static const uint32_t object[4];
    char path[] = "check_null_XXXXXX";
    uint32_t words[WORDS], entry;
    uint32_t size = 4 * assemble(program, words);
    uint32_t start = other == HEADERS ? 0 : CODE;
    uint8_t bytes[CODE + sizeof words] = {0};
    struct penrose_error error = {0};
    struct image *image = image_create(CODE);
    memcpy(bytes + CODE, words, size);
    unsigned segment = image_segment(image, start, start, PF_R | PF_X, bytes + start,
                                     CODE + size - start, CODE + size - start);
    unsigned text = image_loaded(image, ".text", segment, CODE, size, SHF_ALLOC | SHF_EXECINSTR);
    image_symbol(image, "_start", CODE, size, ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), text);
    image_symbol(image, "elsewhere", NULL_BYTES, 0, ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE), SHN_ABS);
    if (other == SYMBOL) {
        image_symbol(image, "mailbox", 12, 4, ELF32_ST_INFO(STB_LOCAL, STT_OBJECT), SHN_ABS);
    } else if (other == ABSOLUTE) {
        image_symbol(image, "mailbox", 15, 0, ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE), SHN_ABS);
    } else if (other == CONSTANT) {
        image_symbol(image, "RETRIES", 3, 0, ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE), SHN_ABS);
    } else if (other == SECTION) {
        unsigned data = image_segment(image, 4, 4, PF_R | PF_W, object, 8, 8);
        image_loaded(image, ".mailbox", data, 4, 8, SHF_ALLOC | SHF_WRITE);
    }
    image_finish(image);
    close(mkstemp(path));
    image_write(image, path);
    loader_release();
    ck_assert_msg(penrose_load_program(chip, X, Y, hart, path, &entry, &error) == PENROSE_OK, "%s",
                  error.text);
    unlink(path);
    ck_assert_int_eq(penrose_hart_release(chip, X, Y, hart, entry, &error), PENROSE_OK);
}

static void run(struct penrose_chip *chip)
{
    const struct penrose_run some = {.size = sizeof some, .cycles = 2000};
    ck_assert_int_ne(penrose_run(chip, &some), PENROSE_FAULT);
}

static unsigned count(const struct penrose_chip *own, enum penrose_fault_kind kind)
{
    struct penrose_chip *chip = (struct penrose_chip *)own;
    struct penrose_fault fault;
    unsigned found = 0;
    for (size_t i = 0; penrose_fault_get(chip, i, &fault); i++) {
        found += fault.kind == kind;
        ck_assert(fault.kind != PENROSE_FAULT_NULL_ACCESS || fault.repeated == 0);
    }
    return found;
}

/* --- Every width, every address --- */

static const struct width {
    const char *line; /* a0 is the address */
    unsigned bytes;
    bool is_store; /* a misaligned one writes some of its bytes */
} widths[] = {
    {"lb a1, 0(a0)", 1, false},  {"lbu a1, 0(a0)", 1, false},         {"lh a1, 0(a0)", 2, false},
    {"lhu a1, 0(a0)", 2, false}, {"lw a1, 0(a0)", 4, false},          {"flw fa1, 0(a0)", 4, false},
    {"sb a2, 0(a0)", 1, true},   {"sh a2, 0(a0)", 2, true},           {"sw a2, 0(a0)", 4, true},
    {"fsw fa2, 0(a0)", 4, true}, {"amoadd.w a1, a2, (a0)", 4, false},
};

enum { ADDRESSES = NULL_BYTES + 8 };

/* What a run leaves. */
struct outcome {
    uint64_t cycle, retired;
    uint32_t pc, x[32];
    uint8_t l1[ADDRESSES + 4];
    unsigned told, misaligned;
};

static struct outcome try_access(const struct width *width, unsigned address,
                                 enum schedule schedule, enum other other)
{
    struct outcome outcome = {0};
    struct penrose_chip *chip = open_chip(schedule);
    struct penrose_hart_info info;
    char program[120];
    uint8_t bytes[ADDRESSES + 4];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(0x81 + 5 * i);
    }
    snprintf(program, sizeof program, "addi a0, zero, %u;addi a2, zero, 0x123;%s;fence 3, 3",
             address, width->line);
    load(chip, PENROSE_BRISC, program, other);
    penrose_poke(chip, X, Y, 0, bytes, sizeof bytes, NULL);
    run(chip);
    penrose_hart_info(chip, X, Y, PENROSE_BRISC, &info, NULL);
    ck_assert_int_eq(info.state, PENROSE_HART_PAUSED);
    outcome.cycle = penrose_last_activity(chip);
    outcome.retired = info.retired;
    outcome.pc = info.pc;
    memcpy(outcome.x, info.x, sizeof outcome.x);
    penrose_peek(chip, X, Y, 0, outcome.l1, sizeof outcome.l1, NULL);
    outcome.told = count(chip, PENROSE_FAULT_NULL_ACCESS);
    outcome.misaligned = count(chip, PENROSE_FAULT_MISALIGNED);
    penrose_chip_destroy(chip);
    return outcome;
}

TEST_EACH(only_programs_without_an_object_there_are_told, COUNT(widths) * SCHEDULES)
{
    const struct width *width = &widths[_i / SCHEDULES];
    enum schedule schedule = (enum schedule)(_i % SCHEDULES);
    for (unsigned address = 0; address < ADDRESSES; address++) {
        bool is_misaligned = address % width->bytes != 0;
        bool is_made = !is_misaligned || width->is_store;
        struct outcome with = try_access(width, address, schedule, SYMBOL);
        struct outcome without = try_access(width, address, schedule, NOTHING);
        EXPECT(with.told == 0);
        EXPECT(without.told == (address < NULL_BYTES && is_made));
        EXPECT(without.misaligned == is_misaligned && with.misaligned == is_misaligned);
        without.told = 0;
        EXPECT(memcmp(&with, &without, sizeof with) == 0);
    }
}

TEST_EACH(what_a_program_has_there, OTHERS *SCHEDULES)
{
    enum other other = (enum other)(_i / SCHEDULES);
    struct outcome outcome = try_access(&widths[4], 8, (enum schedule)(_i % SCHEDULES), other);
    ck_assert_uint_eq(outcome.told, !is_object[other]);
}

/* --- Others --- */

TEST_EACH(vectors, SCHEDULES)
{
    struct penrose_chip *chip = open_chip((enum schedule)_i);
    load(chip, PENROSE_TRISC2,
         "addi a0, zero, 12;vsetivli zero, 4, e32, m1, ta, ma;vle32.v v1, (a0);vse32.v v1, (a0);"
         "addi a0, zero, 16;vle32.v v1, (a0);vse32.v v1, (a0)",
         NOTHING);
    run(chip);
    ck_assert_uint_eq(count(chip, PENROSE_FAULT_NULL_ACCESS), 2);
    penrose_chip_destroy(chip);
}

TEST_EACH(a_loop_that_polls_is_told_once, SCHEDULES)
{
    struct penrose_chip *chip = open_chip((enum schedule)_i);
    uint32_t word = 1;
    load(chip, PENROSE_BRISC, "lw a1, 8(zero);beq a1, zero, 0x1000", NOTHING);
    run(chip);
    penrose_write(chip, X, Y, 8, &word, sizeof word, NULL);
    run(chip);
    struct penrose_hart_info info;
    penrose_hart_info(chip, X, Y, PENROSE_BRISC, &info, NULL);
    ck_assert_int_eq(info.state, PENROSE_HART_PAUSED);
    ck_assert_uint_eq(count(chip, PENROSE_FAULT_NULL_ACCESS), 1);
    penrose_chip_destroy(chip);
}

/* Code that only a host has written may be anybody's. */
TEST_EACH(unknown_programs_are_silent, SCHEDULES)
{
    struct penrose_chip *chip = open_chip((enum schedule)_i);
    start_program(chip, X, Y, PENROSE_BRISC, CODE, "lw a1, 0(zero);sw a1, 4(zero);ebreak");
    run(chip);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    penrose_chip_destroy(chip);
}

/* The program sends nothing there itself: a request of its NIU reads there and writes there, in its
 * own tile, and its host does. */
TEST_EACH(hosts_and_packets_are_silent, SCHEDULES)
{
    const struct command_end here = {X, Y, 0}, there = {X, Y, 16};
    struct penrose_chip *chip = open_chip((enum schedule)_i);
    uint8_t bytes[32] = {1, 2, 3};
    penrose_write(chip, X, Y, 0, bytes, sizeof bytes, NULL);
    command_fill(chip, X, Y, 0, COMMAND_WRITE | COMMAND_RESPONSE, here, there, 16);
    command_fill(chip, X, Y, 1, COMMAND_WRITE | COMMAND_RESPONSE, there, here, 16);
    load(chip, PENROSE_BRISC,
         "lui a0, 0xffb20;addi a1, zero, 1;sw a1, 0x40(a0);lui a0, 0xffb21;sw a1, -0x7c0(a0)",
         NOTHING);
    run(chip);
    penrose_read(chip, X, Y, 16, bytes, sizeof bytes, NULL);
    ck_assert_uint_eq(bytes[2], 3);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    penrose_chip_destroy(chip);
}

/* --- Words --- */

static const struct report {
    const char *program, *rule, *hint;
    unsigned at; /* the instruction's number */
} reports[] = {
    {"addi t3, zero, -4;lw a1, 8(t3)",
     "load from 0x00000004, where the program has no object: t3 is 0xfffffffc",
     "the pointer in t3 was null, or close to it: nothing has set it, or what gave it found "
     "nothing; a program that wants these bytes has an object there",
     1},
    {"sw a1, 12(zero)", "store to 0x0000000c, where the program has no object: zero is 0x00000000",
     "the code itself has this address: the compiler knew the pointer to be null", 0},
    {"addi s1, zero, 8;amoadd.w a1, a2, (s1)",
     "atomic access to 0x00000008, where the program has no object: s1 is 0x00000008",
     "the pointer in s1 was null, or close to it: nothing has set it, or what gave it found "
     "nothing; a program that wants these bytes has an object there",
     1},
};

TEST_EACH(a_report_names_the_pointer, COUNT(reports) * SCHEDULES)
{
    const struct report *report = &reports[_i / SCHEDULES];
    struct penrose_chip *chip = open_chip((enum schedule)(_i % SCHEDULES));
    struct penrose_fault fault;
    load(chip, PENROSE_BRISC, report->program, NOTHING);
    run(chip);
    ck_assert_uint_eq(penrose_fault_count(chip), 1);
    ck_assert(penrose_fault_get(chip, 0, &fault));
    ck_assert_int_eq(fault.kind, PENROSE_FAULT_NULL_ACCESS);
    ck_assert_int_eq(fault.policy, PENROSE_WARN);
    ck_assert_uint_eq(fault.pc, CODE + 4 * report->at);
    ck_assert_str_eq(fault.rule, report->rule);
    ck_assert_str_eq(fault.hint, report->hint);
    ck_assert_msg(strncmp(fault.symbol, "_start", 6) == 0, "%s", fault.symbol);
    penrose_chip_destroy(chip);
}

TEST_EACH(a_policy_may_stop_there, SCHEDULES)
{
    const struct penrose_run some = {.size = sizeof some, .cycles = 2000};
    struct penrose_options options = {
        .size = sizeof options,
        .timed = _i == TIMED,
        .schedule = _i == LOCKSTEP ? PENROSE_LOCKSTEP
                    : _i == RANDOM ? PENROSE_RANDOM
                                   : PENROSE_FAST,
        .policy = {[PENROSE_FAULT_NULL_ACCESS] = PENROSE_STOP},
    };
    struct penrose_chip *chip;
    struct penrose_hart_info info;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    load(chip, PENROSE_BRISC, "lw a1, 0(zero);addi a2, zero, 1", NOTHING);
    ck_assert_int_eq(penrose_run(chip, &some), PENROSE_FAULT);
    penrose_hart_info(chip, X, Y, PENROSE_BRISC, &info, NULL);
    ck_assert_uint_eq(info.pc, CODE + 4);
    penrose_fault_clear(chip);
    run(chip);
    penrose_hart_info(chip, X, Y, PENROSE_BRISC, &info, NULL);
    ck_assert_uint_eq(info.x[12], 1);
    penrose_chip_destroy(chip);
}
