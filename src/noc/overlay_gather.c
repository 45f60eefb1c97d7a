/*
 * Streams that feed another one of the same overlay. SPEC: Gather; fields of GATHER as Blackhole
 * has them. Messages stay in the buffers of the streams that received them; only their metadata
 * move, one message at a time.
 */
#include "noc/overlay_stream.h"

enum { MASK_BITS = 24, MASK_WORDS = 3, STREAM_BITS = 64 };

static uint64_t sources(const struct overlay *overlay, unsigned s)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < MASK_WORDS; i++) {
        mask |= (uint64_t)overlay_get(overlay, s, OVERLAY_LOCAL_SRC_MASK + i) << i * MASK_BITS;
    }
    return mask;
}

static unsigned group_size(const struct overlay *overlay, unsigned s)
{
    return get_MSG_ARB_GROUP_SIZE(overlay_get(overlay, s, OVERLAY_GATHER));
}

static uint64_t group_bits(unsigned size)
{
    return (UINT64_C(1) << size) - 1;
}

bool overlay_check_gather(struct overlay *overlay, unsigned s)
{
    uint32_t gather = overlay_get(overlay, s, OVERLAY_GATHER);
    uint64_t mask = sources(overlay, s);
    unsigned size = get_MSG_ARB_GROUP_SIZE(gather);
    if (!overlay_has(overlay, OVERLAY_GATHERS, s)) {
        return overlay_refuse(overlay, s,
                              "this stream cannot gather: clear "
                              "LOCAL_SOURCES_CONNECTED");
    }
    if (get_MSG_SRC_ARBITRARY_CLEAR_NUM_EN(gather)) {
        return overlay_refuse(overlay, s,
                              "MSG_SRC_ARBITRARY_CLEAR_NUM_EN is documented nowhere "
                              "and not modelled: clear it");
    }
    if (size != 1 && size != 2 && size != 4) {
        return overlay_refuse(overlay, s, "MSG_ARB_GROUP_SIZE is %u: set 1, 2 or 4", size);
    }
    if (!get_MSG_LOCAL_STREAM_CLEAR_NUM(gather)) {
        return overlay_refuse(overlay, s,
                              "MSG_LOCAL_STREAM_CLEAR_NUM is 0: set how many messages "
                              "to take from a stream at a time");
    }
    if (!mask || mask >> s & 1 ||
        (overlay_count(overlay) < STREAM_BITS && mask >> overlay_count(overlay))) {
        return overlay_refuse(overlay, s, "LOCAL_SRC_MASK must name other streams of the tile");
    }
    for (unsigned g = 0; g < STREAM_BITS; g += size) {
        uint64_t members = mask >> g & group_bits(size);
        if (members && members != group_bits(size)) {
            return overlay_refuse(overlay, s,
                                  "LOCAL_SRC_MASK has a part of the group of streams "
                                  "%u to %u: name all or none",
                                  g, g + size - 1);
        }
    }
    return true;
}

/* The lightweight handshake: all streams are in a phase that feeds this one. */
static bool sources_are_ready(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    for (uint64_t left = sources(overlay, s); left && !stream->sources_are_ready;
         left &= left - 1) {
        unsigned from = (unsigned)__builtin_ctzll(left);
        const struct overlay_stream *source = overlay_look(overlay, from);
        uint32_t to = overlay_get(overlay, from, OVERLAY_REMOTE_DEST);
        if (source->state != OVERLAY_RUNNING || !get_LOCAL_RECEIVER(source->misc) ||
            get_LOCAL_DEST_STREAM_ID(to) != s) {
            return false;
        }
    }
    if (!stream->sources_are_ready) {
        stream->sources_are_ready = true;
        stream->group = stream->group_step = stream->in_order = 0;
    }
    return true;
}

static bool feeds(const struct overlay *overlay, unsigned from, unsigned s)
{
    const struct overlay_stream *source = overlay_look(overlay, from);
    return source->state == OVERLAY_RUNNING && get_LOCAL_RECEIVER(source->misc) &&
           get_LOCAL_DEST_STREAM_ID(overlay_get(overlay, from, OVERLAY_REMOTE_DEST)) == s;
}

/* SPEC: IsStreamReady: so many messages are received and not transmitted. */
static bool is_ready(const struct overlay *overlay, unsigned from, unsigned s)
{
    uint32_t wanted = get_LOCAL_DEST_MSG_CLEAR_NUM(overlay_get(overlay, from, OVERLAY_REMOTE_DEST));
    return feeds(overlay, from, s) &&
           overlay_look(overlay, from)->messages + overlay_headers(overlay, from) >= wanted;
}

static bool group_is_ready(const struct overlay *overlay, unsigned s, unsigned group)
{
    for (unsigned i = 0; i < group_size(overlay, s); i++) {
        if (!is_ready(overlay, group + i, s)) {
            return false;
        }
    }
    return true;
}

/* Where the stream goes on when it is in no group: the group that it looks at, or the next ready
 * one. False when it must wait. */
static bool choose_group(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    unsigned size = group_size(overlay, s);
    bool in_order = get_MSG_SRC_IN_ORDER_FWD(overlay_get(overlay, s, OVERLAY_GATHER));
    uint64_t mask = sources(overlay, s);
    for (unsigned tries = 0; tries < STREAM_BITS; tries += size) {
        unsigned group = stream->group % STREAM_BITS;
        if (mask >> group & 1) {
            if (group_is_ready(overlay, s, group)) {
                return true;
            }
            if (in_order) {
                return false;
            }
        }
        stream->group = (group + size) % STREAM_BITS;
    }
    return false;
}

/* The stream that the current step of ReceiveFromGroup takes from. */
static unsigned step_source(const struct overlay *overlay, unsigned s)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    uint32_t gather = overlay_get(overlay, s, OVERLAY_GATHER);
    unsigned size = get_MSG_ARB_GROUP_SIZE(gather), clear = get_MSG_LOCAL_STREAM_CLEAR_NUM(gather);
    unsigned member = get_MSG_GROUP_STREAM_CLEAR_TYPE(gather) ? stream->group_step / clear
                                                              : stream->group_step % size;
    return stream->group + member;
}

static void take_message(struct overlay *overlay, unsigned s, unsigned from)
{
    struct overlay_stream *source = overlay_own(overlay, from), *stream = overlay_own(overlay, s);
    struct overlay_message message = *overlay_front(source);
    source->consumed += message.words;
    source->lent++;
    overlay_pop(overlay, from);
    overlay_append(overlay, s, &message);
    if (stream->to_receive) {
        stream->to_receive--;
    }
    if (message.is_last && stream->is_endless) {
        stream->is_endless = false;
        stream->to_receive = 0;
        stream->remaining = stream->messages;
    }
    overlay->due |= overlay_bit(from);
}

/* After a message: the next step, group, or the first group again. */
static void next_step(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    uint32_t gather = overlay_get(overlay, s, OVERLAY_GATHER);
    unsigned size = group_size(overlay, s);
    unsigned steps = size * get_MSG_LOCAL_STREAM_CLEAR_NUM(gather);
    uint32_t turn = overlay_get(overlay, s, OVERLAY_MSG_SRC_IN_ORDER_FWD_NUM_MSGS);
    stream->in_order++;
    if (++stream->group_step >= steps) {
        stream->group_step = 0;
        stream->group = (stream->group + size) % STREAM_BITS;
    }
    if (get_MSG_SRC_IN_ORDER_FWD(gather) && overlay_is_multicast(overlay, s) && turn &&
        stream->in_order >= turn) {
        stream->group = stream->group_step = stream->in_order = 0;
    }
}

bool overlay_gather(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    uint32_t gather = overlay_get(overlay, s, OVERLAY_GATHER);
    bool took = false;
    unsigned size = get_MSG_ARB_GROUP_SIZE(gather);
    bool is_sound = (size == 1 || size == 2 || size == 4) &&
                    get_MSG_LOCAL_STREAM_CLEAR_NUM(gather) && stream->group % size == 0 &&
                    stream->group + size <= overlay_count(overlay);
    if (!sources_are_ready(overlay, s)) {
        return false;
    }
    if (!is_sound) { /* software changed GATHER in the phase */
        overlay_refuse(overlay, s, "GATHER was changed in a phase: await its end");
        overlay_break(overlay, s);
        return false;
    }
    while (stream->messages < overlay_message_capacity(overlay, s) &&
           (stream->to_receive || stream->is_endless)) {
        if (stream->group_step == 0 && !choose_group(overlay, s)) {
            break;
        }
        unsigned from = step_source(overlay, s);
        if (!feeds(overlay, from, s) || !overlay_look(overlay, from)->messages) {
            break;
        }
        take_message(overlay, s, from);
        next_step(overlay, s);
        took = true;
    }
    return took;
}
