/*
 * Loops of harts: silicon_hart.def says what was published, and with what body. The loop is that of the source:
 * `beq s0, zero, <end>; BODY; addi s0, s0, -1; jal <begin>`, with the clock before and behind it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "silicon_tensix.h"

#define WINDOW_OF_B UINT32_C(0xffb14080)
#define CLOCK       UINT32_C(0xffb121f0)
#define NIU_COUNTER UINT32_C(0xffb20208)
#define LOCAL_PLACE UINT32_C(0xffb00080)
#define L1_PLACE    UINT32_C(0x124000)
#define CONTROL     UINT32_C(0x134000) /* what harts tell one another */
#define NO_CACHES   UINT32_C(0x60008)  /* cfg0 of the source: no L0 data cache, no fusion */
#define IS_DONE     UINT32_C(0x16ffe0)

enum { HART_COUNT = 5, BRISC = 0, NCRISC = 4, TURNS = 10000 };

struct hart_row {
    const char *name;
    double cycles;
    const char *reason;
    const char *body;    /* instructions with " ; " between them; @N is the address of the N-th */
    const char *also;    /* what BRISC does instead, or only NCRISC, which goes on for ever */
    const char *prepare; /* instructions before the clock is read */
    unsigned times;      /* the body stands there so often; 0 is 1 */
    unsigned turns;      /* 0 is 10,000 */
    unsigned harts;      /* so many run it: BRISC, NCRISC, TRISC0 and on; 0 is 1 */
    double off,
        each;      /* what the source has taken off a turn, and what it has divided the rest by */
    bool serves;   /* NCRISC runs `also` */
    bool is_whole; /* a turn is no loop: the body has its own clock in s10 and s11 */
};

static const struct hart_row rows[] = {
#define FAMILY(title)              {.name = title},
#define ROW(title, silicon, ...)   {.name = title, .cycles = silicon, __VA_ARGS__},
#define LACK(title, silicon, text) {.name = title, .cycles = silicon, .reason = text},
#include "silicon_hart.def"
};

/* --- Programs --- */

static void emit_lines(struct guest_code *code, const char *text)
{
    const uint32_t first = code->base + 4 * code->words;
    while (text && *text) {
        char line[120];
        size_t length = strcspn(text, ";"), place = strcspn(text, "@");
        if (place < length) {
            unsigned number = (unsigned)strtoul(text + place + 1, NULL, 10);
            snprintf(line, sizeof line, "%.*s%" PRIu32, (int)place, text, first + 4 * number);
        } else {
            snprintf(line, sizeof line, "%.*s", (int)length, text);
        }
        guest_emit(code, "%s", line);
        text += length + (text[length] == ';');
        text += strspn(text, " ");
    }
}

static void emit_clock(struct guest_code *code, const char *reg)
{
    silicon_li(code, "a7", CLOCK);
    guest_emit(code, "lw %s, 0(a7)", reg);
    guest_emit(code, "lw a6, 0(a7)");
    guest_emit(code, "bne a6, a6, %" PRIu32, code->base + 4 * code->words);
}

static void emit_set_up(struct guest_code *code, unsigned number)
{
    silicon_li(code, "t0", NO_CACHES);
    guest_emit(code, "csrrw zero, cfg0, t0");
    silicon_li(code, "s1", 0x12345679);
    silicon_li(code, "s2", L1_PLACE + 0x100 + 64 * number);
    silicon_li(code, "s3", L1_PLACE);
    silicon_li(code, "s4", 3);
    silicon_li(code, "s5", CLOCK);
    silicon_li(code, "s6", LOCAL_PLACE);
    silicon_li(code, "s7", WINDOW_OF_B);
    silicon_li(code, "s8", NIU_COUNTER);
    silicon_li(code, "s9", CONTROL);
    guest_emit(code, "sw s3, 0(s3)");
    guest_emit(code, "sw s6, 0(s6)");
    guest_emit(code, "fence 15, 15");
}

static void emit_timed(struct guest_code *code, const struct hart_row *row, unsigned number)
{
    const char *body = row->also && !row->serves && number == BRISC ? row->also : row->body;
    emit_set_up(code, number);
    emit_lines(code, row->prepare);
    if (row->is_whole) {
        emit_lines(code, body);
    } else {
        emit_clock(code, "s10");
        silicon_li(code, "s0", row->turns ? row->turns : TURNS);
        const uint32_t begin = code->base + 4 * code->words;
        const unsigned branch = code->words;
        guest_emit(code, "addi zero, zero, 0"); /* the branch, once its target is known */
        for (unsigned i = 0; i < (row->times ? row->times : 1); i++) {
            emit_lines(code, body);
        }
        guest_emit(code, "addi s0, s0, -1");
        guest_emit(code, "jal zero, %" PRIu32, begin);
        const unsigned end = code->words;
        code->words = branch;
        guest_emit(code, "beq s0, zero, %" PRIu32, code->base + 4 * end);
        code->words = end;
        emit_clock(code, "s11");
    }
    guest_emit(code, "sub s11, s11, s10");
    silicon_li(code, "t0", SILICON_RESULTS + 4 * number);
    guest_emit(code, "sw s11, 0(t0)");
    silicon_store(code, IS_DONE + 4 * number, 1);
    guest_emit(code, "jal zero, %" PRIu32, code->base + 4 * code->words);
}

static void emit_server(struct guest_code *code, const struct hart_row *row)
{
    emit_set_up(code, NCRISC);
    guest_emit(code, "addi s7, zero, 0");
    emit_lines(code, row->also);
}

/* --- Running --- */

static const enum penrose_hart harts[] = {PENROSE_BRISC, PENROSE_NCRISC, PENROSE_TRISC0,
                                          PENROSE_TRISC1, PENROSE_TRISC2};

static void load_program(struct penrose_chip *chip, struct penrose_place at,
                         const struct guest_code *code)
{
    struct penrose_error error;
    silicon_must(penrose_write(chip, at.x, at.y, code->base, code->word, 4 * code->words, &error),
                 "a program", &error);
}

static void run_until_done(struct penrose_chip *chip, struct penrose_place at,
                           const struct hart_row *row)
{
    enum { MOST_CYCLES = 10000000, STEP = 5000 };
    uint32_t done[HART_COUNT];
    bool all;
    unsigned cycles = 0;
    do {
        struct penrose_error error;
        const struct penrose_run run = {.size = sizeof run, .cycles = STEP};
        if (penrose_run(chip, &run) == PENROSE_FAULT || cycles > MOST_CYCLES) {
            bench_die(row->name, "a fault, or no end");
        }
        cycles += STEP;
        silicon_must(penrose_read(chip, at.x, at.y, IS_DONE, done, sizeof done, &error), row->name,
                     &error);
        all = true;
        for (unsigned i = 0; i < (row->harts ? row->harts : 1); i++) {
            all &= done[i] != 0;
        }
    } while (!all);
}

/* Cycles of the hart that took longest. */
static uint32_t longest_time(const struct hart_row *row)
{
    struct penrose_error error;
    struct penrose_options options = {.size = sizeof options, .timed = true};
    struct penrose_chip *chip;
    struct penrose_place at = {0};
    const unsigned count = row->harts ? row->harts : 1;
    struct guest_code *code = calloc(1, sizeof *code);
    uint32_t time[HART_COUNT], longest = 0;
    if (!code) {
        bench_die(row->name, "out of memory");
    }
    silicon_must(penrose_chip_create(&options, &chip, &error), "a chip", &error);
    (void)penrose_tile_at(chip, PENROSE_TILE_TENSIX, 0, &at);
    for (unsigned i = 0; i < HART_COUNT; i++) {
        bool serves = row->serves && harts[i] == PENROSE_NCRISC;
        if (i >= count && !serves) {
            continue;
        }
        *code = (struct guest_code){.base = GUEST_CODE + i * GUEST_CODE_STEP};
        if (serves) {
            emit_server(code, row);
        } else {
            emit_timed(code, row, i);
        }
        load_program(chip, at, code);
        silicon_must(penrose_hart_release(chip, at.x, at.y, harts[i], code->base, &error), "a hart",
                     &error);
    }
    run_until_done(chip, at, row);
    silicon_must(penrose_read(chip, at.x, at.y, SILICON_RESULTS, time, sizeof time, &error),
                 row->name, &error);
    for (unsigned i = 0; i < count; i++) {
        longest = time[i] > longest ? time[i] : longest;
    }
    penrose_chip_destroy(chip);
    free(code);
    return longest;
}

static struct silicon_row hart_row_of_silicon(unsigned row)
{
    return (struct silicon_row){rows[row].name, rows[row].cycles, rows[row].reason};
}

static double hart_measure(unsigned number, const struct bench_options *options)
{
    const struct hart_row *row = &rows[number];
    const double each = row->each > 0 ? row->each : 1;
    const double turns = row->is_whole ? 1 : row->turns ? row->turns : TURNS;
    (void)options;
    return (longest_time(row) / turns - row->off) / each;
}

const struct silicon_part silicon_hart = {
    .rows = sizeof rows / sizeof rows[0],
    .row = hart_row_of_silicon,
    .measure = hart_measure,
};
