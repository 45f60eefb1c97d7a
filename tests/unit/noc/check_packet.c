/* Packets: canonical order of queues, shared data, pools. */

#include "noc/packet.h"
#include "unit/test.h"

enum { PACKETS = 500 };

static struct noc_pool pool;

static void teardown(void)
{
    noc_pool_empty(&pool);
}

FIXTURE(NULL, teardown);

static uint32_t state = 1;

static uint32_t next_random(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static struct noc_packet *packet(uint64_t arrival, uint64_t order)
{
    struct noc_packet *made = noc_packet_new(&pool);
    ck_assert_ptr_nonnull(made);
    made->arrival = arrival;
    made->order = order;
    return made;
}

/* Whatever comes in whatever order between whatever takes: what is taken is in order. */
TEST_EACH(queue_gives_canonical_order, 20)
{
    struct noc_queue queue;
    noc_queue_init(&queue);
    uint64_t end = 0, last_arrival = 0, last_order = 0;
    unsigned put = 0, taken = 0;
    state = (uint32_t)_i + 1;
    while (taken < PACKETS) {
        for (unsigned n = next_random() % 20; n > 0 && put < PACKETS; n--, put++) {
            noc_queue_put(&queue, packet(end + next_random() % 50, next_random()));
        }
        end += 1 + next_random() % 30;
        for (struct noc_packet *got; (got = noc_queue_take(&queue, end)); taken++) {
            ck_assert_uint_lt(got->arrival, end);
            ck_assert(got->arrival > last_arrival ||
                      (got->arrival == last_arrival && got->order >= last_order));
            last_arrival = got->arrival;
            last_order = got->order;
            noc_packet_free(&pool, got);
        }
        ck_assert_uint_ge(queue.earliest, end);
        last_order = 0;
        last_arrival = end;
    }
    ck_assert_uint_eq(queue.earliest, UINT64_MAX);
}

/* Copies of a multicast differ in their receivers alone. */
TEST_EACH(copies_are_taken_in_the_same_order, 2)
{
    enum { COPIES = 5 };
    struct noc_queue queue;
    noc_queue_init(&queue);
    if (_i) { /* others that come with them are not in order */
        noc_queue_put(&queue, packet(9, 1));
        noc_queue_put(&queue, packet(8, 1));
    }
    for (uint16_t to = 0; to < COPIES; to++) {
        struct noc_packet *copy = packet(5, 1);
        copy->to = to;
        noc_queue_put(&queue, copy);
    }
    for (uint16_t to = 0; to < COPIES; to++) {
        struct noc_packet *copy = noc_queue_take(&queue, 6);
        ck_assert_uint_eq(copy->to, to);
        noc_packet_free(&pool, copy);
    }
    noc_queue_free(&queue, &pool);
}

TEST(returned_packet_is_first_again)
{
    struct noc_queue queue;
    noc_queue_init(&queue);
    noc_queue_put(&queue, packet(5, 2));
    noc_queue_put(&queue, packet(5, 1));
    struct noc_packet *first = noc_queue_take(&queue, 6);
    ck_assert_uint_eq(first->order, 1);
    noc_queue_return(&queue, first);
    ck_assert_uint_eq(queue.earliest, 5);
    ck_assert_ptr_eq(noc_queue_take(&queue, 6), first);
    noc_packet_free(&pool, first);
    ck_assert_ptr_null(noc_queue_take(&queue, 5));
    noc_queue_free(&queue, &pool);
    ck_assert_uint_eq(queue.earliest, UINT64_MAX);
}

TEST(queue_of_zeros_is_empty)
{
    struct noc_queue queue = {0};
    ck_assert_ptr_null(noc_queue_take(&queue, UINT64_MAX));
    noc_queue_free(&queue, &pool);
}

TEST(copies_share_data)
{
    struct noc_packet *one = packet(0, 0);
    uint8_t *bytes = noc_packet_room(&pool, one, 100);
    bytes[99] = 7;
    struct noc_packet *two = noc_packet_copy(&pool, one);
    ck_assert_ptr_eq(noc_packet_bytes(two), bytes);
    noc_packet_free(&pool, one);
    ck_assert_uint_eq(noc_packet_bytes(two)[99], 7);
    noc_packet_free(&pool, two);
    struct noc_packet *small = packet(0, 0);
    noc_packet_room(&pool, small, 4)[3] = 9;
    ck_assert_ptr_null(small->data);
    ck_assert_uint_eq(small->word, UINT32_C(0x09000000));
    noc_packet_free(&pool, small);
}

/* A packet keeps its room while it suffices, and gives it to the pool at its end. */
TEST(room_is_used_again)
{
    struct noc_packet *first = packet(0, 0);
    const uint8_t *bytes = noc_packet_room(&pool, first, 300);
    ck_assert_ptr_eq(noc_packet_room(&pool, first, 512), bytes);
    ck_assert_ptr_ne(noc_packet_room(&pool, first, 513), bytes);
    noc_packet_free(&pool, first);
    struct noc_packet *second = packet(0, 1);
    ck_assert_ptr_eq(noc_packet_room(&pool, second, 257), bytes);
    struct noc_packet *copy = noc_packet_copy(&pool, second);
    ck_assert_ptr_ne(noc_packet_room(&pool, copy, 257), bytes); /* the other one reads those */
    noc_packet_free(&pool, second);
    noc_packet_free(&pool, copy);
    struct noc_packet *third = packet(0, 2);
    ck_assert_ptr_null(noc_packet_room(&pool, third, NOC_MOST_BYTES + 1));
    noc_packet_free(&pool, third);
}

TEST(pool_keeps_little)
{
    enum { MANY = 40 };
    struct noc_packet *packets[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        packets[i] = packet(0, i);
        ck_assert_ptr_nonnull(noc_packet_room(&pool, packets[i], NOC_MOST_BYTES));
    }
    for (unsigned i = 0; i < MANY; i++) {
        noc_packet_free(&pool, packets[i]);
    }
    ck_assert_uint_ge(pool.data_bytes, NOC_MOST_BYTES);
    ck_assert_uint_le(pool.data_bytes, 10 * NOC_MOST_BYTES);
    noc_pool_empty(&pool);
    ck_assert_uint_eq(pool.data_bytes, 0);
}

TEST_EACH(flits_are_aligned_lines, 6)
{
    static const struct {
        uint64_t address;
        uint32_t size, flits;
    } cases[] = {{0, 1, 1}, {0, 64, 1}, {0, 65, 2}, {63, 1, 1}, {63, 2, 2}, {16, 16384, 257}};
    ck_assert_uint_eq(noc_flits(cases[_i].address, cases[_i].size), cases[_i].flits);
}
