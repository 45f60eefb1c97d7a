/*
 * Links between Ethernet tiles of one chip or of two of a cluster. A frame arrives a window after it
 * left, and is handed over between windows.
 */
#ifndef CHIP_LINK_H
#define CHIP_LINK_H

#include "chip/chip.h"

/* Hands over the frames that units sent. */
void chip_exchange_frames(struct penrose_chip *chip);

/* The chip at the other end of a tile's link, and the tile there; NULL: there is no link. */
const struct penrose_chip *chip_link_peer(const struct tile *tile, struct grid_position *at);

#endif
