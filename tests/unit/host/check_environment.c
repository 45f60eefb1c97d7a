/* Environment variables, and paths in them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/environment.h"
#include "unit/test.h"

TEST(empty_variables_are_not_set)
{
    setenv("PENROSE_TEST", "", 1);
    ck_assert_ptr_null(host_variable("PENROSE_TEST"));
    setenv("PENROSE_TEST", "x", 1);
    ck_assert_str_eq(host_variable("PENROSE_TEST"), "x");
    unsetenv("PENROSE_TEST");
    ck_assert_ptr_null(host_variable("PENROSE_TEST"));
}

TEST(relative_paths_begin_at_the_working_directory)
{
    char path[PATH_MAX], here[PATH_MAX - 100], expected[PATH_MAX];
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    snprintf(expected, sizeof expected, "%s/b/c", here);
    ck_assert(host_absolute(path, sizeof path, "b/c"));
    ck_assert_str_eq(path, expected);
    ck_assert(host_absolute(path, sizeof path, "/b/c"));
    ck_assert_str_eq(path, "/b/c");
}

TEST(long_paths_do_not_fit)
{
    char path[4];
    ck_assert(host_absolute(path, sizeof path, "/23"));
    ck_assert(!host_absolute(path, sizeof path, "/234"));
    ck_assert(!host_absolute(path, sizeof path, "1"));
}
