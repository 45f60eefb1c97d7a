/* Responses for which the NIUs of a tile still wait. */
#ifndef OBSERVE_RESPONSES_H
#define OBSERVE_RESPONSES_H

#include "chip/chip.h"
#include "observe/waits/left.h"
#include "observe/waits/lines.h"

/* Responses that will never come, or came unasked: lines about what is certain. */
void responses_add_lost(struct wait_lines *lines, const struct penrose_chip *chip,
                        const struct tile *tile, unsigned noc);

/* Requests of the tile's harts whose responses have not come, or came at once and were not looked
 * for, and what harts should do. Not those that get none, and not those of which nothing is under
 * way any more. */
void responses_add_under_way(struct wait_lines *lines, struct penrose_chip *chip,
                             const struct tile *tile);

#endif
