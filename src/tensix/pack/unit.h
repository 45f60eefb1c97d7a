/*
 * Inside the packer: what pack.c (instructions and what they read), config.c (what Config
 * says), read.c (from Dst to data for L1), output.c (streams to L1) and compress.c
 * share.
 *
 * A PACR becomes a job: which rows and columns of Dst it reads, and where the output goes on. It is
 * read row by row into a batch, which is then put into the streams: first on trial, where a line
 * may not lie in L1, then for good. pack_fast.c is its shortcut.
 */
#ifndef TENSIX_PACK_UNIT_H
#define TENSIX_PACK_UNIT_H

#include "tensix/config/users.h"
#include "tensix/exec.h"

enum {
    TENSIX_PACK_DATUMS = TENSIX_PACK_ROWS * NUM_BLOCK_DATUMS,
    TENSIX_PACK_ALL_INTERFACES = 0xf,
};

/* Why nothing can be packed as Config stands; those from BAD_EARLY on only if data are read. */
enum tensix_pack_refusal {
    TENSIX_PACK_FINE,
    TENSIX_PACK_BAD_OUT,
    TENSIX_PACK_BAD_ACCUMULATION,
    TENSIX_PACK_BAD_COMPRESSION,
    TENSIX_PACK_NO_START_POSITION,
    TENSIX_PACK_NO_Y_OFFSET,
    TENSIX_PACK_NO_DOWNSAMPLE_RATE,
    TENSIX_PACK_BAD_EARLY,
    TENSIX_PACK_BAD_L1_SOURCE,
    TENSIX_PACK_BAD_IN,
    TENSIX_PACK_BAD_LATE,
    TENSIX_PACK_BAD_RELU_SIGN,
    TENSIX_PACK_BAD_RELU_INTEGER,
    TENSIX_PACK_BAD_THRESHOLD,
    TENSIX_PACK_REFUSALS
};

/* Where the greatest exponent of plain rows can be found. */
enum tensix_pack_exponents_in {
    TENSIX_PACK_EXPONENTS_NOWHERE, /* integers of 8 bits */
    TENSIX_PACK_EXPONENTS_IN_BLOCKS,
    TENSIX_PACK_EXPONENTS_IN_BYTES, /* bits 6..2 */
    TENSIX_PACK_EXPONENTS_IN_HALVES,
    TENSIX_PACK_EXPONENTS_LOST, /* L1's format has others than the intermediate one */
};

struct tensix_pack_job {
    const struct tensix_pack_plan *plan;
    unsigned state, which_adc;
    bool reads;    /* Dst (or L1), otherwise zeros */
    unsigned rows; /* of Dst */
    uint16_t row[TENSIX_PACK_ROWS];
    unsigned first, count; /* columns */
    uint32_t zeros;        /* data of ZeroWrite */
    unsigned pad;          /* enum tensix_pack_pad */
    uint32_t l1_source;
};

/* RowPadZero as far as it applies to this instruction. */
enum tensix_pack_pad { TENSIX_PACK_PAD_NOTHING, TENSIX_PACK_PAD_ROWS, TENSIX_PACK_PAD_ALL };

/* Data for L1 in order: patterns as num_pack_late gives them. */
struct tensix_pack_batch {
    uint32_t datum[TENSIX_PACK_DATUMS + NUM_BLOCK_DATUMS];
    unsigned count;
    uint8_t exponent[TENSIX_PACK_DATUMS]; /* of what came from Dst, before thresholds */
    unsigned exponents;
    uint32_t generator; /* afterwards */
};

/* --- pack.c --- */

/* A job of which only this is known, and all that follows when its data are where they belong. */
struct tensix_pack_job tensix_pack_new_job(struct tensix *tensix, unsigned thread,
                                           const struct tensix_args_PACR *args);
enum tensix_exec tensix_pack_end_job(struct tensix *tensix, unsigned thread,
                                     const struct tensix_args_PACR *args,
                                     const struct tensix_pack_job *job);
enum tensix_exec tensix_pack_outside_l1(struct tensix *tensix, unsigned thread, uint32_t address);

/* Where channel 0 of the packer's ADC points, in bytes, and the row of Dst that this is. */
uint32_t tensix_pack_input_address(const struct tensix *tensix, unsigned state,
                                   const struct tensix_adc_channel *from);
unsigned tensix_pack_start_row(const struct tensix *tensix, const struct tensix_pack_plan *plan,
                               uint32_t address, uint32_t x);

/* --- config.c --- */

void tensix_pack_derive(struct tensix *tensix, unsigned state);
enum tensix_exec tensix_pack_refuse(struct tensix *tensix, unsigned thread,
                                    const struct tensix_pack_plan *plan);

static inline const struct tensix_pack_plan *tensix_pack_plan_now(struct tensix *tensix,
                                                                  unsigned state)
{
    const struct tensix_pack_plan *plan = &tensix->packer.plan;
    if (tensix->stale & TENSIX_USED_BY_PACKER || plan->state != state ||
        plan->kernels != tensix->kernels) {
        tensix_pack_derive(tensix, state);
        tensix->stale &= ~(uint32_t)TENSIX_USED_BY_PACKER;
    }
    return plan;
}

/* The right shift of INT_DESCALE for a face. */
unsigned tensix_pack_int_shift(const struct tensix *tensix, unsigned state, unsigned face);

/* --- read.c --- */

/* A row of Dst, zeros where it is cleared; `low`, the lower halves, where `is_32bit`. */
void tensix_pack_row(const struct tensix *tensix, struct tensix_dst_map map, unsigned row,
                     bool is_32bit, uint16_t *high, uint16_t *low);

/* Row by row: conversions, edge mask, ReLU, threshold, downsampling, padding. */
void tensix_pack_read(struct tensix *tensix, const struct tensix_pack_job *job,
                      struct tensix_pack_batch *batch);

void tensix_pack_count_exponents(struct tensix *tensix, const struct tensix_pack_batch *batch);

static inline bool tensix_pack_wants_histogram(const struct tensix *tensix)
{
    return tensix_get_ENABLE_ACC_STATS_Enable(tensix, 0) |
           tensix_get_ENABLE_ACC_STATS_Enable(tensix, 1) |
           tensix_get_ENABLE_ACC_STATS_Enable(tensix, 2);
}

/* --- output.c --- */

/* Streams that are closed get the addresses of this job. */
void tensix_pack_open(const struct tensix *tensix, const struct tensix_pack_job *job,
                      struct tensix_pack_output *output);

/* Puts a job's data into the streams, unless a line would not lie in L1: false, *address is where.
 * `continues`: Concat; `closes`: Last. */
bool tensix_pack_put(struct tensix *tensix, const struct tensix_pack_job *job,
                     const struct tensix_pack_batch *batch, bool continues, bool closes,
                     uint32_t *address);

/* Writes out what has gathered, padded with zeros; with `ends` the streams are closed, too. */
bool tensix_pack_flush(struct tensix *tensix, const struct tensix_pack_plan *plan, bool ends,
                       uint32_t *address);

/* A place for lines to go: L1, or nowhere on trial. */
struct tensix_pack_sink {
    struct tensix *tensix;
    const struct tensix_pack_plan *plan;
    struct tensix_pack_output *output;
    bool on_trial, failed;
    uint32_t beyond; /* where the first line went that was not in L1 */
};

bool tensix_pack_lies_in_l1(const struct tensix *tensix, uint32_t address, uint32_t size);
/* Tells that L1 was written from `from` up to `to`. */
void tensix_pack_notify(struct tensix *tensix, uint32_t from, uint32_t to);
/* What has gathered for a format or mode that was changed meanwhile is lost. */
void tensix_pack_close(struct tensix_pack_output *output);

void tensix_pack_put_datum(struct tensix_pack_sink *sink, uint32_t datum);
void tensix_pack_append(struct tensix_pack_sink *sink, struct tensix_pack_stream *stream,
                        const uint8_t *bytes, unsigned size);
/* Fills up the block and the line of data with zeros. */
void tensix_pack_fill_line(struct tensix_pack_sink *sink, struct tensix_pack_stream *stream);

/* --- compress.c --- */

void tensix_pack_compress(struct tensix_pack_sink *sink, uint32_t datum);
void tensix_pack_begin_rows(struct tensix_pack_sink *sink);
void tensix_pack_end_row(struct tensix_pack_sink *sink);
/* Zeros up to the end of a group, and its counters. */
void tensix_pack_end_group(struct tensix_pack_sink *sink);

#endif
