/*
 * RISC-V ELF files as tt-metal builds them: linked RV32 programs with symbols and DWARF.
 *
 * A loader_elf owns a copy of the file. Opening validates everything that the accessors rely on,
 * so they cannot fail on file contents: ELFCLASS32, little-endian, EM_RISCV without compressed
 * instructions, ET_EXEC; segments that lie inside the file, do not overlap and hold at most
 * LOADER_MAX_MEMORY bytes; sections, string tables and the symbol table inside the file. Whether
 * an address exists in a tile is not looked at here. All pointers handed out live until
 * loader_elf_close.
 *
 * Thread-safety: any number of threads may read one loader_elf, except that loader_elf_source,
 * loader_elf_calls and loader_layout_read open the debug information: calls to those must not
 * overlap.
 */
#ifndef LOADER_ELF_H
#define LOADER_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/error.h>

struct arch;

enum {
    LOADER_MAX_FILE = 256 << 20,  /* bytes; a larger file is refused */
    LOADER_MAX_MEMORY = 16 << 20, /* bytes of one segment in memory; more than any tile's L1 */
    LOADER_MAX_SEGMENTS = 32,     /* loadable segments; tt-metal's programs have two */
};

enum loader_segment_flag { /* the values of p_flags */
                           LOADER_SEGMENT_EXECUTE = 1,
                           LOADER_SEGMENT_WRITE = 2,
                           LOADER_SEGMENT_READ = 4,
};

/* One PT_LOAD with a nonzero size in memory. */
struct loader_segment {
    uint32_t vaddr, paddr;
    uint32_t filesz, memsz; /* filesz <= memsz; the rest is zero-filled */
    uint32_t flags;
    const uint8_t *bytes; /* filesz bytes */
};

enum loader_symbol_kind { LOADER_SYMBOL_LABEL, LOADER_SYMBOL_FUNCTION, LOADER_SYMBOL_OBJECT };

struct loader_symbol {
    const char *name;
    uint32_t value, size;
    enum loader_symbol_kind kind;
    bool global;   /* STB_GLOBAL or STB_WEAK */
    bool absolute; /* SHN_ABS: a constant, or imported from another program (--just-symbols) */
    bool in_code;  /* its section is executable */
};

struct loader_elf;

/*
 * Reads and checks the file at `path`. On success *elf is to be closed with loader_elf_close; on
 * failure it is NULL. Errors: PENROSE_E_FILE (missing, unreadable), PENROSE_E_FORMAT (not a
 * program for a hart; the message says what was found, what was expected and the remedy),
 * PENROSE_E_MEMORY.
 */
enum penrose_status loader_elf_open(const char *path, struct loader_elf **elf,
                                    struct penrose_error *error);

/* Opens an ELF of `size` bytes, which are copied. `name` stands for the path in messages. */
enum penrose_status loader_elf_open_memory(const void *bytes, size_t size, const char *name,
                                           struct loader_elf **elf, struct penrose_error *error);

/* NULL is allowed. */
void loader_elf_close(struct loader_elf *elf);

/* The path or name for messages: printable, and shortened at its front when long. */
const char *loader_elf_name(const struct loader_elf *elf);

/* The absolute path of the file; its name where it was opened from memory. */
const char *loader_elf_path(const struct loader_elf *elf);

/* The build id that the linker made, as hexadecimal digits; false, and an empty text, where it made
 * none. */
enum { LOADER_BUILD_ID = 65 };
bool loader_elf_build_id(const struct loader_elf *elf, char text[LOADER_BUILD_ID]);

uint32_t loader_elf_entry(const struct loader_elf *elf);

/* The loadable segments in file order; *count is at least 1 and one of them holds the entry. */
const struct loader_segment *loader_elf_segments(const struct loader_elf *elf, unsigned *count);

/* The segment that holds `address` in memory, or NULL. */
const struct loader_segment *loader_elf_segment_at(const struct loader_elf *elf, uint32_t address);

/* The lowest address at which the program has a section or a symbol; where it has no sections, a
 * segment, which may begin with the file's headers. Local constants, such as those of an assembler's
 * .equ, are no places. */
uint32_t loader_elf_lowest(const struct loader_elf *elf);

/*
 * From where in L1 the program's own start-up code copies what the segment, one of local memory, is
 * to hold: the section .loader_init, which tt-exalens' release layout has for that, or the
 * segment's physical address ("AT>" in a linker script). False where there is neither.
 */
bool loader_elf_copied_from(const struct loader_elf *elf, const struct arch *facts,
                            const struct loader_segment *segment, uint32_t *address);

/*
 * The named symbol, or NULL; constant time. File, section and compiler-local (".L...") symbols are
 * not found. A global symbol wins over a local one of the same name.
 */
const struct loader_symbol *loader_elf_symbol(const struct loader_elf *elf, const char *name);

/*
 * The symbol that `address` belongs to, or NULL; *offset (may be NULL) is the distance from its
 * value. A function or object around the address wins; else it is the last symbol before the
 * address in the same segment. Logarithmic time.
 */
const struct loader_symbol *loader_elf_symbol_at(const struct loader_elf *elf, uint32_t address,
                                                 uint32_t *offset);

/* The function in code around the address, or NULL. Logarithmic time. */
const struct loader_symbol *loader_elf_function_at(const struct loader_elf *elf, uint32_t address);

/*
 * A symbol's name as its program spells it, cut to `size` bytes: "a::b" of "_ZN1a1bEv" of C++,
 * without parameters and arguments of templates, and "<a::T as b::U>::c" of what Rust makes of that
 * (of either kind), without the hash; others, and what is no such name, as they are.
 */
enum { LOADER_PLAIN_NAME = 112 /* leaves room for an offset in texts of 128 bytes */ };
void loader_plain_name(const char *symbol, char *name, size_t size);

/* The next symbol after `after`, in the order of the table, whose plain name is this one; NULL: the
 * first, or no more. Functions with other parameters share one. Looks at all symbols. */
const struct loader_symbol *loader_elf_next_called(const struct loader_elf *elf, const char *name,
                                                   const struct loader_symbol *after);

/*
 * The source position of the instruction at `address` (a link address) from DWARF; false when
 * there is none. The first call reads the line tables, later ones take logarithmic time.
 */
bool loader_elf_source(struct loader_elf *elf, uint32_t address, const char **file, unsigned *line);

/* The first source position of the program, by address; false where there is none at all. As
 * loader_elf_source. */
bool loader_elf_any_source(struct loader_elf *elf, const char **file, unsigned *line);

/* Where a function that was inlined was called. */
struct loader_call {
    const char *file;
    unsigned line;
};
enum { LOADER_MAX_CALLS = 32 };

/*
 * The calls that were inlined around the instruction at `address`, the innermost first; returns how
 * many there are. Walks through the debug information each time. As to threads it is as
 * loader_elf_source.
 */
unsigned loader_elf_calls(struct loader_elf *elf, uint32_t address,
                          struct loader_call call[LOADER_MAX_CALLS]);

#endif
