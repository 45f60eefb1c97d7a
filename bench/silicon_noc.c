/*
 * Requests to the NoC and to GDDR: silicon_noc.def says what was published, and the guest program
 * firmware/bare/noc_times.c repeats it.
 */
#include <stdio.h>

#include "silicon.h"

enum peer {
    ROW_NEIGHBOUR, /* the next worker of the row, whose turn is over: pairs do not overlap */
    OWN,
    COLUMN,
    FOUR_FURTHER, /* four workers further in the row */
    BOTH,         /* another row and column */
    BANK,         /* the first bank of GDDR */
    RING,         /* the same of a p100a, so that NoC 1 leads all round the row */
};

struct work {
    bool writes;
    unsigned noc, size, requests;
    enum peer to;
};

struct noc_row {
    const char *name;
    double cycles;
    unsigned flows;
    struct work work;
};

static const struct noc_row rows[] = {
#define FAMILY(name)                  {name, 0, 0, {0}},
#define ROW(name, cycles, flows, ...) {#name, cycles, flows, {__VA_ARGS__}},
#include "silicon_noc.def"
};

enum { ROWS = sizeof rows / sizeof rows[0], MOST_FLOWS = 140 };

enum {
    MAILBOX = 0x8000,
    RESULTS = 0x8038,
    IS_DONE = 0x807c,
    AT_HOME = 0x20000,
    AT_PEER = 0x60000,
};

/* As noc_times.c has them. */
struct parameters {
    uint32_t writes, noc, tile, at_peer, at_home, size, requests, barriers, step, steps;
};

static struct penrose_place find(struct penrose_chip *chip, enum penrose_tile_kind kind,
                                 unsigned index)
{
    struct penrose_place at = {0};
    if (!penrose_tile_at(chip, kind, index, &at)) {
        bench_die("the chip has too few tiles", penrose_tile_kind_name(kind));
    }
    return at;
}

/* The worker that begins with number `flow`: pairs are neighbours, in the sense of the NoC. */
static struct penrose_place home_of(struct penrose_chip *chip, const struct noc_row *row,
                                    unsigned flow)
{
    switch (row->work.to) {
    case ROW_NEIGHBOUR:
        return find(chip, PENROSE_TILE_TENSIX, 2 * flow + row->work.noc);
    case RING:
        return find(chip, PENROSE_TILE_TENSIX, 2 * flow);
    default:
        return find(chip, PENROSE_TILE_TENSIX, flow);
    }
}

static struct penrose_place peer_of(struct penrose_chip *chip, const struct noc_row *row,
                                    unsigned flow)
{
    enum { WORKERS_OF_ROW = 14 };
    struct penrose_place home = home_of(chip, row, flow);
    switch (row->work.to) {
    case ROW_NEIGHBOUR:
        return find(chip, PENROSE_TILE_TENSIX, 2 * flow + !row->work.noc);
    case RING:
        return find(chip, PENROSE_TILE_TENSIX, 2 * flow + 1);
    case OWN:
        return home;
    case FOUR_FURTHER:
        return find(chip, PENROSE_TILE_TENSIX, flow + 4);
    case COLUMN:
        return find(chip, PENROSE_TILE_TENSIX, WORKERS_OF_ROW + flow);
    case BOTH:
        return find(chip, PENROSE_TILE_TENSIX, WORKERS_OF_ROW + flow + 1);
    case BANK:
        break;
    }
    return find(chip, PENROSE_TILE_DRAM, 0);
}

static void start(struct penrose_chip *chip, const struct noc_row *row, unsigned flow,
                  const char *program)
{
    struct penrose_error error;
    struct penrose_place home = home_of(chip, row, flow), peer = peer_of(chip, row, flow);
    const struct work *work = &row->work;
    const struct parameters parameters = {
        .writes = work->writes,
        .noc = work->noc,
        .tile = (uint32_t)(peer.y << 6 | peer.x),
        .at_peer = work->to == BANK ? flow * 0x200000 : AT_PEER,
        .at_home = AT_HOME,
        .size = work->size,
        .requests = work->requests ? work->requests : 1,
        .barriers = 1,
        .steps = 1,
    };
    silicon_must(penrose_load_program(chip, home.x, home.y, PENROSE_BRISC, program, NULL, &error),
                 program, &error);
    silicon_must(
        penrose_write(chip, home.x, home.y, MAILBOX, &parameters, sizeof parameters, &error),
        "parameters", &error);
}

static bool is_done(struct penrose_chip *chip, const struct noc_row *row)
{
    struct penrose_error error;
    for (unsigned flow = 0; flow < row->flows; flow++) {
        struct penrose_place home = home_of(chip, row, flow);
        uint32_t done;
        silicon_must(penrose_read(chip, home.x, home.y, IS_DONE, &done, sizeof done, &error),
                     row->name, &error);
        if (!done) {
            return false;
        }
    }
    return true;
}

/* The longest time that a tile took, less what reading the clock takes. */
static double measure(const struct noc_row *row, const char *program, const char *costs)
{
    struct penrose_error error;
    struct penrose_options options = {.size = sizeof options, .timed = true, .costs = costs};
    options.card = row->work.to == RING ? "p100a" : NULL;
    struct penrose_chip *chip;
    double longest = 0;
    silicon_must(penrose_chip_create(&options, &chip, &error), "a chip", &error);
    for (unsigned flow = 0; flow < row->flows; flow++) {
        start(chip, row, flow, program);
    }
    for (unsigned flow = 0; flow < row->flows; flow++) {
        struct penrose_place home = home_of(chip, row, flow);
        silicon_must(penrose_hart_release(chip, home.x, home.y, PENROSE_BRISC, 0, &error),
                     row->name, &error);
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
        silicon_must(penrose_read(chip, home.x, home.y, RESULTS, time, sizeof time, &error),
                     row->name, &error);
        double cycles = time[0] - time[1];
        longest = cycles > longest ? cycles : longest;
    }
    penrose_chip_destroy(chip);
    return longest;
}

static struct silicon_row noc_row_of(unsigned row)
{
    return (struct silicon_row){rows[row].name, rows[row].cycles, NULL};
}

static double noc_measure(unsigned row, const struct bench_options *options)
{
    char program[4096];
    snprintf(program, sizeof program, "%s/%s", options->guests, silicon_noc.guest);
    struct noc_row wanted = rows[row];
    wanted.flows = options->flows ? options->flows : wanted.flows;
    return measure(&wanted, program, options->costs);
}

const struct silicon_part silicon_noc = {
    .rows = ROWS,
    .row = noc_row_of,
    .measure = noc_measure,
    .guest = "noc_times-flag.elf",
};
