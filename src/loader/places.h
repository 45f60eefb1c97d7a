/* Places in the code of an ELF, by their names in the source. */
#ifndef LOADER_PLACES_H
#define LOADER_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/elf.h"

enum { LOADER_MAX_PLACES = 64 };

struct loader_places {
    uint32_t address[LOADER_MAX_PLACES]; /* link addresses; more are left out */
    unsigned count;
    unsigned line; /* of loader_places_line: whose code it is; 0: no line of the file has any */
};

/* Where a function begins: its symbol, by that name or the plain one, its code by its name in the
 * source (without classes and arguments), and every place into which it was inlined. As to threads
 * these are as loader_elf_source. */
void loader_places_function(struct loader_elf *elf, const char *name, struct loader_places *places);

/*
 * Where the code of a line begins, once for each piece of it; where the line has none, of the next
 * line of the file that has. `file` is the end of a path: "trisc.cc" or "src/trisc.cc".
 */
void loader_places_line(struct loader_elf *elf, const char *file, unsigned line,
                        struct loader_places *places);

#endif
