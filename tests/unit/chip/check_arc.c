/*
 * The ARC tile as hosts use it: a client of its own that finds queues and telemetry through the
 * registers, sends messages and reads the answers; all products; every code; queues that a host has
 * spoilt; accesses anywhere, which must neither crash nor go unexplained.
 */
#include <string.h>

#include "chip/arc.h"
#include "unit/random.h"
#include "unit/test.h"

enum { WORDS = ARC_MESSAGE_WORDS, ENTRIES = 4, QUEUES = 4, WRAP = 8 };

static struct grid grid;
static struct arc arc; /* 512 KiB: too large for the stack */
static char rule[GRID_RULE_BYTES + 1];
static uint64_t cycles;
static uint64_t dice;

static struct {
    unsigned calls;
    uint32_t request[WORDS];
} board_saw;

static uint64_t board_now(void *context)
{
    return *(uint64_t *)context;
}

static uint8_t board_message(void *context, const uint32_t request[WORDS], uint32_t response[WORDS])
{
    ck_assert_ptr_eq(context, &cycles);
    board_saw.calls++;
    memcpy(board_saw.request, request, sizeof board_saw.request);
    response[3] = request[1] ^ 0x5555;
    return 7;
}

static void open_product(const char *name)
{
    struct arc_board board = {.now = board_now, .message = board_message, .context = &cycles};
    ck_assert_ptr_null(grid_init(&grid, grid_product(name)));
    memset(&arc, 0, sizeof arc);
    const struct chip_identity identity = {.board = grid_product(name)->board};
    arc_init(&arc, &grid, &identity, &board);
}

static void setup(void)
{
    cycles = 0;
    dice = 1;
    memset(&board_saw, 0, sizeof board_saw);
    memset(rule, 0x55, sizeof rule);
    open_product("unharvested");
}

FIXTURE(setup, NULL);

/* --- A client --- */

static uint32_t get(uint64_t address)
{
    uint32_t value = 0;
    EXPECT(arc_read(&arc, 0, address, &value, 4, rule) == ANSWER_DONE);
    return value;
}

static void put(uint64_t address, uint32_t value)
{
    EXPECT(arc_write(&arc, 0, address, &value, 4, rule) == ANSWER_DONE);
}

static uint64_t queue_base(unsigned index)
{
    uint64_t control = get(0x8003042c);
    ck_assert_uint_eq(get(control + 4) & 0xffff, ENTRIES | QUEUES << 8);
    return get(control) + index * (32 + 2 * ENTRIES * 32);
}

static void push(uint64_t queue, const uint32_t *request)
{
    uint32_t at = get(queue);
    for (unsigned i = 0; i < WORDS; i++) {
        put(queue + 32 + 32 * (at % ENTRIES) + 4 * i, request[i]);
    }
    put(queue, (at + 1) % WRAP);
}

static bool pop(uint64_t queue, uint32_t *response)
{
    uint32_t at = get(queue + 4);
    if (at == get(queue + 20)) {
        return false;
    }
    for (unsigned i = 0; i < WORDS; i++) {
        response[i] = get(queue + 32 + 32 * (ENTRIES + at % ENTRIES) + 4 * i);
    }
    put(queue + 4, (at + 1) % WRAP);
    return true;
}

static void trigger(void)
{
    put(0x80030100, 1 << 16);
    ck_assert_uint_eq(get(0x80030100), 0);
}

static uint32_t send(unsigned index, uint32_t code, uint32_t argument, uint32_t *response)
{
    uint32_t request[WORDS] = {code, argument};
    uint64_t queue = queue_base(index);
    push(queue, request);
    trigger();
    ck_assert(pop(queue, response));
    return response[0] & 0xff;
}

static bool find_tag(uint32_t tag, uint32_t *value)
{
    uint64_t tags = get(0x80030434), values = get(0x80030430);
    uint32_t count = get(tags + 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry = get(tags + 8 + 4 * i);
        if ((entry & 0xffff) == tag) {
            *value = get(values + 4 * (entry >> 16));
            return true;
        }
    }
    return false;
}

static uint32_t tag_value(uint32_t tag)
{
    uint32_t value = 0;
    ck_assert_msg(find_tag(tag, &value), "tag %u", tag);
    return value;
}

/* --- Boot and telemetry --- */

TEST(test_boot)
{
    ck_assert_uint_eq(get(0x80030408) & 7, 5);
    ck_assert_uint_eq(get(0x80030060) >> 16, 0xc0de);
    ck_assert_uint_eq(get(0x80050044), 0x10611008);
    ck_assert_uint_eq(get(0x80058044), 0x006112c8);
    ck_assert_uint_eq(get(0x80050100) >> 14 & 1, 1);
    uint32_t value;
    ck_assert_int_eq(arc_read(&arc, 1, UINT64_C(0xffffffffffb30044), &value, 4, rule), ANSWER_DONE);
    ck_assert_uint_eq(value, 0x006112c8);
}

TEST(test_products)
{
    static const struct {
        const char *name;
        uint32_t board, columns, ethernet, banks, trained, pcie;
    } rows[] = {{"unharvested", 0x400, 0x3fff, 0x0fff, 0xff, 0x5555, 1},
                {"p150a", 0x401, 0x3fff, 0x3edf, 0xff, 0x5555, 1},
                {"p100a", 0x431, 0x0fff, 0, 0xf7, 0x5515, 1},
                {"p100", 0x361, 0x0fff, 0, 0xf7, 0x5515, 4},
                {"p300-right", 0x451, 0x0fff, 0x3edf, 0xff, 0x5555, 1},
                {"p300-left", 0x451, 0x0fff, 0x3edf, 0xff, 0x5555, 4},
                {"ubb", 0x471, 0x1fff, 0x3edf, 0xff, 0x5555, 4}};
    for (int i = 0; i < COUNT(rows); i++) {
        open_product(rows[i].name);
        ck_assert_uint_eq(tag_value(1), rows[i].board);
        ck_assert_uint_eq(tag_value(2), 1);
        ck_assert_uint_eq(tag_value(34), rows[i].columns);
        ck_assert_uint_eq(tag_value(35), rows[i].ethernet);
        ck_assert_uint_eq(tag_value(21), rows[i].ethernet);
        ck_assert_uint_eq(tag_value(36), rows[i].banks);
        ck_assert_uint_eq(tag_value(22), rows[i].trained);
        ck_assert_uint_eq(tag_value(38), rows[i].pcie);
        ck_assert_uint_eq(tag_value(28), 0x12050000);
    }
}

/* UMD's harvesting masks of telemetry are those of the grid. */
TEST(test_masks_as_umd_reads_them)
{
    static const uint8_t die[] = {1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10};
    for (size_t i = 0; grid_product_at(i); i++) {
        open_product(grid_product_at(i)->name);
        uint32_t columns = ~tag_value(34) & 0x3fff, banks = ~tag_value(36) & 0xff;
        for (unsigned column = 0; column < sizeof die; column++) {
            struct grid_position at = {die[column], 5};
            ck_assert_int_eq(columns >> column & 1, grid_tile(&grid, at)->is_fused_off);
        }
        for (unsigned bank = 0; bank < 8; bank++) {
            struct grid_position at;
            ck_assert(grid_locate(&grid, PENROSE_TILE_DRAM, bank, 1, &at));
            ck_assert_int_eq(banks >> bank & 1, grid_tile(&grid, at)->is_fused_off);
        }
    }
}

TEST(test_heartbeat_and_clock)
{
    uint32_t beat = tag_value(32);
    cycles = UINT64_C(1000000000);
    ck_assert_uint_eq(tag_value(32), beat + 10);
    ck_assert_uint_eq(get(0x800300e0), 50000000);
    cycles = UINT64_C(20) << 33;
    ck_assert_uint_eq(get(0x800300e0), 0);
    ck_assert_uint_eq(get(0x800300e4), 2);
    /* A read of several words, and of parts of one, sees it as well. */
    uint8_t image[0x100], byte;
    ck_assert_int_eq(arc_read(&arc, 0, AT_ARC_VALUES, image, sizeof image, rule), ANSWER_DONE);
    for (unsigned i = 0; i < sizeof image; i++) {
        ck_assert_int_eq(arc_read(&arc, 0, AT_ARC_VALUES + i, &byte, 1, rule), ANSWER_DONE);
        ck_assert_uint_eq(byte, image[i]);
    }
}

/* --- Messages --- */

TEST(test_test_message_and_serial)
{
    uint32_t response[WORDS];
    for (unsigned queue = 0; queue < QUEUES; queue++) {
        for (uint32_t i = 0; i < 20; i++) {
            uint32_t argument = random_next(&dice);
            ck_assert_uint_eq(send(queue, 0x90, argument, response), 0);
            ck_assert_uint_eq(response[1], argument + 1);
            ck_assert_uint_eq(response[2], i + 1);
        }
        ck_assert_uint_eq(send(queue, 0xbe, 0xfffffffe, response), 0);
        ck_assert_uint_eq(send(queue, 0x90, 0, response), 0);
        ck_assert_uint_eq(response[2], 0xffffffff);
    }
    ck_assert_uint_eq(arc.messages, QUEUES * 22);
}

TEST(test_clock_messages)
{
    uint32_t response[WORDS];
    ck_assert_uint_eq(tag_value(14), 1000);
    ck_assert_uint_eq(send(3, 0x52, 0, response), 0);
    ck_assert_uint_eq(tag_value(14), 1350);
    ck_assert_uint_eq(send(3, 0x34, 0, response), 0);
    ck_assert_uint_eq(response[1], 1350);
    ck_assert_uint_eq(send(3, 0x54, 0, response), 0);
    ck_assert_uint_eq(tag_value(14), 800);
    ck_assert_uint_eq(send(3, 0x33, 1111, response), 0);
    ck_assert_uint_eq(tag_value(14), 1111);
    ck_assert_uint_eq(send(3, 0x21 | 1 << 8 | 1 << 16, 0, response), 0);
    ck_assert_uint_eq(tag_value(14), 1350);
    ck_assert_uint_eq(send(3, 0x21 | 0 << 8, 0, response), 0); /* no flag is valid */
    ck_assert_uint_eq(tag_value(14), 1350);
}

/* Codes that ttsim answers with success, and that clients send. */
TEST(test_every_code)
{
    static const uint8_t accepted[] = {0x11, 0x51, 0x52, 0x53, 0x54, 0x57, 0x90, 0xa0,
                                       0xa3, 0xb6, 0xb7, 0xbc, 0xba, 0xc1, 0xc7};
    static const uint8_t boards[] = {0x15, 0x20, 0x56, 0x9b, 0x9c, 0xae, 0xaf};
    uint32_t response[WORDS];
    for (uint32_t code = 0; code < 0x100; code++) {
        bool is_accepted = memchr(accepted, (int)code, sizeof accepted);
        bool is_board = memchr(boards, (int)code, sizeof boards);
        unsigned before = board_saw.calls;
        uint32_t status = send(code % QUEUES, code | 0xabcd00, code * 3, response);
        ck_assert_uint_eq(board_saw.calls - before, is_board);
        if (is_board) {
            ck_assert_uint_eq(status, 7);
            ck_assert_uint_eq(board_saw.request[1], code * 3);
            ck_assert_uint_eq(response[3], (code * 3) ^ 0x5555);
        }
        ck_assert(!is_accepted || status == 0);
    }
    ck_assert_uint_eq(send(0, 0xff, 0, response), 0xff); /* unknown */
    ck_assert_uint_eq(send(0, 0x1e, 0, response), 0xff); /* I2C: firmware has it, this does not */
    ck_assert_uint_eq(send(0, 0x16, 0, response), 0xfe);
}

/* Without surroundings, such messages are taken and nothing happens. */
TEST(test_no_board)
{
    uint32_t response[WORDS];
    memset(&arc, 0, sizeof arc);
    const struct chip_identity identity = {.board = 1};
    arc_init(&arc, &grid, &identity, NULL);
    ck_assert_uint_eq(send(0, 0x56, 3, response), 0);
    ck_assert_uint_eq(tag_value(32), 1);
}

/* Several messages at a time, over all fill levels, with either way of telling the firmware. */
TEST(test_full_queues)
{
    uint64_t queue = queue_base(2);
    uint32_t expected = 0, sent = 0;
    for (int round = 0; round < 200; round++) {
        unsigned batch = 1 + random_next(&dice) % ENTRIES;
        for (unsigned i = 0; i < batch; i++) {
            uint32_t request[WORDS] = {0x90, sent++};
            push(queue, request);
        }
        if (round % 2) {
            trigger();
        } else {
            put(0x800b0000, 5); /* an interrupt of somebody else */
            ck_assert_uint_ne(get(queue), get(queue + 16));
            put(0x800b0000, 0);
        }
        ck_assert_uint_eq(get(0x80030060), 0xc0de003f);
        uint32_t response[WORDS];
        for (unsigned i = 0; i < batch; i++) {
            ck_assert(pop(queue, response));
            ck_assert_uint_eq(response[1], ++expected);
        }
        ck_assert(!pop(queue, response));
    }
}

/* Answers that nobody takes hold the queue up; it goes on where it was. */
TEST(test_no_room_for_answers)
{
    uint64_t queue = queue_base(1);
    uint32_t response[WORDS];
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t request[WORDS] = {0x90, i};
        push(queue, request);
        trigger();
    }
    ck_assert_uint_eq(get(queue + 16), ENTRIES);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        ck_assert(pop(queue, response));
        ck_assert_uint_eq(response[1], i + 1);
    }
    trigger();
    for (uint32_t i = ENTRIES; i < 6; i++) {
        ck_assert(pop(queue, response));
        ck_assert_uint_eq(response[1], i + 1);
    }
}

/* Headers full of anything: the firmware stops or works the queue off, and the rest is untouched.
 */
TEST(test_spoilt_queues)
{
    for (int i = 0; i < 3000; i++) {
        for (unsigned index = 0; index < QUEUES; index++) {
            uint64_t queue = queue_base(index);
            for (unsigned word = 0; word < 8; word++) {
                uint32_t value = random_next(&dice);
                put(queue + 4 * word, i % 2 ? value : value % 10);
            }
        }
        uint64_t before = arc.messages;
        put(0x80030100, random_next(&dice) | 1 << 17);
        ck_assert_uint_le(arc.messages - before, QUEUES * WRAP);
    }
    ck_assert_uint_gt(arc.messages, 0);
    ck_assert_uint_eq(get(0x80030408), 5);
    ck_assert_uint_eq(get(AT_ARC_CSM + ARC_CSM_BYTES - 4), 0);
}

/* --- Registers and accesses --- */

TEST(test_storage)
{
    for (unsigned i = 0; i < 8 + 64; i++) {
        uint64_t address = i < 8 ? 0x80030060 + 4 * i : 0x80030400 + 4 * (i - 8);
        uint32_t value = random_next(&dice);
        put(address, value);
        ck_assert_uint_eq(get(address), value);
    }
    put(0x80050148, 0x1234);
    ck_assert_uint_eq(get(0x80050148), 0x1234);
    ck_assert_uint_ne(get(0x80058148), 0x1234);
    ck_assert_uint_eq(get(0x800b0008), 1);
    put(0x800b0004, 9);
    ck_assert_uint_eq(get(0x800b0004), 0);
}

static void check_reply(enum answer reply, enum answer wanted, const char *what)
{
    if (reply != wanted) {
        ck_abort_msg("%s: %d, not %d (%s)", what, reply, wanted, rule);
    }
    EXPECT(reply == ANSWER_DONE || strlen(rule) < GRID_RULE_BYTES - 1);
    EXPECT(reply == ANSWER_DONE || strstr(rule, "ARC"));
}

TEST(test_rules)
{
    static const struct {
        const char *what;
        uint64_t address;
        uint32_t size;
        enum answer read, write;
    } rows[] = {
        {"end of memory", AT_ARC_CSM + ARC_CSM_BYTES - 8, 8, ANSWER_DONE, ANSWER_DONE},
        {"beyond memory", AT_ARC_CSM + ARC_CSM_BYTES - 8, 9, ANSWER_REFUSED, ANSWER_REFUSED},
        {"no memory", AT_ARC_CSM + ARC_CSM_BYTES, 4, ANSWER_UNMAPPED, ANSWER_UNMAPPED},
        {"below memory", AT_ARC_CSM - 4, 8, ANSWER_UNMAPPED, ANSWER_UNMAPPED},
        {"two registers", 0x80030400, 8, ANSWER_REFUSED, ANSWER_REFUSED},
        {"a byte of one", 0x80030400, 1, ANSWER_REFUSED, ANSWER_REFUSED},
        {"across two", 0x80030402, 4, ANSWER_REFUSED, ANSWER_REFUSED},
        {"no such register", 0x80030200, 4, ANSWER_UNMODELLED, ANSWER_UNMODELLED},
        {"of an NIU", 0x80050070, 4, ANSWER_UNMODELLED, ANSWER_UNMODELLED},
        {"beyond registers", 0x80100000, 4, ANSWER_UNMAPPED, ANSWER_UNMAPPED},
        {"an empty FIFO", 0x800b0000, 4, ANSWER_REFUSED, ANSWER_DONE},
        {"an NIU from the NoC", UINT64_C(0xffffffffffb20100), 4, ANSWER_DONE, ANSWER_DONE},
        {"beside it", UINT64_C(0xffffffffffb22100), 4, ANSWER_UNMAPPED, ANSWER_UNMAPPED},
        {"the last byte", UINT64_MAX, 1, ANSWER_UNMAPPED, ANSWER_UNMAPPED},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        uint8_t data[16] = {0};
        check_reply(arc_read(&arc, 0, rows[i].address, data, rows[i].size, rule), rows[i].read,
                    rows[i].what);
        check_reply(arc_write(&arc, 0, rows[i].address, data, rows[i].size, rule), rows[i].write,
                    rows[i].what);
    }
}

/* Anywhere, anything: no crash, each refusal explained, and a refused write changes nothing. */
TEST(test_accesses_anywhere)
{
    static const uint64_t places[] = {AT_ARC_CSM, AT_ARC_APB, UINT64_C(0xffffffffff000000),
                                      0x80030000, 0x800b0000, 0};
    static struct arc before;
    for (int i = 0; i < 30000; i++) {
        uint64_t address =
            places[random_next(&dice) % COUNT(places)] + (random_next(&dice) % 0x90000);
        uint32_t size = random_next(&dice) % 4 ? 4 : random_next(&dice) % 64;
        uint8_t data[64], kept[64];
        address &= random_next(&dice) % 4 ? ~UINT64_C(3) : ~UINT64_C(0);
        for (unsigned byte = 0; byte < sizeof data; byte++) {
            data[byte] = kept[byte] = (uint8_t)random_next(&dice);
        }
        rule[0] = 0;
        if (i % 500 == 0) {
            before = arc;
            enum answer reply =
                arc_write(&arc, 0, AT_ARC_CSM + ARC_CSM_BYTES - 1, data, 2 + (uint32_t)i % 5, rule);
            check_reply(reply, ANSWER_REFUSED, "refused");
            ck_assert_mem_eq(&before, &arc, sizeof arc);
        }
        enum answer reply = i % 2 ? arc_read(&arc, i & 1, address, data, size, rule)
                                  : arc_write(&arc, i & 1, address, data, size, rule);
        check_reply(reply, reply, "anywhere");
        EXPECT(memcmp(data + size, kept + size, sizeof data - size) == 0);
        ck_assert_int_le(reply, ANSWER_REFUSED);
    }
}

TEST(test_bar0)
{
    uint64_t address;
    ck_assert(arc_bar0_address(0x1ff30408, &address) && address == 0x80030408);
    ck_assert(arc_bar0_address(0x1ff00000, &address) && address == 0x80000000);
    ck_assert(arc_bar0_address(0x1fffffff, &address) && address == 0x800fffff);
    ck_assert(arc_bar0_address(0x1fe80100, &address) && address == 0x10000100);
    ck_assert(!arc_bar0_address(0x1fe7ffff, &address));
    ck_assert(!arc_bar0_address(0x20000000, &address));
}
