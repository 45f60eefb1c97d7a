/*
 * The data-movement harts' side: NoC requests, barriers, semaphores of other tiles, and pages of
 * DRAM. BRISC works on NoC 1 and NCRISC on NoC 0, each with the four command buffers of its own
 * network interface, so they need no agreement.
 *
 * A request leaves when its command buffer is ready; it is over when a barrier says so. What a
 * barrier waits for are the interface's counters, which are never cleared: dataflow_begin notes
 * where they stand.
 *
 * SPEC: BlackholeA0 NoC MemoryMap, Counters, Atomics; values as tt-metal's kernels use them.
 */
#ifndef GRID_DATAFLOW_H
#define GRID_DATAFLOW_H

#include <stdbool.h>

#include "bare/bare.h"
#include "geometry.h" /* of the chip */
#include "kernels/firmware.h"

void kernel_main(void);

/* Two tables, one a NoC: y << 6 | x of the tile that leads to a bank. */
extern uint16_t dram_bank_to_noc_xy[];
extern int32_t bank_to_dram_offset[];

enum { NOC = HART == 0 ? 1 : 0 };
enum { BUFFER_WRITE, BUFFER_READ, BUFFER_SMALL, BUFFER_ATOMIC };

#define NIU(offset)            REGISTER(AT_NIU + STEP_NIU * NOC + (offset))
#define NIU_BUFFER(buffer, at) NIU(STEP_NIU_BUFFER *(buffer) + (at))
#define NIU_COUNTER(number)    NIU(0x200 + 4 * (number))
#define NIU_ID_LOGICAL         NIU(0x148)

enum niu_register {
    TARGET = 0x00, /* three words: low, middle, high */
    RETURN = 0x0c,
    PACKET_TAG = 0x18,
    CONTROL = 0x1c,
    LENGTH = 0x20,
    DATA = 0x28,
    COMMAND = 0x40,
};

/* NOC_CTRL of requests with an answer. Of a channel's number the lowest bit is the buddy, above it are two
 * bits of its class. */
enum {
#define NIU_CONTROL(name, first, bits) CTRL_##name = 1 << (first),
#include "niu.def"
    CONTROL_READ = CTRL_RESPONSE | CTRL_STATIC | CTRL_CHANNEL,
    CONTROL_ATOMIC = CONTROL_READ | CTRL_TYPE,
    CONTROL_WRITE = CONTROL_READ | CTRL_TYPE << 1,
    /* a write on the virtual channels of multicasts */
    CONTROL_MULTICAST = CTRL_RESPONSE | CTRL_STATIC | CTRL_CHANNEL << 2 | CTRL_TYPE << 1 |
                        CTRL_MULTICAST | CTRL_PATH_RESERVE,
};

enum {
    ATOMIC_INCREMENT = 0x107c, /* all 32 bits */
    ATOMIC_ANSWER = 4,         /* in L1: where old values go, which nobody reads */
};

enum { ATOMICS_ANSWERED = 0, WRITES_ANSWERED = 1, READS_ANSWERED = 2, WRITES_SENT = 10 };

/* How far each counter gets when all that was asked for is done. */
static uint32_t reads_due, writes_due, writes_sent_due, atomics_due;

static inline uint32_t get_argument(unsigned index)
{
    return rta_l1_base[index];
}

static inline uint32_t common_argument(unsigned index)
{
    return crta_l1_base[index];
}

/* y << 6 | x of this tile, as requests name it. */
static inline uint32_t own_tile(void)
{
    return NIU_ID_LOGICAL & 0xfff;
}

static inline void dataflow_begin(void)
{
    reads_due = NIU_COUNTER(READS_ANSWERED);
    writes_due = NIU_COUNTER(WRITES_ANSWERED);
    writes_sent_due = NIU_COUNTER(WRITES_SENT);
    atomics_due = NIU_COUNTER(ATOMICS_ANSWERED);
}

/* --- Requests --- */

static inline void wait_for_buffer(unsigned buffer)
{
    while (NIU_BUFFER(buffer, COMMAND) != 0) {
    }
}

/* Of one side of a request. */
struct noc_end {
    uint32_t tile, address;
};

/* A place in a tile, and above its bits the tile. */
static inline void put_end(unsigned buffer, unsigned at, struct noc_end end)
{
    const bool is_apart = NOC_LOCAL_BITS == 64;
    const uint32_t above = is_apart ? 0 : end.tile << NOC_LOCAL_BITS % 32;
    NIU_BUFFER(buffer, at) = end.address;
    NIU_BUFFER(buffer, at + 4) = above;
    NIU_BUFFER(buffer, at + 8) = is_apart ? end.tile : 0;
}

static inline void request(unsigned buffer, uint32_t control, struct noc_end target,
                           struct noc_end answer, uint32_t length)
{
    wait_for_buffer(buffer);
    put_end(buffer, TARGET, target);
    put_end(buffer, RETURN, answer);
    NIU_BUFFER(buffer, PACKET_TAG) = 0;
    NIU_BUFFER(buffer, CONTROL) = control;
    NIU_BUFFER(buffer, LENGTH) = length;
    NIU_BUFFER(buffer, COMMAND) = 1;
}

/* Packets have at most 16 KiB. */
static inline uint32_t packets_of(uint32_t size)
{
    return (size + 0x3fff) >> 14;
}

static inline void noc_read(uint32_t tile, uint32_t address, uint32_t l1, uint32_t size)
{
    struct noc_end from = {tile, address}, to = {own_tile(), l1};
    request(BUFFER_READ, CONTROL_READ, from, to, size);
    reads_due += packets_of(size);
}

static inline void noc_write(uint32_t l1, uint32_t tile, uint32_t address, uint32_t size)
{
    struct noc_end from = {own_tile(), l1}, to = {tile, address};
    fence();
    request(BUFFER_WRITE, CONTROL_WRITE, from, to, size);
    writes_due += packets_of(size);
    writes_sent_due += packets_of(size);
}

/* The tiles in a rectangle, y << 6 | x of two corners, for a multicast. NoC 1 goes up and to the
 * left, so its first corner is the greater one. */
static inline uint32_t noc_rectangle(uint32_t least, uint32_t greatest)
{
    return NOC == 0 ? greatest | least << 12 : least | greatest << 12;
}

/* Writes to `tiles` tiles of the rectangle, to the same address in each. The own tile is not among
 * them even if it lies there. */
static inline void noc_multicast(uint32_t l1, uint32_t rectangle, uint32_t address, uint32_t size,
                                 unsigned tiles)
{
    struct noc_end from = {own_tile(), l1}, to = {rectangle, address};
    fence();
    request(BUFFER_WRITE, CONTROL_MULTICAST, from, to, size);
    writes_due += packets_of(size) * tiles;
    writes_sent_due += packets_of(size);
}

/* --- Barriers --- */

static inline void read_barrier(void)
{
    while (NIU_COUNTER(READS_ANSWERED) != reads_due) {
    }
    fence();
}

static inline void write_barrier(void)
{
    while (NIU_COUNTER(WRITES_ANSWERED) != writes_due) {
    }
    fence();
}

/* What was to be written has left L1, which may change again. Later writes of the same sort arrive
 * later. */
static inline void write_departure(void)
{
    while (NIU_COUNTER(WRITES_SENT) != writes_sent_due) {
    }
    fence();
}

static inline void atomic_barrier(void)
{
    while (NIU_COUNTER(ATOMICS_ANSWERED) != atomics_due) {
    }
    fence();
}

/* --- Semaphores: words of L1 at the same address in each tile --- */

static inline uint32_t semaphore_address(unsigned id)
{
    return (uint32_t)(uintptr_t)sem_l1_base[0] + 16 * id;
}

static inline void semaphore_set(unsigned id, uint32_t value)
{
    L1_SEMAPHORE(id) = value;
    fence();
}

static inline void semaphore_wait(unsigned id, uint32_t value)
{
    while (L1_SEMAPHORE(id) != value) {
        fence();
    }
    fence();
}

static inline void semaphore_wait_at_least(unsigned id, uint32_t value)
{
    while (L1_SEMAPHORE(id) < value) {
        fence();
    }
    fence();
}

/* Adds to another tile's semaphore. */
static inline void semaphore_add(unsigned id, uint32_t tile, uint32_t value)
{
    const uint32_t address = semaphore_address(id);
    struct noc_end target = {tile, address}, answer = {own_tile(), ATOMIC_ANSWER};
    wait_for_buffer(BUFFER_ATOMIC);
    NIU_BUFFER(BUFFER_ATOMIC, DATA) = value;
    request(BUFFER_ATOMIC, CONTROL_ATOMIC, target, answer, ATOMIC_INCREMENT | (address >> 2 & 3));
    atomics_due++;
}

/* Copies the own semaphore to that of the tiles of a rectangle, behind the data that went there by
 * noc_multicast. */
static inline void semaphore_multicast(unsigned id, uint32_t rectangle, unsigned tiles)
{
    const uint32_t address = semaphore_address(id);
    noc_multicast(address, rectangle, address, sizeof(uint32_t), tiles);
}

/* --- Pages of DRAM, one bank after the other --- */

struct pages {
    uint32_t address, size; /* in each bank; of a page */
};

static inline uint32_t page_tile(uint32_t page)
{
    return dram_bank_to_noc_xy[NOC * DRAM_BANKS + page % DRAM_BANKS];
}

static inline uint32_t page_address(const struct pages *pages, uint32_t page)
{
    const uint32_t bank = page % DRAM_BANKS;
    return pages->address + page / DRAM_BANKS * pages->size + (uint32_t)bank_to_dram_offset[bank];
}

static inline void page_read(const struct pages *pages, uint32_t page, uint32_t l1)
{
    noc_read(page_tile(page), page_address(pages, page), l1, pages->size);
}

static inline void page_write(const struct pages *pages, uint32_t page, uint32_t l1)
{
    noc_write(l1, page_tile(page), page_address(pages, page), pages->size);
}

#endif
