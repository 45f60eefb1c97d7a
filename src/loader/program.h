/*
 * Program descriptions: what `penrose run PROGRAM.json` does on a grid of tiles. penrose(1) and
 * examples/ have the format; it is JSON with comments.
 *
 * A description names tiles by logical coordinates: columns and rows of workers, counted from 0.
 * Numbers in it may be expressions (loader_expression), which are evaluated for each tile when the
 * chip is known. All paths in a description are relative to its folder, or to another that the user
 * names.
 *
 * Invariants of a program that was opened: ranges lie in the grid; no two kernels share a hart of a
 * tile, or have the same NoC there; formats, shapes and contents of buffers go together; where the
 * chip begins as a snapshot, every buffer has an address; expressions are well formed or fail when
 * evaluated, never otherwise.
 */
#ifndef LOADER_PROGRAM_H
#define LOADER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "arch/arch.h"
#include "loader/tensor.h"

enum {
    LOADER_PROGRAM_SEMAPHORES = 16,
    LOADER_PROGRAM_VALUES = 341,  /* arguments of a kernel */
    LOADER_PROGRAM_BUFFERS = 256, /* of each sort; names, too */
    LOADER_DRAM_PAGE_ALIGNMENT = 64,
    LOADER_L1_FIRST = 0x20000,    /* where buffers in L1 begin: behind firmware and kernels */
    LOADER_DRAM_FIRST = 0x100000, /* where buffers in DRAM banks begin */
};

#define LOADER_ANY_NOC UINT32_MAX

/* A set of tiles of a grid: bit x of row[y], of which there are as many as the grid has rows. */
struct loader_tiles {
    uint64_t *row;
    unsigned count;
};

static inline bool loader_tiles_have(const struct loader_tiles *tiles, unsigned x, unsigned y)
{
    return tiles->row[y] >> x & 1;
}

/* Numbers as they stand in the description. */
struct loader_values {
    char **text;
    unsigned count;
};

/* Names for expressions: each may use those before it. */
struct loader_lets {
    char **name, **text;
    unsigned count;
};

struct loader_program_kernel {
    unsigned harts; /* bit n: enum penrose_hart n */
    char *elf;      /* with {hart} for the hart's name */
    uint32_t noc;   /* of brisc or ncrisc; LOADER_ANY_NOC: the program's choice */
    struct loader_tiles tiles;
    struct loader_values arguments, common_arguments;
};

/* Semaphores that some tiles begin with. */
struct loader_program_semaphores {
    struct loader_tiles tiles;
    struct loader_values values;
};

struct loader_program_circular {
    unsigned id;
    uint32_t address, pages, page_size;
    struct loader_tiles tiles;
};

enum loader_buffer_kind { LOADER_BUFFER_DRAM, LOADER_BUFFER_L1 };

/* A buffer in DRAM, interleaved page by page over the banks, or the same place in several tiles'
 * L1. */
struct loader_program_buffer {
    enum loader_buffer_kind kind;
    char *name;
    bool is_placed;              /* the description says where */
    struct loader_tensor tensor; /* in L1: of a tile; rows 0: bytes without a meaning */
    uint32_t pages, page_size;   /* in L1 a buffer is one page */
    uint64_t address;            /* in each bank; in L1 */
    struct loader_npy contents;  /* of an input, else empty */
    bool has_input, is_split;    /* in L1: each tile has its own part of the input's rows */
    char *output;                /* NULL: none; tiles' parts one below the other */
    struct loader_tiles tiles;   /* in L1 */
};

struct loader_program {
    const struct arch *facts; /* of the kind of chip that it runs on */
    char *path;
    char *firmware; /* NULL: the user names it */
    char *snapshot; /* that the chip begins as; NULL: it is new, and all tiles boot */
    unsigned chip;  /* the one of several chips that runs it */
    unsigned columns, rows;
    unsigned brisc_noc;
    struct loader_program_buffer *buffer;
    unsigned buffers;
    struct loader_program_circular *circular;
    unsigned circulars;
    struct loader_program_semaphores *semaphore; /* sets of them; a tile has one at most */
    unsigned semaphores;
    struct loader_lets lets;
    struct loader_program_kernel *kernel;
    unsigned kernels;
};

/* Folders that replace the description's own; NULL: none. */
struct loader_program_folders {
    const char *kernels, *data;
};

/*
 * Reads a description for a kind of chip, and the .npy files that it names. Close with loader_program_close; on failure
 * *program is NULL. Errors: PENROSE_E_FILE, PENROSE_E_FORMAT (the message begins with file and
 * line, or file and key), PENROSE_E_ARGUMENT (of a .npy file or a shape), PENROSE_E_MEMORY.
 * Thread-safe.
 */
enum penrose_status loader_program_open(const struct arch *facts, const char *path,
                                        const struct loader_program_folders *folders,
                                        struct loader_program **program,
                                        struct penrose_error *error);

/* Reads a description from a text. `path` stands for the file in messages, and gives the folder. */
enum penrose_status loader_program_parse(const struct arch *facts, const char *text, size_t size,
                                         const char *path,
                                         const struct loader_program_folders *folders,
                                         struct loader_program **program,
                                         struct penrose_error *error);

/* NULL is allowed. */
void loader_program_close(struct loader_program *program);

/* What the semaphores of a tile begin with. */
const struct loader_values *loader_program_semaphores(const struct loader_program *program,
                                                      unsigned x, unsigned y);

/* BRISC's NoC on a tile. */
unsigned loader_program_noc(const struct loader_program *program, unsigned x, unsigned y);

/* Gives buffers in DRAM their addresses, for so many banks. PENROSE_E_ARGUMENT when they do not
 * fit. */
enum penrose_status loader_program_place(struct loader_program *program, unsigned banks,
                                         struct penrose_error *error);

/* A path with the hart's name for each {hart} in it, malloc'ed; NULL without memory. */
char *loader_hart_path(const char *pattern, enum penrose_hart hart);

/* --- Expressions --- */

/* What names mean. */
struct loader_place {
    const struct loader_program *program;
    bool has_tile; /* x, y and index mean something */
    bool has_chip; /* so do banks, noc_x(), noc_y(), noc() and addresses in DRAM */
    unsigned x, y, banks;
    const uint8_t *noc_x, *noc_y; /* of each column and row */
};

/*
 * Numbers; x, y, index, columns, rows, tiles, banks; dram.NAME, l1.NAME (addresses) and .page_size,
 * .pages, .rows, .columns, .tile_rows, .tile_columns, .format behind them; noc_x(column),
 * noc_y(row), noc(index) (y << 6 | x), min(a, b), max(a, b); + - * / % and parentheses; and names
 * that the description itself gives to expressions.
 *
 * PENROSE_E_FORMAT with what is wrong, without the name of the description. A result below zero is
 * given in two's complement. Thread-safe.
 */
enum penrose_status loader_expression(const char *text, const struct loader_place *place,
                                      uint32_t *value, struct penrose_error *error);

#endif
