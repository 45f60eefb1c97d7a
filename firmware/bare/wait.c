/*
 * Waits for what never comes, in the way of the hart that HART names: B and T0 for each other's
 * word in their mailboxes, T1 for a Tensix semaphore, T2 for its PCBuf, NC for a word in L1.
 */
#include "bare.h"

MAILBOX = {.parameter = {0}};

int main(void)
{
#if HART == 0
    return (int)HART_MAILBOX(1);
#elif HART == 1
    return (int)HART_MAILBOX(0);
#elif HART == 2
    while (SEMAPHORE(5) == 0) {
    }
    return 0;
#elif HART == 3
    return (int)REGISTER(AT_PC_BUF);
#else
    while (mailbox.parameter[0] == 0) {
        fence();
    }
    return 0;
#endif
}
