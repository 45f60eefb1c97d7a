/* Writes one address counter, its checkpoint, or both, by their numbers in REG2FLOP. */
#include "tensix/config/adc.h"

void tensix_adc_set(struct tensix_adc_channel *channel, enum tensix_adc_axis axis, bool counter,
                    bool checkpoint, uint32_t value)
{
    if (counter) {
        channel->counter[axis] = tensix_adc_cut(axis, value);
    }
    if (checkpoint) {
        channel->checkpoint[axis] = tensix_adc_cut(axis, value);
    }
}
