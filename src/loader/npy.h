/*
 * Arrays in NumPy's .npy files. SPEC: numpy.lib.format, versions 1.0, 2.0 and 3.0.
 *
 * An array is held as a matrix: one dimension is a row, of more than two all but the last are
 * stacked as rows. Invariants of one that was read: rows and columns are at least 1, `data` has
 * rows * columns * size bytes in C order whatever the order in the file, elements are
 * little-endian, and kind and size are one of the types of loader_npy_read.
 */
#ifndef LOADER_NPY_H
#define LOADER_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/error.h>

enum loader_npy_kind { LOADER_NPY_BOOL, LOADER_NPY_FLOAT, LOADER_NPY_SIGNED, LOADER_NPY_UNSIGNED };

enum {
    LOADER_NPY_MAX_HEADER = 64 << 10, /* bytes of the header's text */
    LOADER_NPY_MAX_DIMENSIONS = 32,
    LOADER_NPY_LABEL = 128, /* longest name of a file in a message, with its NUL */
};

struct loader_npy {
    char name[LOADER_NPY_LABEL]; /* the file's, for messages */
    enum loader_npy_kind kind;
    unsigned size; /* bytes of an element */
    uint32_t rows, columns;
    unsigned dimensions;                       /* of an array that was read: as in the file, */
    uint32_t shape[LOADER_NPY_MAX_DIMENSIONS]; /* its product is rows * columns */
    uint8_t *data;                             /* malloc'ed */
};

/*
 * Reads the file at `path`: <f2, <f4, <f8, |i1, <i2, <i4, <i8, |u1, <u2, <u4, <u8 or |b1, C or
 * Fortran order. What follows the array in the file is ignored, as NumPy does. On success the array
 * is to be freed with loader_npy_free; on failure it is empty. Errors: PENROSE_E_FILE (missing,
 * unreadable, no regular file), PENROSE_E_FORMAT (no .npy file, truncated, another type; the
 * message names the remedy), PENROSE_E_MEMORY. Thread-safe.
 */
enum penrose_status loader_npy_read(const char *path, struct loader_npy *array,
                                    struct penrose_error *error);

/* Reads an array from `size` bytes. `name` stands for the path in messages. */
enum penrose_status loader_npy_parse(const uint8_t *bytes, size_t size, const char *name,
                                     struct loader_npy *array, struct penrose_error *error);

/* An array of zeros, rows and columns at least 1; false without memory. */
bool loader_npy_make(struct loader_npy *array, enum loader_npy_kind kind, unsigned size,
                     uint32_t rows, uint32_t columns);

/*
 * The bytes of a file of version 1.0 that holds the array, malloc'ed; NULL without memory. They are
 * those that numpy.save writes (since NumPy 1.14).
 */
uint8_t *loader_npy_format(const struct loader_npy *array, size_t *size);

/* Formats the array with another shape of as many elements, of 1 to 4 dimensions. */
uint8_t *loader_npy_format_as(const struct loader_npy *array, const uint32_t *shape,
                              unsigned dimensions, size_t *size);

/* "<f4" and so on, as in the file; text has 4 bytes. Returns text. */
const char *loader_npy_type(enum loader_npy_kind kind, unsigned size, char text[4]);

/* An empty array is all zero, and may be freed. */
void loader_npy_free(struct loader_npy *array);

#endif
