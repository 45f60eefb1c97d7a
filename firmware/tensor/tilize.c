/*
 * Rows to tiles: A is a matrix of ROWS x COLUMNS tiles that lies row by row, the result its tiles.
 * Formats of 16 or 32 bits.
 *
 * Blackhole's unpacker takes 32 datums of a row at a time then, so that SrcA and Dst hold the 32
 * rows of a tile in pairs: row r of the left faces in 2 * r, of the right faces in 2 * r + 1. The
 * packer puts that right: two of its interfaces read every other row.
 */
#include "math.h"
#include "pack.h"
#include "unpack.h"

static uint32_t row_bytes(void)
{
    return argument(ARGUMENT_COLUMNS) * TILE_COLUMNS * format_bits(argument(ARGUMENT_FORMAT_A)) / 8;
}

static void unpack(void)
{
    const unsigned bits = format_bits(argument(ARGUMENT_FORMAT_A));
    const uint32_t step = row_bytes() / UNIT;
    unsigned context = 0;
    unpack_configure(false);
    tensix_wait();
    CONFIG(THCON_SEC0_REG2_Out_data_format) =
        CONFIG_FIELD_BITS(THCON_SEC0_REG2_Out_data_format, argument(ARGUMENT_FORMAT_SRC_A)) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG2_Throttle_mode, THROTTLE) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG2_Tileize_mode, 1) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG2_Shift_amount_cntx0, step) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG2_Shift_amount_cntx1, step >> 4) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG2_Shift_amount_cntx2, step >> 8);
    CONFIG(THCON_SEC0_REG5_Tile_x_dim_cntx0) =
        CONFIG_FIELD_BITS(THCON_SEC0_REG5_Tile_x_dim_cntx0, TILE_DATUMS) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG5_Tile_x_dim_cntx1, TILE_DATUMS);
    CONFIG(THCON_SEC0_REG0_TileDescriptor_y_dim) =
        CONFIG_FIELD_BITS(THCON_SEC0_REG0_TileDescriptor_y_dim, 1) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG0_TileDescriptor_z_dim, 1);
    config_stored();
    unpack_counts(ADC_UNPACKER0, TILE_DATUMS);
    unpack_use_copy_mop(1);
    meet();
    for (unsigned row = 0; row < argument(ARGUMENT_ROWS); row++) {
        for (unsigned column = 0; column < argument(ARGUMENT_COLUMNS); column++) {
            uint32_t address = argument(ARGUMENT_A) + row * TILE_ROWS * row_bytes() +
                               column * TILE_COLUMNS * bits / 8;
            context = unpack_tiles(context, address, address);
        }
    }
}

static void compute(void)
{
    const unsigned tiles = argument(ARGUMENT_ROWS) * argument(ARGUMENT_COLUMNS);
    const unsigned block = block_of(tiles);
    unsigned half = 0;
    math_configure();
    math_use_copy_mop(1, DST_TILE_ROWS);
    meet();
    for (unsigned done = 0; done < tiles; done += block) {
        half = math_copy_block(half, block);
    }
}

/* --- T2 --- */

/* A left and a right face by each turn: of the rows of 16 pairs first the even ones, then the odd
 * ones, two at a time. */
static void use_pairs_mop(void)
{
    enum { PAIRS = 8, REPLAY_LENGTH = 2 * PAIRS - 1 };
    const uint32_t end = WORD(PACR, .addr_mod = 2, .read_intf_sel = ODD_INTERFACES);
    PACK_ADDR_MOD(0, .y_src_incr = 4, .y_dst_incr = 2);
    PACK_ADDR_MOD(1, .y_src_clear = 1, .y_dst_clear = 1);
    PACK_ADDR_MOD(2, .y_src_clear = 1, .y_dst_clear = 1, .z_src_incr = 1);
    replay_record(0, REPLAY_LENGTH);
    for (unsigned i = 0; i < REPLAY_LENGTH; i++) {
        tensix_push(WORD(PACR, .addr_mod = i == PAIRS - 1,
                         .read_intf_sel = i < PAIRS ? EVEN_INTERFACES : ODD_INTERFACES));
    }
    struct mop_loops loops = mop_loops_of_two(2, 1, REPLAY_WORD(0, REPLAY_LENGTH), end);
    loops.last_of_all = end | WORD(PACR, .last = 1);
    loops.end[0] = WORD(SETADCZW, .cnt_set_mask = ADC_PACKER, .z1_val = 2, .bit_mask = 4);
    mop_use_loops(&loops);
}

static void pack(void)
{
    const unsigned tiles = argument(ARGUMENT_ROWS) * argument(ARGUMENT_COLUMNS);
    pack_configure(2 * FACE_ROWS);
    CONFIG(PCK0_ADDR_CTRL_ZW_REG_1_Zstride) =
        CONFIG_FIELD_BITS(PCK0_ADDR_CTRL_ZW_REG_1_Zstride,
                          FACE_DATUMS * format_stride(argument(ARGUMENT_FORMAT_PACK)));
    config_stored();
    use_pairs_mop();
    meet();
    pack_tiles(tiles, block_of(tiles));
}
