/*
 * Booting tt-metal's firmware on workers and Ethernet tiles through BAR accesses, access for access as libtt-umd and
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

/* Looks at the chip as libtt-umd does when it opens a device: are the ports of Ethernet tiles up? */
void boot_probe(struct bench_device *device);

/* The same for the whole chip as tt-metal's host sees it: all workers, and 12 Ethernet tiles without
 * a link if the set has firmware for them. The host computes for `pause` seconds between the resets
 * of workers and all else. Returns how long it computed. */
double boot_chip(struct bench_device *device, const struct boot *boot, double pause);

/* The first set in the cache of scripts/fetch-firmware, to be freed; NULL: there is none. */
char *boot_find(void);

#endif
