/*
 * Result = A in another format, ROWS x COLUMNS tiles of each.
 *
 * Past Src, 32-bit datums go straight to Dst: T1 gives T0 the place for each tile by a mailbox and
 * learns by a semaphore that it is there.
 */
#include "math.h"
#include "pack.h"
#include "unpack.h"

static unsigned tiles_of_result(void)
{
    return argument(ARGUMENT_ROWS) * argument(ARGUMENT_COLUMNS);
}

static bool is_unpack_to_dst(void)
{
    return argument(ARGUMENT_IS_UNPACK_TO_DST) != 0;
}

enum { T0_MAILBOX = 1, T1_MAILBOX = 2 };

/* --- T0 --- */

/* Aims the context at rows of Dst, or back at SrcA. */
static void aim(unsigned context, bool at_dst, unsigned row)
{
    const uint32_t address = at_dst ? SRC_A_ROW0 + ROW_DATUMS * row : SRC_A_ROW0;
    if (context == 0) {
        config_change(THCON_SEC0_REG2_Unpack_if_sel_cntx0, at_dst);
        config_change(THCON_SEC0_REG5_Dest_cntx0_address, address);
    } else {
        config_change(THCON_SEC0_REG2_Unpack_if_sel_cntx1, at_dst);
        config_change(THCON_SEC0_REG5_Dest_cntx1_address, address);
    }
    thread_config(SRCA_SET_Base, at_dst ? 0 : SRCA_SET_BY_ADDRESS);
}

static unsigned unpack_tile_to_dst(unsigned context, uint32_t address)
{
    PUSH(SETADCZW, .cnt_set_mask = ADC_UNPACKER0 | ADC_UNPACKER1, .bit_mask = ALL_COUNTERS);
    unpack_begin(context, address, address);
    const unsigned row = HART_MAILBOX(T1_MAILBOX);
    aim(context, true, row);
    PUSH(SEMWAIT, .block_mask = BLOCK_UNPACK, .semaphore_mask = 1 << DST_FILLED,
         .condition_mask = WHILE_MAX);
    mop_run();
    PUSH(STALLWAIT, .block_mask = BLOCK_SYNC | BLOCK_CONFIG, .condition_mask = WAIT_UNPACK0);
    semaphore_post(DST_FILLED);
    aim(context, false, 0);
    return unpack_end(context);
}

static void unpack(void)
{
    const uint32_t size = format_tile_units(argument(ARGUMENT_FORMAT_A)) * UNIT;
    const uint32_t a = argument(ARGUMENT_A);
    const unsigned tiles = tiles_of_result();
    unsigned context = 0;
    unpack_configure(false);
    if (is_unpack_to_dst()) {
        struct mop_loops loops =
            mop_loops(FACES, 1, UNPACR_WORD(UNPACKER0, 0, .ch0_z_inc = 1, .ch1_z_inc = 1));
        mop_use_loops(&loops);
    } else {
        unpack_use_copy_mop(FACES);
    }
    meet();
    for (unsigned tile = 0; tile < tiles; tile++) {
        context = is_unpack_to_dst() ? unpack_tile_to_dst(context, a + tile * size)
                                     : unpack_tiles(context, a + tile * size, a + tile * size);
    }
}

/* --- T1 --- */

/* T0 may write to a half once the packer has left it: the hart waits for that with its thread. */
static unsigned let_unpack_block(unsigned half, unsigned tiles)
{
    math_begin();
    PUSH(SEMPOST, .semaphore_mask = 1 << DST_GIVEN);
    while (SEMAPHORE(DST_GIVEN) == 0) {
    }
    SEMAPHORE(DST_GIVEN) = 1;
    for (unsigned tile = 0; tile < tiles; tile++) {
        HART_MAILBOX(T0_MAILBOX) = half * DST_HALF_ROWS + tile * DST_TILE_ROWS;
        PUSH(SEMWAIT, .block_mask = BLOCK_SYNC, .semaphore_mask = 1 << DST_FILLED,
             .condition_mask = WHILE_ZERO);
        semaphore_get(DST_FILLED);
    }
    return math_end(half);
}

static void compute(void)
{
    const unsigned tiles = tiles_of_result(), block = block_of(tiles);
    unsigned half = 0;
    math_configure();
    math_use_copy_mop(FACES, FACE_ROWS);
    meet();
    for (unsigned done = 0; done < tiles; done += block) {
        half = is_unpack_to_dst() ? let_unpack_block(half, block) : math_copy_block(half, block);
    }
}

/* --- T2 --- */

static void pack(void)
{
    const unsigned tiles = tiles_of_result();
    pack_configure(FACE_ROWS);
    pack_use_tile_mop();
    meet();
    pack_tiles(tiles, block_of(tiles));
}
