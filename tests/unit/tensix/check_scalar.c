/*
 * The Scalar Unit without memory: SETDMAREG of packer state and REG2FLOP in every form, and faults
 * in words.
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

/* --- Arithmetic: what it computes is in check_scalar_random.c --- */

TEST_EACH(undefined_modes_fault, 3)
{
    static const uint8_t first[] = {[0x5b - 0x5b] = 3, [0x5c - 0x5b] = 2, [0x5d - 0x5b] = 3};
    static const char *const name[] = {"BITWOPDMAREG", "SHIFTDMAREG", "CMPDMAREG"};
    unsigned which = (unsigned)_i;
    for (unsigned mode = first[which]; mode < 8; mode++) {
        fill_gprs();
        run(alu(0x5b + which, mode, 1, 2, 3));
        assert_fault(TENSIX_FAULT_UNDEFINED, name[which]);
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

TEST(setdmareg_special_16_bits)
{
    set_packer(0, 0xb, 1);
    for (unsigned in = 0; in < 8; in++) {
        for (unsigned out = 0; out < 2 * TENSIX_GPRS; out++) {
            uint32_t half = header_word(in / 2, 0xb, 1) >> 16 * (in & 1) & 0xffff;
            fill_gprs();
            run(special(0, 0, 2, in, out));
            ck_assert_uint_eq(*gpr(out / 2) >> 16 * (out & 1) & 0xffff, half);
            ck_assert_uint_eq(*gpr(out / 2) >> 16 * (~out & 1) & 0xffff,
                              pattern(0, out / 2) >> 16 * (~out & 1) & 0xffff);
            assert_gprs_kept(out / 2, 1);
        }
    }
    assert_done();
}

TEST(setdmareg_special_32_bits)
{
    set_packer(0, 5, 0);
    for (unsigned in = 0; in < 8; in++) {
        for (unsigned out = 0; out < 2 * TENSIX_GPRS; out++) {
            fill_gprs();
            run(special(1, 0, 2, in, out));
            ck_assert_uint_eq(*gpr(out / 2), header_word(in / 2, 5, 0));
            assert_gprs_kept(out / 2, 1);
        }
    }
    assert_done();
}

TEST(setdmareg_special_128_bits)
{
    set_packer(1, 15, 1);
    tensix_set_thread_field(tensix, 0, TENSIX_FIELD_CFG_STATE_ID_StateID, 1);
    for (unsigned out = 0; out < 2 * TENSIX_GPRS; out++) {
        unsigned first = out / 2 & ~3u;
        fill_gprs();
        run(special(2, 0, 2, 7, out));
        for (unsigned i = 0; i < 4; i++) {
            ck_assert_uint_eq(*gpr(first + i), header_word(i, 15, 1));
        }
        assert_gprs_kept(first, 4);
    }
    assert_done();
}

TEST(setdmareg_special_keeps_reserved_fields)
{
    static const uint32_t kept[] = {0xffff0000, 0xff00ffff, 0, 0xffffffff};
    set_packer(0, 9, 1);
    for (unsigned out = 0; out < 2 * TENSIX_GPRS; out++) {
        unsigned first = out / 2 & ~3u;
        fill_gprs();
        run(special(3, 0, 2, 0, out));
        for (unsigned i = 0; i < 4; i++) {
            ck_assert_uint_eq(*gpr(first + i),
                              (pattern(0, first + i) & kept[i]) | header_word(i, 9, 1));
        }
        assert_gprs_kept(first, 4);
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
            assert_fault(TENSIX_FAULT_UNDEFINED, "SETDMAREG: source");
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

TEST_EACH(reg2flop_writes_a_word, 128)
{
    static const uint8_t sizes[] = {1, 2, 3}; /* all write 32 bits */
    unsigned index = (unsigned)_i;
    for (unsigned i = 0; i < 3; i++) {
        tensix_reset(tensix);
        fill_gprs();
        run(reg2flop_config(sizes[i], 0, index, 37));
        if (index >= 116) {
            assert_fault(TENSIX_FAULT_UNDEFINED, "REG2FLOP: there are 116 words");
            continue;
        }
        for (unsigned word = 0; word < TENSIX_STATE_WORDS; word++) {
            ck_assert_uint_eq(tensix->config[0][word], word == 64 + index ? pattern(0, 37) : 0);
            ck_assert_uint_eq(tensix->config[1][word], 0);
        }
        assert_gprs_kept(0, 0);
    }
}

TEST_EACH(reg2flop_writes_four_words, 128)
{
    unsigned index = (unsigned)_i;
    fill_gprs();
    tensix_set_thread_field(tensix, 0, TENSIX_FIELD_CFG_STATE_ID_StateID, 1);
    run(reg2flop_config(0, 0, index, 22)); /* GPRs 20 to 23 */
    if (index >= 116) {
        assert_fault(TENSIX_FAULT_UNDEFINED, "REG2FLOP");
        return;
    }
    for (unsigned word = 0; word < TENSIX_STATE_WORDS; word++) {
        bool is_written = word >= 64 && (word - 64) / 4 == index / 4;
        ck_assert_uint_eq(tensix->config[1][word], is_written ? pattern(0, 20 + word % 4) : 0);
        ck_assert_uint_eq(tensix->config[0][word], 0);
    }
    assert_done();
}

TEST(reg2flop_has_no_byte_offset)
{
    fill_gprs();
    for (unsigned size = 0; size < 4; size++) {
        for (unsigned offset = 1; offset < 4; offset++) {
            run(reg2flop_config(size, offset, 0, 0));
            assert_fault(TENSIX_FAULT_STUB, "REG2FLOP: no two sources");
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
    assert_done();
    ck_assert_uint_eq(tensix->config[0][64], 5);
}

static uint32_t adc_model(uint32_t value, unsigned size, unsigned shift8)
{
    static const uint32_t shape[4][4] = {
        /* the bytes that arrive, by size and shift; 0: none */
        {0, 0, 0, 0},
        {0xffffffff, 0, 0, 0},
        {0x0000ffff, 0, 0xffff0000, 0},
        {0x000000ff, 0x0000ff00, 0x00ff0000, 0xff000000},
    };
    uint32_t mask = shape[size][shift8];
    return mask ? (value & mask) / (mask & (0u - mask)) : 0;
}

/* `counter` 0 to 7: X, X_Cr, Y, Y_Cr, and so on. */
static uint32_t adc_get(const struct tensix_adc_channel *channel, unsigned counter)
{
    const uint32_t all[] = {channel->x, channel->x_cr, channel->y, channel->y_cr,
                            channel->z, channel->z_cr, channel->w, channel->w_cr};
    return all[counter];
}

static void assert_adcs(unsigned thread, unsigned unit, unsigned channel, unsigned counter,
                        uint32_t value)
{
    static const uint32_t masks[] = {0x3ffff, 0x1fff, 0x1fff, 0x1fff}; /* on Blackhole */
    for (unsigned i = 0; i < TENSIX_THREADS * TENSIX_ADCS * 2 * 8; i++) {
        unsigned t = i / 48, u = i / 16 % 3, ch = i / 8 % 2, n = i % 8;
        bool is_written = t == thread && u == unit && ch == channel && n == counter;
        uint32_t expected = is_written ? value & masks[n / 2] : 0;
        ck_assert_msg(adc_get(&tensix->thread[t].adc[u].channel[ch], n) == expected,
                      "thread %u unit %u channel %u counter %u", t, u, ch, n);
    }
}

/* What a thread or a unit too many would be lies behind. */
static void assert_nothing_behind(const struct tensix *before)
{
    const size_t from = offsetof(struct tensix, config), to = offsetof(struct tensix, results);
    ck_assert_mem_eq((const uint8_t *)tensix + from, (const uint8_t *)before + from, to - from);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        ck_assert_mem_eq(tensix->thread[i].busy_until, before->thread[i].busy_until,
                         sizeof before->thread[i].busy_until);
    }
}

TEST_EACH(reg2flop_sets_an_address_counter, 64)
{
    const uint32_t value = 0xa5c3f187;
    unsigned index = (unsigned)_i; /* channel, adc_sel, cr, xyzw */
    unsigned channel = index >> 5, unit = index >> 3 & 3, cr = index >> 2 & 1, xyzw = index & 3;
    static struct tensix before;
    for (unsigned i = 0; i < 4 * 4 * 8; i++) {
        unsigned size = i & 3, shift8 = i >> 2 & 3, selected = i >> 4 & 3;
        bool overrides = i >> 6;
        tensix_reset(tensix);
        tensix->gpr[1][50] = value;
        before = *tensix;
        tensix_harness_push(&harness, 1,
                            op(0x48, size << 22 | 1u << 21 | (uint32_t)overrides << 20 |
                                         shift8 << 18 | selected << 16 | index << 6 | 50));
        assert_adcs(overrides ? selected : 1, unit, channel, 2 * xyzw + cr,
                    adc_model(value, size, shift8));
        assert_nothing_behind(&before);
    }
    assert_done();
}
