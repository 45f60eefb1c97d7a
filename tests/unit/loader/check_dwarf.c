/* From addresses to source lines, and to the calls that were inlined around them. */
#include "unit/loader/loader_debug.h"

#include <dwarf.h>
#include <string.h>

#include "loader/places.h"

FIXTURE(NULL, loader_release);

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
    return image_open(image);
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

/* Rows of a line table, as {address, line}; line END closes a sequence. */
enum { END = -1, MOST_ROWS = 13 }; /* the last one is zeros */
struct row {
    uint32_t address;
    int line;
};

static void put_rows(struct debug *debug, const struct row *rows)
{
    for (; rows->address || rows->line; rows++) {
        if (rows->line == END) {
            debug_sequence_end(debug, rows->address);
        } else {
            debug_row(debug, rows->address, (unsigned)rows->line);
        }
    }
}

static void three_lines(struct debug *debug)
{
    put_rows(debug, (const struct row[MOST_ROWS]){
                        {0x4000, 10}, {0x4004, 300}, {0x4008, 12}, {0x400c, END}});
}

/* Sequences in any order; one with a gap, one of a discarded function, one outside the text. */
static void many_sequences(struct debug *debug)
{
    put_rows(debug, (const struct row[MOST_ROWS]){{0x4008, 30},
                                                  {0x400c, END},
                                                  {0, 99},
                                                  {0x100, END},
                                                  {0x4000, 20},
                                                  {0x4004, END},
                                                  {0xffb00000, 98},
                                                  {0xffb00004, END},
                                                  {0x4000c, 97},
                                                  {0x40010, END}});
}

/* Of several rows at one address the last one counts; line 0 is the compiler's own code. */
static void rows_at_one_address(struct debug *debug)
{
    put_rows(debug,
             (const struct row[MOST_ROWS]){
                 {0x4000, 1}, {0x4000, 2}, {0x4000, 3}, {0x4004, 0}, {0x4008, 4}, {0x400c, END}});
}

static void no_rows(struct debug *debug)
{
    (void)debug;
}

static void say_compressed(struct image *image)
{
    image_section_header(image, ".debug_line")->sh_flags |= SHF_COMPRESSED;
}

static const struct {
    void (*fill)(struct debug *debug);
    void (*change)(struct image *image);
    struct row found[MOST_ROWS]; /* line 0: none */
} tables[] = {
    {three_lines,
     NULL,
     {{0x3ffc, 0},
      {0x4000, 10},
      {0x4003, 10},
      {0x4004, 300},
      {0x4008, 12},
      {0x400b, 12},
      {0x400c, 0},
      {0xffffffff, 0}}},
    {many_sequences,
     NULL,
     {{0x4000, 20}, {0x4004, 0}, {0x4008, 30}, {0xffb00000, 0}, {0x4000c, 0}}},
    {rows_at_one_address, NULL, {{0x4000, 3}, {0x4004, 0}, {0x4008, 4}}},
    {no_rows, NULL, {{0x4000, 0}}},
    {three_lines, say_compressed, {{0x4000, 0}}},
};

TEST_EACH(lines_are_found, COUNT(tables))
{
    struct loader_elf *elf = open_lines(tables[_i].fill, tables[_i].change);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < MOST_ROWS; i++) { /* those that are not there are at 0 */
            check_line(elf, tables[_i].found[i].address, (unsigned)tables[_i].found[i].line);
        }
    }
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
    }
}

/* --- Inlined calls --- */

enum { ABBREVIATIONS_END = 0, UNIT, NAMESPACE, FUNCTION, CALL, BLOCK };

/* An entry with children: its tag, then attributes and their forms. */
#define ABBREVIATION(code, ...) code, __VA_ARGS__, 0, 0
#define RANGE                   DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data1
static const uint8_t abbreviations[] = {
    ABBREVIATION(UNIT, DW_TAG_compile_unit, 1, DW_AT_comp_dir, DW_FORM_string, DW_AT_stmt_list,
                 DW_FORM_sec_offset, RANGE),
    ABBREVIATION(NAMESPACE, DW_TAG_namespace, 1),
    ABBREVIATION(FUNCTION, DW_TAG_subprogram, 1, RANGE),
    ABBREVIATION(CALL, DW_TAG_inlined_subroutine, 1, RANGE, DW_AT_call_file, DW_FORM_data1,
                 DW_AT_call_line, DW_FORM_data1),
    ABBREVIATION(BLOCK, DW_TAG_lexical_block, 1, RANGE),
    ABBREVIATIONS_END,
};

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
    }
}

/* --- Functions that the linker has dropped --- */

enum { NAMED = BLOCK + 1, NAMED_CALL };

static const uint8_t dropped_abbreviations[] = {
    ABBREVIATION(UNIT, DW_TAG_compile_unit, 1, DW_AT_comp_dir, DW_FORM_string, DW_AT_stmt_list,
                 DW_FORM_sec_offset, RANGE),
    ABBREVIATION(NAMED, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_decl_line,
                 DW_FORM_data1, RANGE),
    ABBREVIATION(NAMED_CALL, DW_TAG_inlined_subroutine, 1, DW_AT_name, DW_FORM_string, RANGE,
                 DW_AT_call_file, DW_FORM_data1, DW_AT_call_line, DW_FORM_data1),
    ABBREVIATIONS_END,
};

/* Before "kept", of which the program has a symbol, stand one of the same size and a larger one. */
static const uint8_t dropped_entries[] = {
    UNIT,       '/', 'p', 0,   0,   0, 0,  0,  0,  0,  0, 0,  64, //
    NAMED,      'x', 0,   30,  0,   0, 0,  0,  12,                //
    NAMED_CALL, 'i', 0,   0,   0,   0, 0,  12, 1,  77, 0, 0,      //
    NAMED,      'y', 0,   40,  0,   0, 0,  0,  16, 0,             //
    NAMED,      'k', 'e', 'p', 't', 0, 20, 0,  0,  0,  0, 12,     //
    NAMED_CALL, 'i', 0,   4,   0,   0, 0,  8,  1,  21, 0, 0,      //
    0};

/* Three functions of 12, 12 and 16 bytes at 0, and one behind the first that is there. */
static void dropped_lines(struct debug *debug)
{
    put_rows(debug, (const struct row[MOST_ROWS]){{0, 30},
                                                  {8, 31},
                                                  {12, END},
                                                  {0, 20},
                                                  {4, 21},
                                                  {12, END}, //
                                                  {0, 40},
                                                  {16, END},
                                                  {12, 50},
                                                  {20, END},
                                                  {20, 60},
                                                  {32, END}});
}

/* As rows: are there symbols; what is found at 0, 4, 8, 12 and 20. */
static const struct {
    bool has_symbols;
    unsigned line[5];
} dropped_rows[] = {{true, {20, 21, 21, 50, 0}}, {false, {0, 0, 0, 50, 0}}};

TEST_EACH(dropped_functions_name_nothing, COUNT(dropped_rows))
{
    static const uint32_t addresses[] = {0, 4, 8, 12, 20}, text[6] = {0x00000513};
    static const uint8_t header[] = {sizeof dropped_entries + 7, 0, 0, 0, 4, 0, 0, 0, 0, 0, 4};
    uint8_t info[sizeof header + sizeof dropped_entries];
    struct debug *debug = debug_create();
    struct image *image = image_create(0);
    unsigned code = image_segment(image, 0, 0, PF_R | PF_X, text, sizeof text, sizeof text);
    unsigned section = image_loaded(image, ".text", code, 0, 20, SHF_ALLOC | SHF_EXECINSTR);
    struct loader_places places;
    struct loader_call call[LOADER_MAX_CALLS];
    memcpy(info, header, sizeof header);
    memcpy(info + sizeof header, dropped_entries, sizeof dropped_entries);
    dropped_lines(debug);
    uint32_t length = debug->line.size - 4;
    memcpy(debug->line.bytes, &length, sizeof length);
    image_section(image, ".debug_info", SHT_PROGBITS, info, sizeof info);
    image_section(image, ".debug_abbrev", SHT_PROGBITS, dropped_abbreviations,
                  sizeof dropped_abbreviations);
    image_section(image, ".debug_line", SHT_PROGBITS, debug->line.bytes, debug->line.size);
    if (dropped_rows[_i].has_symbols) {
        image_symbol(image, "kept", 0, 12, ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), section);
    }
    image_finish(image);
    struct loader_elf *elf = image_open(image);
    for (unsigned i = 0; i < COUNT(addresses); i++) {
        const char *file;
        unsigned line = 0;
        loader_elf_source(elf, addresses[i], &file, &line);
        ck_assert_uint_eq(line, dropped_rows[_i].line[i]);
    }
    const char *file;
    unsigned line;
    ck_assert(loader_elf_any_source(elf, &file, &line));
    ck_assert_uint_eq(line, dropped_rows[_i].has_symbols ? 20 : 50);
    if (dropped_rows[_i].has_symbols) {
        ck_assert_uint_eq(loader_elf_calls(elf, 4, call), 1);
        ck_assert_uint_eq(call[0].line, 21);
        loader_places_function(elf, "i", &places);
        ck_assert_uint_eq(places.count, 1);
        ck_assert_uint_eq(places.address[0], 4);
        loader_places_function(elf, "x", &places);
        ck_assert_uint_eq(places.count, 0);
    }
}
