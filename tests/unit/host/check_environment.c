/* Environment variables, and the folder of the cache. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/environment.h"
#include "unit/test.h"

static const char *const names[] = {"PENROSE_CACHE", "XDG_CACHE_HOME", "HOME"};

static void unset_all(void)
{
    for (unsigned i = 0; i < 3; i++) {
        unsetenv(names[i]);
    }
}

TEST(empty_variables_are_not_set)
{
    setenv("PENROSE_TEST", "", 1);
    ck_assert_ptr_null(host_variable("PENROSE_TEST"));
    setenv("PENROSE_TEST", "x", 1);
    ck_assert_str_eq(host_variable("PENROSE_TEST"), "x");
    unsetenv("PENROSE_TEST");
    ck_assert_ptr_null(host_variable("PENROSE_TEST"));
}

TEST(the_first_that_is_set_says_where_the_cache_is)
{
    static const char *const expected[] = {"/a", "/a/penrose", "/a/.cache/penrose"};
    char path[PATH_MAX], here[PATH_MAX - 100], relative[PATH_MAX];
    unset_all();
    ck_assert(!host_cache(path, sizeof path));
    for (unsigned i = 3; i-- > 0;) {
        setenv(names[i], "/a", 1);
        ck_assert(host_cache(path, sizeof path));
        ck_assert_str_eq(path, expected[i]);
    }
    setenv("PENROSE_CACHE", "", 1);
    ck_assert(host_cache(path, sizeof path));
    ck_assert_str_eq(path, expected[1]);
    setenv("PENROSE_CACHE", "b/c", 1);
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    snprintf(relative, sizeof relative, "%s/b/c", here);
    ck_assert(host_cache(path, sizeof path));
    ck_assert_str_eq(path, relative);
}

TEST(long_paths_do_not_fit)
{
    char path[16];
    unset_all();
    setenv("HOME", "/1", 1); /* with "/.cache/penrose" 17 characters */
    ck_assert(!host_cache(path, sizeof path));
    setenv("PENROSE_CACHE", "/23456789abcdef", 1);
    ck_assert(host_cache(path, sizeof path));
    setenv("PENROSE_CACHE", "/23456789abcdefg", 1);
    ck_assert(!host_cache(path, sizeof path));
}
