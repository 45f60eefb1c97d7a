/*
 * A host as libtt-umd is one: opens a device by the libttsim ABI and reaches tiles through 2 MiB
 * windows, three register writes for each access, and a clock(1) after each read.
 */
#ifndef ABI_CLIENT_H
#define ABI_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

struct client {
    void *library;
    void (*init)(void);
    void (*exit)(void);
    uint32_t (*config_read)(uint32_t bus_device_function, uint32_t offset);
    void (*read)(uint64_t paddr, void *p, uint32_t size);
    void (*write)(uint64_t paddr, const void *p, uint32_t size);
    void (*tile_read)(uint32_t x, uint32_t y, uint64_t address, void *p, uint32_t size);
    void (*tile_write)(uint32_t x, uint32_t y, uint64_t address, const void *p, uint32_t size);
    void (*clock)(uint32_t n_clocks);
    void (*set_callbacks)(void (*read)(uint64_t paddr, void *p, uint32_t size),
                          void (*write)(uint64_t paddr, const void *p, uint32_t size));
    uint64_t bar0, bar2, bar4;
    unsigned reads, clocks; /* how often */
};

/* Loads .libs/libttsim.so of the build directory ($builddir), or what LIBTTSIM names; a copy in an
 * anonymous file, as UMD makes one, of which several may be loaded at once. */
void client_load(struct client *client);
void client_load_copy(struct client *client);

/* The same of another file. */
void client_load_path(struct client *client, const char *path);
void client_load_copy_of(struct client *client, const char *library);

/* client_load, client_open; client_close, client_unload. */
void client_load_and_open(struct client *client);
void client_close_and_unload(struct client *client);

/* How many files a folder has. */
unsigned client_count_entries(const char *path);
void client_unload(struct client *client);

/* init, and what UMD finds out before it touches a tile; false when something is not as expected.
 */
bool client_open(struct client *client);
void client_close(struct client *client);

/* Points window `index` (below 202) to a tile, as UMD does. */
void client_set_window(struct client *client, unsigned index, unsigned x, unsigned y,
                       uint64_t address);
/* The same for a rectangle of tiles. */
void client_set_multicast(struct client *client, unsigned index, unsigned noc, unsigned x_start,
                          unsigned y_start, unsigned x_end, unsigned y_end, uint64_t address);

/* Accesses through a window that is set up each time; a read is followed by clock(1). */
void client_write_tile(struct client *client, unsigned x, unsigned y, uint64_t address,
                       const void *bytes, uint32_t size);
void client_read_tile(struct client *client, unsigned x, unsigned y, uint64_t address, void *bytes,
                      uint32_t size);
void client_write_word(struct client *client, unsigned x, unsigned y, uint64_t address,
                       uint32_t value);
uint32_t client_read_word(struct client *client, unsigned x, unsigned y, uint64_t address);

/* Where host memory lies behind the iATU, as client_open sets it up. */
#define SYSMEM UINT64_C(0x123400000000)

/* Registers and configuration of the device itself. */
uint32_t client_bar0_word(struct client *client, uint32_t offset);

/* Calls `visit` for the 140 worker tiles. */
void client_each_worker(struct client *client,
                        void (*visit)(struct client *client, unsigned x, unsigned y));

/* Worker tiles: go message in L1 and the soft reset register with its usual values. */
enum { GO_MESSAGE = 0x4f0, GO_INIT = 0x40000000 };
#define SOFT_RESET UINT64_C(0xffb121b0)
#define ALL_HELD   0x47800u
#define BRISC_RUNS 0x47000u

/*
 * A small firmware for BRISC, at 0 and 0x3ae0. It delays, says "done" by a go message of 0, and
 * then serves go messages with bit 31 set: it adds the words at 0x100 and 0x104 into 0x108, and
 * says "done" again.
 */
void client_load_firmware(struct client *client, unsigned x, unsigned y);

/* Nothing goes to stderr from now on. */
void client_silence(void);

#endif
