/*
 * The stand-in for base firmware: its words are the instructions that stand beside them, it runs
 * on an Ethernet tile: heartbeat, link state, mailboxes, calls of RELEASE_CORE, the functions of
 * its API table as other firmware calls them.
 */
#include "unit/tile/mmio_harness.h"
#include "eth/base_firmware.h"
#include "eth/eth.h"

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

static uint32_t word_at(uint32_t address)
{
    return harness_word(H, address);
}

static void set_word(void *owner, uint32_t address, uint32_t value)
{
    (void)owner;
    harness_set_word(H, address, value);
}

static void start(enum eth_link link, enum eth_port port)
{
    harness_open_type(H, TILE_ETHERNET);
    eth_set_link(harness.tile->eth, link, 0);
    struct eth_base_facts facts = {
        .port = port,
        .local = {1, 2, 3, 4, UINT64_C(0x1122334455667788), UINT64_C(0x99aabbccddeeff00), 5, 6},
        .remote = {7, 8, 9, 10, 11, 12, 13, 14},
    };
    eth_base_firmware_write(&facts, set_word, NULL);
    put(AGENT_NOC, RESET_PC_0, ETH_BASE_ENTRY);
    put(AGENT_NOC, SOFT_RESET, E1_HELD);
}

static void run(uint64_t cycles)
{
    tile_run(harness.tile, harness.tile->now + cycles);
    ck_assert_msg(harness.faults + harness.unmodelled == 0, "%s", harness.fault.text);
}

/* Runs until the word at `address` is `value`. */
static void wait(uint32_t address, uint32_t value)
{
    for (unsigned i = 0; word_at(address) != value; i++) {
        ck_assert_uint_lt(i, 32);
        run(64);
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

FIXTURE(NULL, harness_teardown);

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
        ck_assert_uint_eq(word_at(wanted[i].address), wanted[i].value);
    }
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t function = word_at(ETH_BASE_API_TABLE + 4 * i);
        ck_assert_uint_ge(function, ETH_BASE_ENTRY);
        ck_assert_uint_lt(function, ETH_BASE_ENTRY + sizeof rows / sizeof rows[0] * 4);
    }
}

TEST(the_heart_beats)
{
    start(ETH_LINK_DOWN, ETH_PORT_DOWN);
    run(1000);
    ck_assert_uint_eq(word_at(ETH_BASE_HEARTBEAT), 0xabcd0000);
    for (uint32_t i = 1; i < 20; i++) {
        run(ETH_BASE_PERIOD + 128);
        ck_assert_uint_eq(word_at(ETH_BASE_HEARTBEAT), 0xabcd0000 | i);
    }
}

TEST(the_link_is_reported)
{
    start(ETH_LINK_DOWN, ETH_PORT_DOWN);
    run(2 * ETH_BASE_PERIOD);
    ck_assert_uint_eq(word_at(ETH_BASE_PORT_STATUS), ETH_PORT_DOWN);
    ck_assert_uint_eq(word_at(ETH_BASE_LINK_UP), 0);
    eth_set_link(harness.tile->eth, ETH_LINK_UP, harness.tile->now);
    ck_assert_uint_eq(get(AGENT_NOC, PCS_STATUS), 1);
    run(2 * ETH_BASE_PERIOD);
    ck_assert_uint_eq(word_at(ETH_BASE_PORT_STATUS), ETH_PORT_UP);
    ck_assert_uint_eq(word_at(ETH_BASE_TRAIN_STATUS), 2);
    ck_assert_uint_eq(word_at(ETH_BASE_LINK_UP), 1);
    harness_set_word(H, ETH_BASE_PORT_STATUS, ETH_PORT_UNUSED);
    run(2 * ETH_BASE_PERIOD);
    ck_assert_uint_eq(word_at(ETH_BASE_PORT_STATUS), ETH_PORT_UNUSED);
}

/* Every mailbox, every message: answered, arguments cleared. */
TEST(messages_are_answered)
{
    start(ETH_LINK_UP, ETH_PORT_UNKNOWN);
    run(1000);
    for (uint32_t type = 0; type < 16; type++) {
        uint32_t box = ETH_BASE_MAILBOXES + 16 * (type % 4);
        harness_set_word(H, box + 4, 0); /* RELEASE_CORE of nothing calls nothing */
        harness_set_word(H, box + 8, 55);
        harness_set_word(H, box + 12, 66);
        harness_set_word(H, box, CALL | type);
        wait(box, DONE | type);
        ck_assert_uint_eq(word_at(box + 8), 0);
        ck_assert_uint_eq(word_at(box + 12), 0);
    }
}

TEST(a_core_is_released_and_comes_back)
{
    static const char guest[] =
        "addi sp, sp, -16; sw ra, 12(sp); lui t0, 0x20; lw t1, 0(t0); addi t1, t1, 1; "
        "sw t1, 0(t0); lui t2, 0x7d; lw t3, -252(t2); jalr ra, 0(t3); addi a0, zero, -1; "
        "lui t2, 0x7d; lw t3, -248(t2); jalr ra, 0(t3); lw ra, 12(sp); addi sp, sp, 16; "
        "jalr zero, 0(ra)";
    start(ETH_LINK_UP, ETH_PORT_UP);
    harness_assemble(H, GUEST, guest);
    run(1000);
    for (uint32_t i = 1; i < 10; i++) {
        uint32_t before = word_at(ETH_BASE_HEARTBEAT);
        harness_set_word(H, ETH_BASE_MAILBOXES + 4, GUEST);
        harness_set_word(H, ETH_BASE_MAILBOXES, CALL | 2);
        wait(MARK, i);
        ck_assert_uint_eq(word_at(ETH_BASE_MAILBOXES), DONE | 2);
        ck_assert_uint_eq(word_at(ETH_BASE_MAILBOXES + 4), 0);
        run(2 * ETH_BASE_PERIOD);
        ck_assert_uint_gt(word_at(ETH_BASE_HEARTBEAT), before);
        ck_assert_uint_eq(harness.tile->hart[RV32_B].x[2], 0xffb02000); /* the stack is level */
    }
}
