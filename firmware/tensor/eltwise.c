/*
 * Result = A op B datum by datum, op being +, - or *, for ROWS x COLUMNS tiles of each; of a tile
 * of B, only its first row, its first column or its first datum may count instead.
 *
 * T0 gives B's faces in the order that the broadcast needs: a bank with a column or a datum is kept
 * while several faces of A go by. T1 multiplies face by face, once for each fidelity phase; sums
 * have one phase and go through a tile in one MOP.
 */
#include "math.h"
#include "pack.h"
#include "unpack.h"

static unsigned tiles_of_result(void)
{
    return argument(ARGUMENT_ROWS) * argument(ARGUMENT_COLUMNS);
}

/* --- T0 --- */

static struct mop_loops unpack_loops(enum broadcast broadcast)
{
    const uint32_t face_of_a = UNPACR_WORD(UNPACKER0, 1, .ch0_z_inc = 1);
    const uint32_t face_of_b = UNPACR_WORD(UNPACKER1, 1, .ch0_z_inc = 1);
    struct mop_loops loops;
    switch (broadcast) {
    case BROADCAST_COLUMN: /* faces 0 and 2 of B, each for two of A */
        loops = mop_loops(2, 2, face_of_a);
        loops.start = face_of_b;
        loops.end[0] = SET_Z_WORD(ADC_UNPACKER1, 2);
        break;
    case BROADCAST_ROW: /* faces 0 and 1 of B, twice */
        loops = mop_loops_of_two(2, 2, face_of_b, face_of_a);
        loops.end[0] = SET_Z_WORD(ADC_UNPACKER1, 0);
        break;
    case BROADCAST_SCALAR: /* face 0 of B for all of A */
        loops = mop_loops(1, FACES, face_of_a);
        loops.start = face_of_b;
        break;
    default:
        loops = mop_loops_of_two(2, 2, face_of_a, face_of_b);
        break;
    }
    return loops;
}

static void unpack(void)
{
    const uint32_t size_of_a = format_tile_units(argument(ARGUMENT_FORMAT_A)) * UNIT;
    const uint32_t size_of_b = format_tile_units(argument(ARGUMENT_FORMAT_B)) * UNIT;
    const uint32_t a = argument(ARGUMENT_A), b = argument(ARGUMENT_B);
    const unsigned tiles = tiles_of_result();
    unsigned context = 0;
    unpack_configure(false);
    struct mop_loops loops = unpack_loops((enum broadcast)argument(ARGUMENT_BROADCAST));
    mop_use_loops(&loops);
    meet();
    for (unsigned tile = 0; tile < tiles; tile++) {
        context = unpack_tiles(context, a + tile * size_of_a, b + tile * size_of_b);
    }
}

/* --- T1 --- */

static uint32_t operation_word(unsigned addr_mod, unsigned flip)
{
    static const uint8_t operand[] = {
        [BROADCAST_NONE] = 0, [BROADCAST_ROW] = 2, [BROADCAST_COLUMN] = 1, [BROADCAST_SCALAR] = 3};
    const unsigned broadcast = operand[argument(ARGUMENT_BROADCAST)];
    switch (argument(ARGUMENT_OPERATION)) {
    case ELEMENTWISE_ADD:
        return WORD(ELWADD, .clear_dvalid = flip, .broadcast = broadcast, .addr_mod = addr_mod);
    case ELEMENTWISE_SUBTRACT:
        return WORD(ELWSUB, .clear_dvalid = flip, .broadcast = broadcast, .addr_mod = addr_mod);
    default:
        return WORD(ELWMUL, .clear_dvalid = flip, .broadcast = broadcast, .addr_mod = addr_mod);
    }
}

/* Faces between two of which SrcB's bank goes back, beyond what the MOPs do. */
static unsigned faces_of_a_bank(enum broadcast broadcast)
{
    return broadcast == BROADCAST_COLUMN ? 2 : broadcast == BROADCAST_SCALAR ? FACES : 0;
}

/* A face by each run of the MOP: the outer loop goes through the phases. */
static void use_face_mop(bool keeps_b)
{
    enum { STEPS = FACE_ROWS / MATRIX_ROWS };
    struct mop_loops loops = mop_loops(argument(ARGUMENT_PHASES), STEPS, operation_word(0, 0));
    loops.last_of_inner = operation_word(2, 0);
    loops.last_of_all = operation_word(3, keeps_b ? FLIP_A : FLIP_BOTH);
    mop_use_loops(&loops);
}

static void compute(void)
{
    const enum broadcast broadcast = (enum broadcast)argument(ARGUMENT_BROADCAST);
    const bool walks = broadcast == BROADCAST_NONE || broadcast == BROADCAST_COLUMN;
    const unsigned faces = faces_of_a_bank(broadcast);
    const unsigned tiles = tiles_of_result(), block = block_of(tiles);
    unsigned half = 0;
    math_configure();
    ADDR_MOD(0, .a_incr = MATRIX_ROWS, .b_incr = walks ? MATRIX_ROWS : 0, .dst_incr = MATRIX_ROWS);
    ADDR_MOD(2, .a_clear = 1, .b_clear = 1, .dst_cr = 1, .fidelity_incr = 1);
    ADDR_MOD(3, .a_clear = 1, .b_clear = 1, .dst_incr = MATRIX_ROWS, .dst_c_to_cr = 1,
             .fidelity_clear = 1);
    use_face_mop(faces != 0);
    meet();
    for (unsigned done = 0; done < tiles; done += block) {
        math_begin();
        for (unsigned tile = 0; tile < block; tile++) {
            math_select(half, tile);
            for (unsigned face = 1; face <= FACES; face++) {
                mop_run();
                if (faces && face % faces == 0) {
                    PUSH(SETRWC, .clear_ab_vld = FLIP_B);
                }
            }
            PUSH(SETRWC, .dst = 1);
        }
        half = math_end(half);
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
