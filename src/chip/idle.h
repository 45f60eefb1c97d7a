/* Work that is none of the chip's own for its host threads between windows (chip/pool.h). */
#ifndef CHIP_IDLE_H
#define CHIP_IDLE_H

#include <stdbool.h>

#include <penrose/penrose.h>

struct tile;

/* Idle threads call work(context) now and then, several at a time, until it returns false; there
 * are none where the chip has one thread. It may use the chip, if it sees to it that nobody else
 * does meanwhile. Call once, before the chip runs. */
void chip_set_idle(struct penrose_chip *chip, bool (*work)(void *context), void *context);

/* The tile with harts that the host calls (x, y); NULL where there is none or it was not made yet. */
struct tile *chip_made_tile(const struct penrose_chip *chip, unsigned x, unsigned y);

/* There is something to do: wakes an idle thread if all sleep. */
void chip_call_idle(struct penrose_chip *chip);

#endif
