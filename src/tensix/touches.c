/* See touches.h. */
#include "tensix/touches.h"

#include "tensix/config/users.h"
#include "tensix/exec.h"
#include "tensix/vector/schedule.h"

/* Units that tell all that they touch. */
static const bool tells_all[TENSIX_UNITS] = {
    [TENSIX_UNIT_SYNC] = true,
    [TENSIX_UNIT_UNPACK] = true,
    [TENSIX_UNIT_PACK] = true,
};

/* --- The list --- */

/* Units that work datum by datum touch several things in turn: each goes on with its own touch. */
static void add_touch(struct tensix_touches *touches, enum tensix_access access,
                      enum observed_state state, unsigned first, unsigned count)
{
    const bool is_write = access != TENSIX_READS, is_late = access == TENSIX_AWAITS;
    enum { RECENT = 8 };
    unsigned *states = is_write ? &touches->writes : &touches->reads;
    bool is_there = *states >> state & 1;
    for (unsigned i = 1; is_there && i <= RECENT && i <= touches->count; i++) {
        struct observed_touch *recent = &touches->touch[touches->count - i];
        unsigned behind = first - recent->first; /* huge if it begins before */
        if (recent->state == state && recent->is_write == is_write && recent->is_late == is_late &&
            behind <= recent->count) {
            recent->count = behind + count > recent->count ? behind + count : recent->count;
            return;
        }
    }
    touches->touch[touches->count++] = (struct observed_touch){
        .state = state, .is_write = is_write, .is_late = is_late, .first = first, .count = count};
    *states |= 1u << state;
}

static void begin_list(struct tensix_touches *touches)
{
    touches->count = 0;
    touches->reads = touches->writes = 0;
}

/* Tells what there is of the list, and begins it anew. */
static void tell_list(struct tensix *tensix, struct observed_work *work)
{
    struct tensix_touches *touches = &tensix->touches;
    struct observed event = {
        .kind = OBSERVED_UNIT, .agent = OBSERVED_AGENTS, .cycle = tensix->now, .work = work};
    work->unit = tensix_row_infos[work->row].unit;
    work->is_held = touches->is_held;
    work->continues |= touches->is_held;
    work->goes_on = touches->goes_on;
    work->begin = touches->goes_on ? touches->since : work->begin;
    work->touch = touches->touch;
    work->touches = touches->count;
    work->reads = touches->reads;
    work->writes = touches->writes;
    work->tells_all = tells_all[work->unit];
    tensix->board->observe(tensix->owner, &event);
    begin_list(touches);
}

void tensix_add_touch(struct tensix *tensix, enum tensix_access access, enum observed_state state,
                      unsigned first, unsigned count)
{
    struct tensix_touches *touches = &tensix->touches;
    if (touches->count + 2 > TENSIX_TOUCHES) {
        struct observed_work work = {.row = tensix_row_of(tensix->thread[tensix->executing].next),
                                     .continues = true,
                                     .begin = tensix->now,
                                     .end = tensix->now};
        tell_list(tensix, &work);
    }
    if (access & TENSIX_READS) {
        add_touch(touches, TENSIX_READS, state, first, count);
    }
    if (access != TENSIX_READS) {
        add_touch(touches, access == TENSIX_AWAITS ? access : TENSIX_WRITES, state, first, count);
    }
}

static unsigned physical_row(struct tensix_dst_map map, bool is_32bit, unsigned row)
{
    return is_32bit ? tensix_dst_physical32(map, row) : tensix_dst_physical16(map, row);
}

void tensix_add_dst_touch(struct tensix *tensix, enum tensix_access access,
                          enum observed_state state, bool is_32bit, unsigned row, unsigned rows)
{
    const struct tensix_dst_map map = tensix_dst_map_now(tensix);
    for (unsigned done = 0, count; done < rows; done += count) {
        const unsigned first = physical_row(map, is_32bit, row + done);
        count = 1; /* rows that lie one behind the other */
        while (done + count < rows &&
               physical_row(map, is_32bit, row + done + count) == first + count) {
            count++;
        }
        tensix_add_touch(tensix, access, state, first, count);
        if (state == OBSERVED_STATE_DST && (is_32bit || map.high_half)) {
            tensix_add_touch(tensix, access, state, first + TENSIX_DST_LOWER_HALF, count);
        }
    }
}

/* --- What the row says --- */

/* Does it have a GPR as a source? */
static const bool has_sources[TENSIX_ROWS] = {
#define SOURCE(name, hi, lo, bits) || true
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    [TENSIX_ROW_##token] = false cells,
#include "tensix.def"
};

static unsigned thread_word(unsigned thread, unsigned word)
{
    return thread * TENSIX_THREAD_WORDS + word;
}

/* A word of Config that the thread sees; all threads share those from TENSIX_GLOBAL_WORD on. */
static unsigned config_word(const struct tensix *tensix, unsigned thread, unsigned word)
{
    unsigned state = word < TENSIX_GLOBAL_WORD ? tensix_state_id(tensix, thread) : 0;
    return state * TENSIX_STATE_WORDS + word;
}

static unsigned adc_axis(unsigned thread, enum tensix_adc_unit unit, unsigned channel,
                         enum tensix_adc_axis axis)
{
    return ((thread * TENSIX_ADCS + unit) * 2 + channel) * 4 + axis;
}

/* The thread whose counters a PACR uses. */
static unsigned packer_adc(unsigned thread, const struct tensix_args_PACR *args)
{
    return tensix_pack_adc(thread, args->ovrd_thread_id, args->addr_cnt_context);
}

/* Does an UNPACR use the counters of a thread that it names? */
static bool names_adc(bool is_multi_context, unsigned context_adc)
{
    return is_multi_context && context_adc < TENSIX_THREADS;
}

/* The piece of the bank of SrcA or SrcB that the unpackers use next. */
static unsigned src_bank(const struct tensix *tensix, unsigned src)
{
    return 2 * src + tensix->src[src].unpack_bank;
}

/* Words of Config that units look at. None of these runs crosses TENSIX_GLOBAL_WORD. */
static const struct config_run {
    uint8_t first, words, users; /* bits of enum tensix_config_user */
} config_runs[] = {
#define USES(first, words, cached, fresh) {TENSIX_WORD_##first, words, (cached) | (fresh)},
#define READS(name, users)
#define TAKES(name)
#include "config_users.def"
#undef USES
#undef READS
#undef TAKES
};

/* Those of units, by their bits. */
static void touch_configuration(struct tensix *tensix, unsigned thread, unsigned users)
{
    tensix_touch(tensix, TENSIX_READS, OBSERVED_STATE_THREAD_CONFIG,
                 thread_word(thread, TENSIX_WORD_CFG_STATE_ID_StateID), 1);
    for (unsigned i = 0; i < sizeof config_runs / sizeof config_runs[0]; i++) {
        const struct config_run *run = &config_runs[i];
        if (run->users & users) {
            tensix_touch(tensix, TENSIX_READS, OBSERVED_STATE_CONFIG,
                         config_word(tensix, thread, run->first), run->words);
        }
    }
}

static void touch_each(struct tensix *tensix, enum tensix_access access, enum observed_state state,
                       uint32_t mask)
{
    while (mask) { /* run by run */
        const unsigned first = (unsigned)__builtin_ctz(mask);
        const uint32_t behind = mask + (UINT32_C(1) << first); /* the run is a carry */
        const unsigned end = behind ? (unsigned)__builtin_ctz(behind) : 32;
        tensix_touch(tensix, access, state, first, end - first);
        mask &= behind;
    }
}

static void touch_by_row(struct tensix *tensix, unsigned thread, unsigned row, uint32_t word)
{
    switch (row) {
#define CONFIGURED(users) touch_configuration(tensix, thread, users);
#define TOUCH(access, state, first, count)                                                         \
    tensix_touch(tensix, TENSIX_##access, OBSERVED_STATE_##state, first, count);
#define TOUCH_EACH(access, state, mask)                                                            \
    touch_each(tensix, TENSIX_##access, OBSERVED_STATE_##state, mask);
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    case TENSIX_ROW_##token: {                                                                     \
        const struct tensix_args_##token args = tensix_decode_##token(word);                       \
        (void)args;                                                                                \
        cells                                                                                      \
    } break;
#include "tensix.def"
    }
}

void tensix_begin_touches(struct tensix *tensix, unsigned thread, unsigned row)
{
    const uint32_t word = tensix->thread[thread].next;
    begin_list(&tensix->touches);
    for (unsigned gpr = 0; gpr < TENSIX_GPRS && has_sources[row]; gpr++) {
        if (tensix_gpr_bits_read(row, word, gpr)) {
            tensix_touch(tensix, TENSIX_READS, OBSERVED_STATE_GPR, thread * TENSIX_GPRS + gpr, 1);
        }
    }
    touch_by_row(tensix, thread, row, word);
    if (tensix_row_infos[row].unit == TENSIX_UNIT_VECTOR) {
        const struct tensix_vector_op op = tensix_vector_decode(row, thread, word);
        const struct tensix_vector_uses uses = tensix_vector_uses(&tensix->vector, &op);
        touch_each(tensix, TENSIX_READS, OBSERVED_STATE_LREG, uses.reads);
        touch_each(tensix, TENSIX_WRITES, OBSERVED_STATE_LREG, uses.writes);
    }
}

/* --- What released a thread that waited --- */

static bool covers(const struct observed_touch *touch, enum observed_state state, unsigned index)
{
    return touch->state == state && touch->is_write && index >= touch->first &&
           index - touch->first < touch->count;
}

/* The kind of state for which a thread waits; OBSERVED_STATES: for none. */
static enum observed_state awaited_state(const struct tensix_thread *thread)
{
    switch (thread->has_next ? thread->wait : TENSIX_WAITS_FOR_NOTHING) {
    case TENSIX_WAITS_FOR_MUTEX:
        return OBSERVED_STATE_MUTEX;
    case TENSIX_WAITS_FOR_SRC:
    case TENSIX_WAITS_FOR_UNPACKER:
        return OBSERVED_STATE_SRC_BANK;
    case TENSIX_WAITS_FOR_L1:
        return OBSERVED_STATE_L1;
    case TENSIX_WAITS_FOR_LATCH:
        return OBSERVED_STATE_SEMAPHORE;
    default:
        return OBSERVED_STATES;
    }
}

/* Does the thread wait for what a touch has changed? */
static bool waits_for_touch(const struct tensix *tensix, const struct tensix_thread *thread,
                            const struct observed_touch *touch)
{
    switch (thread->wait) {
    case TENSIX_WAITS_FOR_MUTEX:
        return covers(touch, OBSERVED_STATE_MUTEX, thread->wait_detail);
    case TENSIX_WAITS_FOR_SRC: /* enum tensix_src, and the bank in bit 1 */
        return covers(touch, OBSERVED_STATE_SRC_BANK,
                      2 * (thread->wait_detail & 1) + (thread->wait_detail >> 1));
    case TENSIX_WAITS_FOR_UNPACKER: /* in which an UNPACR waits for its bank */
        return covers(touch, OBSERVED_STATE_SRC_BANK, src_bank(tensix, thread->wait_detail & 1));
    case TENSIX_WAITS_FOR_L1:
        return covers(touch, OBSERVED_STATE_L1, thread->wait_detail);
    case TENSIX_WAITS_FOR_LATCH:
        for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
            if (thread->latch.semaphores >> i & 1 && covers(touch, OBSERVED_STATE_SEMAPHORE, i)) {
                return true;
            }
        }
        return false;
    default:
        return false;
    }
}

static void note_releases(struct tensix *tensix, unsigned by)
{
    enum {
        AWAITED = 1 << OBSERVED_STATE_MUTEX | 1 << OBSERVED_STATE_SRC_BANK |
                  1 << OBSERVED_STATE_L1 | 1 << OBSERVED_STATE_SEMAPHORE
    };
    struct tensix_touches *touches = &tensix->touches;
    const struct tensix_thread *own = &tensix->thread[by];
    if (!(touches->writes & AWAITED)) {
        return;
    }
    const struct observed_releaser releaser = {
        .is_known = true,
        .thread = by,
        .pc = own->origin.pc,
        .word = own->next,
        .cycle = tensix->now,
    };
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct tensix_thread *thread = &tensix->thread[i];
        bool may_wait = i != by && touches->writes >> awaited_state(thread) & 1;
        for (unsigned j = 0; may_wait && j < touches->count; j++) {
            if (waits_for_touch(tensix, thread, &touches->touch[j])) {
                touches->released[i] = releaser;
            }
        }
    }
    for (unsigned i = 0; i < TENSIX_UNPACKERS; i++) {
        bool may_wait = tensix_unpack_is_held(tensix, i) && !touches->goes_on &&
                        touches->writes >> OBSERVED_STATE_SRC_BANK & 1;
        for (unsigned j = 0; may_wait && j < touches->count; j++) {
            if (covers(&touches->touch[j], OBSERVED_STATE_SRC_BANK, src_bank(tensix, i))) {
                touches->gave_back[i] = releaser;
            }
        }
    }
}

/* --- Telling --- */

void tensix_tell_work(struct tensix *tensix, unsigned thread, unsigned row, unsigned waited_for)
{
    struct tensix_touches *touches = &tensix->touches;
    const enum tensix_unit unit = tensix_row_infos[row].unit;
    const uint64_t done = tensix->thread[thread].busy_until[unit];
    struct observed_work work = {
        .row = row,
        .begin = tensix->now,
        .end = tensix->timing ? done : tensix->now,
        .waited_for = waited_for,
        .waited_detail = tensix->thread[thread].wait_detail,
        .released_by = touches->released[thread],
    };
    tensix->executing = (uint8_t)thread;
    note_releases(tensix, thread);
    touches->released[thread] = (struct observed_releaser){.is_known = false};
    tell_list(tensix, &work);
    touches->is_held = false;
    tensix->executing = TENSIX_THREADS;
}

void tensix_note_held(struct tensix *tensix)
{
    tensix->touches.is_held = tensix_wants_work(tensix);
}

void tensix_begin_rest(struct tensix *tensix, unsigned which)
{
    const struct tensix_unpack_held *held = &tensix->unpacker[which].held;
    tensix->executing = (uint8_t)held->task.thread;
    if (tensix_wants_work(tensix)) {
        begin_list(&tensix->touches);
        tensix->touches.goes_on = true;
        tensix->touches.since = held->since;
        tensix_touch(tensix, TENSIX_CHANGES, OBSERVED_STATE_UNPACKER, which, 1);
    }
}

void tensix_end_rest(struct tensix *tensix, unsigned which, bool tells)
{
    const unsigned thread = tensix->unpacker[which].held.task.thread;
    struct tensix_touches *touches = &tensix->touches;
    if (tells && tensix_wants_work(tensix)) {
        const uint64_t done = tensix->thread[thread].busy_until[TENSIX_UNIT_UNPACK];
        struct observed_work work = {
            .row = TENSIX_ROW_UNPACR,
            .end = tensix->timing ? done : tensix->now,
            .waited_for = TENSIX_WAITS_FOR_SRC,
            .waited_detail = which,
            .released_by = touches->gave_back[which],
        };
        note_releases(tensix, thread);
        tell_list(tensix, &work);
        touches->gave_back[which] = (struct observed_releaser){.is_known = false};
    }
    touches->goes_on = false;
    tensix->executing = TENSIX_THREADS;
}
