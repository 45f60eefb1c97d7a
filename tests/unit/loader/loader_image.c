#include "unit/loader/loader_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *copy_of(const void *bytes, size_t size)
{
    uint8_t *copy = calloc(1, size + 1);
    ck_assert_ptr_nonnull(copy);
    if (bytes && size) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

enum { MOST_OWNED = 4000 };

static struct {
    void *what;
    void (*release)(void *what);
} owned[MOST_OWNED];
static unsigned owned_count;

void loader_own(void *what, void (*release)(void *what))
{
    ck_assert_uint_lt(owned_count, MOST_OWNED);
    owned[owned_count].what = what;
    owned[owned_count++].release = release;
}

void loader_release(void)
{
    while (owned_count) {
        owned_count--;
        owned[owned_count].release(owned[owned_count].what);
    }
}

static void image_destroy(void *what)
{
    struct image *image = what;
    for (unsigned i = 0; i < image->segments; i++) {
        free(image->content[i]);
    }
    for (unsigned i = 0; i < image->sections; i++) {
        free(image->section[i].bytes);
    }
    free(image->bytes);
    free(image);
}

static void elf_close(void *what)
{
    loader_elf_close(what);
}

struct image *image_create(uint32_t entry)
{
    struct image *image = calloc(1, sizeof *image);
    ck_assert_ptr_nonnull(image);
    loader_own(image, image_destroy);
    image->header = (Elf32_Ehdr){
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_RISCV,
        .e_version = EV_CURRENT,
        .e_entry = entry,
        .e_ehsize = sizeof(Elf32_Ehdr),
        .e_phentsize = sizeof(Elf32_Phdr),
        .e_shentsize = sizeof(Elf32_Shdr),
    };
    image->sections = 1; /* number 0 is none, and so is symbol 0 */
    image->symbols = 1;
    image->names_size = 1;
    return image;
}

unsigned image_segment(struct image *image, uint32_t vaddr, uint32_t paddr, uint32_t flags,
                       const void *bytes, uint32_t filesz, uint32_t memsz)
{
    ck_assert_uint_lt(image->segments, IMAGE_SEGMENTS);
    image->content[image->segments] = copy_of(bytes, filesz);
    image->segment[image->segments] = (Elf32_Phdr){
        .p_type = PT_LOAD,
        .p_vaddr = vaddr,
        .p_paddr = paddr,
        .p_filesz = filesz,
        .p_memsz = memsz,
        .p_flags = flags,
        .p_align = 4,
    };
    return image->segments++;
}

static struct image_section *add_section(struct image *image, const char *name, Elf32_Shdr header)
{
    ck_assert_uint_lt(image->sections, IMAGE_SECTIONS);
    struct image_section *section = &image->section[image->sections++];
    snprintf(section->name, sizeof section->name, "%s", name);
    section->header = header;
    return section;
}

unsigned image_loaded(struct image *image, const char *name, unsigned segment, uint32_t address,
                      uint32_t size, uint32_t flags)
{
    const Elf32_Phdr *program = &image->segment[segment];
    bool in_file = address - program->p_vaddr < program->p_filesz;
    add_section(image, name,
                (Elf32_Shdr){
                    .sh_type = in_file ? SHT_PROGBITS : SHT_NOBITS,
                    .sh_flags = SHF_ALLOC | flags,
                    .sh_addr = address,
                    .sh_size = size,
                    .sh_offset = segment, /* until image_finish */
                });
    return image->sections - 1;
}

unsigned image_section(struct image *image, const char *name, uint32_t type, const void *bytes,
                       uint32_t size)
{
    struct image_section *section =
        add_section(image, name, (Elf32_Shdr){.sh_type = type, .sh_size = size});
    section->bytes = copy_of(bytes, size);
    return image->sections - 1;
}

unsigned image_symbol(struct image *image, const char *name, uint32_t value, uint32_t size,
                      unsigned info, unsigned section)
{
    ck_assert_uint_lt(image->symbols, IMAGE_SYMBOLS);
    size_t length = strlen(name) + 1;
    ck_assert_uint_le(image->names_size + length, sizeof image->names);
    memcpy(image->names + image->names_size, name, length);
    image->symbol[image->symbols] = (Elf32_Sym){
        .st_name = image->names_size,
        .st_value = value,
        .st_size = size,
        .st_info = (unsigned char)info,
        .st_shndx = (Elf32_Half)section,
    };
    image->names_size += (uint32_t)length;
    return image->symbols++;
}

void image_relocation(struct image *image, unsigned section, uint32_t address, unsigned type,
                      unsigned symbol, int32_t addend)
{
    ck_assert_uint_lt(image->relocations, IMAGE_RELOCATIONS);
    image->relocation[image->relocations].section = section;
    image->relocation[image->relocations].entry =
        (Elf32_Rela){.r_offset = address, .r_info = ELF32_R_INFO(symbol, type), .r_addend = addend};
    image->relocations++;
}

/* Makes a relocation section for each section that has relocations. */
static void add_relocation_sections(struct image *image, unsigned symtab)
{
    unsigned patched = image->sections;
    for (unsigned i = 1; i < patched; i++) {
        Elf32_Rela table[IMAGE_RELOCATIONS];
        uint32_t count = 0;
        for (unsigned j = 0; j < image->relocations; j++) {
            if (image->relocation[j].section == i) {
                table[count++] = image->relocation[j].entry;
            }
        }
        if (count) {
            char name[40];
            snprintf(name, sizeof name, ".rela%s", image->section[i].name);
            unsigned rela =
                image_section(image, name, SHT_RELA, table, count * (uint32_t)sizeof table[0]);
            image->section[rela].header.sh_info = i;
            image->section[rela].header.sh_link = symtab;
            image->section[rela].header.sh_entsize = sizeof table[0];
        }
    }
}

static void add_tables(struct image *image)
{
    unsigned symtab = image_section(image, ".symtab", SHT_SYMTAB, image->symbol,
                                    image->symbols * (uint32_t)sizeof(Elf32_Sym));
    image->section[symtab].header.sh_link = symtab + 1;
    image->section[symtab].header.sh_entsize = sizeof(Elf32_Sym);
    image_section(image, ".strtab", SHT_STRTAB, image->names, image->names_size);
    add_relocation_sections(image, symtab);
    char names[IMAGE_SECTIONS * 32] = "";
    uint32_t size = 1;
    unsigned shstrtab = image_section(image, ".shstrtab", SHT_STRTAB, NULL, sizeof names);
    for (unsigned i = 1; i < image->sections; i++) {
        image->section[i].header.sh_name = size;
        strcpy(names + size, image->section[i].name);
        size += (uint32_t)strlen(image->section[i].name) + 1;
    }
    memcpy(image->section[shstrtab].bytes, names, size);
    image->section[shstrtab].header.sh_size = size;
    image->header.e_shstrndx = (Elf32_Half)shstrtab;
}

/* Gives everything its place in the file; returns where the table of sections starts. */
static uint32_t lay_out(struct image *image)
{
    uint32_t end = sizeof(Elf32_Ehdr) + image->segments * (uint32_t)sizeof(Elf32_Phdr);
    for (unsigned i = 0; i < image->segments; i++) {
        image->segment[i].p_offset = end;
        end += (image->segment[i].p_filesz + 3) & ~3U;
    }
    for (unsigned i = 1; i < image->sections; i++) {
        Elf32_Shdr *header = &image->section[i].header;
        if (image->section[i].bytes) {
            header->sh_offset = end;
            end += (header->sh_size + 3) & ~3U;
        } else {
            const Elf32_Phdr *segment = &image->segment[header->sh_offset];
            header->sh_offset = segment->p_offset + (header->sh_addr - segment->p_vaddr);
        }
    }
    return end;
}

void image_finish(struct image *image)
{
    add_tables(image);
    uint32_t end = lay_out(image);
    image->header.e_phoff = sizeof(Elf32_Ehdr);
    image->header.e_phnum = (Elf32_Half)image->segments;
    image->header.e_shoff = end;
    image->header.e_shnum = (Elf32_Half)image->sections;
    image->size = end + image->sections * sizeof(Elf32_Shdr);
    image->bytes = copy_of(NULL, image->size);
    memcpy(image->bytes, &image->header, sizeof image->header);
    memcpy(image->bytes + sizeof image->header, image->segment,
           image->segments * sizeof(Elf32_Phdr));
    for (unsigned i = 0; i < image->segments; i++) {
        memcpy(image->bytes + image->segment[i].p_offset, image->content[i],
               image->segment[i].p_filesz);
    }
    for (unsigned i = 1; i < image->sections; i++) {
        const struct image_section *section = &image->section[i];
        if (section->bytes) {
            memcpy(image->bytes + section->header.sh_offset, section->bytes,
                   section->header.sh_size);
        }
        memcpy(image->bytes + end + i * sizeof(Elf32_Shdr), &section->header, sizeof(Elf32_Shdr));
    }
}

Elf32_Ehdr *image_header(struct image *image)
{
    return (Elf32_Ehdr *)(void *)image->bytes;
}

Elf32_Phdr *image_program_header(struct image *image, unsigned segment)
{
    return (Elf32_Phdr *)(void *)(image->bytes + sizeof(Elf32_Ehdr)) + segment;
}

Elf32_Shdr *image_section_header(struct image *image, const char *name)
{
    for (unsigned i = 1; i < image->sections; i++) {
        if (strcmp(image->section[i].name, name) == 0) {
            return (Elf32_Shdr *)(void *)(image->bytes + image->header.e_shoff) + i;
        }
    }
    ck_abort_msg("no section %s", name);
    return NULL;
}

struct loader_elf *image_open(const struct image *image)
{
    struct loader_elf *elf;
    struct penrose_error error = {0};
    enum penrose_status status =
        loader_elf_open_memory(image->bytes, image->size, "test.elf", &elf, &error);
    ck_assert_msg(status == PENROSE_OK, "%s", error.text);
    loader_own(elf, elf_close);
    return elf;
}

void check_words(const char *text, const char *const *words)
{
    for (; *words; words++) {
        ck_assert_msg(strstr(text, *words), "no \"%s\" in: %s", *words, text);
    }
    ck_assert_msg(!strchr(text, '\n'), "more than a line: %s", text);
    ck_assert_uint_lt(strlen(text), PENROSE_ERROR_TEXT - 1);
}

void image_refused(const struct image *image, enum penrose_status status, const char *const *words)
{
    struct loader_elf *elf = (void *)image;
    struct penrose_error error = {0};
    ck_assert_int_eq(loader_elf_open_memory(image->bytes, image->size, "test.elf", &elf, &error),
                     status);
    ck_assert_ptr_null(elf);
    ck_assert_int_eq(error.status, status);
    check_words(error.text, (const char *const[]){"test.elf: ", NULL});
    check_words(error.text, words);
}

void image_write(const struct image *image, const char *path)
{
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file != NULL, "%s", path);
    ck_assert_uint_eq(fwrite(image->bytes, 1, image->size, file), image->size);
    ck_assert_int_eq(fclose(file), 0);
}

struct image *image_program(void)
{
    static const uint32_t text[] = {0x00000513, 0x00150513, 0x00008067}; /* li, addi, ret */
    static const uint32_t data[] = {0x11111111, 0x22222222};
    struct image *image = image_create(0x4000);
    unsigned code =
        image_segment(image, 0x4000, 0x4000, PF_R | PF_X, text, sizeof text, sizeof text);
    unsigned local = image_segment(image, 0xffb00000, 0x400c, PF_R | PF_W, data, sizeof data, 24);
    unsigned section = image_loaded(image, ".text", code, 0x4000, sizeof text, SHF_EXECINSTR);
    unsigned words = image_loaded(image, ".data", local, 0xffb00000, sizeof data, SHF_WRITE);
    image_loaded(image, ".bss", local, 0xffb00008, 16, SHF_WRITE);
    image_symbol(image, "_start", 0x4000, 12, ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), section);
    image_symbol(image, "counter", 0xffb00000, 4, ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT), words);
    return image;
}
