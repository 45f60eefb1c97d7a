/*
 * difftest-noc: random NoC transactions on two libraries with the libttsim ABI must leave the same
 * memory, registers and counters. See --help, and program.h for what a program is.
 */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../common/clock.h"
#include "../common/command.h"
#include "campaign.h"
#include "golden.h"
#include "selftest.h"
#include "shrink.h"
#include "text.h"

enum { DEFAULT_TRANSACTIONS = 500000, DEFAULT_TIMEOUT = 30, DEFAULT_CASES = 100 };

struct options {
    struct campaign campaign;
    struct mode mode;
    const char *save, *falsify;
    uint32_t cases;
    bool verbose, print;
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
    if (file && is_small) {
        bench_print(&bench, &small, file);
    } else if (file) {
        program_print(&program, file);
    }
    case_saved(file, options->save);
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
        fprintf(stderr, TESTER ": %s\n", trouble);
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
    const struct campaign *c = &options->campaign;
    static struct bench bench;
    enum golden_result result;
    bench_init(&bench, c->ours, c->reference, c->timeout);
    bench.mutant = c->mutant;
    if (options->mode.record) {
        result = golden_record(&bench, c->seed, options->cases, options->mode.record);
    } else {
        result = golden_replay(&bench,
                               options->mode.golden ? options->mode.golden : options->mode.replay,
                               c->reference && c->ours);
    }
    bench_stop(&bench);
    return golden_exit_code(result);
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

#define AT(member) offsetof(struct options, member)

static const struct setting settings[] = {
    {KEY_OURS, SETTING_TEXT, AT(campaign.ours), 0, 0},
    {KEY_REFERENCE, SETTING_TEXT, AT(campaign.reference), 0, 0},
    {KEY_TIMEOUT, SETTING_NUMBER, AT(campaign.timeout), 1, 86400},
    {'n', SETTING_LARGE, AT(campaign.transactions), 1, UINT64_MAX},
    {KEY_PROGRAMS, SETTING_LARGE, AT(campaign.programs), 1, UINT64_MAX},
    {KEY_FIRST, SETTING_LARGE, AT(campaign.first), 0, UINT64_MAX / 2},
    {'s', SETTING_LARGE, AT(campaign.seed), 0, UINT64_MAX},
    {KEY_TILES, SETTING_FLAG, AT(campaign.generate.tiles_only), 0, 0},
    {KEY_COMPACT, SETTING_FLAG, AT(campaign.generate.compact), 0, 0},
    {KEY_GO_ON, SETTING_FLAG, AT(campaign.goes_on), 0, 0},
    {KEY_PRINT, SETTING_FLAG, AT(print), 0, 0},
    {KEY_SAVE, SETTING_TEXT, AT(save), 0, 0},
    {KEY_REPLAY, SETTING_TEXT, AT(mode.replay), 0, 0},
    {KEY_RECORD, SETTING_TEXT, AT(mode.record), 0, 0},
    {KEY_CASES, SETTING_NUMBER, AT(cases), 1, 100000},
    {KEY_GOLDEN, SETTING_TEXT, AT(mode.golden), 0, 0},
    {KEY_SELF_TEST, SETTING_FLAG, AT(mode.self_test), 0, 0},
    {KEY_FALSIFY, SETTING_TEXT, AT(falsify), 0, 0},
    {'v', SETTING_FLAG, AT(verbose), 0, 0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    return setting_parse(settings, sizeof settings / sizeof settings[0], key, argument, state);
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

static enum exit_code run(struct options *options)
{
    struct campaign *c = &options->campaign;
    if (options->print) {
        return print_program(options);
    }
    if (options->falsify && !(c->mutant = mutant_named(options->falsify))) {
        fprintf(stderr, TESTER ": mutants.def has no row %s\n", options->falsify);
        return EXIT_USAGE;
    }
    enum exit_code code =
        libraries_check(TESTER, &options->mode, &c->ours, &c->reference, c->timeout);
    if (code != EXIT_SAME) {
        return code;
    }
    if (options->mode.self_test) {
        c->generate.compact = true;
        return selftest(&options->campaign, options->verbose) ? EXIT_SAME : EXIT_DIFFERENT;
    }
    return mode_uses_files(&options->mode) ? run_golden(options) : run_campaign(options);
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
        .save = TESTER ".case",
    };
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    signal(SIGPIPE, SIG_IGN); /* a worker that died is noticed when its answer is read */
    return (int)run(&options);
}
