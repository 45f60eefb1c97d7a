/*
 * What the programs of this folder share: a program is built three times, for T0, which unpacks,
 * T1, which computes, and T2, which packs (HART is 1 to 3).
 *
 * Who waits for whom:
 *   UNPACK_SYNC  contexts of the unpackers that T0's hart has configured and that are in use, of 2
 *   MATH_PACK    halves of Dst that T1 has filled and T2 has not yet packed, of 2
 *   DST_FILLED   1: T0 has unpacked a tile straight to Dst (unpack.h)
 *   DST_GIVEN    1: T1's thread has a half of Dst, for which its hart waits (math.h)
 * Banks of Src are handed over by the hardware. Each half of Dst has room for `half_tiles` tiles.
 */
#ifndef TENSOR_TENSOR_H
#define TENSOR_TENSOR_H

#include "arguments.h"
#include "formats.h"
#include "instructions.h"

enum { T0_MAILBOX = 1, T1_MAILBOX = 2 }; /* of harts */
enum { MATH_PACK = 1, DST_FILLED = 2, UNPACK_SYNC = 5, DST_GIVEN = 7 };

enum {
    CONTEXTS = 2,
    DST_HALF_ROWS = 512,
    DST_TILE_ROWS = 64, /* of 16 datums; 32-bit tiles take as many */
    ALL_COUNTERS = 0xf,
};

#ifdef TENSOR_ON_FIRMWARE
static inline uint32_t argument(enum argument which); /* grid/compute.h */
#else
static inline uint32_t argument(enum argument which)
{
    return REGISTER(ARGUMENTS + 4 * which);
}
#endif

static inline bool is_dst_32bit(void)
{
    return argument(ARGUMENT_IS_DST_32BIT) != 0;
}

static inline unsigned half_tiles(void)
{
    return is_dst_32bit() ? 4 : 8;
}

/* How many of `tiles` go into a half of Dst at once: as many as fit and divide. */
static inline unsigned block_of(unsigned tiles)
{
    unsigned block = half_tiles();
    while (tiles % block != 0) {
        block--;
    }
    return block;
}

static inline void semaphore_post(unsigned semaphore)
{
    tensix_push(WORD(SEMPOST, .semaphore_mask = 1u << semaphore));
}

static inline void semaphore_get(unsigned semaphore)
{
    tensix_push(WORD(SEMGET, .semaphore_mask = 1u << semaphore));
}

static inline void semaphore_init(unsigned semaphore, unsigned max)
{
    tensix_push(WORD(SEMINIT, .new_max = max, .semaphore_mask = 1u << semaphore));
}

/* Nobody goes on before all are here and what they have pushed is done. */
static inline void meet(void)
{
    tensix_wait();
    if (HART == 1) {
        consume(HART_MAILBOX(2));
        consume(HART_MAILBOX(3));
        HART_MAILBOX(2) = 0;
        HART_MAILBOX(3) = 0;
    } else {
        HART_MAILBOX(1) = 0;
        consume(HART_MAILBOX(1));
    }
}

/* The three parts of a program. Each starts by configuring what is its own and then meets the
 * others. */
static void unpack(void);
static void compute(void);
static void pack(void);

static inline void tensor_run(void)
{
    if (HART == 1) {
        semaphore_init(UNPACK_SYNC, CONTEXTS);
        semaphore_init(MATH_PACK, CONTEXTS);
        semaphore_init(DST_FILLED, 1);
        semaphore_init(DST_GIVEN, 1);
        meet();
        unpack();
    } else if (HART == 2) {
        meet();
        compute();
    } else {
        meet();
        pack();
    }
    tensix_wait();
    meet();
}

#ifndef TENSOR_ON_FIRMWARE
MAILBOX = {.parameter = {0}};

int main(void)
{
    tensor_run();
    return 0;
}
#endif

#endif
