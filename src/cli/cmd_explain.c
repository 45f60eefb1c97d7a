/*
 * `penrose explain`: two dumps are compared, their programs run again, and who has written what
 * differs is told, the first in program order first, then the last result, back to what it was made
 * from. observe/explain finds it out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/penrose.h>

#include "cli/compare_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/rerun.h"
#include "isa/json_text.h"
#include "observe/explain/explain.h"
#include "observe/explain/words.h"

enum { MOST_DEPTH = 64, PLACE_TEXT = 768 };

struct explain_command {
    struct cli *cli;
    const char *path[EXPLAIN_SIDES];
    unsigned paths;
    uint64_t depth;
    const char *recording[EXPLAIN_SIDES]; /* NULL: the command line in the dump */
    unsigned recordings;
    uint64_t most;       /* bytes of a recording; 0: what its size allows */
    const char *symbols; /* a folder, or NULL */
    struct compare_choices choices;
    struct program_files *programs; /* in `symbols` */
    struct dump_files dump[EXPLAIN_SIDES];
    struct comparison comparison;
    struct explain *explain;
};

enum { KEY_DEPTH = 0x700, KEY_RECORDING, KEY_EXPLAIN_SYMBOLS, KEY_EXPLAIN_MEMORY };

/* --- Options --- */

static error_t parse_explain(int key, char *argument, struct argp_state *state)
{
    struct explain_command *command = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = command->cli;
        state->child_inputs[1] = &command->choices;
        return 0;
    case KEY_DEPTH:
        return options_number(command->cli, "--depth", argument, MOST_DEPTH, &command->depth);
    case KEY_EXPLAIN_MEMORY:
        return options_number(command->cli, "--max-memory", argument, UINT64_MAX, &command->most);
    case KEY_RECORDING:
        if (command->recordings == EXPLAIN_SIDES) {
            return options_refuse(command->cli, "--recording: there are two dumps");
        }
        command->recording[command->recordings++] = argument;
        return 0;
    case KEY_EXPLAIN_SYMBOLS:
        command->symbols = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (command->paths == EXPLAIN_SIDES) {
            return options_refuse(command->cli, "two dumps are compared; what is '%s'?", argument);
        }
        command->path[command->paths++] = argument;
        return 0;
    case ARGP_KEY_END:
        return command->paths == EXPLAIN_SIDES ? 0 : options_refuse(command->cli, "name two dumps");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option explain_rows[] = {
    {"recording", KEY_RECORDING, "FILE", 0,
     "What A is a dump of: a recording of a host program (PENROSE_RECORD, exec --record), which "
     "runs again in place of the command line in A's manifest; given twice, also what B is of",
     0},
    {"max-memory", KEY_EXPLAIN_MEMORY, "BYTES", 0, "Let a recording unpack to so much", 0},
    {"symbols", KEY_EXPLAIN_SYMBOLS, "DIR", 0,
     "With --recording: where the programs of the host are, such as a folder of tt-metal's cache; "
     "those whose code lies in tiles at the end are known by their lines",
     0},
    {"depth", KEY_DEPTH, "N", 0,
     "Follow differences from the first result on to their inputs, N steps at most (default 8)", 0},
    {0},
};

static const struct argp_child explain_children[] = {
    {&json_argp, 0, "Output:", 5}, {&compare_choices_argp, 0, NULL, 0}, {0}};

static const struct argp explain_argp = {
    .options = explain_rows,
    .parser = parse_explain,
    .args_doc = "A B",
    .doc =
        "Explains how the dump A of a run came to differ from the dump B, of a card or of another "
        "run. The program of A runs again, as the command line in its manifest says (from the "
        "same folder), and whoever has written the differing data last is named: hart, line, "
        "instruction, what it was made from, and whether that differed already. If B is a dump of "
        "`penrose run` or `penrose boot`, or has a recording, it runs again as well, and inputs "
        "are compared at the moment at which they were read. A run that does not end as its dump "
        "says is reported: keep the programs of both sides in different files."
        "\vExamples:\n"
        "  penrose run kernel.elf --dump-state here; penrose explain here card\n"
        "        says where the two go apart, and by which line\n\n"
        "Exit codes: 0 the same, 1 different, 2 usage or a bad file, nothing to compare, or a "
        "program that cannot be run again.",
    .children = explain_children,
};

/* --- The report --- */

/* "  written by  packer ...", and the place below it */
static void print_writer(const char *label, const struct explain_writer *writer)
{
    char text[PLACE_TEXT];
    words_of_writer(&writer->record, text, sizeof text);
    printf("  %-10s  %s\n", label, text);
    words_of_place(writer, text, sizeof text);
    if (*text) {
        printf("              %s\n", text);
    }
}

static void print_datum(const struct explain *explain, const struct explain_datum *datum,
                        const struct explain_inputs *inputs)
{
    char text[PLACE_TEXT];
    const struct explain_writer *a = &datum->by[EXPLAIN_A];
    printf("%s%s%s%s\n  A %s  B %s\n", datum->item->name, *datum->part->detail ? " (" : "",
           datum->part->detail, *datum->part->detail ? ")" : "", datum->item->a, datum->item->b);
    print_writer("written by", a);
    if (explain_is_by_another(explain, datum)) {
        print_writer("in B", &datum->by[EXPLAIN_B]);
    }
    for (unsigned i = 0; i < inputs->count; i++) {
        printf("  %s  %s\n", i ? "          " : "made from ", inputs->input[i].text);
    }
    if (words_of_early_read(a, text, sizeof text)) {
        printf("  too early   %s\n", text);
    }
    if (words_of_race(a, text, sizeof text)) {
        printf("  later       %s\n", text);
    }
}

static json_t *json_of_calls(const char *calls)
{
    json_t *list = json_array();
    for (const char *end; calls && (end = strchr(calls, '\n')); calls = end + 1) {
        char call[EXPLAIN_TEXT];
        snprintf(call, sizeof call, "%.*s", (int)(end - calls), calls);
        json_array_append_new(list, json_text(call));
    }
    return list;
}

static json_t *json_of_inputs(const struct explain_inputs *inputs)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < inputs->count; i++) {
        json_t *input = json_object();
        json_object_set_new(input, "text", json_text(inputs->input[i].text));
        json_object_set_new(input, "differs", json_boolean(inputs->input[i].differs));
        json_array_append_new(list, input);
    }
    return list;
}

static json_t *json_of_datum(const struct explain *explain, const struct explain_datum *datum,
                             const struct explain_inputs *inputs)
{
    const struct explain_writer *a = &datum->by[EXPLAIN_A];
    json_t *object = json_object();
    char text[512];
    json_object_set_new(object, "item", json_text(datum->item->name));
    json_object_set_new(object, "detail", json_text(datum->part->detail));
    json_object_set_new(object, "a", json_text(datum->item->a));
    json_object_set_new(object, "b", json_text(datum->item->b));
    words_of_writer(&a->record, text, sizeof text);
    json_object_set_new(object, "writer", json_text(text));
    if (explain_is_by_another(explain, datum)) {
        words_of_writer(&datum->by[EXPLAIN_B].record, text, sizeof text);
        json_object_set_new(object, "writer_in_b", json_text(text));
    }
    if (a->record.is_written) {
        json_set_count(object, "cycle", a->record.event.cycle);
        json_object_set_new(object, "pc", json_address(a->record.event.pc));
        json_object_set_new(object, "symbol", json_text(a->code.symbol));
        json_object_set_new(object, "source", json_text(a->code.source));
        json_object_set_new(object, "inlined_at", json_of_calls(a->all_calls));
        json_object_set_new(object, "instruction", json_text(a->record.instruction));
    }
    json_object_set_new(object, "inputs", json_of_inputs(inputs));
    if (words_of_early_read(a, text, sizeof text)) {
        json_object_set_new(object, "too_early", json_text(text));
    }
    if (words_of_race(a, text, sizeof text)) {
        json_object_set_new(object, "later", json_text(text));
    }
    return object;
}

/* Tells of one difference; adds it to `list` where that is not NULL. */
static void tell_datum(const struct explain_command *command, struct explain_datum *datum,
                       json_t *list)
{
    struct explain_inputs inputs;
    explain_find_inputs(command->explain, datum, &inputs);
    datum->was_told = true;
    if (list) {
        json_array_append_new(list, json_of_datum(command->explain, datum, &inputs));
    } else {
        print_datum(command->explain, datum, &inputs);
    }
}

/* From a result back: to the first input that differs, and so on. */
static void tell_chain(const struct explain_command *command, json_t *list)
{
    struct explain_datum *datum = explain_last_result(command->explain);
    for (uint64_t step = 0; step < command->depth && datum; step++) {
        if (datum->was_told && step > 0) {
            break;
        }
        if (!datum->was_told) {
            if (!list) {
                printf("\n%s", step ? "made from " : "the last memory that was written: ");
            }
            tell_datum(command, datum, list);
        }
        datum = step + 1 < command->depth ? explain_follow(command->explain, datum) : NULL;
    }
}

static void print_headline(const struct explain_command *command, const struct explain_datum *first)
{
    size_t code = explain_code_words(command->explain);
    printf("%" PRIu64 " items differ", command->comparison.different);
    if (code) {
        printf(", %zu of them words of programs, which are not the same", code);
    }
    printf(first ? "; the first one in program order:\n\n"
                 : "; none of them can be followed ('penrose compare' names them)\n");
}

static enum cli_exit report_explanation(const struct explain_command *command)
{
    json_t *list = command->cli->json ? json_array() : NULL, *chain = list ? json_array() : NULL;
    struct explain_datum *first = explain_first(command->explain);
    if (!list) {
        print_headline(command, first);
    }
    if (first) {
        tell_datum(command, first, list);
        tell_chain(command, chain);
    }
    if (!list) {
        return CLI_DIFFERENT;
    }
    json_t *result = json_object();
    json_object_set_new(result, "command", json_string("explain"));
    json_object_set_new(result, "outcome", json_string("different"));
    json_object_set_new(result, "exit_status", json_integer(CLI_DIFFERENT));
    json_set_count(result, "different", command->comparison.different);
    json_object_set_new(result, "first", list);
    json_object_set_new(result, "chain", chain);
    enum cli_exit written = output_json(command->cli, result);
    return written ? written : CLI_DIFFERENT;
}

/* --- Running again --- */

static enum cli_exit open_witness(void *context, struct penrose_chip *chip)
{
    struct explain_command *command = context;
    struct penrose_error error;
    enum penrose_status status = explain_opened(command->explain, chip, &error);
    return status ? complain(command->cli, "%s", error.text) : CLI_DONE;
}

static void end_witness(void *context, struct penrose_chip *chip)
{
    struct explain_command *command = context;
    explain_ended(command->explain, chip);
}

static bool run_side(void *context, enum explain_side side)
{
    struct explain_command *command = context;
    const json_t *number = json_object_get(command->dump[side].manifest, "chip_number");
    const struct cli_witness witness = {open_witness, end_witness, command,
                                        (unsigned)json_integer_value(number)};
    const char *recording = command->recording[side];
    return (recording ? rerun_recording(command->cli, recording, command->most, &witness)
                      : rerun_command(command->cli, &command->dump[side], &witness)) != CLI_REFUSED;
}

/* --- The command --- */

static enum cli_exit compare_for_explanation(struct explain_command *command)
{
    struct penrose_error error;
    struct compare_options *options = &command->choices.options;
    struct dump_files *a = &command->dump[EXPLAIN_A], *b = &command->dump[EXPLAIN_B];
    enum penrose_status status = dump_open(command->path[EXPLAIN_A], a, &error);
    status = status ? status : dump_open(command->path[EXPLAIN_B], b, &error);
    options->most = EXPLAIN_ITEMS;
    options->buffers_as_memory = true;
    status = status ? status : compare_dumps(a, b, options, &command->comparison, &error);
    return status ? complain(command->cli, "%s", error.text) : CLI_DONE;
}

/* Runs A, and B where that is possible. A recording that is named has to run. */
static enum cli_exit run_both_sides(const struct explain_command *command)
{
    static const char changed[] = "ends in another state than its dump (changed files, or another "
                                  "version of Penrose)";
    const bool has_recording = command->recording[EXPLAIN_B];
    enum explain_ran ran = explain_run_a(command->explain);
    if (ran == EXPLAIN_CANNOT) {
        return CLI_REFUSED;
    }
    if (ran == EXPLAIN_OTHERWISE) {
        note("%s %s: what follows may be wrong", command->path[EXPLAIN_A], changed);
    }
    if (!has_recording && !rerun_is_possible(&command->dump[EXPLAIN_B])) {
        return CLI_DONE;
    }
    ran = explain_run_b(command->explain);
    if (ran != EXPLAIN_RAN && !has_recording) {
        note("%s %s: of B only the dump is used", command->path[EXPLAIN_B],
             ran == EXPLAIN_OTHERWISE ? changed : "cannot be run again");
    }
    return ran == EXPLAIN_CANNOT && has_recording ? CLI_REFUSED : CLI_DONE;
}

static enum cli_exit explain_difference(struct explain_command *command)
{
    struct explain_runs runs = {.programs = command->programs, .run = run_side, .context = command};
    for (unsigned side = 0; side < EXPLAIN_SIDES; side++) {
        runs.dump[side] = &command->dump[side];
        runs.is_recording[side] = command->recording[side];
    }
    command->explain = explain_create(&command->comparison, &runs);
    if (!command->explain) {
        return complain(command->cli, "no memory for the differences");
    }
    enum cli_exit exit = run_both_sides(command);
    return exit ? exit : report_explanation(command);
}

static enum cli_exit report_same(const struct explain_command *command)
{
    if (!command->cli->json) {
        printf("the same: %" PRIu64 " items; nothing to explain\n", command->comparison.compared);
        return CLI_DONE;
    }
    json_t *result = json_object();
    json_object_set_new(result, "command", json_string("explain"));
    json_object_set_new(result, "outcome", json_string("same"));
    json_object_set_new(result, "exit_status", json_integer(CLI_DONE));
    return output_json(command->cli, result);
}

enum cli_exit cmd_explain(struct cli *cli, int argc, char **argv)
{
    struct explain_command command = {.cli = cli, .depth = 8};
    enum cli_exit exit;
    compare_choices_init(&command.choices, cli);
    if (!options_parse(cli, &explain_argp, argc, argv, &command, &exit)) {
        return exit;
    }
    exit = rerun_open_symbols(cli, command.symbols, &command.programs);
    exit = exit ? exit : compare_for_explanation(&command);
    if (!exit) {
        exit = comparison_differs(&command.comparison) ? explain_difference(&command)
                                                       : report_same(&command);
    }
    explain_destroy(command.explain);
    comparison_free(&command.comparison);
    dump_close(&command.dump[EXPLAIN_A]);
    dump_close(&command.dump[EXPLAIN_B]);
    program_files_free(command.programs);
    return exit;
}
