/* Contents of L1 that programs name by a pattern and a seed. */
#ifndef DIFFTEST_TENSIX_DATA_H
#define DIFFTEST_TENSIX_DATA_H

#include "program.h"

enum data_layout {
    DATA_FP32,
    DATA_BF16,
    DATA_FP16,
    DATA_BYTES, /* exponents of block floats, mantissas, integers */
    DATA_WORDS, /* of the Vector Unit; see enum data_words */
    DATA_LAYOUTS
};

enum data_style {
    DATA_ONES,    /* 1.0, or bytes of a block float whose values are 1.0 with exponent 127 */
    DATA_UNIFORM, /* all bits random */
    DATA_NARROW,  /* exponents close to each other */
    DATA_SPECIAL, /* zeros, denormals, extremes, infinities, NaNs, all ones */
    DATA_CANCEL,  /* few magnitudes with random signs */
    DATA_MIXED,   /* all of these */
    DATA_STYLES
};

/* The styles of DATA_WORDS: FP32 and integers of 32 bits. */
enum data_words {
    WORDS_FLOATS,   /* exponents close to each other, or where sums of two are at an edge */
    WORDS_SPECIAL,  /* zeros, denormals, extremes, infinities, NaNs */
    WORDS_INTEGERS, /* small, corners of both signed formats, powers of two and neighbours */
    WORDS_EDGES,    /* neighbours of the limits of tables, of rounding and of integer formats */
    WORDS_POOL, /* few magnitudes, which other places of the same pool have too, and neighbours */
    WORDS_MIXED,
};

enum { DATA_PATTERNS = DATA_LAYOUTS * DATA_STYLES };

/* Where a STEP_FILL writes. */
struct data_place {
    uint32_t address, bytes;
};

/* Address in units of 16 bytes, size in units of 64 bytes, in one word. */
uint32_t data_pack_place(struct data_place place);
struct data_place data_place_of(uint32_t word);

/* Writes the bytes of a STEP_FILL; `bytes` of its place. */
void data_fill(const struct step *step, uint8_t *bytes);

#endif
