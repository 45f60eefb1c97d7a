/*
 * What fuzzers have in common. A target is a file fuzz_<subject>.c with the function that libFuzzer
 * calls, and the seeds from which inputs.c makes inputs where libFuzzer is not there: it changes them
 * at random, the same way in each run. Nothing that a target does may take more than MOST_SECONDS or
 * memory beyond MOST_MEMORY (inputs.c), whatever the input says.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

/* --- A target --- */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* How many inputs a run tries; PENROSE_LONG=1 tries fifty times as many. */
extern const unsigned fuzz_inputs;

/* Bytes that grow. */
struct fuzz_bytes {
    uint8_t *bytes;
    size_t size, room;
};

/* Appends seed number `number` to *seed; false when there are no more. */
bool fuzz_seed(unsigned number, struct fuzz_bytes *seed);

static inline void fuzz_append(struct fuzz_bytes *to, const void *bytes, size_t size)
{
    if (size > to->room - to->size) {
        to->room = 2 * to->room + size;
        to->bytes = realloc(to->bytes, to->room);
        REQUIRE(to->bytes);
    }
    if (size > 0) {
        memcpy(to->bytes + to->size, bytes, size);
        to->size += size;
    }
}

static inline void fuzz_append_byte(struct fuzz_bytes *to, uint8_t byte)
{
    fuzz_append(to, &byte, 1);
}

/* --- An input that is read from its beginning; behind its end are zeros --- */

struct fuzz_input {
    const uint8_t *byte;
    size_t left;
};

/* A number of so many bytes. */
static inline uint32_t fuzz_take(struct fuzz_input *input, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes && input->left > 0; i++) {
        value = value << 8 | *input->byte++;
        input->left--;
    }
    return value;
}

#endif
