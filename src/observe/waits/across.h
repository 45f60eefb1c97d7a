/* Chains of waits, also over Ethernet links, to other tiles and chips. */
#ifndef OBSERVE_WAIT_ACROSS_H
#define OBSERVE_WAIT_ACROSS_H

#include "observe/waits/chain.h"

/* Says each chain of the tile: for whom its waiters wait in the end, where this leads over a link or would
 * if its port had one, and else the event that is missing. Nothing where nobody waits for another. */
void wait_across_add(struct wait_lines *lines, struct penrose_chip *chip, struct tile *tile);

#endif
