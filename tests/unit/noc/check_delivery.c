/* When packets get there in timed runs: the ways of NIUs. */
#include "noc/delivery.h"
#include "unit/test.h"

static const struct timing timing = {
    .cycles =
        {[TIMING_NOC_NIU] = 5, [TIMING_NOC_HOP] = 9, [TIMING_NOC_READY] = 4, [TIMING_NOC_END] = 7},
    .rate = {[TIMING_NOC_NIU_BYTES] = 62},
};
static const struct noc_delivery timed = {.timing = &timing}, functional = {.window = 512};

enum { WHOLE = 16384, OF_WHOLE = 264 /* cycles */ };

static struct noc_packet write_of(uint32_t size)
{
    return (struct noc_packet){.kind = NOC_WRITE, .size = size};
}

TEST(packets_leave_one_after_the_other)
{
    struct noc_ways ways = {0};
    struct noc_packet large = write_of(WHOLE), flit = write_of(64),
                      answer = {.kind = NOC_WRITE_ACK};
    struct noc_packet read = {.kind = NOC_READ, .size = WHOLE};
    ck_assert_uint_eq(noc_leave(&timed, &ways, &large, 1000, 0), 1000 + OF_WHOLE);
    ck_assert_uint_eq(ways.begins, 1000);
    ck_assert_uint_eq(noc_leave(&timed, &ways, &flit, 1010, 0), 1000 + OF_WHOLE + 1);
    ck_assert_uint_eq(ways.begins, 1000 + OF_WHOLE); /* until then the NIU takes no other */
    /* A request keeps its place; what is only a header and answers passes. */
    ck_assert_uint_ge(noc_leave(&timed, &ways, &read, 1020, 0), 1000 + OF_WHOLE + 1);
    ck_assert_uint_eq(noc_leave(&timed, &ways, &answer, 1020, 0), 1020);
    ck_assert_uint_eq(noc_leave(&timed, &ways, &flit, 5000, 0), 5001);
}

/* The path of a multicast is reserved before its data leave, behind what left before, and for a transaction
 * once. An NIU has read a flit at once, and more when they have left. */
TEST(a_multicast_reserves_its_path)
{
    enum { HOPS = 3, RESERVED = 2 * 5 + HOPS * (9 + 4) };
    struct noc_ways ways = {0};
    struct noc_packet write = write_of(WHOLE), large = write_of(WHOLE), flit = write_of(16);
    large.is_multicast = large.reserves_path = large.is_linked = true;
    flit.is_multicast = flit.reserves_path = true;
    uint64_t free_at = noc_leave(&timed, &ways, &write, 1000, 0);
    ck_assert_uint_eq(noc_leave(&timed, &ways, &large, 1010, HOPS), free_at + RESERVED + OF_WHOLE);
    ck_assert_uint_eq(ways.begins, free_at);
    ck_assert_uint_eq(noc_has_read(&large, 1010), large.sent);
    ck_assert_uint_le(noc_leave(&timed, &ways, &flit, 1020, HOPS), large.sent + 2);
    ck_assert_uint_eq(noc_has_read(&flit, 1020), 1020);
    ck_assert_uint_eq(noc_leave(&timed, &ways, &flit, 5000, HOPS), 5000 + RESERVED + 1);
    flit.reserves_path = false;
    ck_assert_uint_eq(noc_leave(&timed, &ways, &flit, 6000, HOPS), 6001);
    ck_assert_uint_eq(noc_leave(&functional, &ways, &large, 7000, HOPS), 7000);
}

/* A way passes what came alone at once; of two packets that overlap the later one waits. */
TEST(packets_pass_one_after_the_other)
{
    struct timing_resource way = {0};
    struct noc_packet first = write_of(WHOLE), second = write_of(WHOLE),
                      answer = {.kind = NOC_WRITE_ACK};
    ck_assert_uint_eq(noc_pass(&timed, &way, &first, 1000), 1000);
    ck_assert_uint_ge(noc_pass(&timed, &way, &second, 1100), 1000 + OF_WHOLE);
    ck_assert_uint_le(way.free_at, 1000 + OF_WHOLE + 1);
    ck_assert_uint_eq(noc_pass(&timed, &way, &answer, 1110), 1110);
}

/* 62 bytes a cycle, however small the packets are. */
TEST_EACH(small_packets_are_as_fast_as_large_ones, 5)
{
    struct noc_ways ways = {0};
    struct noc_packet packet = write_of(UINT32_C(1) << (6 + 2 * _i));
    uint64_t last = 0, bytes = 0;
    for (; bytes < UINT32_C(1) << 20; bytes += packet.size) {
        last = noc_leave(&timed, &ways, &packet, 0, 0);
    }
    ck_assert_uint_ge(last, bytes / 62);
    ck_assert_uint_le(last, bytes / 62 + 1);
}

TEST(functional_runs_have_no_ways)
{
    struct noc_ways ways = {0};
    struct noc_packet large = write_of(WHOLE);
    ck_assert_uint_eq(noc_leave(&functional, &ways, &large, 1000, 0), 1000);
    ck_assert_uint_eq(noc_leave(&functional, &ways, &large, 1000, 0), 1000);
    ck_assert_uint_eq(ways.out.free_at + ways.begins, 0);
    ck_assert_uint_eq(noc_cycles_of_ends(&functional), 512);
    ck_assert_uint_eq(noc_cycles_of_ends(&timed), 2 * 5 + 7);
}
