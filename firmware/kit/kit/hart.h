/* What every hart has: registers by their addresses, the clock, mailboxes to other harts. */
#ifndef HART_H
#define HART_H

#include <stdbool.h>
#include <stdint.h>

#include "chip.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* Harts as mailboxes number them: brisc and the three triscs have some, ncrisc has none. */
enum { BRISC = 0, TRISC0 = 1, TRISC1 = 2, TRISC2 = 3 };

/* A word to another hart waits while its mailbox is full, a word from it until there is one. */
static inline void mailbox_send(unsigned to, uint32_t word)
{
    REGISTER(AT_MAILBOX + 0x1000 * to) = word;
}

static inline uint32_t mailbox_receive(unsigned from)
{
    return REGISTER(AT_MAILBOX + 0x1000 * from);
}

/* All earlier loads and stores come before all later ones. */
static inline void fence(void)
{
    __asm__ volatile("fence" : : : "memory");
}

/* Stands until a load has its value. */
static inline void consume(uint32_t value)
{
    __asm__ volatile("and zero, zero, %0" : : "r"(value) : "memory");
}

/* Cycles, the low 32 bits. */
static inline uint32_t cycles(void)
{
    return REGISTER(DEBUG_WALL_CLOCK_0);
}

#endif
