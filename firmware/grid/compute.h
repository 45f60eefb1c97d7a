/*
 * The TRISCs' side: the programs of firmware/tensor on tt-metal's firmware. Arguments come from the
 * launch instead of a fixed place, tiles from circular buffers, whose entries TRISCs have in units
 * of 16 bytes.
 *
 * A kernel defines compute_argument, which gives what the parts of firmware/tensor ask for, and
 * includes this file first.
 */
#ifndef GRID_COMPUTE_H
#define GRID_COMPUTE_H

#define TENSOR_ON_FIRMWARE

#include "kernels/firmware.h"
#include "tensor/math.h"
#include "tensor/pack.h"
#include "tensor/unpack.h"

static inline uint32_t compute_argument(enum argument which);

static inline __attribute__((always_inline)) uint32_t argument(enum argument which)
{
    return compute_argument(which);
}

static inline uint32_t common_argument(unsigned index)
{
    return crta_l1_base[index];
}

/* Address of the page at the front, and of the one that is filled next. */
static inline uint32_t cb_front(unsigned id)
{
    return cb_interface[id].read * UNIT;
}

static inline uint32_t cb_back(unsigned id)
{
    return cb_interface[id].write * UNIT;
}

/* The coprocessor has done all that this thread was told; then pages change hands. */
static inline void cb_pop_unpacked(unsigned id, unsigned pages)
{
    tensix_wait();
    cb_pop_pages(id, pages);
}

static inline void cb_push_packed(unsigned id, unsigned pages)
{
    tensix_wait();
    cb_push_pages(id, pages);
}

void kernel_main(void);

void kernel_main(void)
{
    tensor_run();
}

#endif
