/* Matrix products on a tile: see product.h. */
#include "product.h"

#include "../firmware/tensor/arguments.h"
#include "image.h"
#include "num/tensix_format.h"

enum {
    TILE_WORDS = 1024,
    MATRIX_WORDS = PRODUCT_ROWS * PRODUCT_MOST_INNER * TILE_WORDS,
    MATRIX_A = 0x40000,
    MATRIX_B = 0x60000,
    MAILBOX = 0x8100, /* of T0; the others follow in steps of MAILBOX_STEP */
    MAILBOX_STEP = 0x100,
    MAILBOX_DONE = 0x7c,
};

#define TRISC_RESET_PC          UINT32_C(0xffb12228) /* T1 and T2 follow */
#define TRISC_RESET_PC_OVERRIDE UINT32_C(0xffb12234)

/* Random BF16 numbers of ordinary size. */
static void fill(uint16_t *matrix, unsigned words, uint32_t state)
{
    for (unsigned i = 0; i < words; i++) {
        state = state * 1664525 + 1013904223;
        matrix[i] = (uint16_t)((state >> 8 & 0x807f) | (124 + (state >> 24) % 6) << 7);
    }
}

void product_load(struct bench_device *device, unsigned x, unsigned y, const char *guests,
                  unsigned phases, unsigned inner)
{
    static const char *const programs[PRODUCT_TRISCS] = {
        "tensor/matmul-flag-trisc0", "tensor/matmul-flag-trisc1", "tensor/matmul-flag-trisc2"};
    const uint32_t arguments[ARGUMENTS_END] = {
        [ARGUMENT_A] = MATRIX_A,
        [ARGUMENT_B] = MATRIX_B,
        [ARGUMENT_RESULT] = PRODUCT_RESULT,
        [ARGUMENT_ROWS] = PRODUCT_ROWS,
        [ARGUMENT_COLUMNS] = PRODUCT_ROWS,
        [ARGUMENT_INNER] = inner,
        [ARGUMENT_FORMAT_A] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_B] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_SRC_A] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_SRC_B] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_PACK] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_RESULT] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_PHASES] = phases,
    };
    uint16_t matrix[MATRIX_WORDS] = {0};
    unsigned words = PRODUCT_ROWS * inner * TILE_WORDS;
    fill(matrix, words, 1);
    bench_write(device, x, y, MATRIX_A, matrix, 2 * words);
    fill(matrix, words, 2);
    bench_write(device, x, y, MATRIX_B, matrix, 2 * words);
    bench_write(device, x, y, ARGUMENTS, arguments, sizeof arguments);
    bench_write_word(device, x, y, TRISC_RESET_PC_OVERRIDE, 7);
    for (unsigned i = 0; i < PRODUCT_TRISCS; i++) {
        struct image *image = image_open(guests, programs[i]);
        image_load(device, x, y, image);
        bench_write_word(device, x, y, TRISC_RESET_PC + 4 * i, image->entry);
        image_close(image);
        product_rewind(device, x, y, i);
    }
}

void product_rewind(struct bench_device *device, unsigned x, unsigned y, unsigned i)
{
    bench_write_word(device, x, y, MAILBOX + i * MAILBOX_STEP + MAILBOX_DONE, 0);
}

bool product_is_done(struct bench_device *device, unsigned x, unsigned y, unsigned i)
{
    return bench_word(device, x, y, MAILBOX + i * MAILBOX_STEP + MAILBOX_DONE) != 0;
}
