/*
 * difftest-tensix: random programs for the Tensix coprocessor on two libraries with the libttsim
 * ABI must leave the same state. See --help, and program.h for what a program is.
 */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../common/clock.h"
#include "../common/command.h"
#include "campaign.h"
#include "explain.h"
#include "golden.h"
#include "selftest.h"
#include "shrink.h"

enum {
    DEFAULT_INSTRUCTIONS = 2000000,
    DEFAULT_TIMEOUT = 30,
    DEFAULT_PER_ROW = 24,
    MOST_JOBS = 256,
    FREE_STEPS = 4,
    FREE_PROGRAMS = 1024,
};

enum { MOST_IGNORED = 16 };

struct options {
    struct campaign campaign;
    const char *ignored[MOST_IGNORED];
    unsigned ignores;
    struct mode mode;
    const char *rows, *without, *save, *falsify;
    uint32_t per_row;
    uint64_t survey;
    bool later, list, verbose;
};

/* --- Modes --- */

/* Shrinks program `number`, prints it and saves it. */
static enum exit_code report(const struct options *options, uint64_t number)
{
    const struct campaign *c = &options->campaign;
    static struct bench bench;
    struct program program, small;
    bench_init(&bench, c->map, c->ours, c->reference, c->timeout);
    bench.mutant = c->mutant;
    program_generate(&program, c->rules, c->map, c->seed, number, &c->generate);
    bool shown = program.ok && bench_run(&bench, &program) == VERDICT_DIFFERENT;
    printf("program %" PRIu64 " of seed %" PRIu64 " differs%s\n", number, c->seed,
           shown ? "; the smallest program that shows it:"
                 : " when it runs among others, and not alone:");
    program_init(&small);
    if (shown && program.vector) {
        vector_explain(&bench, &program, stdout);
        shown = bench_run(&bench, &program) == VERDICT_DIFFERENT;
    }
    if (shown && program_shrink(&bench, &program, &small)) {
        bench_print(&bench, &small, stdout);
    }
    FILE *file = fopen(options->save, "w");
    if (file && small.steps) {
        bench_print(&bench, &small, file);
    } else if (file) {
        program_print(&program, NULL, c->map, file);
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
    char trouble[MESSAGE_SIZE];
    uint64_t different = 0;
    uint64_t start = host_nanoseconds();
    enum campaign_result result = campaign_run(&options->campaign, &tally, &different, trouble);
    double seconds = seconds_since(start);
    tally_print(&tally, stdout);
    printf("%12.0f  instructions a second, %u jobs, seed %" PRIu64 "\n",
           seconds > 0 ? (double)tally.instructions / seconds : 0.0, options->campaign.jobs,
           options->campaign.seed);
    if (result == CAMPAIGN_TROUBLE) {
        fprintf(stderr, TESTER ": %s\n", trouble);
        return EXIT_LIBRARY;
    }
    if (result == CAMPAIGN_DIFFERENT) {
        return report(options, different);
    }
    /* A program that hangs on both sides is the generator's mistake, and hides what it tests. */
    return tally.endless && !options->campaign.generate.free ? EXIT_DIFFERENT : EXIT_SAME;
}

static enum exit_code run_golden(const struct options *options)
{
    const struct campaign *c = &options->campaign;
    static struct bench bench;
    enum golden_result result;
    bench_init(&bench, c->map, c->ours, c->reference, c->timeout);
    bench.mutant = c->mutant;
    bench.verbose = options->verbose;
    if (options->mode.record) {
        result = golden_record(&bench, c->rules, c->seed, options->per_row, options->mode.record);
    } else {
        result = golden_replay(&bench,
                               options->mode.golden ? options->mode.golden : options->mode.replay,
                               c->reference && c->ours);
    }
    bench_stop(&bench);
    return golden_exit_code(result);
}

static void list_rules(const struct rules *rules)
{
    for (unsigned i = 0; i < rules->rules; i++) {
        const struct rule *rule = &rules->rule[i];
        printf("%-24s weight %2u%s\n", rule->token, rule->weight,
               rule->when == RULE_SCENE    ? ", with --scenes"
               : rule->when == RULE_VECTOR ? ", with --vector"
               : rule->when == RULE_LATER  ? ", with --later or in --rows"
                                           : "");
    }
}

/* --- Command line --- */

enum {
    KEY_OURS = 256,
    KEY_REFERENCE,
    KEY_ROWS,
    KEY_WITHOUT,
    KEY_PROGRAMS,
    KEY_FREE,
    KEY_UNFENCED,
    KEY_UNNAMED,
    KEY_LATER,
    KEY_SCENES,
    KEY_VECTOR,
    KEY_SURVEY,
    KEY_STEPS,
    KEY_TIMEOUT,
    KEY_IGNORE,
    KEY_RECORD,
    KEY_PER_ROW,
    KEY_GOLDEN,
    KEY_REPLAY,
    KEY_SAVE,
    KEY_SELF_TEST,
    KEY_FALSIFY,
    KEY_LIST,
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "Libraries (any two with the libttsim ABI):", 1},
    {"ours", KEY_OURS, "LIB", 0, "The library under test", 1},
    {"reference", KEY_REFERENCE, "LIB", 0, "The library that is right", 1},
    {"timeout", KEY_TIMEOUT, "S", 0, "Seconds that a library may take for a program (30)", 1},
    {"ignore", KEY_IGNORE, "TEXT", 0,
     "Leave out state whose name contains TEXT, such as \"stream[0]\" or \".adc\"; may be repeated",
     1},
    {NULL, 0, NULL, 0, "Random programs:", 2},
    {"instructions", 'n', "N", 0, "Compare at least N executed instructions (2000000)", 2},
    {"programs", KEY_PROGRAMS, "N", 0,
     "Run at most N programs, in rounds of 256 (as many as the instructions take; 1024 with "
     "--free)",
     2},
    {"seed", 's', "S", 0, "Seed of the programs (1)", 2},
    {"jobs", 'j', "N", 0,
     "Run N programs side by side (all processors); results do not depend on it", 2},
    {"rows", KEY_ROWS, "A,B", 0, "Only these instructions: rows of rules.def, or mnemonics", 2},
    {"without", KEY_WITHOUT, "A,B", 0, "Not these instructions", 2},
    {"later", KEY_LATER, NULL, 0, "Also the rows that rules.def marks LATER", 2},
    {"scenes", KEY_SCENES, NULL, 0,
     "Scenes of the data path (unpackers, Matrix Unit, packer) instead, with the rows that "
     "rules.def "
     "marks SCENE",
     2},
    {"vector", KEY_VECTOR, NULL, 0,
     "Programs of the Vector Unit instead, with the rows that rules.def marks VECTOR", 2},
    {"survey", KEY_SURVEY, "N", 0,
     "With --vector: run N programs, past those that differ, and list the instructions with which "
     "differences begin",
     2},
    {"steps", KEY_STEPS, "N", 0, "Make programs of about N steps (60 to 2400)", 2},
    {"free", KEY_FREE, NULL, 0,
     "Leave out what keeps the reference from refusing programs; counts the refusals", 2},
    {"unfenced", KEY_UNFENCED, NULL, 0,
     "Do not wait between units that share GPRs: libraries that model time may differ", 2},
    {"unnamed", KEY_UNNAMED, NULL, 0, "Also set configuration bits that belong to no field", 2},
    {"save", KEY_SAVE, "FILE", 0, "Where a program that differs goes (difftest-tensix.case)", 2},
    {NULL, 0, NULL, 0, "Saved programs:", 3},
    {"replay", KEY_REPLAY, "FILE", 0, "Run a saved program again", 3},
    {"record", KEY_RECORD, "DIR", 0,
     "Write golden cases for each row, with the reference's answers", 3},
    {"per-row", KEY_PER_ROW, "N", 0, "Golden cases of a row (24)", 3},
    {"golden", KEY_GOLDEN, "DIR", 0, "Run golden cases on --ours; needs no reference", 3},
    {NULL, 0, NULL, 0, "The tester itself:", 4},
    {"self-test", KEY_SELF_TEST, NULL, 0,
     "Run one library (--ours or --reference) against itself, with falsified instructions that "
     "must "
     "be found and isolated",
     4},
    {"falsify", KEY_FALSIFY, "ROW", 0, "Compare with this row of mutants.def falsified", 4},
    {"list", KEY_LIST, NULL, 0, "List the rows of rules.def", 4},
    {"verbose", 'v', NULL, 0, "Say more", 4},
    {NULL, 0, NULL, 0, NULL, 0},
};

#define AT(member) offsetof(struct options, member)

static const struct setting settings[] = {
    {KEY_OURS, SETTING_TEXT, AT(campaign.ours), 0, 0},
    {KEY_REFERENCE, SETTING_TEXT, AT(campaign.reference), 0, 0},
    {KEY_TIMEOUT, SETTING_NUMBER, AT(campaign.timeout), 1, 86400},
    {'n', SETTING_LARGE, AT(campaign.instructions), 1, UINT64_MAX},
    {KEY_PROGRAMS, SETTING_LARGE, AT(campaign.programs), 1, UINT64_MAX / 2},
    {'s', SETTING_LARGE, AT(campaign.seed), 0, UINT64_MAX},
    {'j', SETTING_NUMBER, AT(campaign.jobs), 1, MOST_JOBS},
    {KEY_ROWS, SETTING_TEXT, AT(rows), 0, 0},
    {KEY_WITHOUT, SETTING_TEXT, AT(without), 0, 0},
    {KEY_LATER, SETTING_FLAG, AT(later), 0, 0},
    {KEY_SURVEY, SETTING_LARGE, AT(survey), 1, UINT32_MAX},
    {KEY_STEPS, SETTING_NUMBER, AT(campaign.generate.steps), 1, 20000},
    {KEY_FREE, SETTING_FLAG, AT(campaign.generate.free), 0, 0},
    {KEY_UNFENCED, SETTING_FLAG, AT(campaign.generate.unfenced), 0, 0},
    {KEY_UNNAMED, SETTING_FLAG, AT(campaign.generate.unnamed), 0, 0},
    {KEY_SAVE, SETTING_TEXT, AT(save), 0, 0},
    {KEY_REPLAY, SETTING_TEXT, AT(mode.replay), 0, 0},
    {KEY_RECORD, SETTING_TEXT, AT(mode.record), 0, 0},
    {KEY_PER_ROW, SETTING_NUMBER, AT(per_row), 1, 100000},
    {KEY_GOLDEN, SETTING_TEXT, AT(mode.golden), 0, 0},
    {KEY_SELF_TEST, SETTING_FLAG, AT(mode.self_test), 0, 0},
    {KEY_FALSIFY, SETTING_TEXT, AT(falsify), 0, 0},
    {KEY_LIST, SETTING_FLAG, AT(list), 0, 0},
    {'v', SETTING_FLAG, AT(verbose), 0, 0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case KEY_IGNORE:
        if (options->ignores == MOST_IGNORED) {
            argp_error(state, "too many --ignore");
        }
        options->ignored[options->ignores++] = argument;
        return 0;
    case KEY_SCENES:
        options->campaign.generate.family = FAMILY_SCENES;
        return 0;
    case KEY_VECTOR:
        options->campaign.generate.family = FAMILY_VECTOR;
        return 0;
    default:
        return setting_parse(settings, sizeof settings / sizeof settings[0], key, argument, state);
    }
}

static const char text_of_help[] =
    "Compares two simulators of Blackhole Tensix tiles by running random programs for the Tensix "
    "coprocessor on both."
    "\v"
    "Each library runs in processes of its own and is reached by BAR accesses alone. Small RV32 "
    "programs push instructions to up to three threads, wait for the coprocessor, and store what "
    "can be seen of its state, which must agree bit for bit. A program that differs is made as "
    "small as possible, printed as assembly and saved.\n\n"
    "Programs that end the reference's process are counted apart, by its message.\n\n"
    "Examples:\n"
    "  difftest-tensix --ours ./libttsim.so --reference other.so -n 2000000\n"
    "  difftest-tensix --ours ./libttsim.so --reference other.so --rows INCRWC,SETRWC\n"
    "  difftest-tensix --ours ./libttsim.so --reference other.so --scenes -n 22000000\n"
    "  difftest-tensix --ours ./libttsim.so --reference other.so --vector -n 22000000\n"
    "  difftest-tensix --ours ./libttsim.so --golden tests/golden/tensix\n\n"
    "Exit codes: 0 no mismatch, 1 a mismatch (or a failed self-test), 2 wrong use or unreadable "
    "files, 3 a library could not be used.";

static const struct argp argp = {option_list, parse_option, NULL, text_of_help, NULL, NULL, NULL};

static enum exit_code run(struct options *options, struct rules *rules)
{
    static struct mutant mutant;
    char unknown[64];
    struct campaign *c = &options->campaign;
    rules->free = c->generate.free;
    if (c->generate.free) { /* nearly all long programs would be refused */
        c->generate.steps = c->generate.steps ? c->generate.steps : FREE_STEPS;
        c->programs = c->programs ? c->programs : FREE_PROGRAMS;
    }
    enum program_family family = c->generate.family;
    rules_use_all(rules, options->later, family);
    if ((options->rows && !rules_use_only(rules, options->rows, family, unknown, sizeof unknown)) ||
        (options->without &&
         !rules_do_without(rules, options->without, family, unknown, sizeof unknown))) {
        fprintf(stderr, TESTER ": rules.def has no row %s; --list lists them\n", unknown);
        return EXIT_USAGE;
    }
    if (!rules->total) {
        fprintf(stderr, TESTER ": no rows are left\n");
        return EXIT_USAGE;
    }
    if (options->list) {
        list_rules(rules);
        return EXIT_SAME;
    }
    if (options->survey && family != FAMILY_VECTOR) {
        fprintf(stderr, TESTER ": --survey is for --vector\n");
        return EXIT_USAGE;
    }
    if (options->falsify && !mutant_named(&mutant, options->falsify)) {
        fprintf(stderr, TESTER ": mutants.def has no row %s\n", options->falsify);
        return EXIT_USAGE;
    }
    options->campaign.mutant = options->falsify ? &mutant : NULL;
    enum exit_code code =
        libraries_check(TESTER, &options->mode, &c->ours, &c->reference, c->timeout);
    if (code != EXIT_SAME) {
        return code;
    }
    if (options->mode.self_test) {
        return selftest(&options->campaign, options->verbose) ? EXIT_SAME : EXIT_DIFFERENT;
    }
    if (options->survey) {
        return vector_survey(&options->campaign, options->survey, stdout) ? EXIT_SAME
                                                                          : EXIT_DIFFERENT;
    }
    return mode_uses_files(&options->mode) ? run_golden(options) : run_campaign(options);
}

int main(int argc, char **argv)
{
    static struct state_map map;
    static struct rules rules;
    if (argc == 3 && !strcmp(argv[1], "--worker")) {
        return worker_main(argv[2]);
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct options options = {
        .campaign = {.map = &map,
                     .rules = &rules,
                     .seed = 1,
                     .instructions = DEFAULT_INSTRUCTIONS,
                     .jobs = processors > 0 && processors <= MOST_JOBS ? (unsigned)processors : 1,
                     .timeout = DEFAULT_TIMEOUT,
                     .progress = isatty(STDERR_FILENO)},
        .per_row = DEFAULT_PER_ROW,
        .save = TESTER ".case",
    };
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    signal(SIGPIPE, SIG_IGN); /* a worker that died is noticed when its answer is read */
    state_map_build(&map);
    for (unsigned i = 0; i < options.ignores; i++) {
        if (!state_map_ignore(&map, options.ignored[i])) {
            fprintf(stderr, TESTER ": no state has \"%s\" in its name\n", options.ignored[i]);
            return EXIT_USAGE;
        }
    }
    if (!rules_build(&rules)) {
        return EXIT_USAGE;
    }
    return (int)run(&options, &rules);
}
