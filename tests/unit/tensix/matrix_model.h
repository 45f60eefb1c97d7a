/*
 * A model of Dst, SrcA, SrcB and the configuration that the Matrix Unit looks at, for tests:
 * written from the ISA's pages, a datum at a time, without looking at the product's rows, maps and
 * shortcuts. Its state is drawn at random, copied to a coprocessor, and compared with it
 * afterwards.
 */
#ifndef MATRIX_MODEL_H
#define MATRIX_MODEL_H

#include "num/matrix.h"
#include "unit/tensix/tensix_harness.h"

enum { MODEL_ROWS = 1024, MODEL_SRC_ROWS = 64, MODEL_COLUMNS = 16 };
enum model_src { MODEL_A, MODEL_B };

struct matrix_model {
    uint16_t dst[MODEL_ROWS][MODEL_COLUMNS];
    bool valid[MODEL_ROWS];
    uint32_t src[2][2][MODEL_SRC_ROWS][MODEL_COLUMNS]; /* by operand and bank */
    unsigned implied[2][2];
    unsigned held[2]; /* columns */
    bool matrix_may[2][2];
    unsigned matrix_bank[2], unpack_bank[2];
    /* Configuration. */
    unsigned thread, state;
    unsigned configured[2]; /* what applies where nothing is implied */
    bool disable_implied[2], fp32, int8, force, zero_flag_disabled, srnd;
    bool remap, swizzle, high_half, absolute;
    unsigned offset, base, fidelity_base;
    bool clear_disabled[2];
    /* Counters of the thread. */
    unsigned rwc_dst, rwc_a, rwc_b, fidelity;
    unsigned shift_row;     /* of SHIFTXA */
    bool rounds_to_nearest; /* the user wants it so, whatever srnd says */
    uint32_t generator;
};

/* Random numbers, the same in each run. */
void model_seed(uint64_t seed);
uint32_t model_random(void);
unsigned model_below(unsigned limit);
bool model_chance(unsigned percent);

/* New data, a new configuration and new counters; draws few rows undefined. `easy` keeps the
 * configuration to what any instruction takes. */
void model_randomise_data(struct matrix_model *model);
void model_randomise_setup(struct matrix_model *model);

/* Makes the coprocessor's state the model's. */
void model_store(const struct matrix_model *model, struct tensix *tensix);

/* Fails the test with `what` where they differ. */
void model_compare(const struct matrix_model *model, const struct tensix *tensix, uint32_t what);

/* SPEC: Adj16 and Adj32. */
unsigned model_adj16(const struct matrix_model *model, unsigned row);
unsigned model_adj32(const struct matrix_model *model, unsigned row);

/* SPEC: Dst16b and Dst32b; what undefined data read as is `undefined`. A write of column 15 makes
 * the row valid, so all columns must be written in order. */
uint32_t model_read_dst(const struct matrix_model *model, bool is_32bit, unsigned row,
                        unsigned column, uint32_t undefined);
void model_write_dst(struct matrix_model *model, bool is_32bit, unsigned row, unsigned column,
                     uint32_t value);

/* A datum of the bank that the Matrix Unit is at. */
uint32_t *model_src(struct matrix_model *model, enum model_src src, unsigned row, unsigned column);
void model_write_src(struct matrix_model *model, enum model_src src, unsigned row, unsigned column,
                     uint32_t value);

/* The sum that every row of Dst begins with. */
unsigned model_dst_row(const struct matrix_model *model, unsigned row);

/* SPEC: the flips, and an address modifier as model_store has set them up. */
void model_flip(struct matrix_model *model, unsigned flips);
void model_addr_mod(struct matrix_model *model, unsigned addr_mod);

/* The style of a format code as the pages list it; false for codes that are none. */
bool model_style(unsigned format, enum num_matrix_style *style);

#endif
