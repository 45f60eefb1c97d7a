/* What the files of the model share. */
#ifndef DIFFTEST_TENSIX_MODEL_INTERNAL_H
#define DIFFTEST_TENSIX_MODEL_INTERNAL_H

#include "model.h"
#include "tensix/config/regs.h"
#include "tensix/table.h"

/* Numbers of data formats. */
enum {
    FORMAT_FP32 = 0,
    FORMAT_FP16 = 1,
    FORMAT_BFP8A = 2,
    FORMAT_TF32 = 4,
    FORMAT_BF16 = 5,
    FORMAT_BFP8 = 6,
    FORMAT_BFP4 = 7,
    FORMAT_INT32 = 8,
    FORMAT_INT16 = 9,
    FORMAT_FP8 = 10,
    FORMAT_INT8 = 14,
    FORMAT_BFP2 = 15,
    FORMATS
};

static inline bool is_one_of(unsigned format, uint32_t set)
{
    return set >> format & 1;
}

#define ONE(format) (UINT32_C(1) << (format))

static inline uint32_t thread_field(const struct model *m, unsigned thread, enum tensix_field_id id)
{
    const struct tensix_field *field = &tensix_fields[id];
    return tensix_field_value(m->thread_config[thread][field->word], field->shift, field->width);
}

static inline unsigned state_of(const struct model *m, unsigned thread)
{
    return thread_field(m, thread, TENSIX_FIELD_CFG_STATE_ID_StateID);
}

static inline uint32_t config_field(const struct model *m, unsigned thread, enum tensix_field_id id)
{
    const struct tensix_field *field = &tensix_fields[id];
    return tensix_field_value(m->config[state_of(m, thread)][field->word], field->shift,
                              field->width < 32 ? field->width : 32);
}

/* Bits of a datum in L1; 0: the reference does not know the format. */
static inline unsigned format_bits(unsigned format)
{
    static const uint8_t bits[FORMATS] = {32, 16, 8, 0, 32, 16, 8, 4, 32, 16, 8, 0, 0, 0, 8, 2};
    return bits[format];
}

static inline bool format_has_exponents(unsigned format)
{
    return is_one_of(format,
                     ONE(FORMAT_BFP8A) | ONE(FORMAT_BFP8) | ONE(FORMAT_BFP4) | ONE(FORMAT_BFP2));
}

/* `count` rows from `row`, as bits. */
static inline uint64_t row_bits(unsigned row, unsigned count)
{
    uint64_t bits = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    return row < 64 ? bits << row : 0;
}

/* The address modifier of Matrix Unit instructions. False: it asks for what is refused. */
bool model_apply_modifier(struct model *m, unsigned thread, unsigned number);

/* What flips of banks leave; false where a bank is not valid that has to be. */
bool model_flip(struct model *m, unsigned thread, bool flip_a, bool flip_b);

bool model_unpacr(struct model *m, unsigned thread, uint32_t word);
bool model_unpacr_nop(struct model *m, unsigned thread, uint32_t word);
bool model_pacr(struct model *m, unsigned thread, uint32_t word);
bool model_matrix(struct model *m, unsigned thread, int row, uint32_t word);
bool model_vector(struct model *m, unsigned thread, unsigned row, uint32_t word);

#endif
