/*
 * Result = A transposed: ROWS x COLUMNS tiles, of COLUMNS x ROWS ones.
 *
 * Unpacker 0 transposes faces on the way to SrcA, and T0 takes the faces of a tile in the order 0,
 * 2, 1, 3.
 */
#include "math.h"
#include "pack.h"
#include "unpack.h"

enum { REPLAY_LENGTH = 2 };

static void use_transposing_mop(void)
{
    replay_record(0, REPLAY_LENGTH);
    tensix_push(UNPACR_ZEROS_WORD(UNPACKER1));
    tensix_push(UNPACR_WORD(UNPACKER0, 1, .ch0_z_inc = 2)); /* the face below */
    struct mop_loops loops = mop_loops(2, 2, REPLAY_WORD(0, REPLAY_LENGTH));
    loops.end[0] = SET_Z_WORD(ADC_UNPACKER0, 1);
    mop_use_loops(&loops);
}

static void unpack(void)
{
    const uint32_t size = format_tile_units(argument(ARGUMENT_FORMAT_A)) * UNIT;
    const unsigned rows = argument(ARGUMENT_ROWS), columns = argument(ARGUMENT_COLUMNS);
    unsigned context = 0;
    unpack_configure(true);
    use_transposing_mop();
    meet();
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned column = 0; column < columns; column++) {
            uint32_t address = argument(ARGUMENT_A) + (column * rows + row) * size;
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
    math_use_copy_mop(FACES, FACE_ROWS);
    meet();
    for (unsigned done = 0; done < tiles; done += block) {
        half = math_copy_block(half, block);
    }
}

static void pack(void)
{
    const unsigned tiles = argument(ARGUMENT_ROWS) * argument(ARGUMENT_COLUMNS);
    pack_configure(FACE_ROWS);
    pack_use_tile_mop();
    meet();
    pack_tiles(tiles, block_of(tiles));
}
