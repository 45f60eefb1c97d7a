/* How packets of timed runs wait for one another between routers: chip/links.h. */
#include "chip/links.h"
#include "chip/chip.h"
#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/chip/state_difference.h"
#include "unit/random.h"
#include "unit/test.h"

/* As timing.def has them. */
enum { HOP = 9, ENDS = 14, WHOLE = 16384, OF_LINK = 256, OF_NIU = 264 };

static struct penrose_chip *chip_with_costs(unsigned threads, const char *costs)
{
    const struct penrose_options options = {
        .size = sizeof options, .timed = true, .threads = threads, .costs = costs};
    struct penrose_chip *chip;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    return chip;
}

static struct penrose_chip *timed_chip(unsigned threads)
{
    return chip_with_costs(threads, NULL);
}

/* A write of 16 KiB that has left at `sent`, on a channel of its own choice or on that one. */
static struct noc_packet *new_packet(struct penrose_chip *chip, uint64_t sent, uint16_t from,
                                     uint16_t to, uint8_t channel)
{
    struct noc_packet *packet = noc_packet_new(&chip->packets);
    ck_assert_ptr_nonnull(packet);
    packet->kind = NOC_WRITE;
    packet->size = WHOLE;
    packet->sent = sent;
    packet->order = (uint64_t)from << 40 | sent;
    packet->from = from;
    packet->to = to;
    packet->channel = channel;
    return packet;
}

static struct noc_packet *send_until(struct penrose_chip *chip, uint64_t sent, uint16_t from,
                                     uint16_t to, uint8_t channel)
{
    struct noc_packet *packet = new_packet(chip, sent, from, to, channel);
    chip_links_enter(chip, packet);
    return packet;
}

/* One that begins to leave at `cycle`. */
static struct noc_packet *send(struct penrose_chip *chip, uint64_t cycle, uint16_t from,
                               uint16_t to, uint8_t channel)
{
    return send_until(chip, cycle + OF_NIU, from, to, channel);
}

/* Lets all packets arrive, in windows of so many cycles. */
static struct noc_list run_links(struct penrose_chip *chip, uint64_t window)
{
    struct noc_list arrived = {NULL, NULL};
    while (chip_links_next(chip) != UINT64_MAX) {
        ck_assert_uint_ge(chip_links_next(chip), chip_links_due(chip));
        chip->head.time.now += window;
        chip_links_run(chip, &arrived);
    }
    return arrived;
}

static void end_links(struct penrose_chip *chip, struct noc_list arrived)
{
    for (struct noc_packet *packet; (packet = noc_list_take(&arrived));) {
        noc_packet_free(&chip->packets, packet);
    }
    penrose_chip_destroy(chip);
}

static uint64_t alone(uint64_t cycle, unsigned hops)
{
    return cycle + OF_NIU + ENDS + HOP * (uint64_t)hops;
}

TEST(a_packet_alone_waits_for_nothing)
{
    struct penrose_chip *chip = timed_chip(1);
    const struct noc_packet *packet = send(chip, 1000, noc_node(2, 3), noc_node(5, 7), 1);
    ck_assert_uint_eq(chip_links_next(chip), 1000 + ENDS + 7 * HOP);
    struct noc_list arrived = run_links(chip, 10);
    ck_assert_uint_eq(packet->arrival, alone(1000, 7));
    end_links(chip, arrived);
}

/* A snapshot of a run in which packets take no time can have one that left in the first cycles. */
TEST(a_packet_that_took_no_time_arrives)
{
    struct penrose_chip *chip = timed_chip(1);
    const struct noc_packet *packet = send_until(chip, 20, noc_node(2, 3), noc_node(5, 7), 1);
    struct noc_list arrived = run_links(chip, 10);
    ck_assert_uint_eq(packet->arrival, alone(0, 7));
    end_links(chip, arrived);
}

/* Costs may put what a link waits for further off than the links to look at are listed. */
TEST_EACH(a_packet_arrives_with_any_costs, 6)
{
    static const char *const costs[] = {"noc_link_bytes=1", "noc_niu_bytes=1", "noc_hop=63",
                                        "noc_hop=64",       "noc_hop=1000",    "noc=free"};
    struct penrose_chip *chip = chip_with_costs(1, costs[_i]);
    struct noc_list arrived = {NULL, NULL};
    for (unsigned x = 2; x < 5; x++) {
        send(chip, 1000, noc_node(x, 3), noc_node(5, 7), 1);
        send(chip, 1000, noc_node(5, 7), noc_node(x, 3), 1);
    }
    chip->head.time.now = 1000000;
    chip_links_run(chip, &arrived);
    ck_assert_uint_eq(chip_links_next(chip), UINT64_MAX);
    end_links(chip, arrived);
}

/* Two packets that come to a link at the same time. On one channel that whose sender comes first in the
 * canonical order goes first, and the other one behind it. On two channels they take turns. Only a request
 * that may overtake others chooses a channel that is free. */
TEST_EACH(packets_share_a_link, 4)
{
    static const struct {
        uint8_t far, near;
        bool is_linked, take_turns;
    } ways[] = {{1, 1, false, false},
                {1, 3, false, true},
                {NOC_ANY_CHANNEL, NOC_ANY_CHANNEL, true, false},
                {NOC_ANY_CHANNEL, NOC_ANY_CHANNEL, false, true}};
    struct penrose_chip *chip = timed_chip(1);
    struct noc_packet *far = send(chip, 1000, noc_node(2, 3), noc_node(5, 3), ways[_i].far);
    struct noc_packet *near = send(chip, 1000 + HOP, noc_node(3, 3), noc_node(6, 3), ways[_i].near);
    far->is_linked = near->is_linked = ways[_i].is_linked;
    struct noc_list arrived = run_links(chip, 10);
    const uint64_t alone_first = ways[_i].take_turns ? 0 : OF_LINK;
    ck_assert_uint_ge(near->arrival, alone(1000, 3) + OF_LINK - LINKS_FLITS);
    ck_assert_uint_le(near->arrival, alone(1000, 4) + OF_NIU + LINKS_FLITS);
    ck_assert_uint_ge(far->arrival + alone_first, alone(1000, 3) + OF_LINK - 2 * LINKS_FLITS);
    ck_assert_uint_le(far->arrival + alone_first, alone(1000, 3) + OF_LINK + LINKS_FLITS);
    end_links(chip, arrived);
}

/* One that waits holds up another one behind it, whose own way is free, unless that has another
 * channel. */
TEST_EACH(a_packet_that_waits_holds_up_those_behind_it, 2)
{
    struct penrose_chip *chip = timed_chip(1);
    const struct noc_packet *first = send(chip, 1000, noc_node(4, 3), noc_node(4, 6), 1);
    const struct noc_packet *second = send(chip, 1000, noc_node(2, 3), noc_node(4, 7), 1);
    const struct noc_packet *third = send(chip, 1010, noc_node(3, 3), noc_node(6, 3), _i ? 3 : 1);
    struct noc_list arrived = run_links(chip, 10);
    const uint64_t waits = OF_NIU - 2 * HOP; /* `second` for `first`, at (4, 3) */
    const uint64_t passes = OF_NIU - HOP;    /* `second` on the link that both share */
    ck_assert_uint_eq(first->arrival, alone(1000, 3));
    ck_assert_uint_ge(second->arrival, alone(1000, 6) + waits - LINKS_FLITS);
    ck_assert_uint_le(second->arrival, alone(1000, 6) + waits + 4 * LINKS_FLITS);
    ck_assert_uint_ge(third->arrival,
                      alone(1010, 3) + (_i ? 0 : waits + passes - HOP * LINKS_ROOM / LINKS_FLITS));
    ck_assert_uint_le(third->arrival, alone(1010, 3) + (_i ? 6 * LINKS_FLITS : waits + passes));
    end_links(chip, arrived);
}

static struct noc_packet *send_read(struct penrose_chip *chip, uint64_t cycle, uint16_t to,
                                    uint8_t channel)
{
    struct noc_packet *packet = send(chip, cycle, noc_node(7, 4), to, channel);
    packet->kind = NOC_READ;
    return packet;
}

static void run_until(struct penrose_chip *chip, uint64_t end, struct noc_list *arrived)
{
    chip->head.time.now = end;
    chip_links_run(chip, arrived);
}

/* A DRAM tile whose NIU has as many reads under way as it can lets the next one wait, which holds up one to
 * another tile behind it, unless that has another channel. They go on when an answer has left. */
TEST_EACH(a_read_waits_for_the_answer_to_another_one, 2)
{
    enum { BLOCKED = 3000, GOES_ON = 5000, MOST = 9 };
    struct penrose_chip *chip = timed_chip(1);
    const uint16_t bank = noc_node(9, 4);
    struct noc_list arrived = {NULL, NULL};
    for (unsigned i = 0; i < MOST; i++) {
        send_read(chip, 1000 + i, bank, 1);
    }
    const struct noc_packet *waits = send_read(chip, 1000 + MOST, bank, 1);
    const struct noc_packet *behind =
        send_read(chip, 1001 + MOST, noc_node(10, 4), _i == 0 ? 1 : 3);
    run_until(chip, BLOCKED, &arrived);
    ck_assert_uint_gt(waits->number, 0);
    ck_assert_int_eq(behind->number > 0, _i == 0);
    send(chip, BLOCKED, bank, noc_node(7, 4), NOC_ANY_CHANNEL)->kind = NOC_READ_RESPONSE;
    run_until(chip, GOES_ON, &arrived);
    ck_assert_uint_gt(waits->arrival, BLOCKED);
    ck_assert_uint_ge(waits->held, BLOCKED - 1000 - 200);
    ck_assert_int_eq(behind->arrival > BLOCKED, _i == 0);
    ck_assert_uint_eq(chip_links_next(chip), UINT64_MAX);
    end_links(chip, arrived);
}

/* A request has other channels than an answer, so it waits for no more than a piece of it. */
TEST(a_request_passes_an_answer)
{
    struct penrose_chip *chip = timed_chip(1);
    struct noc_packet *answer = send(chip, 1000, noc_node(2, 3), noc_node(6, 3), NOC_ANY_CHANNEL);
    struct noc_packet *read = send(chip, 1020, noc_node(3, 3), noc_node(7, 3), 1);
    answer->kind = NOC_READ_RESPONSE;
    read->kind = NOC_READ;
    struct noc_list arrived = run_links(chip, 10);
    ck_assert_uint_ge(read->arrival, 1020 + ENDS + 4 * HOP);
    ck_assert_uint_le(read->arrival, 1020 + ENDS + 4 * HOP + LINKS_FLITS + 1);
    ck_assert_uint_le(answer->arrival, alone(1000, 4) + 1);
    end_links(chip, arrived);
}

/* --- Multicasts --- */

/* A multicast of 16 KiB that begins to leave at `cycle`, to a rectangle from corner to corner. */
static struct noc_packet *send_to_all(struct penrose_chip *chip, uint64_t cycle, uint16_t from,
                                      struct noc_span span, uint8_t channel)
{
    struct noc_packet *packet = new_packet(chip, cycle + OF_NIU, from, from, channel);
    packet->is_multicast = true;
    packet->span = span;
    chip_links_enter(chip, packet);
    return packet;
}

static struct noc_span span_of(unsigned left, unsigned top, unsigned right, unsigned bottom)
{
    return (struct noc_span){.start_x = (uint8_t)left,
                             .start_y = (uint8_t)top,
                             .end_x = (uint8_t)right,
                             .end_y = (uint8_t)bottom};
}

/* Counts the copies that have arrived; each as if it had been alone, and in time for `cycle`. */
static unsigned count_copies(struct noc_list arrived, uint64_t cycle)
{
    unsigned count = 0;
    for (const struct noc_packet *copy = arrived.head; copy; copy = copy->next) {
        const unsigned hops =
            grid_hops(copy->noc, chip_position(copy->from), chip_position(copy->to));
        ck_assert_uint_eq(copy->arrival, alone(cycle, hops));
        count++;
    }
    return count;
}

struct used {
    const struct penrose_chip *chip;
    unsigned links;
};

static void count_used(void *context, struct grid_position from, enum grid_direction direction)
{
    struct used *used = context;
    const struct links_link *link =
        &used->chip->links->state.link[0][noc_node(from.x, from.y)][direction];
    ck_assert_uint_gt(link->way.free_at, 0);
    used->links++;
}

static unsigned links_used(const struct penrose_chip *chip)
{
    unsigned count = 0;
    for (unsigned i = 0; i < NOC_NODES * GRID_DIRECTIONS; i++) {
        const struct links_link *link =
            &chip->links->state.link[0][i / GRID_DIRECTIONS][i % GRID_DIRECTIONS];
        count += link->way.free_at > 0;
    }
    return count;
}

/* The tree has each of its links once, along either axis first: from (2, 3) it has 2 + 3 links to the
 * corner of the rectangle and along a stem of four routers, and 2 in each of its four branches. */
TEST_EACH(a_multicast_takes_each_link_of_its_tree_once, 2)
{
    struct penrose_chip *chip = timed_chip(1);
    struct noc_span span = _i ? span_of(3, 4, 6, 6) : span_of(4, 3, 6, 6);
    span.y_is_major = _i;
    struct noc_packet *packet = send_to_all(chip, 1000, noc_node(2, 3), span, 4);
    const struct grid_multicast multicast = {.source = {.x = 2, .y = 3},
                                             .start = {.x = span.start_x, .y = span.start_y},
                                             .end = {.x = span.end_x, .y = span.end_y},
                                             .is_y_major = _i};
    ck_assert_uint_eq(packet->span.turn, 4);
    struct noc_list arrived = run_links(chip, 10);
    ck_assert_uint_eq(count_copies(arrived, 1000), 12);
    struct used used = {.chip = chip};
    grid_visit_tree(0, &multicast, &(struct grid_link_visitor){count_used, &used});
    ck_assert_uint_eq(used.links, _i ? 1 + 4 + 4 * 2 : 2 + 3 + 4 * 2);
    ck_assert_uint_eq(links_used(chip), used.links);
    end_links(chip, arrived);
}

/* All round a row, from its middle: the sender is in the span, and takes a copy where it is to. */
TEST_EACH(a_multicast_goes_round_its_row, 2)
{
    struct penrose_chip *chip = timed_chip(1);
    struct noc_span span = span_of(1, 3, 16, 3);
    span.includes_source = _i;
    send_to_all(chip, 1000, noc_node(5, 3), span, 4);
    struct noc_list arrived = run_links(chip, 10);
    ck_assert_uint_eq(count_copies(arrived, 1000), 13 + (unsigned)_i);
    ck_assert_uint_eq(links_used(chip), GRID_WIDTH - 1);
    end_links(chip, arrived);
}

static uint64_t latest_of(struct noc_list arrived, uint16_t from)
{
    uint64_t latest = 0;
    for (const struct noc_packet *packet = arrived.head; packet; packet = packet->next) {
        latest = packet->from == from && packet->arrival > latest ? packet->arrival : latest;
    }
    return latest;
}

/* Two senders of a row whose trees share links, or one of which sends to one tile: each of them gets half
 * of the rate, on one channel as on two. */
TEST_EACH(trees_that_share_links_share_their_rate, 3)
{
    enum { EACH = 16 };
    struct penrose_chip *chip = timed_chip(1);
    for (uint64_t i = 0; i < EACH; i++) {
        const uint64_t cycle = 1000 + i * OF_NIU;
        send_to_all(chip, cycle, noc_node(1, 3), span_of(4, 3, 6, 3), 4);
        if (_i == 2) {
            send(chip, cycle, noc_node(2, 3), noc_node(5, 3), 1);
        } else {
            send_to_all(chip, cycle, noc_node(2, 3), span_of(5, 3, 7, 3), _i ? 5 : 4);
        }
    }
    struct noc_list arrived = run_links(chip, 10);
    for (uint8_t x = 1; x <= 2; x++) {
        const uint64_t took = latest_of(arrived, noc_node(x, 3)) - 1000;
        ck_assert_uint_ge(took, (2 * EACH - 2) * OF_LINK);
        ck_assert_uint_le(took, 2 * EACH * (OF_NIU + 4 * HOP) + 100);
    }
    end_links(chip, arrived);
}

/* A branch that waits for other packets' flits keeps the channels of its tree: another multicast waits for
 * them, unless it has another channel. */
TEST_EACH(a_branch_that_waits_holds_up_its_stem, 2)
{
    struct penrose_chip *chip = timed_chip(1);
    send(chip, 1000, noc_node(4, 4), noc_node(7, 4), 1);
    send(chip, 1000, noc_node(4, 4), noc_node(7, 4), 3);
    send_to_all(chip, 1000, noc_node(2, 3), span_of(4, 3, 6, 4), 4);
    send_to_all(chip, 1010, noc_node(4, 3), span_of(4, 4, 4, 4), _i ? 5 : 4);
    struct noc_list arrived = run_links(chip, 10);
    const uint64_t waits = OF_LINK - 3 * HOP; /* the branch, at (4, 4) */
    const uint64_t other = latest_of(arrived, noc_node(4, 3));
    ck_assert_uint_ge(latest_of(arrived, noc_node(2, 3)), alone(1000, 5) + waits - 2 * LINKS_FLITS);
    ck_assert_uint_le(latest_of(arrived, noc_node(2, 3)), alone(1000, 5) + waits + 3 * HOP);
    if (_i) { /* both share the link to (4, 4) */
        ck_assert_uint_le(other, alone(1010, 1) + OF_NIU);
    } else {
        ck_assert_uint_ge(other, alone(1010, 1) + waits);
    }
    end_links(chip, arrived);
}

/* Receivers whose NIUs are busy hold up the tree at the same time, not one after the other. */
TEST(receivers_hold_up_a_tree_together)
{
    struct penrose_chip *chip = timed_chip(1);
    for (unsigned x = 4; x <= 7; x++) {
        send(chip, 1000, noc_node(x, 2), noc_node(x, 3), 1);
    }
    send_to_all(chip, 1000, noc_node(3, 3), span_of(4, 3, 7, 3), 4);
    send_to_all(chip, 1000 + OF_NIU, noc_node(3, 3), span_of(4, 3, 7, 3), 4);
    struct noc_list arrived = run_links(chip, 10);
    const uint64_t latest = latest_of(arrived, noc_node(3, 3));
    ck_assert_uint_ge(latest, alone(1000 + 2 * OF_LINK, 1));
    ck_assert_uint_le(latest, alone(1000 + 2 * OF_NIU, 4) + 2 * HOP);
    end_links(chip, arrived);
}

/* A multicast has one turn for all links of its tree: a third one waits for the second, although the link
 * that they share is free. */
TEST(a_tree_has_one_turn)
{
    struct penrose_chip *chip = timed_chip(1);
    send_to_all(chip, 1000, noc_node(5, 3), span_of(6, 3, 7, 3), 4);
    send_to_all(chip, 1010, noc_node(4, 3), span_of(5, 3, 7, 3), 4);
    send_to_all(chip, 1020, noc_node(3, 3), span_of(4, 3, 5, 3), 4);
    struct noc_list arrived = run_links(chip, 10);
    const uint64_t second = latest_of(arrived, noc_node(4, 3)),
                   third = latest_of(arrived, noc_node(3, 3));
    ck_assert_uint_eq(latest_of(arrived, noc_node(5, 3)), alone(1000, 2));
    ck_assert_uint_ge(second, alone(1000 + OF_LINK - HOP, 3));
    ck_assert_uint_le(second, alone(1000 + OF_NIU, 3) + 3 * HOP);
    ck_assert_uint_ge(third, alone(1000 + 2 * (OF_LINK - HOP), 2));
    ck_assert_uint_le(third, alone(1000 + 2 * OF_NIU, 2) + 6 * HOP);
    end_links(chip, arrived);
}

/* --- Windows --- */

enum { PACKETS = 400 };

/* Many packets between places at random, each fifth of them a multicast. */
static void send_at_random(struct penrose_chip *chip)
{
    uint64_t seed = 1;
    for (unsigned i = 0; i < PACKETS; i++) {
        uint16_t from = (uint16_t)(random_below(&seed, NOC_NODES));
        uint16_t to = (uint16_t)(random_below(&seed, NOC_NODES));
        struct noc_packet *packet =
            new_packet(chip, 1000 + i * 7 + OF_NIU, from, to, i % 3 ? 1 : NOC_ANY_CHANNEL);
        packet->noc = i & 1;
        packet->order = i;
        packet->is_multicast = i % 5 == 0;
        packet->span = span_of(1 + i % 7, 2 + i % 9, 3 + i % 13, 2 + i % 10);
        packet->span.y_is_major = i % 2;
        chip_links_enter(chip, packet);
    }
}

/* The windows in which packets go on change nothing. */
TEST_EACH(windows_change_nothing, 4)
{
    static const uint64_t windows[] = {1, 3, 10, 77};
    uint64_t arrival[2][PACKETS] = {0};
    for (unsigned way = 0; way < 2; way++) {
        struct penrose_chip *chip = timed_chip(1);
        send_at_random(chip);
        struct noc_list arrived = run_links(chip, way ? windows[_i] : 1000000);
        for (const struct noc_packet *packet = arrived.head; packet; packet = packet->next) {
            const uint64_t i = packet->order;
            ck_assert_uint_ge(packet->arrival, alone(1000 + i * 7, 0));
            arrival[way][i] += packet->arrival * (packet->to + 1u);
        }
        end_links(chip, arrived);
    }
    for (unsigned i = 0; i < PACKETS; i++) {
        ck_assert(i % 5 == 0 || arrival[0][i] > 0);
    }
    ck_assert_mem_eq(arrival[0], arrival[1], sizeof arrival[0]);
}

/* --- Damaged snapshots --- */

/* Channels say that pieces of any packets lie behind their links, and packets that they are anywhere. */
static void damage(struct penrose_chip *chip, uint64_t *seed)
{
    struct links_state *state = &chip->links->state;
    for (unsigned i = 0; i < 2000; i++) {
        struct links_link *link =
            &state->link[random_below(seed, GRID_NOCS)][random_below(seed, NOC_NODES)]
                        [random_below(seed, LINKS_WAYS)];
        struct links_channel *channel = &link->channel[random_below(seed, LINKS_CHANNELS)];
        link->turn = random_next(seed);
        channel->claim = (uint16_t)random_next(seed);
        channel->feed = (uint8_t)random_next(seed);
        channel->taken = (uint8_t)random_next(seed);
        channel->pieces = (uint8_t)random_below(seed, LINKS_ROOM + 2);
        for (unsigned j = 0; j < LINKS_ROOM; j++) {
            channel->piece[j].packet = (uint16_t)(1 + random_below(seed, 64));
            channel->piece[j].number = (uint16_t)(random_below(seed, 3) * 20);
        }
        channel->owner = random_below(seed, 2) ? channel->piece[0].packet : 0;
    }
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct links_source *source = &state->source[random_below(seed, GRID_NOCS)][i][0];
        source->blocked = random_next(seed);
        source->begin = random_below(seed, 5000);
    }
    for (struct noc_packet *packet = chip->on_way.fresh; packet; packet = packet->next) {
        packet->is_at_router ^= random_below(seed, 8) == 0;
        packet->number = (uint16_t)random_below(seed, 80);
        packet->pieces = (uint16_t)random_below(seed, 80); /* more than it has, or less */
        packet->ends = (uint16_t)random_below(seed, 4);
        packet->arrival = random_below(seed, 3000);
    }
    state->now = 0;
}

TEST_EACH(a_damaged_state_does_no_harm, 6)
{
    struct penrose_chip *chip = timed_chip(1);
    struct noc_list arrived = {NULL, NULL};
    uint64_t seed = (uint64_t)_i;
    send_at_random(chip);
    chip->head.time.now = 2500;
    chip_links_run(chip, &arrived);
    chip_links_gather(chip);
    damage(chip, &seed);
    chip->head.time.now = UINT64_C(1) << 60;
    chip_links_restore(chip);
    chip->head.time.now += 20000;
    chip_links_run(chip, &arrived);
    ck_assert_ptr_nonnull(arrived.head);
    end_links(chip, arrived);
}

/* A piece's packet may have arrived before the piece that is in front of it goes on. */
TEST(a_piece_of_no_packet_does_no_harm)
{
    struct penrose_chip *chip = timed_chip(1);
    struct noc_list arrived = {NULL, NULL};
    struct links_state *state = &chip->links->state;
    for (uint16_t number = 1; number <= 2; number++) {
        struct noc_packet *packet = new_packet(chip, 1000, noc_node(2, 3), noc_node(5, 3), 0);
        packet->is_at_router = true;
        packet->number = number;
        packet->pieces = (uint16_t)chip_links_pieces(packet);
        noc_queue_put(&chip->on_way, packet);
    }
    const struct links_piece first = {.ready = 100, .packet = 1, .number = WHOLE},
                             second = {.packet = 2, .number = WHOLE};
    struct links_channel *channel = state->link[0][noc_node(2, 3)][GRID_ALONG_X].channel;
    channel[0] = (struct links_channel){.piece = {first, second}, .pieces = 2, .owner = 1};
    channel = state->link[0][noc_node(4, 3)][GRID_ALONG_X].channel;
    channel[0] = (struct links_channel){.piece = {second}, .pieces = 1};
    state->link[0][noc_node(3, 3)][GRID_ALONG_X].channel[0].owner = 1;
    state->link[0][noc_node(5, 3)][LINKS_TO_NIU].channel[0].owner = 2;
    memset(state->due, 0xff, sizeof state->due);
    chip_links_restore(chip);
    chip->head.time.now = 1000;
    chip_links_run(chip, &arrived);
    ck_assert_ptr_nonnull(arrived.head);
    ck_assert_uint_eq(arrived.head->number, 0);
    ck_assert_uint_eq(channel[0].pieces, 0);
    ck_assert_uint_eq(state->link[0][noc_node(2, 3)][GRID_ALONG_X].channel[0].pieces, 1);
    end_links(chip, arrived);
}

/* --- Whole chips --- */

enum { STATIC_CHANNEL = 1 << 7 | 1 << 13 /* the first with the buddy bit */ };
enum { MULTICAST = 1 << 5, PATH_RESERVE = 1 << 8, START_SHIFT = 12 };
enum { WRITERS = 24, SENDERS = 10, CODE = 0x1000, BUFFER = 0x4000 };

static const char again_and_again[] = "lui s0, 0xffb20;addi a4, zero, 1;sw a4, 0x40(s0);"
                                      "lw a5, 0x40(s0);bne a5, zero, 0x100c;jal zero, 0x1008";

/* Harts of two rows write 4 KiB to one bank, and others send multicasts to two columns. They do so again
 * and again. */
static struct penrose_chip *busy_chip(unsigned threads)
{
    struct penrose_chip *chip = timed_chip(threads);
    for (unsigned i = 0; i < WRITERS; i++) {
        unsigned x = 1 + i % 7 + (i % 14 >= 7 ? 9 : 0), y = 2 + i / 14;
        command_fill(chip, x, y, 0, COMMAND_WRITE | COMMAND_RESPONSE | STATIC_CHANNEL,
                     (struct command_end){x, y, BUFFER},
                     (struct command_end){17, 12, 0x10000 + i * 0x1000}, 4096);
        start_program(chip, x, y, PENROSE_BRISC, CODE, again_and_again);
    }
    for (unsigned i = 0; i < SENDERS; i++) {
        const unsigned x = 1 + i % 5, y = 4 + i / 5;
        command_fill(chip, x, y, 0,
                     COMMAND_WRITE | COMMAND_RESPONSE | MULTICAST | (i % 2 ? PATH_RESERVE : 0),
                     (struct command_end){x, y, BUFFER},
                     (struct command_end){7, 11, 0x10000 + i * 0x1000}, 1024);
        command_put(chip, (struct command_end){x, y, COMMAND_NIU + NIU_RET_ADDR_HI},
                    7 | 11 << 6 | (6 | 6 << 6) << START_SHIFT);
        start_program(chip, x, y, PENROSE_BRISC, CODE, again_and_again);
    }
    return chip;
}

/* What a hart polls tells when its data have left. Then the path has been reserved, and a flit has left in each
 * cycle. A flit alone is in the NIU at once. */
TEST_EACH(a_hart_sees_when_a_multicast_has_left, 2)
{
    enum { LARGE = 8192, OF_LARGE = 132, ISSUED = 10, OF_PATH = 2 * 5 + 3 * 14 };
    struct penrose_chip *chip = timed_chip(1);
    const struct command_end sent = {
        1, 2, COMMAND_NIU + NIU_COUNTERS + 4 * NIU_MST_NONPOSTED_WR_REQ_SENT};
    struct penrose_run run = {.size = sizeof run};
    command_fill(chip, 1, 2, 0, COMMAND_WRITE | COMMAND_RESPONSE | MULTICAST | PATH_RESERVE,
                 (struct command_end){1, 2, BUFFER}, (struct command_end){4, 2, BUFFER},
                 _i ? LARGE : 64);
    command_put(chip, (struct command_end){1, 2, COMMAND_NIU + NIU_RET_ADDR_HI},
                4 | 2 << 6 | (2 | 2 << 6) << START_SHIFT);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lui s0, 0xffb20;addi a4, zero, 1;sw a4, 0x40(s0);jal zero, 0x100c");
    for (uint64_t end = ISSUED; end <= 2000; end += ISSUED) {
        run.cycles = ISSUED;
        ck_assert_int_ne(penrose_run(chip, &run), PENROSE_FAULT);
        uint32_t count = command_get(chip, sent);
        ck_assert(count == 0 || !_i || end >= OF_PATH + OF_LARGE);
        ck_assert(count == 1 || end <= 2 * ISSUED + (_i ? OF_PATH + OF_LARGE : 0));
    }
    penrose_chip_destroy(chip);
}

TEST_EACH(a_busy_chip_goes_the_same_way, 3)
{
    static const struct {
        uint64_t pace;
        unsigned threads;
    } ways[] = {{1, 1}, {7, 2}, {512, 2}};
    struct penrose_chip *whole = busy_chip(1), *part = busy_chip(ways[_i].threads);
    for (uint64_t end = 500; end <= 3000; end += 500) {
        struct penrose_run run = {.size = sizeof run, .cycles = 500};
        ck_assert_int_ne(penrose_run(whole, &run), PENROSE_FAULT);
        while (penrose_now(part) < end) {
            uint64_t left = end - penrose_now(part);
            run.cycles = ways[_i].pace < left ? ways[_i].pace : left;
            ck_assert_int_ne(penrose_run(part, &run), PENROSE_FAULT);
        }
        ck_assert_msg(penrose_state_hash(whole) == penrose_state_hash(part), "cycle %llu: %s",
                      (unsigned long long)end, state_difference(whole, part));
    }
    penrose_chip_destroy(whole);
    penrose_chip_destroy(part);
}
