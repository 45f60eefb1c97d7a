/*
 * Performance counters: the registers of five banks. Registers 0 (reference period), 1 (mode,
 * selected counter) and 2 (control) as tt-llk's docs/performance_counters and its
 * tools/include/perf_counters have them: bits of the control register act when they rise, starting
 * clears the counters. All counters of a bank count at once, and the selection says which one is
 * shown. debug_counts.c has what they count.
 *
 * A bank's cycles are `cycles` up to `start`; while it runs, what came since is added.
 */
#include "tile/debug_internal.h"
#include "tile/tell.h"

enum {
    CONTROL_START = 0,
    CONTROL_STOP = 1,
    MODE_MASK = 0xff,
    MODE_UNTIL_PERIOD = 1, /* counting ends after the reference period */
    MODE_NO_CYCLES = 2,    /* only events are counted */
    SELECT_SHIFT = 8,
    GRANTS_BIT = 16,
    GRANTS = 256, /* in a selection */
};

static const struct perf_row {
    uint16_t period, mode, control, out_cycles, out_events; /* word numbers */
    uint16_t selects;                                       /* mask of the selection */
    bool is_of_all;                                         /* PERF_CNT_ALL acts on it */
} perf_rows[DEBUG_PERF_BANKS] = {
#define BANK(name, output)                                                                         \
    REG_PERF_CNT_##name##0, REG_PERF_CNT_##name##1, REG_PERF_CNT_##name##2,                        \
        REG_PERF_CNT_OUT_L_##output, REG_PERF_CNT_OUT_H_##output
    [DEBUG_PERF_INSTRN_THREAD] = {BANK(INSTRN_THREAD, INSTRN_THREAD), 0x3f, true},
    [DEBUG_PERF_FPU] = {BANK(FPU, FPU), 0x1, true},
    [DEBUG_PERF_TDMA_UNPACK] = {BANK(TDMA_UNPACK, TDMA_UNPACK), 0x1f, false},
    [DEBUG_PERF_L1] = {BANK(L1_, DBG_L1), 0x7, false},
    [DEBUG_PERF_TDMA_PACK] = {BANK(TDMA_PACK, TDMA_PACK), 0x1f, false},
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

/* Counters look at the tile while any of them runs. */
void debug_perf_look(struct tile *tile)
{
    bool runs = false;
    for (unsigned b = 0; b < DEBUG_PERF_BANKS; b++) {
        runs |= tile->debug.perf[b].is_running != 0;
    }
    if (runs != (tile->counts != NULL)) {
        tile->counts = runs ? &debug_counts_observer : NULL;
        tile_tell_kinds(tile);
    }
}

/* Adds cycles that came since `start`. */
static void settle_cycles(struct tile *tile, unsigned b, uint64_t cycle)
{
    struct debug_perf_bank *bank = &tile->debug.perf[b];
    bank->cycles = counter_cycles(tile, b, cycle);
    bank->start = cycle;
}

static void start_counter(struct tile *tile, unsigned b, uint64_t cycle)
{
    debug_counts_settle(&tile->debug.counts, tile, cycle);
    debug_counts_start(tile, (enum debug_perf_bank_id)b, cycle);
    tile->debug.perf[b] = (struct debug_perf_bank){.is_running = true, .start = cycle};
    debug_perf_look(tile);
}

static void stop_counter(struct tile *tile, unsigned b, uint64_t cycle)
{
    settle_cycles(tile, b, cycle);
    if (tile->debug.perf[b].is_running) {
        debug_counts_settle(&tile->debug.counts, tile, cycle);
        debug_counts_stop(tile, (enum debug_perf_bank_id)b, cycle);
        tile->debug.perf[b].is_running = false;
    }
    debug_perf_look(tile);
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
            stop_counter(tile, b, end);
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
        settle_cycles(tile, bank_of(access->offset / 4), access->cycle);
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
            stop_counter(tile, b, access->cycle);
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
    uint32_t mode = tile->debug.word[perf_rows[b].mode], value = 0;
    unsigned select = mode >> SELECT_SHIFT & perf_rows[b].selects;
    select |= mode >> GRANTS_BIT & 1 ? GRANTS : 0;
    if (!debug_counts_show(tile, (enum debug_perf_bank_id)b, select, access->cycle, &value)) {
        tile_report_unmodelled(tile, access);
    }
    return mmio_value(access, value);
}
