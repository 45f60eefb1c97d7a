/*
 * A PCI device behind the ABI: one chip, and the windows onto its NoC. All devices of a process make
 * up a machine (machine.h).
 *
 * An access of the host goes through bar.c (which BAR, which register or window), window.c (which
 * tiles, which address) and endpoint.c (the memory or register there). It is over when the call
 * ends. clock.c decides how far time runs.
 */
#ifndef ABI_DEVICE_H
#define ABI_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "abi/alike.h"
#include "abi/clock.h"
#include "abi/dumps.h"
#include "abi/leftovers.h"
#include "abi/report.h"
#include "arch/arch.h"
#include "observe/launches/host_programs.h"
#include "observe/launches/launches.h"

enum { MOST_TILES = 64 * 64 /* that windows can name */ };

/* PENROSE_ON_HANG: what follows after the report of a hang. */
enum on_hang { ON_HANG_REPORT, ON_HANG_STOP, ON_HANG_THROW };

/* How the device reaches host memory; NULL where the host has not said. */
struct host_callbacks {
    void (*read)(uint64_t paddr, void *p, uint32_t size);
    void (*write)(uint64_t paddr, const void *p, uint32_t size);
};

/* A set of tiles: bit x of row[y]. */
struct tile_set {
    uint64_t row[64];
    unsigned count;
};

struct trace_file;

struct device {
    struct machine *machine; /* to which it belongs */
    unsigned number;         /* in it */
    struct penrose_chip *chip;
    const struct arch *arch;
    uint32_t *tlb; /* the words of each window, then a word for each strided one */
    struct host_callbacks host;
    bool in_dma;  /* a DMA transfer is accessing windows: time must not pass */
    bool stopped; /* by a guest fault that nobody has looked at yet */
    enum on_hang on_hang;
    bool is_used;             /* the host did more than look for devices */
    size_t faults_told;       /* fault records of the chip that were reported */
    struct tile_set started;  /* the host wrote their soft reset register */
    struct tile_set ailing;   /* to be healed, see device_tend */
    struct tile_set suspect;  /* the same if their coprocessor is stuck then */
    uint64_t earlier[64][64]; /* instructions of harts [y][x] in lives that a reset has ended */
    struct trace_file *trace; /* NULL: none */
    struct dumps dumps;
    struct host_programs *programs; /* NULL: no memory */
    struct launches *launches;      /* NULL: they are not recorded */
    char *complaints; /* about the environment, a line each, until the device is used */
    struct reports reports;
    struct leftovers leftovers;
    struct chip_look *look; /* the latest one while the host polls in vain; NULL: none */
    struct alike alike;     /* what is being told */
};

/* Bytes on their way between host and device: a write has `from`, a read has `to`. */
struct transfer {
    const uint8_t *from;
    uint8_t *to;
    uint32_t size;
};

/* The first `size` bytes are done. */
static inline struct transfer transfer_rest(struct transfer transfer, uint32_t size)
{
    return (struct transfer){.from = transfer.from ? transfer.from + size : NULL,
                             .to = transfer.to ? transfer.to + size : NULL,
                             .size = transfer.size - size};
}

static inline struct transfer transfer_first(struct transfer transfer, uint64_t size)
{
    if (size < transfer.size) {
        transfer.size = (uint32_t)size;
    }
    return transfer;
}

/* Makes the windows that the chip has; false without memory. */
bool device_make_windows(struct device *device);

/* Starts what the environment asks for (libttsim.h) of a device whose chip is there. What is wrong in
 * the environment is reported when the device is first used: UMD makes a device just to see whether
 * there is one. But for checks and delays, of which the error tells: nobody is to take a run without
 * them for one with them. */
enum penrose_status device_open(struct device *device, struct penrose_error *error);

/* Writes what the environment has asked for up to here: trace, dump, recording. */
void device_end(struct device *device);

/* Frees what the device has besides its chip. */
void device_close(struct device *device);

/* The host does more than look for devices. */
void device_first_use(struct device *device);

/* What is wrong with an environment variable, in place of which the default is used: reported when
 * the device is used first. */
void device_complain(struct device *device, const char *name, const char *why);

/* A register of configuration space; `offset` is a multiple of four. */
uint32_t device_config_read(struct device *device, uint32_t offset);

/* An access to one word that sets up a window, which hosts make before most others; false, and nothing
 * is done, when it is for something else (bar.c). */
bool device_window_word(struct device *device, uint64_t paddr, const struct transfer *transfer);

/* An access in the BARs (bar.c). */
void device_bar_access(struct device *device, uint64_t paddr, struct transfer transfer);

/* A piece of a DMA transfer, at an offset in BAR 0; false when something there does not answer, or
 * is no window (bar.c). */
bool device_dma_access(struct device *device, uint64_t offset, struct transfer transfer);

/* An access at an offset of a region of windows, within the bounds of one; false when something of
 * it was not answered (window.c). */
bool device_window_access(struct device *device, const struct bar_region *region, uint64_t offset,
                          struct transfer transfer);

/* The answer to a read that nothing serves. A write is just dropped. */
void device_no_answer(struct transfer transfer);

/* Reports the chip's new faults, and lets the chip go on without who is at fault; call after
 * accesses that may have made one (faults.c). */
void device_tell_faults(struct device *device);

/* Call after running chips, and after harts were reset: the same for all devices, and
 * device_tend. */
void device_report_faults(struct device *device);

/* penrose_run of the chip, and with it of all others of the machine, with GDB served and launches
 * recorded. */
enum penrose_outcome device_run(struct device *device, const struct penrose_run *run);

/*
 * Looks after tiles where something went wrong: when none of their harts is at fault any more and
 * their TRISCs are in reset, their coprocessor becomes what it is after power-on. Where the host
 * has polled in vain, that is so if instructions are stuck in it; to see that, time may pass, and
 * make device->stopped true (tend.c).
 */
void device_tend(struct device *device);

/* Are all TRISCs of a worker in reset? */
bool device_triscs_held(struct device *device, unsigned x, unsigned y);

/* Ends what PENROSE_RECORD asked for, with a report where that was not possible. */
void device_end_recording(struct device *device);

/* Writes the launch under way, if launches are recorded, and tells how many were written. */
void device_end_launches(struct device *device);

/* Instructions that the harts of a tile have run since they last left reset. */
uint64_t device_instructions(struct device *device, unsigned x, unsigned y);

static inline bool tile_set_has(const struct tile_set *set, unsigned x, unsigned y)
{
    return set->row[y] >> x & 1;
}

static inline void tile_set_add(struct tile_set *set, unsigned x, unsigned y)
{
    set->count += !tile_set_has(set, x, y);
    set->row[y] |= UINT64_C(1) << x;
}

static inline void tile_set_remove(struct tile_set *set, unsigned x, unsigned y)
{
    set->count -= tile_set_has(set, x, y);
    set->row[y] &= ~(UINT64_C(1) << x);
}

#endif
