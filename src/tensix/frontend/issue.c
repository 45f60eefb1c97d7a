/*
 * From the wait gate to the units: which instruction starts when (SPEC: WormholeB0 WaitGate; unit
 * pages for times).
 *
 * A functional run takes thread by thread and executes as long as nothing holds it. A timed run
 * goes from cycle to cycle.
 */
#include "isa/shortcuts.h"
#include "tensix/frontend/frontend.h"

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
    bool needs_glue_only = tensix_traits(row) & TENSIX_TRAIT_GLUE_ONLY;
    return needs_glue_only ? TENSIX_RESET_TDMA : bits[tensix_row_infos[row].unit];
}

static enum tensix_exec illegal(struct tensix *tensix, unsigned thread)
{
    uint32_t word = tensix->thread[thread].next;
    char text[120];
    tensix_disassemble(word, text, sizeof text);
    return tensix_fault(tensix, thread, TENSIX_FAULT_ILLEGAL, "0x%08x is no instruction: %s%s",
                        word, text, tensix_last_row[word >> 24] ? "; clear them" : "");
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

/* SPEC: ScalarUnit. Arithmetic takes a cycle more where its operands are in different groups of
 * four GPRs; the unit can send one atomic request every twelve cycles. */
enum { ATOMIC_INTERVAL = 12 };

static unsigned occupancy_of(unsigned row, uint32_t word)
{
    const struct tensix_args_ADDDMAREG args = tensix_decode_ADDDMAREG(word); /* as the others */
    bool is_slow = tensix_traits(row) & TENSIX_TRAIT_GPR_GROUPS && !args.right_is_imm &&
                   args.right / 4 != args.left_reg / 4;
    return tensix_row_infos[row].occupancy + is_slow;
}

static bool is_atomic(unsigned row)
{
    return tensix_traits(row) & TENSIX_TRAIT_ATOMIC;
}

static bool shares_unit(unsigned row)
{
    return tensix_traits(row) & TENSIX_TRAIT_SHARES;
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
    if (tensix->timed && tensix->unit_free[info->unit] > own->time && !shares_unit(row)) {
        return hold(own, TENSIX_WAITS_FOR_UNIT, tensix->unit_free[info->unit]);
    }
    if (tensix->timed && info->unit == TENSIX_UNIT_VECTOR) {
        uint64_t start = tensix_vector_start_at(tensix, thread, row, own->next, own->time);
        if (start > own->time) { /* an automatic stall */
            return hold(own, TENSIX_WAITS_FOR_UNIT, start);
        }
    }
    if (tensix->timed && is_atomic(row) && tensix->atomic_free > own->time) {
        return hold(own, TENSIX_WAITS_FOR_UNIT, tensix->atomic_free);
    }
    return TENSIX_DONE;
}

/* Timed runs: what the instruction that has just started occupies. */
static void charge(struct tensix *tensix, unsigned thread, unsigned row)
{
    struct tensix_thread *own = &tensix->thread[thread];
    const struct tensix_row_info *info = &tensix_row_infos[row];
    unsigned occupancy = occupancy_of(row, own->next);
    uint64_t now = own->time, done = now + info->latency;
    own->time = now + (info->unit == TENSIX_UNIT_SCALAR ? occupancy : 1);
    if (!shares_unit(row)) {
        tensix->unit_free[info->unit] = now + occupancy;
    }
    if (is_atomic(row)) {
        tensix->atomic_free = now + ATOMIC_INTERVAL;
    }
    if (done > own->busy_until[info->unit]) {
        own->busy_until[info->unit] = done;
    }
}

/* Timed runs: does what the thread waits for need only time? */
static bool comes_by_itself(const struct tensix *tensix, const struct tensix_thread *thread)
{
    unsigned row = tensix_row_of(thread->next);
    if (!tensix->timed) {
        return false;
    }
    return thread->wait == TENSIX_WAITS_FOR_UNIT ||
           (thread->wait == TENSIX_WAITS_FOR_SRC &&
            tensix_row_infos[row].unit == TENSIX_UNIT_MATRIX &&
            tensix_src_is_coming(tensix, (enum tensix_src)thread->wait_detail));
}

/* Tells observers what became of an instruction, which has waited before or not. */
static void tell_outcome(const struct tensix *tensix, enum tensix_exec result, bool has_waited)
{
    if (result == TENSIX_STALL && !has_waited) {
        tensix_tell(tensix, OBSERVED_WAITS, OBSERVED_AGENTS, 0, 0);
    }
    if (result == TENSIX_DONE && has_waited) {
        tensix_tell(tensix, OBSERVED_GOES_ON, OBSERVED_AGENTS, 0, 0);
    }
    if (result == TENSIX_DONE) {
        tensix_tell(tensix, OBSERVED_TENSIX, OBSERVED_AGENTS, 0, 0);
    }
}

/* Offers `next` to its unit. */
static enum tensix_exec offer(struct tensix *tensix, unsigned thread)
{
    struct tensix_thread *own = &tensix->thread[thread];
    unsigned row = tensix_row_of(own->next);
    enum tensix_exec result;
    bool has_waited = own->wait != TENSIX_WAITS_FOR_NOTHING, is_held = false;
    tensix->now = own->time;
    tensix->executing = (uint8_t)thread;
    if (row == TENSIX_ROWS) {
        result = illegal(tensix, thread);
    } else {
        result = check_gate(tensix, thread, row);
        is_held = result != TENSIX_DONE;
        result = is_held ? result : tensix_runners[row](tensix, thread, own->next);
    }
    tell_outcome(tensix, result, has_waited);
    tensix->executing = TENSIX_THREADS;
    if (is_held) {
        return result;
    }
    if (result == TENSIX_STALL) {
        if (tensix_row_infos[row].unit == TENSIX_UNIT_SCALAR) {
            tensix->scalar_held_by = (uint8_t)(thread + 1);
        }
        own->blocked = !comes_by_itself(tensix, own);
        own->time += !own->blocked;
    } else if (result == TENSIX_DONE) {
        own->wait = TENSIX_WAITS_FOR_NOTHING;
        own->blocked = false;
        own->has_next = false;
        own->drained++;
        if (tensix->scalar_held_by == thread + 1) {
            tensix->scalar_held_by = 0;
            tensix->changed = true; /* others may wait for the unit */
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

/* Could anything but its own handler hold an instruction of a functional run, or is none to take a
 * short way? */
static inline bool is_checked(const struct tensix *tensix, const struct tensix_thread *thread)
{
    const uint32_t holding = TENSIX_RESET_UNPACKERS | TENSIX_RESET_PACKERS | TENSIX_RESET_TDMA |
                             TENSIX_RESET_THCON | TENSIX_RESET_MATH;
    return thread->latch.block_mask | (tensix->held & holding) | tensix->scalar_held_by |
           tensix->stopped | tensix->timed | !shortcuts_on(tensix->shortcuts);
}

/* What starts a word the short way; NULL where it is none that comes to the gate. */
static inline tensix_runner *quick_runner(uint32_t word)
{
    const struct tensix_op *op = &tensix_plain_ops[word >> 24];
    return (word & op->mask) == op->match ? op->run[0] : NULL;
}

/* The short way for an instruction that is not checked. False: it has not started, for whatever
 * reason, and offer() finds out why. */
static inline bool start(struct tensix *tensix, unsigned thread, uint32_t word, uint64_t time)
{
    tensix_runner *run = quick_runner(word);
    if (!run) {
        return false; /* it may not even come to the gate */
    }
    tensix->thread[thread].next = word;
    tensix->now = time;
    return run(tensix, thread, word) == TENSIX_DONE;
}

static inline void note_time(struct tensix *tensix, uint64_t time)
{
    tensix->latest = time > tensix->latest ? time : tensix->latest;
}

/* The runner of an entry of the replay buffer, which start() could have used; NULL: there is
 * none. */
static tensix_runner *player_of(struct tensix_thread *thread, unsigned index)
{
    if (!thread->player[index]) {
        thread->player[index] = quick_runner(thread->replay.entry[index]);
    }
    return thread->player[index];
}

/* Plays the run of instructions on counters that starts at an entry, if there is one: answers how
 * many instructions it has. */
static inline unsigned play_run(struct tensix *tensix, unsigned thread, unsigned index,
                                unsigned left, uint64_t time)
{
    struct tensix_thread *own = &tensix->thread[thread];
    if (tensix->runs[thread].at[index] == TENSIX_RUN_NONE) {
        return 0;
    }
    unsigned count = tensix_play_run(tensix, thread, index, left);
    if (count > 0) {
        own->next = own->replay.entry[(index + count - 1) % REPLAY_ENTRIES];
        tensix->now = time + count - 1;
    }
    return count;
}

/* Plays entries one by one, with `to_run` up to one where a run may start, or until attention is
 * called for: answers how many. *ended: the next one has not started, for whatever reason. Not
 * inlined, its loop has all it needs in registers. */
static __attribute__((noinline)) unsigned play_entries(struct tensix *tensix,
                                                       struct tensix_thread *own, unsigned thread,
                                                       unsigned index, unsigned left, uint64_t time,
                                                       bool to_run, bool *ended)
{
    const uint64_t begin = time, last = time + left;
    const uint8_t *runs_at = tensix->runs[thread].at;
    do {
        tensix_runner *run = own->player[index];
        if (__builtin_expect(!run, 0)) {
            run = player_of(own, index);
        }
        uint32_t word = own->replay.entry[index];
        own->next = word;
        tensix->now = time;
        if (!run || run(tensix, thread, word) != TENSIX_DONE) {
            *ended = true;
            break;
        }
        time++;
        index = (index + 1) % REPLAY_ENTRIES;
    } while (time != last && !tensix->attention && (runs_at[index] == TENSIX_RUN_NONE || !to_run));
    return (unsigned)(time - begin);
}

/* Plays on what the replay buffer plays, as long as that is all there is to it. Where `end` comes
 * first there are no runs, since `end` may be inside one. */
static void play(struct tensix *tensix, unsigned thread, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    struct replay_buffer *buffer = &own->replay;
    const uint64_t begin = own->time;
    const bool is_whole = buffer->left <= end - begin;
    const uint64_t last = is_whole ? begin + buffer->left : end;
    uint64_t time = begin;
    unsigned index = buffer->index;
    bool ended = false;
    do {
        unsigned left = (unsigned)(last - time);
        unsigned count = is_whole ? play_run(tensix, thread, index, left, time) : 0;
        if (count == 0) {
            count = play_entries(tensix, own, thread, index, left, time, is_whole, &ended);
        }
        index = (index + count) % REPLAY_ENTRIES;
        time += count;
    } while (!ended && time != last && !tensix->attention);
    own->has_next |= ended;
    replay_skip(buffer, (unsigned)(time - begin) + own->has_next);
    own->drained += time - begin;
    own->time = time;
    note_time(tensix, time - 1);
}

/* One instruction: TENSIX_DONE, or what keeps it from starting. */
static enum tensix_exec step(struct tensix *tensix, unsigned thread, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    uint64_t time = own->time;
    if (is_checked(tensix, own) || !start(tensix, thread, own->next, time)) {
        enum tensix_exec result = tensix->stopped ? TENSIX_STOP : offer(tensix, thread);
        if (result == TENSIX_DONE) {
            note_time(tensix, time);
        }
        return result;
    }
    own->wait = TENSIX_WAITS_FOR_NOTHING;
    own->has_next = false;
    own->drained++;
    own->time = time + 1;
    note_time(tensix, time);
    if (replay_is_playing(&own->replay) && own->time < end && !is_checked(tensix, own)) {
        tensix->attention = false;
        play(tensix, thread, end);
    }
    return TENSIX_DONE;
}

bool tensix_run_thread(struct tensix *tensix, unsigned thread, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    const uint64_t drained = own->drained;
    catch_up(tensix, own);
    while (!tensix->stopped && (own->has_next || tensix_fetch(tensix, thread, end)) &&
           own->time < end) {
        enum tensix_exec result = step(tensix, thread, end);
        if (result == TENSIX_STOP || own->blocked) {
            break;
        }
    }
    return own->drained != drained; /* what ended in the front end counts as well */
}

/* Nothing of the thread is anywhere in the front end. */
static bool is_empty(const struct tensix_thread *thread)
{
    return !thread->has_next && !(thread->front.count | thread->back.count) &&
           !mop_busy(&thread->mop) && thread->replay.state == REPLAY_IDLE;
}

unsigned tensix_execute(struct tensix *tensix, unsigned thread, struct tensix_origin origin,
                        const uint32_t *words, unsigned count, uint64_t cycle, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    uint64_t time = own->time > cycle ? own->time : cycle + 1;
    if (time >= end || !is_empty(own) || is_checked(tensix, own)) {
        return 0;
    }
    const uint64_t begin = time, last = count < end - time ? time + count : end;
    own->origin = origin;
    own->parent = 0;
    tensix->attention = false;
    bool starts;
    while ((starts = start(tensix, thread, words[time - begin], time))) {
        time++;
        if (time == last || tensix->attention || tensix->changed || tensix->is_polite) {
            break;
        }
        own->origin.pc += 4;
    }
    unsigned done = (unsigned)(time - begin);
    if (done > 0) {
        own->drained += done;
        own->time = time;
        note_time(tensix, time - 1);
    }
    if (!starts && tensix->stopped) { /* by this one, which stays at the gate */
        own->has_next = true;
        own->time = time;
        done++;
    } else if (!starts && done > 0) { /* it has not come yet */
        own->next = words[done - 1];
        own->origin.pc -= 4;
        own->wait = TENSIX_WAITS_FOR_NOTHING;
    }
    own->pushed += done;
    return done;
}

void tensix_wake(struct tensix *tensix, uint64_t cycle)
{
    tensix->latest = cycle > tensix->latest ? cycle : tensix->latest;
}

static bool run_functional(struct tensix *tensix, uint64_t end)
{
    bool any = false, progress, asks_again = false;
    do {
        progress = false;
        tensix->is_polite = false;
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            progress |= tensix_run_thread(tensix, thread, end);
        }
        any |= progress;
        asks_again = tensix->is_polite && !asks_again; /* whom it waited for may be blocked now */
    } while ((progress || asks_again) && !tensix->stopped);
    return any;
}

/* Has the thread an instruction to offer at `time`? Those that wait are offered in every cycle in
 * which anything happens, so that nothing depends on how a run is divided into calls. */
static bool can_try(struct tensix *tensix, unsigned thread, uint64_t time, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    return (own->has_next || tensix_fetch(tensix, thread, end)) && own->time <= time;
}

/* What the Vector Unit has scheduled goes on by itself. */
static void pass_vector(struct tensix *tensix, uint64_t now)
{
    unsigned schedules = tensix->vector.schedules;
    if (schedules && !tensix->stopped) {
        tensix_vector_pass(tensix, now);
        tensix->changed |= tensix->vector.schedules != schedules;
    }
}

/* One cycle of a timed run: results arrive, then each thread may start an instruction; who comes
 * first rotates. */
static bool run_cycle(struct tensix *tensix, uint64_t now, uint64_t end)
{
    unsigned results = tensix->results;
    tensix_results_arrive(tensix, now);
    bool any = tensix_mover_run(tensix, now);
    pass_vector(tensix, now);
    bool change = tensix->results != results;
    for (unsigned i = 0; i < TENSIX_THREADS && !tensix->stopped; i++) {
        unsigned thread = (unsigned)((now + i) % TENSIX_THREADS);
        if (!can_try(tensix, thread, now, end)) {
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
        (void)(own->has_next || tensix_fetch(tensix, i, end));
    }
    while (!tensix->stopped) {
        uint64_t next = tensix_next_event(tensix);
        if (next >= end) {
            break;
        }
        any |= run_cycle(tensix, next, end);
        if (next > tensix->clock) { /* others may wait for what is done by now */
            tensix->clock = next;
            tensix->changed = true;
            tensix_wake(tensix, next);
        }
    }
    return any;
}

bool tensix_run(struct tensix *tensix, uint64_t end, uint64_t *event)
{
    tensix_look(tensix, tensix->latest);
    bool any = tensix->timed ? run_timed(tensix, end) : run_functional(tensix, end);
    if (tensix->timed && tensix_next_event(tensix) <= end) {
        tensix->changed = true; /* a unit is done with it at `end`, which nobody would see later */
    }
    tensix->clock = end;
    pass_vector(tensix, end); /* others can look at Dst now */
    *event = tensix->latest;
    return any;
}
