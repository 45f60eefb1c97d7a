/*
 * The Scalar Unit without memory: SETDMAREG of packer state, and faults in words. What it computes,
 * and what REG2FLOP writes, is in check_scalar_random.c.
 */
#include "unit/tensix/scalar_world.h"

/* ADDDMAREG and its like. */
static uint32_t alu(unsigned opcode, unsigned mode, unsigned result, unsigned right, unsigned left)
{
    return op(opcode, mode << 18 | result << 12 | right << 6 | left);
}

static uint32_t special(unsigned size, unsigned packers, unsigned source, unsigned input_half,
                        unsigned result_half)
{
    return op(0x45,
              size << 22 | packers << 15 | source << 11 | input_half << 8 | 1u << 7 | result_half);
}

static uint32_t reg2flop_config(unsigned size, unsigned offset, unsigned index, unsigned reg)
{
    return op(0x48, size << 22 | offset << 18 | index << 6 | reg);
}

FIXTURE(setup, teardown);

TEST_EACH(undefined_modes_fault, 3)
{
    static const uint8_t first[] = {[0x5b - 0x5b] = 3, [0x5c - 0x5b] = 2, [0x5d - 0x5b] = 3};
    static const char *const name[] = {"BITWOPDMAREG", "SHIFTDMAREG", "CMPDMAREG"};
    unsigned which = (unsigned)_i;
    for (unsigned mode = first[which]; mode < 8; mode++) {
        fill_gprs();
        run(alu(0x5b + which, mode, 1, 2, 3));
        assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, name[which]);
        assert_gprs_kept(0, 0);
    }
}

TEST(dmanop_changes_nothing)
{
    fill_gprs();
    run(op(0x60, 0));
    assert_done();
    assert_gprs_kept(0, 0);
    ck_assert_uint_eq(tensix->thread[0].drained, 1);
}

/* --- SETDMAREG --- */

/* A tile header is what of the packer's state is not 0 yet: TileSize 1, format and compression. */
static uint32_t header_word(unsigned word, unsigned format, unsigned uncompressed)
{
    return word == 0 ? 1 : word == 1 ? format << 16 | uncompressed << 20 : 0;
}

static void set_packer(unsigned state, unsigned format, unsigned uncompressed)
{
    tensix_set_config_field(tensix, state, TENSIX_FIELD_THCON_SEC0_REG1_Out_data_format, format);
    tensix_set_config_field(tensix, state, TENSIX_FIELD_THCON_SEC0_REG1_Disable_zero_compress,
                            uncompressed);
}

/* 16, 32 and 128 bits, and 128 but for reserved fields: what is written, and nothing else. */
TEST_EACH(setdmareg_tile_header, 4)
{
    enum { STATE = 1, FORMAT = 0xb };
    static const uint32_t reserved[] = {0xffff0000, 0xff00ffff, 0, 0xffffffff};
    set_packer(STATE, FORMAT, 1);
    tensix_set_thread_field(tensix, 0, TENSIX_FIELD_CFG_STATE_ID_StateID, STATE);
    for (unsigned i = 0; i < 8 * 2 * TENSIX_GPRS; i++) {
        unsigned in = i % 8, out = i / 8, first = _i < 2 ? out / 2 : out / 2 & ~3u;
        unsigned count = _i < 2 ? 1 : 4;
        fill_gprs();
        run(special((unsigned)_i, 0, 2, in, out));
        for (unsigned k = 0; k < count; k++) {
            uint32_t header = header_word(_i < 2 ? in / 2 : k, FORMAT, 1), kept = 0;
            if (_i == 0) {
                header = (header >> 16 * (in & 1) & 0xffff) << 16 * (out & 1);
                kept = 0xffffu << 16 * (~out & 1);
            } else if (_i == 3) {
                kept = reserved[k];
            }
            ck_assert_uint_eq(*gpr(first + k), header | (pattern(0, first + k) & kept));
        }
        assert_gprs_kept(first, count);
    }
    assert_done();
}

/* Nothing has been packed: every other source is 0, and 10 to 15 always are. */
TEST_EACH(setdmareg_special_sources, 16)
{
    unsigned source = (unsigned)_i;
    for (unsigned packers = 0; packers < 16; packers++) {
        fill_gprs();
        run(special(2, packers, source, 0, 8));
        if (source >= 3 && source <= 5) {
            assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, "SETDMAREG: source");
            assert_gprs_kept(0, 0);
            continue;
        }
        for (unsigned i = 0; i < 4; i++) {
            ck_assert_uint_eq(*gpr(4 + i), source == 2 ? header_word(i, 0, 0) : 0);
        }
        assert_gprs_kept(4, 4);
    }
    assert_done();
}

/* The switch that Wormhole has beside Disable_zero_compress has nothing to switch to. */
TEST(setdmareg_special_compression_override)
{
    set_packer(0, 0, 1);
    tensix_set_config_field(tensix, 0,
                            TENSIX_FIELD_THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd, 1);
    run(special(1, 0, 2, 2, 2));
    ck_assert_uint_eq(*gpr(1), 1u << 20);
    assert_done();
}

/* --- REG2FLOP --- */

TEST(reg2flop_has_no_byte_offset)
{
    fill_gprs();
    for (unsigned size = 0; size < 4; size++) {
        for (unsigned offset = 1; offset < 4; offset++) {
            run(reg2flop_config(size, offset, 0, 0));
            assert_fault(PENROSE_FAULT_UNIMPLEMENTED, "REG2FLOP: no two sources");
            ck_assert_uint_eq(tensix->config[0][64], 0);
        }
    }
}

/* Held THCON configuration drops writes; that REG2FLOP does not start at all is the gate's. */
TEST(reg2flop_waits_for_reset)
{
    *gpr(1) = 5;
    tensix->held = TENSIX_RESET_THCON;
    run(reg2flop_config(1, 0, 0, 1));
    assert_waits(TENSIX_WAITS_FOR_RESET, 0);
    ck_assert_uint_eq(tensix->config[0][64], 0);
    tensix->held = 0;
    tensix_harness_go(&harness, 0);
    assert_fault(PENROSE_FAULT_TENSIX_DOUBTFUL, "Blackhole does not handle it properly");
    ck_assert_uint_eq(tensix->config[0][64], 5);
}

/* All forms are told of and happen, unless that stops; ContextId counts for nothing. */
TEST(reg2flop_is_doubtful)
{
    for (uint32_t context = 0; context < 4; context++) {
        *gpr(1) = 6 + context;
        run(reg2flop_config(1, 0, 1, 1) | context << 16);
        assert_fault(PENROSE_FAULT_TENSIX_DOUBTFUL, "use WRCFG");
        ck_assert_uint_eq(tensix->config[0][65], 6 + context);
    }
    tensix_harness_run(&harness, 0, "REG2FLOP 1, 2, 0, 0, 0, 1");
    assert_fault(PENROSE_FAULT_TENSIX_DOUBTFUL, "SETADC");
    ck_assert_uint_eq(tensix->thread[0].adc[TENSIX_ADC_UNPACKER0].channel[0].x, 9);
    harness.stop = true;
    *gpr(1) = 1;
    run(reg2flop_config(1, 0, 1, 1));
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_uint_eq(tensix->config[0][65], 9);
}
