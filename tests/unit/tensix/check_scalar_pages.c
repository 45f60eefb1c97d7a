/*
 * Scalar Unit without memory, from the pages alone: arithmetic on GPRs, SETDMAREG of packer state,
 * REG2FLOP to address counters and to configuration.
 *
 * SPEC: WormholeB0 ADDDMAREG, SUBDMAREG, MULDMAREG, BITWOPDMAREG, SHIFTDMAREG, CMPDMAREG,
 * SETDMAREG_Immediate, SETDMAREG_Special, REG2FLOP_ADC, REG2FLOP_Configuration, ADCs
 * (newest: Z and W have 13 bits on Blackhole).
 */
#include "unit/tensix/pages_world.h"

enum { CASES = 4000 };

/* --- Arithmetic --- */

enum alu { ADD = 0x58, SUB = 0x59, MUL = 0x5a, BITWOP = 0x5b, SHIFT = 0x5c, CMP = 0x5d };

static const struct alu_form {
    const char *name;
    enum alu opcode;
    unsigned modes; /* that the page defines; 0: no mode */
} alu_forms[] = {{"ADDDMAREG", ADD, 0},       {"SUBDMAREG", SUB, 0},     {"MULDMAREG", MUL, 0},
                 {"BITWOPDMAREG", BITWOP, 3}, {"SHIFTDMAREG", SHIFT, 2}, {"CMPDMAREG", CMP, 3}};

static uint32_t alu_word(enum alu opcode, bool is_imm, unsigned mode, unsigned result,
                         unsigned right, unsigned left)
{
    return OP(opcode) | (uint32_t)is_imm << 23 | mode << 18 | result << 12 | right << 6 | left;
}

static uint32_t alu_model(enum alu opcode, unsigned mode, uint32_t left, uint32_t right)
{
    switch (opcode) {
    case ADD:
        return left + right;
    case SUB:
        return left - right;
    case MUL:
        return (left & 0xffff) * (right & 0xffff);
    case BITWOP:
        return mode == 0 ? left & right : mode == 1 ? left | right : left ^ right;
    case SHIFT:
        return mode == 0 ? left << (right & 31) : left >> (right & 31);
    case CMP:
        return mode == 0 ? left > right : mode == 1 ? left < right : left == right;
    }
    return 0;
}

static void alu_case(const struct alu_form *form, bool is_imm, unsigned mode, unsigned thread,
                     unsigned result, unsigned right, unsigned left)
{
    uint32_t word = alu_word(form->opcode, is_imm, mode, result, right, left);
    read_state(&expected);
    const uint32_t *gpr = tt->gpr[thread];
    expected.gpr[thread][result] =
        alu_model(form->opcode, mode, gpr[left], is_imm ? right : gpr[right]);
    execute_and_check(thread, word);
}

static unsigned any_mode(const struct alu_form *form)
{
    return form->modes ? below(form->modes) : 0;
}

START_TEST(alu_random)
{
    const struct alu_form *form = &alu_forms[_i];
    for (int i = 0; i < CASES; i++) {
        randomize_gprs();
        unsigned left = below(TENSIX_GPRS), right = below(TENSIX_GPRS);
        if (below(4) == 0) {
            tt->gpr[0][right] = tt->gpr[0][left] + below(3) - 1; /* comparisons that are close */
        }
        alu_case(form, false, any_mode(form), below(TENSIX_THREADS), below(TENSIX_GPRS), right,
                 left);
    }
}
END_TEST

/* Every immediate; of those of a shift five bits count. */
START_TEST(alu_immediates)
{
    const struct alu_form *form = &alu_forms[_i];
    for (unsigned imm = 0; imm < 64; imm++) {
        for (int i = 0; i < 20; i++) {
            randomize_gprs();
            unsigned thread = below(TENSIX_THREADS), left = below(TENSIX_GPRS);
            if (i < 5) {
                tt->gpr[thread][left] = imm + (unsigned)i - 2;
            }
            alu_case(form, true, any_mode(form), thread, below(TENSIX_GPRS), imm, left);
        }
    }
}
END_TEST

/* All pairs of values near the ends of their range, in each mode. */
START_TEST(alu_boundaries)
{
    static const uint32_t values[] = {0,      1,       2,          31,         32,
                                      0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
    const struct alu_form *form = &alu_forms[_i];
    for (int a = 0; a < COUNT(values); a++) {
        for (int b = 0; b < COUNT(values); b++) {
            for (unsigned mode = 0; mode < (form->modes ? form->modes : 1); mode++) {
                tt->gpr[1][10] = values[a];
                tt->gpr[1][20] = values[b];
                alu_case(form, false, mode, 1, 63, 20, 10);
            }
        }
    }
}
END_TEST

/* The result may be either operand, or both. */
START_TEST(alu_aliases)
{
    static const unsigned registers[][3] = {{5, 5, 6}, {5, 6, 5}, {5, 6, 6}, {5, 5, 5}, {0, 0, 63}};
    const struct alu_form *form = &alu_forms[_i];
    for (int alias = 0; alias < COUNT(registers); alias++) {
        for (int i = 0; i < 200; i++) {
            randomize_gprs();
            alu_case(form, i % 2, any_mode(form), below(TENSIX_THREADS), registers[alias][0],
                     registers[alias][1] % (form->opcode == SHIFT && i % 2 ? 32 : 64),
                     registers[alias][2]);
        }
    }
}
END_TEST

START_TEST(alu_undefined_modes)
{
    const struct alu_form *form = &alu_forms[_i];
    for (unsigned mode = form->modes; mode < 8; mode++) {
        for (int i = 0; i < 10; i++) {
            randomize_gprs();
            uint32_t word = alu_word(form->opcode, i % 2, mode, below(TENSIX_GPRS), below(32),
                                     below(TENSIX_GPRS));
            execute_fault(below(TENSIX_THREADS), word, TENSIX_FAULT_UNDEFINED);
        }
    }
    ck_assert_uint_eq(harness.faults, 10 * (8 - form->modes));
}
END_TEST

/* A fault under the policy "stop": nothing has happened, and what follows does not execute. */
START_TEST(alu_undefined_mode_stops)
{
    randomize_gprs();
    read_state(&expected);
    harness.stop = true;
    uint32_t word = alu_word(BITWOP, false, 7, 1, 2, 3);
    tensix_harness_push(&harness, 2, word);
    ck_assert(tt->stopped);
    check_state(word);
    ck_assert(tensix_thread_busy(tt, 2));
    tensix_harness_push(&harness, 2, alu_word(ADD, true, 0, 1, 1, 1));
    check_state(word);
    harness.stop = false;
    tt->stopped = false;
    tensix_harness_go(&harness, 0);
    expected.gpr[2][1] += 1;
    check_state(word);
    ck_assert(!tensix_thread_busy(tt, 2));
}
END_TEST

/* --- SETDMAREG --- */

START_TEST(setdmareg_immediate)
{
    for (unsigned half = 0; half < 2 * TENSIX_GPRS; half++) {
        for (int i = 0; i < 8; i++) {
            randomize_gprs();
            unsigned thread = below(TENSIX_THREADS), shift = 16 * (half % 2);
            uint32_t value = any_value() & 0xffff;
            read_state(&expected);
            uint32_t *gpr = &expected.gpr[thread][half / 2];
            *gpr = (*gpr & ~(UINT32_C(0xffff) << shift)) | value << shift;
            execute_and_check(thread, OP(0x45) | value << 8 | half);
        }
    }
}
END_TEST

static uint32_t special_word(unsigned size, unsigned packers, unsigned source, unsigned input_half,
                             unsigned result_half)
{
    return OP(0x45) | size << 22 | packers << 15 | source << 11 | input_half << 8 | 1u << 7 |
           result_half;
}

static void store_half(uint32_t *gprs, unsigned half, uint32_t value)
{
    unsigned shift = 16 * (half % 2);
    gprs[half / 2] = (gprs[half / 2] & ~(UINT32_C(0xffff) << shift)) | (value & 0xffff) << shift;
}

/* What of 128 bits goes where. */
static void special_model(uint32_t *gprs, const uint32_t values[4], unsigned size,
                          unsigned input_half, unsigned result_half)
{
    uint32_t *four = &gprs[result_half >> 1 & 0x3c];
    switch (size) {
    case 0:
        store_half(gprs, result_half, values[input_half / 2] >> 16 * (input_half % 2));
        break;
    case 1:
        gprs[result_half >> 1] = values[input_half >> 1];
        break;
    case 2:
        memcpy(four, values, 16);
        break;
    case 3: /* the fields of a tile header: size; format, compression, spare; flags */
        four[0] = (four[0] & 0xffff0000) | (values[0] & 0xffff);
        four[1] = (four[1] & 0xff00ffff) | (values[1] & 0x00ff0000);
        four[2] = values[2];
        break;
    }
}

static void special_case(const uint32_t values[4], unsigned size, unsigned packers, unsigned source,
                         unsigned input_half, unsigned result_half)
{
    unsigned thread = below(TENSIX_THREADS);
    randomize_gprs();
    read_state(&expected);
    special_model(expected.gpr[thread], values, size, input_half, result_half);
    execute_and_check(thread, special_word(size, packers, source, input_half, result_half));
}

/* Sources that the page does not name give zeros. */
START_TEST(setdmareg_zeros)
{
    static const uint32_t zeros[4];
    unsigned size = (unsigned)_i;
    for (unsigned source = 10; source < 16; source++) {
        for (unsigned half = 0; half < 2 * TENSIX_GPRS; half++) {
            special_case(zeros, size, below(16), source, below(8), half);
        }
    }
}
END_TEST

/* State of packers that have packed nothing: GUESS: zeros. */
START_TEST(setdmareg_idle_packers)
{
    static const uint32_t zeros[4];
    static const unsigned sources[] = {0, 1, 6, 7, 8, 9};
    for (int s = 0; s < COUNT(sources); s++) {
        for (unsigned i = 0; i < 32; i++) {
            special_case(zeros, i % 4, below(16), sources[s], below(8), below(128));
        }
    }
}
END_TEST

/* The tile header of a packer that has packed nothing: a size of 0 + 1, the output format, and
 * whether zeros are compressed. Blackhole has one packer, which is source 2 (YAML). */
START_TEST(setdmareg_tile_header)
{
    enum { WORD = 70 }; /* THCON_SEC0_REG1: Disable_zero_compress in 0, Out_data_format in 7:4 */
    for (int i = 0; i < 1000; i++) {
        unsigned thread = below(TENSIX_THREADS), state = below(2), size = below(4);
        unsigned format = below(16), disable = below(2), result = below(128), input = below(8);
        randomize_gprs();
        tt->thread_config[thread][0] = (uint16_t)state;
        tt->config[state][WORD] = format << 4 | disable;
        tt->config[!state][WORD] = (format ^ 15) << 4 | !disable;
        uint32_t values[4] = {1, format << 16 | disable << 20, 0, 0};
        read_state(&expected);
        special_model(expected.gpr[thread], values, size, input, result);
        execute_and_check(thread, special_word(size, below(16), 2, input, result));
    }
}
END_TEST

/* --- REG2FLOP --- */

static uint32_t adc_word(unsigned size, bool override, unsigned shift8, unsigned thread_sel,
                         unsigned channel, unsigned adc_sel, bool cr, unsigned xyzw, unsigned input)
{
    return OP(0x48) | size << 22 | 1u << 21 | (uint32_t) override << 20 | shift8 << 18 |
           thread_sel << 16 | channel << 11 | adc_sel << 9 | (uint32_t)cr << 8 | xyzw << 6 | input;
}

static uint32_t adc_value(unsigned size, unsigned shift8, uint32_t value)
{
    switch (size) {
    case 1:
        return shift8 ? 0 : value;
    case 2:
        return shift8 == 0 ? value & 0xffff : shift8 == 2 ? value >> 16 : 0;
    case 3:
        return value >> (8 * shift8) & 0xff;
    default:
        return 0;
    }
}

static void adc_store(struct tensix_adc_channel *channel, unsigned xyzw, bool cr, uint32_t value)
{
    switch (xyzw) {
    case 0:
        *(cr ? &channel->x_cr : &channel->x) = value & 0x3ffff;
        break;
    case 1:
        *(cr ? &channel->y_cr : &channel->y) = (uint16_t)(value & 0x1fff);
        break;
    case 2:
        *(cr ? &channel->z_cr : &channel->z) = (uint16_t)(value & 0x1fff);
        break;
    case 3:
        *(cr ? &channel->w_cr : &channel->w) = (uint16_t)(value & 0x1fff);
        break;
    }
}

static void randomize_adcs(void)
{
    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        for (unsigned i = 0; i < TENSIX_ADCS * 2; i++) {
            struct tensix_adc_channel *channel = &tt->thread[t].adc[i / 2].channel[i % 2];
            for (unsigned n = 0; n < 8; n++) {
                adc_store(channel, n / 2, n % 2, next_random());
            }
        }
    }
}

/* All values of all fields but the thread and the register. */
START_TEST(reg2flop_adc)
{
    unsigned size = (unsigned)_i / 4, shift8 = (unsigned)_i % 4;
    for (unsigned n = 0; n < 1u << 9; n++) {
        bool override = n & 1, cr = n & 2;
        unsigned channel = n >> 2 & 1, adc_sel = n >> 3 & 3, xyzw = n >> 5 & 3;
        unsigned thread_sel = n >> 7 & 3;
        unsigned thread = below(TENSIX_THREADS), input = below(TENSIX_GPRS);
        randomize_gprs();
        randomize_adcs();
        read_state(&expected);
        unsigned which = override ? thread_sel : thread;
        if (which < 3 && adc_sel < 3) {
            adc_store(&expected.adc[which][adc_sel].channel[channel], xyzw, cr,
                      adc_value(size, shift8, tt->gpr[thread][input]));
        }
        execute_and_check(thread, adc_word(size, override, shift8, thread_sel, channel, adc_sel, cr,
                                           xyzw, input));
    }
}
END_TEST

enum { THCON_WORDS = TENSIX_GLOBAL_WORD - TENSIX_THCON_WORD };

/* 32 and 128 bits; what the smaller sizes do, pages disagree on. */
START_TEST(reg2flop_config)
{
    for (unsigned index = 0; index < THCON_WORDS; index++) {
        for (unsigned size = 0; size < 2; size++) {
            unsigned thread = below(TENSIX_THREADS), input = below(TENSIX_GPRS), state = below(2);
            randomize_gprs();
            tt->thread_config[thread][0] = (uint16_t)state;
            read_state(&expected);
            uint32_t *config = &expected.config[state][TENSIX_THCON_WORD];
            if (size == 0) {
                memcpy(&config[index & ~3u], &tt->gpr[thread][input & ~3u], 16);
            } else {
                config[index] = tt->gpr[thread][input];
            }
            execute_and_check(thread, OP(0x48) | size << 22 | index << 6 | input);
        }
    }
}
END_TEST

START_TEST(reg2flop_config_out_of_range)
{
    for (unsigned index = THCON_WORDS; index < 128; index++) {
        execute_fault(0, OP(0x48) | 1u << 22 | index << 6, TENSIX_FAULT_UNDEFINED);
        execute_fault(0, OP(0x48) | 0u << 22 | index << 6, TENSIX_FAULT_UNDEFINED);
    }
}
END_TEST

/* --- Encodings --- */

START_TEST(encodings)
{
    assembles_to("ADDDMAREG 1, 2, 3, 4", alu_word(ADD, true, 0, 2, 3, 4));
    assembles_to("SUBDMAREG 0, 63, 62, 61", alu_word(SUB, false, 0, 63, 62, 61));
    assembles_to("MULDMAREG 1, 9, 8, 7", alu_word(MUL, true, 0, 9, 8, 7));
    assembles_to("BITWOPDMAREG 0, 2, 9, 8, 7", alu_word(BITWOP, false, 2, 9, 8, 7));
    assembles_to("SHIFTDMAREG 1, 1, 9, 31, 7", alu_word(SHIFT, true, 1, 9, 31, 7));
    assembles_to("CMPDMAREG 1, 2, 9, 63, 7", alu_word(CMP, true, 2, 9, 63, 7));
    /* result size, (packers << 7) + (source << 3) + input half, 1, result half */
    assembles_to("SETDMAREG 3, 0x2d5, 1, 0x7f", special_word(3, 5, 10, 5, 127));
    assembles_to("SETDMAREG 0, 0xffff, 0, 5", OP(0x45) | 0xffffu << 8 | 5);
    /* size, 2 + override, shift, thread, (channel << 5) + (adc << 3) + (cr << 2) + xyzw, input */
    assembles_to("REG2FLOP 3, 3, 2, 1, 0x36, 9", adc_word(3, true, 2, 1, 1, 2, true, 2, 9));
    assembles_to("REG2FLOP 1, 0, 0, 0, 0x55, 9", OP(0x48) | 1u << 22 | 0x55u << 6 | 9);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scalar");
    TCase *tcase = tcase_create("scalar");
    tcase_add_checked_fixture(tcase, open_coprocessor, close_coprocessor);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, alu_random, 0, COUNT(alu_forms));
    tcase_add_loop_test(tcase, alu_immediates, 0, COUNT(alu_forms));
    tcase_add_loop_test(tcase, alu_boundaries, 0, COUNT(alu_forms));
    tcase_add_loop_test(tcase, alu_aliases, 0, COUNT(alu_forms));
    tcase_add_loop_test(tcase, alu_undefined_modes, 3, COUNT(alu_forms));
    tcase_add_test(tcase, alu_undefined_mode_stops);
    tcase_add_test(tcase, setdmareg_immediate);
    tcase_add_loop_test(tcase, setdmareg_zeros, 0, 4);
    tcase_add_test(tcase, setdmareg_idle_packers);
    tcase_add_test(tcase, setdmareg_tile_header);
    tcase_add_loop_test(tcase, reg2flop_adc, 0, 16);
    tcase_add_test(tcase, reg2flop_config);
    tcase_add_test(tcase, reg2flop_config_out_of_range);
    tcase_add_test(tcase, encodings);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
