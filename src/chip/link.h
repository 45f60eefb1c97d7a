/*
 * Links between Ethernet tiles of one chip or of two of a cluster. A frame arrives a window after it
 * left, and is handed over between windows.
 */
#ifndef CHIP_LINK_H
#define CHIP_LINK_H

#include "chip/chip.h"

/* Hands over the frames that units sent. */
void chip_exchange_frames(struct penrose_chip *chip);

#endif
