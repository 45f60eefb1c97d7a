/*
 * What an instruction is given and does not look at: lower bits of rows where it cannot begin, and
 * operands of which its row says so (IGNORES of tensix.def), such as values that its mask leaves out.
 * Whoever gives them wants something that does not happen.
 *
 * SPEC: WormholeB0 MVMUL, ELWADD, GAPOOL (rows that they align).
 */
#include "observe/check/check.h"
#include "observe/check/pieces.h"
#include "tensix/config/regs.h"
#include "tensix/exec.h"

/* `what` is given, and why it does not count. */
static void report_ignored(const struct check_scene *scene, unsigned given, const char *what)
{
    check_report(scene, PENROSE_FAULT_TENSIX_DOUBTFUL, scene->hart, scene->event->pc, given,
                 "%s is given %u for %s", tensix_mnemonic(scene->event->word), given, what);
}

#define ALIGNS                                                                                     \
    ", and takes the aligned rows around it: counters, offsets and operands have to be multiples " \
    "of the rows that it takes"

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
        report_ignored(scene, rwc->src_a, "the row of SrcA" ALIGNS);
    } else if (rwc->src_b & EIGHT && !is_spread) {
        report_ignored(scene, rwc->src_b, "the row of SrcB" ALIGNS);
    } else if (dst & FOUR && !is_spread) {
        report_ignored(scene, dst, "the row of Dst" ALIGNS);
    }
}

static void note_rwcs(const struct check_scene *scene, struct config_rwcs *rwc)
{
    const struct tensix_rwc *now = &scene->tile->tensix.thread[scene->event->thread].rwc;
    *rwc = (struct config_rwcs){true, now->src_a, now->src_b, now->dst};
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
        const struct tensix_ignored ignored = tensix_find_ignored(event->work->row, event->word);
        if (ignored.text) {
            report_ignored(scene, ignored.value, ignored.text);
        } else if (computes && rwc->is_known) {
            judge_rows(scene, rwc);
        }
    }
    note_rwcs(scene, rwc);
}
