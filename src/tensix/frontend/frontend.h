/* Functions that the stages of the coprocessor's front end call in each other. */
#ifndef TENSIX_FRONTEND_H
#define TENSIX_FRONTEND_H

#include "tensix/exec.h"

/* Brings the next instruction of a thread to the gate (frontend.c); false when there is none that
 * gets there before `end`. Only while there is none at the gate. */
bool tensix_fetch(struct tensix *tensix, unsigned thread, uint64_t end);

/*
 * The time in the stream of instructions. A functional run has none but that of the gate. In a
 * timed run the front end is ahead of the gate, by a cycle at most (GUESS): while an instruction
 * waits there, one that ends in the front end behind it costs nothing.
 */
static inline uint64_t *tensix_stream_time(const struct tensix *tensix,
                                           struct tensix_thread *thread)
{
    return tensix->timing ? &thread->stream_time : &thread->time;
}

static inline uint64_t tensix_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The oldest entry of a FIFO that is not empty; the thread is not earlier than its push lets it be.
 * Harts may wait for the room. An empty FIFO is zeros, whatever has gone through it. */
static inline uint32_t tensix_pop(struct tensix *tensix, struct tensix_thread *thread,
                                  struct tensix_fifo *fifo)
{
    struct tensix_entry *entry = &fifo->entry[fifo->head];
    const uint32_t word = entry->word;
    const uint64_t due = entry->cycle + timing_cycles(tensix->timing, TIMING_PUSH);
    uint64_t *time = tensix_stream_time(tensix, thread);
    thread->origin = entry->origin;
    *time = tensix_later(*time, due);
    *entry = (struct tensix_entry){.word = 0};
    fifo->count--;
    fifo->head = fifo->count ? (fifo->head + 1) % TENSIX_FIFO_DEPTH : 0;
    tensix->outcome.moved = true;
    return word;
}

/* An instruction that waits does not start before the next cycle after the latest change. */
static inline void tensix_pass_event(const struct tensix *tensix, struct tensix_thread *thread)
{
    if (thread->blocked && thread->time <= tensix->outcome.event) {
        thread->time = tensix->outcome.event + 1;
    }
}

/* The instruction of the row has come to its unit, and waits there: nothing else gets into the Scalar
 * Unit meanwhile. */
static inline void tensix_stay_in_unit(struct tensix *tensix, unsigned thread, unsigned row)
{
    if (tensix_row_infos[row].unit == TENSIX_UNIT_SCALAR) {
        tensix->scalar_held_by = (uint8_t)(thread + 1);
    }
}

/* Is anything of the thread in the front end? */
bool tensix_has_more(const struct tensix_thread *thread);

/* Ends a push at `cycle`. A thread that waits only as long as others go on looks again after each. */
static inline struct tensix_outcome tensix_end_push(struct tensix *tensix, bool is_taken,
                                                    uint64_t cycle)
{
    const uint64_t event = tensix->outcome.event;
    const bool has_stopped = tensix->stopped != TENSIX_GOES;
    const struct tensix_outcome outcome = {
        .event = event > cycle ? event : cycle,
        .is_taken = is_taken,
        .changed = tensix->outcome.changed | tensix->is_polite | has_stopped,
        .moved = tensix->outcome.moved,
        .holds = tensix->outcome.holds,
        .has_stopped = has_stopped,
    };
    tensix->outcome.changed = tensix->outcome.moved = false;
    return outcome;
}

#endif
