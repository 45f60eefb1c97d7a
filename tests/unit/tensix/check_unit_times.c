/*
 * Timed runs, from the pages alone: how long instructions keep their thread and their unit, when
 * results of memory reads are there, what waits for them, and the order of the Configuration Unit.
 *
 * Times are looked at from outside: a SEMPOST behind the instructions of interest, cycle by cycle.
 *
 * SPEC: WormholeB0 ScalarUnit and the pages of its instructions, WaitGate; BlackholeA0 STALLWAIT,
 * ConfigurationUnit, STREAMWRCFG, CFGSHIFTMASK. HW: STALLWAIT 0, 0 passes every second cycle.
 */
#include "unit/tensix/pages_world.h"

enum {
    NOP = 0x02000000,
    DMANOP = 0x60000000,
    FOREVER = 3000,
    B_SYNC = 1 << 1,
    B_SCALAR = 1 << 5,
    B_CONFIG = 1 << 7,
    STREAM_ID_SYNC = 59,
};

static uint32_t sempost(unsigned semaphore)
{
    return OP(0xa4) | 1u << semaphore << 2;
}

static uint32_t stallwait(unsigned blocks, unsigned conditions)
{
    return OP(0xa2) | blocks << 15 | conditions;
}

/* GPR result = GPR left + imm */
static uint32_t add_imm(unsigned result, unsigned imm, unsigned left)
{
    return OP(0x58) | 1u << 23 | result << 12 | imm << 6 | left;
}

static void open_timed(void)
{
    open_coprocessor();
    tt->timing = &harness.costs;
}

static void queue(unsigned thread, uint32_t word)
{
    struct tensix_origin origin = {.pusher = (uint8_t)(TENSIX_BY_T0 + thread)};
    ck_assert_msg(tensix_push(tt, thread, origin, &word, 1, harness.time), "a full FIFO");
}

static void queue_all(unsigned thread, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        queue(thread, words[i]);
    }
}

static void drain(void)
{
    tensix_harness_go(&harness, 0);
    ck_assert(!tensix_busy(tt));
}

/* Runs cycle by cycle until the semaphore has been posted; how many that took. */
static unsigned until_post(unsigned semaphore)
{
    unsigned cycles = 0;
    while (tt->semaphore[semaphore].value == 0) {
        ck_assert_msg(cycles < FOREVER, "semaphore %u is not posted", semaphore);
        tensix_harness_go(&harness, 1);
        cycles++;
    }
    return cycles;
}

/* Cycles until a SEMPOST behind these instructions has passed its gate; everything is idle before
 * and after. */
static unsigned time_of(const uint32_t *words, unsigned count)
{
    tt->semaphore[7].value = 0;
    queue_all(0, words, count);
    queue(0, sempost(7));
    unsigned cycles = until_post(7);
    drain();
    tt->semaphore[7].value = 0;
    tensix_harness_go(&harness, 200);
    return cycles;
}

/* Of `word` among others of its kind, in hundredths of a cycle. */
static unsigned cost(uint32_t word)
{
    enum { FEW = 4, MANY = 24 };
    uint32_t words[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        words[i] = word;
    }
    unsigned few = time_of(words, FEW);
    return (time_of(words, MANY) - few) * 100 / (MANY - FEW);
}

/* --- Occupancy --- */

static const struct price {
    const char *name;
    uint32_t word;
    unsigned least, most; /* cycles; most is 0 where the page says "at least" */
} prices[] = {
    {"NOP", NOP, 1, 1},
    {"DMANOP", DMANOP, 1, 1},
    {"SETDMAREG", OP(0x45) | 5 << 8 | 9, 1, 1},
    {"SETDMAREG special", OP(0x45) | 15u << 11 | 1 << 7 | 9, 1, 1},
    {"REG2FLOP to configuration", OP(0x48) | 1u << 22 | 4 << 6 | 4, 2, 2},
    {"REG2FLOP to an ADC", OP(0x48) | 1u << 22 | 1u << 21 | 4, 2, 2},
    {"FLUSHDMA", OP(0x46) | 1, 2, 0},
    {"ADDDMAREG with an immediate", OP(0x58) | 1u << 23 | 4 << 12 | 7 << 6 | 63, 3, 3},
    {"ADDDMAREG, one group", OP(0x58) | 9 << 12 | 5 << 6 | 6, 3, 3},
    {"ADDDMAREG, one register", OP(0x58) | 9 << 12 | 5 << 6 | 5, 3, 3},
    {"ADDDMAREG, two groups", OP(0x58) | 9 << 12 | 5 << 6 | 8, 4, 4},
    {"SUBDMAREG, one group", OP(0x59) | 9 << 12 | 60 << 6 | 63, 3, 3},
    {"SUBDMAREG, two groups", OP(0x59) | 9 << 12 | 4 << 6 | 3, 4, 4},
    {"MULDMAREG with an immediate", OP(0x5a) | 1u << 23 | 4 << 12 | 63 << 6 | 4, 3, 3},
    {"MULDMAREG, two groups", OP(0x5a) | 9 << 12 | 0 << 6 | 63, 4, 4},
    {"BITWOPDMAREG, one group", OP(0x5b) | 9 << 12 | 5 << 6 | 6, 3, 3},
    {"BITWOPDMAREG, two groups", OP(0x5b) | 1 << 18 | 9 << 12 | 5 << 6 | 8, 4, 4},
    {"SHIFTDMAREG with an immediate", OP(0x5c) | 1u << 23 | 4 << 12 | 31 << 6 | 4, 3, 3},
    {"SHIFTDMAREG, two groups", OP(0x5c) | 1 << 18 | 9 << 12 | 5 << 6 | 8, 4, 4},
    {"CMPDMAREG, one group", OP(0x5d) | 9 << 12 | 5 << 6 | 6, 3, 3},
    {"CMPDMAREG, two groups", OP(0x5d) | 2 << 18 | 9 << 12 | 5 << 6 | 8, 4, 4},
    {"STOREIND to L1", OP(0x66) | 1u << 23 | 1u << 21 | 20 << 14 | 9 << 6 | 8, 3, 0},
    {"STOREIND to a register", OP(0x66) | 1u << 22 | 20 << 14 | 9 << 6 | 12, 3, 0},
    {"STOREIND to SrcA", OP(0x66) | 20 << 14 | 9 << 6 | 8, 3, 0},
    {"STOREREG", OP(0x67) | 9 << 18 | 0x8000, 3, 0},
    {"LOADIND", OP(0x49) | 1u << 22 | 20 << 14 | 9 << 6 | 8, 3, 0},
    {"LOADREG", OP(0x68) | 9 << 18 | 0x8000, 3, 0},
    {"ATSWAP", OP(0x63) | 255u << 14 | 16 << 6 | 8, 12, 0},   /* sustained */
    {"ATINCGET", OP(0x61) | 31u << 14 | 9 << 6 | 8, 12, 0},   /* sustained */
    {"ATCAS", OP(0x64) | 8, 15, 0},                           /* 0 for 0 */
    {"ATINCGETPTR", OP(0x62) | 1u << 12 | 9 << 6 | 8, 15, 0}, /* a push */
    {"SEMPOST", OP(0xa4), 1, 1},
    {"SEMGET", OP(0xa5), 1, 1},
    {"SEMINIT", OP(0xa3), 1, 1},
    {"STALLWAIT 0, 0", OP(0xa2), 2, 2},
    {"SETC16", OP(0xb2) | 10 << 16, 1, 1},
    {"RMWCIB0", OP(0xb3) | 50, 1, 1},
    {"WRCFG", OP(0xb0) | 50, 1, 1},
    {"RDCFG", OP(0xb1) | 3 << 16 | 50, 1, 1},
    {"CFGSHIFTMASK", OP(0xb8) | 50, 2, 2},
    {"STREAMWRCFG", OP(0xb7) | 50, 1, 1},
    {"SETADC", OP(0x50), 1, 1},
    {"INCRWC", OP(0x38), 1, 1},
};

FIXTURE(open_timed, close_coprocessor);

TEST_EACH(prices_of_instructions, COUNT(prices))
{
    const struct price *price = &prices[_i];
    tt->gpr[0][12] = 0x20000;
    set_l1(16 * 8, 0);
    unsigned got = cost(price->word);
    ck_assert_msg(got >= 100 * price->least, "%s takes %u.%02u cycles, not %u", price->name,
                  got / 100, got % 100, price->least);
    ck_assert_msg(!price->most || got <= 100 * price->most, "%s takes %u.%02u cycles, not %u",
                  price->name, got / 100, got % 100, price->most);
    if (harness.faults) {
        ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_DOUBTFUL); /* REG2FLOP */
    }
}

/* What a thread starts after a scalar instruction, of any unit, waits for its end. */
TEST(scalar_instruction_holds_its_thread)
{
    static const uint32_t behind[] = {NOP, DMANOP, OP(0xb2) | 10 << 16, OP(0x50), OP(0x38)};
    for (int i = 0; i < COUNT(behind); i++) {
        uint32_t words[] = {add_imm(4, 1, 4), behind[i]};
        unsigned alone = time_of(&words[1], 1);
        ck_assert_uint_eq(time_of(words, 2), alone + 3);
    }
}

/* One scalar instruction at a time, whoever has issued it. */
TEST(scalar_unit_is_shared)
{
    enum { EACH = 8 };
    for (unsigned i = 0; i < EACH; i++) {
        for (unsigned thread = 0; thread < 3; thread++) {
            queue(thread, add_imm(4, 1, 4));
        }
    }
    for (unsigned thread = 0; thread < 3; thread++) {
        queue(thread, sempost(thread));
    }
    unsigned cycles = 0;
    for (unsigned semaphore = 0; semaphore < 3; semaphore++) {
        cycles += until_post(semaphore);
    }
    ck_assert_uint_ge(cycles, 3 * 3 * EACH);
    ck_assert_uint_le(cycles, 3 * 3 * EACH + 20);
    for (unsigned thread = 0; thread < 3; thread++) {
        ck_assert_uint_eq(tt->gpr[thread][4], EACH);
    }
}

/* --- Results that come later --- */

enum { RESULT = 8, OLD = 0x11223344, DATA = 0x55667788, LINE = 0x200, INCREMENT = 0x10 };

static const struct load {
    const char *name;
    uint32_t word;
    uint32_t expected;
    unsigned dmanops; /* that are enough, as the page says */
} loads[] = {
    {"LOADIND 0", OP(0x49) | 0u << 22 | 40 << 14 | RESULT << 6 | 4, DATA, 7},
    {"LOADIND 1", OP(0x49) | 1u << 22 | 40 << 14 | RESULT << 6 | 4, DATA, 7},
    {"LOADIND 2", OP(0x49) | 2u << 22 | 40 << 14 | RESULT << 6 | 4, 0x11227788, 7},
    {"LOADIND 3", OP(0x49) | 3u << 22 | 40 << 14 | RESULT << 6 | 4, 0x11223388, 7},
    {"LOADREG", OP(0x68) | RESULT << 18 | 0x8000, DATA, 7},
    {"ATINCGET", OP(0x61) | 31u << 14 | RESULT << 6 | 4, DATA, 24},
};

static void prepare_load(void)
{
    tt->gpr[0][RESULT] = OLD;
    tt->gpr[0][4] = LINE / 16;
    tt->gpr[0][20] = 0;
    tt->gpr[0][32] = 0;
    for (unsigned i = 0; i < 4; i++) {
        tensix_harness_set_l1(&harness, LINE + 4 * i, DATA + i);
    }
    tensix_harness_set_register(&harness, UINT32_C(0xffb20000), DATA);
}

/* What an instruction finds in the result register after the load and these instructions. It is
 * told when that is what was there before. */
static uint32_t found_after(const struct load *load, const uint32_t *words, unsigned count)
{
    prepare_load();
    queue(0, load->word);
    queue_all(0, words, count);
    queue(0, add_imm(32, 0, RESULT));
    drain();
    ck_assert_uint_eq(harness.faults, tt->gpr[0][32] == OLD);
    harness.faults = 0;
    return tt->gpr[0][32];
}

TEST_EACH(load_is_not_there_at_once, COUNT(loads))
{
    const struct load *load = &loads[_i];
    ck_assert_uint_eq(found_after(load, NULL, 0), OLD);
    ck_assert_uint_eq(tt->gpr[0][RESULT], load->expected); /* in the end */
}

TEST_EACH(load_arrives_after_dmanops, COUNT(loads))
{
    uint32_t words[24];
    for (unsigned i = 0; i < 24; i++) {
        words[i] = DMANOP;
    }
    ck_assert_uint_eq(found_after(&loads[_i], words, loads[_i].dmanops), loads[_i].expected);
}

/* Every mask of FLUSHDMA; 0 is all. */
TEST_EACH(flushdma_waits_for_loads, COUNT(loads))
{
    const struct load *load = &loads[_i];
    for (unsigned mask = 0; mask < 16; mask++) {
        uint32_t word = OP(0x46) | mask;
        bool waits = mask == 0 || mask & 1;
        uint32_t found = found_after(load, &word, 1);
        ck_assert_msg(found == (waits ? load->expected : OLD), "%s, FLUSHDMA %u: 0x%" PRIx32,
                      load->name, mask, found);
    }
}

/* Every one of the conditions; 0 is C0 to C3. */
TEST_EACH(stallwait_waits_for_loads, COUNT(loads))
{
    const struct load *load = &loads[_i];
    for (unsigned n = 0; n <= 13; n++) {
        unsigned conditions = n == 13 ? 0 : 1u << n;
        uint32_t word = stallwait(B_SCALAR, conditions);
        bool waits = conditions == 0 || conditions == 1;
        for (unsigned s = 0; s < 2; s++) { /* so that C5 to C8 hold nothing up */
            tt->src[s] = (struct tensix_src_banks){.matrix_bank = 1, .matrix_may = {false, true}};
        }
        uint32_t found = found_after(load, &word, 1);
        ck_assert_msg(found == (waits ? load->expected : OLD),
                      "%s, STALLWAIT 0x20, 0x%x: 0x%" PRIx32, load->name, conditions, found);
    }
}

/* While FLUSHDMA waits, it keeps other threads out of the Scalar Unit, but not out of others. */
TEST(flushdma_holds_the_unit)
{
    for (int i = 0; i < COUNT(loads); i++) {
        prepare_load();
        tt->gpr[1][0] = 0;
        queue(0, loads[i].word);
        queue(0, OP(0x46) | 1);
        queue(0, sempost(0));
        tensix_harness_go(&harness, 5); /* the load is three cycles in the unit */
        queue(1, sempost(1));
        queue(1, add_imm(0, 1, 0));
        bool posted_before = false;
        for (unsigned cycles = 0; tt->semaphore[0].value == 0; cycles++) {
            ck_assert_msg(tt->gpr[1][0] == 0, "%s: another thread got in", loads[i].name);
            posted_before |= tt->semaphore[1].value != 0;
            ck_assert_uint_lt(cycles, FOREVER);
            tensix_harness_go(&harness, 1);
        }
        ck_assert(posted_before);
        drain();
        ck_assert_uint_eq(tt->gpr[1][0], 1);
        tt->semaphore[0].value = tt->semaphore[1].value = 0;
    }
}

/* A load that is under way writes its register after a later instruction has, and only its part of
 * it; its address was taken before. */
TEST_EACH(load_writes_late, COUNT(loads))
{
    const struct load *load = &loads[_i];
    uint32_t part = _i == 2 ? 0xffff : _i == 3 ? 0xff : 0xffffffff;
    uint32_t words[] = {OP(0x45) | 0xabcdu << 8 | 2 * RESULT, OP(0x45) | 0 << 8 | 2 * 4,
                        OP(0x45) | 0xef01u << 8 | (2 * RESULT + 1), stallwait(B_SCALAR, 1)};
    uint32_t found = found_after(load, words, COUNT(words));
    ck_assert_uint_eq(found, (DATA & part) | (0xef01abcd & ~part));
}

/* A thread's requests reach L1 in order. */
TEST(load_after_store)
{
    static const uint32_t stores[] = {
        OP(0x66) | 1u << 23 | 1u << 21 | 40 << 14 | 12 << 6 | 4, /* STOREIND */
        OP(0x63) | 3u << 14 | 12 << 6 | 4,                       /* ATSWAP of a word */
        OP(0x61) | 31u << 14 | 13 << 6 | 4,                      /* ATINCGET */
    };
    static const uint32_t stored[] = {0x99, 0x99, DATA + 0x10};
    for (int i = 0; i < COUNT(stores); i++) {
        prepare_load();
        tt->gpr[0][12] = 0x99;
        tt->gpr[0][13] = 0x10;
        queue(0, stores[i]);
        queue(0, loads[1].word);
        queue(0, stallwait(B_SCALAR, 1));
        queue(0, add_imm(32, 0, RESULT));
        drain();
        ck_assert_uint_eq(tt->gpr[0][32], stored[i]);
    }
}

/* Programs of three threads that wait for their loads give the same in timed and in functional
 * runs. */
static uint32_t any_instruction(void)
{
    unsigned a = below(16), b = below(16), c = below(16);
    switch (below(8)) {
    case 0:
        return OP(0x45) | (next_random() & 0xffff) << 8 | (2 * a + below(2));
    case 1:
        return OP(0x49) | (1 + below(3)) << 22 | 2u * 20 << 14 | a << 6 | 21; /* LOADIND */
    case 2:
        return OP(0x66) | 1u << 23 | (1 + below(3)) << 21 | 2u * 20 << 14 | below(4) << 12 |
               a << 6 | 21; /* STOREIND */
    case 3:
        return OP(0x61) | below(32) << 14 | below(4) << 12 | a << 6 | 21; /* ATINCGET */
    case 4:
        return OP(0x63) | below(256) << 14 | a << 6 | 21; /* ATSWAP */
    default:
        return OP(0x58 + below(4)) | below(2) << 23 | a << 12 | b << 6 | c;
    }
}

TEST(timed_is_functional)
{
    enum { LINES = 64 };
    static struct state results[2];
    static uint32_t lines[2][3][LINES];
    uint32_t program[3][12];
    for (int n = 0; n < 300; n++) {
        for (int i = 0; i < COUNT(program[0]) * 3; i++) {
            program[i % 3][i / 3] = any_instruction();
        }
        uint64_t seed = random_state;
        for (unsigned timed = 0; timed < 2; timed++) {
            random_state = seed;
            tensix_reset(tt);
            tt->timing = timed ? &tile_costs : NULL;
            randomize_gprs();
            for (unsigned thread = 0; thread < 3; thread++) {
                tt->gpr[thread][20] = 3;
                tt->gpr[thread][21] = LINE / 16 + thread * LINES;
                for (unsigned i = 0; i < LINES; i++) {
                    tensix_harness_set_l1(&harness, LINE + (thread * LINES * 16) + 4 * i,
                                          next_random());
                }
            }
            for (int i = 0; i < COUNT(program[0]) * 3; i++) {
                queue((unsigned)i % 3, program[i % 3][i / 3]);
                queue((unsigned)i % 3, stallwait(B_SCALAR, 1));
            }
            drain();
            read_state(&results[timed]);
            for (unsigned thread = 0; thread < 3; thread++) {
                memcpy(lines[timed][thread], harness.l1 + LINE + thread * LINES * 16,
                       sizeof lines[timed][thread]);
            }
        }
        ck_assert_mem_eq(lines[0], lines[1], sizeof lines[0]);
        ck_assert_mem_eq(results[0].gpr, results[1].gpr, sizeof results[0].gpr);
    }
    ck_assert_uint_eq(harness.faults, 0);
}

/* --- The wait gate --- */

/* --- The Configuration Unit --- */

enum { TARGET = 50, STREAM = 5, REG = 256 };

static const uint32_t stream_values[] = {0x12345678, 0xedcba987};
#define STREAM_VALUE UINT32_C(0x12345678)

static void prepare_stream(void)
{
    harness.stream[STREAM][REG] = stream_values[0];
    harness.stream[STREAM + 1][REG] = stream_values[1];
    for (unsigned thread = 0; thread < 3; thread++) {
        tt->thread_config[thread][STREAM_ID_SYNC] = STREAM;
        tt->thread_config[thread][STREAM_ID_SYNC + 1] = STREAM + 1;
    }
    for (unsigned s = 0; s < 2; s++) {
        tt->config[s][TARGET] = 0;
        tt->config[s][209] = tt->config[s][210] = tt->config[s][211] = 0xff; /* SCRATCH_SEC */
    }
    tt->gpr[0][2] = 0xff;
    tt->gpr[0][3] = 0;
}

static uint32_t stream_write(unsigned select)
{
    return OP(0xb7) | select << 21 | REG << 11 | TARGET;
}

/* Instructions that make the low byte of the target 0xff, and more of it where WRCFG does. */
static const struct writer {
    const char *name;
    uint32_t word, ordered; /* the target after STREAMWRCFG and this one in order */
} writers[] = {
    {"RMWCIB0", OP(0xb3) | 255u << 16 | 255u << 8 | TARGET, STREAM_VALUE | 0xff},
    {"WRCFG", OP(0xb0) | 2u << 16 | TARGET, 0xff},
    {"CFGSHIFTMASK", OP(0xb8) | 7u << 15 | 3u << 8 | TARGET, STREAM_VALUE | 0xff},
};

/* The bug: what comes at once jumps ahead, so that the stream's value stays. */
TEST_EACH(config_instruction_jumps_ahead, COUNT(writers))
{
    const struct writer *writer = &writers[_i];
    prepare_stream();
    queue(0, stream_write(0));
    queue(0, writer->word);
    drain();
    ck_assert_msg(tt->config[0][TARGET] == STREAM_VALUE, "%s: 0x%" PRIx32, writer->name,
                  tt->config[0][TARGET]);
    /* a functional run has none of that */
    tt->timing = NULL;
    prepare_stream();
    queue(0, stream_write(0));
    queue(0, writer->word);
    drain();
    ck_assert_uint_eq(tt->config[0][TARGET], writer->ordered);
}

/* After its first phase it is waited for; STALLWAIT C12 waits for it. */
TEST_EACH(config_instruction_waits, COUNT(writers))
{
    const struct writer *writer = &writers[_i];
    for (unsigned nops = 2; nops < 10; nops++) {
        prepare_stream();
        queue(0, stream_write(0));
        for (unsigned i = 0; i < nops; i++) {
            queue(0, NOP);
        }
        queue(0, writer->word);
        drain();
        ck_assert_msg(tt->config[0][TARGET] == writer->ordered, "%s after %u NOPs: 0x%" PRIx32,
                      writer->name, nops, tt->config[0][TARGET]);
    }
    prepare_stream();
    queue(0, stream_write(0));
    queue(0, stallwait(B_CONFIG, 1 << 12));
    queue(0, writer->word);
    drain();
    ck_assert_uint_eq(tt->config[0][TARGET], writer->ordered);
}

/* RDCFG reads what was there where it jumps ahead, the stream's value where it waits. */
TEST(rdcfg_and_stream_writes)
{
    uint32_t rdcfg = OP(0xb1) | 3u << 16 | TARGET;
    for (unsigned n = 0; n < 2; n++) {
        prepare_stream();
        tt->config[0][TARGET] = tt->config[1][TARGET] = 77;
        queue(0, stream_write(0));
        if (n == 1) {
            queue(0, stallwait(B_CONFIG, 1 << 12));
        }
        queue(0, rdcfg);
        queue(0, stallwait(B_SCALAR, 1 << 12));
        queue(0, add_imm(10, 0, 3));
        drain();
        ck_assert_uint_eq(tt->gpr[0][10], n ? STREAM_VALUE : 77);
    }
}

/* Any thread's pipeline: C12 of one waits for the STREAMWRCFG of another. */
TEST(stallwait_waits_for_the_pipeline)
{
    unsigned times[2];
    for (unsigned n = 0; n < 2; n++) {
        prepare_stream();
        queue(1, n ? stream_write(0) : NOP);
        queue(0, NOP);
        queue(0, stallwait(B_SYNC, 1 << 12));
        queue(0, sempost(0));
        times[n] = until_post(0);
        ck_assert_uint_eq(tt->config[0][TARGET], n ? STREAM_VALUE : 0u);
        drain();
        tt->semaphore[0].value = 0;
        tensix_harness_go(&harness, 50);
    }
    ck_assert_uint_ge(times[1], times[0] + 2); /* five cycles, of which three are gone anyway */
}

/* How often units accept instructions when all threads have some: cycles for one from each. */
static const struct shared {
    const char *name;
    uint32_t word[3];
    unsigned cycles;
} shared[] = {
    {"RMWCIB0", {OP(0xb3) | 50, OP(0xb3) | 50, OP(0xb3) | 50}, 3},
    {"CFGSHIFTMASK", {OP(0xb8) | 50, OP(0xb8) | 50, OP(0xb8) | 50}, 6},
    {"WRCFG", {OP(0xb0) | 50, OP(0xb0) | 50, OP(0xb0) | 50}, 3},
    {"SETC16", {OP(0xb2) | 10 << 16, OP(0xb2) | 10 << 16, OP(0xb2) | 10 << 16}, 1},
    {"SEMPOST", {OP(0xa4), OP(0xa4), OP(0xa4)}, 3},
    {"SEMINIT and SEMGET", {OP(0xa3), OP(0xa5), OP(0xa4)}, 3},
    {"ATGETM of different mutexes", {OP(0xa0), OP(0xa0) | 2, OP(0xa0) | 3}, 1},
    {"NOP", {NOP, NOP, NOP}, 1},
    {"SETADC", {OP(0x50), OP(0x50), OP(0x50)}, 1},
    {"INCRWC", {OP(0x38), OP(0x38), OP(0x38)}, 3},
    {"DMANOP", {DMANOP, DMANOP, DMANOP}, 3},
    {"RMWCIB0, NOP and INCRWC", {OP(0xb3) | 50, NOP, OP(0x38)}, 1},
};

TEST_EACH(units_are_shared, COUNT(shared))
{
    enum { EACH = 12 };
    const struct shared *unit = &shared[_i];
    for (unsigned n = 0; n < EACH * 3; n++) {
        queue(n % 3, unit->word[n % 3]);
    }
    for (unsigned thread = 0; thread < 3; thread++) {
        queue(thread, sempost(thread));
    }
    unsigned cycles = until_post(0) + until_post(1) + until_post(2);
    ck_assert_msg(cycles >= unit->cycles * EACH && cycles <= unit->cycles * EACH + 12,
                  "%s: %u cycles for %d in each thread", unit->name, cycles, EACH);
}

/* --- Pipelines and the front end --- */

enum { CLEARDVALID_A = 0x36400000, SETDVALID_A = 0x57000001, SETRWC = 0x37000000 };
enum { B_MATRIX = 1 << 6, C_MATRIX = 1 << 4, C_SRC_A_UNPACK = 1 << 5, C_SRC_A_MATRIX = 1 << 7 };

/* How much longer these instructions take if a row of timing.def says so much more. */
static unsigned time_added(enum timing_cost cost, unsigned more, const uint32_t *words,
                           unsigned count)
{
    unsigned before = time_of(words, count);
    harness.costs.cycles[cost] = (uint16_t)(harness.costs.cycles[cost] + more);
    return time_of(words, count) - before;
}

/* SETRWC uses no Dst, and is in the Matrix Unit as long as what does. */
TEST(wait_for_the_matrix_unit_sees_its_depth)
{
    const uint32_t words[] = {SETRWC, stallwait(B_SYNC, C_MATRIX)};
    ck_assert_uint_eq(time_added(TIMING_MATRIX_DRAIN, 9, words, COUNT(words)), 9);
}

TEST(hand_over_of_a_bank_takes_time_both_ways)
{
    const uint32_t valid = stallwait(B_MATRIX, C_SRC_A_MATRIX);
    const uint32_t there[] = {SETDVALID_A, stallwait(B_MATRIX | B_SYNC, C_SRC_A_MATRIX),
                              CLEARDVALID_A};
    ck_assert_uint_eq(time_added(TIMING_SRC_VALID, 9, there, COUNT(there)), 9);
    /* Both banks; the unpackers wait for the one that comes back first. */
    const uint32_t back[] = {
        SETDVALID_A,  SETDVALID_A, valid, CLEARDVALID_A, stallwait(B_SYNC, C_SRC_A_UNPACK),
        CLEARDVALID_A};
    ck_assert_uint_eq(time_added(TIMING_SRC_FREE, 9, back, COUNT(back)), 9);
}

/* What ends in the front end costs a cycle, but not behind what waits at the gate. */
TEST(front_end_goes_on_behind_the_gate)
{
    const uint32_t nothing = 0x04000011; /* REPLAY: records one instruction, */
    const uint32_t recorded[] = {NOP, nothing, NOP}, bare[] = {NOP};
    ck_assert_uint_eq(time_of(recorded, COUNT(recorded)), time_of(bare, COUNT(bare)) + 2);
    const uint32_t wait = stallwait(1 << 7, C_MATRIX);
    const uint32_t held[] = {SETRWC, wait, OP(0xb2) | 10 << 16, nothing, NOP};
    const uint32_t alone[] = {SETRWC, wait, OP(0xb2) | 10 << 16};
    ck_assert_uint_eq(time_of(held, COUNT(held)), time_of(alone, COUNT(alone)) + 1);
}
