/*
 * The two unpackers as the rest of the coprocessor sees them: their state, and handing a bank over.
 *
 * State is plain data, all zero after power-on. Invariant: a plan that is_known agrees with Config,
 * as long as the unpacker's bit of tensix->stale is clear (see config/users.h). It does not depend
 * on words that units read for each instruction.
 *
 * An UNPACR that passes its gate while the Matrix Unit has its bank of Src waits in its unpacker.
 * It has then taken along all that it needs of configuration and counters, and has counted up. Its
 * data move when the bank comes back. Until then a further instruction for that unpacker waits at
 * the gate.
 *
 * SPEC: WormholeB0 UNPACR_Regular, SrcASrcB, WaitGate.
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
    uint8_t gap[2];
};

/* Where the next datum is read, see job.h. */
struct tensix_unpack_cursor {
    int64_t data;      /* bits */
    int64_t deltas;    /* bits; compressed tiles */
    int64_t exponents; /* sixteenths of a byte */
    uint32_t done;     /* data that have been read */
    uint8_t gap[4];
};

/* What one UNPACR moves, and how, apart from its plan. */
struct tensix_unpack_task {
    uint32_t thread, which;
    uint32_t context; /* 0 without MultiContextMode */
    /* Input. */
    uint32_t count;                 /* data in L1; UINT32_MAX where `outputs` decides */
    uint32_t drop;                  /* decompressed data that are not wanted */
    uint32_t outputs;               /* decompressed data at most */
    uint32_t row_width, row_stride; /* data, then bytes from row to row */
    int64_t limit, fifo;            /* bytes */
    struct tensix_unpack_cursor first;
    /* Output: an address in data, whose low four bits are the column. */
    uint32_t out;
    uint32_t step;       /* from datum to datum: more than 1 when upsampling */
    uint32_t row_offset; /* rows that are added (SrcRow) */
    struct tensix_unpack_format format;
    bool all_zero, broadcasts, reads_exponents;
    bool reaches_all_rows; /* SRCA_SET_SetOvrdWithAddr */
    bool hands_over;       /* the bank to the Matrix Unit, behind the data */
    uint8_t gap[6];
};

/* An UNPACR that waits in its unpacker. Zeros where there is none. */
struct tensix_unpack_held {
    struct tensix_unpack_task task;
    struct tensix_unpack_plan plan;
    uint32_t word, pc, pusher; /* the instruction, and who has pushed it where */
    uint64_t since;            /* the cycle in which it passed its gate */
    bool is_held;
    uint8_t gap[7];
};

struct tensix_unpacker_state {
    uint32_t context_counter[3]; /* of each thread, without CfgContextOffset */
    uint32_t src_row[3];         /* SPEC: SrcRow, of each thread */
    uint32_t register_sum;       /* SPEC: SetRegAcc */
    uint32_t latest_format;      /* output format of the latest UNPACR */
    uint64_t free_at;            /* timed runs: when it has fetched what it is to unpack */
    struct tensix_unpack_held held;
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

/* Lets the UNPACRs go on whose banks have come back (unpack.c). True: at least one has. */
bool tensix_unpack_go_on(struct tensix *tensix);

/* Can what a snapshot has of an UNPACR that waits be carried out? */
bool tensix_unpack_is_sound(const struct tensix_unpack_held *held, unsigned which);

/* SETC16 has written UNPACK_MISC_CFG, whose bits reset the thread's context counters and count them
 * up. GUESS: a counter whose bits are both set is reset. */
void tensix_unpack_command_contexts(struct tensix *tensix, unsigned thread);

#endif
