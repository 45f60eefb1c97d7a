/* Turning checks on: penrose_check. What they find: tests/checks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <penrose/debug.h>

#include "unit/test.h"

static struct penrose_chip *chip;

static void setup(void)
{
    struct penrose_options options = {.size = sizeof options};
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
}

static void teardown(void)
{
    penrose_chip_destroy(chip);
}

FIXTURE(setup, teardown);

TEST(what_is_no_check_is_named)
{
    struct penrose_error error;
    ck_assert_int_eq(penrose_check(chip, "noc,cub", &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "cub"));
    ck_assert_int_eq(penrose_check(chip, "", &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_check(chip, "noc,tile=3", &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_check(chip, "noc,suppress=/nowhere/x", &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_check(chip, "noc,baseline=/nowhere/x", &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_check(chip, "noc,cb,races,memory,uninit,config", &error), PENROSE_OK);
}

/* Who has asked for a report gets one, or is told at once. */
TEST(files_that_cannot_be_written_are_refused)
{
    char path[] = "/tmp/penrose-check.XXXXXX", list[64];
    struct penrose_error error;
    ck_assert_int_eq(penrose_check(chip, "report=/nowhere/x", &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/x"));
    ck_assert_int_eq(penrose_check(chip, "generate=/nowhere/x", &error), PENROSE_E_ARGUMENT);
    const int file = mkstemp(path);
    snprintf(list, sizeof list, "report=%s", path);
    ck_assert_int_eq(write(file, "notes", 5), 5);
    ck_assert_int_eq(penrose_check(chip, list, &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(ftruncate(file, 0), 0);
    ck_assert_int_eq(penrose_check(chip, list, &error), PENROSE_OK);
    close(file);
    unlink(path);
}

/* What was written before is not known to it; the others learn as they go. */
TEST(uninit_begins_with_the_chip)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 1024, .pass_quiet_time = true};
    char path[] = "/tmp/penrose-check.XXXXXX", list[64];
    struct penrose_error error;
    const int file = mkstemp(path);
    close(file);
    unlink(path);
    snprintf(list, sizeof list, "all,report=%s", path);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
    ck_assert_int_eq(penrose_check(chip, list, &error), PENROSE_E_STATE);
    ck_assert_ptr_nonnull(strstr(error.text, "uninit"));
    ck_assert_int_ne(access(path, F_OK), 0); /* what does not begin leaves no report */
    ck_assert_int_eq(penrose_check(chip, "noc,cb,races,memory", &error), PENROSE_OK);
}
