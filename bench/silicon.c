/*
 * Times in timed runs beside those of silicon. What was published stands in one table for each part of
 * the chip (silicon_*.def), with what is run for it. docs/TIMING.md says what the errors come from.
 *
 *   silicon [--guests FOLDER] [--only ROW [--flows TILES]] [--guesses] [--csv FILE] [--check]
 *
 * --flows has so many tiles, or pairs of tiles, run a row of the NoC or of GDDR.
 * --guesses runs each row once more without the costs that are guesses (timing.def, hart_times.def), and
 * tells what share of its cycles goes with them.
 * --csv writes the rows to a file, too; bench/scatter.py draws them.
 * --check ends with 1 if the median of all errors is above 5 %, or more than a tenth of them above 15 %.
 */
#include <errno.h>
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
    double guess[MOST_ROWS]; /* shares of cycles, of the same rows */
    unsigned missing;        /* rows for which nothing is run */
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

/* Of at least one number, in order. */
static double median(const double *numbers, unsigned count)
{
    return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

/* Nine tenths of the numbers, in order, are as small, or smaller. */
static double most(const double *numbers, unsigned count)
{
    return numbers[(count * 9 - 1) / 10];
}

static void summarize(struct family *family, bool has_guesses)
{
    const unsigned count = family->count;
    qsort(family->error, count, sizeof *family->error, compare);
    qsort(family->guess, count, sizeof *family->guess, compare);
    printf("%-40s %4u rows", family->name, count);
    if (count > 0) {
        printf(": median %5.1f %%, 90 %% within %5.1f %%, worst %5.1f %%",
               100 * median(family->error, count), 100 * most(family->error, count),
               100 * family->error[count - 1]);
    }
    if (count > 0 && has_guesses) {
        printf("; guesses: median %.1f %%, most %.1f %%", 100 * median(family->guess, count),
               100 * family->guess[count - 1]);
    }
    if (family->missing > 0) {
        printf("; %u more are not run", family->missing);
    }
    printf("\n");
}

/* --- Rows --- */

/* The share of a row's cycles that goes where guesses cost nothing. Some rows are speeds. */
static double share_of_guesses(const struct silicon_part *part, unsigned i,
                               const struct bench_options *options, double here)
{
    struct bench_options without = *options;
    without.costs = "guesses=free";
    const double then = part->measure(i, &without);
    return then < here ? 1 - then / here : 1 - here / then;
}

static void run_row(const struct silicon_part *part, unsigned i,
                    const struct bench_options *options, FILE *csv, struct family *family)
{
    const struct silicon_row row = part->row(i);
    if (row.reason) {
        printf("%-34s %12.2f %12s %10s %s\n", row.name, row.cycles, "-", "", row.reason);
        family->missing++;
        return;
    }
    double here = part->measure(i, options), off = here / row.cycles - 1;
    double guess = options->guesses ? share_of_guesses(part, i, options, here) : 0;
    printf("%-34s %12.2f %12.2f %+8.1f %%", row.name, row.cycles, here, 100 * off);
    if (options->guesses) {
        printf(" %10.1f %%", 100 * guess);
    }
    printf("\n");
    fflush(stdout);
    if (csv) {
        fprintf(csv, "%s,\"%s\",%g,%g,%.4f,", row.name, family->name, row.cycles, here, off);
        if (options->guesses) {
            fprintf(csv, "%.4f", guess);
        }
        fprintf(csv, "\n");
    }
    family->guess[family->count] = guess;
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
                         FILE *csv, struct family *families, unsigned count)
{
    if (!can_run(part, options)) {
        return count;
    }
    for (unsigned i = 0; i < part->rows; i++) {
        const struct silicon_row row = part->row(i);
        if (row.cycles == 0) {
            families[count++].name = row.name;
        } else if (!options->only || strcmp(options->only, row.name) == 0) {
            run_row(part, i, options, csv, &families[count - 1]);
        }
    }
    return count;
}

/* --- Rows of the source --- */

/* An id of the source is a name with a dot; of several rows of one id, each has "/" and more behind it. */
static size_t id_length(const char *name)
{
    return strchr(name, '.') ? strcspn(name, "/") : 0;
}

static bool is_same_id(const char *name, const char *other)
{
    return id_length(name) == id_length(other) && strncmp(name, other, id_length(name)) == 0;
}

/* Rows of one id stand together. */
static void count_ids(void)
{
    unsigned with = 0, without = 0;
    const char *last = "";
    for (unsigned i = 0; i < PARTS; i++) {
        for (unsigned j = 0; j < parts[i]->rows; j++) {
            const struct silicon_row row = parts[i]->row(j);
            if (row.cycles > 0 && id_length(row.name) > 0 && !is_same_id(row.name, last)) {
                with += row.reason == NULL;
                without += row.reason != NULL;
                last = row.name;
            }
        }
    }
    printf("Of %u rows of the source %u have a program, and %u are listed without one.\n",
           with + without, with, without);
}

/* --- The program --- */

enum { KEY_ONLY_ROW = 0x100, KEY_FLOWS, KEY_CSV, KEY_GUESSES };

static const struct argp_option own_options[] = {
    {"only", KEY_ONLY_ROW, "ROW", 0, "Measure one row alone", 0},
    {"flows", KEY_FLOWS, "TILES", 0, "So many tiles run that row of the NoC or of GDDR", 0},
    {"csv", KEY_CSV, "FILE", 0, "Write the rows to a file, too", 0},
    {"guesses", KEY_GUESSES, NULL, 0, "Say what share of each row's cycles rests on guesses", 0},
    {0}};

static error_t parse_only(int key, char *argument, struct argp_state *state)
{
    struct bench_options *options = state->input;
    char *end;
    switch (key) {
    case KEY_ONLY_ROW:
        options->only = argument;
        return 0;
    case KEY_CSV:
        options->csv = argument;
        return 0;
    case KEY_GUESSES:
        options->guesses = true;
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
    FILE *csv = options.csv ? fopen(options.csv, "w") : NULL;
    if (options.csv && !csv) {
        bench_die(options.csv, strerror(errno));
    }
    if (csv) {
        fprintf(csv, "row,family,silicon,here,error,guess\n");
    }
    printf("%-34s %12s %12s %10s%s\n", "cycles of", "silicon", "here", "error",
           options.guesses ? "      guesses" : "");
    for (unsigned i = 0; i < PARTS; i++) {
        count = run_part(parts[i], &options, csv, families, count);
    }
    if (csv && fclose(csv) != 0) {
        bench_die(options.csv, strerror(errno));
    }
    printf("\n");
    struct family *all = &families[count];
    all->name = "all";
    for (unsigned i = 0; i < count; i++) {
        const struct family *family = &families[i];
        memcpy(&all->error[all->count], family->error, family->count * sizeof *family->error);
        memcpy(&all->guess[all->count], family->guess, family->count * sizeof *family->guess);
        all->count += family->count;
        all->missing += family->missing;
        if (family->count + family->missing > 0) {
            summarize(&families[i], options.guesses);
        }
    }
    summarize(all, options.guesses);
    if (!options.only) {
        count_ids();
    }
    bool is_good = all->count == 0 ||
                   (median(all->error, all->count) <= 0.05 && most(all->error, all->count) <= 0.15);
    if (options.only && all->count + all->missing == 0) {
        bench_die("there is no row", options.only);
    }
    free(families);
    return options.check && !is_good;
}
