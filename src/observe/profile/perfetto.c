/*
 * See perfetto.h. Messages are written as the format's public description (perfetto_trace.proto) numbers
 * their fields. Names are told once, and later by a number. A slice is written when it is over. What
 * takes fewer cycles than SHORT ends none: so a hart whose queue is full is in one function for long, and
 * a thread in one run. Flows lead from who has made a long wait end to where it goes on, and from the
 * request of a hart to its arrivals; what they join are instants.
 */
#include "observe/profile/perfetto.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/names.h"
#include "observe/profile/profile.h"
#include "observe/trace/text.h"

/* --- Wire format --- */

enum { MESSAGE_BYTES = 2048, WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

struct message {
    size_t size;
    bool is_cut; /* it had no room for a field */
    uint8_t bytes[MESSAGE_BYTES];
};

static void put_varint(struct message *message, uint64_t value)
{
    do {
        if (message->size == MESSAGE_BYTES) {
            message->is_cut = true;
            return;
        }
        message->bytes[message->size++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value);
}

static void put_varint_field(struct message *message, unsigned field, uint64_t value)
{
    put_varint(message, field << 3 | WIRE_VARINT);
    put_varint(message, value);
}

static void put_bytes(struct message *message, unsigned field, const void *bytes, size_t size)
{
    put_varint(message, field << 3 | WIRE_BYTES);
    put_varint(message, size);
    if (size > MESSAGE_BYTES - message->size) {
        message->is_cut = true;
        return;
    }
    memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

static void put_fixed64(struct message *message, unsigned field, uint64_t value)
{
    put_varint(message, field << 3 | WIRE_FIXED64);
    for (unsigned i = 0; i < sizeof value && message->size < MESSAGE_BYTES; i++) {
        message->bytes[message->size++] = (uint8_t)(value >> 8 * i);
    }
}

static void put_string(struct message *message, unsigned field, const char *text)
{
    enum { MOST_BYTES = 200 };
    put_bytes(message, field, text, strnlen(text, MOST_BYTES));
}

static void put_message(struct message *message, unsigned field, const struct message *inner)
{
    put_bytes(message, field, inner->bytes, inner->size);
}

/* Fields, by message. */
enum {
    TRACE_PACKET = 1,

    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK = 60,

    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_COUNTER = 8,

    PROCESS_PID = 1,
    PROCESS_NAME = 6,

    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,

    EVENT_ANNOTATIONS = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_ID = 10,
    EVENT_TRACK = 11,
    EVENT_COUNTER_VALUE = 30,
    EVENT_FLOWS = 47,
    EVENT_FLOWS_THAT_END = 48,

    ANNOTATION_STRING = 6,
    ANNOTATION_NAME = 10,

    INTERNED_EVENT_NAMES = 2,
    NAME_ID = 1,
    NAME_TEXT = 2,
};

enum event_type { SLICE_BEGINS = 1, SLICE_ENDS = 2, INSTANT = 3, COUNTER = 4 };
enum { STATE_IS_CLEARED = 1, STATE_IS_NEEDED = 2, SEQUENCE = 1 };

/* --- State --- */

enum { THREADS = 3, LANES = 5 + THREADS, NOCS = 2, TRACKS = LANES + NOCS, SIDE = 64, SHORT = 16 };
enum counter { COUNTER_NOC, COUNTER_DRAM, COUNTERS };
enum { COUNTED_CYCLES = 256, LAUNCH_TRACKS = 4 };
enum { FIRST_COUNTER_TRACK = 1, FIRST_LAUNCH_TRACK = 4 }; /* tracks of tiles have greater numbers */

struct perfetto_lane {
    const char *kernel; /* NULL: no slice of a kernel is open */
    const char *slice;  /* of a function or a run in it; NULL: none is */
    const char *waits;  /* NULL: it does not wait */
    uint64_t begin, end, waits_since;
    unsigned times; /* instructions of a run */
};

struct perfetto_tile {
    bool has_track[TRACKS];
    struct perfetto_lane lane[LANES];
};

struct perfetto {
    void (*put)(void *context, const void *bytes, size_t size);
    void *context;
    struct trace_text *text;
    struct names names;
    const char **told; /* names by their number, in a hash table with open addressing */
    size_t told_room, told_count;
    uint64_t *number;
    uint64_t written, last;
    bool is_full;
    struct perfetto_tile *tile[SIDE][SIDE];
    uint64_t counted[COUNTERS], counted_from; /* bytes, since a multiple of COUNTED_CYCLES */
};

static uint64_t track_of(unsigned x, unsigned y, unsigned track)
{
    return ((uint64_t)y * SIDE + x + 1) * (TRACKS + 1) + track;
}

/* --- Packets --- */

static void put_packet(struct perfetto *perfetto, const struct message *packet)
{
    struct message trace = {0};
    put_message(&trace, TRACE_PACKET, packet);
    if (!packet->is_cut && !trace.is_cut) {
        perfetto->put(perfetto->context, trace.bytes, trace.size);
        perfetto->written += trace.size;
    }
}

static void put_track(struct perfetto *perfetto, const struct message *track)
{
    struct message packet = {0};
    put_varint_field(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_message(&packet, PACKET_TRACK, track);
    put_packet(perfetto, &packet);
}

/* A slot for the name in the table of what was told. */
static size_t find_told(const struct perfetto *perfetto, const char *name)
{
    size_t at = (uintptr_t)name / sizeof(void *) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    for (at &= perfetto->told_room - 1; perfetto->told[at] && perfetto->told[at] != name;) {
        at = (at + 1) & (perfetto->told_room - 1);
    }
    return at;
}

static bool make_told_room(struct perfetto *perfetto)
{
    if (perfetto->told_count * 2 < perfetto->told_room) {
        return true;
    }
    struct perfetto grown = *perfetto;
    grown.told_room = perfetto->told_room ? perfetto->told_room * 2 : 256;
    grown.told = calloc(grown.told_room, sizeof *grown.told);
    grown.number = calloc(grown.told_room, sizeof *grown.number);
    if (!grown.told || !grown.number) {
        free(grown.told);
        free(grown.number);
        return false;
    }
    for (size_t i = 0; i < perfetto->told_room; i++) {
        if (perfetto->told[i]) {
            size_t at = find_told(&grown, perfetto->told[i]);
            grown.told[at] = perfetto->told[i];
            grown.number[at] = perfetto->number[i];
        }
    }
    free(perfetto->told);
    free(perfetto->number);
    perfetto->told = grown.told;
    perfetto->number = grown.number;
    perfetto->told_room = grown.told_room;
    return true;
}

/* The number of a name, which `packet` tells if it is new. 0: memory ran out. */
static uint64_t told_number(struct perfetto *perfetto, const char *name, struct message *packet)
{
    if (!make_told_room(perfetto)) {
        return 0;
    }
    size_t at = find_told(perfetto, name);
    if (!perfetto->told[at]) {
        struct message text = {0}, interned = {0};
        perfetto->told[at] = name;
        perfetto->number[at] = ++perfetto->told_count;
        put_varint_field(&text, NAME_ID, perfetto->number[at]);
        put_string(&text, NAME_TEXT, name);
        put_message(&interned, INTERNED_EVENT_NAMES, &text);
        put_message(packet, PACKET_INTERNED, &interned);
    }
    return perfetto->number[at];
}

static void put_event(struct perfetto *perfetto, uint64_t cycle, uint64_t track,
                      enum event_type type, const char *name)
{
    struct message packet = {0}, event = {0};
    put_varint_field(&packet, PACKET_TIMESTAMP, cycle);
    put_varint_field(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_varint_field(&packet, PACKET_SEQUENCE_FLAGS, STATE_IS_NEEDED);
    put_varint_field(&event, EVENT_TYPE, type);
    put_varint_field(&event, EVENT_TRACK, track);
    if (name) {
        put_varint_field(&event, EVENT_NAME_ID, told_number(perfetto, name, &packet));
    }
    put_message(&packet, PACKET_TRACK_EVENT, &event);
    put_packet(perfetto, &packet);
}

/* An instant of a flow, which it ends or not. */
static void put_flow(struct perfetto *perfetto, uint64_t cycle, uint64_t track, const char *name,
                     uint64_t flow, bool ends)
{
    struct message packet = {0}, event = {0};
    put_varint_field(&packet, PACKET_TIMESTAMP, cycle);
    put_varint_field(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_varint_field(&packet, PACKET_SEQUENCE_FLAGS, STATE_IS_NEEDED);
    put_varint_field(&event, EVENT_TYPE, INSTANT);
    put_varint_field(&event, EVENT_TRACK, track);
    put_varint_field(&event, EVENT_NAME_ID, told_number(perfetto, name, &packet));
    put_fixed64(&event, ends ? EVENT_FLOWS_THAT_END : EVENT_FLOWS, flow);
    put_message(&packet, PACKET_TRACK_EVENT, &event);
    put_packet(perfetto, &packet);
}

static void put_slice(struct perfetto *perfetto, uint64_t track, uint64_t begin, uint64_t end,
                      const char *name)
{
    if (!perfetto->is_full) {
        put_event(perfetto, begin, track, SLICE_BEGINS, name);
        put_event(perfetto, end, track, SLICE_ENDS, NULL);
    }
}

/* Whatever was written may have filled the file. */
static void look_for_room(struct perfetto *perfetto, uint64_t cycle, uint64_t track)
{
    static const char is_full[] = "the file is full: what follows is left out";
    if (!perfetto->is_full && perfetto->written > PERFETTO_MOST_BYTES) {
        perfetto->is_full = true;
        put_event(perfetto, cycle, track, INSTANT, is_full);
    }
}

/* The only copy of a formatted name, which is cut where it is long. */
__attribute__((format(printf, 2, 3))) static const char *keep_formatted(struct perfetto *perfetto,
                                                                        const char *format, ...)
{
    char name[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return names_keep(&perfetto->names, name, strlen(name));
}

/* --- Tracks --- */

static void name_tile(struct perfetto *perfetto, unsigned x, unsigned y)
{
    struct message track = {0}, process = {0};
    char name[32];
    snprintf(name, sizeof name, "tile %u,%u", x, y);
    put_varint_field(&process, PROCESS_PID, y * SIDE + x + 1);
    put_string(&process, PROCESS_NAME, name);
    put_varint_field(&track, TRACK_UUID, track_of(x, y, TRACKS));
    put_message(&track, TRACK_PROCESS, &process);
    put_track(perfetto, &track);
}

static void name_track(struct perfetto *perfetto, const struct penrose_trace_event *event,
                       unsigned number)
{
    static const char *const titles[THREADS + NOCS] = {"thread 0 (unpack)", "thread 1 (math)",
                                                       "thread 2 (pack)", "NoC 0", "NoC 1"};
    const char *name =
        number < LANES - THREADS ? event->agent_name : titles[number - LANES + THREADS];
    struct message track = {0}, thread = {0};
    put_varint_field(&thread, THREAD_PID, event->y * SIDE + event->x + 1);
    put_varint_field(&thread, THREAD_TID, track_of(event->x, event->y, number));
    put_string(&thread, THREAD_NAME, name);
    put_varint_field(&track, TRACK_UUID, track_of(event->x, event->y, number));
    put_message(&track, TRACK_THREAD, &thread);
    put_track(perfetto, &track);
}

static struct perfetto_tile *
tile_with_track(struct perfetto *perfetto, const struct penrose_trace_event *event, unsigned number)
{
    struct perfetto_tile **tile = &perfetto->tile[event->y % SIDE][event->x % SIDE];
    if (!*tile) {
        *tile = calloc(1, sizeof **tile);
        name_tile(perfetto, event->x, event->y);
    }
    if (*tile && !(*tile)->has_track[number]) {
        (*tile)->has_track[number] = true;
        name_track(perfetto, event, number);
    }
    return *tile;
}

static uint64_t counter_track(enum counter counter)
{
    return FIRST_COUNTER_TRACK + counter;
}

static void name_counters(struct perfetto *perfetto)
{
    static const char *const names[COUNTERS] = {
        [COUNTER_NOC] = "NoC: bytes in 256 cycles", [COUNTER_DRAM] = "DRAM: bytes in 256 cycles"};
    for (unsigned i = 0; i < COUNTERS; i++) {
        struct message track = {0}, counter = {0};
        put_varint_field(&track, TRACK_UUID, counter_track((enum counter)i));
        put_string(&track, TRACK_NAME, names[i]);
        put_message(&track, TRACK_COUNTER, &counter);
        put_track(perfetto, &track);
    }
}

/* --- Counters and flows --- */

static void put_counter(struct perfetto *perfetto, uint64_t cycle, enum counter counter,
                        uint64_t value)
{
    struct message packet = {0}, event = {0};
    put_varint_field(&packet, PACKET_TIMESTAMP, cycle);
    put_varint_field(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_varint_field(&event, EVENT_TYPE, COUNTER);
    put_varint_field(&event, EVENT_TRACK, counter_track(counter));
    put_varint_field(&event, EVENT_COUNTER_VALUE, value);
    put_message(&packet, PACKET_TRACK_EVENT, &event);
    put_packet(perfetto, &packet);
}

/* Writes what has been counted in the stretch of COUNTED_CYCLES that `cycle` is behind, and a 0 where
 * further stretches, without a packet, lie between the two. */
static void end_counting(struct perfetto *perfetto, uint64_t cycle)
{
    uint64_t end = perfetto->counted_from + COUNTED_CYCLES;
    for (unsigned i = 0; i < COUNTERS && cycle >= end && !perfetto->is_full; i++) {
        put_counter(perfetto, perfetto->counted_from, (enum counter)i, perfetto->counted[i]);
        if (cycle >= end + COUNTED_CYCLES) {
            put_counter(perfetto, end, (enum counter)i, 0);
        }
    }
    if (cycle >= end) {
        memset(perfetto->counted, 0, sizeof perfetto->counted);
        perfetto->counted_from = cycle - cycle % COUNTED_CYCLES;
    }
}

static void count_packet(struct perfetto *perfetto, const struct penrose_trace_event *event)
{
    end_counting(perfetto, event->cycle);
    if (strstr(event->what, "atomic") == NULL) {
        perfetto->counted[COUNTER_NOC] += event->size;
        perfetto->counted[COUNTER_DRAM] += event->peer_kind == PENROSE_TILE_DRAM ? event->size : 0;
    }
}

/* The name of what an agent did on a NoC in a cycle, as a number. */
static uint64_t request_flow(unsigned x, unsigned y, unsigned agent, unsigned noc, uint64_t cycle)
{
    uint64_t flow = (uint64_t)y << 58 ^ (uint64_t)x << 52 ^ (uint64_t)agent << 48;
    return (flow ^ (uint64_t)noc << 47 ^ cycle) * 2 + 1;
}

/* That of the end of a wait of a track. */
static uint64_t wait_flow(uint64_t track, uint64_t cycle)
{
    return (track << 44 ^ cycle) * 2;
}

/* From who has made the wait end that has taken long, if he has a track. */
static void show_cause(struct perfetto *perfetto, const struct penrose_trace_event *event,
                       uint64_t track)
{
    static const char releases[] = "releases", goes_on[] = "goes on";
    const struct penrose_trace_cause *cause = &event->cause;
    const struct perfetto_tile *tile = perfetto->tile[cause->y % SIDE][cause->x % SIDE];
    const unsigned lane = cause->thread >= 0 ? LANES - THREADS + (unsigned)cause->thread % THREADS
                                             : (unsigned)cause->agent;
    const bool is_lane = cause->thread >= 0 || lane < LANES - THREADS;
    if (!cause->is_known || event->waited < SHORT || !is_lane || !tile || !tile->has_track[lane]) {
        return;
    }
    if (cause->cycle > event->cycle) {
        return; /* in functional runs a hart that polls may see a change a round too early */
    }
    uint64_t flow = wait_flow(track, event->cycle);
    put_flow(perfetto, cause->cycle, track_of(cause->x, cause->y, lane), releases, flow, false);
    put_flow(perfetto, event->cycle, track, goes_on, flow, true);
}

/* --- Lanes --- */

static void end_slice(struct perfetto *perfetto, struct perfetto_lane *lane, uint64_t track,
                      uint64_t end)
{
    if (lane->slice && lane->times > 1) {
        lane->slice = keep_formatted(perfetto, "%s x%u", lane->slice, lane->times);
    }
    if (lane->slice) {
        put_slice(perfetto, track, lane->begin, end > lane->begin ? end : lane->begin + 1,
                  lane->slice);
    }
    lane->slice = NULL;
    lane->times = 0;
}

/* The wait interrupts the lane's slice if it has taken long. */
static void end_lane_wait(struct perfetto *perfetto, struct perfetto_lane *lane, uint64_t track,
                          uint64_t end)
{
    if (lane->waits && end >= lane->waits_since + SHORT) {
        end_slice(perfetto, lane, track, lane->waits_since);
        put_slice(perfetto, track, lane->waits_since, end,
                  keep_formatted(perfetto, "waits: %s", lane->waits));
    }
    lane->waits = NULL;
}

/* A kernel begins or ends, around its functions. */
static void show_kernel(struct perfetto *perfetto, struct perfetto_lane *lane, uint64_t track,
                        const struct penrose_trace_event *event)
{
    const char *kernel = names_keep(&perfetto->names, event->kernel, strlen(event->kernel));
    kernel = *kernel ? kernel : NULL;
    if (lane->kernel != kernel) {
        end_slice(perfetto, lane, track, event->cycle);
        if (lane->kernel) {
            put_event(perfetto, event->cycle, track, SLICE_ENDS, NULL);
        }
        if (kernel) {
            put_event(perfetto, event->cycle, track, SLICE_BEGINS, kernel);
        }
        lane->kernel = kernel;
    }
}

/* A function goes on until the hart is in another one. */
static void show_hart(struct perfetto *perfetto, struct perfetto_lane *lane, uint64_t track,
                      const struct penrose_trace_event *event)
{
    const char *symbol = *event->symbol ? event->symbol : "(no symbol)";
    const char *name = names_keep(&perfetto->names, symbol, strlen(symbol));
    end_lane_wait(perfetto, lane, track, event->cycle);
    if (event->kind == PENROSE_TRACE_WAIT) {
        lane->waits =
            event->begins ? names_keep(&perfetto->names, event->what, strlen(event->what)) : NULL;
        lane->waits_since = event->cycle;
        return;
    }
    show_kernel(perfetto, lane, track, event);
    if (lane->slice != name) {
        end_slice(perfetto, lane, track, event->cycle);
        lane->slice = name;
        lane->begin = event->cycle;
    }
    lane->end = event->cycle + 1;
}

/* A run of one instruction goes on until another one comes, or none for a while. */
static void show_thread(struct perfetto *perfetto, struct perfetto_lane *lane, uint64_t track,
                        const struct penrose_trace_event *event)
{
    if (event->kind == PENROSE_TRACE_WAIT) {
        lane->waits =
            event->begins ? names_keep(&perfetto->names, event->what, strlen(event->what)) : NULL;
        return;
    }
    const char *text = trace_text_instruction(perfetto->text, event);
    const char *name = names_keep(&perfetto->names, text, strcspn(text, " "));
    if (lane->slice != name || event->cycle > lane->end + SHORT) {
        uint64_t since = event->waited < event->cycle ? event->cycle - event->waited : 0;
        end_slice(perfetto, lane, track, lane->end);
        lane->waits_since = since > lane->end ? since : lane->end;
        end_lane_wait(perfetto, lane, track, event->cycle);
        lane->slice = name;
        lane->begin = event->cycle;
    }
    lane->waits = NULL;
    lane->times++;
    lane->end = event->cycle + 1;
}

static void show_packet(struct perfetto *perfetto, uint64_t track,
                        const struct penrose_trace_event *event)
{
    bool is_multicast = strncmp(event->what, "multicast", strlen("multicast")) == 0;
    const char *name = is_multicast
                           ? keep_formatted(perfetto, "%s of %u bytes", event->what, event->size)
                           : keep_formatted(perfetto, "%s of %u bytes, tile %u,%u", event->what,
                                            event->size, event->peer_x, event->peer_y);
    put_flow(perfetto, event->cycle, track, name,
             request_flow(event->x, event->y, (unsigned)event->agent, event->noc, event->cycle),
             false);
}

/* A request of a hart has come. It does not end its flow: a multicast comes to many. */
static void show_arrival(struct perfetto *perfetto, uint64_t track,
                         const struct penrose_trace_event *event)
{
    const struct penrose_trace_cause *by = &event->cause;
    const struct perfetto_tile *sender = perfetto->tile[by->y % SIDE][by->x % SIDE];
    const char *name = keep_formatted(perfetto, "%s arrives", event->what);
    if (sender && sender->has_track[LANES + event->noc]) {
        put_flow(perfetto, event->cycle, track, name,
                 request_flow(by->x, by->y, (unsigned)by->agent, event->noc, by->cycle), false);
    } else {
        put_event(perfetto, event->cycle, track, INSTANT, name);
    }
}

void perfetto_take(struct perfetto *perfetto, const struct penrose_trace_event *event)
{
    bool is_hart = (unsigned)event->agent < LANES - THREADS;
    bool is_packet = event->kind == PENROSE_TRACE_NOC;
    unsigned number = is_packet            ? LANES + (event->noc & 1)
                      : event->thread >= 0 ? LANES - THREADS + (unsigned)event->thread % THREADS
                                           : (unsigned)event->agent;
    if (!profile_uses(event) || perfetto->is_full) {
        return;
    }
    if (is_packet ? !(event->begins ? is_hart : event->cause.is_known)
                  : event->thread < 0 && !is_hart) {
        return;
    }
    struct perfetto_tile *tile = tile_with_track(perfetto, event, number);
    uint64_t track = track_of(event->x, event->y, number);
    perfetto->last = event->cycle > perfetto->last ? event->cycle : perfetto->last;
    if (!tile) {
        return;
    }
    if (is_packet && event->begins) {
        count_packet(perfetto, event);
        show_packet(perfetto, track, event);
    } else if (is_packet) {
        show_arrival(perfetto, track, event);
    } else if (event->thread >= 0) {
        show_thread(perfetto, &tile->lane[number], track, event);
    } else {
        show_hart(perfetto, &tile->lane[number], track, event);
    }
    if (!is_packet) {
        show_cause(perfetto, event, track);
    }
    look_for_room(perfetto, event->cycle, track);
}

/* --- Launches --- */

/* A launch says what it was bound by. Whatever has filled the file, launches are in it. */
static void put_launch(struct perfetto *perfetto, const struct profile *profile, size_t number,
                       uint64_t track)
{
    const struct profile_launch *launch = &profile->launch[number];
    struct message packet = {0}, event = {0}, annotation = {0};
    char name[PROFILE_NAME_BYTES], bound[1024];
    profile_launch_name(launch, true, name, sizeof name);
    profile_launch_bound(profile, launch, bound, sizeof bound);
    const char *numbered = keep_formatted(perfetto, "%zu: %.200s", number + 1, name);
    put_varint_field(&packet, PACKET_TIMESTAMP, launch->first);
    put_varint_field(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_varint_field(&packet, PACKET_SEQUENCE_FLAGS, STATE_IS_NEEDED);
    put_varint_field(&event, EVENT_TYPE, SLICE_BEGINS);
    put_varint_field(&event, EVENT_TRACK, track);
    put_varint_field(&event, EVENT_NAME_ID, told_number(perfetto, numbered, &packet));
    put_string(&annotation, ANNOTATION_NAME, "bound");
    put_string(&annotation, ANNOTATION_STRING, bound);
    put_message(&event, EVENT_ANNOTATIONS, &annotation);
    put_message(&packet, PACKET_TRACK_EVENT, &event);
    put_packet(perfetto, &packet);
    put_event(perfetto, launch->last, track, SLICE_ENDS, NULL);
}

static void name_launch_track(struct perfetto *perfetto, uint64_t number)
{
    struct message track = {0};
    put_varint_field(&track, TRACK_UUID, number);
    put_string(&track, TRACK_NAME, "launches");
    put_track(perfetto, &track);
}

/* A launch that begins before another one has ended is on a track below that. */
static void put_launches(struct perfetto *perfetto, const struct profile *profile)
{
    uint64_t ended[LAUNCH_TRACKS] = {0};
    for (size_t i = 0; i < profile->launches; i++) {
        const struct profile_launch *launch = &profile->launch[i];
        unsigned track = 0;
        while (track < LAUNCH_TRACKS && ended[track] > launch->first) {
            track++;
        }
        if (launch->kernels == 0 || track == LAUNCH_TRACKS) {
            continue;
        }
        if (!ended[track]) {
            name_launch_track(perfetto, FIRST_LAUNCH_TRACK + track);
        }
        put_launch(perfetto, profile, i, FIRST_LAUNCH_TRACK + track);
        ended[track] = launch->last;
    }
}

/* --- Begin and end --- */

struct perfetto *perfetto_create(const struct chip_calls *calls,
                                 void (*put)(void *context, const void *bytes, size_t size),
                                 void *context)
{
    struct perfetto *perfetto = calloc(1, sizeof *perfetto);
    if (!perfetto) {
        return NULL;
    }
    perfetto->put = put;
    perfetto->context = context;
    perfetto->text = trace_text_create(calls);
    if (!perfetto->text) {
        free(perfetto);
        return NULL;
    }
    struct message packet = {0};
    put_varint_field(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_varint_field(&packet, PACKET_SEQUENCE_FLAGS, STATE_IS_CLEARED);
    put_packet(perfetto, &packet);
    name_counters(perfetto);
    return perfetto;
}

void perfetto_end(struct perfetto *perfetto, const struct profile *profile)
{
    end_counting(perfetto, perfetto->last + COUNTED_CYCLES);
    for (unsigned y = 0; y < SIDE; y++) {
        for (unsigned x = 0; x < SIDE; x++) {
            struct perfetto_tile *tile = perfetto->tile[y][x];
            for (unsigned number = 0; tile && number < LANES; number++) {
                struct perfetto_lane *lane = &tile->lane[number];
                uint64_t track = track_of(x, y, number);
                end_slice(perfetto, lane, track, lane->end);
                if (number < LANES - THREADS) {
                    end_lane_wait(perfetto, lane, track, perfetto->last);
                }
                if (lane->kernel) {
                    const uint64_t end = lane->end > perfetto->last ? lane->end : perfetto->last;
                    put_event(perfetto, end, track, SLICE_ENDS, NULL);
                }
                look_for_room(perfetto, perfetto->last, track);
            }
        }
    }
    put_launches(perfetto, profile);
}

void perfetto_destroy(struct perfetto *perfetto)
{
    if (perfetto) {
        for (unsigned at = 0; at < SIDE * SIDE; at++) {
            free(perfetto->tile[at / SIDE][at % SIDE]);
        }
        trace_text_destroy(perfetto->text);
        names_free(&perfetto->names);
        free(perfetto->told);
        free(perfetto->number);
        free(perfetto);
    }
}
