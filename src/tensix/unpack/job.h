/*
 * One UNPACR under way, for the files of the unpackers: what it reads, how, and where it writes.
 *
 * An instruction is looked at in this order: config.c says what Config says,
 * address.c makes addresses and counts of that and of the counters, check.c finds
 * what is undefined before anything has happened, data.c moves the data.
 *
 * Positions in L1 are bits of data and sixteenths of a byte of exponents, since 16 data share one:
 * so the positions of both move by whole numbers with each datum.
 */
#ifndef TENSIX_UNPACK_JOB_H
#define TENSIX_UNPACK_JOB_H

#include "num/kernels.h"
#include "tensix/exec.h"

enum {
    UNPACK_LINE = 16, /* bytes: of what L1 addresses count and what wraps */
    UNPACK_LINE_BITS = 8 * UNPACK_LINE,
    UNPACK_LINE_EXPONENTS = 16 * UNPACK_LINE, /* positions of exponents in a line */
    UNPACK_DELTA_BITS = 4,
    UNPACK_GROUP = 32,       /* data of compressed tiles, after which come their deltas */
    UNPACK_SKIPPED_ROWS = 4, /* output rows before row 0 of SrcA and Dst */
    UNPACK_SET_ROWS = 16,    /* rows of SrcA without SRCA_SET_SetOvrdWithAddr */
    UNPACK_BROADCAST_ROWS = 8,
};

struct unpack_job {
    struct tensix *tensix;
    const struct tensix_unpack_plan *plan;
    enum tensix_exec answer; /* of the handler, after a report */
    /* At the gate alone. */
    unsigned state;
    unsigned adc; /* SPEC: WhichADC */
    bool is_multi_context, row_search;
    union {
        struct tensix_unpack_task;
        struct tensix_unpack_task task;
    };
};

/* --- config.c --- */

const struct tensix_unpack_plan *unpack_plan(struct tensix *tensix, unsigned which, unsigned state,
                                             bool is_multi_context, unsigned context);

/* Does a pair of formats say of itself what follows from its codes? */
bool unpack_format_is_sound(const struct tensix_unpack_format *format, bool to_dst);

/* The pair of formats of the job, if they are the context's own. */
struct tensix_unpack_format unpack_context_format(const struct unpack_job *job);

/* --- address.c --- */

/* Fills in the input side, and then the output side. */
bool unpack_find_input(struct unpack_job *job);
bool unpack_find_output(struct unpack_job *job);

/* A position of data after the FIFO's limit, in bits or sixteenths of bytes: `unit` is how many of
 * them a byte has. */
static inline int64_t unpack_wrap(const struct unpack_job *job, int64_t position, int64_t unit)
{
    return position > job->limit * unit ? position - job->fifo * unit : position;
}

/* The cursor after the next `count` data, which end no later than their row in L1. */
void unpack_advance(const struct unpack_job *job, struct tensix_unpack_cursor *cursor,
                    uint32_t count);

/* How many data, at least 1, can be read from the cursor on before anything but a step from datum
 * to datum happens to it. */
uint32_t unpack_straight(const struct unpack_job *job, const struct tensix_unpack_cursor *cursor);

/* --- check.c, compressed.c --- */

/* Fills in the job. Is all of it defined? */
bool unpack_check(struct unpack_job *job);

/* The part of it that looks at the data: is it defined what a job that is filled in moves? */
bool unpack_check_data(struct unpack_job *job);

/* What an uncompressed piece reads: `count` data from the cursor on, without a break. */
bool unpack_check_piece(struct unpack_job *job, const struct tensix_unpack_cursor *cursor,
                        uint32_t count);

/* Checks the reads of a whole compressed tile, which has *outputs data. */
bool unpack_check_compressed(struct unpack_job *job, uint64_t *outputs);

/* Are these bits of L1 outside of it? Then *address, in bytes, is the first that is. */
bool unpack_leaves_l1(const struct unpack_job *job, int64_t first, int64_t bits, int64_t *address);

/* --- data.c, compressed.c --- */

/* Moves the data; the job has been checked. job->out goes on. */
void unpack_move(struct unpack_job *job);

/* Writes one datum, as stored, and the zeros of upsampling, and goes on. */
void unpack_put(struct unpack_job *job, uint32_t stored);

/* The datum at the cursor as stored. */
uint32_t unpack_datum(const struct unpack_job *job, const struct tensix_unpack_cursor *cursor);

/* Moves the data of a compressed tile. */
void unpack_move_compressed(struct unpack_job *job);

/* --- Reports: they answer false, and job->answer is the handler's; so do functions above that find
 * something undefined. --- */

bool unpack_undefined(struct unpack_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A read outside L1; `register_name` is what to look at. */
bool unpack_outside(struct unpack_job *job, const char *what, int64_t address);

#endif
