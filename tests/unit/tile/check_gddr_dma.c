/* The DMA engine of DRAM tiles: its registers, its transfers, what it refuses, and its hart using it. */
#include <string.h>

#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/tile/mmio_harness.h"

enum {
    STATUS = 0,
    SETTINGS = 4,
    WRITE_FROM = 0x10,
    WRITE_LOW = 0x14,
    WRITE_HIGH = 0x18,
    READ_LOW = 0x30,
    READ_HIGH = 0x34,
    READ_TO = 0x38,
    START = 0x50,
    WRITES = 0x78,
    READS = 0x7c,
    L1_BYTES = 128 * 1024,
    CHUNK = 0x1000, /* of GDDR, at BASE */
};
#define STREAM(i, offset) (UINT32_C(0xfc000000) + 0x100 * (uint32_t)(i) + (uint32_t)(offset))
#define CONTROL(offset)   (UINT32_C(0xfc001000) + (uint32_t)(offset))
#define WEIGHT(i)         (UINT32_C(0xfc105830) + 4 * (uint32_t)(i))
#define BASE              UINT64_C(0x123400000)
#define READ(bytes)       (UINT32_C(0x83000000) | (bytes) / 16)
#define WRITE(bytes)      (UINT32_C(0x10000000) | (bytes) / 16)

static uint8_t gddr[CHUNK];

static bool move_gddr(void *owner, const struct tile *tile, bool writes, uint64_t address,
                      uint8_t *bytes, uint32_t size, const char **rule)
{
    ck_assert_ptr_eq(owner, &harness);
    ck_assert_ptr_eq(tile, harness.tile);
    if (address < BASE || address > BASE + CHUNK || size > BASE + CHUNK - address) {
        *rule = "beyond";
        return false;
    }
    memcpy(writes ? gddr + (address - BASE) : bytes, writes ? bytes : gddr + (address - BASE),
           size);
    return true;
}

static void dram_setup(void)
{
    harness_open_type(H, TILE_DRAM);
    harness.board.move_gddr = move_gddr;
    for (unsigned i = 0; i < CHUNK; i++) {
        gddr[i] = (uint8_t)(i * 7 + i / 256);
    }
}

FIXTURE(dram_setup, harness_teardown);

static void read_from(unsigned stream, uint64_t from, uint32_t to)
{
    put(AGENT_B, STREAM(stream, READ_LOW), (uint32_t)from);
    put(AGENT_B, STREAM(stream, READ_HIGH), (uint32_t)(from >> 32));
    put(AGENT_B, STREAM(stream, READ_TO), to);
}

static void write_to(unsigned stream, uint32_t from, uint64_t to)
{
    put(AGENT_B, STREAM(stream, WRITE_FROM), from);
    put(AGENT_B, STREAM(stream, WRITE_LOW), (uint32_t)to);
    put(AGENT_B, STREAM(stream, WRITE_HIGH), (uint32_t)(to >> 32));
}

TEST(registers_after_reset)
{
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(get(AGENT_B, STREAM(i, STATUS)), 0);
        ck_assert_uint_eq(get(AGENT_B, STREAM(i, SETTINGS)), 1);
        ck_assert_uint_eq(get(AGENT_B, STREAM(i, START)), 0x03000000);
        put(AGENT_B, STREAM(i, 0x58), 0x1234abcd + i); /* SCRATCH_0 */
        put(AGENT_B, STREAM(i, STATUS), 5);
        ck_assert_uint_eq(get(AGENT_B, STREAM(i, STATUS)), 0);
    }
    ck_assert_uint_eq(get(AGENT_B, STREAM(0, 0x58)), 0x1234abcd);
    ck_assert_uint_eq(get(AGENT_B, STREAM(1, 0x58)), 0x1234abce);
    ck_assert_uint_eq(get(AGENT_B, CONTROL(4)), 0x00031001);
    ck_assert_uint_eq(get(AGENT_B, CONTROL(0x10)), 1);
    ck_assert_uint_eq(get(AGENT_B, CONTROL(0x14)), 1);
    put(AGENT_B, WEIGHT(2), 0xff);
    ck_assert_uint_eq(get(AGENT_B, WEIGHT(2)), 7);
    ck_assert_uint_eq(get(AGENT_B, WEIGHT(0)), 0);
}

TEST_EACH(both_ways, 2)
{
    const unsigned stream = (unsigned)_i;
    uint8_t expected[CHUNK];
    read_from(stream, BASE + 0x230, 0x4010);
    put(AGENT_B, STREAM(_i, START), READ(0x110));
    ck_assert(!memcmp(harness.tile->l1 + 0x4010, gddr + 0x230, 0x110));
    ck_assert_uint_eq(harness.tile->l1[0x400f] | harness.tile->l1[0x4120], 0);
    memcpy(expected, gddr, CHUNK);
    memcpy(expected + 0x800, gddr + 0x230, 0x20);
    write_to(stream, 0x4010, BASE + 0x800);
    put(AGENT_B, STREAM(_i, START), WRITE(0x20));
    put(AGENT_B, STREAM(_i, START), WRITE(0));
    ck_assert(!memcmp(gddr, expected, CHUNK));
    ck_assert_uint_eq(get(AGENT_B, STREAM(_i, READS)), 1);
    ck_assert_uint_eq(get(AGENT_B, STREAM(_i, WRITES)), 2);
    ck_assert_uint_eq(get(AGENT_B, STREAM(!_i, WRITES)), 0);
    ck_assert_uint_eq(get(AGENT_B, STREAM(_i, START)), WRITE(0));
}

/* Neither a poke nor a word without a start bit moves anything. */
TEST(only_stores_start_something)
{
    read_from(0, BASE, 0x4000);
    ck_assert_int_eq(try_access(MMIO_POKE, AGENT_B, STREAM(0, START), READ(16)), ANSWER_DONE);
    put(AGENT_B, STREAM(0, START), READ(16) & 0x7fffffff);
    ck_assert_uint_eq(harness.tile->l1[0x4001], 0);
    ck_assert_uint_eq(get(AGENT_B, STREAM(0, READS)), 0);
}

static const struct {
    uint64_t gddr;
    uint32_t l1, start;
    enum answer reply;
} wrong[] = {
    {BASE, L1_BYTES - 16, READ(32), ANSWER_UNMAPPED},
    {BASE, L1_BYTES + 16, READ(16), ANSWER_UNMAPPED},
    {BASE, 0xfffffff0, READ(32), ANSWER_UNMAPPED},
    {BASE + CHUNK - 16, 0x4000, READ(32), ANSWER_UNMAPPED},
    {BASE - 16, 0x4000, WRITE(16), ANSWER_UNMAPPED},
    {BASE + 4, 0x4000, READ(16), ANSWER_UNIMPLEMENTED},
    {BASE, 0x4008, WRITE(16), ANSWER_UNIMPLEMENTED},
    {BASE, 0x4000, READ(16) | WRITE(16), ANSWER_UNIMPLEMENTED},
    {BASE, 0x4000, READ(16) | 1 << 20, ANSWER_UNIMPLEMENTED}, /* automatic increments */
    {BASE, 0x4000, READ(16) | 1 << 23, ANSWER_UNIMPLEMENTED},
    {BASE, 0x4000, READ(16) | 1 << 26, ANSWER_UNIMPLEMENTED}, /* an interrupt */
    {BASE, 0x4000, 1 | 1 << 29, ANSWER_UNIMPLEMENTED},        /* data */
    {BASE, 0x4000, 1 | 1 << 30, ANSWER_UNIMPLEMENTED},        /* a remote register */
};

TEST_EACH(what_is_refused, COUNT(wrong))
{
    uint8_t before[CHUNK];
    memcpy(before, gddr, CHUNK);
    read_from(0, wrong[_i].gddr, wrong[_i].l1);
    write_to(0, wrong[_i].l1, wrong[_i].gddr);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_B, STREAM(0, START), wrong[_i].start),
                     wrong[_i].reply);
    ck_assert_uint_eq(get(AGENT_B, STREAM(0, START)), 0x03000000);
    ck_assert_uint_eq(get(AGENT_B, STREAM(0, READS)) | get(AGENT_B, STREAM(0, WRITES)), 0);
    ck_assert(!memcmp(before, gddr, CHUNK));
}

TEST(registers_that_are_not_there)
{
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_B, STREAM(0, 0x60), 0), ANSWER_UNIMPLEMENTED);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_B, STREAM(0, 0x0c), 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_B, STREAM(0, 0x80), 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_B, STREAM(2, 0), 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_B, CONTROL(0x18), 0), ANSWER_UNMAPPED);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_NOC, STREAM(0, 0), 0), ANSWER_UNMAPPED);
    put(AGENT_B, CONTROL(4), 0x00031000); /* off */
    read_from(0, BASE, 0x4000);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_B, STREAM(0, START), READ(16)),
                     ANSWER_UNIMPLEMENTED);
}

/* As tt-metal's kernels for such harts do it: a read on stream 0, waiting, a write on stream 1. */
TEST_EACH(a_hart_copies, 2)
{
    static const char program[] =
        "lui s0, 0xfc000;lui t0, 0x1000;sw t0, 0x30(s0);sw zero, 0x34(s0);lui t1, 4;"
        "sw t1, 0x38(s0);lui t2, 0x83000;addi t2, t2, 4;sw t2, 0x50(s0);lui a2, 0x10;"
        "addi a2, a2, -0xf0;lw a0, 0(s0);and a0, a0, a2;bne a0, zero, 0x102c;"
        "sw t1, 0x110(s0);lui t0, 0x2000;sw t0, 0x114(s0);sw zero, 0x118(s0);lui t2, 0x10000;"
        "addi t2, t2, 4;sw t2, 0x150(s0);lui a1, 5;lw a0, 0x7c(s0);sw a0, 0(a1);"
        "lw a0, 0x178(s0);sw a0, 4(a1);ebreak";
    struct penrose_options options = {.size = sizeof options, .threads = 1 + 3 * (unsigned)_i};
    struct penrose_error error;
    struct penrose_chip *chip;
    uint32_t words[16], copied[16] = {0}, counts[2];
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_OK);
    for (uint32_t i = 0; i < 16; i++) {
        words[i] = 0x01020304 * (i + 1);
    }
    ck_assert_int_eq(penrose_write(chip, 17, 13, 0x1000000, words, sizeof words, &error), 0);
    start_program(chip, 17, 13, PENROSE_BRISC, 0x1000, program);
    penrose_run(chip, &(struct penrose_run){.size = sizeof(struct penrose_run), .cycles = 10000});
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    ck_assert_int_eq(penrose_read(chip, 17, 13, 0x2000000, copied, sizeof copied, &error), 0);
    ck_assert(!memcmp(words, copied, sizeof words));
    ck_assert_int_eq(
        penrose_read(chip, 17, 13, UINT64_C(0x2000005000), counts, sizeof counts, &error), 0);
    ck_assert_uint_eq(counts[0], 1);
    ck_assert_uint_eq(counts[1], 1);
    penrose_chip_destroy(chip);
}
