/*
 * Signals of the coprocessor on the debug daisychain: address counters, RWCs, the banks of SrcA and
 * SrcB, and the enabled lanes of the Vector Unit, in groups of 128 signals (SPEC: WormholeB0
 * DebugDaisychain). Signals that the page calls reserved, and groups that it does not have, are 0.
 *
 * Blackhole's RWCs and SrcB are at other places than the page's. SrcA's are as in ttsim. HW: of
 * SrcA, SrcB and Dst counters, ttsim's places explain what tt-exalens's manual shows of a chip on
 * which all of them are 15; the masks in tt-exalens itself do not. Of SrcB's banks ttsim and
 * tt-exalens agree.
 */
#include <string.h>

#include "tensix/exec.h"

enum {
    DAISY_RWCS = 3,
    DAISY_ADCS = 6,
    DAISY_LANES = 7,
    SIGNAL_RWCS_LOW = 2,
    SIGNAL_RWCS_HIGH = 3,
    SIGNAL_FIDELITY = 4,
    SIGNAL_ADC_LAST = 5,
    SIGNAL_SRC_BANKS = 9,
    SIGNAL_LANES = 28,
    GROUP_WORDS = 4,
};

/* Puts `width` bits of `value` at bit `first`. */
static void put_signal(uint32_t *data, unsigned first, unsigned width, uint32_t value)
{
    uint64_t bits = (uint64_t)(value & tensix_field_ones(width)) << first % 32;
    data[first / 32] |= (uint32_t)bits;
    if (bits >> 32) {
        data[first / 32 + 1] |= (uint32_t)(bits >> 32);
    }
}

/* Signals 0 to 3: unpackers 0 and 1 of thread 0; 4 and 5: the packers of thread 2. Of the 13 bits
 * of Z and W eight show (SPEC: ADCs). */
static void show_adc(const struct tensix *tensix, unsigned signal, uint32_t *data)
{
    unsigned unit = signal / 2;
    unsigned thread = unit == TENSIX_ADC_PACKER ? 2 : 0;
    const struct tensix_adc_channel *channel =
        &tensix->thread[thread].adc[unit].channel[signal % 2];
    put_signal(data, 0, 18, channel->x);
    put_signal(data, 18, 18, channel->x_cr);
    put_signal(data, 64, 13, channel->y);
    put_signal(data, 80, 13, channel->y_cr);
    put_signal(data, 96, 8, channel->z);
    put_signal(data, 104, 8, channel->z_cr);
    put_signal(data, 112, 8, channel->w);
    put_signal(data, 120, 8, channel->w_cr);
}

/* The banks of SrcA are where the page has them, those of SrcB are not. */
static void show_src_banks(const struct tensix *tensix, uint32_t *data)
{
    const struct tensix_src_banks *a = &tensix->src[TENSIX_SRC_A];
    const struct tensix_src_banks *b = &tensix->src[TENSIX_SRC_B];
    put_signal(data, 84, 1, tensix_src_unpack_may(tensix, TENSIX_SRC_A));
    put_signal(data, 85, 1, tensix_src_matrix_may(tensix, TENSIX_SRC_A));
    put_signal(data, 90, 1, a->matrix_may[1]);
    put_signal(data, 91, 1, a->matrix_may[0]);
    put_signal(data, 92, 1, a->matrix_bank);
    put_signal(data, 93, 1, a->matrix_bank);
    put_signal(data, 94, 1, a->unpack_bank);
    put_signal(data, 100, 1, b->matrix_bank);
    put_signal(data, 101, 1, b->matrix_bank);
    put_signal(data, 102, 1, b->unpack_bank);
    put_signal(data, 105, 1, b->matrix_may[0]);
    put_signal(data, 106, 1, b->matrix_may[1]);
}

/* Two groups that follow each other; the Dst of thread 0 runs from one into the other. */
static void show_rwcs(const struct tensix *tensix, bool high, uint32_t *data)
{
    uint32_t both[2 * GROUP_WORDS] = {0};
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
        put_signal(both, 16 * thread, 6, rwc->src_a);
        put_signal(both, 16 * thread + 8, 6, rwc->src_a_cr);
        put_signal(both, 16 * thread + 60, 6, rwc->src_b);
        put_signal(both, 16 * thread + 68, 6, rwc->src_b_cr);
        put_signal(both, 20 * thread + 120, 10, rwc->dst);
        put_signal(both, 20 * thread + 130, 10, rwc->dst_cr);
    }
    memcpy(data, both + (high ? GROUP_WORDS : 0), GROUP_WORDS * sizeof data[0]);
}

static void show_fidelity(const struct tensix *tensix, uint32_t *data)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        put_signal(data, 60 + 2 * thread, 2, tensix->thread[thread].rwc.fidelity);
    }
}

/* The lanes of a column stand together. tt-exalens has eight groups of four bits there on Blackhole
 * as well. */
static void show_lanes(const struct tensix *tensix, uint32_t *data)
{
    uint32_t enabled = tensix_vector_enabled(&tensix->vector);
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        unsigned row = lane / NUM_LANES_A_ROW, column = lane % NUM_LANES_A_ROW;
        put_signal(data, NUM_LANES_ROWS * column + row, 1, enabled >> lane & 1);
    }
}

bool tensix_debug_signals(const struct tensix *tensix, unsigned daisy, unsigned signal,
                          uint32_t data[4])
{
    memset(data, 0, GROUP_WORDS * sizeof data[0]);
    if (daisy == DAISY_ADCS && signal <= SIGNAL_ADC_LAST) {
        show_adc(tensix, signal, data);
    } else if (daisy == DAISY_ADCS && signal == SIGNAL_SRC_BANKS) {
        show_src_banks(tensix, data);
    } else if (daisy == DAISY_RWCS && (signal == SIGNAL_RWCS_LOW || signal == SIGNAL_RWCS_HIGH)) {
        show_rwcs(tensix, signal == SIGNAL_RWCS_HIGH, data);
    } else if (daisy == DAISY_RWCS && signal == SIGNAL_FIDELITY) {
        show_fidelity(tensix, data);
    } else if (daisy == DAISY_LANES && signal == SIGNAL_LANES) {
        show_lanes(tensix, data);
    } else {
        return false;
    }
    return true;
}
