/* Which units look at which words of Config, see users.h. */
#include "tensix/config/users.h"

#include "tensix/config/regs.h"
#include "tensix/tensix.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define USES(first, words, cached, fresh)                                                          \
    [TENSIX_WORD_##first... TENSIX_WORD_##first + (words)-1] = {cached, fresh},
#define READS(name, users)
#define TAKES(name)
const struct tensix_config_use tensix_config_uses[TENSIX_STATE_WORDS] = {
#include "config_users.def"
};
#undef USES
#undef READS
#undef TAKES
#pragma GCC diagnostic pop
