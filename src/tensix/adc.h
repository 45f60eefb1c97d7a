/*
 * The address counters of unpackers and packers (SPEC: ADCs, of which the
 * newer edition gives Blackhole 13 bits of Z and W where Wormhole has 8): in each of two channels,
 * X, Y, Z and W with a checkpoint ("Cr") each. For every axis there are
 *   tensix_adc_put_<axis>       writes the counter, its checkpoint, or both
 *   tensix_adc_add_<axis>       adds to the counter
 *   tensix_adc_return_<axis>    adds to the checkpoint and goes there
 * all modulo the width of the axis.
 */
#ifndef TENSIX_ADC_H
#define TENSIX_ADC_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/tensix.h"

/* type: of the members of struct tensix_adc_channel. */
#define TENSIX_ADC_AXIS(axis, type, mask)                                                          \
    static inline void tensix_adc_put_##axis(struct tensix_adc_channel *channel, bool counter,     \
                                             bool checkpoint, uint32_t value)                      \
    {                                                                                              \
        channel->axis = counter ? (type)(value & (mask)) : channel->axis;                          \
        channel->axis##_cr = checkpoint ? (type)(value & (mask)) : channel->axis##_cr;             \
    }                                                                                              \
    static inline void tensix_adc_add_##axis(struct tensix_adc_channel *channel, uint32_t value)   \
    {                                                                                              \
        channel->axis = (type)((channel->axis + value) & (mask));                                  \
    }                                                                                              \
    static inline void tensix_adc_return_##axis(struct tensix_adc_channel *channel,                \
                                                uint32_t value)                                    \
    {                                                                                              \
        channel->axis##_cr = (type)((channel->axis##_cr + value) & (mask));                        \
        channel->axis = channel->axis##_cr;                                                        \
    }

TENSIX_ADC_AXIS(x, uint32_t, UINT32_C(0x3ffff))
TENSIX_ADC_AXIS(y, uint16_t, UINT32_C(0x1fff))
TENSIX_ADC_AXIS(z, uint16_t, UINT32_C(0x1fff))
TENSIX_ADC_AXIS(w, uint16_t, UINT32_C(0x1fff))

#undef TENSIX_ADC_AXIS

#endif
