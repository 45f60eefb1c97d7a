/*
 * Tiles to rows: A has ROWS x COLUMNS tiles, the result is the same matrix row by row.
 *
 * T1 fills Dst with a block of tiles that lie side by side. The packer then writes a row of the
 * whole block at a time, by two interfaces that read rows of Dst 16 apart: the row in both faces of
 * a tile. After it the address in L1 goes to the next row of the matrix.
 */
#include "math.h"
#include "pack.h"
#include "unpack.h"

static void unpack(void)
{
    const uint32_t size = format_tile_units(argument(ARGUMENT_FORMAT_A)) * UNIT;
    const unsigned tiles = argument(ARGUMENT_ROWS) * argument(ARGUMENT_COLUMNS);
    unsigned context = 0;
    unpack_configure(false);
    unpack_use_copy_mop(FACES);
    meet();
    for (unsigned tile = 0; tile < tiles; tile++) {
        uint32_t address = argument(ARGUMENT_A) + tile * size;
        context = unpack_tiles(context, address, address);
    }
}

static void compute(void)
{
    const unsigned columns = argument(ARGUMENT_COLUMNS), block = block_of(columns);
    unsigned half = 0;
    math_configure();
    /* Dst in the order that the packer's strided reads want. */
    config_change(DEST_ACCESS_CFG_remap_addrs, 1);
    config_change(DEST_ACCESS_CFG_swizzle_32b, 1);
    math_use_copy_mop(FACES, FACE_ROWS);
    meet();
    for (unsigned blocks = argument(ARGUMENT_ROWS) * (columns / block); blocks > 0; blocks--) {
        half = math_copy_block(half, block);
    }
    tensix_wait();
    while (SEMAPHORE(MATH_PACK) > 0) { /* Dst is in use */
    }
    config_change(DEST_ACCESS_CFG_remap_addrs, 0);
    config_change(DEST_ACCESS_CFG_swizzle_32b, 0);
}

/* --- T2 --- */

enum { REPLAY_AT = 16, REPLAY_LENGTH = 4 };

static void use_row_mop(unsigned block)
{
    const uint32_t row = WORD(PACR, .dst_access_mode = 1, .read_intf_sel = TWO_INTERFACES);
    replay_record(REPLAY_AT, REPLAY_LENGTH);
    tensix_push(
        WORD(ADDDMAREG, .result_reg = GPR_ADDRESS, .right = GPR_ROW, .left_reg = GPR_ADDRESS));
    PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_SCALAR);
    tensix_push(
        WORD(WRCFG, .input_reg = GPR_ADDRESS, .cfg_index = THCON_SEC0_REG1_L1_Dest_addr_WORD));
    PUSH(NOP);
    PACK_ADDR_MOD(0);
    struct mop_loops loops = mop_loops_of_two(
        FACE_ROWS, block, WORD(INCADCZW, .cnt_set_mask = ADC_PACKER, .w0_inc = 1), row);
    loops.start = WORD(ADDRCRZW, .cnt_set_mask = ADC_PACKER, .w0 = 1); /* in front of the block */
    loops.last_of_inner = loops.last_of_all = row | WORD(PACR, .last = 1);
    loops.end[0] = WORD(INCADCXY, .cnt_set_mask = ADC_PACKER, .y0_inc = 1);
    loops.end[1] = REPLAY_WORD(REPLAY_AT, REPLAY_LENGTH);
    mop_use_loops(&loops);
}

/* A block whose first datum goes to `address`. */
static void pack_rows(uint32_t address)
{
    enum { IN_FRONT = 15 }; /* the counter of tiles wraps around */
    pack_address(address);
    PUSH(SETADCZW, .cnt_set_mask = ADC_PACKER, .bit_mask = 1);
    tensix_push(WORD(SETADC, .cnt_set_mask = ADC_PACKER, .xyzw = COUNTER_W, .new_value = IN_FRONT));
    PUSH(SETADCXY, .cnt_set_mask = ADC_PACKER, .bit_mask = 3);
    for (unsigned faces = 0; faces < 2; faces++) {
        mop_run();
        PUSH(INCADCZW, .cnt_set_mask = ADC_PACKER, .z0_inc = 1);
        PUSH(SETADCXY, .cnt_set_mask = ADC_PACKER, .bit_mask = 2);
    }
    PUSH(SETADCZW, .cnt_set_mask = ADC_PACKER, .bit_mask = 5);
}

static void pack(void)
{
    const unsigned columns = argument(ARGUMENT_COLUMNS), block = block_of(columns);
    const unsigned bits = format_bits(argument(ARGUMENT_FORMAT_RESULT));
    const uint32_t bytes = columns * TILE_COLUMNS * bits / 8; /* of a row of the matrix */
    unsigned half = 0;
    pack_configure(2 * FACE_ROWS); /* Z counts pairs of faces */
    gpr_set(GPR_ROW, bytes / UNIT);
    use_row_mop(block);
    meet();
    for (unsigned row = 0; row < argument(ARGUMENT_ROWS); row++) {
        for (unsigned column = 0; column < columns; column += block) {
            pack_begin();
            pack_rows(argument(ARGUMENT_RESULT) + row * TILE_ROWS * bytes +
                      column * TILE_COLUMNS * bits / 8);
            half = pack_end(half);
        }
    }
}
