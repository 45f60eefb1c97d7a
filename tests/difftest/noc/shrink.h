/* Makes the smallest program that still shows a difference. */
#ifndef DIFFTEST_NOC_SHRINK_H
#define DIFFTEST_NOC_SHRINK_H

#include "bench.h"

/*
 * *to becomes a small program that bench_run finds DIFFERENT, as it does *from; the bench holds the
 * outcomes of *to afterwards. False: trouble, or *from shows no difference any more.
 */
bool program_shrink(struct bench *bench, const struct program *from, struct program *to);

#endif
