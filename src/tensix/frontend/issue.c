/*
 * The way from the wait gate to the units: it decides when an instruction starts (SPEC: WormholeB0
 * WaitGate; unit pages for times).
 *
 * A functional run takes thread by thread and executes as long as nothing holds it. A timed run
 * goes from cycle to cycle.
 */
#include "isa/shortcuts.h"
#include "tensix/frontend/frontend.h"
#include "tensix/frontend/issue_fast.h"

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
    const char *absent = tensix_absent_name(word);
    char text[120];
    if (absent) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_ILLEGAL,
                            "0x%08x is no instruction: this chip has no %s, which others have",
                            word, absent);
    }
    tensix_disassemble(word, text, sizeof text);
    return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_ILLEGAL,
                        "0x%08x is no instruction: %s%s", word, text,
                        tensix_last_row[word >> 24] ? "; clear them" : "");
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
 * four GPRs. */
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
static enum tensix_exec check_gate(struct tensix *tensix, unsigned thread, unsigned row,
                                   const struct tensix_dst_use *use)
{
    struct tensix_thread *own = &tensix->thread[thread];
    const struct tensix_row_info *info = &tensix_row_infos[row];
    uint64_t retry;
    if (own->latch.block_mask && !tensix_gate_open(tensix, thread, info, own->time, &retry)) {
        return hold(own, TENSIX_WAITS_FOR_LATCH, retry);
    }
    if (tensix->held & reset_bits(row)) {
        return hold(own, TENSIX_WAITS_FOR_RESET, UINT64_MAX);
    }
    if (info->unit == TENSIX_UNIT_SCALAR && tensix->scalar_held_by &&
        tensix->scalar_held_by != thread + 1) {
        return hold(own, TENSIX_WAITS_FOR_UNIT, UINT64_MAX);
    }
    const struct timing_resource *unit = &tensix->unit[info->unit];
    if (tensix->timing && !timing_is_free(unit, own->time) && !shares_unit(row)) {
        return hold(own, TENSIX_WAITS_FOR_UNIT, unit->free_at);
    }
    if (tensix_unit_timing(tensix, info->unit) && info->unit == TENSIX_UNIT_VECTOR) {
        uint64_t start = tensix_vector_start_at(tensix, thread, row, own->next, own->time);
        if (start > own->time) { /* an automatic stall */
            return hold(own, TENSIX_WAITS_FOR_UNIT, start);
        }
    }
    if (tensix->timing && (use->uses || use->move)) {
        uint64_t start = tensix_dst_start_at(tensix, thread, use, own->time);
        if (start > own->time) {
            return hold(own, TENSIX_WAITS_FOR_UNIT, start);
        }
    }
    if (tensix->timing && is_atomic(row) && !timing_is_free(&tensix->atomics, own->time)) {
        return hold(own, TENSIX_WAITS_FOR_UNIT, tensix->atomics.free_at);
    }
    return TENSIX_DONE;
}

/* When an instruction that starts now has left its unit. */
static uint64_t done_at(const struct tensix *tensix, unsigned row, uint64_t now)
{
    const struct tensix_row_info *info = &tensix_row_infos[row];
    if (!tensix_unit_timing(tensix, info->unit)) {
        return now + 1;
    }
    if (info->unit == TENSIX_UNIT_VECTOR) {
        return now + info->latency + timing_cycles(tensix->timing, TIMING_VECTOR_DRAIN);
    }
    bool is_deep = info->unit == TENSIX_UNIT_MATRIX;
    return now + (is_deep ? timing_cycles(tensix->timing, TIMING_MATRIX_DRAIN) : info->latency);
}

/* Timed runs: what the instruction that has just started occupies. */
static void charge(struct tensix *tensix, unsigned thread, unsigned row,
                   const struct tensix_dst_use *use)
{
    struct tensix_thread *own = &tensix->thread[thread];
    const struct tensix_row_info *info = &tensix_row_infos[row];
    const bool is_free = !tensix_unit_timing(tensix, info->unit);
    const unsigned occupancy = is_free ? 1 : occupancy_of(row, own->next);
    uint64_t now = own->time, done = done_at(tensix, row, now);
    own->time = now + (info->unit == TENSIX_UNIT_SCALAR ? occupancy : 1);
    if (!shares_unit(row)) {
        (void)timing_serve(&tensix->unit[info->unit], 1, occupancy, now);
    }
    if (is_atomic(row)) {
        unsigned cycles = timing_cycles(tensix->timing, TIMING_ATOMIC_REQUEST);
        (void)timing_serve(&tensix->atomics, 1, cycles, now);
    }
    if (use->uses || use->move) {
        tensix_dst_note(tensix, thread, use, now);
    }
    if (done > own->busy_until[info->unit]) {
        own->busy_until[info->unit] = done;
    }
}

/* Timed runs: does what the thread waits for need only time? */
static bool comes_by_itself(const struct tensix *tensix, const struct tensix_thread *thread)
{
    const enum tensix_src src = (enum tensix_src)(thread->wait_detail & 1);
    unsigned row = tensix_row_of(thread->next);
    if (!tensix->timing) {
        return false;
    }
    return thread->wait == TENSIX_WAITS_FOR_UNIT ||
           (thread->wait == TENSIX_WAITS_FOR_SRC &&
            (tensix_row_infos[row].unit == TENSIX_UNIT_MATRIX
                 ? tensix_src_is_coming(tensix, src)
                 : tensix_src_is_returning(tensix, src)));
}

/* Tells observers what became of an instruction, which has waited before or not. */
static void tell_outcome(struct tensix *tensix, enum tensix_exec result, bool has_waited)
{
    if (result == TENSIX_STALL) {
        if (!has_waited) {
            tensix_tell(tensix, OBSERVED_WAITS, OBSERVED_AGENTS, 0, 0);
        }
        tensix_tell(tensix, OBSERVED_STALLS, OBSERVED_AGENTS, 0, 0);
    }
    if (result == TENSIX_DONE) {
        if (has_waited) {
            tensix_tell(tensix, OBSERVED_GOES_ON, OBSERVED_AGENTS, 0, 0);
        }
        tensix_tell(tensix, OBSERVED_TENSIX, OBSERVED_AGENTS, 0, 0);
    }
}

/* Whether it reads a GPR too early is found before it adds results of its own, and told unless it
 * has to wait, since it reads again then. */
static enum tensix_exec start_in_unit(struct tensix *tensix, unsigned thread, unsigned row)
{
    const uint32_t word = tensix->thread[thread].next;
    unsigned gpr;
    if (tensix_wants_work(tensix)) {
        tensix_begin_touches(tensix, thread, row);
    }
    const struct tensix_result *early =
        tensix->results ? tensix_find_early_read(tensix, thread, word, tensix->now, &gpr) : NULL;
    if (!early) {
        return tensix_runners[row](tensix, thread, word);
    }
    const struct tensix_result awaited = *early;
    enum tensix_exec result = tensix_runners[row](tensix, thread, word);
    if (result != TENSIX_STALL) {
        tensix_report_early_read(tensix, thread, &awaited, gpr);
    }
    return result;
}

/* Offers `next` to its unit. */
static enum tensix_exec offer(struct tensix *tensix, unsigned thread)
{
    struct tensix_thread *own = &tensix->thread[thread];
    unsigned row = tensix_row_of(own->next);
    enum tensix_exec result;
    const enum tensix_wait waited_for = own->wait;
    bool has_waited = waited_for != TENSIX_WAITS_FOR_NOTHING, is_held = false;
    struct tensix_dst_use use = {.uses = false};
    tensix->now = own->time;
    tensix->executing = (uint8_t)thread;
    if (row != TENSIX_ROWS && tensix_unit_timing(tensix, tensix_row_infos[row].unit)) {
        use = tensix_dst_use_of(tensix, thread, row, own->next);
    }
    if (row == TENSIX_ROWS) {
        result = illegal(tensix, thread);
    } else {
        result = check_gate(tensix, thread, row, &use);
        is_held = result != TENSIX_DONE;
        result = is_held ? result : start_in_unit(tensix, thread, row);
    }
    tell_outcome(tensix, result, has_waited);
    tensix->executing = TENSIX_THREADS;
    if (is_held) {
        return result;
    }
    if (result == TENSIX_STALL) {
        tensix_stay_in_unit(tensix, thread, row);
        own->blocked = !comes_by_itself(tensix, own);
        own->time += !own->blocked;
    } else if (result == TENSIX_DONE) {
        own->wait = TENSIX_WAITS_FOR_NOTHING;
        own->blocked = false;
        own->has_next = false;
        own->drained++;
        if (tensix->scalar_held_by == thread + 1) {
            tensix->scalar_held_by = 0;
            tensix->outcome.changed = true; /* others may wait for the unit */
        }
        if (tensix->timing && row != TENSIX_ROWS) {
            charge(tensix, thread, row, &use);
        } else {
            own->time++;
        }
        if (tensix->observed >> OBSERVED_UNIT & 1 && row != TENSIX_ROWS) {
            tensix_tell_work(tensix, thread, row, waited_for);
        }
        tensix_let_unpackers_go_on(tensix);
    }
    return result;
}

/* --- Running --- */

/* A thread that was blocked tries again. */
static void catch_up(const struct tensix *tensix, struct tensix_thread *thread)
{
    tensix_pass_event(tensix, thread);
    thread->blocked = false;
}

/* One instruction: TENSIX_DONE, or what keeps it from starting. */
static enum tensix_exec step_thread(struct tensix *tensix, unsigned thread)
{
    uint64_t time = tensix->thread[thread].time;
    enum tensix_exec result = offer(tensix, thread);
    if (result == TENSIX_DONE) {
        tensix_wake(tensix, time);
    }
    return result;
}

static bool can_go_on(const struct tensix *tensix, const struct tensix_thread *thread, uint64_t end)
{
    return !tensix->stopped && !thread->blocked && thread->time < end;
}

/* Goes on where an observer has stopped it. */
static bool go_on_thread(struct tensix *tensix, unsigned thread, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    const uint64_t drained = own->drained;
    while (can_go_on(tensix, own, end)) {
        if (shortcuts_on(tensix->shortcuts)) {
            tensix_go_on_fast(tensix, thread, end);
            if (!can_go_on(tensix, own, end)) {
                break;
            }
        }
        if (own->has_next ? step_thread(tensix, thread) == TENSIX_STOP
                          : !tensix_fetch(tensix, thread, end)) {
            break;
        }
    }
    return own->drained != drained; /* what ended in the front end counts as well */
}

bool tensix_run_thread(struct tensix *tensix, unsigned thread, uint64_t end)
{
    catch_up(tensix, &tensix->thread[thread]);
    return go_on_thread(tensix, thread, end);
}

void tensix_wake(struct tensix *tensix, uint64_t cycle)
{
    tensix->outcome.event = cycle > tensix->outcome.event ? cycle : tensix->outcome.event;
}

/* One turn of each thread. */
static void run_turns(struct tensix *tensix, uint64_t end, struct tensix_cut *cut)
{
    for (; cut->turn < TENSIX_THREADS; cut->turn++) {
        cut->progress |= cut->is_cut ? go_on_thread(tensix, cut->turn, end)
                                     : tensix_run_thread(tensix, cut->turn, end);
        cut->is_cut = tensix->stopped == TENSIX_PAUSED;
        if (cut->is_cut) {
            return;
        }
    }
    cut->turn = 0;
}

static void run_functional(struct tensix *tensix, uint64_t end, struct tensix_cut *cut)
{
    do {
        if (!cut->is_cut) {
            cut->progress = false;
            tensix->is_polite = false;
        }
        run_turns(tensix, end, cut);
        if (cut->is_cut) {
            return;
        }
        cut->any |= cut->progress;
        /* A thread that another one waited for may be blocked now. */
        cut->asks_again = tensix->is_polite && !cut->asks_again;
    } while ((cut->progress || cut->asks_again) && !tensix->stopped);
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
    if (schedules) {
        tensix_vector_pass(tensix, now);
        tensix->outcome.changed |= tensix->vector.schedules != schedules;
    }
}

/* One cycle of a timed run: results arrive, */
static void begin_cycle(struct tensix *tensix, uint64_t now, struct tensix_cut *cut)
{
    unsigned results = tensix->results;
    tensix_results_arrive(tensix, now);
    bool has_moved = tensix_mover_run(tensix, now);
    pass_vector(tensix, now);
    tensix->now = now;
    has_moved |= tensix_unpack_go_on(tensix);
    cut->any |= has_moved;
    cut->progress = has_moved || tensix->results != results;
    cut->turn = 0;
    cut->cycle = now;
}

/* then each thread may start an instruction; the first one rotates. */
static void run_cycle(struct tensix *tensix, uint64_t end, struct tensix_cut *cut)
{
    const uint64_t now = cut->cycle;
    for (; cut->turn < TENSIX_THREADS && !tensix->stopped; cut->turn++) {
        unsigned thread = (unsigned)((now + cut->turn) % TENSIX_THREADS);
        if (!can_try(tensix, thread, now, end)) {
            continue;
        }
        tensix->thread[thread].time = now;
        if (offer(tensix, thread) == TENSIX_DONE) {
            cut->any = cut->progress = true;
            tensix->outcome.event = now;
        }
    }
    cut->is_cut = tensix->stopped == TENSIX_PAUSED;
    for (unsigned i = 0; cut->progress && !cut->is_cut && i < TENSIX_THREADS; i++) {
        struct tensix_thread *own = &tensix->thread[i];
        own->blocked = false; /* whatever it waits for may have happened */
        own->time = own->time <= now ? now + 1 : own->time;
    }
}

static void begin_timed(struct tensix *tensix, uint64_t end)
{
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_thread *own = &tensix->thread[i];
        catch_up(tensix, own);
        own->blocked = false;
        (void)(own->has_next || tensix_fetch(tensix, i, end));
    }
}

/* Returns when something happens next, unless it is cut. */
static uint64_t run_timed(struct tensix *tensix, uint64_t end, struct tensix_cut *cut)
{
    if (!cut->is_cut) {
        begin_timed(tensix, end);
    }
    while (!tensix->stopped) {
        if (!cut->is_cut) {
            uint64_t next = tensix_next_event(tensix);
            if (next >= end) {
                return next;
            }
            begin_cycle(tensix, next, cut);
        }
        run_cycle(tensix, end, cut);
        if (cut->is_cut) {
            return 0;
        }
        if (cut->cycle > tensix->clock) { /* others may wait for what is done by now */
            tensix->clock = cut->cycle;
            tensix->outcome.changed = true;
            tensix_wake(tensix, cut->cycle);
        }
    }
    return tensix_next_event(tensix);
}

struct tensix_outcome tensix_run(struct tensix *tensix, uint64_t end)
{
    struct tensix_cut cut = tensix->cut;
    if (cut.is_cut) {
        tensix->cut = (struct tensix_cut){.is_cut = false};
    } else {
        tensix_look(tensix, tensix->outcome.event);
    }
    if (!tensix->timing && !tensix->stopped) {
        (void)tensix_unpack_go_on(tensix); /* one that has stopped at a fault */
    }
    uint64_t next = 0; /* of a timed run */
    if (tensix->timing) {
        next = run_timed(tensix, end, &cut);
    } else {
        run_functional(tensix, end, &cut);
    }
    if (cut.is_cut) {
        tensix->cut = cut;
        return (struct tensix_outcome){.is_cut = true};
    }
    if (tensix->timing && next <= end) {
        /* A unit is done with it at `end`, which nobody would see later. */
        tensix->outcome.changed = true;
    }
    tensix->clock = end;
    if (!tensix->stopped) {
        pass_vector(tensix, end); /* others can look at Dst now */
    }
    const struct tensix_outcome outcome = {
        .event = tensix->outcome.event,
        .passed = cut.any,
        .changed = tensix->outcome.changed,
        .moved = tensix->outcome.moved,
        .has_stopped = tensix->stopped != TENSIX_GOES,
    };
    tensix->outcome.changed = tensix->outcome.moved = false;
    return outcome;
}

/* --- Pushes that run their thread --- */

/* Something has moved in the queues where something is left in them, or was. What found no room has
 * moved nothing, or two harts whose queues are full would wake each other for ever. */
struct tensix_outcome tensix_push_and_run(struct tensix *tensix, const struct tensix_pushed *pushed,
                                          struct tensix_push_cut *cut)
{
    const unsigned thread = pushed->thread;
    const struct tensix_thread *own = &tensix->thread[thread];
    struct tensix_push_cut push = *cut;
    if (push.is_cut) {
        push.progress |= go_on_thread(tensix, thread, push.end);
    } else {
        push.end = pushed->end;
        push.was_busy = tensix_has_more(own);
        push.is_pushed =
            tensix_push(tensix, thread, pushed->origin, &pushed->word, 1, pushed->cycle);
        push.progress = tensix_run_thread(tensix, thread, push.end);
    }
    push.is_cut = tensix->stopped == TENSIX_PAUSED;
    *cut = push.is_cut ? push : (struct tensix_push_cut){.is_cut = false};
    if (push.is_cut) {
        return (struct tensix_outcome){.holds = true, .is_cut = true};
    }
    if (!push.is_pushed) { /* there may be room now */
        push.is_pushed =
            tensix_push(tensix, thread, pushed->origin, &pushed->word, 1, pushed->cycle);
    }
    tensix->outcome.moved =
        (push.is_pushed || push.progress) && (push.was_busy || tensix_has_more(own));
    struct tensix_outcome outcome = tensix_end_push(tensix, push.is_pushed, pushed->cycle);
    outcome.holds = true;
    return outcome;
}
