/* Address counters by axis number, as SETADC and REG2FLOP name them. */
#include "tensix/adc.h"

#include "tensix/exec.h"

void tensix_adc_set(struct tensix_adc_channel *channel, enum tensix_adc_axis axis, bool counter,
                    bool checkpoint, uint32_t value)
{
    switch (axis) {
    case TENSIX_ADC_X:
        tensix_adc_put_x(channel, counter, checkpoint, value);
        break;
    case TENSIX_ADC_Y:
        tensix_adc_put_y(channel, counter, checkpoint, value);
        break;
    case TENSIX_ADC_Z:
        tensix_adc_put_z(channel, counter, checkpoint, value);
        break;
    case TENSIX_ADC_W:
        tensix_adc_put_w(channel, counter, checkpoint, value);
        break;
    }
}
