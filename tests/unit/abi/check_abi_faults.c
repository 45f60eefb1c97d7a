/*
 * Faults and hangs as a host meets them: what is reported, who stands still, who goes on, and that
 * a tile works again when its harts were reset, by the host or by one of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/abi/abi_host.h"

FIXTURE(host_before, host_after);
TESTS_ALWAYS_FORK; /* reports are counted for the whole process */

enum {
    TRISCS_HELD = 0x7000,
    ALL_RUN = 0,
    MOST_POLLS = 3000,
    AT_BRISC = 0x1000,
    AT_TRISC0 = 0x6000,
    AT_TRISC1 = 0xa000,
    AT_TRISC2 = 0xe000,
    AT_NCRISC = 0x12000,
};

static const uint32_t start_of[PENROSE_HARTS] = {AT_BRISC, AT_TRISC0, AT_TRISC1, AT_TRISC2,
                                                 AT_NCRISC};

/* A jump to itself. */
static void load_rest(unsigned x, unsigned y, uint32_t address)
{
    tile_wr(x, y, address, 0x0000006f);
}

static void load(unsigned x, unsigned y, enum penrose_hart hart, const char *const *lines)
{
    unsigned count = 0;
    while (lines[count]) {
        count++;
    }
    assemble(x, y, start_of[hart], lines);
    load_rest(x, y, start_of[hart] + 4 * count);
}

static void load_rests(unsigned x, unsigned y)
{
    tile_wr(x, y, 0, 0x0000106f); /* jal zero, 0x1000 */
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        load_rest(x, y, start_of[hart]);
    }
}

static uint32_t poll_word(unsigned x, unsigned y, uint64_t address)
{
    uint32_t value = tile_rd(x, y, address);
    libttsim_clock(1);
    return value;
}

/* Polls until a word has a value; false when it does not come. */
static bool comes(unsigned x, unsigned y, uint64_t address, uint32_t value)
{
    for (unsigned i = 0; i < MOST_POLLS; i++) {
        if (poll_word(x, y, address) == value) {
            return true;
        }
    }
    return false;
}

/* --- A good program --- */

/*
 * Three threads that need a clean coprocessor: T0 takes a mutex, and posts a semaphore that T1
 * waits for; T2 records an instruction that it then replays. Each stores a GPR to L1.
 */
static void load_good(unsigned x, unsigned y, unsigned value)
{
    char sets[64];
    snprintf(sets, sizeof sets, ".ttinsn SETDMAREG 0, %u, 0, 0", value);
    const char *const trisc0[] = {".ttinsn ATGETM 0",
                                  sets,
                                  ".ttinsn SETDMAREG 0, 0, 0, 1",
                                  ".ttinsn ATRELM 0",
                                  ".ttinsn SEMPOST 2",
                                  "lui a0, 0xffe80",
                                  "lw a1, 4(a0)", /* all is executed */
                                  "lui a0, 0xffe00",
                                  "lw a1, 0(a0)",
                                  "sw a1, 0x400(zero)",
                                  NULL};
    const char *const trisc1[] = {".ttinsn SEMWAIT 511, 2, 1",
                                  ".ttinsn SEMGET 2",
                                  ".ttinsn ATGETM 0",
                                  sets,
                                  ".ttinsn SETDMAREG 0, 1, 0, 1",
                                  ".ttinsn ATRELM 0",
                                  "lui a0, 0xffe80",
                                  "lw a1, 4(a0)",
                                  "lui a0, 0xffe00",
                                  "lw a1, 0(a0)",
                                  "sw a1, 0x404(zero)",
                                  NULL};
    const char *const trisc2[] = {".ttinsn REPLAY 0, 1, 0, 1",
                                  sets,
                                  ".ttinsn SETDMAREG 0, 2, 0, 1",
                                  ".ttinsn REPLAY 0, 1, 0, 0",
                                  "lui a0, 0xffe80",
                                  "lw a1, 4(a0)",
                                  "lui a0, 0xffe00",
                                  "lw a1, 0(a0)",
                                  "sw a1, 0x408(zero)",
                                  NULL};
    load_rests(x, y);
    load(x, y, PENROSE_TRISC0, trisc0);
    load(x, y, PENROSE_TRISC1, trisc1);
    load(x, y, PENROSE_TRISC2, trisc2);
    for (unsigned i = 0; i < 3; i++) {
        tile_wr(x, y, 0x400 + 4 * i, UINT32_MAX);
    }
}

static void expect_good(unsigned x, unsigned y, unsigned value)
{
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_msg(comes(x, y, 0x400 + 4 * i, i << 16 | value),
                      "trisc%u of (%u, %u) has 0x%x, not 0x%x", i, x, y,
                      tile_rd(x, y, 0x400 + 4 * i), i << 16 | value);
    }
}

static void run_good(unsigned x, unsigned y, unsigned value)
{
    tile_wr(x, y, SOFT_RESET, ALL_HELD);
    load_good(x, y, value);
    tile_wr(x, y, SOFT_RESET, ALL_RUN);
    expect_good(x, y, value);
}

/* --- Bad programs --- */

/* What a hart may do wrong, and what the report says. */
static const struct crime {
    const char *kind;
    bool is_tensix, any_hart;
    const char *lines[12];
} crimes[] = {
    {"illegal-instruction", false, true, {"lui a0, 0x1", NULL}}, /* then a word of ones */
    {"unmapped-address", false, true, {"lui a0, 0x200", "sw a0, 4(a0)", NULL}},
    {"misaligned-access", false, true, {"addi a0, zero, 0x401", "lw a0, 0(a0)", NULL}},
    {"bad-fetch", false, true, {"lui a0, 0x200", "jalr zero, 0(a0)", NULL}},
    {"illegal-tensix-instruction",
     true,
     false,
     {"lui a0, 0xffe40", "lui a1, 0xff000", "sw a1, 0(a0)", NULL}},
    {"unimplemented", true, false, {".ttinsn RAREB", NULL}},
    {"hardware-hang", true, false, {".ttinsn ATGETM 1", NULL}},
    {"noc-address",
     false,
     true,
     {"lui s0, 0xffb20", "addi a4, zero, 16", "sw a4, 0x20(s0)", "lui a4, 1", "addi a4, a4, -1496",
      "sw a4, 0x08(s0)", "addi a4, zero, 0x10", "sw a4, 0x1c(s0)", "addi a4, zero, 1",
      "sw a4, 0x40(s0)", NULL}},
};

enum { CRIMES = COUNT(crimes) };

/* What the threads are in the middle of when it happens: a mutex is taken, a semaphore is posted, a
 * recording has begun, a wait never ends. */
static const char *const in_the_middle[3][4] = {
    {".ttinsn ATGETM 0", ".ttinsn SEMPOST 2", ".ttinsn SEMWAIT 511, 4, 1", NULL},
    {".ttinsn SEMWAIT 511, 8, 1", ".ttinsn SETDMAREG 0, 7, 0, 0", NULL},
    {".ttinsn REPLAY 0, 9, 0, 1", ".ttinsn SETDMAREG 0, 7, 0, 0", NULL},
};

static void load_middle(unsigned x, unsigned y)
{
    tile_wr(x, y, SOFT_RESET, ALL_HELD);
    load_rests(x, y);
    for (unsigned thread = 0; thread < 3; thread++) {
        load(x, y, (enum penrose_hart)(PENROSE_TRISC0 + thread), in_the_middle[thread]);
    }
}

/* The culprit waits a little before it acts. */
static void load_crime(unsigned x, unsigned y, enum penrose_hart hart, const struct crime *crime)
{
    const char *lines[20] = {"addi t0, zero, 200", "addi t0, t0, -1"};
    char back[64];
    unsigned count = 3;
    snprintf(back, sizeof back, "bne t0, zero, 0x%x", start_of[hart] + 4);
    lines[2] = back;
    for (unsigned i = 0; crime->lines[i]; i++) {
        lines[count++] = crime->lines[i];
    }
    load(x, y, hart, lines);
    if (strcmp(crime->kind, "illegal-instruction") == 0) {
        tile_wr(x, y, start_of[hart] + 4 * count, UINT32_MAX);
    }
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* A tile that counts, and must go on whatever happens elsewhere. */
static void start_counter(unsigned x, unsigned y)
{
    static const char *const counts[] = {"addi a0, a0, 1", "sw a0, 0x404(zero)", "jal zero, 0x1000",
                                         NULL};
    start(x, y, counts);
}

static void expect_counting(unsigned x, unsigned y)
{
    uint32_t before = tile_rd(x, y, 0x404);
    libttsim_clock(2000);
    ck_assert_uint_gt(tile_rd(x, y, 0x404), before);
}

static bool is_reported(const char *kind, enum penrose_hart hart, bool is_tensix)
{
    char line[128];
    snprintf(line, sizeof line, "%s: tile (4, 5) %s%s at pc", kind,
             is_tensix ? "tensix thread " : "", is_tensix ? "" : penrose_hart_name(hart));
    if (is_tensix) {
        snprintf(line, sizeof line, "%s: tile (4, 5) tensix thread %d, pushed by %s at pc", kind,
                 (int)hart - PENROSE_TRISC0, penrose_hart_name(hart));
    }
    return reported(line) > 0;
}

static void offend(uint32_t *random)
{
    const struct crime *crime = &crimes[next_random(random) % CRIMES];
    enum penrose_hart hart = crime->any_hart
                                 ? (enum penrose_hart)(next_random(random) % PENROSE_HARTS)
                                 : (enum penrose_hart)(PENROSE_TRISC0 + next_random(random) % 3);
    load_middle(4, 5);
    load_crime(4, 5, hart, crime);
    tile_wr(4, 5, SOFT_RESET, ALL_RUN);
    libttsim_clock(4000);
    ck_assert_msg(is_reported(crime->kind, hart, crime->is_tensix), "%s of hart %d", crime->kind,
                  (int)hart);
}

static void recover_many_times(const char *schedule, unsigned rounds, uint32_t random)
{
    setenv("PENROSE_SCHEDULE", schedule, 1);
    libttsim_init();
    start_counter(1, 2);
    for (unsigned round = 0; round < rounds; round++) {
        offend(&random);
        expect_counting(1, 2);
        tile_wr(4, 5, 0x800, round);
        ck_assert_uint_eq(tile_rd(4, 5, 0x800), round);
        run_good(4, 5, round + 1);
    }
    ck_assert_uint_eq(reported("too many"), 0);
}

TEST(a_tile_recovers_from_any_fault)
{
    recover_many_times("fast", 50, 1);
}

TEST(a_tile_recovers_under_other_schedules)
{
    recover_many_times("lockstep", 12, 2);
    recover_many_times("random:5", 12, 3);
    recover_many_times("timed", 12, 4);
}

TEST(a_tile_recovers_with_threads)
{
    setenv("PENROSE_THREADS", "2", 1);
    recover_many_times("fast", 12, 5);
}

/* Repeated twice, it is the same to the cycle. */
static uint32_t clock_after_faults(void)
{
    uint32_t random = 9;
    libttsim_init();
    start_counter(1, 2);
    for (unsigned round = 0; round < 5; round++) {
        offend(&random);
        run_good(4, 5, round);
    }
    uint32_t counted = tile_rd(1, 2, 0x404);
    libttsim_exit();
    return counted;
}

TEST(faults_repeat)
{
    uint32_t once = clock_after_faults();
    ck_assert_uint_eq(clock_after_faults(), once);
    setenv("PENROSE_THREADS", "2", 1);
    ck_assert_uint_eq(clock_after_faults(), once);
}

/* --- Harts that reset others --- */

/* BRISC does what the host asks for in 0x500: it puts a value into the reset register, and says so
 * in 0x504. LLK's test programs work so. */
static void start_master(unsigned x, unsigned y)
{
    static const char *const lines[] = {"lw a0, 0x500(zero)", "beq a0, zero, 0x1000",
                                        "lui a1, 0xffb12",    "lw a2, 0x508(zero)",
                                        "sw a2, 0x1b0(a1)",   "sw zero, 0x500(zero)",
                                        "addi a3, a3, 1",     "sw a3, 0x504(zero)",
                                        "jal zero, 0x1000",   NULL};
    load_rests(x, y);
    assemble(x, y, AT_BRISC, lines);
    tile_wr(x, y, SOFT_RESET, BRISC_RUNS);
}

static void command(unsigned x, unsigned y, uint32_t reset, uint32_t *commands)
{
    tile_wr(x, y, 0x508, reset);
    tile_wr(x, y, 0x500, 1);
    ck_assert_msg(comes(x, y, 0x504, ++*commands), "command %u is not served", *commands);
}

TEST(a_hart_resets_the_others)
{
    uint32_t random = 77, commands = 0;
    const uint32_t held = TRISCS_HELD | 1 << 18, run = 1 << 18;
    libttsim_init();
    start_master(4, 5);
    for (unsigned round = 0; round < 25; round++) {
        const struct crime *crime = &crimes[next_random(&random) % CRIMES];
        enum penrose_hart hart = (enum penrose_hart)(PENROSE_TRISC0 + next_random(&random) % 3);
        for (unsigned thread = 0; thread < 3; thread++) {
            load(4, 5, (enum penrose_hart)(PENROSE_TRISC0 + thread), in_the_middle[thread]);
        }
        load_crime(4, 5, hart, crime);
        command(4, 5, run, &commands);
        libttsim_clock(3000);
        ck_assert(is_reported(crime->kind, hart, crime->is_tensix));
        command(4, 5, held, &commands);
        uint32_t jump = tile_rd(4, 5, AT_BRISC); /* load_good puts rests everywhere */
        load_good(4, 5, round);
        tile_wr(4, 5, AT_BRISC, jump);
        command(4, 5, run, &commands);
        expect_good(4, 5, round);
        command(4, 5, held, &commands);
    }
}

/* --- Who stands still, and who does not --- */

TEST(only_the_hart_at_fault_stands_still)
{
    static const char *const counts[] = {"addi a0, a0, 1", "sw a0, 0x404(zero)", "jal zero, 0x1000",
                                         NULL};
    libttsim_init();
    load_rests(4, 5);
    assemble(4, 5, AT_BRISC, counts);
    load_crime(4, 5, PENROSE_NCRISC, &crimes[1]);
    tile_wr(4, 5, SOFT_RESET, TRISCS_HELD);
    libttsim_clock(3000);
    ck_assert_uint_eq(reported("unmapped-address: tile (4, 5) ncrisc"), 1);
    expect_counting(4, 5); /* in the same tile */
}

/* A hart of an Ethernet tile, while its neighbour and a worker go on. */
TEST(ethernet_harts_recover)
{
    enum { X = 24, Y = 25, BOTH_HELD = 0x1800, BOTH_RUN = 0 };
    static const uint64_t reset_pc = UINT64_C(0xffb14000);
    static const char *const bad[] = {"lui a0, 0x7f000", "sw a0, 4(a0)", NULL};
    static const char *const good[] = {"addi a0, zero, 7", "sw a0, 0x500(zero)", "jal zero, 0x6008",
                                       NULL};
    static const char *const counts[] = {"addi a0, a0, 1", "sw a0, 0x404(zero)", "jal zero, 0xa000",
                                         NULL};
    libttsim_init();
    start_counter(1, 2);
    for (unsigned round = 1; round <= 5; round++) {
        tile_wr(X, Y, SOFT_RESET, BOTH_HELD);
        tile_wr(X, Y, reset_pc, AT_TRISC0);
        tile_wr(X, Y, reset_pc + 8, AT_TRISC1);
        assemble(X, Y, AT_TRISC0, bad);
        assemble(X, Y, AT_TRISC1, counts);
        tile_wr(X, Y, SOFT_RESET, BOTH_RUN);
        libttsim_clock(3000);
        ck_assert_uint_eq(reported("unmapped-address: tile (24, 25) erisc0"), round);
        expect_counting(X, Y);
        expect_counting(1, 2);
        tile_wr(X, Y, SOFT_RESET, BOTH_HELD);
        assemble(X, Y, AT_TRISC0, good);
        tile_wr(X, Y, 0x500, 0);
        tile_wr(X, Y, SOFT_RESET, BOTH_RUN);
        ck_assert(comes(X, Y, 0x500, 7));
    }
}

/* A whole call's time passes although a fault comes in between. */
TEST(time_passes_as_asked)
{
    libttsim_init();
    start_counter(1, 2);
    load_rests(4, 5);
    load_crime(4, 5, PENROSE_BRISC, &crimes[1]);
    tile_wr(4, 5, SOFT_RESET, BRISC_RUNS);
    uint32_t before = tile_rd(1, 2, WALL_CLOCK);
    libttsim_clock(100000);
    ck_assert_uint_eq(reported("unmapped-address: tile (4, 5) brisc"), 1);
    ck_assert_uint_ge(tile_rd(1, 2, WALL_CLOCK) - before, 100000);
}

/* A tile whose coprocessor is at fault still answers, and costs no time. */
TEST(a_stopped_coprocessor_is_quiet)
{
    libttsim_init();
    load_middle(4, 5);
    load_crime(4, 5, PENROSE_TRISC1, &crimes[5]);
    tile_wr(4, 5, SOFT_RESET, ALL_RUN);
    for (unsigned i = 0; i < 1500; i++) {
        poll_word(4, 5, 0x404);
    }
    ck_assert_uint_eq(reported("unimplemented: tile (4, 5) tensix thread 1"), 1);
    ck_assert_uint_eq(reported("nothing can happen any more"), 1);
    tile_wr(4, 5, 0x600, 17);
    ck_assert_uint_eq(tile_rd(4, 5, 0x600), 17);
    run_good(4, 5, 3);
}

/* What the header says of resetting a coprocessor. */
TEST(coprocessors_are_reset_in_reset_only)
{
    struct device *device = make_device(NULL);
    struct penrose_chip *chip = device->chip;
    struct penrose_error error;
    start_busy(device, 1, 2);
    ck_assert_int_eq(penrose_coprocessor_reset(chip, 1, 2, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_coprocessor_reset(chip, 20, 25, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "has no coprocessor"));
    ck_assert_int_eq(penrose_coprocessor_reset(chip, 0, 0, &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_coprocessor_reset(chip, 99, 2, NULL), PENROSE_E_ARGUMENT);
    ck_assert(!penrose_coprocessor_busy(chip, 1, 2));
    ck_assert(!penrose_coprocessor_busy(chip, 99, 2));
    ck_assert(!penrose_coprocessor_busy(chip, 20, 25));
    device_set(device, SOFT_RESET, BRISC_RUNS & ~0x4000u); /* TRISC2 runs */
    ck_assert_int_eq(penrose_coprocessor_reset(chip, 1, 2, &error), PENROSE_E_STATE);
    ck_assert_ptr_nonnull(strstr(error.text, "trisc2 is not in reset"));
    penrose_fault_isolate(chip); /* nobody is at fault */
}

/* The same mistake in the same place is reported each time, and warnings are once. */
TEST(faults_are_reported_each_time)
{
    libttsim_init();
    for (unsigned round = 1; round <= 5; round++) {
        load_rests(4, 5);
        load_crime(4, 5, PENROSE_BRISC, &crimes[1]);
        tile_wr(4, 5, SOFT_RESET, BRISC_RUNS);
        libttsim_clock(3000);
        ck_assert_uint_eq(reported("unmapped-address: tile (4, 5) brisc"), round);
        libttsim_clock(3000);
        ck_assert_uint_eq(reported("unmapped-address: tile (4, 5) brisc"), round);
        tile_wr(4, 5, SOFT_RESET, ALL_HELD);
    }
}

/* From now on stderr is `file`. Returns what it was. */
static int divert(FILE *file)
{
    int own = dup(STDERR_FILENO);
    ck_assert_ptr_nonnull(file);
    dup2(fileno(file), STDERR_FILENO);
    return own;
}

static void give_back(int own)
{
    dup2(own, STDERR_FILENO);
    close(own);
}

/* Where tiles run one program, stderr gets its mistake once, and the file of reports each. */
TEST(many_tiles_are_told_as_one)
{
    enum { TILES = 12, ROW = 6 };
    FILE *file = tmpfile();
    libttsim_init();
    for (unsigned i = 0; i < TILES; i++) {
        const unsigned x = 1 + i % ROW, y = 3 + i / ROW;
        load_rests(x, y);
        load_crime(x, y, PENROSE_BRISC, &crimes[i == 4 ? 2 : 1]);
        tile_wr(x, y, SOFT_RESET, BRISC_RUNS);
    }
    int own = divert(file);
    libttsim_clock(3000);
    give_back(own);
    ck_assert_uint_eq(lines_of(file, "unmapped-address: tile ("), 1);
    ck_assert_uint_eq(lines_of(file, "unmapped-address: brisc at pc 0x00001010: the same on 10 "
                                     "more tiles: ("),
                      1);
    ck_assert_uint_eq(lines_of(file, "misaligned-access: tile (5, 3) brisc"), 1);
    ck_assert_uint_eq(lines_of(file, "the same on"), 1);
    ck_assert_uint_eq(lines_of(file, ", ..."), 1);
    ck_assert_uint_eq(reported("unmapped-address: tile ("), TILES - 1);
    ck_assert_uint_eq(reported("the same on"), 0);
    libttsim_exit();
    fclose(file);
}

/* Not even a host that makes many mistakes hides faults; but there is an end. */
TEST(faults_are_reported_until_there_are_too_many)
{
    libttsim_init();
    for (unsigned i = 0; i < 300; i++) {
        (void)tile_rd(4, 5, 0x200000 + 16 * i);
    }
    ck_assert_uint_eq(reported("too many"), 1);
    load_rests(4, 5);
    load_crime(4, 5, PENROSE_BRISC, &crimes[1]);
    for (unsigned i = 0; i < MOST_EVENTS + 100; i++) {
        tile_wr(4, 5, SOFT_RESET, BRISC_RUNS);
        libttsim_clock(1000);
        tile_wr(4, 5, SOFT_RESET, ALL_HELD);
    }
    ck_assert_uint_eq(reported("unmapped-address: tile (4, 5) brisc"), MOST_EVENTS);
    ck_assert_uint_eq(reported("too many"), 2);
    load_rests(5, 5);
    load_crime(5, 5, PENROSE_BRISC, &crimes[1]);
    FILE *file = tmpfile();
    int own = divert(file);
    tile_wr(4, 5, SOFT_RESET, BRISC_RUNS);
    tile_wr(5, 5, SOFT_RESET, BRISC_RUNS);
    libttsim_clock(1000);
    give_back(own);
    ck_assert_uint_eq(lines_of(file, ""), 0);
    fclose(file);
    tile_wr(4, 5, SOFT_RESET, ALL_HELD);
    tile_wr(5, 5, SOFT_RESET, ALL_HELD);
    run_good(4, 5, 1);
}

TEST(policies_come_from_the_environment)
{
    setenv("PENROSE_POLICY", "unmapped-address=warn,illegal-instruction=ignore", 1);
    static const char *const lines[] = {"lui a0, 0x200", "sw a0, 4(a0)", "addi a1, zero, 5",
                                        "sw a1, 0x404(zero)", NULL};
    libttsim_init();
    load_rests(4, 5);
    load(4, 5, PENROSE_BRISC, lines);
    tile_wr(4, 5, SOFT_RESET, BRISC_RUNS);
    libttsim_clock(1000);
    ck_assert_uint_eq(reported("unmapped-address: tile (4, 5) brisc"), 1);
    ck_assert_uint_eq(tile_rd(4, 5, 0x404), 5);
    tile_wr(4, 5, SOFT_RESET, ALL_HELD);
    tile_wr(4, 5, AT_BRISC, UINT32_MAX);
    tile_wr(4, 5, 0x404, 0);
    tile_wr(4, 5, SOFT_RESET, BRISC_RUNS);
    libttsim_clock(1000);
    ck_assert_uint_eq(reported("illegal-instruction"), 0);
    ck_assert_uint_eq(tile_rd(4, 5, 0x404), 5);
}

/* --- Instructions that a host injects --- */

/* As ARC does with the first of them, to each worker. */
static void inject(unsigned x, unsigned y, uint32_t word)
{
    static const uint32_t steps[] = {1, 0x11, 1, 0};
    tile_wr(x, y, 0xffb120a0, 0);
    tile_wr(x, y, 0xffb120a4, word);
    for (unsigned i = 0; i < COUNT(steps); i++) {
        tile_wr(x, y, 0xffb120a0, steps[i]);
    }
}

static const struct {
    uint32_t word;
    const char *kind;
} injected[] = {
    {0x42800091, "undefined-operands"},         /* UNPACR 1 of zeros, with formats of a reset */
    {0x42000001, "undefined-operands"},         /* UNPACR 0 */
    {0x06000000, "illegal-tensix-instruction"}, /* none */
    {0x15000000, "unimplemented"},              /* RAREB */
    {0xa0000001, "hang"},                       /* ATGETM 1 */
    {0xa5000004, "semaphore-range"},            /* SEMGET 1 */
    {0x01000000, "bad-expansion"},              /* MOP, behind its expander */
};

/* Whether harts are in reset or run; the report does not blame the NoC. */
TEST_EACH(what_is_injected_stops_nobody, 2 * COUNT(injected))
{
    enum { TILES = 3 };
    const unsigned row = (unsigned)_i / 2;
    const bool is_early = _i % 2;
    setenv("PENROSE_POLICY", "all=stop", 1);
    libttsim_init();
    for (unsigned x = 1; x <= TILES; x++) {
        load_rests(x, 2);
        tile_wr(x, 2, SOFT_RESET, is_early ? ALL_RUN : ALL_HELD);
        libttsim_clock(1000);
        inject(x, 2, injected[row].word);
    }
    libttsim_clock(1000);
    ck_assert_uint_eq(reported(injected[row].kind), TILES);
    ck_assert_uint_eq(reported("tensix thread 0, injected through a debug register"), TILES);
    ck_assert_uint_eq(reported("by noc"), 0);
    for (unsigned x = 1; x <= TILES; x++) {
        run_good(x, 2, 7);
    }
}

/* --- Hangs --- */

static void poll_in_vain(unsigned polls)
{
    for (unsigned i = 0; i < polls; i++) {
        poll_word(7, 7, 0x400);
        poll_word(7, 7, 0x410);
    }
}

/* A deadlock of a kernel: told once, and again only after progress; and it leaves nothing behind.
 */
TEST(deadlocks_are_told_once_and_healed)
{
    libttsim_init();
    for (unsigned round = 1; round <= 4; round++) {
        load_middle(7, 7);
        tile_wr(7, 7, SOFT_RESET, ALL_RUN);
        poll_in_vain(3000);
        ck_assert_uint_eq(reported("nothing can happen any more"), round);
        ck_assert_uint_eq(reported("tile (7, 7) tensix thread 1, pushed by trisc1"), round);
        run_good(7, 7, round);
    }
}

/* A host that gives up earlier. */
TEST(what_is_stuck_is_dropped)
{
    libttsim_init();
    for (unsigned round = 1; round <= 4; round++) {
        load_middle(7, 7);
        tile_wr(7, 7, SOFT_RESET, ALL_RUN);
        poll_in_vain(60);
        run_good(7, 7, round);
        ck_assert_uint_eq(reported("tile (7, 7): instructions were stuck in its coprocessor"), 1);
    }
    ck_assert_uint_eq(reported("nothing can happen any more"), 0);
}

/* BRISC pushes for T0 all the time, whose TRISC stays in reset: that is not stuck. */
TEST(what_brisc_pushes_is_not_stuck)
{
    libttsim_init();
    load_rests(7, 7);
    load(7, 7, PENROSE_BRISC,
         (const char *[]){"lui t0, 0xffe40", "lui t1, 0x45000", /* SETDMAREG 0, 0, 0, 0 */
                          "sw t1, 0(t0)", "jal zero, 0x1008", NULL});
    tile_wr(7, 7, SOFT_RESET, TRISCS_HELD | 1 << 18);
    poll_in_vain(170); /* longer than what is busy is let alone */
    ck_assert_uint_eq(reported("instructions were stuck"), 0);
}

/* T0's REPLAY waits for T1, which says that it has posted the semaphore some cycles later, when the
 * REPLAY has begun; `delay` moves that. */
static void load_long_way(unsigned x, unsigned y, unsigned delay)
{
    enum { RECORDED = 32 };
    char waits[32];
    const char *const posts[] = {"lui t0, 0x8",          waits,
                                 "addi t0, t0, -1",      "bne t0, zero, 0xa008",
                                 ".ttinsn SEMPOST 2",    "addi t0, zero, 4",
                                 "addi t0, t0, -1",      "bne t0, zero, 0xa018",
                                 "sw zero, 0x404(zero)", NULL};
    snprintf(waits, sizeof waits, "addi t0, t0, %u", delay);
    const char *lines[64] = {".ttinsn REPLAY 0, 32, 0, 1"};
    for (unsigned i = 1; i <= RECORDED; i++) {
        lines[i] = i == RECORDED - 2   ? ".ttinsn SETDMAREG 0, 77, 0, 0"
                   : i == RECORDED - 1 ? ".ttinsn SETDMAREG 0, 5, 0, 1"
                   : i == RECORDED     ? ".ttinsn SEMGET 2"
                                       : ".ttinsn SETDMAREG 0, 7, 0, 6";
    }
    lines[RECORDED + 1] = ".ttinsn SEMWAIT 511, 2, 1";
    lines[RECORDED + 2] = ".ttinsn REPLAY 0, 32, 0, 0";
    load(x, y, PENROSE_TRISC0, lines);
    load(x, y, PENROSE_TRISC1, posts);
}

/* What only needs time is not dropped when TRISCs are reset, although the host has polled in vain.
 */
TEST(what_is_under_way_comes_to_its_end)
{
    static const char *const reads[] = {"lui a0, 0xffe00", "lw a1, 0(a0)", "sw a1, 0x404(zero)",
                                        NULL};
    setenv("PENROSE_RUN_AHEAD", "128:128", 1);
    setenv("PENROSE_SCHEDULE", "timed", 1);
    unsigned waited = 0;
    libttsim_init();
    for (unsigned round = 0; round < 16; round++) {
        tile_wr(7, 7, SOFT_RESET, ALL_HELD);
        load_rests(7, 7);
        load_long_way(7, 7, 4 * round);
        tile_wr(7, 7, 0x404, 1);
        tile_wr(7, 7, SOFT_RESET, ALL_RUN);
        for (unsigned i = 0; i < MOST_POLLS && tile_rd(7, 7, 0x404) != 0; i++) {
            libttsim_clock(1);
        }
        uint32_t then = tile_rd(7, 7, WALL_CLOCK);
        tile_wr(7, 7, SOFT_RESET, ALL_HELD);
        waited += tile_rd(7, 7, WALL_CLOCK) != then;
        load(7, 7, PENROSE_TRISC0, reads);
        tile_wr(7, 7, SOFT_RESET, ALL_RUN);
        ck_assert(comes(7, 7, 0x404, 5 << 16 | 77));
    }
    ck_assert_uint_gt(waited, 0);
    ck_assert_uint_eq(reported(""), 0);
}

/* A kernel that runs for ever. */
TEST(endless_loops_are_told)
{
    static const char *const counts[] = {"addi a0, a0, 1", "sw a0, 0x404(zero)", "jal zero, 0x1000",
                                         NULL};
    libttsim_init();
    start(7, 7, counts);
    poll_in_vain(145); /* 290 calls: not long enough */
    ck_assert_uint_eq(reported("polling in vain"), 0);
    poll_in_vain(3000);
    ck_assert_uint_eq(reported("polling in vain for long, while harts run"), 1);
    ck_assert_uint_eq(reported("tile (7, 7) brisc"), 1);
    poll_in_vain(3000);
    ck_assert_uint_eq(reported("polling in vain"), 1);
    expect_counting(7, 7);
    poll_in_vain(3000); /* there was progress: the counter was read */
    ck_assert_uint_eq(reported("polling in vain"), 2);
}

/* A hart that polls and counts as routers do, while another one waits. The third program goes through
 * memory, so it may be computing. */
TEST_EACH(waiting_while_others_only_poll_is_noticed, 3)
{
    static const char *const waits[] = {"lw a0, 0x408(zero)", "beq a0, zero, 0x1000", NULL};
    static const char *const counts[] = {"lw a1, 0x40c(zero)", "addi a0, a0, 1",
                                         "sw a0, 0x404(zero)", "beq a1, zero, 0x1000", NULL};
    static const char *const computes[] = {
        "lui a1, 8",       "addi a0, a0, 1",       "sw a0, 0(a1)",     "addi a1, a1, 64",
        "srli a2, a1, 16", "beq a2, zero, 0x1004", "jal zero, 0x1000", NULL};
    bool is_told = _i == 0;
    libttsim_init();
    start(7, 7, _i == 2 ? computes : counts);
    if (_i != 1) {
        start(6, 7, waits);
    }
    poll_in_vain(200); /* 400 calls, and 26 million cycles */
    ck_assert_uint_eq(reported("polling"), 0);
    poll_in_vain(200);
    ck_assert_uint_eq(reported("harts that run do nothing but poll"), is_told);
    ck_assert_uint_eq(reported("tile (6, 7) brisc"), is_told);
    poll_in_vain(1000);
    ck_assert_uint_eq(reported("polling"), is_told);
    poll_in_vain(1000);
    ck_assert_uint_eq(reported("polling"), 1);
}

/* Hosts that wait for their own memory only let time pass. */
TEST(waiting_without_reads_is_noticed)
{
    static const char *const waits[] = {"lw a0, 0x408(zero)", "beq a0, zero, 0x1000", NULL};
    libttsim_init();
    start(7, 7, waits);
    for (unsigned i = 0; i < 90000; i++) {
        libttsim_clock(1);
    }
    ck_assert_uint_eq(reported("nothing can happen any more"), 0);
    for (unsigned i = 0; i < 20000; i++) {
        libttsim_clock(1);
    }
    ck_assert_uint_eq(reported("nothing can happen any more"), 1);
}

/* In fast dispatch, where kernels that dispatch run all the time. */
TEST(waiting_without_reads_while_harts_run_is_noticed)
{
    static const char *const counts[] = {"addi a0, a0, 1", "sw a0, 0x404(zero)", "jal zero, 0x1000",
                                         NULL};
    libttsim_init();
    start(7, 7, counts);
    for (unsigned i = 0; i < 2900; i++) { /* 65536 cycles each */
        libttsim_clock(1);
    }
    ck_assert_uint_eq(reported("polling in vain"), 0);
    for (unsigned i = 0; i < 400; i++) {
        libttsim_clock(1);
    }
    ck_assert_uint_eq(reported("polling in vain for long, while harts run"), 1);
}
