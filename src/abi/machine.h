/*
 * The machine behind the ABI: a PCI device for each chip, all chips in one cluster, and what is of
 * the host rather than of a chip: how far time runs, what the host polls, the summary.
 *
 * Device n has bus, device and function n << 3, and its BARs are those of device 0 plus n times 64
 * GiB, so an address tells the device.
 */
#ifndef ABI_MACHINE_H
#define ABI_MACHINE_H

#include "abi/clock.h"
#include "abi/device.h"
#include "chip/plan.h"
#include "observe/gdb/gdb.h"

enum { MACHINE_DEVICES = PLAN_CHIPS, DEVICE_SPACE_SHIFT = 36, BDF_SHIFT = 3 };

/* Since when the host has found nothing new. */
struct poll_watch {
    uint64_t since;        /* cycle */
    unsigned polls, calls; /* libttsim_clock in vain: after reads of what was known; at all */
    bool told;             /* a wait report was made of it */
    uint64_t looked;       /* cycle of the devices' latest look; 0: there is none of these polls */
};

/* What PENROSE_SUMMARY asks for. */
struct summary {
    char *path;
    uint64_t nanoseconds;   /* of the host's monotonic clock, in calls of the library */
    bool is_timed;          /* cycles are times */
    uint64_t polls;         /* calls of libttsim_clock */
    uint64_t faults, hangs; /* that were reported: faults that stopped somebody, */
    uint64_t warnings;      /* and the others with all else that was reported */
    uint64_t incomplete;    /* recordings and traces that could not be written to their end */
};

/* An end of a link on which things go wrong (link_errors.h). */
struct spoiled_link {
    struct device *device;
    unsigned port;
    struct penrose_place at;
    bool is_up; /* when it was last looked at */
};

enum { SPOILED_LINKS = 64 };

struct machine {
    struct penrose_cluster *cluster;
    struct device *device[MACHINE_DEVICES];
    unsigned devices;
    struct host_callbacks host;
    struct run_ahead run_ahead;
    struct poll_watch watch;
    struct gdb *gdb;         /* NULL: nobody debugs */
    struct summary *summary; /* NULL: nobody asked for one */
    struct spoiled_link spoiled[SPOILED_LINKS];
    unsigned spoiled_links;
    bool is_recorded;  /* the file of a recording has been made, or could not be */
    bool is_hung;      /* the host is to be told by an exception: ON_HANG_THROW */
    uint64_t isolated; /* how often chips were made to go on after a fault */
};

/* A machine as the environment describes it (libttsim.h); NULL and an error: memory has run out, or
 * checks or delays cannot be started. */
struct machine *machine_create(const struct host_callbacks *host, struct penrose_error *error);

/* Also writes the summary. NULL does nothing. */
void machine_destroy(struct machine *machine);

/* The device with that bus, device and function; NULL: there is none. */
struct device *machine_find(const struct machine *machine, uint32_t bus_device_function);

/* The device in whose space a physical address lies, or else the first one. */
struct device *machine_at(const struct machine *machine, uint64_t paddr);

/* Has the host done more than look for devices? */
bool machine_is_used(const struct machine *machine);

/* Call before each libttsim_clock: reports who waits for what when the host polls in vain (hangs.c).
 */
void machine_watch_polls(struct machine *machine);

/* Notes that a run has ended with a fault, which any of the chips may have. */
void machine_note_stop(struct machine *machine);

/* Has a fault stopped anybody of whom nobody has been told? */
bool machine_is_stopped(const struct machine *machine);

/* Makes machine->summary if PENROSE_SUMMARY asks for one (summary.c). */
void summary_open(struct machine *machine);

/* Appends what machine->summary has counted to its file, and frees it; it may be NULL. */
void summary_close(struct machine *machine);

#endif
