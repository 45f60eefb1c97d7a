/*
 * Performance counters: five banks that count cycles, and events of which this version knows the
 * instructions that left a thread's FIFO. Registers 0 (reference period), 1 (mode, selected event)
 * and 2 (control) as tt-metal's and tt-exalens' profilers use them: bits of the control register
 * act when they rise, starting clears the counters.
 */
#include "tile/debug_internal.h"

enum {
    CONTROL_START = 0,
    CONTROL_STOP = 1,
    MODE_MASK = 0xff,
    MODE_UNTIL_PERIOD = 1, /* counting ends after the reference period */
    EVENT_SHIFT = 8,
    EVENT_MASK = 0x1ff,          /* the ninth bit selects the grants */
    EVENT_THREAD_ISSUED = 0x100, /* .. + 2: thread_instrn of the bank INSTRN_THREAD */
};

static const struct perf_row {
    uint16_t period, mode, control, out_cycles, out_events; /* word numbers */
    bool counts_threads;
} perf_rows[DEBUG_PERF_BANKS] = {
    /* INSTRN_THREAD, TDMA_UNPACK, FPU, L1, TDMA_PACK */
    {0x000 / 4, 0x004 / 4, 0x008 / 4, 0x100 / 4, 0x104 / 4, true},
    {0x00c / 4, 0x010 / 4, 0x014 / 4, 0x108 / 4, 0x10c / 4, false},
    {0x018 / 4, 0x01c / 4, 0x020 / 4, 0x120 / 4, 0x124 / 4, false},
    {0x030 / 4, 0x034 / 4, 0x038 / 4, 0x118 / 4, 0x11c / 4, false},
    {0x0f0 / 4, 0x0f4 / 4, 0x0f8 / 4, 0x110 / 4, 0x114 / 4, false},
};

static void start(struct tile *tile, struct debug_perf_bank *bank, uint64_t cycle)
{
    bank->is_running = true;
    bank->start = cycle;
    for (unsigned i = 0; i < DEBUG_PERF_THREADS; i++) {
        bank->issued_at_start[i] = tile->tensix.thread[i].drained;
    }
}

static uint64_t cycles_of(const struct tile *tile, unsigned b, uint64_t cycle)
{
    const struct debug_perf_bank *bank = &tile->debug.perf[b];
    const uint32_t *word = tile->debug.word;
    uint64_t cycles = bank->is_running ? cycle - bank->start : bank->cycles;
    bool is_limited = (word[perf_rows[b].mode] & MODE_MASK) == MODE_UNTIL_PERIOD;
    uint32_t period = word[perf_rows[b].period];
    return is_limited && cycles > period ? period : cycles;
}

static uint64_t issued_of(const struct tile *tile, unsigned b, unsigned thread)
{
    const struct debug_perf_bank *bank = &tile->debug.perf[b];
    return bank->is_running ? tile->tensix.thread[thread].drained - bank->issued_at_start[thread]
                            : bank->issued[thread];
}

static void stop(struct tile *tile, unsigned b, uint64_t cycle)
{
    struct debug_perf_bank *bank = &tile->debug.perf[b];
    if (!bank->is_running) {
        return;
    }
    bank->cycles = cycles_of(tile, b, cycle);
    for (unsigned i = 0; i < DEBUG_PERF_THREADS; i++) {
        bank->issued[i] = issued_of(tile, b, i);
    }
    bank->is_running = false;
}

/* A bank's control register; GUESS: PERF_CNT_ALL has the same bits and acts on all banks. */
enum mmio_reply debug_perf_control(struct tile *tile, struct mmio_access *access)
{
    uint32_t *word = debug_word(tile, access);
    uint32_t old = *word;
    enum mmio_reply reply = mmio_word(access, word, UINT32_MAX);
    bool of_all = access->offset / 4 == DEBUG_PERF_CNT_ALL;
    for (unsigned b = 0; mmio_wrote(access, reply) && b < DEBUG_PERF_BANKS; b++) {
        if (!of_all && perf_rows[b].control != access->offset / 4) {
            continue;
        }
        if (debug_rises(old, *word, CONTROL_START)) {
            start(tile, &tile->debug.perf[b], access->cycle);
        }
        if (debug_rises(old, *word, CONTROL_STOP)) {
            stop(tile, b, access->cycle);
        }
    }
    return reply;
}

/* The bank whose output register is accessed. */
static unsigned bank_of(const struct mmio_access *access)
{
    unsigned b = 0;
    while (b + 1 < DEBUG_PERF_BANKS && perf_rows[b].out_cycles != access->offset / 4 &&
           perf_rows[b].out_events != access->offset / 4) {
        b++;
    }
    return b;
}

enum mmio_reply debug_perf_cycles(struct tile *tile, struct mmio_access *access)
{
    return mmio_driven(access, (uint32_t)cycles_of(tile, bank_of(access), access->cycle));
}

enum mmio_reply debug_perf_events(struct tile *tile, struct mmio_access *access)
{
    unsigned b = bank_of(access);
    unsigned event = tile->debug.word[perf_rows[b].mode] >> EVENT_SHIFT & EVENT_MASK;
    unsigned thread = event - EVENT_THREAD_ISSUED;
    if (perf_rows[b].counts_threads && thread < DEBUG_PERF_THREADS) {
        return mmio_driven(access, (uint32_t)issued_of(tile, b, thread));
    }
    if (!mmio_is_write(access)) {
        tile_report_unmodelled(tile, access);
    }
    return mmio_driven(access, 0);
}
