/*
 * Address counters of unpackers and packer, from the pages alone: ADCs with thread override. RWCs
 * and address modifiers are in check_rwc.c, banks of SrcA and SrcB in check_misc.c.
 *
 * SPEC: WormholeB0 ADCs, SETADC, SETADCXX, SETADCXY, SETADCZW, INCADCXY, INCADCZW, ADDRCRXY,
 * ADDRCRZW. Blackhole's Z and W have 13 bits (newest ADCs).
 */
#include "unit/tensix/pages_world.h"

#include "tensix/exec.h"

enum { CASES = 20000 };

/* --- ADCs --- */

enum axis { X, Y, Z, W };

static uint32_t get(const struct tensix_adc_channel *channel, enum axis axis, bool cr)
{
    switch (axis) {
    case X:
        return cr ? channel->x_cr : channel->x;
    case Y:
        return cr ? channel->y_cr : channel->y;
    case Z:
        return cr ? channel->z_cr : channel->z;
    default:
        return cr ? channel->w_cr : channel->w;
    }
}

static void set(struct tensix_adc_channel *channel, enum axis axis, bool cr, uint32_t value)
{
    switch (axis) {
    case X:
        *(cr ? &channel->x_cr : &channel->x) = value & 0x3ffff;
        break;
    case Y:
        *(cr ? &channel->y_cr : &channel->y) = (uint16_t)(value & 0x1fff);
        break;
    case Z:
        *(cr ? &channel->z_cr : &channel->z) = (uint16_t)(value & 0x1fff);
        break;
    case W:
        *(cr ? &channel->w_cr : &channel->w) = (uint16_t)(value & 0x1fff);
        break;
    }
}

/* Counters near the ends of their ranges half of the time. */
static void randomize_adcs(void)
{
    for (unsigned n = 0; n < TENSIX_THREADS * TENSIX_ADCS * 2 * 8; n++) {
        struct tensix_adc_channel *channel = &tt->thread[n / 48].adc[n / 16 % 3].channel[n / 8 % 2];
        set(channel, (enum axis)(n / 2 % 4), n % 2, below(2) ? 0u - below(9) : next_random());
    }
}

static uint32_t which_adcs(unsigned mask)
{
    return mask << 21;
}

FIXTURE(open_coprocessor, close_coprocessor);

TEST(setadc)
{
    for (int n = 0; n < CASES; n++) {
        unsigned mask = below(8), channel = below(2), axis = below(4), thread = below(3);
        uint32_t value = any_value() & 0xffff, override = below(4);
        uint32_t new_value = override << 16 | value; /* which does not reach X */
        unsigned which = override ? override - 1 : thread;
        randomize_adcs();
        read_state(&expected);
        for (unsigned i = 0; i < 3; i++) {
            if (mask >> i & 1) {
                set(&expected.adc[which][i].channel[channel], axis, false, value);
                set(&expected.adc[which][i].channel[channel], axis, true, value);
            }
        }
        execute_and_check(thread,
                          OP(0x50) | which_adcs(mask) | channel << 20 | axis << 18 | new_value);
    }
}

TEST(setadcxx)
{
    for (int n = 0; n < CASES; n++) {
        unsigned mask = below(8), thread = below(3);
        uint32_t values[2] = {any_value() & 1023, any_value() & 1023};
        randomize_adcs();
        read_state(&expected);
        for (unsigned i = 0; i < 6; i++) {
            if (mask >> i / 2 & 1) {
                struct tensix_adc_channel *channel = &expected.adc[thread][i / 2].channel[i % 2];
                channel->x = channel->x_cr = values[i % 2];
            }
        }
        execute_and_check(thread, OP(0x5e) | which_adcs(mask) | values[1] << 10 | values[0]);
    }
}

/* Those that have four values of three bits: first axis and second axis of channel 0, then of 1. */
enum change { SETS, INCREMENTS, ADDS_TO_CR };

static const struct quad_form {
    const char *name;
    uint8_t opcode;
    enum axis first;
    enum change change;
} quad_forms[] = {{"SETADCXY", 0x51, X, SETS},       {"SETADCZW", 0x54, Z, SETS},
                  {"INCADCXY", 0x52, X, INCREMENTS}, {"INCADCZW", 0x55, Z, INCREMENTS},
                  {"ADDRCRXY", 0x53, X, ADDS_TO_CR}, {"ADDRCRZW", 0x56, Z, ADDS_TO_CR}};

static void change_axis(struct tensix_adc_channel *channel, enum axis axis, enum change change,
                        uint32_t value)
{
    switch (change) {
    case SETS:
        set(channel, axis, false, value);
        set(channel, axis, true, value);
        break;
    case INCREMENTS:
        set(channel, axis, false, get(channel, axis, false) + value);
        break;
    case ADDS_TO_CR:
        set(channel, axis, true, get(channel, axis, true) + value);
        set(channel, axis, false, get(channel, axis, true));
        break;
    }
}

TEST_EACH(adc_quads, COUNT(quad_forms))
{
    const struct quad_form *form = &quad_forms[_i];
    for (int n = 0; n < CASES; n++) {
        unsigned mask = below(8), override = below(4), thread = below(3), values = below(4096);
        unsigned selected = form->change == INCREMENTS ? 0 : below(16);
        unsigned which = override ? override - 1 : thread;
        randomize_adcs();
        read_state(&expected);
        for (unsigned i = 0; i < 3 * 4; i++) {
            unsigned quad = i % 4; /* position of value and selector */
            bool is_selected = form->change == INCREMENTS || selected >> quad & 1;
            if (mask >> i / 4 & 1 && is_selected) {
                change_axis(&expected.adc[which][i / 4].channel[quad / 2],
                            (enum axis)(form->first + quad % 2), form->change,
                            values >> 3 * quad & 7);
            }
        }
        execute_and_check(thread, OP(form->opcode) | which_adcs(mask) | override << 18 |
                                      values << 6 | selected);
    }
}
