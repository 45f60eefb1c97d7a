/*
 * The line of ttsim that a fault prints on stderr besides its report: what the parser of LLK's
 * reports makes of it, and when it is printed.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe/error_line.h"
#include "unit/abi/abi_host.h"

FIXTURE(host_before, host_after);
TESTS_ALWAYS_FORK; /* reports are counted for the whole process */

static const char *const categories[] = {
    "UndefinedBehavior",          "UnpredictableValueUsed",   "NonContractualBehavior",
    "AssertionFailure",           "MissingSpecification",     "UntestedFunctionality",
    "UnimplementedFunctionality", "UnsupportedFunctionality", "SystemError",
    "ConfigurationError"};

/* --- What the parser sees --- */

enum { LINE = 1024 };

/* What the parser takes from a text: of the first line that begins with a number in brackets and
 * ERROR, two words that end with a colon, and the rest. */
struct parsed {
    char category[LINE], function[LINE], details[LINE];
};

static void take(char *to, const char *text, regmatch_t match)
{
    snprintf(to, LINE, "%.*s", (int)(match.rm_eo - match.rm_so), text + match.rm_so);
}

static bool parse(const char *text, struct parsed *parsed)
{
    static const char line[] = "^\\[[0-9]+\\] ERROR: ([A-Za-z0-9_]+): ([A-Za-z0-9_]+): (.*)$";
    regex_t regex;
    regmatch_t match[4];
    ck_assert_int_eq(regcomp(&regex, line, REG_EXTENDED | REG_NEWLINE), 0);
    bool is_found = regexec(&regex, text, 4, match, 0) == 0;
    regfree(&regex);
    if (is_found) {
        take(parsed->category, text, match[1]);
        take(parsed->function, text, match[2]);
        take(parsed->details, text, match[3]);
    }
    return is_found;
}

static bool is_category(const char *name)
{
    for (int i = 0; i < COUNT(categories); i++) {
        if (strcmp(name, categories[i]) == 0) {
            return true;
        }
    }
    return false;
}

TEST_EACH(every_kind_has_a_line, PENROSE_FAULT_KINDS)
{
    struct penrose_fault fault = {.kind = (enum penrose_fault_kind)_i,
                                  .x = 3,
                                  .y = 4,
                                  .hart = PENROSE_NCRISC,
                                  .hart_name = "ncrisc",
                                  .thread = -1,
                                  .cycle = 12345678901,
                                  .pc = 0x1234,
                                  .rule = "one: two",
                                  .symbol = "main+0x4"};
    struct parsed parsed;
    char line[LINE], kind[LINE];
    ck_assert_int_eq(error_line_format(&fault, line, sizeof line), (int)strlen(line));
    ck_assert_int_eq(strncmp(line, "[12345678901] ERROR: ", 21), 0);
    ck_assert_msg(parse(line, &parsed), "%s", line);
    ck_assert_msg(is_category(parsed.category), "%s", line);
    snprintf(kind, sizeof kind, "%s", penrose_fault_name(fault.kind));
    for (char *dash = kind; (dash = strchr(dash, '-'));) {
        *dash = '_';
    }
    ck_assert_str_eq(parsed.function, kind);
    ck_assert_str_eq(parsed.details, "tile (3, 4) ncrisc at pc 0x00001234 in main+0x4: one: two");
}

/* --- What a host gets to see --- */

enum { TRISC0_RUNS = ALL_HELD & ~0x1000, AT_TRISC0 = 0x6000 };

/* stderr of a chip on which TRISC0 of `tiles` tiles executes some lines. */
static void run(unsigned tiles, const char *const *lines, char *text, size_t size)
{
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    dup2(fileno(file), STDERR_FILENO);
    libttsim_init();
    for (unsigned i = 0; i < tiles; i++) {
        assemble(1 + i, 2, AT_TRISC0, lines);
        tile_wr(1 + i, 2, SOFT_RESET, TRISC0_RUNS);
    }
    libttsim_clock(4000);
    libttsim_exit();
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static unsigned count(const char *text, const char *what)
{
    unsigned found = 0;
    for (; (text = strstr(text, what)); text++) {
        found++;
    }
    return found;
}

static const char *const unmapped[] = {"lui a0, 0x200", "sw a0, 4(a0)", "jal zero, 0x6008", NULL};

/* One of each category that guests have. */
static const struct mistake {
    const char *category, *function, *details;
    const char *const lines[4];
} mistakes[] = {
    {"UndefinedBehavior",
     "unmapped_address",
     "tile (1, 2) trisc0 at pc 0x00006004: store of 4 bytes",
     {"lui a0, 0x200", "sw a0, 4(a0)", "jal zero, 0x6008"}},
    {"UnsupportedFunctionality",
     "unsupported_instruction",
     "tile (1, 2) trisc0 at pc 0x00006000: ",
     {"wfi", "jal zero, 0x6004"}},
    {"UnimplementedFunctionality",
     "unimplemented",
     "tile (1, 2) tensix thread 0, pushed by trisc0 at pc 0x00006000: ",
     {".ttinsn RAREB", "jal zero, 0x6004"}},
    {"NonContractualBehavior",
     "mutex_not_held",
     "tile (1, 2) tensix thread 0, pushed by trisc0 at pc 0x00006000: ",
     {".ttinsn ATRELM 0", "jal zero, 0x6004"}},
    {"UnpredictableValueUsed",
     "vector_hazard",
     "tile (1, 2) tensix thread 0, pushed by trisc0 at pc 0x00006004: SFPIADD reads LReg[3]",
     {".ttinsn SFPMAD 0, 1, 2, 3, 0", ".ttinsn SFPIADD 0, 2, 3, 0", "jal zero, 0x6008"}},
};

TEST_EACH(guests_make_errors, COUNT(mistakes))
{
    const struct mistake *mistake = &mistakes[_i];
    struct parsed parsed;
    char text[8192];
    setenv("PENROSE_ERROR_STYLE", "ttsim", 1);
    setenv("PENROSE_POLICY", "all=stop", 1);
    run(1, mistake->lines, text, sizeof text);
    ck_assert_msg(parse(text, &parsed), "%s", text);
    ck_assert_str_eq(parsed.category, mistake->category);
    ck_assert_str_eq(parsed.function, mistake->function);
    ck_assert_msg(strncmp(parsed.details, mistake->details, strlen(mistake->details)) == 0, "%s",
                  parsed.details);
    ck_assert_uint_eq(count(text, "] ERROR: "), 1);
    ck_assert_uint_eq(count(text, "penrose: "), 1); /* our own report */
    ck_assert_uint_eq(reported("] ERROR: "), 0);
}

TEST(the_first_of_many_tiles_has_a_line)
{
    char text[8192];
    setenv("PENROSE_ERROR_STYLE", "ttsim", 1);
    run(5, unmapped, text, sizeof text);
    ck_assert_uint_eq(count(text, "] ERROR: UndefinedBehavior: unmapped_address: tile (1, 2)"), 1);
    ck_assert_uint_eq(count(text, "] ERROR: "), 1);
    ck_assert_uint_eq(count(text, "the same on 4 more tiles"), 1);
}

TEST(warnings_are_no_errors)
{
    char text[8192];
    setenv("PENROSE_ERROR_STYLE", "ttsim", 1);
    setenv("PENROSE_POLICY", "unmapped-address=warn", 1);
    run(1, unmapped, text, sizeof text);
    ck_assert_uint_eq(count(text, "penrose: unmapped-address: "), 1);
    ck_assert_uint_eq(count(text, "] ERROR: "), 0);
}

/* Who asks for lines: the variable, or LLK's tests, which do so while one runs. */
static const struct asking {
    const char *style, *home, *test;
    unsigned lines;
} askings[] = {
    {NULL, NULL, NULL, 0},     {"ttsim", NULL, NULL, 1},    {"penrose", NULL, NULL, 0},
    {NULL, "/llk", NULL, 0},   {NULL, NULL, "a (call)", 0}, {NULL, "/llk", "a (call)", 1},
    {"ttsim", "/llk", "a", 1}, {"penrose", "/llk", "a", 0}, {"", "/llk", "a", 1},
    {"", NULL, NULL, 0},       {"ERROR", NULL, NULL, 0},    {"ttsim2", "/llk", "a", 1},
};

static void set(const char *name, const char *value)
{
    if (value) {
        setenv(name, value, 1);
    } else {
        unsetenv(name);
    }
}

TEST_EACH(lines_are_asked_for, COUNT(askings))
{
    const struct asking *asking = &askings[_i];
    char text[8192];
    set("PENROSE_ERROR_STYLE", asking->style);
    set("LLK_HOME", asking->home);
    set("PYTEST_CURRENT_TEST", asking->test);
    run(1, unmapped, text, sizeof text);
    ck_assert_uint_eq(count(text, "] ERROR: "), asking->lines);
    ck_assert_uint_eq(count(text, "penrose: unmapped-address: "), 1);
}
