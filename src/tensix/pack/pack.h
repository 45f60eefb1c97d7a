/*
 * The packer's own state: plain data, all zero after power-on.
 *
 * Data on their way to L1 are collected in lines of 16 bytes. A stream is a sequence of lines. The
 * streams are `data`, for blocks `exponents`, and for compressed tiles `rows` (row start indices).
 * A stream that is closed gets its address from the next PACR; Last and Flush close all of them.
 */
#ifndef TENSIX_PACK_H
#define TENSIX_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "num/kernels.h"

enum {
    TENSIX_PACK_LINE = 16,    /* bytes of a write to L1 */
    TENSIX_PACK_GROUP = 32,   /* data of a compressed tile before their counters */
    TENSIX_PACK_ROWS = 4,     /* Dst read interfaces */
    TENSIX_PACK_METADATA = 8, /* GUESS: no page says how many tiles the metadata FIFO holds */
};

struct tensix_pack_stream {
    uint32_t address; /* of the next line */
    uint8_t fill;     /* bytes of it that are here */
    bool open;
    uint8_t gap[2];
    uint8_t line[TENSIX_PACK_LINE];
};

struct tensix_pack_output {
    struct tensix_pack_stream data, exponents, rows;
    uint32_t lines;                   /* written since the tile began */
    uint32_t count;                   /* data since the streams were opened */
    uint16_t block[NUM_BLOCK_DATUMS]; /* patterns that wait for the rest of their block */
    uint32_t block_count;
    uint32_t generator; /* of stochastic rounding to blocks */
    /* Compression: the latest datum of an open row, and how many zeros after it are not stored. */
    uint32_t held;
    bool row_open, row_continues, row_has_data, has_held;
    uint8_t counters[TENSIX_PACK_GROUP / 2];
    uint16_t held_zeros;
    uint16_t group;     /* data since the last counters */
    uint32_t stored;    /* data of the tile */
    uint32_t row_count; /* of the tile */
    uint32_t zero_flags;
};

/* What a state of Config says, derived once (config.c). */
struct tensix_pack_plan {
    const struct num_kernels *kernels; /* NULL where nothing is derived */
    num_pack_function *pack;           /* of `kernels`, for rows as they lie in Dst */
    uint8_t which, state;
    uint8_t refusal;     /* enum pack_refusal */
    uint8_t kind;        /* enum num_pack_kind: what the early conversion gives */
    struct num_pack how; /* without generator, and the shift by face */
    uint8_t in, dstacc;  /* format codes */
    uint8_t bits;        /* of a datum in L1 */
    uint8_t datum_shift; /* log2 of the bytes of a datum as addresses count them */
    bool is_block, has_exponents, writes_exponents, from_l1;
    bool is_plain; /* whole rows go through the kernels: nothing below but accumulation */
    bool masks, compresses, accumulates, thresholds, shifts_by_face, is_stochastic, rounds_blocks;
    /* Where the exponents of plain rows are seen: enum pack_exponents_in; the format of the data in
     * which they are; its mask of exponents, and their place in a half. */
    uint8_t exponents_in, seen_as, exponent_shift;
    uint32_t exponent_mask;
    uint8_t threshold;
    uint16_t downsample_mask;
    uint8_t plane_rows; /* of the tile position generator */
    bool is_transposed, finds_last;
};

struct tensix_pack_metadata {
    uint32_t tile_size;
    uint32_t all_zero_flags;
};

struct tensix_packer_state {
    uint32_t generator;     /* of stochastic rounding */
    uint32_t histogram[32]; /* of exponents; CLREXPHIST clears it */
    uint32_t max_exponent;
    struct tensix_pack_output output;
    uint8_t position, face; /* of the tile: Y and Z of the tile position generator */
    /* Tiles that are done. Sizes count lines of 16 bytes. */
    uint16_t last_thread;
    uint16_t last_tile_size;
    uint16_t acc_tile_size[3]; /* by thread */
    uint32_t all_zero_flags;
    struct tensix_pack_metadata metadata[TENSIX_PACK_METADATA]; /* [first] is the oldest */
    uint8_t metadata_first, metadata_count;
    uint16_t l1_dest_addr_offset; /* TDMA-RISC sets it */
    uint32_t register_value;      /* of PACR_SETREG; packer 0 has it for all */
};

struct tensix_packer {
    struct tensix_packer_state;
    struct tensix_pack_plan plan;
};

struct tensix;

/* The thread whose address counters a PACR of `thread` uses. SPEC: ADC context 3 is 0. */
static inline unsigned tensix_pack_adc(unsigned thread, bool overrides, unsigned context)
{
    return !overrides ? thread : context == 3 ? 0 : context;
}

/* SOFT_RESET_0 has changed (SPEC: SoftReset, packers and their connection to Dst). */
void tensix_packer_soft_reset(struct tensix *tensix, uint32_t entering, uint32_t leaving);

/* TDMA-RISC ResetPackerAccTileSize. */
void tensix_packer_reset_size(struct tensix_packer *packer, uint16_t l1_dest_addr_offset);

/* SPEC: ExponentHistogram, Reset. */
void tensix_packer_clear_histogram(struct tensix_packer *packer);

/* Size of the thread's latest tile, 0 where another thread packed last. */
uint16_t tensix_packer_tile_size(const struct tensix_packer *packer, unsigned thread);

/* Takes the oldest metadata; false where there are none. */
bool tensix_packer_take_metadata(struct tensix_packer *packer,
                                 struct tensix_pack_metadata *metadata);

#endif
