/*
 * Rows, columns or all of A become one datum each: the greatest, or the sum of all times a factor.
 * A has ROWS x COLUMNS tiles. B is one tile, of whose faces the first rows hold factors: 1 for a
 * maximum or a sum, 1/n for an average.
 *
 *   DIMENSION_ROW     ROWS tiles, the results in the first column
 *   DIMENSION_COLUMN  COLUMNS tiles, the results in the first row
 *   DIMENSION_SCALAR  ROWS x COLUMNS tiles, the result of a tile in its first datum
 * What lies beside is 0, which the packer's edge masks see to.
 *
 * The pooling instructions reduce columns of SrcA to one row of Dst. Rows are reduced by
 * transposing the faces on the way to SrcA, and the result on its way through SrcB.
 */
#include "math.h"
#include "pack.h"
#include "unpack.h"

static enum dimension dimension(void)
{
    return (enum dimension)argument(ARGUMENT_DIMENSION);
}

/* The results, and how many tiles of A make one of them. */
static unsigned tiles_of_result(void)
{
    switch (dimension()) {
    case DIMENSION_ROW:
        return argument(ARGUMENT_ROWS);
    case DIMENSION_COLUMN:
        return argument(ARGUMENT_COLUMNS);
    default:
        return argument(ARGUMENT_ROWS) * argument(ARGUMENT_COLUMNS);
    }
}

static unsigned tiles_of_input(void)
{
    switch (dimension()) {
    case DIMENSION_ROW:
        return argument(ARGUMENT_COLUMNS);
    case DIMENSION_COLUMN:
        return argument(ARGUMENT_ROWS);
    default:
        return 1;
    }
}

/* --- T0 --- */

static void use_unpack_mop(void)
{
    enum { REPLAY_LENGTH = 2 };
    const uint32_t faces = REPLAY_WORD(0, REPLAY_LENGTH);
    struct mop_loops loops = mop_loops(1, FACES, faces);
    replay_record(0, REPLAY_LENGTH);
    tensix_push(UNPACR_WORD(UNPACKER0, 1, .ch0_z_inc = 1));
    tensix_push(UNPACR_WORD(UNPACKER1, 1, .ch0_z_inc = 1));
    if (dimension() == DIMENSION_SCALAR) { /* T1 writes to SrcA, and a bank may come back */
        loops = mop_loops_of_two(1, FACES, WORD(UNPACR_NOP_ZEROSRC, .which_unpacker = UNPACKER0),
                                 faces);
    }
    mop_use_loops(&loops);
}

static void unpack(void)
{
    const uint32_t size = format_tile_units(argument(ARGUMENT_FORMAT_A)) * UNIT;
    const unsigned columns = argument(ARGUMENT_COLUMNS);
    const unsigned results = tiles_of_result(), inputs = tiles_of_input();
    const bool is_column = dimension() == DIMENSION_COLUMN;
    unsigned context = 0;
    unpack_configure(dimension() == DIMENSION_ROW);
    unpack_counts(ADC_UNPACKER1, ROW_DATUMS);
    use_unpack_mop();
    meet();
    for (unsigned result = 0; result < results; result++) {
        for (unsigned input = 0; input < inputs; input++) {
            unsigned tile = is_column ? input * columns + result : result * inputs + input;
            context =
                unpack_tiles(context, argument(ARGUMENT_A) + tile * size, argument(ARGUMENT_B));
        }
    }
}

/* --- T1 --- */

enum { SCRATCH_ROW = 4, SRC_B_SCRATCH = 16 };

static uint32_t pool_word(unsigned addr_mod, unsigned dst_row)
{
    return argument(ARGUMENT_OPERATION) == POOLING_MAX
               ? WORD(GMPOOL, .dim_16x16 = 1, .pool_addr_mod = addr_mod, .dst_row = dst_row)
               : WORD(GAPOOL, .dim_16x16 = 1, .pool_addr_mod = addr_mod, .dst_row = dst_row);
}

/* A face to row `dst_row`, in all phases. */
static void pool(unsigned dst_row)
{
    const unsigned phases =
        argument(ARGUMENT_OPERATION) == POOLING_MAX ? 1 : argument(ARGUMENT_PHASES);
    for (unsigned phase = 1; phase < phases; phase++) {
        tensix_push(pool_word(3, dst_row));
    }
    tensix_push(pool_word(0, dst_row));
}

static void advance_dst(unsigned rows)
{
    for (; rows > 0; rows -= MATRIX_ROWS) {
        PUSH(SETRWC, .dst_cr = 1, .dst_val = MATRIX_ROWS, .dst = 1);
    }
}

/* The first row of a face of Dst becomes its first column too: by SrcB's rows 16 to 31, added to a
 * SrcA of zeros. The row itself stays, for tiles to come. */
static void transpose_result(void)
{
    PUSH(SETRWC, .dst_cr = 1, .src_b = 1, .src_a = 1);
    PUSH(MOVD2B, .src_row = SRC_B_SCRATCH);
    PUSH(TRNSPSRCB);
    PUSH(MOVD2B, .src_row = SRC_B_SCRATCH);
    PUSH(SETRWC, .src_b_cr = 1, .src_b_val = 8, .src_b = 1);
    PUSH(SETRWC, .src_b_cr = 1, .src_b_val = 8, .src_b = 1);
    PUSH(ZEROSRC, .single_bank_matrix_unit = 1, .src_mask = 1);
    PUSH(ELWADD, .addr_mod = 2);
    PUSH(ELWADD, .addr_mod = 2);
}

static void reduce_rows(void)
{
    for (unsigned faces = 0; faces < 2; faces++) {
        pool(0);
        PUSH(CLEARDVALID, .clear_dvalid = FLIP_BOTH);
        pool(0);
        transpose_result();
        if (faces == 0) { /* on to the third face of Dst */
            PUSH(SETRWC, .dst_cr = 1, .dst_val = MATRIX_ROWS, .dst = 1);
            PUSH(SETRWC, .dst_cr = 1, .dst_val = MATRIX_ROWS, .dst = 1);
            PUSH(SETRWC, .dst_cr = 1, .dst_val = MATRIX_ROWS, .dst = 1);
            PUSH(SETRWC, .clear_ab_vld = FLIP_BOTH, .dst_cr = 1, .dst_val = MATRIX_ROWS, .src_b = 1,
                 .dst = 1);
        }
    }
    PUSH(SETRWC, .clear_ab_vld = FLIP_BOTH, .src_b = 1, .dst = 1);
}

static void reduce_columns(void)
{
    for (unsigned faces = 0; faces < 2; faces++) {
        pool(0);
        PUSH(CLEARDVALID, .clear_dvalid = FLIP_BOTH);
        advance_dst(FACE_ROWS);
        pool(0);
        PUSH(SETRWC, .clear_ab_vld = FLIP_BOTH, .src_a = 1, .dst = 1);
    }
}

/* All faces to a row that is then transposed and reduced itself. */
static void reduce_to_scalar(void)
{
    for (unsigned face = 1; face < FACES; face++) {
        pool(SCRATCH_ROW);
        PUSH(CLEARDVALID, .clear_dvalid = FLIP_BOTH);
    }
    pool(SCRATCH_ROW);
    PUSH(SETRWC, .dst_cr = 1, .src_b = 1, .src_a = 1);
    PUSH(MOVD2B, .src_row = SRC_B_SCRATCH, .dst_row = SCRATCH_ROW);
    PUSH(GATESRCRST, .invalidate_src_b_cache = 1, .reset_src_a_gate = 1);
    PUSH(TRNSPSRCB);
    PUSH(GATESRCRST, .invalidate_src_b_cache = 1, .reset_src_a_gate = 1);
    for (unsigned row = 0; row < FACE_ROWS; row += 4) {
        tensix_push(
            WORD(MOVB2A, .src_a_row = row, .instr_mod = 2, .src_b_row = SRC_B_SCRATCH + row));
    }
    PUSH(GATESRCRST, .invalidate_src_b_cache = 1, .reset_src_a_gate = 1);
    PUSH(ZEROACC, .dst_row = SCRATCH_ROW);
    pool(0);
    PUSH(CLEARDVALID, .clear_dvalid = FLIP_BOTH);
}

static void reduce_tile(void)
{
    switch (dimension()) {
    case DIMENSION_ROW:
        reduce_rows();
        break;
    case DIMENSION_COLUMN:
        reduce_columns();
        break;
    default:
        reduce_to_scalar();
        break;
    }
    PUSH(SETRWC, .fidelity = 1, .dst = 1, .src_b = 1, .src_a = 1);
}

static void compute(void)
{
    const unsigned results = tiles_of_result(), inputs = tiles_of_input();
    unsigned half = 0;
    math_configure();
    ADDR_MOD(0, .fidelity_clear = 1);
    ADDR_MOD(2, .b_incr = MATRIX_ROWS, .dst_incr = MATRIX_ROWS);
    ADDR_MOD(3, .fidelity_incr = 1);
    meet();
    for (unsigned result = 0; result < results; result++) {
        math_begin();
        for (unsigned input = 0; input < inputs; input++) {
            reduce_tile();
        }
        half = math_end(half);
    }
}

/* --- T2 --- */

/* Rows of faces have mask 0, which lets nothing pass, or mask 1. */
static void pack_configure_masks(void)
{
    static const struct {
        uint32_t rows; /* two bits each: the mask */
        uint32_t mask;
    } masks[] = {[DIMENSION_ROW] = {0x55555555, 0x0001},
                 [DIMENSION_COLUMN] = {0x00000001, 0xffff},
                 [DIMENSION_SCALAR] = {0x00000001, 0x0001}};
    enum { MAPPING_1 = 0x55 }; /* for all interfaces */
    CONFIG(PCK_EDGE_OFFSET_SEC0_mask) =
        CONFIG_FIELD_BITS(PCK_EDGE_OFFSET_SEC0_mask, 0) |
        CONFIG_FIELD_BITS(PCK_EDGE_TILE_ROW_SET_SELECT_select, MAPPING_1);
    CONFIG(PCK_EDGE_OFFSET_SEC1_mask) = masks[dimension()].mask;
    CONFIG(TILE_ROW_SET_MAPPING_1_row_set_mapping_0) = masks[dimension()].rows;
    config_stored();
}

static void pack(void)
{
    pack_configure(FACE_ROWS);
    pack_configure_masks();
    pack_use_tile_mop();
    meet();
    pack_tiles(tiles_of_result(), 1);
}
