/* Opening ELFs: what is accepted and how, and every refusal with its message. */
#include "unit/loader/loader_image.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/elf_internal.h"

FIXTURE(NULL, loader_release);

TEST(accessors)
{
    struct image *image = image_program();
    image_finish(image);
    struct loader_elf *elf = image_open(image);
    ck_assert_str_eq(loader_elf_name(elf), "test.elf");
    ck_assert_uint_eq(loader_elf_entry(elf), 0x4000);

    unsigned count;
    const struct loader_segment *segment = loader_elf_segments(elf, &count);
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(segment[0].vaddr, 0x4000);
    ck_assert_uint_eq(segment[0].filesz, 12);
    ck_assert_uint_eq(segment[0].flags, LOADER_SEGMENT_READ | LOADER_SEGMENT_EXECUTE);
    ck_assert_uint_eq(segment[1].vaddr, 0xffb00000);
    ck_assert_uint_eq(segment[1].paddr, 0x400c);
    ck_assert_uint_eq(segment[1].filesz, 8);
    ck_assert_uint_eq(segment[1].memsz, 24);
    ck_assert_mem_eq(segment[1].bytes, "\x11\x11\x11\x11\x22\x22\x22\x22", 8);

    ck_assert_ptr_eq(loader_elf_segment_at(elf, 0x400b), &segment[0]);
    ck_assert_ptr_null(loader_elf_segment_at(elf, 0x400c));
    ck_assert_ptr_null(loader_elf_segment_at(elf, 0x3fff));
    ck_assert_ptr_eq(loader_elf_segment_at(elf, 0xffb00017), &segment[1]);
    ck_assert_ptr_null(loader_elf_segment_at(elf, 0xffb00018));
    loader_elf_close(NULL);
}

TEST(bytes_are_copied)
{
    struct image *image = image_program();
    image_finish(image);
    struct loader_elf *elf = image_open(image);
    memset(image->bytes, 0xff, image->size);
    unsigned count;
    ck_assert_uint_eq(loader_elf_segments(elf, &count)[0].bytes[0], 0x13);
    ck_assert_str_eq(loader_elf_symbol(elf, "counter")->name, "counter");
}

TEST(sections_are_optional)
{
    struct image *image = image_program();
    image_finish(image);
    image_header(image)->e_shnum = 0;
    image_header(image)->e_shoff = 0;
    image_header(image)->e_shstrndx = 0;
    struct loader_elf *elf = image_open(image);
    uint32_t offset;
    const char *file;
    unsigned line;
    ck_assert_ptr_null(loader_elf_symbol(elf, "counter"));
    ck_assert_ptr_null(loader_elf_symbol_at(elf, 0x4000, &offset));
    ck_assert(!loader_elf_source(elf, 0x4000, &file, &line));
}

/* --- Damage to the finished file of image_program() --- */

static void sections_beyond(struct image *image)
{
    image_header(image)->e_shoff += 4;
}

static void segment_beyond(struct image *image)
{
    image_program_header(image, 0)->p_offset = (uint32_t)image->size - 4;
}

static void no_segments(struct image *image)
{
    image_program_header(image, 0)->p_type = PT_NOTE;
    image_program_header(image, 1)->p_type = PT_NOTE;
}

static void open_names(struct image *image)
{
    const Elf32_Shdr *names = image_section_header(image, ".strtab");
    image->bytes[names->sh_offset + names->sh_size - 1] = 'x';
}

static void name_outside(struct image *image)
{
    Elf32_Sym *symbol = (void *)(image->bytes + image_section_header(image, ".symtab")->sh_offset);
    symbol[2].st_name = 4000;
}

/* Where the field that is overwritten lies; one of IN_FILE_SIZE cuts the file. */
enum part { IN_FILE_SIZE, IN_HEADER, IN_DATA_SEGMENT, IN_SECTION };

#define AT(type, field) offsetof(type, field), sizeof((type *)NULL)->field

static const struct {
    struct damage {
        enum part part;
        const char *section;
        size_t at, size;
        uint32_t value;
        void (*change)(struct image *image); /* if there is one */
    } damage;
    const char *words[6];
} refusals[] = {
    {{IN_FILE_SIZE, NULL, 0, 0, 0, NULL}, {"not an ELF file", "0 bytes", "RV32"}},
    {{IN_FILE_SIZE, NULL, 0, 0, 20, NULL}, {"truncated", "ELF header", "52", "20 bytes", "again"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_ident[1]), 'F', NULL},
     {"not an ELF file", "magic", "brisc.elf"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_ident[EI_CLASS]), ELFCLASS64, NULL},
     {"64-bit", "RV32", "-mabi=ilp32"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_ident[EI_DATA]), ELFDATA2MSB, NULL},
     {"big-endian", "little-endian", "-mlittle-endian"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_machine), EM_X86_64, NULL},
     {"machine 62", "x86-64", "RISC-V", "SFPI"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_machine), 999, NULL}, {"machine 999", "unknown"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_type), ET_DYN, NULL}, {"ET_DYN", "ET_EXEC", "-no-pie"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_type), ET_REL, NULL}, {"ET_REL", "ET_EXEC", "link it"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_type), ET_CORE, NULL}, {"type 4", "ET_EXEC"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_flags), EF_RISCV_RVC, NULL},
     {"compressed instructions", "0x1", "-march=rv32im"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_phentsize), 56, NULL}, {"56", "expected 32", "damaged"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_shentsize), 64, NULL}, {"64", "40", "damaged"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_phoff), 1 << 20, NULL}, {"truncated", "table of segments"}},
    {{.change = sections_beyond}, {"truncated", "table of sections"}},
    {{.change = segment_beyond}, {"truncated", "a segment"}},
    {{IN_DATA_SEGMENT, NULL, AT(Elf32_Phdr, p_memsz), 4, NULL},
     {"0xffb00000", "8 bytes in the file", "4 in memory", "link it again"}},
    {{IN_DATA_SEGMENT, NULL, AT(Elf32_Phdr, p_memsz), 17 << 20, NULL},
     {"17825792", "16777216", "L1", "linker script"}},
    {{IN_DATA_SEGMENT, NULL, AT(Elf32_Phdr, p_vaddr), 0xfffffffc, NULL},
     {"0xfffffffc", "32-bit address space", "linker script"}},
    {{IN_DATA_SEGMENT, NULL, AT(Elf32_Phdr, p_vaddr), 0x4008, NULL},
     {"0x4000", "0x4008", "overlap", "linker script"}},
    {{.change = no_segments}, {"no loadable segment", "text and data", "link it again"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_entry), 0x8000, NULL},
     {"entry point 0x8000", "no executable segment", "ENTRY"}},
    {{IN_HEADER, NULL, AT(Elf32_Ehdr, e_entry), 0xffb00000, NULL},
     {"entry point 0xffb00000", "no executable segment"}},
    {{IN_SECTION, ".strtab", AT(Elf32_Shdr, sh_size), 1 << 20, NULL}, {"truncated", ".strtab"}},
    {{IN_SECTION, ".symtab", AT(Elf32_Shdr, sh_link), 1, NULL}, {"damaged", "string table"}},
    {{IN_SECTION, ".symtab", AT(Elf32_Shdr, sh_link), 99, NULL}, {"damaged", "string table"}},
    {{.change = open_names}, {"damaged", "string table"}},
    {{.change = name_outside}, {"damaged", "symbol 2", "string table"}},
};

static void do_damage(struct image *image, const struct damage *damage)
{
    void *const place[] = {
        [IN_HEADER] = image_header(image),
        [IN_DATA_SEGMENT] = image_program_header(image, 1),
        [IN_SECTION] = damage->section ? image_section_header(image, damage->section) : NULL,
    };
    if (damage->change) {
        damage->change(image);
    } else if (damage->part == IN_FILE_SIZE) {
        image->size = damage->value;
    } else {
        memcpy((char *)place[damage->part] + damage->at, &damage->value, damage->size);
    }
}

TEST_EACH(refused, COUNT(refusals))
{
    struct image *image = image_program();
    image_finish(image);
    do_damage(image, &refusals[_i].damage);
    image_refused(image, PENROSE_E_FORMAT, refusals[_i].words);
}

TEST(too_many_segments)
{
    struct image *image = image_program();
    for (uint32_t i = 2; i <= LOADER_MAX_SEGMENTS; i++) {
        image_segment(image, i << 16, i << 16, PF_R, NULL, 4, 4);
    }
    image_finish(image);
    image_refused(image, PENROSE_E_FORMAT,
                  (const char *const[]){"more than 32", "segments", "linker script", NULL});
}

TEST(empty_segments_do_not_count)
{
    struct image *image = image_program();
    for (uint32_t i = 2; i < IMAGE_SEGMENTS; i++) {
        image_segment(image, 0x4000, 0x4000, PF_R, NULL, 0, 0);
    }
    image_finish(image);
    struct loader_elf *elf = image_open(image);
    unsigned count;
    loader_elf_segments(elf, &count);
    ck_assert_uint_eq(count, 2);
}

/* Of a file that was cut short anything may remain readable, but nothing outside it is read. */
TEST(every_length)
{
    struct image *image = image_program();
    image_finish(image);
    size_t whole = image->size;
    for (size_t size = 0; size < whole; size++) {
        uint8_t *exact = malloc(size + 1); /* so that sanitizers see a read past the end */
        ck_assert_ptr_nonnull(exact);
        memcpy(exact, image->bytes, size);
        struct loader_elf *elf;
        struct penrose_error error;
        if (loader_elf_open_memory(exact, size, "cut", &elf, &error) == PENROSE_OK) {
            ck_abort_msg("opened with %zu of %zu bytes", size, whole);
        }
        ck_assert_ptr_null(elf);
        free(exact);
    }
}

TEST_EACH(random_damage, 8)
{
    struct image *image = image_program();
    image_finish(image);
    uint8_t *copy = malloc(image->size);
    ck_assert_ptr_nonnull(copy);
    uint64_t random = UINT64_C(88172645463325252) + (unsigned)_i;
    for (unsigned round = 0; round < 2000; round++) {
        memcpy(copy, image->bytes, image->size);
        for (unsigned flips = 0; flips <= round % 4; flips++) {
            random ^= random << 13; /* xorshift */
            random ^= random >> 7;
            random ^= random << 17;
            copy[random % image->size] ^= (uint8_t)(1U << (random >> 32 & 7));
        }
        struct loader_elf *elf;
        if (loader_elf_open_memory(copy, image->size, "flip", &elf, NULL) == PENROSE_OK) {
            uint32_t offset;
            loader_elf_symbol_at(elf, loader_elf_entry(elf), &offset);
            loader_elf_symbol(elf, "counter");
        }
        loader_elf_close(elf);
    }
    free(copy);
}

TEST(files)
{
    char path[] = P_tmpdir "/penrose-elf-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
    struct image *image = image_program();
    image_finish(image);
    image_write(image, path);
    struct loader_elf *elf;
    struct penrose_error error = {0};
    ck_assert_int_eq(loader_elf_open(path, &elf, &error), PENROSE_OK);
    ck_assert_str_eq(loader_elf_name(elf), path);
    ck_assert_uint_eq(loader_elf_entry(elf), 0x4000);
    loader_elf_close(elf);
    unlink(path);

    ck_assert_int_eq(loader_elf_open(path, &elf, &error), PENROSE_E_FILE);
    ck_assert_ptr_null(elf);
    check_words(error.text, (const char *const[]){path, "cannot be opened", "No such file", NULL});
    ck_assert_int_eq(loader_elf_open("/tmp", &elf, &error), PENROSE_E_FILE);
    check_words(error.text, (const char *const[]){"/tmp", "regular file", "ELF file", NULL});
    ck_assert_int_eq(loader_elf_open("/dev/null", &elf, NULL), PENROSE_E_FILE);
}

TEST(quoting)
{
    char small[20], least[8];
    ck_assert_str_eq(loader_quote(small, sizeof small, "plain"), "plain");
    ck_assert_str_eq(loader_quote(small, sizeof small, "a\nb\tc\x7f"), "a?b?c?");
    ck_assert_str_eq(loader_quote(small, sizeof small, "012345678901234567X"),
                     "012345678901234567X");
    ck_assert_str_eq(loader_quote(small, sizeof small, "0123456789/long/name/file.elf"),
                     "012345...e/file.elf");
    ck_assert_str_eq(loader_quote(least, sizeof least, "0123456789"), "01...89");
    ck_assert_str_eq(loader_quote(small, sizeof small, ""), "");
}

/* However long and strange a name is, the message behind it stays whole and in one line. */
TEST(long_names)
{
    char name[3000];
    memset(name, '\n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    struct loader_elf *elf;
    struct penrose_error error = {0};
    ck_assert_int_eq(loader_elf_open_memory("", 0, name, &elf, &error), PENROSE_E_FORMAT);
    check_words(error.text, (const char *const[]){"?...?", "such as brisc.elf", NULL});
    ck_assert_int_eq(loader_elf_open(name, &elf, &error), PENROSE_E_FILE);
    check_words(error.text, (const char *const[]){"?...?", "cannot be opened", NULL});
}
