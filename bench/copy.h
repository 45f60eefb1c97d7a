/*
 * Copying DRAM to DRAM, by a program of our own: BRISC reads pages over NoC 0 into two buffers of
 * L1, NCRISC writes them over NoC 1; each waits by its NIU's counters for every page. Pages go
 * round the eight banks, as tt-metal's interleaved buffers do.
 */
#ifndef BENCH_COPY_H
#define BENCH_COPY_H

#include "bench.h"

enum {
    COPY_PAGE = 2048,
    COPY_BANKS = 8,
    COPY_SOURCES = 0x1000000, /* in each bank */
    COPY_TARGETS = 0x3000000,
};

/* Where a bank is, as requests name it. */
void copy_bank_at(unsigned bank, unsigned *x, unsigned *y);

/* Both programs to a worker, with a share of `pages`, a multiple of COPY_BANKS, of its own. It
 * starts when its BRISC and NCRISC leave reset. */
void copy_load(struct bench_device *device, unsigned worker, unsigned pages);

bool copy_is_done(struct bench_device *device, unsigned worker);

/* What the first `workers` workers copy is filled in, or compared with what they made. */
void copy_fill(struct bench_device *device, unsigned workers, unsigned pages);
bool copy_is_right(struct bench_device *device, unsigned workers, unsigned pages);

#endif
