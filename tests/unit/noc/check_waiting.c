/* Requests that wait to depart: what leaves is what was accepted, whatever software writes to their
 * command buffers meanwhile, and no guest makes packets without end. */
#include <string.h>

#include "unit/random.h"
#include "unit/test.h"
#include "unit/tile/tile_harness.h"
#include "tile/noc_arrive.h"
#include "tile/noc_port.h"
#include "tile/overlay_port.h"
#include "tile/observe.h"

enum { READ = 0, ATOMIC = 1, WRITE = 2, ENABLES = 1 << 2, INLINE = 1 << 3, MARKED = 1 << 4 };
enum { MULTICAST = 1 << 5, LINKED = 1 << 6 };
enum { COUNTERS = 62, LATE = 1 << 20, LARGEST = (2 << 20) - 16384, CONTENTS = 1 << 20 };
#define AT(x, y)         ((uint32_t)(x) | (uint32_t)(y) << 6)
#define REGISTER(noc, i) (UINT32_C(0xffb20000) + UINT32_C(0x10000) * (noc) + UINT32_C(0x800) * (i))

/* The tile whose requests wait, and another one where they depart at once. */
static struct tile_harness waiting, twin;
static uint64_t seed;

static void open_with(struct tile_harness *harness)
{
    harness_open(harness);
    harness->policy = PENROSE_WARN;
    ck_assert(tile_weak_enable(harness->tile, seed));
    uint64_t contents = 1;
    for (uint32_t at = 0; at < CONTENTS; at += 4) {
        harness_set_word(harness, at, random_next(&contents));
    }
}

static void setup(void)
{
    open_with(&waiting);
    open_with(&twin);
    waiting.board.delivery.at_random = true;
}

static void teardown(void)
{
    harness_close(&waiting);
    harness_close(&twin);
}

FIXTURE(setup, teardown);

static void put_to(struct tile_harness *harness, uint32_t address, uint32_t value)
{
    ck_assert_int_eq(harness_access(harness, MMIO_WRITE, AGENT_NC, address, &value), ANSWER_DONE);
}

static uint32_t get_from(struct tile_harness *harness, uint32_t address)
{
    uint32_t value = 0;
    ck_assert_int_eq(harness_access(harness, MMIO_READ, AGENT_NC, address, &value), ANSWER_DONE);
    return value;
}

static void put_both(uint32_t address, uint32_t value)
{
    put_to(&waiting, address, value);
    put_to(&twin, address, value);
}

/* --- Scenes --- */

static uint32_t below(uint32_t limit)
{
    return random_below(&seed, limit);
}

/* A request that breaks no rule; `words` are those of a command buffer. */
static void make_request(uint32_t *words)
{
    static const uint32_t controls[] = {READ,
                                        READ,
                                        WRITE,
                                        WRITE | MARKED,
                                        WRITE | INLINE,
                                        ATOMIC,
                                        ATOMIC | MARKED,
                                        WRITE | ENABLES,
                                        WRITE | MULTICAST | MARKED,
                                        WRITE | INLINE | MULTICAST};
    uint32_t control = controls[below(COUNT(controls))];
    bool has_length = !(control & 3) || ((control & 3) == WRITE && !(control & (INLINE | ENABLES)));
    bool is_long = has_length && below(4) == 0;
    uint32_t to = AT(2 + below(4), 3 + below(4)), here = AT(1, 2);
    bool leaves_data = (control & 3) == WRITE && !(control & INLINE);
    if (control & MULTICAST) {
        to = AT(5, 6) | AT(2 + below(3), 3 + below(3)) << 12;
    }
    memset(words, 0, NIU_REQUEST_WORDS * sizeof *words);
    words[NIU_TARG_ADDR_LO / 4] = 0x1000 + 64 * below(64);
    words[NIU_RET_ADDR_LO / 4] = 0x2000 + 64 * below(64);
    words[NIU_TARG_ADDR_HI / 4] = leaves_data ? here : to;
    words[NIU_RET_ADDR_HI / 4] = leaves_data ? to : here;
    words[NIU_PACKET_TAG / 4] = below(16) << NOC_TAG_TRANSACTION_SHIFT;
    words[NIU_CTRL / 4] = control;
    words[NIU_AT_LEN_BE / 4] = (control & 3) == ATOMIC ? 0x107c
                               : is_long               ? 16384 + 1 + below(40000)
                                                       : 1 + below(8192);
    words[NIU_AT_LEN_BE / 4 + 1] = has_length || (control & 3) == ATOMIC ? 0 : random_next(&seed);
    words[NIU_AT_DATA / 4] = random_next(&seed);
    words[NIU_BRCST_EXCLUDE / 4] = 0;
}

static void issue(unsigned noc, unsigned buffer)
{
    uint32_t words[NIU_REQUEST_WORDS];
    make_request(words);
    for (unsigned i = 0; i < NIU_REQUEST_WORDS; i++) {
        put_both(REGISTER(noc, buffer) + 4 * i, words[i]);
    }
    put_both(REGISTER(noc, buffer) + NIU_CMD_CTRL, 1);
}

/* Rewrites some registers of any buffers with anything. */
static void spoil(void)
{
    for (unsigned i = below(12); i > 0; i--) {
        uint32_t offset = 4 * below(NIU_REQUEST_WORDS);
        put_both(REGISTER(below(2), below(NIU_BUFFERS)) + offset, random_next(&seed));
    }
}

/* A piece of a stream's linked multicast. */
static void send_piece(struct tile_harness *harness, unsigned noc, bool is_linked)
{
    static const uint8_t bytes[64] = {1};
    const struct overlay_packet packet = {.bytes = bytes,
                                          .size = sizeof bytes,
                                          .address = 0x8000,
                                          .sender = 7,
                                          .noc = noc,
                                          .vc = 4,
                                          .x = 2,
                                          .y = 3,
                                          .end_x = 4,
                                          .end_y = 5,
                                          .is_multicast = true,
                                          .is_linked = is_linked};
    ck_assert(tile_overlay_board.send(harness->tile, &packet, harness->tile->now));
}

/* --- What left --- */

static const struct noc_packet *next_of(const struct noc_packet *packet, unsigned noc)
{
    while (packet && (packet->noc != noc || packet->agent != AGENT_NC)) {
        packet = packet->next;
    }
    return packet;
}

static void compare_packets(unsigned noc, int scene)
{
    const struct noc_packet *a = waiting.tile->sent.head, *b = twin.tile->sent.head;
    for (;;) {
        a = next_of(a, noc);
        b = next_of(b, noc);
        ck_assert_msg(!a == !b, "scene %d: requests are lost or made", scene);
        if (!a) {
            return;
        }
        ck_assert_msg(a->kind == b->kind && a->address == b->address && a->size == b->size &&
                          a->back_address == b->back_address && a->to == b->to &&
                          a->back == b->back && a->tag == b->tag && a->operation == b->operation &&
                          a->enables == b->enables && a->is_multicast == b->is_multicast &&
                          a->word == b->word && a->is_void == b->is_void &&
                          !memcmp(&a->span, &b->span, sizeof a->span),
                      "scene %d: another request than was accepted", scene);
        ck_assert_msg(a->kind != NOC_WRITE || a->is_inline ||
                          !memcmp(noc_packet_bytes(a), noc_packet_bytes(b), a->size),
                      "scene %d: other data", scene);
        a = a->next;
        b = b->next;
    }
}

static void drop_packets(struct tile_harness *harness)
{
    for (struct noc_packet *packet; (packet = noc_list_take(&harness->tile->sent));) {
        noc_packet_free(&harness->tile->pool, packet);
    }
}

static uint64_t bytes_sent(const struct tile *tile)
{
    uint64_t bytes = 0;
    for (const struct noc_packet *packet = tile->sent.head; packet; packet = packet->next) {
        bytes += packet->size;
    }
    return bytes;
}

/* --- Tests --- */

enum { SCENES = 1000, PARTS = 4 };

static void play(int scene)
{
    unsigned held = below(4), steps = 1 + below(10); /* NoC that a stream holds; more: none */
    if (held < 2) {
        send_piece(&waiting, held, true);
        send_piece(&twin, held, true);
        send_piece(&twin, held, false);
    }
    for (unsigned step = 0; step < steps; step++) {
        unsigned noc = below(2), buffer = below(NIU_BUFFERS);
        bool is_free = !waiting.tile->command[noc][buffer].waits;
        if (is_free || noc != held) {
            issue(noc, buffer);
        }
        spoil();
        waiting.tile->now = twin.tile->now += below(300);
        tile_noc_arrivals(waiting.tile, waiting.tile->now);
    }
    if (held < 2) {
        send_piece(&waiting, held, false);
    }
    waiting.tile->now = twin.tile->now += LATE;
    tile_noc_arrivals(waiting.tile, waiting.tile->now);
    ck_assert_uint_eq(waiting.tile->commands, 0);
    for (unsigned noc = 0; noc < 2; noc++) {
        compare_packets(noc, scene);
        for (unsigned i = 0; i < COUNTERS; i++) {
            uint32_t counter = REGISTER(noc, 0) + NIU_COUNTERS + 4 * i;
            ck_assert_uint_eq(get_from(&waiting, counter), get_from(&twin, counter));
        }
        for (unsigned i = 0; i < NIU_BUFFERS; i++) {
            ck_assert_uint_eq(get_from(&waiting, REGISTER(noc, i) + NIU_CMD_CTRL), 0);
        }
    }
    drop_packets(&waiting);
    drop_packets(&twin);
}

TEST_EACH(what_departs_was_accepted, PARTS)
{
    seed = 0x5eed + (uint64_t)_i;
    for (int scene = 0; scene < SCENES / PARTS; scene++) {
        play(scene);
    }
}

/* A request that software leaves alone moves its registers on as one that departs at once does. */
TEST(registers_move_on_once)
{
    static const struct {
        uint32_t offset, value;
    } rows[] = {{NIU_TARG_ADDR_LO, 0x1000}, {NIU_TARG_ADDR_HI, AT(3, 4)},
                {NIU_RET_ADDR_LO, 0x8000},  {NIU_RET_ADDR_HI, AT(1, 2)},
                {NIU_AT_LEN_BE, 40000},     {NIU_CMD_CTRL, 1}};
    for (int i = 0; i < COUNT(rows); i++) {
        put_both(REGISTER(0, 1) + rows[i].offset, rows[i].value);
    }
    ck_assert_uint_eq(get_from(&waiting, REGISTER(0, 1) + NIU_AT_LEN_BE), 40000);
    tile_noc_arrivals(waiting.tile, LATE);
    for (uint32_t offset = 0; offset < 4 * NIU_REQUEST_WORDS; offset += 4) {
        ck_assert_uint_eq(get_from(&waiting, REGISTER(0, 1) + offset),
                          get_from(&twin, REGISTER(0, 1) + offset));
    }
    ck_assert_uint_eq(get_from(&waiting, REGISTER(0, 1) + NIU_AT_LEN_BE), 40000 - 2 * 16384);
    put_both(REGISTER(0, 1) + NIU_AT_LEN_BE, 40000);
    put_both(REGISTER(0, 1) + NIU_CMD_CTRL, 1);
    put_to(&waiting, REGISTER(0, 1) + NIU_AT_LEN_BE, 64); /* for a request of its own */
    tile_noc_arrivals(waiting.tile, 2 * LATE);
    ck_assert_uint_eq(get_from(&waiting, REGISTER(0, 1) + NIU_AT_LEN_BE), 64);
}

/* Whoever gives requests without looking gets no more than this under way in a window. */
TEST_EACH(packets_are_bounded, 4)
{
    enum { MOST = 4 << 20, BUFFERS_TOO = NIU_BUFFERS + 1, TIMES = 2000 };
    struct tile_harness *harness = _i & 1 ? &waiting : &twin;
    struct tile *tile = harness->tile;
    uint64_t most = 0, all = 0;
    for (unsigned buffer = 0; buffer < NIU_BUFFERS; buffer++) {
        put_to(harness, REGISTER(0, buffer) + NIU_TARG_ADDR_HI, AT(3, 4));
        put_to(harness, REGISTER(0, buffer) + NIU_RET_ADDR_HI, AT(1, 2));
    }
    for (unsigned i = 0; i < TIMES; i++) {
        unsigned buffer = _i & 2 ? i % NIU_BUFFERS : 0;
        put_to(harness, REGISTER(0, buffer) + NIU_AT_LEN_BE, LARGEST);
        put_to(harness, REGISTER(0, buffer) + NIU_CMD_CTRL, 1);
        if (++tile->now % 512 == 0) {
            most = bytes_sent(tile) > most ? bytes_sent(tile) : most;
            all += bytes_sent(tile);
            drop_packets(harness);
            tile_noc_arrivals(tile, tile->now + 1);
        }
    }
    ck_assert_uint_gt(all, MOST);
    ck_assert_uint_le(most, MOST + (uint64_t)BUFFERS_TOO * LARGEST);
}

/* A command that begins when much has left waits for the next period, and leaves by itself. */
TEST(a_bounded_request_leaves_later)
{
    struct tile *tile = twin.tile;
    unsigned departed = 0;
    for (unsigned i = 0; i < NIU_BUFFERS; i++) {
        put_to(&twin, REGISTER(1, i) + NIU_TARG_ADDR_HI, AT(3, 4));
        put_to(&twin, REGISTER(1, i) + NIU_RET_ADDR_HI, AT(1, 2));
        put_to(&twin, REGISTER(1, i) + NIU_AT_LEN_BE, LARGEST);
        put_to(&twin, REGISTER(1, i) + NIU_CMD_CTRL, 1);
        departed += !get_from(&twin, REGISTER(1, i) + NIU_CMD_CTRL);
    }
    ck_assert_uint_eq(departed, 3); /* 2 MiB less 16 KiB each */
    ck_assert_uint_eq(tile->commands, 1);
    ck_assert_uint_eq(tile_noc_next(tile), 512);
    ck_assert_uint_eq(twin.faults, 0);
    tile_noc_arrivals(tile, 512);
    ck_assert_uint_eq(tile->commands, 1);
    tile_noc_arrivals(tile, 513);
    ck_assert_uint_eq(tile->commands, 0);
    ck_assert_uint_eq(bytes_sent(tile), UINT64_C(4) * LARGEST);
}
