/*
 * What unit test programs are made of. A test belongs to the case above it, and nothing else has to
 * name it:
 *
 *     TEST_CASE(timed, setup, teardown) // before and after each test, or NULL
 *
 *     TEST(rdcfg_takes_two_cycles)
 *     {
 *         ck_assert(...);
 *     }
 *
 *     TEST_EACH(results_take_their_latency, COUNT(latencies)) // with _i from 0 on
 *
 * main is in the library of unit tests and runs all of them, in their order.
 */
#ifndef RUN_SUITE_H
#define RUN_SUITE_H

#include <check.h>

/* Opens the case of the tests that are added from now on. */
void test_open_case(const char *name, SFun setup, SFun teardown);

/* Adds a test with each number from `from` to below `to`. */
void test_add(const TTest *test, int from, int to);

/* Runs the tests that have been added; the exit status. */
int test_run(void);

/* Constructors of a lower priority run first; 101 is the first one that is free. */
#define TEST_CONSTRUCTOR static void __attribute__((constructor(101 + __COUNTER__)))

#define TEST_CASE(name, setup, teardown)                                                           \
    TEST_CONSTRUCTOR test_case_##name(void)                                                        \
    {                                                                                              \
        test_open_case(#name, setup, teardown);                                                    \
    }

#define TEST_RANGE(name, from, to)                                                                 \
    static const TTest *name;                                                                      \
    TEST_CONSTRUCTOR test_add_##name(void)                                                         \
    {                                                                                              \
        test_add(name, from, to);                                                                  \
    }                                                                                              \
    START_TEST(name)

#define TEST_EACH(name, count) TEST_RANGE(name, 0, count)
#define TEST(name)             TEST_RANGE(name, 0, 1)

/* Runs a suite and frees it; the exit status. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}

#endif
