/* Rows of the coprocessor: see silicon_tensix.h and silicon_tensix.def. */
#include "silicon_tensix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cfg0 of the source's firmware: no L0 data cache; fusion of .ttinsn in its later one. */
#define NO_CACHES  UINT32_C(0x60008)
#define FUSES_ONLY UINT32_C(0x20008)

#define IS_DONE      UINT32_C(0x16fff0)
#define CLOCK        UINT32_C(0xffb121f0)
#define INSTRUCTIONS UINT32_C(0xffe40000)
#define PC_SYNC      UINT32_C(0xffe80004)
#define MOP_SYNC     UINT32_C(0xffe80008)
#define MOP_WORDS    UINT32_C(0xffb80000)

enum { MOST_MARKS = 64, MOST_CYCLES = 4000000 };

static const struct tensix_row rows[] = {
#define FAMILY(title)              {.name = title},
#define ROW(title, silicon, ...)   {.name = title, .cycles = silicon, __VA_ARGS__},
#define LACK(title, silicon, text) {.name = title, .cycles = silicon, .reason = text},
#include "silicon_tensix.def"
};

/* --- Lines --- */

void silicon_push(struct guest_code *code, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, ";");
        guest_emit(code, ".ttinsn %.*s", (int)length, text);
        text += length + (text[length] == ';');
        text += strspn(text, " ");
    }
}

void silicon_push_by_store(struct guest_code *code, const char *text)
{
    guest_emit(code, "addi t2, zero, 1");
    guest_emit(code, "slli t2, t2, 10");
    silicon_li(code, "t1", guest_tensix_word(text));
    guest_emit(code, "or t1, t1, zero");
    silicon_li(code, "t0", INSTRUCTIONS);
    guest_emit(code, "sw t1, 0(t0)");
}

void silicon_push_with(struct guest_code *code, const char *text, unsigned first, unsigned second)
{
    char line[200];
    size_t length = 0;
    for (; *text && length + 12 < sizeof line; text++) {
        if (*text == '@' || *text == '#') {
            length += (size_t)snprintf(line + length, sizeof line - length, "%u",
                                       *text == '@' ? first : second);
        } else {
            line[length++] = *text;
        }
    }
    line[length] = 0;
    silicon_push(code, line);
}

void silicon_repeat(struct guest_code *code, unsigned times, const char *text)
{
    for (unsigned i = 0; i < times; i++) {
        silicon_push(code, text);
    }
}

void silicon_li(struct guest_code *code, const char *reg, uint32_t value)
{
    int32_t low = (int32_t)(value << 20) >> 20;
    if (value + 0x800 < 0x1000) {
        guest_emit(code, "addi %s, zero, %" PRId32, reg, low);
        return;
    }
    guest_emit(code, "lui %s, 0x%" PRIx32, reg, (value + 0x800) >> 12 & 0xfffff);
    if (low) {
        guest_emit(code, "addi %s, %s, %" PRId32, reg, reg, low);
    }
}

void silicon_store(struct guest_code *code, uint32_t address, uint32_t value)
{
    silicon_li(code, "t0", address);
    silicon_li(code, "t1", value);
    guest_emit(code, "sw t1, 0(t0)");
}

static void emit_sync(struct guest_code *code, uint32_t address)
{
    silicon_li(code, "t0", address);
    guest_emit(code, "sw zero, 0(t0)");
    guest_emit(code, "lw t1, 0(t0)");
    guest_emit(code, "and zero, zero, t1");
}

void silicon_sync(struct guest_code *code)
{
    emit_sync(code, PC_SYNC);
}

void silicon_await(struct guest_code *code, uint32_t address)
{
    silicon_li(code, "t0", address);
    silicon_li(code, "t1", 1);
    uint32_t again = guest_emit(code, "lw t2, 0(t0)");
    guest_emit(code, "beq t2, t1, %" PRIu32, again + 16);
    guest_emit(code, "fence 15, 15");
    guest_emit(code, "jal zero, %" PRIu32, again);
    guest_emit(code, "fence 15, 15");
}

static uint32_t word_of(const char *text)
{
    return guest_tensix_word(text ? text : "NOP");
}

void silicon_mop(struct guest_code *code, const struct silicon_mop *mop)
{
    const uint32_t words[9] = {
        mop->outer,
        mop->inner,
        word_of(mop->start),
        word_of(mop->end[0]),
        word_of(mop->end[1]),
        word_of(mop->loop[0]),
        word_of(mop->loop[1]),
        word_of(mop->last),
        word_of(mop->outer_last),
    };
    emit_sync(code, MOP_SYNC);
    for (unsigned i = 0; i < 9; i++) {
        silicon_store(code, MOP_WORDS + 4 * i, words[i]);
    }
}

void silicon_change_mop(struct guest_code *code, const struct silicon_mop *mop)
{
    emit_sync(code, MOP_SYNC);
    silicon_store(code, MOP_WORDS + 4 * 5, word_of(mop->loop[0]));
    silicon_store(code, MOP_WORDS + 4 * 7, word_of(mop->last));
    silicon_store(code, MOP_WORDS + 4 * 8, word_of(mop->outer_last));
}

static unsigned count_of(const char *text)
{
    unsigned count = 1;
    for (; *text; text++) {
        count += *text == ';';
    }
    return count;
}

void silicon_record(struct guest_code *code, unsigned index, const char *text)
{
    guest_emit(code, ".ttinsn REPLAY %u, %u, 0, 1", index, count_of(text));
    silicon_push(code, text);
}

void silicon_play(struct guest_code *code, unsigned index, const char *text, unsigned times)
{
    char play[40];
    snprintf(play, sizeof play, "REPLAY %u, %u, 0, 0", index, count_of(text));
    silicon_record(code, index, text);
    silicon_mop(code, &(struct silicon_mop){1, times, .loop = {play}, .last = play});
}

void silicon_mark(struct silicon_program *program, unsigned thread)
{
    struct guest_code *code = &program->code[thread];
    if (program->marks == MOST_MARKS) {
        bench_die("a program", "has too many marks");
    }
    silicon_li(code, "t0", CLOCK);
    guest_emit(code, "lw t1, 0(t0)");
    silicon_li(code, "t0", SILICON_RESULTS + 4 * program->marks);
    guest_emit(code, "sw t1, 0(t0)");
    if (program->marks++ % 2 == 1) {
        guest_emit(code, "fence 15, 15");
    }
}

void silicon_begin(struct silicon_program *program, unsigned thread)
{
    struct guest_code *code = &program->code[thread];
    silicon_li(code, "t0", CLOCK);
    guest_emit(code, "lw s2, 0(t0)");
}

void silicon_end(struct silicon_program *program, unsigned thread)
{
    struct guest_code *code = &program->code[thread];
    silicon_li(code, "t0", CLOCK);
    guest_emit(code, "lw s3, 0(t0)");
    silicon_li(code, "t0", SILICON_RESULTS + 4 * program->marks);
    guest_emit(code, "sw s2, 0(t0)");
    guest_emit(code, "sw s3, 4(t0)");
    guest_emit(code, "fence 15, 15");
    program->marks += 2;
}

/* --- Running --- */

static unsigned emit_begin(struct guest_code *code, bool fuses)
{
    silicon_li(code, "t0", fuses ? FUSES_ONLY : NO_CACHES);
    guest_emit(code, "csrrw zero, cfg0, t0");
    return code->words;
}

/* A thread whose program has no more than its beginning does not run. */
static void emit_end(struct guest_code *code, unsigned thread, unsigned beginning)
{
    if (code->words == beginning) {
        code->words = 0;
        return;
    }
    silicon_sync(code);
    silicon_store(code, IS_DONE + 4 * thread, 1);
    guest_emit(code, "jal zero, %" PRIu32, code->base + 4 * code->words);
}

static void start(struct penrose_chip *chip, const struct silicon_program *program,
                  struct penrose_place at)
{
    static const enum penrose_hart harts[] = {PENROSE_TRISC0, PENROSE_TRISC1, PENROSE_TRISC2};
    struct penrose_error error;
    for (unsigned i = 0; i < THREAD_COUNT; i++) {
        const struct guest_code *code = &program->code[i];
        silicon_must(
            penrose_write(chip, at.x, at.y, code->base, code->word, 4 * code->words, &error),
            "a program", &error);
    }
    for (unsigned i = 0; i < THREAD_COUNT; i++) {
        const struct guest_code *code = &program->code[i];
        if (code->words) {
            silicon_must(penrose_hart_release(chip, at.x, at.y, harts[i], code->base, &error),
                         "a hart", &error);
        }
    }
}

static bool is_done(struct penrose_chip *chip, const struct silicon_program *program,
                    struct penrose_place at)
{
    struct penrose_error error;
    uint32_t done[THREAD_COUNT];
    silicon_must(penrose_read(chip, at.x, at.y, IS_DONE, done, sizeof done, &error), "L1", &error);
    for (unsigned i = 0; i < THREAD_COUNT; i++) {
        if (program->code[i].words && !done[i]) {
            return false;
        }
    }
    return true;
}

static void run(struct penrose_chip *chip, const struct silicon_program *program,
                struct penrose_place at, const char *name)
{
    for (unsigned cycles = 0; !is_done(chip, program, at); cycles += 1000) {
        const struct penrose_run run = {.size = sizeof run, .cycles = 1000};
        if (penrose_run(chip, &run) == PENROSE_FAULT) {
            struct penrose_fault fault;
            bench_die(name, penrose_fault_get(chip, 0, &fault) ? fault.rule : "a fault");
        }
        if (cycles > MOST_CYCLES) {
            bench_die(name, "the program does not end");
        }
    }
}

/* Cycles between marks, of all pairs together. */
static double time_of(silicon_emitter *emit, const struct tensix_row *row, unsigned turns,
                      const char *costs)
{
    struct penrose_error error;
    struct penrose_options options = {.size = sizeof options, .timed = true, .costs = costs};
    struct penrose_chip *chip;
    struct penrose_place at = {0};
    struct silicon_program *program = calloc(1, sizeof *program);
    uint32_t marks[MOST_MARKS], cycles = 0;
    if (!program) {
        bench_die(row->name, "out of memory");
    }
    silicon_must(penrose_chip_create(&options, &chip, &error), "a chip", &error);
    (void)penrose_tile_at(chip, PENROSE_TILE_TENSIX, 0, &at);
    for (unsigned i = 0; i < THREAD_COUNT; i++) {
        program->code[i].base = GUEST_CODE + i * GUEST_CODE_STEP;
    }
    unsigned beginning = 0;
    for (unsigned i = 0; i < THREAD_COUNT; i++) {
        beginning = emit_begin(&program->code[i], row->fuses);
    }
    emit(program, row, turns);
    for (unsigned i = 0; i < THREAD_COUNT; i++) {
        emit_end(&program->code[i], i, beginning);
    }
    start(chip, program, at);
    run(chip, program, at, row->name);
    silicon_must(penrose_read(chip, at.x, at.y, SILICON_RESULTS, marks, sizeof marks, &error),
                 row->name, &error);
    for (unsigned i = 0; i + 1 < program->marks; i += 2) {
        cycles += marks[i + 1] - marks[i];
    }
    penrose_chip_destroy(chip);
    free(program);
    return cycles;
}

/* --- Rows --- */

static struct silicon_row tensix_row_of_silicon(unsigned row)
{
    return (struct silicon_row){rows[row].name, rows[row].cycles, rows[row].reason};
}

static double tensix_measure(unsigned number, const struct bench_options *options)
{
    const struct tensix_row *row = &rows[number];
    const unsigned turns = row->turns ? row->turns : 1;
    const double each = row->each > 0 ? row->each : 1;
    double cycles = time_of(row->emit, row, turns, options->costs);
    if (row->without) {
        cycles -= time_of(row->without, row, turns, options->costs);
    } else if (row->more) {
        cycles = (time_of(row->emit, row, turns + row->more, options->costs) - cycles) / row->more;
    }
    return cycles / each;
}

const struct silicon_part silicon_tensix = {
    .rows = sizeof rows / sizeof rows[0],
    .row = tensix_row_of_silicon,
    .measure = tensix_measure,
};
