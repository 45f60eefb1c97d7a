/*
 * What an instruction is given and does not look at: lower bits of rows where it cannot begin, and
 * values that its mask leaves out. Whoever gives them wants something that does not happen.
 *
 * SPEC: WormholeB0 MVMUL, ELWADD, GAPOOL (rows that they align), SETRWC, SETADCXY, SETADCZW (masks),
 * ZEROACC (which modes have a row), WRCFG (groups of four).
 */
#include "observe/check/check.h"
#include "observe/check/pieces.h"
#include "tensix/config/regs.h"
#include "tensix/exec.h"

enum { OPCODE_SHIFT = 24 };

static void report_ignored(const struct check_scene *scene, const char *what, unsigned given,
                           const char *why)
{
    check_report(scene, PENROSE_FAULT_TENSIX_DOUBTFUL, scene->hart, scene->event->pc, given,
                 "%s is given %u for %s, %s", tensix_mnemonic(scene->event->word), given, what,
                 why);
}

/* --- Rows --- */

static const char *const aligns = "and takes the aligned rows around it: counters, offsets and "
                                  "operands have to be multiples of the rows that it takes";

/* Instructions that compute take rows of Src in eights and of Dst in fours or eights, but for a row of
 * SrcB that they broadcast, which may be any. Their counters have moved on when they are told. */
static void judge_rows(const struct check_scene *scene, const struct config_rwcs *rwc)
{
    enum { EIGHT = 7, FOUR = 3, SRC_ROWS = TENSIX_SRC_FILE_BANKS * TENSIX_SRC_FILE_ROWS };
    const struct observed_work *work = scene->event->work;
    const struct tensix *tensix = &scene->tile->tensix;
    const unsigned thread = scene->event->thread;
    const unsigned dst = tensix_decode_MVMUL(scene->event->word).dst_row + rwc->dst +
                         tensix_get_DEST_TARGET_REG_CFG_MATH_Offset(tensix, thread) +
                         tensix_get_DEST_REGW_BASE_Base(tensix, tensix_state_id(tensix, thread));
    bool is_spread = false;
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        is_spread |=
            touch->state == OBSERVED_STATE_SRC && touch->first >= SRC_ROWS && touch->count == 1;
    }
    if (rwc->src_a & EIGHT) {
        report_ignored(scene, "the row of SrcA", rwc->src_a, aligns);
    } else if (rwc->src_b & EIGHT && !is_spread) {
        report_ignored(scene, "the row of SrcB", rwc->src_b, aligns);
    } else if (dst & FOUR && !is_spread) {
        report_ignored(scene, "the row of Dst", dst, aligns);
    }
}

static void note_rwcs(const struct check_scene *scene, struct config_rwcs *rwc)
{
    const struct tensix_rwc *now = &scene->tile->tensix.thread[scene->event->thread].rwc;
    *rwc = (struct config_rwcs){true, now->src_a, now->src_b, now->dst};
}

/* --- Masks --- */

static const char *const leaves_out = "and its mask leaves that counter out";

static void judge_setrwc(const struct check_scene *scene)
{
    const struct tensix_args_SETRWC args = tensix_decode_SETRWC(scene->event->word);
    if (args.sp) { /* which all three values may be of */
        return;
    }
    if (args.src_a_val && !args.src_a) {
        report_ignored(scene, "SrcA", args.src_a_val, leaves_out);
    } else if (args.src_b_val && !args.src_b) {
        report_ignored(scene, "SrcB", args.src_b_val, leaves_out);
    } else if (args.dst_val && !args.dst && !args.dst_c_to_cr) {
        report_ignored(scene, "Dst", args.dst_val, leaves_out);
    }
}

/* SETADCXY and SETADCZW have their operands at the same places. */
static void judge_adcs(const struct check_scene *scene, const char *low, const char *high)
{
    const struct tensix_args_SETADCXY args = tensix_decode_SETADCXY(scene->event->word);
    if (args.x0_val && !args.x0) {
        report_ignored(scene, low, args.x0_val, leaves_out);
    } else if (args.y0_val && !args.y0) {
        report_ignored(scene, high, args.y0_val, leaves_out);
    } else if (args.x1_val && !args.x1) {
        report_ignored(scene, low, args.x1_val, leaves_out);
    } else if (args.y1_val && !args.y1) {
        report_ignored(scene, high, args.y1_val, leaves_out);
    }
}

/* --- Others --- */

static void judge_zeroacc(const struct check_scene *scene)
{
    enum { HALF = 2, ALL = 3 };
    const struct tensix_args_ZEROACC args = tensix_decode_ZEROACC(scene->event->word);
    if ((args.mode == ALL && args.dst_row) || (args.mode == HALF && args.dst_row > 1)) {
        report_ignored(scene, "the place in Dst", args.dst_row,
                       args.mode == ALL ? "and clears all of it"
                                        : "and the lowest bit names a half");
    }
}

static void judge_wrcfg(const struct check_scene *scene)
{
    enum { GROUP = 4 };
    const struct tensix_args_WRCFG args = tensix_decode_WRCFG(scene->event->word);
    if (args.is_128bit && (args.input_reg % GROUP || args.cfg_index % GROUP)) {
        const bool is_gpr = args.input_reg % GROUP;
        report_ignored(scene, is_gpr ? "the GPR" : "the word of Config",
                       is_gpr ? args.input_reg : args.cfg_index,
                       "and with 128 bits takes four from a multiple of four on");
    }
}

void check_ignored_unit(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    if (!scene->own->config || event->thread >= TENSIX_THREADS) {
        return;
    }
    struct config_rwcs *rwc = &scene->own->config->rwc[event->thread];
    enum { MOVES = TENSIX_TRAIT_MOVES_TO_DST | TENSIX_TRAIT_MOVES_TO_SRC };
    const uint32_t traits = tensix_traits(event->work->row);
    const bool computes = traits & TENSIX_TRAIT_DST && !(traits & MOVES) &&
                          event->work->reads >> OBSERVED_STATE_SRC & 1;
    if (scene->hart < RV32_CORES && check_is_of_kernel(scene, event->pc)) {
        switch (event->word >> OPCODE_SHIFT) {
        case TENSIX_OPCODE_SETRWC:
            judge_setrwc(scene);
            break;
        case TENSIX_OPCODE_SETADCXY:
            judge_adcs(scene, "X", "Y");
            break;
        case TENSIX_OPCODE_SETADCZW:
            judge_adcs(scene, "Z", "W");
            break;
        case TENSIX_OPCODE_ZEROACC:
            judge_zeroacc(scene);
            break;
        case TENSIX_OPCODE_WRCFG:
            judge_wrcfg(scene);
            break;
        default:
            if (computes && rwc->is_known) {
                judge_rows(scene, rwc);
            }
            break;
        }
    }
    note_rwcs(scene, rwc);
}
