/* The overlay's time: steps of its streams. */
#include "noc/overlay_stream.h"

enum { ROUNDS = 64 /* steps of a stream in a call */ };

/* May the stream go on while a packet for its source waits? Its own linked transaction, which holds
 * that up, ends by what it sends. The source must be the same until it has been told. */
static bool may_go_on(const struct overlay_stream *stream)
{
    return stream->state == OVERLAY_RUNNING || stream->keeps_source;
}

/* One step of one stream; true when another may be possible. */
static bool step_phase(struct overlay *overlay, unsigned s)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    if (!overlay_is_used(overlay, s) || stream->is_stuck) {
        return false;
    }
    bool went_on = overlay_send_credits(overlay, s);
    if (overlay->blocked & overlay_bit(s) && !may_go_on(stream)) {
        return false;
    }
    switch ((enum overlay_state)stream->state) {
    case OVERLAY_LOADING:
        overlay_load_blob(overlay, s);
        return !stream->is_stuck;
    case OVERLAY_FLUSHING:
        return overlay_begin(overlay, s) || went_on;
    case OVERLAY_RUNNING:
        return overlay_run_phase(overlay, s) || went_on;
    case OVERLAY_IDLE:
    case OVERLAY_READY:
        break;
    }
    return went_on;
}

bool overlay_run(struct overlay *overlay, uint64_t cycle)
{
    bool went_on = false;
    if (!overlay->board) {
        return false;
    }
    overlay->now = cycle;
    overlay->due |= overlay->blocked;
    overlay->blocked = 0;
    for (unsigned round = 0; overlay->due && round < ROUNDS; round++) {
        uint64_t streams = overlay->due;
        overlay->due = 0;
        for (; streams; streams &= streams - 1) {
            unsigned s = (unsigned)__builtin_ctzll(streams);
            if (step_phase(overlay, s)) {
                overlay->due |= overlay_bit(s);
                went_on = true;
            }
        }
    }
    if (went_on) {
        overlay->board->changed(overlay->owner, cycle);
    }
    return overlay_is_due(overlay);
}
