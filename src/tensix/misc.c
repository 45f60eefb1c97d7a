/*
 * The Miscellaneous Unit: address counters of unpackers and packers, and banks of SrcA and SrcB
 * given to the Matrix Unit (SPEC: WormholeB0 MiscellaneousUnit, ADCs and the pages of the
 * instructions).
 *
 * Every thread has a set of counters for each unpacker and one for the packers. An instruction
 * works on any of them at once, or on none, and on those of its own thread unless an override
 * names another one.
 */
#include "tensix/adc.h"
#include "tensix/exec.h"

/* The counters that an instruction works on: override 0 is its own thread, 1 to 3 are threads 0 to
 * 2. GUESS: newer pages call confidence in the override weak, and ttsim refuses it. */
static struct tensix_adc *counters(struct tensix *tensix, unsigned thread, unsigned thread_override)
{
    return tensix->thread[thread_override ? thread_override - 1 : thread].adc;
}

static enum tensix_exec exec_NOP(struct tensix *tensix, unsigned thread,
                                 const struct tensix_args_NOP *args)
{
    (void)tensix;
    (void)thread;
    (void)args;
    return TENSIX_DONE;
}

/* --- Setting --- */

/* The bits of the override are bits of the value too: X takes all 18 of them. */
static enum tensix_exec exec_SETADC(struct tensix *tensix, unsigned thread,
                                    const struct tensix_args_SETADC *args)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    enum tensix_adc_axis axis = (enum tensix_adc_axis)args->xyzw;
    if (args->u0) {
        tensix_adc_set(&adc[TENSIX_ADC_UNPACKER0].channel[args->channel], axis, true, true,
                       args->new_value);
    }
    if (args->u1) {
        tensix_adc_set(&adc[TENSIX_ADC_UNPACKER1].channel[args->channel], axis, true, true,
                       args->new_value);
    }
    if (args->pk) {
        tensix_adc_set(&adc[TENSIX_ADC_PACKER].channel[args->channel], axis, true, true,
                       args->new_value);
    }
    return TENSIX_DONE;
}

static void set_xx(struct tensix_adc *adc, const struct tensix_args_SETADCXX *args)
{
    tensix_adc_put_x(&adc->channel[0], true, true, args->x0_val);
    tensix_adc_put_x(&adc->channel[1], true, true, args->x1_val);
}

static enum tensix_exec exec_SETADCXX(struct tensix *tensix, unsigned thread,
                                      const struct tensix_args_SETADCXX *args)
{
    struct tensix_adc *adc = counters(tensix, thread, 0);
    if (args->u0) {
        set_xx(&adc[TENSIX_ADC_UNPACKER0], args);
    }
    if (args->u1) {
        set_xx(&adc[TENSIX_ADC_UNPACKER1], args);
    }
    if (args->pk) {
        set_xx(&adc[TENSIX_ADC_PACKER], args);
    }
    return TENSIX_DONE;
}

static void set_xy(struct tensix_adc *adc, const struct tensix_args_SETADCXY *args)
{
    tensix_adc_put_x(&adc->channel[0], args->x0, args->x0, args->x0_val);
    tensix_adc_put_y(&adc->channel[0], args->y0, args->y0, args->y0_val);
    tensix_adc_put_x(&adc->channel[1], args->x1, args->x1, args->x1_val);
    tensix_adc_put_y(&adc->channel[1], args->y1, args->y1, args->y1_val);
}

static enum tensix_exec exec_SETADCXY(struct tensix *tensix, unsigned thread,
                                      const struct tensix_args_SETADCXY *args)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    if (args->u0) {
        set_xy(&adc[TENSIX_ADC_UNPACKER0], args);
    }
    if (args->u1) {
        set_xy(&adc[TENSIX_ADC_UNPACKER1], args);
    }
    if (args->pk) {
        set_xy(&adc[TENSIX_ADC_PACKER], args);
    }
    return TENSIX_DONE;
}

static void set_zw(struct tensix_adc *adc, const struct tensix_args_SETADCZW *args)
{
    tensix_adc_put_z(&adc->channel[0], args->z0, args->z0, args->z0_val);
    tensix_adc_put_w(&adc->channel[0], args->w0, args->w0, args->w0_val);
    tensix_adc_put_z(&adc->channel[1], args->z1, args->z1, args->z1_val);
    tensix_adc_put_w(&adc->channel[1], args->w1, args->w1, args->w1_val);
}

static enum tensix_exec exec_SETADCZW(struct tensix *tensix, unsigned thread,
                                      const struct tensix_args_SETADCZW *args)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    if (args->u0) {
        set_zw(&adc[TENSIX_ADC_UNPACKER0], args);
    }
    if (args->u1) {
        set_zw(&adc[TENSIX_ADC_UNPACKER1], args);
    }
    if (args->pk) {
        set_zw(&adc[TENSIX_ADC_PACKER], args);
    }
    return TENSIX_DONE;
}

/* --- Incrementing: there is no mask of axes, an increment of 0 stands for it --- */

static void increment_xy(struct tensix_adc *adc, const struct tensix_args_INCADCXY *args)
{
    tensix_adc_add_x(&adc->channel[0], args->x0_inc);
    tensix_adc_add_y(&adc->channel[0], args->y0_inc);
    tensix_adc_add_x(&adc->channel[1], args->x1_inc);
    tensix_adc_add_y(&adc->channel[1], args->y1_inc);
}

static enum tensix_exec exec_INCADCXY(struct tensix *tensix, unsigned thread,
                                      const struct tensix_args_INCADCXY *args)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    if (args->u0) {
        increment_xy(&adc[TENSIX_ADC_UNPACKER0], args);
    }
    if (args->u1) {
        increment_xy(&adc[TENSIX_ADC_UNPACKER1], args);
    }
    if (args->pk) {
        increment_xy(&adc[TENSIX_ADC_PACKER], args);
    }
    return TENSIX_DONE;
}

static void increment_zw(struct tensix_adc *adc, const struct tensix_args_INCADCZW *args)
{
    tensix_adc_add_z(&adc->channel[0], args->z0_inc);
    tensix_adc_add_w(&adc->channel[0], args->w0_inc);
    tensix_adc_add_z(&adc->channel[1], args->z1_inc);
    tensix_adc_add_w(&adc->channel[1], args->w1_inc);
}

static enum tensix_exec exec_INCADCZW(struct tensix *tensix, unsigned thread,
                                      const struct tensix_args_INCADCZW *args)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    if (args->u0) {
        increment_zw(&adc[TENSIX_ADC_UNPACKER0], args);
    }
    if (args->u1) {
        increment_zw(&adc[TENSIX_ADC_UNPACKER1], args);
    }
    if (args->pk) {
        increment_zw(&adc[TENSIX_ADC_PACKER], args);
    }
    return TENSIX_DONE;
}

/* --- Returning to checkpoints --- */

static void return_xy(struct tensix_adc *adc, const struct tensix_args_ADDRCRXY *args)
{
    if (args->x0) {
        tensix_adc_return_x(&adc->channel[0], args->x0_inc);
    }
    if (args->y0) {
        tensix_adc_return_y(&adc->channel[0], args->y0_inc);
    }
    if (args->x1) {
        tensix_adc_return_x(&adc->channel[1], args->x1_inc);
    }
    if (args->y1) {
        tensix_adc_return_y(&adc->channel[1], args->y1_inc);
    }
}

static enum tensix_exec exec_ADDRCRXY(struct tensix *tensix, unsigned thread,
                                      const struct tensix_args_ADDRCRXY *args)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    if (args->u0) {
        return_xy(&adc[TENSIX_ADC_UNPACKER0], args);
    }
    if (args->u1) {
        return_xy(&adc[TENSIX_ADC_UNPACKER1], args);
    }
    if (args->pk) {
        return_xy(&adc[TENSIX_ADC_PACKER], args);
    }
    return TENSIX_DONE;
}

static void return_zw(struct tensix_adc *adc, const struct tensix_args_ADDRCRZW *args)
{
    if (args->z0) {
        tensix_adc_return_z(&adc->channel[0], args->z0_inc);
    }
    if (args->w0) {
        tensix_adc_return_w(&adc->channel[0], args->w0_inc);
    }
    if (args->z1) {
        tensix_adc_return_z(&adc->channel[1], args->z1_inc);
    }
    if (args->w1) {
        tensix_adc_return_w(&adc->channel[1], args->w1_inc);
    }
}

static enum tensix_exec exec_ADDRCRZW(struct tensix *tensix, unsigned thread,
                                      const struct tensix_args_ADDRCRZW *args)
{
    struct tensix_adc *adc = counters(tensix, thread, args->thread_override);
    if (args->u0) {
        return_zw(&adc[TENSIX_ADC_UNPACKER0], args);
    }
    if (args->u1) {
        return_zw(&adc[TENSIX_ADC_UNPACKER1], args);
    }
    if (args->pk) {
        return_zw(&adc[TENSIX_ADC_PACKER], args);
    }
    return TENSIX_DONE;
}

/* --- Banks of SrcA and SrcB --- */

/*
 * SPEC: the bank is the Matrix Unit's from now on, also where it already was; nothing waits. (ttsim
 * refuses it in Blackhole, newer pages advise against it because the bank's implied data format is
 * left over from an unpack; LLK uses it.) The rows where the unpackers go on, SRCA_SET_Base and
 * SRCB_SET_Base times 16, come with the unpackers.
 */
static enum tensix_exec exec_SETDVALID(struct tensix *tensix, unsigned thread,
                                       const struct tensix_args_SETDVALID *args)
{
    (void)thread;
    if (args->flip_src_a) {
        tensix_src_give(tensix, TENSIX_SRC_A);
    }
    if (args->flip_src_b) {
        tensix_src_give(tensix, TENSIX_SRC_B);
    }
    return TENSIX_DONE;
}

#define TENSIX_RUNS_MISC(token) TENSIX_RUNNER(token)
#include "tensix/runners.h"
