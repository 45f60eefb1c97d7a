/* Resources: what they answer to requests, one after the other. */
#include <check.h>
#include <inttypes.h>

#include "isa/timing.h"
#include "tile/timing.h"
#include "unit/test.h"

/* At a rate of 10 units a cycle. */
static const struct request {
    const char *what;
    uint64_t now, units, begin, end;
    uint64_t free_at; /* afterwards */
} requests[] = {
    {"begins at once", 100, 25, 100, 103, 102},
    {"fits into the last cycle", 100, 5, 102, 103, 103},
    {"waits behind both", 101, 40, 103, 107, 107},
    {"comes when it is free", 107, 10, 107, 108, 108},
    {"comes later, so no cycle before is left over", 200, 1, 200, 201, 200},
    {"fills that cycle", 200, 9, 200, 201, 201},
    {"asks for nothing", 300, 0, 300, 300, 300},
    {"is larger than 32 bits", 300, UINT64_C(100000000000), 300, UINT64_C(10000000300),
     UINT64_C(10000000300)},
};

TEST(requests_are_served_in_their_order)
{
    struct timing_resource resource = {0};
    for (unsigned i = 0; i < COUNT(requests); i++) {
        const struct request *request = &requests[i];
        struct timing_span span = timing_serve(&resource, 10, request->units, request->now);
        ck_assert_msg(span.begin == request->begin && span.end == request->end,
                      "%s: %" PRIu64 " to %" PRIu64, request->what, span.begin, span.end);
        ck_assert_msg(resource.free_at == request->free_at, "%s", request->what);
        ck_assert(timing_is_free(&resource, request->free_at));
        ck_assert(request->free_at == 0 || !timing_is_free(&resource, request->free_at - 1));
    }
}

TEST(a_functional_run_answers_one_cycle)
{
    struct timing_resource resource = {0};
    for (unsigned i = 0; i < 3; i++) {
        struct timing_span span = timing_ask(NULL, TIMING_PACK_BYTES, &resource, 1000000, 7);
        ck_assert_uint_eq(span.begin, 7);
        ck_assert_uint_eq(span.end, 8);
    }
    ck_assert_uint_eq(resource.free_at, 0);
    for (unsigned cost = 0; cost < TIMING_COSTS; cost++) {
        ck_assert_uint_eq(timing_cycles(NULL, cost), 1);
        ck_assert_uint_gt(timing_cycles(&tile_costs, cost), 0);
    }
    for (unsigned rate = 0; rate < TIMING_RATES; rate++) {
        ck_assert_uint_gt(tile_costs.rate[rate], 0);
    }
}
