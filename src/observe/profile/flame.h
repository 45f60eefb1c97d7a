/* A flame graph of the waits of a profile, for a page. */
#ifndef OBSERVE_PROFILE_FLAME_H
#define OBSERVE_PROFILE_FLAME_H

#include "observe/profile/profile.h"

/* For each lane, from above: kernel, function, calls that were inlined, line, what is waited for, what
 * ended that. A width stands for cycles. */
void flame_page(const struct profile *profile, FILE *file);

#endif
