/*
 * The 16 greatest (or smallest) of each column of 32 datums, in order, and where they were: for
 * each tile of A, in FP32, a tile of values in rows 0 to 15 and a tile of their places in Dst
 * (16 * row + column). OPERATION: 0 greatest first, 1 smallest first.
 *
 * A bitonic network of SFPSWAPs with places that go along. A face's half columns are 4 LRegs of 4
 * rows of 8 lanes; element 4 * row + LReg of a column. Elements 1 and 2 apart lie in two LRegs,
 * those 4 and 8 apart after SFPTRANSP. Upper faces are sorted in the order of the result, lower
 * ones the other way round; the better of each pair are the best 16, which takes one more merge.
 */
#include "vector.h"

enum topk { TOPK_GREATEST, TOPK_SMALLEST };

enum { FACE_DST_ROWS = 16, LOWER_FACES = 2 * FACE_DST_ROWS, PLACES = DST_TILE_ROWS };

static unsigned operands(void)
{
    return 1;
}

static unsigned results(void)
{
    return 2;
}

/* --- The network; it sorts upwards, or downwards with LANES_EXCHANGE --- */

/* Elements 2 apart, then 1 apart. */
BODY_INLINE void swap_near(struct body *body, unsigned mode)
{
    SWAP(L2, L0, mode);
    SWAP(L3, L1, mode);
    SWAP(L1, L0, mode);
    SWAP(L3, L2, mode);
}

/* The last stage: 16 elements that go up and then down come into order. */
static void merge(struct body *body)
{
    SFP(SFPTRANSP, );
    swap_near(body, SWAP_MIN);
    SFP(SFPTRANSP, );
    swap_near(body, SWAP_MIN);
}

static void sort(struct body *body)
{
    SWAP(L1, L0, SWAP_MIN); /* pairs up and down */
    SWAP(L3, L2, SWAP_MAX);
    swap_near(body, SWAP_MIN_ROWS02);
    SFP(SFPTRANSP, );
    SWAP(L1, L0, SWAP_MIN);
    SWAP(L3, L2, SWAP_MAX);
    SFP(SFPTRANSP, );
    swap_near(body, SWAP_MIN_ROWS01);
    merge(body);
    SFP(SFPTRANSP, ); /* element 4 * LReg + row */
}

/* --- Data --- */

#define SFP_AT(token, lreg, format, row)                                                           \
    SFP(token, .vd = (lreg), .mod0 = (format), .addr_mod = ADDR_STAY, .imm10 = (row))
#define LANES_TOGGLE(bits)                                                                         \
    SFP(SFPCONFIG, .imm16 = (bits), .vd = CONFIG_LANES, .mod1 = CONFIG_IMMEDIATE | CONFIG_XOR)

static void load_values(struct body *body)
{
    SFP_AT(SFPLOAD, L0, LOAD_FP32, 0);
    SFP_AT(SFPLOAD, L1, LOAD_FP32, 4);
    SFP_AT(SFPLOAD, L2, LOAD_FP32, 8);
    SFP_AT(SFPLOAD, L3, LOAD_FP32, 12);
}

static void load_places(struct body *body)
{
    SFP_AT(SFPLOAD, L4, LOAD_INT32, PLACES + 0);
    SFP_AT(SFPLOAD, L5, LOAD_INT32, PLACES + 4);
    SFP_AT(SFPLOAD, L6, LOAD_INT32, PLACES + 8);
    SFP_AT(SFPLOAD, L7, LOAD_INT32, PLACES + 12);
}

/* Goes on to the other half of the columns. */
static void store_sorted(struct body *body)
{
    SFP_AT(SFPSTORE, L0, LOAD_FP32, 0);
    SFP_AT(SFPSTORE, L1, LOAD_FP32, 4);
    SFP_AT(SFPSTORE, L2, LOAD_FP32, 8);
    SFP_AT(SFPSTORE, L3, LOAD_FP32, 12);
    SFP_AT(SFPSTORE, L4, LOAD_INT32, PLACES + 0);
    SFP_AT(SFPSTORE, L5, LOAD_INT32, PLACES + 4);
    SFP_AT(SFPSTORE, L6, LOAD_INT32, PLACES + 8);
    SFP(SFPSTORE, .vd = L7, .mod0 = LOAD_INT32, .addr_mod = ADDR_STEP, .imm10 = PLACES + 12);
}

/* Of four rows of an upper face and the lower one, those that come first in the result. */
static void choose(struct body *body)
{
    SFP_AT(SFPLOAD, L0, LOAD_FP32, 0);
    SFP_AT(SFPLOAD, L1, LOAD_FP32, LOWER_FACES);
    SFP_AT(SFPLOAD, L4, LOAD_INT32, PLACES);
    SFP_AT(SFPLOAD, L5, LOAD_INT32, PLACES + LOWER_FACES);
    SWAP(L1, L0, SWAP_MIN);
    SFP_AT(SFPSTORE, L0, LOAD_FP32, 0);
    SFP(SFPSTORE, .vd = L4, .mod0 = LOAD_INT32, .addr_mod = ADDR_STEP, .imm10 = PLACES);
}

/* Goes on to the next face. */
static void next_face(void)
{
    PUSH(INCRWC, .dst_inc = 12);
}

/* --- A tile --- */

static void prepare(void)
{
    const uint32_t lanes = LANES_DEST_INDEX | (operation() == TOPK_GREATEST ? LANES_EXCHANGE : 0);
    tensix_push(WORD(SFPCONFIG, .imm16 = lanes, .vd = CONFIG_LANES, .mod1 = CONFIG_IMMEDIATE));
    body_record(sort);
}

static void sort_faces(unsigned faces)
{
    for (unsigned face = 0; face < faces; face++) {
        for (unsigned odd = 0; odd < 2; odd++) {
            body_emit(load_values);
            body_run(sort, 1);
            body_emit(store_sorted);
        }
        next_face();
    }
}

static void toggle_capture(struct body *body)
{
    LANES_TOGGLE(LANES_CAPTURE_INDEX);
}

static void toggle_exchange(struct body *body)
{
    LANES_TOGGLE(LANES_EXCHANGE);
}

/* What lies below the 16 rows of the result. */
static void clear(struct body *body)
{
    SFP_AT(SFPSTORE, L_ZERO, LOAD_INT32, LOWER_FACES);
    SFP(SFPSTORE, .vd = L_ZERO, .mod0 = LOAD_INT32, .addr_mod = ADDR_STEP,
        .imm10 = PLACES + LOWER_FACES);
}

static void compute_tile(void)
{
    enum { UPPER_GROUPS = TILE_GROUPS / 2 };
    body_emit(toggle_capture);
    sort_faces(2);
    body_emit(toggle_exchange);
    sort_faces(2);
    body_emit(toggle_exchange);
    body_emit(toggle_capture);
    PUSH(SETRWC, .dst = 1);
    body_repeat(choose, UPPER_GROUPS);
    PUSH(SETRWC, .dst = 1);
    body_repeat(clear, UPPER_GROUPS);
    PUSH(SETRWC, .dst = 1);
    for (unsigned face = 0; face < 2; face++) {
        for (unsigned odd = 0; odd < 2; odd++) {
            body_emit(load_values);
            body_emit(load_places);
            PUSH(SFPTRANSP, );
            body_emit(merge);
            PUSH(SFPTRANSP, );
            body_emit(store_sorted);
        }
        next_face();
    }
}
