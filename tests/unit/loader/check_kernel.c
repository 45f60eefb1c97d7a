/* Does a kernel belong to a firmware? */
#include "unit/loader/loader_set.h"

#include <string.h>

#include "loader/launch.h"

FIXTURE(NULL, loader_release);

enum {
    GLOBAL_LABEL = ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE),
    WEAK_OBJECT = ELF32_ST_INFO(STB_WEAK, STT_OBJECT),
    LOCAL_OBJECT = ELF32_ST_INFO(STB_LOCAL, STT_OBJECT)
};

/* A kernel of BRISC: text behind the firmware's, data at `data`, `memsz` bytes of it. */
static struct image *make_kernel(uint32_t data, uint32_t memsz)
{
    static const uint32_t text[4] = {0x8067, 0x13, 0x13, 0x13}, word = 1;
    struct image *image = image_create(0x3860);
    unsigned first = image_segment(image, 0x3860, 0x3860, PF_R | PF_X, text, 16, 16);
    unsigned second = image_segment(image, data, 0x3870, PF_R | PF_W, &word, 4, memsz);
    image_loaded(image, ".text", first, 0x3860, 16, SHF_EXECINSTR);
    image_loaded(image, ".data", second, data, 4, SHF_WRITE);
    image_symbol(image, "__global_pointer$", SET_GLOBAL_POINTER, 0, GLOBAL_LABEL, SHN_ABS);
    image_symbol(image, "__fw_export_ldm_end", SET_LDM_END, 0, GLOBAL_LABEL, SHN_ABS);
    image_symbol(image, "__fw_export_text_end", 0x3860, 0, GLOBAL_LABEL, SHN_ABS);
    image_symbol(image, "cb_interface", SET_CB_INTERFACE, 1024, WEAK_OBJECT, SHN_ABS);
    return image;
}

static enum penrose_status check(struct image *image, enum loader_processor processor,
                                 struct penrose_error *error)
{
    struct set_options options = set_defaults();
    struct loader_firmware *firmware = set_opened(&options);
    image_finish(image);
    struct loader_elf *elf = image_open(image);
    enum penrose_status status = loader_kernel_check(elf, firmware, processor, error);
    return status;
}

static void expect_refused(struct image *image, enum loader_processor processor,
                           const char *const *words)
{
    struct penrose_error error = {0};
    ck_assert_int_eq(check(image, processor, &error), PENROSE_E_FORMAT);
    check_words(error.text, words);
}

TEST(matches)
{
    struct image *image = make_kernel(SET_LDM_END, 0x40);
    image_symbol(image, "rta_l1_base", SET_RTA_L1_BASE, 4, WEAK_OBJECT, SHN_ABS);
    struct penrose_error error = {0};
    ck_assert_msg(check(image, LOADER_BRISC, &error) == PENROSE_OK, "%s", error.text);
}

/* The kernel's own variables, its stack limit and its local symbols may have any value. */
TEST(own_symbols)
{
    struct image *image = make_kernel(SET_LDM_END, 0x40);
    image_symbol(image, "rta_l1_base", SET_LDM_END, 4, WEAK_OBJECT, 2);
    image_symbol(image, "__stack_top", 0xffb01000, 0, GLOBAL_LABEL, SHN_ABS);
    image_symbol(image, "dram_bank_to_noc_xy", 0x1234, 4, LOCAL_OBJECT, SHN_ABS);
    image_symbol(image, "nobody_knows", 0x1234, 4, WEAK_OBJECT, SHN_ABS);
    struct penrose_error error = {0};
    ck_assert_msg(check(image, LOADER_BRISC, &error) == PENROSE_OK, "%s", error.text);
}

TEST(another_address)
{
    struct image *image = make_kernel(SET_LDM_END, 0x40);
    image_symbol(image, "rta_l1_base", 0xffb00014, 4, WEAK_OBJECT, SHN_ABS);
    expect_refused(image, LOADER_BRISC,
                   (const char *const[]){"test.elf", "another build", "rta_l1_base", "0xffb00014",
                                         "0xffb00018", "brisc.elf", "--just-symbols", NULL});
}

/* Linked for another hart: the text ends elsewhere. */
TEST(another_processor)
{
    expect_refused(make_kernel(SET_LDM_END, 0x40), LOADER_NCRISC,
                   (const char *const[]){"test.elf", "__fw_export_text_end", "0x3860", "0x5460",
                                         "ncrisc.elf", NULL});
}

TEST(data_in_firmware)
{
    expect_refused(make_kernel(SET_LDM_END - 16, 0x10), LOADER_BRISC,
                   (const char *const[]){"test.elf", "another build", "0xffb00820", "0xffb00830",
                                         "__fw_export_ldm_end", "brisc.elf", NULL});
}

TEST(too_much_data)
{
    expect_refused(make_kernel(SET_LDM_END, 0x17d4), LOADER_BRISC,
                   (const char *const[]){"test.elf", "0xffb02004", "0xffb02000", "__stack_top",
                                         "less static data", NULL});
}
