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

enum { HART_COUNT = 5, BRISC = 0, NCRISC = 4, TURNS = 10000, MOST_TILES = 140 };

struct hart_row {
    const char *name;
    double cycles;
    const char *reason;
    const char *body;    /* instructions, as emit_lines has them */
    const char *also;    /* what BRISC does instead, or only NCRISC, which goes on for ever */
    const char *prepare; /* instructions before the clock is read, with the tile's number in a0 */
    const char *finish;  /* instructions behind the loop, before the clock is read again */
    const char *card;    /* NULL: a p150a */
    unsigned times;      /* the body stands there so often; 0 is 1 */
    unsigned turns;      /* 0 is 10,000 */
    unsigned harts;      /* so many run it, of B, NC, T0, T1 and T2; a1 has the number; 0 is 1 */
    unsigned first;      /* number of the first of them */
    unsigned tiles;      /* so many run it; 0 is 1 */
    double off,
        each;      /* what the source has taken off a turn, and what it has divided the rest by */
    double bytes;  /* that each tile moves, if the result is GB/s at an AICLK of 1.35 GHz */
    bool serves;   /* NCRISC runs `also` */
    bool is_sum;   /* the result is of all turns together */
    bool is_whole; /* a turn is no loop: the body has its own clock in s10 and s11 */
};

static const struct hart_row rows[] = {
#define FAMILY(title)              {.name = title},
#define ROW(title, silicon, ...)   {.name = title, .cycles = silicon, __VA_ARGS__},
#define LACK(title, silicon, text) {.name = title, .cycles = silicon, .reason = text},
#include "silicon_hart.def"
};

/* --- Programs --- */

/* The instruction that @N, @+N or @-N names: the N-th of all, or so many behind or before this one. */
static uint32_t find_target(const struct guest_code *code, const char *number, uint32_t first)
{
    const bool is_relative = *number == '+' || *number == '-';
    const uint32_t here = code->base + 4 * code->words;
    return (is_relative ? here : first) + 4 * (uint32_t)strtol(number, NULL, 10);
}

/* "li REG, VALUE", as few instructions as that takes. */
static void emit_li(struct guest_code *code, const char *line)
{
    char reg[8];
    const char *value = strchr(line, ',');
    snprintf(reg, sizeof reg, "%.*s", (int)strcspn(line, ","), line);
    silicon_li(code, reg, value ? (uint32_t)strtoul(value + 1, NULL, 0) : 0);
}

/* Instructions with " ; " between them. One of them may be "li REG, VALUE". */
static void emit_lines(struct guest_code *code, const char *text)
{
    const uint32_t first = code->base + 4 * code->words;
    while (text && *text) {
        char line[120];
        size_t length = strcspn(text, ";"), place = strcspn(text, "@");
        if (place < length) {
            snprintf(line, sizeof line, "%.*s%" PRIu32, (int)place, text,
                     find_target(code, text + place + 1, first));
        } else {
            snprintf(line, sizeof line, "%.*s", (int)length, text);
        }
        if (strncmp(line, "li ", 3) == 0) {
            emit_li(code, line + 3);
        } else {
            guest_emit(code, "%s", line);
        }
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

static void emit_timed(struct guest_code *code, const struct hart_row *row, unsigned tile,
                       unsigned number)
{
    const char *body = row->also && !row->serves && number == BRISC ? row->also : row->body;
    emit_set_up(code, number);
    silicon_li(code, "a0", tile);
    silicon_li(code, "a1", number);
    emit_lines(code, row->prepare);
    if (row->is_whole) { /* the source does not count the first of its samples */
        silicon_li(code, "a2", 2);
        const uint32_t again = code->base + 4 * code->words;
        emit_lines(code, body);
        guest_emit(code, "addi a2, a2, -1");
        guest_emit(code, "bne a2, zero, %" PRIu32, again);
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
        emit_lines(code, row->finish);
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

static void start_hart(struct penrose_chip *chip, struct penrose_place at, unsigned hart,
                       const struct guest_code *code)
{
    struct penrose_error error;
    silicon_must(penrose_write(chip, at.x, at.y, code->base, code->word, 4 * code->words, &error),
                 "a program", &error);
    silicon_must(penrose_hart_release(chip, at.x, at.y, harts[hart], code->base, &error), "a hart",
                 &error);
}

static unsigned count_of_harts(const struct hart_row *row)
{
    return row->harts ? row->harts : 1;
}

static bool runs_row(const struct hart_row *row, unsigned hart)
{
    return hart >= row->first && hart < row->first + count_of_harts(row);
}

static unsigned count_of_tiles(const struct hart_row *row)
{
    return row->tiles ? row->tiles : 1;
}

static void start_tile(struct penrose_chip *chip, const struct hart_row *row, unsigned tile,
                       struct penrose_place at, struct guest_code *code)
{
    for (unsigned i = 0; i < HART_COUNT; i++) {
        bool serves = row->serves && harts[i] == PENROSE_NCRISC;
        if (!runs_row(row, i) && !serves) {
            continue;
        }
        *code = (struct guest_code){.base = GUEST_CODE + i * GUEST_CODE_STEP};
        if (serves) {
            emit_server(code, row);
        } else {
            emit_timed(code, row, tile, i);
        }
        start_hart(chip, at, i, code);
    }
}

static bool is_tile_done(struct penrose_chip *chip, struct penrose_place at,
                         const struct hart_row *row)
{
    struct penrose_error error;
    uint32_t done[HART_COUNT];
    bool all = true;
    silicon_must(penrose_read(chip, at.x, at.y, IS_DONE, done, sizeof done, &error), row->name,
                 &error);
    for (unsigned i = 0; i < HART_COUNT; i++) {
        all &= done[i] != 0 || !runs_row(row, i);
    }
    return all;
}

static void run_until_done(struct penrose_chip *chip, const struct penrose_place *at,
                           const struct hart_row *row)
{
    enum { MOST_CYCLES = 10000000, STEP = 5000 };
    unsigned tile = 0;
    for (unsigned cycles = 0; tile < count_of_tiles(row); cycles += STEP) {
        const struct penrose_run run = {.size = sizeof run, .cycles = STEP};
        if (penrose_run(chip, &run) == PENROSE_FAULT) {
            struct penrose_fault fault;
            bench_die(row->name, penrose_fault_get(chip, 0, &fault) ? fault.rule : "a fault");
        }
        if (cycles > MOST_CYCLES) {
            bench_die(row->name, "the program does not end");
        }
        while (tile < count_of_tiles(row) && is_tile_done(chip, at[tile], row)) {
            tile++;
        }
    }
}

static int compare_places(const void *a, const void *b)
{
    const struct penrose_place *one = a, *other = b;
    return one->x != other->x ? (int)one->x - (int)other->x : (int)one->y - (int)other->y;
}

/* The workers of a chip, column by column, which is the source's order. */
static void find_tiles(struct penrose_chip *chip, struct penrose_place *at)
{
    unsigned count = 0;
    while (count < MOST_TILES && penrose_tile_at(chip, PENROSE_TILE_TENSIX, count, &at[count])) {
        count++;
    }
    qsort(at, count, sizeof *at, compare_places);
}

/* Cycles of the hart that took longest. */
static uint32_t longest_time(const struct hart_row *row, const char *costs)
{
    struct penrose_error error;
    struct penrose_options options = {
        .size = sizeof options, .timed = true, .card = row->card, .costs = costs};
    struct penrose_chip *chip;
    struct penrose_place at[MOST_TILES] = {{0}};
    struct guest_code *code = calloc(1, sizeof *code);
    uint32_t time[HART_COUNT], longest = 0;
    if (!code) {
        bench_die(row->name, "out of memory");
    }
    silicon_must(penrose_chip_create(&options, &chip, &error), "a chip", &error);
    find_tiles(chip, at);
    for (unsigned tile = 0; tile < count_of_tiles(row); tile++) {
        start_tile(chip, row, tile, at[tile], code);
    }
    run_until_done(chip, at, row);
    for (unsigned tile = 0; tile < count_of_tiles(row); tile++) {
        silicon_must(
            penrose_read(chip, at[tile].x, at[tile].y, SILICON_RESULTS, time, sizeof time, &error),
            row->name, &error);
        for (unsigned i = 0; i < HART_COUNT; i++) {
            longest = runs_row(row, i) && time[i] > longest ? time[i] : longest;
        }
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
    struct hart_row row = rows[number];
    row.tiles = options->flows ? options->flows : row.tiles;
    const double each = row.each > 0 ? row.each : 1;
    const double turns = row.is_whole || row.is_sum ? 1 : row.turns ? row.turns : TURNS;
    const double cycles = longest_time(&row, options->costs);
    if (row.bytes > 0) {
        return 1.35 * row.bytes * count_of_tiles(&row) / cycles;
    }
    return (cycles / turns - row.off) / each;
}

const struct silicon_part silicon_hart = {
    .rows = sizeof rows / sizeof rows[0],
    .row = hart_row_of_silicon,
    .measure = hart_measure,
};
