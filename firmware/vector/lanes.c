/*
 * Sums and maxima of rows or columns of FP32 tiles, within the Vector Unit: for each tile of A a
 * tile with the results in its first column, or its first row, and zeros. OPERATION is an enum
 * lanes.
 *
 * Rows are summed across the lanes by SFPSHFT2, which rotates each row of 8 lanes; columns across
 * the rows of lanes by SFPTRANSP.
 */
#include "vector.h"

enum lanes { LANES_SUM_OF_ROWS, LANES_MAX_OF_ROWS, LANES_SUM_OF_COLUMNS, LANES_MAX_OF_COLUMNS };

enum { RIGHT_FACE = 16, LOWER_FACE = 32 }; /* rows of Dst between faces */

static unsigned operands(void)
{
    return 1;
}

static unsigned results(void)
{
    return 1;
}

#define SFP_AT(token, lreg, row)                                                                   \
    SFP(token, .vd = (lreg), .mod0 = LOAD_FP32, .addr_mod = ADDR_STAY, .imm10 = (row))
/* Goes on by two rows, that is, to the odd columns of the same ones, and to the next ones. */
#define SFP_STEP(token, lreg, row)                                                                 \
    SFP(token, .vd = (lreg), .mod0 = LOAD_FP32, .addr_mod = ADDR_STEP, .imm10 = (row))

/* --- Rows --- */

BODY_INLINE void rotate(struct body *body, unsigned to, unsigned from)
{
    SFP(SFPSHFT2, .vc = from, .vd = to, .mod1 = SHIFT2_ROTATE_LANES);
}

BODY_INLINE void combine(struct body *body, unsigned to, unsigned with, bool is_max)
{
    if (is_max) {
        SWAP(with, to, SWAP_MAX);
    } else {
        ADD(to, to, with);
    }
}

/* Four rows, of two faces: to 8 lanes each, and by rotations to one. */
BODY_INLINE void reduce_rows(struct body *body, bool is_max)
{
    SFP_AT(SFPLOAD, L0, 0);
    SFP_AT(SFPLOAD, L1, ODD_COLUMNS);
    SFP_AT(SFPLOAD, L2, RIGHT_FACE);
    SFP_AT(SFPLOAD, L3, RIGHT_FACE + ODD_COLUMNS);
    combine(body, L0, L1, is_max);
    combine(body, L2, L3, is_max);
    PAUSE();
    combine(body, L0, L2, is_max);
    PAUSE();
    rotate(body, L1, L0); /* by one */
    combine(body, L0, L1, is_max);
    PAUSE();
    rotate(body, L1, L0); /* by two */
    rotate(body, L1, L1);
    combine(body, L0, L1, is_max);
    PAUSE();
    rotate(body, L1, L0); /* by four */
    rotate(body, L1, L1);
    rotate(body, L1, L1);
    rotate(body, L1, L1);
    combine(body, L0, L1, is_max);
    /* Zeros but for the first lane of a row, whose number times two is in L4 without the rows. */
    SFP_AT(SFPSTORE, L_ZERO, RIGHT_FACE);
    SFP_AT(SFPSTORE, L_ZERO, RIGHT_FACE + ODD_COLUMNS);
    SFP_AT(SFPSTORE, L_ZERO, ODD_COLUMNS);
    IF(L4, SETCC_NOT_ZERO);
    MOVE(L0, L_ZERO);
    ALL_LANES();
    SFP_STEP(SFPSTORE, L0, 0);
}

static void sum_rows(struct body *body)
{
    reduce_rows(body, false);
}

static void max_rows(struct body *body)
{
    reduce_rows(body, true);
}

static void prepare_rows(struct body *body)
{
    SFP(SFPLOADI, .vd = L4, .mod0 = LOADI_UINT16, .imm16 = 15);
    SFP(SFPAND, .vc = L_LANES, .vd = L4);
}

/* --- Columns --- */

/* Four LRegs with half the columns of a face each; other rows join them. */
static void load_columns(struct body *body)
{
    SFP_AT(SFPLOAD, L0, 0);
    SFP_AT(SFPLOAD, L1, ODD_COLUMNS);
    SFP_AT(SFPLOAD, L2, RIGHT_FACE);
    SFP_AT(SFPLOAD, L3, RIGHT_FACE + ODD_COLUMNS);
}

BODY_INLINE void join_columns(struct body *body, unsigned row, bool is_max)
{
    SFP_AT(SFPLOAD, L4, row);
    SFP_AT(SFPLOAD, L5, row + ODD_COLUMNS);
    SFP_AT(SFPLOAD, L6, row + RIGHT_FACE);
    SFP_AT(SFPLOAD, L7, row + RIGHT_FACE + ODD_COLUMNS);
    combine(body, L0, L4, is_max);
    combine(body, L1, L5, is_max);
    combine(body, L2, L6, is_max);
    combine(body, L3, L7, is_max);
}

/* All rows of the upper faces and of the lower ones. */
BODY_INLINE void join_all(struct body *body, bool is_max)
{
    join_columns(body, 4, is_max);
    join_columns(body, 8, is_max);
    join_columns(body, 12, is_max);
    join_columns(body, LOWER_FACE, is_max);
    join_columns(body, LOWER_FACE + 4, is_max);
    join_columns(body, LOWER_FACE + 8, is_max);
    join_columns(body, LOWER_FACE + 12, is_max);
}

/* Rows of lanes to LRegs, these to one, and back: L0 to L3 have the results in row 0. */
BODY_INLINE void reduce_columns(struct body *body, bool is_max)
{
    load_columns(body);
    join_all(body, is_max);
    SFP(SFPTRANSP, );
    combine(body, L0, L1, is_max);
    combine(body, L2, L3, is_max);
    PAUSE();
    combine(body, L0, L2, is_max);
    MOVE(L1, L_ZERO);
    MOVE(L2, L_ZERO);
    MOVE(L3, L_ZERO);
    SFP(SFPTRANSP, );
}

static void sum_columns(struct body *body)
{
    reduce_columns(body, false);
}

static void max_columns(struct body *body)
{
    reduce_columns(body, true);
}

static void clear(struct body *body)
{
    SFP_STEP(SFPSTORE, L_ZERO, 0);
}

static void store_columns(struct body *body)
{
    SFP_AT(SFPSTORE, L0, 0);
    SFP_AT(SFPSTORE, L1, ODD_COLUMNS);
    SFP_AT(SFPSTORE, L2, RIGHT_FACE);
    SFP_AT(SFPSTORE, L3, RIGHT_FACE + ODD_COLUMNS);
}

/* --- A tile --- */

static bool is_of_rows(void)
{
    return operation() == LANES_SUM_OF_ROWS || operation() == LANES_MAX_OF_ROWS;
}

static void prepare(void)
{
    if (is_of_rows()) {
        body_emit(prepare_rows);
        body_record(operation() == LANES_SUM_OF_ROWS ? sum_rows : max_rows);
    }
}

static void compute_rows(void)
{
    for (unsigned half = 0; half < 2; half++) {
        for (unsigned group = 0; group < FACE_ROWS / GROUP_ROWS; group++) {
            body_run(operation() == LANES_SUM_OF_ROWS ? sum_rows : max_rows, 1);
            PUSH(INCRWC, .dst_inc = 2);
        }
        PUSH(INCRWC, .dst_inc = 8); /* past the face to the right */
        PUSH(INCRWC, .dst_inc = 8);
    }
}

static void compute_columns(void)
{
    body_emit(operation() == LANES_SUM_OF_COLUMNS ? sum_columns : max_columns);
    body_repeat(clear, TILE_GROUPS);
    PUSH(SETRWC, .dst = 1);
    body_emit(store_columns);
}

static void compute_tile(void)
{
    if (is_of_rows()) {
        compute_rows();
    } else {
        compute_columns();
    }
}
