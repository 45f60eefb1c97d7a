/* Result = A * B: matrices of ROWS x INNER, INNER x COLUMNS and ROWS x COLUMNS tiles. */
#include "matmul.h"
#include "pack.h"

static void unpack(void)
{
    const unsigned rows = argument(ARGUMENT_ROWS), columns = argument(ARGUMENT_COLUMNS);
    const unsigned inner = argument(ARGUMENT_INNER), block = block_of(columns);
    const uint32_t size_of_a = format_tile_units(argument(ARGUMENT_FORMAT_A)) * UNIT;
    const uint32_t size_of_b = format_tile_units(argument(ARGUMENT_FORMAT_B)) * UNIT;
    const uint32_t a = argument(ARGUMENT_A), b = argument(ARGUMENT_B);
    unsigned context = 0;
    matmul_unpack_configure();
    meet();
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned column = 0; column < columns; column += block) {
            for (unsigned k = 0; k < inner; k++) {
                context = matmul_unpack(context, a + (row * inner + k) * size_of_a,
                                        b + (k * columns + column) * size_of_b, block);
            }
        }
    }
}

static void compute(void)
{
    matmul_compute();
}

static void pack(void)
{
    const unsigned columns = argument(ARGUMENT_COLUMNS);
    pack_configure(FACE_ROWS);
    pack_use_tile_mop();
    meet();
    pack_tiles(argument(ARGUMENT_ROWS) * columns, block_of(columns));
}
