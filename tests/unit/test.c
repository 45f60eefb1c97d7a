#include "unit/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ENTRIES = 200, SKIPPED = 77 };

/* A test, or a fixture for those below it. */
struct entry {
    int line, first, last;
    const TTest *test; /* NULL: a fixture */
    void (*before)(void), (*after)(void);
};

static struct {
    struct entry entry[MOST_ENTRIES];
    size_t entries;
    const char *file; /* where they stand */
    const char *(*find_lack)(void);
    bool always_forks;
} program;

static void program_add(const struct entry *entry)
{
    if (program.entries == MOST_ENTRIES || entry->first > entry->last) {
        fprintf(stderr, "line %d: no case, or more tests than test.c has room for\n", entry->line);
        exit(EXIT_FAILURE);
    }
    program.entry[program.entries++] = *entry;
}

void test_add(const TTest *test, int first, int last)
{
    program.file = test->file;
    program_add(&(struct entry){.line = test->line, .first = first, .last = last, .test = test});
}

void test_add_fixture(int line, void (*before)(void), void (*after)(void))
{
    program_add(&(struct entry){.line = line, .before = before, .after = after});
}

void test_need(const char *(*find_lack)(void))
{
    program.find_lack = find_lack;
}

void test_always_fork(void)
{
    program.always_forks = true;
}

static int compare_lines(const void *one, const void *other)
{
    return ((const struct entry *)one)->line - ((const struct entry *)other)->line;
}

int main(void)
{
    const char *lack = program.find_lack ? program.find_lack() : NULL;
    if (lack) {
        puts(lack);
        return SKIPPED;
    }
    const struct entry *fixture = &(struct entry){0};
    Suite *suite = suite_create(program.file);
    SRunner *runner = srunner_create(suite);
    setenv("CK_DEFAULT_TIMEOUT", getenv("PENROSE_LONG") ? "3600" : "120", 0);
    qsort(program.entry, program.entries, sizeof program.entry[0], compare_lines);
    for (size_t i = 0; i < program.entries; i++) {
        const struct entry *entry = &program.entry[i];
        if (!entry->test) {
            fixture = entry;
            continue;
        }
        TCase *tcase = tcase_create(entry->test->name);
        tcase_add_checked_fixture(tcase, fixture->before, fixture->after);
        tcase_add_loop_test(tcase, entry->test, entry->first, entry->last + 1);
        suite_add_tcase(suite, tcase);
    }
    if (program.always_forks) {
        srunner_set_fork_status(runner, CK_FORK);
    }
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed || program.entries == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
