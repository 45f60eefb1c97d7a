/* Dumps: what is collected, written and read back is what the tile holds, and nothing of it changes;
 * damaged dumps are refused. Moments of a run, and runs that end at an exact cycle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <penrose/debug.h>
#include <penrose/dump.h>

#include "chip/chip.h"
#include "num/dst_format.h"
#include "observe/dump/read.h"
#include "observe/history/moments.h"
#include "tensix/exec.h"
#include "unit/chip/chip_program.h"
#include "unit/test.h"

enum { X = 1, Y = 2, CODE = 0x1000, DATA = 0x40000 };

static struct penrose_error error;
static struct penrose_chip *chip;
static struct tile *tile;
static char folder[] = "/tmp/check_dump.XXXXXX", path[64];

static void setup(void)
{
    strcpy(folder, "/tmp/check_dump.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK);
    ck_assert_int_eq(chip_tile(chip, X, Y, &tile, &error), PENROSE_OK);
}

static void teardown(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
    penrose_chip_destroy(chip);
}

FIXTURE(setup, teardown);

static void write_dump(const char *parts)
{
    const struct penrose_dump_options options = {.size = sizeof options, .parts = parts};
    ck_assert_msg(penrose_dump_write(chip, &options, path, &error) == PENROSE_OK, "%s", error.text);
}

/* The first tile of the dump at `path`. */
static void read_dump(struct dump_tile *read)
{
    struct dump_files dump;
    ck_assert_msg(dump_open(path, &dump, &error) == PENROSE_OK, "%s", error.text);
    ck_assert_msg(dump_read_tile(&dump, 0, DUMP_ALL, read, &error) == PENROSE_OK, "%s", error.text);
    dump_close(&dump);
}

static json_int_t number_in(const struct dump_tile *read, const char *part, const char *name)
{
    const struct dump_part *found = dump_find(read, part);
    ck_assert_msg(found && json_object_get(found->json, name), "%s/%s", part, name);
    return json_integer_value(json_object_get(found->json, name));
}

static const uint8_t *array_of(const struct dump_tile *read, const char *part)
{
    const struct dump_part *found = dump_find(read, part);
    ck_assert_msg(found && found->array.data, "%s", part);
    return found->array.data;
}

/* --- What is in it --- */

static void fill_tile(void)
{
    struct tensix *tensix = &tile->tensix;
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        float number = (float)lane * 1.5F;
        memcpy(&tensix->vector.lreg[3][lane], &number, sizeof number);
    }
    tensix->gpr[2][17] = 0xcafe1234;
    tensix->thread[1].rwc.dst = 12;
    tensix->semaphore[5] = (struct tensix_semaphore){.value = 2, .max = 7};
    tensix_set_config_field(tensix, 1, TENSIX_FIELD_ALU_FORMAT_SPEC_REG2_Dstacc,
                            NUM_FORMAT_FLOAT16_B);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_ALU_FORMAT_SPEC_REG2_Dstacc,
                            NUM_FORMAT_FLOAT16_B);
    tensix_set_thread_field(tensix, 2, TENSIX_FIELD_CFG_STATE_ID_StateID, 1);
    tensix_dst_write16(&tensix->dst, tensix_dst_map_now(tensix), 65, 3, num_dst_from_bf16(0xc020));
    tensix_src_file_write(&tensix->src_file[TENSIX_SRC_B], 1, 63, 15, num_src_from_bf16(0x3fc0));
    tensix_src_file_imply(&tensix->src_file[TENSIX_SRC_B], 1, NUM_FORMAT_FLOAT16_B);
}

TEST(a_dump_has_what_the_tile_holds)
{
    struct dump_tile read;
    const uint32_t word = 0x12345678;
    float dst[1024][16], lregs[17][32], srcb[2][64][16];
    uint32_t gpr[3][64], lregs_bits[17][32];
    fill_tile();
    ck_assert_int_eq(penrose_poke(chip, X, Y, DATA, &word, sizeof word, &error), PENROSE_OK);
    write_dump(NULL);
    read_dump(&read);
    ck_assert_uint_eq(read.x, X);
    ck_assert_uint_eq(read.y, Y);
    ck_assert_int_eq(memcmp(array_of(&read, "l1"), tile->l1, tile->kind->l1_bytes), 0);
    memcpy(gpr, array_of(&read, "gpr"), sizeof gpr);
    ck_assert_uint_eq(gpr[2][17], 0xcafe1234);
    memcpy(lregs, array_of(&read, "lregs"), sizeof lregs);
    memcpy(lregs_bits, array_of(&read, "lregs_bits"), sizeof lregs_bits);
    ck_assert(lregs[3][5] == 7.5F);
    ck_assert_uint_eq(lregs_bits[3][5], 0x40f00000);
    memcpy(dst, array_of(&read, "dst"), sizeof dst);
    ck_assert(dst[65][3] == -2.5F);
    ck_assert(dst[65][2] == 0);
    memcpy(srcb, array_of(&read, "srcb"), sizeof srcb);
    ck_assert(srcb[1][63][15] == 1.5F);
    ck_assert_int_eq(number_in(&read, "tensix", "1.rwc.dst"), 12);
    ck_assert_int_eq(number_in(&read, "tensix", "semaphore.5.max"), 7);
    ck_assert_int_eq(number_in(&read, "config", "config.1.ALU_FORMAT_SPEC_REG2_Dstacc"), 5);
    ck_assert_int_eq(number_in(&read, "config", "2.CFG_STATE_ID_StateID"), 1);
    dump_tile_free(&read);
}

/* Of a hart that sleeps in a loop the registers are those of the present. */
TEST(a_dump_changes_nothing)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 20000};
    struct dump_tile read;
    start_program(chip, X, Y, PENROSE_BRISC, CODE,
                  "lui t1, 0x40; addi t0, zero, 7; lw t2, 0(t1); beq t2, zero, 0x1008");
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_QUIET);
    uint64_t hash = penrose_state_hash(chip), last = penrose_last_activity(chip);
    write_dump(NULL);
    ck_assert_uint_eq(penrose_state_hash(chip), hash);
    ck_assert_uint_eq(penrose_last_activity(chip), last);
    read_dump(&read);
    const struct dump_part *harts = dump_find(&read, "harts");
    ck_assert_str_eq(json_string_value(json_object_get(harts->json, "brisc.state")), "polling");
    ck_assert_int_eq(number_in(&read, "harts", "brisc.t0"), 7);
    ck_assert_int_eq(number_in(&read, "harts", "brisc.mcycle"), (json_int_t)penrose_now(chip));
    dump_tile_free(&read);
}

TEST(parts_can_be_chosen)
{
    struct dump_tile read;
    write_dump("lregs,harts");
    read_dump(&read);
    ck_assert_ptr_nonnull(dump_find(&read, "lregs"));
    ck_assert_ptr_nonnull(dump_find(&read, "harts"));
    ck_assert_ptr_null(dump_find(&read, "l1"));
    ck_assert_ptr_null(dump_find(&read, "dst"));
    dump_tile_free(&read);
}

/* --- What is refused --- */

TEST(what_cannot_be_written_is_refused)
{
    struct penrose_dump_options options = {.size = sizeof options, .parts = "lregs,dest"};
    struct penrose_place without_harts;
    char command[128];
    ck_assert_int_eq(penrose_dump_write(chip, &options, path, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "'dest' is no part"));
    ck_assert(penrose_tile_at(chip, PENROSE_TILE_PCIE, 0, &without_harts));
    options = (struct penrose_dump_options){
        .size = sizeof options, .tiles = &without_harts, .tiles_count = 1};
    ck_assert_int_eq(penrose_dump_write(chip, &options, path, &error), PENROSE_E_ARGUMENT);
    ck_assert_int_ne(access(strcat(strcpy(command, path), "/manifest.json"), F_OK), 0);
    options = (struct penrose_dump_options){.size = 3};
    ck_assert_int_eq(penrose_dump_write(chip, &options, path, &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_dump_write(chip, NULL, "/dev/null", &error), PENROSE_E_FILE);
    ck_assert_int_eq(penrose_dump_write(chip, NULL, "/nowhere/at/all", &error), PENROSE_E_FILE);
    snprintf(command, sizeof command, "%s/file", folder);
    fclose(fopen(command, "w"));
    ck_assert_int_eq(penrose_dump_write(chip, NULL, folder, &error), PENROSE_E_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, "something else"));
}

static void put_file(const char *name, const char *text)
{
    char file[128];
    snprintf(file, sizeof file, "%s/%s", path, name);
    FILE *to = fopen(file, "w");
    ck_assert_ptr_nonnull(to);
    fputs(text, to);
    fclose(to);
}

static void expect_file(const char *name, const char *text)
{
    char file[128], found[256] = "";
    snprintf(file, sizeof file, "%s/%s", path, name);
    FILE *from = fopen(file, "r");
    ck_assert_ptr_nonnull(from);
    found[fread(found, 1, sizeof found - 1, from)] = 0;
    fclose(from);
    ck_assert_str_eq(found, text);
}

#define HEAD "{\"format\": \"penrose-dump\", \"version\": 1, \"tiles\": "
#define TILE "[{\"x\": 1, \"y\": 2, \"parts\": "

static const struct {
    const char *manifest, *why;
} damaged[] = {
    {"", "damaged"},
    {"[]", "no dump"},
    {"{\"format\": \"penrose-dump\", \"version\": 2, \"tiles\": []}", "versions up to 1"},
    {"{\"format\": \"penrose-dump\", \"version\": 0, \"tiles\": []}", "no number from 1 on"},
    {"{\"format\": \"another\", \"version\": 1}", "no dump"},
    {HEAD "5}", "no array of tiles"},
    {HEAD "[{\"x\": 1, \"y\": 2, \"parts\": {}}, {\"x\": 1, \"y\": 2, \"parts\": {}}]}",
     "same tile"},
    {HEAD TILE "{\"l1\": 5}}]}", "not an object with a file"},
    {HEAD "[5]}", "no parts"},
    {HEAD "[{\"x\": 64, \"y\": 2, \"parts\": {}}]}", "coordinates from 0 to 63"},
    {HEAD TILE "{\"l1\": {\"file\": \"../l1.npy\"}}}]}", "not in the dump's folder"},
    {HEAD TILE "{\"l1\": {\"file\": \"/etc/passwd\"}}}]}", "not in the dump's folder"},
    {HEAD TILE "{\"l1\": {\"file\": \"1-2/../../x\"}}}]}", "not in the dump's folder"},
    {HEAD TILE "{\"l1\": {\"file\": \"none.npy\"}}}]}", "No such file"},
    {HEAD TILE "{\"gpr\": {\"file\": \"1-2/gpr.npy\", \"shape\": [3, 65]}}}]}", "its shape"},
    {HEAD TILE "{\"gpr\": {\"file\": \"1-2/gpr.npy\", \"shape\": [4294967296, 192]}}}]}",
     "its shape"},
    {HEAD TILE "{\"gpr\": {\"file\": \"1-2/gpr.npy\", \"shape\": [0]}}}]}", "its shape"},
    {HEAD TILE "{\"gpr\": {\"file\": \"1-2/lost.npy\"}}}]}", "not a .npy file"},
    {HEAD TILE "{\"harts\": {\"file\": \"1-2/lost.json\"}}}]}", "damaged"},
};

TEST_EACH(a_damaged_dump_is_refused, COUNT(damaged))
{
    struct dump_files dump;
    struct dump_tile read = {0};
    write_dump("tensix,harts");
    put_file("1-2/lost.npy", "\x93NUMPY\x01");
    put_file("1-2/lost.json", "{\"a\": ");
    put_file("manifest.json", damaged[_i].manifest);
    enum penrose_status status = dump_open(path, &dump, &error);
    if (status == PENROSE_OK) {
        status = dump_read_tile(&dump, 0, DUMP_ALL, &read, &error);
    }
    ck_assert_int_ne(status, PENROSE_OK);
    ck_assert_msg(strstr(error.text, damaged[_i].why), "%s", error.text);
    dump_tile_free(&read);
    dump_close(&dump);
}

/* --- What is there already, and links --- */

/* Only what is known to be a dump is replaced: not what happens to have a manifest.json. */
TEST(only_a_dump_is_replaced)
{
    write_dump("tensix");
    write_dump("tensix");
    put_file("manifest.json", "{\"name\": \"my web application\"}");
    ck_assert_int_eq(penrose_dump_write(chip, NULL, path, &error), PENROSE_E_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, "something else"));
    expect_file("manifest.json", "{\"name\": \"my web application\"}");
}

/* What a link in an old dump leads to is not written; nor is a folder behind one. */
TEST(a_new_dump_follows_no_links)
{
    static const char *const files[] = {"manifest.json.part", "1-2/tensix.json", "1-2/gpr.npy",
                                        "index.html"};
    const struct penrose_dump_options options = {
        .size = sizeof options, .parts = "tensix", .html = true};
    char victim[64], link[128], moved[64];
    write_dump("tensix");
    snprintf(victim, sizeof victim, "%s/victim", folder);
    for (int i = 0; i < COUNT(files); i++) {
        snprintf(link, sizeof link, "%s/%s", path, files[i]);
        unlink(link);
        ck_assert_int_eq(symlink(victim, link), 0);
    }
    ck_assert_msg(penrose_dump_write(chip, &options, path, &error) == PENROSE_OK, "%s", error.text);
    ck_assert_int_ne(access(victim, F_OK), 0);
    snprintf(link, sizeof link, "%s/1-2", path);
    snprintf(moved, sizeof moved, "%s/moved", folder);
    ck_assert_int_eq(rename(link, moved), 0);
    ck_assert_int_eq(symlink(moved, link), 0);
    ck_assert_int_eq(penrose_dump_write(chip, &options, path, &error), PENROSE_E_FILE);
}

/* A dump from elsewhere shows nothing but itself, and reading it does not wait for ever. */
TEST_EACH(links_and_what_is_no_file_are_not_read, 5)
{
    static const char *const names[] = {"manifest.json", "1-2/tensix.json", "1-2/gpr.npy", "1-2",
                                        "1-2/gpr.npy"};
    char name[128], moved[64];
    struct dump_files dump;
    struct dump_tile read = {0};
    write_dump("tensix");
    snprintf(name, sizeof name, "%s/%s", path, names[_i]);
    snprintf(moved, sizeof moved, "%s/moved", folder);
    ck_assert_int_eq(rename(name, moved), 0);
    ck_assert_int_eq(_i < 4 ? symlink(moved, name) : mkfifo(name, 0600), 0);
    enum penrose_status status = dump_open(path, &dump, &error);
    if (status == PENROSE_OK) {
        status = dump_read_tile(&dump, 0, DUMP_ALL, &read, &error);
    }
    ck_assert_int_eq(status, PENROSE_E_FILE);
    ck_assert_msg(strstr(error.text, _i < 4 ? "a link" : "not a regular file"), "%s", error.text);
    dump_tile_free(&read);
    dump_close(&dump);
}

static const struct {
    enum loader_npy_kind kind;
    unsigned size;
    uint64_t bits;
    double number;
} number_rows[] = {
    {LOADER_NPY_FLOAT, 2, 0xc100, -2.5},
    {LOADER_NPY_FLOAT, 2, 0x0001, 0x1p-24},
    {LOADER_NPY_FLOAT, 4, 0x40200000, 2.5},
    {LOADER_NPY_FLOAT, 8, 0xc004000000000000, -2.5},
    {LOADER_NPY_SIGNED, 1, 0xfe, -2},
    {LOADER_NPY_SIGNED, 4, 0xfffffffe, -2},
    {LOADER_NPY_UNSIGNED, 2, 0xfffe, 65534},
    {LOADER_NPY_UNSIGNED, 8, UINT64_MAX, 0x1p64},
    {LOADER_NPY_BOOL, 1, 1, 1},
};

TEST_EACH(numbers_of_all_types_are_read, COUNT(number_rows))
{
    struct loader_npy array;
    ck_assert(loader_npy_make(&array, number_rows[_i].kind, number_rows[_i].size, 1, 2));
    memcpy(array.data + array.size, &number_rows[_i].bits, array.size);
    ck_assert(dump_number(&array, 1) == number_rows[_i].number);
    ck_assert(dump_number(&array, 0) == 0);
    loader_npy_free(&array);
}

/* --- Moments --- */

static const struct {
    const char *text;
    enum moment_kind kind;
    uint64_t number, nth; /* nth 0: it is refused */
} moment_rows[] = {
    {"kernel_main", MOMENT_FUNCTION, 0, 1},
    {"kernel_main:3", MOMENT_FUNCTION, 3, 3},
    {"ckernel::math::run", MOMENT_FUNCTION, 0, 1},
    {"ckernel::math::run:3", MOMENT_FUNCTION, 3, 3},
    {"<guest::A as core::B>::add", MOMENT_FUNCTION, 0, 1},
    {"_ZN7ckernel4math3runEv", MOMENT_FUNCTION, 0, 1},
    {"trisc.cc:120", MOMENT_LINE, 120, 1},
    {"src/trisc.cc:120:7", MOMENT_LINE, 120, 7},
    {"0x6a10", MOMENT_PC, 0x6a10, 1},
    {"0x6a10:2", MOMENT_PC, 0x6a10, 2},
    {"MVMUL", MOMENT_TENSIX, 0, 1},
    {"MVMUL:16", MOMENT_TENSIX, 16, 16},
    {"cycle:5000", MOMENT_CYCLE, 5000, 1},
    {"launch:2", MOMENT_LAUNCH, 2, 1},
    {"", MOMENT_PC, 0, 0},
    {"cycle:0", MOMENT_PC, 0, 0},
    {"trisc.cc", MOMENT_PC, 0, 0},
    {"trisc.cc:0", MOMENT_PC, 0, 0},
    {"0x12zz", MOMENT_PC, 0, 0},
    {"0x1234567890", MOMENT_PC, 0, 0},
    {"main:0", MOMENT_PC, 0, 0},
    {"a:b", MOMENT_PC, 0, 0},
    {"a:::b", MOMENT_PC, 0, 0},
    {"kernel main", MOMENT_PC, 0, 0},
    {":4", MOMENT_PC, 0, 0},
};

TEST_EACH(moments_are_understood, COUNT(moment_rows))
{
    struct moment moment;
    enum penrose_status status = moment_parse(moment_rows[_i].text, &moment, &error);
    ck_assert_msg((status == PENROSE_OK) == (moment_rows[_i].nth > 0), "%s", moment_rows[_i].text);
    if (status == PENROSE_OK) {
        ck_assert_int_eq(moment.kind, moment_rows[_i].kind);
        ck_assert_uint_eq(moment.nth, moment_rows[_i].nth);
        ck_assert(moment.kind == MOMENT_TENSIX || moment.kind == MOMENT_FUNCTION ||
                  moment.number == moment_rows[_i].number);
    }
}

enum { NO_HART = -1, REFUSED = -2 };

static const struct {
    const char *text, *place; /* without the hart */
    int hart;
} moments_of_harts[] = {
    {"trisc1:kernel_main", "kernel_main", PENROSE_TRISC1},
    {"trisc1:kernel_main:3", "kernel_main:3", PENROSE_TRISC1},
    {"ncrisc:ckernel::math::run", "ckernel::math::run", PENROSE_NCRISC},
    {"trisc0:src/trisc.cc:120:7", "src/trisc.cc:120:7", PENROSE_TRISC0},
    {"brisc:0x6a10:2", "0x6a10:2", PENROSE_BRISC},
    {"trisc2:PACR", "PACR", PENROSE_TRISC2},
    {"erisc1:main", "main", PENROSE_NCRISC},
    {"drisc:main", "main", PENROSE_BRISC},
    {"brisc", "brisc", NO_HART},
    {"brisc:3", "brisc:3", NO_HART},
    {"brisc::run", "brisc::run", NO_HART},
    {"brisc:cycle:5", NULL, REFUSED},
    {"brisc:launch:1", NULL, REFUSED},
    {"brisc:", NULL, REFUSED},
    {"brisc:main.c", NULL, REFUSED},
    {"trisc3:main", NULL, REFUSED},
    {"brisc:trisc0:main", NULL, REFUSED},
};

TEST_EACH(a_moment_may_be_of_one_hart, COUNT(moments_of_harts))
{
    struct moment moment, alone;
    enum penrose_status status = moment_parse(moments_of_harts[_i].text, &moment, &error);
    ck_assert_int_eq(status == PENROSE_OK, moments_of_harts[_i].hart != REFUSED);
    if (status == PENROSE_OK) {
        ck_assert_int_eq(moment_parse(moments_of_harts[_i].place, &alone, &error), PENROSE_OK);
        ck_assert_int_eq(moment.only, moments_of_harts[_i].hart);
        ck_assert_int_eq(alone.only, NO_HART);
        ck_assert_int_eq(moment.kind, alone.kind);
        ck_assert_str_eq(moment.name, alone.name);
        ck_assert_uint_eq(moment.number, alone.number);
        ck_assert_uint_eq(moment.nth, alone.nth);
    }
}

/* A loop that stores t0 and counts it; a Tensix instruction in each turn. */
static const char turns[] = "lui t1, 0x40; addi t0, zero, 0; addi t2, zero, 9; addi t0, t0, 1;"
                            ".ttinsn SETDMAREG 0, 5, 0, 10; bne t0, t2, 0x100c; ebreak";

static void note_look(void *context, unsigned index)
{
    struct penrose_hart_info *info = context;
    ck_assert_uint_eq(index, 0);
    ck_assert_int_eq(penrose_hart_info(chip, X, Y, PENROSE_TRISC1, info, &error), PENROSE_OK);
}

static uint32_t run_to(const char *text, uint64_t *end)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 20000};
    const struct penrose_place at = {X, Y};
    struct penrose_hart_info info;
    struct moment moment;
    struct moments *moments;
    ck_assert_int_eq(moment_parse(text, &moment, &error), PENROSE_OK);
    ck_assert_int_eq(moments_start(chip, &moment, 1, &at, 1, note_look, &info, &moments, &error),
                     PENROSE_OK);
    moments_prepare(moments);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_PAUSED);
    ck_assert(moment.is_over);
    ck_assert_uint_eq(moment.at.x, X);
    if (moment.kind == MOMENT_PC) {
        note_look(&info, 0);
    }
    moments_rest(moments);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_QUIET);
    *end = penrose_last_activity(chip);
    moments_end(moments);
    return info.x[5];
}

TEST(a_run_ends_at_the_nth_time)
{
    uint64_t end, stopped_end;
    const struct penrose_run run = {.size = sizeof run, .cycles = 20000};
    start_program(chip, X, Y, PENROSE_TRISC1, CODE, turns);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_QUIET);
    end = penrose_last_activity(chip);
    teardown();
    setup();
    start_program(chip, X, Y, PENROSE_TRISC1, CODE, turns);
    ck_assert_uint_eq(run_to("0x1010:4", &stopped_end), 4);
    ck_assert_uint_eq(stopped_end, end);
    teardown();
    setup();
    start_program(chip, X, Y, PENROSE_TRISC1, CODE, turns);
    ck_assert_uint_ge(run_to("SETDMAREG:6", &stopped_end), 6);
    ck_assert_uint_eq(stopped_end, end);
}

/* An instruction at which the run has ended is about to start a second time. */
TEST(a_place_where_the_run_ended_counts_once)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 20000};
    const struct penrose_place at = {X, Y};
    struct penrose_hart_info info;
    struct moment moment[2];
    struct moments *moments;
    start_program(chip, X, Y, PENROSE_TRISC1, CODE, turns);
    ck_assert_int_eq(moment_parse("0x1010:2", &moment[0], &error), PENROSE_OK);
    ck_assert_int_eq(moment_parse("0x1010:3", &moment[1], &error), PENROSE_OK);
    ck_assert_int_eq(moments_start(chip, moment, 2, &at, 1, note_look, &info, &moments, &error),
                     PENROSE_OK);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(penrose_run(chip, &run), PENROSE_PAUSED);
        note_look(&info, 0);
        ck_assert_uint_eq(info.x[5], 2 + i);
        ck_assert(moment[i].is_over);
    }
    moments_end(moments);
}

/* --- Exact runs --- */

TEST(a_run_can_end_at_an_exact_cycle)
{
    struct penrose_run run = {.size = sizeof run, .cycles = 100, .exactly = true};
    struct penrose_hart_info info;
    start_program(chip, X, Y, PENROSE_BRISC, CODE, "addi t0, t0, 1; jal zero, 0x1000");
    start_program(chip, X + 1, Y, PENROSE_TRISC2, CODE, "addi t0, t0, 1; jal zero, 0x1000");
    for (unsigned i = 1; i < 40; i++) {
        ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
        ck_assert_uint_eq(penrose_now(chip), 100 * i);
        ck_assert_int_eq(penrose_hart_info(chip, X, Y, PENROSE_BRISC, &info, &error), PENROSE_OK);
        ck_assert_uint_eq(info.retired, 100 * i);
    }
    penrose_hart_hold(chip, X + 1, Y, PENROSE_TRISC2, &error);
    run.cycles = 7001; /* one tile alone, whose windows grow */
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
    ck_assert_uint_eq(penrose_now(chip), 3900 + 7001);
    ck_assert_int_eq(penrose_hart_info(chip, X, Y, PENROSE_BRISC, &info, &error), PENROSE_OK);
    ck_assert_uint_eq(info.retired, 3900 + 7001);
    run.exactly = false;
    run.cycles = 1;
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
    ck_assert_uint_eq(penrose_now(chip) % 128, 0);
}
