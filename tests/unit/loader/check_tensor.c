/*
 * loader/tensor.h against a model that knows numbers as doubles (which hold every datum exactly)
 * and places by division, one element at a time; and against bytes written by hand.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/tensor.h"
#include "unit/random.h"
#include "unit/test.h"

enum { CASES = 20000 };

/* Datums of a format, row by row in one row. */
static struct loader_tensor row_of(const char *format, uint32_t columns)
{
    struct loader_tensor tensor = {.rows = 1, .columns = columns};
    ck_assert(loader_tensor_format(format, &tensor.form));
    tensor.form.layout = LOADER_ROWS;
    return tensor;
}

static struct loader_npy array_of(enum loader_npy_kind kind, unsigned size, uint32_t rows,
                                  uint32_t columns, const void *data)
{
    struct loader_npy array;
    ck_assert(loader_npy_make(&array, kind, size, rows, columns));
    memcpy(array.data, data, (size_t)rows * columns * size);
    strcpy(array.name, "a.npy");
    return array;
}

/* Encodes one row, which must succeed. */
static void encode(const char *format, enum loader_npy_kind kind, unsigned size, uint32_t columns,
                   const void *data, uint8_t *bytes)
{
    struct penrose_error error;
    struct loader_tensor tensor = row_of(format, columns);
    struct loader_npy array = array_of(kind, size, 1, columns, data);
    ck_assert_msg(loader_tensor_encode(&tensor, &array, bytes, &error) == PENROSE_OK, "%s: %s",
                  format, error.text);
    loader_npy_free(&array);
}

/* One number that is refused; the message has both parts. */
static void refused(const char *format, enum loader_npy_kind kind, unsigned size, const void *datum,
                    const char *what, const char *remedy)
{
    struct penrose_error error;
    struct loader_tensor tensor = {.rows = 40, .columns = 40};
    ck_assert(loader_tensor_format(format, &tensor.form));
    struct loader_npy array;
    uint8_t *bytes = malloc(loader_tensor_size(&tensor));
    ck_assert(loader_npy_make(&array, kind, size, 40, 40));
    strcpy(array.name, "a.npy");
    memcpy(array.data + (35 * 40 + 3) * size, datum, size);
    memcpy(array.data + (20 * 40 + 38) * size, datum, size); /* in a later tile, but earlier */
    ck_assert_int_eq(loader_tensor_encode(&tensor, &array, bytes, &error), PENROSE_E_ARGUMENT);
    ck_assert_msg(strstr(error.text, "a.npy: element [20, 38] is ") == error.text, "%s",
                  error.text);
    ck_assert_msg(strstr(error.text, what) && strstr(error.text, remedy), "%s", error.text);
    loader_npy_free(&array);
    free(bytes);
}

/* --- Names --- */

TEST(names)
{
    struct loader_tensor_form form;
    for (unsigned format = 0; format < NUM_FORMATS; format++) {
        const struct num_format_info *info = num_format_info(format);
        char name[32];
        for (unsigned upper = 0; info && upper < 2; upper++) {
            for (unsigned i = 0; i <= strlen(info->name); i++) {
                char c = info->name[i];
                name[i] = upper && c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
            }
            ck_assert(loader_tensor_format(name, &form));
            ck_assert_uint_eq(form.format, format);
            ck_assert(!form.is_twos_complement);
            ck_assert_str_eq(loader_tensor_format_name(&form), info->name);
        }
    }
    const char *name;
    unsigned count = 0;
    for (; (name = loader_tensor_format_list(count)); count++) {
        ck_assert(loader_tensor_format(name, &form));
    }
    ck_assert_uint_gt(count, 20);
    static const struct {
        const char *alias;
        enum num_format format;
    } some[] = {{"fp32", NUM_FORMAT_FLOAT32},
                {"BF16", NUM_FORMAT_FLOAT16_B},
                {"Fp16", NUM_FORMAT_FLOAT16},
                {"int8_2s_comp", NUM_FORMAT_INT8},
                {"Int32_2S_COMP", NUM_FORMAT_INT32}};
    for (int i = 0; i < COUNT(some); i++) {
        ck_assert(loader_tensor_format(some[i].alias, &form));
        ck_assert_uint_eq(form.format, some[i].format);
        ck_assert_int_eq(form.is_twos_complement, i >= 3);
    }
    ck_assert_str_eq(loader_tensor_format_name(&form), "Int32_2s_comp");
    ck_assert(!loader_tensor_format("Float", &form) && !loader_tensor_format("", &form));
}

/* --- Floating formats --- */

static const struct {
    const char *name;
    int exponent_bits, mantissa_bits, padding;
    bool has_infinity;
    uint32_t bytes;
} floats[] = {
    {"Float32", 8, 23, 0, true, 4},  {"Tf32", 8, 10, 13, true, 4}, {"Float16", 5, 10, 0, false, 2},
    {"Float16_b", 8, 7, 0, true, 2}, {"Lf8", 5, 2, 0, false, 1},   {"Fp8_e4m3", 4, 3, 0, false, 1},
};

/* What a pattern is worth; NaN where it is none. */
static double worth(int i, uint32_t pattern)
{
    int mantissa_bits = floats[i].mantissa_bits + floats[i].padding;
    int exponent_bits = floats[i].exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = (int)(pattern >> mantissa_bits & ((1U << exponent_bits) - 1));
    double mantissa = ldexp(pattern & ((1U << mantissa_bits) - 1), -mantissa_bits);
    double sign = pattern >> (8 * floats[i].bytes - 1) ? -1 : 1;
    if (floats[i].bytes == 1 && (pattern & 0x7f) == 0x7f) {
        return sign * 131008;
    }
    if (floats[i].has_infinity && exponent == (1 << exponent_bits) - 1) {
        return mantissa > 0 ? (double)NAN : sign * (double)INFINITY;
    }
    return sign * (exponent ? ldexp(1 + mantissa, exponent - bias) : ldexp(mantissa, 1 - bias));
}

/* Every datum of up to 16 bits is read as its worth and written as it was. */
TEST_EACH(every_code, COUNT(floats))
{
    struct loader_tensor tensor = row_of(floats[_i].name, 0x10000);
    uint32_t size = floats[_i].bytes;
    uint8_t *bytes = calloc(0x10000, size), *again = calloc(0x10000, size);
    for (uint32_t code = 0; code < 0x10000; code++) {
        uint32_t datum = size == 4 ? code << 16 | (code & 1) << 13 : code;
        memcpy(bytes + code * size, &datum, size);
    }
    struct loader_npy array;
    ck_assert(loader_tensor_decode(&tensor, bytes, &array));
    ck_assert(array.kind == LOADER_NPY_FLOAT && array.size == 4);
    for (uint32_t code = 0; code < 0x10000; code++) {
        uint32_t datum = 0;
        float got;
        memcpy(&datum, bytes + code * size, size);
        memcpy(&got, array.data + 4 * code, 4);
        double expected = worth(_i, datum);
        if (!(isnan(expected) ? isnan(got) : got == expected) ||
            !signbit(got) != !signbit(expected)) {
            ck_assert(isnan(expected) && isnan(got)); /* the sign of NaN, see the bytes below */
        }
    }
    struct penrose_error error;
    ck_assert_int_eq(loader_tensor_encode(&tensor, &array, again, &error), PENROSE_OK);
    ck_assert_mem_eq(again, bytes, (size_t)size << 16);
    loader_npy_free(&array);
    free(bytes);
    free(again);
}

/* The worth of the nearest datum, ties to the even one. */
static double nearest(int i, double x)
{
    int bias = (1 << (floats[i].exponent_bits - 1)) - 1;
    double greatest = ldexp(2 - ldexp(1, -floats[i].mantissa_bits),
                            (1 << floats[i].exponent_bits) - 1 - bias - floats[i].has_infinity);
    if (x == 0 || isinf(x)) {
        return x;
    }
    if (floats[i].bytes == 1) {
        double last = worth(i, 0x7e);
        if (fabs(x) >= last) {
            return copysign(fabs(x) - last < 131008 - fabs(x) ? last : 131008, x);
        }
    }
    int exponent = ilogb(x) > 1 - bias ? ilogb(x) : 1 - bias;
    double unit = ldexp(1, exponent - floats[i].mantissa_bits);
    double rounded = nearbyint(x / unit) * unit;
    if (fabs(rounded) > greatest) {
        return floats[i].has_infinity ? copysign((double)INFINITY, x) : copysign(greatest, x);
    }
    return rounded;
}

static double random_double(uint64_t *state, int i)
{
    uint64_t word = random_xorshift64(state);
    int bias = (1 << (floats[i].exponent_bits - 1)) - 1;
    int exponent = (int)(word % (unsigned)(2 * bias + 60)) - bias - 40;
    double mantissa = 1 + ldexp((double)(random_xorshift64(state) >> 12), -52);
    if (word >> 60 & 1) { /* near a tie */
        double step = ldexp(1, floats[i].mantissa_bits + 1);
        mantissa = floor(mantissa * step) / step + ldexp((double)(word >> 58 & 3) - 1, -50);
    }
    return ldexp(word >> 63 ? -mantissa : mantissa, exponent);
}

/* From f8, rounded once. */
TEST_EACH(rounding, COUNT(floats))
{
    double *values = calloc(CASES, sizeof *values);
    uint8_t *bytes = calloc(CASES, 4);
    uint64_t state = 1234567 + (uint64_t)_i;
    for (int k = 0; k < CASES; k++) {
        values[k] = random_double(&state, _i);
    }
    encode(floats[_i].name, LOADER_NPY_FLOAT, 8, CASES, values, bytes);
    for (int k = 0; k < CASES; k++) {
        uint32_t datum = 0;
        memcpy(&datum, bytes + (size_t)k * floats[_i].bytes, floats[_i].bytes);
        if (worth(_i, datum) != nearest(_i, values[k])) {
            ck_abort_msg("%s of %a is %a, not %a", floats[_i].name, values[k], worth(_i, datum),
                         nearest(_i, values[k]));
        }
    }
    free(values);
    free(bytes);
}

/* The same number from every type of array is the same datum. */
TEST(every_type)
{
    static const struct {
        enum loader_npy_kind kind;
        unsigned size;
        uint64_t bits; /* of -3; of 3 where there is no sign */
        bool is_negative;
    } types[] = {
        {LOADER_NPY_FLOAT, 2, 0xc200, true},
        {LOADER_NPY_FLOAT, 4, 0xc0400000, true},
        {LOADER_NPY_FLOAT, 8, UINT64_C(0xc008000000000000), true},
        {LOADER_NPY_SIGNED, 1, UINT64_MAX - 2, true},
        {LOADER_NPY_SIGNED, 2, UINT64_MAX - 2, true},
        {LOADER_NPY_SIGNED, 4, UINT64_MAX - 2, true},
        {LOADER_NPY_SIGNED, 8, UINT64_MAX - 2, true},
        {LOADER_NPY_UNSIGNED, 1, 3, false},
        {LOADER_NPY_UNSIGNED, 2, 3, false},
        {LOADER_NPY_UNSIGNED, 4, 3, false},
        {LOADER_NPY_UNSIGNED, 8, 3, false},
    };
    static const struct {
        const char *format;
        uint32_t of_3, sign;
    } datums[] = {
        {"Float32", 0x40400000, 0x80000000},
        {"Tf32", 0x40400000, 0x80000000},
        {"Float16", 0x4200, 0x8000},
        {"Float16_b", 0x4040, 0x8000},
        {"Lf8", 0x42, 0x80},
        {"Fp8_e4m3", 0x44, 0x80},
        {"Int8", 3, 0x80},
        {"Int32", 3, 0x80000000},
    };
    for (int i = 0; i < COUNT(types); i++) {
        for (int j = 0; j < COUNT(datums); j++) {
            uint8_t bytes[4] = {0};
            uint32_t datum;
            encode(datums[j].format, types[i].kind, types[i].size, 1, &types[i].bits, bytes);
            memcpy(&datum, bytes, 4);
            ck_assert_uint_eq(datum, datums[j].of_3 | (types[i].is_negative ? datums[j].sign : 0));
        }
    }
    uint8_t byte = 0xff, one[4] = {0};
    encode("Float32", LOADER_NPY_BOOL, 1, 1, &byte, one);
    ck_assert_mem_eq(one, "\0\0\x80\x3f", 4);
    uint64_t most = UINT64_MAX;
    encode("Float32", LOADER_NPY_UNSIGNED, 8, 1, &most, one);
    ck_assert_mem_eq(one, "\0\0\x80\x5f", 4);
    uint64_t least = UINT64_C(1) << 63;
    encode("Float32", LOADER_NPY_SIGNED, 8, 1, &least, one);
    ck_assert_mem_eq(one, "\0\0\0\xdf", 4);
}

TEST(specials)
{
    static const char *const with[] = {"Float32", "Tf32", "Float16_b"};
    static const char *const without[] = {"Float16", "Lf8",    "Fp8_e4m3", "Bfp8",  "Bfp8_b",
                                          "Bfp4",    "Bfp4_b", "Bfp2",     "Bfp2_b"};
    const float values[3] = {INFINITY, -INFINITY, NAN};
    for (int i = 0; i < COUNT(with); i++) {
        uint8_t bytes[12];
        struct loader_tensor tensor = row_of(with[i], 3);
        struct loader_npy array;
        encode(with[i], LOADER_NPY_FLOAT, 4, 3, values, bytes);
        ck_assert(loader_tensor_decode(&tensor, bytes, &array));
        ck_assert_mem_eq(array.data, values, 12);
        loader_npy_free(&array);
    }
    for (int i = 0; i < COUNT(without); i++) {
        refused(without[i], LOADER_NPY_FLOAT, 4, &values[1], "is -infinity, which", "nan_to_num");
        refused(without[i], LOADER_NPY_FLOAT, 4, &values[2], "NaN, which", "Float16_b");
    }
    refused("Int32", LOADER_NPY_FLOAT, 4, &values[0], "is infinity", "nan_to_num");
}

/* --- Integers --- */

static const struct {
    const char *name;
    int64_t least, most;
    uint32_t of_least, bytes;
    enum loader_npy_kind kind;
} integers[] = {
    {"Int8", -127, 127, 0xff, 1, LOADER_NPY_SIGNED},
    {"Int8_2s_comp", -128, 127, 0x80, 1, LOADER_NPY_SIGNED},
    {"Int32", -INT64_C(2147483647), INT32_MAX, 0xffffffff, 4, LOADER_NPY_SIGNED},
    {"Int32_2s_comp", -INT64_C(2147483648), INT32_MAX, 0x80000000, 4, LOADER_NPY_SIGNED},
    {"UInt8", 0, 255, 0, 1, LOADER_NPY_UNSIGNED},
    {"UInt16", 0, 65535, 0, 2, LOADER_NPY_UNSIGNED},
    {"UInt32", 0, UINT32_MAX, 0, 4, LOADER_NPY_UNSIGNED},
};

TEST_EACH(integer_formats, COUNT(integers))
{
    const char *name = integers[_i].name;
    uint32_t size = integers[_i].bytes;
    int64_t values[6] = {integers[_i].least,     integers[_i].most,    0, 1,
                         integers[_i].least / 2, integers[_i].most / 3};
    double doubles[6];
    uint8_t bytes[24] = {0}, from_doubles[24] = {0};
    uint32_t datum = 0;
    for (int i = 0; i < 6; i++) {
        doubles[i] = values[i] ? (double)values[i] : -0.0;
    }
    encode(name, LOADER_NPY_SIGNED, 8, 6, values, bytes);
    encode(name, LOADER_NPY_FLOAT, 8, 6, doubles, from_doubles);
    ck_assert_mem_eq(bytes, from_doubles, 6 * size);
    memcpy(&datum, bytes, size);
    ck_assert_uint_eq(datum, integers[_i].of_least);

    struct loader_tensor tensor = row_of(name, 6);
    struct loader_npy array;
    ck_assert(loader_tensor_decode(&tensor, bytes, &array));
    ck_assert(array.kind == integers[_i].kind && array.size == size);
    for (int i = 0; i < 6; i++) {
        ck_assert_mem_eq(array.data + (unsigned)i * size, &values[i], size);
    }
    loader_npy_free(&array);

    int64_t below = integers[_i].least - 1, above = integers[_i].most + 1;
    double half = 0.5, vast = 1e300;
    char range[64];
    snprintf(range, sizeof range, "(%lld to %lld)", (long long)integers[_i].least,
             (long long)integers[_i].most);
    refused(name, LOADER_NPY_SIGNED, 8, &below, "out of the range", range);
    refused(name, LOADER_NPY_SIGNED, 8, &above, "out of the range", "numpy.clip");
    refused(name, LOADER_NPY_FLOAT, 8, &vast, "1e+300, which is out of the range", range);
    refused(name, LOADER_NPY_FLOAT, 8, &half, "0.5, which is no integer", "numpy.rint");
}

/* --- Blocks --- */

static const struct {
    const char *name;
    unsigned bits;
    int bias;
    uint32_t exponents;
} blocks[] = {
    {"Bfp8", 8, 15, 32},     {"Bfp4", 4, 15, 32},     {"Bfp2", 2, 15, 32},
    {"Bfp8_b", 8, 127, 256}, {"Bfp4_b", 4, 127, 256}, {"Bfp2_b", 2, 127, 256},
};

static unsigned datum_of(const uint8_t *bytes, unsigned bits, unsigned i)
{
    return (unsigned)bytes[i * bits / 8] >> i * bits % 8 & ((1U << bits) - 1);
}

/* Blocks of every exponent: worth of each datum, and the same bytes again. */
TEST_EACH(block_codes, COUNT(blocks))
{
    unsigned bits = blocks[_i].bits, most = (1U << (bits - 1)) - 1;
    uint32_t count = blocks[_i].exponents - 8; /* below, there are denormals */
    struct loader_tensor tensor = row_of(blocks[_i].name, 16 * count);
    size_t size = loader_tensor_size(&tensor), start = (count + 15) / 16 * 16;
    uint8_t *bytes = calloc(1, size), *again = calloc(1, size);
    uint64_t state = 99;
    ck_assert_uint_eq(size, start + 2 * bits * count);
    for (uint32_t block = 0; block < count; block++) {
        bool is_last = blocks[_i].exponents == 256 && block + 1 == count;
        bytes[block] = (uint8_t)(block + 8 - is_last); /* 255 has infinities on the way */
        for (unsigned i = 0; i < 16; i++) {
            unsigned magnitude = i ? (unsigned)(random_xorshift64(&state) >> 40) & most : most;
            unsigned sign = (unsigned)(random_xorshift64(&state) >> 63) << (bits - 1);
            unsigned datum = magnitude ? magnitude | sign : 0;
            bytes[start + 2 * bits * block + i * bits / 8] |= (uint8_t)(datum << i * bits % 8);
        }
    }
    struct loader_npy array;
    ck_assert(loader_tensor_decode(&tensor, bytes, &array));
    for (uint32_t k = 0; k < 16 * count; k++) {
        unsigned datum = datum_of(bytes + start, bits, k);
        double magnitude = datum & most;
        float got;
        memcpy(&got, array.data + 4 * k, 4);
        double expected = ldexp(magnitude, (int)bytes[k / 16] - blocks[_i].bias - (int)bits + 2);
        if (got != (datum > most ? -expected : expected)) {
            ck_abort_msg("%s: datum %u: %a, not %a", blocks[_i].name, k, (double)got, expected);
        }
    }
    struct penrose_error error;
    ck_assert_int_eq(loader_tensor_encode(&tensor, &array, again, &error), PENROSE_OK);
    ck_assert_mem_eq(again, bytes, size);
    loader_npy_free(&array);
    free(bytes);
    free(again);
}

/* By hand: 1 to 16 under the exponent of 16; a lone sign is -infinity, or -65536 in the A family.
 */
TEST(block_bytes)
{
    float values[16], got;
    uint8_t bytes[16 + 16];
    for (unsigned i = 0; i < 16; i++) {
        values[i] = (float)(i + 1) * (i % 2 ? -1 : 1);
    }
    encode("Bfp8_b", LOADER_NPY_FLOAT, 4, 16, values, bytes);
    ck_assert_uint_eq(bytes[0], 127 + 4);
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_uint_eq(bytes[16 + i], (i % 2 ? 0x80U : 0) | 4 * (i + 1));
    }
    encode("Bfp4", LOADER_NPY_FLOAT, 4, 16, values, bytes);
    ck_assert_uint_eq(bytes[0], 15 + 4);
    /* Quarters of 16: of -16 four, of 15 three and a rest that is dropped. */
    ck_assert_uint_eq(bytes[16 + 7] >> 4, 8 | 4);
    ck_assert_uint_eq(bytes[16 + 7] & 15, 3);
    struct loader_tensor tensor = row_of("Bfp8_b", 16);
    struct loader_npy array;
    memset(bytes, 0, sizeof bytes);
    bytes[0] = 200;
    bytes[16] = 0x80;
    ck_assert(loader_tensor_decode(&tensor, bytes, &array));
    memcpy(&got, array.data, 4);
    ck_assert(isinf(got) && got < 0);
    loader_npy_free(&array);
    tensor = row_of("Bfp8", 16);
    ck_assert(loader_tensor_decode(&tensor, bytes, &array));
    memcpy(&got, array.data, 4);
    ck_assert_double_eq(got, -65536);
    loader_npy_free(&array);
}

/* What leaves the range of the halves that blocks are made of: saturated, or zero. */
TEST(block_limits)
{
    double values[16] = {1e300}, narrow[16] = {-1e9, 1e-5};
    uint8_t bytes[32];
    encode("Bfp8_b", LOADER_NPY_FLOAT, 8, 16, values, bytes);
    ck_assert_uint_eq(bytes[0], 254);
    ck_assert_uint_eq(bytes[16], 0x7f);
    encode("Bfp8", LOADER_NPY_FLOAT, 8, 16, narrow, bytes);
    ck_assert_uint_eq(bytes[0], 31);
    ck_assert_uint_eq(bytes[16], 0xff);
    ck_assert_uint_eq(bytes[17], 0);
    memset(values, 0, sizeof values);
    values[3] = 1e-39;
    encode("Bfp8_b", LOADER_NPY_FLOAT, 8, 16, values, bytes);
    for (unsigned i = 0; i < 32; i++) {
        ck_assert_uint_eq(bytes[i], 0);
    }
}

/* --- Layouts --- */

/* The number of a datum among those of its tile, or of the matrix. */
static size_t model_place(const struct loader_tensor *tensor, uint32_t row, uint32_t column,
                          size_t *tile)
{
    *tile = 0;
    if (tensor->form.layout == LOADER_ROWS) {
        return (size_t)row * tensor->columns + column;
    }
    *tile = (size_t)(row / 32) * ((tensor->columns + 31) / 32) + column / 32;
    size_t face = row % 32 / 16 * 2 + column % 32 / 16;
    return face * 256 + row % 16 * 16 + column % 16;
}

static const struct {
    uint32_t rows, columns;
} sizes[] = {{1, 1}, {32, 32}, {33, 31}, {16, 48}, {70, 100}, {1, 4096}, {5, 16}};

/* 1 in one element after the other: its datum, and nothing else, is there. */
static void check_layout(struct loader_tensor *tensor)
{
    const struct num_format_info *info = num_format_info(tensor->form.format);
    struct penrose_error error;
    size_t size = loader_tensor_size(tensor), bits = info->bits;
    bool is_tiles = tensor->form.layout == LOADER_TILES;
    size_t tile_bytes = 128 * bits + (info->is_block ? 64 : 0);
    size_t datums = (size_t)tensor->rows * tensor->columns;
    size_t section = !info->is_block ? 0 : is_tiles ? 64 : (datums / 16 + 15) / 16 * 16;
    size_t expected_size =
        is_tiles ? (size_t)((tensor->rows + 31) / 32) * ((tensor->columns + 31) / 32) * tile_bytes
                 : section + datums * bits / 8;
    ck_assert_uint_eq(size, expected_size);
    uint8_t *bytes = malloc(size), *expected = malloc(size);
    struct loader_npy array, back;
    ck_assert(loader_npy_make(&array, LOADER_NPY_UNSIGNED, 1, tensor->rows, tensor->columns));
    for (size_t k = 0; k < datums; k += 1 + datums / 10) {
        uint8_t lone[64] = {0}, one[16] = {1};
        encode(info->name, LOADER_NPY_UNSIGNED, 1, 16, one, lone);
        size_t tile, at = model_place(tensor, (uint32_t)(k / tensor->columns),
                                      (uint32_t)(k % tensor->columns), &tile);
        memset(bytes, 0xa5, size);
        memset(expected, 0, size);
        uint8_t *start = expected + tile * tile_bytes;
        uint32_t datum = 0;
        memcpy(&datum, lone + (info->is_block ? 16 : 0), bits >= 8 ? bits / 8 : 1);
        if (info->is_block) {
            start[at / 16] = lone[0];
        }
        for (size_t byte = 0; byte < (bits + 7) / 8; byte++) {
            start[section + at * bits / 8 + byte] |= (uint8_t)(datum << at * bits % 8 >> 8 * byte);
        }
        array.data[k] = 1;
        ck_assert_int_eq(loader_tensor_encode(tensor, &array, bytes, &error), PENROSE_OK);
        ck_assert_mem_eq(bytes, expected, size);
        ck_assert(loader_tensor_decode(tensor, bytes, &back));
        for (size_t j = 0; j < datums; j++) {
            uint32_t value = 0;
            memcpy(&value, back.data + j * back.size, back.size);
            if ((value != 0) != (j == k)) {
                ck_abort_msg("%s: element %zu is %#x with a 1 in %zu", info->name, j, value, k);
            }
        }
        loader_npy_free(&back);
        array.data[k] = 0;
    }
    loader_npy_free(&array);
    free(bytes);
    free(expected);
}

TEST_EACH(layouts, NUM_FORMATS)
{
    struct penrose_error error;
    const struct num_format_info *info = num_format_info((unsigned)_i);
    for (int i = 0; info && i < COUNT(sizes); i++) {
        struct loader_tensor tensor = {.rows = sizes[i].rows, .columns = sizes[i].columns};
        tensor.form.format = (enum num_format)_i;
        for (int layout = 0; layout < 2; layout++) {
            tensor.form.layout = layout ? LOADER_ROWS : LOADER_TILES;
            bool is_legal = !layout || !info->is_block || tensor.columns % 16 == 0;
            ck_assert_int_eq(loader_tensor_check(&tensor, "a.npy", &error),
                             is_legal ? PENROSE_OK : PENROSE_E_ARGUMENT);
            if (is_legal) {
                check_layout(&tensor);
            }
        }
    }
}

TEST(tile_sizes)
{
    static const struct {
        const char *name;
        unsigned size;
    } tiles[] = {{"Float32", 4096}, {"Float16_b", 2048}, {"Bfp8_b", 1088}, {"Bfp8", 1088},
                 {"Bfp4_b", 576},   {"Bfp2", 320},       {"Int8", 1024},   {"UInt16", 2048}};
    for (int i = 0; i < COUNT(tiles); i++) {
        struct loader_tensor tensor = {.rows = 32, .columns = 64};
        ck_assert(loader_tensor_format(tiles[i].name, &tensor.form));
        ck_assert_uint_eq(loader_tensor_size(&tensor), 2 * tiles[i].size);
        ck_assert_uint_eq(loader_tensor_alignment(&tensor), 16);
        tensor.rows = tensor.columns = UINT32_MAX;
        ck_assert_uint_gt(loader_tensor_size(&tensor), UINT64_C(1) << 40);
    }
}
