/* loader/npy.h on files written by hand: every type, both orders, and what is no such file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/elf.h"
#include "loader/npy.h"
#include "unit/test.h"

enum { ROOM = 4096 };

struct file {
    uint8_t bytes[ROOM];
    size_t size;
};

/* Header text as it stands, and elements 1, 2, 3, ... in the file's order. */
static struct file make_file(unsigned version, const char *header, unsigned element, size_t count)
{
    struct file file = {.bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)version, 0}, .size = 8};
    size_t length = strlen(header), width = version == 1 ? 2 : 4;
    for (size_t i = 0; i < width; i++) {
        file.bytes[file.size++] = (uint8_t)(length >> 8 * i);
    }
    memcpy(file.bytes + file.size, header, length);
    file.size += length;
    for (size_t i = 0; i < count; i++) {
        file.bytes[file.size + i * element] = (uint8_t)(i + 1);
    }
    file.size += count * element;
    return file;
}

static enum penrose_status parse(const struct file *file, struct loader_npy *array,
                                 struct penrose_error *error)
{
    uint8_t *exact = malloc(file->size ? file->size : 1); /* so that sanitizers see its end */
    memcpy(exact, file->bytes, file->size);
    enum penrose_status status = loader_npy_parse(exact, file->size, "test.npy", array, error);
    free(exact);
    return status;
}

static const struct {
    const char *type;
    enum loader_npy_kind kind;
    unsigned size;
} types[] = {
    {"<f2", LOADER_NPY_FLOAT, 2},    {"<f4", LOADER_NPY_FLOAT, 4},
    {"<f8", LOADER_NPY_FLOAT, 8},    {"|i1", LOADER_NPY_SIGNED, 1},
    {"<i2", LOADER_NPY_SIGNED, 2},   {"<i4", LOADER_NPY_SIGNED, 4},
    {"<i8", LOADER_NPY_SIGNED, 8},   {"|u1", LOADER_NPY_UNSIGNED, 1},
    {"<u2", LOADER_NPY_UNSIGNED, 2}, {"<u4", LOADER_NPY_UNSIGNED, 4},
    {"<u8", LOADER_NPY_UNSIGNED, 8}, {"|b1", LOADER_NPY_BOOL, 1},
};

/* Each type in each version, and again from what loader_npy_format makes of it. */
TEST_EACH(every_type, COUNT(types))
{
    char header[128], type[4];
    struct penrose_error error;
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2, 3), }\n",
             types[_i].type);
    for (unsigned version = 1; version <= 3; version++) {
        struct file file = make_file(version, header, types[_i].size, 6), again;
        struct loader_npy array;
        ck_assert_msg(parse(&file, &array, &error) == PENROSE_OK, "%s", error.text);
        ck_assert_int_eq(array.kind, types[_i].kind);
        ck_assert_uint_eq(array.size, types[_i].size);
        ck_assert_uint_eq(array.rows, 2);
        ck_assert_uint_eq(array.columns, 3);
        ck_assert_mem_eq(array.data, file.bytes + file.size - 6 * array.size, 6 * array.size);
        ck_assert_str_eq(loader_npy_type(array.kind, array.size, type), types[_i].type);

        uint8_t *text = loader_npy_format(&array, &again.size);
        ck_assert_ptr_nonnull(text);
        ck_assert_uint_eq(again.size, 128 + 6 * array.size);
        memcpy(again.bytes, text, again.size);
        free(text);
        struct loader_npy second;
        ck_assert_int_eq(parse(&again, &second, &error), PENROSE_OK);
        ck_assert_mem_eq(second.data, array.data, 6 * array.size);
        ck_assert_int_eq(second.kind, array.kind);
        loader_npy_free(&second);
        loader_npy_free(&array);
        ck_assert_ptr_null(array.data);
    }
}

/* As numpy.save wrote numpy.array([[1, 2, 3]], dtype='u1'). */
TEST(same_bytes_as_numpy)
{
    struct loader_npy array;
    ck_assert(loader_npy_make(&array, LOADER_NPY_UNSIGNED, 1, 1, 3));
    memcpy(array.data, "\1\2\3", 3);
    size_t size;
    uint8_t *bytes = loader_npy_format(&array, &size);
    char expected[128 + 3 + 1];
    int length = snprintf(expected, sizeof expected, "\x93NUMPY\1_v_%-117s\n\1\2\3",
                          "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3), }");
    ck_assert_int_eq(length, 131);
    expected[7] = expected[9] = 0;
    ck_assert_uint_eq(size, 131);
    ck_assert_mem_eq(bytes, expected, size);
    free(bytes);
    loader_npy_free(&array);
}

/* Shapes become matrices; elements come in C order. */
TEST_EACH(shapes, 11)
{
    static const struct {
        const char *rest;
        uint32_t rows, columns;
        uint8_t first[6];
    } cases[] = {
        {"'fortran_order': False, 'shape': (6,), }", 1, 6, {1, 2, 3, 4, 5, 6}},
        {"'fortran_order': True, 'shape': (6,), }", 1, 6, {1, 2, 3, 4, 5, 6}},
        {"'fortran_order': False, 'shape': (), }", 1, 1, {1}},
        {"'fortran_order': False, 'shape': (3, 2)}   \n", 3, 2, {1, 2, 3, 4, 5, 6}},
        {"'fortran_order': True, 'shape': (3, 2)}", 3, 2, {1, 4, 2, 5, 3, 6}},
        {"'fortran_order': True, 'shape': (2, 3)}", 2, 3, {1, 3, 5, 2, 4, 6}},
        {"'shape': ( 2L , 3L, ) , 'fortran_order' : True}", 2, 3, {1, 3, 5, 2, 4, 6}},
        {"'fortran_order': False, 'shape': (2, 2, 6)}", 4, 6, {1, 2, 3, 4, 5, 6}},
        {"'fortran_order': True, 'shape': (2, 2, 6)}", 4, 6, {1, 5, 9, 13, 17, 21}},
        {"'fortran_order': True, 'shape': (2, 3, 4)}", 6, 4, {1, 7, 13, 19, 3, 9}},
        {"\"fortran_order\": False, \"shape\": (1, 1, 1, 24)}", 1, 24, {1, 2, 3, 4, 5, 6}},
    };
    char header[160];
    struct penrose_error error;
    struct loader_npy array;
    snprintf(header, sizeof header, "{'descr': '<u2', %s", cases[_i].rest);
    struct file file = make_file(1, header, 2, 24);
    ck_assert_msg(parse(&file, &array, &error) == PENROSE_OK, "%s", error.text);
    ck_assert_uint_eq(array.rows, cases[_i].rows);
    ck_assert_uint_eq(array.columns, cases[_i].columns);
    for (size_t i = 0; i < 6 && i < (size_t)array.rows * array.columns; i++) {
        ck_assert_uint_eq(array.data[2 * i], cases[_i].first[i]);
        ck_assert_uint_eq(array.data[2 * i + 1], 0);
    }
    loader_npy_free(&array);
}

#define PLAIN(type, shape) "{'descr': '" type "', 'fortran_order': False, 'shape': " shape ", }"

static const struct {
    const char *header, *message;
} bad_headers[] = {
    {PLAIN(">f4", "(2,)"), "not little-endian"},
    {PLAIN("=f4", "(2,)"), "not little-endian"},
    {PLAIN("<f3", "(2,)"), "of the type '<f3'"},
    {PLAIN("|f1", "(2,)"), "of the type '|f1'"},
    {PLAIN("<f16", "(2,)"), "of the type '<f16'"},
    {PLAIN("<c8", "(2,)"), "astype"},
    {PLAIN("|O", "(2,)"), "astype"},
    {PLAIN("|V2", "(2,)"), "astype"},
    {PLAIN("<U4", "(2,)"), "astype"},
    {PLAIN("", "(2,)"), "of the type ''"},
    {PLAIN("<f4", "(0, 5)"), "no elements"},
    {PLAIN("<f4", "(9, 9)"), "truncated"},
    {PLAIN("<f4", "(4294967296, 4294967296)"), "truncated"},
    {PLAIN("<f4", "(18446744073709551615, 2)"), "not understood"},
    {PLAIN("<f4", "(99999999999999999999999, 2)"), "not understood"},
    {PLAIN("<f4", "(-1, 2)"), "not understood"},
    {PLAIN("<f4", "(2"), "not understood"},
    {PLAIN("<f4", "(,)"), "not understood"},
    {PLAIN("<f4", "2"), "not understood"},
    {PLAIN("<f4", "(2.0,)"), "not understood"},
    {PLAIN("<f4", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
     "not understood"},
    {PLAIN("<f4", "(2,), 'shape': (2,)"), "not understood"},
    {PLAIN("<f4", "(2,), 'other': (2,)"), "not understood"},
    {PLAIN("<f4 and more than thirty-two letters", "(2,)"), "not understood"},
    {PLAIN("<f4", "(2,)") " trailing", "not understood"},
    {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }", "with fields"},
    {"{'descr': '<f4', 'shape': (2,), }", "not understood"},
    {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }", "not understood"},
    {"{'descr': '<f4' 'fortran_order': True, 'shape': (2,), }", "not understood"},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (2,), ", "not understood"},
    {"{'descr", "not understood"},
    {"{", "not understood"},
    {"", "not understood"},
    {"\n\n\n", "not understood"},
};

TEST_EACH(bad_header, COUNT(bad_headers))
{
    struct penrose_error error;
    struct loader_npy array;
    struct file file = make_file(1, bad_headers[_i].header, 4, 10);
    ck_assert_int_eq(parse(&file, &array, &error), PENROSE_E_FORMAT);
    ck_assert_msg(strstr(error.text, bad_headers[_i].message) != NULL, "%s: %s",
                  bad_headers[_i].header, error.text);
    ck_assert_msg(strncmp(error.text, "test.npy: ", 10) == 0, "%s", error.text);
    ck_assert_ptr_null(array.data);
}

/* Every shorter file is refused, every damaged byte of the header is refused or read. */
TEST_RANGE(damage, 1, 3)
{
    struct penrose_error error;
    struct loader_npy array;
    const struct file whole = make_file((unsigned)_i, PLAIN("<f4", "(2, 3)") "\n", 4, 6);
    for (size_t size = 0; size < whole.size; size++) {
        struct file cut = whole;
        cut.size = size;
        ck_assert_int_eq(parse(&cut, &array, &error), PENROSE_E_FORMAT);
    }
    for (size_t at = 0; at < whole.size - 24; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            struct file damaged = whole;
            damaged.bytes[at] ^= (uint8_t)(1U << bit);
            enum penrose_status status = parse(&damaged, &array, &error);
            ck_assert(status == PENROSE_OK || status == PENROSE_E_FORMAT);
            ck_assert(status != PENROSE_OK || array.data);
            loader_npy_free(&array);
        }
    }
    struct file version = whole;
    version.bytes[6] = 4;
    ck_assert_int_eq(parse(&version, &array, &error), PENROSE_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "version 4"));
}

TEST(huge_header)
{
    struct penrose_error error;
    struct loader_npy array;
    size_t size = 12 + LOADER_NPY_MAX_HEADER + 1;
    uint8_t *bytes = calloc(1, size);
    memcpy(bytes, "\x93NUMPY\2\0", 8);
    for (unsigned i = 0; i < 4; i++) {
        bytes[8 + i] = (uint8_t)((LOADER_NPY_MAX_HEADER + 1) >> 8 * i);
    }
    ck_assert_int_eq(loader_npy_parse(bytes, size, "x", &array, &error), PENROSE_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "a header of 65537 bytes"));
    memset(bytes + 8, 0xff, 4);
    ck_assert_int_eq(loader_npy_parse(bytes, size, "x", &array, &error), PENROSE_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "truncated"));
    free(bytes);
}

TEST(files)
{
    char path[] = P_tmpdir "/check_loader_npy.XXXXXX";
    struct penrose_error error;
    struct loader_npy array;
    struct file file = make_file(1, PLAIN("|u1", "(3,)"), 1, 3);
    int handle = mkstemp(path);
    ck_assert_int_ge(handle, 0);
    ck_assert_int_eq(write(handle, file.bytes, file.size), (ssize_t)file.size);
    close(handle);
    ck_assert_int_eq(loader_npy_read(path, &array, &error), PENROSE_OK);
    ck_assert_mem_eq(array.data, "\1\2\3", 3);
    loader_npy_free(&array);
    ck_assert_int_eq(truncate(path, (off_t)LOADER_MAX_FILE + 1), 0);
    ck_assert_int_eq(loader_npy_read(path, &array, &error), PENROSE_E_FORMAT);
    unlink(path);
    ck_assert_int_eq(loader_npy_read(path, &array, &error), PENROSE_E_FILE);
    ck_assert_int_eq(loader_npy_read("/", &array, &error), PENROSE_E_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, "not a regular file"));
    ck_assert_ptr_null(array.data);
}
