/*
 * The debug daisychain: groups of 128 internal signals, read a word at a time or written to L1
 * (SPEC: WormholeB0 DebugDaisychain; the signals of the harts are at the same places in
 * Blackhole, see tt-exalens). Known here: where the harts are, the self-test, and what
 * tensix_debug_signals knows.
 */
#include <string.h>

#include "tile/debug_internal.h"

/* --- Signals --- */

enum {
    SIGNAL_MASK = 0xffff,
    DAISY_SHIFT = 16,
    DAISY_MASK = 0xff,
    WORD_SHIFT = 25,
    DAISY_HARTS = 7,
    SIGNAL_SELF_TEST = 255,
    PC_MASK = 0x3fffffff,
};
#define BUS_ENABLED UINT32_C(0x20000000)

/* SignalSel of group A of each hart; group B follows. */
static const struct hart_signal {
    uint8_t group_a;
    enum rv32_core core;
} hart_signals[] = {{10, RV32_B}, {12, RV32_T0}, {14, RV32_T1}, {16, RV32_T2}, {24, RV32_NC}};

/* Group A: bits 0-30 the pc that retires next, 64-93 the pc fetched next. */
static void group_a(const struct tile *tile, enum rv32_core core, uint32_t data[4])
{
    bool retires = tile->run[core].state != HART_HELD;
    data[0] = (rv32_current_pc(&tile->hart[core]) & 0x7fffffff) | (uint32_t)retires << 31;
    data[2] = rv32_current_pc(&tile->hart[core]) & PC_MASK;
}

/* Group B: bits 32-61 the pc that enters decoding, 63 and 103 that one does. */
static void group_b(const struct tile *tile, enum rv32_core core, uint32_t data[4])
{
    bool decodes = tile->run[core].state != HART_HELD;
    data[1] = (rv32_current_pc(&tile->hart[core]) & PC_MASK) | (uint32_t)decodes << 31;
    data[3] = (uint32_t)decodes << 7;
}

/* The 128 bits that the control register selects; false when they are not modelled (zero). */
static bool read_bus(const struct tile *tile, uint32_t data[4])
{
    uint32_t control = tile->debug.word[DEBUG_BUS_CNTL];
    uint32_t daisy = control >> DAISY_SHIFT & DAISY_MASK, signal = control & SIGNAL_MASK;
    memset(data, 0, 4 * sizeof data[0]);
    if (!(control & BUS_ENABLED)) {
        return true;
    }
    if (signal == SIGNAL_SELF_TEST) {
        const uint32_t pattern[4] = {daisy, 0xa5a5a5a5, 0x5a5a5a5a, 0xa5a5a5a5};
        memcpy(data, pattern, sizeof pattern);
        return true;
    }
    for (unsigned i = 0; i < sizeof hart_signals / sizeof hart_signals[0]; i++) {
        const struct hart_signal *row = &hart_signals[i];
        if (daisy == DAISY_HARTS && signal == row->group_a) {
            group_a(tile, row->core, data);
            return true;
        }
        if (daisy == DAISY_HARTS && signal == row->group_a + 1u) {
            group_b(tile, row->core, data);
            return true;
        }
    }
    return tensix_debug_signals(&tile->tensix, daisy, signal, data);
}

enum mmio_reply debug_bus_data(struct tile *tile, struct mmio_access *access)
{
    uint32_t data[4];
    if (mmio_is_write(access)) {
        return MMIO_OK;
    }
    if (!read_bus(tile, data)) {
        tile_report_unmodelled(tile, access);
    }
    return mmio_value(access, data[tile->debug.word[DEBUG_BUS_CNTL] >> WORD_SHIFT & 3]);
}

/* --- Writing to L1 --- */

enum {
    MODE_MASK = 15,
    MODE_SAME_PLACE = 0,
    MODE_NEXT_PLACE = 1,
    MODE_SAMPLES = 4,
    MODE_PREPARE = 15,
    INTERVAL_SHIFT = 4,
    INTERVAL_MASK = 0xff,
    TRIGGER_BIT = 12,
    UNIT_BYTES = 16,
};
#define SAMPLER_L1_BYTES UINT64_C(0x100000) /* the low MiB */

static bool is_in_reach(const struct debug_sampler *sampler)
{
    return (uint64_t)sampler->position * UNIT_BYTES < SAMPLER_L1_BYTES;
}

/* Writes the selected signals to the current place, which is in reach. */
static void write_sample(struct tile *tile, uint64_t cycle)
{
    uint32_t data[4];
    (void)read_bus(tile, data);
    (void)debug_write_l1(tile, (uint64_t)tile->debug.sampler.position * UNIT_BYTES, data, cycle);
}

static enum mmio_reply trigger(struct tile *tile, struct mmio_access *access, unsigned mode)
{
    struct debug_sampler *sampler = &tile->debug.sampler;
    uint32_t data[4];
    if (!read_bus(tile, data)) {
        tile_report_unmodelled(tile, access);
    }
    if (!is_in_reach(sampler)) {
        return mmio_refuse(access, MMIO_UNMAPPED,
                           "the daisychain writes to the low MiB of L1 only");
    }
    if (mode == MODE_SAMPLES) {
        sampler->is_sampling = true;
        sampler->next = access->cycle;
        return MMIO_OK;
    }
    if (mode != MODE_SAME_PLACE && mode != MODE_NEXT_PLACE) {
        tile_report_unmodelled(tile, access);
        return MMIO_OK;
    }
    write_sample(tile, access->cycle);
    sampler->position += mode == MODE_NEXT_PLACE;
    return MMIO_OK;
}

enum mmio_reply debug_sampler_control(struct tile *tile, struct mmio_access *access)
{
    uint32_t *word = debug_word(tile, access);
    uint32_t old = *word;
    enum mmio_reply reply = mmio_word(access, word, UINT32_MAX);
    unsigned mode = *word & MODE_MASK;
    if (!mmio_wrote(access, reply)) {
        return reply;
    }
    if ((old & MODE_MASK) == MODE_PREPARE && mode != MODE_PREPARE) {
        tile->debug.sampler.position = tile->debug.word[DEBUG_L1_MEM_REG0];
    }
    return debug_rises(old, *word, TRIGGER_BIT) ? trigger(tile, access, mode) : MMIO_OK;
}

uint64_t debug_sampler_next(const struct tile *tile)
{
    return tile->debug.sampler.is_sampling ? tile->debug.sampler.next : UINT64_MAX;
}

void debug_sampler_run(struct tile *tile, uint64_t now)
{
    struct debug_sampler *sampler = &tile->debug.sampler;
    uint32_t interval = (tile->debug.word[DEBUG_L1_MEM_REG2] >> INTERVAL_SHIFT & INTERVAL_MASK) + 1;
    while (sampler->is_sampling && sampler->next <= now) {
        if (sampler->position >= tile->debug.word[DEBUG_L1_MEM_REG1] || !is_in_reach(sampler)) {
            sampler->is_sampling = false;
            return;
        }
        write_sample(tile, sampler->next);
        sampler->position++;
        sampler->next += interval;
    }
}
