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

enum replay_result replay_accept(struct replay_buffer *buffer, uint32_t word, bool *executes)
{
    assert(replay_is_loading(buffer));
    *executes = buffer->state == REPLAY_LOADING_AND_EXECUTING;
    buffer->entry[buffer->index] = word;
    replay_skip(buffer, 1);
    return replay_judge(word);
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
