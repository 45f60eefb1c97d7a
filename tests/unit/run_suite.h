/* What every unit test program's main ends with. */
#ifndef RUN_SUITE_H
#define RUN_SUITE_H

#include <check.h>

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
