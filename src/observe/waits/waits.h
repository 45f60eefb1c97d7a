/* Questions of other code to wait reports. The reports for users are penrose_wait_report and
 * similar functions. */
#ifndef OBSERVE_WAITS_H
#define OBSERVE_WAITS_H

#include <stdbool.h>

#include <penrose/penrose.h>

/* Do all harts that are out of reset wait for work (a launch, or the tile's main hart to start them),
 * and nobody for anything else? False where their firmware is not known. */
bool waits_for_work_only(struct penrose_chip *chip);

/* Does anybody wait for something else than work? */
bool waits_anybody(struct penrose_chip *chip);

#endif
