/*
 * T1's side: the Matrix Unit.
 *
 * SPEC: BlackholeA0 MatrixUnit, WormholeB0 RWCs; the configuration is that of tt_llk_blackhole.
 */
#ifndef TENSOR_MATH_H
#define TENSOR_MATH_H

#include "tensor.h"

enum { MATRIX_ROWS = 8 }; /* of Dst, that an instruction computes */
enum { FLIP_A = 1, FLIP_B = 2, FLIP_BOTH = 3 };

/* What an instruction does to the counters; see ADDR_MOD_AB_SEC and ADDR_MOD_DST_SEC. */
struct addr_mod {
    unsigned a_incr, a_cr, a_clear;
    unsigned b_incr, b_cr, b_clear;
    unsigned dst_incr, dst_cr, dst_clear, dst_c_to_cr;
    unsigned fidelity_incr, fidelity_clear;
};

static inline void addr_mod_set(unsigned index, struct addr_mod mod)
{
    uint32_t ab = CONFIG_FIELD_BITS(ADDR_MOD_AB_SEC0_SrcAIncr, mod.a_incr) |
                  CONFIG_FIELD_BITS(ADDR_MOD_AB_SEC0_SrcACR, mod.a_cr) |
                  CONFIG_FIELD_BITS(ADDR_MOD_AB_SEC0_SrcAClear, mod.a_clear) |
                  CONFIG_FIELD_BITS(ADDR_MOD_AB_SEC0_SrcBIncr, mod.b_incr) |
                  CONFIG_FIELD_BITS(ADDR_MOD_AB_SEC0_SrcBCR, mod.b_cr) |
                  CONFIG_FIELD_BITS(ADDR_MOD_AB_SEC0_SrcBClear, mod.b_clear);
    uint32_t dst = CONFIG_FIELD_BITS(ADDR_MOD_DST_SEC0_DestIncr, mod.dst_incr) |
                   CONFIG_FIELD_BITS(ADDR_MOD_DST_SEC0_DestCR, mod.dst_cr) |
                   CONFIG_FIELD_BITS(ADDR_MOD_DST_SEC0_DestClear, mod.dst_clear) |
                   CONFIG_FIELD_BITS(ADDR_MOD_DST_SEC0_DestCToCR, mod.dst_c_to_cr) |
                   CONFIG_FIELD_BITS(ADDR_MOD_DST_SEC0_FidelityIncr, mod.fidelity_incr) |
                   CONFIG_FIELD_BITS(ADDR_MOD_DST_SEC0_FidelityClear, mod.fidelity_clear);
    tensix_push(WORD(SETC16, .cfg_index = ADDR_MOD_AB_SEC0_SrcAIncr_WORD + index, .new_value = ab));
    tensix_push(
        WORD(SETC16, .cfg_index = ADDR_MOD_DST_SEC0_DestIncr_WORD + index, .new_value = dst));
    tensix_push(WORD(SETC16, .cfg_index = ADDR_MOD_BIAS_SEC0_BiasIncr_WORD + index));
}

#define ADDR_MOD(index, ...) addr_mod_set(index, (struct addr_mod){__VA_ARGS__})

static inline void math_configure(void)
{
    const unsigned src = argument(ARGUMENT_FORMAT_SRC_A);
    config_change(DEST_ACCESS_CFG_zeroacc_absolute_tile_mode, 0);
    config_change(ALU_ACC_CTRL_INT8_math_enabled, src == INT8);
    config_change(ALU_ACC_CTRL_Fp32_enabled, is_dst_32bit());
    config_change(ALU_ACC_CTRL_SFPU_Fp32_enabled, is_dst_32bit());
    thread_config(CLR_DVALID_SrcA_Disable, 0);
    thread_config(DEST_TARGET_REG_CFG_MATH_Offset, 0);
    PUSH(SETRWC, .fidelity = 1, .dst = 1, .src_b = 1, .src_a = 1);
    tensix_push(WORD(ZEROACC, .mode = 3, .use_dst32b = is_dst_32bit()));
}

/* Waits for a half of Dst that the packer has done with. */
static inline void math_begin(void)
{
    tensix_push(WORD(SEMWAIT, .block_mask = BLOCK_MATRIX | BLOCK_VECTOR | BLOCK_SYNC,
                     .semaphore_mask = 1 << MATH_PACK, .condition_mask = WHILE_MAX));
}

/* From now on, instructions write to this tile of the half. */
static inline void math_select(unsigned half, unsigned tile)
{
    thread_config(DEST_TARGET_REG_CFG_MATH_Offset, half * DST_HALF_ROWS + tile * DST_TILE_ROWS);
}

/* Gives the half to the packer; returns the other one. */
static inline unsigned math_end(unsigned half)
{
    PUSH(STALLWAIT, .block_mask = BLOCK_SYNC, .condition_mask = WAIT_MATRIX | WAIT_VECTOR);
    semaphore_post(MATH_PACK);
    PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_MATRIX | WAIT_VECTOR);
    math_select(!half, 0);
    return !half;
}

/* The MOP that copies from SrcA to Dst, `faces` times `rows` rows. A 32-bit Dst, or integers, take
 * them by addition of SrcB, which is zero. */
static inline void math_use_copy_mop(unsigned faces, unsigned rows)
{
    const unsigned src = argument(ARGUMENT_FORMAT_SRC_A);
    const bool adds = (is_dst_32bit() || src == INT8) && src != UINT16;
    ADDR_MOD(2, .a_incr = MATRIX_ROWS, .dst_incr = MATRIX_ROWS);
    struct mop_loops loops =
        mop_loops(faces, rows / MATRIX_ROWS,
                  adds ? WORD(ELWADD, .addr_mod = 2) : WORD(MOVA2D, .addr_mod = 2, .instr_mod = 2));
    loops.end[0] = WORD(SETRWC, .clear_ab_vld = FLIP_BOTH, .src_b = 1, .src_a = 1);
    mop_use_loops(&loops);
}

/* Runs the copy MOP for `tiles` tiles of a half. */
static inline unsigned math_copy_block(unsigned half, unsigned tiles)
{
    math_begin();
    for (unsigned tile = 0; tile < tiles; tile++) {
        math_select(half, tile);
        mop_run();
        PUSH(SETRWC, .dst = 1);
    }
    return math_end(half);
}

/* --- T0 fills Dst (unpack.h) --- */

/* T0 may write to a half once the packer has left it: the hart waits for that with its thread. */
static inline void math_open_half(void)
{
    PUSH(SEMPOST, .semaphore_mask = 1 << DST_GIVEN);
    while (SEMAPHORE(DST_GIVEN) == 0) {
    }
    SEMAPHORE(DST_GIVEN) = 1;
}

/* Names the place of the next tile; what follows waits until it is there. */
static inline void math_let_unpack(unsigned half, unsigned tile)
{
    HART_MAILBOX(T0_MAILBOX) = half * DST_HALF_ROWS + tile * DST_TILE_ROWS;
    PUSH(SEMWAIT, .block_mask = BLOCK_SYNC | BLOCK_VECTOR, .semaphore_mask = 1 << DST_FILLED,
         .condition_mask = WHILE_ZERO);
    semaphore_get(DST_FILLED);
}

#endif
