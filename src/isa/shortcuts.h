/*
 * Shortcuts: second ways to what the core does, for speed alone. Each is a file *_fast.c.
 * `configure --disable-shortcuts` leaves it out of the build. It is called only if shortcuts_on is
 * true, which is a constant in such a build, so that no call remains.
 */
#ifndef ISA_SHORTCUTS_H
#define ISA_SHORTCUTS_H

#include "config.h"

#ifdef PENROSE_NO_SHORTCUTS
enum { SHORTCUTS_BUILT = 0 };
#else
enum { SHORTCUTS_BUILT = 1 };
#endif

/* May a shortcut be taken whose owner's flag is `flag`? A macro, since builds without optimisation
 * drop calls behind a constant, not behind a function. */
#define shortcuts_on(flag) (SHORTCUTS_BUILT && (flag))

#endif
