/*
 * The trace of a chip, see penrose/trace.h.
 *
 * Reports to observers become events, which are gathered for a window: tiles run one after the
 * other, and the agents of a tile run in bursts. At the window's end they are sorted by cycle,
 * filtered and handed out. An instruction is gathered when it starts and completed when it is over.
 * One that has to wait starts again later: then the first start is dropped.
 */
#include <penrose/trace.h>

#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "chip/link.h"
#include "isa/error.h"
#include "loader/launched.h"
#include "metal/firmware.h"
#include "observe/trace/causes.h"
#include "observe/trace/code.h"
#include "observe/trace/filter.h"

enum { MOST_GATHERED = 1 << 20, WAITERS = RV32_CORES + TENSIX_THREADS };

struct gathered {
    struct penrose_trace_event event;
    bool is_open;    /* an instruction that is not over */
    bool is_dropped; /* it starts again later */
};

struct trace_key {
    uint64_t cycle;
    uint32_t index;
};

/* What is under way in a tile: the instruction of each hart, as an index plus one, and since when
 * harts and threads wait (plus one; 0: they do not). */
struct under_trace {
    uint32_t open[RV32_CORES];
    uint32_t latest[TENSIX_THREADS]; /* instruction of each thread, in the same way */
    uint64_t waits_since[WAITERS];
    struct trace_causes causes;
};

struct tracer {
    struct observer observer;
    struct penrose_chip *chip;
    struct trace_filter filter;
    struct trace_code code;
    struct isa_index rows;
    void (*take)(void *context, const struct penrose_trace_event *event);
    void *context;
    struct gathered *gathered;
    struct trace_key *key;
    uint32_t count, room;
    struct under_trace tile[NOC_NODES];
};

static void end_window(void *context);

/* --- Handing out --- */

static int compare_keys(const void *a, const void *b)
{
    const struct trace_key *first = a, *second = b;
    if (first->cycle != second->cycle) {
        return first->cycle < second->cycle ? -1 : 1;
    }
    return first->index < second->index ? -1 : 1;
}

static void hand_out(struct tracer *tracer, struct gathered *gathered)
{
    struct penrose_trace_event *event = &gathered->event;
    if (gathered->is_dropped) {
        return;
    }
    trace_code_find(&tracer->code, event);
    if (event->kind == PENROSE_TRACE_INSTRUCTION && !*event->kernel) {
        event->value = 0; /* the latest message is not this one's */
    }
    if (trace_filter_takes(&tracer->filter, event)) {
        tracer->take(tracer->context, event);
    }
}

/* A run may end before an instruction that was to start; it starts again. */
static void drop_put_off(struct tracer *tracer)
{
    for (unsigned node = 0; node < NOC_NODES; node++) {
        const struct tile *tile = tracer->chip->place[node].tile;
        for (unsigned core = 0; tile && core < RV32_CORES; core++) {
            uint32_t index = tracer->tile[node].open[core];
            struct gathered *latest = index ? &tracer->gathered[index - 1] : NULL;
            if (latest && latest->is_open && tile->run[core].state == HART_READY &&
                tile->hart[core].pc == latest->event.pc) {
                latest->is_dropped = true;
            }
        }
    }
}

/* Keeps what belongs to a later window, and hands out the rest in the order of time. */
static void hand_out_until(struct tracer *tracer, uint64_t end)
{
    uint32_t keys = 0, kept = 0;
    drop_put_off(tracer);
    for (uint32_t i = 0; i < tracer->count; i++) {
        if (tracer->gathered[i].event.cycle < end) {
            tracer->key[keys++] = (struct trace_key){tracer->gathered[i].event.cycle, i};
        }
    }
    if (keys > 1) {
        qsort(tracer->key, keys, sizeof *tracer->key, compare_keys);
    }
    for (uint32_t i = 0; i < keys; i++) {
        hand_out(tracer, &tracer->gathered[tracer->key[i].index]);
    }
    for (uint32_t i = 0; i < tracer->count; i++) {
        if (tracer->gathered[i].event.cycle >= end) {
            tracer->gathered[kept++] = tracer->gathered[i];
        }
    }
    tracer->count = kept;
    for (unsigned node = 0; node < NOC_NODES; node++) {
        memset(tracer->tile[node].open, 0, sizeof tracer->tile[node].open);
        memset(tracer->tile[node].latest, 0, sizeof tracer->tile[node].latest);
    }
}

static void end_window(void *context)
{
    struct tracer *tracer = context;
    hand_out_until(tracer, tracer->chip->head.time.now);
}

/* --- Gathering --- */

static bool make_trace_room(struct tracer *tracer)
{
    if (tracer->count < tracer->room) {
        return true;
    }
    uint32_t room = tracer->room ? tracer->room * 2 : 4096;
    struct gathered *gathered =
        room <= MOST_GATHERED ? realloc(tracer->gathered, room * sizeof *gathered) : NULL;
    tracer->gathered = gathered ? gathered : tracer->gathered;
    struct trace_key *key = gathered ? realloc(tracer->key, room * sizeof *key) : NULL;
    tracer->key = key ? key : tracer->key;
    tracer->room = key ? room : tracer->room;
    return key != NULL;
}

/* Appends; where there is no more room, what was gathered goes first, be it early. */
static void gather_entry(struct tracer *tracer, const struct gathered *gathered)
{
    if (!make_trace_room(tracer)) {
        hand_out_until(tracer, UINT64_MAX);
    }
    if (tracer->count < tracer->room) {
        tracer->gathered[tracer->count++] = *gathered;
    }
}

static struct penrose_trace_event start_event(const struct tile *tile, const struct observed *seen,
                                              enum penrose_trace_kind kind)
{
    struct penrose_trace_event event = {.kind = kind,
                                        .x = tile->x,
                                        .y = tile->y,
                                        .agent = (enum penrose_agent)seen->agent,
                                        .thread =
                                            seen->thread < TENSIX_THREADS ? (int)seen->thread : -1,
                                        .cycle = seen->cycle,
                                        .pc = seen->pc,
                                        .word = seen->word,
                                        .what = "",
                                        .symbol = "",
                                        .source = "",
                                        .inlined_at = "",
                                        .kernel = "",
                                        .cause = {.thread = -1}};
    const char *own = seen->agent < OBSERVED_NOC ? tile->kind->hart[seen->agent] : NULL;
    event.agent_name = own ? own : arch_agent_name(event.agent);
    event.agent_name = event.agent_name ? event.agent_name : "";
    return event;
}

static void gather_event(struct tracer *tracer, const struct penrose_trace_event *event)
{
    gather_entry(tracer, &(struct gathered){.event = *event});
}

/* --- Instructions --- */

/* The start of the hart's latest instruction, unless that is over. */
static struct gathered *open_instruction(struct tracer *tracer, const struct tile *tile,
                                         const struct observed *seen)
{
    uint32_t index = tracer->tile[tile->node].open[seen->agent];
    struct gathered *gathered = index ? &tracer->gathered[index - 1] : NULL;
    return gathered && gathered->is_open && gathered->event.pc == seen->pc ? gathered : NULL;
}

static void drop_start(struct tracer *tracer, const struct tile *tile, const struct observed *seen)
{
    struct gathered *gathered = open_instruction(tracer, tile, seen);
    if (gathered) {
        gathered->is_dropped = true;
    }
}

/* The number of the program that was launched last. It may be another one when the window ends. */
static uint32_t program_of(const struct tracer *tracer, struct tile *tile)
{
    const struct loader_layout *layout =
        tile->kind->type == TILE_TENSIX ? metal_layout(tracer->chip, tile) : NULL;
    return layout ? loader_launched_id(layout, metal_l1(tile)) : 0;
}

static void see_start(struct tracer *tracer, struct tile *tile, const struct observed *seen)
{
    struct gathered gathered = {.event = start_event(tile, seen, PENROSE_TRACE_INSTRUCTION),
                                .is_open = true};
    gathered.event.value = program_of(tracer, tile);
    drop_start(tracer, tile, seen);
    gather_entry(tracer, &gathered);
    tracer->tile[tile->node].open[seen->agent] = tracer->count;
}

static void find_result(const struct tracer *tracer, const struct rv32_hart *hart,
                        struct penrose_trace_event *event)
{
    const struct rv32_operands insn = rv32_find_operands(&tracer->rows, event->word, 0);
    const bool is_float = insn.results[RV32_F];
    event->has_result = insn.results[RV32_X] || is_float;
    if (event->has_result) {
        event->result.file = is_float ? PENROSE_F : PENROSE_X;
        event->result.number = insn.rd;
        event->result_value = is_float ? hart->f[insn.rd] : hart->x[insn.rd];
    }
}

static void see_end(struct tracer *tracer, const struct tile *tile, const struct observed *seen)
{
    struct gathered *gathered = open_instruction(tracer, tile, seen);
    if (gathered) {
        gathered->is_open = false;
        find_result(tracer, &tile->hart[seen->agent], &gathered->event);
    }
}

/* --- Waits --- */

static uint64_t *waits_since(struct tracer *tracer, const struct tile *tile,
                             const struct observed *seen)
{
    const unsigned agent = seen->agent, thread = seen->thread;
    const unsigned waiter = thread < TENSIX_THREADS ? RV32_CORES + thread : agent;
    return &tracer->tile[tile->node].waits_since[waiter < WAITERS ? waiter : 0];
}

static uint64_t end_wait(struct tracer *tracer, const struct tile *tile,
                         const struct observed *seen)
{
    uint64_t *since = waits_since(tracer, tile, seen);
    uint64_t waited = *since && seen->cycle >= *since ? seen->cycle - (*since - 1) : 0;
    *since = 0;
    return waited;
}

static void see_wait(struct tracer *tracer, const struct tile *tile, const struct observed *seen)
{
    struct penrose_trace_event event = start_event(tile, seen, PENROSE_TRACE_WAIT);
    char text[256] = "";
    event.begins = true;
    event.address = seen->address;
    event.size = seen->size;
    if (event.thread >= 0) {
        tensix_wait_text(&tile->tensix, seen->thread, text, sizeof text);
        event.what = names_keep(&tracer->code.names, text, strlen(text));
    } else {
        drop_start(tracer, tile, seen);
        event.what = seen->size ? tile_range_title(tile->kind->type, (enum tile_agent)seen->agent,
                                                   (uint32_t)seen->address)
                                : "the wall clock";
    }
    *waits_since(tracer, tile, seen) = seen->cycle + 1;
    gather_event(tracer, &event);
}

static struct penrose_trace_cause name_cause(const struct tracer *tracer,
                                             const struct trace_cause *cause)
{
    struct grid_position at = {0, 0};
    if (!cause->is_known) {
        return (struct penrose_trace_cause){.thread = -1};
    }
    at = chip_logical(tracer->chip, cause->node);
    return (struct penrose_trace_cause){
        .is_known = true,
        .x = at.x,
        .y = at.y,
        .agent = (enum penrose_agent)cause->agent,
        .thread = cause->thread < TENSIX_THREADS ? (int)cause->thread : -1,
        .cycle = cause->cycle};
}

static void see_wait_end(struct tracer *tracer, const struct tile *tile,
                         const struct observed *seen)
{
    if (seen->thread < TENSIX_THREADS) {
        return; /* the instruction tells */
    }
    struct penrose_trace_event event = start_event(tile, seen, PENROSE_TRACE_WAIT);
    struct trace_cause cause = trace_causes_take(&tracer->tile[tile->node].causes, tile, seen);
    event.waited = end_wait(tracer, tile, seen);
    event.what = cause.is_known ? cause.what : "";
    event.value = cause.held;
    event.cause = name_cause(tracer, &cause);
    gather_event(tracer, &event);
}

/* --- The rest --- */

static bool takes_accesses(const struct trace_filter *filter)
{
    return !filter->kinds ||
           filter->kinds &
               (1 << PENROSE_TRACE_MEMORY | 1 << PENROSE_TRACE_REGISTER | 1 << PENROSE_TRACE_DATA);
}

static bool accesses_memory(const struct tile *tile, const struct observed *seen)
{
    return seen->address < tile->kind->l1_bytes ||
           seen->address - RV32_LOCAL_BASE < tile_local_size((enum rv32_core)seen->agent);
}

static void name_peer(const struct tracer *tracer, const struct observed *seen,
                      struct penrose_trace_event *event)
{
    struct grid_position peer = chip_logical(tracer->chip, seen->node);
    event->peer_x = peer.x;
    event->peer_y = peer.y;
    event->peer_kind = chip_tile_kind(tracer->chip, peer.x, peer.y);
}

static void name_sender(const struct tile *tile, struct penrose_trace_event *event)
{
    struct grid_position peer = {0, 0};
    const struct penrose_chip *chip = chip_link_peer(tile, &peer);
    event->peer_x = peer.x;
    event->peer_y = peer.y;
    event->peer_chip = chip ? chip->head.number : 0;
}

static void see_access(struct tracer *tracer, const struct tile *tile, const struct observed *seen)
{
    bool is_hart = seen->agent < OBSERVED_NOC;
    if (!takes_accesses(&tracer->filter)) {
        return; /* they are seen for the sake of waits */
    }
    struct penrose_trace_event event =
        start_event(tile, seen,
                    !is_hart || seen->is_gddr     ? PENROSE_TRACE_DATA
                    : accesses_memory(tile, seen) ? PENROSE_TRACE_MEMORY
                                                  : PENROSE_TRACE_REGISTER);
    event.begins = seen->kind == OBSERVED_WRITTEN;
    event.address = seen->address;
    event.size = seen->size;
    event.value = is_hart ? seen->value : 0;
    if (event.kind == PENROSE_TRACE_REGISTER) {
        event.what = tile_range_title(tile->kind->type, (enum tile_agent)seen->agent,
                                      (uint32_t)seen->address);
    }
    if (seen->is_gddr) {
        event.what = "GDDR";
    }
    if (seen->agent == OBSERVED_NOC) {
        event.pc = 0; /* its instruction is one of another tile, perhaps */
        name_peer(tracer, seen, &event);
    }
    if (seen->agent == OBSERVED_ETHERNET) {
        event.pc = 0;
        name_sender(tile, &event);
    }
    gather_event(tracer, &event);
}

/* The rectangle of a multicast is in coordinates of its NoC. Of a copy that arrives it is not known. */
static struct penrose_trace_route route_of(const struct tile *tile, const struct observed *seen,
                                           bool is_multicast)
{
    const bool is_sent = seen->kind == OBSERVED_SENT;
    const struct grid_position from = chip_position(is_sent ? tile->node : seen->node),
                               to = chip_position(is_sent ? seen->node : tile->node);
    if (!is_multicast) {
        return (struct penrose_trace_route){.is_known = !seen->is_multicast,
                                            .from_x = from.x,
                                            .from_y = from.y,
                                            .to_x = to.x,
                                            .to_y = to.y};
    }
    const struct noc_span *span = &seen->carried->span;
    const struct grid_position start = {.x = span->start_x, .y = span->start_y},
                               end = {.x = span->end_x, .y = span->end_y};
    if (!grid_is_inside(start) || !grid_is_inside(end)) {
        return (struct penrose_trace_route){.is_known = false};
    }
    const struct grid_position first = grid_mirror(seen->noc, start),
                               last = grid_mirror(seen->noc, end);
    return (struct penrose_trace_route){.is_known = true,
                                        .is_multicast = true,
                                        .is_y_major = span->y_is_major,
                                        .from_x = from.x,
                                        .from_y = from.y,
                                        .to_x = first.x,
                                        .to_y = first.y,
                                        .last_x = last.x,
                                        .last_y = last.y};
}

static void see_packet(struct tracer *tracer, const struct tile *tile, const struct observed *seen)
{
    static const char *const kinds[] = {"read",
                                        "write",
                                        "atomic",
                                        "read response",
                                        "write acknowledgement",
                                        "atomic response",
                                        "multicast read",
                                        "multicast write",
                                        "multicast atomic"};
    struct observed by = *seen;
    bool is_own_request = seen->kind == OBSERVED_SENT && seen->packet <= NOC_ATOMIC;
    by.agent = is_own_request && seen->asker < OBSERVED_NOC ? (enum observed_agent)seen->asker
                                                            : OBSERVED_NOC;
    struct penrose_trace_event event = start_event(tile, &by, PENROSE_TRACE_NOC);
    event.begins = seen->kind == OBSERVED_SENT;
    event.address = seen->address;
    event.size = seen->size;
    event.noc = seen->noc;
    bool is_multicast = event.begins && seen->packet <= NOC_ATOMIC && seen->is_multicast;
    event.what = kinds[seen->packet + (is_multicast ? NOC_ATOMIC_RESPONSE + 1 : 0)];
    if (!is_own_request) {
        event.pc = 0; /* it is one of another tile, perhaps */
    }
    event.route = route_of(tile, seen, is_multicast);
    if (!is_multicast) {
        name_peer(tracer, seen, &event);
    }
    if (seen->agent == OBSERVED_ETHERNET) {
        event.pc = 0;
        name_sender(tile, &event);
    }
    if (seen->kind == OBSERVED_DELIVERED && seen->packet <= NOC_ATOMIC) {
        const struct trace_cause cause = {
            .is_known = seen->asker < OBSERVED_NOC,
            .node = seen->node,
            .agent = (enum observed_agent)seen->asker,
            .thread = OBSERVED_NO_THREAD,
            .cycle = trace_causes_asked(&tracer->tile[seen->node].causes, seen)};
        event.cause = name_cause(tracer, &cause);
    }
    gather_event(tracer, &event);
}

static void see_tensix(struct tracer *tracer, const struct tile *tile, const struct observed *seen)
{
    struct penrose_trace_event event = start_event(tile, seen, PENROSE_TRACE_TENSIX);
    event.waited = end_wait(tracer, tile, seen);
    gather_event(tracer, &event);
    if (seen->thread < TENSIX_THREADS) {
        tracer->tile[tile->node].latest[seen->thread] = tracer->count;
    }
}

/* Behind the instruction: who has released it. */
static void see_release(struct tracer *tracer, const struct tile *tile, const struct observed *seen)
{
    const struct observed_releaser *by = &seen->work->released_by;
    unsigned thread = seen->thread < TENSIX_THREADS ? seen->thread : 0;
    uint32_t index = tracer->tile[tile->node].latest[thread];
    if (by->is_known && by->thread < TENSIX_THREADS && index && !seen->work->goes_on) {
        struct penrose_trace_event *event = &tracer->gathered[index - 1].event;
        const struct trace_cause cause = {.is_known = event->waited > 0,
                                          .node = tile->node,
                                          .agent = OBSERVED_TRISC0 + by->thread,
                                          .thread = by->thread,
                                          .cycle = by->cycle};
        event->cause = name_cause(tracer, &cause);
    }
}

static bool see_event(void *context, struct tile *tile, const struct observed *seen)
{
    struct tracer *tracer = context;
    trace_causes_see(&tracer->tile[tile->node].causes, tracer->chip, tile, seen,
                     &tracer->tile[seen->node].causes);
    switch (seen->kind) {
    case OBSERVED_STARTS:
        see_start(tracer, tile, seen);
        break;
    case OBSERVED_FINISHED:
        see_end(tracer, tile, seen);
        break;
    case OBSERVED_TENSIX:
        see_tensix(tracer, tile, seen);
        break;
    case OBSERVED_READ:
    case OBSERVED_WRITTEN:
        see_access(tracer, tile, seen);
        break;
    case OBSERVED_SENT:
    case OBSERVED_DELIVERED:
        see_packet(tracer, tile, seen);
        break;
    case OBSERVED_WAITS:
    case OBSERVED_POLLS:
        see_wait(tracer, tile, seen);
        break;
    case OBSERVED_GOES_ON:
        see_wait_end(tracer, tile, seen);
        break;
    case OBSERVED_UNIT:
        see_release(tracer, tile, seen);
        break;
    case OBSERVED_PAUSED:
    case OBSERVED_STALLS:
    case OBSERVED_LOADED:
    case OBSERVED_EXPANDS:
    case OBSERVED_KINDS:
        break;
    }
    return false;
}

/* --- Begin and end --- */

static bool wants_traced(void *context, const struct tile *tile)
{
    const struct tracer *tracer = context;
    return trace_filter_takes_tile(&tracer->filter, tile->x, tile->y);
}

/* What has to be observed for the kinds of events that pass. */
static unsigned observed_kinds(const struct trace_filter *filter)
{
    enum {
        WAITS = TRACE_CAUSE_KINDS | 1 << OBSERVED_UNIT,
        ACCESSES = 1 << OBSERVED_READ | 1 << OBSERVED_WRITTEN,
    };
    static const unsigned needed[PENROSE_TRACE_KINDS] = {
        [PENROSE_TRACE_INSTRUCTION] = 1 << OBSERVED_STARTS | 1 << OBSERVED_FINISHED | WAITS,
        [PENROSE_TRACE_TENSIX] = 1 << OBSERVED_TENSIX | WAITS,
        [PENROSE_TRACE_MEMORY] = ACCESSES,
        [PENROSE_TRACE_REGISTER] = ACCESSES,
        [PENROSE_TRACE_DATA] = ACCESSES,
        [PENROSE_TRACE_NOC] = 1 << OBSERVED_SENT | 1 << OBSERVED_DELIVERED,
        [PENROSE_TRACE_WAIT] = WAITS,
    };
    unsigned kinds = 0;
    for (unsigned kind = 0; kind < PENROSE_TRACE_KINDS; kind++) {
        kinds |= !filter->kinds || filter->kinds >> kind & 1 ? needed[kind] : 0;
    }
    return kinds;
}

static void free_tracer(void *context)
{
    struct tracer *tracer = context;
    trace_code_free(&tracer->code);
    isa_index_free(&tracer->rows);
    free(tracer->gathered);
    free(tracer->key);
    free(tracer);
}

/* The chip's tracer; NULL if there is none. */
static struct tracer *tracer_of(const struct penrose_chip *chip)
{
    return chip_observing(chip, see_event);
}

static void end_trace(struct penrose_chip *chip)
{
    struct tracer *tracer = tracer_of(chip);
    if (tracer) {
        hand_out_until(tracer, UINT64_MAX);
        chip_unobserve(chip, &tracer->observer);
        free_tracer(tracer);
    }
}

enum penrose_status chip_trace(struct penrose_chip *chip, const char *filter,
                               void (*take)(void *context, const struct penrose_trace_event *event),
                               void *context, struct penrose_error *error)
{
    struct trace_filter wanted;
    enum penrose_status status = trace_filter_parse(filter, &wanted, error);
    if (status != PENROSE_OK || !take) {
        end_trace(chip);
        return status;
    }
    end_trace(chip);
    struct tracer *tracer = calloc(1, sizeof *tracer);
    if (!tracer || !trace_code_init(&tracer->code, chip) || !rv32_index_build(&tracer->rows)) {
        if (tracer) {
            free_tracer(tracer);
        }
        return error_set(error, PENROSE_E_MEMORY, "no memory for a trace");
    }
    tracer->chip = chip;
    tracer->filter = wanted;
    tracer->take = take;
    tracer->context = context;
    tracer->observer = (struct observer){.kinds = observed_kinds(&wanted),
                                         .lets_sleep = true,
                                         .see = see_event,
                                         .wants = wants_traced,
                                         .window = end_window,
                                         .free = free_tracer,
                                         .context = tracer};
    status = chip_observe(chip, &tracer->observer, error);
    if (status != PENROSE_OK) {
        free_tracer(tracer);
    }
    return status;
}
