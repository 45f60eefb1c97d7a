/*
 * A test program: the tests of its file, run in the order in which they stand there. main is in
 * test.c; a test runs alone with CK_RUN_CASE=<its name>.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <check.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* For loops over a great many cases: ck_assert tells its parent process of each one. */
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ck_abort_msg("%s", #condition);                                                        \
        }                                                                                          \
    } while (0)

/* A test; one that runs `count` times, with 0, 1, ... as _i; one with all _i from first to last. */
#define TEST(test)             TEST_RANGE(test, 0, 0)
#define TEST_EACH(test, count) TEST_RANGE(test, 0, (int)(count)-1)
#define TEST_RANGE(test, first, last)                                                              \
    static void test##_fn(int _i);                                                                 \
    __attribute__((constructor)) static void test##_add(void)                                      \
    {                                                                                              \
        static const TTest itself = {#test, test##_fn, __FILE__, __LINE__};                        \
        test_add(&itself, first, last);                                                            \
    }                                                                                              \
    static void test##_fn(int _i CK_ATTRIBUTE_UNUSED)

/* What is called before and after each of the tests below it in the file (NULL: nothing). */
#define FIXTURE(before, after)                                                                     \
    __attribute__((constructor)) static void before##_add(void)                                    \
    {                                                                                              \
        test_add_fixture(__LINE__, before, after);                                                 \
    }                                                                                              \
    _Static_assert(1, "")

/* The program is skipped when this function tells what it lacks here (NULL: nothing). */
#define TESTS_NEED(find_lack)                                                                      \
    __attribute__((constructor)) static void find_lack##_add(void)                                 \
    {                                                                                              \
        test_need(find_lack);                                                                      \
    }                                                                                              \
    _Static_assert(1, "")

/* Each test of the program has a process of its own, whatever CK_FORK says. */
#define TESTS_ALWAYS_FORK                                                                          \
    __attribute__((constructor)) static void always_fork_add(void)                                 \
    {                                                                                              \
        test_always_fork();                                                                        \
    }                                                                                              \
    _Static_assert(1, "")

void test_add(const TTest *test, int first, int last);
void test_add_fixture(int line, void (*before)(void), void (*after)(void));
void test_need(const char *(*find_lack)(void));
void test_always_fork(void);

#endif
