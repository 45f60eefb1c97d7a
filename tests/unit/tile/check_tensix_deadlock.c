/*
 * What becomes of bad Tensix programs in a tile: deadlocks are found and not waited for, waits end
 * when what they wait for happens, whenever that is, and wrong instructions are reported with the
 * instruction and the place of its push. Each under all ways of taking turns.
 */
#include <string.h>

#include "isa/error.h"
#include "unit/tile/mmio_harness.h"
#include "tensix/table.h"
#include "tile/timing.h"
#include "tile/observe.h"
#include "tile/weak.h"

#define SEMAPHORE(i) (UINT32_C(0xffe80020) + 4 * (uint32_t)(i))

/* A TRISC waits here until its thread has executed all that it has pushed. */
#define DRAIN "lui a5, 0xffe80", "sw zero, 4(a5)", "lw a0, 4(a5)"

enum { FAST, LOCKSTEP, RANDOM, TIMED, SCHEDULES };
enum { BASE = 0x1000, MOST_LINES = 56, FOREVER = 1 << 20 };

static struct tile *tile;
static struct tensix *tensix;

static void open_tile(int schedule)
{
    harness_open(&harness);
    tile = harness.tile;
    tensix = &tile->tensix;
    if (schedule == LOCKSTEP || schedule == TIMED) {
        tile->quantum = 1;
        tensix->timing = schedule == TIMED ? &tile_costs : NULL;
    } else if (schedule == RANDOM) {
        ck_assert(tile_weak_enable(tile, 7));
    }
}

static void close_tile(void)
{
    tile_weak_free(tile);
    harness_close(&harness);
}

static uint32_t base_of(unsigned core)
{
    return BASE * (core + 1);
}

static uint32_t word_of(const char *line, uint32_t pc)
{
    static const char ttinsn[] = ".ttinsn ";
    struct penrose_error error = {0};
    uint32_t word = 0;
    if (strncmp(line, ttinsn, strlen(ttinsn)) != 0) {
        ck_assert_msg(rv32_assemble(line, pc, &word, &error) == PENROSE_OK, "%s", line);
        return word;
    }
    line += strlen(ttinsn);
    ck_assert_msg(tensix_assemble(line, &word, &error) == PENROSE_OK, "%s", line);
    return word << 2 | word >> 30;
}

/* Starts a hart with a program of `lines`, which end in NULL. */
static void start(unsigned core, const char *const *lines)
{
    uint32_t pc = base_of(core);
    for (unsigned i = 0; lines[i]; i++, pc += 4) {
        harness_set_word(&harness, pc, word_of(lines[i], pc));
    }
    harness_set_word(&harness, pc, word_of("ebreak", pc));
    harness_release(&harness, (enum rv32_core)core, base_of(core));
}

static void run(void)
{
    tile_run(tile, tile->now + FOREVER);
}

/* Nothing can happen any more, and that is known. */
static void ck_assert_rest(void)
{
    ck_assert(tile->halt == TILE_GOES);
    ck_assert_uint_eq(tile_next_event(tile), UINT64_MAX);
}

static bool has_ended(unsigned core)
{
    return tile->run[core].state == HART_PAUSED;
}

/* --- Deadlocks --- */

struct stuck {
    const char *text; /* the beginning of what is said of the thread; NULL: it does not wait */
    unsigned pusher, line;
};

struct deadlock {
    const char *program[RV32_CORES][MOST_LINES];
    struct stuck
        stuck[TENSIX_THREADS + TENSIX_UNPACKERS]; /* behind threads: what waits in unpackers */
};

enum { HELD = TENSIX_THREADS };

/* Uncompressed tiles of 16 data of Float16_b, for both unpackers: words 64, 72, 112 and 120. */
#define TILES                                                                                      \
    "lui a3, 0xffef0", "lui a4, 0x100", "addi a4, a4, 21", "sw a4, 256(a3)", "sw a4, 448(a3)",     \
        "addi a4, zero, 5", "sw a4, 288(a3)", "sw a4, 480(a3)", ".ttinsn SETADCXX 3, 15, 0"
#define TILES_LINES 9
#define UNPACK_A    "UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1"
#define UNPACK_B    "UNPACR 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1"
#define NOBODY_SET                                                                                 \
    ", which the unpackers hold: nothing has set its dvalid, as UNPACR with flip_src and "         \
    "SETDVALID do"
#define NOBODY_CLEARED                                                                             \
    ", which the Matrix Unit holds: nothing has cleared its dvalid, as SETRWC, CLEARDVALID and "   \
    "clear_dvalid of others do"

/* More than the queue of a thread has room for. */
#define FOUR_TIMES(line) line, line, line, line
#define FILL(line)                                                                                 \
    FOUR_TIMES(line), FOUR_TIMES(line), FOUR_TIMES(line), FOUR_TIMES(line), FOUR_TIMES(line),      \
        FOUR_TIMES(line), FOUR_TIMES(line), FOUR_TIMES(line), FOUR_TIMES(line)

/* MOP 1 is MVMUL, and REPLAY 0, 2 is NOP and SETDMAREG. */
#define SET_MOP                                                                                    \
    "lui a5, 0xffb80", "addi a4, zero, 1", "lui a3, 0x26000", "sw a4, 0(a5)", "sw a4, 4(a5)",      \
        "lui a4, 0x2000", "sw a4, 8(a5)", "sw a4, 12(a5)", "sw a3, 20(a5)", "sw a4, 24(a5)",       \
        "sw a3, 28(a5)"
#define SET_MOP_LINES 11
#define SET_REPLAY    ".ttinsn REPLAY 0, 2, 0, 1", ".ttinsn NOP", ".ttinsn SETDMAREG 0, 1, 0, 0"

static const struct deadlock deadlocks[] = {
    /* Two threads, each with the mutex that the other one wants. */
    {{[RV32_T0] = {".ttinsn ATGETM 2", ".ttinsn SEMPOST 1", ".ttinsn SEMWAIT 0x1ff, 2, 1",
                   ".ttinsn ATGETM 3", DRAIN},
      [RV32_T1] = {".ttinsn ATGETM 3", ".ttinsn SEMPOST 2", ".ttinsn SEMWAIT 0x1ff, 1, 1",
                   ".ttinsn ATGETM 2", DRAIN}},
     {{"ATGETM 3 waits for mutex 3, which thread 1 holds", RV32_T0, 3},
      {"ATGETM 2 waits for mutex 2, which thread 0 holds", RV32_T1, 3}}},
    /* A ring of three, in which each tells its predecessor that it has its first one. */
    {{[RV32_T0] = {".ttinsn ATGETM 0", ".ttinsn SEMPOST 4", ".ttinsn SEMWAIT 0x1ff, 1, 1",
                   ".ttinsn ATGETM 2", DRAIN},
      [RV32_T1] = {".ttinsn ATGETM 2", ".ttinsn SEMPOST 1", ".ttinsn SEMWAIT 0x1ff, 2, 1",
                   ".ttinsn ATGETM 4", DRAIN},
      [RV32_T2] = {".ttinsn ATGETM 4", ".ttinsn SEMPOST 2", ".ttinsn SEMWAIT 0x1ff, 4, 1",
                   ".ttinsn ATGETM 0", DRAIN}},
     {{"ATGETM 2 waits for mutex 2, which thread 1 holds", RV32_T0, 3},
      {"ATGETM 4 waits for mutex 4, which thread 2 holds", RV32_T1, 3},
      {"ATGETM 0 waits for mutex 0, which thread 0 holds", RV32_T2, 3}}},
    /* Conditions that nobody fulfils. */
    {{[RV32_T1] = {".ttinsn SEMWAIT 0x1ff, 0x20, 1", "addi a0, zero, 1", ".ttinsn NOP", DRAIN}},
     {[1] = {"NOP is held by SEMWAIT 0x1ff, 0x20, 1: semaphore 5 is 0", RV32_T1, 2}}},
    {{[RV32_T1] = {".ttinsn SEMINIT 2, 2, 0x20", ".ttinsn SEMWAIT 0x2, 0x20, 2",
                   ".ttinsn SEMPOST 0x20", DRAIN}},
     {[1] = {"SEMPOST 0x20 is held by SEMWAIT 2, 0x20, 2: semaphore 5 is 2, not below its "
             "maximum 2",
             RV32_T1, 2}}},
    {{[RV32_T2] = {".ttinsn STALLWAIT 0x40, 0x80", ".ttinsn INCRWC 0, 0, 0, 1", DRAIN}},
     {[2] = {"INCRWC 0, 0, 0, 1 is held by STALLWAIT 0x40, 0x80: nothing has been unpacked to SrcA",
             RV32_T2, 1}}},
    {{[RV32_T0] = {".ttinsn STREAMWAIT 0x80, 5, 1, 0", ".ttinsn SETC16 1, 1", DRAIN}},
     {{"SETC16 1, 1 is held by STREAMWAIT 0x80, 5, 1, 0: stream 0 has received messages 0, not yet "
       "5",
       RV32_T0, 1}}},
    /* The poster itself waits for the thread. */
    {{[RV32_T0] = {".ttinsn SEMWAIT 0x1ff, 1, 1", ".ttinsn SEMGET 1", DRAIN, "sw zero, 0x20(a5)"}},
     {{"SEMGET 1 is held by SEMWAIT 0x1ff, 1, 1: semaphore 0 is 0", RV32_T0, 1}}},
    /* The post stands in a queue that is full. */
    {{[RV32_T0] = {".ttinsn ATGETM 4", ".ttinsn SEMWAIT 0x1ff, 1, 1", FILL(".ttinsn NOP"),
                   "lui a5, 0xffe80", "sw zero, 0x20(a5)"}},
     {{"NOP is held by SEMWAIT 0x1ff, 1, 1: semaphore 0 is 0", RV32_T0, 2}}},
    /* Several queues are full, each behind something else: none of the harts wakes another one. */
    {{[RV32_T0] = {".ttinsn SEMWAIT 0x1ff, 4, 1", FILL(".ttinsn SETDMAREG 0, 1, 0, 0")},
      [RV32_T1] = {".ttinsn SEMWAIT 0x1ff, 8, 1", FILL(".ttinsn SETDMAREG 0, 1, 0, 0")}},
     {{"SETDMAREG 0, 1, 0, 0 is held by SEMWAIT 0x1ff, 4, 1: semaphore 2 is 0", RV32_T0, 1},
      {"SETDMAREG 0, 1, 0, 0 is held by SEMWAIT 0x1ff, 8, 1: semaphore 3 is 0", RV32_T1, 1}}},
    {{[RV32_T0] = {".ttinsn STALLWAIT 0x1ff, 0x80", FILL(".ttinsn NOP")},
      [RV32_T1] = {".ttinsn ATGETM 2", ".ttinsn STREAMWAIT 0x1ff, 5, 1, 0", FILL(".ttinsn NOP")},
      [RV32_T2] = {".ttinsn MVMUL 0, 0, 0, 0", FILL(".ttinsn NOP")}},
     {{"NOP is held by STALLWAIT 0x1ff, 0x80: nothing has been unpacked to SrcA", RV32_T0, 1},
      {"NOP is held by STREAMWAIT 0x1ff, 5, 1, 0: stream 0 has received messages 0", RV32_T1, 2},
      {"MVMUL 0, 0, 0, 0 waits for bank 0 of SrcA" NOBODY_SET, RV32_T2, 0}}},
    /* Queues of expansions, and of B's pushes behind two TRISCs: TRNSPSRCB, then NOP. */
    {{[RV32_T0] = {SET_MOP, FILL(".ttinsn MOP 1, 0, 0")},
      [RV32_T1] = {SET_REPLAY, ".ttinsn SEMWAIT 0x1ff, 1, 1", FILL(".ttinsn REPLAY 0, 2, 0, 0")}},
     {{"MVMUL 0, 0, 0, 0 waits for bank 0 of SrcA" NOBODY_SET, RV32_T0, SET_MOP_LINES},
      {"NOP is held by SEMWAIT 0x1ff, 1, 1: semaphore 0 is 0", RV32_T1, 4}}},
    {{[RV32_B] = {"lui a5, 0xffe60", "lui a4, 0x16000", "lui a3, 0x2000", "sw a4, 0(a5)",
                  FILL("sw a3, 0(a5)")},
      [RV32_T0] = {".ttinsn SEMWAIT 0x1ff, 4, 1", FILL(".ttinsn NOP")},
      [RV32_T1] = {".ttinsn SEMWAIT 0x1ff, 8, 1", FILL(".ttinsn NOP")}},
     {{"NOP is held by SEMWAIT 0x1ff, 4, 1: semaphore 2 is 0", RV32_T0, 1},
      {"NOP is held by SEMWAIT 0x1ff, 8, 1: semaphore 3 is 0", RV32_T1, 1},
      {"TRNSPSRCB waits for bank 0 of SrcB" NOBODY_SET, RV32_B, 3}}},
    /* A hart polls L1 that it has in its L0 cache, beside two full queues. */
    {{[RV32_B] = {"lui a5, 9", "lw a4, 0(a5)", "lw a3, 4(a5)", "beq a4, zero, 0x1004"},
      [RV32_T0] = {".ttinsn SEMWAIT 0x1ff, 4, 1", FILL(".ttinsn NOP")},
      [RV32_T1] = {".ttinsn SEMWAIT 0x1ff, 8, 1", FILL(".ttinsn NOP")}},
     {{"NOP is held by SEMWAIT 0x1ff, 4, 1: semaphore 2 is 0", RV32_T0, 1},
      {"NOP is held by SEMWAIT 0x1ff, 8, 1: semaphore 3 is 0", RV32_T1, 1}}},
    /* B pushes ATGETM 3 and SEMPOST 1 to one thread, SEMWAIT 0x1ff, 1, 1 and ATGETM 3 to another.
     */
    {{[RV32_B] = {"lui a5, 0xffe50", "lui a4, 0xa0000", "addi a4, a4, 3", "sw a4, 0(a5)",
                  "lui a3, 0xa4000", "addi a3, a3, 4", "sw a3, 0(a5)", "lui a5, 0xffe40",
                  "lui a3, 0xa6ff8", "addi a3, a3, 5", "sw a3, 0(a5)", "sw a4, 0(a5)"}},
     {[0] = {"ATGETM 3 waits for mutex 3, which thread 1 holds", RV32_B, 11}}},
    /* The Matrix Unit waits for data that nobody unpacks: at once, for one of both, for the next.
     */
    {{[RV32_T1] = {".ttinsn MVMUL 0, 0, 0, 0", DRAIN}},
     {[1] = {"MVMUL 0, 0, 0, 0 waits for bank 0 of SrcA" NOBODY_SET, RV32_T1, 0}}},
    {{[RV32_T1] = {".ttinsn SETDVALID 1", ".ttinsn ELWMUL 0, 0, 0, 0, 0", DRAIN}},
     {[1] = {"ELWMUL 0, 0, 0, 0, 0 waits for bank 0 of SrcB" NOBODY_SET, RV32_T1, 1}}},
    {{[RV32_T1] = {".ttinsn SETDVALID 3", ".ttinsn MVMUL 2, 0, 0, 0", ".ttinsn MVMUL 0, 0, 0, 0",
                   DRAIN}},
     {[1] = {"MVMUL 0, 0, 0, 0 waits for bank 1 of SrcB" NOBODY_SET, RV32_T1, 2}}},
    {{[RV32_T0] = {TILES, ".ttinsn " UNPACK_A, ".ttinsn " UNPACK_B, DRAIN},
      [RV32_T1] = {".ttinsn MVMUL 3, 0, 0, 0", ".ttinsn MVMUL 3, 0, 0, 0", DRAIN}},
     {[1] = {"MVMUL 3, 0, 0, 0 waits for bank 1 of SrcA" NOBODY_SET, RV32_T1, 1}}},
    {{[RV32_T2] = {".ttinsn MOVB2D 0, 0, 0, 0, 0", DRAIN}},
     {[2] = {"MOVB2D 0, 0, 0, 0, 0 waits for bank 0 of SrcB" NOBODY_SET, RV32_T2, 0}}},
    /* The unpackers wait for a bank that nobody gives back. */
    {{[RV32_T0] = {TILES, ".ttinsn " UNPACK_B, ".ttinsn " UNPACK_B, ".ttinsn " UNPACK_B, DRAIN}},
     {[HELD + 1] = {UNPACK_B " waits in unpacker 1 for bank 0 of SrcB" NOBODY_CLEARED, 0, 0}}},
    {{[RV32_T0] = {TILES, ".ttinsn " UNPACK_A, ".ttinsn " UNPACK_A, ".ttinsn " UNPACK_A, DRAIN},
      [RV32_T1] = {".ttinsn MOVA2D 0, 0, 0, 0, 0", DRAIN}},
     {[HELD] = {UNPACK_A " waits in unpacker 0 for bank 0 of SrcA" NOBODY_CLEARED, 0, 0}}},
    /* UNPACR_NOP waits for the Matrix Unit's bank, or as UNPACR does. */
    {{[RV32_T0] = {TILES, ".ttinsn " UNPACK_A, ".ttinsn UNPACR_NOP 0, 0, 0, 0, 0, 0, 0, 0, 1",
                   DRAIN}},
     {{"UNPACR_NOP 0, 0, 0, 0, 0, 0, 0, 0, 1 waits for bank 0 of SrcA" NOBODY_CLEARED, RV32_T0,
       TILES_LINES + 1}}},
    {{[RV32_T0] = {TILES, ".ttinsn " UNPACK_A, ".ttinsn " UNPACK_A, ".ttinsn SETDVALID 1",
                   ".ttinsn UNPACR_NOP 0, 0, 0, 0, 0, 1, 0, 0, 1", DRAIN}},
     {{"UNPACR_NOP 0, 0, 0, 0, 0, 1, 0, 0, 1 waits for bank 1 of SrcA" NOBODY_CLEARED, RV32_T0,
       TILES_LINES + 3}}},
    /* Each side waits for the other: two of SrcA are unpacked, a third waits in its unpacker, and MVMUL
     * wants SrcB, too, which is asked for behind a fourth. */
    {{[RV32_T0] = {TILES, FOUR_TIMES(".ttinsn " UNPACK_A), ".ttinsn " UNPACK_B, DRAIN},
      [RV32_T1] = {".ttinsn MVMUL 1, 0, 0, 0", ".ttinsn MVMUL 3, 0, 0, 0", DRAIN}},
     {{UNPACK_A " waits for unpacker 0, in which an UNPACR of thread 0 waits", RV32_T0,
       TILES_LINES + 3},
      {"MVMUL 1, 0, 0, 0 waits for bank 0 of SrcB" NOBODY_SET, RV32_T1, 0},
      [HELD] = {UNPACK_A " waits in unpacker 0 for bank 0 of SrcA" NOBODY_CLEARED, 0, 0}}},
    /* All three: who packs waits for who computes, who waits for who unpacks, who waits for data to
     * be taken. */
    {{[RV32_T0] = {TILES, FOUR_TIMES(".ttinsn " UNPACK_B), ".ttinsn " UNPACK_A, DRAIN},
      [RV32_T1] = {".ttinsn ELWADD 3, 0, 0, 0, 0", ".ttinsn SEMPOST 2", DRAIN},
      [RV32_T2] = {".ttinsn SEMWAIT 0x1ff, 2, 1", ".ttinsn PACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1",
                   DRAIN}},
     {{UNPACK_B " waits for unpacker 1, in which an UNPACR of thread 0 waits", RV32_T0,
       TILES_LINES + 3},
      {"ELWADD 3, 0, 0, 0, 0 waits for bank 0 of SrcA" NOBODY_SET, RV32_T1, 0},
      {"PACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 is held by SEMWAIT 0x1ff, 2, 1: semaphore 1 is 0",
       RV32_T2, 1},
      [HELD + 1] = {UNPACK_B " waits in unpacker 1 for bank 0 of SrcB" NOBODY_CLEARED, 0, 0}}},
};

TEST_EACH(deadlock_is_found, COUNT(deadlocks) * SCHEDULES)
{
    const struct deadlock *deadlock = &deadlocks[_i / SCHEDULES];
    open_tile(_i % SCHEDULES);
    for (unsigned core = 0; core < RV32_CORES; core++) {
        if (deadlock->program[core][0]) {
            start(core, deadlock->program[core]);
        }
    }
    run();
    ck_assert_rest();
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct stuck *stuck = &deadlock->stuck[thread];
        const struct tensix_origin *origin = &tensix->thread[thread].origin;
        char text[200];
        ck_assert(tensix_wait_text(tensix, thread, text, sizeof text) == (stuck->text != NULL));
        if (stuck->text) {
            ck_assert_msg(strncmp(text, stuck->text, strlen(stuck->text)) == 0, "%s", text);
            ck_assert_uint_eq(origin->pusher, stuck->pusher);
            ck_assert_uint_eq(origin->pc, base_of(stuck->pusher) + 4 * stuck->line);
        }
    }
    for (unsigned which = 0; which < TENSIX_UNPACKERS; which++) {
        const char *held = deadlock->stuck[HELD + which].text;
        char text[300];
        ck_assert(tensix_held_text(tensix, which, text, sizeof text) == (held != NULL));
        ck_assert_msg(!held || strncmp(text, held, strlen(held)) == 0, "%s", text);
    }
    ck_assert_uint_eq(harness.faults, 0);
    close_tile();
}

/* What looks like a deadlock ends when somebody outside helps: here the debugger, as T2's hart. */
TEST_EACH(help_from_outside, SCHEDULES)
{
    const char *const waits[] = {".ttinsn SEMWAIT 0x1ff, 8, 1", ".ttinsn SEMGET 8", DRAIN, NULL};
    open_tile(_i);
    start(RV32_T0, waits);
    run();
    ck_assert_rest();
    ck_assert(!has_ended(RV32_T0));
    put(AGENT_T2, SEMAPHORE(3), 0);
    run();
    ck_assert_rest();
    ck_assert(has_ended(RV32_T0));
    ck_assert_uint_eq(tensix->semaphore[3].value, 0);
    close_tile();
}

/* --- No change is overlooked, at whatever cycle of a round it happens --- */

struct release {
    const char *wait[4], *release[4]; /* of T0 and its thread; of T1, after a delay */
};

static const struct release releases[] = {
    {{".ttinsn ATGETM 2"}, {".ttinsn ATRELM 2"}},
    {{".ttinsn SEMWAIT 0x40, 1, 1", ".ttinsn INCRWC 0, 0, 0, 1"}, {".ttinsn SEMPOST 1"}},
    {{".ttinsn SEMWAIT 0x40, 1, 1", ".ttinsn INCRWC 0, 0, 0, 1"},
     {"lui a5, 0xffe80", "sw zero, 0x20(a5)"}},
    {{".ttinsn MVMUL 0, 0, 0, 0"}, {".ttinsn SETDVALID 3"}},
    {{".ttinsn SETDVALID 1", ".ttinsn UNPACR_NOP 0, 0, 0, 0, 0, 0, 0, 0, 1"},
     {".ttinsn CLEARDVALID 1, 0"}},
};

/* The delay takes the release over the end of a round of 128 cycles, and of rounds of any length.
 */
enum { DELAYS = 140 };

static void check_release(const struct release *release, unsigned delay, int schedule)
{
    const char *lines[DELAYS + 8] = {0};
    unsigned count = 0;
    open_tile(schedule);
    tensix->mutex[2] = 1;
    for (unsigned i = 0; release->wait[i]; i++) {
        lines[count++] = release->wait[i];
    }
    const char *const drain[] = {DRAIN};
    memcpy(&lines[count], drain, sizeof drain);
    start(RV32_T0, lines);
    memset(lines, 0, sizeof lines);
    for (count = 0; count < delay; count++) {
        lines[count] = "addi a0, a0, 1";
    }
    for (unsigned i = 0; release->release[i]; i++) {
        lines[count + i] = release->release[i];
    }
    start(RV32_T1, lines);
    run();
    ck_assert_rest();
    ck_assert_msg(has_ended(RV32_T0), "delay %u, schedule %d", delay, schedule);
    ck_assert(has_ended(RV32_T1));
    close_tile();
}

TEST_EACH(release_at_any_cycle, COUNT(releases) * SCHEDULES)
{
    for (unsigned delay = 0; delay < DELAYS; delay++) {
        check_release(&releases[_i / SCHEDULES], delay, _i % SCHEDULES);
    }
}

/* --- Wrong instructions --- */

struct wrong {
    const char *program[12];
    unsigned line; /* of the culprit's push */
    enum penrose_fault_kind kind;
    const char *instruction; /* that is reported */
    const char *text;        /* in the report */
};

/* After each of them comes SEMPOST 0x80, which shows that the thread has gone on. */
static const struct wrong wrongs[] = {
    {{"addi a0, zero, 1", ".ttinsn .word 0x06000000"}, /* no such opcode */
     1,
     PENROSE_FAULT_TENSIX_ILLEGAL,
     ".word 0x06000000",
     "0x06000000 is no instruction"},
    {{".ttinsn NOP", ".ttinsn .word 0x02000100"}, /* reserved bits */
     1,
     PENROSE_FAULT_TENSIX_ILLEGAL,
     ".word 0x02000100",
     "NOP with reserved bits 0x100"},
    {{".ttinsn NOP", ".ttinsn NOP", ".ttinsn RAREB"},
     2,
     PENROSE_FAULT_UNIMPLEMENTED,
     "RAREB",
     "RAREB: no public source says what it does"},
    {{".ttinsn ATGETM 1"}, 0, PENROSE_FAULT_HANG, "ATGETM 1", "there is no mutex 1"},
    {{".ttinsn ATRELM 0xffff"}, 0, PENROSE_FAULT_HANG, "ATRELM 0xffff", "there is no mutex 65535"},
    {{".ttinsn NOP", ".ttinsn ATRELM 3"},
     1,
     PENROSE_FAULT_TENSIX_MUTEX,
     "ATRELM 3",
     "thread 1 does not hold mutex 3 (nobody does)"},
    {{".ttinsn SEMINIT 15, 15, 0x12", ".ttinsn SEMPOST 0x12"},
     1,
     PENROSE_FAULT_TENSIX_SEMAPHORE,
     "SEMPOST 0x12",
     "semaphores 1 and 4 are 15 already"},
    {{".ttinsn SEMGET 0x10"},
     0,
     PENROSE_FAULT_TENSIX_SEMAPHORE,
     "SEMGET 0x10",
     "semaphore 4 is 0 already"},
    {{".ttinsn NOP", ".ttinsn REPLAY 0, 33, 0, 0"},
     1,
     PENROSE_FAULT_TENSIX_EXPANSION,
     "REPLAY 0, 33, 0, 0",
     "32"},
    {{".ttinsn REPLAY 4, 2, 0, 1", ".ttinsn NOP", ".ttinsn REPLAY 0, 2, 0, 0", "addi a0, zero, 1",
      ".ttinsn REPLAY 4, 2, 0, 0"},
     4,
     PENROSE_FAULT_TENSIX_EXPANSION,
     "REPLAY 0, 2, 0, 0",
     "replay buffer"},
    /* Template 0 without flags, which is A0, and that is a MOP. */
    {{"lui a5, 0xffb80", "lui a4, 0x1000", "sw zero, 4(a5)", "sw a4, 12(a5)",
      ".ttinsn MOP 0, 0, 0"},
     4,
     PENROSE_FAULT_TENSIX_EXPANSION,
     "MOP 0, 0, 0",
     "MOP"},
};

static void start_wrong(const struct wrong *wrong)
{
    const char *lines[20] = {0};
    const char *const end[] = {".ttinsn SEMPOST 0x80", DRAIN};
    unsigned count = 0;
    for (; wrong->program[count]; count++) {
        lines[count] = wrong->program[count];
    }
    memcpy(&lines[count], end, sizeof end);
    start(RV32_T1, lines);
}

static void check_fault(const struct wrong *wrong)
{
    const struct tile_fault *fault = &harness.fault;
    uint32_t word = 0;
    ck_assert_int_eq(tensix_assemble(wrong->instruction, &word, NULL), PENROSE_OK);
    ck_assert_int_eq((int)fault->kind, (int)wrong->kind);
    ck_assert(fault->is_tensix);
    ck_assert_uint_eq(fault->thread, 1);
    ck_assert_int_eq((int)fault->agent, AGENT_T1);
    ck_assert_uint_eq(fault->word, word);
    ck_assert_uint_eq(fault->pc, base_of(RV32_T1) + 4 * wrong->line);
    ck_assert_msg(strstr(fault->text, wrong->text) != NULL, "%s", fault->text);
}

TEST_EACH(wrong_instruction_warns, COUNT(wrongs) * SCHEDULES)
{
    const struct wrong *wrong = &wrongs[_i / SCHEDULES];
    open_tile(_i % SCHEDULES);
    harness.policy = PENROSE_WARN;
    start_wrong(wrong);
    run();
    ck_assert_uint_eq(harness.faults, 1);
    check_fault(wrong);
    ck_assert_rest();
    ck_assert(has_ended(RV32_T1));
    ck_assert_uint_eq(tensix->semaphore[7].value, 1);
    close_tile();
}

/* The tile stands; when the fault is forgiven it goes on. */
TEST_EACH(wrong_instruction_stops, COUNT(wrongs) * SCHEDULES)
{
    const struct wrong *wrong = &wrongs[_i / SCHEDULES];
    open_tile(_i % SCHEDULES);
    start_wrong(wrong);
    run();
    ck_assert_uint_eq(harness.faults, 1);
    check_fault(wrong);
    ck_assert(tile->halt == TILE_FAULTED);
    ck_assert_uint_eq(tensix->semaphore[7].value, 0);
    run();
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_uint_eq(tensix->semaphore[7].value, 0);
    harness.policy = PENROSE_WARN;
    tile->halt = TILE_GOES; /* as penrose_fault_clear does */
    tensix->stopped = false;
    run();
    check_fault(wrong);
    ck_assert_rest();
    ck_assert(has_ended(RV32_T1));
    ck_assert_uint_eq(tensix->semaphore[7].value, 1);
    close_tile();
}

/* NC has no way to the coprocessor. */
TEST_EACH(nc_cannot_push, 2 * SCHEDULES)
{
    const char *const by_instruction[] = {"addi a0, zero, 1", ".ttinsn SEMPOST 1", NULL};
    const char *const by_store[] = {"lui a5, 0xffe40", "sw zero, 0(a5)", NULL};
    open_tile(_i % SCHEDULES);
    start(RV32_NC, _i / SCHEDULES ? by_store : by_instruction);
    run();
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq((int)harness.fault.kind, PENROSE_FAULT_UNMAPPED);
    ck_assert(!harness.fault.is_tensix);
    ck_assert_int_eq((int)harness.fault.agent, AGENT_NC);
    ck_assert_uint_eq(harness.fault.pc, base_of(RV32_NC) + 4);
    ck_assert_uint_eq(harness.fault.address, 0xffe40000);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        ck_assert_uint_eq(tensix->thread[thread].pushed, 0);
    }
    close_tile();
}
