/*
 * Links between Ethernet tiles: of one chip with itself, or of chips of one process. A frame
 * arrives a window after it left, between windows. For another chip the time counts from the start
 * of chip_run_together; if the peer's present time is later, the frame arrives then.
 */
#ifndef CHIP_LINK_H
#define CHIP_LINK_H

#include "chip/chip.h"

/* Hands over the frames that units sent. */
void chip_exchange_frames(struct penrose_chip *chip);

/* The chip goes: the other ends of its links lose theirs. */
void chip_cut_links(struct penrose_chip *chip);

#endif
