/* The chain of waits in a tile, from the root cause on. */
#ifndef OBSERVE_WAIT_CHAIN_H
#define OBSERVE_WAIT_CHAIN_H

#include "chip/chip.h"
#include "observe/waits/lines.h"

/* Says each chain of the tile: the event that is missing, who would have to bring it about, and who
 * waits for it, one behind the other. Nothing where nobody waits for another. */
void wait_chain_add(struct wait_lines *lines, struct penrose_chip *chip, struct tile *tile);

#endif
