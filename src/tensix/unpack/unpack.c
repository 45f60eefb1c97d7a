/*
 * The unpackers: UNPACR, which moves data from L1 to SrcA, SrcB or Dst, and its two forms that only
 * look after contexts.
 *
 * An UNPACR starts whoever has its bank of Src. Where the Matrix Unit has it, the UNPACR waits in its
 * unpacker (unpack.h): everything but its data happens at the gate, and its data move when the bank
 * comes back. Otherwise everything happens at once.
 *
 * SPEC: WormholeB0 UNPACR_Regular (with its TTArchitecture conditions), UNPACR_FlushCache,
 * UNPACR_IncrementContextCounter, WaitGate; BlackholeA0 BackendConfiguration.
 */
#include "tensix/config/adc.h"
#include "tensix/unpack/job.h"

/* --- Banks and contexts --- */

static void hand_bank_over(struct tensix *tensix, unsigned which, unsigned format)
{
    enum tensix_src src = which ? TENSIX_SRC_B : TENSIX_SRC_A;
    tensix_touch(tensix, TENSIX_CHANGES, OBSERVED_STATE_SRC_BANK,
                 2 * src + tensix->src[src].unpack_bank, 1);
    tensix_src_file_imply(&tensix->src_file[src], tensix->src[src].unpack_bank, format);
    tensix_src_give(tensix, src);
}

static void begin_src_row(struct tensix *tensix, unsigned thread, unsigned which)
{
    tensix->unpacker[which].src_row[thread] = (which ? tensix_get_SRCB_SET_Base(tensix, thread)
                                                     : tensix_get_SRCA_SET_Base(tensix, thread))
                                              << 4;
}

void tensix_unpack_hand_over(struct tensix *tensix, unsigned thread, unsigned which,
                             unsigned format)
{
    hand_bank_over(tensix, which, format);
    begin_src_row(tensix, thread, which);
}

static void count_context(struct tensix *tensix, unsigned thread, unsigned which,
                          const struct tensix_unpack_plan *plan)
{
    uint32_t *counter = &tensix->unpacker[which].context_counter[thread];
    *counter = *counter >= plan->last_context ? 0 : *counter + 1;
}

/* Counts without unpacking. */
static void count_context_alone(struct tensix *tensix, unsigned thread, unsigned which)
{
    unsigned state = tensix_state_id(tensix, thread);
    count_context(tensix, thread, which, unpack_plan(tensix, which, state, false, 0));
}

void tensix_unpack_command_contexts(struct tensix *tensix, unsigned thread)
{
    for (unsigned which = 0; which < TENSIX_UNPACKERS; which++) {
        if (which ? tensix_get_UNPACK_MISC_CFG_CfgContextCntReset_1(tensix, thread)
                  : tensix_get_UNPACK_MISC_CFG_CfgContextCntReset_0(tensix, thread)) {
            tensix->unpacker[which].context_counter[thread] = 0;
        } else if (which ? tensix_get_UNPACK_MISC_CFG_CfgContextCntInc_1(tensix, thread)
                         : tensix_get_UNPACK_MISC_CFG_CfgContextCntInc_0(tensix, thread)) {
            count_context_alone(tensix, thread, which);
        }
    }
}

/* --- UNPACR --- */

/* SPEC: WhichContext and WhichADC. The counter counts by itself, and the offset is added to what it
 * or the instruction says (the vendor's description of CfgContextOffset; the page has the sum
 * counted on). */
static bool choose_context(struct unpack_job *job, const struct tensix_args_UNPACR *args)
{
    const struct tensix *tensix = job->tensix;
    job->adc = job->thread;
    if (!args->multi_context_mode) {
        return true;
    }
    job->is_multi_context = true;
    job->context = args->use_context_counter
                       ? tensix->unpacker[job->which].context_counter[job->thread]
                       : args->context_number;
    job->context += job->which ? tensix_get_UNPACK_MISC_CFG_CfgContextOffset_1(tensix, job->thread)
                               : tensix_get_UNPACK_MISC_CFG_CfgContextOffset_0(tensix, job->thread);
    job->context %= TENSIX_UNPACK_CONTEXTS;
    job->adc = args->context_adc;
    if (job->which == 1 && job->context >= 2) {
        return unpack_undefined(job, "it has contexts 0 and 1, not %u; see CfgContextOffset_1",
                                job->context);
    }
    if (job->adc >= TENSIX_THREADS) {
        return unpack_undefined(job, "there are counters of threads 0 to 2, not %u", job->adc);
    }
    return true;
}

static uint64_t bytes_of_input(const struct unpack_job *job)
{
    uint64_t bits = (uint64_t)job->count * job->format.bits;
    if (!job->plan->is_uncompressed) { /* at most: what is left out is not known here */
        uint64_t data = job->count < job->outputs ? job->count : job->outputs;
        bits = data * (job->format.bits + UNPACK_DELTA_BITS);
    }
    return (bits + 7) / 8;
}

/* SPEC: after these cycles for addresses the bytes come. */
static unsigned address_cycles(void)
{
    return tensix_row_infos[TENSIX_ROW_UNPACR].occupancy;
}

/* Timed runs: addresses of the next UNPACR are made while the last bytes of this one come. */
static bool is_fetching(const struct tensix *tensix, unsigned which)
{
    return tensix_unit_timing(tensix, TENSIX_UNIT_UNPACK) &&
           tensix->unpacker[which].free_at > tensix->now + address_cycles();
}

static enum tensix_exec wait_for_unpacker(struct tensix *tensix, unsigned thread, unsigned which)
{
    tensix->thread[thread].time = tensix->unpacker[which].free_at - address_cycles() - 1;
    return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_UNIT, 0);
}

/* The bytes come at the unpacker's own speed. HW: both together read 8 KiB in 37.8 cycles (LLK's
 * add_tiles of FP32), so what they share is no limit. */
static void charge(const struct unpack_job *job)
{
    struct tensix *tensix = job->tensix;
    uint64_t bytes = bytes_of_input(job), fetch = tensix->now + address_cycles();
    uint64_t fetched =
        fetch + ((bytes + (UINT64_C(1) << job->plan->speed) - 1) >> job->plan->speed);
    if (tensix_unit_timing(tensix, TENSIX_UNIT_UNPACK)) {
        uint64_t *until = &tensix->thread[job->thread].busy_until[TENSIX_UNIT_UNPACK];
        uint64_t done = fetched + timing_cycles(tensix->timing, TIMING_UNPACK_DRAIN);
        tensix->unpacker[job->which].free_at = fetched;
        *until = done > *until ? done : *until;
    }
    tensix_take_off(tensix, job->thread,
                    job->which ? TENSIX_FLIGHT_UNPACKER1 : TENSIX_FLIGHT_UNPACKER0,
                    (unsigned)(fetched - tensix->now));
}

/* Counters after the data: those of the own thread and those that the context named. */
static void count_up(const struct unpack_job *job, const struct tensix_args_UNPACR *args)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (thread != job->thread && thread != job->adc) {
            continue;
        }
        struct tensix_adc *adc =
            &job->tensix->thread[thread].adc[TENSIX_ADC_UNPACKER0 + job->which];
        tensix_adc_add(&adc->channel[0], TENSIX_ADC_Y, args->ch0_y_inc);
        tensix_adc_add(&adc->channel[0], TENSIX_ADC_Z, args->ch0_z_inc);
        tensix_adc_add(&adc->channel[1], TENSIX_ADC_Y, args->ch1_y_inc);
        tensix_adc_add(&adc->channel[1], TENSIX_ADC_Z, args->ch1_z_inc);
    }
}

/* GUESS: SrcRow has six bits, as the base that is added to it. */
static void advance_src_row(const struct unpack_job *job)
{
    struct tensix *tensix = job->tensix;
    uint32_t base = job->which ? tensix_get_SRCB_SET_Base(tensix, job->thread)
                               : tensix_get_SRCA_SET_Base(tensix, job->thread);
    uint32_t *row = &tensix->unpacker[job->which].src_row[job->thread];
    *row = (*row + 16 + base * 16) % TENSIX_SRC_FILE_ROWS;
}

/* The data, and what comes behind them. */
static void move_data(struct unpack_job *job)
{
    unpack_move(job);
    charge(job);
    if (job->hands_over) {
        hand_bank_over(job->tensix, job->which, job->format.out);
    }
}

static enum tensix_flight_unit flight_of(unsigned which)
{
    return which ? TENSIX_FLIGHT_UNPACKER1 : TENSIX_FLIGHT_UNPACKER0;
}

/* The job waits in its unpacker. */
static void hold_job(const struct unpack_job *job)
{
    struct tensix *tensix = job->tensix;
    const struct tensix_thread *own = &tensix->thread[job->thread];
    tensix->unpacker[job->which].held = (struct tensix_unpack_held){
        .task = job->task,
        .plan = *job->plan,
        .word = own->next,
        .pc = own->origin.pc,
        .pusher = own->origin.pusher,
        .since = tensix->now,
        .is_held = true,
    };
    tensix_take_off(tensix, job->thread, flight_of(job->which), 0);
    tensix->flight[flight_of(job->which)].until = UINT64_MAX;
    tensix_note_held(tensix);
    tensix->outcome.changed = true; /* the status of units shows it to harts */
}

/* Bit 0 (last) has no effect that any page tells. */
TENSIX_EXEC(UNPACR)
{
    struct unpack_job job = {
        .tensix = tensix,
        .thread = thread,
        .which = args->which_unpacker,
        .state = tensix_state_id(tensix, thread),
        .all_zero = args->all_datums_are_zero,
        .row_search = args->row_search,
        .broadcasts = args->src_b_broadcast,
        .reaches_all_rows = tensix_get_SRCA_SET_SetOvrdWithAddr(tensix, thread),
        .hands_over = args->flip_src,
    };
    if (is_fetching(tensix, job.which)) {
        return wait_for_unpacker(tensix, thread, job.which);
    }
    if (!choose_context(&job, args)) {
        return job.answer;
    }
    job.plan = unpack_plan(tensix, job.which, job.state, job.is_multi_context, job.context);
    job.format = job.plan->overrides_format ? unpack_context_format(&job) : job.plan->format;
    if (!unpack_check(&job)) {
        return job.answer;
    }
    const unsigned base = job.which ? TENSIX_WORD_THCON_SEC1_REG3_Base_address
                                    : TENSIX_WORD_THCON_SEC0_REG3_Base_address;
    if (!tensix_judge_fresh(tensix, thread, flight_of(job.which), job.state, base + job.context)) {
        return TENSIX_STOP;
    }
    if (job.is_multi_context && args->use_context_counter) {
        count_context(tensix, thread, job.which, job.plan);
    }
    count_up(&job, args);
    tensix->unpacker[job.which].latest_format = job.format.out;
    if (job.hands_over) {
        begin_src_row(tensix, thread, job.which);
    } else if (job.plan->advances_src_row) {
        advance_src_row(&job);
    }
    if (tensix_src_unpack_may(tensix, job.which ? TENSIX_SRC_B : TENSIX_SRC_A)) {
        move_data(&job);
    } else { /* SPEC: also on the way to Dst */
        hold_job(&job);
    }
    return TENSIX_DONE;
}

/* SPEC: empties the cache of row start indices, which is not modelled: it is always fresh. */
TENSIX_EXEC(UNPACR_FLUSH)
{
    (void)tensix;
    (void)thread;
    (void)args;
    return TENSIX_DONE;
}

TENSIX_EXEC(UNPACR_INC)
{
    count_context_alone(tensix, thread, args->which_unpacker);
    return TENSIX_DONE;
}

/* --- An UNPACR that waits in its unpacker --- */

/* A thread that waits at its gate for the unpacker can go on. */
static void wake_threads(struct tensix *tensix, unsigned which)
{
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_thread *thread = &tensix->thread[i];
        if (!tensix->timing && thread->blocked && thread->wait == TENSIX_WAITS_FOR_UNPACKER &&
            thread->wait_detail == which) {
            thread->blocked = false;
            thread->time = thread->time > tensix->now ? thread->time : tensix->now + 1;
        }
    }
}

/* The UNPACR goes on as if it were at the gate of its thread, so that reports and observers find it
 * there. It looks at its data again, which may have changed. False: it stops there. */
static bool go_on_in(struct tensix *tensix, unsigned which)
{
    struct tensix_unpacker *unpacker = &tensix->unpacker[which];
    struct tensix_unpack_held *held = &unpacker->held;
    struct unpack_job job = {.tensix = tensix, .plan = &held->plan, .task = held->task};
    struct tensix_thread *thread = &tensix->thread[held->task.thread];
    const struct tensix_origin origin = thread->origin;
    const uint32_t next = thread->next;
    thread->next = held->word;
    thread->origin = (struct tensix_origin){.pc = held->pc, .pusher = held->pusher};
    tensix_begin_rest(tensix, which);
    const bool is_fine = unpack_check_data(&job);
    const bool stops = !is_fine && job.answer == TENSIX_STOP;
    if (is_fine) {
        move_data(&job);
    }
    tensix_end_rest(tensix, which, !stops);
    if (!stops) {
        *held = (struct tensix_unpack_held){.is_held = false};
        wake_threads(tensix, which);
        tensix_reconsider(tensix, tensix->now);
    }
    thread->next = next;
    thread->origin = origin;
    return !stops;
}

bool tensix_unpack_go_on(struct tensix *tensix)
{
    bool any = false;
    tensix->frees_unpacker = false;
    for (unsigned which = 0; which < TENSIX_UNPACKERS; which++) {
        if (tensix_unpack_is_held(tensix, which) &&
            tensix_src_unpack_may(tensix, which ? TENSIX_SRC_B : TENSIX_SRC_A)) {
            any |= go_on_in(tensix, which);
        }
    }
    return any;
}

static bool is_place(int64_t position)
{
    return position >= -(INT64_C(1) << 40) && position <= INT64_C(1) << 40;
}

/* What is checked again when it goes on need not be right here, if it can be checked. */
bool tensix_unpack_is_sound(const struct tensix_unpack_held *held, unsigned which)
{
    enum { MOST_DATA = 1 << 18, MOST_STRIDE = 1 << 16 };
    const struct tensix_unpack_task *task = &held->task;
    const struct tensix_unpack_plan *plan = &held->plan;
    const uint32_t data = task->count < task->outputs ? task->count : task->outputs;
    return !held->is_held ||
           (task->which == which && unpack_format_is_sound(&task->format, plan->to_dst) &&
            task->reads_exponents == (task->format.is_block && !plan->forces_exponent) &&
            data <= MOST_DATA && (plan->is_uncompressed ? task->count == data : true) &&
            task->drop <= MOST_DATA && task->row_width == (task->format.bits <= 8 ? 16u : 32u) &&
            task->row_stride <= MOST_STRIDE && task->step == 1u + plan->zeroes &&
            task->first.done == 0 && is_place(task->first.data) && is_place(task->first.deltas) &&
            is_place(task->first.exponents) && is_place(task->limit) && is_place(task->fifo));
}
