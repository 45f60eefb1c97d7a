/*
 * For a TRISC: pushes Tensix NOPs by .ttinsn and by stores to the instruction buffer and waits
 * until the coprocessor has executed them.
 *
 * Parameters: rounds. Results: instructions pushed, ticks of the wall clock that it took.
 */
#include "bare.h"

MAILBOX = {.parameter = {100}};

#define INSTRUCTION_BUFFER REGISTER(AT_INSTRN_BUF)

int main(void)
{
    uint32_t pushed = 0, start = WALL_CLOCK_LOW;
    for (uint32_t i = 0; i < mailbox.parameter[0]; i++) {
        TTINSN(TENSIX_NOP);
        TTINSN(TENSIX_NOP);
        TTINSN(TENSIX_NOP);
        TTINSN(TENSIX_NOP);
        INSTRUCTION_BUFFER = TENSIX_NOP;
        pushed += 5;
    }
    tensix_wait();
    mailbox.result[0] = pushed;
    mailbox.result[1] = WALL_CLOCK_LOW - start;
    return 0;
}
