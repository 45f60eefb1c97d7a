/*
 * loader/program.h: expressions against trees that know their value, descriptions that are right, a
 * table of mistakes with what is said about them, and descriptions cut and changed anywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "geometry.h"
#include "loader/layout.h"
#include "loader/program.h"
#include "unit/random.h"
#include "unit/test.h"

static uint64_t random_bits(uint64_t *state)
{
    return random_xorshift64(state) >> 16;
}

static const struct loader_program_folders no_folders;

static struct loader_program *opened_for(const struct arch *facts, const char *text)
{
    struct loader_program *program;
    struct penrose_error error;
    enum penrose_status status =
        loader_program_parse(facts, text, strlen(text), "p.json", &no_folders, &program, &error);
    ck_assert_msg(status == PENROSE_OK, "%s", error.text);
    return program;
}

static struct loader_program *opened(const char *text)
{
    return opened_for(&arch, text);
}

/* A description with everything but files. */
static const char whole[] =
    "// A comment with \"quotes\"\n"
    "{\"$schema\": \"program.json\",\n"
    " \"grid\": \"4x3\", /* another // one */ \"firmware\": \"/fw\", \"noc\": 0,\n"
    " \"description\": \"slashes // and /* stay */ in texts\",\n"
    " \"dram\": {\"A\": {\"rows\": 70, \"columns\": 33, \"format\": \"Float16_b\"},\n"
    "          \"R\": {\"rows\": 5, \"columns\": \"dram.A.columns * 2\", \"format\": \"Float32\",\n"
    "                \"layout\": \"rows\"},\n"
    "          \"raw\": {\"pages\": 9, \"page_size\": 100}},\n"
    " \"l1\": {\"S\": {\"rows\": 4, \"columns\": 16, \"format\": \"Int8\", \"layout\": \"rows\",\n"
    "               \"tiles\": \"1-2,0\"}, \"plain\": {\"page_size\": 48}},\n"
    " \"let\": {\"twice\": \"index + index\", \"more\": \"twice * 2 + y\"},\n"
    " \"circular_buffers\": [{\"id\": 3, \"pages\": \"rows - 1\", \"page_size\": 2048},\n"
    "   {\"id\": 4, \"pages\": 1, \"page_size\": 16, \"tiles\": [\"0,0\", \"3,2\"]}],\n"
    " \"semaphores\": [1, \"index\"],\n"
    " \"kernels\": [{\"hart\": \"brisc\", \"arguments\": [7, \"more\", -1]},\n"
    "   {\"hart\": [\"trisc\", \"ncrisc\"], \"elf\": \"k/{hart}/{hart}-x.elf\", \"tiles\": "
    "\"0-1,1-2\",\n"
    "    \"common_arguments\": [\"dram.raw\"]}]}\n";

static struct loader_place place_of(const struct loader_program *program)
{
    static const uint8_t noc_x[] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16},
                         noc_y[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    return (struct loader_place){.program = program,
                                 .has_tile = true,
                                 .has_chip = true,
                                 .x = 2,
                                 .y = 1,
                                 .banks = 8,
                                 .noc_x = noc_x,
                                 .noc_y = noc_y};
}

/* --- Expressions --- */

/* Appends an expression to text and returns its value; *valid becomes false where it has none. */
static int64_t random_tree(uint64_t *state, unsigned depth, char *text, bool *valid)
{
    char *end = text + strlen(text);
    uint64_t bits = random_bits(state);
    if (depth == 0 || bits % 8 == 0) {
        uint32_t value =
            bits % 16 == 8 ? (uint32_t)random_bits(state) : (uint32_t)(random_bits(state) % 100);
        sprintf(end, bits & 32 ? "0x%x" : "%u", value);
        return value;
    }
    if (bits % 8 == 1) {
        strcat(text, "- ");
        return -random_tree(state, depth - 1, text, valid);
    }
    if (bits % 8 == 2) {
        strcat(text, bits & 256 ? "min(" : "max(");
        int64_t a = random_tree(state, depth - 1, text, valid);
        strcat(text, " ,");
        int64_t b = random_tree(state, depth - 1, text, valid);
        strcat(text, ")");
        return ((bits & 256) != 0) == (a < b) ? a : b;
    }
    strcat(text, "(");
    int64_t a = random_tree(state, depth - 1, text, valid), value = 0;
    const char sign = "+-*/%"[random_bits(state) % 5];
    sprintf(text + strlen(text), bits & 512 ? " %c " : "%c", sign);
    int64_t b = random_tree(state, depth - 1, text, valid);
    strcat(text, ")");
    if ((sign == '/' || sign == '%') && b == 0) {
        *valid = false;
        return 0;
    }
    bool overflows = sign == '*'   ? __builtin_mul_overflow(a, b, &value)
                     : sign == '+' ? __builtin_add_overflow(a, b, &value)
                     : sign == '-' ? __builtin_sub_overflow(a, b, &value)
                                   : (value = sign == '/' ? a / b : a % b, false);
    *valid &= !overflows && value <= INT64_C(1) << 62 && value >= -(INT64_C(1) << 62);
    return *valid ? value : 0;
}

TEST(expressions_have_their_value)
{
    struct loader_program *program = opened(whole);
    struct loader_place place = place_of(program);
    uint64_t state = 7;
    unsigned right = 0;
    for (unsigned i = 0; i < 20000; i++) {
        char text[8192] = "";
        bool valid = true;
        uint32_t value;
        struct penrose_error error = {.text = ""};
        int64_t expected = random_tree(&state, 1 + i % 5, text, &valid);
        valid &= expected <= UINT32_MAX && expected >= INT32_MIN;
        enum penrose_status status = loader_expression(text, &place, &value, &error);
        ck_assert_msg((status == PENROSE_OK) == valid, "%s: %s", text, error.text);
        if (valid) {
            ck_assert_msg(value == (uint32_t)expected, "%s is %lld, not %u", text,
                          (long long)expected, value);
            right++;
        }
    }
    ck_assert_uint_gt(right, 10000);
    loader_program_close(program);
}

static uint32_t value_of(const char *text, const struct loader_place *place)
{
    uint32_t value;
    struct penrose_error error;
    ck_assert_msg(loader_expression(text, place, &value, &error) == PENROSE_OK, "%s: %s", text,
                  error.text);
    return value;
}

TEST(operators_bind_as_in_c)
{
    struct loader_program *program = opened(whole);
    struct loader_place place = place_of(program);
    ck_assert_uint_eq(value_of("1 + 2 * 3", &place), 7);
    ck_assert_uint_eq(value_of("10 - 3 - 2", &place), 5);
    ck_assert_uint_eq(value_of("100 / 7 % 4", &place), 2);
    ck_assert_uint_eq(value_of("-7 / 2 + 0", &place), (uint32_t)-3);
    ck_assert_uint_eq(value_of("2 * -3 + 7", &place), 1);
    loader_program_close(program);
}

TEST(names_mean_what_they_say)
{
    struct loader_program *program = opened(whole);
    struct loader_place place = place_of(program);
    struct penrose_error error;
    ck_assert_int_eq(loader_program_place(program, 8, &error), PENROSE_OK);
    for (unsigned index = 0; index < 12; index++) {
        char text[32];
        place.x = index % 4;
        place.y = index / 4;
        ck_assert_uint_eq(value_of("x", &place), place.x);
        ck_assert_uint_eq(value_of("y", &place), place.y);
        ck_assert_uint_eq(value_of("index", &place), index);
        ck_assert_uint_eq(value_of("more", &place), index * 4 + place.y);
        snprintf(text, sizeof text, "noc(%u)", index);
        ck_assert_uint_eq(value_of(text, &place), (2 + place.y) << 6 | (1 + place.x));
        ck_assert_uint_eq(value_of("noc_y(y) * 64 + noc_x(x)", &place), value_of(text, &place));
    }
    static const struct {
        const char *text;
        uint32_t value;
    } rows[] = {
        {"columns", 4},
        {"rows", 3},
        {"tiles", 12},
        {"banks", 8},
        {"dram.A", LOADER_DRAM_FIRST},
        {"dram.A.pages", 6},
        {"dram.A.page_size", 2048},
        {"dram.A.rows", 70},
        {"dram.A.columns", 33},
        {"dram.A.tile_rows", 3},
        {"dram.A.tile_columns", 2},
        {"dram.A.format", 5},
        {"dram.R.columns", 66},
        {"dram.R.pages", 5},
        {"dram.R.page_size", 320},
        {"dram.raw.page_size", 128},
        {"l1.S", LOADER_L1_FIRST},
        {"l1.S.page_size", 64},
        {"l1.plain", LOADER_L1_FIRST + 64},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        ck_assert_msg(value_of(rows[i].text, &place) == rows[i].value, "%s is %u", rows[i].text,
                      value_of(rows[i].text, &place));
    }
    loader_program_close(program);
}

static const struct {
    const char *text, *message;
} wrong_expressions[] = {
    {"", "a number or a name is missing"},
    {"1 +", "a number or a name is missing"},
    {"1 2", "an operator"},
    {"(1", "closing parenthesis"},
    {"min(1)", "two numbers"},
    {"min(1, 2", "closing parenthesis"},
    {"0x", "hexadecimal digits"},
    {"12a", "only digits"},
    {"4294967296", "does not fit 32 bits"},
    {"4294967295 * 4294967295", "does not fit 32 bits"},
    {"4294967295 + 1", "does not fit 32 bits"},
    {"-2147483649", "does not fit 32 bits"},
    {"1 / (x - x)", "division by zero"},
    {"1 % 0", "division by zero"},
    {"absent", "nothing is called 'absent'"},
    {"absent(1)", "nothing is called 'absent'"},
    {"dram.B", "there is no buffer 'B'"},
    {"dram.S", "there is no buffer 'S'"},
    {"l1.A", "under \"l1\""},
    {"dram.A.size", ".page_size"},
    {"noc_x(4)", "no such column"},
    {"noc_y(-1)", "no such row"},
    {"noc(12)", "no such tile"},
    {"x.y", "nothing is called 'x.y'"},
    {"1 & 2", "an operator"},
};

TEST_EACH(wrong_expression_is_explained, COUNT(wrong_expressions))
{
    struct loader_program *program = opened(whole);
    struct loader_place place = place_of(program);
    struct penrose_error error = {.text = ""};
    uint32_t value;
    ck_assert_int_eq(loader_expression(wrong_expressions[_i].text, &place, &value, &error),
                     PENROSE_E_FORMAT);
    ck_assert_msg(strstr(error.text, wrong_expressions[_i].message) != NULL, "%s: %s",
                  wrong_expressions[_i].text, error.text);
    loader_program_close(program);
}

TEST(expressions_without_end_are_refused)
{
    struct loader_program *program = opened(whole);
    struct loader_place place = place_of(program);
    static const char *const openings[] = {"(", "-", "min(", "-(", "noc("};
    for (int i = 0; i < COUNT(openings); i++) {
        char text[16384] = "";
        uint32_t value;
        for (unsigned j = 0; j < 2000; j++) {
            strcat(text, openings[i]);
        }
        ck_assert_int_eq(loader_expression(text, &place, &value, NULL), PENROSE_E_FORMAT);
    }
    loader_program_close(program);

    char text[4096] =
        "{\"grid\": \"1x1\", \"kernels\": [{\"hart\": \"brisc\"}], \"let\": {\"a0\": 1";
    for (unsigned i = 1; i < 40; i++) { /* 2 ** 39 additions, if each name were not computed once */
        sprintf(text + strlen(text), ", \"a%u\": \"a%u + a%u\"", i, i - 1, i - 1);
    }
    strcat(text, "}}");
    program = opened(text);
    place.program = program;
    uint32_t value;
    ck_assert_uint_eq(value_of("a10", &place), 1024);
    ck_assert_uint_eq(value_of("a31 + a39 - a39", &place), UINT32_C(1) << 31);
    ck_assert_int_eq(loader_expression("a39", &place, &value, NULL), PENROSE_E_FORMAT);
    char sum[2 * 5000 + 2] = "1";
    for (unsigned i = 1; i < 5000; i++) {
        memcpy(sum + 2 * i - 1, "+1", 3);
    }
    ck_assert_int_eq(loader_expression(sum, &place, &value, NULL), PENROSE_E_FORMAT);
    sum[2 * 4000 - 1] = 0;
    ck_assert_int_eq(loader_expression(sum, &place, &value, NULL), PENROSE_OK);
    ck_assert_uint_eq(value, 4000);
    loader_program_close(program);
}

/* --- Descriptions --- */

TEST(description_becomes_program)
{
    struct loader_program *program = opened(whole);
    ck_assert_uint_eq(program->columns, 4);
    ck_assert_uint_eq(program->rows, 3);
    ck_assert_uint_eq(program->brisc_noc, 0);
    ck_assert_str_eq(program->firmware, "/fw");
    ck_assert_uint_eq(program->buffers, 5);
    ck_assert_uint_eq(program->circulars, 2);
    ck_assert_uint_eq(program->circular[0].pages, 2);
    ck_assert_uint_eq(program->circular[0].tiles.count, 12);
    ck_assert_uint_eq(program->circular[1].tiles.count, 2);
    ck_assert_uint_eq(program->semaphores, 1);
    ck_assert_uint_eq(loader_program_semaphores(program, 3, 2)->count, 2);
    ck_assert_uint_eq(loader_program_noc(program, 3, 2), 0);
    ck_assert_ptr_null(program->snapshot);
    ck_assert_uint_eq(program->kernels, 2);
    ck_assert_str_eq(program->kernel[0].arguments.text[2], "-1");
    ck_assert_uint_eq(program->kernel[1].harts, (1u << PENROSE_HARTS) - 1 - (1u << PENROSE_BRISC));
    ck_assert_uint_eq(program->kernel[1].tiles.count, 4);
    char *path = loader_hart_path(program->kernel[1].elf, PENROSE_TRISC1);
    ck_assert_str_eq(path, "./k/trisc1/trisc1-x.elf");
    free(path);
    path = loader_hart_path(program->kernel[0].elf, PENROSE_BRISC);
    ck_assert_str_eq(path, "./brisc.elf");
    free(path);
    for (unsigned y = 0; y < 3; y++) {
        for (unsigned x = 0; x < 4; x++) {
            ck_assert_int_eq(loader_tiles_have(&program->kernel[1].tiles, x, y), x < 2 && y > 0);
            ck_assert_int_eq(loader_tiles_have(&program->circular[1].tiles, x, y),
                             (x == 0 && y == 0) || (x == 3 && y == 2));
        }
    }
    loader_program_close(program);
}

TEST(folders_replace_the_own_one)
{
    static const char text[] =
        "{\"grid\": \"1x1\", \"kernels\": [{\"hart\": \"brisc\"}],\n"
        " \"dram\": {\"A\": {\"rows\": 1, \"columns\": 1, \"format\": \"Int8\",\n"
        "          \"output\": \"o.npy\"}}}";
    struct loader_program_folders folders = {.kernels = "/k", .data = "/d"};
    struct loader_program *program;
    ck_assert_int_eq(
        loader_program_parse(&arch, text, strlen(text), "some/p.json", &folders, &program, NULL),
        PENROSE_OK);
    ck_assert_str_eq(program->kernel[0].elf, "/k/{hart}.elf");
    ck_assert_str_eq(program->buffer[0].output, "/d/o.npy");
    loader_program_close(program);
    ck_assert_int_eq(
        loader_program_parse(&arch, text, strlen(text), "some/p.json", &no_folders, &program, NULL),
        PENROSE_OK);
    ck_assert_str_eq(program->kernel[0].elf, "some/{hart}.elf");
    ck_assert_str_eq(program->buffer[0].output, "some/o.npy");
    loader_program_close(program);
}

/* What stands inside of {"grid": "2x2", ...}, and what is said about it. */
static const struct {
    const char *text, *message;
} wrong[] = {
    {"\"kernel\": []", "top level: there is no key \"kernel\"; there are description, grid"},
    {"\"kernels\": []", "kernels: a list of 1 to"},
    {"\"kernels\": [3]", "kernels[0]: an object in braces"},
    {"\"kernels\": [{}]", "kernels[0]: \"hart\" is missing"},
    {"\"kernels\": [{\"hart\": \"bris\"}]", "there is no hart 'bris'"},
    {"\"kernels\": [{\"hart\": [\"brisc\", 1]}]", "there is no hart ''"},
    {"\"kernels\": [{\"hart\": \"brisc\", \"elf\": 1}]", "\"elf\" is a text"},
    {"\"kernels\": [{\"hart\": \"brisc\", \"tiles\": \"2,0\"}]",
     "'2,0' are no tiles of a grid of 2x2"},
    {"\"kernels\": [{\"hart\": \"brisc\", \"tiles\": \"1-0,0\"}]", "no tiles"},
    {"\"kernels\": [{\"hart\": \"brisc\", \"tiles\": \"0,0,0\"}]", "no tiles"},
    {"\"kernels\": [{\"hart\": \"brisc\", \"tiles\": []}]", "a range in quotes"},
    {"\"kernels\": [{\"hart\": \"brisc\", \"arguments\": 3}]", "\"arguments\" is a list"},
    {"\"kernels\": [{\"hart\": \"brisc\", \"arguments\": [1.5]}]",
     "kernels[0].arguments[0]: an integer"},
    {"\"kernels\": [{\"hart\": \"brisc\"}, {\"hart\": \"brisc\", \"tiles\": \"1,1\"}]",
     "kernels[1]: brisc of logical tile (1, 1) has kernels[0] already"},
    {"\"noc\": 2", "BRISC's NoC is 0 or 1"},
    {"\"kernels\": [{\"hart\": \"brisc\", \"noc\": 2}]", "kernels[0]: \"noc\" is 0 or 1"},
    {"\"kernels\": [{\"hart\": \"trisc\", \"noc\": 1}]", "of a kernel of brisc or of ncrisc"},
    {"\"kernels\": [{\"hart\": [\"brisc\", \"ncrisc\"], \"noc\": 1}]", "of brisc or of ncrisc"},
    {"\"kernels\": [{\"hart\": \"brisc\", \"noc\": 1}, {\"hart\": \"ncrisc\", \"noc\": 1, "
     "\"tiles\": \"1,0\"}]",
     "kernels[1]: logical tile (1, 0) has NoC 1 in kernels[0]"},
    {"\"snapshot\": 1", "\"snapshot\" is a text"},
    {"\"snapshot\": \"s\", \"l1\": {\"A\": {\"page_size\": 64}}", "l1.A: \"address\" is missing"},
    {"\"snapshot\": \"s\", \"dram\": {\"A\": {\"page_size\": 64}}",
     "dram.A: \"address\" is missing: a chip that begins as a snapshot"},
    {"\"snapshot\": \"s\", \"circular_buffers\": [{\"id\": 0, \"pages\": 1, \"page_size\": 16}]",
     "circular_buffers[0]: \"address\" is missing"},
    {"\"dram\": {\"A\": {\"page_size\": 64, \"address\": 32}}",
     "dram.A: \"address\" is a multiple of 64 below"},
    {"\"l1\": {\"A\": {\"page_size\": 64, \"address\": \"0x180000\"}}",
     "\"address\" is a multiple of 16 below 0x180000, not 0x180000"},
    {"\"l1\": {\"A\": {\"page_size\": 64, \"address\": \"0x17ffd0\"}}",
     "64 bytes at 0x17ffd0 do not fit L1"},
    {"\"semaphores\": [{\"values\": 1}]", "semaphores[0]: \"values\" is a list"},
    {"\"semaphores\": [{\"value\": [1]}]", "there is no key \"value\"; there are tiles, values"},
    {"\"semaphores\": [{\"values\": [1]}, 2]", "semaphores[1]: an object in braces"},
    {"\"firmware\": []", "\"firmware\" is a text"},
    {"\"semaphores\": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", "at most 16"},
    {"\"semaphores\": {}", "\"semaphores\" is a list"},
    {"\"let\": []", "let: an object"},
    {"\"let\": {\"a b\": 1}", "'a b' is no name"},
    {"\"let\": {\"x\": 1}", "let: 'x' means something in every expression already"},
    {"\"let\": {\"y\": 1}", "let: 'y' means"},
    {"\"let\": {\"index\": 1}", "let: 'index' means"},
    {"\"let\": {\"ours\": 1, \"columns\": 1}", "let: 'columns' means"},
    {"\"let\": {\"rows\": 1}", "let: 'rows' means"},
    {"\"let\": {\"tiles\": \"columns * rows\"}", "let: 'tiles' means"},
    {"\"let\": {\"banks\": 8}", "let: 'banks' means"},
    {"\"dram\": []", "dram: an object in braces"},
    {"\"dram\": {\"\": {}}", "'' is no name"},
    {"\"dram\": {\"A\": {}}", "dram.A: \"format\" is missing"},
    {"\"dram\": {\"A\": {\"format\": \"Float17\"}}", "there is no format 'Float17'"},
    {"\"dram\": {\"A\": {\"format\": \"Int8\"}}", "dram.A: its shape is missing"},
    {"\"dram\": {\"A\": {\"format\": \"Int8\", \"layout\": \"diagonal\"}}",
     "tiles or rows, not 'diagonal'"},
    {"\"dram\": {\"A\": {\"format\": \"Int8\", \"rows\": \"banks\", \"columns\": 1}}",
     "dram.A.rows: 'banks': banks are known for arguments"},
    {"\"dram\": {\"A\": {\"page_size\": 1}, \"B\": {\"format\": \"Int8\", \"rows\": \"dram.A\"}}",
     "dram.B.rows: 'dram.A': addresses in DRAM are known"},
    {"\"dram\": {\"A\": {\"format\": \"Int8\", \"rows\": \"dram.B.rows\", \"columns\": 1}}",
     "there is no buffer 'B' under \"dram\", or not yet"},
    {"\"dram\": {\"A\": {\"format\": \"Int8\", \"rows\": 4294967295, \"columns\": 4294967295}}",
     "dram.A"},
    {"\"dram\": {\"A\": {\"format\": \"Bfp8_b\", \"layout\": \"rows\", \"rows\": 2, \"columns\": "
     "16}}",
     "rows of Bfp8_b cannot lie on pages"},
    {"\"dram\": {\"A\": {\"input\": \"absent.npy\", \"format\": \"Int8\"}}",
     "dram.A: ./absent.npy"},
    {"\"dram\": {\"A\": {\"page_size\": 64, \"output\": \"x.npy\"}}", "a buffer with a file"},
    {"\"dram\": {\"A\": {\"page_size\": 64, \"input\": \"absent.npy\"}}", "a buffer with a file"},
    {"\"dram\": {\"A\": {\"page_size\": 64, \"format\": \"Int8\", \"rows\": 32, \"columns\": 32}}",
     "dram.A: \"format\" and \"page_size\" exclude each other"},
    {"\"dram\": {\"A\": {\"page_size\": 64, \"layout\": \"rows\"}}",
     "\"layout\" and \"page_size\""},
    {"\"dram\": {\"A\": {\"page_size\": 64, \"rows\": 1}}", "\"rows\" and \"page_size\""},
    {"\"l1\": {\"A\": {\"page_size\": 64, \"columns\": 1}}", "l1.A: \"columns\" and \"page_size\""},
    {"\"dram\": {\"A\": {\"pages\": 4}}", "dram.A: \"pages\" needs \"page_size\" beside it"},
    {"\"dram\": {\"A\": {\"pages\": 4, \"format\": \"Int8\", \"rows\": 32, \"columns\": 32}}",
     "dram.A: \"pages\" is for buffers without a matrix"},
    {"\"dram\": {\"A\": {\"pages\": 4, \"output\": \"x.npy\"}}", "without a matrix"},
    {"\"l1\": {\"A\": {\"pages\": 4, \"page_size\": 64}}", "l1.A: there is no key \"pages\""},
    {"\"dram\": {\"A\": {\"page_size\": 0}}", "at least 1"},
    {"\"dram\": {\"A\": {\"page_size\": 4294967295, \"pages\": 2}}", "too many"},
    {"\"dram\": {\"A\": {\"tiles\": \"all\", \"page_size\": 1}}",
     "dram.A: there is no key \"tiles\""},
    {"\"l1\": {\"A\": {\"split\": 1, \"page_size\": 1}}", "\"split\" is true or false"},
    {"\"l1\": {\"A\": {\"page_size\": 1572864}}", "l1.A: 1572864 bytes do not fit L1"},
    {"\"l1\": {\"A\": {\"page_size\": 1000000}, \"B\": {\"page_size\": 1000000}}",
     "l1.B: 1000000 bytes"},
    {"\"circular_buffers\": {}", "circular_buffers: a list"},
    {"\"circular_buffers\": [{}]", "circular_buffers[0]: a circular buffer has"},
    {"\"circular_buffers\": [{\"id\": 0, \"pages\": 1, \"page_size\": 20}]", "a multiple of 16"},
    {"\"circular_buffers\": [{\"id\": 0, \"pages\": 4294967295, \"page_size\": 4294967280}]",
     "do not fit L1"},
    {"\"circular_buffers\": [{\"id\": 0, \"pages\": 1, \"page_size\": 16}, {\"id\": 0, \"pages\": "
     "1, "
     "\"page_size\": 16, \"tiles\": \"1,0\"}]",
     "logical tile (1, 0) has circular buffer 0 already, from circular_buffers[0]"},
};

static void check_refused(const char *text, const char *message)
{
    struct loader_program *program;
    struct penrose_error error = {.text = ""};
    ck_assert_int_ne(
        loader_program_parse(&arch, text, strlen(text), "p.json", &no_folders, &program, &error),
        PENROSE_OK);
    ck_assert_ptr_null(program);
    ck_assert_msg(strncmp(error.text, "p.json:", 7) == 0, "%s", error.text);
    ck_assert_msg(strstr(error.text, message) != NULL, "%s: %s", text, error.text);
}

TEST_EACH(mistake_is_named, COUNT(wrong))
{
    char text[1024];
    snprintf(text, sizeof text, "{\"grid\": \"2x2\", %s}", wrong[_i].text);
    check_refused(text, wrong[_i].message);
}

/* A kind of chip with a larger grid and smaller memories. */
TEST(sizes_are_those_of_the_chip)
{
    struct arch other = arch;
    other.columns = 40;
    other.rows = 21;
    other.l1_bytes[PENROSE_TILE_TENSIX] = 0x40000;
    other.gddr_bytes = 0x200000;
    struct loader_program *program =
        opened_for(&other, "{\"grid\": \"40x21\", \"dram\": {\"A\": {\"page_size\": 1048640}},"
                           " \"kernels\": [{\"hart\": \"brisc\", \"tiles\": \"33-39,20\"}]}");
    struct penrose_error error;
    ck_assert_uint_eq(program->kernel[0].tiles.count, 7);
    ck_assert(loader_tiles_have(&program->kernel[0].tiles, 39, 20));
    ck_assert(!loader_tiles_have(&program->kernel[0].tiles, 32, 20));
    ck_assert_int_eq(loader_program_place(program, 1, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "of 0x200000"));
    loader_program_close(program);
    static const struct {
        const char *text, *message;
    } refused[] = {
        {"{\"grid\": \"40x22\"}", "1 to 40 columns and 1 to 21 rows, for example \"40x21\""},
        {"{\"grid\": \"1x1\", \"l1\": {\"A\": {\"page_size\": 131136}}}", "of 0x40000"},
        {"{\"grid\": \"1x1\", \"dram\": {\"A\": {\"page_size\": 64, \"address\": \"0x200000\"}}}",
         "a multiple of 64 below 0x200000"},
        {"{\"grid\": \"1x1\", \"kernels\": []}", "a list of 1 to 4200 kernels"},
    };
    for (int i = 0; i < COUNT(refused); i++) {
        ck_assert_int_eq(loader_program_parse(&other, refused[i].text, strlen(refused[i].text),
                                              "p.json", &no_folders, &program, &error),
                         PENROSE_E_FORMAT);
        ck_assert_msg(strstr(error.text, refused[i].message) != NULL, "%s", error.text);
    }
}

TEST(grids_are_checked)
{
    static const struct {
        const char *text, *message;
    } grids[] = {
        {"\"15x1\"", "a grid of this size is not possible: '15x1'; write \"COLUMNSxROWS\", 1 to 14 "
                     "columns and 1 to 10 rows"},
        {"\"1x11\"", "not possible: '1x11'"},
        {"\"0x1\"", "not possible: '0x1'"},
        {"\"1x0\"", "not possible: '1x0'"},
        {"\"100x4294967297\"", "not possible: '100x4294967297'"},
        {"\"2\"", "this is no size of a grid: '2'"},
        {"\"2x\"", "no size of a grid: '2x'"},
        {"\"x2\"", "no size of a grid: 'x2'"},
        {"\"\"", "no size of a grid: ''"},
        {"\"2x2 \"", "no size of a grid: '2x2 '"},
        {"\" 2x2\"", "no size of a grid: ' 2x2'"},
        {"\"-1x2\"", "no size of a grid: '-1x2'"},
        {"4", "this is no size of a grid; write"},
        {"null", "this is no size of a grid; write"},
    };
    for (int i = 0; i < COUNT(grids); i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"grid\": %s, \"kernels\": []}", grids[i].text);
        check_refused(text, "p.json: grid: ");
        check_refused(text, grids[i].message);
    }
    check_refused("{\"kernels\": []}", "p.json: grid: the size of the grid is missing; write");
}

TEST(syntax_errors_have_lines)
{
    check_refused("{\n// one\n/* two\n three */ \"grid\": }\n", "p.json:4: ");
    check_refused("{\"grid\": \"1x1\",\n\"grid\": \"1x1\"}", "p.json:2: duplicate object key");
    check_refused("{\"grid\": \"1x1\"} x", "p.json:1: ");
    check_refused("{\"grid\": \"1x1\" /* no end", "p.json:1: ");
    check_refused("[]", "top level: an object in braces");
    check_refused("", "p.json:1: ");
    struct loader_program *program;
    struct penrose_error error;
    ck_assert_int_eq(
        loader_program_parse(&arch, "{\0}", 3, "p.json", &no_folders, &program, &error),
        PENROSE_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "NUL"));
    ck_assert_int_eq(loader_program_open(&arch, "/absent.json", &no_folders, &program, &error),
                     PENROSE_E_FILE);
    ck_assert_int_eq(loader_program_open(&arch, "/", &no_folders, &program, &error),
                     PENROSE_E_FILE);
}

/* --- Files --- */

static const char npy_path[] = "check_loader_program.npy";

static void write_npy(uint32_t rows, uint32_t columns)
{
    struct loader_npy array;
    size_t size;
    ck_assert(loader_npy_make(&array, LOADER_NPY_SIGNED, 1, rows, columns));
    uint8_t *bytes = loader_npy_format(&array, &size);
    FILE *file = fopen(npy_path, "wb");
    ck_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    free(bytes);
    loader_npy_free(&array);
}

TEST(inputs_give_shapes)
{
    static const char text[] =
        "{\"grid\": \"3x2\", \"kernels\": [{\"hart\": \"brisc\"}],\n"
        " \"dram\": {\"A\": {\"input\": \"check_loader_program.npy\", \"format\": \"Int8\"}},\n"
        " \"l1\": {\"same\": {\"input\": \"check_loader_program.npy\", \"format\": \"Int8\"},\n"
        "        \"part\": {\"input\": \"check_loader_program.npy\", \"format\": \"Int8\",\n"
        "                 \"layout\": \"rows\", \"split\": true, \"rows\": 3}}}";
    write_npy(18, 40);
    struct loader_program *program = opened(text);
    ck_assert_uint_eq(program->buffer[0].tensor.rows, 18);
    ck_assert_uint_eq(program->buffer[0].pages, 2);
    ck_assert_uint_eq(program->buffer[1].tensor.rows, 18);
    ck_assert_uint_eq(program->buffer[1].tiles.count, 6);
    ck_assert_uint_eq(program->buffer[2].tensor.rows, 3);
    ck_assert_uint_eq(program->buffer[2].page_size, 120);
    loader_program_close(program);
    write_npy(20, 40);
    check_refused(text, "l1.part: 20 rows cannot be split among 6 tiles");
    write_npy(24, 40);
    check_refused(text, "l1.part: it has 3x40, but its input gives 4x40");
    unlink(npy_path);
}

/* --- Places --- */

TEST(buffers_do_not_overlap)
{
    uint64_t state = 11;
    for (unsigned round = 0; round < 300; round++) {
        char text[8192] =
            "{\"grid\": \"1x1\", \"kernels\": [{\"hart\": \"brisc\"}], \"dram\": {\"b\": "
            "{\"page_size\": 1}";
        for (unsigned i = 0; i < 8; i++) {
            sprintf(text + strlen(text), ", \"b%u\": {\"pages\": %u, \"page_size\": %u}", i,
                    (unsigned)(random_bits(&state) % 50 + 1),
                    (unsigned)(random_bits(&state) % 5000 + 1));
        }
        strcat(text, "}, \"l1\": {\"c\": {\"page_size\": 1}");
        for (unsigned i = 0; i < 8; i++) {
            sprintf(text + strlen(text), ", \"c%u\": {\"page_size\": %u}", i,
                    (unsigned)(random_bits(&state) % 100000 + 1));
        }
        strcat(text, "}}");
        struct loader_program *program = opened(text);
        unsigned banks = 1 + round % 8;
        struct penrose_error error;
        ck_assert_int_eq(loader_program_place(program, banks, &error), PENROSE_OK);
        uint64_t end[2] = {LOADER_DRAM_FIRST, LOADER_L1_FIRST};
        for (unsigned i = 0; i < program->buffers; i++) {
            const struct loader_program_buffer *buffer = &program->buffer[i];
            uint64_t of_bank =
                buffer->kind == LOADER_BUFFER_L1
                    ? buffer->page_size
                    : (uint64_t)((buffer->pages + banks - 1) / banks) * buffer->page_size;
            ck_assert_uint_ge(buffer->address, end[buffer->kind]);
            ck_assert_uint_eq(buffer->address % LOADER_DRAM_PAGE_ALIGNMENT, 0);
            end[buffer->kind] = buffer->address + of_bank;
        }
        ck_assert_uint_le(end[LOADER_BUFFER_L1], TILE_L1_BYTES);
        loader_program_close(program);
    }
}

TEST(banks_have_an_end)
{
    struct loader_program *program =
        opened("{\"grid\": \"1x1\", \"kernels\": [{\"hart\": \"brisc\"}], \"dram\": {\n"
               "\"A\": {\"pages\": 1000, \"page_size\": 4000000},\n"
               "\"B\": {\"pages\": 1000, \"page_size\": 4000000}}}");
    struct penrose_error error;
    ck_assert_int_eq(loader_program_place(program, 8, &error), PENROSE_OK);
    ck_assert_int_eq(loader_program_place(program, 1, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "dram.B: 4000000000 bytes in each of 1 banks"));
    ck_assert_int_eq(loader_program_place(program, 0, &error), PENROSE_E_ARGUMENT);
    loader_program_close(program);
}

/* --- What a recorded launch needs --- */

TEST(places_nocs_and_semaphores_are_those_of_tiles)
{
    struct loader_program *program =
        opened("{\"grid\": \"3x1\", \"snapshot\": \"chip.snapshot\","
               " \"dram\": {\"A\": {\"page_size\": 64, \"pages\": 9, \"address\": \"0x40\"}},"
               " \"l1\": {\"S\": {\"page_size\": 48, \"address\": \"0x30000\"}},"
               " \"circular_buffers\": [{\"id\": 0, \"pages\": 2, \"page_size\": 32,"
               "   \"address\": \"l1.S + 0x10\"}],"
               " \"semaphores\": [{\"tiles\": \"0,0\", \"values\": [5, 6]},"
               "   {\"tiles\": \"2,0\", \"values\": [7]}],"
               " \"kernels\": [{\"hart\": \"brisc\", \"tiles\": \"0,0\", \"noc\": 0},"
               "   {\"hart\": \"ncrisc\", \"tiles\": \"0-1,0\", \"noc\": 1},"
               "   {\"hart\": \"ncrisc\", \"tiles\": \"2,0\", \"noc\": 0}]}");
    struct penrose_error error;
    ck_assert_str_eq(program->snapshot, "./chip.snapshot");
    ck_assert_int_eq(loader_program_place(program, 8, &error), PENROSE_OK);
    ck_assert_uint_eq(program->buffer[0].address, 0x40);
    ck_assert_uint_eq(program->buffer[1].address, 0x30000);
    ck_assert_uint_eq(program->circular[0].address, 0x30010);
    ck_assert_uint_eq(loader_program_noc(program, 0, 0), 0);
    ck_assert_uint_eq(loader_program_noc(program, 1, 0), 0);
    ck_assert_uint_eq(loader_program_noc(program, 2, 0), 1);
    ck_assert_str_eq(loader_program_semaphores(program, 0, 0)->text[1], "6");
    ck_assert_uint_eq(loader_program_semaphores(program, 1, 0)->count, 0);
    ck_assert_str_eq(loader_program_semaphores(program, 2, 0)->text[0], "7");
    loader_program_close(program);
}

/* Buffers with addresses take no room from the others. */
TEST(some_buffers_have_places)
{
    struct loader_program *program =
        opened("{\"grid\": \"1x1\", \"kernels\": [{\"hart\": \"brisc\"}],"
               " \"dram\": {\"A\": {\"page_size\": 64}, \"B\": {\"page_size\": 64, \"address\": "
               "\"0x200000\"}, \"C\": {\"page_size\": 64}},"
               " \"l1\": {\"D\": {\"page_size\": 64}, \"E\": {\"page_size\": 64, \"address\": "
               "\"0x40000\"}, \"F\": {\"page_size\": 64}}}");
    const uint64_t addresses[] = {LOADER_DRAM_FIRST, 0x200000, LOADER_DRAM_FIRST + 64,
                                  LOADER_L1_FIRST,   0x40000,  LOADER_L1_FIRST + 64};
    struct penrose_error error;
    ck_assert_int_eq(loader_program_place(program, 8, &error), PENROSE_OK);
    for (unsigned i = 0; i < COUNT(addresses); i++) {
        ck_assert_uint_eq(program->buffer[i].address, addresses[i]);
    }
    loader_program_close(program);
}

/* --- Anything --- */

static void parse_anything(const char *text, size_t size)
{
    struct loader_program *program;
    struct penrose_error error = {.text = ""};
    enum penrose_status status =
        loader_program_parse(&arch, text, size, "p.json", &no_folders, &program, &error);
    ck_assert_int_eq(status == PENROSE_OK, program != NULL);
    ck_assert_int_eq(status == PENROSE_OK, error.text[0] == 0);
    loader_program_close(program);
}

TEST(whatever_is_cut_or_changed_is_answered)
{
    uint64_t state = 5;
    const size_t size = sizeof whole - 1;
    for (size_t length = 0; length < size; length++) {
        parse_anything(whole, length);
    }
    for (unsigned i = 0; i < 10000; i++) {
        static const char replacements[] = "\"{}[]:,09-/*x";
        char text[sizeof whole];
        memcpy(text, whole, sizeof whole);
        for (unsigned j = 0; j <= i % 3; j++) {
            text[random_bits(&state) % size] =
                replacements[random_bits(&state) % (sizeof replacements - 1)];
        }
        parse_anything(text, size);
    }
}
