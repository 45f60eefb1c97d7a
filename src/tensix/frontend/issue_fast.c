/*
 * Shortcut from the queues to the units (issue.c), for functional runs in which only its own
 * handler can hold an instruction: nothing is latched, in reset or stopped. Such an instruction
 * starts by one look at its opcode. Instructions from the replay buffer are executed in a loop. A
 * TRISC's push to a thread with nothing queued executes at once. An instruction that does not start
 * has done nothing, and goes to the gate.
 * Proof: tests/difftest/tensix/check_ways.c, tests/unit/chip/check_state_hash.c,
 * check_issue_fast.c.
 * Gain: ttnn's exp of 1024x1024 executes 10 % fewer instructions of the host; bench/tensix, INCRWC
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
};

#define FORM(...)
#define FRONT(...)
#define STUB(...)
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    [opcode] = {UINT32_C(0xff) << 24 | mask_##token, UINT32_C(opcode) << 24 | match_##token,       \
                tensix_exec_##token},
static const struct fast_op fast_ops[TENSIX_OPCODES] = {
#include "tensix.def"
};

/* Could anything but its own handler hold an instruction, or does it take more than a cycle? */
static inline bool is_checked(const struct tensix *tensix, const struct tensix_thread *thread)
{
    const uint32_t holding = TENSIX_RESET_UNPACKERS | TENSIX_RESET_PACKERS | TENSIX_RESET_TDMA |
                             TENSIX_RESET_THCON | TENSIX_RESET_MATH;
    return thread->latch.block_mask | (tensix->held & holding) | tensix->scalar_held_by |
           tensix->stopped | (tensix->timing != NULL);
}

/* What starts a word; NULL where it is none that comes to the gate. */
static inline tensix_runner *runner_of(uint32_t word)
{
    const struct fast_op *op = &fast_ops[word >> 24];
    return (word & op->mask) == op->match ? op->run : NULL;
}

/* Starts an instruction that is not checked. False: it has not started, for whatever reason, and
 * the gate finds out why. */
static inline bool start_unchecked(struct tensix *tensix, unsigned thread, uint32_t word,
                                   uint64_t time)
{
    tensix_runner *run = runner_of(word);
    if (!run) {
        return false; /* it may not even come to the gate */
    }
    tensix->thread[thread].next = word;
    tensix->now = time;
    return run(tensix, thread, word) == TENSIX_DONE;
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
        tensix_runner *run = runner_of(word);
        own->next = word;
        tensix->now = time;
        if (!run || run(tensix, thread, word) != TENSIX_DONE) {
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

bool tensix_start_fast(struct tensix *tensix, unsigned thread, uint64_t end)
{
    struct tensix_thread *own = &tensix->thread[thread];
    uint64_t time = own->time;
    if (is_checked(tensix, own) || !start_unchecked(tensix, thread, own->next, time)) {
        return false;
    }
    own->wait = TENSIX_WAITS_FOR_NOTHING;
    own->has_next = false;
    own->drained++;
    own->time = time + 1;
    tensix_wake(tensix, time);
    tensix_let_unpackers_go_on(tensix);
    if (replay_is_playing(&own->replay) && own->time < end && !is_checked(tensix, own)) {
        tensix->outcome.holds = false;
        play(tensix, thread, end);
    }
    return true;
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
    if (start_unchecked(tensix, thread, pushed->word, time)) {
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
