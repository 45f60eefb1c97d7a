/* Opening and validating ELF files; see elf.h for what holds of an opened one. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/error.h"
#include "loader/elf_internal.h"

static const char *machine_name(unsigned machine)
{
    switch (machine) {
    case EM_386:
        return "x86";
    case EM_ARM:
        return "ARM";
    case EM_X86_64:
        return "x86-64";
    case EM_AARCH64:
        return "AArch64";
    default:
        return "unknown";
    }
}

static enum penrose_status check_ident(const struct loader_elf *elf, struct penrose_error *error)
{
    const uint8_t *ident = elf->image;
    if (elf->size < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG) != 0) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: not an ELF file (%zu bytes, no ELF magic); expected a linked RV32 "
                         "program such as brisc.elf",
                         elf->name, elf->size);
    }
    if (ident[EI_CLASS] != ELFCLASS32) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: a 64-bit ELF (class %u); the harts are RV32, expected a 32-bit one: "
                         "build with -march=rv32im -mabi=ilp32",
                         elf->name, ident[EI_CLASS]);
    }
    if (ident[EI_DATA] != ELFDATA2LSB) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: a big-endian ELF (data encoding %u); the harts are little-endian: "
                         "build with -mlittle-endian",
                         elf->name, ident[EI_DATA]);
    }
    return PENROSE_OK;
}

static enum penrose_status check_kind(const struct loader_elf *elf, const Elf32_Ehdr *header,
                                      struct penrose_error *error)
{
    if (header->e_machine != EM_RISCV) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: built for machine %u (%s), expected RISC-V (243): build with "
                         "tt-metal's SFPI or a riscv compiler",
                         elf->name, header->e_machine, machine_name(header->e_machine));
    }
    if (header->e_type == ET_DYN) {
        return error_set(
            error, PENROSE_E_FORMAT,
            "%s: a shared or position-independent ELF (ET_DYN), expected an executable "
            "at a fixed address (ET_EXEC): link with -static -no-pie",
            elf->name);
    }
    if (header->e_type == ET_REL) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: an object file (ET_REL), expected an executable (ET_EXEC): link it",
                         elf->name);
    }
    if (header->e_type != ET_EXEC) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: ELF type %u, expected an executable (ET_EXEC, 2)", elf->name,
                         header->e_type);
    }
    if (header->e_flags & EF_RISCV_RVC) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: has compressed instructions (e_flags 0x%" PRIx32
                         "), expected 32-bit ones only, which is what the harts have: build with "
                         "-march=rv32im",
                         elf->name, header->e_flags);
    }
    return PENROSE_OK;
}

static enum penrose_status truncated(const struct loader_elf *elf, const char *what, uint64_t end,
                                     struct penrose_error *error)
{
    return error_set(error, PENROSE_E_FORMAT,
                     "%s: truncated: %s ends at byte %" PRIu64 " of a file of %zu bytes; copy or "
                     "build the file again",
                     elf->name, what, end, elf->size);
}

/* The tables of program and section headers: entry sizes that this reader knows, in the file. */
static enum penrose_status check_tables(const struct loader_elf *elf, const Elf32_Ehdr *header,
                                        struct penrose_error *error)
{
    if ((header->e_phnum && header->e_phentsize != sizeof(Elf32_Phdr)) ||
        (header->e_shnum && header->e_shentsize != sizeof(Elf32_Shdr))) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: header entries of %u and %u bytes, expected %zu and %zu: the file is "
                         "damaged",
                         elf->name, header->e_phentsize, header->e_shentsize, sizeof(Elf32_Phdr),
                         sizeof(Elf32_Shdr));
    }
    uint64_t end = header->e_phoff + (uint64_t)header->e_phnum * sizeof(Elf32_Phdr);
    if (end > elf->size) {
        return truncated(elf, "the table of segments", end, error);
    }
    end = header->e_shoff + (uint64_t)header->e_shnum * sizeof(Elf32_Shdr);
    if (end > elf->size) {
        return truncated(elf, "the table of sections", end, error);
    }
    return PENROSE_OK;
}

static enum penrose_status check_header(struct loader_elf *elf, struct penrose_error *error)
{
    enum penrose_status status = check_ident(elf, error);
    if (status) {
        return status;
    }
    Elf32_Ehdr header;
    if (elf->size < sizeof header) {
        return truncated(elf, "the ELF header", sizeof header, error);
    }
    memcpy(&header, elf->image, sizeof header);
    status = check_kind(elf, &header, error);
    if (!status) {
        status = check_tables(elf, &header, error);
    }
    elf->entry = header.e_entry;
    return status;
}

static enum penrose_status check_segment(const struct loader_elf *elf, const GElf_Phdr *header,
                                         struct penrose_error *error)
{
    if (header->p_offset + header->p_filesz > elf->size) {
        return truncated(elf, "a segment", header->p_offset + header->p_filesz, error);
    }
    if (header->p_filesz > header->p_memsz) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: the segment at 0x%" PRIx64 " has %" PRIu64
                         " bytes in the file but %" PRIu64
                         " in memory; expected at least as many in memory: link it again",
                         elf->name, header->p_vaddr, header->p_filesz, header->p_memsz);
    }
    if (header->p_memsz > LOADER_MAX_MEMORY) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: the segment at 0x%" PRIx64 " is %" PRIu64 " bytes large, expected at "
                         "most %d: a tile has 1.5 MiB of L1; check the linker script",
                         elf->name, header->p_vaddr, header->p_memsz, LOADER_MAX_MEMORY);
    }
    if (header->p_vaddr + header->p_memsz > UINT64_C(1) << 32) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: the segment at 0x%" PRIx64 " reaches past the end of the 32-bit "
                         "address space; check the linker script",
                         elf->name, header->p_vaddr);
    }
    return PENROSE_OK;
}

/* Adds a checked segment unless it overlaps one that is there. */
static enum penrose_status add_segment(struct loader_elf *elf, const GElf_Phdr *header,
                                       struct penrose_error *error)
{
    if (elf->segments_count == LOADER_MAX_SEGMENTS) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: more than %d loadable segments; expected text and data: check the "
                         "linker script",
                         elf->name, LOADER_MAX_SEGMENTS);
    }
    for (unsigned i = 0; i < elf->segments_count; i++) {
        const struct loader_segment *other = &elf->segment[i];
        if (header->p_vaddr < (uint64_t)other->vaddr + other->memsz &&
            other->vaddr < header->p_vaddr + header->p_memsz) {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s: the segments at 0x%" PRIx32 " and 0x%" PRIx64 " overlap; "
                             "check the linker script",
                             elf->name, other->vaddr, header->p_vaddr);
        }
    }
    elf->segment[elf->segments_count++] = (struct loader_segment){
        .vaddr = (uint32_t)header->p_vaddr,
        .paddr = (uint32_t)header->p_paddr,
        .filesz = (uint32_t)header->p_filesz,
        .memsz = (uint32_t)header->p_memsz,
        .flags = (uint32_t)header->p_flags,
        .bytes = elf->image + header->p_offset,
    };
    return PENROSE_OK;
}

static enum penrose_status damaged(const struct loader_elf *elf, const char *what,
                                   struct penrose_error *error)
{
    return error_set(error, PENROSE_E_FORMAT, "%s: damaged: %s; copy or build the file again",
                     elf->name, what);
}

static enum penrose_status read_segments(struct loader_elf *elf, struct penrose_error *error)
{
    size_t count;
    if (elf_getphdrnum(elf->handle, &count)) {
        return damaged(elf, "the table of segments cannot be read", error);
    }
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf->handle, (int)i, &header)) {
            return damaged(elf, "the table of segments cannot be read", error);
        }
        if (header.p_type != PT_LOAD || (!header.p_memsz && !header.p_filesz)) {
            continue;
        }
        enum penrose_status status = check_segment(elf, &header, error);
        if (!status) {
            status = add_segment(elf, &header, error);
        }
        if (status) {
            return status;
        }
    }
    if (!elf->segments_count) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: no loadable segment, expected text and data: strip or objcopy may "
                         "have removed them; link it again",
                         elf->name);
    }
    const struct loader_segment *text = loader_elf_segment_at(elf, elf->entry);
    if (!text || !(text->flags & LOADER_SEGMENT_EXECUTE)) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: the entry point 0x%" PRIx32 " is in no executable segment; check "
                         "ENTRY() in the linker script",
                         elf->name, elf->entry);
    }
    return PENROSE_OK;
}

static enum penrose_status read_section(struct loader_elf *elf, Elf_Scn *handle, size_t names,
                                        struct penrose_error *error)
{
    GElf_Shdr header;
    if (!gelf_getshdr(handle, &header)) {
        return damaged(elf, "a section header cannot be read", error);
    }
    const char *name = elf_strptr(elf->handle, names, header.sh_name);
    bool in_file = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
    if (in_file && header.sh_offset + header.sh_size > elf->size) {
        char quoted[LOADER_QUOTE];
        loader_quote(quoted, sizeof quoted, name ? name : "a section");
        return truncated(elf, quoted, header.sh_offset + header.sh_size, error);
    }
    elf->section[elf_ndxscn(handle)] = (struct loader_section){
        .name = name ? name : "",
        .type = header.sh_type,
        .flags = (uint32_t)header.sh_flags,
        .address = (uint32_t)header.sh_addr,
        .size = (uint32_t)header.sh_size,
        .link = header.sh_link,
        .info = header.sh_info,
        .bytes = in_file ? elf->image + header.sh_offset : NULL,
    };
    return PENROSE_OK;
}

static enum penrose_status read_sections(struct loader_elf *elf, struct penrose_error *error)
{
    size_t count, names = 0;
    if (elf_getshdrnum(elf->handle, &count)) {
        return damaged(elf, "the table of sections cannot be read", error);
    }
    if (!count) {
        return PENROSE_OK; /* a stripped program runs, but without symbols */
    }
    if (elf_getshdrstrndx(elf->handle, &names)) {
        names = 0;
    }
    elf->section = calloc(count, sizeof *elf->section);
    if (!elf->section) {
        return error_set(error, PENROSE_E_MEMORY, "%s: out of memory", elf->name);
    }
    elf->section[0].name = ""; /* number 0 is no section */
    elf->sections_count = (unsigned)count;
    for (size_t i = 1; i < count; i++) {
        Elf_Scn *handle = elf_getscn(elf->handle, i);
        if (!handle) {
            return damaged(elf, "a section cannot be read", error);
        }
        enum penrose_status status = read_section(elf, handle, names, error);
        if (status) {
            return status;
        }
    }
    return PENROSE_OK;
}

static enum penrose_status find_symtab(struct loader_elf *elf, struct penrose_error *error)
{
    for (unsigned i = 1; i < elf->sections_count; i++) {
        const struct loader_section *section = &elf->section[i];
        if (section->type != SHT_SYMTAB) {
            continue;
        }
        const struct loader_section *names =
            section->link < elf->sections_count ? &elf->section[section->link] : NULL;
        if (!names || names->type != SHT_STRTAB || !names->size || names->bytes[names->size - 1]) {
            return damaged(elf, "the symbol table has no valid string table", error);
        }
        elf->symtab = i;
        break;
    }
    return PENROSE_OK;
}

/* Takes over `image`; on failure the caller closes *elf. */
static enum penrose_status adopt(struct loader_elf *elf, struct penrose_error *error)
{
    enum penrose_status status = check_header(elf, error);
    if (status) {
        return status;
    }
    if (elf_version(EV_CURRENT) != EV_NONE) {
        elf->handle = elf_memory((char *)elf->image, elf->size);
    }
    if (!elf->handle || elf_kind(elf->handle) != ELF_K_ELF) {
        return error_set(error, PENROSE_E_FORMAT, "%s: cannot be read as an ELF: %s", elf->name,
                         elf_errmsg(-1));
    }
    status = read_segments(elf, error);
    if (!status) {
        status = read_sections(elf, error);
    }
    if (!status) {
        status = find_symtab(elf, error);
    }
    if (!status) {
        status = loader_symbols_build(elf, error);
    }
    return status;
}

/* Makes a loader_elf of `image`, which it owns from here on, whatever happens. */
static enum penrose_status open_image(uint8_t *image, size_t size, const char *name,
                                      struct loader_elf **result, struct penrose_error *error)
{
    struct loader_elf *elf = calloc(1, sizeof *elf);
    if (!elf) {
        free(image);
        return error_set(error, PENROSE_E_MEMORY, "%s: out of memory", name);
    }
    loader_quote(elf->name, sizeof elf->name, name);
    elf->image = image;
    elf->size = size;
    enum penrose_status status = adopt(elf, error);
    if (status) {
        loader_elf_close(elf);
        return status;
    }
    *result = elf;
    return PENROSE_OK;
}

enum penrose_status loader_elf_open_memory(const void *bytes, size_t size, const char *name,
                                           struct loader_elf **elf, struct penrose_error *error)
{
    *elf = NULL;
    uint8_t *image = malloc(size ? size : 1);
    if (!image) {
        return error_set(error, PENROSE_E_MEMORY, "%s: out of memory", name);
    }
    if (size) {
        memcpy(image, bytes, size);
    }
    return open_image(image, size, name, elf, error);
}

/* Reads exactly `size` bytes; false on an error or an early end. */
static bool read_all(int file, uint8_t *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t length = read(file, bytes + done, size - done);
        if (length < 0 && errno == EINTR) {
            continue;
        }
        if (length <= 0) {
            return false;
        }
        done += (size_t)length;
    }
    return true;
}

enum penrose_status loader_descriptor_read(int file, const char *label, const char *expected,
                                           uint8_t **bytes, size_t *size,
                                           struct penrose_error *error)
{
    struct stat state;
    if (fstat(file, &state)) {
        return error_set(error, PENROSE_E_FILE, "%s: cannot be read: %s", label, strerror(errno));
    }
    if (!S_ISREG(state.st_mode)) {
        return error_set(error, PENROSE_E_FILE, "%s: not a regular file, expected %s", label,
                         expected);
    }
    if (state.st_size > LOADER_MAX_FILE) {
        return error_set(error, PENROSE_E_FORMAT, "%s: %lld bytes long, expected at most %d", label,
                         (long long)state.st_size, LOADER_MAX_FILE);
    }
    *size = (size_t)state.st_size;
    *bytes = malloc(*size ? *size : 1);
    if (!*bytes) {
        return error_set(error, PENROSE_E_MEMORY, "%s: out of memory", label);
    }
    if (!read_all(file, *bytes, *size)) {
        free(*bytes);
        return error_set(error, PENROSE_E_FILE, "%s: cannot be read to its end", label);
    }
    return PENROSE_OK;
}

enum penrose_status loader_file_read(const char *path, const char *label, const char *expected,
                                     uint8_t **bytes, size_t *size, struct penrose_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    if (file < 0) {
        return error_set(error, PENROSE_E_FILE, "%s: cannot be opened: %s", label, strerror(errno));
    }
    enum penrose_status status = loader_descriptor_read(file, label, expected, bytes, size, error);
    close(file);
    return status;
}

enum penrose_status loader_elf_open(const char *path, struct loader_elf **elf,
                                    struct penrose_error *error)
{
    *elf = NULL;
    char label[LOADER_LABEL];
    loader_quote(label, sizeof label, path);
    uint8_t *image;
    size_t size;
    enum penrose_status status = loader_file_read(path, label, "an ELF file", &image, &size, error);
    status = status ? status : open_image(image, size, label, elf, error);
    if (status == PENROSE_OK) {
        (*elf)->path = realpath(path, NULL);
    }
    return status;
}

void loader_elf_close(struct loader_elf *elf)
{
    if (!elf) {
        return;
    }
    loader_debug_free(&elf->debug);
    loader_symbols_free(&elf->symbols);
    free(elf->section);
    elf_end(elf->handle);
    free(elf->image);
    free(elf->path);
    free(elf);
}
