/* Sets of tt-metal's firmware, as the package ttnn and scripts/fetch-firmware have them. */
#ifndef CLI_FIRMWARE_SET_H
#define CLI_FIRMWARE_SET_H

#include <limits.h>
#include <stdbool.h>

/* The set in `folder` that fits a card: its numbers of banks, dispatch on Tensix tiles. False when
 * none does; *sets are those that are Blackhole's. */
bool firmware_set_choose(const char *folder, const char *card, char path[PATH_MAX], unsigned *sets);

#endif
