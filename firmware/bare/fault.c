/*
 * Does one wrong thing, which FAULT names. Each lies in a function of its own, and the message of
 * a simulator should name that function and its line.
 */
#include "bare.h"

MAILBOX = {.parameter = {0}};

#define BAD __attribute__((noinline, unused)) static void

BAD jump_to_nowhere(void)
{
    ((void (*)(void))0x00400000)();
}

BAD load_from_nowhere(void)
{
    mailbox.result[0] = REGISTER(0x00400000);
}

static inline __attribute__((always_inline)) void store_below(uint32_t start, uint32_t distance)
{
    REGISTER(start - distance) = 1;
}

BAD store_to_nowhere(void)
{
    store_below(AT_LOCAL_RAM, 0x300000);
}

BAD store_to_read_only(void)
{
    REGISTER(AT_CONFIG + 0xb00) = 1; /* ThreadConfig: only SETC16 writes it */
}

BAD store_misaligned(void)
{
    __asm__ volatile("sw zero, 2(%0)" : : "r"(&mailbox) : "memory");
}

BAD illegal_instruction(void)
{
    __asm__ volatile(".word 0xffffffff");
}

BAD divide_float(void)
{
    __asm__ volatile(".word 0x18107053"); /* fdiv.s f0, f0, f1: these harts have none */
}

BAD loop_for_ever(void)
{
    for (;;) {
        __asm__ volatile("");
    }
}

int main(void)
{
    FAULT();
    return 0;
}
