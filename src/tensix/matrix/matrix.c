/*
 * The Matrix Unit, first part: RWCs, the hand-over of SrcA and SrcB, clearing, and soft resets
 * (SPEC: WormholeB0 MatrixUnit, RWCs and the pages of the instructions; BlackholeA0 SoftReset).
 * math.c computes, move.c moves.
 */
#include "tensix/exec.h"
#include "tensix/matrix/common.h"
#include "tensix/rwc.h"
#include "tensix/src_banks.h"

/* --- RWCs --- */

static void set_src(uint32_t *counter, uint32_t *checkpoint, bool from_checkpoint, unsigned value)
{
    unsigned base = from_checkpoint ? *checkpoint : 0;
    *counter = *checkpoint = (base + value) & TENSIX_RWC_SRC_MASK;
}

static void set_dst(struct tensix_rwc *rwc, bool from_checkpoint, bool from_counter, unsigned value)
{
    unsigned base = from_counter ? rwc->dst : from_checkpoint ? rwc->dst_cr : 0;
    rwc->dst = rwc->dst_cr = (base + value) & TENSIX_RWC_DST_MASK;
}

/* GUESS: assembly.yaml puts its value into the three values together, SrcA's lowest; the pages,
 * which have the counter, do not say what sets it. */
static uint32_t stack_pointer(const struct tensix_args_SETRWC *args)
{
    return (args->dst_val << 8 | args->src_b_val << 4 | args->src_a_val) & TENSIX_RWC_SP_MASK;
}

/* SPEC: DstCtoCr sets Dst even where the mask does not name it; the other Cr bits only choose what
 * is added. (The seeds look for DstCtoCr in the mask, where that bit is Fidelity.) */
TENSIX_EXEC(SETRWC)
{
    struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    enum tensix_src src;
    if (args->clear_ab_vld && tensix_src_comes_later(tensix, thread, args->clear_ab_vld, &src)) {
        return tensix_matrix_stall(tensix, thread, src);
    }
    if (args->src_a) {
        set_src(&rwc->src_a, &rwc->src_a_cr, args->src_a_cr, args->src_a_val);
    }
    if (args->src_b) {
        set_src(&rwc->src_b, &rwc->src_b_cr, args->src_b_cr, args->src_b_val);
    }
    if (args->dst || args->dst_c_to_cr) {
        set_dst(rwc, args->dst_cr, args->dst_c_to_cr, args->dst_val);
    }
    if (args->fidelity) {
        rwc->fidelity = 0;
    }
    if (args->sp) {
        rwc->sp = stack_pointer(args);
    }
    tensix_matrix_flip(tensix, thread, args->clear_ab_vld);
    return TENSIX_DONE;
}

/* GUESS: bit 21 moves the checkpoint of Dst along, as in SETRWC and in address modifiers; see the
 * row. */
TENSIX_EXEC(INCRWC)
{
    struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    tensix_rwc_step_src(&rwc->src_a, &rwc->src_a_cr, args->src_a_cr, args->src_a_inc);
    tensix_rwc_step_src(&rwc->src_b, &rwc->src_b_cr, args->src_b_cr, args->src_b_inc);
    tensix_rwc_step_dst(rwc, args->dst_cr, args->dst_c_to_cr, args->dst_inc);
    return TENSIX_DONE;
}

/*
 * By assembly.yaml it sets or increments the bias counter; LLK's names of its operands (p_setibrwc) say
 * that set_inc_ctrl is 0 and 1 for that. GUESS: the counter is ExtraAddrModBit, which the fields BiasIncr
 * of address modifiers increment: of one bit, and by 1 where bits 1:0 of the value are not 0. The pages
 * have no checkpoint of it, so that rwc_cr cannot be more than 0.
 */
TENSIX_EXEC(SETIBRWC)
{
    enum { SET, INCREMENT };
    struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    if (args->rwc_cr || args->set_inc_ctrl > INCREMENT) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_UNIMPLEMENTED,
                            "SETIBRWC: no source says what %s %u does; use 0%s",
                            args->rwc_cr ? "rwc_cr" : "set_inc_ctrl",
                            args->rwc_cr ? args->rwc_cr : args->set_inc_ctrl,
                            args->rwc_cr ? "" : " to set and 1 to increment");
    }
    if (args->set_inc_ctrl == SET) {
        rwc->extra_mod = args->rwc_bias & 1;
    } else if (args->rwc_bias & 3) {
        rwc->extra_mod ^= 1;
    }
    return TENSIX_DONE;
}

/* --- Banks of SrcA and SrcB --- */

void tensix_matrix_flip(struct tensix *tensix, unsigned thread, unsigned flips)
{
    if (flips & 1) {
        tensix_src_release(tensix, TENSIX_SRC_A,
                           tensix_get_CLR_DVALID_SrcA_Disable(tensix, thread));
    }
    if (flips & 2) {
        tensix_src_release(tensix, TENSIX_SRC_B,
                           tensix_get_CLR_DVALID_SrcB_Disable(tensix, thread));
    }
}

static void clear_valid(struct tensix *tensix, enum tensix_src src, bool keep_reading_same_src)
{
    if (keep_reading_same_src) {
        tensix_src_withdraw(tensix, src);
    } else {
        tensix_src_release(tensix, src, false);
    }
}

/* CLR_DVALID_SrcA_Disable and SrcB_Disable do not matter here. */
TENSIX_EXEC(CLEARDVALID)
{
    enum tensix_src src;
    if (args->reset) {
        tensix_src_reset(tensix, TENSIX_SRC_A);
        tensix_src_reset(tensix, TENSIX_SRC_B);
        return TENSIX_DONE;
    }
    if (tensix_src_comes_later(tensix, thread, (unsigned)args->flip_src_b << 1 | args->flip_src_a,
                               &src)) {
        return tensix_matrix_stall(tensix, thread, src);
    }
    if (args->flip_src_a) {
        clear_valid(tensix, TENSIX_SRC_A, args->keep_reading_same_src);
    }
    if (args->flip_src_b) {
        clear_valid(tensix, TENSIX_SRC_B, args->keep_reading_same_src);
    }
    return TENSIX_DONE;
}

/* It empties a cache of SrcB, which does not exist here and would always be right. */
TENSIX_EXEC(GATESRCRST)
{
    (void)tensix;
    (void)thread;
    (void)args;
    return TENSIX_DONE;
}

/* --- Rows of Dst --- */

void tensix_matrix_define_rows(struct tensix *tensix, unsigned physical, unsigned rows,
                               enum tensix_matrix_undefined undefined, bool low)
{
    struct tensix_dst *dst = &tensix->dst;
    for (unsigned i = physical; i < physical + rows; i++) {
        if (dst->cleared[i] && undefined == TENSIX_MATRIX_ZERO) {
            memset(dst->bits[i], 0, sizeof dst->bits[i]);
            if (low) {
                memset(dst->bits[i + TENSIX_DST_LOWER_HALF], 0, sizeof dst->bits[i]);
            }
        }
        dst->cleared[i] = false;
    }
}

enum zeroacc_mode {
    ZEROACC_ONE_ROW,
    ZEROACC_16_ROWS,
    ZEROACC_HALF,
    ZEROACC_ALL,
    ZEROACC_HALF_32B = 6, /* the seeds' names for 2 and 3: both views have the same halves */
    ZEROACC_ALL_32B = 7,
};

static void touch_flags(struct tensix *tensix, bool is_32bit, unsigned row, unsigned rows)
{
    if (tensix_wants_work(tensix)) {
        tensix_add_dst_touch(tensix, TENSIX_WRITES, OBSERVED_STATE_DST_FLAG, is_32bit, row, rows);
    }
}

static void zero_one_row(struct tensix *tensix, unsigned thread, unsigned row, bool valid)
{
    unsigned state = tensix_state_id(tensix, thread);
    row = tensix_matrix_dst_row(tensix, thread, state, row);
    touch_flags(tensix, tensix_matrix_has_dst32(tensix, state), row, 1);
    if (tensix_matrix_has_dst32(tensix, state)) {
        tensix_dst_mark_row32(&tensix->dst, tensix_dst_map_now(tensix), row, valid);
    } else {
        tensix_dst_mark_row16(&tensix->dst, tensix_dst_map_now(tensix), row, valid);
    }
}

/*
 * The page has it on no chip: unless zeroacc_absolute_tile_mode is set, the number counts from the
 * half of Dst in which rows of other instructions would be. HW (tt-metal #53693, measured on a
 * p150b; LLK's llk_math_eltwise_binary.h works around it): that half is the one of the row offset
 * plus the number, a sum of rows and blocks. For blocks of Dst32b (ttsim) only the offset counts:
 * LLK never gets where it would matter, and nobody has measured it. Blocks beyond Dst do nothing.
 */
static void zero_16_rows(struct tensix *tensix, unsigned thread, unsigned block, bool is_32b,
                         bool valid)
{
    enum { BLOCK = 0xff, UPPER_HALF = 512, UPPER_HALF_32B = 768 };
    enum { HALF_BLOCKS = TENSIX_DST_ROWS / TENSIX_DST_BLOCK_ROWS / 2 };
    block &= BLOCK;
    unsigned row =
        tensix_matrix_dst_row(tensix, thread, tensix_state_id(tensix, thread), is_32b ? 0 : block);
    if (!tensix_get_DEST_ACCESS_CFG_zeroacc_absolute_tile_mode(tensix, 0) &&
        row & (is_32b ? UPPER_HALF_32B : UPPER_HALF)) {
        block += is_32b ? HALF_BLOCKS / 2 : HALF_BLOCKS;
    }
    if (tensix_dst_mark_block(&tensix->dst, tensix_dst_map_now(tensix), block, is_32b, valid)) {
        touch_flags(tensix, is_32b, block * TENSIX_DST_BLOCK_ROWS, TENSIX_DST_BLOCK_ROWS);
    }
}

/*
 * SPEC: the page calls Revert undefined behaviour and then says what it does; LLK relies on it with
 * 16 rows, and assembly.yaml has it for all modes.
 */
TENSIX_EXEC(ZEROACC)
{
    bool valid = args->revert;
    tensix_vector_settle(tensix, &tensix->vector, tensix->now);
    if (tensix->held & TENSIX_RESET_DST) {
        return TENSIX_DONE; /* SPEC: SoftReset, discarded */
    }
    switch (args->mode) {
    case ZEROACC_ONE_ROW:
        zero_one_row(tensix, thread, args->dst_row, valid);
        break;
    case ZEROACC_16_ROWS:
        zero_16_rows(tensix, thread, args->dst_row, args->use_dst32b, valid);
        break;
    case ZEROACC_HALF:
    case ZEROACC_HALF_32B:
        tensix_dst_mark_half(&tensix->dst, args->dst_row & 1, valid);
        tensix_touch(tensix, TENSIX_WRITES, OBSERVED_STATE_DST_FLAG,
                     args->dst_row & 1 ? TENSIX_DST_ROWS / 2 : 0, TENSIX_DST_ROWS / 2);
        break;
    case ZEROACC_ALL:
    case ZEROACC_ALL_32B:
        tensix_dst_mark_all(&tensix->dst, valid);
        tensix_touch(tensix, TENSIX_WRITES, OBSERVED_STATE_DST_FLAG, 0, TENSIX_DST_ROWS);
        break;
    default:
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "ZEROACC: no mode %u: 0 one row, 1 16 rows, 2 half, 3 all of Dst",
                            args->mode);
    }
    tensix_matrix_flip(tensix, thread, (unsigned)args->flip_src_b << 1 | args->flip_src_a);
    if (args->mode <= ZEROACC_16_ROWS) {
        tensix_apply_addr_mod(tensix, thread, args->addr_mod);
    }
    return TENSIX_DONE;
}

/* --- Data of SrcA and SrcB --- */

static void zero_src(struct tensix *tensix, enum tensix_src src,
                     const struct tensix_args_ZEROSRC *args, uint32_t value)
{
    const struct tensix_src_banks *banks = &tensix->src[src];
    struct tensix_src_file *file = &tensix->src_file[src];
    unsigned bank = args->single_bank_matrix_unit ? banks->matrix_bank : banks->unpack_bank;
    unsigned first = args->both_banks ? 0 : bank,
             count = args->both_banks ? TENSIX_SRC_FILE_BANKS : 1;
    tensix_touch(tensix, TENSIX_WRITES, OBSERVED_STATE_SRC,
                 (TENSIX_SRC_FILE_BANKS * src + first) * TENSIX_SRC_FILE_ROWS,
                 count * TENSIX_SRC_FILE_ROWS);
    tensix_src_file_fill(file, args->both_banks ? TENSIX_SRC_FILE_BOTH : 1u << bank, value);
}

/* It waits for no bank. */
TENSIX_EXEC(ZEROSRC)
{
    (void)thread;
    if (args->clear_src_a) {
        zero_src(tensix, TENSIX_SRC_A, args, args->negative_inf_src_a ? NUM_SRC_MINUS_INFINITY : 0);
    }
    if (args->clear_src_b) {
        zero_src(tensix, TENSIX_SRC_B, args, 0);
    }
    return TENSIX_DONE;
}

/* --- The packer's histogram --- */

static void clear_histograms(struct tensix *tensix)
{
    for (unsigned i = 0; i < TENSIX_PACKERS; i++) {
        tensix_packer_clear_histogram(&tensix->packer[i]);
    }
}

TENSIX_EXEC(CLREXPHIST)
{
    (void)thread;
    (void)args;
    clear_histograms(tensix);
    return TENSIX_DONE;
}

/* --- Soft resets --- */

/* The columns of SrcA whose data SOFT_RESET_0 holds. */
static unsigned held_columns_a(uint32_t held)
{
    enum { GROUPS = 4, FIRST_GROUP = 19 };
    const unsigned group = 0xf;
    unsigned columns = held & TENSIX_RESET_MATH ? UINT16_MAX : 0;
    for (unsigned i = 0; i < GROUPS; i++) {
        columns |= held >> (FIRST_GROUP + i) & 1 ? group << GROUPS * i : 0;
    }
    return columns;
}

void tensix_matrix_soft_reset(struct tensix *tensix, uint32_t entering)
{
    unsigned columns_b = tensix->held & TENSIX_RESET_SRCB ? UINT16_MAX : 0;
    tensix_src_file_hold(&tensix->src_file[TENSIX_SRC_A], held_columns_a(tensix->held));
    tensix_src_file_hold(&tensix->src_file[TENSIX_SRC_B], columns_b);
    if (entering & TENSIX_RESET_MATH) {
        tensix->matrix.generator = 0; /* SPEC: on leaving; nothing draws from it until then */
    }
    if (entering & TENSIX_RESET_DST) {
        tensix_dst_mark_all(&tensix->dst, true);
        clear_histograms(tensix);
    }
}
