/*
 * What performance counters count: signals of the coprocessor and of the interfaces to L1, as far
 * as the machine has them (perf_counters.def names them). They are gathered from what observers are
 * told, so a tile whose counters stand still pays nothing.
 *
 * A counter counts cycles in which its signal is high, so two instructions in one cycle count once.
 * In a functional run an instruction takes a cycle: counters of instructions and data are what they
 * are in a timed run, and nothing waits for a unit.
 *
 * GUESS: where the reference says only which signal it is, the signal is this one:
 * - An instruction is available to its unit in the cycle in which it starts. One that waits for
 *   data
 *   in Src, for Dst or for results is available to the math pipeline, though not started.
 * - The Vector Unit belongs to the math pipeline. Instructions of the Miscellaneous Unit have no
 *   class.
 * - A unit is busy for as long as STALLWAIT sees it so.
 * - Four rows of Src are written in a cycle. The packer reads Dst while it puts out its rows,
 *   before it
 *   drains.
 * - The eight interfaces of an unpacker or the packer have 16 bytes of L1 each in turn, and so have
 *   the
 *   four channels of an NIU. Nobody waits for L1, so every request is granted.
 * What harts, the mover and the Scalar Unit do to L1 is not counted.
 */
#include <string.h>

#include "tensix/exec.h"
#include "tile/debug_internal.h"

enum {
    SRC_ROWS_A_CYCLE = 4,
    SRC_ROWS = 128, /* of SrcA; those of SrcB are behind them (OBSERVED_STATE_SRC) */
    WORD_BYTES = 16,
    INTERFACES = 8,
    NOC_CHANNELS = 4,
    L1_POSITION_SHIFT = 4,
    L1_POSITION_MASK = 7,
    L1_POSITIONS = 6,
    GRANTS = 256,
};

/* --- Where counters are --- */

struct counter_row {
    uint8_t bank, position; /* position: of MUX_CTRL, for the bank L1 */
    uint16_t select, span;
    uint16_t counter; /* enum debug_counter; DEBUG_COUNTERS: always zero */
};

/* Those with counters of their own come first, by enum debug_counter. */
static const struct counter_row counter_rows[] = {
#define COUNTER(bank, select, name) {DEBUG_PERF_##bank, 0, select, 1, DEBUG_##name},
#define THREADS(bank, select, step, name)                                                          \
    {DEBUG_PERF_##bank, 0, select, 1, DEBUG_##name##_0},                                           \
        {DEBUG_PERF_##bank, 0, (select) + (step), 1, DEBUG_##name##_1},                            \
        {DEBUG_PERF_##bank, 0, (select) + 2 * (step), 1, DEBUG_##name##_2},
#define PORT(position, select, name) {DEBUG_PERF_L1, position, select, 1, DEBUG_##name},
#include "perf_counters.def"
#define SAME(bank, select, span, name) {DEBUG_PERF_##bank, 0, select, span, DEBUG_##name},
#define LOW(bank, select, span)        {DEBUG_PERF_##bank, 0, select, span, DEBUG_COUNTERS},
#include "perf_counters.def"
};

/* Positions beyond the last one are the first one. */
static unsigned l1_position(const struct tile *tile)
{
    unsigned position = tile->debug.word[REG_PERF_CNT_MUX_CTRL] >> L1_POSITION_SHIFT;
    position &= L1_POSITION_MASK;
    return position < L1_POSITIONS ? position : 0;
}

/* Ports that nothing drives here. */
static bool is_unmodelled(unsigned counter)
{
    return counter == DEBUG_TDMA_BUNDLE_0_RISC || counter == DEBUG_TDMA_BUNDLE_1_TRISC;
}

/* --- Counting --- */

static bool does_count(const struct tile *tile, unsigned counter)
{
    const struct counter_row *row = &counter_rows[counter];
    return tile->debug.perf[row->bank].is_running &&
           (row->bank != DEBUG_PERF_L1 || row->position == l1_position(tile));
}

/* The signal is high from `begin` to `end`. */
static void count_span(struct debug_counts *counts, const struct tile *tile, unsigned counter,
                       uint64_t begin, uint64_t end)
{
    uint64_t *until = &counts->until[counter];
    begin = begin < *until ? *until : begin;
    if (end > begin && does_count(tile, counter)) {
        counts->count[counter] += end - begin;
        *until = end;
    }
}

/* So many more cycles, from `now` on or behind those that are counted already. */
static void count_cycles(struct debug_counts *counts, const struct tile *tile, unsigned counter,
                         uint64_t cycles, uint64_t now)
{
    uint64_t begin = now < counts->until[counter] ? counts->until[counter] : now;
    count_span(counts, tile, counter, begin, begin + cycles);
}

static void raise_signal(struct debug_counts *counts, unsigned thread, unsigned counter)
{
    counts->high[thread][counter / 64] |= UINT64_C(1) << counter % 64;
}

static void settle_thread(struct debug_counts *counts, const struct tile *tile, unsigned thread,
                          uint64_t cycle)
{
    bool waits = tile->tensix.thread[thread].wait != TENSIX_WAITS_FOR_NOTHING;
    for (unsigned i = 0; waits && i < DEBUG_COUNTERS; i++) {
        if (counts->high[thread][i / 64] >> i % 64 & 1) {
            count_span(counts, tile, i, counts->since[thread], cycle);
        }
    }
    counts->since[thread] = cycle > counts->since[thread] ? cycle : counts->since[thread];
}

void debug_counts_settle(struct debug_counts *counts, const struct tile *tile, uint64_t cycle)
{
    for (unsigned i = 0; i < DEBUG_PERF_THREADS; i++) {
        settle_thread(counts, tile, i, cycle);
    }
}

/* Without what is counted in advance. In a functional run threads are ahead of harts now and
 * then. */
static uint64_t counted_by(const struct debug_counts *counts, const struct tile *tile,
                           unsigned counter, uint64_t cycle)
{
    bool is_ahead = tile->tensix.timing && counts->until[counter] > cycle;
    uint64_t ahead = is_ahead ? counts->until[counter] - cycle : 0;
    uint64_t count = counts->count[counter];
    return count > ahead ? count - ahead : 0;
}

/* --- Signals --- */

/* What a wait at the gate keeps high, by conditions of STALLWAIT. */
static const struct {
    uint32_t conditions;
    uint16_t counter;
    bool is_of_thread; /* the counter is that of thread 0, and the next ones of the others */
} condition_signals[] = {
    {TENSIX_C_SCALAR, DEBUG_WAITING_FOR_THCON_IDLE_0, true},
    {TENSIX_C_UNPACKER0 | TENSIX_C_UNPACKER1, DEBUG_WAITING_FOR_UNPACK_IDLE_0, true},
    {TENSIX_C_PACKER, DEBUG_WAITING_FOR_PACK_IDLE_0, true},
    {TENSIX_C_MATRIX, DEBUG_WAITING_FOR_MATH_IDLE_0, true},
    {TENSIX_C_MOVER, DEBUG_WAITING_FOR_MOVE_IDLE_0, true},
    {TENSIX_C_CONFIG, DEBUG_WAITING_FOR_CFG_IDLE_0, true},
    {TENSIX_C_VECTOR, DEBUG_WAITING_FOR_SFPU_IDLE_0, true},
    {TENSIX_C_SRC_A_UNPACK, DEBUG_WAITING_FOR_SRCA_CLEAR, false},
    {TENSIX_C_SRC_B_UNPACK, DEBUG_WAITING_FOR_SRCB_CLEAR, false},
    {TENSIX_C_SRC_A_MATRIX, DEBUG_WAITING_FOR_SRCA_VALID, false},
    {TENSIX_C_SRC_B_MATRIX, DEBUG_WAITING_FOR_SRCB_VALID, false},
};

static bool is_math(enum tensix_unit unit)
{
    return unit == TENSIX_UNIT_MATRIX || unit == TENSIX_UNIT_VECTOR;
}

static void raise_latched(struct debug_counts *counts, const struct tile *tile, unsigned thread)
{
    const struct tensix_unmet unmet = tensix_unmet(&tile->tensix, thread, tile->tensix.now);
    for (unsigned i = 0; i < sizeof condition_signals / sizeof *condition_signals; i++) {
        if (unmet.conditions & condition_signals[i].conditions) {
            raise_signal(counts, thread,
                         condition_signals[i].counter +
                             (condition_signals[i].is_of_thread ? thread : 0));
        }
    }
    if (unmet.is_zero) {
        raise_signal(counts, thread, DEBUG_WAITING_FOR_NONZERO_SEM_0 + thread);
    }
    if (unmet.is_full) {
        raise_signal(counts, thread, DEBUG_WAITING_FOR_NONFULL_SEM_0 + thread);
    }
}

/* An instruction stands before the math pipeline, which cannot start it. */
static void raise_math(struct debug_counts *counts, unsigned thread, bool waits_for_src)
{
    raise_signal(counts, thread, DEBUG_MATH_INSTRN_AVAILABLE);
    raise_signal(counts, thread, DEBUG_MATH_NOT_D2S_STALLED);
    raise_signal(counts, thread, DEBUG_MATH_NOT_STALLED_DEST_WR_PORT);
    raise_signal(counts, thread,
                 waits_for_src ? DEBUG_MATH_NOT_SCOREBOARD_STALLED : DEBUG_MATH_SRC_DATA_READY);
}

/* The instruction at the thread's gate does not start. */
static void raise_stalled(struct debug_counts *counts, const struct tile *tile, unsigned thread)
{
    const struct tensix_thread *own = &tile->tensix.thread[thread];
    const enum tensix_unit unit = tensix_row_infos[tensix_row_of(own->next)].unit;
    const bool waits_for_src = own->wait == TENSIX_WAITS_FOR_SRC;
    memset(counts->high[thread], 0, sizeof counts->high[thread]);
    raise_signal(counts, thread, DEBUG_THREAD_STALLS_0 + thread);
    raise_signal(counts, thread, DEBUG_ANY_THREAD_STALL);
    if (own->wait == TENSIX_WAITS_FOR_LATCH) {
        raise_latched(counts, tile, thread);
    }
    if (waits_for_src) {
        unsigned first = unit == TENSIX_UNIT_UNPACK ? DEBUG_WAITING_FOR_SRCA_CLEAR
                                                    : DEBUG_WAITING_FOR_SRCA_VALID;
        raise_signal(counts, thread, first + (own->wait_detail & 1));
    }
    if (is_math(unit) && (waits_for_src || own->wait == TENSIX_WAITS_FOR_UNIT)) {
        raise_math(counts, thread, waits_for_src);
    }
}

static void count_passed(struct debug_counts *counts, const struct tile *tile, unsigned thread,
                         uint64_t now)
{
    static const uint16_t classes[TENSIX_UNITS] = {
        [TENSIX_UNIT_CONFIG] = DEBUG_CFG_INSTRN_AVAILABLE_0,
        [TENSIX_UNIT_SYNC] = DEBUG_SYNC_INSTRN_AVAILABLE_0,
        [TENSIX_UNIT_SCALAR] = DEBUG_THCON_INSTRN_AVAILABLE_0,
        [TENSIX_UNIT_MOVER] = DEBUG_MOVE_INSTRN_AVAILABLE_0,
        [TENSIX_UNIT_MATRIX] = DEBUG_MATH_INSTRN_AVAILABLE_0,
        [TENSIX_UNIT_VECTOR] = DEBUG_MATH_INSTRN_AVAILABLE_0,
        [TENSIX_UNIT_UNPACK] = DEBUG_UNPACK_INSTRN_AVAILABLE_0,
        [TENSIX_UNIT_PACK] = DEBUG_PACK_INSTRN_AVAILABLE_0,
    };
    static const uint16_t of_math[] = {
        DEBUG_MATH_INSTRN_STARTED,         DEBUG_MATH_INSTRN_AVAILABLE,
        DEBUG_MATH_SRC_DATA_READY,         DEBUG_MATH_NOT_D2S_STALLED,
        DEBUG_MATH_NOT_SCOREBOARD_STALLED, DEBUG_MATH_NOT_STALLED_DEST_WR_PORT,
    };
    const uint32_t word = tile->tensix.thread[thread].next;
    const enum tensix_unit unit = tensix_row_infos[tensix_row_of(word)].unit;
    memset(counts->high[thread], 0, sizeof counts->high[thread]);
    count_span(counts, tile, DEBUG_THREAD_INSTRUCTIONS_0 + thread, now, now + 1);
    if (unit != TENSIX_UNIT_FRONTEND && unit != TENSIX_UNIT_MISC) {
        count_span(counts, tile, classes[unit] + thread, now, now + 1);
    }
    for (unsigned i = 0; is_math(unit) && i < sizeof of_math / sizeof *of_math; i++) {
        count_span(counts, tile, of_math[i], now, now + 1);
    }
}

/* Interfaces to L1, in the order in which they get words of 16 bytes. */
static const uint16_t unpacker_ports[2][INTERFACES] = {
    {DEBUG_UNPACKER_0, DEBUG_UNPACKER0_EXT_IF_1, DEBUG_UNPACKER0_EXT_IF_2, DEBUG_UNPACKER0_EXT_IF_3,
     DEBUG_UNPACKER0_EXT_IF_4, DEBUG_UNPACKER0_EXT_IF_5, DEBUG_UNPACKER0_EXT_IF_6,
     DEBUG_UNPACKER0_EXT_IF_7},
    {DEBUG_UNPACKER_1_ECC, DEBUG_UNPACKER1_EXT_IF_1, DEBUG_UNPACKER1_EXT_IF_2,
     DEBUG_UNPACKER1_EXT_IF_3, DEBUG_UNPACKER1_EXT_IF_4, DEBUG_UNPACKER1_EXT_IF_5,
     DEBUG_UNPACKER1_EXT_IF_6, DEBUG_UNPACKER1_EXT_IF_7}};
static const uint16_t packer_ports[INTERFACES] = {
    DEBUG_PACKER_IF_0,  DEBUG_PACKER_IF_1_TAG_SEARCH, DEBUG_EXT_PACKER_2, DEBUG_EXT_PACKER_3,
    DEBUG_EXT_PACKER_4, DEBUG_EXT_PACKER_5,           DEBUG_EXT_PACKER_6, DEBUG_EXT_PACKER_7};
static const uint16_t noc_ports[2][2][NOC_CHANNELS] = {
    /* by ring; outgoing, incoming */
    {{DEBUG_NOC_RING0_OUTGOING_0, DEBUG_NOC_RING0_OUTGOING_1, DEBUG_NOC_RING0_OUTGOING_2,
      DEBUG_NOC_RING0_OUTGOING_3},
     {DEBUG_NOC_RING0_INCOMING_0, DEBUG_NOC_RING0_INCOMING_1, DEBUG_NOC_RING0_INCOMING_2,
      DEBUG_NOC_RING0_INCOMING_3}},
    {{DEBUG_NOC_RING1_OUTGOING_0, DEBUG_NOC_RING1_OUTGOING_1, DEBUG_NOC_RING1_OUTGOING_2,
      DEBUG_NOC_RING1_OUTGOING_3},
     {DEBUG_NOC_RING1_INCOMING_0, DEBUG_NOC_RING1_INCOMING_1, DEBUG_NOC_RING1_INCOMING_2,
      DEBUG_NOC_RING1_INCOMING_3}}};

static void count_ports(struct debug_counts *counts, const struct tile *tile, const uint16_t *ports,
                        unsigned interfaces, uint64_t bytes, uint64_t now)
{
    uint64_t words = (bytes + WORD_BYTES - 1) / WORD_BYTES;
    for (unsigned i = 0; i < interfaces; i++) {
        count_cycles(counts, tile, ports[i], (words + interfaces - 1 - i) / interfaces, now);
    }
}

/* Pieces of such state that the work reads or writes, from `first` to below `end`. */
static uint64_t pieces_of(const struct observed_work *work, enum observed_state state,
                          bool is_write, uint32_t first, uint32_t end)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        bool is_one = touch->state == state && touch->is_write == is_write;
        count += is_one && touch->first >= first && touch->first < end ? touch->count : 0;
    }
    return count;
}

static void count_src(struct debug_counts *counts, const struct tile *tile, unsigned thread,
                      const struct observed_work *work, uint64_t now)
{
    static const uint16_t requests[2][3] = {
        {DEBUG_SRCA_WRITE_REQ, DEBUG_SRCA_WRITE_NOT_BLOCKED_OVR, DEBUG_SRCA_WRITE_NOT_BLOCKED_PORT},
        {DEBUG_SRCB_WRITE_REQ, DEBUG_SRCB_WRITE_NOT_BLOCKED_OVR,
         DEBUG_SRCB_WRITE_NOT_BLOCKED_PORT}};
    static const uint16_t by_thread[2][2] = {{DEBUG_SRCA_WRITE_TID_EVEN, DEBUG_SRCA_WRITE_TID_ODD},
                                             {DEBUG_SRCB_WRITE_TID_EVEN, DEBUG_SRCB_WRITE_TID_ODD}};
    for (uint32_t src = 0; src < 2; src++) {
        uint64_t rows =
            pieces_of(work, OBSERVED_STATE_SRC, true, src * SRC_ROWS, (src + 1) * SRC_ROWS);
        uint64_t cycles = (rows + SRC_ROWS_A_CYCLE - 1) / SRC_ROWS_A_CYCLE;
        for (unsigned i = 0; i < 3; i++) {
            count_cycles(counts, tile, requests[src][i], cycles, now);
        }
        count_cycles(counts, tile, by_thread[src][thread & 1], cycles, now);
    }
}

/* STALLWAIT does not see which of both unpackers is busy. */
static uint64_t unpacker_busy_until(const struct tensix *tensix, unsigned unpacker,
                                    uint64_t otherwise)
{
    return tensix->timing ? tensix->unpacker[unpacker].free_at +
                                timing_cycles(tensix->timing, TIMING_UNPACK_DRAIN)
                          : otherwise;
}

static void count_unpack(struct debug_counts *counts, const struct tile *tile,
                         const struct observed *event, uint64_t busy_until)
{
    static const uint16_t busy[2][2] = {{DEBUG_UNPACK0_BUSY_THREAD0, DEBUG_UNPACK0_BUSY_THREAD1},
                                        {DEBUG_UNPACK1_BUSY_THREAD0, DEBUG_UNPACK1_BUSY_THREAD1}};
    const struct observed_work *work = event->work;
    const unsigned unpacker = tensix_decode_UNPACR(event->word).which_unpacker;
    if (event->thread < 2 && !work->continues) {
        count_span(counts, tile, busy[unpacker][event->thread], work->begin,
                   unpacker_busy_until(&tile->tensix, unpacker, busy_until));
    }
    count_src(counts, tile, event->thread, work, event->cycle);
    count_ports(counts, tile, unpacker_ports[unpacker], INTERFACES,
                pieces_of(work, OBSERVED_STATE_L1, false, 0, UINT32_MAX), event->cycle);
}

static void count_pack(struct debug_counts *counts, const struct tile *tile,
                       const struct observed *event, uint64_t busy_until)
{
    const uint64_t busy = busy_until - event->cycle;
    const unsigned drain = timing_cycles(tile->tensix.timing, TIMING_PACK_DRAIN);
    const uint64_t end = event->cycle + (busy > drain ? busy - drain : 1);
    if (!event->work->continues) {
        count_span(counts, tile, DEBUG_PACKER_BUSY, event->cycle, busy_until);
        count_span(counts, tile, DEBUG_PACKER0_DEST_READ_REQ, event->cycle, end);
        count_span(counts, tile, DEBUG_DEST_READ_GRANTED_0, event->cycle, end);
    }
    count_ports(counts, tile, packer_ports, INTERFACES,
                pieces_of(event->work, OBSERVED_STATE_L1, true, 0, UINT32_MAX), event->cycle);
}

static void count_work(struct debug_counts *counts, const struct tile *tile,
                       const struct observed *event)
{
    const struct observed_work *work = event->work;
    const uint64_t begin = event->cycle;
    const uint64_t end = work->end > begin ? work->end : begin + 1;
    const uint64_t occupied = begin + tensix_row_infos[work->row].occupancy;
    switch ((enum tensix_unit)work->unit) {
    case TENSIX_UNIT_MATRIX:
        count_span(counts, tile, DEBUG_FPU_COUNTER, begin, occupied);
        count_span(counts, tile, DEBUG_MATH_COUNTER, begin, occupied);
        break;
    case TENSIX_UNIT_VECTOR:
        count_span(counts, tile, DEBUG_SFPU_COUNTER, begin, occupied);
        count_span(counts, tile, DEBUG_MATH_COUNTER, begin, occupied);
        break;
    case TENSIX_UNIT_UNPACK:
        count_unpack(counts, tile, event, end);
        break;
    case TENSIX_UNIT_PACK:
        count_pack(counts, tile, event, end);
        break;
    default:
        break;
    }
}

/* Data of the tile's own requests go out, or come in, through the outgoing interface. */
static void count_packet(struct debug_counts *counts, const struct tile *tile,
                         const struct observed *event)
{
    bool is_own = event->kind == OBSERVED_SENT ? event->packet == NOC_WRITE
                                               : event->packet == NOC_READ_RESPONSE;
    bool is_others = event->kind == OBSERVED_DELIVERED && event->packet <= NOC_ATOMIC;
    if (is_own || is_others) {
        count_ports(counts, tile, noc_ports[event->noc & 1][is_others], NOC_CHANNELS, event->size,
                    event->cycle);
    }
}

static bool see_signals(void *context, struct tile *tile, const struct observed *event)
{
    struct debug_counts *counts = &tile->debug.counts;
    const unsigned thread = event->thread;
    (void)context;
    if (event->kind == OBSERVED_SENT || event->kind == OBSERVED_DELIVERED) {
        count_packet(counts, tile, event);
    } else if (thread < DEBUG_PERF_THREADS && event->kind == OBSERVED_UNIT) {
        count_work(counts, tile, event);
    } else if (thread < DEBUG_PERF_THREADS) {
        /* In a functional run each thread is at a time of its own. */
        if (tile->tensix.timing) {
            debug_counts_settle(counts, tile, event->cycle);
        } else {
            settle_thread(counts, tile, thread, event->cycle);
        }
        if (event->kind == OBSERVED_STALLS) {
            raise_stalled(counts, tile, thread);
        } else {
            count_passed(counts, tile, thread, event->cycle);
        }
    }
    return false;
}

const struct observer debug_counts_observer = {
    .kinds = 1 << OBSERVED_STALLS | 1 << OBSERVED_TENSIX | 1 << OBSERVED_UNIT | 1 << OBSERVED_SENT |
             1 << OBSERVED_DELIVERED,
    .see = see_signals,
};

/* --- Banks --- */

void debug_counts_start(struct tile *tile, enum debug_perf_bank_id bank, uint64_t cycle)
{
    struct debug_counts *counts = &tile->debug.counts;
    for (unsigned i = 0; i < DEBUG_COUNTERS; i++) {
        if (counter_rows[i].bank == bank) {
            counts->count[i] = 0;
            counts->until[i] = cycle;
        }
    }
    for (unsigned thread = 0; thread < DEBUG_PERF_THREADS && !tile->counts; thread++) {
        if (tile->tensix.thread[thread].wait != TENSIX_WAITS_FOR_NOTHING) {
            raise_stalled(counts, tile, thread);
        }
    }
}

void debug_counts_stop(struct tile *tile, enum debug_perf_bank_id bank, uint64_t cycle)
{
    struct debug_counts *counts = &tile->debug.counts;
    for (unsigned i = 0; i < DEBUG_COUNTERS; i++) {
        if (counter_rows[i].bank == bank) {
            counts->count[i] = counted_by(counts, tile, i, cycle);
            counts->until[i] = 0;
        }
    }
}

static bool shows(const struct counter_row *row, enum debug_perf_bank_id bank, unsigned select)
{
    return row->bank == bank && select >= row->select && select - row->select < row->span;
}

bool debug_counts_show(const struct tile *tile, enum debug_perf_bank_id bank, unsigned select,
                       uint64_t cycle, uint32_t *value)
{
    struct debug_counts counts = tile->debug.counts;
    bool is_known = false;
    uint64_t sum = 0;
    if (tile->debug.perf[bank].is_running) {
        debug_counts_settle(&counts, tile, cycle);
    }
    if (bank == DEBUG_PERF_L1) { /* every request is granted */
        select &= ~(unsigned)GRANTS;
    }
    for (unsigned i = 0; i < sizeof counter_rows / sizeof *counter_rows; i++) {
        const struct counter_row *row = &counter_rows[i];
        if (!shows(row, bank, select)) {
            continue;
        }
        bool is_looked_at = bank != DEBUG_PERF_L1 || row->position == l1_position(tile);
        is_known |= is_looked_at && !is_unmodelled(row->counter);
        sum += row->counter < DEBUG_COUNTERS ? counted_by(&counts, tile, row->counter, cycle) : 0;
    }
    /* Of the last position of the bank L1 most selections lead nowhere. */
    is_known |= bank == DEBUG_PERF_L1 && l1_position(tile) == L1_POSITIONS - 1;
    *value = (uint32_t)sum;
    return is_known;
}
