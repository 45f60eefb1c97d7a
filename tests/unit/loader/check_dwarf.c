/* From addresses to source lines, and to the calls that were inlined around them. */
#include "unit/loader/loader_debug.h"

#include <dwarf.h>
#include <string.h>

/* The program of loader_image.c has its text at 0x4000 to 0x400c. */
static struct loader_elf *open_lines(void (*fill)(struct debug *debug),
                                     void (*change)(struct image *image))
{
    struct debug *debug = debug_create();
    struct image *image = image_program();
    fill(debug);
    debug_finish(debug, image);
    image_finish(image);
    if (change) {
        change(image);
    }
    struct loader_elf *elf = image_open(image);
    image_destroy(image);
    debug_destroy(debug);
    return elf;
}

static void check_line(struct loader_elf *elf, uint32_t address, unsigned expected)
{
    const char *file = NULL;
    unsigned line = 0;
    ck_assert_msg(loader_elf_source(elf, address, &file, &line) == (expected != 0), "0x%x",
                  address);
    if (expected) {
        ck_assert_uint_eq(line, expected);
        ck_assert_str_eq(file, "/project/kernel.cc");
    }
}

static void three_lines(struct debug *debug)
{
    debug_row(debug, 0x4000, 10);
    debug_row(debug, 0x4004, 300);
    debug_row(debug, 0x4008, 12);
    debug_sequence_end(debug, 0x400c);
}

TEST(exact)
{
    struct loader_elf *elf = open_lines(three_lines, NULL);
    for (unsigned round = 0; round < 2; round++) {
        check_line(elf, 0x3ffc, 0);
        check_line(elf, 0x4000, 10);
        check_line(elf, 0x4003, 10);
        check_line(elf, 0x4004, 300);
        check_line(elf, 0x4008, 12);
        check_line(elf, 0x400b, 12);
        check_line(elf, 0x400c, 0);
        check_line(elf, 0xffffffff, 0);
        check_line(elf, 0, 0);
    }
    loader_elf_close(elf);
}

/* Sequences in any order; one with a gap, one of a discarded function, one outside the text. */
static void many_sequences(struct debug *debug)
{
    debug_row(debug, 0x4008, 30);
    debug_sequence_end(debug, 0x400c);
    debug_row(debug, 0, 99);
    debug_sequence_end(debug, 0x100);
    debug_row(debug, 0x4000, 20);
    debug_sequence_end(debug, 0x4004);
    debug_row(debug, 0xffb00000, 98);
    debug_sequence_end(debug, 0xffb00004);
    debug_row(debug, 0x4000c, 97);
    debug_sequence_end(debug, 0x40010);
}

TEST(sequences)
{
    struct loader_elf *elf = open_lines(many_sequences, NULL);
    check_line(elf, 0, 0);
    check_line(elf, 0x4000, 20);
    check_line(elf, 0x4004, 0);
    check_line(elf, 0x4008, 30);
    check_line(elf, 0xffb00000, 0);
    check_line(elf, 0x4000c, 0);
    loader_elf_close(elf);
}

/* Of several rows at one address the last one counts; line 0 is the compiler's own code. */
static void rows_at_one_address(struct debug *debug)
{
    debug_row(debug, 0x4000, 1);
    debug_row(debug, 0x4000, 2);
    debug_row(debug, 0x4000, 3);
    debug_row(debug, 0x4004, 0);
    debug_row(debug, 0x4008, 4);
    debug_sequence_end(debug, 0x400c);
}

TEST(same_address)
{
    struct loader_elf *elf = open_lines(rows_at_one_address, NULL);
    check_line(elf, 0x4000, 3);
    check_line(elf, 0x4004, 0);
    check_line(elf, 0x4008, 4);
    loader_elf_close(elf);
}

static void no_rows(struct debug *debug)
{
    (void)debug;
}

TEST(empty)
{
    struct loader_elf *elf = open_lines(no_rows, NULL);
    check_line(elf, 0x4000, 0);
    check_line(elf, 0x4000, 0);
    loader_elf_close(elf);
}

static void say_compressed(struct image *image)
{
    image_section_header(image, ".debug_line")->sh_flags |= SHF_COMPRESSED;
}

TEST(compressed)
{
    struct loader_elf *elf = open_lines(three_lines, say_compressed);
    check_line(elf, 0x4000, 0);
    loader_elf_close(elf);
}

/* A link to a further file would make libdw open a path of the ELF's choice. */
TEST(linked_debug_information)
{
    struct debug *debug = debug_create();
    struct image *image = image_program();
    three_lines(debug);
    debug_finish(debug, image);
    image_section(image, ".gnu_debugaltlink", SHT_PROGBITS, "/etc/passwd\0abcd", 16);
    image_finish(image);
    struct loader_elf *elf = image_open(image);
    check_line(elf, 0x4000, 0);
    loader_elf_close(elf);
    image_destroy(image);
    debug_destroy(debug);
}

/* Turns round a bit of what libdw reads. */
static void damage(struct image *image, uint64_t *random)
{
    const Elf32_Shdr *header = image_section_header(image, ".debug_info");
    uint32_t start = header->sh_offset; /* abbreviations and lines follow it */
    uint32_t end = image_section_header(image, ".debug_line")->sh_offset + 60;
    *random ^= *random << 13; /* xorshift */
    *random ^= *random >> 7;
    *random ^= *random << 17;
    image->bytes[start + *random % (end - start)] ^= (uint8_t)(1U << (*random >> 32 & 7));
}

TEST_EACH(random_damage, 8)
{
    struct debug *debug = debug_create();
    struct image *image = image_program();
    three_lines(debug);
    debug_mailboxes(debug, false, NULL);
    debug_finish(debug, image);
    image_finish(image);
    uint64_t random = UINT64_C(88172645463325252) + (unsigned)_i;
    for (unsigned round = 0; round < 300; round++) {
        damage(image, &random);
        struct loader_elf *elf = image_open(image);
        const char *file;
        unsigned line;
        loader_elf_source(elf, 0x4004, &file, &line);
        loader_elf_close(elf);
    }
    image_destroy(image);
    debug_destroy(debug);
}

/* --- Inlined calls --- */

enum { ABBREVIATIONS_END = 0, UNIT, NAMESPACE, FUNCTION, CALL, BLOCK };

static const uint8_t abbreviations[] = {UNIT,
                                        DW_TAG_compile_unit,
                                        1,
                                        DW_AT_comp_dir,
                                        DW_FORM_string,
                                        DW_AT_stmt_list,
                                        DW_FORM_sec_offset,
                                        DW_AT_low_pc,
                                        DW_FORM_addr,
                                        DW_AT_high_pc,
                                        DW_FORM_data1,
                                        0,
                                        0, //
                                        NAMESPACE,
                                        DW_TAG_namespace,
                                        1,
                                        0,
                                        0, //
                                        FUNCTION,
                                        DW_TAG_subprogram,
                                        1,
                                        DW_AT_low_pc,
                                        DW_FORM_addr,
                                        DW_AT_high_pc,
                                        DW_FORM_data1,
                                        0,
                                        0, //
                                        CALL,
                                        DW_TAG_inlined_subroutine,
                                        1,
                                        DW_AT_low_pc,
                                        DW_FORM_addr,
                                        DW_AT_high_pc,
                                        DW_FORM_data1,
                                        DW_AT_call_file,
                                        DW_FORM_data1,
                                        DW_AT_call_line,
                                        DW_FORM_data1,
                                        0,
                                        0, //
                                        BLOCK,
                                        DW_TAG_lexical_block,
                                        1,
                                        DW_AT_low_pc,
                                        DW_FORM_addr,
                                        DW_AT_high_pc,
                                        DW_FORM_data1,
                                        0,
                                        0,
                                        ABBREVIATIONS_END};

/* A function from 0x4000 to 0x400c in which line 20 inlines 0x4004 to 0x400c, where a block's line
 * 30 inlines the last instruction; another function at 0x5000. */
#define AT(low) 0x##low & 255, 0x##low >> 8, 0, 0
static const uint8_t entries[] = {UNIT,      '/',      'p',      0,  0,  0, 0, 0, AT(4000), 0xff, //
                                  FUNCTION,  AT(5000), 4,        0,                               //
                                  NAMESPACE, FUNCTION, AT(4000), 12,                              //
                                  CALL,      AT(4004), 8,        1,  20,                          //
                                  BLOCK,     AT(4004), 8,                                         //
                                  CALL,      AT(4008), 4,        1,  30, 0,                       //
                                  0,         0,        0,        0,  0};

static struct image *make_calls(struct debug *debug)
{
    static const uint8_t header[] = {sizeof entries + 7, 0, 0, 0, 4, 0, 0, 0, 0, 0, 4};
    uint8_t info[sizeof header + sizeof entries];
    struct image *image = image_program();
    memcpy(info, header, sizeof header);
    memcpy(info + sizeof header, entries, sizeof entries);
    three_lines(debug);
    uint32_t length = debug->line.size - 4;
    memcpy(debug->line.bytes, &length, sizeof length);
    image_section(image, ".debug_info", SHT_PROGBITS, info, sizeof info);
    image_section(image, ".debug_abbrev", SHT_PROGBITS, abbreviations, sizeof abbreviations);
    image_section(image, ".debug_line", SHT_PROGBITS, debug->line.bytes, debug->line.size);
    image_finish(image);
    return image;
}

static void check_calls(struct loader_elf *elf, uint32_t address, unsigned count, unsigned inner,
                        unsigned outer)
{
    const unsigned lines[] = {inner, outer};
    struct loader_call call[LOADER_MAX_CALLS];
    ck_assert_uint_eq(loader_elf_calls(elf, address, call), count);
    for (unsigned i = 0; i < count; i++) {
        ck_assert_uint_eq(call[i].line, lines[i]);
        ck_assert_str_eq(call[i].file, "/p/kernel.cc");
    }
}

TEST(inlined_calls)
{
    struct debug *debug = debug_create();
    struct image *image = make_calls(debug);
    struct loader_elf *elf = image_open(image);
    check_calls(elf, 0x3ffc, 0, 0, 0);
    check_calls(elf, 0x4000, 0, 0, 0);
    check_calls(elf, 0x4004, 1, 20, 0);
    check_calls(elf, 0x4008, 2, 30, 20);
    check_calls(elf, 0x400c, 0, 0, 0);
    check_calls(elf, 0x5000, 0, 0, 0);
    loader_elf_close(elf);
    image_destroy(image);
    debug_destroy(debug);
}

TEST_EACH(random_damage_of_calls, 20)
{
    struct debug *debug = debug_create();
    struct image *image = make_calls(debug);
    uint64_t random = UINT64_C(88172645463325252) + (unsigned)_i;
    for (unsigned round = 0; round < 300; round++) {
        damage(image, &random);
        struct loader_elf *elf = image_open(image);
        struct loader_call call[LOADER_MAX_CALLS];
        ck_assert_uint_le(loader_elf_calls(elf, 0x4008, call), LOADER_MAX_CALLS);
        loader_elf_close(elf);
    }
    image_destroy(image);
    debug_destroy(debug);
}
