/*
 * What bare programs share: the mailbox with the host, registers of the tile, small helpers.
 *
 * The mailbox is 128 bytes of L1 at 0x8000 (0x8000 + 0x100 * HART for programs that run on
 * several harts). The host may change parameters between loading and starting a program.
 */
#ifndef BARE_H
#define BARE_H

#include <stdint.h>

#include "../kit/kit/ttinsn.h"
#include "addresses.h" /* of the chip that the program is for */

enum { MAILBOX_PARAMETERS = 14, MAILBOX_RESULTS = 16 };

struct mailbox {
    uint32_t parameter[MAILBOX_PARAMETERS];
    uint32_t result[MAILBOX_RESULTS];
    uint32_t exit_value, done; /* set by crt0.S when built with EXIT_BY_FLAG */
};

_Static_assert(sizeof(struct mailbox) == 0x80, "bare.ld reserves 0x80 bytes");

#define MAILBOX __attribute__((section(".mailbox"), used)) volatile struct mailbox mailbox

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* A hart's mailbox to and from another of B, T0, T1, T2 (0..3): reads take a word and wait for
 * one, writes wait for space. */
#define HART_MAILBOX(other) REGISTER(AT_MAILBOX + 0x1000 * (other))

/* Tensix semaphore i as TRISCs see it: reads give its value, even stores post, odd stores get. */
#define SEMAPHORE(i)     REGISTER(AT_PC_BUF + 0x20 + 4 * (i))
#define COPROCESSOR_DONE REGISTER(AT_COPROCESSOR_DONE)
#define WALL_CLOCK_LOW   REGISTER(AT_WALL_CLOCK_LOW)
#define WALL_CLOCK_HIGH  REGISTER(AT_WALL_CLOCK_LATCHED)

/* Pushes a Tensix instruction to the hart's own thread; the operand must be a constant. */
#define TTINSN(word) __asm__ volatile(TTINSN_TEXT : : "i"(TTINSN_BITS(word)))
#define TENSIX_NOP   UINT32_C(0x02000000)

/* Orders all earlier accesses before all later ones. */
static inline void fence(void)
{
    __asm__ volatile("fence" : : : "memory");
}

/* Waits until the coprocessor has executed all that this TRISC has pushed. */
static inline void tensix_wait(void)
{
    COPROCESSOR_DONE = 0;
    uint32_t ignored = COPROCESSOR_DONE;
    __asm__ volatile("and zero, zero, %0" : : "r"(ignored) : "memory");
}

#endif
