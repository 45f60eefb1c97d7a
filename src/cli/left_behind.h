/* What harts that have ended have begun and not finished: nearly always a mistake. */
#ifndef CLI_LEFT_BEHIND_H
#define CLI_LEFT_BEHIND_H

#include <stdbool.h>

#include <penrose/penrose.h>

/* All harts of the chip have ended. Says for what the coprocessor still waits, and records as faults
 * the NoC requests for which nobody has waited. True: a policy wants one of these to be a failure. */
bool left_behind_explain(struct penrose_chip *chip);

#endif
