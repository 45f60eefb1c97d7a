/*
 * What a kernel finds in local RAM and in stream registers: runtime arguments, semaphores and
 * circular buffers, as tt-metal's firmware sets them up. The variables declared here are the
 * firmware's own; the linker takes their addresses from the firmware that the kernel is linked
 * against.
 */
#ifndef KERNEL_FIRMWARE_H
#define KERNEL_FIRMWARE_H

#include <stdint.h>

#include "addresses.h" /* of the chip */

/* The stream that holds the counters of circular buffer 0; link-kernels finds it out. */
#ifndef FIRST_STREAM
#define FIRST_STREAM 0
#endif

/* One entry of the firmware's table; the TRISCs count in units of 16 bytes. */
struct cb {
    uint32_t size, limit, page_size, pages;
    uint32_t read, write;
    uint16_t acked, received;
    uint32_t write_tile;
};

extern uint32_t *rta_l1_base, *crta_l1_base; /* runtime arguments: own, common */
extern uint8_t *sem_l1_base[]; /* semaphores: 16 bytes each; [0] is for Tensix tiles */
extern struct cb cb_interface[];

#define CB_STREAM(id)    (AT_OVERLAY + 0x1000 * (uint32_t)(FIRST_STREAM + (id)))
#define CB_ACKED(id)     (*(volatile uint32_t *)(CB_STREAM(id) + 0x20))
#define CB_RECEIVED(id)  (*(volatile uint32_t *)(CB_STREAM(id) + 0x28))
#define L1_SEMAPHORE(id) (*(volatile uint32_t *)(sem_l1_base[0] + 16 * (id)))

static inline uint16_t cb_filled(unsigned id)
{
    return (uint16_t)(CB_RECEIVED(id) - CB_ACKED(id));
}

/* Stands until so many pages are there. */
static inline void cb_wait_pages(unsigned id, unsigned pages)
{
    while (cb_filled(id) < pages) {
    }
}

/* Gives pages at the front back; what was read from them has been read. */
static inline void cb_pop_pages(unsigned id, unsigned pages)
{
    struct cb *cb = &cb_interface[id];
    CB_ACKED(id) = CB_ACKED(id) + pages;
    cb->read += pages * cb->page_size;
    if (cb->read >= cb->limit) {
        cb->read -= cb->size;
    }
}

/* Stands until there is room for so many pages. */
static inline void cb_reserve_pages(unsigned id, unsigned pages)
{
    while (cb_filled(id) + pages > cb_interface[id].pages) {
    }
}

/* Hands over pages that are complete. */
static inline void cb_push_pages(unsigned id, unsigned pages)
{
    struct cb *cb = &cb_interface[id];
    CB_RECEIVED(id) = CB_RECEIVED(id) + pages;
    cb->write += pages * cb->page_size;
    if (cb->write >= cb->limit) {
        cb->write -= cb->size;
    }
}

#endif
