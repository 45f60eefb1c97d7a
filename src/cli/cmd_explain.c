/*
 * `penrose explain`: two dumps are compared, the program of the first one runs again, and whoever
 * has written what differs last is told, the first in program order first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/penrose.h>

#include "cli/compare_options.h"
#include "cli/explain_text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/rerun.h"
#include "isa/json_text.h"
#include "observe/history/writers.h"

enum {
    MOST_ITEMS = 65536, /* differences of a part that are followed */
    MOST_TILES = 8,
    MOST_DEPTH = 64,
    SOURCE_TEXT = 256,
    CALLS_TEXT = 400,
    PLACE_TEXT = 768,
    INPUT_TEXT = 320,
    SRC_BANK_DATA = 64 * 16,
    GPRS = 64,
};

struct explain_command {
    struct cli *cli;
    const char *path[2];
    unsigned paths;
    uint64_t depth;
    const char *recording[2];  /* of A and B; NULL: the command line in the dump */
    unsigned recordings, side; /* 0: A runs again, 1: B */
    uint64_t most;             /* bytes of a recording; 0: what its size allows */
    bool runs_both;
    bool is_changed[2];             /* what ran again did not end as in its dump */
    const char *symbols;            /* a folder, or NULL */
    struct program_files *programs; /* in it */
    struct compare_choices choices;
    struct compare_dump a, b;
    struct comparison comparison;
    struct culprit *culprit; /* one for each difference that can be followed */
    size_t culprits;
    struct followed *followed; /* inputs, the latest first */
    struct culprit *watched;   /* by the run under way: `watching` culprits, */
    size_t watching;
    uint64_t until[2];                     /* up to these events of A and B, */
    uint64_t until_cycle[2];               /* and these cycles */
    struct penrose_place tile[MOST_TILES]; /* with differences */
    struct writers *writers[MOST_TILES];
    unsigned tiles;
    enum penrose_status status; /* of the run under observation */
    struct penrose_error error;
};

/* A difference, and who made it. */
struct culprit {
    const struct compare_part *part;
    const struct compare_item *item;
    struct writers_datum datum;
    unsigned tile;                                     /* index in explain_command.tile */
    struct writers_record record, other;               /* of A and B */
    char symbol[128], source[SOURCE_TEXT];             /* of the instruction in A */
    char other_symbol[128], other_source[SOURCE_TEXT]; /* in B */
    char calls[CALLS_TEXT], other_calls[CALLS_TEXT];   /* ", inlined at ...", or empty */
    json_t *inlined_at;                                /* all of those in A; NULL: not looked for */
    char later_symbol[128], later_source[SOURCE_TEXT]; /* of who changed Dst behind a packer */
    char early_symbol[128], early_source[SOURCE_TEXT]; /* of who read a GPR too early */
    bool was_told;
};

/* An input that differed when it was read, and has been overwritten since. */
struct followed {
    struct followed *next;
    struct compare_part part;
    struct compare_item item;
    struct culprit culprit;
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
        if (command->recordings == 2) {
            return options_refuse(command->cli, "--recording: there are two dumps");
        }
        command->recording[command->recordings++] = argument;
        return 0;
    case KEY_EXPLAIN_SYMBOLS:
        command->symbols = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (command->paths == 2) {
            return options_refuse(command->cli, "two dumps are compared; what is '%s'?", argument);
        }
        command->path[command->paths++] = argument;
        return 0;
    case ARGP_KEY_END:
        return command->paths == 2 ? 0 : options_refuse(command->cli, "name two dumps");
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

/* --- From items to data that can be watched --- */

static bool datum_of_tensix(const struct compare_part *part, const struct compare_item *item,
                            struct writers_datum *datum)
{
    bool is_field = strcmp(part->name, "config") == 0 || strcmp(part->name, "tensix") == 0;
    datum->kind = WRITERS_FIELD;
    if (strcmp(part->name, "gpr") == 0) {
        snprintf(datum->name, sizeof datum->name, "%" PRIu64 ".gpr.%" PRIu64, item->index / GPRS,
                 item->index % GPRS);
        return true;
    }
    const char *name = is_field ? strrchr(item->name, '/') : NULL;
    snprintf(datum->name, sizeof datum->name, "%s", name ? name + 1 : "");
    return name;
}

static bool datum_of_item(const struct compare_part *part, const struct compare_item *item,
                          struct writers_datum *datum)
{
    *datum = (struct writers_datum){.index = (uint32_t)item->index};
    if (strcmp(part->name, "l1") == 0) {
        datum->kind = WRITERS_L1;
        return true;
    }
    for (unsigned hart = 0; hart < PENROSE_HARTS && strncmp(part->name, "local_", 6) == 0; hart++) {
        if (strcmp(part->name + 6, penrose_hart_name((enum penrose_hart)hart)) == 0) {
            datum->kind = WRITERS_LOCAL;
            datum->part = hart;
            return true;
        }
    }
    if (strcmp(part->name, "dst") == 0 || strncmp(part->name, "dst_bits", 8) == 0) {
        bool is_wide = strcmp(part->name, "dst_bits32") == 0 ||
                       strcmp(part->detail, "Float32") == 0 || strcmp(part->detail, "Int32") == 0;
        datum->kind = is_wide ? WRITERS_DST32 : WRITERS_DST16;
        return true;
    }
    if (strncmp(part->name, "src", 3) == 0) {
        datum->kind = WRITERS_SRC;
        datum->part = (part->name[3] == 'b') * 2U + (unsigned)(item->index / SRC_BANK_DATA % 2);
        datum->index = (uint32_t)(item->index % SRC_BANK_DATA);
        return true;
    }
    if (strncmp(part->name, "lregs", 5) == 0) {
        datum->kind = WRITERS_LREG;
        return true;
    }
    return datum_of_tensix(part, item, datum);
}

/* The index of a tile with differences; MOST_TILES: no room. */
static unsigned tile_index(struct explain_command *command, unsigned x, unsigned y)
{
    unsigned i = 0;
    while (i < command->tiles && (command->tile[i].x != x || command->tile[i].y != y)) {
        i++;
    }
    if (i == command->tiles && i < MOST_TILES) {
        command->tile[command->tiles++] = (struct penrose_place){x, y};
    }
    return i;
}

static bool collect_data(struct explain_command *command)
{
    const struct comparison *comparison = &command->comparison;
    size_t count = 0;
    for (size_t i = 0; i < comparison->parts; i++) {
        count += comparison->part[i].items;
    }
    command->culprit = calloc(count + 1, sizeof *command->culprit);
    for (size_t i = 0; i < comparison->parts && command->culprit; i++) {
        const struct compare_part *part = &comparison->part[i];
        for (size_t k = 0; k < part->items; k++) {
            struct culprit culprit = {.part = part, .item = &part->item[k]};
            if (datum_of_item(part, culprit.item, &culprit.datum)) {
                culprit.tile = tile_index(command, part->x, part->y);
                command->culprit[command->culprits] = culprit;
                command->culprits += culprit.tile < MOST_TILES;
            }
        }
    }
    return command->culprit;
}

/* --- Running again --- */

/* The moment of the dump: events of a tile behind it do not count. */
static uint64_t cycle_of_dump(const struct explain_command *command, unsigned tile)
{
    const struct compare_dump *dump = command->side ? &command->b : &command->a;
    const struct compare_tile *entry =
        compare_dump_tile(dump, command->tile[tile].x, command->tile[tile].y);
    const json_t *part = entry ? compare_tile_part(entry, "tile") : NULL;
    json_t *fields = NULL;
    uint64_t cycle = UINT64_MAX;
    if (part && compare_part_json(dump, part, &fields, NULL) == PENROSE_OK &&
        json_is_integer(json_object_get(fields, "cycle"))) {
        cycle = (uint64_t)json_integer_value(json_object_get(fields, "cycle"));
    }
    json_decref(fields);
    return cycle;
}

static enum cli_exit begin_watching(void *context, struct penrose_chip *chip)
{
    struct explain_command *command = context;
    struct writers_datum *data = calloc(command->watching + 1, sizeof *data);
    command->status = data ? PENROSE_OK : PENROSE_E_MEMORY;
    for (unsigned tile = 0; tile < command->tiles && !command->status; tile++) {
        const uint64_t end = cycle_of_dump(command, tile),
                       cycle = command->until_cycle[command->side];
        const struct writers_limit until = {cycle < end ? cycle : end,
                                            command->until[command->side]};
        size_t count = 0;
        for (size_t i = 0; i < command->watching; i++) {
            if (command->watched[i].tile == tile) {
                data[count++] = command->watched[i].datum;
            }
        }
        if (count > 0) {
            command->status =
                writers_start(chip, command->tile[tile].x, command->tile[tile].y, data, count,
                              until, &command->writers[tile], &command->error);
        }
    }
    free(data);
    return command->status ? complain(command->cli, "%s", command->error.text) : CLI_DONE;
}

static void locate_other(struct culprit *culprit, struct penrose_chip *chip)
{
    const struct writers_record *record = &culprit->other;
    if (record->event.pc) {
        penrose_locate(chip, record->x, record->y, record->event.pc, culprit->other_symbol,
                       sizeof culprit->other_symbol, culprit->other_source,
                       sizeof culprit->other_source);
        output_calls(chip, record->x, record->y, record->event.pc, culprit->other_calls,
                     sizeof culprit->other_calls);
    }
}

static void locate_culprit(struct explain_command *command, struct culprit *culprit,
                           struct penrose_chip *chip)
{
    const struct penrose_place at = command->tile[culprit->tile];
    const struct writers_record *record = &culprit->record;
    if (record->event.pc) {
        penrose_locate(chip, record->x, record->y, record->event.pc, culprit->symbol,
                       sizeof culprit->symbol, culprit->source, sizeof culprit->source);
        output_calls(chip, record->x, record->y, record->event.pc, culprit->calls,
                     sizeof culprit->calls);
        json_decref(culprit->inlined_at);
        culprit->inlined_at = json_calls(chip, record->x, record->y, record->event.pc);
    }
    if (record->has_later_dst) {
        penrose_locate(chip, at.x, at.y, record->later_dst_pc, culprit->later_symbol,
                       sizeof culprit->later_symbol, culprit->later_source,
                       sizeof culprit->later_source);
    }
    if (record->early.is_there) {
        penrose_locate(chip, at.x, at.y, record->early.pc, culprit->early_symbol,
                       sizeof culprit->early_symbol, culprit->early_source,
                       sizeof culprit->early_source);
    }
}

/* Is the state at the end another one than in the dump that was made at the end? */
static bool ends_otherwise(const struct compare_dump *dump, struct penrose_chip *chip)
{
    const json_t *reason = json_object_get(dump->manifest, "reason");
    const char *kind = json_string_value(json_object_get(reason, "kind"));
    const char *then = json_string_value(json_object_get(dump->manifest, "state_hash"));
    char now[17];
    snprintf(now, sizeof now, "%016" PRIx64, penrose_state_hash(chip));
    return kind && strcmp(kind, "exit") == 0 && then && strcmp(then, now) != 0;
}

static void end_watching(void *context, struct penrose_chip *chip)
{
    struct explain_command *command = context;
    if (!command->recording[command->side] && command->watched == command->culprit) {
        command->is_changed[command->side] =
            ends_otherwise(command->side ? &command->b : &command->a, chip);
    }
    if (command->programs) {
        program_files_place_all(command->programs, chip, chip);
    }
    for (unsigned tile = 0; tile < command->tiles; tile++) {
        size_t index = 0;
        for (size_t i = 0; i < command->watching && command->writers[tile]; i++) {
            struct culprit *culprit = &command->watched[i];
            if (culprit->tile == tile && command->side) {
                culprit->other = *writers_record(command->writers[tile], index++);
                locate_other(culprit, chip);
            } else if (culprit->tile == tile) {
                culprit->record = *writers_record(command->writers[tile], index++);
                locate_culprit(command, culprit, chip);
            }
        }
        writers_end(command->writers[tile]);
        command->writers[tile] = NULL;
    }
}

static enum cli_exit run_side(struct explain_command *command, unsigned side)
{
    const struct cli_witness witness = {begin_watching, end_watching, command};
    command->side = side;
    return command->recording[side]
               ? rerun_recording(command->cli, command->recording[side], command->most, &witness)
               : rerun_command(command->cli, side ? &command->b : &command->a, &witness);
}

/* --- Choosing --- */

/* What nobody wrote in A is as late as B wrote it: A should have done that then. */
static const struct writers_record *moment(const struct culprit *culprit)
{
    return culprit->record.is_written ? &culprit->record : &culprit->other;
}

static bool is_earlier(const struct culprit *a, const struct culprit *b)
{
    if (a->tile == b->tile) {
        return moment(a)->sequence < moment(b)->sequence;
    }
    return moment(a)->event.cycle < moment(b)->event.cycle;
}

/* A word of a program that nobody has written: the programs are different ones. */
static bool is_code(const struct culprit *culprit)
{
    const char *detail = culprit->part->detail;
    return culprit->datum.kind == WRITERS_L1 && !culprit->record.is_written &&
           (strncmp(detail, "firmware", 8) == 0 || strncmp(detail, "kernel ", 7) == 0);
}

static size_t count_code(const struct explain_command *command)
{
    size_t count = 0;
    for (size_t i = 0; i < command->culprits; i++) {
        count += is_code(&command->culprit[i]);
    }
    return count;
}

/* The first one in program order; what neither run wrote was there before all. */
static struct culprit *first_culprit(struct explain_command *command)
{
    struct culprit *first = NULL;
    for (size_t i = 0; i < command->culprits; i++) {
        struct culprit *culprit = &command->culprit[i];
        if (!is_code(culprit) && (!first || is_earlier(culprit, first))) {
            first = culprit;
        }
    }
    return first;
}

/* Differences of a part of the culprit's tile that were made before it; *first is one of them. */
static size_t differences_before(const struct explain_command *command,
                                 const struct culprit *culprit, const char *part,
                                 const struct culprit **first)
{
    size_t count = 0, length = strlen(part);
    for (size_t i = 0; i < command->culprits; i++) {
        const struct culprit *other = &command->culprit[i];
        if (other->tile == culprit->tile && strncmp(other->part->name, part, length) == 0 &&
            is_earlier(other, culprit)) {
            *first = count && !is_earlier(other, *first) ? *first : other;
            count++;
        }
    }
    return count;
}

/* A difference in memory within a range of addresses of the culprit's tile. */
static const struct culprit *difference_in(const struct explain_command *command,
                                           const struct culprit *culprit, uint32_t from,
                                           uint32_t to)
{
    for (size_t i = 0; i < command->culprits; i++) {
        const struct culprit *other = &command->culprit[i];
        if (other->tile == culprit->tile && other->datum.kind == WRITERS_L1 &&
            other->datum.index + 3 >= from && other->datum.index <= to) {
            return other;
        }
    }
    return NULL;
}

/* --- Inputs --- */

struct input {
    char text[INPUT_TEXT];
    bool differs;                         /* when it was read, as far as that is known */
    const struct culprit *difference;     /* NULL: none that is still there at the end */
    const struct writers_source *read[2]; /* then: what A and B had there; NULL: not known */
};

enum { MOST_INPUTS = 16 };

struct inputs {
    struct input input[MOST_INPUTS];
    unsigned count;
};

static struct input *add_input(struct inputs *inputs, bool differs,
                               const struct culprit *difference, const char *text)
{
    struct input *input = &inputs->input[inputs->count];
    inputs->count += inputs->count + 1 < MOST_INPUTS;
    *input = (struct input){.differs = differs, .difference = difference};
    snprintf(input->text, sizeof input->text, "%s", text);
    return input;
}

/* Has the same instruction written the datum in both runs? Then its inputs can be compared as they
 * were. */
static bool is_by_same(const struct explain_command *command, const struct culprit *culprit)
{
    const struct writers_record *a = &culprit->record, *b = &culprit->other;
    return command->runs_both && b->is_written && a->event.agent == b->event.agent &&
           a->event.word == b->event.word && a->event.thread == b->event.thread &&
           a->is_range == b->is_range;
}

/* Whether a part of the coprocessor that is read differs. */
static void add_part_input(const struct explain_command *command, const struct culprit *culprit,
                           enum writers_part part, struct inputs *inputs)
{
    static const struct {
        const char *name, *label;
    } parts[WRITERS_PARTS] = {[WRITERS_PART_DST] = {"dst", "Dst"},
                              [WRITERS_PART_SRC] = {"src", "SrcA and SrcB"},
                              [WRITERS_PART_LREGS] = {"lregs", "LRegs"},
                              [WRITERS_PART_CONFIG] = {"config", "configuration"}};
    const struct culprit *first = NULL;
    char text[INPUT_TEXT];
    size_t count = differences_before(command, culprit, parts[part].name, &first);
    bool differed =
        is_by_same(command, culprit) && culprit->record.held[part] != culprit->other.held[part];
    if (count) {
        snprintf(text, sizeof text, "%s: differs before it (%zu; first %.140s)", parts[part].label,
                 count, first->item->name);
    } else if (is_by_same(command, culprit)) {
        snprintf(text, sizeof text, "%s: %s", parts[part].label,
                 differed ? "differed before it, in what has been overwritten since"
                          : "the same in both runs before it");
    } else {
        snprintf(text, sizeof text, "%s: of what differs at the end nothing was there before it",
                 parts[part].label);
    }
    add_input(inputs, count || differed, first, text);
}

/* What the record was made from at an address; NULL: not from there. */
static const struct writers_source *find_source(const struct writers_record *record,
                                                uint32_t address)
{
    for (unsigned i = 0; i < record->sources; i += record->is_range ? 2 : 1) {
        if (record->source[i].address == address) {
            return &record->source[i];
        }
    }
    return NULL;
}

/* An input that only one of the runs has read, though by the same instruction. */
static void add_lone_input(const struct writers_source *source, const char *side,
                           struct inputs *inputs)
{
    char text[INPUT_TEXT];
    snprintf(text, sizeof text, "%s 0x%08x: %s alone has read it",
             source->is_register ? "register" : "memory", source->address, side);
    add_input(inputs, true, NULL, text);
}

static void add_memory_input(const struct explain_command *command, const struct culprit *culprit,
                             const struct writers_source *a, const struct writers_source *b,
                             struct inputs *inputs)
{
    bool is_range = culprit->record.is_range;
    bool is_unknown = b ? a->value == b->value : a->was_overwritten; /* what is there at the end */
    const struct culprit *at_end =
        is_unknown
            ? NULL
            : difference_in(command, culprit, a->address, is_range ? a[1].address : a->address + 3);
    char text[INPUT_TEXT], what[INPUT_TEXT / 2];
    explain_memory(a, b, !is_range, at_end != NULL, what, sizeof what);
    snprintf(text, sizeof text, "%s 0x%08x%s: %s%s%.100s", a->is_register ? "register" : "memory",
             a->address, is_range ? " on" : "", what, at_end ? ", first " : "",
             at_end ? at_end->item->name : "");
    bool differs = b ? a->value != b->value : at_end != NULL;
    struct input *input = add_input(inputs, differs, at_end, text);
    if (b && a->is_l1 && !is_range && !explain_is_from_beginning(a, b)) {
        input->read[0] = a;
        input->read[1] = b;
    }
}

static void add_memory_inputs(const struct explain_command *command, const struct culprit *culprit,
                              struct inputs *inputs)
{
    const struct writers_record *a = &culprit->record, *b = &culprit->other;
    unsigned step = a->is_range ? 2 : 1;
    bool is_known = is_by_same(command, culprit);
    for (unsigned i = 0; i < a->sources; i += step) {
        const struct writers_source *other = is_known ? find_source(b, a->source[i].address) : NULL;
        if (is_known && !other) {
            add_lone_input(&a->source[i], "A", inputs);
        } else {
            add_memory_input(command, culprit, &a->source[i], other, inputs);
        }
    }
    for (unsigned i = 0; is_known && i < b->sources; i += step) {
        if (!find_source(a, b->source[i].address)) {
            add_lone_input(&b->source[i], "B", inputs);
        }
    }
}

static void collect_inputs(const struct explain_command *command, const struct culprit *culprit,
                           struct inputs *inputs)
{
    const struct writers_record *record = &culprit->record;
    bool is_state = culprit->datum.kind == WRITERS_FIELD;
    inputs->count = 0;
    if (!record->is_written) {
        return;
    }
    add_memory_inputs(command, culprit, inputs);
    if (record->origin.is_known) {
        char text[INPUT_TEXT];
        snprintf(text, sizeof text, "memory 0x%08x of (%u, %u), in cycle %" PRIu64,
                 record->origin.address, record->peer_x, record->peer_y, record->origin.cycle);
        add_input(inputs, true, NULL, text);
    }
    bool is_tensix = record->event.kind == OBSERVED_TENSIX ||
                     record->event.agent == OBSERVED_PACKER ||
                     record->event.agent == OBSERVED_UNPACKER;
    if (!is_tensix || is_state) {
        return;
    }
    if (record->event.agent == OBSERVED_PACKER) {
        add_part_input(command, culprit, WRITERS_PART_DST, inputs);
    } else if (!record->is_range) { /* of the Matrix and the Vector Unit */
        add_part_input(command, culprit, WRITERS_PART_SRC, inputs);
        add_part_input(command, culprit, WRITERS_PART_LREGS, inputs);
    }
    add_part_input(command, culprit, WRITERS_PART_CONFIG, inputs);
}

/* --- The report --- */

/* What a packer did not wait for; false: nothing. */
static bool describe_race(const struct culprit *culprit, char *text, size_t size)
{
    const struct writers_record *record = &culprit->record;
    char instruction[96] = "";
    if (!record->has_later_dst) {
        return false;
    }
    penrose_tensix_disassemble(record->later_dst_word, instruction, sizeof instruction);
    snprintf(text, size, "Dst was changed behind it, in cycle %" PRIu64 ", by thread %u: %s%s%s",
             record->later_dst_cycle, record->later_dst_thread, instruction,
             *culprit->later_source ? ", " : "", short_source(culprit->later_source));
    return true;
}

/* Who has read what was not there yet; false: nobody. */
static bool describe_early(const struct culprit *culprit, char *text, size_t size)
{
    const struct writers_early_read *early = &culprit->record.early;
    char instruction[96] = "";
    if (!early->is_there) {
        return false;
    }
    penrose_tensix_disassemble(early->word, instruction, sizeof instruction);
    snprintf(text, size,
             "thread %u, in cycle %" PRIu64 "%s%s: %s reads GPR %u before the result that was "
             "requested for it (no STALLWAIT)",
             early->thread, early->cycle, *culprit->early_source ? ", " : "",
             short_source(culprit->early_source), instruction, early->gpr);
    return true;
}

/* Is it known that another instruction, or nobody, has written it in B? */
static bool is_by_another(const struct explain_command *command, const struct culprit *culprit)
{
    return command->runs_both && !is_by_same(command, culprit) &&
           (culprit->record.is_written || culprit->other.is_written);
}

static void print_culprit(const struct explain_command *command, const struct culprit *culprit,
                          const struct inputs *inputs)
{
    char text[PLACE_TEXT];
    printf("%s%s%s%s\n  A %s  B %s\n", culprit->item->name, *culprit->part->detail ? " (" : "",
           culprit->part->detail, *culprit->part->detail ? ")" : "", culprit->item->a,
           culprit->item->b);
    explain_writer(&culprit->record, text, sizeof text);
    printf("  written by  %s\n", text);
    explain_place(&culprit->record.event, culprit->symbol, culprit->source, culprit->calls, text,
                  sizeof text);
    if (*text) {
        printf("              %s\n", text);
    }
    if (is_by_another(command, culprit)) {
        explain_writer(&culprit->other, text, sizeof text);
        printf("  in B        %s\n", text);
        explain_place(&culprit->other.event, culprit->other_symbol, culprit->other_source,
                      culprit->other_calls, text, sizeof text);
        if (*text) {
            printf("              %s\n", text);
        }
    }
    for (unsigned i = 0; i < inputs->count; i++) {
        printf("  %s  %s\n", i ? "          " : "made from ", inputs->input[i].text);
    }
    if (describe_early(culprit, text, sizeof text)) {
        printf("  too early   %s\n", text);
    }
    if (describe_race(culprit, text, sizeof text)) {
        printf("  later       %s\n", text);
    }
}

static json_t *json_culprit(const struct explain_command *command, const struct culprit *culprit,
                            const struct inputs *inputs)
{
    const struct writers_record *record = &culprit->record;
    json_t *object = json_object(), *list = json_array();
    char text[512];
    json_object_set_new(object, "item", json_text(culprit->item->name));
    json_object_set_new(object, "detail", json_text(culprit->part->detail));
    json_object_set_new(object, "a", json_text(culprit->item->a));
    json_object_set_new(object, "b", json_text(culprit->item->b));
    explain_writer(&culprit->record, text, sizeof text);
    json_object_set_new(object, "writer", json_text(text));
    if (is_by_another(command, culprit)) {
        explain_writer(&culprit->other, text, sizeof text);
        json_object_set_new(object, "writer_in_b", json_text(text));
    }
    if (record->is_written) {
        json_set_count(object, "cycle", record->event.cycle);
        json_object_set_new(object, "pc", json_address(record->event.pc));
        json_object_set_new(object, "symbol", json_text(culprit->symbol));
        json_object_set_new(object, "source", json_text(culprit->source));
        json_object_set_new(object, "inlined_at",
                            culprit->inlined_at ? json_incref(culprit->inlined_at) : json_array());
        json_object_set_new(object, "instruction", json_text(record->instruction));
    }
    for (unsigned i = 0; i < inputs->count; i++) {
        json_t *input = json_object();
        json_object_set_new(input, "text", json_text(inputs->input[i].text));
        json_object_set_new(input, "differs", json_boolean(inputs->input[i].differs));
        json_array_append_new(list, input);
    }
    json_object_set_new(object, "inputs", list);
    if (describe_early(culprit, text, sizeof text)) {
        json_object_set_new(object, "too_early", json_text(text));
    }
    if (describe_race(culprit, text, sizeof text)) {
        json_object_set_new(object, "later", json_text(text));
    }
    return object;
}

/* Tells of one difference; adds it to `list` where that is not NULL. */
static void tell_culprit(struct explain_command *command, struct culprit *culprit, json_t *list)
{
    struct inputs inputs;
    collect_inputs(command, culprit, &inputs);
    culprit->was_told = true;
    if (list) {
        json_array_append_new(list, json_culprit(command, culprit, &inputs));
    } else {
        print_culprit(command, culprit, &inputs);
    }
}

/* The last memory that was written, at its first place that differs: a result, most likely. */
static struct culprit *last_result(const struct explain_command *command)
{
    struct culprit *result = NULL;
    for (size_t i = 0; i < command->culprits; i++) {
        struct culprit *culprit = &command->culprit[i];
        bool is_memory = culprit->datum.kind == WRITERS_L1 && culprit->record.is_written;
        bool is_other = !result || (culprit->part != result->part && is_earlier(result, culprit));
        result = is_memory && is_other ? culprit : result;
    }
    return result;
}

/* A word of a tile's L1 whose writer is to be found by further runs; NULL without memory. */
static struct followed *add_followed(struct explain_command *command, struct penrose_place at,
                                     uint32_t address, const char *when)
{
    struct followed *made = calloc(1, sizeof *made);
    if (made) {
        snprintf(made->part.name, sizeof made->part.name, "l1");
        snprintf(made->part.detail, sizeof made->part.detail, "%s", when);
        snprintf(made->item.name, sizeof made->item.name, "%u-%u/l1[0x%x]", at.x, at.y, address);
        made->culprit = (struct culprit){.part = &made->part,
                                         .item = &made->item,
                                         .datum = {.kind = WRITERS_L1, .index = address},
                                         .tile = tile_index(command, at.x, at.y)};
        made->next = command->followed;
        command->followed = made;
        command->watched = &made->culprit;
        command->watching = 1;
    }
    return made;
}

/* Runs again, A and perhaps B, up to where the limits are; NULL where that cannot be. */
static struct culprit *follow(struct explain_command *command, struct followed *made)
{
    bool has_run = made->culprit.tile < MOST_TILES && run_side(command, 0) != CLI_REFUSED &&
                   (!command->runs_both || run_side(command, 1) != CLI_REFUSED);
    return has_run ? &made->culprit : NULL;
}

/* Who wrote an input last before it was read. */
static struct culprit *follow_input(struct explain_command *command, const struct culprit *culprit,
                                    const struct input *input)
{
    struct followed *made = add_followed(command, command->tile[culprit->tile],
                                         input->read[0]->address, "when it was read");
    if (!made) {
        return NULL;
    }
    snprintf(made->item.a, sizeof made->item.a, "0x%" PRIx64, input->read[0]->value);
    snprintf(made->item.b, sizeof made->item.b, "0x%" PRIx64, input->read[1]->value);
    for (unsigned side = 0; side < 2; side++) {
        command->until[side] = input->read[side]->sequence;
        command->until_cycle[side] = UINT64_MAX;
    }
    return follow(command, made);
}

/* Who wrote what a packet brought, at its sender, before it left. */
static struct culprit *follow_packet(struct explain_command *command, const struct culprit *culprit)
{
    const struct writers_record *a = &culprit->record, *b = &culprit->other;
    bool is_same = b->origin.is_known && b->origin.address == a->origin.address &&
                   b->peer_x == a->peer_x && b->peer_y == a->peer_y;
    struct followed *made =
        command->runs_both && !is_same
            ? NULL
            : add_followed(command, (struct penrose_place){a->peer_x, a->peer_y},
                           a->origin.address & ~3U, "when it was sent");
    if (!made) {
        return NULL;
    }
    snprintf(made->item.a, sizeof made->item.a, "%s", culprit->item->a);
    snprintf(made->item.b, sizeof made->item.b, "%s", culprit->item->b);
    command->until[0] = command->until[1] = UINT64_MAX;
    command->until_cycle[0] = a->origin.cycle;
    command->until_cycle[1] = b->origin.cycle;
    return follow(command, made);
}

/* The first input that differs; NULL: none does. */
static struct culprit *go_to_input(struct explain_command *command, const struct culprit *culprit)
{
    struct inputs inputs;
    if (culprit->record.origin.is_known) {
        return follow_packet(command, culprit);
    }
    collect_inputs(command, culprit, &inputs);
    for (unsigned i = 0; i < inputs.count; i++) {
        const struct input *input = &inputs.input[i];
        if (input->difference) {
            return (struct culprit *)(uintptr_t)input->difference;
        }
        if (input->differs && input->read[0]) {
            return follow_input(command, culprit, input);
        }
    }
    return NULL;
}

/* From a result back: to the first input that differs, and so on. */
static void tell_chain(struct explain_command *command, json_t *list)
{
    struct culprit *culprit = last_result(command);
    for (uint64_t step = 0; step < command->depth && culprit; step++) {
        if (culprit->was_told && step > 0) {
            break;
        }
        if (!culprit->was_told) {
            if (!list) {
                printf("\n%s", step ? "made from " : "the last memory that was written: ");
            }
            tell_culprit(command, culprit, list);
        }
        culprit = step + 1 < command->depth ? go_to_input(command, culprit) : NULL;
    }
}

static void print_headline(const struct explain_command *command, const struct culprit *first)
{
    size_t code = count_code(command);
    printf("%" PRIu64 " items differ", command->comparison.different);
    if (code) {
        printf(", %zu of them words of programs, which are not the same", code);
    }
    printf(first ? "; the first one in program order:\n\n"
                 : "; none of them can be followed ('penrose compare' names them)\n");
}

static enum cli_exit report_explanation(struct explain_command *command)
{
    json_t *list = command->cli->json ? json_array() : NULL, *chain = list ? json_array() : NULL;
    struct culprit *first = first_culprit(command);
    if (!list) {
        print_headline(command, first);
    }
    if (first) {
        tell_culprit(command, first, list);
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

/* --- The command --- */

static enum cli_exit compare_for_explanation(struct explain_command *command)
{
    struct penrose_error error;
    enum penrose_status status = compare_dump_open(command->path[0], &command->a, &error);
    status = status ? status : compare_dump_open(command->path[1], &command->b, &error);
    command->choices.options.most = MOST_ITEMS;
    command->choices.options.buffers_as_memory = true;
    status = status ? status
                    : compare_dumps(&command->a, &command->b, &command->choices.options,
                                    &command->comparison, &error);
    return status ? complain(command->cli, "%s", error.text) : CLI_DONE;
}

/* B is no run that can be asked, but a state as of a card. */
static void forget_b(struct explain_command *command, const char *why)
{
    fprintf(stderr, "penrose: %s %s: of B only the dump is used\n", command->path[1], why);
    for (size_t i = 0; i < command->culprits; i++) {
        memset(&command->culprit[i].other, 0, sizeof command->culprit[i].other);
    }
    command->runs_both = false;
}

static enum cli_exit explain_difference(struct explain_command *command)
{
    static const char changed[] = "ends in another state than its dump (changed files, or another "
                                  "version of Penrose)";

    if (!collect_data(command)) {
        return complain(command->cli, "no memory for the differences");
    }
    command->watched = command->culprit;
    command->watching = command->culprits;
    command->until[0] = command->until[1] = UINT64_MAX;
    command->until_cycle[0] = command->until_cycle[1] = UINT64_MAX;
    enum cli_exit ran = run_side(command, 0);
    if (ran != CLI_REFUSED && command->is_changed[0]) {
        fprintf(stderr, "penrose: %s %s: what follows may be wrong\n", command->path[0], changed);
    }
    if (ran != CLI_REFUSED && (command->recording[1] || rerun_is_possible(&command->b))) {
        ran = run_side(command, 1);
        command->runs_both = ran != CLI_REFUSED;
        if (!command->recording[1] && (!command->runs_both || command->is_changed[1])) {
            forget_b(command, command->runs_both ? changed : "cannot be run again");
            ran = CLI_DONE;
        }
    }
    return ran == CLI_REFUSED ? ran : report_explanation(command);
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
    comparison_free(&command.comparison);
    compare_dump_close(&command.a);
    compare_dump_close(&command.b);
    for (size_t i = 0; i < command.culprits; i++) {
        json_decref(command.culprit[i].inlined_at);
    }
    free(command.culprit);
    program_files_free(command.programs);
    for (struct followed *followed; (followed = command.followed);) {
        command.followed = followed->next;
        json_decref(followed->culprit.inlined_at);
        free(followed);
    }
    return exit;
}
