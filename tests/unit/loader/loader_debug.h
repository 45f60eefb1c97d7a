/*
 * DWARF for the loader's tests, written by hand: one unit of .debug_info with its abbreviations,
 * and a line table. Types are named by keys; a key must be defined before it is referred to.
 */
#ifndef LOADER_DEBUG_H
#define LOADER_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "unit/loader/loader_image.h"

enum { DEBUG_BYTES = 32 << 10, DEBUG_TYPES = 200 };

struct debug_buffer {
    uint8_t bytes[DEBUG_BYTES];
    uint32_t size;
};

struct debug {
    struct debug_buffer info, line;
    struct {
        char key[48];
        uint32_t offset;
    } type[DEBUG_TYPES];
    unsigned types;
};

/* An empty unit with an empty line table. */
struct debug *debug_create(void);

/* Types. Counts of arrays: DEBUG_OPEN leaves the bound out, DEBUG_EMPTY writes an upper bound of
 * -1. */
enum { DEBUG_OPEN = -1, DEBUG_EMPTY = -2 };
void debug_base(struct debug *debug, const char *name, unsigned size);
void debug_array(struct debug *debug, const char *key, const char *element, int count);
void debug_counted_array(struct debug *debug, const char *key, const char *element, unsigned count);
void debug_volatile(struct debug *debug, const char *key, const char *type);
void debug_typedef(struct debug *debug, const char *name, const char *type);
void debug_pointer(struct debug *debug, const char *key, const char *type);

/* A structure (name "" is anonymous, with a key to refer to it), closed by debug_end. */
void debug_struct(struct debug *debug, const char *name, const char *key, unsigned size);
void debug_union(struct debug *debug, const char *key, unsigned size);
void debug_declaration(struct debug *debug, const char *name);
void debug_member(struct debug *debug, const char *name, const char *type, unsigned offset);
void debug_enumeration(struct debug *debug, const char *name);
void debug_enumerator(struct debug *debug, const char *name, uint32_t value);
void debug_end(struct debug *debug);

/* Variables: constants, and one with a type. */
void debug_constant(struct debug *debug, const char *name, uint32_t value);
void debug_variable(struct debug *debug, const char *name, const char *type);

/* A typedef whose type is the entry at `offset` of the unit, whatever is there. */
void debug_typedef_at(struct debug *debug, const char *name, uint32_t offset);
uint32_t debug_offset(const struct debug *debug);

/* Rows of the line table. A row holds until the next one; debug_sequence_end closes a sequence. */
void debug_row(struct debug *debug, uint32_t address, unsigned line);
void debug_sequence_end(struct debug *debug, uint32_t address);

/* Adds .debug_info, .debug_abbrev and .debug_line to an image. */
void debug_finish(struct debug *debug, struct image *image);

/*
 * The debug information of a brisc.elf, of January 2026 (96-byte launch messages, 32 circular
 * buffers) or newer (144 bytes, 64). `without` is the name of one structure, member, variable or
 * enumerator to leave out, or NULL.
 */
void debug_mailboxes(struct debug *debug, bool newer, const char *without);

#endif
