/*
 * The state machine of a stream (SPEC: README, OverlayStream diagram):
 *
 *   idle -> (loading -> ready) -> flushing -> running -> idle, or loading the next phase
 *
 * and the handshakes of TransferBetweenTiles. A phase is over when all its messages have been
 * transmitted and, if the next one goes elsewhere, all credits have come back. GUESS: all of them;
 * the page says "mostly (or entirely)", and Blackhole has bits for "full credit flush".
 */
#include <stdio.h>
#include <string.h>

#include "noc/overlay_stream.h"

enum {
    BLOB_WORD = 32,    /* streams in a word of BLOB_AUTO_CFG_DONE */
    LINK_NODE = 0xfff, /* coordinates of the other end of an Ethernet link */
    NODE_MASK = 0xfff,
};

/* --- Rules for a configuration --- */

static bool check_modes(struct overlay *overlay, unsigned s, uint32_t misc)
{
    unsigned sources =
        get_LOCAL_SOURCES_CONNECTED(misc) + get_SOURCE_ENDPOINT(misc) + get_REMOTE_SOURCE(misc);
    unsigned receivers =
        get_RECEIVER_ENDPOINT(misc) + get_LOCAL_RECEIVER(misc) + get_REMOTE_RECEIVER(misc);
    if (sources != 1) {
        return overlay_refuse(overlay, s,
                              "set one of SOURCE_ENDPOINT, REMOTE_SOURCE and "
                              "LOCAL_SOURCES_CONNECTED in MISC_CFG, not %u",
                              sources);
    }
    if (receivers > 1) {
        return overlay_refuse(overlay, s,
                              "set at most one of RECEIVER_ENDPOINT, LOCAL_RECEIVER and "
                              "REMOTE_RECEIVER in MISC_CFG");
    }
    if (get_LOCAL_SOURCES_CONNECTED(misc) && get_LOCAL_RECEIVER(misc)) {
        return overlay_refuse(overlay, s,
                              "a gathering stream cannot feed another: clear "
                              "LOCAL_RECEIVER");
    }
    if (get_TOKEN_MODE(misc) || get_COPY_MODE(misc) || get_OOO_PHASE_EXECUTION_EN(misc)) {
        return overlay_refuse(overlay, s, "%s is documented nowhere and not modelled: clear it",
                              get_TOKEN_MODE(misc)  ? "TOKEN_MODE"
                              : get_COPY_MODE(misc) ? "COPY_MODE"
                                                    : "OOO_PHASE_EXECUTION_EN");
    }
    return true;
}

static bool check_node(struct overlay *overlay, unsigned s, uint32_t node)
{
    if ((node & NODE_MASK) == LINK_NODE && !overlay_has(overlay, OVERLAY_LINK, s)) {
        return overlay_refuse(overlay, s,
                              "coordinates (63, 63) mean an Ethernet link, which this "
                              "stream does not reach");
    }
    return true;
}

static bool check_remote(struct overlay *overlay, unsigned s, uint32_t misc)
{
    uint32_t receivers = overlay_get(overlay, s, OVERLAY_MCAST_DEST_NUM);
    bool is_multicast = overlay_is_multicast(overlay, s);
    if (!overlay_get(overlay, s, OVERLAY_REMOTE_DEST_BUF_SIZE)) {
        return overlay_refuse(overlay, s, "REMOTE_DEST_BUF_SIZE is 0: nothing can be sent");
    }
    if (is_multicast && (receivers == 0 || receivers > OVERLAY_RECEIVERS)) {
        return overlay_refuse(overlay, s, "MCAST_DEST_NUM is %u: set it to 1 to 32 receivers",
                              (unsigned)receivers);
    }
    if (overlay_goes_to_dram(overlay, s)) {
        if (is_multicast) {
            return overlay_refuse(overlay, s, "a DRAM buffer is no multicast: clear MCAST_EN");
        }
        if (!get_DEST_DATA_BUF_NO_FLOW_CTRL(misc)) {
            return overlay_refuse(overlay, s,
                                  "DRAM sends no credits: set "
                                  "DEST_DATA_BUF_NO_FLOW_CTRL");
        }
    }
    return check_node(overlay, s, overlay_get(overlay, s, OVERLAY_REMOTE_DEST));
}

static bool check_local(struct overlay *overlay, unsigned s)
{
    unsigned to = get_LOCAL_DEST_STREAM_ID(overlay_get(overlay, s, OVERLAY_REMOTE_DEST));
    if (to == s || !overlay_has(overlay, OVERLAY_GATHERS, to)) {
        return overlay_refuse(overlay, s,
                              "LOCAL_DEST_STREAM_ID is %u, a stream that cannot gather "
                              "from this one",
                              to);
    }
    return true;
}

/* May the phase start as configured? Phases without messages only count phase numbers. */
bool overlay_check(struct overlay *overlay, unsigned s)
{
    uint32_t misc = overlay_get(overlay, s, OVERLAY_MISC_CFG);
    if (!overlay_look(overlay, s)->remaining && !get_INFINITE_PHASE_EN(misc)) {
        return true;
    }
    if (!check_modes(overlay, s, misc)) {
        return false;
    }
    if (get_LOCAL_SOURCES_CONNECTED(misc)) {
        if (!overlay_check_gather(overlay, s)) {
            return false;
        }
    } else if (!overlay_get(overlay, s, OVERLAY_BUF_SIZE)) {
        return overlay_refuse(overlay, s, "BUF_SIZE is 0: give the stream a receive buffer");
    }
    if (get_REMOTE_SOURCE(misc) &&
        !check_node(overlay, s, overlay_get(overlay, s, OVERLAY_REMOTE_SRC))) {
        return false;
    }
    if (get_LOCAL_RECEIVER(misc)) {
        return check_local(overlay, s);
    }
    return !get_REMOTE_RECEIVER(misc) || check_remote(overlay, s, misc);
}

/* --- Handshake --- */

/* SPEC: README: the handshake cache. GUESS: full, it forgets the oldest; the request that a
 * transmitter sends makes up for it. */
static void remember(struct overlay *overlay, unsigned s, uint32_t value)
{
    bool multicast = get_PHASE_READY_MCAST(value);
    unsigned first = multicast ? OVERLAY_READY_UNICAST : 0;
    unsigned count = multicast ? OVERLAY_READY_MULTICAST : OVERLAY_READY_UNICAST;
    uint32_t phase = get_PHASE_READY_NUM(value);
    uint32_t receiver = UINT32_C(1) << get_PHASE_READY_DEST_NUM(value);
    struct overlay_answer *spare = NULL;
    for (unsigned i = first; i < first + count; i++) {
        struct overlay_answer *answer = &overlay->answer[i];
        if (answer->valid && answer->stream == s && answer->phase == phase) {
            answer->receivers |= receiver;
            return;
        }
        if (!answer->valid && !spare) {
            spare = answer;
        }
    }
    if (!spare) {
        spare = &overlay->answer[first + overlay->answer_turn[multicast]];
        overlay->answer_turn[multicast] = (uint8_t)((overlay->answer_turn[multicast] + 1u) % count);
    }
    *spare = (struct overlay_answer){
        .valid = true, .stream = (uint8_t)s, .phase = phase, .receivers = receiver};
}

/* What is remembered of this phase, and then forgotten. */
static uint32_t recall(struct overlay *overlay, unsigned s)
{
    uint32_t receivers = 0;
    for (unsigned i = 0; i < OVERLAY_ANSWERS; i++) {
        struct overlay_answer *answer = &overlay->answer[i];
        if (answer->valid && answer->stream == s &&
            answer->phase == overlay_get(overlay, s, OVERLAY_CURR_PHASE)) {
            receivers |= answer->receivers;
            answer->valid = false;
        }
    }
    return receivers;
}

/* A receiver says that it is ready. GUESS: a response to a request that is no longer awaited is
 * dropped. */
void overlay_answered(struct overlay *overlay, unsigned s, uint32_t value)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    bool awaits = stream->state == OVERLAY_RUNNING &&
                  (stream->sending == OVERLAY_AWAITS || stream->sending == OVERLAY_ASKS);
    if (get_PHASE_READY_DEST_NUM(value) >= OVERLAY_RECEIVERS) {
        return;
    }
    if (awaits && get_PHASE_READY_NUM(value) == overlay_get(overlay, s, OVERLAY_CURR_PHASE)) {
        overlay_own(overlay, s)->answers |= UINT32_C(1) << get_PHASE_READY_DEST_NUM(value);
    } else if (!get_PHASE_READY_TWO_WAY_RESP(value) &&
               !get_DISABLE_DEST_READY_TABLE(overlay_get(overlay, 0, OVERLAY_DEBUG_STATUS_SEL))) {
        remember(overlay, s, value);
    }
}

static bool all_answered(const struct overlay *overlay, unsigned s)
{
    uint32_t all = UINT32_MAX >> (OVERLAY_RECEIVERS - overlay_receivers(overlay, s));
    return (overlay_look(overlay, s)->answers & all) == all;
}

/* True when the stream got further. */
static bool shake_hands(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    if (all_answered(overlay, s)) {
        stream->sending = OVERLAY_SENDS;
        return true;
    }
    if (stream->sending != OVERLAY_ASKS || !overlay_send_request(overlay, s)) {
        return false;
    }
    stream->sending = OVERLAY_AWAITS;
    return true;
}

/* --- Phases --- */

static void latch_source(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    uint32_t remote = overlay_get(overlay, s, OVERLAY_REMOTE_SRC);
    uint32_t onetime = overlay_get(overlay, s, OVERLAY_ONETIME_MISC_CFG);
    stream->source = (struct overlay_source){
        .valid = true,
        .noc = (uint8_t)get_REMOTE_SRC_UPDATE_NOC(stream->misc),
        .x = (uint8_t)get_REMOTE_SRC_X(remote),
        .y = (uint8_t)get_REMOTE_SRC_Y(remote),
        .stream = (uint8_t)get_REMOTE_SRC_STREAM_ID(remote),
        .receiver = (uint8_t)get_REMOTE_SRC_DEST_INDEX(remote),
        .vc = (uint8_t)get_REG_UPDATE_VC(onetime),
    };
}

/* SPEC: TransferBetweenTiles, Handshake. */
static void meet_source(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    stream->awaits_source = false;
    stream->response = OVERLAY_NO_RESPONSE;
    stream->sources_are_ready = stream->keeps_source && stream->sources_are_ready;
    if (!get_REMOTE_SOURCE(stream->misc)) {
        stream->source.valid = false;
    } else {
        latch_source(overlay, s);
        if (!stream->keeps_source) {
            overlay_set(overlay, s, OVERLAY_RD_PTR, 0);
            overlay_set(overlay, s, OVERLAY_WR_PTR, 0);
            stream->early = stream->freed = stream->freed_headers = 0;
            stream->is_message_open = false;
            stream->awaits_source = true;
            stream->response = OVERLAY_SPECULATIVE;
        }
    }
    if (!get_REMOTE_SOURCE(stream->misc) || !stream->keeps_source) {
        stream->load = overlay_get(overlay, s, OVERLAY_WR_PTR) & OVERLAY_POINTER;
        stream->arrived = stream->consumed = stream->loaded = 0;
    }
    overlay_take_early(overlay, s);
}

static void meet_destination(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    stream->sending = OVERLAY_SENDS;
    if (get_REMOTE_RECEIVER(stream->misc) && !stream->keeps_destination) {
        overlay_set(overlay, s, OVERLAY_REMOTE_DEST_WR_PTR, 0);
        stream->answers = recall(overlay, s);
        stream->sending = OVERLAY_ASKS;
    }
}

static void end_phase(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    unsigned done = OVERLAY_BLOB_AUTO_CFG_DONE + s / BLOB_WORD;
    stream->keeps_source = !get_NEXT_PHASE_SRC_CHANGE(stream->misc);
    stream->keeps_destination = !get_NEXT_PHASE_DEST_CHANGE(stream->misc);
    stream->awaits_source = false;
    if (get_PHASE_AUTO_CONFIG(overlay_get(overlay, s, OVERLAY_ONETIME_MISC_CFG))) {
        stream->state = OVERLAY_LOADING;
        return;
    }
    stream->state = OVERLAY_IDLE;
    overlay_set(overlay, 0, done, overlay_get(overlay, 0, done) | UINT32_C(1) << s % BLOB_WORD);
}

bool overlay_begin(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    uint32_t misc = overlay_get(overlay, s, OVERLAY_MISC_CFG);
    bool reads = stream->readings || stream->lent;
    if (reads && !get_NO_PREV_PHASE_OUTGOING_DATA_FLUSH(misc)) {
        return false;
    }
    if (!overlay_check(overlay, s)) {
        overlay_break(overlay, s);
        return false;
    }
    stream->misc = misc;
    stream->is_endless = get_INFINITE_PHASE_EN(misc);
    stream->to_receive = stream->remaining;
    stream->dropped = 0;
    if (!stream->remaining && !stream->is_endless) {
        end_phase(overlay, s);
        return true;
    }
    stream->state = OVERLAY_RUNNING;
    meet_source(overlay, s);
    meet_destination(overlay, s);
    return true;
}

/* SPEC: credits are awaited unless the next phase goes to the same place, or nothing counts them.
 */
static bool finish_phase(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    if (stream->remaining || stream->is_endless) {
        return false;
    }
    if (get_REMOTE_RECEIVER(stream->misc) && get_NEXT_PHASE_DEST_CHANGE(stream->misc) &&
        !get_DEST_DATA_BUF_NO_FLOW_CTRL(stream->misc) && !overlay_has_all_room(overlay, s)) {
        stream->sending = OVERLAY_AWAITS_ROOM;
        return false;
    }
    stream->sending = OVERLAY_HAS_SENT;
    end_phase(overlay, s);
    return true;
}

/* The stream that gathers from this one looks again. */
static void tell_gatherer(struct overlay *overlay, unsigned s)
{
    unsigned to = get_LOCAL_DEST_STREAM_ID(overlay_get(overlay, s, OVERLAY_REMOTE_DEST));
    if (get_LOCAL_RECEIVER(overlay_look(overlay, s)->misc) && to < overlay_count(overlay)) {
        overlay->due |= overlay_bit(to);
    }
}

bool overlay_run_phase(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    tell_gatherer(overlay, s);
    bool gathers = get_LOCAL_SOURCES_CONNECTED(stream->misc);
    bool went_on = gathers ? overlay_gather(overlay, s) : overlay_load_headers(overlay, s);
    if (stream->is_stuck) {
        return false;
    }
    if (stream->sending == OVERLAY_ASKS || stream->sending == OVERLAY_AWAITS) {
        return shake_hands(overlay, s) || went_on;
    }
    went_on |= overlay_transmit(overlay, s);
    return !stream->is_stuck && (finish_phase(overlay, s) || went_on);
}

/* GUESS: registers stay as they are; what hardware keeps besides them is forgotten. A stream with
 * PHASE_AUTO_CONFIG goes on with the next phase, as firmware that skips a phase expects. */
void overlay_reset_stream(struct overlay *overlay, unsigned s)
{
    uint32_t next_configuration = overlay_look(overlay, s)->next_configuration;
    if (overlay_is_used(overlay, s)) {
        *overlay_own(overlay, s) =
            (struct overlay_stream){.next_configuration = next_configuration};
    }
    overlay_set(overlay, s, OVERLAY_NUM_MSGS_RECEIVED, 0);
    for (unsigned i = 0; i < OVERLAY_ANSWERS; i++) {
        overlay->answer[i].valid = overlay->answer[i].valid && overlay->answer[i].stream != s;
    }
    if (get_PHASE_AUTO_CONFIG(overlay_get(overlay, s, OVERLAY_ONETIME_MISC_CFG))) {
        overlay_own(overlay, s)->state = OVERLAY_LOADING;
    }
}

/* --- Reports --- */

/* What a stream waits for, and the sender from which it should come. */
struct wait {
    const char *what;
    enum { NOBODY_ELSE, THE_SOURCE, THE_RECEIVERS } who;
};

static struct wait wait_of_running(const struct overlay *overlay, unsigned s)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    uint32_t misc = stream->misc;
    switch ((enum overlay_sending)stream->sending) {
    case OVERLAY_ASKS:
    case OVERLAY_AWAITS:
        return (struct wait){"for handshake responses (DEST_PHASE_READY_UPDATE)", THE_RECEIVERS};
    case OVERLAY_AWAITS_ROOM:
        return (struct wait){"for the last credits", THE_RECEIVERS};
    default:
        break;
    }
    if (!stream->messages) {
        return get_REMOTE_SOURCE(misc) ? (struct wait){"for messages", THE_SOURCE}
               : get_SOURCE_ENDPOINT(misc)
                   ? (struct wait){"for software to push messages", NOBODY_ELSE}
                   : (struct wait){"for the streams that it gathers from", NOBODY_ELSE};
    }
    if (get_RECEIVER_ENDPOINT(misc)) {
        return (struct wait){"for software to clear messages", NOBODY_ELSE};
    }
    if (get_LOCAL_RECEIVER(misc)) {
        return (struct wait){"for the gathering stream to take its messages", NOBODY_ELSE};
    }
    return stream->readings >= overlay_reading_capacity(overlay, s)
               ? (struct wait){"for L1 reads of its packets", NOBODY_ELSE}
               : (struct wait){"for credits", THE_RECEIVERS};
}

static struct wait wait_of(const struct overlay *overlay, unsigned s)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    if (stream->is_stuck) {
        return (struct wait){"for a reset: it broke a rule", NOBODY_ELSE};
    }
    switch ((enum overlay_state)stream->state) {
    case OVERLAY_IDLE:
        break;
    case OVERLAY_LOADING:
        return (struct wait){"to load its configuration", NOBODY_ELSE};
    case OVERLAY_READY:
        return (struct wait){"for software to write PHASE_ADVANCE", NOBODY_ELSE};
    case OVERLAY_FLUSHING:
        return (struct wait){"for the previous phase's messages to leave L1 (or for software to "
                             "clear them)",
                             NOBODY_ELSE};
    case OVERLAY_RUNNING:
        return wait_of_running(overlay, s);
    }
    return (struct wait){NULL, NOBODY_ELSE};
}

/* " of stream 4 of (3, 5) on NoC 0": coordinates as software wrote them. */
static void put_peer(const struct overlay *overlay, unsigned s, const struct wait *wait, char *text,
                     size_t size)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    uint32_t to = overlay_get(overlay, s, OVERLAY_REMOTE_DEST);
    uint32_t end = overlay_get(overlay, s, OVERLAY_MCAST_DEST);
    unsigned noc = get_OUTGOING_DATA_NOC(stream->misc);
    *text = 0;
    if (wait->who == THE_SOURCE) {
        snprintf(text, size, " of stream %u of (%u, %u)", stream->source.stream, stream->source.x,
                 stream->source.y);
    } else if (wait->who == THE_RECEIVERS && overlay_is_multicast(overlay, s)) {
        snprintf(text, size, " of streams %u of (%u, %u) to (%u, %u) on NoC %u",
                 get_REMOTE_DEST_STREAM_ID(to), get_REMOTE_DEST_X(to), get_REMOTE_DEST_Y(to),
                 get_MCAST_END_X(end), get_MCAST_END_Y(end), noc);
    } else if (wait->who == THE_RECEIVERS) {
        snprintf(text, size, " of stream %u of (%u, %u) on NoC %u", get_REMOTE_DEST_STREAM_ID(to),
                 get_REMOTE_DEST_X(to), get_REMOTE_DEST_Y(to), noc);
    }
}

/* A push too many is no fault, but reports on waits for its message should name it. */
static void put_dropped(uint32_t dropped, char *text, size_t size)
{
    size_t length = strlen(text);
    if (dropped) {
        snprintf(text + length, size - length,
                 "; %u pushes had no effect, since all messages of the phase had come",
                 (unsigned)dropped);
    }
}

bool overlay_describe_wait(const struct overlay *overlay, unsigned stream, char *text, size_t size)
{
    struct wait wait = {NULL, NOBODY_ELSE};
    char peer[80];
    if (overlay_is_used(overlay, stream)) {
        wait = wait_of(overlay, stream);
    }
    if (!wait.what) {
        return false;
    }
    put_peer(overlay, stream, &wait, peer, sizeof peer);
    snprintf(text, size, "overlay stream %u, phase %u, %u messages left, waits %s%s", stream,
             (unsigned)overlay_get(overlay, stream, OVERLAY_CURR_PHASE),
             (unsigned)overlay_look(overlay, stream)->remaining, wait.what, peer);
    put_dropped(overlay_look(overlay, stream)->dropped, text, size);
    return true;
}
