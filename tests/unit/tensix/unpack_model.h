/* See unpack_model.c. */
#ifndef UNPACK_MODEL_H
#define UNPACK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/tensix.h"

enum { BANKS = 2, SRC_ROWS = 64, COLUMNS = 16, DST_ROWS = 1024, UNPACKERS = 2, THREADS = 3 };
enum axis { X, Y, Z, W, AXES };

/* What UNPACR reads and writes, apart from L1 and configuration. */
struct world {
    uint32_t src[UNPACKERS][BANKS][SRC_ROWS][COLUMNS];
    uint16_t dst[DST_ROWS][COLUMNS]; /* physical rows */
    uint8_t implied[UNPACKERS][BANKS];
    unsigned bank[UNPACKERS]; /* that the unpacker writes */
    bool matrix_has[UNPACKERS][BANKS];
    uint32_t src_row[UNPACKERS][THREADS], counter[UNPACKERS][THREADS];
    uint32_t adc[THREADS][UNPACKERS][2][AXES];
};

/* UNDEFINED: a fault, the world is as it was. BLOCKED: it waits for the bank. UNWANTED: sources
 * disagree, which has a test of its own: rows beyond SrcA (page: undefined; ttsim: they wrap) and
 * beyond SrcB (page: they wrap; ttsim: undefined). */
enum outcome { DONE, UNDEFINED, BLOCKED, UNWANTED };

/* The formats as Unpackers/FormatConversion encodes them. */
enum format {
    FP32,
    FP16,
    BFP8A,
    BFP4A,
    TF32,
    BF16,
    BFP8,
    BFP4,
    INT32,
    INT16,
    FP8,
    BFP2A,
    NONE12,
    NONE13,
    INT8,
    BFP2,
};

/* Operands of UNPACR as ckernel_ops.h of Blackhole names and places them. */
struct unpacr {
    unsigned unpacker, ch1_y, ch1_z, ch0_y, ch0_z, context, adc;
    bool multi, flip, zero, use_counter, row_search;
};

uint32_t unpacr_word(const struct unpacr *u);

void world_take(struct world *world, const struct tensix *tensix);

/* Fails the test where the coprocessor is in another state than the world. */
void world_compare(const struct world *world, const struct tensix *tensix, const char *what);

/* Executes on the world with the coprocessor's configuration and L1; says why it is undefined. */
enum outcome unpacr_model(struct world *world, const struct tensix *tensix, unsigned thread,
                          const struct unpacr *u, const char **why);

/* Bits of configuration words, by numbers as in cfg_defines.h; `own` is of the thread. */
uint32_t config_get(const struct tensix *tensix, unsigned state, unsigned word, unsigned shift,
                    unsigned width);
void config_put(struct tensix *tensix, unsigned state, unsigned word, unsigned shift,
                unsigned width, uint32_t value);
void own_put(struct tensix *tensix, unsigned thread, unsigned word, uint32_t value);

bool is_block(enum format format);
unsigned format_bits(enum format format); /* of a datum in L1; 0 for no format */

/* Where rows of Dst16b and Dst32b (upper half) lie. */
unsigned adjust16(const struct tensix *tensix, unsigned row);
unsigned adjust32(const struct tensix *tensix, unsigned row);

#endif
