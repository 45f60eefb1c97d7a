/* PNG with a palette, in base64. SPEC: W3C Portable Network Graphics. */
#include "observe/dump/picture.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

enum {
    NO_NUMBER = 255, /* in the palette; 0 to 254 go from blue over white (127) to red */
    WHITE = 127,
    PALETTE = 256,
    OVERHEAD = 2048, /* more bytes than all has besides the data */
};

/* Bytes that are put one after the other, into room that is large enough. */
struct encoder {
    uint8_t *bytes;
    size_t size;
};

static void put_byte(struct encoder *encoder, unsigned value)
{
    encoder->bytes[encoder->size++] = (uint8_t)value;
}

static void put_big_endian(struct encoder *encoder, uint32_t value)
{
    for (unsigned shift = 32; shift > 0; shift -= 8) {
        put_byte(encoder, value >> (shift - 8));
    }
}

static void put_bytes(struct encoder *encoder, const void *bytes, size_t size)
{
    memcpy(encoder->bytes + encoder->size, bytes, size);
    encoder->size += size;
}

/* --- Chunks --- */

/* Begins a chunk; answers where. */
static size_t begin_chunk(struct encoder *encoder, const char type[4])
{
    size_t start = encoder->size;
    put_big_endian(encoder, 0);
    put_bytes(encoder, type, 4);
    return start;
}

/* Fills in the length and adds the check sum, which is of type and data. */
static void end_chunk(struct encoder *encoder, size_t start)
{
    enum { LENGTH = 4, TYPE = 4 };
    struct encoder length = {.bytes = encoder->bytes + start};
    put_big_endian(&length, (uint32_t)(encoder->size - start - LENGTH - TYPE));
    put_big_endian(encoder, (uint32_t)crc32(0, encoder->bytes + start + LENGTH,
                                            (uInt)(encoder->size - start - LENGTH)));
}

static void put_header(struct encoder *encoder, unsigned rows, unsigned columns)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    enum { DEPTH = 8, INDEXED = 3 };
    put_bytes(encoder, signature, sizeof signature);
    size_t start = begin_chunk(encoder, "IHDR");
    put_big_endian(encoder, columns);
    put_big_endian(encoder, rows);
    put_byte(encoder, DEPTH);
    put_byte(encoder, INDEXED);
    for (unsigned i = 0; i < 3; i++) { /* compression, filter, interlace: the usual ones */
        put_byte(encoder, 0);
    }
    end_chunk(encoder, start);
}

static void put_palette(struct encoder *encoder)
{
    size_t start = begin_chunk(encoder, "PLTE");
    for (unsigned i = 0; i < PALETTE; i++) {
        unsigned fade = i < WHITE ? 2 * i : 2 * (2 * WHITE - i);
        bool is_number = i != NO_NUMBER;
        put_byte(encoder, is_number ? (i < WHITE ? fade : 255) : 0);
        put_byte(encoder, is_number ? fade : 200);
        put_byte(encoder, is_number ? (i <= WHITE ? 255 : fade) : 0);
    }
    end_chunk(encoder, start);
}

/* There is room for compressBound(size) bytes. */
static void put_data(struct encoder *encoder, const uint8_t *data, size_t size)
{
    size_t start = begin_chunk(encoder, "IDAT");
    uLongf length = compressBound(size);
    if (compress(encoder->bytes + encoder->size, &length, data, size) == Z_OK) {
        encoder->size += length;
    } /* without memory the picture is broken */
    end_chunk(encoder, start);
}

/* --- Pictures --- */

static uint8_t color_of(float value, float most)
{
    if (!isfinite(value)) {
        return NO_NUMBER;
    }
    float share = most > 0 ? value / most : 0;
    share = share > 1 ? 1 : share < -1 ? -1 : share;
    int steps = (int)(share * WHITE);
    bool is_small = steps == 0 && value != 0; /* shows that it is not 0 */
    return (uint8_t)(WHITE + (is_small ? (value > 0 ? 1 : -1) : steps));
}

static void put_base64(FILE *file, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t word = (uint32_t)bytes[i] << 16;
        word |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        word |= i + 2 < size ? bytes[i + 2] : 0;
        fputc(digits[word >> 18], file);
        fputc(digits[word >> 12 & 63], file);
        fputc(i + 1 < size ? digits[word >> 6 & 63] : '=', file);
        fputc(i + 2 < size ? digits[word & 63] : '=', file);
    }
}

void picture_put(FILE *file, const float *data, unsigned rows, unsigned columns, float most)
{
    size_t size = (size_t)rows * (columns + 1); /* each row begins with its filter: none */
    uint8_t *pixels = calloc(size, 1);
    struct encoder encoder = {.bytes = malloc(compressBound(size) + OVERHEAD)};
    if (pixels && encoder.bytes) {
        for (size_t i = 0; i < (size_t)rows * columns; i++) {
            pixels[i / columns * (columns + 1) + 1 + i % columns] = color_of(data[i], most);
        }
        put_header(&encoder, rows, columns);
        put_palette(&encoder);
        put_data(&encoder, pixels, size);
        end_chunk(&encoder, begin_chunk(&encoder, "IEND"));
        fputs("data:image/png;base64,", file);
        put_base64(file, encoder.bytes, encoder.size);
    }
    free(pixels);
    free(encoder.bytes);
}
