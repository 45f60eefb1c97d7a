/*
 * One PACR under way, for the files of the packer: what it reads, how, and where it writes.
 *
 * An instruction is looked at in this order: config.c says what Config says, check.c finds what
 * cannot be as Config stands, address.c makes rows, columns and addresses of the counters, and read.c
 * makes a batch of single data unless whole rows go straight on (rows.c). output.c, with compress.c,
 * puts either into the streams to L1: first on trial, where a line may not lie in L1, then for good.
 *
 * Invariants: nothing has changed before pack_put, which cannot fail. A job that does not read has
 * no rows. The rows of a job without is_strided lie in one aligned group of four.
 */
#ifndef TENSIX_PACK_JOB_H
#define TENSIX_PACK_JOB_H

#include "tensix/config/users.h"
#include "tensix/exec.h"

enum {
    PACK_LINE = TENSIX_PACK_LINE,
    PACK_DATUMS = TENSIX_PACK_ROWS * NUM_BLOCK_DATUMS,
};

/* Why nothing can be packed as Config stands; those from BAD_EARLY on only if data are read. */
enum pack_refusal {
    PACK_FINE,
    PACK_BAD_OUT,
    PACK_BAD_ACCUMULATION,
    PACK_BAD_COMPRESSION,
    PACK_NO_START_POSITION,
    PACK_NO_Y_OFFSET,
    PACK_NO_DOWNSAMPLE_RATE,
    PACK_BAD_EARLY,
    PACK_BAD_L1_SOURCE,
    PACK_BAD_IN,
    PACK_BAD_LATE,
    PACK_BAD_RELU_SIGN,
    PACK_BAD_RELU_INTEGER,
    PACK_BAD_THRESHOLD,
    PACK_REFUSALS
};

/* Where the greatest exponent of whole rows is seen, which is one of the intermediate format. */
enum pack_exponents_in {
    PACK_EXPONENTS_NOWHERE, /* integers of 8 bits */
    PACK_EXPONENTS_IN_DATA,
    PACK_EXPONENTS_IN_BLOCKS, /* the exponents that data of a block share */
    PACK_EXPONENTS_LOST,      /* L1's format has others */
};

/* RowPadZero as far as it applies to this instruction. */
enum pack_pad { PACK_PAD_NOTHING, PACK_PAD_ROWS, PACK_PAD_ALL };

struct pack_job {
    struct tensix *tensix;
    struct tensix_packer *packer;
    const struct tensix_pack_plan *plan;
    unsigned thread, which, state;
    unsigned adc; /* SPEC: WhichADC */
    enum pack_pad pad;
    bool writes_zeros;       /* ZeroWrite */
    bool is_strided;         /* DstAccessMode */
    bool continues;          /* Concat */
    bool drains;             /* Last, Flush: nothing that has gathered stays */
    bool reads;              /* Dst (or L1) */
    enum tensix_exec answer; /* of the handler, after a report */
    /* Input: the row of each of `interfaces` is as many steps further than `row` as its number. */
    unsigned interfaces, rows; /* ReadIntfSel, in the end those that read; how many */
    unsigned row, row_step;
    unsigned first, count; /* columns */
    uint32_t zeros;        /* data of ZeroWrite */
    uint32_t l1_source;
};

/* What a job puts into the streams behind its zeros. */
struct pack_batch {
    bool is_rows;   /* whole rows, which are not read before they are put */
    unsigned count; /* data */
    uint32_t datum[PACK_DATUMS + NUM_BLOCK_DATUMS]; /* patterns as num_pack_late gives them */
    /* The packer's, afterwards; and what goes into the histogram, if any. */
    uint32_t max_exponent, generator;
    uint8_t exponent[PACK_DATUMS];
    unsigned exponents;
};

/* Rows of Dst that lie one after the other, all of them valid, or zeros. */
struct pack_rows {
    const uint16_t *high, *low; /* as the kernels take them */
    unsigned count;
    unsigned left; /* interfaces whose rows have not been taken */
};

/* A place for lines to go: L1, or nowhere on trial. */
struct pack_sink {
    const struct pack_job *job;
    struct tensix_pack_output *output;
    bool on_trial, failed;
    uint32_t beyond; /* where the first line went that was not in L1 */
};

/* --- config.c --- */

/* Of which words of Config each packer has its own: how many words further than those of packer 0
 * they lie. */
struct pack_words {
    uint16_t section, limit, counters, offset;
};
extern const struct pack_words pack_words[TENSIX_PACKERS];

/* A field of packer 0, or `further` than that. */
static inline uint32_t pack_field(const struct tensix *tensix, unsigned state, unsigned further,
                                  enum tensix_field_id id)
{
    const struct tensix_field *field = &tensix_fields[id];
    return tensix_field_value(tensix->config[state][field->word + further], field->shift,
                              field->width);
}

static inline uint32_t pack_section(const struct tensix *tensix, unsigned which, unsigned state,
                                    enum tensix_field_id id)
{
    return pack_field(tensix, state, pack_words[which].section, id);
}

void pack_derive(struct tensix *tensix, unsigned which, unsigned state);

static inline const struct tensix_pack_plan *pack_plan(struct tensix *tensix, unsigned which,
                                                       unsigned state)
{
    const struct tensix_pack_plan *plan = &tensix->packer[which].plan;
    if (tensix->stale & TENSIX_USED_BY_PACKER) {
        for (unsigned i = 0; i < TENSIX_PACKERS; i++) {
            tensix->packer[i].plan.kernels = NULL;
        }
        tensix->stale &= ~(uint32_t)TENSIX_USED_BY_PACKER;
    }
    if (plan->state != state || plan->kernels != tensix->kernels) {
        pack_derive(tensix, which, state);
    }
    return plan;
}

/* The right shift of INT_DESCALE for a face. */
unsigned pack_int_shift(const struct tensix *tensix, unsigned state, unsigned face);

/* Has the exponent 5 bits? */
static inline bool pack_is_narrow(enum num_pack_kind kind)
{
    return kind >= NUM_PACK_FP16 && kind <= NUM_PACK_FP8;
}

/* --- check.c --- */

/* What is wrong with a plan that is derived but for that. */
enum pack_refusal pack_check_output(const struct tensix *tensix,
                                    const struct tensix_pack_plan *plan);
enum pack_refusal pack_check_input(const struct tensix_pack_plan *plan);

/* Reports why the job cannot be done as Config stands: false. */
bool pack_refuse(struct pack_job *job);

/* --- address.c --- */

/* Fills in the input side. */
bool pack_find_input(struct pack_job *job);

/* Where a job's output begins, in lines. */
uint32_t pack_output_address(const struct pack_job *job);

/* --- read.c --- */

/* Fills the batch row by row: edge mask, conversions, ReLU, threshold, downsampling, padding. */
void pack_read(const struct pack_job *job, struct pack_batch *batch);

static inline bool pack_wants_histogram(const struct tensix *tensix)
{
    return tensix_get_ENABLE_ACC_STATS_Enable(tensix, 0) |
           tensix_get_ENABLE_ACC_STATS_Enable(tensix, 1) |
           tensix_get_ENABLE_ACC_STATS_Enable(tensix, 2);
}

/* --- rows.c --- */

/* Takes the rows of as many of the interfaces that are left as lie together, from the lowest on:
 * those of a group of four do in every map. */
void pack_take_rows(const struct pack_job *job, struct pack_rows *rows);

/* Puts the rows of a batch that is_rows. */
void pack_put_rows(struct pack_sink *sink, struct pack_batch *batch);

/* --- output.c --- */

/* Does all that a job writes lie in L1? Without a batch it only drains. */
bool pack_fits(struct pack_job *job, struct pack_batch *batch);

/* Puts the job's data into the streams; they fit. */
void pack_put(const struct pack_job *job, struct pack_batch *batch);

/* Streams that are closed get the addresses of the next job. What has gathered for a format or mode
 * that was changed meanwhile is lost. */
void pack_close(struct tensix_pack_output *output);

void pack_put_datum(struct pack_sink *sink, uint32_t datum);
void pack_append(struct pack_sink *sink, struct tensix_pack_stream *stream, const uint8_t *bytes,
                 unsigned size);
/* Fills up the line with zeros. */
void pack_fill_line(struct pack_sink *sink, struct tensix_pack_stream *stream);

/* --- compress.c --- */

void pack_compress(struct pack_sink *sink, uint32_t datum);
void pack_begin_rows(struct pack_sink *sink);
void pack_end_row(struct pack_sink *sink);
/* Zeros up to the end of a group, and its counters. */
void pack_end_group(struct pack_sink *sink);

/* --- Reports: false, and job->answer is the handler's --- */

bool pack_report(struct pack_job *job, enum penrose_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
