/*
 * Results and times depend neither on how many cycles a host asks for at a time, nor on what else is
 * awake: the scenes of snapshots with runs of several lengths, and requests of one tile, alone and
 * beside tiles that are busy with something else.
 */
#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/chip/snapshot_scenes.h"
#include "unit/chip/state_difference.h"
#include "unit/test.h"

/* --- How many cycles at a time --- */

enum { SCENES = 6, PACES = 3, MOMENTS = 6 };

/* False: a fault has stopped it. */
static bool run_until(struct penrose_chip *chip, uint64_t end, uint64_t pace)
{
    while (penrose_now(chip) < end) {
        uint64_t left = end - penrose_now(chip);
        struct penrose_run run = {
            .size = sizeof run, .cycles = pace < left ? pace : left, .pass_quiet_time = true};
        if (penrose_run(chip, &run) == PENROSE_FAULT) {
            return false;
        }
    }
    return true;
}

TEST_EACH(runs_of_any_length, SCENES *SCENE_SCHEDULES)
{
    static const uint64_t paces[PACES] = {1, 7, 512};
    const struct scene *scene = scene_at((unsigned)_i / SCENE_SCHEDULES);
    struct penrose_chip *whole, *part;
    if (!scene) {
        return;
    }
    for (unsigned i = 0; i < PACES; i++) {
        whole = scene_chip(scene, (unsigned)_i % SCENE_SCHEDULES, 1);
        part = scene_chip(scene, (unsigned)_i % SCENE_SCHEDULES, 1);
        if (!scene->make(whole, 1) || !scene->make(part, 1)) {
            penrose_chip_destroy(whole);
            penrose_chip_destroy(part);
            return;
        }
        for (unsigned moment = 1; moment <= MOMENTS; moment++) {
            uint64_t end = penrose_now(whole) + 1024;
            if (!run_until(whole, end, 1024) || !run_until(part, end, paces[i])) {
                break; /* with the window in which it stopped */
            }
            ck_assert_msg(penrose_now(whole) == penrose_now(part) &&
                              penrose_state_hash(whole) == penrose_state_hash(part),
                          "%s, schedule %d, %llu cycles at a time: another state in cycle %llu: %s",
                          scene->name, _i % SCENE_SCHEDULES, (unsigned long long)paces[i],
                          (unsigned long long)end, state_difference(whole, part));
        }
        penrose_chip_destroy(whole);
        penrose_chip_destroy(part);
    }
}

/* --- What else is awake --- */

enum { CODE = 0x1000, BUFFER = 0x4000, TIMES = 0xc000, ASKED = 10 };
enum { MULTICAST = 1 << 5 };
static const struct command_end asker = {1, 2, BUFFER};

/* Requests of BRISC: what it does again and again, and the counter that moves by `answers`. */
static const struct {
    const char *name;
    uint32_t control;
    struct command_end to;
    uint32_t length;
    unsigned counter, answers;
} requests[] = {
    {"read of DRAM", COMMAND_READ, {17, 12, 0x10000}, 64, NIU_MST_RD_RESP_RECEIVED, 1},
    {"write to DRAM",
     COMMAND_WRITE | COMMAND_RESPONSE,
     {17, 12, 0x10000},
     64,
     NIU_MST_WR_ACK_RECEIVED,
     1},
    {"read of a worker", COMMAND_READ, {2, 3, 0x10000}, 64, NIU_MST_RD_RESP_RECEIVED, 1},
    {"long read of a worker", COMMAND_READ, {14, 11, 0x10000}, 16384, NIU_MST_RD_RESP_RECEIVED, 1},
    {"atomic",
     COMMAND_ATOMIC | COMMAND_RESPONSE,
     {2, 3, 0x10000},
     COMMAND_INCREMENT,
     NIU_MST_ATOMIC_RESP_RECEIVED,
     1},
    {"read of itself", COMMAND_READ, {1, 2, 0x10000}, 64, NIU_MST_RD_RESP_RECEIVED, 1},
    {"read of an Ethernet tile", COMMAND_READ, {20, 25, 0x10000}, 64, NIU_MST_RD_RESP_RECEIVED, 1},
    {"read of host memory",
     COMMAND_READ,
     {19, 24, UINT64_C(0x1000000000001000)},
     64,
     NIU_MST_RD_RESP_RECEIVED,
     1},
    {"read of ARC", COMMAND_READ, {8, 0, 0x10040000}, 4, NIU_MST_RD_RESP_RECEIVED, 1},
    {"multicast",
     COMMAND_WRITE | COMMAND_RESPONSE | MULTICAST,
     {2, 3, 0x10000},
     64,
     NIU_MST_WR_ACK_RECEIVED,
     9},
};

static bool host_read(void *context, uint64_t address, void *bytes, uint32_t size)
{
    (void)context;
    memset(bytes, (int)(address / 64 & UINT8_MAX), size);
    return true;
}

static bool host_write(void *context, uint64_t address, const void *bytes, uint32_t size)
{
    (void)context, (void)address, (void)bytes, (void)size;
    return true;
}

/* What each of ten requests took, and which cycle it was. */
static void measure(unsigned request, bool is_timed, unsigned busy, uint64_t pace,
                    uint32_t times[ASKED])
{
    static const struct command_end others[] = {{5, 5, 0}, {3, 9, 0}, {16, 11, 0}, {10, 3, 0}};
    struct penrose_options options = {.size = sizeof options, .timed = is_timed, .threads = 1};
    const struct penrose_host_memory memory = {host_read, host_write, NULL};
    struct penrose_chip *chip;
    char program[1000];
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    penrose_host_memory_set(chip, &memory);
    bool is_multicast = requests[request].control & MULTICAST;
    bool is_read = (requests[request].control & 3) == COMMAND_READ;
    command_fill(chip, 1, 2, 0, requests[request].control, is_read ? requests[request].to : asker,
                 is_read ? asker : requests[request].to, requests[request].length);
    if (is_multicast) {
        command_put(chip, (struct command_end){1, 2, COMMAND_NIU + NIU_RET_ADDR_HI},
                    4 | 5 << 6 | 2 << 12 | 3 << 18);
    }
    snprintf(program, sizeof program,
             "lui s0, 0xffb20;lui t0, 12;addi a6, zero, 0;addi a4, zero, 1;addi t2, zero, %d;"
             "csrrs a2, 0xb00, zero;addi a6, a6, %u;sw a4, 0x40(s0);"
             "lw a5, %d(s0);bne a5, a6, 0x1020;"
             "csrrs a3, 0xb00, zero;sub a3, a3, a2;sw a3, 0(t0);addi t0, t0, 4;addi t2, t2, -1;"
             "bne t2, zero, 0x1014;jal zero, 0x1040",
             ASKED, requests[request].answers, NIU_COUNTERS + 4 * (int)requests[request].counter);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE, program);
    for (unsigned i = 0; i < busy; i++) {
        start_program(chip, others[i].x, others[i].y, PENROSE_BRISC, CODE,
                      "addi t0, zero, 1;addi t0, t0, 3;sw t0, 0(zero);jal zero, 0x1004");
    }
    run_until(chip, 20480, pace);
    for (unsigned i = 0; i < ASKED; i++) {
        times[i] = command_get(chip, (struct command_end){1, 2, TIMES + 4 * i});
        ck_assert_msg(times[i] > 0, "%s: %u have come", requests[request].name, i);
    }
    penrose_chip_destroy(chip);
}

TEST_EACH(times_of_requests, COUNT(requests) * 2)
{
    static const struct {
        unsigned busy;
        uint64_t pace;
    } ways[] = {{0, 1}, {0, 7}, {0, 512}, {1, 100000}, {4, 100000}, {4, 1}};
    unsigned request = (unsigned)_i / 2;
    bool is_timed = _i & 1;
    uint32_t alone[ASKED], times[ASKED];
    measure(request, is_timed, 0, 100000, alone);
    for (unsigned i = 2; i < ASKED; i++) { /* after the first, which warms up */
        ck_assert_msg(!is_timed || alone[i] == alone[1], "%s: %u cycles, then %u",
                      requests[request].name, alone[1], alone[i]);
    }
    for (int way = 0; way < COUNT(ways); way++) {
        measure(request, is_timed, ways[way].busy, ways[way].pace, times);
        for (unsigned i = 0; i < ASKED; i++) {
            ck_assert_msg(times[i] == alone[i],
                          "%s, %u busy tiles, %llu cycles at a time: %u takes %u cycles, not %u",
                          requests[request].name, ways[way].busy,
                          (unsigned long long)ways[way].pace, i, times[i], alone[i]);
        }
    }
}

/* --- More than leaves at once --- */

/* A hart that reads 1 MiB again and again, with and without waiting for the command buffer. */
static struct penrose_chip *greedy_chip(bool waits, bool is_timed)
{
    static const struct command_end from = {2, 3, 0x4000};
    struct penrose_options options = {.size = sizeof options, .timed = is_timed, .threads = 1};
    struct penrose_chip *chip;
    char program[400];
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    command_fill(chip, 1, 2, 0, COMMAND_READ, from, asker, 1 << 20);
    snprintf(program, sizeof program,
             "lui s0, 0xffb20;lui a3, 0x100;lui a2, 4;addi a4, zero, 1;addi t2, zero, 12;"
             "sw a2, 0(s0);sw a2, 12(s0);sw a3, 0x20(s0);sw a4, 0x40(s0);"
             "lw a5, 0x40(s0);bne a5, %s, 0x1024;addi t2, t2, -1;bne t2, zero, 0x1014;"
             "jal zero, 0x1034",
             waits ? "zero" : "a5");
    start_program(chip, 1, 2, PENROSE_BRISC, CODE, program);
    return chip;
}

TEST_EACH(requests_wait_for_the_same_time, 4)
{
    static const uint64_t paces[] = {1, 7, 512};
    bool waits = _i & 1, is_timed = _i & 2;
    for (int pace = 0; pace < COUNT(paces); pace++) {
        struct penrose_chip *whole = greedy_chip(waits, is_timed);
        struct penrose_chip *part = greedy_chip(waits, is_timed);
        for (uint64_t end = 512; end <= 4096; end += 512) {
            ck_assert(run_until(whole, end, 4096) && run_until(part, end, paces[pace]));
            ck_assert_msg(penrose_state_hash(whole) == penrose_state_hash(part),
                          "%llu cycles at a time: another state in cycle %llu: %s",
                          (unsigned long long)paces[pace], (unsigned long long)end,
                          state_difference(whole, part));
        }
        uint32_t answers = command_get(
            whole,
            (struct command_end){1, 2, COMMAND_NIU + NIU_COUNTERS + 4 * NIU_MST_RD_RESP_RECEIVED});
        ck_assert_uint_ge(answers, is_timed ? 12 : 4 * 64); /* of 264 cycles, when timed */
        ck_assert(is_timed || !waits || answers == 12 * 64);
        penrose_chip_destroy(whole);
        penrose_chip_destroy(part);
    }
}
