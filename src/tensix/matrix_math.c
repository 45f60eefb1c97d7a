/* The Matrix Unit, second part: what computes. */
#include "tensix/exec.h"

#define NOT_YET(token)                                                                             \
    static enum tensix_exec exec_##token(struct tensix *tensix, unsigned thread,                   \
                                         const struct tensix_args_##token *args)                   \
    {                                                                                              \
        return tensix_skip(tensix, thread, args->word);                                            \
    }                                                                                              \
    TENSIX_RUNNER(token)

NOT_YET(MVMUL)
NOT_YET(DOTPV)
NOT_YET(ELWMUL)
NOT_YET(ELWADD)
NOT_YET(ELWSUB)
NOT_YET(GMPOOL)
NOT_YET(GAPOOL)
NOT_YET(CONV3S1)
NOT_YET(CONV3S2)
NOT_YET(MFCONV3S1)
NOT_YET(APOOL3S1)
NOT_YET(APOOL3S2)
