/*
 * Copying DRAM to DRAM as tt-metal programs do: firmware/grid/copy's kernels, launched under
 * tt-metal's firmware with launch messages, a circular buffer between NCRISC and BRISC. The pages
 * are those of copy.h.
 */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include "boot.h"

struct kernels;

/* The folder holds brisc.elf and ncrisc.elf, linked against the firmware (scripts/link-kernels);
 * ends the program when there is something wrong with them. */
struct kernels *kernels_open(const struct boot *boot, const char *directory);
void kernels_close(struct kernels *kernels);

/* Launches the share of one of so many workers of `pages` pages in all. */
void kernels_launch(struct bench_device *device, const struct kernels *kernels, unsigned worker,
                    unsigned workers, unsigned pages);

/* Has the firmware said that the worker is done? */
bool kernels_are_done(struct bench_device *device, const struct kernels *kernels, unsigned worker);

#endif
