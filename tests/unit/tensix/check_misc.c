/*
 * The Miscellaneous Unit by hand, the banks of SrcA and SrcB against a model of the ISA's pages on
 * random state and operands, and what the debug bus shows of both.
 */
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/exec.h"
#include "tensix/src_banks.h"
#include "unit/tensix/tensix_fixture.h"

enum { RANDOM_ROUNDS = 10000 };

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & ((UINT32_C(2) << (high - low)) - 1);
}

FIXTURE(setup, teardown);

TEST(nop_changes_nothing)
{
    tensix->thread[1].adc[0].channel[1].y = 5;
    struct tensix before = *tensix;
    tensix_harness_run(&harness, 1, "NOP; NOP");
    ck_assert_mem_eq(tensix->thread[1].adc, before.thread[1].adc, sizeof before.thread[1].adc);
    ck_assert_mem_eq(tensix->src, before.src, sizeof before.src);
    ck_assert_mem_eq(tensix->gpr, before.gpr, sizeof before.gpr);
    ck_assert_mem_eq(tensix->config, before.config, sizeof before.config);
    ck_assert_mem_eq(&tensix->thread[1].rwc, &before.thread[1].rwc, sizeof(struct tensix_rwc));
    ck_assert_uint_eq(tensix->thread[1].drained, 2);
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- The banks of SrcA and SrcB --- */

enum { UNPACKERS, MATRIX };
enum { CLR_DVALID_WORD = 7 };

static struct bank_model {
    unsigned allowed[2]; /* client of each bank */
    unsigned matrix_bank, unpack_bank;
    bool held;
} banks[2];

static void randomise_banks(void)
{
    for (unsigned src = 0; src < 2; src++) {
        banks[src] = (struct bank_model){{random_below(&dice, 2), random_below(&dice, 2)},
                                         random_below(&dice, 2),
                                         random_below(&dice, 2),
                                         false};
        struct tensix_src_banks *own = &tensix->src[src];
        own->matrix_bank = (uint8_t)banks[src].matrix_bank;
        own->unpack_bank = (uint8_t)banks[src].unpack_bank;
        own->matrix_may[0] = banks[src].allowed[0] == MATRIX;
        own->matrix_may[1] = banks[src].allowed[1] == MATRIX;
    }
}

static void compare_banks(uint32_t what)
{
    for (unsigned src = 0; src < 2; src++) {
        const struct tensix_src_banks *own = &tensix->src[src];
        const struct bank_model *wanted = &banks[src];
        ck_assert_msg(
            own->matrix_bank == wanted->matrix_bank && own->unpack_bank == wanted->unpack_bank &&
                own->matrix_may[0] == (wanted->allowed[0] == MATRIX) &&
                own->matrix_may[1] == (wanted->allowed[1] == MATRIX),
            "0x%08" PRIx32 ": Src%c is at %u and %u, with the Matrix Unit: %d %d", what, "AB"[src],
            own -> matrix_bank, own -> unpack_bank, own -> matrix_may[0], own -> matrix_may[1]);
        ck_assert(tensix_src_matrix_may(tensix, (enum tensix_src)src) ==
                  (wanted->allowed[wanted->matrix_bank] == MATRIX));
        ck_assert(tensix_src_unpack_may(tensix, (enum tensix_src)src) ==
                  (wanted->allowed[wanted->unpack_bank] == UNPACKERS));
    }
}

/* SETDVALID, CLEARDVALID or SETRWC, for one of SrcA (0) and SrcB (1). */
static void model_banks(unsigned thread, unsigned src, uint32_t word)
{
    struct bank_model *own = &banks[src];
    bool flips = bits(word, 22 + src, 22 + src);
    bool disabled = tensix->thread_config[thread][CLR_DVALID_WORD] >> src & 1;
    if (own->held) {
        return;
    }
    switch (word >> 24) {
    case 0x57:
        if (bits(word, src, src)) {
            own->allowed[own->unpack_bank] = MATRIX;
            own->unpack_bank = !own->unpack_bank;
        }
        break;
    case 0x36:
        if (bits(word, 0, 0)) {
            *own = (struct bank_model){.allowed = {UNPACKERS, UNPACKERS}};
        } else if (flips) {
            own->allowed[own->matrix_bank] = UNPACKERS;
            own->matrix_bank = bits(word, 1, 1) ? own->matrix_bank : !own->matrix_bank;
        }
        break;
    default:
        if (flips) {
            own->allowed[own->matrix_bank] = disabled ? own->allowed[own->matrix_bank] : UNPACKERS;
            own->matrix_bank = !own->matrix_bank;
        }
        break;
    }
}

static uint32_t random_bank_instruction(void)
{
    switch (random_below(&dice, 3)) {
    case 0:
        return UINT32_C(0x57000000) | random_below(&dice, 4);
    case 1:
        return UINT32_C(0x36000000) | random_below(&dice, 4) << 22 | random_below(&dice, 4);
    default:
        return UINT32_C(0x37000000) | random_below(&dice, 4) << 22;
    }
}

static void run_bank_instruction(void)
{
    unsigned thread = random_below(&dice, TENSIX_THREADS);
    uint32_t word = random_bank_instruction();
    model_banks(thread, 0, word);
    model_banks(thread, 1, word);
    tensix_harness_push(&harness, thread, word);
    compare_banks(word);
}

TEST(banks_are_as_the_model)
{
    for (int i = 0; i < RANDOM_ROUNDS; i++) {
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            tensix->thread_config[thread][CLR_DVALID_WORD] = (uint16_t)random_below(&dice, 4);
        }
        randomise_banks();
        run_bank_instruction();
        run_bank_instruction();
    }
    ck_assert_uint_eq(harness.faults + harness.unmodelled, 0);
}

/* Soft reset bits 15 and 16 keep the banks as they are after power-on. */
TEST_RANGE(held_banks_do_not_move, 1, 3)
{
    for (unsigned src = 0; src < 2; src++) {
        tensix->held |= (unsigned)_i >> src & 1 ? UINT32_C(1) << (15 + src) : 0;
    }
    for (int i = 0; i < 500; i++) {
        randomise_banks();
        for (unsigned src = 0; src < 2; src++) {
            if ((unsigned)_i >> src & 1) {
                tensix_src_reset(tensix, (enum tensix_src)src);
                banks[src] = (struct bank_model){.held = true};
            }
        }
        for (int instruction = 0; instruction < 4; instruction++) {
            run_bank_instruction();
        }
    }
}

/* A wait sees a bank that was there for a moment only, although its thread is not looked at then.
 */
static const struct moment {
    const char *before, *wait, *moment;
} moments[] = {
    {"", "STALLWAIT 64, 128; INCRWC 0, 1, 0, 0", "SETDVALID 1; CLEARDVALID 1, 0"},
    {"SETDVALID 1; SETDVALID 1", "STALLWAIT 64, 32; INCRWC 0, 1, 0, 0",
     "SETRWC 1, 0, 0, 0, 0, 0; SETDVALID 1"},
    {"SETDVALID 1; SETDVALID 1", "STALLWAIT 64, 32; INCRWC 0, 1, 0, 0",
     "CLEARDVALID 1, 2; SETDVALID 1"},
    {"SETDVALID 2; SETDVALID 2", "STALLWAIT 64, 64; INCRWC 0, 1, 0, 0",
     "CLEARDVALID 0, 1; SETDVALID 2; SETDVALID 2"},
};

TEST_EACH(waits_see_moments, COUNT(moments))
{
    const struct moment *row = &moments[_i];
    tensix_harness_run(&harness, 0, row->before);
    tensix_harness_run(&harness, 2, row->wait);
    ck_assert_uint_eq(tensix->thread[2].rwc.dst, 0);
    tensix_harness_run(&harness, 0, row->moment);
    ck_assert_uint_eq(tensix->thread[2].rwc.dst, 1);
}

/* --- The debug bus --- */

enum { GROUP_BITS = 128 };

/* A member of a channel or of the RWCs, and where its bits show: all of them, but of Z and W the
 * low eight only. */
struct signal {
    uint8_t signal, thread;
    uint16_t first;
    uint8_t width;
    size_t offset, bytes;
};

#define MEMBER(type, member) offsetof(type, member), sizeof(((type *)0)->member)

static const struct signal channel_signals[] = {
#define IN_CHANNEL(first, width, member)                                                           \
    {                                                                                              \
        0, 0, first, width, MEMBER(struct tensix_adc_channel, member)                              \
    }
    IN_CHANNEL(0, 18, x), IN_CHANNEL(18, 18, x_cr), IN_CHANNEL(64, 13, y), IN_CHANNEL(80, 13, y_cr),
    IN_CHANNEL(96, 8, z), IN_CHANNEL(104, 8, z_cr), IN_CHANNEL(112, 8, w), IN_CHANNEL(120, 8, w_cr),
};

/* The groups of address counters, in order. */
static const struct {
    uint8_t thread, unit, channel;
} channels[] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {2, 2, 0}, {2, 2, 1}};

static const struct signal rwc_signals[] = {
#define IN_RWC(signal, of, first, width, member)                                                   \
    {                                                                                              \
        signal, of, first, width, MEMBER(struct tensix_rwc, member)                                \
    }
    IN_RWC(2, 0, 0, 6, src_a),     IN_RWC(2, 0, 8, 6, src_a_cr),  IN_RWC(2, 1, 16, 6, src_a),
    IN_RWC(2, 1, 24, 6, src_a_cr), IN_RWC(2, 2, 32, 6, src_a),    IN_RWC(2, 2, 40, 6, src_a_cr),
    IN_RWC(2, 0, 60, 6, src_b),    IN_RWC(2, 0, 68, 6, src_b_cr), IN_RWC(2, 1, 76, 6, src_b),
    IN_RWC(2, 1, 84, 6, src_b_cr), IN_RWC(2, 2, 92, 6, src_b),    IN_RWC(2, 2, 100, 6, src_b_cr),
    IN_RWC(2, 0, 120, 10, dst), /* runs on into the next group */
    IN_RWC(3, 0, 2, 10, dst_cr),   IN_RWC(3, 1, 12, 10, dst),     IN_RWC(3, 1, 22, 10, dst_cr),
    IN_RWC(3, 2, 32, 10, dst),     IN_RWC(3, 2, 42, 10, dst_cr),  IN_RWC(4, 0, 60, 2, fidelity),
    IN_RWC(4, 1, 62, 2, fidelity), IN_RWC(4, 2, 64, 2, fidelity),
};

/* The 128 bits of a group and those of the one that it runs on into. */
static void read_groups(unsigned daisy, unsigned signal, uint32_t data[8])
{
    memset(data, 0, 8 * sizeof data[0]);
    ck_assert(tensix_debug_signals(tensix, daisy, signal, data));
    if (daisy == 3 && signal == 2) {
        ck_assert(tensix_debug_signals(tensix, daisy, signal + 1, data + 4));
    }
}

/* Sets one member of a state that is all zero to all ones: its bits of its group show them, and no
 * other bit does, although the member may have more. */
static void shows(const struct signal *row, unsigned daisy, unsigned signal, void *state)
{
    uint32_t data[8];
    memset((uint8_t *)state + row->offset, 0xff, row->bytes);
    read_groups(daisy, signal, data);
    for (unsigned bit = 0; bit < 2 * GROUP_BITS; bit++) {
        unsigned wanted = bit >= row->first && bit < (unsigned)row->first + row->width;
        ck_assert_msg((data[bit / 32] >> bit % 32 & 1) == wanted, "bit %u of %u/%u is %u", bit,
                      daisy, signal, !wanted);
    }
    memset((uint8_t *)state + row->offset, 0, row->bytes);
}

TEST_EACH(debug_bus_shows_address_counters, COUNT(channels))
{
    struct tensix_adc *adc = &tensix->thread[channels[_i].thread].adc[channels[_i].unit];
    for (int i = 0; i < COUNT(channel_signals); i++) {
        shows(&channel_signals[i], 6, (unsigned)_i, &adc->channel[channels[_i].channel]);
    }
}

TEST_EACH(debug_bus_shows_rwcs, COUNT(rwc_signals))
{
    const struct signal *row = &rwc_signals[_i];
    shows(row, 3, row->signal, &tensix->thread[row->thread].rwc);
}

/* Members that no group shows. */
TEST(debug_bus_shows_no_other_threads)
{
    uint32_t data[4], all = 0;
    memset(tensix->thread[1].adc, 0xff, sizeof tensix->thread[1].adc);
    memset(tensix->thread[2].adc, 0xff, 2 * sizeof tensix->thread[2].adc[0]);
    memset(&tensix->thread[0].adc[2], 0xff, sizeof tensix->thread[0].adc[2]);
    for (unsigned signal = 0; signal <= 5; signal++) {
        ck_assert(tensix_debug_signals(tensix, 6, signal, data));
        all |= data[0] | data[1] | data[2] | data[3];
    }
    ck_assert_uint_eq(all, 0);
}

static const struct bank_signals {
    struct tensix_src_banks a, b;
    uint32_t data[4];
} bank_signals[] = {
    {{0}, {0}, {0, 0, 1 << 20, 0}},
    {{.unpack_bank = 1, .matrix_may = {1, 0}},
     {0},
     {0, 0, 1 << 20 | 1 << 21 | 1 << 27 | 1 << 30, 0}},
    {{.matrix_bank = 1, .matrix_may = {1, 1}}, {0}, {0, 0, 1 << 21 | 3 << 26 | 3 << 28, 0}},
    {{0}, {.matrix_bank = 1}, {0, 0, 1 << 20, 3 << 4}},
    {{0}, {.unpack_bank = 1}, {0, 0, 1 << 20, 1 << 6}},
    {{0}, {.matrix_may = {1, 0}}, {0, 0, 1 << 20, 1 << 9}},
    {{0}, {.matrix_may = {0, 1}}, {0, 0, 1 << 20, 1 << 10}},
};

TEST_EACH(debug_bus_shows_banks, COUNT(bank_signals))
{
    const struct bank_signals *row = &bank_signals[_i];
    uint32_t data[4];
    tensix->src[TENSIX_SRC_A] = row->a;
    tensix->src[TENSIX_SRC_B] = row->b;
    ck_assert(tensix_debug_signals(tensix, 6, 9, data));
    ck_assert_mem_eq(data, row->data, sizeof data);
}

/* All counters are 15 on a chip of which tt-exalens's manual shows what its masks cut out. */
static const struct cut {
    unsigned first, value;
} cuts[] = {
    {0, 0xf},  {10, 0x3}, {24, 0xf}, {30, 0x3c}, {40, 0xf},  {50, 0},
    {60, 0xf}, {70, 0x3}, {84, 0xf}, {90, 0x3c}, {100, 0xf}, {110, 0},
};

TEST(debug_bus_is_as_a_chip)
{
    uint32_t data[8];
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        tensix->thread[thread].rwc = (struct tensix_rwc){
            .dst = 15, .dst_cr = 15, .src_a = 15, .src_a_cr = 15, .src_b = 15, .src_b_cr = 15};
    }
    read_groups(3, 2, data);
    for (int i = 0; i < COUNT(cuts); i++) {
        unsigned word = cuts[i].first / 32;
        uint64_t both = data[word] | (uint64_t)data[word + 1] << 32;
        ck_assert_uint_eq(both >> cuts[i].first % 32 & 0x3f, cuts[i].value);
    }
    for (unsigned first = 120; first < 180; first += 10) {
        uint64_t both = data[first / 32] | (uint64_t)data[first / 32 + 1] << 32;
        ck_assert_uint_eq(both >> first % 32 & 0x3ff, 0xf);
    }
}

TEST(debug_bus_has_no_other_groups)
{
    const uint32_t none[4] = {0};
    unsigned known = 0;
    memset(tensix->thread[0].adc, 0xff, sizeof tensix->thread[0].adc);
    for (unsigned daisy = 0; daisy < 256; daisy++) {
        for (unsigned signal = 0; signal < 300; signal++) {
            uint32_t data[4] = {1, 1, 1, 1};
            if (tensix_debug_signals(tensix, daisy, signal, data)) {
                known++;
            } else {
                ck_assert_mem_eq(data, none, sizeof none);
            }
        }
    }
    ck_assert_uint_eq(known, 6 + 1 + 3 + 1); /* the last: lanes that are enabled */
}
