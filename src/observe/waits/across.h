/* Waits that lead over Ethernet links, to other tiles and chips. */
#ifndef OBSERVE_WAIT_ACROSS_H
#define OBSERVE_WAIT_ACROSS_H

#include "observe/waits/chain.h"

/* Says for whom that waiter of a tile waits in the end, where this leads over a link, or would if its
 * port had one. False where it does not: then nothing was said. */
bool wait_across_add(struct wait_lines *lines, const struct chain *chain, unsigned number);

#endif
