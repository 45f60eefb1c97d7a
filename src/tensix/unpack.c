/* The unpackers: UNPACR. */
#include "tensix/exec.h"

#define NOT_YET(token)                                                                             \
    static enum tensix_exec exec_##token(struct tensix *tensix, unsigned thread,                   \
                                         const struct tensix_args_##token *args)                   \
    {                                                                                              \
        return tensix_skip(tensix, thread, args->word);                                            \
    }                                                                                              \
    TENSIX_RUNNER(token)

NOT_YET(UNPACR)
NOT_YET(UNPACR_FLUSH)
NOT_YET(UNPACR_INC)
