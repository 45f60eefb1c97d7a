/* Names what differs between the states of two chips, for tests that compare their hashes. */
#ifndef STATE_DIFFERENCE_H
#define STATE_DIFFERENCE_H

#include <penrose/penrose.h>

/* The first member or byte of a tile that penrose_state_hash sees and that differs, such as
 * "worker (1, 2) hart[1] x rv32_hart_state at 12"; what differs elsewhere is "not in a tile". The text
 * stays until the next call. */
const char *state_difference(struct penrose_chip *chip, struct penrose_chip *other);

#endif
