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

/* For observers: one of these counters changes. */
static void touch_counter(struct tensix *tensix, const struct tensix_adc_channel *channel,
                          enum tensix_adc_axis axis)
{
    for (unsigned i = 0; tensix_wants_work(tensix) && i < TENSIX_THREADS * TENSIX_ADCS * 2; i++) {
        const struct tensix_adc *adc =
            &tensix->thread[i / 2 / TENSIX_ADCS].adc[i / 2 % TENSIX_ADCS];
        if (&adc->channel[i % 2] == channel) {
            tensix_touch(tensix, TENSIX_WRITES, OBSERVED_STATE_ADC, i * TENSIX_ADC_AXES + axis, 1);
        }
    }
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
            touch_counter(tensix, &adc[unit].channel[args->channel], axis);
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
        touch_counter(tensix, &channel[0], TENSIX_ADC_X);
        touch_counter(tensix, &channel[1], TENSIX_ADC_X);
        tensix_adc_put(&channel[0], TENSIX_ADC_X, args->x0_val);
        tensix_adc_put(&channel[1], TENSIX_ADC_X, args->x1_val);
    }
    return TENSIX_DONE;
}

/* --- Two axes of both channels --- */

/* X and Y, or Z and W: of channel 0, then of channel 1. */
struct adc_pair {
    enum tensix_adc_axis first;
    bool is_named[4];
    uint32_t value[4];
};

typedef void adc_change(struct tensix_adc_channel *channel, enum tensix_adc_axis axis,
                        uint32_t value);

static inline enum tensix_exec change_pair(struct tensix *tensix, struct tensix_adc *adc,
                                           uint32_t cnt_set_mask, const struct adc_pair *pair,
                                           adc_change *change)
{
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        for (unsigned i = 0; names_unit(cnt_set_mask, unit) && i < 4; i++) {
            if (pair->is_named[i]) {
                enum tensix_adc_axis axis = (enum tensix_adc_axis)(pair->first + i % 2);
                touch_counter(tensix, &adc[unit].channel[i / 2], axis);
                change(&adc[unit].channel[i / 2], axis, pair->value[i]);
            }
        }
    }
    return TENSIX_DONE;
}

TENSIX_EXEC(SETADCXY)
{
    const struct adc_pair pair = {TENSIX_ADC_X,
                                  {args->x0, args->y0, args->x1, args->y1},
                                  {args->x0_val, args->y0_val, args->x1_val, args->y1_val}};
    return change_pair(tensix, counters(tensix, thread, args->thread_override), args->cnt_set_mask,
                       &pair, tensix_adc_put);
}

TENSIX_EXEC(SETADCZW)
{
    const struct adc_pair pair = {TENSIX_ADC_Z,
                                  {args->z0, args->w0, args->z1, args->w1},
                                  {args->z0_val, args->w0_val, args->z1_val, args->w1_val}};
    return change_pair(tensix, counters(tensix, thread, args->thread_override), args->cnt_set_mask,
                       &pair, tensix_adc_put);
}

/* There is no mask of axes; an increment of 0 stands for it. */
TENSIX_EXEC(INCADCXY)
{
    const struct adc_pair pair = {TENSIX_ADC_X,
                                  {true, true, true, true},
                                  {args->x0_inc, args->y0_inc, args->x1_inc, args->y1_inc}};
    return change_pair(tensix, counters(tensix, thread, args->thread_override), args->cnt_set_mask,
                       &pair, tensix_adc_add);
}

TENSIX_EXEC(INCADCZW)
{
    const struct adc_pair pair = {TENSIX_ADC_Z,
                                  {true, true, true, true},
                                  {args->z0_inc, args->w0_inc, args->z1_inc, args->w1_inc}};
    return change_pair(tensix, counters(tensix, thread, args->thread_override), args->cnt_set_mask,
                       &pair, tensix_adc_add);
}

/* Counters return to their checkpoints, to which an increment is added. */
TENSIX_EXEC(ADDRCRXY)
{
    const struct adc_pair pair = {TENSIX_ADC_X,
                                  {args->x0, args->y0, args->x1, args->y1},
                                  {args->x0_inc, args->y0_inc, args->x1_inc, args->y1_inc}};
    return change_pair(tensix, counters(tensix, thread, args->thread_override), args->cnt_set_mask,
                       &pair, tensix_adc_return);
}

TENSIX_EXEC(ADDRCRZW)
{
    const struct adc_pair pair = {TENSIX_ADC_Z,
                                  {args->z0, args->w0, args->z1, args->w1},
                                  {args->z0_inc, args->w0_inc, args->z1_inc, args->w1_inc}};
    return change_pair(tensix, counters(tensix, thread, args->thread_override), args->cnt_set_mask,
                       &pair, tensix_adc_return);
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
