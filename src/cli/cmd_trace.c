/* `penrose trace`: prints a trace in binary form. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/noc_trace.h"
#include "cli/options.h"
#include "cli/output.h"
#include "host/array.h"
#include "isa/json_text.h"
#include "observe/names.h"
#include "observe/trace/file.h"
#include "observe/trace/reader.h"
#include "observe/trace/text.h"

enum {
    FILTER_BYTES = 4096,
    KEY_SUMMARY = 0x900,
    KEY_TEXT,
    KEY_PROFILE,
    KEY_PERFETTO,
    KEY_NOC_TRACE,
    KEY_OPERATIONS
};

/* --- Counting --- */

/* What is counted under a name. */
struct tally_entry {
    const char *name;
    uint64_t count, cycles, first, last;
};

struct tally {
    const char *title, *counted; /* of the table, and what `cycles` is; NULL: nothing */
    struct tally_entry *entry;
    size_t count, room;
    size_t latest; /* where the name was found that was asked for last */
};

enum { TALLY_KINDS, TALLY_AGENTS, TALLY_TENSIX, TALLY_RISCV, TALLY_WAITS, TALLY_TOUCH, TALLIES };

struct trace_query {
    struct cli *cli;
    const char *path, *profile_path, *noc_path, *operations;
    struct noc_trace noc; /* for `noc_path` */
    char filter[FILTER_BYTES];
    bool is_summary, has_addresses;
    struct trace_text *text;
    bool is_perfetto;           /* in that form */
    struct trace_file *profile; /* that is made of the events; NULL: none is */
    struct names names;
    struct tally tally[TALLIES];
    uint64_t taken, first, last;
    bool has_failed; /* no memory, or stdout takes no more */
};

/* Tables are small, and what is counted repeats: a search from the latest place on is short. */
static struct tally_entry *find_tally(struct trace_query *query, struct tally *tally,
                                      const char *name)
{
    const char *kept = names_keep(&query->names, name, strlen(name));
    for (size_t i = 0; i < tally->count; i++) {
        size_t at = (tally->latest + i) % tally->count;
        if (tally->entry[at].name == kept) {
            tally->latest = at;
            return &tally->entry[at];
        }
    }
    if (!array_grow(&tally->entry, tally->count, &tally->room, sizeof *tally->entry)) {
        query->has_failed = true;
        return NULL;
    }
    tally->entry[tally->count] = (struct tally_entry){.name = kept, .first = UINT64_MAX};
    return &tally->entry[tally->count++];
}

static void count_as(struct trace_query *query, unsigned number, const char *name,
                     const struct penrose_trace_event *event, uint64_t cycles)
{
    struct tally_entry *entry = find_tally(query, &query->tally[number], name);
    if (entry) {
        entry->count++;
        entry->cycles += cycles;
        entry->first = event->cycle < entry->first ? event->cycle : entry->first;
        entry->last = event->cycle > entry->last ? event->cycle : entry->last;
    }
}

static void count_mnemonic(struct trace_query *query, const struct penrose_trace_event *event)
{
    bool is_tensix = event->kind == PENROSE_TRACE_TENSIX;
    const char *text = trace_text_instruction(query->text, event);
    char name[96];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " "), text);
    count_as(query, is_tensix ? TALLY_TENSIX : TALLY_RISCV, name, event, event->waited);
}

/* Counts accesses to the addresses that were asked for, by agent and place in the code. */
static void count_touch(struct trace_query *query, const struct penrose_trace_event *event)
{
    static const char *const access[] = {"reads", "writes"}, *const noc[] = {"delivers", "sends"};
    char name[768];
    snprintf(name, sizeof name, "(%u, %u) %s %s%s%s%s%s", event->x, event->y, event->agent_name,
             (event->kind == PENROSE_TRACE_NOC ? noc : access)[event->begins],
             *event->symbol ? " in " : "", event->symbol, *event->source ? ", " : "",
             event->source);
    size_t length = strlen(name);
    if (event->line) {
        snprintf(name + length, sizeof name - length, ":%u%s", event->line,
                 trace_text_calls(query->text, event->inlined_at));
    } else if (event->kind == PENROSE_TRACE_DATA && event->agent == PENROSE_AGENT_NOC) {
        snprintf(name + length, sizeof name - length, " for (%u, %u)", event->peer_x,
                 event->peer_y);
    } else if (event->kind == PENROSE_TRACE_DATA && event->agent == PENROSE_AGENT_ETHERNET) {
        snprintf(name + length, sizeof name - length, " from (%u, %u) of chip %u", event->peer_x,
                 event->peer_y, event->peer_chip);
    }
    count_as(query, TALLY_TOUCH, name, event, 0);
}

static void count_event(struct trace_query *query, const struct penrose_trace_event *event)
{
    char name[300];
    count_as(query, TALLY_KINDS, penrose_trace_kind_name(event->kind), event, 0);
    count_as(query, TALLY_AGENTS, event->agent_name, event, 0);
    if (event->kind == PENROSE_TRACE_INSTRUCTION || event->kind == PENROSE_TRACE_TENSIX) {
        count_mnemonic(query, event);
    }
    if (event->kind == PENROSE_TRACE_WAIT && event->begins) {
        snprintf(name, sizeof name, "%s: %s", event->agent_name, event->what);
        count_as(query, TALLY_WAITS, name, event, 0);
    }
    if (query->has_addresses && event->kind != PENROSE_TRACE_WAIT) {
        count_touch(query, event);
    }
}

/* --- JSON --- */

static void set_named(json_t *object, const char *name, const char *text)
{
    if (*text) {
        json_object_set_new(object, name, json_text(text));
    }
}

static void set_place(json_t *object, const char *name, unsigned x, unsigned y)
{
    json_object_set_new(object, name, json_pack("[i, i]", (int)x, (int)y));
}

static void set_cause(json_t *object, const struct penrose_trace_cause *cause)
{
    const char *agent = penrose_agent_name(cause->agent);
    if (cause->is_known) {
        json_t *by = json_object();
        set_place(by, "tile", cause->x, cause->y);
        json_object_set_new(by, "agent", json_text(agent ? agent : ""));
        if (cause->thread >= 0) {
            json_set_count(by, "thread", (uint64_t)cause->thread);
        }
        json_set_count(by, "cycle", cause->cycle);
        json_object_set_new(object, "cause", by);
    }
}

/* Each line of the text. */
static json_t *calls_json(const char *inlined_at)
{
    json_t *list = json_array();
    char *copy = strdup(inlined_at), *rest = copy;
    for (const char *line; (line = strsep(&rest, "\n"));) {
        json_array_append_new(list, json_text(line));
    }
    free(copy);
    return list;
}

static void set_details(json_t *object, const struct penrose_trace_event *event)
{
    switch (event->kind) {
    case PENROSE_TRACE_INSTRUCTION:
        if (event->value > 0) {
            json_set_count(object, "program", event->value);
        }
        break;
    case PENROSE_TRACE_TENSIX:
    case PENROSE_TRACE_KINDS:
        break;
    case PENROSE_TRACE_MEMORY:
    case PENROSE_TRACE_REGISTER:
        json_set_count(object, "value", event->value);
        json_object_set_new(object, "writes", json_boolean(event->begins));
        break;
    case PENROSE_TRACE_DATA:
        json_object_set_new(object, "writes", json_boolean(event->begins));
        break;
    case PENROSE_TRACE_NOC:
        json_object_set_new(object, "sent", json_boolean(event->begins));
        json_set_count(object, "noc", event->noc);
        set_place(object, "peer", event->peer_x, event->peer_y);
        break;
    case PENROSE_TRACE_WAIT:
        json_object_set_new(object, "begins", json_boolean(event->begins));
        break;
    }
    if (event->size) {
        json_object_set_new(object, "address", json_integer((json_int_t)event->address));
        json_set_count(object, "size", event->size);
    }
    set_named(object, "what", event->what);
}

static json_t *event_json(struct trace_query *query, const struct penrose_trace_event *event)
{
    json_t *object = json_object();
    json_set_count(object, "cycle", event->cycle);
    set_place(object, "tile", event->x, event->y);
    json_object_set_new(object, "agent", json_text(event->agent_name));
    json_object_set_new(object, "kind", json_text(penrose_trace_kind_name(event->kind)));
    if (event->thread >= 0) {
        json_set_count(object, "thread", (uint64_t)event->thread);
    }
    if (event->word) {
        json_object_set_new(object, "pc", json_address(event->pc));
        json_object_set_new(object, "word", json_address(event->word));
        json_object_set_new(object, "text", json_text(trace_text_instruction(query->text, event)));
    }
    if (event->has_result) {
        char name[8];
        snprintf(name, sizeof name, "%c%u", event->result.file == PENROSE_F ? 'f' : 'x',
                 event->result.number);
        json_object_set_new(object, "register", json_text(name));
        json_set_count(object, "result", event->result_value);
    }
    set_details(object, event);
    if (event->waited) {
        json_set_count(object, "waited", event->waited);
    }
    set_cause(object, &event->cause);
    set_named(object, "kernel", event->kernel);
    set_named(object, "symbol", event->symbol);
    if (*event->symbol) {
        json_set_count(object, "offset", event->symbol_offset);
    }
    set_named(object, "source", event->source);
    if (event->line) {
        json_set_count(object, "line", event->line);
    }
    if (*event->inlined_at) {
        json_object_set_new(object, "inlined_at", calls_json(event->inlined_at));
    }
    return object;
}

/* --- Events --- */

static void print_event(struct trace_query *query, const struct penrose_trace_event *event)
{
    char line[TRACE_LINE_BYTES];
    if (!query->cli->json) {
        size_t length = trace_text_line(query->text, event, line);
        query->has_failed |= fwrite(line, 1, length, stdout) != length;
        return;
    }
    json_t *object = event_json(query, event);
    query->has_failed |=
        !object || json_dumpf(object, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) != 0;
    putchar('\n');
    json_decref(object);
}

static void take_queried(void *context, const struct penrose_trace_event *event)
{
    struct trace_query *query = context;
    query->first = query->taken == 0 || event->cycle < query->first ? event->cycle : query->first;
    query->last = event->cycle > query->last ? event->cycle : query->last;
    query->taken++;
    if (query->has_failed) {
        return;
    }
    if (query->profile) {
        trace_file_take(query->profile, event);
    } else if (query->noc_path) {
        noc_trace_take(&query->noc, event);
    } else if (query->is_summary) {
        count_event(query, event);
    } else {
        print_event(query, event);
    }
}

/* --- Summaries --- */

static int compare_entries(const void *a, const void *b)
{
    const struct tally_entry *first = a, *second = b;
    if (first->count != second->count) {
        return first->count > second->count ? -1 : 1;
    }
    return strcmp(first->name, second->name);
}

static void print_tally(const struct tally *tally)
{
    if (tally->count == 0) {
        return;
    }
    printf("\n%s\n  %12s  ", tally->title, "count");
    if (tally->counted) {
        printf("%12s  ", tally->counted);
    }
    printf("%10s  %10s\n", "first", "last");
    for (size_t i = 0; i < tally->count; i++) {
        const struct tally_entry *entry = &tally->entry[i];
        printf("  %12" PRIu64 "  ", entry->count);
        if (tally->counted) {
            printf("%12" PRIu64 "  ", entry->cycles);
        }
        printf("%10" PRIu64 "  %10" PRIu64 "  %s\n", entry->first, entry->last, entry->name);
    }
}

static json_t *tally_json(const struct tally *tally)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tally->count; i++) {
        const struct tally_entry *entry = &tally->entry[i];
        json_t *object = json_object();
        json_object_set_new(object, "name", json_text(entry->name));
        json_set_count(object, "count", entry->count);
        if (tally->counted) {
            json_set_count(object, "waited", entry->cycles);
        }
        json_set_count(object, "first_cycle", entry->first);
        json_set_count(object, "last_cycle", entry->last);
        json_array_append_new(list, object);
    }
    return list;
}

static enum cli_exit print_summary(struct trace_query *query, const struct trace_reading *reading,
                                   enum cli_exit exit)
{
    static const char *const members[TALLIES] = {"kinds", "agents", "tensix",
                                                 "riscv", "waits",  "touched_by"};
    for (unsigned i = 0; i < TALLIES; i++) {
        struct tally *tally = &query->tally[i];
        if (tally->count > 0) {
            qsort(tally->entry, tally->count, sizeof *tally->entry, compare_entries);
        }
    }
    if (query->cli->json) {
        json_t *object = json_object();
        json_object_set_new(object, "command", json_string("trace"));
        json_object_set_new(object, "outcome",
                            json_text(exit ? "damaged" : cli_exit_name(CLI_DONE)));
        json_object_set_new(object, "exit_status", json_integer(exit));
        json_object_set_new(object, "file", json_text(query->path));
        json_set_count(object, "events_in_file", reading->events);
        json_set_count(object, "damaged_blocks", reading->damaged);
        json_set_count(object, "events", query->taken);
        json_set_count(object, "first_cycle", query->first);
        json_set_count(object, "last_cycle", query->last);
        for (unsigned i = 0; i < TALLIES; i++) {
            json_object_set_new(object, members[i], tally_json(&query->tally[i]));
        }
        enum cli_exit written = output_json(query->cli, object);
        return written ? written : exit;
    }
    printf("%s: %" PRIu64 " of %" PRIu64 " events, cycles %" PRIu64 " to %" PRIu64 "\n",
           query->path, query->taken, reading->events, query->first, query->last);
    for (unsigned i = 0; i < TALLIES; i++) {
        print_tally(&query->tally[i]);
    }
    return exit;
}

/* --- The command --- */

static error_t parse_word(struct trace_query *query, const char *word)
{
    size_t length = strlen(query->filter);
    if (!query->path) {
        query->path = word;
        return 0;
    }
    if (length + strlen(word) + 2 > sizeof query->filter) {
        return options_refuse(query->cli, "the filter is too long");
    }
    snprintf(query->filter + length, sizeof query->filter - length, " %s", word);
    query->has_addresses |= strncmp(word, "address=", 8) == 0 || strstr(word, " address=");
    return 0;
}

static error_t parse_trace(int key, char *argument, struct argp_state *state)
{
    struct trace_query *query = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = query->cli;
        state->child_inputs[1] = query->cli;
        return 0;
    case KEY_SUMMARY:
        query->is_summary = true;
        return 0;
    case KEY_PROFILE:
    case KEY_PERFETTO:
        query->is_perfetto = key == KEY_PERFETTO;
        query->profile_path = argument;
        return 0;
    case KEY_NOC_TRACE:
        query->noc_path = argument;
        return 0;
    case KEY_OPERATIONS:
        query->operations = argument;
        return 0;
    case KEY_TEXT:
        return 0; /* what there is without --json */
    case ARGP_KEY_ARG:
        return parse_word(query, argument);
    case ARGP_KEY_NO_ARGS:
        return options_refuse(query->cli, "name a file that --trace=FILE.ptrace has written");
    case ARGP_KEY_END:
        return query->is_summary + !!query->profile_path + !!query->noc_path > 1
                   ? options_refuse(query->cli,
                                    "--summary, --profile, --perfetto and --noc-trace are "
                                    "written in place of events; choose one of them")
                   : 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_rows[] = {
    {"summary", KEY_SUMMARY, NULL, 0,
     "Count the events: by kind, agent and mnemonic, waits by what is waited for, and with "
     "address= "
     "who touched it",
     0},
    {"profile", KEY_PROFILE, "OUT", 0,
     "Write where the cycles went to OUT in place of events: text, a page where its name ends in "
     ".html, a table where in .csv (.ops.csv: of launches), or a trace for ui.perfetto.dev where "
     "in .pftrace. The trace "
     "must have the "
     "kinds "
     "instruction, tensix, noc and wait",
     0},
    {"perfetto", KEY_PERFETTO, "OUT", 0,
     "Write a profile for ui.perfetto.dev, as --profile does, whatever OUT is called", 0},
    {"operations", KEY_OPERATIONS, "FILE", 0,
     "With --profile or --perfetto: call launches by the operations of ttnn that penrose exec "
     "--operations has written to FILE",
     0},
    {"noc-trace", KEY_NOC_TRACE, "OUT", 0,
     "Write requests to the NoC to OUT in place of events, as tt-metal's profiler does: JSON for "
     "tt-npe and ttnn-visualizer. The trace must have the kind noc",
     0},
    {"text", KEY_TEXT, NULL, 0, "A line for each event (default)", 0},
    {0},
};

static const struct argp_child children[] = {
    {&json_argp, 0, "Output:", 5}, {&arch_argp, 0, "Chip:", 6}, {0}};

static const struct argp trace_argp = {
    .options = option_rows,
    .parser = parse_trace,
    .args_doc = "FILE [FILTER...]",
    .doc = "Shows what is in a trace that --trace=FILE.ptrace, or PENROSE_TRACE=FILE.ptrace, has "
           "written. With --json each event is an object on a line of its own."
           "\vFilters are those of --trace-filter: an event is shown when it fits one word of each "
           "key.\n"
           "  tile=X,Y or X-X,Y-Y   hart=NAME,...   thread=N,...   kind=NAME,...   cycle=N-N   "
           "pc=N-N\n"
           "  address=N-N           function=NAME\n"
           "Kinds are instruction, tensix, memory, register, data, noc and wait.\n\n"
           "Examples:\n"
           "  penrose trace t.ptrace --summary\n"
           "  penrose trace t.ptrace tile=1,2 hart=trisc1 kind=tensix,wait cycle=1000-2000\n"
           "  penrose trace t.ptrace address=0x1f000-0x1f7ff --summary\n"
           "        who touched these bytes\n"
           "  penrose trace t.ptrace --profile=t.html\n"
           "        where the cycles went\n\n"
           "Exit codes: 0 done, 2 usage, or a file of which not all can be read.",
    .children = children,
};

static enum cli_exit read_queried(struct trace_query *query)
{
    struct trace_reading reading = {.take = take_queried, .context = query};
    struct penrose_error error;
    if (query->operations && access(query->operations, R_OK) != 0) {
        return complain(query->cli, "--operations: cannot read %s: %s", query->operations,
                        strerror(errno));
    }
    if (query->profile_path) {
        query->profile =
            trace_file_profile(&(struct trace_file_options){.path = query->profile_path,
                                                            .is_perfetto = query->is_perfetto,
                                                            .operations = query->operations},
                               query->cli->kind, &error);
        if (!query->profile) {
            return complain(query->cli, "--%s: %s", query->is_perfetto ? "perfetto" : "profile",
                            error.text);
        }
    }
    enum penrose_status status = trace_read(query->path, query->filter, &reading, &error);
    if (!trace_file_stop(query->profile)) {
        return complain(query->cli, "--%s: cannot write %s: %s",
                        query->is_perfetto ? "perfetto" : "profile", query->profile_path,
                        strerror(errno));
    }
    if (reading.is_cut) {
        note("%s ends in the middle of a block; what is before that is shown", query->path);
    }
    if (query->has_failed) {
        return ferror(stdout) ? CLI_DONE : complain(query->cli, "no memory"); /* main tells */
    }
    if (status != PENROSE_OK) {
        return complain(query->cli, "%s", error.text);
    }
    if (reading.damaged) {
        note("%s: %" PRIu64 " of its blocks cannot be read, the other %" PRIu64 " are shown; %s",
             query->path, reading.damaged, reading.blocks, reading.damage.text);
    }
    enum cli_exit exit = reading.damaged ? CLI_REFUSED : CLI_DONE;
    if (query->noc_path) {
        enum cli_exit written = noc_trace_write(&query->noc, query->noc_path, query->cli);
        return written ? written : exit;
    }
    return query->is_summary ? print_summary(query, &reading, exit) : exit;
}

enum cli_exit cmd_trace(struct cli *cli, int argc, char **argv)
{
    static const struct tally tallies[TALLIES] = {
        {.title = "Events by kind"},
        {.title = "Events by agent"},
        {.title = "Tensix instructions", .counted = "waited"},
        {.title = "RISC-V instructions"},
        {.title = "Waits, by what was waited for"},
        {.title = "Who touched it"},
    };
    enum cli_exit exit;
    struct trace_query *query = calloc(1, sizeof *query);
    if (!query) {
        return complain(cli, "no memory");
    }
    query->cli = cli;
    memcpy(query->tally, tallies, sizeof tallies);
    if (options_parse(cli, &trace_argp, argc, argv, query, &exit)) {
        query->text = trace_text_create(cli->kind);
        exit = query->text ? read_queried(query) : complain(cli, "no memory");
    }
    for (unsigned i = 0; i < TALLIES; i++) {
        free(query->tally[i].entry);
    }
    names_free(&query->names);
    noc_trace_free(&query->noc);
    trace_text_destroy(query->text);
    free(query);
    return exit;
}
