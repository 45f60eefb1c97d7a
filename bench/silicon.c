/*
 * Times in timed runs beside those of silicon. What was published stands in one table for each part of
 * the chip (silicon_*.def), with what is run for it. docs/TIMING.md says what the errors come from.
 *
 *   silicon [--guests FOLDER] [--only ROW [--flows TILES]] [--check]
 *
 * --flows has so many tiles, or pairs of tiles, make the requests of a row of the NoC.
 * --check ends with 1 if the median of all errors is above 5 %, or more than a tenth of them above 15 %.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "silicon.h"

static const struct silicon_part *const parts[] = {&silicon_hart, &silicon_noc, &silicon_tensix};

enum { PARTS = sizeof parts / sizeof parts[0], MOST_ROWS = 1000, MOST_FAMILIES = 50 };

/* Rows that belong together. */
struct family {
    const char *name;
    double error[MOST_ROWS]; /* absolute; 1 is 100 % */
    unsigned count;
    unsigned missing; /* rows for which nothing is run */
};

void silicon_must(enum penrose_status status, const char *what, const struct penrose_error *error)
{
    if (status != PENROSE_OK) {
        bench_die(what, error->text);
    }
}

/* --- Errors --- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(const struct family *family)
{
    return family->error[family->count / 2];
}

/* Nine tenths of the errors are as small, or smaller. */
static double most(const struct family *family)
{
    return family->error[(family->count * 9 - 1) / 10];
}

static void summarize(struct family *family)
{
    qsort(family->error, family->count, sizeof *family->error, compare);
    printf("%-40s %4u rows", family->name, family->count);
    if (family->count > 0) {
        printf(": median %5.1f %%, 90 %% within %5.1f %%, worst %5.1f %%", 100 * median(family),
               100 * most(family), 100 * family->error[family->count - 1]);
    }
    if (family->missing > 0) {
        printf("; %u more are not run", family->missing);
    }
    printf("\n");
}

/* --- Rows --- */

static void run_row(const struct silicon_part *part, unsigned i,
                    const struct bench_options *options, struct family *family)
{
    const struct silicon_row row = part->row(i);
    if (row.reason) {
        printf("%-28s %12.2f %12s %10s %s\n", row.name, row.cycles, "-", "", row.reason);
        family->missing++;
        return;
    }
    double here = part->measure(i, options), off = here / row.cycles - 1;
    printf("%-28s %12.2f %12.2f %+8.1f %%\n", row.name, row.cycles, here, 100 * off);
    fflush(stdout);
    family->error[family->count++] = fabs(off);
}

static bool can_run(const struct silicon_part *part, const struct bench_options *options)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", options->guests, part->guest ? part->guest : "");
    bool can = !part->guest || access(path, R_OK) == 0;
    if (!can) {
        printf("There is no %s: a cross compiler for RISC-V makes it.\n", path);
    }
    return can;
}

/* Runs the rows of a part, and adds its families behind `count` others; how many there are then. */
static unsigned run_part(const struct silicon_part *part, const struct bench_options *options,
                         struct family *families, unsigned count)
{
    if (!can_run(part, options)) {
        return count;
    }
    for (unsigned i = 0; i < part->rows; i++) {
        const struct silicon_row row = part->row(i);
        if (row.cycles == 0) {
            families[count++].name = row.name;
        } else if (!options->only || strcmp(options->only, row.name) == 0) {
            run_row(part, i, options, &families[count - 1]);
        }
    }
    return count;
}

/* --- The program --- */

enum { KEY_ONLY_ROW = 0x100, KEY_FLOWS };

static const struct argp_option own_options[] = {
    {"only", KEY_ONLY_ROW, "ROW", 0, "Measure one row alone", 0},
    {"flows", KEY_FLOWS, "TILES", 0, "So many tiles make the requests of that row of the NoC", 0},
    {0}};

static error_t parse_only(int key, char *argument, struct argp_state *state)
{
    struct bench_options *options = state->input;
    char *end;
    switch (key) {
    case KEY_ONLY_ROW:
        options->only = argument;
        return 0;
    case KEY_FLOWS:
        options->flows = (unsigned)strtoul(argument, &end, 10);
        if (options->flows == 0 || *end) {
            argp_error(state, "--flows %s: give a number of tiles", argument);
        }
        return 0;
    case ARGP_KEY_END:
        if (options->flows && !options->only) {
            argp_error(state, "--flows is for one row; give it with --only");
        }
        return 0;
    default:
        return bench_parse_none(key, argument, state);
    }
}

int main(int argc, char **argv)
{
    struct bench_options options = bench_defaults();
    const struct argp argp = {.options = own_options,
                              .doc = "Times in timed runs beside those of silicon.",
                              .parser = parse_only,
                              .children = (const struct argp_child[]){{.argp = &bench_argp}, {0}}};
    struct family *families = calloc(MOST_FAMILIES + 1, sizeof *families);
    unsigned count = 0;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (!families) {
        bench_die("rows", "out of memory");
    }
    printf("%-28s %12s %12s %10s\n", "cycles of", "silicon", "here", "error");
    for (unsigned i = 0; i < PARTS; i++) {
        count = run_part(parts[i], &options, families, count);
    }
    printf("\n");
    struct family *all = &families[count];
    all->name = "all";
    for (unsigned i = 0; i < count; i++) {
        const struct family *family = &families[i];
        memcpy(&all->error[all->count], family->error, family->count * sizeof *family->error);
        all->count += family->count;
        all->missing += family->missing;
        if (family->count + family->missing > 0) {
            summarize(&families[i]);
        }
    }
    summarize(all);
    bool is_good = all->count == 0 || (median(all) <= 0.05 && most(all) <= 0.15);
    if (options.only && all->count + all->missing == 0) {
        bench_die("there is no row", options.only);
    }
    free(families);
    return options.check && !is_good;
}
