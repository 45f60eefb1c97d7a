/*
 * Delays: which visit of an instruction a rule is about, which request it makes late, and that
 * chips with late packets can be saved.
 */
#include <stdio.h>
#include <stdlib.h>

#include <penrose/debug.h>
#include <penrose/penrose.h>

#include "chip/chip.h"
#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/test.h"

enum { CODE = 0x1000, MARK = 0x8000, TOTAL = 0x9000, NEVER = 20000 };

static struct penrose_chip *make_chip(bool timed)
{
    struct penrose_options options = {
        .size = sizeof options, .schedule = PENROSE_LOCKSTEP, .quantum = 1, .timed = timed};
    struct penrose_chip *chip;
    struct penrose_error error;
    ck_assert_msg(penrose_chip_create(&options, &chip, &error) == PENROSE_OK, "%s", error.text);
    return chip;
}

static void give_delays(struct penrose_chip *chip, const char *rules)
{
    struct penrose_error error;
    ck_assert_msg(penrose_delay(chip, rules, &error) == PENROSE_OK, "%s", error.text);
}

/* The cycle in which the word at an address of L1 is first found to have changed. */
static unsigned cycle_of_change(struct penrose_chip *chip, struct command_end at)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 1, .pass_quiet_time = true};
    while (command_get(chip, at) == 0 && penrose_now(chip) < NEVER) {
        ck_assert_int_ne(penrose_run(chip, &run), PENROSE_FAULT);
    }
    return (unsigned)penrose_now(chip);
}

/* --- Visits --- */

/* When brisc, which comes to 0x1008 twice, has stored a mark. */
static unsigned cycle_of_mark(const char *rules)
{
    struct penrose_chip *chip = make_chip(false);
    if (rules) {
        give_delays(chip, rules);
    }
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lui s0, 8; addi a1, zero, 2; addi a1, a1, -1; bne a1, zero, 0x1008; "
                  "sw s0, 0(s0); ebreak");
    unsigned cycle = cycle_of_change(chip, (struct command_end){1, 2, MARK});
    penrose_chip_destroy(chip);
    return cycle;
}

TEST(visits)
{
    static const struct {
        const char *rules;
        unsigned late;
    } cases[] = {
        {"brisc@0x1008=500", 1000},
        {"brisc@0x1008/1=500", 500},
        {"brisc@0x1008/2=500", 500},
        {"brisc@0x1008/3=500", 0},
        {"brisc@0x1008/1=500,brisc@0x1008/2=700", 1200},
        {"brisc@0x1004/1=500,brisc@0x1004/2=700", 500},
        {"brisc@0x1004=500,brisc@0x1004=700", 1200},
        {"brisc@0x1004=0,brisc@0x1008/2=700", 700},
        {"1-2:brisc@0x1004=500,1-3:brisc@0x1004=700,ncrisc@0x1004=900", 500},
    };
    unsigned usual = cycle_of_mark(NULL);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned cycle = cycle_of_mark(cases[i].rules);
        ck_assert_msg(cycle == usual + cases[i].late, "%s: %u, usually %u", cases[i].rules, cycle,
                      usual);
    }
}

/* --- Requests --- */

/* When the increments of buffers 0 and 1 of brisc's NIU, which start at 0x1008 and 0x1014, have come
 * to tile (3, 4). */
static void run_requests(const char *rules, bool timed, unsigned arrival[2])
{
    const struct command_end count[] = {{3, 4, TOTAL}, {3, 4, TOTAL + 16}};
    struct penrose_chip *chip = make_chip(timed);
    for (unsigned buffer = 0; buffer < 2; buffer++) {
        command_fill(chip, 1, 2, buffer, COMMAND_ATOMIC, (struct command_end){1, 2, MARK},
                     count[buffer], COMMAND_INCREMENT);
    }
    give_delays(chip, rules);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); addi s0, s0, 0x400; "
                  "addi s0, s0, 0x400; sw a4, 0x40(s0); ebreak");
    arrival[0] = cycle_of_change(chip, count[0]);
    arrival[1] = cycle_of_change(chip, count[1]);
    penrose_chip_destroy(chip);
}

TEST_EACH(requests, 2)
{
    enum { SOON = 1000 };
    static const struct {
        const char *rules;
        unsigned late[2]; /* at least */
    } cases[] = {
        {"brisc@0x2000=1", {0, 0}},
        {"brisc.arrival@0x1008=5000", {5000, 0}},
        {"brisc.arrival@0x1014=5000", {0, 5000}},
        {"brisc.arrival@0x1004=5000", {0, 0}},   /* starts none */
        {"brisc.departure@0x1004=5000", {0, 0}}, /* likewise */
        {"brisc.departure@0x1008=3000", {3000, 3000}},
        {"brisc.departure@0x1008=3000,brisc.arrival@0x1014=5000", {3000, 8000}},
        {"brisc.departure@0x1008=3000,brisc.arrival@0x1008=5000", {8000, 3000}},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned cycle[2];
        run_requests(cases[i].rules, _i, cycle);
        for (unsigned k = 0; k < 2; k++) {
            unsigned late = cases[i].late[k];
            if (k == 1 && cycle[0] > late + SOON) {
                late = cases[i].late[0]; /* nobody has looked before */
            }
            ck_assert_msg(cycle[k] >= late && cycle[k] < late + SOON,
                          "%s: request %u has arrived in cycle %u", cases[i].rules, k, cycle[k]);
        }
    }
}

/* --- Chips --- */

TEST_EACH(late_packets_in_snapshots, 2)
{
    struct penrose_chip *chip = make_chip(_i), *loaded;
    struct penrose_error error;
    void *bytes;
    size_t size;
    give_delays(chip, "brisc.arrival@0x1000=100");
    ck_assert_int_eq(penrose_snapshot_to_memory(chip, &bytes, &size, &error), PENROSE_OK);
    ck_assert_msg(penrose_snapshot_from_memory(NULL, bytes, size, &loaded, &error) == PENROSE_OK,
                  "%s", error.text);
    ck_assert_uint_eq(penrose_state_hash(loaded), penrose_state_hash(chip));
    free(bytes);
    penrose_chip_destroy(loaded);
    penrose_chip_destroy(chip);
}

/* A refusal leaves the chip as it was. */
TEST(too_many)
{
    struct penrose_chip *chip = make_chip(false);
    struct penrose_error error;
    unsigned taken = 0;
    start_program(chip, 1, 2, PENROSE_BRISC, CODE, "ebreak");
    while (penrose_delay(chip, "brisc@0x2000=1", &error) == PENROSE_OK) {
        taken++;
    }
    ck_assert_uint_eq(taken, TILE_OBSERVERS);
    ck_assert_int_eq(penrose_delay(chip, "brisc.arrival@0x2000=1", &error), PENROSE_E_STATE);
    ck_assert(chip->board.delivery.at_once && !chip->board.delivery.has_late && !chip->flow);
    penrose_chip_destroy(chip);
}
