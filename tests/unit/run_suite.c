#include "unit/run_suite.h"

#include <errno.h>
#include <stdlib.h>

enum { LONG_ENOUGH = 120 }; /* seconds, as `make check` has it */

static struct {
    Suite *suite;
    TCase *open;
} tests;

void test_open_case(const char *name, SFun setup, SFun teardown)
{
    tests.suite = tests.suite ? tests.suite : suite_create(program_invocation_short_name);
    tests.open = tcase_create(name);
    tcase_add_checked_fixture(tests.open, setup, teardown);
    if (!getenv("CK_DEFAULT_TIMEOUT")) {
        tcase_set_timeout(tests.open, LONG_ENOUGH);
    }
    suite_add_tcase(tests.suite, tests.open);
}

void test_add(const TTest *test, int from, int to)
{
    tcase_add_loop_test(tests.open, test, from, to);
}

int test_run(void)
{
    return run_suite(tests.suite);
}
