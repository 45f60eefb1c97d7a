/*
 * What need not travel: requests of a tile to itself and to GDDR, in functional runs. Their data
 * are there at once, all counters are those of requests that travel, and what the NIU is not asked
 * about is told.
 */
#include <stdio.h>
#include <stdlib.h>

#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/test.h"

enum { CODE = 0x1000, SOURCE = 0x3000, TARGET = 0x4000, SEEN = 0x5000, LATER = 0x6000 };
enum { FIRST = 0x600d0001, SECOND = 0x600d0002 };

static const struct schedule {
    enum penrose_schedule schedule;
    bool timed, travels;
} schedules[] = {
    {PENROSE_FAST, false, false},
    {PENROSE_LOCKSTEP, false, false},
    {PENROSE_RANDOM, false, true},
    {PENROSE_FAST, true, true},
};
enum { SCHEDULES = sizeof schedules / sizeof schedules[0] };

static struct penrose_chip *open_chip(const struct schedule *schedule)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    options.schedule = schedule->schedule;
    options.timed = schedule->timed;
    options.seed = 3;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    return chip;
}

static void run(struct penrose_chip *chip)
{
    const struct penrose_run whole = {.size = sizeof whole, .cycles = 1000000};
    ck_assert_int_eq(penrose_run(chip, &whole), PENROSE_QUIET);
}

static struct command_end here(uint64_t address)
{
    return (struct command_end){1, 2, address};
}

/* Bank 0 by its second port. */
static struct command_end gddr(uint64_t address)
{
    return (struct command_end){17, 13, address};
}

/* A tile has been there before: the first request makes the tile of the port, and travels. */
static void visit_gddr(struct penrose_chip *chip)
{
    command_put(chip, (struct command_end){17, 13, UINT64_C(0x2000000000)}, 0);
}

/* s0: the NIU; s1: its second command buffer; a4: 1. */
#define START "lui s0, 0xffb20;addi s1, s0, 0x7ff;addi s1, s1, 1;addi a4, zero, 1;"
/* After START; what TARGET holds goes to SEEN. */
#define LOOK "lui a5, 4;lw a2, 0(a5);lui a5, 5;sw a2, 0(a5);ebreak"

/* Starts a program on the worker's BRISC, which may have run another one. */
static void start(struct penrose_chip *chip, const char *program)
{
    ck_assert_int_eq(penrose_hart_hold(chip, 1, 2, PENROSE_BRISC, NULL), PENROSE_OK);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE, program);
}

/* --- At once --- */

static const struct way {
    const char *name;
    uint32_t control;
    bool to_gddr; /* or from there */
} ways[] = {
    {"own write", COMMAND_WRITE, false},
    {"own write with response", COMMAND_WRITE | COMMAND_RESPONSE, false},
    {"own read", COMMAND_READ, false},
    {"own atomic", COMMAND_ATOMIC | COMMAND_RESPONSE, false},
    {"read of GDDR", COMMAND_READ, true},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static void fill_way(struct penrose_chip *chip, const struct way *way)
{
    bool is_atomic = way->control & COMMAND_ATOMIC;
    struct command_end from = way->to_gddr ? gddr(SOURCE) : here(SOURCE);
    command_put(chip, from, FIRST);
    command_put(chip, here(TARGET), is_atomic ? FIRST - 1 : 0);
    command_fill(chip, 1, 2, 0, way->control, from, here(TARGET),
                 is_atomic ? COMMAND_INCREMENT : 64);
}

TEST_EACH(data_are_there_at_once, (WAYS * SCHEDULES))
{
    const struct schedule *schedule = &schedules[_i % SCHEDULES];
    const struct way *way = &ways[_i / SCHEDULES];
    struct penrose_chip *chip = open_chip(schedule);
    visit_gddr(chip);
    fill_way(chip, way);
    uint32_t before = command_get(chip, here(TARGET));
    start(chip, START "sw a4, 0x40(s0);" LOOK);
    run(chip);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    ck_assert_msg(command_get(chip, here(SEEN)) == (schedule->travels ? before : FIRST), "%s",
                  way->name);
    ck_assert_uint_eq(command_get(chip, here(TARGET)), FIRST); /* in the end */
    penrose_chip_destroy(chip);
}

/* --- Counters --- */

enum { COUNTERS = 62 };

static void take_counters(struct penrose_chip *chip, struct command_end tile,
                          uint32_t counter[COUNTERS])
{
    for (unsigned i = 0; i < COUNTERS; i++) {
        tile.address = COMMAND_NIU + NIU_COUNTERS + 4 * i;
        counter[i] = command_get(chip, tile);
    }
}

/* Both tiles' counters after each way there is, one after the other, the write to GDDR too; all of
 * that twice. */
static void count_all(const struct schedule *schedule, uint32_t counters[2][COUNTERS])
{
    struct penrose_chip *chip = open_chip(schedule);
    visit_gddr(chip);
    for (unsigned i = 0; i < 2 * (WAYS + 1); i++) {
        if (i % (WAYS + 1) < WAYS) {
            fill_way(chip, &ways[i % (WAYS + 1)]);
        } else {
            command_fill(chip, 1, 2, 0, COMMAND_WRITE | COMMAND_RESPONSE, here(SOURCE),
                         gddr(TARGET), 100);
        }
        start(chip, START "sw a4, 0x40(s0);" LOOK);
        run(chip);
    }
    take_counters(chip, here(0), counters[0]);
    take_counters(chip, gddr(0), counters[1]);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    penrose_chip_destroy(chip);
}

TEST_EACH(counters_are_those_of_packets_that_travel, SCHEDULES - 1)
{
    uint32_t ours[2][COUNTERS], theirs[2][COUNTERS];
    count_all(&schedules[_i], ours);
    count_all(&schedules[SCHEDULES - 1], theirs);
    for (unsigned i = 0; i < 2 * COUNTERS; i++) {
        ck_assert_msg(ours[i / COUNTERS][i % COUNTERS] == theirs[i / COUNTERS][i % COUNTERS],
                      "counter %u of tile %u: %u, not %u", i % COUNTERS, i / COUNTERS,
                      ours[i / COUNTERS][i % COUNTERS], theirs[i / COUNTERS][i % COUNTERS]);
    }
    ck_assert_uint_eq(ours[0][NIU_MST_RD_RESP_RECEIVED], 4);
    ck_assert_uint_eq(ours[1][NIU_SLV_RD_REQ_RECEIVED], 2);
    ck_assert_uint_eq(ours[1][NIU_SLV_WR_ACK_SENT], 2);
}

/* --- What is written to GDDR --- */

/* Waits until both buffers' requests have their responses: a read's and a write's. */
#define AWAIT_WRITE "lw a5, 0x204(s0);beq a5, zero, 0x1014;"
#define AWAIT_READ  "lw a5, 0x208(s0);beq a5, zero, 0x1020;"

/* Runs the chip to its end: without faults, and what was written last was seen. */
static void expect_second(struct penrose_chip *chip, struct command_end seen)
{
    run(chip);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    ck_assert_uint_eq(command_get(chip, seen), SECOND);
    penrose_chip_destroy(chip);
}

/* A tile that has its acknowledgement reads what it wrote, all of it or a byte. */
TEST_EACH(a_tile_reads_what_it_wrote, SCHEDULES)
{
    struct penrose_chip *chip = open_chip(&schedules[_i]);
    visit_gddr(chip);
    command_put(chip, gddr(SOURCE + 0x40), FIRST);
    command_put(chip, here(SOURCE), SECOND);
    command_fill(chip, 1, 2, 0, COMMAND_WRITE | COMMAND_RESPONSE, here(SOURCE), gddr(SOURCE + 0x40),
                 4);
    command_fill(chip, 1, 2, 1, COMMAND_READ, gddr(SOURCE), here(TARGET - 0x40), 0x80);
    start(chip, START "sw a4, 0x40(s0);" AWAIT_WRITE "sw a4, 0x40(s1);" AWAIT_READ LOOK);
    expect_second(chip, here(SEEN));
}

/* Who is told of it by the writer finds it, at whatever time of a window. */
TEST_EACH(others_read_what_was_written, 16 * SCHEDULES)
{
    char writer[400];
    struct penrose_chip *chip = open_chip(&schedules[_i % SCHEDULES]);
    const struct command_end flag = {5, 6, LATER};
    visit_gddr(chip);
    command_put(chip, gddr(SOURCE), FIRST);
    command_put(chip, here(SOURCE), SECOND);
    command_fill(chip, 1, 2, 0, COMMAND_WRITE | COMMAND_RESPONSE, here(SOURCE), gddr(SOURCE), 4);
    command_fill(chip, 1, 2, 1, COMMAND_ATOMIC, here(0), flag, COMMAND_INCREMENT);
    command_fill(chip, 5, 6, 0, COMMAND_READ, gddr(SOURCE), (struct command_end){5, 6, TARGET}, 4);
    snprintf(writer, sizeof writer,
             START "sw a4, 0x40(s0);" AWAIT_WRITE
                   "addi a3, zero, %d;addi a3, a3, -1;bne a3, zero, 0x1020;"
                   "sw a4, 0x40(s1);ebreak",
             1 + 37 * (_i / SCHEDULES));
    start(chip, writer);
    start_program(chip, 5, 6, PENROSE_BRISC, CODE,
                  START "lui a3, 6;lw a5, 0(a3);beq a5, zero, 0x1014;sw a4, 0x40(s0);"
                        "lw a5, 0x208(s0);beq a5, zero, 0x1020;" LOOK);
    expect_second(chip, (struct command_end){5, 6, SEEN});
}

/* Of two who write the same in a window the later one is the last, whoever that is. */
TEST_EACH(later_writes_are_later, 2 * 2)
{
    enum { SHORT = 1, LONG = 60, WRITERS = 2 };
    const struct command_end writers[WRITERS] = {here(SOURCE), {5, 6, SOURCE}};
    struct penrose_chip *chip = open_chip(&schedules[_i / WRITERS]);
    visit_gddr(chip);
    for (int i = 0; i < WRITERS; i++) {
        char program[200];
        struct command_end writer = writers[i];
        bool is_late = i == _i % WRITERS;
        command_put(chip, writer, is_late ? SECOND : FIRST);
        command_fill(chip, writer.x, writer.y, 0, COMMAND_WRITE | COMMAND_RESPONSE, writer,
                     gddr(SOURCE), 4);
        snprintf(program, sizeof program,
                 START "addi a3, zero, %d;addi a3, a3, -1;bne a3, zero, 0x1014;"
                       "sw a4, 0x40(s0);ebreak",
                 is_late ? LONG : SHORT);
        start_program(chip, writer.x, writer.y, PENROSE_BRISC, CODE, program);
    }
    expect_second(chip, gddr(SOURCE));
}

static bool is_told(struct penrose_chip *chip, void *context)
{
    (void)context;
    return command_get(chip, here(LATER)) != 0;
}

/* A host that is told of it finds it too. */
TEST_EACH(hosts_read_what_was_written, 6 * SCHEDULES)
{
    struct penrose_chip *chip = open_chip(&schedules[_i % SCHEDULES]);
    const struct penrose_run until = {.size = sizeof until, .cycles = 1000000, .until = is_told};
    const struct penrose_run part = {.size = sizeof part, .cycles = 16u << _i / SCHEDULES};
    visit_gddr(chip);
    command_put(chip, here(SOURCE), SECOND);
    command_fill(chip, 1, 2, 0, COMMAND_WRITE | COMMAND_RESPONSE, here(SOURCE), gddr(SOURCE), 4);
    start(chip, START "sw a4, 0x40(s0);" AWAIT_WRITE "lui a3, 6;sw a4, 0(a3);ebreak");
    penrose_run(chip, &part); /* windows end elsewhere */
    ck_assert_int_ne(penrose_run(chip, &until), PENROSE_FAULT);
    ck_assert(is_told(chip, NULL));
    ck_assert_uint_eq(command_get(chip, gddr(SOURCE)), SECOND);
    penrose_chip_destroy(chip);
}

/* --- Between windows --- */

/* Writes a register of BRISC's debug interface. */
static void debug(struct penrose_chip *chip, unsigned number, uint32_t value)
{
    const uint32_t control = 0xffb12080, write = 0x80010000;
    command_put(chip, here(control + 4), value);
    command_put(chip, here(control), write + number);
    command_put(chip, here(control), 0);
}

/* A debugger has the hart write to its NIU, which sends. */
static uint32_t send_by_debugger(struct penrose_chip *chip)
{
    enum { COMMAND = 1, ADDRESS = 2, VALUE = 3 };
    const uint32_t pause = 0x80000001, write_memory = 0x80000040;
    debug(chip, COMMAND, pause);
    debug(chip, ADDRESS, COMMAND_NIU + NIU_CMD_CTRL);
    debug(chip, VALUE, 1);
    debug(chip, COMMAND, write_memory);
    return command_get(chip, here(COMMAND_NIU + NIU_COUNTERS + 4 * NIU_MST_WR_ACK_RECEIVED));
}

/* Nothing is answered while no time passes, whatever the chip did before: not by one that has run,
 * and not by its copy. */
TEST_EACH(debuggers_send_between_windows, SCHEDULES)
{
    const struct penrose_run part = {.size = sizeof part, .cycles = 3000, .pass_quiet_time = true};
    struct penrose_chip *chip = open_chip(&schedules[_i]), *copy;
    void *bytes;
    size_t size;
    visit_gddr(chip);
    command_put(chip, here(SOURCE), SECOND);
    command_fill(chip, 1, 2, 0, COMMAND_WRITE | COMMAND_RESPONSE, here(SOURCE), gddr(SOURCE), 4);
    start(chip, "jal zero, 0x1000");
    ck_assert_int_eq(penrose_run(chip, &part), PENROSE_CYCLES);
    ck_assert_int_eq(penrose_snapshot_to_memory(chip, &bytes, &size, NULL), PENROSE_OK);
    ck_assert_int_eq(penrose_snapshot_from_memory(NULL, bytes, size, &copy, NULL), PENROSE_OK);
    ck_assert_uint_eq(send_by_debugger(chip), 0);
    ck_assert_uint_eq(send_by_debugger(copy), 0);
    penrose_run(chip, &part);
    penrose_run(copy, &part);
    ck_assert_uint_eq(command_get(chip, gddr(SOURCE)), SECOND);
    ck_assert_uint_eq(penrose_state_hash(chip), penrose_state_hash(copy));
    penrose_chip_destroy(chip);
    penrose_chip_destroy(copy);
    free(bytes);
}

/* --- Odd places --- */

enum { CHUNK = 1 << 21 };

/* Where nothing was written, and across the end of what the host has memory for. */
TEST_EACH(reads_of_untouched_memory, SCHEDULES)
{
    struct penrose_chip *chip = open_chip(&schedules[_i]);
    visit_gddr(chip);
    command_put(chip, gddr(3 * CHUNK - 4), FIRST);
    command_put(chip, here(TARGET), SECOND);
    command_put(chip, here(TARGET - 4), SECOND);
    command_fill(chip, 1, 2, 0, COMMAND_READ, gddr(3 * CHUNK - 64), here(TARGET - 64), 128);
    start(chip, START "sw a4, 0x40(s0);ebreak");
    run(chip);
    ck_assert_uint_eq(command_get(chip, here(TARGET - 4)), FIRST);
    ck_assert_uint_eq(command_get(chip, here(TARGET)), 0);
    command_put(chip, here(TARGET), SECOND);
    command_fill(chip, 1, 2, 0, COMMAND_READ, gddr(9 * CHUNK), here(TARGET), 64);
    start(chip, START "sw a4, 0x40(s0);" LOOK);
    run(chip);
    ck_assert_uint_eq(command_get(chip, here(TARGET)), 0);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    penrose_chip_destroy(chip);
}

static const struct wrong {
    uint32_t control;
    uint64_t at; /* in GDDR */
    uint32_t length;
    const char *text;
} wrongs[] = {
    {COMMAND_READ, SOURCE + 32, 64, "must be equal modulo 64"},
    {COMMAND_WRITE | COMMAND_RESPONSE, SOURCE + 8, 64, "must be equal modulo 16"},
    {COMMAND_READ, UINT64_C(0xff000000) - 64, 128, "GDDR ends at 0xff000000"},
    {COMMAND_WRITE | COMMAND_RESPONSE, UINT64_C(0xff000000) - 64, 128, "GDDR ends at 0xff000000"},
};
enum { WRONGS = sizeof wrongs / sizeof wrongs[0] };

/* What does not go there is refused where it arrives, and has had no response. */
TEST_EACH(what_is_wrong_travels, (WRONGS * SCHEDULES))
{
    const struct wrong *wrong = &wrongs[_i / SCHEDULES];
    struct penrose_chip *chip = open_chip(&schedules[_i % SCHEDULES]);
    bool writes = wrong->control & COMMAND_WRITE;
    struct penrose_fault fault;
    visit_gddr(chip);
    command_fill(chip, 1, 2, 0, wrong->control, writes ? here(SOURCE) : gddr(wrong->at),
                 writes ? gddr(wrong->at) : here(TARGET), wrong->length);
    start(chip, START "sw a4, 0x40(s0);ebreak");
    penrose_run(chip, &(struct penrose_run){.size = sizeof(struct penrose_run), .cycles = 1000000});
    ck_assert_uint_eq(penrose_fault_count(chip), 1);
    ck_assert(penrose_fault_get(chip, 0, &fault));
    ck_assert_msg(strstr(fault.rule, wrong->text), "%s", fault.rule);
    uint32_t counter = writes ? NIU_MST_WR_ACK_RECEIVED : NIU_MST_RD_RESP_RECEIVED;
    ck_assert_uint_eq(command_get(chip, here(COMMAND_NIU + NIU_COUNTERS + 4 * counter)), 0);
    penrose_chip_destroy(chip);
}

/* A tile whose NIU is switched off has no answer from itself either. */
TEST_EACH(clocks_that_are_off, SCHEDULES)
{
    enum { CLOCK_OFF = 1 << 12 };
    struct penrose_chip *chip = open_chip(&schedules[_i]);
    struct command_end config = here(COMMAND_NIU + NIU_CFG_0);
    struct penrose_fault fault;
    fill_way(chip, &ways[1]);
    command_put(chip, config, command_get(chip, config) | CLOCK_OFF);
    start(chip, START "sw a4, 0x40(s0);" LOOK);
    penrose_run(chip, &(struct penrose_run){.size = sizeof(struct penrose_run), .cycles = 1000000});
    ck_assert_uint_eq(penrose_fault_count(chip), 1);
    ck_assert(penrose_fault_get(chip, 0, &fault));
    ck_assert_int_eq(fault.kind, PENROSE_FAULT_NOC_HELD);
    penrose_chip_destroy(chip);
}

/* Bytes that are enabled count from the start of their block. Nobody waits for the write; what
 * follows it does not overtake it, but under --schedule random. */
TEST_EACH(a_tile_reads_what_it_wrote_with_enables, SCHEDULES)
{
    enum { BYTE_ENABLES = 1 << 2 };
    struct penrose_chip *chip = open_chip(&schedules[_i]);
    bool is_random = schedules[_i].schedule == PENROSE_RANDOM;
    visit_gddr(chip);
    command_put(chip, gddr(SOURCE), FIRST);
    command_put(chip, here(SOURCE), SECOND);
    command_fill(chip, 1, 2, 0, COMMAND_WRITE | BYTE_ENABLES | COMMAND_RESPONSE, here(SOURCE + 8),
                 gddr(SOURCE + 8), 0xf);
    command_fill(chip, 1, 2, 1, COMMAND_READ, gddr(SOURCE), here(TARGET), 4);
    start(chip, is_random ? START "sw a4, 0x40(s0);" AWAIT_WRITE "sw a4, 0x40(s1);" AWAIT_READ LOOK
                          : START "sw a4, 0x40(s0);addi zero, zero, 0;addi zero, zero, 0;"
                                  "sw a4, 0x40(s1);" AWAIT_READ LOOK);
    expect_second(chip, here(SEEN));
}

/* An NIU that leads to the DRAM tile's own address space. */
TEST_EACH(ports_that_do_not_lead_to_gddr, SCHEDULES)
{
    struct penrose_chip *chip = open_chip(&schedules[_i]);
    struct command_end config = gddr(COMMAND_NIU + NIU_CFG_0);
    command_put(chip, gddr(UINT64_C(0x2000000000) + SOURCE), SECOND);
    command_put(chip, gddr(SOURCE), FIRST);
    command_put(chip, config, command_get(chip, config) & ~NIU_AXI_SUBORDINATE);
    command_fill(chip, 1, 2, 0, COMMAND_READ, gddr(SOURCE), here(TARGET), 64);
    start(chip, START "sw a4, 0x40(s0);ebreak");
    run(chip);
    ck_assert_uint_eq(command_get(chip, here(TARGET)), SECOND);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    penrose_chip_destroy(chip);
}

/* --- Harts of DRAM tiles --- */

/* A hart of the port's tile that waits in its L1, or for its NIU to count a read; then it says so.
 */
static const struct waiter {
    const char *program;
    bool looks_at_niu;
} waiters[] = {
    {"lui a3, 5;lw a5, 0(a3);beq a5, zero, 0x1004;ebreak", false},
    {"lui s0, 0xffb20;lui a3, 5;lw a5, 0x2d4(s0);beq a5, zero, 0x1008;sw a5, 0(a3);ebreak", true},
};
enum { WAITERS = sizeof waiters / sizeof waiters[0] };

TEST_EACH(harts_of_dram_tiles_see_reads, (WAITERS * SCHEDULES))
{
    const struct schedule *schedule = &schedules[_i % SCHEDULES];
    const struct waiter *waiter = &waiters[_i / SCHEDULES];
    struct penrose_chip *chip = open_chip(schedule);
    const struct command_end said = gddr(UINT64_C(0x2000000000) + SEEN);
    fill_way(chip, &ways[WAYS - 1]);
    start_program(chip, 17, 13, PENROSE_BRISC, CODE, waiter->program);
    penrose_run(chip, &(struct penrose_run){.size = sizeof(struct penrose_run),
                                            .cycles = 20000}); /* it falls asleep */
    start(chip, START "sw a4, 0x40(s0);" LOOK);
    penrose_run(chip, &(struct penrose_run){.size = sizeof(struct penrose_run),
                                            .cycles = 100000}); /* caches may go stale for ever */
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    bool travels = schedule->travels || waiter->looks_at_niu;
    ck_assert_uint_eq(command_get(chip, here(SEEN)), travels ? 0 : FIRST);
    ck_assert_uint_eq(command_get(chip, here(TARGET)), FIRST);
    ck_assert_uint_eq(command_get(chip, said), waiter->looks_at_niu);
    penrose_chip_destroy(chip);
}

/* --- Who looked --- */

static const struct look {
    uint32_t control;
    const char *looks; /* instructions */
    const char *told;
} looks[] = {
    {COMMAND_READ, "", "the responses to reads of brisc (2)"},
    {COMMAND_READ, "lw a5, 0x208(s0);", NULL},
    {COMMAND_READ, "lw a5, 0x204(s0);", "the responses to reads of brisc (2)"},
    {COMMAND_READ, "lw a5, 0x240(s0);", NULL}, /* outstanding of transaction id 0 */
    {COMMAND_READ, "lw a5, 0x37c(s0);", NULL}, /* NIU_RTZ_SOURCE */
    {COMMAND_WRITE | COMMAND_RESPONSE, "", "the responses to writes of brisc (2)"},
    {COMMAND_WRITE | COMMAND_RESPONSE, "lw a5, 0x204(s0);", NULL},
    {COMMAND_WRITE | COMMAND_RESPONSE, "lw a5, 0x208(s0);", "the responses to writes of brisc (2)"},
    {COMMAND_WRITE, "", NULL}, /* has none */
};
enum { LOOKS = sizeof looks / sizeof looks[0] };

/* Two requests to GDDR, or to oneself, of which nothing is told. */
TEST_EACH(who_does_not_look_is_told, 2 * LOOKS)
{
    const struct look *look = &looks[_i / 2];
    struct penrose_chip *chip = open_chip(&schedules[0]);
    bool writes = look->control & COMMAND_WRITE, is_own = _i % 2;
    struct command_end there = is_own ? here(LATER) : gddr(LATER);
    char program[400], text[2000] = "";
    visit_gddr(chip);
    command_fill(chip, 1, 2, 0, look->control, writes ? here(SOURCE) : there,
                 writes ? there : here(TARGET), 64);
    snprintf(program, sizeof program, START "sw a4, 0x40(s0);sw a4, 0x40(s0);%sebreak",
             look->looks);
    start(chip, program);
    run(chip);
    int length = penrose_noc_wait_report(chip, text, sizeof text);
    ck_assert_msg(look->told && !is_own ? strstr(text, look->told) != NULL : length == 0, "%s",
                  text);
    ck_assert_int_eq(penrose_hart_hold(chip, 1, 2, PENROSE_BRISC, NULL), PENROSE_OK);
    ck_assert_int_eq(penrose_noc_wait_report(chip, text, sizeof text), 0); /* it is over */
    penrose_chip_destroy(chip);
}
