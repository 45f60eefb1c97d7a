/*
 * Matrices between .npy arrays and the L1 of a tile: the data formats of num/tensix_format.h, in
 * tiles or row by row.
 *
 * Tiles (SPEC: UNPACR_Regular, "Input address"; sizes as in tt_llk_blackhole): 32x32 datums in four
 * faces of 16x16, top left, top right, bottom left, bottom right; faces row by row; tiles row by
 * row. A tile of a block format begins with the exponents of its 64 rows of faces, a byte each.
 * Rows and columns that no element falls on are zero.
 *
 * Rows: datum after datum as in C. In a block format all exponents come first, padded to a multiple
 * of 16 bytes, as an unpacker reads a long row of datums.
 *
 * Narrow datums fill bytes from the low bits on. Signed integers are sign and magnitude, as the
 * Matrix Unit has them, unless the form says two's complement.
 */
#ifndef LOADER_TENSOR_H
#define LOADER_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/npy.h"
#include "num/tensix_format.h"

enum loader_layout_kind { LOADER_TILES, LOADER_ROWS };

/* How the datums of a matrix lie in L1. */
struct loader_tensor_form {
    enum num_format format;
    bool is_twos_complement; /* signed integers only */
    enum loader_layout_kind layout;
};

struct loader_tensor {
    struct loader_tensor_form form;
    uint32_t rows, columns; /* at least 1 */
};

/*
 * Finds a format by its name in num_format_info or an alias (fp32, bf16, fp16, fp8, ...), or with
 * "_2s_comp" behind an Int8 or Int32 for two's complement; in any case of letters. False where
 * there is none.
 */
bool loader_tensor_format(const char *name, struct loader_tensor_form *form);

/* The name that loader_tensor_format takes; "tiles" or "rows". */
const char *loader_tensor_format_name(const struct loader_tensor_form *form);
const char *loader_tensor_layout_name(const struct loader_tensor_form *form);

/* Names for messages, one after the other: index 0, 1, ..., then NULL. */
const char *loader_tensor_format_list(unsigned index);

/* Bytes in L1; UINT64_MAX if that is not below 2^62. */
uint64_t loader_tensor_size(const struct loader_tensor *tensor);

/* Multiples at which it may begin: tiles lie at multiples of 16. */
uint32_t loader_tensor_alignment(const struct loader_tensor *tensor);

/* PENROSE_E_ARGUMENT where the shape does not go with the form: a block format row by row needs
 * columns in multiples of 16. `name` begins the message. */
enum penrose_status loader_tensor_check(const struct loader_tensor *tensor, const char *name,
                                        struct penrose_error *error);

/*
 * Writes an array of the tensor's shape as datums to bytes[loader_tensor_size()]. Numbers are
 * rounded once, to nearest even; blocks are made by num_block_from_halves of numbers so rounded to
 * 8 significant bits, without denormals. A finite number beyond a format without infinity becomes
 * its greatest one.
 *
 * PENROSE_E_ARGUMENT names the first element that no datum stands for: a number that is no integer
 * or does not fit, in integer formats; NaN and infinity except in Float32, Tf32 and Float16_b.
 */
enum penrose_status loader_tensor_encode(const struct loader_tensor *tensor,
                                         const struct loader_npy *array, uint8_t *bytes,
                                         struct penrose_error *error);

/*
 * The reverse, exact: makes an array of <f4, or of the integer type of the format's width. Float16
 * and 8-bit floats are taken as the hardware takes them: without infinity and NaN (SPEC:
 * FloatBitPatterns). False without memory.
 */
bool loader_tensor_decode(const struct loader_tensor *tensor, const uint8_t *bytes,
                          struct loader_npy *array);

#endif
