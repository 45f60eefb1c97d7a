/*
 * The Miscellaneous Unit: address counters of unpackers and packers, and banks of SrcA and SrcB
 * given to the Matrix Unit (SPEC: WormholeB0 MiscellaneousUnit, ADCs and the pages of the
 * instructions).
 *
 * Every thread has a set of counters for each unpacker and one for the packers. An instruction
 * works on any of them at once, or on none, and on those of its own thread unless an override
 * names another one.
 */
#include "tensix/config/adc.h"
#include "tensix/exec.h"

/* The counters that an instruction works on: override 0 is its own thread, 1 to 3 are threads 0 to
 * 2. GUESS: newer pages call confidence in the override weak, and ttsim refuses it. */
static struct tensix_adc *counters(struct tensix *tensix, unsigned thread, unsigned thread_override)
{
    return tensix->thread[thread_override ? thread_override - 1 : thread].adc;
}

/* Does an instruction name a unit (enum tensix_adc_unit)? It may name none, or several. */
static bool names_unit(uint32_t cnt_set_mask, unsigned unit)
{
    return cnt_set_mask >> unit & 1;
}

TENSIX_EXEC(NOP)
{
    (void)tensix;
    (void)thread;
    (void)args;
    return TENSIX_DONE;
}

/* --- Setting --- */

/* HW: the override is no part of the value, though the page gives X all 18 bits: LLK sets X to 255
 * with an override and unpacks 256 data. */
TENSIX_EXEC(SETADC)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    enum tensix_adc_axis axis = (enum tensix_adc_axis)args->xyzw;
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        if (names_unit(args->cnt_set_mask, unit)) {
            tensix_adc_put(&adc[unit].channel[args->channel], axis, args->value);
        }
    }
    return TENSIX_DONE;
}

TENSIX_EXEC(SETADCXX)
{
    struct tensix_adc *adc = counters(tensix, thread, 0);
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        struct tensix_adc_channel *channel = adc[unit].channel;
        if (!names_unit(args->cnt_set_mask, unit)) {
            continue;
        }
        tensix_adc_put(&channel[0], TENSIX_ADC_X, args->x0_val);
        tensix_adc_put(&channel[1], TENSIX_ADC_X, args->x1_val);
    }
    return TENSIX_DONE;
}

TENSIX_EXEC(SETADCXY)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        struct tensix_adc_channel *channel = adc[unit].channel;
        if (!names_unit(args->cnt_set_mask, unit)) {
            continue;
        }
        if (args->x0) {
            tensix_adc_put(&channel[0], TENSIX_ADC_X, args->x0_val);
        }
        if (args->y0) {
            tensix_adc_put(&channel[0], TENSIX_ADC_Y, args->y0_val);
        }
        if (args->x1) {
            tensix_adc_put(&channel[1], TENSIX_ADC_X, args->x1_val);
        }
        if (args->y1) {
            tensix_adc_put(&channel[1], TENSIX_ADC_Y, args->y1_val);
        }
    }
    return TENSIX_DONE;
}

TENSIX_EXEC(SETADCZW)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        struct tensix_adc_channel *channel = adc[unit].channel;
        if (!names_unit(args->cnt_set_mask, unit)) {
            continue;
        }
        if (args->z0) {
            tensix_adc_put(&channel[0], TENSIX_ADC_Z, args->z0_val);
        }
        if (args->w0) {
            tensix_adc_put(&channel[0], TENSIX_ADC_W, args->w0_val);
        }
        if (args->z1) {
            tensix_adc_put(&channel[1], TENSIX_ADC_Z, args->z1_val);
        }
        if (args->w1) {
            tensix_adc_put(&channel[1], TENSIX_ADC_W, args->w1_val);
        }
    }
    return TENSIX_DONE;
}

/* --- Incrementing: there is no mask of axes, an increment of 0 stands for it --- */

TENSIX_EXEC(INCADCXY)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        struct tensix_adc_channel *channel = adc[unit].channel;
        if (!names_unit(args->cnt_set_mask, unit)) {
            continue;
        }
        tensix_adc_add(&channel[0], TENSIX_ADC_X, args->x0_inc);
        tensix_adc_add(&channel[0], TENSIX_ADC_Y, args->y0_inc);
        tensix_adc_add(&channel[1], TENSIX_ADC_X, args->x1_inc);
        tensix_adc_add(&channel[1], TENSIX_ADC_Y, args->y1_inc);
    }
    return TENSIX_DONE;
}

TENSIX_EXEC(INCADCZW)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        struct tensix_adc_channel *channel = adc[unit].channel;
        if (!names_unit(args->cnt_set_mask, unit)) {
            continue;
        }
        tensix_adc_add(&channel[0], TENSIX_ADC_Z, args->z0_inc);
        tensix_adc_add(&channel[0], TENSIX_ADC_W, args->w0_inc);
        tensix_adc_add(&channel[1], TENSIX_ADC_Z, args->z1_inc);
        tensix_adc_add(&channel[1], TENSIX_ADC_W, args->w1_inc);
    }
    return TENSIX_DONE;
}

/* --- Returning to checkpoints --- */

TENSIX_EXEC(ADDRCRXY)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        struct tensix_adc_channel *channel = adc[unit].channel;
        if (!names_unit(args->cnt_set_mask, unit)) {
            continue;
        }
        if (args->x0) {
            tensix_adc_return(&channel[0], TENSIX_ADC_X, args->x0_inc);
        }
        if (args->y0) {
            tensix_adc_return(&channel[0], TENSIX_ADC_Y, args->y0_inc);
        }
        if (args->x1) {
            tensix_adc_return(&channel[1], TENSIX_ADC_X, args->x1_inc);
        }
        if (args->y1) {
            tensix_adc_return(&channel[1], TENSIX_ADC_Y, args->y1_inc);
        }
    }
    return TENSIX_DONE;
}

TENSIX_EXEC(ADDRCRZW)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        struct tensix_adc_channel *channel = adc[unit].channel;
        if (!names_unit(args->cnt_set_mask, unit)) {
            continue;
        }
        if (args->z0) {
            tensix_adc_return(&channel[0], TENSIX_ADC_Z, args->z0_inc);
        }
        if (args->w0) {
            tensix_adc_return(&channel[0], TENSIX_ADC_W, args->w0_inc);
        }
        if (args->z1) {
            tensix_adc_return(&channel[1], TENSIX_ADC_Z, args->z1_inc);
        }
        if (args->w1) {
            tensix_adc_return(&channel[1], TENSIX_ADC_W, args->w1_inc);
        }
    }
    return TENSIX_DONE;
}

/* --- Banks of SrcA and SrcB --- */

/*
 * SPEC: the bank is the Matrix Unit's from now on, also where it already was; nothing waits. The
 * newer page advises against it in Blackhole, where its data are taken to have the output format of
 * a previous unpack. (ttsim refuses it; LLK uses it.) GUESS: of the unpacker's latest.
 */
TENSIX_EXEC(SETDVALID)
{
    if (args->flip_src_a) {
        tensix_unpack_hand_over(tensix, thread, 0, tensix->unpacker[0].latest_format);
    }
    if (args->flip_src_b) {
        tensix_unpack_hand_over(tensix, thread, 1, tensix->unpacker[1].latest_format);
    }
    return TENSIX_DONE;
}
