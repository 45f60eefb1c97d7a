/*
 * Posted writes (abi/posted.h): nobody can tell who did them, and when. Each test runs with one
 * thread, which posts nothing, and with several.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi_host.h"
#include "random.h"
#include "sanitized.h"

enum {
    TILES = 12,
    L1_BYTES = 1536 << 10,
    MODEL_BYTES = 96 << 10, /* from BASE on */
    BASE = 0x8000,
    STEPS = 30000,
    MOST_BYTES = 40 << 10, /* some are too long to be posted */
    WINDOW = 3,
    MOST_THREADS = 3,
};

static void begin(int threads)
{
    char text[12];
    snprintf(text, sizeof text, "%d", threads);
    setenv("PENROSE_THREADS", text, 1);
    libttsim_init();
}

static void with_all_threads(void check(int threads))
{
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        check(threads);
    }
}

/* Ten workers, an Ethernet tile, a DRAM tile. */
static void place(unsigned tile, unsigned *x, unsigned *y)
{
    *x = tile == 10 ? 21 : tile == 11 ? 17 : 1 + tile % 5;
    *y = tile == 10 ? 25 : tile == 11 ? 12 : 3 + tile / 5;
}

/* --- Memory --- */

static uint8_t model[TILES][MODEL_BYTES];

/* What is written comes from here, so that writes follow each other faster than they are done. */
enum { MORE_NOISE = 4096 };
static uint8_t noise[MOST_BYTES + MORE_NOISE];

static void begin_with_noise(int threads, uint64_t *random)
{
    memset(model, 0, sizeof model);
    for (uint32_t i = 0; i < sizeof noise; i++) {
        noise[i] = (uint8_t)random_next(random);
    }
    begin(threads);
}

static uint32_t size_of_step(uint64_t *random)
{
    switch (random_below(random, 40)) {
    case 0:
        return 1 + random_below(random, MOST_BYTES);
    case 1:
        return 1 + random_below(random, 4096);
    default:
        return 1 + random_below(random, 64);
    }
}

static void write_step(uint64_t *random, unsigned tile, uint32_t at, uint32_t size)
{
    static uint8_t bytes[MOST_BYTES];
    unsigned x, y;
    place(tile, &x, &y);
    memcpy(bytes, noise + random_below(random, MORE_NOISE), size);
    memcpy(model[tile] + at, bytes, size);
    if (random_below(random, 2)) {
        libttsim_tile_wr_bytes(x, y, BASE + at, bytes, size);
    } else {
        set_window(WINDOW, 0, x, y, 0, 0, 0, 0);
        libttsim_pci_mem_wr_bytes(BAR0 + (WINDOW << 21) + BASE + at, bytes, size);
    }
    memset(bytes, 0xaa, size); /* they are the caller's again */
}

static void check_step(unsigned tile, uint32_t at, uint32_t size)
{
    static uint8_t bytes[MODEL_BYTES];
    unsigned x, y;
    place(tile, &x, &y);
    libttsim_tile_rd_bytes(x, y, BASE + at, bytes, size);
    ck_assert_msg(memcmp(bytes, model[tile] + at, size) == 0, "tile (%u, %u)", x, y);
}

static void check_memory_holds_what_was_written_last(int threads)
{
    uint64_t random = 99;
    begin_with_noise(threads, &random);
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned tile = random_below(&random, TILES);
        uint32_t size = size_of_step(&random), at = random_below(&random, MODEL_BYTES - size);
        if (random_below(&random, 200) == 0) {
            check_step(tile, at, size);
        } else if (random_below(&random, 500) == 0) {
            libttsim_clock(1);
        } else {
            write_step(&random, tile, at, size);
        }
    }
    for (unsigned tile = 0; tile < TILES; tile++) {
        check_step(tile, 0, MODEL_BYTES);
    }
    ck_assert_uint_eq(reported("host"), 0);
    libttsim_exit();
}

START_TEST(memory_holds_what_was_written_last)
{
    with_all_threads(check_memory_holds_what_was_written_last);
}
END_TEST

/* Megabytes without a look at them. */
static void check_long_bursts(int threads)
{
    uint64_t random = 5;
    begin_with_noise(threads, &random);
    for (unsigned step = 0; step < 600; step++) {
        uint32_t size = 1 + random_below(&random, 30 << 10),
                 at = random_below(&random, MODEL_BYTES - size);
        write_step(&random, random_below(&random, TILES), at, size);
    }
    for (unsigned tile = 0; tile < TILES; tile++) {
        check_step(tile, 0, MODEL_BYTES);
    }
    libttsim_exit();
}

START_TEST(long_bursts)
{
    with_all_threads(check_long_bursts);
}
END_TEST

/* --- Tiles in turn --- */

enum { WORKERS = 10, TURNS = 300, MOST_WRITES = 40 };

/* A write; of 0 bytes: of the reset register. */
struct write {
    unsigned tile;
    bool by_other_name;
    uint32_t at, size, from; /* in `noise` */
};

static struct write writes[TURNS * MOST_WRITES];

/* A host loads one worker after the other, a few of them twice, by another name; some writes are at
 * places where others were a moment ago. */
static unsigned plan_turns(uint64_t *random)
{
    unsigned count = 0, tile = 0;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        bool is_same = random_below(random, 3) == 0, by_other_name = random_below(random, 2);
        tile = is_same ? tile : random_below(random, WORKERS);
        for (unsigned i = 1 + random_below(random, MOST_WRITES); i-- > 0;) {
            uint32_t size = 1 + random_below(random, random_below(random, 2) ? 64 : 4096);
            bool is_reset = random_below(random, 2000) == 0, is_near = random_below(random, 2);
            writes[count++] = (struct write){
                .tile = random_below(random, 40) ? tile : random_below(random, WORKERS),
                .by_other_name = by_other_name && !is_reset,
                .at = random_below(random, is_near ? 4096 : MODEL_BYTES - size),
                .size = is_reset ? 0 : size,
                .from = random_below(random, MORE_NOISE)};
        }
    }
    return count;
}

/* Does them as fast as it can; (x + 32, y) is another name of (x, y). */
static void do_writes(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct write *write = &writes[i];
        unsigned x, y;
        place(write->tile, &x, &y);
        x += write->by_other_name ? 32 : 0;
        if (write->size) {
            libttsim_tile_wr_bytes(x, y, BASE + write->at, noise + write->from, write->size);
        } else {
            tile_wr(x, y, SOFT_RESET, ALL_HELD);
        }
    }
}

static void check_tiles_in_turn(int threads)
{
    uint64_t random = 31;
    begin_with_noise(threads, &random);
    for (unsigned round = 0; round < 4; round++) {
        unsigned count = plan_turns(&random);
        do_writes(count);
        for (unsigned i = 0; i < count; i++) {
            memcpy(model[writes[i].tile] + writes[i].at, noise + writes[i].from, writes[i].size);
        }
        for (unsigned tile = 0; tile < WORKERS; tile++) {
            check_step(tile, 0, MODEL_BYTES);
        }
    }
    libttsim_exit();
}

START_TEST(tiles_in_turn)
{
    with_all_threads(check_tiles_in_turn);
}
END_TEST

static void check_the_end_of_l1(int threads)
{
    const uint64_t pattern = UINT64_C(0x1122334455667788);
    unsigned before = reported("write of the host");
    begin(threads);
    tile_wr(1, 2, L1_BYTES - 8, 1);
    tile_wr(1, 2, L1_BYTES - 4, 2);
    libttsim_tile_wr_bytes(1, 2, L1_BYTES - 4, &pattern, sizeof pattern); /* half of it is wrong */
    ck_assert_uint_eq(reported("write of the host"), before + 1);
    ck_assert_uint_eq(tile_rd(1, 2, L1_BYTES - 8), 1);
    ck_assert_uint_eq(tile_rd(1, 2, L1_BYTES - 4), (uint32_t)pattern);
    tile_wr(1, 2, L1_BYTES + 64, 3);
    ck_assert_uint_eq(reported("write of the host"), before + 2);
    libttsim_exit();
}

START_TEST(the_end_of_l1)
{
    with_all_threads(check_the_end_of_l1);
}
END_TEST

/* --- Order --- */

/* Writes that are not posted come behind those that are. */
static void check_multicasts_come_in_their_turn(int threads)
{
    begin(threads);
    for (unsigned round = 1; round <= 50; round++) {
        for (unsigned x = 1; x < 4; x++) {
            tile_wr(x, 3, 0x9000, round);
            tile_wr(x, 3, 0x9004, round);
        }
        set_window(WINDOW, 0, 3, 3, 1, 3, 0, 1);
        wr(BAR0 + (WINDOW << 21) + 0x9000, 1000 + round);
        tile_wr(2, 3, 0x9000, 2000 + round);
        for (unsigned x = 1; x < 4; x++) {
            ck_assert_uint_eq(tile_rd(x, 3, 0x9000), (x == 2 ? 2000 : 1000) + round);
            ck_assert_uint_eq(tile_rd(x, 3, 0x9004), round);
        }
    }
    libttsim_exit();
}

START_TEST(multicasts_come_in_their_turn)
{
    with_all_threads(check_multicasts_come_in_their_turn);
}
END_TEST

/* Programs are written, harts started, stopped, and started with others, all without a read. */
static void run_programs(uint32_t *result, uint32_t *clock)
{
    static const char *const first[] = {"addi a0, zero, 7", "sw a0, 0x400(zero)",
                                        "jal zero, 0x1008", NULL};
    static const char *const second[] = {"lw a0, 0x400(zero)", "addi a0, a0, 1",
                                         "sw a0, 0x400(zero)", "jal zero, 0x1000", NULL};
    for (unsigned tile = 0; tile < 60; tile++) {
        start(1 + tile % 7, 2 + tile / 7, first);
    }
    libttsim_clock(1000);
    for (unsigned tile = 0; tile < 60; tile++) {
        tile_wr(1 + tile % 7, 2 + tile / 7, SOFT_RESET, ALL_HELD);
        tile_wr(1 + tile % 7, 2 + tile / 7, 0x400, tile);
        start(1 + tile % 7, 2 + tile / 7, second);
    }
    libttsim_clock(5000);
    for (unsigned tile = 0; tile < 60; tile++) {
        result[tile] = tile_rd(1 + tile % 7, 2 + tile / 7, 0x400);
    }
    *clock = tile_rd(1, 2, WALL_CLOCK);
}

static void check_harts_see_what_was_posted_before_they_start(int threads)
{
    uint32_t alone[60], result[60], clock_alone, clock;
    begin(1);
    run_programs(alone, &clock_alone);
    libttsim_exit();
    begin(threads);
    run_programs(result, &clock);
    libttsim_exit();
    ck_assert_uint_gt(alone[0], 100);
    ck_assert_mem_eq(result, alone, sizeof alone);
    ck_assert_uint_eq(clock, clock_alone);
}

START_TEST(harts_see_what_was_posted_before_they_start)
{
    with_all_threads(check_harts_see_what_was_posted_before_they_start);
}
END_TEST

/* A fault that a posted write leads to is reported with the next call. */
static void check_faults_are_reported(int threads)
{
    static const char *const lines[] = {"lui a0, 0xffc00", "lw a1, 0(a0)", "jal zero, 0x1008",
                                        NULL};
    unsigned before = reported("0xffc00000");
    begin(threads);
    for (unsigned x = 1; x < 5; x++) {
        start(x, 4, lines);
    }
    libttsim_clock(200);
    ck_assert_uint_gt(reported("0xffc00000"), before);
    for (unsigned x = 1; x < 5; x++) {
        tile_wr(x, 4, SOFT_RESET, ALL_HELD);
        tile_wr(x, 4, 0x9000, x);
    }
    for (unsigned x = 1; x < 5; x++) {
        ck_assert_uint_eq(tile_rd(x, 4, 0x9000), x);
    }
    libttsim_exit();
}

START_TEST(faults_are_reported)
{
    with_all_threads(check_faults_are_reported);
}
END_TEST

/* --- Resets that lead to faults --- */

enum { RESET_TILES = 6, RESET_ROUNDS = 4, SEEN = 3 * RESET_ROUNDS * RESET_TILES + 2 };

/* BRISC leaves a linked transaction open, so that to reset it is a fault. A fault clears the
 * coprocessor when the TRISCs are in reset: BRISC says what it finds in a GPR of thread 0,
 * and changes that. The other harts do nothing. */
static void link_and_wait(unsigned x)
{
    static const char *const lines[] = {"lui a0, 0xffe00",     "lw a1, 0x80(a0)",
                                        "sw a1, 0x400(zero)",  "addi a1, zero, 77",
                                        "sw a1, 0x80(a0)",     "lui a0, 0xffb20",
                                        "lui a1, 4",           "sw a1, 0(a0)",
                                        "addi a1, zero, 129",  "sw a1, 8(a0)",
                                        "lui a1, 8",           "sw a1, 12(a0)",
                                        "addi a1, zero, 259",  "sw a1, 20(a0)",
                                        "addi a1, zero, 0x42", "sw a1, 28(a0)",
                                        "addi a1, zero, 16",   "sw a1, 32(a0)",
                                        "addi a1, zero, 1",    "sw a1, 64(a0)",
                                        "jal zero, 0x1050",    NULL};
    static const uint32_t others[] = {0x6000, 0xa000, 0xe000, 0x12000}; /* where they begin */
    for (unsigned i = 0; i < 4; i++) {
        tile_wr(x, 2, others[i], 0x0000006f); /* jal zero, 0 */
    }
    start(x, 2, lines);
}

/* Resets in a burst, most of them at once followed by a start; what can be seen of it. */
static void reset_in_bursts(int threads, uint32_t *seen)
{
    unsigned before = reported("is open when its hart");
    begin(threads);
    for (unsigned x = 1; x <= RESET_TILES; x++) {
        link_and_wait(x);
    }
    for (unsigned round = 0; round < RESET_ROUNDS; round++) {
        libttsim_clock(700);
        for (unsigned x = 1; x <= RESET_TILES; x++) {
            if ((x + round) % 2) { /* BRISC alone: to clear the rest has to wait for the next one */
                tile_wr(x, 2, SOFT_RESET, ALL_HELD ^ BRISC_RUNS);
            }
            tile_wr(x, 2, SOFT_RESET, ALL_HELD);
            tile_wr(x, 2, 0x404, round);
            if ((x + round) % 3) {
                tile_wr(x, 2, SOFT_RESET, 0); /* all run, so it is too late to clear anything */
            }
        }
        for (unsigned x = 1; x <= RESET_TILES; x++) {
            *seen++ = tile_rd(x, 2, 0x400);
            *seen++ = tile_rd(x, 2, SOFT_RESET);
            *seen++ = tile_rd(x, 2, 0x404);
        }
    }
    *seen++ = tile_rd(1, 2, WALL_CLOCK);
    *seen = reported("is open when its hart") - before;
    libttsim_exit();
}

START_TEST(resets_may_lead_to_faults)
{
    uint32_t alone[SEEN], seen[SEEN];
    reset_in_bursts(1, alone);
    ck_assert_uint_ge(alone[SEEN - 1], RESET_TILES);
    for (int threads = 2; threads <= MOST_THREADS; threads++) {
        reset_in_bursts(threads, seen);
        for (unsigned i = 0; i < SEEN; i++) {
            ck_assert_msg(seen[i] == alone[i], "%d threads, %u: 0x%x, not 0x%x", threads, i,
                          seen[i], alone[i]);
        }
    }
}
END_TEST

/* --- Life --- */

static void post_many(uint32_t value)
{
    for (uint32_t i = 0; i < 3000; i++) {
        tile_wr(1 + i % 7, 2 + i / 7 % 10, 0xa000 + 4 * (i / 70), value + i);
    }
}

static bool holds_many(uint32_t value)
{
    bool holds = true;
    for (uint32_t i = 0; i < 3000; i++) {
        holds &= tile_rd(1 + i % 7, 2 + i / 7 % 10, 0xa000 + 4 * (i / 70)) == value + i;
    }
    return holds;
}

/* The sanitizer's allocator knows nothing of forks: its lock stays with a thread that is just
 * starting, and the child has no such thread. */
static void let_threads_start(void)
{
    if (SANITIZED) {
        usleep(300000);
    }
}

static void check_parent_and_child_have_what_was_posted(int threads)
{
    begin(threads);
    post_many(0);
    let_threads_start();
    for (unsigned round = 0; round < 10; round++) {
        post_many(100000 * round);
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            bool holds = holds_many(100000 * round);
            post_many(7);
            holds &= holds_many(7);
            libttsim_exit();
            _exit(holds ? 0 : 1);
        }
        ck_assert(holds_many(100000 * round));
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
    libttsim_exit();
}

START_TEST(parent_and_child_have_what_was_posted)
{
    with_all_threads(check_parent_and_child_have_what_was_posted);
}
END_TEST

static void check_a_device_may_end_at_any_time(int threads)
{
    for (unsigned round = 0; round < 20; round++) {
        begin(threads);
        post_many(round);
        libttsim_exit();
    }
    begin(threads);
    ck_assert_uint_eq(tile_rd(1, 2, 0xa000), 0);
    libttsim_exit();
}

START_TEST(a_device_may_end_at_any_time)
{
    with_all_threads(check_a_device_may_end_at_any_time);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        memory_holds_what_was_written_last,
        long_bursts,
        tiles_in_turn,
        the_end_of_l1,
        multicasts_come_in_their_turn,
        harts_see_what_was_posted_before_they_start,
        faults_are_reported,
        resets_may_lead_to_faults,
        parent_and_child_have_what_was_posted,
        a_device_may_end_at_any_time,
        NULL,
    };
    return run_abi_suite("abi posted", tests);
}
