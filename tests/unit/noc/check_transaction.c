/* Transactions of several requests (NOC_CMD_VC_LINKED): what belongs to one, who waits for its end.
 */
#include <stdio.h>
#include <string.h>

#include "unit/tile/mmio_harness.h"
#include "noc/transaction.h"
#include "tile/noc_arrive.h"
#include "tile/noc_port.h"
#include "tile/overlay_port.h"

static void setup(void)
{
    harness_open(H);
}

static void teardown(void)
{
    harness_close(H);
}

FIXTURE(setup, teardown);

enum {
    READ = 0,
    ATOMIC = 1,
    WRITE = 2,
    INLINE = 1 << 3,
    MARKED = 1 << 4,
    MULTICAST = 1 << 5,
    LINKED = 1 << 6,
    STATIC = 1 << 7,
    Y_MAJOR = 1 << 16,
    FAR = 1 << 20, /* later than anything here takes */
};
#define CHANNEL(n)         (STATIC | (uint32_t)(n) << 13)
#define AT(x, y)           ((uint32_t)(x) | (uint32_t)(y) << 6)
#define SPAN(x, y, x2, y2) (AT(x2, y2) | AT(x, y) << 12)
#define NIU_AT(noc)        (UINT32_C(0xffb20000) + UINT32_C(0x10000) * (noc))
#define BUFFER(noc, i)     (NIU_AT(noc) + UINT32_C(0x800) * (i))
#define OUTSTANDING(noc)   (BUFFER(noc, 0) + 0x240)

/* Gives the request of 16 bytes to a buffer; `to` is the other end. */
static void ask(unsigned noc, unsigned buffer, uint32_t to, uint32_t ctrl)
{
    uint32_t base = BUFFER(noc, buffer), here = noc ? AT(15, 9) : AT(1, 2);
    bool leaves_data = (ctrl & 3) == WRITE && !(ctrl & INLINE);
    put(AGENT_NC, base + 0x00, ctrl & INLINE ? 0xffb11000 : 0x4000);
    put(AGENT_NC, base + 0x08, leaves_data ? here : to);
    put(AGENT_NC, base + 0x0c, 0x8000);
    put(AGENT_NC, base + 0x14, leaves_data ? to : here);
    put(AGENT_NC, base + 0x1c, ctrl);
    put(AGENT_NC, base + 0x20, (ctrl & 3) == ATOMIC ? 0x107c : 16);
    put(AGENT_NC, base + 0x40, 1);
}

static unsigned count_sent(void)
{
    unsigned count = 0;
    for (const struct noc_packet *packet = harness.tile->sent.head; packet; packet = packet->next) {
        count++;
    }
    return count;
}

/* --- What belongs to a transaction --- */

/* The second of two requests after the linked first, and what becomes of it. */
static const struct {
    uint32_t to, ctrl, next_to, next_ctrl;
    const char *rule; /* NULL: it belongs */
} rows[] = {
    {AT(3, 4), WRITE, AT(3, 4), WRITE, NULL},
    {AT(3, 4), WRITE, AT(3, 4), ATOMIC, NULL},
    {AT(3, 4), WRITE | MARKED, AT(3, 4), READ, NULL},
    {AT(3, 4), READ, AT(3, 4), WRITE | INLINE, NULL},
    {AT(3, 4), WRITE | CHANNEL(1), AT(3, 4), WRITE | CHANNEL(1), NULL},
    {AT(3, 4), WRITE | CHANNEL(1), AT(3, 4), WRITE, NULL},
    {AT(3, 4), WRITE, AT(3, 4), WRITE | CHANNEL(1), NULL},
    {SPAN(2, 2, 4, 4), WRITE | MULTICAST, SPAN(2, 2, 4, 4), WRITE | INLINE | MULTICAST, NULL},
    {SPAN(2, 2, 4, 4), WRITE | MULTICAST, SPAN(2, 2, 4, 4), ATOMIC | MULTICAST, NULL},
    {AT(3, 4), WRITE, AT(4, 4), WRITE,
     "this request to raw (4, 4) comes inside a linked transaction to raw (3, 4) (begun at pc "},
    {AT(3, 4), WRITE | CHANNEL(1), AT(3, 4), WRITE | CHANNEL(0),
     "this request to raw (3, 4) is on virtual channel 0, not 1"},
    {AT(3, 4), WRITE, SPAN(3, 4, 3, 4), WRITE | MULTICAST,
     "this request to raw (3, 4) to (3, 4) comes inside a linked transaction to raw (3, 4)"},
    {SPAN(2, 2, 4, 4), WRITE | MULTICAST, SPAN(2, 2, 4, 5), WRITE | MULTICAST,
     "to raw (2, 2) to (4, 5) comes inside a linked transaction to raw (2, 2) to (4, 4)"},
    {SPAN(2, 2, 4, 4), WRITE | MULTICAST, SPAN(2, 2, 4, 4), WRITE | MULTICAST | Y_MAJOR,
     "to raw (2, 2) to (4, 4), y first comes inside"},
};

TEST_EACH(requests_belong_or_are_refused, 2 * COUNT(rows))
{
    unsigned row = (unsigned)_i / 2, noc = (unsigned)_i % 2;
    char counts[8];
    ask(noc, 0, rows[row].to, rows[row].ctrl | LINKED);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(count_sent(), 1);
    ck_assert(harness.tile->niu[noc].transaction.is_open);
    ck_assert(!harness.tile->niu[!noc].transaction.is_open);
    uint32_t outstanding = get(AGENT_NC, OUTSTANDING(noc));
    ask(!noc, 0, AT(5, 5), WRITE); /* the other NoC is another world */
    ck_assert_uint_eq(harness.faults, 0);
    ask(noc, 1, rows[row].next_to, rows[row].next_ctrl);
    ck_assert(!harness.tile->niu[noc].transaction.is_open);
    ck_assert_uint_eq(get(AGENT_NC, BUFFER(noc, 1) + 0x40), 0);
    if (rows[row].rule) {
        ck_assert_uint_eq(harness.faults, 1);
        ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_NOC_LINKED);
        snprintf(counts, sizeof counts, "NoC %u: ", noc);
        ck_assert_msg(strstr(harness.fault.text, counts) == harness.fault.text &&
                          strstr(harness.fault.text, rows[row].rule),
                      "%s", harness.fault.text);
        ck_assert_uint_eq(count_sent(), 2);
        ck_assert_uint_eq(get(AGENT_NC, OUTSTANDING(noc)), outstanding);
        ask(noc, 1, rows[row].next_to, rows[row].next_ctrl); /* the transaction counts as ended */
        ck_assert_uint_eq(harness.faults, 1);
    }
    ck_assert_uint_eq(harness.faults, rows[row].rule != NULL);
    ck_assert_uint_eq(count_sent(), 3);
}

TEST(a_transaction_goes_on_until_it_ends)
{
    for (unsigned i = 0; i < 9; i++) {
        ask(0, i % 4, AT(3, 4), WRITE | LINKED);
    }
    ask(0, 0, AT(3, 4), WRITE);
    ask(0, 1, AT(9, 9), WRITE | LINKED);
    ask(0, 2, AT(9, 9), WRITE);
    ask(0, 3, AT(2, 2), WRITE);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(count_sent(), 13);
}

/* A request that goes nowhere is refused for that, and begins nothing. */
TEST(nowhere_begins_nothing)
{
    ask(0, 0, AT(40, 4), WRITE | LINKED);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_NOC_ADDRESS);
    ck_assert(!harness.tile->niu[0].transaction.is_open);
}

/* A hart that is put into reset inside its transaction: told once, and the NoC goes on. */
TEST_EACH(resets_end_transactions, 2)
{
    unsigned noc = (unsigned)_i;
    harness_release(H, RV32_NC, 0x1000);
    harness_release(H, RV32_B, 0x1000);
    ask(noc, 0, AT(3, 4), WRITE | LINKED);
    put(AGENT_T0, 0xffb121b0, 1 << 11); /* BRISC: another hart */
    ck_assert_uint_eq(harness.faults, 0);
    put(AGENT_T0, 0xffb121b0, 1 << 11 | 1 << 18);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_NOC_LINKED);
    ck_assert_int_eq(harness.fault.agent, AGENT_NC);
    ck_assert_msg(
        strstr(harness.fault.text, "to raw (3, 4), begun in cycle 0, is open when its hart"), "%s",
        harness.fault.text);
    put(AGENT_T0, 0xffb121b0, 0);
    put(AGENT_T0, 0xffb121b0, 1 << 18);
    ask(noc, 0, AT(5, 6), WRITE);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_uint_eq(count_sent(), 2);
}

/* --- The overlay and the request initiators --- */

static uint8_t message[16];

static bool send_piece(unsigned noc, unsigned stream, bool is_linked)
{
    struct overlay_packet packet = {.bytes = message,
                                    .size = sizeof message,
                                    .address = 0x8000,
                                    .sender = stream,
                                    .noc = noc,
                                    .vc = 4,
                                    .x = 2,
                                    .y = 2,
                                    .end_x = 4,
                                    .end_y = 4,
                                    .is_multicast = true,
                                    .is_linked = is_linked};
    return tile_overlay_board.send(harness.tile, &packet, harness.tile->now);
}

TEST_EACH(streams_wait_for_initiators, 2)
{
    struct tile *tile = harness.tile;
    unsigned noc = (unsigned)_i;
    ask(noc, 0, AT(3, 4), WRITE | LINKED);
    ck_assert(!send_piece(noc, 7, false));
    tile->overlay.blocked = 1u << 7;       /* as overlay_post notes */
    ck_assert(!tile_overlay_is_due(tile)); /* the tile may sleep */
    ck_assert(send_piece(!noc, 8, false));
    ck_assert_uint_eq(count_sent(), 2);
    ask(noc, 0, AT(3, 4), WRITE);
    ck_assert(tile_overlay_is_due(tile));
    ck_assert(send_piece(noc, 7, false));
    ck_assert_uint_eq(count_sent(), 4);
    ck_assert_uint_eq(harness.faults, 0);
    tile->overlay.blocked = 0;
}

/* What a stream tells its source waits for the end of its own linked multicast. */
TEST_EACH(credits_wait_for_the_streams_own_data, 2)
{
    struct tile *tile = harness.tile;
    unsigned noc = (unsigned)_i;
    struct overlay_packet credit = {.bytes = message,
                                    .size = 4,
                                    .address = 0xffb40438,
                                    .sender = 7,
                                    .noc = noc,
                                    .x = 3,
                                    .y = 4,
                                    .is_register = true};
    ck_assert(send_piece(noc, 7, true));
    ck_assert(!tile_overlay_board.send(tile, &credit, tile->now));
    ck_assert_uint_eq(count_sent(), 1);
    ck_assert(send_piece(noc, 7, true));
    ck_assert(!tile_overlay_board.send(tile, &credit, tile->now));
    credit.noc = !noc;
    ck_assert(tile_overlay_board.send(tile, &credit, tile->now));
    credit.noc = noc;
    ck_assert(send_piece(noc, 7, false));
    ck_assert(tile_overlay_board.send(tile, &credit, tile->now));
    ck_assert_uint_eq(count_sent(), 5);
    ck_assert_uint_eq(harness.faults, 0);
}

/* UNICAST_VC and REG_UPDATE_VC: 0 to 5, and what they send is no multicast. */
TEST_EACH(streams_choose_their_channels, 16)
{
    struct overlay_packet packet = {.bytes = message,
                                    .size = _i & 1 ? 4 : sizeof message,
                                    .address = _i & 1 ? 0xffb40438 : 0x8000,
                                    .sender = 7,
                                    .vc = (unsigned)_i / 2,
                                    .x = 3,
                                    .y = 4,
                                    .is_register = _i & 1};
    ck_assert(tile_overlay_board.send(harness.tile, &packet, harness.tile->now));
    ck_assert_uint_eq(harness.faults, packet.vc > 5);
    ck_assert_uint_eq(count_sent(), packet.vc <= 5);
    if (packet.vc > 5) {
        ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_NOC_COMMAND);
        return;
    }
    ck_assert(!harness.tile->sent.head->is_multicast);
    ck_assert_uint_eq(harness.tile->sent.head->channel, packet.vc);
    ck_assert_uint_eq(harness.tile->sent.head->to, noc_node(3, 4));
}

/* A packet of a message as the receiver finds it: all of its address, who is told, its header. */
TEST(streams_hand_over_packets)
{
    static const uint8_t bytes[32] = {1, 2, 3, [31] = 4};
    const uint64_t address = UINT64_C(0x1234500008010);
    struct overlay_packet packet = {.bytes = bytes,
                                    .size = sizeof bytes,
                                    .address = address,
                                    .sender = 3,
                                    .vc = 1,
                                    .x = 3,
                                    .y = 4,
                                    .delivers = true,
                                    .first = true,
                                    .stream = 9,
                                    .stores_header = true,
                                    .header_address = 0x4560};
    ck_assert(tile_overlay_board.send(harness.tile, &packet, harness.tile->now));
    const struct noc_packet *sent = harness.tile->sent.head;
    const uint32_t *counter = harness.tile->niu[0].word + NIU_COUNTERS / 4;
    ck_assert_ptr_nonnull(sent);
    ck_assert(sent->kind == NOC_WRITE && !sent->wants_response && !sent->is_inline);
    ck_assert_uint_eq(sent->address, address);
    ck_assert_uint_eq(sent->size, sizeof bytes);
    ck_assert_mem_eq(noc_packet_bytes(sent), bytes, sizeof bytes);
    ck_assert_uint_eq(sent->tag, 9 | NOC_TAG_TO_OVERLAY | NOC_TAG_FIRST | NOC_TAG_HEADER_STORE);
    ck_assert(sent->stores_header && sent->operation == 0x456);
    ck_assert(sent->from == harness.tile->node && sent->origin == sent->from);
    ck_assert_uint_eq(sent->agent, AGENT_NOC);
    ck_assert_uint_eq(counter[NIU_MST_POSTED_WR_REQ_SENT], 1);
    ck_assert_uint_eq(counter[NIU_COUNT_WRITES_OUTGOING], 0);
}

TEST(streams_wait_for_streams)
{
    ck_assert(send_piece(0, 7, true));
    ck_assert(!send_piece(0, 8, false));
    ck_assert(send_piece(0, 7, true));
    ck_assert(send_piece(0, 7, false));
    ck_assert(send_piece(0, 8, false));
    ck_assert_uint_eq(harness.faults, 0);
}

/* Requests of initiators stand in their buffers, in order, until the stream has ended its own. */
TEST_EACH(initiators_wait_for_streams, 2)
{
    struct tile *tile = harness.tile;
    unsigned noc = (unsigned)_i;
    ck_assert(send_piece(noc, 7, true));
    ask(noc, 2, AT(3, 4), READ);
    ask(noc, 0, AT(5, 6), WRITE | LINKED);
    ask(noc, 1, AT(7, 8), WRITE | MARKED);
    ck_assert_uint_eq(count_sent(), 1);
    ck_assert_uint_eq(get(AGENT_NC, BUFFER(noc, 2) + 0x40) & 1, 1);
    ck_assert_uint_eq(tile_noc_next(tile), UINT64_MAX); /* nothing to get up for */
    ask(!noc, 0, AT(3, 4), WRITE);
    ck_assert_uint_eq(count_sent(), 2);
    ck_assert_uint_eq(get(AGENT_NC, OUTSTANDING(noc)), 2);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert(send_piece(noc, 7, false));
    tile_noc_arrivals(tile, FAR);
    const struct noc_packet *packet = tile->sent.head->next->next->next;
    ck_assert_int_eq(packet->kind, NOC_READ);
    ck_assert_int_eq(packet->next->kind, NOC_WRITE);
    ck_assert_ptr_null(packet->next->next); /* the third is no part of the second's transaction */
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_NOC_LINKED);
    ck_assert_uint_eq(get(AGENT_NC, OUTSTANDING(noc)), 1);
    for (unsigned buffer = 0; buffer < 4; buffer++) {
        ck_assert_uint_eq(get(AGENT_NC, BUFFER(noc, buffer) + 0x40), 0);
    }
    ck_assert_uint_eq(tile->commands, 0);
}

/* --- Sources of writes with byte enables --- */

enum { ENABLES = 1 << 2 };

static const uint8_t *sent_bytes(void)
{
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(count_sent(), 1);
    ck_assert_uint_eq(harness.tile->sent.head->size, 64);
    return harness.tile->sent.head->data->bytes;
}

static void ask_enabled(uint32_t source, uint64_t enables)
{
    uint32_t base = BUFFER(0, 0);
    put(AGENT_NC, base + 0x00, source);
    put(AGENT_NC, base + 0x08, AT(1, 2));
    put(AGENT_NC, base + 0x0c, 0x8000);
    put(AGENT_NC, base + 0x14, AT(3, 4));
    put(AGENT_NC, base + 0x1c, WRITE | ENABLES);
    put(AGENT_NC, base + 0x20, (uint32_t)enables);
    put(AGENT_NC, base + 0x24, (uint32_t)(enables >> 32));
    put(AGENT_NC, base + 0x40, 1);
}

/* The block reaches over the end of L1, its enabled bytes do not. */
TEST(enabled_bytes_at_the_end_of_l1)
{
    uint32_t end = harness.tile->kind->l1_bytes;
    memset(harness.tile->l1 + end - 16, 0x5a, 16);
    ask_enabled(end - 16, 0x8001);
    const uint8_t *bytes = sent_bytes();
    ck_assert_uint_eq(bytes[0], 0x5a);
    ck_assert_uint_eq(bytes[15], 0x5a);
    ck_assert_uint_eq(bytes[16], 0);
}

TEST(enabled_bytes_beyond_the_end_of_l1)
{
    ask_enabled(harness.tile->kind->l1_bytes - 16, 1 << 16);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_NOC_ADDRESS);
    ck_assert_uint_eq(count_sent(), 0);
}

/* A register is read once, and is in all words; NOC_NODE_ID is at 0x44. */
TEST(a_register_is_in_all_words)
{
    ask_enabled(BUFFER(1, 0) + 0x44, 0xf0);
    for (unsigned at = 0; at < 64; at += 4) {
        uint32_t word;
        memcpy(&word, sent_bytes() + at, sizeof word);
        ck_assert_uint_eq(word, get(AGENT_NC, BUFFER(1, 0) + 0x44));
    }
}

TEST(registers_as_sources_are_aligned)
{
    ask_enabled(BUFFER(1, 0) + 0x42, 0xff);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_NOC_ALIGNMENT);
    ck_assert_uint_eq(count_sent(), 0);
}
