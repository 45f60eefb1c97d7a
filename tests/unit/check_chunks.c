/* Chunks that idle threads have ready: how many, for whom, and that nobody shares one. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chip/chip.h"
#include "chip/sparse.h"
#include "host/pages.h"
#include "run_suite.h"

enum { WORDS = SPARSE_CHUNK_BYTES / sizeof(uint64_t) };

static void give_back(uint8_t *chunk)
{
    host_pages_unmap(chunk, SPARSE_CHUNK_BYTES);
}

static unsigned prepare_all(struct chunks *chunks)
{
    unsigned prepared = 0;
    while (chunks_prepare(chunks)) {
        prepared++;
    }
    return prepared;
}

START_TEST(as_many_as_were_asked_for)
{
    struct chunks chunks = {0};
    ck_assert(!chunks_prepare(&chunks));
    ck_assert_ptr_null(chunks_take(&chunks));
    chunks_want(&chunks, 3);
    ck_assert_ptr_null(chunks_take(&chunks)); /* nobody has made it yet */
    ck_assert_uint_eq(prepare_all(&chunks), 3);
    for (unsigned i = 0; i < 3; i++) {
        uint8_t *chunk = chunks_take(&chunks);
        ck_assert_ptr_nonnull(chunk);
        for (size_t word = 0; word < WORDS; word++) {
            ck_assert_uint_eq(((uint64_t *)chunk)[word], 0);
        }
        memset(chunk, 0xff, SPARSE_CHUNK_BYTES);
        give_back(chunk);
    }
    ck_assert_ptr_null(chunks_take(&chunks));
    chunks_free(&chunks);
}
END_TEST

START_TEST(no_more_than_there_is_room_for)
{
    struct chunks chunks = {0};
    chunks_want(&chunks, 5 * CHUNKS_READY);
    ck_assert_uint_eq(prepare_all(&chunks), CHUNKS_READY);
    give_back(chunks_take(&chunks));
    chunks_want(&chunks, 5);
    ck_assert_uint_eq(prepare_all(&chunks), 1);
    chunks_free(&chunks);
    ck_assert_ptr_null(chunks_take(&chunks));
    chunks_want(&chunks, 2 * CHUNKS_READY);
    ck_assert_uint_eq(prepare_all(&chunks), CHUNKS_READY);
    chunks_free(&chunks);
}
END_TEST

/* --- Several threads --- */

enum { THREADS = 4, TURNS = 200 };

static void *want_prepare_and_take(void *argument)
{
    struct chunks *chunks = argument;
    uintptr_t wrong = 0;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        chunks_want(chunks, 1 + turn % 3);
        chunks_prepare(chunks);
        uint64_t *chunk = (uint64_t *)chunks_take(chunks);
        if (chunk) { /* nobody else has it, or had */
            wrong += __atomic_fetch_add(&chunk[turn % WORDS], 1, __ATOMIC_RELAXED) != 0;
            give_back((uint8_t *)chunk);
        }
    }
    return (void *)wrong;
}

START_TEST(each_has_its_own)
{
    struct chunks chunks = {0};
    pthread_t thread[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, want_prepare_and_take, &chunks), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
    chunks_want(&chunks, CHUNKS_READY);
    prepare_all(&chunks);
    unsigned ready = 0;
    for (uint8_t *chunk; (chunk = chunks_take(&chunks)); ready++) {
        give_back(chunk);
    }
    ck_assert_uint_eq(ready, CHUNKS_READY);
}
END_TEST

/* --- Memory and chips --- */

START_TEST(memory_that_fills_up_takes_them)
{
    struct chunks chunks = {0};
    struct sparse memory = {.chunks = &chunks};
    static const uint8_t bytes[SPARSE_CHUNK_BYTES] = {1, 2, 3};
    chunks_want(&chunks, 2);
    prepare_all(&chunks);
    ck_assert(sparse_write(&memory, 0, bytes, 3)); /* a few bytes */
    ck_assert_uint_eq(chunks.promised, 2);
    ck_assert(sparse_write(&memory, 0, bytes, sizeof bytes));
    ck_assert(sparse_write(&memory, SPARSE_CHUNK_BYTES, bytes, sizeof bytes));
    ck_assert_uint_eq(chunks.promised, 1);
    ck_assert(sparse_write(&memory, 2 * SPARSE_CHUNK_BYTES, bytes, 3));
    ck_assert_uint_eq(chunks.promised, 0);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(memcmp(sparse_chunk(&memory, i * SPARSE_CHUNK_BYTES), bytes, sizeof bytes),
                         0);
    }
    ck_assert(sparse_write(&memory, 3 * SPARSE_CHUNK_BYTES, bytes, 3)); /* none is ready */
    sparse_free(&memory);
    chunks_free(&chunks);
}
END_TEST

static bool has_ready(struct penrose_chip *chip)
{
    enum { MOST_WAITS = 20000 };
    for (unsigned waits = 0; waits < MOST_WAITS; waits++) {
        if (chip->chunks.promised > 0 && chip->chunks.wanted == 0) {
            return true;
        }
        usleep(1000);
    }
    return false;
}

START_TEST(hosts_that_fill_gddr_have_them_made)
{
    enum { X = 17, Y = 12, CHUNKS = 4 };
    struct penrose_options options;
    struct penrose_chip *chip;
    struct penrose_error error;
    uint8_t *bytes = malloc(SPARSE_CHUNK_BYTES), *read = malloc(SPARSE_CHUNK_BYTES);
    penrose_options_default(&options);
    options.threads = (unsigned)_i;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_write(chip, X, Y, 0, "few", 3, &error), PENROSE_OK);
    ck_assert_uint_eq(chip->chunks.promised, 0);
    for (unsigned i = 0; i < CHUNKS; i++) {
        memset(bytes, (int)i + 1, SPARSE_CHUNK_BYTES);
        ck_assert_int_eq(penrose_write(chip, X, Y, (i + 1) * SPARSE_CHUNK_BYTES, bytes,
                                       SPARSE_CHUNK_BYTES, &error),
                         PENROSE_OK);
        ck_assert(chip->chunks.promised > 0);
        ck_assert(_i == 1 || has_ready(chip));
    }
    for (unsigned i = 0; i < CHUNKS; i++) {
        memset(bytes, (int)i + 1, SPARSE_CHUNK_BYTES);
        ck_assert_int_eq(penrose_read(chip, X, Y, (i + 1) * SPARSE_CHUNK_BYTES, read,
                                      SPARSE_CHUNK_BYTES, &error),
                         PENROSE_OK);
        ck_assert_int_eq(memcmp(bytes, read, SPARSE_CHUNK_BYTES), 0);
    }
    penrose_chip_destroy(chip);
    free(bytes);
    free(read);
}
END_TEST

/* As many as the host has filled itself are ready in the end, for the chip to fill. */
START_TEST(all_that_hosts_fill_counts)
{
    enum { BANKS = 8, CHUNKS = 2, PIECES = 64, PIECE = SPARSE_CHUNK_BYTES / PIECES };
    struct penrose_options options;
    struct penrose_chip *chip;
    struct penrose_error error;
    static uint8_t bytes[PIECE] = {1, 2, 3};
    penrose_options_default(&options);
    options.threads = 2;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_OK);
    for (unsigned i = 0; i < BANKS * CHUNKS * PIECES; i++) {
        unsigned bank = i / PIECES / CHUNKS, x = 17 + bank / 4, y = 12 + 3 * (bank % 4);
        uint64_t address = (uint64_t)PIECE * (i % (CHUNKS * PIECES));
        ck_assert_int_eq(penrose_write(chip, x, y, address, bytes, sizeof bytes, &error),
                         PENROSE_OK);
    }
    ck_assert_uint_ge(chip->chunks.promised, BANKS * CHUNKS);
    ck_assert(has_ready(chip));
    penrose_chip_destroy(chip);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("chunks");
    TCase *tcase = tcase_create("ready");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, as_many_as_were_asked_for);
    tcase_add_test(tcase, no_more_than_there_is_room_for);
    tcase_add_test(tcase, each_has_its_own);
    tcase_add_test(tcase, memory_that_fills_up_takes_them);
    tcase_add_loop_test(tcase, hosts_that_fill_gddr_have_them_made, 1, 4);
    tcase_add_test(tcase, all_that_hosts_fill_counts);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
