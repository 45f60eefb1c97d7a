/*
 * The Scalar Unit: every row, mode and size, with boundary values, operands that overlap, faults,
 * waits and their end, and the time that results take. Words are built here, bit by bit, so that
 * the instruction table is not asked whether it is right.
 */
#include <check.h>
#include <string.h>

#include "tensix/exec.h"
#include "tensix_harness.h"

enum { L1_END = TENSIX_HARNESS_L1, LINE = 16, WRITES = 64, LOAD_LATENCY = 10 };

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;

/* What the board was told, beyond what the harness keeps. */
static struct {
    unsigned count, watches;
    struct {
        uint32_t address, size;
    } write[WRITES];
    uint32_t watched, watched_bytes;
    uint32_t skipped; /* the word of the last unmodelled instruction */
} seen;

static void note_write(void *owner, uint32_t address, uint32_t size, uint64_t cycle)
{
    (void)owner;
    (void)cycle;
    ck_assert_uint_lt(seen.count, WRITES);
    seen.write[seen.count].address = address;
    seen.write[seen.count++].size = size;
}

static void note_watch(void *owner, uint32_t address, uint32_t size)
{
    (void)owner;
    seen.watches++;
    seen.watched = address;
    seen.watched_bytes = size;
}

static void note_skip(void *owner, unsigned thread, uint32_t word, struct tensix_origin origin)
{
    (void)thread;
    (void)origin;
    ((struct tensix_harness *)owner)->unmodelled++;
    seen.skipped = word;
}

static void setup(void)
{
    tensix_harness_open(&harness);
    memset(&seen, 0, sizeof seen);
    harness.board.l1_written = note_write;
    harness.board.l1_watch = note_watch;
    harness.board.unmodelled = note_skip;
}

static void teardown(void)
{
    tensix_harness_close(&harness);
}

/* --- Words --- */

enum { IMM = 1 << 23 };

static uint32_t op(unsigned opcode, uint32_t operands)
{
    return (uint32_t)opcode << 24 | operands;
}

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

static uint32_t indirect(unsigned opcode, uint32_t form, unsigned half, unsigned increment,
                         unsigned data, unsigned address)
{
    return op(opcode, form | half << 14 | increment << 12 | data << 6 | address);
}

static uint32_t loadind(unsigned size, unsigned half, unsigned increment, unsigned result,
                        unsigned address)
{
    return indirect(0x49, size << 22, half, increment, result, address);
}

static uint32_t storeind_l1(unsigned size, unsigned half, unsigned increment, unsigned data,
                            unsigned address)
{
    return indirect(0x66, 1u << 23 | size << 21, half, increment, data, address);
}

static uint32_t storeind_mmio(unsigned half, unsigned increment, unsigned data, unsigned address)
{
    return indirect(0x66, 1u << 22, half, increment, data, address);
}

static uint32_t storeind_src(bool is_b, unsigned half, unsigned increment, unsigned data,
                             unsigned address)
{
    return indirect(0x66, (uint32_t)is_b << 21, half, increment, data, address);
}

/* STOREREG (0x67) and LOADREG (0x68). */
static uint32_t by_address(unsigned opcode, unsigned reg, uint32_t address)
{
    return op(opcode, reg << 18 | (address >> 2 & 0x3ffff));
}

static uint32_t atincget(unsigned width, unsigned ofs, unsigned reg, unsigned address)
{
    return op(0x61, width << 14 | ofs << 12 | reg << 6 | address);
}

static uint32_t atincgetptr(bool no_incr, unsigned log2, unsigned width, unsigned ofs, unsigned reg,
                            unsigned address)
{
    return op(0x62,
              (uint32_t)no_incr << 22 | log2 << 18 | width << 14 | ofs << 12 | reg << 6 | address);
}

static uint32_t atswap(bool single, unsigned mask, unsigned data, unsigned address)
{
    return op(0x63, (uint32_t)single << 22 | mask << 14 | data << 6 | address);
}

static uint32_t atcas(unsigned set, unsigned cmp, unsigned ofs, unsigned address)
{
    return op(0x64, set << 18 | cmp << 14 | ofs << 12 | address);
}

/* --- Helpers --- */

static void run(uint32_t word)
{
    tensix_harness_push(&harness, 0, word);
}

static uint32_t *gpr(unsigned index)
{
    return &tensix->gpr[0][index];
}

/* Something recognisable in every GPR of all threads. */
static uint32_t pattern(unsigned thread, unsigned index)
{
    return UINT32_C(0x9e3779b9) * (thread * TENSIX_GPRS + index + 1);
}

static void fill_gprs(void)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned i = 0; i < TENSIX_GPRS; i++) {
            tensix->gpr[thread][i] = pattern(thread, i);
        }
    }
}

/* All GPRs are as fill_gprs left them, apart from `count` of thread 0 from `first` on. */
static void assert_gprs_kept(unsigned first, unsigned count)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned i = 0; i < TENSIX_GPRS; i++) {
            if (thread != 0 || i < first || i >= first + count) {
                ck_assert_msg(tensix->gpr[thread][i] == pattern(thread, i), "thread %u GPR %u",
                              thread, i);
            }
        }
    }
}

static void assert_done(void)
{
    ck_assert_msg(harness.faults == 0, "%s", harness.fault.text);
    ck_assert(!tensix->thread[0].has_next);
}

/* One fault of this kind, whose text has `words`; the instruction has left the gate. */
static void assert_fault(enum tensix_fault_kind kind, const char *words)
{
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq((int)harness.fault.kind, (int)kind);
    ck_assert_msg(strstr(harness.fault.text, words), "%s", harness.fault.text);
    ck_assert(!tensix->thread[0].has_next);
    harness.faults = 0;
}

static void assert_waits(enum tensix_wait wait, uint32_t detail)
{
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert(tensix->thread[0].has_next);
    ck_assert_int_eq((int)tensix->thread[0].wait, (int)wait);
    ck_assert_uint_eq(tensix->thread[0].wait_detail, detail);
}

static uint8_t byte(uint32_t address)
{
    return harness.l1[address];
}

static void fill_l1(uint32_t address, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        harness.l1[address + i] = (uint8_t)(address + i * 7 + 1);
    }
}

/* --- Arithmetic --- */

static const uint32_t values[] = {0,          1,          2,          31,         32,
                                  33,         63,         0x7fff,     0x8000,     0xffff,
                                  0x10000,    0x10001,    0x12345678, 0x7fffffff, 0x80000000,
                                  0x80000001, 0xfffffffe, 0xffffffff};
enum { VALUES = sizeof values / sizeof values[0] };

static const struct alu_case {
    uint8_t opcode, mode;
} alu_cases[] = {
    {0x58, 0}, {0x59, 0}, {0x5a, 0}, {0x5b, 0}, {0x5b, 1}, {0x5b, 2},
    {0x5c, 0}, {0x5c, 1}, {0x5d, 0}, {0x5d, 1}, {0x5d, 2},
};
enum { ALU_CASES = sizeof alu_cases / sizeof alu_cases[0] };

static uint32_t alu_model(struct alu_case which, uint32_t left, uint32_t right)
{
    switch (which.opcode << 4 | which.mode) {
    case 0x580:
        return (uint32_t)((uint64_t)left + right);
    case 0x590:
        return (uint32_t)((uint64_t)left + ~right + 1);
    case 0x5a0:
        return (uint32_t)((uint64_t)(uint16_t)left * (uint16_t)right);
    case 0x5b0:
        return ~(~left | ~right);
    case 0x5b1:
        return ~(~left & ~right);
    case 0x5b2:
        return (left | right) - (left & right);
    case 0x5c0:
        return (uint32_t)((uint64_t)left << right % 32);
    case 0x5c1:
        return (uint32_t)(((uint64_t)left << 32) >> right % 32 >> 32);
    case 0x5d0:
        return (int64_t)left - (int64_t)right > 0 ? 1 : 0;
    case 0x5d1:
        return (int64_t)left - (int64_t)right < 0 ? 1 : 0;
    default:
        return (left ^ right) == 0 ? 1 : 0;
    }
}

START_TEST(arithmetic_of_registers)
{
    const struct alu_case which = alu_cases[_i];
    for (unsigned i = 0; i < VALUES * VALUES; i++) {
        uint32_t left = values[i / VALUES], right = values[i % VALUES];
        fill_gprs();
        *gpr(5) = left;
        *gpr(62) = right;
        run(alu(which.opcode, which.mode, 63, 62, 5));
        ck_assert_msg(*gpr(63) == alu_model(which, left, right), "0x%x 0x%x", left, right);
        *gpr(5) = pattern(0, 5);
        *gpr(62) = pattern(0, 62);
        assert_gprs_kept(63, 1);
    }
    assert_done();
}
END_TEST

START_TEST(arithmetic_with_an_immediate)
{
    const struct alu_case which = alu_cases[_i];
    for (unsigned i = 0; i < VALUES; i++) {
        for (unsigned right = 0; right < 64; right++) {
            *gpr(9) = values[i];
            *gpr(right) = right == 9 ? values[i] : 0xdeadbeef;
            run(alu(which.opcode, which.mode, 10, right, 9) | IMM);
            ck_assert_msg(*gpr(10) == alu_model(which, values[i], right), "0x%x %u", values[i],
                          right);
        }
    }
    assert_done();
}
END_TEST

START_TEST(arithmetic_of_one_register_with_itself)
{
    const struct alu_case which = alu_cases[_i];
    for (unsigned i = 0; i < VALUES; i++) {
        *gpr(3) = values[i];
        run(alu(which.opcode, which.mode, 3, 3, 3));
        ck_assert_uint_eq(*gpr(3), alu_model(which, values[i], values[i]));
    }
    assert_done();
}
END_TEST

START_TEST(threads_have_registers_of_their_own)
{
    fill_gprs();
    tensix_harness_push(&harness, 2, alu(0x58, 0, 7, 6, 5));
    ck_assert_uint_eq(tensix->gpr[2][7], pattern(2, 5) + pattern(2, 6));
    tensix->gpr[2][7] = pattern(2, 7);
    assert_gprs_kept(0, 0);
}
END_TEST

START_TEST(undefined_modes_fault)
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
END_TEST

START_TEST(dmanop_changes_nothing)
{
    fill_gprs();
    run(op(0x60, 0));
    assert_done();
    assert_gprs_kept(0, 0);
    ck_assert_uint_eq(tensix->thread[0].drained, 1);
}
END_TEST

/* --- SETDMAREG --- */

START_TEST(setdmareg_writes_one_half)
{
    for (unsigned half = 0; half < 2 * TENSIX_GPRS; half++) {
        static const uint16_t numbers[] = {0, 1, 0x8000, 0xffff, 0x1234};
        for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            unsigned shift = 16 * (half & 1);
            fill_gprs();
            run(op(0x45, (uint32_t)numbers[i] << 8 | half));
            ck_assert_uint_eq(*gpr(half / 2), (pattern(0, half / 2) & ~(0xffffu << shift)) |
                                                  (uint32_t)numbers[i] << shift);
            assert_gprs_kept(half / 2, 1);
        }
    }
    assert_done();
}
END_TEST

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

START_TEST(setdmareg_special_16_bits)
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
END_TEST

START_TEST(setdmareg_special_32_bits)
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
END_TEST

START_TEST(setdmareg_special_128_bits)
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
END_TEST

START_TEST(setdmareg_special_keeps_reserved_fields)
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
END_TEST

/* Nothing has been packed: every other source is 0, and 10 to 15 always are. */
START_TEST(setdmareg_special_sources)
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
END_TEST

/* The switch that Wormhole has beside Disable_zero_compress has nothing to switch to. */
START_TEST(setdmareg_special_compression_override)
{
    set_packer(0, 0, 1);
    tensix_set_config_field(tensix, 0,
                            TENSIX_FIELD_THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd, 1);
    run(special(1, 0, 2, 2, 2));
    ck_assert_uint_eq(*gpr(1), 1u << 20);
    assert_done();
}
END_TEST

/* --- REG2FLOP --- */

START_TEST(reg2flop_writes_a_word)
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
END_TEST

START_TEST(reg2flop_writes_four_words)
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
END_TEST

START_TEST(reg2flop_has_no_byte_offset)
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
END_TEST

/* Held THCON configuration drops writes; that REG2FLOP does not start at all is the gate's. */
START_TEST(reg2flop_waits_for_reset)
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
END_TEST

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
    const size_t from = offsetof(struct tensix, config), to = offsetof(struct tensix, result);
    ck_assert_mem_eq((const uint8_t *)tensix + from, (const uint8_t *)before + from, to - from);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        ck_assert_mem_eq(tensix->thread[i].busy_until, before->thread[i].busy_until,
                         sizeof before->thread[i].busy_until);
    }
}

START_TEST(reg2flop_sets_an_address_counter)
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
END_TEST

/* --- LOADIND --- */

static const unsigned bytes_of[] = {16, 4, 2, 1};
static const uint16_t increments[] = {0, 2, 4, 16};

START_TEST(loadind_loads_every_size)
{
    unsigned size = (unsigned)_i;
    unsigned bytes = bytes_of[size];
    fill_l1(0x1000, 64);
    for (unsigned offset = 0; offset < 32; offset++) {
        for (unsigned result = 8; result < 16; result++) {
            unsigned first = size == 0 ? result & ~3u : result;
            uint32_t from = 0x1000 + offset / bytes * bytes;
            uint32_t expected[4] = {pattern(0, first)};
            fill_gprs();
            *gpr(0) = 0x1000 / LINE;
            *gpr(1) = offset << 16 | 0x7777;
            memcpy(expected, harness.l1 + from, bytes);
            run(loadind(size, 3, 0, result, 0));
            ck_assert_mem_eq(gpr(first), expected, size == 0 ? LINE : 4);
            ck_assert_uint_eq(*gpr(1), offset << 16 | 0x7777);
            *gpr(0) = pattern(0, 0);
            *gpr(1) = pattern(0, 1);
            assert_gprs_kept(first, size == 0 ? 4 : 1);
        }
    }
    assert_done();
    ck_assert_uint_eq(seen.count, 0);
}
END_TEST

START_TEST(loadind_increments_half_a_register)
{
    unsigned increment = (unsigned)_i;
    static const uint16_t offsets[] = {0, 2, 0x7fff, 0xfff0, 0xffff};
    for (unsigned i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        for (unsigned half = 0; half < 2 * TENSIX_GPRS; half++) {
            uint16_t sum = (uint16_t)(offsets[i] + increments[increment]);
            unsigned shift = 16 * (half & 1), address = half / 2 == 20 ? 21 : 20;
            memset(tensix->gpr, 0, sizeof tensix->gpr);
            *gpr(half / 2) = (uint32_t)offsets[i] << shift | 0x4321u << (16 - shift);
            run(loadind(1, half, increment, half / 2 == 30 ? 31 : 30, address));
            ck_assert_uint_eq(*gpr(half / 2), (uint32_t)sum << shift | 0x4321u << (16 - shift));
        }
    }
    assert_done();
}
END_TEST

START_TEST(results_go_to_their_thread)
{
    const uint32_t words[] = {loadind(1, 2, 0, 4, 0), by_address(0x68, 4, 0xffb20000),
                              atincget(31, 0, 4, 0), atincgetptr(true, 0, 8, 0, 4, 0)};
    fill_gprs();
    tensix->gpr[2][0] = 0x10;
    tensix->gpr[2][1] = 0;
    tensix_harness_set_l1(&harness, 0x100, 0x8000feed);
    tensix_harness_set_register(&harness, 0xffb20000, 0x8000feed);
    tensix_harness_push(&harness, 2, words[_i]);
    assert_done();
    ck_assert_uint_eq(tensix->gpr[2][4], 0x8000feed);
    tensix->gpr[2][0] = pattern(2, 0);
    tensix->gpr[2][1] = pattern(2, 1);
    tensix->gpr[2][4] = pattern(2, 4);
    assert_gprs_kept(0, 0);
}
END_TEST

/* The result comes later than the increment and wins, but only with the bits that it has. */
START_TEST(loadind_result_and_offset_overlap)
{
    tensix_harness_set_l1(&harness, 0x100, 0xccddeeff);
    *gpr(0) = 0x10;
    *gpr(1) = 0x00000000;
    run(loadind(1, 2, 3, 1, 0)); /* 32 bits over the offset */
    ck_assert_uint_eq(*gpr(1), 0xccddeeff);
    *gpr(1) = 0x00000000;
    run(loadind(2, 2, 3, 1, 0)); /* 16 bits over the offset */
    ck_assert_uint_eq(*gpr(1), 0x0000eeff);
    *gpr(1) = 0x00000000;
    run(loadind(2, 3, 3, 1, 0)); /* beside the offset */
    ck_assert_uint_eq(*gpr(1), 0x0010eeff);
    *gpr(1) = 0x00000100;
    tensix_harness_set_l1(&harness, 0x200, 0x11223344);
    run(loadind(3, 2, 2, 1, 0)); /* 8 bits over half of the offset, 0x104 */
    ck_assert_uint_eq(*gpr(1), 0x00000144);
    assert_done();
}
END_TEST

/* The address is taken before its own register is incremented or loaded. */
START_TEST(loadind_address_and_offset_overlap)
{
    tensix_harness_set_l1(&harness, 0x110, 0x5a5a1234);
    *gpr(4) = 0x10; /* 0x10 * 16 + 0x10 */
    run(loadind(1, 8, 2, 5, 4));
    ck_assert_uint_eq(*gpr(5), 0x5a5a1234);
    ck_assert_uint_eq(*gpr(4), 0x14);
    *gpr(4) = 0x10;
    run(loadind(1, 8, 0, 4, 4));
    ck_assert_uint_eq(*gpr(4), 0x5a5a1234);
    assert_done();
}
END_TEST

START_TEST(loadind_ends_with_l1)
{
    unsigned size = (unsigned)_i;
    fill_l1(L1_END - LINE, LINE);
    fill_gprs();
    *gpr(0) = L1_END / LINE - 1;
    *gpr(1) = 15;
    run(loadind(size, 2, 1, 8, 0)); /* the last byte */
    assert_done();
    ck_assert_uint_eq(*gpr(1), 17);
    ck_assert_uint_eq(*gpr(8) & 0xff, byte(L1_END - bytes_of[size]));
    fill_gprs();
    *gpr(0) = L1_END / LINE - 1;
    *gpr(1) = 16;
    run(loadind(size, 2, 1, 8, 0)); /* one too far */
    assert_fault(TENSIX_FAULT_UNDEFINED, "LOADIND: address 0x00180000 is not in L1");
    ck_assert_uint_eq(*gpr(1), 16);
    ck_assert_uint_eq(*gpr(8), pattern(0, 8));
    *gpr(0) = 0x0fffffff; /* 0xfffffff0: beyond, and not before the end of the address space */
    *gpr(1) = 0;
    run(loadind(size, 2, 0, 8, 0));
    assert_fault(TENSIX_FAULT_UNDEFINED, "0xfffffff0");
    *gpr(1) = 0x10; /* addresses have 32 bits: 0 */
    run(loadind(size, 2, 0, 8, 0));
    assert_done();
}
END_TEST

/* --- STOREIND to L1 --- */

START_TEST(storeind_stores_every_size)
{
    unsigned size = (unsigned)_i;
    unsigned bytes = bytes_of[size];
    for (unsigned offset = 0; offset < 32; offset++) {
        for (unsigned data = 8; data < 16; data++) {
            uint8_t expected[64];
            uint32_t to = 0x2000 + offset / bytes * bytes;
            seen.count = 0;
            fill_gprs();
            fill_l1(0x2000, sizeof expected);
            memcpy(expected, harness.l1 + 0x2000, sizeof expected);
            memcpy(expected + (to - 0x2000), gpr(size == 0 ? data & ~3u : data), bytes);
            *gpr(40) = 0x2000 / LINE;
            *gpr(41) = 0x99990000 | offset;
            run(storeind_l1(size, 82, 0, data, 40));
            ck_assert_mem_eq(harness.l1 + 0x2000, expected, sizeof expected);
            ck_assert_uint_eq(seen.count, 1);
            ck_assert_uint_eq(seen.write[0].address, to);
            ck_assert_uint_eq(seen.write[0].size, bytes);
            *gpr(40) = pattern(0, 40);
            *gpr(41) = pattern(0, 41);
            assert_gprs_kept(0, 0);
        }
    }
    assert_done();
}
END_TEST

/* The offset counts up before the data are read. */
START_TEST(storeind_data_and_offset_overlap)
{
    unsigned increment = (unsigned)_i;
    *gpr(0) = 0x40;
    *gpr(1) = 0xabcd0008;
    run(storeind_l1(1, 2, increment, 1, 0));
    ck_assert_uint_eq(*gpr(1), 0xabcd0008 + increments[increment]);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x408), *gpr(1));
    *gpr(5) = 0x0010ffff; /* the other half, and 16 bytes with it in the middle */
    run(storeind_l1(0, 11, increment, 6, 0));
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x414),
                      0x0010ffff + ((uint32_t)increments[increment] << 16));
    assert_done();
}
END_TEST

START_TEST(storeind_offset_wraps)
{
    *gpr(0) = 0;
    *gpr(1) = 0x0001fffe;
    *gpr(2) = 0x55;
    run(storeind_l1(3, 2, 3, 2, 0));
    ck_assert_uint_eq(byte(0xfffe), 0x55);
    ck_assert_uint_eq(*gpr(1), 0x0001000e);
    assert_done();
}
END_TEST

START_TEST(storeind_ends_with_l1)
{
    unsigned size = (unsigned)_i;
    *gpr(0) = L1_END / LINE - 1;
    *gpr(1) = 15;
    *gpr(8) = 0x77;
    run(storeind_l1(size, 2, 1, 8, 0));
    assert_done();
    ck_assert_uint_eq(byte(L1_END - bytes_of[size]), 0x77);
    ck_assert_uint_eq(*gpr(1), 17);
    *gpr(1) = 16;
    run(storeind_l1(size, 2, 1, 8, 0));
    assert_fault(TENSIX_FAULT_UNDEFINED, "STOREIND: address 0x00180000 is not in L1");
    ck_assert_uint_eq(*gpr(1), 16);
    ck_assert_uint_eq(seen.count, 1);
}
END_TEST

/* --- Registers --- */

static enum tensix_reply refuse_write(void *owner, unsigned thread, uint32_t address,
                                      uint64_t cycle, uint32_t value, const char **rule)
{
    (void)owner;
    (void)thread;
    (void)address;
    (void)cycle;
    (void)value;
    *rule = "this register is read-only";
    return TENSIX_REFUSED;
}

static enum tensix_reply refuse_read(void *owner, unsigned thread, uint32_t address, uint64_t cycle,
                                     uint32_t *value, const char **rule)
{
    (void)owner;
    (void)thread;
    (void)address;
    (void)cycle;
    (void)value;
    (void)rule;
    return TENSIX_REFUSED;
}

START_TEST(storereg_and_loadreg_reach_registers)
{
    static const uint32_t addresses[] = {0xffb11000, 0xffb121b0, 0xffb20000, 0xffb40000,
                                         0xffbffffc};
    uint32_t address = addresses[_i];
    fill_gprs();
    run(by_address(0x67, 44, address));
    assert_done();
    ck_assert_uint_eq(harness.regs, 1);
    ck_assert_uint_eq(harness.reg[0].address, address);
    ck_assert_uint_eq(harness.reg[0].writes, 1);
    ck_assert_uint_eq(harness.reg[0].value, pattern(0, 44));
    tensix_harness_set_register(&harness, address, 0x93572468);
    run(by_address(0x68, 45, address));
    assert_done();
    ck_assert_uint_eq(harness.reg[0].reads, 1);
    ck_assert_uint_eq(*gpr(45), 0x93572468);
    assert_gprs_kept(45, 1);
}
END_TEST

START_TEST(registers_begin_at_0xffb11000)
{
    static const uint32_t addresses[] = {0xffb00000, 0xffb00ffc, 0xffb10ffc};
    uint32_t address = addresses[_i];
    fill_gprs();
    run(by_address(0x67, 1, address));
    assert_fault(TENSIX_FAULT_UNDEFINED, "STOREREG: address 0xffb");
    run(by_address(0x68, 1, address));
    assert_fault(TENSIX_FAULT_UNDEFINED, "from 0xffb11000 on");
    *gpr(2) = address & 0xfffff;
    *gpr(3) = 0;
    run(storeind_mmio(6, 1, 1, 2));
    assert_fault(TENSIX_FAULT_UNDEFINED, "STOREIND: address 0xffb");
    ck_assert_uint_eq(*gpr(3), 0);
    ck_assert_uint_eq(harness.regs, 0);
}
END_TEST

START_TEST(storeind_to_a_register)
{
    static const struct {
        uint32_t base, offset, address;
    } cases[] = {
        {0x11000, 0, 0xffb11000},
        {0xffb12000, 0x1b0 << 4, 0xffb121b0},
        {0x12000, 0x1b3f, 0xffb121b0},       /* what is no multiple of four words' sixteenths */
        {0xfffff, 0xffff, 0xffb00ffe & ~3u}, /* 20 bits of address; too low */
        {0x20003, 0x00ff, 0xffb20010},
    };
    for (unsigned increment = 0; increment < 4; increment++) {
        uint32_t offset = cases[_i].offset;
        harness.regs = 0;
        harness.faults = 0;
        fill_gprs();
        *gpr(10) = cases[_i].base;
        *gpr(11) = offset << 16 | 0xbeef;
        run(storeind_mmio(23, increment, 12, 10));
        if (cases[_i].address < 0xffb11000) {
            assert_fault(TENSIX_FAULT_UNDEFINED, "STOREIND: address 0xffb00ffc");
            ck_assert_uint_eq(*gpr(11), offset << 16 | 0xbeef);
            continue;
        }
        assert_done();
        ck_assert_uint_eq(harness.regs, 1);
        ck_assert_uint_eq(harness.reg[0].address, cases[_i].address);
        ck_assert_uint_eq(harness.reg[0].value, pattern(0, 12));
        ck_assert_uint_eq(*gpr(11), (offset + increments[increment]) << 16 | 0xbeef);
        memset(harness.reg, 0, sizeof harness.reg);
    }
}
END_TEST

/* Unlike that to L1, this store comes before the increment. */
START_TEST(storeind_to_a_register_then_increments)
{
    *gpr(0) = 0x12000;
    *gpr(1) = 0x00000100;
    run(storeind_mmio(2, 3, 1, 0));
    ck_assert_uint_eq(tensix_harness_register(&harness, 0xffb12010), 0x100);
    ck_assert_uint_eq(*gpr(1), 0x110);
    assert_done();
}
END_TEST

START_TEST(a_register_that_does_not_answer_is_waited_for)
{
    const uint32_t words[] = {by_address(0x67, 1, 0xffb20000), by_address(0x68, 1, 0xffb20000),
                              storeind_mmio(6, 2, 1, 2)};
    fill_gprs();
    *gpr(2) = 0x20000;
    *gpr(3) = 0;
    tensix_harness_set_register(&harness, 0xffb20000, 0x1001);
    harness.registers_busy = true;
    run(words[_i]);
    assert_waits(TENSIX_WAITS_FOR_DEVICE, 0xffb20000);
    ck_assert_uint_eq(*gpr(1), pattern(0, 1));
    ck_assert_uint_eq(*gpr(3), 0);
    tensix_harness_go(&harness, 0);
    assert_waits(TENSIX_WAITS_FOR_DEVICE, 0xffb20000);
    harness.registers_busy = false;
    tensix_harness_go(&harness, 0);
    assert_done();
    ck_assert_uint_eq(harness.reg[0].reads + harness.reg[0].writes, 1);
    ck_assert_uint_eq(*gpr(1), _i == 1 ? 0x1001 : pattern(0, 1));
    ck_assert_uint_eq(*gpr(3), _i == 2 ? 4 : 0);
}
END_TEST

START_TEST(a_register_that_refuses_is_a_fault)
{
    fill_gprs();
    harness.board.write = refuse_write;
    harness.board.read = refuse_read;
    run(by_address(0x67, 1, 0xffb20000));
    assert_fault(TENSIX_FAULT_UNDEFINED,
                 "STOREREG: address 0xffb20000: this register is read-only");
    run(by_address(0x68, 1, 0xffb20004));
    assert_fault(TENSIX_FAULT_UNDEFINED, "LOADREG: address 0xffb20004: nothing is there");
    *gpr(2) = 0x20008;
    *gpr(3) = 0;
    run(storeind_mmio(6, 1, 1, 2));
    assert_fault(TENSIX_FAULT_UNDEFINED, "STOREIND: address 0xffb20008: this register");
    *gpr(2) = pattern(0, 2);
    ck_assert_uint_eq(*gpr(3), 0);
    *gpr(3) = pattern(0, 3);
    assert_gprs_kept(0, 0);
}
END_TEST

/* --- STOREIND to SrcA and SrcB --- */

/* How many datums of both banks of SrcA and SrcB are there. */
static unsigned stored_datums(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 2 * 2 * 64 * 16; i++) {
        sum += tensix->src_file[i / 2048].bank[i / 1024 % 2][i / 16 % 64][i % 16] != 0;
    }
    return sum;
}

START_TEST(storeind_to_src)
{
    *gpr(0) = 16; /* row 4, and row 0 behind the four that SrcA does not have */
    *gpr(1) = 0x00200000;
    *gpr(4) = 0x40810183; /* sign, exponent, mantissa; sign, mantissa, exponent */
    *gpr(5) = 0;
    run(storeind_src(_i, 3, 1, 4, 0));
    assert_done();
    const uint32_t *row = tensix->src_file[_i].bank[0][_i ? 4 : 0];
    ck_assert_uint_eq(row[8], 0x1 << 11 | 0x83);
    ck_assert_uint_eq(row[9], 0x1 << 11 | 0x81);
    ck_assert_uint_eq(stored_datums(), 2);
    ck_assert_uint_eq(*gpr(1), 0x00220000);
}
END_TEST

START_TEST(storeind_before_the_first_row_of_src_a)
{
    for (unsigned address = 0; address < 16; address++) {
        *gpr(0) = address;
        *gpr(1) = 0;
        *gpr(4) = *gpr(5) = UINT32_MAX;
        run(storeind_src(false, 2, 2, 4, 0));
        ck_assert_uint_eq(*gpr(1), 4);
    }
    assert_done();
    ck_assert_uint_eq(stored_datums(), 0);
    run(storeind_src(true, 3, 0, 4, 0)); /* SrcB has them */
    ck_assert_uint_eq(stored_datums(), 4);
}
END_TEST

/* The last address of SrcA (16 rows), SrcA with SetOvrdWithAddr (64 rows), SrcB (16 rows). */
START_TEST(storeind_rows_of_src_end)
{
    static const uint32_t ends[] = {(4 + 16) * 4, (4 + 64) * 4, 16 * 4};
    static const uint32_t beyond[] = {0, 1, 0x1000, 0x10000 - 1, 0x10000, 0xf0000, 0xffe00};
    uint32_t end = ends[_i];
    if (_i != 0) { /* it means nothing for SrcB */
        tensix_set_thread_field(tensix, 0, TENSIX_FIELD_SRCA_SET_SetOvrdWithAddr, 1);
    }
    *gpr(0) = end - 1;
    *gpr(4) = *gpr(5) = UINT32_MAX;
    run(storeind_src(_i == 2, 2, 0, 4, 0));
    assert_done();
    ck_assert_uint_eq(stored_datums(), 4);
    tensix_src_file_reset(&tensix->src_file[_i == 2]);
    for (unsigned i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        *gpr(0) = end - 1 + beyond[i];
        *gpr(1) = 0x00010010;
        run(storeind_src(_i == 2, 2, 1, 4, 0));
        assert_fault(TENSIX_FAULT_UNDEFINED, _i == 2 ? "of SrcB" : "of SrcA");
        ck_assert_uint_eq(*gpr(1), 0x00010010);
    }
    ck_assert_uint_eq(stored_datums(), 0);
    *gpr(0) = 0x100000 + end - 1; /* addresses have 20 bits */
    *gpr(1) = 0;
    run(storeind_src(_i == 2, 2, 0, 4, 0));
    assert_done();
    ck_assert_uint_eq(stored_datums(), 4);
}
END_TEST

START_TEST(storeind_waits_for_a_bank_of_src)
{
    enum tensix_src src = _i ? TENSIX_SRC_B : TENSIX_SRC_A;
    *gpr(0) = 20;
    *gpr(4) = *gpr(5) = UINT32_MAX;
    tensix_src_give(tensix, src);
    run(storeind_src(_i, 2, 1, 4, 0)); /* the other bank is free */
    assert_done();
    tensix_src_give(tensix, src);
    run(storeind_src(_i, 2, 1, 4, 0));
    assert_waits(TENSIX_WAITS_FOR_SRC, src);
    ck_assert_uint_eq(*gpr(1), 2);
    ck_assert_uint_eq(stored_datums(), 4);
    tensix_src_release(tensix, src, false);
    tensix_harness_go(&harness, 0);
    assert_done();
    ck_assert_uint_eq(*gpr(1), 4);
    ck_assert_uint_eq(stored_datums(), 8);
    ck_assert_uint_eq(harness.unmodelled, 0);
}
END_TEST

/* --- Atomics --- */

START_TEST(atincget_counts_in_a_field)
{
    unsigned width = (unsigned)_i;
    uint64_t modulus = UINT64_C(2) << width;
    for (unsigned i = 0; i < VALUES * VALUES; i++) {
        uint32_t old = values[i / VALUES], by = values[i % VALUES];
        uint64_t high = old / modulus * modulus;
        unsigned ofs = i & 3;
        fill_gprs();
        fill_l1(0x300, LINE);
        uint8_t expected[LINE];
        memcpy(expected, harness.l1 + 0x300, LINE);
        tensix_harness_set_l1(&harness, 0x300 + ofs * 4, old);
        *gpr(7) = by;
        *gpr(8) = 0x30;
        seen.count = 0;
        run(atincget(width, ofs, 7, 8));
        uint32_t sum = (uint32_t)(high + ((uint64_t)old + by) % modulus);
        memcpy(expected + ofs * 4, &sum, sizeof sum);
        ck_assert_mem_eq(harness.l1 + 0x300, expected, LINE);
        ck_assert_uint_eq(*gpr(7), old);
        ck_assert_uint_eq(seen.count, 1);
        ck_assert_uint_eq(seen.write[0].address, 0x300 + ofs * 4);
        ck_assert_uint_eq(seen.write[0].size, 4);
        *gpr(8) = pattern(0, 8);
        assert_gprs_kept(7, 1);
    }
    assert_done();
}
END_TEST

START_TEST(atincget_of_its_own_address)
{
    tensix_harness_set_l1(&harness, 0x30, 7);
    *gpr(1) = 3;
    run(atincget(31, 0, 1, 1));
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x30), 10);
    ck_assert_uint_eq(*gpr(1), 7);
    assert_done();
}
END_TEST

static uint32_t fifo_mask(unsigned width)
{
    return (1u << width) - 1;
}

/* What ATINCGETPTR waits for, in terms of a FIFO of 2^(width - 1) with counters of `width` bits. */
static bool fifo_is_ready(uint32_t read, uint32_t write, unsigned ofs, unsigned width)
{
    uint32_t size = write - read, capacity = width ? (1u << width) / 2 : 0x8000;
    bool is_full = size != 0 && size / capacity * capacity == size;
    return ofs % 2 ? !is_full : size != 0;
}

START_TEST(atincgetptr_pushes_and_pops)
{
    static const uint32_t counters[] = {0,  1,  2,      3,      4,      7,     8,
                                        15, 16, 0x3fff, 0x4000, 0x7fff, 0x8000};
    enum { COUNTERS = sizeof counters / sizeof counters[0] };
    unsigned width = (unsigned)_i;
    for (unsigned i = 0; i < COUNTERS * COUNTERS * 8; i++) {
        unsigned ofs = i & 3, log2 = i * 5 / 8 & 15;
        bool no_incr = i >> 2 & 1;
        uint32_t read = counters[i / 8 / COUNTERS], write = counters[i / 8 % COUNTERS];
        uint32_t words[4] = {read, write, 0x11111111, 0x22222222};
        tensix_reset(tensix);
        fill_gprs();
        *gpr(3) = 0x80;
        memcpy(harness.l1 + 0x800, words, sizeof words);
        memset(&seen, 0, sizeof seen);
        run(atincgetptr(no_incr, log2, width, ofs, 4, 3));
        if (!fifo_is_ready(read, write, ofs, width)) {
            assert_waits(TENSIX_WAITS_FOR_L1, 0x800);
            ck_assert_uint_eq(seen.watched, 0x800);
            ck_assert_uint_eq(seen.watched_bytes, 8);
            ck_assert_uint_eq(*gpr(4), pattern(0, 4));
            ck_assert_mem_eq(harness.l1 + 0x800, words, sizeof words);
            continue;
        }
        assert_done();
        ck_assert_uint_eq(*gpr(4), words[ofs]);
        if (!no_incr) {
            uint32_t sum = words[ofs] + (1u << log2), mask = fifo_mask(width);
            words[ofs] = (sum & mask) | (words[ofs] & ~mask);
        }
        ck_assert_mem_eq(harness.l1 + 0x800, words, sizeof words);
        ck_assert_uint_eq(seen.count, !no_incr);
        ck_assert_uint_eq(seen.watches, 0);
    }
}
END_TEST

/* A FIFO of four with counters of three bits, filled and emptied around the end of the counters. */
START_TEST(atincgetptr_runs_a_fifo)
{
    *gpr(3) = 0x80;
    tensix_harness_set_l1(&harness, 0x800, 6);
    tensix_harness_set_l1(&harness, 0x804, 6);
    for (unsigned i = 0; i < 4; i++) {
        run(atincgetptr(false, 0, 3, 1, 4, 3));
        ck_assert_uint_eq(*gpr(4), (6 + i) % 8);
    }
    assert_done();
    run(atincgetptr(false, 0, 3, 1, 4, 3));
    assert_waits(TENSIX_WAITS_FOR_L1, 0x800);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x804), 2);
    tensix_harness_go(&harness, 0);
    assert_waits(TENSIX_WAITS_FOR_L1, 0x800);
    tensix_harness_set_l1(&harness, 0x800, 7); /* somebody pops */
    tensix_harness_go(&harness, 0);
    assert_done();
    ck_assert_uint_eq(*gpr(4), 2);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x804), 3);
    tensix_harness_set_l1(&harness, 0x800, 3);
    run(atincgetptr(false, 1, 3, 0, 5, 3)); /* empty */
    assert_waits(TENSIX_WAITS_FOR_L1, 0x800);
    tensix_harness_set_l1(&harness, 0x804, 5);
    tensix_harness_go(&harness, 0);
    assert_done();
    ck_assert_uint_eq(*gpr(5), 3);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x800), 5);
}
END_TEST

START_TEST(atcas_waits_for_a_value)
{
    unsigned cmp = (unsigned)_i;
    for (unsigned set = 0; set < 16; set++) {
        for (unsigned ofs = 0; ofs < 4; ofs++) {
            uint32_t address = 0x400 + 4 * ofs;
            memset(&seen, 0, sizeof seen);
            memset(harness.l1 + 0x400, 0xaa, LINE);
            tensix_harness_set_l1(&harness, address, cmp ^ (1u << (set + 4)));
            *gpr(2) = 0x40;
            run(atcas(set, cmp, ofs, 2));
            assert_waits(TENSIX_WAITS_FOR_L1, address); /* all 32 bits count */
            ck_assert_uint_ge(seen.watches, 1);
            ck_assert_uint_eq(seen.watched, address);
            ck_assert_uint_eq(seen.watched_bytes, 4);
            ck_assert_uint_eq(seen.count, 0);
            tensix_harness_go(&harness, 0);
            assert_waits(TENSIX_WAITS_FOR_L1, address);
            tensix_harness_set_l1(&harness, address, cmp);
            tensix_harness_go(&harness, 0);
            assert_done();
            ck_assert_uint_eq(tensix_harness_l1(&harness, address), set);
            ck_assert_uint_eq(seen.count, 1);
            ck_assert_uint_eq(seen.write[0].address, address);
            ck_assert_uint_eq(tensix_harness_l1(&harness, 0x400 + (ofs ^ 1) * 4), 0xaaaaaaaa);
        }
    }
}
END_TEST

/* While an instruction waits inside the unit, the unit takes nothing from other threads. */
START_TEST(a_waiting_instruction_holds_the_unit)
{
    static const uint32_t others[] = {0x60000000, 0x45123405, 0x58000000 | IMM | 7u << 6};
    *gpr(0) = 0x40;
    run(atcas(1, 9, 0, 0));
    assert_waits(TENSIX_WAITS_FOR_L1, 0x400);
    tensix_harness_push(&harness, 1, others[_i]);
    ck_assert(tensix->thread[1].has_next);
    ck_assert_int_eq((int)tensix->thread[1].wait, TENSIX_WAITS_FOR_UNIT);
    tensix_harness_set_l1(&harness, 0x400, 9);
    tensix_harness_go(&harness, 0);
    assert_done();
    ck_assert(!tensix->thread[1].has_next);
    ck_assert_uint_eq(tensix->gpr[1][2], _i == 1 ? 0x12340000 : 0);
    ck_assert_uint_eq(tensix->gpr[1][0], _i == 2 ? 7 : 0);
}
END_TEST

/* data_reg is an operand without a use. */
START_TEST(atcas_ignores_its_data_register)
{
    fill_gprs();
    *gpr(0) = 0x40;
    run(atcas(5, 0, 0, 0) | 63u << 6);
    assert_done();
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x400), 5);
    *gpr(0) = pattern(0, 0);
    assert_gprs_kept(0, 0);
}
END_TEST

START_TEST(atswap_writes_the_halves_of_its_mask)
{
    unsigned mask = (unsigned)_i;
    for (unsigned data = 16; data < 24; data++) {
        for (unsigned single = 0; single < 2; single++) {
            uint32_t words[4] = {0};
            uint8_t expected[LINE], source[LINE];
            fill_gprs();
            fill_l1(0x500, LINE);
            memset(&seen, 0, sizeof seen);
            *gpr(1) = 0x50;
            if (single) {
                words[data & 3] = *gpr(data);
            } else {
                memcpy(words, gpr(data & ~3u), LINE);
            }
            memcpy(source, words, LINE);
            memcpy(expected, harness.l1 + 0x500, LINE);
            for (unsigned i = 0; i < LINE; i++) {
                expected[i] = mask >> i / 2 & 1 ? source[i] : expected[i];
            }
            run(atswap(single, mask, data, 1));
            ck_assert_mem_eq(harness.l1 + 0x500, expected, LINE);
            unsigned bytes = 0;
            for (unsigned i = 0; i < seen.count; i++) {
                ck_assert_uint_eq(mask >> (seen.write[i].address - 0x500) / 2 & 1, 1);
                bytes += seen.write[i].size;
            }
            ck_assert_uint_eq(bytes, 2u * (unsigned)__builtin_popcount(mask));
            *gpr(1) = pattern(0, 1);
            assert_gprs_kept(0, 0);
        }
    }
    assert_done();
}
END_TEST

START_TEST(atomics_end_with_l1)
{
    const uint32_t words[] = {atincget(31, 3, 2, 1), atincgetptr(false, 0, 8, 3, 2, 1),
                              atswap(false, 0xff, 4, 1), atcas(5, 0, 3, 1)};
    static const char *const names[] = {"ATINCGET: ", "ATINCGETPTR: ", "ATSWAP: ", "ATCAS: "};
    *gpr(1) = L1_END / LINE - 1;
    *gpr(2) = 1;
    *gpr(7) = 0x01000000;
    tensix_harness_set_l1(&harness, L1_END - LINE,
                          _i == 1); /* a FIFO that is neither full nor empty */
    run(words[_i]);
    assert_done();
    ck_assert_uint_ge(seen.count, 1);
    ck_assert_mem_ne(harness.l1 + L1_END - 4, "\0\0\0\0", 4);
    seen.count = 0;
    *gpr(1) = L1_END / LINE;
    *gpr(2) = 1;
    run(words[_i]);
    assert_fault(TENSIX_FAULT_UNDEFINED, names[_i]);
    ck_assert_uint_eq(seen.count, 0);
    ck_assert_uint_eq(seen.watches, 0);
    ck_assert_uint_eq(*gpr(2), 1);
}
END_TEST

/* --- Faults that stop --- */

START_TEST(a_fault_that_stops_can_be_tried_again)
{
    harness.stop = true;
    *gpr(0) = L1_END / LINE;
    *gpr(1) = 0;
    run(loadind(1, 2, 1, 4, 0));
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_uint_eq(harness.fault.word, loadind(1, 2, 1, 4, 0));
    ck_assert(tensix->stopped && tensix->thread[0].has_next);
    ck_assert_uint_eq(*gpr(1), 0);
    tensix_harness_set_l1(&harness, 0, 0x600d);
    *gpr(0) = 0;
    tensix->stopped = false;
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert(!tensix->thread[0].has_next);
    ck_assert_uint_eq(*gpr(4), 0x600d);
    ck_assert_uint_eq(*gpr(1), 2);
}
END_TEST

/* --- Time --- */

/* Cycles from the start of the instruction until *place is `value`. */
static unsigned cycles_until(const uint32_t *place, uint32_t value)
{
    unsigned cycles = 0;
    while (*place != value) {
        ck_assert_uint_lt(cycles, 100);
        tensix_harness_go(&harness, 1);
        cycles++;
    }
    return cycles;
}

static void queue(uint32_t word)
{
    struct tensix_origin origin = {.pc = 0, .pusher = TENSIX_BY_T0};
    ck_assert(tensix_push(tensix, 0, origin, &word, 1, harness.time));
}

static bool starts(void)
{
    return tensix->thread[0].pushed == tensix->thread[0].drained;
}

/* Runs until the instruction has passed its gate. */
static void until_it_starts(void)
{
    for (unsigned i = 0; !starts(); i++) {
        ck_assert_uint_lt(i, 100);
        tensix_harness_go(&harness, 1);
    }
}

START_TEST(results_of_memory_take_their_time)
{
    const uint32_t words[] = {loadind(1, 2, 1, 4, 0), by_address(0x68, 4, 0xffb20000),
                              atincget(31, 0, 4, 0), atincgetptr(true, 0, 8, 0, 4, 0)};
    static const unsigned latency[] = {LOAD_LATENCY, LOAD_LATENCY, LOAD_LATENCY, 15};
    tensix->timed = true;
    *gpr(0) = 0x10;
    *gpr(4) = 5;
    tensix_harness_set_l1(&harness, 0x100, 0xfeed);
    tensix_harness_set_register(&harness, 0xffb20000, 0xfeed);
    queue(words[_i]);
    until_it_starts();
    ck_assert_uint_eq(*gpr(4), 5);
    ck_assert_uint_eq(*gpr(1), _i == 0 ? 2 : 0); /* the offset is incremented at once */
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x100), _i == 2 ? 0xfeed + 5 : 0xfeed);
    ck_assert(tensix_requests_pending(tensix, 0));
    ck_assert(!tensix_requests_pending(tensix, 1));
    ck_assert_uint_eq(cycles_until(gpr(4), 0xfeed), latency[_i]);
    ck_assert(!tensix_requests_pending(tensix, 0));
    assert_done();
}
END_TEST

START_TEST(partial_results_keep_what_came_between)
{
    tensix->timed = true;
    *gpr(4) = 0x11112222;
    tensix_harness_set_l1(&harness, 0, 0xaabbccdd);
    queue(loadind(2, 2, 0, 4, 0));     /* the low half */
    queue(op(0x45, 0x7777u << 8 | 9)); /* the high one */
    ck_assert_uint_gt(cycles_until(gpr(4), 0x77772222), 0);
    (void)cycles_until(gpr(4), 0x7777ccdd);
    assert_done();
}
END_TEST

START_TEST(four_words_arrive_together)
{
    tensix->timed = true;
    fill_l1(0x40, LINE);
    *gpr(0) = 4;
    queue(loadind(0, 2, 0, 14, 0));
    until_it_starts();
    (void)cycles_until(gpr(15), tensix_harness_l1(&harness, 0x4c));
    ck_assert_mem_eq(gpr(12), harness.l1 + 0x40, LINE);
    assert_done();
}
END_TEST

/* FLUSHDMA with each mask behind a load: those with C0, and 0, which means all, wait for it. */
START_TEST(flushdma_waits_for_requests)
{
    unsigned mask = (unsigned)_i;
    tensix->timed = true;
    tensix_harness_set_l1(&harness, 0, 0xfeed);
    queue(loadind(1, 2, 0, 4, 0));
    queue(op(0x46, mask));
    tensix_harness_go(&harness, LOAD_LATENCY - 2);
    ck_assert_uint_eq(*gpr(4), 0);
    if (mask == 0 || mask & 1) {
        assert_waits(TENSIX_WAITS_FOR_RESULTS, 0);
        until_it_starts();
        ck_assert_uint_eq(*gpr(4), 0xfeed);
    } else {
        ck_assert(starts());
    }
    tensix_harness_go(&harness, 0);
    assert_done();
}
END_TEST

/* The same for units: busy[] of whom each bit waits for. */
START_TEST(flushdma_waits_for_units)
{
    unsigned mask = (unsigned)_i, all = mask ? mask : 15;
    for (unsigned i = 0; i < 2; i++) {
        unsigned unit = i ? TENSIX_UNIT_PACK : TENSIX_UNIT_UNPACK;
        bool waits = all & (i ? 8 : 6);
        uint64_t until = harness.time + 40;
        tensix->timed = true;
        tensix->thread[0].busy_until[unit] = until;
        queue(op(0x46, mask));
        tensix_harness_go(&harness, 20);
        ck_assert_msg(starts() == !waits, "mask %u unit %u", mask, unit);
        until_it_starts();
        ck_assert(!waits || harness.time >= until);
        tensix_harness_go(&harness, 60);
        assert_done();
    }
}
END_TEST

START_TEST(flushdma_waits_for_its_own_thread)
{
    tensix->timed = true;
    tensix->thread[1].busy_until[TENSIX_UNIT_PACK] = 1000;
    tensix->result[tensix->results++] =
        (struct tensix_result){.due = 1000, .thread = 2, .requested = true};
    queue(op(0x46, 15));
    tensix_harness_go(&harness, 20);
    assert_done();
}
END_TEST

START_TEST(a_functional_run_has_nothing_to_flush)
{
    tensix_harness_set_l1(&harness, 0, 0xfeed);
    run(loadind(1, 2, 0, 4, 0));
    ck_assert_uint_eq(*gpr(4), 0xfeed);
    for (unsigned mask = 0; mask < 16; mask++) {
        tensix->thread[0].busy_until[TENSIX_UNIT_PACK] = UINT64_MAX; /* means nothing here */
        run(op(0x46, mask));
        assert_done();
    }
}
END_TEST

/* Instructions of the unit follow each other at the distance of their occupancy. */
START_TEST(the_unit_is_occupied)
{
    static const struct {
        uint32_t word;
        unsigned cycles;
    } cases[] = {
        {0x60000000, 1},             /* DMANOP */
        {0x45000000, 1},             /* SETDMAREG */
        {0x48400000, 2},             /* REG2FLOP */
        {0x46000000, 2},             /* FLUSHDMA */
        {0x58000000 | IMM, 3},       /* ADDDMAREG */
        {0x66800000, 3},             /* STOREIND */
        {0x49400000, 3},             /* LOADIND */
        {0x64000000, 15},            /* ATCAS of 0 with 0 */
        {0x62400000 | 1u << 12, 15}, /* ATINCGETPTR, not full */
    };
    tensix->timed = true;
    queue(cases[_i].word);
    queue(cases[_i].word);
    while (tensix->thread[0].drained == 0) {
        tensix_harness_go(&harness, 1);
    }
    uint64_t first = tensix->latest;
    until_it_starts();
    ck_assert_uint_eq(tensix->latest - first, cases[_i].cycles);
    assert_done();
}
END_TEST

/* --- Suite --- */

static void add_registers(TCase *tcase)
{
    tcase_add_loop_test(tcase, arithmetic_of_registers, 0, ALU_CASES);
    tcase_add_loop_test(tcase, arithmetic_with_an_immediate, 0, ALU_CASES);
    tcase_add_loop_test(tcase, arithmetic_of_one_register_with_itself, 0, ALU_CASES);
    tcase_add_test(tcase, threads_have_registers_of_their_own);
    tcase_add_loop_test(tcase, undefined_modes_fault, 0, 3);
    tcase_add_test(tcase, dmanop_changes_nothing);
    tcase_add_test(tcase, setdmareg_writes_one_half);
    tcase_add_test(tcase, setdmareg_special_16_bits);
    tcase_add_test(tcase, setdmareg_special_32_bits);
    tcase_add_test(tcase, setdmareg_special_128_bits);
    tcase_add_test(tcase, setdmareg_special_keeps_reserved_fields);
    tcase_add_loop_test(tcase, setdmareg_special_sources, 0, 16);
    tcase_add_test(tcase, setdmareg_special_compression_override);
    tcase_add_loop_test(tcase, reg2flop_writes_a_word, 0, 128);
    tcase_add_loop_test(tcase, reg2flop_writes_four_words, 0, 128);
    tcase_add_test(tcase, reg2flop_has_no_byte_offset);
    tcase_add_test(tcase, reg2flop_waits_for_reset);
    tcase_add_loop_test(tcase, reg2flop_sets_an_address_counter, 0, 64);
}

static void add_memory(TCase *tcase)
{
    tcase_add_loop_test(tcase, loadind_loads_every_size, 0, 4);
    tcase_add_loop_test(tcase, loadind_increments_half_a_register, 0, 4);
    tcase_add_loop_test(tcase, results_go_to_their_thread, 0, 4);
    tcase_add_test(tcase, loadind_result_and_offset_overlap);
    tcase_add_test(tcase, loadind_address_and_offset_overlap);
    tcase_add_loop_test(tcase, loadind_ends_with_l1, 0, 4);
    tcase_add_loop_test(tcase, storeind_stores_every_size, 0, 4);
    tcase_add_loop_test(tcase, storeind_data_and_offset_overlap, 0, 4);
    tcase_add_test(tcase, storeind_offset_wraps);
    tcase_add_loop_test(tcase, storeind_ends_with_l1, 0, 4);
    tcase_add_loop_test(tcase, storereg_and_loadreg_reach_registers, 0, 5);
    tcase_add_loop_test(tcase, registers_begin_at_0xffb11000, 0, 3);
    tcase_add_loop_test(tcase, storeind_to_a_register, 0, 5);
    tcase_add_test(tcase, storeind_to_a_register_then_increments);
    tcase_add_loop_test(tcase, a_register_that_does_not_answer_is_waited_for, 0, 3);
    tcase_add_test(tcase, a_register_that_refuses_is_a_fault);
    tcase_add_loop_test(tcase, storeind_to_src, 0, 2);
    tcase_add_test(tcase, storeind_before_the_first_row_of_src_a);
    tcase_add_loop_test(tcase, storeind_rows_of_src_end, 0, 3);
    tcase_add_loop_test(tcase, storeind_waits_for_a_bank_of_src, 0, 2);
    tcase_add_loop_test(tcase, atincget_counts_in_a_field, 0, 32);
    tcase_add_test(tcase, atincget_of_its_own_address);
    tcase_add_loop_test(tcase, atincgetptr_pushes_and_pops, 0, 16);
    tcase_add_test(tcase, atincgetptr_runs_a_fifo);
    tcase_add_loop_test(tcase, atcas_waits_for_a_value, 0, 16);
    tcase_add_loop_test(tcase, a_waiting_instruction_holds_the_unit, 0, 3);
    tcase_add_test(tcase, atcas_ignores_its_data_register);
    tcase_add_loop_test(tcase, atswap_writes_the_halves_of_its_mask, 0, 256);
    tcase_add_loop_test(tcase, atomics_end_with_l1, 0, 4);
    tcase_add_test(tcase, a_fault_that_stops_can_be_tried_again);
}

static void add_time(TCase *tcase)
{
    tcase_add_loop_test(tcase, results_of_memory_take_their_time, 0, 4);
    tcase_add_test(tcase, partial_results_keep_what_came_between);
    tcase_add_test(tcase, four_words_arrive_together);
    tcase_add_loop_test(tcase, flushdma_waits_for_requests, 0, 16);
    tcase_add_loop_test(tcase, flushdma_waits_for_units, 0, 16);
    tcase_add_test(tcase, flushdma_waits_for_its_own_thread);
    tcase_add_test(tcase, a_functional_run_has_nothing_to_flush);
    tcase_add_loop_test(tcase, the_unit_is_occupied, 0, 9);
}

int main(void)
{
    static void (*const adds[])(TCase *) = {add_registers, add_memory, add_time};
    static const char *const names[] = {"registers", "memory", "time"};
    Suite *suite = suite_create("tensix_scalar");
    for (unsigned i = 0; i < 3; i++) {
        TCase *tcase = tcase_create(names[i]);
        tcase_add_checked_fixture(tcase, setup, teardown);
        tcase_set_timeout(tcase, 60);
        adds[i](tcase);
        suite_add_tcase(suite, tcase);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
