/* metal/programs.c: what a bare program finds in memory when it starts. */
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include <penrose/debug.h>
#include <penrose/penrose.h>

#include "unit/loader/loader_image.h"

static struct penrose_chip *open_chip(void)
{
    struct penrose_chip *chip;
    struct penrose_error error;
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK);
    return chip;
}

static void run(struct penrose_chip *chip)
{
    struct penrose_run some = {.size = sizeof some, .cycles = 1000};
    penrose_run(chip, &some);
}

/* Where data in local RAM may come from, in a program whose start-up code copies from L1 or trusts
 * the loader. */
static const struct local_data {
    unsigned x, y;
    enum penrose_hart hart;
    uint32_t paddr;       /* of the data */
    uint32_t loader_init; /* address of that section; 0: there is none */
    uint32_t copy;        /* where they must be in L1, too */
} local_data[] = {
    {1, 2, PENROSE_BRISC, 0xffb00000, 0, 0},        {1, 2, PENROSE_TRISC0, 0xffb00000, 0, 0},
    {1, 2, PENROSE_NCRISC, 0xffb00000, 0, 0},       {1, 2, PENROSE_TRISC2, 0x2100, 0, 0x2100},
    {1, 2, PENROSE_TRISC1, 0, 0x3000, 0x3000},      {20, 25, PENROSE_BRISC, 0xffb00000, 0, 0},
    {20, 25, PENROSE_NCRISC, 0x2100, 0, 0x2100},    {17, 12, PENROSE_BRISC, 0xffb00000, 0, 0},
    {1, 2, PENROSE_BRISC, 0x2000 /* code */, 0, 0},
};

static void make_local_data(const struct local_data *row, char *path)
{
    static const uint32_t code[] = {0xffb002b7 /* lui t0, 0xffb00 */, 0x0002a503 /* lw a0, 0(t0) */,
                                    0x0042a583 /* lw a1, 4(t0) */, 0x00100073 /* ebreak */};
    static const uint32_t data[] = {42};
    struct image *image = image_create(0x2000);
    image_segment(image, 0x2000, 0x2000, PF_R | PF_X, code, sizeof code, sizeof code);
    image_segment(image, 0xffb00000, row->paddr, PF_R | PF_W, data, sizeof data, 8);
    if (row->loader_init) {
        unsigned segment =
            image_segment(image, row->loader_init, row->loader_init, PF_R | PF_W, NULL, 0, 64);
        image_loaded(image, ".loader_init", segment, row->loader_init, 64, SHF_ALLOC);
    }
    image_finish(image);
    close(mkstemp(path));
    image_write(image, path);
    loader_release();
}

TEST_EACH(data_in_local_ram_are_there_at_the_start, COUNT(local_data))
{
    const struct local_data *row = &local_data[_i];
    const uint64_t l1 = row->y == 12 ? UINT64_C(0x2000000000) : 0;
    char path[] = "check_chip_XXXXXX";
    struct penrose_chip *chip = open_chip();
    struct penrose_error error = {0};
    struct penrose_hart_info info;
    uint32_t entry, word = 0;
    make_local_data(row, path);
    for (unsigned round = 0; round < 2; round++) {
        word = 7; /* which no program has put there */
        penrose_hart_poke(chip, row->x, row->y, row->hart, 0xffb00004, &word, 4, NULL);
        ck_assert_msg(penrose_load_program(chip, row->x, row->y, row->hart, path, &entry, &error) ==
                          PENROSE_OK,
                      "%s", error.text);
        penrose_hart_release(chip, row->x, row->y, row->hart, entry, &error);
        run(chip);
        penrose_hart_info(chip, row->x, row->y, row->hart, &info, &error);
        ck_assert_int_eq(info.state, PENROSE_HART_PAUSED);
        ck_assert_uint_eq(info.x[10], 42);
        ck_assert_uint_eq(info.x[11], 0);
        penrose_peek(chip, row->x, row->y, l1 + row->copy, &word, 4, &error);
        ck_assert_uint_eq(word, row->copy ? 42 : 0);
        penrose_hart_hold(chip, row->x, row->y, row->hart, &error);
    }
    /* Nobody has loaded anything since: the reset clears it. Then a debugger does. */
    for (word = 0; word <= 9; word += 9) {
        if (word) {
            penrose_hart_hold(chip, row->x, row->y, row->hart, &error);
            penrose_hart_poke(chip, row->x, row->y, row->hart, 0xffb00000, &word, 4, NULL);
        }
        penrose_hart_release(chip, row->x, row->y, row->hart, entry, &error);
        run(chip);
        penrose_hart_info(chip, row->x, row->y, row->hart, &info, &error);
        ck_assert_uint_eq(info.x[10], word);
    }
    unlink(path);
    penrose_chip_destroy(chip);
}
