/*
 * Races on Config: who changes what under which unit is reported, with both sides; what waited,
 * came later, or changes what the unit does not look at is not.
 */
#include <stdio.h>
#include <string.h>

#include "unit/tile/mmio_harness.h"
#include "tensix/config/users.h"
#include "tensix/exec.h"
#include "unit/tensix/tensix_harness.h"

static struct tensix_harness coprocessor;

static void setup(void)
{
    tensix_harness_open(&coprocessor);
}

static void teardown(void)
{
    tensix_harness_close(&coprocessor);
}

FIXTURE(setup, teardown);

static const char *const flight_instructions[TENSIX_FLIGHTS] = {
    "UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1", "UNPACR 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1",
    "PACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1"};
static const char *const flight_names[TENSIX_FLIGHTS] = {"UNPACR", "UNPACR", "PACR"};

/* The latest instruction of a unit, as its handler notes it, of thread 0. */
static void take_off(struct tensix *tensix, unsigned unit, unsigned cycles)
{
    uint32_t next = tensix->thread[0].next;
    tensix->thread[0].next = tensix_harness_assemble(flight_instructions[unit]);
    tensix->thread[0].origin.pc = 0x1234;
    tensix_take_off(tensix, 0, (enum tensix_flight_unit)unit, cycles);
    tensix->thread[0].next = next;
}

/* Changes a word of state 0 by an instruction of `thread`: all of it, or its lowest byte. */
static void change(unsigned thread, unsigned word, bool is_byte)
{
    char text[80];
    coprocessor.tensix.gpr[thread][4] = ~coprocessor.tensix.config[0][word];
    if (is_byte) {
        snprintf(text, sizeof text, "RMWCIB0 255, %u, %u",
                 ~coprocessor.tensix.config[0][word] & 0xff, word);
    } else {
        snprintf(text, sizeof text, "WRCFG 4, 0, %u", word);
    }
    tensix_harness_run(&coprocessor, thread, text);
}

static unsigned first_word_of(unsigned user)
{
    for (unsigned word = 3; word < TENSIX_GLOBAL_WORD; word++) {
        if (tensix_config_uses[word].cached == user) {
            return word;
        }
    }
    ck_abort_msg("no word is used by unit %u alone", user);
    return 0;
}

/* _i: the unit that is at work. */
TEST_EACH(a_change_under_a_unit_is_reported, TENSIX_FLIGHTS)
{
    unsigned user = 1u << _i;
    for (unsigned other = 0; other < TENSIX_FLIGHTS; other++) {
        for (int is_byte = 0; is_byte < 2; is_byte++) {
            unsigned word = first_word_of(1u << other);
            bool is_race = tensix_config_uses[word].cached & user;
            coprocessor.faults = 0;
            take_off(&coprocessor.tensix, (unsigned)_i, 1000);
            change(2, word, is_byte);
            ck_assert_uint_eq(coprocessor.faults, is_race);
            if (is_race) {
                ck_assert_int_eq(coprocessor.fault.kind, PENROSE_FAULT_CONFIG_RACE);
                ck_assert_uint_eq(coprocessor.fault.thread, 2);
                ck_assert_ptr_nonnull(
                    strstr(coprocessor.fault.text, is_byte ? "RMWCIB0" : "WRCFG"));
                ck_assert_ptr_nonnull(strstr(coprocessor.fault.text, flight_names[_i]));
                ck_assert_ptr_nonnull(strstr(coprocessor.fault.text, "0x00001234"));
            }
        }
    }
}

TEST_EACH(who_waits_does_not_race, TENSIX_FLIGHTS)
{
    char text[40];
    unsigned word = first_word_of(1u << _i);
    take_off(&coprocessor.tensix, (unsigned)_i, 1000);
    snprintf(text, sizeof text, "STALLWAIT 0x80, %u", 2u << (_i + 1) % 3);
    tensix_harness_run(&coprocessor, 0, text); /* for another unit */
    change(0, word, false);
    ck_assert_uint_eq(coprocessor.faults, 1);
    snprintf(text, sizeof text, "STALLWAIT 0x80, %u", 2u << _i);
    tensix_harness_run(&coprocessor, 1,
                       text); /* another thread's instructions are not waited for */
    change(0, word, false);
    ck_assert_uint_eq(coprocessor.faults, 2);
    tensix_harness_run(&coprocessor, 0, text);
    change(0, word, false);
    ck_assert_uint_eq(coprocessor.faults, 2);
}

TEST(what_is_over_or_not_looked_at_is_no_race)
{
    struct tensix *tensix = &coprocessor.tensix;
    unsigned word = TENSIX_WORD_THCON_SEC0_REG2_Haloize_mode;
    take_off(tensix, TENSIX_FLIGHT_UNPACKER0, 3);
    tensix_harness_run(&coprocessor, 1, "NOP; NOP; NOP; NOP; NOP");
    change(1, word, false);
    ck_assert_uint_eq(coprocessor.faults, 0);

    take_off(tensix, TENSIX_FLIGHT_UNPACKER0, 1000);
    tensix_set_thread_field(tensix, 1, TENSIX_FIELD_CFG_STATE_ID_StateID, 1);
    change(1, word, false); /* the other state */
    ck_assert_uint_eq(coprocessor.faults, 0);
    tensix_set_thread_field(tensix, 1, TENSIX_FIELD_CFG_STATE_ID_StateID, 0);
    tensix->gpr[1][4] = tensix->config[0][word];
    tensix_harness_run(&coprocessor, 1, "WRCFG 4, 0, 72"); /* what is there already */
    ck_assert_uint_eq(coprocessor.faults, 0);
    change(1, TENSIX_WORD_THCON_SEC0_REG3_Base_address, false); /* read afresh */
    ck_assert_uint_eq(coprocessor.faults, 0);
    change(1, word, false);
    ck_assert_uint_eq(coprocessor.faults, 1);
}

/* Unpackers and packer can move a row of BF16. */
static void prepare_units(struct tensix *tensix)
{
    enum { BF16 = 5, UNCOMPRESSED = 1 << 4, X_DIM_SHIFT = 16 };
    const uint32_t descriptor = BF16 | UNCOMPRESSED | 16u << X_DIM_SHIFT;
    tensix->config[0][TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor] = descriptor;
    tensix->config[0][TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor] = descriptor;
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_THCON_SEC0_REG2_Out_data_format, BF16);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_THCON_SEC1_REG2_Out_data_format, BF16);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_ALU_FORMAT_SPEC_REG2_Dstacc, BF16);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_THCON_SEC0_REG1_In_data_format, BF16);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_THCON_SEC0_REG1_Out_data_format, BF16);
}

static const unsigned address_words[TENSIX_FLIGHTS] = {TENSIX_WORD_THCON_SEC0_REG3_Base_address,
                                                       TENSIX_WORD_THCON_SEC1_REG3_Base_address,
                                                       TENSIX_WORD_THCON_SEC0_REG1_L1_Dest_addr};

/* WRCFG of a word, other instructions, and one of the unit. */
static void use_behind_write(unsigned unit, unsigned word, uint32_t value, const char *between)
{
    char text[160];
    coprocessor.tensix.gpr[0][4] = value;
    snprintf(text, sizeof text, "WRCFG 4, 0, %u; %s %s", word, between, flight_instructions[unit]);
    tensix_harness_run(&coprocessor, 0, text);
}

TEST_EACH(the_next_instruction_comes_too_early, TENSIX_FLIGHTS)
{
    const unsigned unit = (unsigned)_i;
    prepare_units(&coprocessor.tensix);
    use_behind_write(unit, address_words[unit], 0x100, "");
    ck_assert_uint_eq(coprocessor.faults, 1);
    ck_assert_int_eq(coprocessor.fault.kind, PENROSE_FAULT_CONFIG_RACE);
    ck_assert_ptr_nonnull(strstr(coprocessor.fault.text, flight_names[unit]));
    ck_assert_ptr_nonnull(strstr(coprocessor.fault.text, "before WRCFG of trisc0 at pc 0x"));
    ck_assert_ptr_nonnull(strstr(coprocessor.fault.text, "a NOP is missing between them"));
    use_behind_write(unit, address_words[unit], 0x100, ""); /* what is there already */
    ck_assert_uint_eq(coprocessor.faults, 1);
}

TEST_EACH(a_nop_is_enough, TENSIX_FLIGHTS)
{
    const unsigned unit = (unsigned)_i;
    prepare_units(&coprocessor.tensix);
    use_behind_write(unit, address_words[unit], 0x100, "NOP;");
    ck_assert_msg(coprocessor.faults == 0, "%s", coprocessor.fault.text);
    use_behind_write(unit, TENSIX_WORD_SCRATCH_SEC0_val, 0x200, ""); /* which no unit looks at */
    ck_assert_msg(coprocessor.faults == 0, "%s", coprocessor.fault.text);
}

TEST(a_policy_stops_before_an_early_use)
{
    struct tensix *tensix = &coprocessor.tensix;
    prepare_units(tensix);
    coprocessor.stop = true;
    use_behind_write(TENSIX_FLIGHT_UNPACKER0, address_words[0], 0x100, "");
    ck_assert_uint_eq(coprocessor.faults, 1);
    ck_assert_int_eq(tensix->stopped, TENSIX_FAULTED);
    ck_assert_uint_eq(tensix->flight[TENSIX_FLIGHT_UNPACKER0].until, 0); /* it has not started */
}

/* A bank that the Matrix Unit gives back has been filled; a reset aborts what is under way. */
TEST(banks_and_resets_end_flights)
{
    struct tensix *tensix = &coprocessor.tensix;
    take_off(tensix, TENSIX_FLIGHT_UNPACKER0, 1000);
    take_off(tensix, TENSIX_FLIGHT_UNPACKER1, 1000);
    tensix_src_give(tensix, TENSIX_SRC_A);
    tensix_src_release(tensix, TENSIX_SRC_A, false);
    change(1, first_word_of(TENSIX_USED_BY_UNPACKER0), false);
    ck_assert_uint_eq(coprocessor.faults, 0);
    change(1, first_word_of(TENSIX_USED_BY_UNPACKER1), false);
    ck_assert_uint_eq(coprocessor.faults, 1);

    for (unsigned unit = 0; unit < TENSIX_FLIGHTS; unit++) {
        take_off(tensix, unit, 1000);
    }
    tensix_soft_reset(tensix, 0, TENSIX_RESET_UNPACKERS | TENSIX_RESET_PACKERS);
    tensix_soft_reset(tensix, TENSIX_RESET_UNPACKERS | TENSIX_RESET_PACKERS, 0);
    for (unsigned unit = 0; unit < TENSIX_FLIGHTS; unit++) {
        change(1, first_word_of(1u << unit), true);
    }
    ck_assert_uint_eq(coprocessor.faults, 1);
}

/* LLK's compressed products put an UNPACR_NOP that waits as UNPACR does between an UNPACR and a
 * change of its configuration. */
TEST(clearing_src_may_wait_for_the_unpacker)
{
    for (unsigned waits = 0; waits < 2; waits++) {
        take_off(&coprocessor.tensix, TENSIX_FLIGHT_UNPACKER0, 1000);
        take_off(&coprocessor.tensix, TENSIX_FLIGHT_UNPACKER1, 1000);
        tensix_harness_run(&coprocessor, 0,
                           waits ? "UNPACR_NOP 0, 0, 0, 0, 0, 1, 0, 0, 1"
                                 : "UNPACR_NOP 0, 0, 0, 0, 0, 0, 0, 0, 1");
        coprocessor.faults = 0;
        change(0, first_word_of(TENSIX_USED_BY_UNPACKER0), false);
        ck_assert_uint_eq(coprocessor.faults, !waits);
        change(0, first_word_of(TENSIX_USED_BY_UNPACKER1), false); /* the other one */
        ck_assert_uint_eq(coprocessor.faults, !waits + 1u);
    }
}

/* Word 1 has fields for all units; some fields cannot be raced for. */
TEST(fields_of_shared_words)
{
    static const struct {
        enum tensix_field_id field;
        unsigned users;
    } rows[] = {
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG2_Dstacc, TENSIX_USED_BY_PACKER},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcA, 0},
        {TENSIX_FIELD_ALU_ACC_CTRL_SFPU_Fp32_enabled, 0},
        {TENSIX_FIELD_DEST_ACCESS_CFG_zeroacc_absolute_tile_mode, 0},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcAUnsigned, TENSIX_USED_BY_UNPACKER0},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcBUnsigned, TENSIX_USED_BY_UNPACKER1},
        {TENSIX_FIELD_STACC_RELU_ApplyRelu, TENSIX_USED_BY_PACKER},
        {TENSIX_FIELD_THCON_SEC0_REG1_Unp_LF8_4b_exp, TENSIX_USED_BY_UNPACKER0},
        {TENSIX_FIELD_THCON_SEC0_REG1_Pack_L1_Acc, TENSIX_USED_BY_PACKER},
        {TENSIX_FIELD_THCON_SEC0_REG2_Out_data_format, TENSIX_USED_BY_UNPACKER0},
        {TENSIX_FIELD_THCON_SEC0_REG2_Tileize_mode, TENSIX_USED_BY_UNPACKER0},
        {TENSIX_FIELD_THCON_SEC0_REG2_Haloize_mode, 0}, /* UNPACR takes it along */
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct tensix_field *field = &tensix_fields[rows[i].field];
        for (unsigned unit = 0; unit < TENSIX_FLIGHTS; unit++) {
            memset(coprocessor.tensix.flight, 0, sizeof coprocessor.tensix.flight);
            take_off(&coprocessor.tensix, unit, 1000);
            enum tensix_flight_unit answer =
                tensix_race(&coprocessor.tensix, 0, field->word, tensix_field_mask(field),
                            coprocessor.tensix.now);
            ck_assert_int_eq(answer == unit, rows[i].users >> unit & 1);
        }
    }
}

/* As in scaled dot product attention of ttnn: a product whose second factor is transposed, then a
 * mask that is not. The plan must follow all the same. */
TEST(transposing_may_change_under_the_unpacker)
{
    struct tensix *tensix = &coprocessor.tensix;
    take_off(tensix, TENSIX_FLIGHT_UNPACKER0, 1000);
    tensix->stale = 0;
    tensix_harness_run(&coprocessor, 0, "RMWCIB1 1, 1, 72; RMWCIB1 1, 0, 72; RMWCIB1 1, 1, 72");
    ck_assert_uint_eq(coprocessor.faults, 0);
    ck_assert_uint_eq(tensix->config[0][72], 0x100);
    ck_assert_uint_eq(tensix->stale & TENSIX_USED_BY_UNPACKER0, TENSIX_USED_BY_UNPACKER0);
    tensix_harness_run(&coprocessor, 0, "RMWCIB1 3, 3, 72"); /* Tileize_mode, too */
    ck_assert_uint_eq(coprocessor.faults, 1);
    ck_assert_ptr_null(strstr(coprocessor.fault.text, "Haloize_mode"));
}

/* --- Stores of harts --- */

#define CONFIG(word)     (UINT32_C(0xffef0000) + 4 * (uint32_t)(word))
#define COPROCESSOR_DONE UINT32_C(0xffe80004)

TEST(stores_of_harts)
{
    unsigned word = TENSIX_WORD_THCON_SEC0_REG2_Out_data_format;
    harness_open(H);
    harness.policy = PENROSE_WARN;
    take_off(&harness.tile->tensix, TENSIX_FLIGHT_UNPACKER0, 1000);
    put(AGENT_T0, CONFIG(word), 1);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_CONFIG_RACE);
    ck_assert_ptr_nonnull(strstr(harness.fault.text, "a store changes"));
    ck_assert_ptr_nonnull(strstr(harness.fault.text, "of trisc0 at pc"));
    put(AGENT_T0, CONFIG(TENSIX_STATE_WORDS + word), 1); /* state 1 */
    ck_assert_uint_eq(harness.faults, 1);
    put(AGENT_B, CONFIG(TENSIX_CONFIG_DUAL + word), 3); /* both */
    ck_assert_uint_eq(harness.faults, 2);
    (void)get(AGENT_T1, COPROCESSOR_DONE); /* of thread 1 */
    put(AGENT_T1, CONFIG(word), 5);
    ck_assert_uint_eq(harness.faults, 3);
    (void)get(AGENT_T0, COPROCESSOR_DONE);
    put(AGENT_T0, CONFIG(word), 7);
    ck_assert_uint_eq(harness.faults, 3);
    harness_close(H);
}
