/*
 * What the kernels share: runtime arguments, circular buffers and semaphores as tt-metal's
 * firmware sets them up in local RAM. The variables declared here are the firmware's own; the
 * linker takes their addresses from the firmware that the kernel is linked against.
 *
 * The five kernels form a pipeline over pages of words:
 *   NCRISC  generates numbers into circular buffer 0
 *   TRISC0  waits for a page, sums its words, hands address and sum to TRISC1
 *   TRISC1  mixes the words in place with a key
 *   TRISC2  copies the page and the sum into circular buffer 16, releases the page to TRISC0
 *   BRISC   takes a CRC-32 over what arrives and leaves the result in L1
 * TRISCs hand over through hart mailboxes and Tensix semaphore 3, and push Tensix NOPs by the way.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "bare/bare.h"
#include "firmware.h"

enum { IN = 0, OUT = 16 };                       /* circular buffers */
enum { ARG_PAGES, ARG_SEED };                    /* common arguments */
enum { ARG_MULTIPLIER, ARG_INCREMENT };          /* of NCRISC */
enum { ARG_KEY };                                /* of the TRISCs */
enum { ARG_RESULT };                             /* of BRISC: where the result goes */
enum { SEMAPHORE_PRODUCED, SEMAPHORE_FINISHED }; /* in L1 */
enum { PAGE_FREE = 3 };                          /* Tensix semaphore */

/* What BRISC leaves: magic, pages, bytes, CRC-32 of all pages, sum of the sums of TRISC0. */
enum { RESULT_MAGIC = 0x50454e52 };

#define INLINE static inline __attribute__((always_inline))

void kernel_main(void);

INLINE void cb_wait_front(unsigned id)
{
    cb_wait_pages(id, 1);
    fence();
}

INLINE void cb_pop_front(unsigned id)
{
    fence();
    cb_pop_pages(id, 1);
}

INLINE void cb_reserve_back(unsigned id)
{
    cb_reserve_pages(id, 1);
}

INLINE void cb_push_back(unsigned id)
{
    fence();
    cb_push_pages(id, 1);
}

#endif
