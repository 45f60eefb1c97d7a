/* Atomic operations of the NoC, see noc/atomic.h. */
#include "noc/atomic.h"

#include <string.h>

#include "num/tensix_format.h"

enum { LINE_WORDS = 4, LINE_HALVES = 8, LINE_BYTES = 16 };

/* Bits 12-15 of the operation. */
enum {
    OP_INCREMENT = 1,
    OP_SWAP_MASK = 3,
    OP_COMPARE_AND_SWAP = 4,
    OP_SWAP_6 = 6,
    OP_SWAP_7 = 7,
    OP_ADD_PARALLEL = 9,
    OP_EXTENDED = 10, /* bits 8-11: EXTENDED_SWAP, or 8 + an operation of Zaamo */
    EXTENDED_SWAP = 3,
    EXTENDED_ZAAMO = 8,
};

static uint32_t field(uint32_t operation, unsigned shift, unsigned bits)
{
    return operation >> shift & ((UINT32_C(1) << bits) - 1);
}

static uint32_t word_of_line(const uint8_t *line, unsigned index)
{
    uint32_t word;
    memcpy(&word, line + 4 * index, sizeof word);
    return word;
}

static void put_word(uint8_t *line, unsigned index, uint32_t word)
{
    memcpy(line + 4 * index, &word, sizeof word);
}

/* --- Operations on one word --- */

static uint32_t incremented(uint32_t old, uint32_t operation, uint32_t data)
{
    uint32_t mask = (uint32_t)((UINT64_C(2) << field(operation, 2, 5)) - 1);
    return ((old + data) & mask) | (old & ~mask);
}

static uint32_t compared(uint32_t old, uint32_t operation)
{
    return old == field(operation, 2, 4) ? field(operation, 6, 4) : old;
}

static uint32_t zaamo(uint32_t old, unsigned op, uint32_t data)
{
    bool is_less = (int32_t)old < (int32_t)data;
    switch (op) {
    case 0:
        return old + data;
    case 1:
        return old ^ data;
    case 2:
        return old | data;
    case 3:
        return old & data;
    case 4:
        return is_less ? old : data;
    case 5:
        return is_less ? data : old;
    case 6:
        return old < data ? old : data;
    default:
        return old < data ? data : old;
    }
}

/* --- Operations on the line --- */

static void swap_mask(uint8_t *line, uint32_t mask, uint32_t data)
{
    for (unsigned i = 0; i < LINE_HALVES; i++) {
        uint16_t half = (uint16_t)(data >> 16 * (i & 1));
        if (mask >> i & 1) {
            memcpy(line + 2 * i, &half, sizeof half);
        }
    }
}

static void add_floats(uint8_t *line, enum num_format format, unsigned size, uint32_t data)
{
    for (unsigned at = 0; at < LINE_BYTES; at += size) {
        uint32_t old = 0, datum = data >> 8 * (at % 4);
        memcpy(&old, line + at, size);
        uint32_t sum = num_pack_accumulate(format, old, size == 4 ? datum : datum & 0xffff);
        memcpy(line + at, &sum, size);
    }
}

static void add_bytes(uint8_t *line, uint32_t data, bool saturates)
{
    for (unsigned at = 0; at < LINE_BYTES; at++) {
        unsigned sum = line[at] + (data >> 8 * (at % 4) & 0xff);
        line[at] = (uint8_t)(saturates && sum > UINT8_MAX ? UINT8_MAX : sum);
    }
}

static void add_words(uint8_t *line, uint32_t data)
{
    for (unsigned i = 0; i < LINE_WORDS; i++) {
        put_word(line, i, word_of_line(line, i) + data);
    }
}

static const char *add_parallel(uint8_t *line, unsigned format, uint32_t data)
{
    switch (format) {
    case 0:
    case 8:
        add_floats(line, NUM_FORMAT_FLOAT32, 4, data);
        return NULL;
    case 1:
    case 9:
        add_floats(line, NUM_FORMAT_FLOAT16, 2, data);
        return NULL;
    case 2:
    case 10:
        add_floats(line, NUM_FORMAT_FLOAT16_B, 2, data);
        return NULL;
    case 4:
    case 12:
    case 13:
        add_words(line, data);
        return NULL;
    case 7:
        add_bytes(line, data, true);
        return NULL;
    case 15:
        add_bytes(line, data, false);
        return NULL;
    default:
        return "a parallel addition has formats 0-2, 4, 7-10, 12, 13 and 15: bits 0-3 of "
               "NOC_AT_LEN_BE";
    }
}

/* --- All of them --- */

static const char *extended(uint8_t *line, uint32_t operation, uint32_t data)
{
    unsigned index = field(operation, 0, 2), which = field(operation, 8, 4);
    if (which & EXTENDED_ZAAMO) {
        put_word(line, index, zaamo(word_of_line(line, index), which & 7, data));
    } else if (which == EXTENDED_SWAP) {
        put_word(line, index, data);
    } else {
        return "an atomic operation 10 has 3 or 8-15 in bits 8-11 of NOC_AT_LEN_BE";
    }
    return NULL;
}

const char *noc_atomic(uint8_t *line, unsigned offset, uint32_t operation, uint32_t data,
                       uint32_t *result)
{
    unsigned index = field(operation, 0, 2);
    uint32_t old = word_of_line(line, index);
    *result = word_of_line(line, offset / 4);
    switch (field(operation, 12, 4)) {
    case OP_INCREMENT:
        put_word(line, index, incremented(old, operation, data));
        return NULL;
    case OP_SWAP_MASK:
        swap_mask(line, field(operation, 2, 8), data);
        return NULL;
    case OP_COMPARE_AND_SWAP:
        put_word(line, index, compared(old, operation));
        return NULL;
    case OP_SWAP_6:
        put_word(line, index, data);
        return NULL;
    case OP_SWAP_7:
        put_word(line, field(operation, 2, 2), data);
        return NULL;
    case OP_ADD_PARALLEL:
        *result = 0; /* SPEC: undefined */
        return add_parallel(line, field(operation, 0, 4), data);
    case OP_EXTENDED:
        return extended(line, operation, data);
    default:
        return "atomic operations are 0 to 10: bits 12-15 of NOC_AT_LEN_BE";
    }
}

const char *noc_atomic_unknown(uint32_t operation)
{
    static const char *const names[] = {
        [0] = "atomic operation 0 (NOP) is not modelled: no public source says what it answers",
        [2] =
            "atomic operation 2 (INCR_GET_PTR) is not modelled: no public source says what it does",
        [5] =
            "atomic operation 5 (GET_TILE_MAP) is not modelled: no public source says what it does",
        [8] = "atomic operation 8 (ECC_RMW) is not modelled: no public source says what it does",
    };
    unsigned which = field(operation, 12, 4);
    return which < sizeof names / sizeof *names ? names[which] : NULL;
}
