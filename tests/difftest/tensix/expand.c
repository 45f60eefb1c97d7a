#include "expand.h"

#include <stdlib.h>
#include <string.h>

#include "tensix/table.h"

enum { REPLAY_WORDS = 32, MOP_CONFIG_WORDS = 9, MOST_COUNT = 1024 };

enum { OPCODE_MOP = 0x01, OPCODE_NOP = 0x02, OPCODE_MOP_CFG = 0x03, OPCODE_REPLAY = 0x04 };

struct thread_state {
    uint32_t config[MOP_CONFIG_WORDS], mask_high;
    uint32_t replay[REPLAY_WORDS], at, loading;
    uint32_t recorded; /* a bit for each word of the replay buffer */
    bool executes;
};

struct expander {
    struct thread_state thread[THREADS];
    expand_visit *visit;
    void *context;
    uint32_t step;
    bool unsound; /* plays what was not recorded, or records what cannot be played */
};

static unsigned opcode(uint32_t word)
{
    return word >> 24;
}

static void visit(struct expander *e, uint8_t thread, uint32_t word)
{
    e->visit(e->context, e->step, thread, word);
}

static void through_replay(struct expander *e, uint8_t thread, uint32_t word)
{
    struct thread_state *state = &e->thread[thread];
    if (state->loading) {
        e->unsound = e->unsound || opcode(word) == OPCODE_MOP || opcode(word) == OPCODE_MOP_CFG ||
                     opcode(word) == OPCODE_REPLAY;
        state->replay[state->at] = word;
        state->recorded |= UINT32_C(1) << state->at;
        state->at = (state->at + 1) % REPLAY_WORDS;
        state->loading--;
        if (state->executes) {
            visit(e, thread, word);
        }
        return;
    }
    visit(e, thread, word);
    if (opcode(word) != OPCODE_REPLAY) {
        return;
    }
    struct tensix_args_REPLAY replay = tensix_decode_REPLAY(word);
    uint32_t count = replay.count ? replay.count : REPLAY_WORDS;
    if (replay.load) {
        state->at = replay.index;
        state->loading = count;
        state->executes = replay.exec;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (replay.index + i) % REPLAY_WORDS;
        e->unsound = e->unsound || !(state->recorded >> at & 1);
        visit(e, thread, state->replay[at]);
    }
}

static void template_zero(struct expander *e, uint8_t thread, const struct tensix_args_MOP *mop)
{
    const struct thread_state *state = &e->thread[thread];
    const uint32_t *config = state->config;
    uint32_t mask = mop->mask_lo | state->mask_high << 16;
    for (uint32_t i = 0; i <= mop->count1; i++, mask >>= 1) {
        if (mask & 1) {
            through_replay(e, thread, config[7]);
            if (config[1] & 1) {
                through_replay(e, thread, config[8]);
            }
            continue;
        }
        through_replay(e, thread, config[3]);
        for (unsigned a = 4; config[1] & 2 && a <= 6; a++) {
            through_replay(e, thread, config[a]);
        }
        if (config[1] & 1) {
            through_replay(e, thread, config[2]);
        }
    }
}

static bool is_nop(uint32_t word)
{
    return opcode(word) == OPCODE_NOP;
}

static void template_one(struct expander *e, uint8_t thread, const struct tensix_args_MOP *mop)
{
    const uint32_t *config = e->thread[thread].config;
    uint32_t outer = mop->outer_count ? mop->outer_count : config[0] % MOST_COUNT;
    uint32_t inner = mop->inner_count ? mop->inner_count : config[1] % MOST_COUNT;
    bool alternates = !is_nop(config[6]);
    inner *= alternates ? 2 : 1;
    uint32_t position = 0; /* alternation goes on from one outer iteration to the next */
    for (uint32_t i = 0; i < outer; i++) {
        if (!is_nop(config[2])) {
            through_replay(e, thread, config[2]);
        }
        for (uint32_t j = 0; j < inner; j++, position++) {
            uint32_t word = config[alternates && position % 2 ? 6 : 5];
            if (j + 1 == inner) {
                word = config[i + 1 == outer ? 7 : 8];
            }
            through_replay(e, thread, word);
        }
        if (!is_nop(config[3])) {
            through_replay(e, thread, config[3]);
            if (!is_nop(config[4])) {
                through_replay(e, thread, config[4]);
            }
        }
    }
}

static void push(struct expander *e, uint8_t thread, uint32_t word)
{
    if (opcode(word) == OPCODE_MOP) {
        struct tensix_args_MOP mop = tensix_decode_MOP(word);
        visit(e, thread, word);
        if (mop.template_number) {
            template_one(e, thread, &mop);
        } else {
            template_zero(e, thread, &mop);
        }
    } else if (opcode(word) == OPCODE_MOP_CFG) {
        visit(e, thread, word);
        e->thread[thread].mask_high = word & 0xffff;
    } else {
        through_replay(e, thread, word);
    }
}

bool program_expand(const struct program *program, expand_visit *visitor, void *context)
{
    struct expander e = {.visit = visitor, .context = context};
    for (uint32_t i = 0; i < program->steps; i++) {
        const struct step *step = &program->step[i];
        e.step = i;
        if (step->kind == STEP_MOP && step->number < MOP_CONFIG_WORDS) {
            e.thread[step->thread].config[step->number] = step->word;
        } else if (step_is_push(step) && program->by_brisc[step->thread]) {
            through_replay(&e, step->thread, step->word);
        } else if (step_is_push(step)) {
            push(&e, step->thread, step->word);
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        e.unsound = e.unsound || e.thread[i].loading;
    }
    return !e.unsound;
}

static void ignore(void *context, uint32_t step, uint8_t thread, uint32_t word)
{
    (void)context;
    (void)step;
    (void)thread;
    (void)word;
}

bool program_is_sound(const struct program *program)
{
    return program_expand(program, ignore, NULL);
}

/* --- Without MOP and REPLAY --- */

struct unroller {
    const struct program *from;
    const bool *is_loop; /* by group */
    struct program *to;
    uint32_t next; /* steps up to here are done */
};

static void copy_hart_steps(struct unroller *u, uint32_t behind)
{
    for (; u->next < behind; u->next++) {
        const struct step *step = &u->from->step[u->next];
        if (!step_is_push(step) && step->kind != STEP_MOP) {
            program_add(u->to, *step);
        }
    }
}

static void add_unrolled(void *context, uint32_t number, uint8_t thread, uint32_t word)
{
    struct unroller *u = context;
    unsigned kind = opcode(word);
    copy_hart_steps(u, number);
    if (kind != OPCODE_MOP && kind != OPCODE_MOP_CFG && kind != OPCODE_REPLAY) {
        const struct step *step = &u->from->step[number];
        program_add(u->to, (struct step){.kind = STEP_PUSH,
                                         .thread = thread,
                                         .word = word,
                                         .group = u->is_loop[step->group] ? 0 : step->group,
                                         .needs = step->needs});
    }
}

bool program_unroll(struct program *to, const struct program *from)
{
    program_init(to);
    to->unfenced = from->unfenced;
    to->number = from->number;
    to->scene = from->scene;
    to->vector = from->vector;
    memcpy(to->by_brisc, from->by_brisc, sizeof to->by_brisc);
    uint32_t groups = 0;
    for (uint32_t i = 0; i < from->steps; i++) {
        groups = from->step[i].group > groups ? from->step[i].group : groups;
    }
    bool *is_loop = calloc(groups + 1u, sizeof *is_loop);
    to->ok = is_loop;
    for (uint32_t i = 0; is_loop && i < from->steps; i++) {
        unsigned kind = opcode(from->step[i].word);
        if (step_is_push(&from->step[i]) && (kind == OPCODE_MOP || kind == OPCODE_REPLAY)) {
            is_loop[from->step[i].group] = true;
        }
    }
    if (is_loop) {
        struct unroller u = {.from = from, .to = to, .is_loop = is_loop};
        program_expand(from, add_unrolled, &u);
        copy_hart_steps(&u, from->steps);
    }
    free(is_loop);
    return to->ok;
}
