/* What is written for Perfetto of events that are made by hand. */
#include <string.h>

#include "chip/calls.h"
#include "observe/profile/perfetto.h"
#include "unit/observe/profile_events.h"
#include "unit/test.h"

struct written {
    size_t size;
    char bytes[4096];
};

static void keep_written(void *context, const void *bytes, size_t size)
{
    struct written *written = context;
    ck_assert_uint_le(size, sizeof written->bytes - written->size);
    memcpy(written->bytes + written->size, bytes, size);
    written->size += size;
}

/* A file may have names of any length. */
TEST(long_names_are_cut_for_perfetto)
{
    struct written written = {0};
    char what[2000];
    begin_profile();
    struct perfetto *perfetto = perfetto_create(&chip_calls, keep_written, &written);
    ck_assert_ptr_nonnull(perfetto);
    memset(what, 'w', sizeof what - 1);
    what[sizeof what - 1] = '\0';
    struct penrose_trace_event event = made_event(PENROSE_TRACE_NOC, 5, -1, 1);
    event.what = what;
    event.begins = true;
    perfetto_take(perfetto, &event);
    event.begins = false;
    event.cause = (struct penrose_trace_cause){
        .is_known = true, .x = 1, .y = 2, .agent = event.agent, .thread = -1, .cycle = 5};
    perfetto_take(perfetto, &event);
    perfetto_end(perfetto, profile);
    perfetto_destroy(perfetto);
    end_profile();
    what[200] = '\0';
    ck_assert_ptr_nonnull(memmem(written.bytes, written.size, what, 200));
    ck_assert_ptr_null(memmem(written.bytes, written.size, "arrives", strlen("arrives")));
}

/* Arrivals are of the flow of a sender that has been seen, and do not end it. */
TEST(flows_of_packets_do_not_end)
{
    static const char flow[] = "\xf9\x02",
                      flow_that_ends[] = "\x81\x03"; /* keys of fields 47, 48 */
    for (unsigned is_seen = 0; is_seen < 2; is_seen++) {
        struct written written = {0};
        struct perfetto *perfetto = perfetto_create(&chip_calls, keep_written, &written);
        ck_assert_ptr_nonnull(perfetto);
        struct penrose_trace_event event = made_event(PENROSE_TRACE_NOC, 5, -1, 1);
        event.what = "write";
        event.begins = true;
        if (is_seen) {
            perfetto_take(perfetto, &event);
        }
        event.begins = false;
        event.cause = (struct penrose_trace_cause){
            .is_known = true, .x = 1, .y = 2, .agent = event.agent, .thread = -1, .cycle = 5};
        event.x = 2;
        written.size = 0;
        perfetto_take(perfetto, &event);
        ck_assert_ptr_nonnull(memmem(written.bytes, written.size, "write arrives", 13));
        ck_assert_int_eq(memmem(written.bytes, written.size, flow, 2) != NULL, is_seen);
        ck_assert_ptr_null(memmem(written.bytes, written.size, flow_that_ends, 2));
        perfetto_destroy(perfetto);
    }
}

/* A wait's end has a flow from whoever has made it end, but none from a later time. */
TEST(flows_do_not_go_back)
{
    for (uint64_t later = 0; later < 2; later++) {
        struct written written = {0};
        struct perfetto *perfetto = perfetto_create(&chip_calls, keep_written, &written);
        ck_assert_ptr_nonnull(perfetto);
        struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, 90, -1, 1);
        event.agent = (enum penrose_agent)PENROSE_BRISC;
        perfetto_take(perfetto, &event);
        event = made_event(PENROSE_TRACE_WAIT, 100, -1, 1);
        event.waited = 50;
        event.cause = (struct penrose_trace_cause){.is_known = true,
                                                   .x = 1,
                                                   .y = 2,
                                                   .agent = (enum penrose_agent)PENROSE_BRISC,
                                                   .thread = -1,
                                                   .cycle = 100 + later};
        perfetto_take(perfetto, &event);
        ck_assert_int_eq(memmem(written.bytes, written.size, "releases", 8) != NULL, !later);
        perfetto_destroy(perfetto);
    }
}

static void count_written(void *context, const void *bytes, size_t size)
{
    static const char is_full[] = "the file is full";
    struct written *written = context;
    written->size += size;
    written->bytes[0] |= memmem(bytes, size, is_full, strlen(is_full)) != NULL;
}

/* Packets fill a file as slices do. */
TEST(a_file_for_perfetto_has_an_end)
{
    struct written written = {0};
    begin_profile();
    struct perfetto *perfetto = perfetto_create(&chip_calls, count_written, &written);
    ck_assert_ptr_nonnull(perfetto);
    struct penrose_trace_event event = made_event(PENROSE_TRACE_NOC, 5, -1, 1);
    event.begins = true;
    for (event.cycle = 0; event.cycle < PERFETTO_MOST_BYTES / 24; event.cycle++) {
        perfetto_take(perfetto, &event);
    }
    perfetto_end(perfetto, profile);
    perfetto_destroy(perfetto);
    end_profile();
    ck_assert_uint_gt(written.size, PERFETTO_MOST_BYTES);
    ck_assert_uint_lt(written.size, PERFETTO_MOST_BYTES + 1000);
    ck_assert(written.bytes[0]);
}

/* A kernel is around its functions, and a launch says what it was bound by, on a track of launches. */
TEST(kernels_and_launches_are_slices)
{
    static const char *const wanted[] = {"kernel_k", "launches", "1: kernel_k, 1 tile", "bound",
                                         "bound by its harts (100 % of the critical path)."};
    struct written written = {0};
    begin_profile();
    struct perfetto *perfetto = perfetto_create(&chip_calls, keep_written, &written);
    ck_assert_ptr_nonnull(perfetto);
    for (uint64_t cycle = 0; cycle < 100; cycle++) {
        struct penrose_trace_event event = made_event(PENROSE_TRACE_INSTRUCTION, cycle, -1, 1);
        event.kernel = cycle >= 10 && cycle < 60 ? "kernel_k" : "";
        profile_take(profile, &event);
        perfetto_take(perfetto, &event);
    }
    profile_end(profile);
    perfetto_end(perfetto, profile);
    perfetto_destroy(perfetto);
    end_profile();
    const char *kernel = memmem(written.bytes, written.size, "kernel_k", 8);
    const char *function = memmem(written.bytes, written.size, "kernel_main", 11);
    ck_assert_ptr_nonnull(function);
    ck_assert(function < kernel); /* in firmware, before; its name is told once */
    for (unsigned i = 0; i < COUNT(wanted); i++) {
        ck_assert_msg(memmem(written.bytes, written.size, wanted[i], strlen(wanted[i])) != NULL,
                      "%s", wanted[i]);
    }
}
