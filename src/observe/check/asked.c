/*
 * How many pages a hart has asked for. A loop that waits loads the counter of the other side, and ends
 * when there are as many pages, or as much room, as it has asked for. More may be there by luck, on
 * which the hart relies if it uses them. It does not if it goes on with the number that it has loaded,
 * which tells it of all, nor if they always come together with what it has asked for.
 *
 * What the loop compares follows from the branch by which it ends: one of both sides is made of the
 * loaded counter, and their distance is what is there in excess, whatever is added to both.
 */
#include "observe/check/check.h"

enum { PATIENCE = 24 /* instructions from the load to the end of the loop */ };

static uint32_t *seen_by(struct check_buffer *buffer, unsigned hart, bool is_received)
{
    return is_received ? &buffer->seen_pushed[hart] : &buffer->seen_popped[hart];
}

void check_asked_loads(const struct check_scene *scene, struct check_buffer *buffer,
                       bool is_received)
{
    uint32_t *seen = seen_by(buffer, scene->hart, is_received);
    const uint32_t now = is_received ? buffer->pushed : buffer->popped;
    const bool is_hart = scene->event->agent <= OBSERVED_NCRISC;
    scene->own->waits[scene->hart] = true;
    scene->own->asked[scene->hart][is_received] =
        (struct check_asked){.buffer = buffer,
                             .pc = scene->event->pc,
                             .before = *seen,
                             .now = now,
                             .patience = PATIENCE,
                             .carried = is_hart ? check_instruction(scene)->results[RV32_X] : 0};
    *seen = now;
}

static bool is_taken(const struct rv32_operands *branch, uint32_t a, uint32_t b)
{
    switch (branch->row) {
    case RV32_ROW_BEQ:
        return a == b;
    case RV32_ROW_BNE:
        return a != b;
    case RV32_ROW_BLT:
        return (int32_t)a < (int32_t)b;
    case RV32_ROW_BGE:
        return (int32_t)a >= (int32_t)b;
    case RV32_ROW_BLTU:
        return a < b;
    default:
        return a >= b;
    }
}

/* How much is there beyond what a loop has asked for? This branch ends the loop by not going back. Where
 * it goes back for `>=` or `==`, both sides differ by at least 1 behind it. */
static uint32_t find_excess(const struct rv32_operands *branch, uint32_t a, uint32_t b)
{
    const uint32_t distance = a > b ? a - b : b - a;
    const bool is_strict = branch->row != RV32_ROW_BLT && branch->row != RV32_ROW_BLTU;
    return is_strict && distance ? distance - 1 : distance;
}

/* What one store pushes or pops comes together: whoever waits for a part of it has waited for all. */
static uint32_t round_up(const struct check_buffer *buffer, uint32_t seen, bool is_received)
{
    const struct check_page *page =
        buffer->page ? &buffer->page[(seen - 1) % buffer->about.num_pages] : NULL;
    const uint32_t to = !page ? seen : is_received ? page->pushed_to : page->popped_to;
    return to - seen < buffer->about.num_pages ? to : seen;
}

/* The loop has come to its end, and the hart has asked for no more than that. */
static void end_loop(const struct check_scene *scene, struct check_asked *asked, bool is_received,
                     uint32_t excess)
{
    struct check_buffer *buffer = asked->buffer;
    uint32_t *seen = seen_by(buffer, scene->hart, is_received);
    const bool is_own = (is_received ? buffer->producers : buffer->consumers) >> scene->hart & 1;
    asked->is_over = true;
    if (!is_own && excess < buffer->about.num_pages) {
        const uint32_t asked_for =
            excess < asked->now - asked->before ? asked->now - excess : asked->before;
        *seen = asked_for ? round_up(buffer, asked_for, is_received) : 0;
    }
}

static void follow_asked(const struct check_scene *scene, struct check_asked *asked,
                         bool is_received)
{
    const struct rv32_operands *insn = check_instruction(scene);
    const uint32_t *x = scene->tile->hart[scene->hart].x, results = insn->results[RV32_X];
    const bool reads = insn->effects.reads & asked->carried;
    if (asked->is_over && reads) { /* the hart goes on with the number itself */
        uint32_t *seen = seen_by(asked->buffer, scene->hart, is_received);
        *seen = (int32_t)(asked->now - *seen) > 0 ? asked->now : *seen;
        asked->carried = 0;
    } else if (asked->is_over) {
        asked->carried &= ~results;
    } else if (insn->effects.class == RV32_CLASS_BRANCH && reads) {
        const uint32_t a = x[insn->rs1], b = x[insn->rs2];
        const bool goes_back = insn->imm < 0 && scene->event->pc + (uint32_t)insn->imm <= asked->pc;
        if (!goes_back) {
            asked->carried = 0;
        } else if (!is_taken(insn, a, b)) {
            end_loop(scene, asked, is_received, find_excess(insn, a, b));
        }
    } else if ((reads && insn->effects.class != RV32_CLASS_PLAIN) || asked->patience-- == 0) {
        asked->carried = 0;
    } else {
        asked->carried = reads ? asked->carried | results : asked->carried & ~results;
    }
}

bool check_asked_starts(const struct check_scene *scene)
{
    struct check_asked *asked = scene->own->asked[scene->hart];
    for (unsigned i = 0; i < 2; i++) {
        if (asked[i].carried && scene->checks->does[CHECK_BUFFERS]) {
            follow_asked(scene, &asked[i], i);
        }
    }
    return asked[0].carried || asked[1].carried;
}
