/*
 * Times in timed runs beside those of silicon: silicon_noc.def says what was published, and the guest
 * program firmware/bare/noc_times.c repeats it.
 *
 *   silicon [--guests FOLDER] [--only ROW] [--check]
 *
 * --check ends with 1 if the median of all errors is above 5 %, or more than a tenth of them above 15 %.
 * docs/TIMING.md says what the errors come from.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <penrose/penrose.h>

#include "bench.h"

enum peer {
    ROW_NEIGHBOUR, /* the next worker of the row, whose turn is over: pairs do not overlap */
    OWN,
    COLUMN,
    BOTH,  /* another row and column */
    BANK,  /* the first bank of GDDR */
    BANKS, /* all of a p100a in turn */
};

struct work {
    bool writes;
    unsigned noc, size, requests;
    enum peer to;
};

struct row {
    const char *name;
    double cycles;
    unsigned flows;
    bool is_round;
    struct work work;
};

static const struct row rows[] = {
#define ROW(name, cycles, flows, ...)  {#name, cycles, flows, false, {__VA_ARGS__}},
#define EACH(name, cycles, flows, ...) {#name, cycles, flows, true, {__VA_ARGS__}},
#include "silicon_noc.def"
};

enum { ROWS = sizeof rows / sizeof rows[0], MOST_FLOWS = 140 };

enum {
    MAILBOX = 0x8000,
    RESULTS = 0x8038,
    IS_DONE = 0x807c,
    AT_HOME = 0x20000,
    AT_PEER = 0x60000,
    ROUNDS = 16,
    EMPTY_LOOP = 4, /* of a round: the source takes so much off */
};

/* As noc_times.c has them. */
struct parameters {
    uint32_t writes, noc, tile, at_peer, at_home, size, requests, barriers, step, steps, more,
        until_sent;
};

static void must(enum penrose_status status, const char *what, const struct penrose_error *error)
{
    if (status != PENROSE_OK) {
        bench_die(what, error->text);
    }
}

static struct penrose_place find(struct penrose_chip *chip, enum penrose_tile_kind kind,
                                 unsigned index)
{
    struct penrose_place at = {0};
    if (!penrose_tile_at(chip, kind, index, &at)) {
        bench_die("the chip has too few tiles", penrose_tile_kind_name(kind));
    }
    return at;
}

/* The worker that begins with number `flow`: pairs are neighbours. */
static struct penrose_place home_of(struct penrose_chip *chip, const struct row *row, unsigned flow)
{
    bool is_pair = row->work.to == ROW_NEIGHBOUR;
    return find(chip, PENROSE_TILE_TENSIX, is_pair ? 2 * flow : flow);
}

static struct penrose_place peer_of(struct penrose_chip *chip, const struct row *row, unsigned flow)
{
    enum { WORKERS_OF_ROW = 14, PORTS_OF_P100A = 21 };
    struct penrose_place home = home_of(chip, row, flow);
    switch (row->work.to) {
    case ROW_NEIGHBOUR:
        return find(chip, PENROSE_TILE_TENSIX, 2 * flow + 1);
    case OWN:
        return home;
    case COLUMN:
        return find(chip, PENROSE_TILE_TENSIX, WORKERS_OF_ROW + flow);
    case BOTH:
        return find(chip, PENROSE_TILE_TENSIX, WORKERS_OF_ROW + flow + 1);
    case BANK:
        return find(chip, PENROSE_TILE_DRAM, 0);
    case BANKS:
        break;
    }
    return find(chip, PENROSE_TILE_DRAM, flow % PORTS_OF_P100A);
}

static void start(struct penrose_chip *chip, const struct row *row, unsigned flow,
                  const char *program)
{
    struct penrose_error error;
    struct penrose_place home = home_of(chip, row, flow), peer = peer_of(chip, row, flow);
    const struct work *work = &row->work;
    const struct parameters parameters = {
        .writes = work->writes,
        .noc = work->noc,
        .tile = (uint32_t)(peer.y << 6 | peer.x),
        .at_peer = work->to == BANK || work->to == BANKS ? flow * 0x200000 : AT_PEER,
        .at_home = AT_HOME,
        .size = work->size,
        .requests = work->requests ? work->requests : 1,
        .barriers = row->is_round ? ROUNDS : 1,
        .steps = 1,
    };
    must(penrose_load_program(chip, home.x, home.y, PENROSE_BRISC, program, NULL, &error), program,
         &error);
    must(penrose_write(chip, home.x, home.y, MAILBOX, &parameters, sizeof parameters, &error),
         "parameters", &error);
}

static bool is_done(struct penrose_chip *chip, const struct row *row)
{
    struct penrose_error error;
    for (unsigned flow = 0; flow < row->flows; flow++) {
        struct penrose_place home = home_of(chip, row, flow);
        uint32_t done;
        must(penrose_read(chip, home.x, home.y, IS_DONE, &done, sizeof done, &error), row->name,
             &error);
        if (!done) {
            return false;
        }
    }
    return true;
}

/* The longest time that a tile took, less what reading the clock takes. */
static double measure(const struct row *row, const char *program)
{
    struct penrose_error error;
    struct penrose_options options = {.size = sizeof options, .timed = true};
    options.card = row->work.to == BANKS ? "p100a" : NULL;
    struct penrose_chip *chip;
    double longest = 0;
    must(penrose_chip_create(&options, &chip, &error), "a chip", &error);
    for (unsigned flow = 0; flow < row->flows; flow++) {
        start(chip, row, flow, program);
    }
    for (unsigned flow = 0; flow < row->flows; flow++) {
        struct penrose_place home = home_of(chip, row, flow);
        must(penrose_hart_release(chip, home.x, home.y, PENROSE_BRISC, 0, &error), row->name,
             &error);
    }
    do {
        const struct penrose_run run = {.size = sizeof run, .cycles = 2000};
        if (penrose_run(chip, &run) == PENROSE_FAULT) {
            bench_die(row->name, "a fault");
        }
    } while (!is_done(chip, row));
    for (unsigned flow = 0; flow < row->flows; flow++) {
        struct penrose_place home = home_of(chip, row, flow);
        uint32_t time[2];
        must(penrose_read(chip, home.x, home.y, RESULTS, time, sizeof time, &error), row->name,
             &error);
        double cycles = time[0] - time[1];
        longest = cycles > longest ? cycles : longest;
    }
    penrose_chip_destroy(chip);
    return row->is_round ? longest / ROUNDS - EMPTY_LOOP : longest;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

enum { KEY_ONLY_ROW = 0x100 };

static const struct argp_option own_options[] = {
    {"only", KEY_ONLY_ROW, "ROW", 0, "Measure one row alone", 0}, {0}};

static error_t parse_only(int key, char *argument, struct argp_state *state)
{
    if (key != KEY_ONLY_ROW) {
        return bench_parse_none(key, argument, state);
    }
    ((struct bench_options *)state->input)->only = argument;
    return 0;
}

int main(int argc, char **argv)
{
    struct bench_options options = bench_defaults();
    const struct argp argp = {.options = own_options,
                              .doc = "Times in timed runs beside those of silicon.",
                              .parser = parse_only,
                              .children = (const struct argp_child[]){{.argp = &bench_argp}, {0}}};
    char program[4096];
    double error[ROWS];
    unsigned count = 0, far = 0;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    snprintf(program, sizeof program, "%s/noc_times-flag.elf", options.guests);
    if (access(program, R_OK) != 0) {
        printf("There is no %s: a cross compiler for RISC-V makes it.\n", program);
        return 0;
    }
    printf("%-24s %10s %10s %8s\n", "cycles of", "silicon", "here", "error");
    for (unsigned i = 0; i < ROWS; i++) {
        if (options.only && strcmp(options.only, rows[i].name) != 0) {
            continue;
        }
        double here = measure(&rows[i], program), off = here / rows[i].cycles - 1;
        printf("%-24s %10.1f %10.1f %+7.1f %%\n", rows[i].name, rows[i].cycles, here, 100 * off);
        fflush(stdout);
        far += fabs(off) > 0.15;
        error[count++] = fabs(off);
    }
    qsort(error, count, sizeof *error, compare);
    if (count == 0) {
        bench_die("there is no row", options.only);
    }
    double median = error[count / 2];
    printf("%u rows: median %.1f %%, 90 %% within %.1f %%, worst %.1f %%\n", count, 100 * median,
           100 * error[(count * 9 - 1) / 10], 100 * error[count - 1]);
    return options.check && (median > 0.05 || 10 * far > count);
}
