/*
 * Launches of tt-metal's programs on a chip that a host drives, each written to a folder of its own:
 * DIR/launch-003 has PROGRAM.json, which `penrose run` takes (docs/RECORDING.md), and the chip as it
 * was when the first tile of the launch got its go signal. Those of a cluster's second chip are in
 * DIR/launch-003-chip1 and so on, each with all chips.
 *
 * A go signal comes from the host, or from a kernel that dispatches. In the second case a run of
 * the chip ends with PENROSE_PAUSED where the signal came. Tiles belong to one launch while signals
 * come from one side, with one number of the host, and at most once to each tile. Without such a
 * number a launch lasts until all its tiles have ended.
 */
#ifndef OBSERVE_LAUNCHES_LAUNCHES_H
#define OBSERVE_LAUNCHES_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "observe/launches/host_programs.h"
#include "observe/settings.h"

struct launches;

struct launches_options {
    const char *directory;           /* made if it is not there; lives as long as the launches */
    unsigned chip;                   /* its number in its cluster */
    struct settings_numbers numbers; /* these alone, counted from 1 */
    bool by_host_alone;              /* no kernel dispatches: then runs need not look for signals */
    struct host_programs *programs;  /* where firmware and kernels are looked for */
    void (*tell)(void *context, const char *text); /* what goes wrong later on; a line */
    void *context;
};

/* PENROSE_E_FILE, PENROSE_E_MEMORY. */
enum penrose_status launches_start(struct penrose_chip *chip,
                                   const struct launches_options *options,
                                   struct launches **launches, struct penrose_error *error);

/* The host has written the reset register of a worker: firmware may be known where it starts. NULL
 * does nothing, here and below. */
void launches_reset(struct launches *launches, unsigned x, unsigned y);

/* The host is about to write to a tile. */
void launches_write(struct launches *launches, unsigned x, unsigned y, uint64_t address,
                    const void *bytes, size_t size);

/* A run has ended with PENROSE_PAUSED; true: for a go signal, and the run is to go on. */
bool launches_paused(struct launches *launches);

/* Nothing goes on: the launch that is under way is written as it is, since its host may not come to
 * its end. */
void launches_hang(struct launches *launches);

/* How many there were, those of them that were to be written, and those that were. */
struct launches_counts {
    unsigned seen, chosen, written;
};

/* Writes what is open. Before the chip is destroyed. */
struct launches_counts launches_end(struct launches *launches);

#endif
