/*
 * The front end of the coprocessor: the way of an instruction from a hart's push to the wait gate.
 * See tensix.h for the stages.
 *
 * Invariants: an entry leaves a FIFO at a later cycle than that of its push. `next` is behind the
 * replay buffer; the FIFOs, the MOP expander and the replay buffer have only instructions after it.
 * A thread is `blocked` only while it has a `next`.
 */
#include "num/kernels.h"
#include "tensix/frontend/auto_ttsync.h"
#include "tensix/config/users.h"
#include "tensix/frontend/frontend.h"

void tensix_init(struct tensix *tensix)
{
    tensix->stale = TENSIX_USED_BY_ALL;
    tensix->executing = TENSIX_THREADS;
    if (!tensix->kernels) {
        tensix->kernels = num_kernels_find(NULL);
    }
    tensix_vector_init(&tensix->vector);
    memset(tensix->mutex, TENSIX_MUTEX_FREE, sizeof tensix->mutex);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        tensix_declare_defaults(&tensix->thread[i]);
    }
}

void tensix_reset(struct tensix *tensix)
{
    const bool dst_high_half = tensix->dst_high_half;
    memset(tensix, 0, sizeof(struct tensix_units));
    tensix->dst_high_half = dst_high_half;
    tensix_init(tensix);
}

/* --- Pushing --- */

static bool by_own_trisc(unsigned thread, struct tensix_origin origin)
{
    return origin.pusher == TENSIX_BY_T0 + thread;
}

bool tensix_accepts(const struct tensix *tensix, unsigned thread)
{
    return tensix->thread[thread].front.count <= TENSIX_FIFO_ACCEPTS;
}

static void fifo_put(struct tensix_fifo *fifo, uint32_t word, struct tensix_origin origin,
                     uint64_t cycle)
{
    unsigned tail = (fifo->head + fifo->count) % TENSIX_FIFO_DEPTH;
    fifo->entry[tail] = (struct tensix_entry){.word = word, .origin = origin, .cycle = cycle};
    fifo->count++;
}

bool tensix_push(struct tensix *tensix, unsigned thread, struct tensix_origin origin,
                 const uint32_t *words, unsigned count, uint64_t cycle)
{
    struct tensix_thread *own = &tensix->thread[thread];
    bool is_front = by_own_trisc(thread, origin);
    struct tensix_fifo *fifo = is_front ? &own->front : &own->back;
    bool has_room =
        is_front ? tensix_accepts(tensix, thread) : fifo->count + count <= TENSIX_BACK_DEPTH;
    if (!has_room) {
        return false;
    }
    own->pushed += count;
    for (unsigned i = 0; i < count; i++) {
        fifo_put(fifo, words[i], origin, cycle);
        origin.pc += 4; /* several are .ttinsn one after another */
    }
    return true;
}

/* --- From the FIFOs to the gate --- */

static void begin_fetch(struct tensix_thread *thread)
{
    thread->stream_time = tensix_later(thread->stream_time, thread->time - (thread->time > 0));
}

/* An instruction that the front end handles is not at the gate, and is told as if it were. */
static void tell_expansion(struct tensix *tensix, unsigned thread, uint32_t word)
{
    struct tensix_thread *own = &tensix->thread[thread];
    const uint32_t next = own->next;
    if (tensix->observed >> OBSERVED_EXPANDS & 1) {
        own->next = word;
        tensix->executing = (uint8_t)thread;
        tensix_tell(tensix, OBSERVED_EXPANDS, OBSERVED_AGENTS, 0, 0);
        tensix->executing = TENSIX_THREADS;
        own->next = next;
    }
}

/* An instruction that ends in the front end has taken its place in the stream for a cycle. */
static void consumed(const struct tensix *tensix, struct tensix_thread *thread)
{
    thread->drained++;
    ++*tensix_stream_time(tensix, thread);
}

/* What comes out of the MOP expander next; false when there is nothing. */
static bool expand_mop(struct tensix *tensix, unsigned thread, uint32_t *word)
{
    struct tensix_thread *own = &tensix->thread[thread];
    while (!mop_next(&own->mop, word)) {
        own->parent = 0;
        if (own->front.count == 0) {
            return false;
        }
        *word = tensix_pop(tensix, own, &own->front);
        switch (*word >> 24) {
        case TENSIX_OPCODE_MOP:
            tell_expansion(tensix, thread, *word);
            mop_start(&own->mop, *word);
            own->mop_origin = own->origin;
            own->drained++;
            /* an empty expansion takes a slot all the same */
            *tensix_stream_time(tensix, own) += !mop_busy(&own->mop);
            break;
        case TENSIX_OPCODE_MOP_CFG:
            mop_config(&own->mop, *word);
            tell_expansion(tensix, thread, *word);
            consumed(tensix, own);
            break;
        case TENSIX_OPCODE_RESOURCEDECL:
            tensix_declare(tensix, thread, *word);
            consumed(tensix, own);
            break;
        default:
            return true;
        }
    }
    own->origin = own->mop_origin;
    own->parent = TENSIX_OPCODE_MOP;
    return true;
}

static void start_replay(struct tensix *tensix, unsigned thread, uint32_t word)
{
    struct tensix_thread *own = &tensix->thread[thread];
    enum replay_result result = replay_command(&own->replay, word);
    tell_expansion(tensix, thread, word);
    if (result != REPLAY_OK) {
        own->next = word; /* what the report is about */
        tensix->now = *tensix_stream_time(tensix, own);
        (void)tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_EXPANSION, "REPLAY: %s",
                           replay_rule(result));
    }
    if (replay_is_playing(&own->replay)) {
        own->parent = own->parent ? own->parent : TENSIX_OPCODE_REPLAY;
        own->drained++;
    } else {
        consumed(tensix, own);
    }
}

static bool fetch(struct tensix *tensix, unsigned thread, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    const uint64_t *time = tensix_stream_time(tensix, own);
    while (!tensix->stopped && *time < end) {
        uint32_t word;
        bool executes = true;
        if (replay_next(&own->replay, &own->next)) {
            own->has_next = true;
            return true;
        }
        if (own->back.count > 0) {
            word = tensix_pop(tensix, own, &own->back);
            own->parent = 0;
        } else if (!expand_mop(tensix, thread, &word)) {
            return false;
        }
        tensix->outcome.moved = true; /* the MOP expander may be done */
        if (replay_is_loading(&own->replay)) {
            (void)replay_accept(&own->replay, word, &executes); /* judged when it executes */
        } else if (word >> 24 == TENSIX_OPCODE_REPLAY) {
            start_replay(tensix, thread, word);
            continue;
        }
        if (executes) {
            own->next = word;
            own->has_next = true;
            return true;
        }
        consumed(tensix, own);
    }
    return false;
}

bool tensix_fetch(struct tensix *tensix, unsigned thread, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    if (!tensix->timing) {
        return fetch(tensix, thread, end);
    }
    begin_fetch(own);
    bool has_fetched = fetch(tensix, thread, end);
    own->time = tensix_later(own->time, own->stream_time);
    own->stream_time += has_fetched;
    return has_fetched;
}

/* --- What others can see --- */

bool tensix_has_more(const struct tensix_thread *thread)
{
    return thread->has_next || thread->front.count > 0 || thread->back.count > 0 ||
           mop_busy(&thread->mop) || replay_is_playing(&thread->replay);
}

/* Timed runs: when a unit is done with an instruction next. */
static uint64_t next_finish(const struct tensix *tensix)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        for (unsigned unit = 0; unit < TENSIX_UNITS; unit++) {
            uint64_t until = tensix->thread[i].busy_until[unit];
            next = until > tensix->clock && until < next ? until : next;
        }
    }
    return next;
}

/* Timed runs: when an UNPACR that waits gets its bank. */
static uint64_t next_bank(const struct tensix *tensix)
{
    uint64_t next = UINT64_MAX;
    for (unsigned which = 0; which < TENSIX_UNPACKERS; which++) {
        const struct tensix_src_banks *banks = &tensix->src[which];
        if (tensix_unpack_is_held(tensix, which) && !banks->matrix_may[banks->unpack_bank]) {
            uint64_t due = tensix_later(banks->freed_at[banks->unpack_bank], tensix->clock);
            next = due < next ? due : next;
        }
    }
    return next;
}

uint64_t tensix_next_event(const struct tensix *tensix)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct tensix_thread *thread = &tensix->thread[i];
        if (!thread->blocked && tensix_has_more(thread) && thread->time < next) {
            next = thread->time;
        }
    }
    for (unsigned i = 0; i < tensix->results; i++) {
        next = tensix->result[i].due < next ? tensix->result[i].due : next;
    }
    if (tensix_vector_goes_on(tensix, TENSIX_THREADS)) {
        uint64_t due = tensix->vector.clock + 2; /* when what is due next has executed */
        next = due < next ? due : next;
    }
    if (tensix->timing) {
        uint64_t finish = next_finish(tensix), mover = tensix_mover_next(tensix);
        uint64_t bank = next_bank(tensix);
        next = finish < next ? finish : next;
        next = bank < next ? bank : next;
        next = mover < next ? mover : next;
    }
    return next;
}

bool tensix_watches(const struct tensix *tensix)
{
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct tensix_latch *latch = &tensix->thread[i].latch;
        if (latch->block_mask && !latch->met) {
            return true;
        }
    }
    return false;
}

/* Does a unit still work on an instruction of the thread? Units take time in timed runs alone, but
 * an UNPACR may wait in its unpacker. */
static bool is_under_way(const struct tensix *tensix, unsigned thread)
{
    if (tensix_unpack_holds_any(tensix, thread)) {
        return true;
    }
    for (unsigned unit = 0; tensix->timing && unit < TENSIX_UNITS; unit++) {
        if (tensix->thread[thread].busy_until[unit] > tensix->clock) {
            return true;
        }
    }
    for (unsigned i = 0; i < tensix->results; i++) {
        if (tensix->result[i].thread == thread) {
            return true;
        }
    }
    return tensix_vector_goes_on(tensix, thread);
}

bool tensix_thread_busy(const struct tensix *tensix, unsigned thread)
{
    return tensix_has_more(&tensix->thread[thread]) || is_under_way(tensix, thread);
}

bool tensix_busy(const struct tensix *tensix)
{
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        if (tensix_thread_busy(tensix, i)) {
            return true;
        }
    }
    return tensix_mover_next(tensix) != UINT64_MAX;
}

bool tensix_mop_busy(const struct tensix *tensix, unsigned thread)
{
    const struct tensix_thread *own = &tensix->thread[thread];
    const struct tensix_fifo *front = &own->front;
    for (unsigned i = 0; i < front->count; i++) {
        if (front->entry[(front->head + i) % TENSIX_FIFO_DEPTH].word >> 24 == TENSIX_OPCODE_MOP) {
            return true;
        }
    }
    return mop_busy(&own->mop);
}

void tensix_discard(struct tensix *tensix, unsigned thread)
{
    tensix->thread[thread].front = (struct tensix_fifo){.count = 0};
    mop_discard(&tensix->thread[thread].mop);
}
