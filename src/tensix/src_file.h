/*
 * The data of SrcA or SrcB: two banks of 64 rows of 16 columns of 19 bits, in the bit order of
 * num/src_format.h, and for each bank the format that the unpackers have given it. src_banks.h
 * knows which side has its turn at a bank.
 *
 * Invariants: bits 31..19 of a datum are 0, and so are the columns that a soft reset holds, and all
 * of a bank that is not in `filled`: kernels clear banks when they begin, and in tiles that have
 * nothing to compute nobody has written to them since.
 *
 * SPEC: WormholeB0 SrcASrcB (its later version has the implied format), ZEROSRC, UNPACR_NOP;
 * BlackholeA0 SoftReset.
 */
#ifndef TENSIX_SRC_FILE_H
#define TENSIX_SRC_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "geometry.h"
#include "num/src_format.h"

enum {
    TENSIX_SRC_FILE_BANKS = 2,
    TENSIX_SRC_FILE_ROWS = 64,
    TENSIX_SRC_FILE_COLUMNS = 16,
    TENSIX_SRC_FILE_BOTH = 3, /* banks, as tensix_src_file_fill takes them */
};

struct tensix_src_file {
    uint8_t format[TENSIX_SRC_FILE_BANKS]; /* implied: 4 bits */
    uint16_t held;  /* a bit for each column that a soft reset holds: writes to it are lost */
    uint8_t filled; /* a bit for each bank in which something may be other than 0 */
    uint8_t gap[59];
    _Alignas(
        64) uint32_t bank[TENSIX_SRC_FILE_BANKS][TENSIX_SRC_FILE_ROWS][TENSIX_SRC_FILE_COLUMNS];
};

/* Rows count modulo 64, `bank` is 0 or 1, `column` is below 16; of data the low 19 bits count. */
static inline const uint32_t *tensix_src_file_row(const struct tensix_src_file *file, unsigned bank,
                                                  unsigned row)
{
    return file->bank[bank][row % TENSIX_SRC_FILE_ROWS];
}

static inline uint32_t tensix_src_file_read(const struct tensix_src_file *file, unsigned bank,
                                            unsigned row, unsigned column)
{
    return tensix_src_file_row(file, bank, row)[column];
}

static inline void tensix_src_file_write(struct tensix_src_file *file, unsigned bank, unsigned row,
                                         unsigned column, uint32_t value)
{
    if (!(file->held >> column & 1)) {
        file->filled |= (uint8_t)(1u << bank);
        file->bank[bank][row % TENSIX_SRC_FILE_ROWS][column] = value & NUM_SRC_BITS;
    }
}

/* All rows of a bank, for writes of whole rows while no column is held. */
static inline uint32_t (*tensix_src_file_open(struct tensix_src_file *file,
                                              unsigned bank))[TENSIX_SRC_FILE_COLUMNS]
{
    file->filled |= (uint8_t)(1u << bank);
    return file->bank[bank];
}

void tensix_src_file_write_row(struct tensix_src_file *file, unsigned bank, unsigned row,
                               const uint32_t data[TENSIX_SRC_FILE_COLUMNS]);

/*
 * All of some banks becomes `value`: ZEROSRC and UNPACR_NOP, with 0, NUM_SRC_MINUS_INFINITY
 * (ZEROSRC: SrcA only), NUM_SRC_ONE_* or an immediate. `banks` has bit 0 for bank 0, bit 1
 * for bank 1. The implied format stays (GUESS: the page calls it uncharacterised).
 */
void tensix_src_file_fill(struct tensix_src_file *file, unsigned banks, uint32_t value);

/* The soft reset of data now holds these columns, a bit each; those that it did not hold before
 * become 0 in both banks. */
void tensix_src_file_hold(struct tensix_src_file *file, unsigned columns);

/* What the unpackers write when they hand a bank over: their output format. */
static inline void tensix_src_file_imply(struct tensix_src_file *file, unsigned bank,
                                         unsigned format)
{
    file->format[bank] = format & 0xf;
}

/* The format with which the Matrix Unit takes a bank: `configured` under `disabled`
 * (DISABLE_IMPLIED_SRCA_FMT_Base, DISABLE_IMPLIED_SRCB_FMT_Base of the thread). */
static inline unsigned tensix_src_file_format(const struct tensix_src_file *file, unsigned bank,
                                              bool disabled, unsigned configured)
{
    return disabled || !TENSIX_IMPLIES_FORMATS ? configured : file->format[bank];
}

#endif
