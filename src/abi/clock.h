/* How far time runs when the host calls libttsim_clock; the policy is described in clock.c. */
#ifndef ABI_CLOCK_H
#define ABI_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    READS_REMEMBERED = 512,
    READ_BYTES = 64, /* larger reads fetch results; they are not polls */
};

/* What the host read last at a place. */
struct remembered_read {
    const struct device *device;
    uint64_t address;
    uint16_t x, y;
    uint32_t size; /* 0: an empty slot */
    uint8_t bytes[READ_BYTES];
};

struct run_ahead {
    uint32_t first, most; /* bounds of the quantum in cycles; most 0: do not run ahead */
    uint32_t quantum;
    bool progress; /* the host did or saw something new since the last call */
    bool polling;  /* and it polled since then */
    bool moved;    /* its last read since then was from another tile than the one before */
    const struct device *device; /* from which it read last, */
    unsigned x, y;               /* and the tile */
    bool host_written;           /* a device wrote to host memory during this call */
    uint64_t due;    /* without running ahead: the cycles that the host asked for in all */
    uint64_t saved;  /* cycles of calls while the host went from tile to tile, still to pass */
    bool is_quiet;   /* nothing can happen on any chip until the host does something */
    uint64_t owed;   /* cycles of quiet chips that are still to pass */
    uint64_t streak; /* number of the current series of polls in vain, from 1 */
    uint64_t polled[READS_REMEMBERED]; /* the streak in which the place was polled last */
    struct remembered_read read[READS_REMEMBERED];
};

struct device;
struct machine;

/* Takes the policy from PENROSE_RUN_AHEAD. */
void clock_init(struct machine *machine);

/* Lets at least `cycles` cycles pass, none for 0. */
void clock_run(struct machine *machine, uint32_t cycles);

/* Call before an access of the host that may have an effect or see the time: lets the cycles pass
 * that quiet chips are owed, and no longer takes them for quiet. */
void clock_settle(struct machine *machine);

/* Lets the time pass that was saved up; call before the end. */
void clock_finish(struct machine *machine);

/* Tells the policy what the host did: read something from a tile, wrote something to
 * one. */
void clock_note_read(const struct device *device, unsigned x, unsigned y, uint64_t address,
                     const void *bytes, uint32_t size);
void clock_note_write(struct machine *machine);

/* The device wrote to host memory, which the host may be watching. */
void clock_note_host_written(struct machine *machine);

#endif
