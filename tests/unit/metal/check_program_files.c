/* metal/program_files.h: programs are found in tiles by their code, wherever it lies. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chip/chip.h"
#include "metal/program_files.h"
#include "unit/test.h"

enum { X = 1, Y = 2, AT = 0x23450, OTHER_AT = 0x80000 };

static struct penrose_error error;
static struct penrose_chip *chip;
static struct program_files *files;
static struct loader_elf *elf;
static const struct loader_segment *code;
static char path[4096];

static const char *find_program(void)
{
    const char *build = getenv("builddir");
    snprintf(path, sizeof path, "%s/firmware/tensor/matmul-flag-trisc1.elf", build ? build : ".");
    return access(path, R_OK) == 0 ? NULL : "no RISC-V cross compiler";
}

TESTS_NEED(find_program);

static void setup(void)
{
    unsigned count;
    find_program();
    ck_assert_int_eq(loader_elf_open(path, &elf, &error), PENROSE_OK);
    code = loader_elf_segments(elf, &count);
    while (!(code->flags & LOADER_SEGMENT_EXECUTE)) {
        code++;
    }
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK);
    files = program_files_create();
}

static void teardown(void)
{
    penrose_chip_destroy(chip);
    program_files_free(files);
    loader_elf_close(elf);
}

FIXTURE(setup, teardown);

static void put_code(uint32_t at, uint32_t size)
{
    ck_assert_int_eq(penrose_write(chip, X, Y, at, code->bytes, size, &error), PENROSE_OK);
}

static unsigned place(void)
{
    struct tile_facts tile;
    ck_assert(chip_tile_facts(chip, X, Y, true, &tile));
    return program_files_place(files, chip, &tile, NULL, NULL);
}

static bool is_located(uint32_t at)
{
    char symbol[128], source[256];
    return penrose_locate(chip, X, Y, at, symbol, sizeof symbol, source, sizeof source);
}

TEST(code_is_found_where_it_lies)
{
    ck_assert(program_files_add(files, path));
    ck_assert_uint_eq(program_files_count(files), 1);
    ck_assert_uint_eq(place(), 0);
    put_code(AT, code->filesz);
    ck_assert(!is_located(AT));
    ck_assert_uint_eq(place(), 1);
    ck_assert(is_located(AT) && is_located(AT + code->filesz - 4) && !is_located(OTHER_AT));
    const struct image *image = images_find(chip_images(chip), X, Y, AT);
    ck_assert(image->is_kernel && image->link_base == code->vaddr && image->base == AT);
    ck_assert_uint_eq(place(), 0); /* it is known */
    put_code(OTHER_AT, code->filesz);
    ck_assert_uint_eq(place(), 1);
    ck_assert(is_located(AT) && is_located(OTHER_AT));
}

TEST(code_that_is_not_whole_is_another_one)
{
    const uint32_t last = 0x12345678;
    ck_assert(program_files_add(files, path));
    put_code(AT, code->filesz);
    ck_assert_int_eq(penrose_write(chip, X, Y, AT + code->filesz - 4, &last, sizeof last, &error),
                     PENROSE_OK);
    put_code(0x180000 - 64, 64); /* beyond the end */
    ck_assert_uint_eq(place(), 0);
}

TEST(folders_are_searched_again)
{
    char *end = strrchr(path, '/');
    *end = 0;
    ck_assert(!program_files_add(files, "/nowhere/at/all"));
    ck_assert(program_files_add(files, path));
    size_t count = program_files_count(files);
    ck_assert_uint_gt(count, 1);
    ck_assert(program_files_add(files, path));
    program_files_look(files);
    ck_assert_uint_eq(program_files_count(files), count);
    put_code(AT, code->filesz);
    program_files_place_all(files, chip, chip);
    ck_assert(is_located(AT));
    put_code(AT + 4, code->filesz);
    program_files_place_all(files, chip, chip);
    ck_assert(!is_located(AT) && is_located(AT + 4));
    unsigned before = chip_images(chip)->forgettings;
    program_files_forget(files, chip);
    ck_assert(!is_located(AT + 4));
    ck_assert_uint_eq(chip_images(chip)->forgettings, before + 1); /* who knew them asks again */
}

/* --- Files with the same code --- */

struct found {
    char path[4096];
    unsigned others;
};

static void note_found(void *context, const struct tile_facts *tile, const char *file,
                       unsigned others)
{
    struct found *found = context;
    (void)tile;
    snprintf(found->path, sizeof found->path, "%s", file);
    found->others = others;
}

/* A copy that was modified in this second. */
static void copy_program(const char *to, time_t second)
{
    const struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};
    char command[9000];
    snprintf(command, sizeof command, "cp '%s' '%s'", path, to);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(utimensat(AT_FDCWD, to, times, 0), 0);
}

TEST(the_newest_of_files_with_the_same_code_is_taken)
{
    char folder[] = "/tmp/check_program_files.XXXXXX", name[64];
    static const time_t seconds[] = {2000, 3000, 1000, 4000};
    static const unsigned newest[] = {2000, 3000, 3000, 4000};
    struct found found = {.path = ""};
    struct tile_facts tile;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert(chip_tile_facts(chip, X, Y, true, &tile));
    put_code(AT, code->filesz);
    for (unsigned i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s/%u.elf", folder, (unsigned)seconds[i]);
        copy_program(name, seconds[i]);
        ck_assert(program_files_add(files, name));
        unsigned placed = program_files_place(files, chip, &tile, note_found, &found);
        ck_assert_uint_eq(placed, newest[i] == seconds[i]);
        snprintf(name, sizeof name, "%s/%u.elf", folder, newest[i]);
        const struct image *image = images_find(chip_images(chip), X, Y, AT);
        ck_assert_str_eq(loader_elf_path(image->elf), name);
        ck_assert(!placed || found.others == i);
    }
    for (unsigned i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s/%u.elf", folder, (unsigned)seconds[i]);
        unlink(name);
    }
    rmdir(folder);
}

TEST(a_folder_that_comes_later_is_searched)
{
    char folder[] = "/tmp/check_program_files.XXXXXX", name[64], pattern[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(pattern, sizeof pattern, "%s/la*", folder);
    snprintf(name, sizeof name, "%s/later", folder);
    ck_assert(!program_files_add(files, pattern));
    ck_assert_int_eq(mkdir(name, 0777), 0);
    snprintf(name, sizeof name, "%s/later/1.elf", folder);
    copy_program(name, 1000);
    program_files_look(files);
    put_code(AT, code->filesz);
    ck_assert_uint_eq(place(), 1);
    unlink(name);
    snprintf(name, sizeof name, "%s/later", folder);
    rmdir(name);
    rmdir(folder);
}

/* Compilers write into the file that is there. */
TEST(a_file_that_is_written_again_is_another_one)
{
    char folder[] = "/tmp/check_program_files.XXXXXX", name[64], other[sizeof path];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/1.elf", folder);
    strcpy(other, path);
    memcpy(strstr(path, "trisc1"), "trisc0", strlen("trisc0"));
    copy_program(name, 1000);
    ck_assert(program_files_add(files, name));
    strcpy(path, other);
    copy_program(name, 2000); /* into the same file */
    put_code(AT, code->filesz);
    ck_assert_uint_eq(place(), 0);
    program_files_look(files);
    ck_assert_uint_eq(program_files_count(files), 2);
    ck_assert_uint_eq(place(), 1);
    copy_program(name, 3000);
    put_code(OTHER_AT, code->filesz);
    ck_assert_uint_eq(place(), 1); /* by what was opened already */
    unlink(name);
    rmdir(folder);
}

TEST(symbols_of_a_file_that_has_changed_are_not_taken)
{
    char folder[] = "/tmp/check_program_files.XXXXXX", name[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/1.elf", folder);
    copy_program(name, 1000);
    ck_assert(program_files_add(files, name));
    copy_program(name, 2000);
    put_code(AT, code->filesz);
    ck_assert_uint_eq(place(), 0);
    program_files_look(files);
    ck_assert_uint_eq(place(), 1);
    unlink(name);
    rmdir(folder);
}

/* A kernel of which its host has told, from a file whose code has other words before it is moved. */
static const struct moved_row {
    uint32_t less; /* than the code that lies there */
    enum penrose_hart hart;
    bool is_kernel, is_kept;
} moved_rows[] = {
    {0, PENROSE_NO_HART, true, true},
    {4, PENROSE_NO_HART, true, false},
    {0, PENROSE_BRISC, true, false},
    {0, PENROSE_NO_HART, false, false},
};

TEST_EACH(a_kernel_that_its_host_has_moved_stays_its_file, COUNT(moved_rows))
{
    const struct moved_row *row = &moved_rows[_i];
    char other[sizeof path];
    struct loader_elf *moved;
    strcpy(other, path);
    memcpy(strstr(other, "trisc1"), "trisc0", strlen("trisc0"));
    ck_assert_int_eq(loader_elf_open(other, &moved, &error), PENROSE_OK);
    const struct image image = {.x = X,
                                .y = Y,
                                .base = AT,
                                .size = code->filesz - row->less,
                                .elf = moved,
                                .hart = row->hart,
                                .is_kernel = row->is_kernel};
    put_code(AT, code->filesz);
    ck_assert(program_files_add(files, path));
    ck_assert(images_add(&chip->head.images, &image));
    ck_assert_uint_eq(place(), !row->is_kept);
    ck_assert_uint_eq(images_find(chip_images(chip), X, Y, AT)->elf == moved, row->is_kept);
    program_files_forget(files, chip);
    loader_elf_close(moved);
}
