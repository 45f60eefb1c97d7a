/*
 * The front end of the coprocessor: what happens to an instruction from a hart's push to its start
 * in a unit. See tensix.h for the stages.
 *
 * Invariants: entries leave a FIFO at a cycle greater than that of their push; `next` is behind the
 * replay buffer, and the FIFOs, the MOP expander and the replay buffer hold only what comes after
 * it; a thread is `blocked` only while it has a `next`.
 */
#include <stdio.h>

#include "tensix/auto_ttsync.h"
#include "tensix/exec.h"

enum {
    OPCODE_MOP = 0x01,
    OPCODE_MOP_CFG = 0x03,
    OPCODE_REPLAY = 0x04,
    OPCODE_RESOURCEDECL = 0x05,
};

void tensix_reset(struct tensix *tensix)
{
    struct tensix old = *tensix;
    memset(tensix, 0, sizeof *tensix);
    tensix->timed = old.timed;
    tensix->l1 = old.l1;
    tensix->l1_size = old.l1_size;
    tensix->board = old.board;
    tensix->owner = old.owner;
    memset(tensix->mutex, TENSIX_MUTEX_FREE, sizeof tensix->mutex);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        tensix_declare_defaults(&tensix->thread[i]);
    }
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

static void put(struct tensix_fifo *fifo, uint32_t word, struct tensix_origin origin,
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
    bool has_room = is_front ? fifo->count <= TENSIX_FIFO_ACCEPTS
                             : fifo->count + count <= TENSIX_BACK_DEPTH;
    if (!has_room) {
        return false;
    }
    own->pushed += count;
    for (unsigned i = 0; i < count; i++) {
        if (is_front && words[i] >> 24 == OPCODE_RESOURCEDECL) {
            tensix_declare(tensix, thread, words[i]); /* Auto TTSync keeps it for itself */
            own->drained++;
            continue;
        }
        put(fifo, words[i], origin, cycle);
    }
    return true;
}

/* --- From the FIFOs to the gate --- */

/* The oldest entry of a FIFO that is not empty; the thread is not earlier than its push. */
static uint32_t pop(struct tensix_thread *thread, struct tensix_fifo *fifo)
{
    const struct tensix_entry *entry = &fifo->entry[fifo->head];
    fifo->head = (fifo->head + 1) % TENSIX_FIFO_DEPTH;
    fifo->count--;
    thread->origin = entry->origin;
    thread->time = entry->cycle >= thread->time ? entry->cycle + 1 : thread->time;
    return entry->word;
}

/* An instruction that ends in the front end has taken its place in the stream for a cycle. */
static void consumed(struct tensix_thread *thread)
{
    thread->drained++;
    thread->time++;
}

/* What comes out of the MOP expander next; false when there is nothing. */
static bool expand_mop(struct tensix_thread *thread, uint32_t *word)
{
    while (!mop_next(&thread->mop, word)) {
        if (thread->front.count == 0) {
            return false;
        }
        *word = pop(thread, &thread->front);
        switch (*word >> 24) {
        case OPCODE_MOP:
            mop_start(&thread->mop, *word);
            thread->drained++;
            thread->time += !mop_busy(&thread->mop); /* an empty expansion takes a slot all the same */
            break;
        case OPCODE_MOP_CFG:
            mop_config(&thread->mop, *word);
            consumed(thread);
            break;
        default:
            return true;
        }
    }
    return true;
}

static void start_replay(struct tensix *tensix, unsigned thread, uint32_t word)
{
    struct tensix_thread *own = &tensix->thread[thread];
    enum replay_result result = replay_command(&own->replay, word);
    if (result != REPLAY_OK) {
        own->next = word; /* what the report is about */
        tensix->now = own->time;
        (void)tensix_fault(tensix, thread, TENSIX_FAULT_EXPANSION, "REPLAY: %s",
                           replay_rule(result));
    }
    if (replay_is_playing(&own->replay)) {
        own->drained++;
    } else {
        consumed(own);
    }
}

/* Brings the next instruction to the gate; false when there is none. */
static bool fetch(struct tensix *tensix, unsigned thread)
{
    struct tensix_thread *own = &tensix->thread[thread];
    while (!tensix->stopped) {
        uint32_t word;
        bool executes = true;
        if (replay_next(&own->replay, &own->next)) {
            own->has_next = true;
            return true;
        }
        if (own->back.count > 0) {
            word = pop(own, &own->back);
        } else if (!expand_mop(own, &word)) {
            return false;
        }
        if (replay_is_loading(&own->replay)) {
            (void)replay_accept(&own->replay, word, &executes); /* judged when it executes */
        } else if (word >> 24 == OPCODE_REPLAY) {
            start_replay(tensix, thread, word);
            continue;
        }
        if (executes) {
            own->next = word;
            own->has_next = true;
            return true;
        }
        consumed(own);
    }
    return false;
}

/* --- At the gate --- */

/* Bits of SOFT_RESET_0 that keep instructions of a unit from starting (SPEC: SoftReset). */
static uint32_t reset_bits(unsigned row)
{
    static const uint32_t bits[TENSIX_UNITS] = {
        [TENSIX_UNIT_MATRIX] = TENSIX_RESET_MATH,
        [TENSIX_UNIT_VECTOR] = TENSIX_RESET_MATH,
        [TENSIX_UNIT_UNPACK] = TENSIX_RESET_UNPACKERS | TENSIX_RESET_TDMA,
        [TENSIX_UNIT_PACK] = TENSIX_RESET_PACKERS | TENSIX_RESET_TDMA,
        [TENSIX_UNIT_SCALAR] = TENSIX_RESET_THCON | TENSIX_RESET_TDMA,
        [TENSIX_UNIT_MOVER] = TENSIX_RESET_TDMA,
    };
    bool needs_glue_only = row == TENSIX_ROW_DMANOP || row == TENSIX_ROW_SETDMAREG_IMM ||
                           row == TENSIX_ROW_SETDMAREG_SPECIAL;
    return needs_glue_only ? TENSIX_RESET_TDMA : bits[tensix_row_infos[row].unit];
}

static enum tensix_exec illegal(struct tensix *tensix, unsigned thread)
{
    uint32_t word = tensix->thread[thread].next;
    char text[120];
    tensix_disassemble(word, text, sizeof text);
    return tensix_fault(tensix, thread, TENSIX_FAULT_ILLEGAL, "0x%08x is no instruction: %s", word,
                        text);
}

/* Waits for a change, or, with `until`, for that cycle. */
static enum tensix_exec hold(struct tensix_thread *thread, enum tensix_wait wait, uint64_t until)
{
    thread->wait = wait;
    thread->wait_detail = 0;
    if (until != UINT64_MAX) {
        thread->time = until;
    }
    thread->blocked = until == UINT64_MAX;
    return TENSIX_STALL;
}

/* What keeps an instruction from starting besides its handler; TENSIX_DONE: nothing. */
static enum tensix_exec check_gate(struct tensix *tensix, unsigned thread, unsigned row)
{
    struct tensix_thread *own = &tensix->thread[thread];
    const struct tensix_row_info *info = &tensix_row_infos[row];
    uint64_t retry;
    if (!tensix_gate_open(tensix, thread, info, own->time, &retry)) {
        return hold(own, TENSIX_WAITS_FOR_LATCH, retry);
    }
    if (tensix->held & reset_bits(row)) {
        return hold(own, TENSIX_WAITS_FOR_RESET, UINT64_MAX);
    }
    if (info->unit == TENSIX_UNIT_SCALAR && tensix->scalar_held_by &&
        tensix->scalar_held_by != thread + 1) {
        return hold(own, TENSIX_WAITS_FOR_UNIT, UINT64_MAX);
    }
    if (tensix->timed && tensix->unit_free[info->unit] > own->time &&
        row != TENSIX_ROW_SETC16) {
        return hold(own, TENSIX_WAITS_FOR_UNIT, tensix->unit_free[info->unit]);
    }
    return TENSIX_DONE;
}

/* Timed runs: what the instruction that has just started occupies. */
static void charge(struct tensix *tensix, unsigned thread, unsigned row)
{
    struct tensix_thread *own = &tensix->thread[thread];
    const struct tensix_row_info *info = &tensix_row_infos[row];
    uint64_t now = own->time, done = now + info->latency;
    bool is_shared = info->unit != TENSIX_UNIT_MISC && row != TENSIX_ROW_SETC16;
    own->time = now + (info->unit == TENSIX_UNIT_SCALAR ? info->occupancy : 1);
    if (is_shared) {
        tensix->unit_free[info->unit] = now + info->occupancy;
    }
    if (done > own->busy_until[info->unit]) {
        own->busy_until[info->unit] = done;
    }
}

/* Offers `next` to its unit. */
static enum tensix_exec offer(struct tensix *tensix, unsigned thread)
{
    struct tensix_thread *own = &tensix->thread[thread];
    unsigned row = tensix_row_of(own->next);
    enum tensix_exec result;
    tensix->now = own->time;
    if (row == TENSIX_ROWS) {
        result = illegal(tensix, thread);
    } else {
        result = check_gate(tensix, thread, row);
        if (result != TENSIX_DONE) {
            return result;
        }
        result = tensix_ops[row].run(tensix, thread, own->next);
    }
    if (result == TENSIX_STALL) {
        if (tensix_row_infos[row].unit == TENSIX_UNIT_SCALAR) {
            tensix->scalar_held_by = (uint8_t)(thread + 1);
        }
        own->blocked = !(tensix->timed && own->wait == TENSIX_WAITS_FOR_UNIT);
        own->time += !own->blocked;
    } else if (result == TENSIX_DONE) {
        own->wait = TENSIX_WAITS_FOR_NOTHING;
        own->blocked = false;
        own->has_next = false;
        own->drained++;
        if (tensix->scalar_held_by == thread + 1) {
            tensix->scalar_held_by = 0;
        }
        if (tensix->timed && row != TENSIX_ROWS) {
            charge(tensix, thread, row);
        } else {
            own->time++;
        }
    }
    return result;
}

/* --- Running --- */

/* A thread that was blocked tries again, no earlier than the change that it may have waited for. */
static void catch_up(const struct tensix *tensix, struct tensix_thread *thread)
{
    if (thread->blocked && thread->time <= tensix->latest) {
        thread->time = tensix->latest + 1;
    }
    thread->blocked = false;
}

bool tensix_run_thread(struct tensix *tensix, unsigned thread, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    bool any = false;
    catch_up(tensix, own);
    while (!tensix->stopped && (own->has_next || fetch(tensix, thread)) && own->time < end) {
        uint64_t time = own->time;
        enum tensix_exec result = offer(tensix, thread);
        if (result == TENSIX_DONE) {
            any = true;
            tensix->latest = time > tensix->latest ? time : tensix->latest;
        } else if (result == TENSIX_STOP || own->blocked) {
            break;
        }
    }
    return any;
}

void tensix_wake(struct tensix *tensix, uint64_t cycle)
{
    tensix->latest = cycle > tensix->latest ? cycle : tensix->latest;
}

static bool run_functional(struct tensix *tensix, uint64_t end)
{
    bool any = false, progress;
    do {
        progress = false;
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            progress |= tensix_run_thread(tensix, thread, end);
        }
        any |= progress;
    } while (progress && !tensix->stopped);
    return any;
}

/* The thread that has something to do at `time`, from `first` on, or TENSIX_THREADS. */
static bool can_try(struct tensix *tensix, unsigned thread, uint64_t time)
{
    struct tensix_thread *own = &tensix->thread[thread];
    return !own->blocked && (own->has_next || fetch(tensix, thread)) && own->time <= time;
}

/* One cycle of a timed run: results arrive, then each thread may start an instruction; who comes
 * first rotates. */
static bool run_cycle(struct tensix *tensix, uint64_t now)
{
    unsigned results = tensix->results;
    bool any = false;
    tensix_results_arrive(tensix, now);
    bool change = tensix->results != results;
    for (unsigned i = 0; i < TENSIX_THREADS && !tensix->stopped; i++) {
        unsigned thread = (unsigned)((now + i) % TENSIX_THREADS);
        if (!can_try(tensix, thread, now)) {
            continue;
        }
        tensix->thread[thread].time = now;
        if (offer(tensix, thread) == TENSIX_DONE) {
            any = true;
            tensix->latest = now;
        }
    }
    for (unsigned i = 0; (any || change) && i < TENSIX_THREADS; i++) {
        struct tensix_thread *own = &tensix->thread[i];
        own->blocked = false; /* whatever it waits for may have happened */
        own->time = own->time <= now ? now + 1 : own->time;
    }
    return any;
}

static bool run_timed(struct tensix *tensix, uint64_t end)
{
    bool any = false;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_thread *own = &tensix->thread[i];
        catch_up(tensix, own);
        own->blocked = false;
        (void)(own->has_next || fetch(tensix, i));
    }
    while (!tensix->stopped) {
        uint64_t next = tensix_next_event(tensix);
        if (next >= end) {
            break;
        }
        any |= run_cycle(tensix, next);
    }
    return any;
}

bool tensix_run(struct tensix *tensix, uint64_t end, uint64_t *event)
{
    tensix_look(tensix, tensix->latest);
    bool any = tensix->timed ? run_timed(tensix, end) : run_functional(tensix, end);
    tensix->clock = end;
    *event = tensix->latest;
    return any;
}

/* --- What others can see --- */

static bool has_more(const struct tensix_thread *thread)
{
    return thread->has_next || thread->front.count > 0 || thread->back.count > 0 ||
           mop_busy(&thread->mop) || replay_is_playing(&thread->replay);
}

uint64_t tensix_next_event(const struct tensix *tensix)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct tensix_thread *thread = &tensix->thread[i];
        if (!thread->blocked && has_more(thread) && thread->time < next) {
            next = thread->time;
        }
    }
    for (unsigned i = 0; i < tensix->results; i++) {
        next = tensix->result[i].due < next ? tensix->result[i].due : next;
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

/* Timed runs: does a unit still work on an instruction of the thread? */
static bool is_under_way(const struct tensix *tensix, unsigned thread)
{
    for (unsigned i = 0; i < tensix->results; i++) {
        if (tensix->result[i].thread == thread) {
            return true;
        }
    }
    return false;
}

bool tensix_thread_busy(const struct tensix *tensix, unsigned thread)
{
    return has_more(&tensix->thread[thread]) || is_under_way(tensix, thread);
}

bool tensix_busy(const struct tensix *tensix)
{
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        if (tensix_thread_busy(tensix, i)) {
            return true;
        }
    }
    return false;
}

bool tensix_mop_busy(const struct tensix *tensix, unsigned thread)
{
    const struct tensix_thread *own = &tensix->thread[thread];
    const struct tensix_fifo *front = &own->front;
    for (unsigned i = 0; i < front->count; i++) {
        if (front->entry[(front->head + i) % TENSIX_FIFO_DEPTH].word >> 24 == OPCODE_MOP) {
            return true;
        }
    }
    return mop_busy(&own->mop);
}

void tensix_discard(struct tensix *tensix, unsigned thread)
{
    tensix->thread[thread].front.count = 0;
    mop_discard(&tensix->thread[thread].mop);
}

/* What the thread waits for besides a latched wait instruction. */
static void wait_words(const struct tensix *tensix, const struct tensix_thread *thread, char *text,
                       size_t size)
{
    unsigned detail = thread->wait_detail;
    switch (thread->wait) {
    case TENSIX_WAITS_FOR_NOTHING:
    case TENSIX_WAITS_FOR_LATCH:
        break;
    case TENSIX_WAITS_FOR_MUTEX:
        snprintf(text, size, "mutex %u, which thread %u holds", detail, tensix->mutex[detail]);
        break;
    case TENSIX_WAITS_FOR_RESET:
        snprintf(text, size, "its unit, which SOFT_RESET_0 (0x%08x) holds in reset", tensix->held);
        break;
    case TENSIX_WAITS_FOR_SRC:
        snprintf(text, size, "a bank of Src%c that the unpackers may use",
                 detail == TENSIX_SRC_A ? 'A' : 'B');
        break;
    case TENSIX_WAITS_FOR_L1:
        snprintf(text, size, "a change of L1 at 0x%08x", detail);
        break;
    case TENSIX_WAITS_FOR_DEVICE:
        snprintf(text, size, "an answer from 0x%08x", detail);
        break;
    case TENSIX_WAITS_FOR_RESULTS:
        snprintf(text, size, "memory requests that are under way");
        break;
    case TENSIX_WAITS_FOR_UNIT:
        snprintf(text, size, "its unit, which is busy");
        break;
    }
}

bool tensix_wait_text(const struct tensix *tensix, unsigned thread, char *text, size_t size)
{
    const struct tensix_thread *own = &tensix->thread[thread];
    char name[100], what[160] = "its turn";
    if (!own->has_next) {
        return false;
    }
    tensix_disassemble(own->next, name, sizeof name);
    if (own->wait == TENSIX_WAITS_FOR_LATCH) {
        tensix_latch_text(tensix, thread, what, sizeof what);
        snprintf(text, size, "%s is held by %s", name, what);
        return true;
    }
    wait_words(tensix, own, what, sizeof what);
    snprintf(text, size, "%s waits for %s", name, what);
    return true;
}
