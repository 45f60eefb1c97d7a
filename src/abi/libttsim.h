/*
 * The libttsim ABI: the nine functions that UMD, tt-metal and tt-exalens look up in the library.
 *
 * SPEC: the vendor's docs/libttsim_api.md; tests/clients for what clients really do. Calls are
 * served one at a time; callers need not see to that. Misuse is reported once, on stderr and in the
 * file that PENROSE_REPORT names. Reads then give all ones, and writes are ignored. man/libttsim.3
 * is the users' page.
 */
#ifndef ABI_LIBTTSIM_H
#define ABI_LIBTTSIM_H

#include <stdint.h>

/* Threads without PENROSE_THREADS, at most: processes with a library each run side by side. */
enum { LIBTTSIM_THREADS = 8 };

/* Makes the devices, as the environment describes it (man/libttsim.3). May follow libttsim_exit. */
void libttsim_init(void);
void libttsim_exit(void);

/* `bus_device_function` 8n is chip n; every other one reads all ones, as absent ones do. */
uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function, uint32_t offset);

/* `paddr` is an address in one of a device's BARs, which tells the device; any size and alignment. */
void libttsim_pci_mem_rd_bytes(uint64_t paddr, void *p, uint32_t size);
void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void *p, uint32_t size);

/* Extension: the same to a tile of chip 0 at (x, y), as software addresses it on NoC 0, without a window.
 * The vendor's library refuses these calls on Blackhole. */
void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void *p, uint32_t size);
void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void *p, uint32_t size);

/* Lets at least n_clocks cycles pass; clock.c says how many more. */
void libttsim_clock(uint32_t n_clocks);

/* How the device reaches host memory, after the iATU; kept over init and exit. Called only from
 * within other calls of this library, on their thread; they must not call it back. */
void libttsim_set_pci_dma_mem_callbacks(void (*read)(uint64_t paddr, void *p, uint32_t size),
                                        void (*write)(uint64_t paddr, const void *p,
                                                      uint32_t size));

#endif
