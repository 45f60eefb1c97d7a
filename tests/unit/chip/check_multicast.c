/*
 * The sender's own copy of a multicast is there before the sender can do much else: kernels of
 * tt-metal take a semaphore back that they have just sent to themselves too, without waiting.
 */
#include <stdio.h>

#include <penrose/penrose.h>

#include "unit/chip/chip_program.h"
#include "noc/niu.h"
#include "unit/test.h"

enum { CODE = 0x1000, FLAG = 0x4000, SOURCE = 0x3000, SUM = 0x5000 };
enum { WRITE = 1 << 1, RESPONSE = 1 << 4, MULTICAST = 1 << 5, WITH_SOURCE = 1 << 17, ATOMIC = 1 };
#define AT(x, y) ((uint32_t)(x) | (uint32_t)(y) << 6)

static void put(struct penrose_chip *chip, uint32_t address, uint32_t value)
{
    struct penrose_error error;
    ck_assert_msg(penrose_write(chip, 1, 2, address, &value, 4, &error) == PENROSE_OK, "%s",
                  error.text);
}

static uint32_t get(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t address)
{
    uint32_t value;
    ck_assert_int_eq(penrose_read(chip, x, y, address, &value, 4, NULL), PENROSE_OK);
    return value;
}

static struct penrose_chip *open_chip(enum penrose_schedule schedule, bool timed)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    options.schedule = schedule;
    options.seed = 5;
    options.timed = timed;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    return chip;
}

/* (1, 2) multicasts the flag, waits until it is sent, and then for `pause` turns; then it reads the
 * flag, takes it back and goes to sleep. */
static void start(struct penrose_chip *chip, uint32_t control, unsigned pause)
{
    const uint32_t niu = UINT32_C(0xffb20000);
    const uint32_t words[][2] = {
        {NIU_TARG_ADDR_LO, control & WRITE ? SOURCE : FLAG},
        {NIU_TARG_ADDR_HI, control & WRITE ? AT(1, 2) : AT(4, 4) | AT(1, 2) << 12},
        {NIU_RET_ADDR_LO, control & WRITE ? FLAG : SUM},
        {NIU_RET_ADDR_HI, control & WRITE ? AT(4, 4) | AT(1, 2) << 12 : AT(1, 2)},
        {NIU_CTRL, control | MULTICAST},
        {NIU_AT_LEN_BE, control & WRITE ? 4 : 0x107c},
        {NIU_AT_DATA, 1}};
    char program[600];
    snprintf(program, sizeof program,
             "lui s0, 0xffb20;addi a4, zero, 1;sw a4, 0x40(s0);lw a5, 0x40(s0);"
             "bne a5, zero, 0x100c;addi a3, zero, %u;addi a3, a3, -1;bne a3, zero, 0x1018;"
             "lui s1, 4;lw a2, 0(s1);addi a1, zero, 7;sw a1, 0(s1);sw a2, 0x100(s1);ebreak",
             pause);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        put(chip, niu + words[i][0], words[i][1]);
    }
    put(chip, SOURCE, 1);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE, program);
}

static const struct row {
    enum penrose_schedule schedule;
    bool timed;
    uint32_t control;
} rows[] = {
    {PENROSE_FAST, false, WRITE},
    {PENROSE_FAST, false, WRITE | RESPONSE},
    {PENROSE_FAST, true, WRITE},
    {PENROSE_LOCKSTEP, false, WRITE | RESPONSE},
    {PENROSE_RANDOM, false, WRITE},
    {PENROSE_FAST, false, ATOMIC},
    {PENROSE_RANDOM, false, ATOMIC | RESPONSE},
};

TEST_EACH(senders_have_their_copy_first, COUNT(rows))
{
    const struct row *row = &rows[_i];
    struct penrose_chip *chip = open_chip(row->schedule, row->timed);
    const struct penrose_run run = {.size = sizeof run, .cycles = 100000};
    start(chip, row->control | WITH_SOURCE,
          row->timed || row->schedule == PENROSE_RANDOM ? 400 : 1);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_QUIET);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    ck_assert_uint_eq(get(chip, 1, 2, FLAG + 0x100), 1); /* it saw its own */
    ck_assert_uint_eq(get(chip, 1, 2, FLAG), 7);         /* which did not come again */
    for (unsigned x = 1; x <= 4; x++) {
        for (unsigned y = 2; y <= 4; y++) {
            ck_assert_uint_eq(get(chip, x, y, FLAG), x == 1 && y == 2 ? 7 : 1);
        }
    }
    penrose_chip_destroy(chip);
}

/* Who has opted out, or does not ask for it, has no copy. */
TEST_EACH(senders_without_a_copy, 2)
{
    struct penrose_chip *chip = open_chip(PENROSE_FAST, false);
    const struct penrose_run run = {.size = sizeof run, .cycles = 100000};
    if (_i) {
        put(chip, UINT32_C(0xffb20000) + NIU_ROUTER_CFG_1, 1 << 1);
    }
    start(chip, _i ? WRITE | WITH_SOURCE : WRITE, 2000);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_QUIET);
    ck_assert_uint_eq(get(chip, 1, 2, FLAG + 0x100), 0);
    ck_assert_uint_eq(get(chip, 2, 2, FLAG), 1);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    penrose_chip_destroy(chip);
}
