/*
 * Matrices between .npy arrays and L1; see tensor.h.
 *
 * Both ways go through exact numbers (struct number), so nothing depends on the host's floating
 * point and every datum is rounded once. Datums are handled in blocks of 16. A block is a row of a
 * face, and the datums that share an exponent.
 */
#include "loader/tensor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "isa/error.h"

enum {
    BLOCK = NUM_BLOCK_DATUMS,
    FACE = 16,                         /* rows and columns */
    TILE = 32,                         /* rows and columns */
    TILE_BLOCKS = TILE * TILE / BLOCK, /* also the bytes of its exponents */
    ALIGNMENT = 16,                    /* of tiles and exponent sections in L1 */
};

/* --- Names --- */

static const struct {
    const char *name;
    enum num_format format;
    bool is_twos_complement;
} aliases[] = {
    {"Int8_2s_comp", NUM_FORMAT_INT8, true}, {"Int32_2s_comp", NUM_FORMAT_INT32, true},
    {"fp32", NUM_FORMAT_FLOAT32, false},     {"fp16", NUM_FORMAT_FLOAT16, false},
    {"bf16", NUM_FORMAT_FLOAT16_B, false},   {"bfloat16", NUM_FORMAT_FLOAT16_B, false},
    {"fp8", NUM_FORMAT_LF8, false},          {"fp8_e5m2", NUM_FORMAT_LF8, false},
    {"bfp8_a", NUM_FORMAT_BFP8, false},      {"bfp4_a", NUM_FORMAT_BFP4, false},
    {"bfp2_a", NUM_FORMAT_BFP2, false},
};

enum { ALIASES = sizeof aliases / sizeof aliases[0], TWOS_COMPLEMENTS = 2 };

bool loader_tensor_format(const char *name, struct loader_tensor_form *form)
{
    for (unsigned format = 0; format < NUM_FORMATS; format++) {
        const struct num_format_info *info = num_format_info(format);
        if (info && strcasecmp(info->name, name) == 0) {
            form->format = (enum num_format)format;
            form->is_twos_complement = false;
            return true;
        }
    }
    for (unsigned i = 0; i < ALIASES; i++) {
        if (strcasecmp(aliases[i].name, name) == 0) {
            form->format = aliases[i].format;
            form->is_twos_complement = aliases[i].is_twos_complement;
            return true;
        }
    }
    return false;
}

const char *loader_tensor_format_name(const struct loader_tensor_form *form)
{
    for (unsigned i = 0; form->is_twos_complement && i < TWOS_COMPLEMENTS; i++) {
        if (aliases[i].format == form->format) {
            return aliases[i].name;
        }
    }
    return num_format_info(form->format)->name;
}

const char *loader_tensor_layout_name(const struct loader_tensor_form *form)
{
    return form->layout == LOADER_TILES ? "tiles" : "rows";
}

const char *loader_tensor_format_list(unsigned index)
{
    for (unsigned format = 0; format < NUM_FORMATS; format++) {
        const struct num_format_info *info = num_format_info(format);
        if (info && index-- == 0) {
            return info->name;
        }
    }
    return index < ALIASES ? aliases[index].name : NULL;
}

/* --- Exact numbers --- */

enum number_kind { FINITE, INFINITE, NOT_A_NUMBER };

/* FINITE: magnitude * 2^exponent. NOT_A_NUMBER: the magnitude has the payload from its top down. */
struct number {
    enum number_kind kind;
    bool is_negative;
    uint64_t magnitude;
    int exponent;
};

/* Sign, exponent, mantissa from the top. Without specials, all ones is an exponent like others. */
struct float_form {
    unsigned exponent_bits, mantissa_bits;
    bool has_specials;
};

static const struct float_form npy_floats[] = {
    [2] = {5, 10, true}, [4] = {8, 23, true}, [8] = {11, 52, true}};

static int bias_of(const struct float_form *form)
{
    return (1 << (form->exponent_bits - 1)) - 1;
}

static struct number number_from_float(const struct float_form *form, uint64_t pattern)
{
    uint64_t mantissa = pattern & ((UINT64_C(1) << form->mantissa_bits) - 1);
    int exponent = (int)(pattern >> form->mantissa_bits & ((1U << form->exponent_bits) - 1));
    struct number number = {.is_negative =
                                pattern >> (form->exponent_bits + form->mantissa_bits) & 1};
    if (form->has_specials && exponent == (1 << form->exponent_bits) - 1) {
        number.kind = mantissa ? NOT_A_NUMBER : INFINITE;
        number.magnitude = mantissa << (64 - form->mantissa_bits);
        return number;
    }
    number.magnitude = exponent ? mantissa | UINT64_C(1) << form->mantissa_bits : mantissa;
    number.exponent = (exponent ? exponent : 1) - bias_of(form) - (int)form->mantissa_bits;
    return number;
}

static struct number number_from_int(bool is_negative, uint64_t magnitude)
{
    return (struct number){.is_negative = is_negative, .magnitude = magnitude};
}

/* magnitude * 2^-shift to nearest even; the result must fit. */
static uint64_t shift_rounded(uint64_t magnitude, int shift)
{
    if (shift <= 0) {
        return magnitude << -shift;
    }
    if (shift > 64) {
        return 0;
    }
    uint64_t whole = shift == 64 ? 0 : magnitude >> shift;
    uint64_t rest = magnitude << (64 - shift), half = UINT64_C(1) << 63;
    return whole + (rest > half || (rest == half && whole & 1));
}

/* The nearest pattern; beyond them, infinity or the greatest one. */
static uint64_t number_to_float(const struct float_form *form, const struct number *number)
{
    unsigned bits = form->exponent_bits + form->mantissa_bits;
    uint64_t sign = (uint64_t)number->is_negative << bits;
    uint64_t infinity = ((UINT64_C(1) << form->exponent_bits) - 1) << form->mantissa_bits;
    uint64_t top = form->has_specials ? infinity : (UINT64_C(1) << bits) - 1;
    if (number->kind == NOT_A_NUMBER) {
        uint64_t payload = number->magnitude >> (64 - form->mantissa_bits);
        return sign | top | (payload ? payload : UINT64_C(1) << (form->mantissa_bits - 1));
    }
    if (number->kind == INFINITE) {
        return sign | top;
    }
    if (!number->magnitude) {
        return sign;
    }
    int leading = number->exponent + 63 - __builtin_clzll(number->magnitude);
    int least = 1 - bias_of(form);
    int exponent = leading > least ? leading : least;
    if (exponent > 2 * bias_of(form)) {
        return sign | top;
    }
    uint64_t units =
        shift_rounded(number->magnitude, exponent - (int)form->mantissa_bits - number->exponent);
    /* The leading one, where there is one, adds the last step of the exponent. */
    uint64_t pattern = ((uint64_t)(exponent - least) << form->mantissa_bits) + units;
    return sign | (pattern < top ? pattern : top);
}

/* The magnitude of an integer; false for what is none or does not fit 64 bits. */
static bool number_to_int(const struct number *number, uint64_t *magnitude)
{
    int exponent = number->exponent;
    *magnitude = number->magnitude;
    if (number->kind != FINITE || !*magnitude) {
        return number->kind == FINITE;
    }
    if (exponent >= 0) {
        bool fits = exponent <= __builtin_clzll(*magnitude);
        *magnitude = fits ? *magnitude << exponent : 0;
        return fits;
    }
    bool is_integer = -exponent <= __builtin_ctzll(*magnitude);
    *magnitude = is_integer ? *magnitude >> -exponent : 0;
    return is_integer;
}

/* --- Elements of arrays --- */

static uint64_t read_datum_bits(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size); /* the host is little-endian */
    return value;
}

static struct number array_number(const struct loader_npy *array, size_t index)
{
    unsigned size = array->size;
    uint64_t value = read_datum_bits(array->data + index * size, size);
    switch (array->kind) {
    case LOADER_NPY_FLOAT:
        return number_from_float(&npy_floats[size], value);
    case LOADER_NPY_SIGNED: {
        bool is_negative = value >> (8 * size - 1) & 1;
        uint64_t high = size == 8 ? 0 : UINT64_MAX << 8 * size;
        return number_from_int(is_negative, is_negative ? 0 - (value | high) : value);
    }
    case LOADER_NPY_BOOL:
        return number_from_int(false, value != 0);
    default:
        return number_from_int(false, value);
    }
}

/* --- Datums --- */

static bool is_integer(const struct num_format_info *info)
{
    return info->exponent_bits == 0;
}

/* Only what has eight exponent bits and is no block has infinities and NaN. */
static bool has_specials(const struct num_format_info *info)
{
    return info->exponent_bits == 8 && !info->is_block;
}

/* Of the datum itself; TF32 lies at the top of 32 bits. */
static struct float_form datum_float(const struct num_format_info *info)
{
    return (struct float_form){info->exponent_bits, info->mantissa_bits, has_specials(info)};
}

static unsigned float_padding(const struct num_format_info *info)
{
    return info->bits - 1U - info->exponent_bits - info->mantissa_bits;
}

/* HW: all ones in 8 bits are the greatest FP16 number, far above the one that comes before. */
enum { FP8_TOP = 0x7f, GREATEST_FP16 = 0x7fff };

/* Is the magnitude at least `limit`, which has 17 bits? */
static bool reaches(const struct number *number, uint32_t limit)
{
    if (number->kind != FINITE || !number->magnitude) {
        return number->kind == INFINITE;
    }
    int zeros = __builtin_clzll(number->magnitude);
    int leading = number->exponent + 63 - zeros;
    return leading > 16 || (leading == 16 && number->magnitude << zeros >> (63 - 16) >= limit);
}

static uint32_t encode_float(enum num_format format, const struct number *number)
{
    const struct num_format_info *info = num_format_info(format);
    struct float_form form = datum_float(info);
    uint32_t pattern = (uint32_t)number_to_float(&form, number);
    if (info->bits == 8 && (pattern & FP8_TOP) == FP8_TOP) {
        uint32_t before = format == NUM_FORMAT_LF8 ? 98304 : 448, greatest = 131008;
        pattern -= !reaches(number, (before + greatest) / 2);
    }
    return pattern << float_padding(info);
}

static struct number decode_float(enum num_format format, uint32_t datum)
{
    static const struct float_form half = {5, 10, false};
    static const struct float_form single = {8, 23, true};
    const struct num_format_info *info = num_format_info(format);
    struct float_form form = datum_float(info);
    if (info->bits == 8 && (datum & FP8_TOP) == FP8_TOP) {
        return number_from_float(&half, (datum & 0x80) << 8 | GREATEST_FP16);
    }
    return number_from_float(format == NUM_FORMAT_TF32 ? &single : &form, datum);
}

/* The greatest magnitudes of positive and negative integers. */
static void integer_range(const struct loader_tensor_form *form, uint64_t *most, uint64_t *least)
{
    const struct num_format_info *info = num_format_info(form->format);
    *most = (UINT64_C(1) << info->mantissa_bits) - 1;
    *least = info->is_signed ? *most + form->is_twos_complement : 0;
}

static bool encode_int(const struct loader_tensor_form *form, const struct number *number,
                       uint32_t *datum)
{
    uint64_t magnitude, most, least;
    unsigned bits = num_format_info(form->format)->bits;
    integer_range(form, &most, &least);
    if (!number_to_int(number, &magnitude) || magnitude > (number->is_negative ? least : most)) {
        return false;
    }
    bool is_negative = number->is_negative && magnitude;
    uint32_t mask = bits == 32 ? UINT32_MAX : (1U << bits) - 1;
    *datum = !is_negative               ? (uint32_t)magnitude
             : form->is_twos_complement ? (uint32_t)(0 - magnitude) & mask
                                        : (uint32_t)magnitude | 1U << (bits - 1);
    return true;
}

static struct number decode_int(const struct loader_tensor_form *form, uint32_t datum)
{
    const struct num_format_info *info = num_format_info(form->format);
    uint32_t sign = info->is_signed ? 1U << (info->bits - 1) : 0;
    bool is_negative = datum & sign;
    uint64_t magnitude = is_negative && form->is_twos_complement
                             ? (UINT64_C(1) << info->bits) - datum
                             : datum & ~sign;
    return number_from_int(is_negative && magnitude, magnitude);
}

/* As num_block_from_halves takes it: BF16, or FP16 without the lowest three bits. */
static uint16_t block_half(enum num_format format, const struct number *number)
{
    bool is_narrow = num_format_info(format)->exponent_bits == 5;
    struct float_form form = {is_narrow ? 5 : 8, 7, !is_narrow};
    uint32_t half = (uint32_t)number_to_float(&form, number);
    uint32_t infinity = UINT32_C(0xff) << 7;
    if (!is_narrow && (half & infinity) == infinity) {
        half--; /* rounded up to there */
    }
    if (!(half >> 7 & (is_narrow ? 0x1f : 0xff))) {
        return 0;
    }
    return (uint16_t)(is_narrow ? half << 3 : half);
}

/* SPEC: FloatBitPatterns, BFP. What unpackers make of small magnitudes under small exponents is
 * another matter. */
static struct number decode_block(enum num_format format, uint32_t datum, uint8_t exponent)
{
    const struct num_format_info *info = num_format_info(format);
    bool is_narrow = info->exponent_bits == 5;
    bool is_negative = datum >> (info->bits - 1) & 1;
    uint32_t magnitude = datum & ((1U << (info->bits - 1)) - 1);
    int bias = is_narrow ? 15 : 127;
    if (!magnitude && is_negative) {
        return is_narrow ? (struct number){.is_negative = true, .magnitude = 1, .exponent = 16}
                         : (struct number){.is_negative = true, .kind = INFINITE};
    }
    return (struct number){.is_negative = is_negative,
                           .magnitude = magnitude,
                           .exponent =
                               (is_narrow ? exponent & 0x1f : exponent) - bias - (info->bits - 2)};
}

/* --- Places --- */

static uint32_t tiles_of(uint32_t length)
{
    return length / TILE + (length % TILE != 0);
}

static uint64_t block_count(const struct loader_tensor *tensor)
{
    uint64_t datums = (uint64_t)tensor->rows * tensor->columns;
    return tensor->form.layout == LOADER_TILES
               ? (uint64_t)tiles_of(tensor->rows) * tiles_of(tensor->columns) * TILE_BLOCKS
               : datums / BLOCK + (datums % BLOCK != 0);
}

static uint64_t exponents_of_rows(const struct loader_tensor *tensor)
{
    bool is_block = num_format_info(tensor->form.format)->is_block;
    return is_block ? (block_count(tensor) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : 0;
}

static uint64_t tile_size(enum num_format format)
{
    const struct num_format_info *info = num_format_info(format);
    return (info->is_block ? TILE_BLOCKS : 0U) + TILE * TILE * info->bits / 8U;
}

/* Where a block is, in L1 and in the matrix. */
struct block_place {
    uint64_t exponent, datums; /* in L1 */
    size_t element;            /* that its first datum is, in C order, */
    unsigned count;            /* and how many datums are elements: the others are padding */
};

static struct block_place place_in_rows(const struct loader_tensor *tensor, uint64_t block)
{
    uint64_t size = BLOCK * num_format_info(tensor->form.format)->bits / 8U;
    uint64_t left = (uint64_t)tensor->rows * tensor->columns - block * BLOCK;
    return (struct block_place){.exponent = block,
                                .datums = exponents_of_rows(tensor) + block * size,
                                .element = (size_t)(block * BLOCK),
                                .count = left < BLOCK ? (unsigned)left : BLOCK};
}

static struct block_place place_in_tiles(const struct loader_tensor *tensor, uint64_t block)
{
    const struct num_format_info *info = num_format_info(tensor->form.format);
    uint64_t size = BLOCK * info->bits / 8U;
    uint64_t tile = block / TILE_BLOCKS, tiles = tiles_of(tensor->columns);
    unsigned in_tile = block % TILE_BLOCKS, face = in_tile / FACE;
    uint64_t at = tile * tile_size(tensor->form.format);
    uint64_t row = tile / tiles * TILE + face / 2 * FACE + in_tile % FACE;
    uint64_t column = tile % tiles * TILE + face % 2 * FACE;
    bool is_inside = row < tensor->rows && column < tensor->columns;
    uint64_t left = is_inside ? tensor->columns - column : 0;
    return (struct block_place){.exponent = at + in_tile,
                                .datums = at + (info->is_block ? TILE_BLOCKS : 0) + in_tile * size,
                                .element = (size_t)(row * tensor->columns + column),
                                .count = left < BLOCK ? (unsigned)left : BLOCK};
}

static struct block_place place_block(const struct loader_tensor *tensor, uint64_t block)
{
    return tensor->form.layout == LOADER_TILES ? place_in_tiles(tensor, block)
                                               : place_in_rows(tensor, block);
}

uint64_t loader_tensor_size(const struct loader_tensor *tensor)
{
    const struct num_format_info *info = num_format_info(tensor->form.format);
    uint64_t blocks = block_count(tensor);
    if (blocks >> 48) {
        return UINT64_MAX;
    }
    return tensor->form.layout == LOADER_TILES
               ? blocks / TILE_BLOCKS * tile_size(tensor->form.format)
               : exponents_of_rows(tensor) +
                     (uint64_t)tensor->rows * tensor->columns * info->bits / 8;
}

uint32_t loader_tensor_alignment(const struct loader_tensor *tensor)
{
    const struct num_format_info *info = num_format_info(tensor->form.format);
    return tensor->form.layout == LOADER_TILES || info->is_block ? ALIGNMENT : info->bits / 8U;
}

enum penrose_status loader_tensor_check(const struct loader_tensor *tensor, const char *name,
                                        struct penrose_error *error)
{
    if (tensor->form.layout == LOADER_ROWS && num_format_info(tensor->form.format)->is_block &&
        tensor->columns % BLOCK) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "%s: %u columns row by row in %s, whose datums share an exponent by 16; "
                         "pad them to a multiple of 16, or use tiles",
                         name, tensor->columns, loader_tensor_format_name(&tensor->form));
    }
    return PENROSE_OK;
}

/* --- Blocks in L1 --- */

static void store_datum(uint8_t *bytes, unsigned bits, unsigned i, uint32_t datum)
{
    if (bits >= 8) {
        memcpy(bytes + i * bits / 8, &datum, bits / 8);
        return;
    }
    unsigned shift = i * bits % 8;
    uint8_t *byte = &bytes[i * bits / 8];
    *byte = (uint8_t)((*byte & ~(((1U << bits) - 1) << shift)) | datum << shift);
}

static uint32_t load_datum(const uint8_t *bytes, unsigned bits, unsigned i)
{
    uint32_t datum = 0;
    if (bits >= 8) {
        memcpy(&datum, bytes + i * bits / 8, bits / 8);
        return datum;
    }
    return (uint32_t)bytes[i * bits / 8] >> i * bits % 8 & ((1U << bits) - 1);
}

/* The number as the message shows it. */
static void print_number(char *text, size_t size, const struct number *number)
{
    uint64_t magnitude;
    const char *sign = number->is_negative ? "-" : "";
    if (number->kind != FINITE) {
        snprintf(text, size, "%s%s", sign, number->kind == INFINITE ? "infinity" : "NaN");
    } else if (number_to_int(number, &magnitude)) {
        snprintf(text, size, "%s%" PRIu64, sign, magnitude);
    } else {
        snprintf(text, size, "%s%.9g", sign, ldexp((double)number->magnitude, number->exponent));
    }
}

static enum penrose_status refuse_tensor(const struct loader_tensor *tensor,
                                         const struct loader_npy *array, size_t element,
                                         struct penrose_error *error)
{
    char value[64];
    struct number number = array_number(array, element);
    size_t row = element / array->columns, column = element % array->columns;
    const char *format = loader_tensor_format_name(&tensor->form);
    uint64_t most, least, magnitude;
    print_number(value, sizeof value, &number);
    if (!is_integer(num_format_info(tensor->form.format))) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "%s: element [%zu, %zu] is %s, which %s does not have; replace it "
                         "(numpy.nan_to_num), or use Float32, Tf32 or Float16_b",
                         array->name, row, column, value, format);
    }
    integer_range(&tensor->form, &most, &least);
    bool is_too_large = number_to_int(&number, &magnitude) || number.exponent > 0;
    const char *remedy = number.kind != FINITE ? "replace it (numpy.nan_to_num)"
                         : is_too_large        ? "clip it (numpy.clip), or use a wider format"
                                               : "round it (numpy.rint), or use a floating format";
    return error_set(
        error, PENROSE_E_ARGUMENT,
        "%s: element [%zu, %zu] is %s, which is %s %s (%s%" PRIu64 " to %" PRIu64 "); %s",
        array->name, row, column, value, is_too_large ? "out of the range of" : "no integer of",
        format, least ? "-" : "", least, most, remedy);
}

/* The datums of a block, whose bytes are zeros; false at *bad, an element that has none. */
static bool encode_block(const struct loader_tensor *tensor, const struct loader_npy *array,
                         uint64_t block, uint8_t *bytes, size_t *bad)
{
    enum num_format format = tensor->form.format;
    const struct num_format_info *info = num_format_info(format);
    const struct block_place at = place_block(tensor, block);
    uint16_t halves[BLOCK] = {0};
    for (unsigned i = 0; i < at.count; i++) {
        uint32_t datum = 0;
        struct number number = array_number(array, at.element + i);
        bool is_good = number.kind == FINITE || has_specials(info);
        if (is_integer(info)) {
            is_good = encode_int(&tensor->form, &number, &datum);
        } else if (is_good && info->is_block) {
            halves[i] = block_half(format, &number);
        } else if (is_good) {
            datum = encode_float(format, &number);
        }
        if (!is_good) {
            *bad = at.element + i;
            return false;
        }
        store_datum(bytes + at.datums, info->bits, i, datum);
    }
    if (info->is_block) {
        uint8_t datums[BLOCK];
        num_block_from_halves(format, halves, &bytes[at.exponent], datums);
        for (unsigned i = 0; i < BLOCK; i++) {
            store_datum(bytes + at.datums, info->bits, i, datums[i]);
        }
    }
    return true;
}

enum penrose_status loader_tensor_encode(const struct loader_tensor *tensor,
                                         const struct loader_npy *array, uint8_t *bytes,
                                         struct penrose_error *error)
{
    uint64_t blocks = block_count(tensor);
    size_t bad = 0, first = SIZE_MAX;
    memset(bytes, 0, (size_t)loader_tensor_size(tensor));
    for (uint64_t block = 0; block < blocks; block++) {
        if (!encode_block(tensor, array, block, bytes, &bad) && bad < first) {
            first = bad; /* tiles do not come in the order of elements */
        }
    }
    return first == SIZE_MAX ? PENROSE_OK : refuse_tensor(tensor, array, first, error);
}

static void decode_into(const struct loader_tensor_form *form, uint32_t datum, uint8_t exponent,
                        struct loader_npy *array, size_t element)
{
    const struct num_format_info *info = num_format_info(form->format);
    uint8_t *to = array->data + element * array->size;
    uint32_t value;
    if (is_integer(info)) {
        struct number number = decode_int(form, datum);
        value = (uint32_t)(number.is_negative ? 0 - number.magnitude : number.magnitude);
    } else {
        struct number number = info->is_block ? decode_block(form->format, datum, exponent)
                                              : decode_float(form->format, datum);
        value = (uint32_t)number_to_float(&npy_floats[4], &number);
    }
    memcpy(to, &value, array->size);
}

bool loader_tensor_decode(const struct loader_tensor *tensor, const uint8_t *bytes,
                          struct loader_npy *array)
{
    const struct num_format_info *info = num_format_info(tensor->form.format);
    bool is_int = is_integer(info);
    uint64_t blocks = block_count(tensor);
    if (!loader_npy_make(array,
                         !is_int           ? LOADER_NPY_FLOAT
                         : info->is_signed ? LOADER_NPY_SIGNED
                                           : LOADER_NPY_UNSIGNED,
                         is_int ? info->bits / 8U : 4, tensor->rows, tensor->columns)) {
        return false;
    }
    for (uint64_t block = 0; block < blocks; block++) {
        const struct block_place at = place_block(tensor, block);
        uint8_t exponent = info->is_block ? bytes[at.exponent] : 0;
        for (unsigned i = 0; i < at.count; i++) {
            uint32_t datum = load_datum(bytes + at.datums, info->bits, i);
            decode_into(&tensor->form, datum, exponent, array, at.element + i);
        }
    }
    return true;
}
