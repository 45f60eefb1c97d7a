/*
 * Comparing by meaning: two dumps (docs/DUMPS.md), two arrays or two images of memory.
 *
 * The unit of comparison is an item: a field, a register, an element of an array, or a 32-bit word
 * of memory. If a part has the numbers of another part's bits, only the numbers are compared.
 * Memory that a compared buffer of numbers covers is not compared again. Volatile items are left
 * out unless asked for. Parts that only one side has are named and not compared.
 */
#ifndef OBSERVE_COMPARE_COMPARE_H
#define OBSERVE_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/error.h>

#include "loader/tensor.h"
#include "observe/dump/read.h"
#include "observe/compare/number.h"

/* Numbers that the user knows to lie in L1, or in an image of memory. */
struct compare_region {
    uint64_t address;
    struct loader_tensor tensor;
};

enum { COMPARE_NAME = 160, COMPARE_VALUE = 64, COMPARE_DETAIL = 64, COMPARE_NOTE = 256 };

struct compare_options {
    struct compare_tolerance tolerance; /* for numbers: elements of arrays that are no bits */
    /* Patterns (fnmatch) of a part ("dst"), an item without its tile ("config/config.0.*") or with
     * it ("1-2/dst*"): only what one of them matches is compared. None: everything. */
    const char *const *only;
    size_t onlys;
    bool includes_volatile;
    size_t most; /* items that are kept of each part */
    /* Of two arrays: the data format in whose ulps they are measured; NULL: that of the type. */
    const enum num_format *format;
    const struct compare_region *region;
    size_t regions;
    uint64_t base; /* of two images of memory: where they begin */
    /* Buffers are compared as memory, not as numbers: each item has an address. */
    bool buffers_as_memory;
};

/* A difference. */
struct compare_item {
    char name[COMPARE_NAME]; /* "1-2/dst[12,3]"; of memory with its address: "1-2/l1[0x4000]" */
    char a[COMPARE_VALUE], b[COMPARE_VALUE];
    double ulps;    /* negative: not a number */
    uint64_t index; /* of an array in C order; the address of memory; else 0 */
};

/* What was compared of a part, or of a segment of memory. */
struct compare_part {
    unsigned x, y;
    char tile[DUMP_TILE_NAME];   /* "1-2"; "": two files */
    char name[COMPARE_DETAIL];   /* "dst" */
    char detail[COMPARE_DETAIL]; /* the format of numbers, the segment of memory; may be "" */
    const char *unit;            /* what is counted: "fields", "numbers", "words" */
    uint64_t compared, different, tolerated, left_out;
    double worst_ulps;         /* negative: none of the differences is one of numbers */
    struct compare_item *item; /* the first ones */
    size_t items;
};

struct comparison {
    struct compare_part
        *part; /* in the order in which data flow: configuration, Src, Dst, memory */
    size_t parts;
    char (*note)[COMPARE_NOTE]; /* what could not be compared, and why */
    size_t notes;
    char (*remark)[COMPARE_NOTE]; /* in which way something was compared */
    size_t remarks;
    uint64_t compared, different, tolerated, left_out; /* sums */
    bool has_other_shape; /* files that cannot be compared element by element: different */
    bool ran_out;         /* of memory; the functions below answer PENROSE_E_MEMORY then */
};

/*
 * Compares two dumps. PENROSE_E_ARGUMENT: of different chips, or there was nothing to compare, and the
 * message says why. PENROSE_E_FILE, PENROSE_E_FORMAT: a file
 * of a part is missing or broken; the comparison then holds what came before. Always to be freed
 * with comparison_free.
 */
enum penrose_status compare_dumps(const struct dump_files *a, const struct dump_files *b,
                                  const struct compare_options *options,
                                  struct comparison *comparison, struct penrose_error *error);

/* Compares two files in the same way: arrays if both are .npy files, else images of memory, word by
 * word. */
enum penrose_status compare_files(const char *a, const char *b,
                                  const struct compare_options *options,
                                  struct comparison *comparison, struct penrose_error *error);

void comparison_free(struct comparison *comparison);

/* Is there any difference? */
bool comparison_differs(const struct comparison *comparison);

#endif
