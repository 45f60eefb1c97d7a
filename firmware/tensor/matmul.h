/*
 * Parts of matrix multiplications, which differ in where tiles of the inputs come from (matmul.c
 * here, and ../grid/matmul).
 *
 * The Matrix Unit computes Dst += SrcB * SrcA, so tiles of A go to SrcB and tiles of B to SrcA. A
 * tile of A stays in its bank while a block of tiles of B in the same row goes by, each to a tile
 * of Dst of its own. T0 walks along that row by a MOP that replays one of two sequences, one for
 * each context. T1 replays 16 instructions for a tile, once for each fidelity phase.
 */
#ifndef TENSOR_MATMUL_H
#define TENSOR_MATMUL_H

#include "math.h"
#include "unpack.h"

/* --- T0 --- */

enum { MATMUL_WALK_LENGTH = 8 };

/* For a context: a tile to SrcA, and the base address goes to the next one. */
static inline void matmul_record_walk(unsigned at, unsigned base_word)
{
    replay_record(at, MATMUL_WALK_LENGTH);
    tensix_push(UNPACR_WORD(UNPACKER0, 1));
    tensix_push(WORD(RDCFG, .result_reg = GPR_BASE, .cfg_index = base_word));
    PUSH(NOP); /* RDCFG takes two cycles, or three when another thread writes a GPR */
    PUSH(NOP);
    tensix_push(WORD(ADDDMAREG, .result_reg = GPR_BASE, .right = GPR_STEP, .left_reg = GPR_BASE));
    PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_SCALAR);
    tensix_push(WORD(WRCFG, .input_reg = GPR_BASE, .cfg_index = base_word));
    PUSH(NOP);
}

static inline void matmul_unpack_configure(void)
{
    /* A is the second unpacker's here. */
    const unsigned walker = THCON_SEC0_REG3_Base_address_WORD;
    unpack_configure_formats(
        (struct unpack_formats){argument(ARGUMENT_FORMAT_B), argument(ARGUMENT_FORMAT_SRC_B),
                                argument(ARGUMENT_FORMAT_A), argument(ARGUMENT_FORMAT_SRC_A)},
        false);
    unpack_counts(ADC_UNPACKER0 | ADC_UNPACKER1, TILE_DATUMS);
    gpr_set(GPR_STEP, format_tile_units(argument(ARGUMENT_FORMAT_B)));
    matmul_record_walk(0, walker);
    matmul_record_walk(MATMUL_WALK_LENGTH, walker + 1);
    mop_use_choice(REPLAY_WORD(0, MATMUL_WALK_LENGTH),
                   REPLAY_WORD(MATMUL_WALK_LENGTH, MATMUL_WALK_LENGTH));
}

/* A tile of A, and `block` tiles of B one behind the other. Returns the next context. */
static inline unsigned matmul_unpack(unsigned context, uint32_t a, uint32_t b, unsigned block)
{
    unpack_begin(context, b, a);
    tensix_push(UNPACR_WORD(UNPACKER1, 1));
    tensix_push(WORD(MOP, .count1 = block - 1, .mask_lo = context ? 0xffff : 0));
    return unpack_end(context);
}

/* --- T1 --- */

enum { MATMUL_REPLAY_AT = 16, MATMUL_TILE_INSTRUCTIONS = 16 };

/* SrcB has faces B0, B1 (to its right), B2, B3 and so has SrcA; each is 16 rows. In this order Dst
 * goes through its faces twice: B0*A0, B0*A1, B2*A0, B2*A1; B1*A2, B1*A3, B3*A2, B3*A3. */
static inline void matmul_record_tile(void)
{
    ADDR_MOD(0, .b_incr = MATRIX_ROWS, .dst_incr = MATRIX_ROWS);
    ADDR_MOD(1, .a_incr = 16, .b_cr = 1, .dst_incr = MATRIX_ROWS);
    ADDR_MOD(2, .a_cr = 1, .b_incr = 32, .b_cr = 1, .dst_incr = MATRIX_ROWS);
    ADDR_MOD(4, .a_incr = 32, .a_cr = 1, .b_incr = 48, .b_cr = 1, .dst_cr = 1);
    ADDR_MOD(5, .a_clear = 1, .a_cr = 1, .b_clear = 1, .b_cr = 1, .dst_clear = 1, .dst_cr = 1,
             .fidelity_incr = 1);
    replay_record(MATMUL_REPLAY_AT, MATMUL_TILE_INSTRUCTIONS);
    for (unsigned half = 0; half < 2; half++) {
        PUSH(MVMUL, .addr_mod = 0);
        PUSH(MVMUL, .addr_mod = 1); /* the next face of SrcA, the same of SrcB */
        PUSH(MVMUL, .addr_mod = 0);
        PUSH(MVMUL, .addr_mod = 2); /* the face of SrcB below */
        PUSH(MVMUL, .addr_mod = 0);
        PUSH(MVMUL, .addr_mod = 1);
        PUSH(MVMUL, .addr_mod = 0);
        tensix_push(WORD(MVMUL, .addr_mod = half == 0 ? 4 : 5)); /* the lower half of SrcA; back */
    }
}

static inline void matmul_compute(void)
{
    const unsigned rows = argument(ARGUMENT_ROWS), columns = argument(ARGUMENT_COLUMNS);
    const unsigned inner = argument(ARGUMENT_INNER), block = block_of(columns);
    unsigned half = 0;
    math_configure();
    matmul_record_tile();
    struct mop_loops loops = mop_loops(1, argument(ARGUMENT_PHASES),
                                       REPLAY_WORD(MATMUL_REPLAY_AT, MATMUL_TILE_INSTRUCTIONS));
    loops.end[0] =
        WORD(SETRWC, .clear_ab_vld = FLIP_A, .fidelity = 1, .dst = 1, .src_b = 1, .src_a = 1);
    mop_use_loops(&loops);
    meet();
    for (unsigned blocks = rows * (columns / block); blocks > 0; blocks--) {
        math_begin();
        for (unsigned k = 0; k < inner; k++) {
            for (unsigned tile = 0; tile < block; tile++) {
                math_select(half, tile);
                mop_run();
            }
            PUSH(SETRWC, .clear_ab_vld = FLIP_B, .fidelity = 1, .dst = 1, .src_b = 1, .src_a = 1);
        }
        half = math_end(half);
    }
}

#endif
