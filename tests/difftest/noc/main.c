/*
 * difftest-noc: random NoC transactions on two libraries with the libttsim ABI must leave the same
 * memory, registers and counters. See --help, and program.h for what a program is.
 */
#include <argp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/clock.h"
#include "campaign.h"
#include "golden.h"
#include "selftest.h"
#include "shrink.h"
#include "text.h"

enum exit_code { EXIT_SAME = 0, EXIT_DIFFERENT = 1, EXIT_USAGE = 2, EXIT_LIBRARY = 3 };

enum { DEFAULT_TRANSACTIONS = 500000, DEFAULT_TIMEOUT = 30, DEFAULT_CASES = 100 };

struct options {
    struct campaign campaign;
    const char *record, *golden, *replay, *save, *falsify;
    unsigned cases;
    bool self_test, verbose, print;
};

/* --- Modes --- */

/* Shrinks program `number`, prints it and saves it. */
static enum exit_code report(const struct options *options, uint64_t number)
{
    const struct campaign *c = &options->campaign;
    static struct bench bench;
    struct program program, small;
    bench_init(&bench, c->ours, c->reference, c->timeout);
    bench.mutant = c->mutant;
    program_generate(&program, c->seed, number, &c->generate);
    bool shown = program.ok && bench_run(&bench, &program) == VERDICT_DIFFERENT;
    printf("program %" PRIu64 " of seed %" PRIu64 " differs%s\n", number, c->seed,
           shown ? "; the smallest program that shows it:"
                 : " when it runs after others, and not alone:");
    program_init(&small);
    bool is_small = shown && program_shrink(&bench, &program, &small);
    if (is_small) {
        bench_print(&bench, &small, stdout);
    }
    FILE *file = fopen(options->save, "w");
    if (file) {
        if (is_small) {
            bench_print(&bench, &small, file);
        } else {
            program_print(&program, file);
        }
        bool ok = !ferror(file);
        ok = !fclose(file) && ok;
        printf(ok ? "saved in %s; --replay runs it again\n" : "cannot write %s\n", options->save);
    } else {
        printf("cannot write %s\n", options->save);
    }
    program_free(&small);
    program_free(&program);
    bench_stop(&bench);
    return EXIT_DIFFERENT;
}

static enum exit_code run_campaign(const struct options *options)
{
    static struct tally tally;
    char trouble[MESSAGE_SIZE] = "";
    uint64_t different = 0;
    uint64_t start = host_nanoseconds();
    enum campaign_result result = campaign_run(&options->campaign, &tally, &different, trouble);
    double seconds = seconds_since(start);
    tally_print(&tally, stdout);
    printf("%12.0f  transactions a second in %.1f s, seed %" PRIu64
           "; until the answer: ours %.1f s, reference %.1f s\n",
           seconds > 0 ? (double)tally.transactions / seconds : 0.0, seconds,
           options->campaign.seed, tally.ours_seconds, tally.reference_seconds);
    if (result == CAMPAIGN_TROUBLE) {
        fprintf(stderr, "difftest-noc: %s\n", trouble);
        return EXIT_LIBRARY;
    }
    if (result == CAMPAIGN_DIFFERENT) {
        return report(options, different);
    }
    /* A program that hangs on both sides is the generator's mistake, and hides what it tests. */
    return tally.endless || tally.refused ? EXIT_DIFFERENT : EXIT_SAME;
}

static enum exit_code run_golden(const struct options *options)
{
    static const enum exit_code codes[] = {
        [GOLDEN_SAME] = EXIT_SAME,
        [GOLDEN_DIFFERENT] = EXIT_DIFFERENT,
        [GOLDEN_USELESS] = EXIT_USAGE,
        [GOLDEN_TROUBLE] = EXIT_LIBRARY,
    };
    const struct campaign *c = &options->campaign;
    static struct bench bench;
    enum golden_result result;
    bench_init(&bench, c->ours, c->reference, c->timeout);
    bench.mutant = c->mutant;
    if (options->record) {
        result = golden_record(&bench, c->seed, options->cases, options->record);
    } else {
        result = golden_replay(&bench, options->golden ? options->golden : options->replay,
                               c->reference && c->ours);
    }
    bench_stop(&bench);
    return codes[result];
}

static enum exit_code print_program(const struct options *options)
{
    struct program program;
    program_generate(&program, options->campaign.seed, options->campaign.first,
                     &options->campaign.generate);
    program_print(&program, stdout);
    program_free(&program);
    return EXIT_SAME;
}

/* --- Command line --- */

enum {
    KEY_OURS = 256,
    KEY_REFERENCE,
    KEY_TIMEOUT,
    KEY_PROGRAMS,
    KEY_FIRST,
    KEY_TILES,
    KEY_COMPACT,
    KEY_GO_ON,
    KEY_PRINT,
    KEY_SAVE,
    KEY_REPLAY,
    KEY_RECORD,
    KEY_CASES,
    KEY_GOLDEN,
    KEY_SELF_TEST,
    KEY_FALSIFY,
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "Libraries (any two with the libttsim ABI):", 1},
    {"ours", KEY_OURS, "LIB", 0, "The library under test", 1},
    {"reference", KEY_REFERENCE, "LIB", 0, "The library that is right", 1},
    {"timeout", KEY_TIMEOUT, "S", 0, "Seconds that a library may take for a program (30)", 1},
    {NULL, 0, NULL, 0, "Random programs:", 2},
    {"transactions", 'n', "N", 0, "Compare at least N transactions (500000)", 2},
    {"programs", KEY_PROGRAMS, "N", 0, "Run at most N programs", 2},
    {"first", KEY_FIRST, "N", 0, "Begin with program N (0)", 2},
    {"seed", 's', "S", 0, "Seed of the programs (1)", 2},
    {"tiles-only", KEY_TILES, NULL, 0, "Tensix tiles alone: no DRAM, Ethernet or ARC", 2},
    {"compact", KEY_COMPACT, NULL, 0, "Small programs, as golden cases are", 2},
    {"go-on", KEY_GO_ON, NULL, 0, "Run past programs that differ, and list them", 2},
    {"print", KEY_PRINT, NULL, 0, "Only print the first program", 2},
    {"save", KEY_SAVE, "FILE", 0, "Where a program that differs goes (difftest-noc.case)", 2},
    {NULL, 0, NULL, 0, "Saved programs:", 3},
    {"replay", KEY_REPLAY, "FILE", 0, "Run a saved program again", 3},
    {"record", KEY_RECORD, "DIR", 0, "Write golden cases with the reference's answers", 3},
    {"cases", KEY_CASES, "N", 0, "Golden cases of a file (100)", 3},
    {"golden", KEY_GOLDEN, "DIR", 0, "Run golden cases on --ours; needs no reference", 3},
    {NULL, 0, NULL, 0, "The tester itself:", 4},
    {"self-test", KEY_SELF_TEST, NULL, 0,
     "Run one library against itself, with falsified transactions that must be found and isolated",
     4},
    {"falsify", KEY_FALSIFY, "ROW", 0, "Compare with this row of mutants.def falsified", 4},
    {"verbose", 'v', NULL, 0, "Say more", 4},
    {NULL, 0, NULL, 0, NULL, 0},
};

static uint64_t number(struct argp_state *state, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    uint64_t value = strtoull(text, &end, 0);
    if (end == text || *end || *text == '-' || value < least || value > most) {
        argp_error(state, "\"%s\" is no number from %" PRIu64 " to %" PRIu64, text, least, most);
    }
    return value;
}

static error_t parse_mode(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case KEY_RECORD:
        options->record = argument;
        break;
    case KEY_CASES:
        options->cases = (unsigned)number(state, argument, 1, 100000);
        break;
    case KEY_GOLDEN:
        options->golden = argument;
        break;
    case KEY_REPLAY:
        options->replay = argument;
        break;
    case KEY_SAVE:
        options->save = argument;
        break;
    case KEY_SELF_TEST:
        options->self_test = true;
        break;
    case KEY_FALSIFY:
        options->falsify = argument;
        break;
    case KEY_PRINT:
        options->print = true;
        break;
    case 'v':
        options->verbose = true;
        break;
    case ARGP_KEY_ARG:
        argp_error(state, "what is \"%s\"?", argument);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct campaign *c = &((struct options *)state->input)->campaign;
    switch (key) {
    case KEY_OURS:
        c->ours = argument;
        break;
    case KEY_REFERENCE:
        c->reference = argument;
        break;
    case KEY_TIMEOUT:
        c->timeout = (unsigned)number(state, argument, 1, 86400);
        break;
    case 'n':
        c->transactions = number(state, argument, 1, UINT64_MAX);
        break;
    case 's':
        c->seed = number(state, argument, 0, UINT64_MAX);
        break;
    case KEY_PROGRAMS:
        c->programs = number(state, argument, 1, UINT64_MAX);
        break;
    case KEY_FIRST:
        c->first = number(state, argument, 0, UINT64_MAX / 2);
        break;
    case KEY_TILES:
        c->generate.tiles_only = true;
        break;
    case KEY_COMPACT:
        c->generate.compact = true;
        break;
    case KEY_GO_ON:
        c->goes_on = true;
        break;
    default:
        return parse_mode(key, argument, state);
    }
    return 0;
}

static const char text_of_help[] =
    "Compares two simulators of Blackhole chips by running random NoC transactions on both."
    "\v"
    "Each library runs in a process of its own and is reached by BAR accesses alone. Harts of 4 to "
    "20 tiles start reads, writes, inline writes, increments and multicasts on both NoCs, to L1, "
    "DRAM, Ethernet tiles, ARC memory and registers, with barriers of their own between phases. "
    "Nothing depends on time, so memory, registers and counters must agree. A program that differs "
    "is made as small as possible, printed and saved.\n\n"
    "Examples:\n"
    "  difftest-noc --ours ./libttsim.so --reference other.so -n 500000\n"
    "  difftest-noc --ours ./libttsim.so --golden tests/golden/noc\n\n"
    "Exit codes: 0 no mismatch, 1 a mismatch or a program without an end (or a failed self-test), "
    "2 wrong use or unreadable files, 3 a library could not be used.";

static const struct argp argp = {option_list, parse_option, NULL, text_of_help, NULL, NULL, NULL};

/* The library must be there and usable. */
static bool check_library(const struct options *options, const char *path, const char *option)
{
    static struct side side;
    char message[MESSAGE_SIZE];
    side_init(&side, TESTER, path, option, options->campaign.timeout);
    bool ok = side_open(&side, message);
    side_stop(&side);
    if (!ok) {
        fprintf(stderr, "difftest-noc: cannot use %s %s: %s\n", option, path, message);
    }
    return ok;
}

/* Which libraries the mode needs; EXIT_SAME: they are there. */
static enum exit_code check_libraries(struct options *options)
{
    struct campaign *c = &options->campaign;
    if (options->self_test) {
        c->ours = c->ours ? c->ours : c->reference;
        c->reference = c->ours;
        c->generate.compact = true;
    }
    bool needs_ours = !options->record;
    bool needs_reference = !options->golden && !options->replay;
    if ((needs_ours && !c->ours) || (needs_reference && !c->reference)) {
        fprintf(stderr, "difftest-noc: %s is missing; try --help\n",
                needs_ours && !c->ours ? "--ours" : "--reference");
        return EXIT_USAGE;
    }
    bool ok = (!c->ours || check_library(options, c->ours, "--ours")) &&
              (!c->reference || check_library(options, c->reference, "--reference"));
    return ok ? EXIT_SAME : EXIT_LIBRARY;
}

static enum exit_code run(struct options *options)
{
    if (options->print) {
        return print_program(options);
    }
    if (options->falsify && !(options->campaign.mutant = mutant_named(options->falsify))) {
        fprintf(stderr, "difftest-noc: mutants.def has no row %s\n", options->falsify);
        return EXIT_USAGE;
    }
    enum exit_code code = check_libraries(options);
    if (code != EXIT_SAME) {
        return code;
    }
    if (options->self_test) {
        return selftest(&options->campaign, options->verbose) ? EXIT_SAME : EXIT_DIFFERENT;
    }
    bool by_file = options->record || options->golden || options->replay;
    return by_file ? run_golden(options) : run_campaign(options);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--worker")) {
        return worker_main(argv[2]);
    }
    struct options options = {
        .campaign = {.seed = 1,
                     .transactions = DEFAULT_TRANSACTIONS,
                     .timeout = DEFAULT_TIMEOUT,
                     .progress = isatty(STDERR_FILENO)},
        .cases = DEFAULT_CASES,
        .save = "difftest-noc.case",
    };
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    signal(SIGPIPE, SIG_IGN); /* a worker that died is noticed when its answer is read */
    return (int)run(&options);
}
