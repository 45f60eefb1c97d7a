/* Polling loops that were found before, see rv32/loop.h. */
#include "rv32/loop.h"

#include <string.h>

#include "rv32/exec.h"

enum { MOST_ITERATIONS = 2 }; /* the first one sets the registers that the loop writes */

_Static_assert(RV32_LOOP_STEPS < 32, "a bit for each step, and for what is behind the last");

bool rv32_loop_has(const struct rv32_loop *loop, uint32_t pc)
{
    unsigned i = 0;
    while (i < RV32_LOOP_PIECES && pc - loop->first[i] >= 4u * loop->length[i]) {
        i++;
    }
    return i < RV32_LOOP_PIECES;
}

/* --- Learning --- */

/* A way round that is being noted. */
struct way {
    struct rv32_loop loop;
    unsigned piece;
    uint32_t written; /* registers, since the last stop */
};

static void stop_at(struct way *way, unsigned step)
{
    way->loop.stops |= UINT32_C(1) << step;
    way->written = 0;
}

/* May the instruction stand in a loop that is kept? Notes where the hart must be looked at. */
static bool is_kept(struct way *way, unsigned step, const struct rv32_effects *effects,
                    const struct rv32_op *op)
{
    switch (effects->class) {
    case RV32_CLASS_LOAD:
        if (effects->reads & way->written) {
            stop_at(way, step);
        }
        way->loop.loads |= UINT32_C(1) << step;
        break;
    case RV32_CLASS_PLAIN:
    case RV32_CLASS_FENCE:
        break;
    case RV32_CLASS_JUMP:
        if (op->run != rv32_exec_JAL) {
            return false;
        }
        /* fallthrough */
    case RV32_CLASS_BRANCH:
        stop_at(way, step + 1);
        break;
    default:
        return false;
    }
    way->written |= effects->writes;
    return true;
}

static bool opens_piece(struct way *way, uint32_t pc)
{
    if (way->piece + 1 == RV32_LOOP_PIECES) {
        return false;
    }
    way->loop.first[++way->piece] = pc;
    return true;
}

static void widen(struct rv32_loop *loop, uint32_t pc)
{
    uint32_t end = loop->low + loop->span;
    end = pc + 4 > end ? pc + 4 : end;
    loop->low = pc < loop->low ? pc : loop->low;
    loop->span = end - loop->low;
}

/* Notes the step at *pc, which ends in a jump or not, and moves *pc on. A way that comes to a place
 * twice is not kept: it could not be told where in the loop a hart is. */
static bool note_step(struct rv32_hart *hart, struct way *way, unsigned step, bool jumps,
                      uint32_t *pc)
{
    unsigned position;
    const struct rv32_page *page = rv32_page_at(hart, *pc, &position);
    if (!page || page->rows[position] < 0 || rv32_loop_holds(&way->loop, *pc)) {
        return false;
    }
    const struct rv32_op *op = &page->ops[position];
    uint32_t word = page->words[position];
    struct rv32_effects effects = rv32_row_effects((unsigned)page->rows[position], word);
    way->loop.word[step] = word;
    way->loop.length[way->piece]++;
    widen(&way->loop, *pc);
    *pc = jumps ? rv32_op_target(op, *pc) : *pc + 4;
    return is_kept(way, step, &effects, op);
}

bool rv32_loop_learn(struct rv32_hart *hart, const struct rv32_idle *idle, struct rv32_loop *loop)
{
    if (idle->reads_clock || idle->period > RV32_LOOP_STEPS) {
        return false;
    }
    struct way way = {
        .loop = {.low = hart->pc, .stops = 1, .first = {hart->pc}, .steps = (uint8_t)idle->period}};
    uint32_t pc = hart->pc;
    for (unsigned i = 0; i < way.loop.steps; i++) {
        bool jumps = idle->jumps >> i & 1, is_last = i + 1 == way.loop.steps;
        if (!note_step(hart, &way, i, jumps, &pc) ||
            (jumps && !is_last && !opens_piece(&way, pc))) {
            return false;
        }
    }
    if (pc != hart->pc) {
        return false;
    }
    *loop = way.loop;
    return true;
}

/* --- Waiting --- */

/* Decoded code is what memory holds. A loop without steps, or whose pieces do not make up its steps,
 * can only come from a snapshot. */
static bool is_same_code(const struct rv32_hart *hart, const struct rv32_loop *loop)
{
    const uint32_t *word = loop->word, *end = word + RV32_LOOP_STEPS;
    for (unsigned i = 0; i < RV32_LOOP_PIECES && loop->length[i] > 0; i++) {
        uint32_t bytes = loop->length[i] * sizeof *word;
        if (loop->length[i] > end - word || loop->first[i] > hart->l1_size - bytes ||
            memcmp(hart->l1 + loop->first[i], word, bytes) != 0) {
            return false;
        }
        word += loop->length[i];
    }
    return word > loop->word && word == loop->word + loop->steps;
}

/* The pc at a step; behind the last one, and where there is none, the head's. */
static uint32_t pc_at(const struct rv32_loop *loop, uint32_t step)
{
    for (unsigned i = 0; i < RV32_LOOP_PIECES && step < loop->steps; i++) {
        if (step < loop->length[i]) {
            return loop->first[i] + 4 * step;
        }
        step -= loop->length[i];
    }
    return loop->first[0];
}

/* The step at which the hart stands, which is in the loop. */
static uint32_t step_at(const struct rv32_loop *loop, uint32_t pc)
{
    uint32_t step = 0;
    for (unsigned i = 0; i < RV32_LOOP_PIECES; i++) {
        if (pc - loop->first[i] < 4u * loop->length[i]) {
            return step + (pc - loop->first[i]) / 4;
        }
        step += loop->length[i];
    }
    return 0;
}

/* The next stop behind a step, or the end. */
static uint32_t stop_behind(const struct rv32_loop *loop, uint32_t step)
{
    uint32_t later = loop->stops & -(UINT32_C(2) << step);
    uint32_t stop = later ? (uint32_t)__builtin_ctz(later) : loop->steps;
    return stop < loop->steps ? stop : loop->steps;
}

/* Notes what the steps poll; false when a place is no plain value. */
static bool note_places(struct rv32_hart *hart, const struct rv32_loop *loop, uint32_t step,
                        uint32_t end, struct rv32_idle *idle)
{
    for (; step < end; step++) {
        if (loop->loads >> step & 1 && !rv32_idle_note(hart, idle, loop->word[step])) {
            return false;
        }
    }
    return true;
}

/* Runs the hart from a step on to the end of the way round; is that where it gets? Where *idle is
 * given, it takes the places. */
static bool goes_round(struct rv32_hart *hart, uint64_t *now, const struct rv32_loop *loop,
                       uint32_t step, struct rv32_idle *idle)
{
    while (step < loop->steps) {
        uint32_t stop = stop_behind(loop, step);
        if (idle && !note_places(hart, loop, step, stop, idle)) {
            return false;
        }
        *now = rv32_run(hart, *now, *now + (stop - step));
        if (hart->stop != RV32_RUNNING || hart->pc != pc_at(loop, stop) ||
            rv32_was_cut(hart, *now)) {
            return false;
        }
        step = stop;
    }
    return true;
}

bool rv32_loop_waits(struct rv32_hart *hart, uint64_t *now, uint64_t limit,
                     const struct rv32_loop *loop, struct rv32_idle *idle)
{
    uint32_t step = step_at(loop, hart->pc), x[32];
    hart->stop = RV32_RUNNING;
    if (!is_same_code(hart, loop) || *now + (MOST_ITERATIONS + 1) * loop->steps > limit ||
        (step && !goes_round(hart, now, loop, step, NULL))) {
        return false;
    }
    unsigned iterations = 0;
    do {
        memcpy(x, hart->x, sizeof x);
        *idle = (struct rv32_idle){.period = loop->steps, .wake = UINT64_MAX};
        if (iterations++ == MOST_ITERATIONS || !goes_round(hart, now, loop, 0, idle)) {
            return false;
        }
    } while (memcmp(x, hart->x, sizeof x));
    idle->since = *now;
    return rv32_idle_unchanged(hart, idle); /* a load may have changed what it loaded */
}
