/* Breakpoints and watchpoints, for debugger.c and history.c. */
#ifndef OBSERVE_POINTS_H
#define OBSERVE_POINTS_H

#include <penrose/debug.h>

#include "chip/chip.h"

/* Can it stop anything on that tile? */
enum penrose_status point_check(const struct tile *tile, const struct penrose_point *point,
                                struct penrose_error *error);

/* Can what the tile tells hit it: is it on that tile, or of GDDR behind it? */
bool point_is_on(const struct penrose_point *point, const struct tile *tile);

/* Is an instruction about to start that has had to wait? It is told of as often as its hart is woken,
 * which depends on who looks since when; it starts once. */
bool point_starts_again(const struct tile *tile, const struct observed *event);

/* Is it hit by what the tile tells? */
bool point_is_met(const struct penrose_point *point, const struct tile *tile,
                  const struct observed *event);

/* The stop that an event is. */
struct penrose_stop point_stop(const struct penrose_chip *chip, const struct tile *tile,
                               const struct observed *event, enum penrose_stop_reason reason,
                               unsigned id);

#endif
