/* What an opened ELF file has; see elf.h. */
#include "loader/elf.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "loader/elf_internal.h"

const char *loader_quote(char *buffer, size_t size, const char *text)
{
    size_t length = strlen(text);
    size_t head = length < size ? length : size / 3;
    size_t tail = length < size ? 0 : size - head - 4; /* "..." and the NUL */
    memcpy(buffer, text, head);
    if (tail) {
        memcpy(buffer + head, "...", 3);
        memcpy(buffer + head + 3, text + length - tail, tail);
        head += 3;
    }
    buffer[head + tail] = 0;
    for (char *c = buffer; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            *c = '?';
        }
    }
    return buffer;
}

const char *loader_elf_name(const struct loader_elf *elf)
{
    return elf->name;
}

const char *loader_elf_path(const struct loader_elf *elf)
{
    return elf->path ? elf->path : elf->name;
}

bool loader_elf_build_id(const struct loader_elf *elf, char text[LOADER_BUILD_ID])
{
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(elf->handle, &id);
    const uint8_t *bytes = id;
    *text = 0;
    for (ssize_t i = 0; i < size && i < (LOADER_BUILD_ID - 1) / 2; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    return size > 0;
}

uint32_t loader_elf_entry(const struct loader_elf *elf)
{
    return elf->entry;
}

const struct loader_segment *loader_elf_segments(const struct loader_elf *elf, unsigned *count)
{
    *count = elf->segments_count;
    return elf->segment;
}

const struct loader_segment *loader_elf_segment_at(const struct loader_elf *elf, uint32_t address)
{
    for (unsigned i = 0; i < elf->segments_count; i++) {
        if (address - elf->segment[i].vaddr < elf->segment[i].memsz) {
            return &elf->segment[i];
        }
    }
    return NULL;
}

/* Does the program itself put something into these addresses? */
static bool is_taken(const struct loader_elf *elf, uint32_t start, uint32_t size)
{
    for (unsigned i = 0; i < elf->segments_count; i++) {
        const struct loader_segment *segment = &elf->segment[i];
        if (start - segment->vaddr < segment->filesz || segment->vaddr - start < size) {
            return true;
        }
    }
    return false;
}

bool loader_elf_copied_from(const struct loader_elf *elf, const struct arch *facts,
                            const struct loader_segment *segment, uint32_t *address)
{
    const uint32_t l1_bytes = facts->l1_bytes[PENROSE_TILE_TENSIX];
    const struct loader_section *init = loader_elf_section(elf, ".loader_init");
    uint32_t offset = segment->vaddr - facts->local_ram;
    if (init && init->size > offset) {
        *address = init->address + offset;
        return segment->filesz <= init->size - offset;
    }
    *address = segment->paddr;
    return *address < l1_bytes && segment->filesz <= l1_bytes - *address &&
           !is_taken(elf, *address, segment->filesz);
}

const struct loader_section *loader_elf_section(const struct loader_elf *elf, const char *name)
{
    for (unsigned i = 1; i < elf->sections_count; i++) {
        if (strcmp(elf->section[i].name, name) == 0) {
            return &elf->section[i];
        }
    }
    return NULL;
}
