/*
 * Times of harts whose instructions have random costs, and who wait for one another. A tile of the
 * least quantum agrees to the cycle with harts that this test steps one by one; and with any quantum one
 * whose harts sleep agrees with one whose harts never do.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tile/timing.h"
#include "unit/rv32/random_costs.h"
#include "unit/test.h"
#include "unit/tile/tile_harness.h"

enum { SCENES = 40, MOST_LINES = 40, ROUNDS = 6, LIMIT = 1 << 23, COUNTS = 0x5000 };

/* What the harts do: each waits for its flag, works, and sets the flag of the next one. */
struct scene {
    struct rv32_timing costs;
    char line[RV32_CORES][MOST_LINES][40];
    unsigned lines;
};

static void add_line(struct scene *scene, unsigned core, const char *format, uint32_t value)
{
    char *line = scene->line[core][scene->lines++];
    int length = snprintf(line, sizeof scene->line[0][0], format, value);
    ck_assert_int_lt(length, (int)sizeof scene->line[0][0]);
    ck_assert_uint_lt(scene->lines, MOST_LINES);
}

/* Some turns of a loop, or some time by the wall clock. */
static void add_work(struct scene *scene, unsigned core, uint64_t *random)
{
    if (random_below(random, 3) == 0) {
        add_line(scene, core, "lw t0, 0x1f0(s3)", 0);
        add_line(scene, core, "addi t0, t0, %u", random_below(random, 1000));
        add_line(scene, core, "2:", 0);
        add_line(scene, core, "lw t1, 0x1f0(s3)", 0);
        add_line(scene, core, "bltu t1, t0, 2b", 0);
        return;
    }
    add_line(scene, core, "addi t0, zero, %u", 1 + random_below(random, 200));
    add_line(scene, core, "2:", 0);
    add_line(scene, core, "addi t0, t0, -1", 0);
    add_line(scene, core, "mul t2, t0, t0", 0);
    add_line(scene, core, "bne t0, zero, 2b", 0);
}

static void draw_hart(struct scene *scene, unsigned core, uint32_t place, uint32_t next,
                      uint64_t *random)
{
    bool works_first = random_below(random, 2);
    scene->lines = 0;
    add_line(scene, core, "lui s0, 4", 0); /* flags, a line each */
    add_line(scene, core, "lui s1, 5", 0);
    add_line(scene, core, "addi s2, zero, 1", 0);
    add_line(scene, core, "lui s3, 0xffb12", 0);
    add_line(scene, core, "addi s4, zero, %u", ROUNDS);
    add_line(scene, core, "1:", 0);
    if (random_below(random, 2)) {
        add_line(scene, core, "fence 3, 3", 0);
    }
    add_line(scene, core, "lw a0, %u(s0)", 64 * place);
    add_line(scene, core, "bltu a0, s2, 1b", 0);
    if (works_first) {
        add_work(scene, core, random);
    }
    add_line(scene, core, "addi a1, s2, %u", next == 0);
    add_line(scene, core, "sw a1, %u(s0)", 64 * next);
    if (!works_first) {
        add_work(scene, core, random);
    }
    add_line(scene, core, "addi s2, s2, 1", 0);
    add_line(scene, core, "bgeu s4, s2, 1b", 0);
    add_line(scene, core, "csrrs a2, mcycle, zero", 0);
    add_line(scene, core, "csrrs a3, minstret, zero", 0);
    add_line(scene, core, "sw a2, %u(s1)", 8 * core);
    add_line(scene, core, "sw a3, %u(s1)", 8 * core + 4);
    add_line(scene, core, "ebreak", 0);
    scene->line[core][scene->lines][0] = 0;
}

/* Harts stand in a random order. */
static void draw_scene(struct scene *scene, uint64_t *random)
{
    uint32_t first = random_below(random, RV32_CORES), step = 1 + random_below(random, 4);
    random_costs(&scene->costs, random);
    for (uint32_t i = 0; i < RV32_CORES; i++) {
        draw_hart(scene, (first + i * step) % RV32_CORES, i, (i + 1) % RV32_CORES, random);
    }
}

static void open_scene(struct tile_harness *harness, const struct scene *scene, uint32_t quantum)
{
    harness_open(harness);
    harness->tile->quantum = quantum;
    for (unsigned core = 0; core < RV32_CORES; core++) {
        const char *lines[MOST_LINES];
        unsigned count = 0;
        while (scene->line[core][count][0]) {
            lines[count] = scene->line[core][count];
            count++;
        }
        lines[count] = NULL;
        harness_assemble_lines(harness, 0x1000 + 0x400 * core, lines);
        harness_release(harness, (enum rv32_core)core, 0x1000 + 0x400 * core);
        harness->tile->hart[core].timing = &scene->costs;
    }
    harness_set_word(harness, 0x4000, 1);
}

static void run_scene(struct tile_harness *harness)
{
    tile_run(harness->tile, LIMIT);
    for (unsigned core = 0; core < RV32_CORES; core++) {
        ck_assert_int_eq(harness->tile->run[core].state, HART_PAUSED);
    }
}

/* What tile_run does when everything goes one instruction at a time. */
static void step_scene(struct tile_harness *harness)
{
    struct tile *tile = harness->tile;
    for (unsigned left = RV32_CORES; left && tile->now < LIMIT; tile->now++) {
        for (unsigned core = 0; core < RV32_CORES; core++) {
            struct tile_hart *run = &tile->run[core];
            if (run->state != HART_READY || run->time != tile->now) {
                continue;
            }
            tile->running = (enum rv32_core)core;
            run->time = rv32_run(&tile->hart[core], tile->now, tile->now + 1);
            tile->running = RV32_CORES;
            if (tile->hart[core].stop == RV32_STOP_PAUSE) {
                run->state = HART_PAUSED;
                left--;
            }
        }
    }
}

static void check_alike(const struct tile_harness *one, const struct tile_harness *other)
{
    for (unsigned core = 0; core < RV32_CORES; core++) {
        const struct rv32_hart *a = &one->tile->hart[core], *b = &other->tile->hart[core];
        ck_assert_mem_eq(a->x, b->x, 32 * sizeof a->x[0]);
        ck_assert_uint_eq(a->pc, b->pc);
        ck_assert_uint_eq(a->retired, b->retired);
        ck_assert_uint_eq(one->tile->run[core].time, other->tile->run[core].time);
        for (uint32_t at = COUNTS + 8 * core; at < COUNTS + 8 * (core + 1); at += 4) {
            ck_assert_uint_eq(harness_word(one, at), harness_word(other, at));
        }
    }
}

TEST_EACH(least_quantum_is_stepping, SCENES)
{
    uint64_t random = 1 + (uint64_t)_i;
    struct tile_harness run, stepped;
    struct scene scene;
    draw_scene(&scene, &random);
    open_scene(&run, &scene, 1);
    open_scene(&stepped, &scene, 1);
    run_scene(&run);
    step_scene(&stepped);
    check_alike(&run, &stepped);
    harness_close(&run);
    harness_close(&stepped);
}

TEST_EACH(sleep_changes_no_time, SCENES)
{
    static const uint32_t quanta[] = {1, 16, 128};
    uint64_t random = 1000 + (uint64_t)_i;
    struct tile_harness asleep, awake;
    struct scene scene;
    draw_scene(&scene, &random);
    for (unsigned i = 0; i < sizeof quanta / sizeof quanta[0]; i++) {
        open_scene(&asleep, &scene, quanta[i]);
        open_scene(&awake, &scene, quanta[i]);
        awake.tile->restless = true;
        run_scene(&asleep);
        run_scene(&awake);
        check_alike(&asleep, &awake);
        harness_close(&asleep);
        harness_close(&awake);
    }
}

/* --- What harts share --- */

/* Turns of a loop of three instructions around these, on the first harts of the tile. HW: blackhole-py at
 * 079993d, docs/riscv-contention-microbench.md. Two harts that follow a pointer take 17.0 each there. */
static const struct {
    const char *name, *body[4];
    unsigned harts;
    double cycles;
} shares[] = {
    {"the slow path", {"lw s1, 0x80(s7)"}, 1, 5.5},
    {"the slow path of two", {"lw s1, 0x80(s7)"}, 2, 8},
    {"the slow path of all", {"lw s1, 0x80(s7)"}, 5, 20},
    {"a pointer of all", {"lw t2, 0x90(s7)", "add t2, s7, t2", "lw s1, 0(t2)"}, 5, 40},
    {"registers of the tile", {"lw s1, 0x1f0(s3)"}, 2, 5},
    {"one word of L1", {"lw s1, 0(s2)"}, 2, 5.5},
    {"stores to L1", {"sw s1, 4(s2)"}, 5, 4},
    {"local RAM", {"lw s1, 0(s6)"}, 5, 4},
};

TEST_EACH(harts_share_what_they_share_on_silicon, COUNT(shares))
{
    enum { WARM = 100, TURNS = 400 };
    struct tile_harness harness;
    harness_open(&harness);
    harness.tile->quantum = 1;
    harness.tile->tensix.timing = &tile_costs;
    for (unsigned core = 0; core < shares[_i].harts; core++) {
        struct rv32_hart *hart = &harness.tile->hart[core];
        const char *lines[16] = {"lui s2, 4",       "lui s3, 0xffb12",      "lui s6, 0xffb00",
                                 "lui s7, 0xffb14", "addi s0, zero, 2000",  "lui t0, 0x60",
                                 "addi t0, t0, 8",  "csrrw zero, cfg0, t0", "1:",
                                 "beq s0, zero, 1b"};
        unsigned count = 10;
        for (unsigned i = 0; shares[_i].body[i]; i++) {
            lines[count++] = shares[_i].body[i];
        }
        lines[count++] = "addi s0, s0, -1";
        lines[count++] = "jal zero, 1b";
        harness_assemble_lines(&harness, 0x1000 + 0x400 * core, lines);
        harness_release(&harness, (enum rv32_core)core, 0x1000 + 0x400 * core);
        hart->timing = tile_costs.harts;
    }
    uint64_t begins = 0;
    while (harness.tile->hart[0].x[8] != 2000 - WARM - TURNS) {
        begins = harness.tile->hart[0].x[8] == 2000 - WARM && !begins ? harness.tile->now : begins;
        tile_run(harness.tile, harness.tile->now + 1);
        ck_assert_uint_lt(harness.tile->now, 64 * (WARM + TURNS));
    }
    double cycles = (double)(harness.tile->now - begins) / TURNS;
    ck_assert_msg(fabs(cycles - shares[_i].cycles) < 0.02, "%s: a turn takes %.3f cycles",
                  shares[_i].name, cycles);
    harness_close(&harness);
}
