/* The Matrix Unit, third part: what moves data between Dst, SrcA and SrcB. */
#include "tensix/exec.h"

#define NOT_YET(token)                                                                             \
    static enum tensix_exec exec_##token(struct tensix *tensix, unsigned thread,                   \
                                         const struct tensix_args_##token *args)                   \
    {                                                                                              \
        return tensix_skip(tensix, thread, args->word);                                            \
    }                                                                                              \
    TENSIX_RUNNER(token)

NOT_YET(MOVD2A)
NOT_YET(MOVDBGA2D)
NOT_YET(MOVD2B)
NOT_YET(MOVB2A)
NOT_YET(MOVA2D)
NOT_YET(MOVB2D)
NOT_YET(TRNSPSRCB)
NOT_YET(SHIFTXA)
NOT_YET(SHIFTXB)
