/*
 * The address counters of unpackers and packers (SPEC: ADCs, of which the newer edition gives
 * Blackhole 13 bits of Z and W where Wormhole has 8): in each of two channels, X, Y, Z and W with a
 * checkpoint ("Cr") each. All is modulo the width of the axis.
 */
#ifndef TENSIX_ADC_H
#define TENSIX_ADC_H

#include "tensix/exec.h"

static inline uint32_t tensix_adc_cut(enum tensix_adc_axis axis, uint32_t value)
{
    return value & (axis == TENSIX_ADC_X ? 0x3ffff : 0x1fff);
}

/* Writes the counter and its checkpoint. */
static inline void tensix_adc_put(struct tensix_adc_channel *channel, enum tensix_adc_axis axis,
                                  uint32_t value)
{
    channel->counter[axis] = channel->checkpoint[axis] = tensix_adc_cut(axis, value);
}

/* Adds to the counter. */
static inline void tensix_adc_add(struct tensix_adc_channel *channel, enum tensix_adc_axis axis,
                                  uint32_t value)
{
    uint32_t *counter = &channel->counter[axis];
    *counter = tensix_adc_cut(axis, *counter + value);
}

/* Adds to the checkpoint and goes there. */
static inline void tensix_adc_return(struct tensix_adc_channel *channel, enum tensix_adc_axis axis,
                                     uint32_t value)
{
    tensix_adc_put(channel, axis, channel->checkpoint[axis] + value);
}

#endif
