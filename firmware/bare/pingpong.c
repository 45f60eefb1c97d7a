/*
 * Words go round between B and the TRISCs through the hart mailboxes. Built four times: HART is 0
 * on B and 1..3 on T0..T2; all four must run.
 *
 * B sends each TRISC a word and waits for the answer, `rounds` times; a TRISC answers 3 * word +
 * its number until it gets 0xffffffff. Parameters (of B): rounds. Results: words exchanged, the
 * sum of all answers (B). The exit value of B is 0 when all answers were right.
 */
#include "bare.h"

MAILBOX = {.parameter = {100}};

#define STOP UINT32_MAX

#if HART == 0
int main(void)
{
    uint32_t exchanged = 0, sum = 0;
    int wrong = 0;
    for (uint32_t round = 0; round < mailbox.parameter[0]; round++) {
        for (uint32_t trisc = 1; trisc <= 3; trisc++) {
            HART_MAILBOX(trisc) = round + 1000 * trisc;
        }
        for (uint32_t trisc = 1; trisc <= 3; trisc++) {
            uint32_t answer = HART_MAILBOX(trisc);
            wrong += answer != 3 * (round + 1000 * trisc) + trisc;
            sum += answer;
            exchanged++;
        }
    }
    for (uint32_t trisc = 1; trisc <= 3; trisc++) {
        HART_MAILBOX(trisc) = STOP;
    }
    mailbox.result[0] = exchanged;
    mailbox.result[1] = sum;
    return wrong;
}
#else
int main(void)
{
    uint32_t exchanged = 0, word;
    while ((word = HART_MAILBOX(0)) != STOP) {
        HART_MAILBOX(0) = 3 * word + HART;
        exchanged++;
    }
    mailbox.result[0] = exchanged;
    return 0;
}
#endif
