/* The processors of the host: affinity, and what control groups allow. */
#include <sched.h>

#include "host/processors.h"
#include "unit/test.h"

static unsigned own_processors(cpu_set_t *set)
{
    ck_assert_int_eq(sched_getaffinity(0, sizeof *set, set), 0);
    return (unsigned)CPU_COUNT(set);
}

TEST(no_more_than_the_affinity_mask_has)
{
    cpu_set_t all, one;
    unsigned processors = own_processors(&all), cpu = 0;
    unsigned found = host_processors(~0u);
    ck_assert_uint_ge(found, 1);
    ck_assert_uint_le(found, processors);
    while (!CPU_ISSET(cpu, &all)) {
        cpu++;
    }
    ck_assert_uint_eq(host_processors(1), 1);
    ck_assert_uint_eq(host_processors(found), found);
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    ck_assert_uint_eq(host_processors(~0u), 1);
    ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
    ck_assert_uint_eq(host_processors(~0u), found);
}

TEST(bandwidth_is_rounded_up)
{
    ck_assert_uint_eq(host_quota("200000 100000\n"), 2);
    ck_assert_uint_eq(host_quota("150000 100000\n"), 2);
    ck_assert_uint_eq(host_quota("1000 100000\n"), 1);
    ck_assert_uint_eq(host_quota("25000 10000\n"), 3);
    ck_assert_uint_eq(host_quota("18446744073709551615 1\n"), ~0u);
}

TEST(no_limit)
{
    static const char *const texts[] = {"max 100000\n", "",       "\n",          "0 100000\n",
                                        "100000 0\n",   "100000", "-1 100000\n", "100000 max\n",
                                        "1e5 100000\n", "max",    "100000 -1\n"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_msg(host_quota(texts[i]) == 0, "%s", texts[i]);
    }
}
