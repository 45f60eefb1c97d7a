/* penrose/debug.h: what stops a run, where exactly, who it was, and that programs do not notice. */
#include <string.h>

#include <penrose/debug.h>

#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/test.h"

enum { X = 1, Y = 2, OTHER_X = 2, CODE = 0x1000, OTHER_CODE = 0x2000, WORD = 0x4000, TURNS = 5 };

static const struct penrose_run a_while = {.size = sizeof a_while, .cycles = 20000};
static struct penrose_error error;
static struct penrose_chip *chip;

static void setup(void)
{
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK);
}

static void teardown(void)
{
    penrose_chip_destroy(chip);
}

FIXTURE(setup, teardown);

/* Counts t0 to TURNS, and stores it to WORD in each turn. */
static const char counting[] = "lui t1, 4; addi t0, zero, 0; addi t2, zero, 5;"
                               "addi t0, t0, 1; sw t0, 0(t1); bne t0, t2, 0x100c; ebreak";
enum { INCREMENT = CODE + 12, STORE = CODE + 16, BRANCH = CODE + 20, EBREAK = CODE + 24 };

static void start_counting(struct penrose_chip *at)
{
    start_program(at, X, Y, PENROSE_BRISC, CODE, counting);
}

static unsigned set_point(const struct penrose_point *point)
{
    unsigned id = 0;
    ck_assert_msg(penrose_point_set(chip, point, &id, &error) == PENROSE_OK, "%s", error.text);
    ck_assert_uint_ne(id, 0);
    return id;
}

static struct penrose_point breakpoint(uint32_t address)
{
    return (struct penrose_point){.size = sizeof(struct penrose_point),
                                  .kind = PENROSE_BREAKPOINT,
                                  .x = X,
                                  .y = Y,
                                  .hart = PENROSE_BRISC,
                                  .address = address};
}

static struct penrose_point watchpoint(uint32_t address, bool reads, bool writes)
{
    return (struct penrose_point){.size = sizeof(struct penrose_point),
                                  .kind = PENROSE_WATCHPOINT,
                                  .x = X,
                                  .y = Y,
                                  .hart = PENROSE_NO_HART,
                                  .address = address,
                                  .bytes = 4,
                                  .reads = reads,
                                  .writes = writes};
}

static uint32_t reg(const char *name)
{
    struct penrose_register number;
    uint32_t value[4];
    ck_assert(penrose_register_find(NULL, name, &number));
    ck_assert_int_eq(penrose_register_read(chip, X, Y, PENROSE_BRISC, number, value, &error),
                     PENROSE_OK);
    return value[0];
}

static uint32_t word_at(uint32_t address)
{
    uint32_t word;
    ck_assert_int_eq(penrose_peek(chip, X, Y, address, &word, sizeof word, &error), PENROSE_OK);
    return word;
}

/* Runs until something stops the chip; the only stop. */
static struct penrose_stop run_to_stop(void)
{
    struct penrose_stop stop;
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_PAUSED);
    ck_assert(penrose_stop_get(chip, 0, &stop));
    ck_assert(!penrose_stop_get(chip, 1, &(struct penrose_stop){0}));
    return stop;
}

TEST(a_breakpoint_stops_before_its_instruction)
{
    start_counting(chip);
    const struct penrose_point point = breakpoint(STORE);
    unsigned id = set_point(&point);
    for (uint32_t turn = 1; turn <= TURNS; turn++) {
        struct penrose_stop stop = run_to_stop();
        ck_assert_int_eq(stop.reason, PENROSE_STOP_BREAKPOINT);
        ck_assert_uint_eq(stop.id, id);
        ck_assert_uint_eq(stop.agent, PENROSE_BRISC);
        ck_assert_uint_eq(stop.pc, STORE);
        ck_assert_uint_eq(reg("pc"), STORE);
        ck_assert_uint_eq(reg("t0"), turn);
        ck_assert_uint_eq(word_at(WORD), turn - 1);
    }
    struct penrose_point now = {.size = offsetof(struct penrose_point, condition) - 1};
    ck_assert(!penrose_point_get(chip, 0, &now));
    now.size = sizeof now;
    ck_assert(penrose_point_get(chip, 0, &now));
    ck_assert_uint_eq(now.hits, TURNS);
    ck_assert(!penrose_point_get(chip, 1, &now));
    ck_assert_int_eq(penrose_point_clear(chip, id, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_point_clear(chip, id, &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_QUIET);
    ck_assert_uint_eq(word_at(WORD), TURNS);
    ck_assert(!penrose_stop_get(chip, 0, &(struct penrose_stop){0}));
}

static bool is_last_turn(struct penrose_chip *at, const struct penrose_stop *stop, void *context)
{
    unsigned *calls = context;
    (*calls)++;
    ck_assert_ptr_eq(at, chip);
    ck_assert_uint_eq(stop->pc, STORE);
    return reg("t0") == TURNS;
}

TEST(a_condition_says_when_a_point_stops)
{
    unsigned calls = 0;
    start_counting(chip);
    struct penrose_point point = breakpoint(STORE);
    point.condition = is_last_turn;
    point.context = &calls;
    point.once = true;
    set_point(&point);
    run_to_stop();
    ck_assert_uint_eq(calls, TURNS);
    ck_assert_uint_eq(reg("t0"), TURNS);
    ck_assert(!penrose_point_get(chip, 0, &point));
}

TEST(a_run_without_cycles_brings_what_stands_to_the_others)
{
    const struct penrose_run none = {.size = sizeof none};
    struct penrose_chip *other;
    ck_assert_int_eq(penrose_chip_create(NULL, &other, &error), PENROSE_OK);
    start_counting(other);
    ck_assert_int_eq(penrose_run(other, &a_while), PENROSE_QUIET);
    start_counting(chip);
    struct penrose_point point = breakpoint(STORE);
    point.once = true;
    set_point(&point);
    run_to_stop();
    ck_assert_int_ne(penrose_run(chip, &none), PENROSE_PAUSED);
    ck_assert(!penrose_stop_get(chip, 0, &(struct penrose_stop){0}));
    ck_assert_uint_ge(word_at(WORD), 1);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_QUIET);
    ck_assert_uint_eq(penrose_last_activity(chip), penrose_last_activity(other));
    penrose_chip_destroy(other);
}

/* --- Windows of one tile alone --- */

struct window_ends {
    uint64_t end[64];
    size_t count;
};

static bool note_window_end(struct penrose_chip *at, void *context)
{
    struct window_ends *ends = context;
    ck_assert_uint_lt(ends->count, 64);
    ends->end[ends->count++] = penrose_now(at);
    return false;
}

/* Count to 4096, perhaps send a packet, which ends the window, and count for ever from `behind` on. */
static const struct long_count {
    const char *program;
    uint32_t behind;
} long_counts[] = {
    {"addi t0, zero, 0; lui t2, 1; addi t0, t0, 1; bne t0, t2, 0x1008;"
     "addi t0, t0, 1; jal zero, 0x1010",
     CODE + 16},
    {"addi t0, zero, 0; lui t2, 1; addi t0, t0, 1; bne t0, t2, 0x1008;"
     "lui t3, 0xffb20; addi t4, zero, 1; sw t4, 64(t3); addi t0, t0, 1; jal zero, 0x101c",
     CODE + 28},
};

static void start_long_count(const struct long_count *count)
{
    command_fill(chip, X, Y, 0, COMMAND_WRITE | COMMAND_RESPONSE, (struct command_end){X, Y, CODE},
                 (struct command_end){OTHER_X, Y, WORD}, 4);
    start_program(chip, X, Y, PENROSE_BRISC, CODE, count->program);
}

/* In which bursts agents take turns depends on where windows end. */
TEST_EACH(a_window_that_is_cut_short_goes_on_as_planned, COUNT(long_counts))
{
    const struct long_count *count = &long_counts[_i];
    struct window_ends plain = {.count = 0}, paused = {.count = 0};
    struct penrose_run run = {
        .size = sizeof run, .cycles = 20480, .until = note_window_end, .context = &plain};
    start_long_count(count);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
    teardown();
    setup();
    struct penrose_point point = breakpoint(count->behind);
    point.once = true;
    set_point(&point);
    start_long_count(count);
    run.context = &paused;
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_PAUSED);
    ck_assert_uint_gt(paused.count, 0);
    ck_assert_uint_ne(penrose_now(chip), plain.end[paused.count]);
    run.cycles = 20480 - penrose_now(chip);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
    ck_assert_uint_eq(paused.count, plain.count);
    ck_assert_mem_eq(paused.end, plain.end, sizeof plain.end);
}

static bool note_and_ask(struct penrose_chip *at, void *context)
{
    penrose_stop_request(at);
    return note_window_end(at, context);
}

TEST(stops_that_are_asked_for_move_no_window)
{
    struct window_ends plain = {.count = 0}, paused = {.count = 0};
    struct penrose_run run = {
        .size = sizeof run, .cycles = 20480, .until = note_window_end, .context = &plain};
    start_long_count(&long_counts[1]);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
    teardown();
    setup();
    start_long_count(&long_counts[1]);
    run.until = note_and_ask;
    run.context = &paused;
    while (penrose_run(chip, &run) == PENROSE_PAUSED) {
        run.cycles = 20480 - penrose_now(chip);
    }
    ck_assert_uint_eq(paused.count, plain.count);
    ck_assert_mem_eq(paused.end, plain.end, sizeof plain.end);
}

TEST(a_point_may_stop_once)
{
    start_counting(chip);
    struct penrose_point point = breakpoint(BRANCH);
    point.once = true;
    set_point(&point);
    ck_assert_uint_eq(run_to_stop().pc, BRANCH);
    ck_assert(!penrose_point_get(chip, 0, &point));
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_QUIET);
}

TEST(steps_count_instructions)
{
    start_counting(chip);
    struct penrose_point point = breakpoint(INCREMENT);
    point.once = true;
    set_point(&point);
    run_to_stop();
    static const uint32_t pcs[] = {STORE, BRANCH, INCREMENT, STORE};
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_int_eq(penrose_hart_step(chip, X, Y, PENROSE_BRISC, 1, &error), PENROSE_OK);
        ck_assert_int_eq(run_to_stop().reason, PENROSE_STOP_STEP);
        ck_assert_uint_eq(reg("pc"), pcs[i]);
    }
    ck_assert_int_eq(penrose_hart_step(chip, X, Y, PENROSE_BRISC, 3, &error), PENROSE_OK);
    run_to_stop();
    ck_assert_uint_eq(reg("pc"), STORE);
    ck_assert_uint_eq(reg("t0"), 3);
}

TEST(an_ebreak_stops_tiles_that_are_debugged)
{
    start_counting(chip);
    const struct penrose_point point = watchpoint(0x100, true, false);
    set_point(&point);
    struct penrose_stop stop = run_to_stop();
    ck_assert_int_eq(stop.reason, PENROSE_STOP_EBREAK);
    ck_assert_uint_eq(stop.pc, EBREAK);
    struct penrose_hart_info info;
    penrose_hart_info(chip, X, Y, PENROSE_BRISC, &info, &error);
    ck_assert_int_eq(info.state, PENROSE_HART_PAUSED);
}

TEST(a_watchpoint_names_a_hart)
{
    start_counting(chip);
    struct penrose_point point = watchpoint(WORD + 3, false, true);
    point.bytes = 1; /* of a word that is written whole */
    set_point(&point);
    for (uint32_t turn = 1; turn <= TURNS; turn++) {
        struct penrose_stop stop = run_to_stop();
        char text[200];
        ck_assert_int_eq(stop.reason, PENROSE_STOP_WATCHPOINT);
        ck_assert_uint_eq(stop.agent, PENROSE_BRISC);
        ck_assert(stop.write);
        ck_assert_uint_eq(stop.address, WORD);
        ck_assert_uint_eq(stop.size, 4);
        ck_assert_uint_eq(word_at(WORD), turn); /* behind the access */
        penrose_stop_format(&stop, text, sizeof text);
        ck_assert_ptr_nonnull(strstr(text, "watchpoint 1: brisc of (1, 2) wrote 4 bytes at "
                                           "0x00004000, at pc 0x1010, in cycle "));
    }
}

TEST(a_watchpoint_sees_local_ram_of_its_hart)
{
    start_program(chip, X, Y, PENROSE_BRISC, CODE,
                  "lui t1, 0xffb00; sw zero, 8(t1); lw t0, 12(t1); ebreak");
    struct penrose_point point = watchpoint(0xffb0000c, true, true);
    ck_assert_int_eq(penrose_point_set(chip, &point, NULL, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "local RAM of its own"));
    point.hart = PENROSE_BRISC;
    set_point(&point);
    struct penrose_stop stop = run_to_stop();
    ck_assert_uint_eq(stop.pc, CODE + 8);
    ck_assert(!stop.write);
}

TEST(a_watchpoint_names_the_tile_of_a_packet)
{
    const uint32_t word = 0x1234;
    const struct penrose_point point = watchpoint(WORD, false, true);
    ck_assert_int_eq(penrose_poke(chip, OTHER_X, Y, WORD, &word, sizeof word, &error), PENROSE_OK);
    set_point(&point);
    command_fill(chip, OTHER_X, Y, 0, COMMAND_WRITE | COMMAND_RESPONSE,
                 (struct command_end){OTHER_X, Y, WORD}, (struct command_end){X, Y, WORD}, 4);
    command_put(chip, (struct command_end){OTHER_X, Y, COMMAND_NIU + NIU_CMD_CTRL}, 1);
    struct penrose_stop stop = run_to_stop();
    ck_assert_uint_eq(stop.agent, PENROSE_AGENT_NOC);
    ck_assert_uint_eq(stop.from_x, OTHER_X);
    ck_assert_uint_eq(stop.from_y, Y);
    ck_assert(stop.write);
    ck_assert_uint_eq(word_at(WORD), word);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_QUIET);
}

TEST(a_watchpoint_names_the_host)
{
    const struct penrose_point point = watchpoint(WORD, true, true);
    uint32_t word;
    set_point(&point);
    ck_assert_int_eq(penrose_peek(chip, X, Y, WORD, &word, sizeof word, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_QUIET);
    ck_assert_int_eq(penrose_read(chip, X, Y, WORD, &word, sizeof word, &error), PENROSE_OK);
    uint64_t before = penrose_now(chip);
    ck_assert_uint_eq(run_to_stop().agent, PENROSE_AGENT_HOST);
    ck_assert_uint_eq(penrose_now(chip), before);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_QUIET);
}

/* --- GDDR --- */

/* Sends its count to GDDR and fetches it, three times, with pauses. */
static const char sender[] =
    "lui s0, 0xffb20; addi s1, s0, 0x7ff; addi s1, s1, 1; addi a4, zero, 1; lui t1, 4;"
    "addi t0, zero, 0; addi t2, zero, 3; addi t0, t0, 1; sw t0, 0(t1); sw a4, 0x40(s0);"
    "addi a3, zero, 1500; addi a3, a3, -1; bne a3, zero, 0x102c; sw a4, 0x40(s1);"
    "addi a3, zero, 1500; addi a3, a3, -1; bne a3, zero, 0x103c; bne t0, t2, 0x101c; ebreak";
enum {
    SENDS = CODE + 0x24,
    FETCHES = CODE + 0x34,
    SENT = 3,
    DRAM_X = 17,
    DRAM_Y = 12,
    GDDR = 0x8000
};

static const struct command_end in_gddr = {DRAM_X, DRAM_Y + 1, GDDR};

static void start_sender(struct penrose_chip *at)
{
    const struct command_end word = {X, Y, WORD}, copy = {X, Y, WORD + 0x1000};
    command_fill(at, X, Y, 0, COMMAND_WRITE | COMMAND_RESPONSE, word, in_gddr, 64);
    command_fill(at, X, Y, 1, COMMAND_READ, in_gddr, copy, 64);
    start_program(at, X, Y, PENROSE_BRISC, CODE, sender);
}

/* Of another tile of the bank than the one to which it goes. */
static struct penrose_point gddr_point(bool reads)
{
    struct penrose_point point = watchpoint(GDDR + 4, reads, true);
    point.x = DRAM_X;
    point.y = DRAM_Y;
    point.gddr = true;
    return point;
}

static uint32_t gddr_word(void)
{
    uint32_t word;
    ck_assert_int_eq(penrose_peek(chip, DRAM_X, DRAM_Y + 2, GDDR, &word, sizeof word, &error),
                     PENROSE_OK);
    return word;
}

static void check_gddr_stop(uint32_t turn, bool is_write)
{
    char text[200];
    struct penrose_stop stop = run_to_stop();
    ck_assert_int_eq(stop.reason, PENROSE_STOP_WATCHPOINT);
    ck_assert_uint_eq(stop.agent, PENROSE_AGENT_NOC);
    ck_assert_uint_eq(stop.y, DRAM_Y + 1);
    ck_assert_uint_eq(stop.from_x, X);
    ck_assert_uint_eq(stop.from_y, Y);
    ck_assert_uint_eq(stop.write, is_write);
    ck_assert_uint_eq(stop.pc, is_write ? SENDS : FETCHES);
    ck_assert_uint_eq(stop.address, GDDR);
    ck_assert_uint_eq(stop.size, 64);
    ck_assert_uint_eq(gddr_word(), turn);
    penrose_stop_format(&stop, text, sizeof text);
    ck_assert_msg(strstr(text, "noc of (17, 13) ") &&
                      strstr(text, "at 0x00008000, a packet of (1, 2), sent at pc 0x10"),
                  "%s", text);
}

static void recreate(unsigned schedule)
{
    struct penrose_options options = {.size = sizeof options};
    options.timed = schedule == 1;
    options.schedule = schedule == 2 ? PENROSE_RANDOM : PENROSE_FAST;
    penrose_chip_destroy(chip);
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_OK);
    start_sender(chip);
    command_put(chip, (struct command_end){DRAM_X, DRAM_Y, UINT64_C(0x2000000100)}, 0);
    command_put(chip, (struct command_end){DRAM_X, DRAM_Y + 1, UINT64_C(0x2000000100)}, 0);
}

static void pass_time(uint64_t cycles)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = cycles, .pass_quiet_time = true};
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
}

TEST_EACH(a_watchpoint_on_gddr_names_tile_and_line, 3)
{
    recreate((unsigned)_i);
    pass_time(a_while.cycles);
    uint64_t unwatched = penrose_state_hash(chip);
    recreate((unsigned)_i);
    const struct penrose_point point = gddr_point(true);
    set_point(&point);
    for (uint32_t turn = 1; turn <= SENT; turn++) {
        check_gddr_stop(turn, true);
        check_gddr_stop(turn, false);
    }
    ck_assert_uint_lt(penrose_now(chip), a_while.cycles);
    pass_time(a_while.cycles - penrose_now(chip));
    ck_assert_uint_eq(penrose_state_hash(chip), unwatched);
}

TEST(a_watchpoint_on_gddr_names_the_host_and_the_dma_engine)
{
    const struct penrose_point point = gddr_point(false);
    const uint32_t words[2] = {7, 8};
    uint32_t word;
    set_point(&point);
    ck_assert_int_eq(penrose_poke(chip, DRAM_X, DRAM_Y + 1, GDDR, words, sizeof words, &error),
                     PENROSE_OK);
    ck_assert_int_eq(penrose_read(chip, DRAM_X, DRAM_Y + 1, GDDR + 4, &word, 4, &error),
                     PENROSE_OK);
    ck_assert_int_eq(penrose_write(chip, DRAM_X, DRAM_Y + 1, GDDR, &word, 4, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_QUIET);
    ck_assert_int_eq(penrose_write(chip, DRAM_X, DRAM_Y + 1, GDDR, words, 8, &error), PENROSE_OK);
    ck_assert_uint_eq(run_to_stop().agent, PENROSE_AGENT_HOST);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_QUIET);
    start_program(chip, DRAM_X, DRAM_Y + 2, PENROSE_BRISC, CODE,
                  "lui s0, 0xfc000; lui t0, 1; sw t0, 0x10(s0); lui t0, 8; sw t0, 0x14(s0);"
                  "sw zero, 0x18(s0); lui t0, 0x10000; addi t0, t0, 4; sw t0, 0x50(s0); ebreak");
    struct penrose_stop stop = run_to_stop();
    ck_assert_uint_eq(stop.agent, PENROSE_BRISC);
    ck_assert_uint_eq(stop.pc, CODE + 0x20);
    ck_assert_uint_eq(stop.size, 64);
}

TEST(gddr_is_behind_dram_tiles)
{
    struct penrose_point point = gddr_point(false);
    point.x = X;
    point.y = Y;
    ck_assert_int_eq(penrose_point_set(chip, &point, NULL, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "GDDR is behind DRAM tiles"));
    point = gddr_point(false);
    point.address = UINT32_C(0xff000000);
    ck_assert_int_eq(penrose_point_set(chip, &point, NULL, &error), PENROSE_E_ARGUMENT);
}

TEST(a_watchpoint_leaves_a_fault_alone)
{
    const struct penrose_point point = watchpoint(WORD, true, true);
    uint32_t word;
    set_point(&point);
    start_program(chip, X, Y, PENROSE_BRISC, CODE, "lw t0, 1(zero)");
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_FAULT);
    ck_assert_int_eq(penrose_read(chip, X, Y, WORD, &word, sizeof word, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_FAULT);
    penrose_fault_clear(chip);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_FAULT); /* tried again */
}

/* STOREIND of GPR 0 to the address in GPR 1. */
TEST(a_watchpoint_names_a_unit)
{
    const struct penrose_point point = watchpoint(WORD, true, true);
    set_point(&point);
    start_program(chip, X, Y, PENROSE_TRISC0, CODE,
                  "lui t1, 0xffe00; addi t2, zero, 0x400; sw t2, 4(t1);"
                  ".ttinsn STOREIND 1, 0, 1, 0, 0, 0, 1; ebreak");
    struct penrose_stop stop = run_to_stop();
    ck_assert_uint_eq(stop.agent, PENROSE_AGENT_SCALAR_UNIT);
    ck_assert_int_eq(stop.thread, 0);
    ck_assert_uint_eq(stop.pc, CODE + 12);
}

/* Brisc hands numbers to trisc0 through L1 or a mailbox, which adds them up. Then it sends the word
 * at WORD to the other tile, whose brisc waits for it and notes the time. */
static const struct pair {
    const char *adds, *counts;
    uint32_t watched, size;
    enum penrose_schedule schedule;
} pairs[] = {
#define THROUGH_L1                                                                                 \
    "lui t1, 4; addi t2, zero, 0; addi t3, zero, 20; lw t0, 0(t1); beq t0, zero, 0x200c;"          \
    "add a0, a0, t0; sw zero, 0(t1); addi t2, t2, 1; bne t2, t3, 0x200c; sw a0, 16(t1); ebreak",   \
        "lui t1, 4; addi t2, zero, 20; lw t0, 0(t1); bne t0, zero, 0x1008; sw t2, 0(t1);"          \
        "addi t2, t2, -1; bne t2, zero, 0x1008; lui t3, 0xffb20; addi t4, zero, 1;"                \
        "sw t4, 64(t3); ebreak",                                                                   \
        WORD, 4
    {THROUGH_L1, PENROSE_FAST},
    {THROUGH_L1, PENROSE_LOCKSTEP},
    {"lui t1, 0xffec0; addi t2, zero, 0; addi t3, zero, 20; lw t0, 0(t1); add a0, a0, t0;"
     "addi t2, t2, 1; lui t5, 4; sw t2, 8(t5); bne t2, t3, 0x200c; sw a0, 16(t5); ebreak",
     /* it sees how far trisc0 has come */
     "lui t1, 0xffec1; addi t2, zero, 20; lui t5, 4; sw t2, 0(t1); addi t2, t2, -1;"
     "lw a1, 8(t5); add a2, a2, a1; bne t2, zero, 0x100c; lui t3, 0xffb20; addi t4, zero, 1;"
     "sw t4, 64(t3); ebreak",
     0xffec0000, 0x1004, PENROSE_FAST},
};

static struct penrose_chip *chip_with_pair(const struct pair *pair)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *made;
    options.schedule = pair->schedule;
    ck_assert_int_eq(penrose_chip_create(&options, &made, &error), PENROSE_OK);
    command_fill(made, X, Y, 0, COMMAND_WRITE | COMMAND_RESPONSE, (struct command_end){X, Y, CODE},
                 (struct command_end){OTHER_X, Y, WORD}, 4);
    start_program(made, X, Y, PENROSE_TRISC0, OTHER_CODE, pair->adds);
    start_program(made, X, Y, PENROSE_BRISC, CODE, pair->counts);
    start_program(made, OTHER_X, Y, PENROSE_BRISC, CODE,
                  "lui t1, 4; lw t0, 0(t1); beq t0, zero, 0x1004; lui t2, 0xffb12;"
                  "lw a0, 0x1f0(t2); ebreak");
    return made;
}

static void check_same_hart(struct penrose_chip *plain, unsigned x, enum penrose_hart hart)
{
    struct penrose_hart_info a, b;
    penrose_hart_info(plain, x, Y, hart, &a, &error);
    penrose_hart_info(chip, x, Y, hart, &b, &error);
    ck_assert_int_eq(a.state, PENROSE_HART_PAUSED); /* by its ebreak */
    ck_assert_int_eq(b.state, PENROSE_HART_PAUSED);
    ck_assert_uint_eq(a.retired, b.retired);
    ck_assert_mem_eq(a.x, b.x, sizeof a.x);
}

TEST_EACH(pauses_change_nothing, COUNT(pairs))
{
    const struct pair *pair = &pairs[_i];
    struct penrose_chip *plain = chip_with_pair(pair);
    penrose_chip_destroy(chip);
    chip = chip_with_pair(pair);
    ck_assert_int_eq(penrose_run(plain, &a_while), PENROSE_QUIET);
    struct penrose_point points[] = {watchpoint(pair->watched, true, true), breakpoint(CODE + 20)};
    points[0].bytes = pair->size;
    set_point(&points[0]);
    set_point(&points[1]);
    unsigned stops = 0;
    for (enum penrose_outcome outcome = PENROSE_PAUSED; outcome == PENROSE_PAUSED; stops++) {
        outcome = penrose_run(chip, &a_while);
    }
    ck_assert_uint_ge(stops, 2 * 20);
    check_same_hart(plain, X, PENROSE_BRISC);
    check_same_hart(plain, X, PENROSE_TRISC0);
    check_same_hart(plain, OTHER_X, PENROSE_BRISC);
    ck_assert_uint_eq(penrose_last_activity(plain), penrose_last_activity(chip));
    ck_assert_uint_eq(word_at(WORD + 16), 20 * 21 / 2);
    penrose_chip_destroy(plain);
}

TEST(a_hart_can_be_held)
{
    penrose_chip_destroy(chip);
    chip = chip_with_pair(&pairs[0]);
    ck_assert_int_eq(penrose_hart_resume(chip, X, Y, PENROSE_BRISC, &error), PENROSE_E_STATE);
    ck_assert_int_eq(penrose_hart_pause(chip, X, Y, PENROSE_TRISC1, &error), PENROSE_E_STATE);
    ck_assert_int_eq(penrose_hart_pause(chip, X, Y, PENROSE_TRISC0, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_QUIET);
    ck_assert_uint_eq(word_at(WORD), 20); /* the first number, which nobody takes */
    ck_assert_int_eq(penrose_hart_resume(chip, X, Y, PENROSE_TRISC0, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_QUIET);
    ck_assert_uint_eq(word_at(WORD + 16), 20 * 21 / 2);
}

TEST(the_host_can_ask_for_a_stop)
{
    start_program(chip, X, Y, PENROSE_BRISC, CODE, "addi t0, t0, 1; jal zero, 0x1000");
    penrose_stop_request(chip);
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_PAUSED);
    ck_assert(!penrose_stop_get(chip, 0, &(struct penrose_stop){0}));
    ck_assert_int_eq(penrose_run(chip, &a_while), PENROSE_CYCLES);
}

TEST(wrong_points_are_refused)
{
    struct penrose_point point = breakpoint(CODE + 2);
    ck_assert_int_eq(penrose_point_set(chip, &point, NULL, &error), PENROSE_E_ARGUMENT);
    point = breakpoint(CODE);
    point.hart = PENROSE_NO_HART + 1;
    ck_assert_int_eq(penrose_point_set(chip, &point, NULL, &error), PENROSE_E_ARGUMENT);
    point = breakpoint(CODE);
    point.x = 99;
    ck_assert_int_eq(penrose_point_set(chip, &point, NULL, &error), PENROSE_E_ARGUMENT);
    point = watchpoint(WORD, false, false);
    ck_assert_int_eq(penrose_point_set(chip, &point, NULL, &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_hart_step(chip, X, Y, PENROSE_NO_HART, 1, &error), PENROSE_E_ARGUMENT);
    ck_assert(!penrose_point_get(chip, 0, &point));
    ck_assert_ptr_null(penrose_agent_name(PENROSE_AGENTS));
    ck_assert_str_eq(penrose_agent_name(PENROSE_AGENT_PACKER), "packer");
}
