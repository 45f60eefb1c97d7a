/*
 * Whether harts that run get anywhere, or only poll. A look at a chip notes what its tiles have done, and
 * the memory of those in which a hart runs. A later look tells what has become of that.
 */
#ifndef CHIP_LOOK_H
#define CHIP_LOOK_H

#include <stdbool.h>

struct penrose_chip;
struct chip_look; /* to be freed by free() */

/* NULL: there is no memory for it. */
struct chip_look *chip_look_take(const struct penrose_chip *chip);

/*
 * Has nothing happened between two looks but polls? This is so if no agent has done anything that another
 * one could notice (an event of its tile, or a request to the NoC), the same tiles have harts that run,
 * and in each of them at most LOOK_LINES lines of 64 bytes have changed. Routers of the fabric count
 * their turns there. Harts that compute write more.
 */
bool chip_look_is_still(const struct chip_look *before, const struct chip_look *now);

#endif
