/* Result = A + B, datum by datum: a tile of each input makes a tile of the result. */
#include "grid/add/add.h"
#include "grid/compute.h"

static inline uint32_t compute_argument(enum argument which)
{
    switch (which) {
    case ARGUMENT_FORMAT_A:
    case ARGUMENT_FORMAT_SRC_A:
        return common_argument(ARG_FORMAT_A);
    case ARGUMENT_FORMAT_B:
    case ARGUMENT_FORMAT_SRC_B:
        return common_argument(ARG_FORMAT_B);
    case ARGUMENT_FORMAT_PACK:
    case ARGUMENT_FORMAT_RESULT:
        return common_argument(ARG_FORMAT_RESULT);
    case ARGUMENT_IS_DST_32BIT:
        return common_argument(ARG_IS_DST_32BIT);
    default:
        return 0;
    }
}

/* How many tiles fall to this tile of the grid. */
static unsigned own_tiles(void)
{
    const uint32_t count = common_argument(ARG_COUNT), step = common_argument(ARG_TILES);
    const uint32_t index = rta_l1_base[ARG_INDEX];
    return index < count ? (count - index + step - 1) / step : 0;
}

static void unpack(void)
{
    struct mop_loops loops = mop_loops_of_two(2, 2, UNPACR_WORD(UNPACKER0, 1, .ch0_z_inc = 1),
                                              UNPACR_WORD(UNPACKER1, 1, .ch0_z_inc = 1));
    unsigned context = 0;
    unpack_configure(false);
    mop_use_loops(&loops);
    meet();
    for (unsigned left = own_tiles(); left > 0; left--) {
        cb_wait_pages(INPUT_A, 1);
        cb_wait_pages(INPUT_B, 1);
        context = unpack_tiles(context, cb_front(INPUT_A), cb_front(INPUT_B));
        cb_pop_unpacked(INPUT_A, 1);
        cb_pop_unpacked(INPUT_B, 1);
    }
}

static void compute(void)
{
    struct mop_loops loops = mop_loops(1, FACE_ROWS / MATRIX_ROWS, WORD(ELWADD, .addr_mod = 0));
    unsigned half = 0;
    math_configure();
    ADDR_MOD(0, .a_incr = MATRIX_ROWS, .b_incr = MATRIX_ROWS, .dst_incr = MATRIX_ROWS);
    ADDR_MOD(3, .a_clear = 1, .b_clear = 1, .dst_incr = MATRIX_ROWS, .dst_c_to_cr = 1,
             .fidelity_clear = 1);
    loops.last_of_all = WORD(ELWADD, .clear_dvalid = FLIP_BOTH, .addr_mod = 3);
    mop_use_loops(&loops);
    meet();
    for (unsigned left = own_tiles(); left > 0; left--) {
        math_begin();
        math_select(half, 0);
        for (unsigned face = 0; face < FACES; face++) {
            mop_run();
        }
        PUSH(SETRWC, .dst = 1);
        half = math_end(half);
    }
}

static void pack(void)
{
    unsigned half = 0;
    pack_configure(FACE_ROWS);
    pack_use_tile_mop();
    meet();
    for (unsigned left = own_tiles(); left > 0; left--) {
        pack_begin();
        cb_reserve_pages(RESULT, 1);
        pack_tile(0, cb_back(RESULT));
        half = pack_end(half);
        cb_push_packed(RESULT, 1);
    }
}
