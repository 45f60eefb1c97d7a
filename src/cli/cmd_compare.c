/* `penrose compare`: two dumps, arrays, images of memory or measurements, by meaning. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/compare_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/python.h"
#include "cli/tensors.h"
#include "isa/error.h"
#include "isa/json_text.h"
#include "loader/tensor.h"
#include "observe/compare/compare.h"

enum { MOST_SHOWN = 1000000, DEFAULT_SHOWN = 8, MOST_REGIONS = 32 };

struct compare_command {
    struct cli *cli;
    const char *path[2];
    unsigned paths;
    struct compare_choices choices;
    enum num_format format;
    struct compare_region region[MOST_REGIONS];
    bool is_perf;
    double percent, cycles; /* a point regresses if it is slower by more than both */
};

enum { KEY_MOST = 0x700, KEY_FORMAT, KEY_ADDRESS, KEY_REGION, KEY_PERF, KEY_PERCENT, KEY_CYCLES };

/* --- Options --- */

static error_t take_format(struct compare_command *command, const char *text)
{
    struct loader_tensor_form form;
    if (!loader_tensor_format(text, &form)) {
        return options_refuse(command->cli,
                              "--format: there is no data format '%s'; bf16, fp16, fp32, "
                              "tf32, bfp8_b and others are",
                              text);
    }
    command->format = form.format;
    command->choices.options.format = &command->format;
    return 0;
}

static error_t take_threshold(struct compare_command *command, const char *option, const char *text,
                              double *value)
{
    if (!compare_take_real(text, value)) {
        return options_refuse(command->cli, "%s: '%s' is no number from 0 on", option, text);
    }
    return 0;
}

static error_t take_region(struct compare_command *command, const char *text)
{
    struct compare_options *options = &command->choices.options;
    struct compare_region *region = &command->region[options->regions];
    if (options->regions == MOST_REGIONS) {
        return options_refuse(command->cli, "--region: more than %d regions", MOST_REGIONS);
    }
    options->region = command->region;
    options->regions++;
    return tensors_parse_region(command->cli, text, &region->address, &region->tensor);
}

static error_t parse_path(struct compare_command *command, const char *text)
{
    if (command->paths == 2) {
        return options_refuse(command->cli, "two things are compared; what is '%s'?", text);
    }
    command->path[command->paths++] = text;
    return 0;
}

static error_t parse_compare(int key, char *argument, struct argp_state *state)
{
    struct compare_command *command = state->input;
    uint64_t most;
    error_t problem;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = command->cli;
        state->child_inputs[1] = &command->choices;
        return 0;
    case KEY_MOST:
        problem = options_number(command->cli, "--most", argument, MOST_SHOWN, &most);
        command->choices.options.most = (size_t)most;
        return problem;
    case KEY_FORMAT:
        return take_format(command, argument);
    case KEY_ADDRESS:
        return options_number(command->cli, "--address", argument, INT64_MAX,
                              &command->choices.options.base);
    case KEY_REGION:
        return take_region(command, argument);
    case KEY_PERF:
        command->is_perf = true;
        return 0;
    case KEY_PERCENT:
        return take_threshold(command, "--percent", argument, &command->percent);
    case KEY_CYCLES:
        return take_threshold(command, "--cycles", argument, &command->cycles);
    case ARGP_KEY_ARG:
        return parse_path(command, argument);
    case ARGP_KEY_END:
        return command->paths == 2 ? 0
                                   : options_refuse(command->cli, "name two dumps, or two files");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option rows[] = {
    {"most", KEY_MOST, "N", 0, "Show so many differences of each part (default 8)", 0},
    {"format", KEY_FORMAT, "NAME", 0, "The data format in whose ulps two .npy files are measured",
     0},
    {"address", KEY_ADDRESS, "ADDRESS", 0, "Where two images of memory begin (default 0)", 0},
    {"region", KEY_REGION, "ADDRESS=ROWSxCOLUMNS:FORMAT[:LAYOUT]", 0,
     "Numbers that lie in L1, or in an image of memory, as for --output of run: compare them as "
     "numbers (l1_ADDRESS); may be repeated",
     0},
    {"perf", KEY_PERF, NULL, 0,
     "Two CSV files with times: of LLK's performance tests, profile_log_device.csv, or tables of "
     "--profile",
     1},
    {"percent", KEY_PERCENT, "X", 0, "With --perf: a point regresses by more than that (default 2)",
     1},
    {"cycles", KEY_CYCLES, "N", 0, "With --perf: and by more cycles than that (default 30)", 1},
    {0},
};

static const struct argp_child children[] = {
    {&json_argp, 0, "Output:", 5}, {&compare_choices_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = rows,
    .parser = parse_compare,
    .args_doc = "A B\n--perf OLD.csv NEW.csv",
    .doc =
        "Compares two dumps of a chip, two .npy files or two images of memory by meaning: which "
        "field, which element of which buffer, how far apart. Or compares measurements of time."
        "\vExamples:\n"
        "  penrose compare card/ emulator/\n"
        "        names the differences of two dumps\n"
        "  penrose compare card/ emulator/ --only 'cb_*' --tolerance ulp=1\n"
        "        compares circular buffers, and takes neighbours for equal\n"
        "  penrose compare card/ emulator/ --region 0xc0000=64x64:bf16 --tolerance ulp=1\n"
        "        compares a matrix in L1 as numbers\n"
        "  penrose compare --perf main.csv branch.csv\n"
        "        says which points became slower by more than 2 % and 30 cycles\n\n"
        "Exit codes: 0 the same, 1 different (or slower), 2 usage, a bad file, a dump of another\n"
        "version, dumps of different chips, or nothing that could be compared.",
    .children = children,
};

/* --- Differences as text --- */

static void print_ulps(double ulps)
{
    if (isinf(ulps)) {
        printf("  (infinitely far)");
    } else if (ulps >= 0) {
        printf("  (%.10g ulp)", ulps);
    }
}

static void print_part(const struct compare_part *part)
{
    printf("%s%s%s%s%s%s: %llu", part->tile, *part->tile ? "/" : "", part->name,
           *part->detail ? " (" : "", part->detail, *part->detail ? ")" : "",
           (unsigned long long)part->different);
    if (part->compared) {
        printf(" of %llu", (unsigned long long)part->compared);
    }
    printf(" %s differ", part->unit);
    if (part->worst_ulps >= 0 && isfinite(part->worst_ulps)) {
        printf(", by up to %.10g ulp", part->worst_ulps);
    }
    printf("\n");
    for (size_t i = 0; i < part->items; i++) {
        const struct compare_item *item = &part->item[i];
        printf("  %-44s  A %s  B %s", item->name, item->a, item->b);
        print_ulps(item->ulps);
        printf("\n");
    }
    if (part->different > part->items) {
        printf("  and %llu more\n", (unsigned long long)part->different - part->items);
    }
}

static void print_notes(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->remarks; i++) {
        printf("note: %s\n", comparison->remark[i]);
    }
    for (size_t i = 0; i < comparison->notes; i++) {
        printf("not compared: %s\n", comparison->note[i]);
    }
}

static void print_comparison(const struct compare_command *command,
                             const struct comparison *comparison)
{
    size_t parts = 0;
    printf("A: %s\nB: %s\n", command->path[0], command->path[1]);
    for (size_t i = 0; i < comparison->parts; i++) {
        if (comparison->part[i].different) {
            print_part(&comparison->part[i]);
            parts++;
        }
    }
    print_notes(comparison);
    if (comparison->left_out) {
        printf("left out as volatile: %llu items (--include-volatile compares them)\n",
               (unsigned long long)comparison->left_out);
    }
    if (comparison->tolerated) {
        printf("within the tolerance: %llu items\n", (unsigned long long)comparison->tolerated);
    }
    if (!comparison_differs(comparison)) {
        printf("the same: %llu items\n", (unsigned long long)comparison->compared);
    } else {
        printf("different: %llu of %llu items, in %zu parts\n",
               (unsigned long long)comparison->different, (unsigned long long)comparison->compared,
               parts);
    }
}

/* --- Differences as JSON --- */

static json_t *json_item(const struct compare_item *item)
{
    json_t *object = json_object();
    json_object_set_new(object, "item", json_text(item->name));
    json_object_set_new(object, "a", json_text(item->a));
    json_object_set_new(object, "b", json_text(item->b));
    if (item->ulps >= 0 && isfinite(item->ulps)) {
        json_object_set_new(object, "ulps", json_real(item->ulps));
    }
    return object;
}

static json_t *json_part(const struct compare_part *part)
{
    json_t *object = json_object(), *first = json_array();
    json_object_set_new(object, "tile", json_text(part->tile));
    json_object_set_new(object, "part", json_text(part->name));
    json_object_set_new(object, "detail", json_text(part->detail));
    json_set_count(object, "compared", part->compared);
    json_set_count(object, "different", part->different);
    json_set_count(object, "tolerated", part->tolerated);
    json_set_count(object, "left_out", part->left_out);
    if (part->worst_ulps >= 0 && isfinite(part->worst_ulps)) {
        json_object_set_new(object, "worst_ulps", json_real(part->worst_ulps));
    }
    for (size_t i = 0; i < part->items; i++) {
        json_array_append_new(first, json_item(&part->item[i]));
    }
    json_object_set_new(object, "first", first);
    return object;
}

static json_t *json_outcome(const struct compare_command *command, bool differs)
{
    json_t *result = json_object();
    json_object_set_new(result, "command", json_string("compare"));
    json_object_set_new(result, "outcome", json_text(differs ? "different" : "same"));
    json_object_set_new(result, "exit_status", json_integer(differs ? CLI_DIFFERENT : CLI_DONE));
    json_object_set_new(result, "a", json_text(command->path[0]));
    json_object_set_new(result, "b", json_text(command->path[1]));
    return result;
}

static enum cli_exit write_comparison(const struct compare_command *command,
                                      const struct comparison *comparison)
{
    json_t *result = json_outcome(command, comparison_differs(comparison));
    json_t *parts = json_array(), *notes = json_array(), *remarks = json_array();
    json_set_count(result, "compared", comparison->compared);
    json_set_count(result, "different", comparison->different);
    json_set_count(result, "tolerated", comparison->tolerated);
    json_set_count(result, "left_out", comparison->left_out);
    for (size_t i = 0; i < comparison->parts; i++) {
        json_array_append_new(parts, json_part(&comparison->part[i]));
    }
    for (size_t i = 0; i < comparison->notes; i++) {
        json_array_append_new(notes, json_text(comparison->note[i]));
    }
    json_object_set_new(result, "parts", parts);
    for (size_t i = 0; i < comparison->remarks; i++) {
        json_array_append_new(remarks, json_text(comparison->remark[i]));
    }
    json_object_set_new(result, "not_compared", notes);
    json_object_set_new(result, "notes", remarks);
    return output_json(command->cli, result);
}

/* --- Dumps and files --- */

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static enum penrose_status compare_folders(const struct compare_command *command,
                                           struct comparison *comparison,
                                           struct penrose_error *error)
{
    struct dump_files a = {0}, b = {0};
    if (command->choices.options.base) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "--address: it is of two images of memory; a dump says itself where its "
                         "memory lies");
    }
    enum penrose_status status = dump_open(command->path[0], &a, error);
    status = status ? status : dump_open(command->path[1], &b, error);
    status = status ? status : compare_dumps(&a, &b, &command->choices.options, comparison, error);
    dump_close(&a);
    dump_close(&b);
    return status;
}

static enum cli_exit compare_states(const struct compare_command *command)
{
    struct comparison comparison = {0};
    struct penrose_error error;
    bool has_folder = is_folder(command->path[0]) || is_folder(command->path[1]);
    enum penrose_status status =
        has_folder ? compare_folders(command, &comparison, &error)
                   : compare_files(command->path[0], command->path[1], &command->choices.options,
                                   &comparison, &error);
    enum cli_exit exit = comparison_differs(&comparison) ? CLI_DIFFERENT : CLI_DONE;
    if (status) {
        if (!command->cli->json) {
            print_notes(&comparison);
        }
        exit = complain(command->cli, "%s", error.text);
    } else if (!command->cli->json) {
        print_comparison(command, &comparison);
    } else if (write_comparison(command, &comparison)) {
        exit = CLI_REFUSED;
    }
    comparison_free(&comparison);
    return exit;
}

static void init_comparing(struct compare_command *command, struct cli *cli)
{
    *command = (struct compare_command){.cli = cli, .percent = 2, .cycles = 30};
    compare_choices_init(&command->choices, cli);
    command->choices.options.most = DEFAULT_SHOWN;
}

enum cli_exit compare_two_dumps(struct cli *cli, const char *a, const char *b)
{
    struct compare_command command;
    init_comparing(&command, cli);
    command.path[0] = a;
    command.path[1] = b;
    return compare_states(&command);
}

/* --- Times --- */

static enum cli_exit compare_times(const struct compare_command *command)
{
    struct python_command python;
    python_begin(&python, command->cli, "perf");
    python_tell(&python, "a", "%s", command->path[0]);
    python_tell(&python, "b", "%s", command->path[1]);
    python_tell(&python, "percent", "%.17g", command->percent);
    python_tell(&python, "cycles", "%.17g", command->cycles);
    python_tell(&python, "most", "%zu", command->choices.options.most);
    return python_become(&python, NULL);
}

enum cli_exit cmd_compare(struct cli *cli, int argc, char **argv)
{
    struct compare_command command;
    enum cli_exit exit;
    init_comparing(&command, cli);
    if (!options_parse(cli, &argp, argc, argv, &command, &exit)) {
        return exit;
    }
    return command.is_perf ? compare_times(&command) : compare_states(&command);
}
