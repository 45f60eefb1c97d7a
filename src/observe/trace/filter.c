/* See filter.h. A filter is taken apart word by word, and tested key by key. */
#include "observe/trace/filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/names.h"
#include "isa/error.h"

enum { WORD_BYTES = 256 };

static const char *const kind_names[PENROSE_TRACE_KINDS] = {
    "instruction", "tensix", "memory", "register", "data", "noc", "wait"};

const char *trace_kind_name(enum penrose_trace_kind kind)
{
    return kind < PENROSE_TRACE_KINDS ? kind_names[kind] : NULL;
}

/* --- Values --- */

static bool take_filter_number(const char **text, uint64_t *value)
{
    char *end;
    if (**text < '0' || **text > '9') {
        return false;
    }
    errno = 0;
    *value = strtoull(*text, &end, 0);
    *text = end;
    return errno == 0;
}

/* "N", "N-N" or "N-". */
static bool take_range(const char **text, struct trace_range *range)
{
    if (!take_filter_number(text, &range->first)) {
        return false;
    }
    range->last = range->first;
    if (**text != '-') {
        return true;
    }
    (*text)++;
    if (!take_filter_number(text, &range->last)) {
        range->last = UINT64_MAX;
    }
    return range->first <= range->last;
}

static bool add_filter_range(struct trace_ranges *ranges, const char *text)
{
    struct trace_range range;
    if (ranges->count == TRACE_FILTER_ROOM || !take_range(&text, &range) || *text) {
        return false;
    }
    ranges->range[ranges->count++] = range;
    return true;
}

static bool add_filter_tile(struct trace_filter *filter, const char *text)
{
    struct trace_range x, y;
    if (filter->tiles == TRACE_FILTER_ROOM || !take_range(&text, &x) || *text++ != ',' ||
        !take_range(&text, &y) || *text) {
        return false;
    }
    filter->tile[filter->tiles].x = x;
    filter->tile[filter->tiles++].y = y;
    return true;
}

static bool add_function(struct trace_filter *filter, const char *text)
{
    if (filter->functions == TRACE_FILTER_ROOM || !*text || strlen(text) >= TRACE_FUNCTION_BYTES) {
        return false;
    }
    strcpy(filter->function[filter->functions++], text);
    return true;
}

/* --- Lists of names --- */

static unsigned agent_bits(const char *name)
{
    static const struct {
        const char *name;
        unsigned bits;
    } others[] = {
        {"trisc", 1 << PENROSE_TRISC0 | 1 << PENROSE_TRISC1 | 1 << PENROSE_TRISC2},
        {"erisc0", 1 << PENROSE_BRISC},
        {"erisc1", 1 << PENROSE_NCRISC},
        {"drisc", 1 << PENROSE_BRISC},
        {"scalar-unit", 1 << PENROSE_AGENT_SCALAR_UNIT},
    };
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(name, others[i].name) == 0) {
            return others[i].bits;
        }
    }
    for (unsigned agent = 0; agent < PENROSE_AGENTS; agent++) {
        if (strcmp(name, arch_agent_name((enum penrose_agent)agent)) == 0) {
            return 1u << agent;
        }
    }
    return 0;
}

static unsigned thread_bits(const char *name)
{
    bool is_thread = *name >= '0' && *name < '0' + PENROSE_TENSIX_THREADS && !name[1];
    return is_thread ? 1u << (*name - '0') : 0;
}

static unsigned kind_bits(const char *name)
{
    for (unsigned kind = 0; kind < PENROSE_TRACE_KINDS; kind++) {
        if (strcmp(name, kind_names[kind]) == 0) {
            return 1u << kind;
        }
    }
    return 0;
}

static bool add_names(unsigned *bits, char *list, unsigned (*bits_of)(const char *name))
{
    for (char *name; (name = strsep(&list, ","));) {
        unsigned found = bits_of(name);
        if (!found) {
            return false;
        }
        *bits |= found;
    }
    return true;
}

/* --- Words --- */

static const char *const forms[] = {
    "tile=X,Y, or tile=X-X,Y-Y",
    ("hart=NAME[,NAME...]: brisc, trisc0, ..., trisc, ncrisc, erisc0, drisc, noc, host, unpacker, "
     "packer, mover, scalar-unit"),
    "thread=0, 1 or 2",
    "kind=NAME[,NAME...]: instruction, tensix, memory, register, data, noc, wait",
    "cycle=N, N-N or N-",
    "pc=N or N-N",
    "address=N or N-N",
    "function=NAME",
};

enum key { TILE, HART, THREAD, KIND, CYCLE, PC, ADDRESS, FUNCTION, KEYS };

static enum key find_key(const char *word)
{
    enum key key = TILE;
    while (key < KEYS && strncmp(word, forms[key], strcspn(forms[key], "=") + 1) != 0) {
        key++;
    }
    return key;
}

static bool add_value(struct trace_filter *filter, enum key key, char *value)
{
    switch (key) {
    case TILE:
        return add_filter_tile(filter, value);
    case HART:
        return add_names(&filter->agents, value, agent_bits);
    case THREAD:
        return add_names(&filter->threads, value, thread_bits);
    case KIND:
        return add_names(&filter->kinds, value, kind_bits);
    case CYCLE:
        return add_filter_range(&filter->cycle, value);
    case PC:
        return add_filter_range(&filter->pc, value);
    case ADDRESS:
        return add_filter_range(&filter->address, value);
    case FUNCTION:
        return add_function(filter, value);
    case KEYS:
        break;
    }
    return false;
}

static enum penrose_status add_word(struct trace_filter *filter, const char *word, size_t length,
                                    struct penrose_error *error)
{
    char copy[WORD_BYTES];
    snprintf(copy, sizeof copy, "%.*s", (int)(length < WORD_BYTES ? length : WORD_BYTES), word);
    enum key key = find_key(copy);
    if (key == KEYS) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "'%.60s' is no filter of a trace; words are tile=, hart=, thread=, kind=, "
                         "cycle=, pc=, address= and function=, with spaces between them",
                         copy);
    }
    if (length >= WORD_BYTES || !add_value(filter, key, strchr(copy, '=') + 1)) {
        snprintf(copy, sizeof copy, "%.*s", (int)(length < 60 ? length : 60), word);
        return error_set(error, PENROSE_E_ARGUMENT,
                         "'%s' is no filter of a trace, or one of more than %d: write %s", copy,
                         TRACE_FILTER_ROOM, forms[key]);
    }
    return PENROSE_OK;
}

enum penrose_status trace_filter_parse(const char *text, struct trace_filter *filter,
                                       struct penrose_error *error)
{
    static const char space[] = " \t\n";
    *filter = (struct trace_filter){0};
    for (const char *word = text ? text + strspn(text, space) : ""; *word;) {
        size_t length = strcspn(word, space);
        enum penrose_status status = add_word(filter, word, length, error);
        if (status != PENROSE_OK) {
            return status;
        }
        word += length + strspn(word + length, space);
    }
    return PENROSE_OK;
}

/* --- Tests --- */

static bool range_has(const struct trace_range *range, uint64_t value)
{
    return value >= range->first && value <= range->last;
}

static bool ranges_take(const struct trace_ranges *ranges, uint64_t first, uint64_t last)
{
    bool takes = ranges->count == 0;
    for (unsigned i = 0; i < ranges->count; i++) {
        takes |= first <= ranges->range[i].last && last >= ranges->range[i].first;
    }
    return takes;
}

bool trace_filter_takes_tile(const struct trace_filter *filter, unsigned x, unsigned y)
{
    bool takes = filter->tiles == 0;
    for (unsigned i = 0; i < filter->tiles; i++) {
        takes |= range_has(&filter->tile[i].x, x) && range_has(&filter->tile[i].y, y);
    }
    return takes;
}

bool trace_filter_takes_cycles(const struct trace_filter *filter, uint64_t first, uint64_t last)
{
    return ranges_take(&filter->cycle, first, last);
}

static bool takes_function(const struct trace_filter *filter,
                           const struct penrose_trace_event *event)
{
    bool takes = filter->functions == 0;
    for (unsigned i = 0; i < filter->functions; i++) {
        takes |= strcmp(filter->function[i], event->symbol) == 0;
    }
    return takes;
}

static bool takes_bit(unsigned bits, unsigned bit)
{
    return !bits || bits >> bit & 1;
}

/* Accesses and packets alone have an address, what has no hart no pc. */
static bool takes_place(const struct trace_filter *filter, const struct penrose_trace_event *event)
{
    bool has_address = event->size > 0;
    bool has_pc = event->pc || event->kind == PENROSE_TRACE_INSTRUCTION;
    return (!filter->address.count ||
            (has_address &&
             ranges_take(&filter->address, event->address, event->address + event->size - 1))) &&
           (!filter->pc.count || (has_pc && ranges_take(&filter->pc, event->pc, event->pc)));
}

bool trace_filter_takes(const struct trace_filter *filter, const struct penrose_trace_event *event)
{
    bool has_thread = event->thread >= 0;
    return ranges_take(&filter->cycle, event->cycle, event->cycle) &&
           takes_bit(filter->kinds, event->kind) && takes_bit(filter->agents, event->agent) &&
           (!filter->threads ||
            (has_thread && takes_bit(filter->threads, (unsigned)event->thread))) &&
           trace_filter_takes_tile(filter, event->x, event->y) && takes_place(filter, event) &&
           takes_function(filter, event);
}
