/*
 * A library with the libttsim ABI that passes every call on to another one and counts: time in
 * calls, calls of libttsim_clock (that is how often the host polls), reads and writes.
 *
 *   cc -O2 -shared -fPIC -o libcount.so abi_count.c -ldl
 *
 *   ABI_COUNT_LIBRARY   the library that does the work
 *   ABI_COUNT_FILE      where the counters are, as struct counters; they may be read at any time
 *   ABI_COUNT_CLOCK     "wall": time by the clock on the wall, as a user waits, where libraries may
 *                       have several threads and the host is quiet; else CPU time of the thread
 *
 * Asking for the time costs as much as a short call (CPU time more, the kernel tells it), so the
 * least cost of asking, measured at the start, is taken off each call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_PROGRAM = 1000 /* bytes */ };

/* record.py and ttnn/ops.py read this: 64 bits each, in this order. */
struct counters {
    uint64_t ns;
    uint64_t clocks;
    uint64_t reads;
    uint64_t writes;
    uint64_t clock_ns; /* the part of ns that libttsim_clock took */
    uint64_t boot_ns;  /* the part since the host wrote a program first, up to its latest poll */
};

struct real {
    void (*init)(void);
    void (*exit)(void);
    uint32_t (*config_rd32)(uint32_t, uint32_t);
    void (*mem_rd)(uint64_t, void *, uint32_t);
    void (*mem_wr)(uint64_t, const void *, uint32_t);
    void (*tile_rd)(uint32_t, uint32_t, uint64_t, void *, uint32_t);
    void (*tile_wr)(uint32_t, uint32_t, uint64_t, const void *, uint32_t);
    void (*clock)(uint32_t);
    void (*set_dma)(void (*)(uint64_t, void *, uint32_t),
                    void (*)(uint64_t, const void *, uint32_t));
};

static struct real real;
static struct counters *counters;
static clockid_t clock_id;
static uint64_t cost_ns;
static uint64_t before_programs_ns = UINT64_MAX; /* none was written yet */

static uint64_t moment(void)
{
    struct timespec now;
    clock_gettime(clock_id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t done(uint64_t start)
{
    uint64_t passed = moment() - start;
    uint64_t spent = passed > cost_ns ? passed - cost_ns : 0;
    counters->ns += spent;
    return spent;
}

static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "abi_count: no %s\n", name);
        abort();
    }
    memcpy(function, &found, sizeof found);
}

static void choose_clock(void)
{
    const char *name = getenv("ABI_COUNT_CLOCK");
    clock_id = name && strcmp(name, "wall") == 0 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    cost_ns = UINT64_MAX;
    for (int i = 0; i < 2000; i++) {
        uint64_t start = moment(), passed = moment() - start;
        cost_ns = passed < cost_ns ? passed : cost_ns;
    }
}

__attribute__((constructor)) static void load(void)
{
    const char *path = getenv("ABI_COUNT_LIBRARY"), *file = getenv("ABI_COUNT_FILE");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library || !file) {
        fprintf(stderr, "abi_count: set ABI_COUNT_LIBRARY and ABI_COUNT_FILE (%s)\n",
                library ? "no file" : dlerror());
        abort();
    }
    find(library, "libttsim_init", &real.init);
    find(library, "libttsim_exit", &real.exit);
    find(library, "libttsim_pci_config_rd32", &real.config_rd32);
    find(library, "libttsim_pci_mem_rd_bytes", &real.mem_rd);
    find(library, "libttsim_pci_mem_wr_bytes", &real.mem_wr);
    find(library, "libttsim_tile_rd_bytes", &real.tile_rd);
    find(library, "libttsim_tile_wr_bytes", &real.tile_wr);
    find(library, "libttsim_clock", &real.clock);
    find(library, "libttsim_set_pci_dma_mem_callbacks", &real.set_dma);
    int fd = open(file, O_RDWR | O_CREAT, 0644);
    if (fd < 0 || ftruncate(fd, (off_t)sizeof *counters)) {
        perror(file);
        abort();
    }
    counters = mmap(NULL, sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (counters == MAP_FAILED) {
        perror(file);
        abort();
    }
    choose_clock();
}

#define EXPORT __attribute__((visibility("default")))

EXPORT void libttsim_init(void);
EXPORT void libttsim_exit(void);
EXPORT uint32_t libttsim_pci_config_rd32(uint32_t bdf, uint32_t offset);
EXPORT void libttsim_pci_mem_rd_bytes(uint64_t address, void *data, uint32_t size);
EXPORT void libttsim_pci_mem_wr_bytes(uint64_t address, const void *data, uint32_t size);
EXPORT void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void *data,
                                   uint32_t size);
EXPORT void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void *data,
                                   uint32_t size);
EXPORT void libttsim_clock(uint32_t cycles);
EXPORT void libttsim_set_pci_dma_mem_callbacks(void (*rd)(uint64_t, void *, uint32_t),
                                               void (*wr)(uint64_t, const void *, uint32_t));

void libttsim_init(void)
{
    uint64_t start = moment();
    real.init();
    done(start);
}

void libttsim_exit(void)
{
    uint64_t start = moment();
    real.exit();
    done(start);
}

uint32_t libttsim_pci_config_rd32(uint32_t bdf, uint32_t offset)
{
    return real.config_rd32(bdf, offset);
}

void libttsim_pci_mem_rd_bytes(uint64_t address, void *data, uint32_t size)
{
    uint64_t start = moment();
    real.mem_rd(address, data, size);
    done(start);
    counters->reads++;
}

void libttsim_pci_mem_wr_bytes(uint64_t address, const void *data, uint32_t size)
{
    if (size >= LEAST_PROGRAM && before_programs_ns == UINT64_MAX) {
        before_programs_ns = counters->ns;
    }
    uint64_t start = moment();
    real.mem_wr(address, data, size);
    done(start);
    counters->writes++;
}

void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void *data, uint32_t size)
{
    uint64_t start = moment();
    real.tile_rd(x, y, address, data, size);
    done(start);
    counters->reads++;
}

void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void *data,
                            uint32_t size)
{
    uint64_t start = moment();
    real.tile_wr(x, y, address, data, size);
    done(start);
    counters->writes++;
}

void libttsim_clock(uint32_t cycles)
{
    uint64_t start = moment();
    real.clock(cycles);
    counters->clock_ns += done(start);
    counters->clocks++;
    counters->boot_ns = before_programs_ns < counters->ns ? counters->ns - before_programs_ns : 0;
}

void libttsim_set_pci_dma_mem_callbacks(void (*rd)(uint64_t, void *, uint32_t),
                                        void (*wr)(uint64_t, const void *, uint32_t))
{
    real.set_dma(rd, wr);
}
