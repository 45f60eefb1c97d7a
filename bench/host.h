/* What the host can do, without which figures of several threads say little. */
#ifndef BENCH_HOST_H
#define BENCH_HOST_H

#include <stdbool.h>

/* What two processes that only compute get done, in units of what one does: 2 on two quiet cores.
 * The best of so many measurements. */
double host_capacity(unsigned repetitions);

/* Are two cores free, by that capacity? */
bool host_has_two_cores(double capacity);

/* Lines about the host: CPUs, load, that capacity, and how far its first two CPUs are from
 * each other. */
void host_report(double capacity);

#endif
