/*
 * Shortcut from the queues to the units (issue.c), for functional runs in which only its own
 * handler, or a wait whose conditions have been met, can hold an instruction: nothing is in reset
 * or stopped. Such an instruction starts by one look at its opcode, or is found to wait. Plain
 * instructions of the front FIFO go on from there, and those of the replay buffer in a loop. A
 * TRISC's push to a thread with nothing queued executes at once. A push behind an instruction that
 * waits does not offer that once more. What the shortcut does not decide goes to the gate.
 * Proof: tests/difftest/tensix/check_ways.c, tests/unit/chip/check_state_hash.c,
 * check_issue_fast.c.
 * Gain: ttnn's exp of 1024x1024 executes 13 % fewer instructions of the host; bench/tensix, INCRWC
 * by .ttinsn 29 -> 51 M instr/s; bench/sfpu, bits and integers 73 -> 126.
 */
#include "tensix/frontend/issue_fast.h"

#include "tensix/config/fixed_bits.h"
#include "tensix/exec.h"
#include "tensix/frontend/frontend.h"

/* By opcode: the form of it that stands last, and its runner. NULL where the opcode does not exist,
 * is a STUB, or is one that the front end keeps for itself. */
struct fast_op {
    uint32_t mask, match;
    tensix_runner *run;
    enum tensix_row row;
};

#define FORM(...)
#define FRONT(...)
#define STUB(...)
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    [opcode] = {UINT32_C(0xff) << 24 | mask_##token, UINT32_C(opcode) << 24 | match_##token,       \
                tensix_exec_##token, TENSIX_ROW_##token},
static const struct fast_op fast_ops[TENSIX_OPCODES] = {
#include "tensix.def"
};

/* Could anything but what is latched and its own handler hold an instruction, or does it take more
 * than a cycle? */
static inline bool is_held_elsewhere(const struct tensix *tensix)
{
    const uint32_t holding = TENSIX_RESET_UNPACKERS | TENSIX_RESET_PACKERS | TENSIX_RESET_TDMA |
                             TENSIX_RESET_THCON | TENSIX_RESET_MATH;
    return (tensix->held & holding) | tensix->scalar_held_by | tensix->stopped |
           (tensix->timing != NULL);
}

static inline bool is_checked(const struct tensix *tensix, const struct tensix_thread *thread)
{
    return thread->latch.block_mask || is_held_elsewhere(tensix);
}

/* What stands for the word; NULL where it is none that comes to the gate. */
static inline const struct fast_op *fast_op_of(uint32_t word)
{
    const struct fast_op *op = &fast_ops[word >> 24];
    return op->run && (word & op->mask) == op->match ? op : NULL;
}

/* Starts an instruction that is not checked. What has stopped has done nothing. */
static inline enum tensix_exec start_unchecked(struct tensix *tensix, unsigned thread,
                                               const struct fast_op *op, uint32_t word,
                                               uint64_t time)
{
    tensix->thread[thread].next = word;
    tensix->now = time;
    return op->run(tensix, thread, word);
}

/* Passes what is latched, if its conditions have been met: the instruction may have to wait until
 * the gate opens, and that may be at `end` or later. */
static bool pass_latch(struct tensix_thread *own, enum tensix_row row, uint64_t end)
{
    struct tensix_latch *latch = &own->latch;
    if (!latch->met) {
        return false;
    }
    if (own->time < latch->open_at) {
        if (!tensix_is_blocked(&tensix_row_infos[row], latch->block_mask)) {
            return true;
        }
        own->wait = TENSIX_WAITS_FOR_LATCH;
        own->wait_detail = 0;
        own->time = latch->open_at;
    }
    if (own->time < end) {
        latch->block_mask = 0;
    }
    return true;
}

/* Plays on what the replay buffer plays, as long as that is all there is to it. */
static void play(struct tensix *tensix, unsigned thread, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    struct replay_buffer *buffer = &own->replay;
    const uint64_t begin = own->time;
    const uint64_t last = buffer->left < end - begin ? begin + buffer->left : end;
    uint64_t time = begin;
    unsigned index = buffer->index;
    do {
        uint32_t word = buffer->entry[index];
        const struct fast_op *op = fast_op_of(word);
        own->next = word;
        if (!op || start_unchecked(tensix, thread, op, word, time) != TENSIX_DONE) {
            own->has_next = true;
            break;
        }
        time++;
        index = (index + 1) % REPLAY_ENTRIES;
    } while (time != last && !tensix->outcome.holds);
    replay_skip(buffer, (unsigned)(time - begin) + own->has_next);
    own->drained += time - begin;
    own->time = time;
    tensix_wake(tensix, time - 1);
    tensix_let_unpackers_go_on(tensix);
}

/* Brings the oldest instruction of the front FIFO to the gate, where nothing stands before it and it
 * is none that the front end keeps for itself. */
static bool take_pushed(struct tensix *tensix, struct tensix_thread *own)
{
    const struct tensix_fifo *front = &own->front;
    if (!front->count || own->back.count || mop_busy(&own->mop) ||
        own->replay.state != REPLAY_IDLE || !fast_op_of(front->entry[front->head].word)) {
        return false;
    }
    own->next = tensix_pop(tensix, own, &own->front);
    own->has_next = true;
    own->parent = 0;
    return true;
}

/* Starts the instruction at the gate; false: the gate has to look. */
static bool start_fast(struct tensix *tensix, unsigned thread, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    const struct fast_op *op = fast_op_of(own->next);
    if (!op || is_held_elsewhere(tensix) ||
        (own->latch.block_mask && !pass_latch(own, op->row, end))) {
        return false;
    }
    const uint64_t time = own->time;
    if (time >= end) {
        return true; /* it starts when the gate opens */
    }
    enum tensix_exec result = start_unchecked(tensix, thread, op, own->next, time);
    if (result == TENSIX_STALL) {
        own->blocked = true;
        tensix_stay_in_unit(tensix, thread, op->row);
        return true;
    }
    if (result != TENSIX_DONE) {
        return false;
    }
    own->wait = TENSIX_WAITS_FOR_NOTHING;
    own->has_next = false;
    own->drained++;
    own->time = time + 1;
    tensix_wake(tensix, time);
    tensix_let_unpackers_go_on(tensix);
    return true;
}

void tensix_go_on_fast(struct tensix *tensix, unsigned thread, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    while (own->time < end && !own->blocked && !tensix->stopped) {
        if (own->has_next || take_pushed(tensix, own)) {
            if (own->time < end && !start_fast(tensix, thread, end)) {
                break;
            }
        } else if (replay_is_playing(&own->replay) && !is_checked(tensix, own)) {
            tensix->outcome.holds = false;
            play(tensix, thread, end);
        } else {
            break;
        }
    }
}

/* Nothing of the thread is anywhere in the front end. */
static bool is_empty(const struct tensix_thread *thread)
{
    return !thread->has_next && !(thread->front.count | thread->back.count) &&
           !mop_busy(&thread->mop) && thread->replay.state == REPLAY_IDLE;
}

struct tensix_outcome tensix_execute(struct tensix *tensix, const struct tensix_pushed *pushed)
{
    const unsigned thread = pushed->thread;
    struct tensix_thread *own = &tensix->thread[thread];
    const uint64_t time = own->time > pushed->cycle ? own->time : pushed->cycle + 1;
    if (time >= pushed->end || !is_empty(own) || is_checked(tensix, own)) {
        return (struct tensix_outcome){.is_taken = false};
    }
    own->origin.pc = pushed->origin.pc; /* as it has just been written: member by member */
    own->origin.pusher = pushed->origin.pusher;
    own->parent = 0;
    tensix->outcome.holds = false;
    const struct fast_op *op = fast_op_of(pushed->word);
    if (op && start_unchecked(tensix, thread, op, pushed->word, time) == TENSIX_DONE) {
        own->drained++;
        own->time = time + 1;
        tensix_wake(tensix, time);
        tensix_let_unpackers_go_on(tensix);
    } else if (tensix->stopped) { /* by this one, which stays at the gate */
        own->has_next = true;
        own->time = time;
    } else {
        return (struct tensix_outcome){.is_taken = false};
    }
    own->pushed++;
    return tensix_end_push(tensix, true, pushed->cycle);
}

struct tensix_outcome tensix_push_behind(struct tensix *tensix, const struct tensix_pushed *pushed)
{
    struct tensix_thread *own = &tensix->thread[pushed->thread];
    bool is_pushed =
        tensix_push(tensix, pushed->thread, pushed->origin, &pushed->word, 1, pushed->cycle);
    tensix_pass_event(tensix, own);
    own->blocked = own->time < pushed->end; /* that far it would have been offered again */
    tensix->outcome.moved = is_pushed;
    struct tensix_outcome outcome = tensix_end_push(tensix, is_pushed, pushed->cycle);
    outcome.holds = true;
    return outcome;
}
