#include "unit/observe/wait_report.h"

#include <regex.h>
#include <string.h>

char wait_text[WAIT_REPORT_BYTES];

struct penrose_chip *wait_chip(void)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    struct penrose_error error;
    options.policy[PENROSE_FAULT_NOC_ADDRESS] = PENROSE_WARN;
    ck_assert_msg(penrose_chip_create(&options, &chip, &error) == PENROSE_OK, "%s", error.text);
    return chip;
}

enum penrose_outcome wait_pass(struct penrose_chip *chip, uint64_t cycles)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = cycles};
    return penrose_run(chip, &run);
}

void wait_make_report(struct penrose_chip *chip)
{
    int length = penrose_wait_report(chip, wait_text, sizeof wait_text);
    ck_assert_int_eq(length, (int)strlen(wait_text));
    ck_assert_int_eq(penrose_wait_report(chip, NULL, 0), length);
}

bool wait_matches(const char *pattern)
{
    regex_t regex;
    ck_assert_int_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE), 0);
    bool found = regexec(&regex, wait_text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

unsigned wait_count_lines(void)
{
    unsigned count = 0;
    for (const char *c = wait_text; *c; c++) {
        count += *c == '\n';
    }
    return count;
}

void wait_set_register(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t address,
                       uint32_t value)
{
    struct penrose_error error;
    ck_assert_msg(penrose_write(chip, x, y, address, &value, sizeof value, &error) == PENROSE_OK,
                  "%s", error.text);
}

void wait_prepare_request(struct penrose_chip *chip, unsigned noc, uint32_t target,
                          uint32_t target_tile, uint32_t back, uint32_t back_tile, uint32_t ctrl,
                          uint32_t length, uint32_t tag)
{
    const uint32_t values[][2] = {
        {0x00, target}, {0x08, target_tile}, {0x0c, back},   {0x14, back_tile},
        {0x18, tag},    {0x1c, ctrl},        {0x20, length}, {0x28, 1}};
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        wait_set_register(chip, 1, 2, NIU(noc) + values[i][0], values[i][1]);
    }
}
