/*
 * Booting tt-metal's firmware on workers through BAR accesses, access for access as libtt-umd and
 * tt-metal do it: three register writes set up a window before each, time passes only by
 * libttsim_clock(1) after each read.
 */
#ifndef BENCH_BOOT_H
#define BENCH_BOOT_H

#include "bench.h"
#include "loader/firmware.h"

struct boot;

/* Opens a firmware set; ends the program when there is something wrong with it. */
struct boot *boot_open(const char *directory);
void boot_close(struct boot *boot);

/* The firmware, whose bank tables are those of a chip with 8 DRAM banks. */
const struct loader_firmware *boot_firmware(const struct boot *boot);

/* Boots workers `first` to `last` (bench_worker) and waits until all of them say that they are
 * ready. */
void boot_workers(struct bench_device *device, const struct boot *boot, unsigned first,
                  unsigned last);

/* The same as a host does it that computes meanwhile: `pause` seconds between the resets of all
 * workers and the first program. Returns how long it computed. */
double boot_workers_slowly(struct bench_device *device, const struct boot *boot, unsigned first,
                           unsigned last, double pause);

/* The first set in the cache of scripts/fetch-firmware, to be freed; NULL: there is none. */
char *boot_find(void);

#endif
