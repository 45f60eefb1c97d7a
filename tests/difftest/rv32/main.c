/*
 * difftest-rv32: random RV32 programs on our hart and on qemu-riscv32 must leave the same
 * registers and memory.
 *
 *   difftest-rv32 [--seed S] --instructions N   compares at least N executed instructions
 *   difftest-rv32 [--seed S] --self-test[=N]    falsifies instructions and looks for them
 *   difftest-rv32 [--seed S]                    does both, for a few seconds: `make check`
 *
 * Sources: main.c report.c shrink.c generate.c program.c board.c qemu.c outcome.c generate.h
 * machine.h program.h report.h shrink.h, ../common/clock.h ../common/random.h, and libpenrose_core.
 * Exit codes: 0 equal, 1 different, 2 usage or no memory, 77 no qemu-riscv32.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/host_time.h"
#include "report.h"
#include "shrink.h"

enum exit_code { EXIT_SAME = 0, EXIT_DIFFERENT = 1, EXIT_TROUBLE = 2, EXIT_SKIP = 77 };

enum {
    DEFAULT_INSTRUCTIONS = 500000,
    LEAST_ITEMS = 500,
    MOST_RANDOM_ITEMS = 12000,
    SELF_TEST_ITEMS = 120,
    SELF_TEST_MUTANTS = 5,
    SELF_TEST_TRIES = 20,
    SELF_TEST_STRIDE = 19, /* walks over all rows while their number is no multiple of it */
    SELF_TEST_LONGEST = 8, /* instructions of a shrunk program */
};

struct options {
    uint64_t seed;
    uint64_t instructions; /* to compare; 0: none */
    uint32_t items;        /* 0: random */
    const char *qemu, *mutant;
    unsigned self_test; /* instructions to falsify; 0: no self-test */
    bool verbose;
};

struct tester {
    const struct options *options;
    struct tested_rows rows;
    struct bench bench;
    struct tally tally;
    struct random random;
};

/* --- Comparing --- */

static enum exit_code report_mismatch(struct tester *t, const struct program *program)
{
    struct choice choice;
    struct image image;
    struct random random = {0};
    print_endings(&t->bench, stderr);
    fprintf(stderr, "they differ; shrinking %" PRIu32 " instructions ...\n", program->items);
    if (!program_shrink(&t->bench, program, &choice)) {
        return EXIT_TROUBLE;
    }
    if (image_link(&image, program, &choice)) {
        bench_compare(&t->bench, &image, program->most_instructions, &random, NULL);
        fprintf(stderr, "the smallest program that differs:\n");
        image_print(&image, board_index(t->bench.board), stderr);
        print_difference(&t->bench, stderr);
        image_free(&image);
    }
    free(choice.present);
    return EXIT_DIFFERENT;
}

static enum exit_code compare(struct tester *t, const struct program *program)
{
    struct image image;
    uint64_t *hits = NULL;
    enum exit_code code = EXIT_TROUBLE;
    if (image_link(&image, program, NULL)) {
        hits = calloc(image.words, sizeof *hits);
    }
    if (hits) {
        switch (bench_compare(&t->bench, &image, program->most_instructions, &t->random, hits)) {
        case VERDICT_SAME:
            code = EXIT_SAME;
            tally_add(&t->tally, &image, hits, board_index(t->bench.board));
            break;
        case VERDICT_DIFFERENT:
            code = report_mismatch(t, program);
            break;
        case VERDICT_USELESS:
            fprintf(stderr, "neither machine ended: our hart: %s, qemu: %s\n", t->bench.step.detail,
                    t->bench.qemu_left.detail);
            break;
        case VERDICT_TROUBLE:
            fprintf(stderr, "cannot start %s\n", t->bench.qemu.path);
            break;
        }
    }
    free(hits);
    image_free(&image);
    return code;
}

static enum exit_code run_programs(struct tester *t)
{
    for (uint64_t number = 0; t->tally.tested < t->options->instructions; number++) {
        struct program program;
        struct random random = {t->options->seed * UINT64_C(0x10001) + number};
        uint32_t items = LEAST_ITEMS + random_below(&random, MOST_RANDOM_ITEMS - LEAST_ITEMS);
        struct generate_options generate = {.items = t->options->items ? t->options->items : items,
                                            .favourite = t->bench.mutant};
        if (!program_generate(&program, &t->rows, &random, &generate)) {
            program_free(&program);
            return EXIT_TROUBLE;
        }
        enum exit_code code = compare(t, &program);
        program_free(&program);
        if (code != EXIT_SAME) {
            fprintf(stderr, "seed %" PRIu64 ", program %" PRIu64 "\n", t->options->seed, number);
            return code;
        }
    }
    return EXIT_SAME;
}

/* --- The test of the tester --- */

/* Instructions of a shrunk program; 0 when the falsified one is not among them. */
static uint32_t shrunk_length(const struct tester *t, const struct image *image)
{
    uint32_t length = 0;
    bool found = false;
    for (uint32_t i = 0; i < image->words; i++) {
        bool is_item = image->item[i] != IMAGE_FRAME;
        length += is_item;
        found = found || (is_item && isa_index_find(board_index(t->bench.board), image->code[i]) ==
                                         t->bench.mutant);
    }
    return found ? length : 0;
}

static enum exit_code check_shrunk(struct tester *t, const struct program *program)
{
    const char *mnemonic = rv32_rows[t->bench.mutant].mnemonic;
    struct choice choice;
    struct image image;
    if (!program_shrink(&t->bench, program, &choice)) {
        return EXIT_TROUBLE;
    }
    bool linked = image_link(&image, program, &choice);
    free(choice.present);
    if (!linked) {
        return EXIT_TROUBLE;
    }
    uint32_t length = shrunk_length(t, &image);
    enum exit_code code = length && length <= SELF_TEST_LONGEST ? EXIT_SAME : EXIT_DIFFERENT;
    if (t->options->verbose || code != EXIT_SAME) {
        printf("%-8s %s %" PRIu32 " instructions\n", mnemonic,
               length ? "shrunk to" : "lost by shrinking;", length);
    }
    if (code != EXIT_SAME) {
        image_print(&image, board_index(t->bench.board), stdout);
    }
    image_free(&image);
    return code;
}

/* Falsifies one row: some program must show it. */
static enum exit_code find_mutant(struct tester *t, unsigned row)
{
    t->bench.mutant = (int)row;
    for (unsigned try = 0; try < SELF_TEST_TRIES; try++) {
        const struct generate_options generate = {.items = SELF_TEST_ITEMS, .favourite = (int)row};
        struct program program;
        struct image image = {0};
        bool ok = program_generate(&program, &t->rows, &t->random, &generate) &&
                  image_link(&image, &program, NULL);
        enum verdict verdict = VERDICT_TROUBLE;
        if (ok) {
            verdict = bench_compare(&t->bench, &image, program.most_instructions, &t->random, NULL);
        }
        enum exit_code code = verdict == VERDICT_TROUBLE ? EXIT_TROUBLE : EXIT_SAME;
        if (verdict == VERDICT_DIFFERENT) {
            code = check_shrunk(t, &program);
        }
        image_free(&image);
        program_free(&program);
        if (verdict == VERDICT_DIFFERENT || code != EXIT_SAME) {
            return code;
        }
    }
    printf("%s: falsified, and no program showed it\n", rv32_rows[row].mnemonic);
    return EXIT_DIFFERENT;
}

static bool has_result(unsigned row)
{
    return rv32_row_effects(row, rv32_rows[row].match).class != RV32_CLASS_FENCE;
}

static enum exit_code self_test(struct tester *t)
{
    unsigned found = 0;
    t->random.state = t->options->seed;
    unsigned first = random_below(&t->random, t->rows.count);
    for (unsigned i = 0; i < t->rows.count && found < t->options->self_test; i++) {
        unsigned row = t->rows.row[(first + i * SELF_TEST_STRIDE) % t->rows.count];
        enum exit_code code = has_result(row) ? find_mutant(t, row) : EXIT_SAME;
        if (code != EXIT_SAME) {
            return code;
        }
        found += has_result(row);
    }
    printf("self-test: %u falsified instructions found and isolated\n", found);
    return EXIT_SAME;
}

/* --- Command line --- */

enum { KEY_SELF_TEST = 256, KEY_FALSIFY, KEY_QEMU };

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    char *end = NULL;
    switch (key) {
    case 's':
        options->seed = strtoull(argument, &end, 0);
        break;
    case 'n':
        options->instructions = strtoull(argument, &end, 0);
        break;
    case 'i':
        options->items = (uint32_t)strtoul(argument, &end, 0);
        break;
    case 'v':
        options->verbose = true;
        break;
    case KEY_SELF_TEST:
        options->self_test = SELF_TEST_MUTANTS;
        if (argument) {
            options->self_test = (unsigned)strtoul(argument, &end, 0);
        }
        break;
    case KEY_FALSIFY:
        options->mutant = argument;
        break;
    case KEY_QEMU:
        options->qemu = argument;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (end && (end == argument || *end)) {
        argp_error(state, "\"%s\" is no number", argument);
    }
    return 0;
}

static const struct argp_option option_list[] = {
    {"seed", 's', "S", 0, "Seed of the random programs (1)", 0},
    {"instructions", 'n', "N", 0, "Compare at least N executed instructions (500000)", 0},
    {"items", 'i', "N", 0, "Make programs of about N instructions (500 to 12000)", 0},
    {"self-test", KEY_SELF_TEST, "N", OPTION_ARG_OPTIONAL,
     "Falsify N instructions (5), one after the other: each must be found and isolated", 0},
    {"falsify", KEY_FALSIFY, "MNEMONIC", 0, "Compare with this instruction falsified", 0},
    {"qemu", KEY_QEMU, "PROGRAM", 0, "The reference (qemu-riscv32)", 0},
    {"verbose", 'v', NULL, 0, "Say more", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static int tested_row_named(const struct tested_rows *rows, const char *mnemonic)
{
    for (unsigned i = 0; i < rows->count; i++) {
        if (!strcmp(rv32_rows[rows->row[i]].mnemonic, mnemonic)) {
            return rows->row[i];
        }
    }
    return -1;
}

static enum exit_code run(struct tester *t)
{
    const struct options *options = t->options;
    uint64_t start = host_nanoseconds();
    if (options->mutant) {
        t->bench.mutant = tested_row_named(&t->rows, options->mutant);
        if (t->bench.mutant < 0) {
            fprintf(stderr, "%s is not among the tested instructions\n", options->mutant);
            return EXIT_TROUBLE;
        }
    }
    t->random.state = options->seed;
    enum exit_code code = run_programs(t);
    if (code != EXIT_SAME) {
        return code;
    }
    if (options->instructions && !tally_print(&t->tally, &t->rows, options->seed, start, stdout)) {
        return EXIT_DIFFERENT;
    }
    return options->self_test ? self_test(t) : EXIT_SAME;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        option_list,
        parse_option,
        NULL,
        "Runs random RV32 programs on Penrose's hart and on qemu-riscv32 and compares what they "
        "leave behind.",
        NULL,
        NULL,
        NULL};
    const char *qemu_path = getenv("QEMU_RISCV32"); /* "no" where configure found none */
    struct options options = {.seed = 1, .qemu = qemu_path ? qemu_path : "qemu-riscv32"};
    struct tester tester = {.options = &options};
    argp_err_exit_status = EXIT_TROUBLE;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (!options.instructions && !options.self_test) {
        options.instructions = DEFAULT_INSTRUCTIONS;
        options.self_test = options.mutant ? 0 : SELF_TEST_MUTANTS;
    }
    struct qemu qemu = {.path = options.qemu};
    if (!qemu_works(&qemu)) {
        printf("SKIP: qemu-riscv32 is missing (Debian: apt-get install qemu-user)\n");
        return EXIT_SKIP;
    }
    enum exit_code code = EXIT_TROUBLE;
    bool ok = tested_rows_find(&tester.rows);
    ok = bench_create(&tester.bench, options.qemu) && ok;
    ok = tally_create(&tester.tally) && ok;
    if (ok) {
        code = run(&tester);
    } else {
        fprintf(stderr, "out of memory\n");
    }
    tally_free(&tester.tally);
    bench_destroy(&tester.bench);
    tested_rows_free(&tester.rows);
    return (int)code;
}
