/* Where requests go while software changes what coordinates mean: an NIU remembers places, and must
 * not remember them for too long. Compared with the translation itself. */
#include <string.h>

#include "unit/tile/mmio_harness.h"
#include "unit/random.h"

static struct tile_harness harness;
static uint64_t dice;
#define H (&harness)

static void setup(void)
{
    harness_open(H);
    harness.policy = PENROSE_WARN;
    dice = 20;
}

static void teardown(void)
{
    harness_close(H);
}

enum {
    ROUNDS = 4000,
    REQUESTS = 6,
    INLINE_WRITE = 2 | 1 << 3,
    TRANSLATION_ON = 1 << 14,
    CFG_0 = 0x100,
    FIRST_TABLE = 0x118,
    LAST_TABLE = 0x170,
};
#define NIU_AT(noc) (UINT32_C(0xffb20000) + UINT32_C(0x10000) * (noc))

/* The place on NoC 0 that (x, y) mean, or NOC_NODES. */
static unsigned place_of(unsigned noc, unsigned x, unsigned y)
{
    niu_translate(&harness.tile->niu[noc], &x, &y);
    if (x >= GRID_WIDTH || y >= GRID_HEIGHT) {
        return NOC_NODES;
    }
    return noc ? noc_node(GRID_WIDTH - 1 - x, GRID_HEIGHT - 1 - y) : noc_node(x, y);
}

static void ask(unsigned noc, unsigned x, unsigned y)
{
    unsigned expected = place_of(noc, x, y), buffer = random_below(&dice, NIU_BUFFERS);
    uint32_t base = NIU_AT(noc) + NIU_BUFFER_BYTES * buffer;
    size_t faults = harness.faults;
    put(H, AGENT_NC, base + NIU_TARG_ADDR_LO, 0x4000);
    put(H, AGENT_NC, base + NIU_TARG_ADDR_HI, x | y << 6 | random_below(&dice, 4096) << 12);
    put(H, AGENT_NC, base + NIU_CTRL, INLINE_WRITE);
    put(H, AGENT_NC, base + NIU_AT_LEN_BE, 15);
    put(H, AGENT_NC, base + NIU_CMD_CTRL, 1);
    struct noc_packet *packet = noc_list_take(&harness.tile->sent);
    ck_assert_uint_eq(harness.faults - faults, expected == NOC_NODES);
    ck_assert_int_eq(packet != NULL, expected != NOC_NODES);
    if (packet) {
        ck_assert_uint_eq(packet->to, expected);
    }
    noc_packet_free(&harness.tile->pool, packet);
}

/* A register of the translation, or whether it is on. */
static void change(unsigned noc)
{
    unsigned words = (LAST_TABLE - FIRST_TABLE) / 4 + 1, word = random_below(&dice, words + 1);
    if (word == words) {
        put(H, AGENT_NC, NIU_AT(noc) + CFG_0, random_below(&dice, 4) ? TRANSLATION_ON : 0);
    } else {
        put(H, AGENT_NC, NIU_AT(noc) + FIRST_TABLE + 4 * word, random_next(&dice));
    }
}

START_TEST(requests_follow_the_registers)
{
    unsigned noc = (unsigned)_i, inside = 0;
    put(H, AGENT_NC, NIU_AT(noc) + CFG_0, TRANSLATION_ON);
    for (unsigned round = 0; round < ROUNDS; round++) {
        /* few coordinates, so that places are met again, and all of them */
        unsigned most = round % 2 ? 64 : 6;
        for (unsigned i = 0; i < REQUESTS; i++) {
            unsigned x = random_below(&dice, most), y = random_below(&dice, most);
            inside += place_of(noc, x, y) < NOC_NODES;
            ask(noc, x, y);
        }
        change(noc);
    }
    ck_assert_uint_gt(inside, ROUNDS);
    ck_assert_uint_lt(inside, REQUESTS * ROUNDS - ROUNDS);
}
END_TEST

START_TEST(each_niu_has_its_own)
{
    put(H, AGENT_NC, NIU_AT(0) + CFG_0, 0);
    put(H, AGENT_NC, NIU_AT(1) + CFG_0, 0);
    for (unsigned i = 0; i < 16; i++) {
        ask(i % 2, 3, 4);
    }
    niu_set_identity(&harness.tile->niu[0], CFG_0,
                     TRANSLATION_ON); /* as the chip's firmware does */
    ck_assert_uint_eq(place_of(0, 3, 4), 0);
    ask(0, 3, 4);
    ask(1, 3, 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("noc_known");
    TCase *tcase = tcase_create("noc_known");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, requests_follow_the_registers, 0, 2);
    tcase_add_test(tcase, each_niu_has_its_own);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
