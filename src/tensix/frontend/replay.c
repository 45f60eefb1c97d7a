/* The replay buffer: see replay.h for the state and its invariants. */
#include <assert.h>

#include "tensix/frontend/replay.h"
#include "tensix/table.h"

enum replay_result replay_command(struct replay_buffer *buffer, uint32_t word)
{
    struct tensix_args_REPLAY args = tensix_decode_REPLAY(word);

    assert(buffer->state == REPLAY_IDLE);
    if (args.count > REPLAY_ENTRIES) {
        return REPLAY_COUNT_UNSUPPORTED;
    }
    buffer->index = (uint8_t)args.index;
    buffer->left = (uint8_t)(args.count ? args.count : REPLAY_ENTRIES);
    buffer->state = !args.load   ? REPLAY_PLAYING
                    : !args.exec ? REPLAY_LOADING
                                 : REPLAY_LOADING_AND_EXECUTING;
    return REPLAY_OK;
}

/* The entry that is next; the buffer moves on to the one after it. */
static uint32_t *take_entry(struct replay_buffer *buffer)
{
    uint32_t *entry = &buffer->entry[buffer->index];
    buffer->index = (uint8_t)((buffer->index + 1) % REPLAY_ENTRIES);
    buffer->left--;
    if (buffer->left == 0) {
        buffer->state = REPLAY_IDLE;
    }
    return entry;
}

enum replay_result replay_accept(struct replay_buffer *buffer, uint32_t word, bool *executes)
{
    assert(replay_is_loading(buffer));
    *executes = buffer->state == REPLAY_LOADING_AND_EXECUTING;
    *take_entry(buffer) = word;
    return replay_judge(word);
}

bool replay_next(struct replay_buffer *buffer, uint32_t *instruction)
{
    if (!replay_is_playing(buffer)) {
        return false;
    }
    *instruction = *take_entry(buffer);
    return true;
}

enum replay_result replay_judge(uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_REPLAY:
        return REPLAY_NESTED;
    case TENSIX_OPCODE_MOP:
    case TENSIX_OPCODE_MOP_CFG:
        return REPLAY_HOLDS_MOP;
    default:
        return REPLAY_OK;
    }
}

const char *replay_rule(enum replay_result result)
{
    static const char *const rules[REPLAY_RESULTS] = {
        [REPLAY_OK] = "",
        [REPLAY_COUNT_UNSUPPORTED] = "it plays or loads more than 32 instructions; use several",
        [REPLAY_NESTED] = "the replay buffer does not expand a REPLAY that it holds",
        [REPLAY_HOLDS_MOP] = "MOP and MOP_CFG that come out of it are behind the MOP expander",
    };
    return rules[result];
}
