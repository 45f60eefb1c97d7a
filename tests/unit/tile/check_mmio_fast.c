/* Short ways to registers of NIUs, to GPRs and for pushes (tile/mmio_fast.c): they lead to what the
 * registers' handlers do, which alone are asked while accesses are traced. */
#include <stdio.h>
#include <string.h>

#include <penrose/penrose.h>

#include "unit/test.h"
#include "unit/tile/tile_harness.h"
#include "tile/noc_port.h"

enum { CODE = 0x1000, NEAR = 0x800, LENGTH = 32 };
#define HELD_BACK (UINT64_C(1) << 63) /* a request that never departs by itself */

/* What a hart does, and who else is there. */
struct scene {
    uint32_t address, value;
    uint32_t polled; /* the register that another hart sleeps for; 0: none does */
    bool waits;      /* a request waits in the command buffer of `address` */
};

struct outcome {
    struct niu niu[2];
    enum hart_state state;
    uint32_t pc, loaded;
    unsigned faults;
    enum penrose_fault_kind fault;
    bool is_woken, has_sent;
};

static void write_program(struct tile_harness *harness, const struct scene *scene)
{
    char lines[6][40];
    const char *program[] = {lines[0], lines[1], lines[2],           lines[3],
                             lines[4], lines[5], "jal zero, 0x1018", NULL};
    int near = (int)((scene->address + NEAR) % (2 * NEAR)) - NEAR;
    snprintf(lines[0], sizeof lines[0], "lui a5, 0x%x", (scene->address - (uint32_t)near) >> 12);
    snprintf(lines[1], sizeof lines[1], "lui a0, 0x%x", scene->value >> 12);
    snprintf(lines[2], sizeof lines[2], "addi a0, a0, %u", scene->value & 0x7ff);
    snprintf(lines[3], sizeof lines[3], "sw a0, %d(a5)", near);
    snprintf(lines[4], sizeof lines[4], "addi a0, a0, 0");
    snprintf(lines[5], sizeof lines[5], "lw a1, %d(a5)", near);
    harness_assemble_lines(harness, CODE, program);
}

/* NCRISC sleeps until the register changes. */
static void sleep_for(struct tile *tile, uint32_t address)
{
    struct tile_hart *sleeper = &tile->run[RV32_NC];
    sleeper->state = HART_ASLEEP;
    sleeper->idle = (struct rv32_idle){.period = 1, .wake = UINT64_MAX, .places = 1};
    sleeper->idle.place[0] = (struct rv32_idle_place){.address = address, .size = 4};
    tile_polls(tile, RV32_NC, (struct tile_span){address, address + 3});
}

static void add_others(struct tile *tile, const struct scene *scene)
{
    unsigned noc = (scene->address - TILE_NIU_BASE) / TILE_NIU_BYTES;
    unsigned buffer = scene->address % TILE_NIU_BYTES / NIU_BUFFER_BYTES;
    if (scene->waits && buffer < NIU_BUFFERS) {
        tile->command[noc][buffer] = (struct tile_command){.waits = true, .due = HELD_BACK};
        tile->commands = 1;
    }
    if (scene->polled) {
        sleep_for(tile, scene->polled);
    }
}

static struct outcome play(const struct scene *scene, bool is_traced)
{
    struct tile_harness harness;
    struct outcome outcome = {0};
    harness_open(&harness);
    struct tile *tile = harness.tile;
    for (unsigned i = 0; i < 2 * NIU_BUFFERS; i++) {
        tile->niu[i / NIU_BUFFERS].word[niu_buffer(i % NIU_BUFFERS) + NIU_AT_LEN_BE / 4] = LENGTH;
    }
    write_program(&harness, scene);
    harness_release(&harness, RV32_B, CODE);
    add_others(tile, scene);
    harness_look(tile, is_traced);
    uint64_t epoch = tile->epoch;
    tile->restless = true;
    tile_run(tile, 128);
    memcpy(outcome.niu, tile->niu, sizeof outcome.niu);
    outcome.state = tile->run[RV32_B].state;
    outcome.pc = tile->hart[RV32_B].pc;
    outcome.loaded = tile->hart[RV32_B].x[11];
    outcome.faults = harness.faults;
    outcome.fault = harness.faults ? harness.fault.kind : 0;
    outcome.is_woken = tile->epoch != epoch;
    outcome.has_sent = tile->sent.head != NULL;
    harness_close(&harness);
    return outcome;
}

static void compare(const struct scene *scene)
{
    struct outcome quick = play(scene, false), traced = play(scene, true);
    const char *where = scene->polled ? "polled" : scene->waits ? "busy" : "free";
    ck_assert_msg(quick.faults == traced.faults && quick.fault == traced.fault,
                  "0x%08x (%s): %u faults, traced %u", scene->address, where, quick.faults,
                  traced.faults);
    ck_assert_msg(memcmp(quick.niu, traced.niu, sizeof quick.niu) == 0 &&
                      quick.loaded == traced.loaded && quick.has_sent == traced.has_sent,
                  "0x%08x (%s): registers differ, %x and %x", scene->address, where, quick.loaded,
                  traced.loaded);
    ck_assert_msg(quick.state == traced.state && quick.pc == traced.pc, "0x%08x (%s): at %x and %x",
                  scene->address, where, quick.pc, traced.pc);
    ck_assert_msg(quick.is_woken == traced.is_woken, "0x%08x (%s): woken: %d and %d",
                  scene->address, where, quick.is_woken, traced.is_woken);
}

static void compare_all(uint32_t address)
{
    for (uint32_t value = 0x12345678; value <= 0x12345679; value++) {
        compare(&(struct scene){.address = address, .value = value});
        compare(&(struct scene){.address = address, .value = value, .waits = true});
        compare(&(struct scene){.address = address, .value = value, .polled = address});
        compare(&(struct scene){.address = address, .value = value, .polled = address ^ 4});
    }
}

TEST_EACH(stores_to_command_buffers, 2 * NIU_BUFFERS)
{
    uint32_t buffer = TILE_NIU_BASE + (uint32_t)_i / NIU_BUFFERS * TILE_NIU_BYTES +
                      (uint32_t)_i % NIU_BUFFERS * NIU_BUFFER_BYTES;
    for (uint32_t offset = 0; offset <= 0x80; offset += 4) {
        compare_all(buffer + offset);
    }
    compare_all(buffer + NIU_BUFFER_BYTES - 4);
    compare_all(buffer + NIU_CTRL + 2); /* not aligned */
}

TEST_EACH(stores_elsewhere, 2)
{
    static const uint32_t offsets[] = {0x100,  0x104,  0x108,  0x148,  0x178, 0x17c,
                                       0x200,  0x208,  0x2fc,  0x378,  0x37c, 0x1ffc,
                                       0x2000, 0x2004, 0x200c, 0x8000, 0xfffc};
    for (unsigned i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        compare_all(TILE_NIU_BASE + (uint32_t)_i * TILE_NIU_BYTES + offsets[i]);
    }
}

/* --- Loops that fill GPRs --- */

/* GPRs from word `first` of the window on are filled, `count` of them. */
struct fill {
    enum rv32_core core;
    unsigned first, count;
    bool waits;     /* the thread has an instruction in front that may use GPRs */
    bool is_polled; /* another hart sleeps until one changes */
};

struct filled {
    uint32_t gpr[TENSIX_THREADS][TENSIX_GPRS];
    uint32_t pc, at;
    uint64_t time;
    enum hart_state state;
    bool is_woken;
};

static struct filled play_fill(const struct fill *fill, bool is_traced)
{
    char first[40], last[40];
    const char *const program[] = {"lui a5, 0xffe00",
                                   "lui a4, 0xffe00",
                                   first,
                                   last,
                                   "addi a0, zero, 77",
                                   "1:",
                                   "sw a0, 0(a5)",
                                   "addi a5, a5, 4",
                                   "bne a5, a4, 1b",
                                   "2:",
                                   "jal zero, 2b",
                                   NULL};
    struct tile_harness harness;
    struct filled filled = {0};
    snprintf(first, sizeof first, "addi a5, a5, %u", 4 * fill->first);
    snprintf(last, sizeof last, "addi a4, a4, %u", 4 * (fill->first + fill->count));
    harness_open(&harness);
    struct tile *tile = harness.tile;
    harness_assemble_lines(&harness, CODE, program);
    harness_release(&harness, fill->core, CODE);
    if (fill->waits) {
        tile->tensix.thread_config[fill->core - RV32_T0][56] = 0x1f;
        tile->tensix.thread[fill->core - RV32_T0].front.count = 1;
        tile->tensix.thread[fill->core - RV32_T0].front.entry[0].word = 0x01000000;
    }
    if (fill->is_polled) {
        sleep_for(tile, 0xffe00004);
    }
    harness_look(tile, is_traced);
    uint64_t epoch = tile->epoch;
    tile->restless = true;
    tile_run(tile, 512);
    memcpy(filled.gpr, tile->tensix.gpr, sizeof filled.gpr);
    filled.pc = tile->hart[fill->core].pc;
    filled.at = tile->hart[fill->core].x[15];
    filled.time = tile->run[fill->core].time;
    filled.state = tile->run[fill->core].state;
    filled.is_woken = tile->epoch != epoch;
    harness_close(&harness);
    return filled;
}

static void compare_fill(const struct fill *fill)
{
    struct filled quick = play_fill(fill, false), traced = play_fill(fill, true);
    ck_assert_msg(memcmp(quick.gpr, traced.gpr, sizeof quick.gpr) == 0, "%u from %u: GPRs differ",
                  fill->count, fill->first);
    ck_assert_uint_eq(quick.pc, traced.pc);
    ck_assert_uint_eq(quick.at, traced.at);
    ck_assert_uint_eq(quick.time, traced.time);
    ck_assert_int_eq(quick.state, traced.state);
    ck_assert_int_eq(quick.is_woken, traced.is_woken);
}

TEST_EACH(fills_of_gprs, RV32_CORES)
{
    enum rv32_core core = (enum rv32_core)_i;
    bool is_trisc = core >= RV32_T0 && core <= RV32_T2;
    for (unsigned first = 0; first < 2 * TENSIX_GPRS; first += 13) {
        for (unsigned count = 1; count < 2 * TENSIX_GPRS; count += 9) {
            struct fill fill = {.core = core, .first = first, .count = count};
            compare_fill(&fill);
            fill.is_polled = true;
            compare_fill(&fill);
            fill.is_polled = false;
            fill.waits = is_trisc;
            compare_fill(&fill);
        }
    }
    struct fill all = {.core = core, .count = TENSIX_GPRS};
    struct filled filled = play_fill(&all, false);
    for (unsigned i = 0; i < TENSIX_GPRS; i++) {
        unsigned thread = is_trisc ? (unsigned)core - RV32_T0 : 0;
        ck_assert_uint_eq(filled.gpr[thread][i], core == RV32_NC ? 0 : 77);
    }
}

/* --- Pushes by stores --- */

enum { WORDS = 0x700, OFTEN = 60 /* more than a FIFO holds */ };

struct pushed {
    uint32_t gpr[TENSIX_THREADS][TENSIX_GPRS];
    uint64_t count[TENSIX_THREADS], time;
    unsigned queued[TENSIX_THREADS], faults;
    uint32_t pc;
    enum hart_state state;
    bool is_woken;
};

/* A hart pushes `first` once and then an instruction that counts, by stores to `address`. */
static struct pushed play_pushes(enum rv32_core core, uint32_t address, const char *first,
                                 bool is_traced)
{
    char upper[40], store[40], store_first[40], times[40];
    const char *const program[] = {
        upper, "lw a0, 0x704(zero)", "lw a1, 0x700(zero)", times, store_first,    "1:",
        store, "addi a2, a2, -1",    "bne a2, zero, 1b",   "2:",  "jal zero, 2b", NULL};
    struct tile_harness harness;
    struct pushed pushed = {0};
    snprintf(upper, sizeof upper, "lui a5, 0x%x", address >> 12);
    snprintf(times, sizeof times, "addi a2, zero, %u", OFTEN);
    snprintf(store_first, sizeof store_first, "sw a1, %u(a5)", address & 0x7ff);
    snprintf(store, sizeof store, "sw a0, %u(a5)", address & 0x7ff);
    harness_open(&harness);
    struct tile *tile = harness.tile;
    harness_assemble_lines(&harness, CODE, program);
    const char *const pushed_text[] = {first, "ADDDMAREG 1, 2, 1, 2"};
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t word = 0;
        ck_assert_int_eq(penrose_tensix_assemble(pushed_text[k], &word, NULL), PENROSE_OK);
        harness_set_word(&harness, WORDS + 4 * k, word);
    }
    harness_release(&harness, core, CODE);
    harness_look(tile, is_traced);
    uint64_t epoch = tile->epoch;
    tile->restless = true;
    tile_run(tile, 512);
    memcpy(pushed.gpr, tile->tensix.gpr, sizeof pushed.gpr);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        pushed.count[i] = tile->tensix.thread[i].pushed;
        pushed.queued[i] = tile->tensix.thread[i].front.count;
    }
    pushed.time = tile->run[core].time;
    pushed.faults = harness.faults;
    pushed.pc = tile->hart[core].pc;
    pushed.state = tile->run[core].state;
    pushed.is_woken = tile->epoch != epoch;
    harness_close(&harness);
    return pushed;
}

/* What passes, what stands still until the FIFO is full are the same whoever looks. */
TEST_EACH(pushes, RV32_CORES)
{
    static const char *const first[] = {"SETDMAREG 0, 7, 0, 2", "SEMWAIT 511, 2, 1"};
    static const uint32_t addresses[] = {RV32_PUSH_BASE, RV32_PUSH_BASE + 4,
                                         RV32_PUSH_BASE + 0x10000};
    enum rv32_core core = (enum rv32_core)_i;
    bool is_trisc = core >= RV32_T0 && core <= RV32_T2;
    for (unsigned i = 0; i < 6; i++) {
        struct pushed quick = play_pushes(core, addresses[i / 2], first[i % 2], false);
        struct pushed traced = play_pushes(core, addresses[i / 2], first[i % 2], true);
        ck_assert(memcmp(quick.gpr, traced.gpr, sizeof quick.gpr) == 0);
        ck_assert(memcmp(quick.count, traced.count, sizeof quick.count) == 0);
        ck_assert(memcmp(quick.queued, traced.queued, sizeof quick.queued) == 0);
        ck_assert_uint_eq(quick.faults, traced.faults);
        ck_assert_uint_eq(quick.pc, traced.pc);
        ck_assert_uint_eq(quick.time, traced.time);
        ck_assert_int_eq(quick.state, traced.state);
        ck_assert_int_eq(quick.is_woken, traced.is_woken);
        if (is_trisc && i == 0) {
            ck_assert_uint_eq(quick.count[core - RV32_T0], 1 + OFTEN);
        }
        if (is_trisc && i == 1) {
            ck_assert_int_eq(quick.state, HART_WAITING);
        }
    }
}
