/*
 * The two unpackers as the rest of the coprocessor sees them: their state, and handing a bank over.
 *
 * State is plain data, all zero after power-on. Invariant: a plan that is_known agrees with Config,
 * as long as the unpacker's bit of tensix->stale is clear (see config/users.h). It does not depend
 * on words that units read for each instruction.
 *
 * SPEC: WormholeB0 UNPACR_Regular, SrcASrcB.
 */
#ifndef TENSIX_UNPACK_H
#define TENSIX_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TENSIX_UNPACKERS = 2,
    TENSIX_UNPACK_CONTEXTS = 8,                       /* unpacker 1 has two of them */
    TENSIX_UNPACK_PLANS = TENSIX_UNPACK_CONTEXTS + 1, /* the last is that of no MultiContextMode */
    TENSIX_UNPACK_STATES = 2,
};

/* A pair of formats. */
struct tensix_unpack_format {
    uint8_t in, out;   /* codes as configured */
    uint8_t how_in;    /* enum num_format: `in` with its mode */
    uint8_t bits;      /* of a datum in L1 */
    uint8_t out_shift; /* output addresses count bytes: to data */
    bool is_legal;
    bool is_block;
    bool has_narrow_exponent; /* a block whose exponents have 5 bits */
    bool is_32bit;            /* of Dst */
};

/* What Config says of one context. */
struct tensix_unpack_plan {
    bool is_known;
    bool is_uncompressed, is_discontiguous, transposes, to_dst;
    bool forces_exponent, omits_exponents, overrides_format;
    bool advances_src_row, adds_dest_counter, interleaves;
    uint8_t digest_size, blobs, y_dim, z_dim, w_dim;
    uint8_t forced_exponent, zeroes, column_shift;
    uint8_t last_context; /* of the context counter */
    uint16_t x_dim;       /* of the tile descriptor */
    uint16_t y_stride, z_stride, w_stride;
    uint32_t out_base, blobs_y_start, row_stride; /* the latter in bytes */
    uint32_t limit, fifo;                         /* bytes */
    uint8_t speed;                                /* 1 << speed bytes of L1 a cycle */
    struct tensix_unpack_format format;           /* unless overrides_format */
};

struct tensix_unpacker_state {
    uint32_t context_counter[3]; /* of each thread, without CfgContextOffset */
    uint32_t src_row[3];         /* SPEC: SrcRow, of each thread */
    uint32_t register_sum;       /* SPEC: SetRegAcc */
    uint32_t latest_format;      /* output format of the latest UNPACR */
    uint64_t free_at;            /* timed runs: when it has fetched what it is to unpack */
};

struct tensix_unpacker {
    struct tensix_unpacker_state;
    struct tensix_unpack_plan plan[TENSIX_UNPACK_STATES][TENSIX_UNPACK_PLANS];
};

struct tensix;

/* SETDVALID and its kin: the bank that unpacker `which` is at goes to the Matrix Unit as one of
 * data in `format`, and the unpacker starts at the other one. */
void tensix_unpack_hand_over(struct tensix *tensix, unsigned thread, unsigned which,
                             unsigned format);

/* SETC16 has written UNPACK_MISC_CFG, whose bits reset the thread's context counters and count them
 * up. GUESS: a counter whose bits are both set is reset. */
void tensix_unpack_command_contexts(struct tensix *tensix, unsigned thread);

#endif
