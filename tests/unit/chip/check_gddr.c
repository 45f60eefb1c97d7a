/*
 * GDDR while tiles run: what five workers read in a loop does not depend on the number of host
 * threads, whatever else gets at the bank in the same window: writes, responses that are sent
 * there, headers of packets to the DRAM tile's L1, changes of its NIU's configuration. And how many
 * reads a port takes in a timed run.
 */

#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/test.h"

enum { CODE = 0x1000, SOURCE = 0x3000, TARGET = 0x4000, SUMS = 0x5000 };
enum { HEADER_STORE = 1 << 9, SUBORDINATE = 1 << 15, NO_HEADERS = 1 << 13 };
#define DRAM_L1 UINT64_C(0x2000000000)
#define NIU_CFG UINT64_C(0xffb20100) /* NIU_CFG_0 */
#define START   "lui s0, 0xffb20;addi s1, s0, 0x7ff;addi s1, s1, 1;addi a4, zero, 1;"
#define AT(x, y)                                                                                   \
    {                                                                                              \
        x, y, 0                                                                                    \
    }

static const struct command_end readers[] = {AT(1, 2), AT(5, 6), AT(16, 11), AT(10, 3), AT(3, 9)};
static const struct command_end writer = AT(7, 7), other = AT(6, 6);

static struct command_end in(struct command_end tile, uint64_t address)
{
    tile.address = address;
    return tile;
}

static struct command_end gddr(uint64_t address)
{
    return (struct command_end){17, 13, address};
}

static void start(struct penrose_chip *chip, struct command_end tile, const char *program)
{
    start_program(chip, tile.x, tile.y, PENROSE_BRISC, CODE, program);
}

static void fill(struct penrose_chip *chip, unsigned buffer, uint32_t control,
                 struct command_end from, struct command_end to, uint32_t length)
{
    command_fill(chip, writer.x, writer.y, buffer, control, from, to, length);
}

/* --- What the writer does, over and over --- */

/* After 200 turns, from the instruction at 0x1018 on: a new number, sent. */
#define SEND_NUMBERS                                                                               \
    START "lui t1, 3;addi t0, zero, 0;addi t0, t0, 1;sw t0, 0(t1);sw a4, 0x40(s0);"                \
          "addi a3, zero, 200;addi a3, a3, -1;bne a3, zero, 0x1028;jal zero, 0x1018"

static void write_numbers(struct penrose_chip *chip)
{
    fill(chip, 0, COMMAND_WRITE | COMMAND_RESPONSE, in(writer, SOURCE), gddr(SOURCE), 64);
    start(chip, writer, SEND_NUMBERS);
}

/* Reads another tile's numbers; the responses go to GDDR. */
static void answer_there(struct penrose_chip *chip)
{
    fill(chip, 0, COMMAND_READ, in(other, SOURCE), gddr(SOURCE), 64);
    start(chip, writer, SEND_NUMBERS);
    start(chip, other,
          START "lui t1, 3;addi t0, zero, 0;addi t0, t0, 1;sw t0, 0(t1);jal zero, 0x1018");
}

static void store_headers(struct penrose_chip *chip)
{
    command_put(chip, gddr(NIU_CFG), command_get(chip, gddr(NIU_CFG)) & ~(uint32_t)NO_HEADERS);
    fill(chip, 0, COMMAND_WRITE, in(writer, SOURCE), gddr(DRAM_L1 + 0x8000), 16);
    command_put(chip, in(writer, COMMAND_NIU + NIU_PACKET_TAG), HEADER_STORE);
    command_put(chip, in(writer, COMMAND_NIU + NIU_AT_DATA), SOURCE >> 4);
    start(chip, writer, SEND_NUMBERS);
}

/* GDDR and the hart's address space in turns. */
static void change_what_is_there(struct penrose_chip *chip)
{
    uint32_t config = command_get(chip, gddr(NIU_CFG));
    command_put(chip, in(writer, 0x3000), config);
    command_put(chip, in(writer, 0x3010), config & ~(uint32_t)SUBORDINATE);
    fill(chip, 0, COMMAND_WRITE, in(writer, 0x3010), gddr(NIU_CFG), 4);
    fill(chip, 1, COMMAND_WRITE, in(writer, 0x3000), gddr(NIU_CFG), 4);
    start(chip, writer,
          START "addi t0, zero, 333;"
                "sw a4, 0x40(s0);add a3, zero, t0;addi a3, a3, -1;bne a3, zero, 0x101c;"
                "sw a4, 0x40(s1);addi a3, t0, 50;addi a3, a3, -1;bne a3, zero, 0x102c;"
                "jal zero, 0x1014");
}

static const struct scene {
    const char *name;
    void (*begin)(struct penrose_chip *chip);
} scenes[] = {
    {"writes", write_numbers},
    {"responses", answer_there},
    {"headers", store_headers},
    {"configuration", change_what_is_there},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

/* --- The readers --- */

/* Reads a line, waits for it and adds it to a sum, over and over. */
static const char reader[] =
    START "addi a6, zero, 0;addi a7, zero, 0;lui a3, 4;lui t0, 5;"
          "sw a4, 0x40(s0);addi a6, a6, 1;lw a5, 0x208(s0);bne a5, a6, 0x1028;"
          "lw a2, 0(a3);slli t1, a7, 5;sub a7, t1, a7;add a7, a7, a2;sw a7, 0(t0);"
          "jal zero, 0x1020";

/* The state of a chip after the scene, and the sum of one reader. */
static uint64_t run_scene(const struct scene *scene, unsigned threads, uint32_t *sum)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    options.threads = threads;
    options.policy[PENROSE_FAULT_NOC_CREDIT] = PENROSE_IGNORE; /* of responses to GDDR */
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    command_put(chip, gddr(DRAM_L1 + SOURCE), 0x2222);
    command_put(chip, gddr(SOURCE), 0x1111);
    for (unsigned i = 0; i < COUNT(readers); i++) {
        command_fill(chip, readers[i].x, readers[i].y, 0, COMMAND_READ, gddr(SOURCE),
                     in(readers[i], TARGET), 64);
        start(chip, readers[i], reader);
    }
    scene->begin(chip);
    ck_assert_int_eq(penrose_run(chip, &(struct penrose_run){.size = sizeof(struct penrose_run),
                                                             .cycles = 60000}),
                     PENROSE_CYCLES);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    uint64_t hash = penrose_state_hash(chip);
    *sum = command_get(chip, in(readers[0], SUMS));
    penrose_chip_destroy(chip);
    return hash;
}

TEST_EACH(threads_do_not_matter, SCENES)
{
    const struct scene *scene = &scenes[_i];
    uint32_t sum;
    uint64_t hash = run_scene(scene, 1, &sum);
    ck_assert_uint_ne(sum, 0);
    for (unsigned i = 0; i < 6; i++) {
        ck_assert_msg(run_scene(scene, 2 + i % 3, &sum) == hash, "%s: %u threads differ",
                      scene->name, 2 + i % 3);
    }
}

/* --- Timed runs --- */

enum {
    BEGINNING = 2000,
    MEASURED = 16400,
    TAKEN = 1000 /* measured on cards, in so many cycles */
};

/* Requests one read of a line after the other, as fast as the NIU takes them. */
static const char asker[] =
    START "sw a4, 0x40(s0);lw a5, 0x40(s0);bne a5, zero, 0x1014;jal zero, 0x1010";

static uint32_t answers(struct penrose_chip *chip)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < COUNT(readers); i++) {
        count += command_get(chip, in(readers[i], COMMAND_NIU + 0x208));
    }
    return count;
}

static void pass(struct penrose_chip *chip, uint64_t cycles)
{
    ck_assert_int_eq(penrose_run(chip, &(struct penrose_run){.size = sizeof(struct penrose_run),
                                                             .cycles = cycles}),
                     PENROSE_CYCLES);
}

/* Answers of a bank to tiles that ask it by so many ports. */
static uint32_t answers_by(unsigned ports)
{
    struct penrose_options options = {.size = sizeof options, .timed = true};
    struct penrose_chip *chip;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    for (unsigned i = 0; i < COUNT(readers); i++) {
        const struct command_end port = {17, 12 + i % ports, SOURCE};
        command_fill(chip, readers[i].x, readers[i].y, 0, COMMAND_READ, port,
                     in(readers[i], TARGET), 64);
        start(chip, readers[i], asker);
    }
    pass(chip, BEGINNING);
    const uint32_t before = answers(chip);
    pass(chip, MEASURED);
    const uint32_t after = answers(chip);
    penrose_chip_destroy(chip);
    return after - before;
}

/* A port takes a read in 16.4 cycles, whoever asks. What waits for it holds up no other port. */
TEST(a_port_takes_one_read_after_the_other)
{
    const uint32_t one = answers_by(1), three = answers_by(3);
    ck_assert_uint_le(one, TAKEN + TAKEN / 100);
    ck_assert_uint_ge(one, TAKEN - TAKEN / 100);
    ck_assert_uint_gt(three, 2 * TAKEN);
}
