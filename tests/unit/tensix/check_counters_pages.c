/*
 * Address counters in functional runs, from the pages alone: ADCs with thread override, RWCs,
 * address modifiers with the extra bit, banks of SrcA and SrcB.
 *
 * SPEC: WormholeB0 ADCs, SETADC, SETADCXX, SETADCXY, SETADCZW, INCADCXY, INCADCZW, ADDRCRXY,
 * ADDRCRZW, RWCs, SETRWC, INCRWC, SETDVALID. Blackhole's Z and W have 13 bits (newest ADCs), its
 * address modifiers three bits in the instruction, and there is no ADDR_MOD_SET_Base.
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

START_TEST(setadc)
{
    for (int n = 0; n < CASES; n++) {
        unsigned mask = below(8), channel = below(2), axis = below(4), thread = below(3);
        uint32_t value = any_value() & 0xffff, override = below(4);
        uint32_t new_value = override << 16 | value; /* the override does not reach X, see misc.c */
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
END_TEST

START_TEST(setadcxx)
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
END_TEST

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

START_TEST(adc_quads)
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
END_TEST

/* --- RWCs --- */

static void randomize_rwcs(void)
{
    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        tt->thread[t].rwc = (struct tensix_rwc){
            .dst = (uint16_t)below(1024),
            .dst_cr = (uint16_t)below(1024),
            .src_a = (uint8_t)below(64),
            .src_a_cr = (uint8_t)below(64),
            .src_b = (uint8_t)below(64),
            .src_b_cr = (uint8_t)below(64),
            .fidelity = (uint8_t)below(4),
            .extra_mod = (uint8_t)below(2),
        };
    }
}

static void randomize_banks(void)
{
    for (unsigned s = 0; s < 2; s++) {
        tt->src[s] = (struct tensix_src_banks){
            (uint8_t)below(2), (uint8_t)below(2), {below(2), below(2)}, {0}};
    }
}

/* x += incr, with x's checkpoint in place of x where `cr`. */
static void increment(uint32_t *counter, uint32_t *checkpoint, bool cr, unsigned incr)
{
    if (cr) {
        *checkpoint = (uint8_t)((*checkpoint + incr) & 63);
        *counter = *checkpoint;
    } else {
        *counter = (uint8_t)((*counter + incr) & 63);
    }
}

static void increment_dst(struct tensix_rwc *rwc, bool cr, unsigned incr)
{
    if (cr) {
        rwc->dst_cr = (uint16_t)((rwc->dst_cr + incr) & 1023);
        rwc->dst = rwc->dst_cr;
    } else {
        rwc->dst = (uint16_t)((rwc->dst + incr) & 1023);
    }
}

START_TEST(incrwc)
{
    for (int n = 0; n < CASES; n++) {
        unsigned thread = below(3), cr = below(8), incr[3] = {below(16), below(16), below(16)};
        randomize_rwcs();
        read_state(&expected);
        struct tensix_rwc *rwc = &expected.rwc[thread];
        increment(&rwc->src_a, &rwc->src_a_cr, cr & 1, incr[0]);
        increment(&rwc->src_b, &rwc->src_b_cr, cr & 2, incr[1]);
        increment_dst(rwc, cr & 4, incr[2]);
        execute_and_check(thread,
                          OP(0x38) | cr << 18 | incr[2] << 14 | incr[1] << 10 | incr[0] << 6);
    }
}
END_TEST

static void release_bank(unsigned thread, unsigned src)
{
    struct tensix_src_banks *banks = &expected.src[src];
    bool keep = expected.thread_config[thread][7] >> src & 1; /* CLR_DVALID_SrcA_Disable */
    if (!keep) {
        banks->matrix_may[banks->matrix_bank] = false;
    }
    banks->matrix_bank ^= 1;
}

START_TEST(setrwc)
{
    for (int n = 0; n < CASES; n++) {
        unsigned thread = below(3), flip = below(4), cr = below(16), set_mask = below(16);
        unsigned dst = below(16), b = below(16), a = below(16);
        uint32_t word = OP(0x37) | flip << 22 | cr << 18 | dst << 14 | b << 10 | a << 6 | set_mask;
        randomize_rwcs();
        randomize_banks();
        tt->thread_config[thread][7] = (uint16_t)below(4);
        read_state(&expected);
        struct tensix_rwc *rwc = &expected.rwc[thread];
        if (set_mask & 1) {
            rwc->src_a = rwc->src_a_cr = (uint8_t)((a + (cr & 1 ? rwc->src_a_cr : 0u)) & 63);
        }
        if (set_mask & 2) {
            rwc->src_b = rwc->src_b_cr = (uint8_t)((b + (cr & 2 ? rwc->src_b_cr : 0u)) & 63);
        }
        if (set_mask & 4 || cr & 8) {
            unsigned base = cr & 8 ? rwc->dst : cr & 4 ? rwc->dst_cr : 0;
            rwc->dst = rwc->dst_cr = (uint16_t)((dst + base) & 1023);
        }
        if (set_mask & 8) {
            rwc->fidelity = 0;
        }
        for (unsigned s = 0; s < 2; s++) {
            if (flip >> s & 1) {
                release_bank(thread, s);
            }
        }
        execute_and_check(thread, word);
    }
}
END_TEST

START_TEST(setdvalid)
{
    for (int n = 0; n < 1000; n++) {
        unsigned flip = below(4);
        randomize_banks();
        read_state(&expected);
        for (unsigned s = 0; s < 2; s++) {
            struct tensix_src_banks *banks = &expected.src[s];
            if (flip >> s & 1) {
                banks->matrix_may[banks->unpack_bank] = true;
                banks->unpack_bank ^= 1;
            }
        }
        execute_and_check(below(3), OP(0x57) | flip);
    }
}
END_TEST

/* --- Address modifiers --- */

enum { AB_SEC = 12, DST_SEC = 28, BIAS_SEC = 47 };

static void apply_src(uint32_t *counter, uint32_t *checkpoint, unsigned bits)
{
    if (bits & 0x80) {
        *counter = *checkpoint = 0;
    } else {
        increment(counter, checkpoint, bits & 0x40, bits & 63);
    }
}

static void apply_dst(struct tensix_rwc *rwc, unsigned bits)
{
    unsigned incr = bits & 1023;
    if (bits >> 11 & 1) {
        rwc->dst = rwc->dst_cr = 0;
    } else if (bits >> 12 & 1) {
        increment_dst(rwc, false, incr);
        rwc->dst_cr = rwc->dst;
    } else {
        increment_dst(rwc, bits >> 10 & 1, incr);
    }
}

static void apply_model(unsigned thread, unsigned index, bool update_fidelity)
{
    struct tensix_rwc *rwc = &expected.rwc[thread];
    const uint16_t *config = expected.thread_config[thread];
    apply_src(&rwc->src_a, &rwc->src_a_cr, config[AB_SEC + index] & 0xff);
    apply_src(&rwc->src_b, &rwc->src_b_cr, config[AB_SEC + index] >> 8);
    apply_dst(rwc, config[DST_SEC + index]);
    if (update_fidelity) {
        unsigned bits = config[DST_SEC + index] >> 13;
        rwc->fidelity = bits & 4 ? 0 : (rwc->fidelity + bits) & 3;
    }
    unsigned bias = config[BIAS_SEC + index];
    if (bias & 0x10) {
        rwc->extra_mod = 0;
    } else if (bias & 3) {
        rwc->extra_mod ^= 1; /* one bit, so 1 + 1 is 0 */
    }
}

/* With the extra bit, four more. GUESS in both: what the extra bit adds to modifiers of the upper
 * half; not tested. */
START_TEST(address_modifiers)
{
    bool partial = _i;
    for (int n = 0; n < CASES; n++) {
        unsigned thread = below(3), modifier = below(8);
        randomize_rwcs();
        for (unsigned i = 0; i < 8; i++) {
            tt->thread_config[thread][AB_SEC + i] = (uint16_t)next_random();
            tt->thread_config[thread][DST_SEC + i] = (uint16_t)next_random();
            tt->thread_config[thread][BIAS_SEC + i] = (uint16_t)next_random();
            if (below(2)) { /* fewer that clear */
                tt->thread_config[thread][AB_SEC + i] &= 0x7f7f;
                tt->thread_config[thread][DST_SEC + i] &= 0xf7ff;
                tt->thread_config[thread][BIAS_SEC + i] &= 0xffef;
            }
        }
        if (modifier >= 4) {
            tt->thread[thread].rwc.extra_mod = 0;
        }
        read_state(&expected);
        apply_model(thread, modifier + (expected.rwc[thread].extra_mod ? 4 : 0), !partial);
        if (partial) {
            tensix_apply_partial_addr_mod(tt, thread, modifier);
        } else {
            tensix_apply_addr_mod(tt, thread, modifier);
        }
        check_state(OP(0x02));
    }
}
END_TEST

/* BiasIncr of 1, 2 and 3 turns the bit over, 4, 8 and 12 do not; clearing wins. */
START_TEST(bias_of_modifiers)
{
    for (unsigned n = 0; n < 64; n++) {
        unsigned bias = n & 31, before = n >> 5;
        memset(&tt->thread[2].rwc, 0, sizeof tt->thread[2].rwc);
        tt->thread[2].rwc.extra_mod = (uint8_t)before;
        tt->thread_config[2][BIAS_SEC + 1 + 4 * before] = (uint16_t)bias;
        tt->thread_config[2][BIAS_SEC + 1 + 4 * !before] = 0;
        tensix_apply_addr_mod(tt, 2, 1);
        unsigned after = bias & 16 ? 0 : bias & 3 ? !before : before;
        ck_assert_uint_eq(tt->thread[2].rwc.extra_mod, after);
    }
}
END_TEST

/* The seeds' trace of a 32x32 multiplication: sixteen modifiers with their counters after each. */
START_TEST(trace_of_a_matmul)
{
    static const struct {
        uint8_t modifier, a, a_cr, b, b_cr, dst;
    } steps[] = {{0, 0, 0, 8, 0, 8},      {1, 16, 0, 0, 0, 16},    {0, 16, 0, 8, 0, 24},
                 {2, 0, 0, 32, 32, 32},   {0, 0, 0, 40, 32, 40},   {1, 16, 0, 32, 32, 48},
                 {0, 16, 0, 40, 32, 56},  {4, 32, 32, 16, 16, 0},  {0, 32, 32, 24, 16, 8},
                 {1, 48, 32, 16, 16, 16}, {0, 48, 32, 24, 16, 24}, {2, 32, 32, 48, 48, 32},
                 {0, 32, 32, 56, 48, 40}, {1, 48, 32, 48, 48, 48}, {0, 48, 32, 56, 48, 56},
                 {5, 0, 0, 0, 0, 0}};
    enum { CR = 0x40, CLEAR = 0x80, DST_CR = 1 << 10, DST_CLEAR = 1 << 11 };
    static const uint16_t ab[] = {
        8 << 8, 16 | CR << 8, CR | (CR | 32) << 8, 0, CR | 32 | (CR | 48) << 8, CLEAR | CLEAR << 8};
    static const uint16_t dst[] = {8, 8, 8, 0, DST_CR, DST_CLEAR | 1 << 13};
    for (unsigned i = 0; i < 6; i++) {
        execute(1, OP(0xb2) | (AB_SEC + i) << 16 | ab[i]); /* SETC16 */
        execute(1, OP(0xb2) | (DST_SEC + i) << 16 | dst[i]);
    }
    for (unsigned phase = 0; phase < 4; phase++) {
        for (int i = 0; i < COUNT(steps); i++) {
            const struct tensix_rwc *rwc = &tt->thread[1].rwc;
            ck_assert_uint_eq(rwc->fidelity, phase);
            tensix_apply_addr_mod(tt, 1, steps[i].modifier);
            ck_assert_msg(rwc->src_a == steps[i].a && rwc->src_a_cr == steps[i].a_cr &&
                              rwc->src_b == steps[i].b && rwc->src_b_cr == steps[i].b_cr &&
                              rwc->dst == steps[i].dst && rwc->dst_cr == 0,
                          "step %d", i);
        }
    }
    ck_assert_uint_eq(tt->thread[1].rwc.fidelity, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("counters");
    TCase *tcase = tcase_create("counters");
    tcase_add_checked_fixture(tcase, open_coprocessor, close_coprocessor);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, setadc);
    tcase_add_test(tcase, setadcxx);
    tcase_add_loop_test(tcase, adc_quads, 0, COUNT(quad_forms));
    tcase_add_test(tcase, incrwc);
    tcase_add_test(tcase, setrwc);
    tcase_add_test(tcase, setdvalid);
    tcase_add_loop_test(tcase, address_modifiers, 0, 2);
    tcase_add_test(tcase, bias_of_modifiers);
    tcase_add_test(tcase, trace_of_a_matmul);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
