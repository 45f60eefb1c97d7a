/*
 * ELF images for the loader's tests, built in memory: no compiler, no files from outside.
 *
 * Usage: fill a struct image with segments, then sections, symbols and relocations; image_finish
 * lays them out and leaves the bytes, which a test may then damage. Everything is copied. Running
 * out of the fixed room fails the test.
 */
#ifndef LOADER_IMAGE_H
#define LOADER_IMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/elf.h"
#include "unit/test.h"

enum { IMAGE_SEGMENTS = 40, IMAGE_SECTIONS = 32, IMAGE_SYMBOLS = 2100, IMAGE_RELOCATIONS = 64 };

struct image_section {
    char name[32];
    Elf32_Shdr header;
    uint8_t *bytes; /* NULL for sections that lie in a segment */
};

struct image {
    Elf32_Ehdr header;
    Elf32_Phdr segment[IMAGE_SEGMENTS];
    uint8_t *content[IMAGE_SEGMENTS];
    unsigned segments;
    struct image_section section[IMAGE_SECTIONS];
    unsigned sections;
    Elf32_Sym symbol[IMAGE_SYMBOLS];
    unsigned symbols;
    char names[64 << 10]; /* .strtab */
    uint32_t names_size;
    struct {
        unsigned section; /* that is patched */
        Elf32_Rela entry;
    } relocation[IMAGE_RELOCATIONS];
    unsigned relocations;
    uint8_t *bytes; /* the file, after image_finish */
    size_t size;
};

/* An executable with the given entry point and nothing in it. */
struct image *image_create(uint32_t entry);

/* Has loader_release, the end of each test's fixture, release what it is given. Images, debug
 * information, ELFs of image_open and firmware of set_opened are given to it. */
void loader_own(void *what, void (*release)(void *what));
void loader_release(void);

/* Adds a PT_LOAD; `bytes` may be NULL for zeros. Returns its number. */
unsigned image_segment(struct image *image, uint32_t vaddr, uint32_t paddr, uint32_t flags,
                       const void *bytes, uint32_t filesz, uint32_t memsz);

/* Adds a loaded section over a part of a segment. Returns its number. */
unsigned image_loaded(struct image *image, const char *name, unsigned segment, uint32_t address,
                      uint32_t size, uint32_t flags);

/* Adds a section that is not loaded. Returns its number. */
unsigned image_section(struct image *image, const char *name, uint32_t type, const void *bytes,
                       uint32_t size);

/* Adds a symbol; `info` is ELF32_ST_INFO(binding, type). Returns its number. */
unsigned image_symbol(struct image *image, const char *name, uint32_t value, uint32_t size,
                      unsigned info, unsigned section);

/* Adds a relocation of a loaded section. */
void image_relocation(struct image *image, unsigned section, uint32_t address, unsigned type,
                      unsigned symbol, int32_t addend);

/* Lays the file out. Symbol and string tables and relocation sections are added here. */
void image_finish(struct image *image);

/* The headers in the finished file, to damage them. */
Elf32_Ehdr *image_header(struct image *image);
Elf32_Phdr *image_program_header(struct image *image, unsigned segment);
Elf32_Shdr *image_section_header(struct image *image, const char *name);

/* Opens the finished file, which must succeed. */
struct loader_elf *image_open(const struct image *image);

/* Opens the finished file, which must fail with `status` and a message that has all `words`. */
void image_refused(const struct image *image, enum penrose_status status, const char *const *words);

/* Fails the test unless `text` has all `words` (NULL ends them) and is one line. */
void check_words(const char *text, const char *const *words);

/* Writes the finished file to `path`. */
void image_write(const struct image *image, const char *path);

/* The smallest useful program: text of three instructions at 0x4000 with symbols, 8 bytes of data.
 */
struct image *image_program(void);

#endif
