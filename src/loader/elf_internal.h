/*
 * An opened ELF, as the files of this folder share it. Invariants, established by loader_elf_open
 * and never changed: every section's `bytes` (NULL for NOBITS) has `size` bytes in the image;
 * `symtab` is the number of a SHT_SYMTAB section with a valid string table, or 0.
 */
#ifndef LOADER_ELF_INTERNAL_H
#define LOADER_ELF_INTERNAL_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include "loader/elf.h"

enum {
    LOADER_LABEL = 200, /* longest name of a file in a message, with its NUL */
    LOADER_QUOTE = 96,  /* longest name from inside a file in a message, with its NUL */
};

struct loader_section {
    const char *name;
    uint32_t type, flags;
    uint32_t address, size;
    uint32_t link, info;
    const uint8_t *bytes;
};

/*
 * The symbols that users may ask for. `bucket` is a hash table with open addressing over the
 * names: mask + 1 entries, a power of two with at least half of them empty (UINT32_MAX).
 * `function` and `other` hold symbol numbers by rising address, one per address.
 */
struct loader_symbols {
    struct loader_symbol *symbol;
    uint32_t count;
    uint32_t *bucket;
    uint32_t mask;
    uint32_t *function, *other;
    uint32_t functions_count, others_count;
    uint32_t lowest; /* value of any that is a place; UINT32_MAX: there is none */
};

/* One row of the line index: addresses [start, end) come from `file`:`line`. */
struct loader_line {
    uint32_t start, end;
    uint32_t line;
    const char *file; /* owned by the Dwarf handle */
};

/* Debug information, opened at first use. `line` is sorted by start. */
struct loader_debug {
    bool opened, indexed;
    Dwarf *dwarf; /* NULL: none, or refused */
    struct loader_line *line;
    uint32_t lines_count, room;
};

struct loader_elf {
    char name[LOADER_LABEL];
    char *path; /* absolute; NULL: it was opened from memory, or memory ran out */
    uint8_t *image;
    size_t size;
    Elf *handle;
    uint32_t entry;
    struct loader_segment segment[LOADER_MAX_SEGMENTS];
    unsigned segments_count;
    struct loader_section *section;
    unsigned sections_count;
    unsigned symtab;
    struct loader_symbols symbols;
    struct loader_debug debug;
};

/* A symbol table entry as relocations refer to it. */
struct loader_raw_symbol {
    const char *name; /* of the section, for section symbols */
    uint32_t value, size;
    uint16_t section;
    uint8_t type, binding;
};

/* The first section of that name, or NULL. */
const struct loader_section *loader_elf_section(const struct loader_elf *elf, const char *name);

/* The number of entries of the symbol table, 0 without one. */
uint32_t loader_elf_raw_symbols(const struct loader_elf *elf);

/* Entry `index` of the symbol table; false when out of range or its name is damaged. */
bool loader_elf_raw_symbol(const struct loader_elf *elf, uint32_t index,
                           struct loader_raw_symbol *symbol);

/* Fills elf->symbols from the symbol table; release with loader_symbols_free. */
enum penrose_status loader_symbols_build(struct loader_elf *elf, struct penrose_error *error);
void loader_symbols_free(struct loader_symbols *symbols);

/* The Dwarf handle, opened at first use; NULL when there is none that is safe to read. */
Dwarf *loader_debug_dwarf(struct loader_elf *elf);
/* Is the entry a function that the linker has dropped, at address 0, where the program has others? */
bool loader_debug_is_dropped(const struct loader_elf *elf, Dwarf_Die *die);
void loader_debug_free(struct loader_debug *debug);

/*
 * Copies `text` into buffer[size] for a message: control characters become '?', and text that is
 * too long loses its middle part. `size` is at least 8. Returns buffer.
 */
const char *loader_quote(char *buffer, size_t size, const char *text);

/* Reads a regular file of at most LOADER_MAX_FILE bytes into *bytes, to be freed. In messages it is
 * called `label`, and is to be `expected`: "an ELF file". */
enum penrose_status loader_file_read(const char *path, const char *label, const char *expected,
                                     uint8_t **bytes, size_t *size, struct penrose_error *error);

/* Reads an open file in this way. */
enum penrose_status loader_descriptor_read(int file, const char *label, const char *expected,
                                           uint8_t **bytes, size_t *size,
                                           struct penrose_error *error);

#endif
