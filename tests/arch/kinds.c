/* The kinds of chips of the program and the library in this folder: the small chip, and Blackhole
 * beside it in the program. */
#include <stddef.h>

#include "api/api.h"

/* Of small.o, where it is called chip_calls. */
extern const struct chip_calls small_calls;

#ifdef SMALL_ALONE
const struct chip_calls *const api_chips[] = {&small_calls, NULL};
#else
const struct chip_calls *const api_chips[] = {&chip_calls, &small_calls, NULL};
#endif
