/* The kinds of chips in this library. Programs that have others define a list of their own. */
#include <stddef.h>

#include "api/api.h"

const struct chip_calls *const api_chips[] = {&chip_calls, NULL};
