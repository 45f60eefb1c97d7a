/*
 * Messages to ARC that concern the rest of the chip, sent as a host sends them: resets of workers,
 * NIUs set up again, DMA with its completion messages, what is refused.
 */
#include <string.h>

#include <penrose/penrose.h>

#include "unit/test.h"

enum {
    WORDS = 8,
    HOST_BYTES = 0x4000,
    PROGRAM = 0x1000,
    MARK = 0x9000,
    REINIT = 0x20,
    DEBUG_NOC_TRANSLATION = 0x15,
    TRIGGER_RESET = 0x56,
    CHIP_TO_HOST = 0x9b,
    HOST_TO_CHIP = 0x9c,
    RESET_ONE = 0xae,
    RESET_ALL = 0xaf,
};

#define SOFT_RESET     UINT32_C(0xffb121b0)
#define ALL_HELD       UINT32_C(0x47800)
#define NIU(noc)       (UINT32_C(0xffb20000) + UINT32_C(0x10000) * (noc))
#define STREAM(s, reg) (UINT32_C(0xffb40000) + UINT32_C(0x1000) * (s) + UINT32_C(4) * (reg))

static struct penrose_chip *chip;
static uint8_t host[HOST_BYTES], device[HOST_BYTES]; /* at address 0 of either side */
static uint64_t host_writes[8];
static unsigned written;

static bool is_in(uint64_t address, uint32_t size)
{
    return size <= HOST_BYTES && address <= HOST_BYTES - size;
}

static bool read_from(void *context, uint64_t address, void *bytes, uint32_t size)
{
    if (!is_in(address, size)) {
        return false;
    }
    memcpy(bytes, (uint8_t *)context + address, size);
    return true;
}

static bool write_to(void *context, uint64_t address, const void *bytes, uint32_t size)
{
    if (!is_in(address, size)) {
        return false;
    }
    if (context == host && written < 8) {
        host_writes[written++] = address;
    }
    memcpy((uint8_t *)context + address, bytes, size);
    return true;
}

static void open_chip(void)
{
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, NULL), PENROSE_OK);
}

static void setup(void)
{
    const struct penrose_host_memory memory = {read_from, write_to, host};
    const struct penrose_host_memory bar = {read_from, write_to, device};
    open_chip();
    penrose_host_memory_set(chip, &memory);
    penrose_pcie_device_set(chip, &bar);
    memset(host, 0, sizeof host);
    memset(device, 0, sizeof device);
    written = 0;
}

static void teardown(void)
{
    penrose_chip_destroy(chip);
}

FIXTURE(setup, teardown);

static uint32_t get(unsigned x, unsigned y, uint64_t address)
{
    uint32_t value = 0;
    struct penrose_error error;
    ck_assert_msg(penrose_read(chip, x, y, address, &value, 4, &error) == PENROSE_OK, "%s",
                  error.text);
    return value;
}

static void put(unsigned x, unsigned y, uint64_t address, uint32_t value)
{
    struct penrose_error error;
    ck_assert_msg(penrose_write(chip, x, y, address, &value, 4, &error) == PENROSE_OK, "%s",
                  error.text);
}

/* Through the first queue: the header has request write and response read pointers, then request
 * read and response write pointers; requests and responses of 32 bytes follow. */
static uint8_t send_message(const uint32_t request[WORDS])
{
    uint64_t control = get(8, 0, 0x8003042c), queue = get(8, 0, control);
    uint32_t entries = get(8, 0, control + 4) & 0xff;
    uint32_t slot = get(8, 0, queue), answer = get(8, 0, queue + 4);
    uint64_t requests = queue + 32, responses = requests + UINT64_C(32) * entries;
    for (unsigned i = 0; i < WORDS; i++) {
        put(8, 0, requests + slot % entries * 32 + UINT64_C(4) * i, request[i]);
    }
    put(8, 0, queue, (slot + 1) % (2 * entries));
    put(8, 0, 0x80030100, get(8, 0, 0x80030100) | 1 << 16);
    put(8, 0, queue + 4, (answer + 1) % (2 * entries));
    return (uint8_t)get(8, 0, responses + answer % entries * 32);
}

static uint8_t send_code(uint32_t code, uint32_t argument)
{
    const uint32_t request[WORDS] = {code, argument};
    return send_message(request);
}

/* --- Resets --- */

/* A hart that counts at MARK for ever; a stream, an interrupt and a configured NIU. */
static void disturb(unsigned x, unsigned y)
{
    static const char *const lines[] = {"lui a1, 9", "lw a0, 0(a1)", "addi a0, a0, 1",
                                        "sw a0, 0(a1)", "jal zero, 0x1004"};
    struct penrose_error error;
    for (uint32_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        uint32_t word;
        ck_assert_int_eq(penrose_assemble(NULL, lines[i], PROGRAM + 4 * i, &word, &error),
                         PENROSE_OK);
        put(x, y, PROGRAM + 4 * i, word);
    }
    ck_assert_int_eq(penrose_hart_release(chip, x, y, PENROSE_BRISC, PROGRAM, &error), PENROSE_OK);
    for (unsigned noc = 0; noc < 2; noc++) {
        put(x, y, NIU(noc) + 0x00, 0x1234);
        put(x, y, NIU(noc) + 0x148, 0x777);
        put(x, y, NIU(noc) + 0x100, 0);
    }
    put(x, y, STREAM(5, 10), 77);
    put(x, y, STREAM(40, 10), 78);
    put(x, y, 0xffb12070, 0x01010101); /* clock gating */
}

static void pass(uint64_t cycles)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = cycles};
    ck_assert_int_ne(penrose_run(chip, &run), PENROSE_FAULT);
}

/* Registers are those of a worker that nobody has touched. */
static void expect_fresh(unsigned x, unsigned y)
{
    struct penrose_chip *disturbed = chip;
    enum { WORDS_SEEN = 2 * (12 + 20) + 4 };
    uint32_t now[WORDS_SEEN], fresh[WORDS_SEEN];
    for (unsigned turn = 0; turn < 2; turn++) {
        uint32_t *word = turn ? fresh : now;
        if (turn) {
            open_chip();
        }
        for (unsigned noc = 0; noc < 2; noc++) {
            for (unsigned i = 0; i < 12; i++) {
                *word++ = get(x, y, NIU(noc) + 4 * i);
            }
            for (unsigned i = 0; i < 20; i++) { /* NIU_CFG_0 to NOC_ID_LOGICAL */
                *word++ = get(x, y, NIU(noc) + 0x100 + 4 * i);
            }
        }
        *word++ = get(x, y, STREAM(5, 10));
        *word++ = get(x, y, STREAM(40, 10));
        *word++ = get(x, y, SOFT_RESET);
        *word++ = get(x, y, 0xffb12070);
        ck_assert_int_eq(word - (turn ? fresh : now), WORDS_SEEN);
    }
    penrose_chip_destroy(chip);
    chip = disturbed;
    for (unsigned i = 0; i < WORDS_SEEN; i++) {
        ck_assert_msg(now[i] == fresh[i], "word %u: 0x%x, in a fresh tile 0x%x", i, now[i],
                      fresh[i]);
    }
}

TEST(one_worker_is_reset)
{
    disturb(3, 4);
    disturb(16, 11);
    pass(2048);
    uint32_t count = get(3, 4, MARK), other = get(16, 11, MARK);
    ck_assert_uint_gt(count, 100);
    ck_assert_uint_eq(get(3, 4, SOFT_RESET) & 1 << 11, 0);
    ck_assert_uint_eq(send_code(RESET_ONE, 3 | 4 << 8), 0);
    expect_fresh(3, 4);
    ck_assert_uint_eq(get(3, 4, SOFT_RESET), ALL_HELD);
    pass(2048);
    ck_assert_uint_eq(get(3, 4, MARK), count); /* L1 stays, nobody counts */
    ck_assert_uint_gt(get(16, 11, MARK), other);
    ck_assert_uint_eq(get(16, 11, STREAM(5, 10)), 77);
    disturb(3, 4); /* and it works again */
    pass(2048);
    ck_assert_uint_gt(get(3, 4, MARK), count);
}

TEST_EACH(only_workers_are_reset, 5)
{
    static const uint32_t others[] = {8 | 0 << 8, 17 | 12 << 8, 20 | 25 << 8, 8 | 4 << 8,
                                      200 | 200 << 8};
    ck_assert_uint_eq(send_code(RESET_ONE, others[_i]), 1);
}

TEST_EACH(all_workers_are_reset, 2)
{
    bool wipes = _i;
    disturb(1, 2);
    disturb(16, 11);
    put(16, 11, 0x17fff0, 0x5eed);
    pass(2048);
    uint32_t count = get(1, 2, MARK);
    ck_assert_uint_eq(send_code(wipes ? TRIGGER_RESET : RESET_ALL, 0), 0);
    expect_fresh(1, 2);
    expect_fresh(16, 11);
    pass(2048);
    ck_assert_uint_eq(get(1, 2, MARK), wipes ? 0 : count);
    ck_assert_uint_eq(get(16, 11, 0x17fff0), wipes ? 0 : 0x5eed);
    disturb(16, 11);
    pass(2048);
    ck_assert_uint_gt(get(16, 11, MARK), 100);
}

TEST(nius_are_set_up_again)
{
    uint32_t config = get(20, 25, NIU(0) + 0x100);
    disturb(3, 4);
    put(20, 25, NIU(0) + 0x100, 0);
    ck_assert_uint_eq(send_code(REINIT, 0), 0);
    ck_assert_uint_eq(get(3, 4, NIU(0) + 0x148), 3 | 4 << 6);
    ck_assert_uint_eq(get(3, 4, NIU(1) + 0x100) >> 14 & 1, 1);
    ck_assert_uint_eq(get(20, 25, NIU(0) + 0x100), config);
    ck_assert_uint_eq(get(3, 4, STREAM(5, 10)), 77); /* nothing else */
    pass(2048);
    ck_assert_uint_gt(get(3, 4, MARK), 100);
}

TEST(coordinates_stay_as_they_are)
{
    ck_assert_uint_eq(send_code(DEBUG_NOC_TRANSLATION | 1 << 8, 0), 1);
}

/* --- DMA --- */

static uint8_t transfer(uint32_t code, uint32_t size, uint32_t chip_at, uint32_t host_at)
{
    const uint32_t request[WORDS] = {code | 0xa5 << 8, size, chip_at, 0, host_at, 0, 0x3f00, 0};
    return send_message(request);
}

static uint32_t host_word(uint32_t address)
{
    uint32_t value;
    memcpy(&value, host + address, sizeof value);
    return value;
}

TEST_EACH(data_move_both_ways, 2)
{
    bool to_host = _i;
    uint8_t *from = to_host ? device : host, *to = to_host ? host : device;
    for (unsigned i = 0; i < HOST_BYTES; i++) {
        from[i] = (uint8_t)(i * 7 + 3);
        to[i] = 0;
    }
    uint32_t source = 0x104, target = 0x2003, size = 0x1801;
    ck_assert_uint_eq(transfer(to_host ? CHIP_TO_HOST : HOST_TO_CHIP, size,
                               to_host ? source : target, to_host ? target : source),
                      0);
    ck_assert_int_eq(memcmp(to + target, from + source, size), 0);
    ck_assert_uint_eq(to[target - 1], 0);
    ck_assert_uint_eq(to[target + size], 0);
    ck_assert_uint_gt(written, 0);
    ck_assert_uint_eq(host_writes[written - 1], 0x3f00);
    ck_assert_uint_eq(host_word(0x3f00), 0xa5);
}

/* Nothing answers at one of the ends, or there is nothing to move: the other word is written. */
TEST_EACH(transfers_that_fail_are_told, 4)
{
    static const uint32_t rows[][4] = {{CHIP_TO_HOST, 64, HOST_BYTES, 0},
                                       {CHIP_TO_HOST, 64, 0, HOST_BYTES},
                                       {HOST_TO_CHIP, 64, 0, HOST_BYTES - 63},
                                       {HOST_TO_CHIP, 0, 0, 0}};
    ck_assert_uint_eq(transfer(rows[_i][0], rows[_i][1], rows[_i][2], rows[_i][3]), 0);
    ck_assert_uint_eq(host_word(0x3f00), 0);
    ck_assert_uint_eq(host_word(0x3f04), 0xa5);
}
