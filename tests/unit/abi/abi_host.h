/*
 * A host for tests of src/abi: accesses through the exported functions or on a device of its own,
 * memory for the device to reach, and what was reported.
 */
#ifndef ABI_HOST_H
#define ABI_HOST_H

#include <stdint.h>
#include <stdio.h>

#include "abi/device.h"
#include "abi/endpoint.h"
#include "abi/libttsim.h"
#include "abi/machine.h"
#include "unit/test.h"

#define BAR0       UINT64_C(0x100000000)
#define BAR2       UINT64_C(0x120000000)
#define BAR4       UINT64_C(0x800000000)
#define TLB        (BAR0 + 0x1fc00000)
#define WALL_CLOCK UINT64_C(0xffb121f0)
#define SOFT_RESET UINT64_C(0xffb121b0)
#define NIU        UINT64_C(0xffb20000)
#define HOST_BASE  UINT64_C(0x123400000000)

enum {
    ALL_HELD = 0x47800,
    BRISC_RUNS = 0x47000,
    HOST_BYTES = 0x20000,
    TO_HOST = 0x000, /* registers of DMA channel 0 */
    TO_DEVICE = 0x100,
};

/* A fixture: the test has a report file of its own, and need not end what it has begun. */
void host_before(void);
void host_after(void);
/* Number of lines that contain `text`: of a file, from its start on, and of the report. */
unsigned lines_of(FILE *file, const char *text);
unsigned reported(const char *text);

/* --- Through the exported functions --- */

uint32_t rd(uint64_t paddr);
void wr(uint64_t paddr, uint32_t value);
uint32_t tile_rd(unsigned x, unsigned y, uint64_t address);
void tile_wr(unsigned x, unsigned y, uint64_t address, uint32_t value);

/* Fields of a window in the order of the specification, written as its three words. */
void set_window(unsigned index, uint64_t local_offset, unsigned x_end, unsigned y_end,
                unsigned x_start, unsigned y_start, unsigned noc, unsigned multicast);

/* Writes a program, whose lines end with NULL, into a tile; start() also runs BRISC there. */
void assemble(unsigned x, unsigned y, uint32_t address, const char *const *lines);
void start(unsigned x, unsigned y, const char *const *lines);

/* HOST_BYTES from HOST_BASE on, and callbacks that reach nothing else. */
extern uint8_t host_memory[HOST_BYTES];
void host_rd(uint64_t paddr, void *p, uint32_t size);
void host_wr(uint64_t paddr, const void *p, uint32_t size);
void fill_host_memory(void);

void set_up_dma(uint32_t channel, uint64_t from, uint64_t to, uint32_t size);

/* --- On a device --- */

/* With PENROSE_RUN_AHEAD, unless that is NULL; destroys the one that was made before. */
struct device *make_device(const char *run_ahead);

/* Words of tile (1, 2). */
void device_set(struct device *device, uint64_t address, uint32_t value);
uint32_t device_get(struct device *device, uint64_t address);

/* Writes a program to 0x1000 of a tile and starts BRISC there; the second one keeps it busy. */
void start_lines(struct device *device, unsigned x, unsigned y, const char *const *lines,
                 uint32_t count);
void start_busy(struct device *device, unsigned x, unsigned y);

#endif
