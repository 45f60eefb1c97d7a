#include "rv32/loop.h"

#include <string.h>

#include "rv32/exec.h"

enum { MOST_ITERATIONS = 2 }; /* the first one sets the registers that the loop writes */

/* The row of the instruction at `pc`, -1 where there is none. */
static int find_row(struct rv32_hart *hart, uint32_t pc)
{
    unsigned position;
    const struct rv32_page *page = rv32_page_at(hart, pc, &position);
    return page ? page->rows[position] : -1;
}

/* May the instruction stand in a loop that is kept? Addresses must not depend on what was
 * loaded. */
static bool is_kept(const struct rv32_effects *effects, bool is_last, uint32_t *addressed,
                    uint32_t *written)
{
    *written |= effects->writes;
    switch (effects->class) {
    case RV32_CLASS_LOAD:
        *addressed |= effects->reads;
        return !is_last;
    case RV32_CLASS_PLAIN:
    case RV32_CLASS_FENCE:
        return !is_last;
    case RV32_CLASS_BRANCH:
        return is_last;
    default:
        return false;
    }
}

bool rv32_loop_learn(struct rv32_hart *hart, const struct rv32_idle *idle, struct rv32_loop *loop)
{
    if (idle->reads_clock || idle->period > RV32_LOOP_STEPS) {
        return false;
    }
    struct rv32_loop found = {.first = hart->pc, .steps = (uint32_t)idle->period};
    uint32_t addressed = 0, written = 0;
    for (unsigned i = 0; i < found.steps; i++) {
        uint32_t pc = found.first + 4 * i;
        int row = find_row(hart, pc);
        if (row < 0) {
            return false;
        }
        memcpy(&found.word[i], hart->l1 + pc, sizeof found.word[i]);
        struct rv32_effects effects = rv32_row_effects((unsigned)row, found.word[i]);
        if (!is_kept(&effects, i + 1 == found.steps, &addressed, &written)) {
            return false;
        }
        found.loads |= (uint32_t)(effects.class == RV32_CLASS_LOAD) << i;
    }
    if (addressed & written) {
        return false;
    }
    *loop = found;
    return true;
}

/* Decoded code is what memory holds. */
static bool is_same_code(const struct rv32_hart *hart, const struct rv32_loop *loop)
{
    uint32_t bytes = loop->steps * sizeof loop->word[0];
    return loop->first <= hart->l1_size - bytes &&
           !memcmp(hart->l1 + loop->first, loop->word, bytes);
}

/* Notes what the loop polls; false when a place is no plain value. */
static bool note_places(struct rv32_hart *hart, const struct rv32_loop *loop,
                        struct rv32_idle *idle)
{
    for (unsigned i = 0; i < loop->steps; i++) {
        if (loop->loads >> i & 1 && !rv32_idle_note(hart, idle, loop->word[i])) {
            return false;
        }
    }
    return true;
}

/* Runs `cycles` cycles; does that bring the hart to the head? */
static bool reaches_head(struct rv32_hart *hart, uint64_t *now, uint64_t cycles,
                         const struct rv32_loop *loop)
{
    *now = rv32_run(hart, *now, *now + cycles);
    return hart->stop == RV32_RUNNING && hart->pc == loop->first && !rv32_was_cut(hart, *now);
}

bool rv32_loop_waits(struct rv32_hart *hart, uint64_t *now, uint64_t limit,
                     const struct rv32_loop *loop, struct rv32_idle *idle)
{
    uint32_t done = (hart->pc - loop->first) / 4, x[32];
    hart->stop = RV32_RUNNING;
    if (!is_same_code(hart, loop) || *now + (MOST_ITERATIONS + 1) * loop->steps > limit ||
        (done && !reaches_head(hart, now, loop->steps - done, loop))) {
        return false;
    }
    unsigned iterations = 0;
    do {
        memcpy(x, hart->x, sizeof x);
        *idle = (struct rv32_idle){.period = loop->steps, .wake = UINT64_MAX};
        if (iterations++ == MOST_ITERATIONS || !note_places(hart, loop, idle) ||
            !reaches_head(hart, now, loop->steps, loop)) {
            return false;
        }
    } while (memcmp(x, hart->x, sizeof x));
    idle->since = *now;
    return rv32_idle_unchanged(hart, idle); /* a load may have changed what it loaded */
}
