/*
 * The stand-in for base firmware: its words are the instructions that stand beside them, it runs
 * on the bench of eth_bench.h: heartbeat, link state, mailboxes, calls of RELEASE_CORE, the
 * functions of its API table as other firmware calls them.
 */
#include <string.h>

#include "unit/eth/eth_bench.h"
#include "eth/base_firmware.h"
#include "unit/test.h"

#define SOFT_RESET UINT32_C(0xffb121b0)
#define RESET_PC_0 UINT32_C(0xffb14000)
#define PCS_STATUS UINT32_C(0xffb9800c)

enum { E1_HELD = 0x1000, GUEST = 0x10000, MARK = 0x20000 };
#define CALL UINT32_C(0xca110000)
#define DONE UINT32_C(0xd0e50000)

static const struct {
    uint32_t word;
    const char *text;
} rows[] = {
#define BASE(word, text) {UINT32_C(word), text},
#include "base_firmware.def"
#undef BASE
};

static struct bench *bench;

static void start(enum eth_link link, enum eth_port port)
{
    bench = bench_create(link);
    ck_assert_ptr_nonnull(bench);
    struct eth_base_facts facts = {
        .port = port,
        .local = {1, 2, 3, 4, UINT64_C(0x1122334455667788), UINT64_C(0x99aabbccddeeff00), 5, 6},
        .remote = {7, 8, 9, 10, 11, 12, 13, 14},
    };
    eth_base_firmware_write(&facts, bench_write_l1, bench);
    bench_write(bench, RESET_PC_0, ETH_BASE_ENTRY);
    bench_write(bench, SOFT_RESET, E1_HELD);
}

static void teardown(void)
{
    ck_assert_str_eq(bench->stray, "");
    bench_destroy(bench);
}

/* A guest program at GUEST. */
static void program(const char *const *lines)
{
    for (uint32_t at = GUEST; *lines; lines++, at += 4) {
        struct penrose_error error;
        uint32_t word;
        ck_assert_int_eq(rv32_assemble(*lines, at, &word, &error), PENROSE_OK);
        bench_write(bench, at, word);
    }
}

TEST_EACH(words_are_their_text, COUNT(rows))
{
    struct penrose_error error;
    uint32_t word = 0;
    uint32_t pc = ETH_BASE_ENTRY + 4 * (uint32_t)_i;
    ck_assert_msg(rv32_assemble(rows[_i].text, pc, &word, &error) == PENROSE_OK, "%s",
                  rows[_i].text);
    ck_assert_msg(word == rows[_i].word, "%s", rows[_i].text);
}

TEST(results)
{
    static const struct {
        uint32_t address, value;
    } wanted[] = {
        {0x7cc00, 0xc0dea000}, {0x7cc04, 1},          {0x7cc08, 2},          {0x7ce04, 1},
        {0x7cfbc, 0x010600},   {0x7cfc0, 0x04030201}, {0x7cfc4, 0x11223344}, {0x7cfc8, 0x55667788},
        {0x7cfcc, 5},          {0x7cfd0, 6},          {0x7cfd4, 0x99aabbcc}, {0x7cfd8, 0xddeeff00},
        {0x7cfe0, 0x0a090807}, {0x7cfe8, 11},         {0x7cff8, 12},         {0x7cfdc, 1},
    };
    start(ETH_LINK_UP, ETH_PORT_UP);
    for (int i = 0; i < COUNT(wanted); i++) {
        ck_assert_uint_eq(bench_read(bench, wanted[i].address), wanted[i].value);
    }
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t function = bench_read(bench, ETH_BASE_API_TABLE + 4 * i);
        ck_assert_uint_ge(function, ETH_BASE_ENTRY);
        ck_assert_uint_lt(function, ETH_BASE_ENTRY + sizeof rows / sizeof rows[0] * 4);
    }
    teardown();
}

TEST(the_heart_beats)
{
    start(ETH_LINK_DOWN, ETH_PORT_DOWN);
    ck_assert(bench_run(bench, 1000));
    ck_assert_uint_eq(bench_read(bench, ETH_BASE_HEARTBEAT), 0xabcd0000);
    for (uint32_t i = 1; i < 20; i++) {
        ck_assert(bench_run(bench, ETH_BASE_PERIOD + 128));
        ck_assert_uint_eq(bench_read(bench, ETH_BASE_HEARTBEAT), 0xabcd0000 | i);
    }
    teardown();
}

TEST(the_link_is_reported)
{
    start(ETH_LINK_DOWN, ETH_PORT_DOWN);
    ck_assert(bench_run(bench, 2 * ETH_BASE_PERIOD));
    ck_assert_uint_eq(bench_read(bench, ETH_BASE_PORT_STATUS), ETH_PORT_DOWN);
    ck_assert_uint_eq(bench_read(bench, ETH_BASE_LINK_UP), 0);
    eth_set_link(&bench->eth, ETH_LINK_UP, bench->now);
    ck_assert_uint_eq(bench_read(bench, PCS_STATUS), 1);
    ck_assert(bench_run(bench, 2 * ETH_BASE_PERIOD));
    ck_assert_uint_eq(bench_read(bench, ETH_BASE_PORT_STATUS), ETH_PORT_UP);
    ck_assert_uint_eq(bench_read(bench, ETH_BASE_TRAIN_STATUS), 2);
    ck_assert_uint_eq(bench_read(bench, ETH_BASE_LINK_UP), 1);
    bench_write(bench, ETH_BASE_PORT_STATUS, ETH_PORT_UNUSED);
    ck_assert(bench_run(bench, 2 * ETH_BASE_PERIOD));
    ck_assert_uint_eq(bench_read(bench, ETH_BASE_PORT_STATUS), ETH_PORT_UNUSED);
    teardown();
}

/* Every mailbox, every message: answered, arguments cleared. */
TEST(messages_are_answered)
{
    start(ETH_LINK_UP, ETH_PORT_UNKNOWN);
    ck_assert(bench_run(bench, 1000));
    for (uint32_t type = 0; type < 16; type++) {
        uint32_t box = ETH_BASE_MAILBOXES + 16 * (type % 4);
        bench_write(bench, box + 4, 0); /* RELEASE_CORE of nothing calls nothing */
        bench_write(bench, box + 8, 55);
        bench_write(bench, box + 12, 66);
        bench_write(bench, box, CALL | type);
        ck_assert(bench_wait(bench, box, 0xffffffff, DONE | type, 2000));
        ck_assert_uint_eq(bench_read(bench, box + 8), 0);
        ck_assert_uint_eq(bench_read(bench, box + 12), 0);
    }
    teardown();
}

TEST(a_core_is_released_and_comes_back)
{
    static const char *const guest[] = {
        "addi sp, sp, -16",
        "sw ra, 12(sp)",
        "lui t0, 0x20",
        "lw t1, 0(t0)",
        "addi t1, t1, 1",
        "sw t1, 0(t0)",
        "lui t2, 0x7d",
        "lw t3, -252(t2)",
        "jalr ra, 0(t3)",
        "addi a0, zero, -1",
        "lui t2, 0x7d",
        "lw t3, -248(t2)",
        "jalr ra, 0(t3)",
        "lw ra, 12(sp)",
        "addi sp, sp, 16",
        "jalr zero, 0(ra)",
        NULL,
    };
    start(ETH_LINK_UP, ETH_PORT_UP);
    program(guest);
    ck_assert(bench_run(bench, 1000));
    for (uint32_t i = 1; i < 10; i++) {
        uint32_t before = bench_read(bench, ETH_BASE_HEARTBEAT);
        bench_write(bench, ETH_BASE_MAILBOXES + 4, GUEST);
        bench_write(bench, ETH_BASE_MAILBOXES, CALL | 2);
        ck_assert(bench_wait(bench, MARK, 0xffffffff, i, 2000));
        ck_assert_uint_eq(bench_read(bench, ETH_BASE_MAILBOXES), DONE | 2);
        ck_assert_uint_eq(bench_read(bench, ETH_BASE_MAILBOXES + 4), 0);
        ck_assert(bench_run(bench, 2 * ETH_BASE_PERIOD));
        ck_assert_uint_gt(bench_read(bench, ETH_BASE_HEARTBEAT), before);
        ck_assert_uint_eq(bench->hart[0].x[2], 0xffb02000); /* the stack is level */
    }
    teardown();
}
