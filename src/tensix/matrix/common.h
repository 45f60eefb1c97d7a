/*
 * Shared by the handlers of the Matrix Unit: formats of its operands, rows of Dst in place, and the
 * end of an instruction. Every MVMUL uses all of it, so it is inline, and reads the configuration
 * where it is needed. Nothing is kept between instructions.
 *
 * SPEC: WormholeB0 MatrixUnit, SrcASrcB (implied formats), whose newest editions tell Blackhole
 * from Wormhole; BlackholeA0 Dst.
 *
 * FP16A_FORCE_Enable and DEST_REGW_BASE_Base are as on the pages, and LLK uses the first. According
 * to ttsim Blackhole has neither of them; programs that leave them 0 cannot tell.
 */
#ifndef TENSIX_MATRIX_COMMON_H
#define TENSIX_MATRIX_COMMON_H

#include "num/kernels.h"
#include "tensix/exec.h"

/* An instruction's answer where the unpackers hold the bank that it wants. */
static inline enum tensix_exec tensix_matrix_stall(struct tensix *tensix, unsigned thread,
                                                   enum tensix_src src)
{
    return tensix_stall_src(tensix, thread, src, tensix->src[src].matrix_bank);
}

/* --- Formats --- */

enum { TENSIX_MATRIX_NO_CODES = 1 << 12 | 1 << 13 /* that are no format */ };

static inline bool tensix_matrix_is_format(unsigned format)
{
    return !(TENSIX_MATRIX_NO_CODES >> format & 1);
}

/* The code that the configuration has for SrcA, unless the bank of `src` that the unit is at
 * implies one. SPEC: MOVB2D and MOVD2B ask for SrcA's format, and SrcB implies it. */
static inline unsigned tensix_matrix_format_a(const struct tensix *tensix, unsigned thread,
                                              unsigned state, enum tensix_src src)
{
    unsigned configured = tensix_get_ALU_FORMAT_SPEC_REG_SrcA_override(tensix, state)
                              ? tensix_get_ALU_FORMAT_SPEC_REG_SrcA_val(tensix, state)
                              : tensix_get_ALU_FORMAT_SPEC_REG0_SrcA(tensix, state);
    bool disabled = tensix_get_DISABLE_IMPLIED_SRCA_FMT_Base(tensix, thread);
    return tensix_src_file_format(&tensix->src_file[src], tensix->src[src].matrix_bank, disabled,
                                  configured);
}

static inline unsigned tensix_matrix_format_b(const struct tensix *tensix, unsigned thread,
                                              unsigned state)
{
    unsigned configured = tensix_get_ALU_FORMAT_SPEC_REG_SrcB_override(tensix, state)
                              ? tensix_get_ALU_FORMAT_SPEC_REG_SrcB_val(tensix, state)
                              : tensix_get_ALU_FORMAT_SPEC_REG1_SrcB(tensix, state);
    bool disabled = tensix_get_DISABLE_IMPLIED_SRCB_FMT_Base(tensix, thread);
    return tensix_src_file_format(&tensix->src_file[TENSIX_SRC_B],
                                  tensix->src[TENSIX_SRC_B].matrix_bank, disabled, configured);
}

/* Do the ALUs take Dst as 32 bits, whatever an instruction makes of it? */
static inline bool tensix_matrix_has_dst32(const struct tensix *tensix, unsigned state)
{
    return tensix_get_ALU_ACC_CTRL_Fp32_enabled(tensix, state) ||
           tensix_get_ALU_ACC_CTRL_INT8_math_enabled(tensix, state);
}

/* --- Rows --- */

/* Rows of the bank that the unit is at; `row` is below TENSIX_SRC_FILE_ROWS. */
static inline const uint32_t *tensix_matrix_src(const struct tensix *tensix, enum tensix_src src,
                                                unsigned row)
{
    return tensix->src_file[src].bank[tensix->src[src].matrix_bank][row];
}

/* Tells of rows of that bank: what begins near its end goes on at row 0. */
static inline void tensix_matrix_touch_src(struct tensix *tensix, enum tensix_access access,
                                           enum tensix_src src, unsigned row, unsigned rows)
{
    const unsigned bank = TENSIX_SRC_FILE_BANKS * src + tensix->src[src].matrix_bank;
    for (unsigned i = row; i < row + rows && tensix_wants_work(tensix); i++) {
        tensix_add_touch(tensix, access, OBSERVED_STATE_SRC,
                         bank * TENSIX_SRC_FILE_ROWS + i % TENSIX_SRC_FILE_ROWS, 1);
    }
}

/* The row of Dst that an operand names, before it is aligned and cut to 10 bits. */
static inline unsigned tensix_matrix_dst_row(const struct tensix *tensix, unsigned thread,
                                             unsigned state, unsigned row)
{
    return row + tensix_get_DEST_TARGET_REG_CFG_MATH_Offset(tensix, thread) +
           tensix->thread[thread].rwc.dst + tensix_get_DEST_REGW_BASE_Base(tensix, state);
}

/* Do eight aligned rows of Dst lie one after the other? Four always do. */
static inline bool tensix_matrix_rows_together(struct tensix_dst_map map, bool is_32bit)
{
    return !map.swizzle || !(is_32bit || map.high_half);
}

/* What rows that ZEROACC has made undefined are to hold when an instruction works on them. */
enum tensix_matrix_undefined {
    TENSIX_MATRIX_ZERO,
    TENSIX_MATRIX_ANYTHING, /* the instruction does not look at them */
};

/* Makes undefined rows valid; `low` as the caller's. */
void tensix_matrix_define_rows(struct tensix *tensix, unsigned physical, unsigned rows,
                               enum tensix_matrix_undefined undefined, bool low);

/*
 * `rows` rows from `row` on in place, to be written as a whole: 1, 4 or 8 that lie together, best
 * as a constant. They are valid from now on.
 */
static inline __attribute__((always_inline)) struct num_dst_rows
tensix_matrix_dst(struct tensix *tensix, struct tensix_dst_map map, bool is_32bit, unsigned row,
                  unsigned rows, enum tensix_matrix_undefined undefined)
{
    struct tensix_dst *dst = &tensix->dst;
    tensix_vector_settle(tensix, &tensix->vector, tensix->now);
    tensix_touch_dst(tensix, TENSIX_CHANGES, is_32bit, row, rows);
    unsigned physical =
        is_32bit ? tensix_dst_physical32(map, row) : tensix_dst_physical16(map, row);
    uint64_t cleared = 0;
    memcpy(&cleared, &dst->cleared[physical], rows);
    if (cleared) {
        tensix_matrix_define_rows(tensix, physical, rows, undefined, is_32bit);
    }
    struct num_dst_rows place = {.high = dst->bits[physical]};
    if (is_32bit || map.high_half) {
        place.low = dst->bits[physical + TENSIX_DST_LOWER_HALF];
    }
    if (!is_32bit && map.high_half) { /* GUESS: see tensix_dst_write16 */
        memset(place.low, 0, rows * sizeof dst->bits[0]);
    }
    return place;
}

/* Writes a row of the bank that the unit is at. */
static inline void tensix_matrix_put_src(struct tensix *tensix, enum tensix_src src, unsigned row,
                                         const uint32_t data[TENSIX_SRC_FILE_COLUMNS])
{
    struct tensix_src_file *file = &tensix->src_file[src];
    unsigned bank = tensix->src[src].matrix_bank;
    tensix_matrix_touch_src(tensix, TENSIX_WRITES, src, row, 1);
    if (file->held) {
        tensix_src_file_write_row(file, bank, row, data);
    } else {
        memcpy(tensix_src_file_open(file, bank)[row], data, sizeof file->bank[bank][row]);
    }
}

/* --- Ends --- */

/* SPEC: FlipSrcA is bit 0, FlipSrcB bit 1. */
void tensix_matrix_flip(struct tensix *tensix, unsigned thread, unsigned flips);

static inline enum tensix_exec tensix_matrix_done(struct tensix *tensix, unsigned thread,
                                                  unsigned flips, unsigned addr_mod)
{
    if (flips) {
        tensix_matrix_flip(tensix, thread, flips);
    }
    tensix_apply_addr_mod(tensix, thread, addr_mod);
    return TENSIX_DONE;
}

#endif
