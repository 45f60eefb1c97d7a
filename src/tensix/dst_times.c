/*
 * Timed runs: when instructions may use Dst; see dst_times.h.
 *
 * SPEC: BlackholeA0 Dst, instruction scheduling; WormholeB0 MatrixUnit, pages of moves. What silicon
 * takes is in timing.def.
 */
#include "tensix/dst_times.h"

#include "tensix/exec.h"

enum { BLOCK_ROWS = 8, BLOCKS = TENSIX_DST_ROWS / BLOCK_ROWS };

/* The block of eight rows that an instruction of the Matrix Unit is about. */
static unsigned block_of(const struct tensix *tensix, unsigned thread, uint32_t word)
{
    const struct tensix_args_MOVA2D args = tensix_decode_MOVA2D(word); /* as the others */
    unsigned state = tensix_state_id(tensix, thread);
    unsigned row = args.dst_row + tensix_get_DEST_TARGET_REG_CFG_MATH_Offset(tensix, thread) +
                   tensix->thread[thread].rwc.dst + tensix_get_DEST_REGW_BASE_Base(tensix, state);
    return row / BLOCK_ROWS % BLOCKS;
}

/* HW: a move of eight rows to Dst takes a cycle in some places and two in others, 1.5 in the mean of all
 * (mx.mova2d_tput, mx.fp32_mova2d_k16), where Dst has 32 bits. GUESS: every other block. */
static unsigned move_cycles(const struct tensix *tensix, unsigned thread, unsigned block)
{
    bool is_32bit = tensix_get_ALU_ACC_CTRL_Fp32_enabled(tensix, tensix_state_id(tensix, thread));
    return is_32bit && block % 2 == 1 ? timing_cycles(tensix->timing, TIMING_DST_MOVE_32) : 1;
}

struct tensix_dst_use tensix_dst_use_of(const struct tensix *tensix, unsigned thread, unsigned row,
                                        uint32_t word)
{
    struct tensix_dst_use use = {
        .unit = tensix_row_infos[row].unit,
        .uses = tensix_has(row, TENSIX_TRAIT_DST),
        .reads = tensix_has(row, TENSIX_TRAIT_READS_DST),
        .writes = tensix_has(row, TENSIX_TRAIT_WRITES_DST),
        .cycles = 1,
        .move = tensix_has(row, TENSIX_TRAIT_MOVES_TO_DST)   ? TENSIX_MOVES_TO_DST
                : tensix_has(row, TENSIX_TRAIT_MOVES_TO_SRC) ? TENSIX_MOVES_TO_SRC
                                                             : TENSIX_MOVES_NOTHING,
    };
    if (tensix_has(row, TENSIX_TRAIT_ADDS_DST)) {
        use.reads = tensix_decode_ELWADD(word).add_dst;
    }
    if (use.reads || use.writes) {
        use.block = block_of(tensix, thread, word);
    }
    if (tensix_has(row, TENSIX_TRAIT_MOVES_EIGHT) && tensix_decode_MOVA2D(word).move_8_rows) {
        use.cycles = move_cycles(tensix, thread, use.block);
    }
    return use;
}

/* --- What an instruction waits for --- */

static uint64_t dst_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Until the block can be read. */
static uint64_t readable_at(const struct tensix *tensix, unsigned block)
{
    const struct tensix_dst_times *times = &tensix->dst_times;
    uint64_t at = 0;
    for (unsigned i = 0; i < TENSIX_DST_WRITES; i++) {
        if (times->write[i].at && times->write[i].block == block) {
            at = dst_later(at, times->write[i].at +
                                   timing_cycles(tensix->timing, TIMING_DST_WRITE_TO_READ));
        }
    }
    return at;
}

/* Until the other unit has done what the thread has given to it. */
static uint64_t turn_at(const struct tensix *tensix, unsigned thread, unsigned unit)
{
    const struct tensix_dst_turn *turn = &tensix->thread[thread].dst_turn;
    if (turn->count == 0 || turn->unit == unit) {
        return 0;
    }
    return turn->at + timing_cycles(tensix->timing,
                                    turn->count > 1 ? TIMING_DST_TURN : TIMING_DST_TURN_OF_ONE);
}

/* Behind a move, others of its kind may start at once. */
static uint64_t moved_at(const struct tensix *tensix, const struct tensix_dst_use *use)
{
    const struct tensix_dst_times *times = &tensix->dst_times;
    bool is_held = times->move == TENSIX_MOVES_TO_SRC
                       ? (use->uses || use->move) && use->move != TENSIX_MOVES_TO_SRC
                       : times->move == TENSIX_MOVES_TO_DST && use->reads;
    return is_held ? times->moved_at + 1 + timing_cycles(tensix->timing, TIMING_MOVE_STALL) : 0;
}

uint64_t tensix_dst_start_at(const struct tensix *tensix, unsigned thread,
                             const struct tensix_dst_use *use, uint64_t now)
{
    uint64_t at = now;
    if (use->unit == TENSIX_UNIT_MATRIX) {
        at = dst_later(at, moved_at(tensix, use));
    }
    if (use->unit == TENSIX_UNIT_MATRIX && use->reads) {
        at = dst_later(at, readable_at(tensix, use->block));
    }
    if (use->uses) {
        at = dst_later(at, turn_at(tensix, thread, use->unit));
        at = dst_later(at, tensix->dst_times.port.free_at);
    }
    return at;
}

void tensix_dst_note(struct tensix *tensix, unsigned thread, const struct tensix_dst_use *use,
                     uint64_t now)
{
    struct tensix_dst_times *times = &tensix->dst_times;
    struct tensix_dst_turn *turn = &tensix->thread[thread].dst_turn;
    if (use->uses) {
        (void)timing_serve(&times->port, 1, use->cycles, now);
        turn->count = turn->count > 0 && turn->unit == use->unit ? 2 : 1;
        turn->unit = use->unit;
        turn->at = now;
    }
    if (use->unit == TENSIX_UNIT_MATRIX && use->writes) {
        times->write[times->writes % TENSIX_DST_WRITES].at = now;
        times->write[times->writes % TENSIX_DST_WRITES].block = use->block;
        times->writes = (times->writes + 1) % TENSIX_DST_WRITES;
    }
    if (use->move) {
        times->move = use->move;
        times->moved_at = now;
    }
}
