/* Finds the inputs of a datum, and which of them differed already; see explain.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "observe/explain/internal.h"
#include "observe/explain/words.h"

/* Has the same instruction written the datum in both runs? Then its inputs can be compared as they
 * were. */
static bool is_made_alike(const struct explain *explain, const struct explain_datum *datum)
{
    const struct writers_record *a = &datum->by[EXPLAIN_A].record,
                                *b = &datum->by[EXPLAIN_B].record;
    return explain->runs_both && b->is_written && a->event.agent == b->event.agent &&
           a->event.word == b->event.word && a->event.thread == b->event.thread &&
           a->is_range == b->is_range;
}

bool explain_is_by_another(const struct explain *explain, const struct explain_datum *datum)
{
    return explain->runs_both && !is_made_alike(explain, datum) &&
           (datum->by[EXPLAIN_A].record.is_written || datum->by[EXPLAIN_B].record.is_written);
}

static struct explain_input *add_input(struct explain_inputs *inputs, bool differs,
                                       const struct explain_datum *difference, const char *text)
{
    struct explain_input *input = &inputs->input[inputs->count];
    inputs->count += inputs->count + 1 < EXPLAIN_INPUTS;
    *input = (struct explain_input){.differs = differs, .difference = difference};
    snprintf(input->text, sizeof input->text, "%s", text);
    return input;
}

/* --- Parts of the coprocessor --- */

/* Differences of a part of the datum's tile that were made before it; *first is one of them. */
static size_t differences_before(const struct explain *explain, const struct explain_datum *datum,
                                 const char *part, const struct explain_datum **first)
{
    size_t count = 0, length = strlen(part);
    for (size_t i = 0; i < explain->data; i++) {
        const struct explain_datum *other = &explain->datum[i];
        if (other->tile == datum->tile && strncmp(other->part->name, part, length) == 0 &&
            explain_is_earlier(other, datum)) {
            *first = count && !explain_is_earlier(other, *first) ? *first : other;
            count++;
        }
    }
    return count;
}

static void add_part_input(const struct explain *explain, const struct explain_datum *datum,
                           enum writers_part part, struct explain_inputs *inputs)
{
    static const struct {
        const char *name, *label;
    } parts[WRITERS_PARTS] = {[WRITERS_PART_DST] = {"dst", "Dst"},
                              [WRITERS_PART_SRC] = {"src", "SrcA and SrcB"},
                              [WRITERS_PART_LREGS] = {"lregs", "LRegs"},
                              [WRITERS_PART_CONFIG] = {"config", "configuration"}};
    const struct explain_datum *first = NULL;
    char text[EXPLAIN_TEXT];
    size_t count = differences_before(explain, datum, parts[part].name, &first);
    bool is_known = is_made_alike(explain, datum);
    bool differed = is_known && datum->by[EXPLAIN_A].record.held[part] !=
                                    datum->by[EXPLAIN_B].record.held[part];
    if (count) {
        snprintf(text, sizeof text, "%s: differs before it (%zu; first %.140s)", parts[part].label,
                 count, first->item->name);
    } else if (is_known) {
        snprintf(text, sizeof text, "%s: %s", parts[part].label,
                 differed ? "differed before it, in what has been overwritten since"
                          : "the same in both runs before it");
    } else {
        snprintf(text, sizeof text, "%s: of what differs at the end nothing was there before it",
                 parts[part].label);
    }
    add_input(inputs, count || differed, first, text);
}

/* What an instruction of the coprocessor has read, but for memory. */
static void add_part_inputs(const struct explain *explain, const struct explain_datum *datum,
                            struct explain_inputs *inputs)
{
    const struct writers_record *record = &datum->by[EXPLAIN_A].record;
    bool is_tensix = record->event.kind == OBSERVED_TENSIX ||
                     record->event.agent == OBSERVED_PACKER ||
                     record->event.agent == OBSERVED_UNPACKER;
    if (!is_tensix || datum->watched.kind == WRITERS_FIELD) {
        return;
    }
    if (record->event.agent == OBSERVED_PACKER) {
        add_part_input(explain, datum, WRITERS_PART_DST, inputs);
    } else if (!record->is_range) { /* of the Matrix and the Vector Unit */
        add_part_input(explain, datum, WRITERS_PART_SRC, inputs);
        add_part_input(explain, datum, WRITERS_PART_LREGS, inputs);
    }
    add_part_input(explain, datum, WRITERS_PART_CONFIG, inputs);
}

/* --- Memory --- */

/* A difference in memory within a range of addresses of the datum's tile. */
static const struct explain_datum *difference_in(const struct explain *explain,
                                                 const struct explain_datum *datum, uint32_t from,
                                                 uint32_t to)
{
    for (size_t i = 0; i < explain->data; i++) {
        const struct explain_datum *other = &explain->datum[i];
        if (other->tile == datum->tile && other->watched.kind == WRITERS_L1 &&
            other->watched.index + 3 >= from && other->watched.index <= to) {
            return other;
        }
    }
    return NULL;
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
                           struct explain_inputs *inputs)
{
    char text[EXPLAIN_TEXT];
    snprintf(text, sizeof text, "%s 0x%08x: %s alone has read it",
             source->is_register ? "register" : "memory", source->address, side);
    add_input(inputs, true, NULL, text);
}

static void add_memory_input(const struct explain *explain, const struct explain_datum *datum,
                             const struct writers_source *a, const struct writers_source *b,
                             struct explain_inputs *inputs)
{
    bool is_range = datum->by[EXPLAIN_A].record.is_range;
    bool is_unknown = b ? a->value == b->value : a->was_overwritten; /* what is there at the end */
    const struct explain_datum *at_end =
        is_unknown
            ? NULL
            : difference_in(explain, datum, a->address, is_range ? a[1].address : a->address + 3);
    char text[EXPLAIN_TEXT], what[EXPLAIN_TEXT / 2];
    words_of_memory(a, b, !is_range, at_end != NULL, what, sizeof what);
    snprintf(text, sizeof text, "%s 0x%08x%s: %s%s%.100s", a->is_register ? "register" : "memory",
             a->address, is_range ? " on" : "", what, at_end ? ", first " : "",
             at_end ? at_end->item->name : "");
    bool differs = b ? a->value != b->value : at_end != NULL;
    struct explain_input *input = add_input(inputs, differs, at_end, text);
    if (b && a->is_l1 && !is_range && !words_from_beginning(a, b)) {
        input->read[EXPLAIN_A] = a;
        input->read[EXPLAIN_B] = b;
    }
}

static void add_memory_inputs(const struct explain *explain, const struct explain_datum *datum,
                              struct explain_inputs *inputs)
{
    const struct writers_record *a = &datum->by[EXPLAIN_A].record,
                                *b = &datum->by[EXPLAIN_B].record;
    unsigned step = a->is_range ? 2 : 1;
    bool is_known = is_made_alike(explain, datum);
    for (unsigned i = 0; i < a->sources; i += step) {
        const struct writers_source *other = is_known ? find_source(b, a->source[i].address) : NULL;
        if (is_known && !other) {
            add_lone_input(&a->source[i], "A", inputs);
        } else {
            add_memory_input(explain, datum, &a->source[i], other, inputs);
        }
    }
    for (unsigned i = 0; is_known && i < b->sources; i += step) {
        if (!find_source(a, b->source[i].address)) {
            add_lone_input(&b->source[i], "B", inputs);
        }
    }
}

void explain_find_inputs(const struct explain *explain, const struct explain_datum *datum,
                         struct explain_inputs *inputs)
{
    const struct writers_record *record = &datum->by[EXPLAIN_A].record;
    inputs->count = 0;
    if (!record->is_written) {
        return;
    }
    add_memory_inputs(explain, datum, inputs);
    if (record->origin.is_known) {
        char text[EXPLAIN_TEXT];
        snprintf(text, sizeof text, "memory 0x%08x of (%u, %u), in cycle %" PRIu64,
                 record->origin.address, record->peer_x, record->peer_y, record->origin.cycle);
        add_input(inputs, true, NULL, text);
    }
    add_part_inputs(explain, datum, inputs);
}
