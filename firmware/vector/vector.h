/*
 * What the programs of this folder share. Each is built three times, as those of firmware/tensor:
 * T0 unpacks the operands of a tile of the result to the first tiles of a half of Dst, T1 computes
 * on them by the Vector Unit and leaves its results in the first ones again, T2 packs those.
 *
 * Operands have one format. Those of 32 bits go straight to Dst (IS_UNPACK_TO_DST), others through
 * SrcA. Tiles of several results lie one behind the other.
 */
#ifndef VECTOR_VECTOR_H
#define VECTOR_VECTOR_H

#include "../tensor/pack.h"
#include "../tensor/unpack.h"
#include "sfpu.h"

/* --- What a program defines --- */

/* Of the operation that the arguments ask for: tiles of operands, and of results, for each tile. */
static unsigned operands(void);
static unsigned results(void);
/* What is done once: constants, templates, the replay buffer. */
static void prepare(void);
/* The tiles of a half, of which instructions see the first one's rows from 0 on. */
static void compute_tile(void);

static inline unsigned operation(void)
{
    return argument(ARGUMENT_OPERATION);
}

static unsigned tiles_of_result(void)
{
    return argument(ARGUMENT_ROWS) * argument(ARGUMENT_COLUMNS);
}

static bool is_unpack_to_dst(void)
{
    return argument(ARGUMENT_IS_UNPACK_TO_DST) != 0;
}

/* --- T0 --- */

static void unpack(void)
{
    static const uint8_t input[] = {ARGUMENT_A, ARGUMENT_B, ARGUMENT_C};
    const uint32_t size = format_tile_units(argument(ARGUMENT_FORMAT_A)) * UNIT;
    const unsigned tiles = tiles_of_result(), count = operands();
    unsigned context = 0;
    unpack_configure(false);
    if (is_unpack_to_dst()) {
        unpack_use_dst_mop();
    } else {
        unpack_use_copy_mop(FACES);
    }
    meet();
    for (unsigned tile = 0; tile < tiles; tile++) {
        for (unsigned i = 0; i < count; i++) {
            const uint32_t address = argument((enum argument)input[i]) + tile * size;
            context = is_unpack_to_dst() ? unpack_to_dst(context, address)
                                         : unpack_tiles(context, address, address);
        }
    }
}

/* --- T1 --- */

static void copy_operand(unsigned half, unsigned tile)
{
    math_select(half, tile);
    mop_run();
    PUSH(SETRWC, .dst = 1);
}

static void get_operands(unsigned half)
{
    const unsigned count = operands();
    math_begin();
    if (is_unpack_to_dst()) {
        math_open_half();
    }
    for (unsigned i = 0; i < count; i++) {
        if (is_unpack_to_dst()) {
            math_let_unpack(half, i);
        } else {
            copy_operand(half, i);
        }
    }
    PUSH(STALLWAIT, .block_mask = BLOCK_VECTOR | BLOCK_CONFIG, .condition_mask = WAIT_MATRIX);
    math_select(half, 0);
}

static void compute(void)
{
    const unsigned tiles = tiles_of_result();
    unsigned half = 0;
    math_configure();
    config_change(ALU_FORMAT_SPEC_REG1_SrcB, argument(ARGUMENT_FORMAT_SRC_B));
    math_use_copy_mop(FACES, FACE_ROWS);
    ADDR_MOD(ADDR_STAY, .dst_incr = 0);
    ADDR_MOD(ADDR_STEP, .dst_incr = 2);
    PUSH(SFPENCC, .imm2 = 3, .mod1 = ENCC_USES | ENCC_FLAGS);
    prepare();
    meet();
    for (unsigned tile = 0; tile < tiles; tile++) {
        get_operands(half);
        compute_tile();
        PUSH(SETRWC, .dst = 1);
        half = math_end(half);
    }
}

/* --- T2 --- */

static void pack(void)
{
    pack_configure(FACE_ROWS);
    pack_use_tile_mop();
    meet();
    pack_tiles(tiles_of_result() * results(), results());
}

/* --- Bodies that every program uses --- */

/* To the precision of Dst, to nearest. */
BODY_INLINE void round_result(struct body *body, unsigned lreg)
{
    const unsigned format = argument(ARGUMENT_FORMAT_SRC_B);
    if (is_dst_32bit()) {
        return;
    }
    if (format == FLOAT16) {
        ROUND(lreg, lreg, ROUND_TO_FP16, ROUND_NEAREST);
    } else {
        ROUND(lreg, lreg, ROUND_TO_BF16, ROUND_NEAREST);
    }
}

/* Lets what macros have scheduled come to its end. */
static inline void drain(void)
{
    for (unsigned i = 0; i < 8; i++) {
        PUSH(SFPNOP, );
    }
}

#endif
