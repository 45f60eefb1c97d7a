/* Work for the chip's host threads between windows (chip/pool.h), of the chip and of others. */
#ifndef CHIP_IDLE_H
#define CHIP_IDLE_H

#include <stdbool.h>

#include <penrose/penrose.h>

#include "noc/packet.h"

struct tile;

/* Idle threads call work(context) now and then, several at a time, until it returns false; there
 * are none where the chip has one thread. It may use the chip, if it sees to it that nobody else
 * does meanwhile (but see chip_made_tile). Call once, before the chip is used. */
void chip_set_idle(struct penrose_chip *chip, bool (*work)(void *context), void *context);

/* Where the host's (x, y) is, a number below CHIP_PLACES; CHIP_PLACES where nothing is. A tile has
 * several names. */
enum { CHIP_PLACES = NOC_NODES };
unsigned chip_place_of(const struct penrose_chip *chip, unsigned x, unsigned y);

/* The tile with harts at a place; NULL where there is none or it was not made yet. Two threads may
 * write to L1 of different tiles, while one of them may make others: penrose_write() to L1 of a
 * tile that is made touches nothing but that tile, locks nothing and tells no fault. */
struct tile *chip_made_tile(const struct penrose_chip *chip, unsigned place);

/* There is something to do: wakes an idle thread if all sleep. */
void chip_call_idle(struct penrose_chip *chip);

#endif
