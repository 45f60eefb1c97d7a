/* The packer. */
#include "tensix/exec.h"

#define NOT_YET(token)                                                                             \
    static enum tensix_exec exec_##token(struct tensix *tensix, unsigned thread,                   \
                                         const struct tensix_args_##token *args)                   \
    {                                                                                              \
        return tensix_skip(tensix, thread, args->word);                                            \
    }                                                                                              \
    TENSIX_RUNNER(token)

NOT_YET(PACR)
NOT_YET(PACR_SETREG)
NOT_YET(PACR_SETREG_DATA)
