/*
 * Reading the command line; see options.h. Before argp parses, check_spelling walks over the
 * options with the same tables, because argp says nothing useful about an option that it does not
 * know.
 */
#include "api/api.h"
#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/suggest.h"
#include "host/environment.h"
#include "host/processors.h"
#include "observe/settings.h"
#include "observe/check/names.h"
#include "observe/delay/rules.h"
#include "observe/trace/filter.h"

/* --- The frame around argp --- */

enum { KEY_HELP = 'h' };

error_t options_refuse(const struct cli *cli, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    complain(cli, "%s (see 'penrose %s --help')", text, cli->command);
    return EINVAL;
}

static bool is_named_option(const struct argp_option *option)
{
    return option->name && !(option->flags & OPTION_DOC);
}

static bool is_end(const struct argp_option *option)
{
    return !option->name && !option->key && !option->doc && !option->group;
}

/* What a long option as written can be: how many options it abbreviates, and one of them. */
struct match {
    const struct argp_option *option;
    unsigned count;
    bool exact;
};

static void match_long(const struct argp *argp, const char *name, size_t length,
                       struct match *match, struct suggestion *nearest)
{
    for (const struct argp_option *option = argp->options; option && !is_end(option); option++) {
        if (!is_named_option(option)) {
            continue;
        }
        suggest(nearest, option->name);
        if (match->exact || strncmp(option->name, name, length) != 0) {
            continue;
        }
        match->exact = option->name[length] == 0;
        match->count = match->exact ? 1 : match->count + 1;
        match->option = option;
    }
    for (const struct argp_child *child = argp->children; child && child->argp; child++) {
        match_long(child->argp, name, length, match, nearest);
    }
}

static const struct argp_option *find_short(const struct argp *argp, int key)
{
    for (const struct argp_option *option = argp->options; option && !is_end(option); option++) {
        if (option->key == key && !(option->flags & OPTION_DOC)) {
            return option;
        }
    }
    for (const struct argp_child *child = argp->children; child && child->argp; child++) {
        const struct argp_option *option = find_short(child->argp, key);
        if (option) {
            return option;
        }
    }
    return NULL;
}

/* Checks "--name" or "--name=value" (without its dashes); *wants_next when the value follows. */
static error_t check_long(const struct cli *cli, const struct argp *argp, const char *text,
                          bool *wants_next)
{
    char name[64];
    size_t length = strcspn(text, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
             text);
    struct match match = {0};
    struct suggestion nearest = {.word = name};
    match_long(argp, text, length, &match, &nearest);
    if (match.count > 1) {
        return options_refuse(cli, "--%s can mean several options; write its whole name", name);
    }
    if (!match.count) {
        return nearest.best ? options_refuse(cli, "there is no option --%s; did you mean --%s?",
                                             name, nearest.best)
                            : options_refuse(cli, "there is no option --%s", name);
    }
    if (!match.option->arg && text[length]) {
        return options_refuse(cli, "--%s takes no value", match.option->name);
    }
    *wants_next =
        match.option->arg && !(match.option->flags & OPTION_ARG_OPTIONAL) && !text[length];
    return 0;
}

/* Checks "-abc"; *wants_next when the value of the last letter follows. */
static error_t check_short(const struct cli *cli, const struct argp *argp, const char *text,
                           bool *wants_next)
{
    for (; *text; text++) {
        const struct argp_option *option = find_short(argp, *text);
        if (!option) {
            return options_refuse(cli, "there is no option -%c", *text);
        }
        if (option->arg) {
            *wants_next = !(option->flags & OPTION_ARG_OPTIONAL) && !text[1];
            return 0;
        }
    }
    return 0;
}

static error_t check_spelling(const struct cli *cli, const struct argp *argp, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *text = argv[i];
        bool wants_next = false;
        if (text[0] != '-' || !text[1]) {
            continue;
        }
        error_t error = text[1] == '-' ? check_long(cli, argp, text + 2, &wants_next)
                                       : check_short(cli, argp, text + 1, &wants_next);
        if (error) {
            return error;
        }
        if (wants_next && i + 1 == argc) {
            return options_refuse(cli, "%s needs a value", text);
        }
        i += wants_next;
    }
    return 0;
}

bool options_parse(struct cli *cli, const struct argp *argp, int argc, char **argv, void *input,
                   enum cli_exit *exit)
{
    error_t error = check_spelling(cli, argp, argc, argv);
    if (!error) {
        error =
            argp_parse(argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP | ARGP_NO_ERRS, NULL, input);
    }
    *exit = error == ECANCELED ? CLI_DONE : CLI_REFUSED;
    if (error == ENOMEM) {
        complain(cli, "no memory to read the command line");
    }
    return !error;
}

/* --- Values --- */

error_t options_number(const struct cli *cli, const char *option, const char *text, uint64_t most,
                       uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (!*text || *end || strchr(text, '-') || strchr(text, ' ')) {
        return options_refuse(cli, "%s: '%s' is not a number; write 5000 or 0x1388", option, text);
    }
    if (errno == ERANGE || *value > most) {
        return options_refuse(cli, "%s: %s is too large, the largest is %llu (0x%llx)", option,
                              text, (unsigned long long)most, (unsigned long long)most);
    }
    return 0;
}

error_t options_chip(const struct cli *cli, const char *text, unsigned *chip)
{
    uint64_t number;
    error_t error = options_number(cli, "--chip", text, CLUSTER_CHIPS - 1, &number);
    *chip = error ? 0 : (unsigned)number;
    return error;
}

error_t options_workers(const struct cli *cli, const char *text, unsigned *workers)
{
    const unsigned most = cli->kind->arch->columns * cli->kind->arch->rows;
    uint64_t wanted = CLI_TILES;
    if (strcmp(text, "all") != 0) {
        error_t error = options_number(cli, "--tiles", text, most, &wanted);
        if (error) {
            return error;
        }
    }
    if (!wanted) {
        return options_refuse(cli, "--tiles: at least one tile must be there");
    }
    *workers = (unsigned)wanted;
    return 0;
}

error_t options_harts(const struct cli *cli, const char *option, const char *text, size_t length,
                      unsigned *harts)
{
    static const struct {
        const char *name;
        unsigned harts;
    } groups[] = {
        {"trisc", 1u << PENROSE_TRISC0 | 1u << PENROSE_TRISC1 | 1u << PENROSE_TRISC2},
        {"all", (1u << PENROSE_HARTS) - 1},
    };
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
             text);
    struct suggestion nearest = {.word = name};
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        const char *candidate = penrose_hart_name((enum penrose_hart)hart);
        if (strcmp(name, candidate) == 0) {
            *harts = 1u << hart;
            return 0;
        }
        suggest(&nearest, candidate);
    }
    for (unsigned i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (strcmp(name, groups[i].name) == 0) {
            *harts = groups[i].harts;
            return 0;
        }
    }
    if (nearest.best) {
        return options_refuse(cli, "%s: there is no hart '%s'; did you mean %s?", option, name,
                              nearest.best);
    }
    return options_refuse(cli,
                          "%s: there is no hart '%s'; they are brisc, ncrisc, trisc0, trisc1 "
                          "and trisc2",
                          option, name);
}

static error_t append_word(const struct cli *cli, struct word_list *list, uint32_t word)
{
    uint32_t *grown = realloc(list->word, (list->count + 1) * sizeof *grown);
    if (!grown) {
        return options_refuse(cli, "no memory for the command line");
    }
    list->word = grown;
    list->word[list->count++] = word;
    return 0;
}

error_t options_words(const struct cli *cli, const char *option, const char *text,
                      struct word_list *list)
{
    for (;;) {
        char number[32];
        uint64_t value;
        size_t length = strcspn(text, ",");
        snprintf(number, sizeof number, "%.*s",
                 (int)(length < sizeof number ? length : sizeof number - 1), text);
        error_t error = options_number(cli, option, number, UINT32_MAX, &value);
        if (!error) {
            error = append_word(cli, list, (uint32_t)value);
        }
        if (error || !text[length]) {
            return error;
        }
        text += length + 1;
    }
}

error_t options_costs(const struct cli *cli, const char *text, char costs[OPTIONS_COSTS])
{
    size_t used = strlen(costs);
    int length = snprintf(costs + used, OPTIONS_COSTS - used, "%s%s", used > 0 ? "," : "", text);
    return length >= 0 && (size_t)length < OPTIONS_COSTS - used
               ? 0
               : options_refuse(cli, "--cost: costs of more than %d characters", OPTIONS_COSTS - 1);
}

bool options_place(const char *text, struct penrose_place *place)
{
    return settings_next_tile(place, &text) && !*text;
}

error_t options_checks(const struct cli *cli, const char *origin, const char *text)
{
    struct check_settings settings;
    struct penrose_error error;
    return check_settings_parse(text, &settings, &error) == PENROSE_OK
               ? 0
               : options_refuse(cli, "%s: %s", origin, error.text);
}

char **options_split_command(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            *argc = i;
            argv[i] = NULL;
            return argv + i + 1;
        }
    }
    return NULL;
}

error_t options_delays(const struct cli *cli, const char *origin, const char *text)
{
    struct delay_rules rules;
    struct penrose_error error;
    return delay_rules_parse(text, &rules, &error) == PENROSE_OK
               ? 0
               : options_refuse(cli, "%s: %s", origin, error.text);
}

error_t options_trace_filter(const struct cli *cli, const char *text)
{
    struct trace_filter filter;
    struct penrose_error error;
    return trace_filter_parse(text, &filter, &error) == PENROSE_OK
               ? 0
               : options_refuse(cli, "--trace-filter: %s", error.text);
}

/* --- arch_argp --- */

enum { KEY_ARCH = 0xb00 };

const struct chip_calls *options_find_kind(int argc, char **argv)
{
    const struct chip_calls *kind = NULL;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *name = strcmp(argv[i], "--arch") == 0 && i + 1 < argc ? argv[i + 1]
                           : strncmp(argv[i], "--arch=", 7) == 0          ? argv[i] + 7
                                                                          : NULL;
        kind = name ? api_chip_of_name(name) : kind;
    }
    return kind ? kind : api_chips[0];
}

static error_t refuse_arch(const struct cli *cli, const char *name)
{
    struct suggestion nearest = {.word = name};
    char known[256] = "";
    size_t length = 0;
    for (size_t i = 0; api_chips[i] && length < sizeof known; i++) {
        suggest(&nearest, api_chips[i]->arch->name);
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "",
                                   api_chips[i]->arch->name);
    }
    if (nearest.best) {
        return options_refuse(cli, "--arch: there is no chip '%s'; did you mean %s? Known: %s",
                              name, nearest.best, known);
    }
    return options_refuse(cli, "--arch: there is no chip '%s'; known: %s", name, known);
}

static error_t parse_arch(int key, char *argument, struct argp_state *state)
{
    struct cli *cli = state->input;
    if (key != KEY_ARCH) {
        return ARGP_ERR_UNKNOWN;
    }
    cli->kind = api_chip_of_name(argument);
    return cli->kind ? 0 : refuse_arch(cli, argument);
}

static const struct argp_option arch_options[] = {
    {"arch", KEY_ARCH, "ARCH", 0, "The kind of chip (default blackhole)", 0},
    {0},
};

const struct argp arch_argp = {.options = arch_options, .parser = parse_arch};

/* --- json_argp --- */

enum { KEY_JSON = 0x100 };

static error_t parse_json(int key, char *argument, struct argp_state *state)
{
    struct cli *cli = state->input;
    (void)argument;
    switch (key) {
    case KEY_JSON:
        cli->json = true;
        return 0;
    case KEY_HELP:
        argp_help(state->root_argp, stdout, ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_DOC,
                  state->name);
        return ECANCELED;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option json_options[] = {
    {"json", KEY_JSON, NULL, 0, "Write the result as one JSON object to stdout", 0},
    {"help", KEY_HELP, NULL, 0, "Show this help", 0},
    {0},
};

const struct argp json_argp = {.options = json_options, .parser = parse_json};
