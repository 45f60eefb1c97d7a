/*
 * Functions that do the same with each 32 datums of a tile: a body for 32 of them, and perhaps one
 * with load macros. A body that fits into the replay buffer is recorded once and played; the MOP
 * expander does that by itself where it has no operands to copy.
 */
#ifndef VECTOR_FUNCTIONS_H
#define VECTOR_FUNCTIONS_H

#include "vector.h"

struct function {
    body_function *body, *prepare; /* prepare: may be missing */
    /* With macros, or missing. What they need is prepared in place of `prepare`. */
    body_function *macros, *prepare_macros;
    unsigned groups; /* of 32 datums that the body with macros does */
};

static inline bool function_has_macros(const struct function *function)
{
    return argument(ARGUMENT_USES_MACROS) != 0 && function->macros;
}

static inline body_function *function_body(const struct function *function)
{
    return function_has_macros(function) ? function->macros : function->body;
}

static inline unsigned function_turns(const struct function *function)
{
    return function_has_macros(function) ? TILE_GROUPS / function->groups : TILE_GROUPS;
}

static inline void function_prepare(const struct function *function)
{
    body_function *first =
        function_has_macros(function) ? function->prepare_macros : function->prepare;
    if (first) {
        body_emit(first);
    }
    const unsigned recorded = body_record(function_body(function));
    if (recorded && is_unpack_to_dst()) {
        struct mop_loops loops = mop_loops(1, function_turns(function), REPLAY_WORD(0, recorded));
        mop_use_loops(&loops);
    }
}

static inline void function_run(const struct function *function)
{
    body_function *body = function_body(function);
    if (body_fits(body) && is_unpack_to_dst()) {
        mop_run();
    } else {
        body_run(body, function_turns(function));
    }
    if (function_has_macros(function)) {
        drain();
    }
}

#endif
