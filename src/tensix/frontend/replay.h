/*
 * The replay buffer of one thread: 32 instructions that REPLAY records and plays back.
 *
 * It is behind the MOP expander and in front of the wait gate. The front end offers it the next
 * instruction, in this order:
 *
 *   replay_next        while it plays; nothing else is taken from the queue meanwhile
 *   replay_accept      while it loads: every instruction, of any kind and from any hart
 *   replay_command     otherwise, for a REPLAY; other instructions pass by
 *
 * SPEC: WormholeB0 REPLAY (the BlackholeA0 page refers to it as "similar, but not identical"), as
 * of commit 065d59fb: its older versions take a count of 0 as 64. YAML: REPLAY in LLK's
 * instructions/assembly.yaml of Blackhole.
 */
#ifndef TENSIX_REPLAY_H
#define TENSIX_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

enum { REPLAY_ENTRIES = 32 };

/* Also what is wrong with a use of the buffer; replay_rule has the text. */
enum replay_result {
    REPLAY_OK,
    REPLAY_COUNT_UNSUPPORTED,
    REPLAY_NESTED,
    REPLAY_HOLDS_MOP,
    REPLAY_RESULTS
};

enum replay_state { REPLAY_IDLE, REPLAY_LOADING, REPLAY_LOADING_AND_EXECUTING, REPLAY_PLAYING };

/* `left` instructions are still to be loaded or played, the next one at entry[index]; it is 0 in
 * REPLAY_IDLE alone. All zero after a reset (SPEC). */
struct replay_buffer {
    uint32_t entry[REPLAY_ENTRIES];
    enum replay_state state;
    uint16_t index, left;
};

static inline bool replay_is_loading(const struct replay_buffer *buffer)
{
    return buffer->state == REPLAY_LOADING || buffer->state == REPLAY_LOADING_AND_EXECUTING;
}

static inline bool replay_is_playing(const struct replay_buffer *buffer)
{
    return buffer->state == REPLAY_PLAYING;
}

/*
 * Starts what a REPLAY says; only in REPLAY_IDLE. A count of 0 means 32 (SPEC). Entries go around
 * from 31 to 0. The exec bit has no effect without the load bit (YAML).
 *
 * REPLAY_COUNT_UNSUPPORTED, and nothing has started, where the count exceeds 32: the page says that
 * hardware then does something else, not what. (YAML: it takes the low five bits.)
 */
enum replay_result replay_command(struct replay_buffer *buffer, uint32_t word);

/*
 * Records an instruction while replay_is_loading. *executes tells whether it also goes on to the
 * wait gate. The result is that of replay_judge: the word has been recorded all the same, as in
 * the functional model, and does no harm until it executes.
 */
enum replay_result replay_accept(struct replay_buffer *buffer, uint32_t word, bool *executes);

/* Moves on by `count` entries, at most those that are left; not while it is idle. */
static inline void replay_skip(struct replay_buffer *buffer, unsigned count)
{
    buffer->index = (uint8_t)((buffer->index + count) % REPLAY_ENTRIES);
    buffer->left = (uint8_t)(buffer->left - count);
    if (buffer->left == 0) {
        buffer->state = REPLAY_IDLE;
    }
}

/* Takes the next instruction to play; false, *instruction untouched, if it does not play. */
static inline bool replay_next(struct replay_buffer *buffer, uint32_t *instruction)
{
    if (!replay_is_playing(buffer)) {
        return false;
    }
    *instruction = buffer->entry[buffer->index];
    replay_skip(buffer, 1);
    return true;
}

/*
 * Can this word execute when it leaves the buffer? REPLAY, MOP and MOP_CFG cannot: the units that
 * handle them are behind it (SPEC: REPLAY handles neither what it plays nor what it passes on
 * while loading, and an expansion cannot contain MOP). GUESS: no page says what the wait gate
 * does with one.
 */
enum replay_result replay_judge(uint32_t word);

/* The rule that was broken, for a message; empty for REPLAY_OK. */
const char *replay_rule(enum replay_result result);

#endif
