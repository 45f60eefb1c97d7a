/*
 * Performance counters: five banks that count cycles, and events of which this version knows the
 * instructions that left a thread's FIFO. Registers 0 (reference period), 1 (mode, selected event)
 * and 2 (control) as tt-llk's docs/performance_counters and its tools/include/perf_counters have
 * them: bits of the control register act when they rise, starting clears the counters.
 *
 * A bank's counts are `cycles` and `issued` up to `start`; while it runs, what came since is added.
 */
#include <string.h>

#include "tile/debug_internal.h"

enum {
    CONTROL_START = 0,
    CONTROL_STOP = 1,
    MODE_MASK = 0xff,
    MODE_UNTIL_PERIOD = 1, /* counting ends after the reference period */
    MODE_NO_CYCLES = 2,    /* only events are counted */
    EVENT_SHIFT = 8,
    EVENT_MASK = 0x3f, /* of INSTRN_THREAD, the only bank with events here */
    GRANTS_BIT = 16,
    EVENTS_OF_THREAD = 8, /* grants: each of eight selections is the same signal of the thread */
};

static const struct perf_row {
    uint16_t period, mode, control, out_cycles, out_events; /* word numbers */
    bool counts_threads, is_of_all;                         /* PERF_CNT_ALL acts on it */
} perf_rows[DEBUG_PERF_BANKS] = {
#define BANK(name, output)                                                                         \
    REG_PERF_CNT_##name##0, REG_PERF_CNT_##name##1, REG_PERF_CNT_##name##2,                        \
        REG_PERF_CNT_OUT_L_##output, REG_PERF_CNT_OUT_H_##output
    {BANK(INSTRN_THREAD, INSTRN_THREAD), true, true},
    {BANK(TDMA_UNPACK, TDMA_UNPACK), false, false},
    {BANK(FPU, FPU), false, true},
    {BANK(L1_, DBG_L1), false, false},
    {BANK(TDMA_PACK, TDMA_PACK), false, false},
#undef BANK
};

static unsigned mode_of(const struct tile *tile, unsigned b)
{
    return tile->debug.word[perf_rows[b].mode] & MODE_MASK;
}

static uint64_t counter_cycles(const struct tile *tile, unsigned b, uint64_t cycle)
{
    const struct debug_perf_bank *bank = &tile->debug.perf[b];
    unsigned mode = mode_of(tile, b);
    if (!bank->is_running || mode == MODE_NO_CYCLES) {
        return bank->cycles;
    }
    uint64_t cycles = bank->cycles + (cycle - bank->start);
    uint32_t period = tile->debug.word[perf_rows[b].period];
    return mode == MODE_UNTIL_PERIOD && cycles > period ? period : cycles;
}

static uint64_t issued_of(const struct tile *tile, unsigned b, unsigned thread)
{
    const struct debug_perf_bank *bank = &tile->debug.perf[b];
    uint64_t since = tile->tensix.thread[thread].drained - bank->issued_at_start[thread];
    return bank->issued[thread] + (bank->is_running ? since : 0);
}

static void resume(struct tile *tile, struct debug_perf_bank *bank, uint64_t cycle)
{
    bank->start = cycle;
    for (unsigned i = 0; i < DEBUG_PERF_THREADS; i++) {
        bank->issued_at_start[i] = tile->tensix.thread[i].drained;
    }
}

/* Adds what came since `start`. */
static void settle(struct tile *tile, unsigned b, uint64_t cycle)
{
    struct debug_perf_bank *bank = &tile->debug.perf[b];
    bank->cycles = counter_cycles(tile, b, cycle);
    for (unsigned i = 0; i < DEBUG_PERF_THREADS; i++) {
        bank->issued[i] = issued_of(tile, b, i);
    }
    resume(tile, bank, cycle);
}

static void start_counter(struct tile *tile, unsigned b, uint64_t cycle)
{
    struct debug_perf_bank *bank = &tile->debug.perf[b];
    memset(bank, 0, sizeof *bank);
    bank->is_running = true;
    resume(tile, bank, cycle);
}

static void stop(struct tile *tile, unsigned b, uint64_t cycle)
{
    settle(tile, b, cycle);
    tile->debug.perf[b].is_running = false;
}

/* Stops banks whose reference period is over, and looks when the next one is. GUESS: only starting
 * again lets such a bank go on, whatever mode it is given. */
void debug_perf_run(struct tile *tile, uint64_t now)
{
    tile->debug.perf_end = UINT64_MAX;
    for (unsigned b = 0; b < DEBUG_PERF_BANKS; b++) {
        const struct debug_perf_bank *bank = &tile->debug.perf[b];
        uint32_t period = tile->debug.word[perf_rows[b].period];
        if (!bank->is_running || mode_of(tile, b) != MODE_UNTIL_PERIOD) {
            continue;
        }
        uint64_t end = bank->start + (period > bank->cycles ? period - bank->cycles : 0);
        if (end <= now) {
            stop(tile, b, now);
        } else if (end < tile->debug.perf_end) {
            tile->debug.perf_end = end;
        }
    }
}

/* The bank of a register other than a control register. */
static unsigned bank_of(uint32_t word)
{
    unsigned b = 0;
    while (b + 1 < DEBUG_PERF_BANKS && perf_rows[b].period != word && perf_rows[b].mode != word &&
           perf_rows[b].out_cycles != word && perf_rows[b].out_events != word) {
        b++;
    }
    return b;
}

/* The reference period, or mode and event. */
enum answer debug_perf_setup(struct tile *tile, struct mmio_access *access)
{
    uint32_t *word = debug_word(tile, access);
    if (access->operation == MMIO_WRITE) {
        settle(tile, bank_of(access->offset / 4), access->cycle);
    }
    enum answer answer = mmio_word(access, word, UINT32_MAX);
    if (mmio_wrote(access, answer)) {
        debug_perf_run(tile, access->cycle);
    }
    return answer;
}

/* A bank's control register, or PERF_CNT_ALL, which has the same bits for two of them. */
enum answer debug_perf_control(struct tile *tile, struct mmio_access *access)
{
    uint32_t *word = debug_word(tile, access);
    uint32_t old = *word;
    enum answer answer = mmio_word(access, word, UINT32_MAX);
    bool of_all = access->offset / 4 == REG_PERF_CNT_ALL;
    if (!mmio_wrote(access, answer)) {
        return answer;
    }
    for (unsigned b = 0; b < DEBUG_PERF_BANKS; b++) {
        if (of_all ? !perf_rows[b].is_of_all : perf_rows[b].control != access->offset / 4) {
            continue;
        }
        if (debug_rises(old, *word, CONTROL_START)) {
            start_counter(tile, b, access->cycle);
        }
        if (debug_rises(old, *word, CONTROL_STOP)) {
            stop(tile, b, access->cycle);
        }
    }
    debug_perf_run(tile, access->cycle);
    return answer;
}

enum answer debug_perf_cycles(struct tile *tile, struct mmio_access *access)
{
    unsigned b = bank_of(access->offset / 4);
    return mmio_value(access, (uint32_t)counter_cycles(tile, b, access->cycle));
}

enum answer debug_perf_events(struct tile *tile, struct mmio_access *access)
{
    unsigned b = bank_of(access->offset / 4);
    uint32_t mode = tile->debug.word[perf_rows[b].mode];
    unsigned thread = (mode >> EVENT_SHIFT & EVENT_MASK) / EVENTS_OF_THREAD;
    if (perf_rows[b].counts_threads && mode >> GRANTS_BIT & 1 && thread < DEBUG_PERF_THREADS) {
        return mmio_value(access, (uint32_t)issued_of(tile, b, thread));
    }
    tile_report_unmodelled(tile, access);
    return mmio_value(access, 0);
}
