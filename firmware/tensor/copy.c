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

/* --- T0 --- */

static void unpack(void)
{
    const uint32_t size = format_tile_units(argument(ARGUMENT_FORMAT_A)) * UNIT;
    const uint32_t a = argument(ARGUMENT_A);
    const unsigned tiles = tiles_of_result();
    unsigned context = 0;
    unpack_configure(false);
    if (is_unpack_to_dst()) {
        unpack_use_dst_mop();
    } else {
        unpack_use_copy_mop(FACES);
    }
    meet();
    for (unsigned tile = 0; tile < tiles; tile++) {
        context = is_unpack_to_dst() ? unpack_to_dst(context, a + tile * size)
                                     : unpack_tiles(context, a + tile * size, a + tile * size);
    }
}

/* --- T1 --- */

/* Lets T0 fill a half. */
static unsigned let_unpack_block(unsigned half, unsigned tiles)
{
    math_begin();
    math_open_half();
    for (unsigned tile = 0; tile < tiles; tile++) {
        math_let_unpack(half, tile);
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
