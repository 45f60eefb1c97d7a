/*
 * Fuzzes readers of small files: the first byte chooses between arrays (.npy) and tt-burnin's images
 * (.ttx), and of those between a zip and what is in one.
 */
#include <zip.h>

#include "fuzz/fuzz_files.h"
#include "loader/npy.h"
#include "loader/tensor.h"
#include "loader/ttx.h"

const unsigned fuzz_inputs = 3000;

enum kind { ARRAY, ZIP, IMAGE, KINDS };

enum { L1_BYTES = 1536 << 10 };

/* --- Seeds --- */

static void append_array(struct fuzz_bytes *seed, bool is_fortran)
{
    struct loader_npy array;
    size_t size;
    REQUIRE(loader_npy_make(&array, LOADER_NPY_FLOAT, 4, 3, 8));
    uint8_t *bytes = loader_npy_format(&array, &size);
    REQUIRE(bytes);
    char *order = memmem(bytes, size, "False", 5);
    if (is_fortran && order) {
        memcpy(order, "True ", 5);
    }
    fuzz_append(seed, bytes, size);
    free(bytes);
    loader_npy_free(&array);
}

static void append_image(struct fuzz_bytes *seed)
{
    const uint32_t words[] = {0x9704266b, 0, 0, 0, 0, 0, 0, 0, /* the header */
                              0x1000,     0, 8, 0, 1, 2,       /* a chunk of two words */
                              0x2000,     0, 4, 0, 3};
    fuzz_append(seed, words, sizeof words);
}

static void make_zip(const char *path, const void *bytes, size_t size)
{
    static const char *const names[] = {"0-0/image.bin", "0-0/ckernels.bin"};
    int code;
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    REQUIRE(zip);
    for (unsigned i = 0; i < 2; i++) {
        zip_source_t *source = zip_source_buffer(zip, bytes, size, 0);
        REQUIRE(source && zip_file_add(zip, names[i], source, ZIP_FL_OVERWRITE) >= 0);
    }
    REQUIRE(zip_close(zip) == 0);
}

/* A zip of an image, or of more zeros than a tile has room for. */
static void append_zip(struct fuzz_bytes *seed, size_t zeros)
{
    struct fuzz_bytes image = {0};
    append_image(&image);
    for (size_t i = 0; i < zeros; i++) {
        fuzz_append_byte(&image, 0);
    }
    make_zip(fuzz_path("seed.ttx"), image.bytes, image.size);
    fuzz_read_file(fuzz_path("seed.ttx"), seed);
    free(image.bytes);
}

bool fuzz_seed(unsigned number, struct fuzz_bytes *seed)
{
    static const uint8_t kinds[] = {ARRAY, ARRAY, ZIP, IMAGE, ZIP};
    const unsigned count = sizeof kinds / sizeof kinds[0];
    unsigned kind = kinds[number % count];
    fuzz_append_byte(seed, (uint8_t)kind);
    if (kind == ARRAY) {
        append_array(seed, number & 1);
    } else if (kind == IMAGE) {
        append_image(seed);
    } else {
        append_zip(seed, number == 4 ? 100 << 20 : 0);
    }
    return number < count;
}

/* --- Inputs --- */

static void read_array(const uint8_t *bytes, size_t size)
{
    struct loader_npy array;
    struct penrose_error error;
    if (loader_npy_parse(bytes, size, "fuzz.npy", &array, &error) == PENROSE_OK) {
        size_t length;
        uint8_t *again = loader_npy_format(&array, &length);
        REQUIRE(again && array.rows > 0 && array.columns > 0);
        free(again);
        loader_npy_free(&array);
    }
}

static void read_image(const char *path)
{
    struct loader_writes writes = {0};
    struct penrose_error error;
    if (loader_ttx_read(path, L1_BYTES, &writes, &error) == PENROSE_OK) {
        for (unsigned i = 0; i < writes.count; i++) {
            REQUIRE(writes.write[i].size <= L1_BYTES - writes.write[i].address);
        }
    }
    loader_writes_free(&writes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const char *path = fuzz_path("input.ttx");
    switch (bytes[0] % KINDS) {
    case ARRAY:
        read_array(bytes + 1, size - 1);
        break;
    case ZIP:
        fuzz_write_file(path, bytes + 1, size - 1);
        read_image(path);
        break;
    default:
        make_zip(path, bytes + 1, size - 1);
        read_image(path);
        break;
    }
    return 0;
}
