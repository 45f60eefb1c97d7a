/* Sparse memory against a plain array. */
#include <stdlib.h>
#include <string.h>

#include "chip/sparse.h"
#include "unit/test.h"

/* Windows of addresses, far apart and across chunks, shown in one array. */
static const uint64_t bases[] = {0, SPARSE_CHUNK_BYTES - 500, UINT64_C(0xfeff0000),
                                 UINT64_C(0x4030000000) - 100, UINT64_MAX - 2000};
enum { WINDOWS = sizeof bases / sizeof bases[0], WINDOW = 1000, STEPS = 3000 };

TEST_EACH(holds_what_was_written, 5)
{
    static uint8_t model[WINDOWS][WINDOW];
    struct sparse memory = {0};
    uint8_t bytes[WINDOW];
    memset(model, 0, sizeof model);
    srand((unsigned)_i + 1);
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned w = (unsigned)rand() % WINDOWS, at = (unsigned)rand() % WINDOW;
        unsigned size = (unsigned)rand() % (WINDOW - at + 1);
        if (rand() % 2) {
            for (unsigned i = 0; i < size; i++) {
                bytes[i] = (uint8_t)rand();
            }
            ck_assert(sparse_write(&memory, bases[w] + at, bytes, size));
            memcpy(&model[w][at], bytes, size);
        } else {
            memset(bytes, 0xee, sizeof bytes);
            sparse_read(&memory, bases[w] + at, bytes, size);
            ck_assert_int_eq(memcmp(bytes, &model[w][at], size), 0);
        }
    }
    sparse_free(&memory);
}

TEST(reads_take_no_room)
{
    struct sparse memory = {0};
    uint8_t byte = 5;
    for (unsigned i = 0; i < 100; i++) {
        sparse_read(&memory, (uint64_t)i << SPARSE_CHUNK_SHIFT, &byte, 1);
        ck_assert_uint_eq(byte, 0);
    }
    ck_assert_uint_eq(memory.used, 0);
    ck_assert_ptr_null(sparse_chunk(&memory, 0));
    for (unsigned i = 0; i < 500; i++) { /* the table grows */
        byte = (uint8_t)i;
        ck_assert(sparse_write(&memory, (uint64_t)i << 32, &byte, 1));
    }
    ck_assert_uint_eq(memory.used, 500);
    for (unsigned i = 0; i < 500; i++) {
        ck_assert_uint_eq(*sparse_chunk(&memory, (uint64_t)i << 32), (uint8_t)i);
    }
    sparse_free(&memory);
    ck_assert_uint_eq(memory.used, 0);
}
