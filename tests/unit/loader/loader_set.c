#include "unit/loader/loader_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct set_options set_defaults(void)
{
    return (struct set_options){
        .facts = &arch,
        .left_out = -1,
        .attributes = "rv32im_xtttensixbh1p0",
        .text = {0x3840, 0x5440, 0x5a40, 0x6040, 0x6640},
        .scratch = {0x82b0, 0xa2b0, 0xc2b0, 0xd2b0, 0xe2b0},
        .dram_banks = 7,
        .l1_banks = 110,
    };
}

/* What main() starts with: lui a1; addi a0, gp; addi a1; beq a0, a1. */
static void put_code(uint32_t code[8], uint32_t scratch)
{
    uint32_t ret = 0x00008067, nop = 0x00000013;
    for (unsigned i = 0; i < 8; i++) {
        code[i] = i == 7 ? ret : nop;
    }
    if (scratch) {
        code[1] = ((scratch + 0x800) & 0xfffff000) | 11 << 7 | 0x37;
        code[2] = (uint32_t)(-0x7f0 & 0xfff) << 20 | 3 << 15 | 10 << 7 | 0x13;
        code[3] = (scratch & 0xfff) << 20 | 11 << 15 | 11 << 7 | 0x13;
        code[4] = 11 << 20 | 10 << 15 | 4 << 8 | 0x63;
    }
}

static void put_symbols(struct image *image, const struct set_options *options, uint32_t text)
{
    enum { TEXT = 1, DATA = 2, BSS = 3 };
    unsigned function = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC);
    unsigned object = ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT);
    unsigned label = ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE);
    image_symbol(image, "main", text, 32, function, TEXT);
    image_symbol(image, "__global_pointer$", SET_GLOBAL_POINTER, 0, label, SHN_ABS);
    image_symbol(image, "__ldm_data_start", 0xffb00000, 0, label, DATA);
    image_symbol(image, "__fw_export_ldm_end", SET_LDM_END, 0, label, SHN_ABS);
    image_symbol(image, "__fw_export_text_end", text + 32, 0, label, SHN_ABS);
    image_symbol(image, "__stack_top", 0xffb02000, 0, label, SHN_ABS);
    image_symbol(image, "rta_l1_base", SET_RTA_L1_BASE, 4, object, BSS);
    image_symbol(image, "cb_interface", SET_CB_INTERFACE, 1024, object, BSS);
    image_symbol(image, "dram_bank_to_noc_xy", 0xffb00448, 4 * options->dram_banks, object, BSS);
    image_symbol(image, "l1_bank_to_noc_xy", 0xffb00464, 4 * options->l1_banks, object, BSS);
    image_symbol(image, "worker_logical_col_to_virtual_col", 0xffb007f0, 18, object, BSS);
    image_symbol(image, "worker_logical_row_to_virtual_row", 0xffb00804, 12, object, BSS);
}

struct image *set_image(const struct set_options *options, enum loader_processor processor)
{
    static const uint32_t data = 0x68;
    uint32_t text = options->text[processor], code[8];
    bool has_data = processor == LOADER_BRISC || processor == LOADER_NCRISC;
    put_code(code, options->scratch[processor]);
    struct image *image = image_create(text);
    unsigned first = image_segment(image, text, text, PF_R | PF_X, code, sizeof code, sizeof code);
    unsigned second =
        image_segment(image, 0xffb00000, 0xffb00000, PF_R | PF_W, &data, has_data ? 4 : 0, 0x828);
    image_loaded(image, ".text", first, text, sizeof code, SHF_EXECINSTR);
    image_loaded(image, ".data", second, 0xffb00000, has_data ? 4 : 0, SHF_WRITE);
    image_loaded(image, ".bss", second, 0xffb00004, 0x824, SHF_WRITE);
    put_symbols(image, options, text);
    image_section(image, ".riscv.attributes", SHT_PROGBITS, options->attributes,
                  (uint32_t)strlen(options->attributes));
    if (processor == LOADER_BRISC) {
        struct debug *debug = debug_create();
        debug_mailboxes(debug, options->newer, options->without);
        debug_finish(debug, image);
    }
    return image;
}

static void path_of(const struct set_options *options, const char *folder, unsigned processor,
                    bool file, char path[128])
{
    const char *name = loader_processor_name((enum loader_processor)processor);
    if (!file) {
        snprintf(path, 128, "%s/%s", folder, name);
    } else if (options->flat) {
        snprintf(path, 128, "%s/%s.elf", folder, name);
    } else {
        snprintf(path, 128, "%s/%s/%s.elf", folder, name, name);
    }
}

enum penrose_status set_open(const struct set_options *options, struct loader_firmware **firmware,
                             struct penrose_error *error)
{
    char folder[] = P_tmpdir "/penrose-set-XXXXXX", path[128];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        path_of(options, folder, i, false, path);
        if (!options->flat) {
            ck_assert_int_eq(mkdir(path, 0700), 0);
        }
        if ((int)i != options->left_out) {
            struct image *image = set_image(options, (enum loader_processor)i);
            image_finish(image);
            path_of(options, folder, i, true, path);
            image_write(image, path);
        }
    }
    enum penrose_status status =
        loader_firmware_open(options->facts, rv32_find_operands, folder, firmware, error);
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        path_of(options, folder, i, true, path);
        unlink(path);
        path_of(options, folder, i, false, path);
        rmdir(path);
    }
    ck_assert_int_eq(rmdir(folder), 0);
    return status;
}

static void firmware_close(void *what)
{
    loader_firmware_close(what);
}

struct loader_firmware *set_opened(const struct set_options *options)
{
    struct loader_firmware *firmware;
    struct penrose_error error = {0};
    enum penrose_status status = set_open(options, &firmware, &error);
    ck_assert_msg(status == PENROSE_OK, "%s", error.text);
    loader_own(firmware, firmware_close);
    return firmware;
}
