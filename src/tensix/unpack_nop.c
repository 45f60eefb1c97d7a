/* The unpackers: UNPACR_NOP. */
#include "tensix/exec.h"

#define NOT_YET(token)                                                                             \
    static enum tensix_exec exec_##token(struct tensix *tensix, unsigned thread,                   \
                                         const struct tensix_args_##token *args)                   \
    {                                                                                              \
        return tensix_skip(tensix, thread, args->word);                                            \
    }                                                                                              \
    TENSIX_RUNNER(token)

NOT_YET(UNPACR_NOP_POP)
NOT_YET(UNPACR_NOP_SETDVALID)
NOT_YET(UNPACR_NOP_ZEROSRC)
NOT_YET(UNPACR_NOP_NOP)
NOT_YET(UNPACR_NOP_STREAM)
NOT_YET(UNPACR_NOP_STREAM_LONG)
