/*
 * Checks that a hart computes as C expects and leaves "HELO", the number of checks and a checksum
 * in its mailbox. The exit value is the number of the first check that failed, 0 for none.
 */
#include "bare.h"

MAILBOX = {.parameter = {7, 0x12345678}};

static volatile int32_t table[] = {3, -1, 4, -1, 5, -9, 2, -6};
static volatile uint32_t zeroed[4];

static uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* An instruction where harts have Zbb. */
static uint32_t count_ones(uint32_t word)
{
#ifdef __riscv_zbb
    return (uint32_t)__builtin_popcount(word);
#else
    uint32_t ones = 0;
    for (; word; word &= word - 1) {
        ones++;
    }
    return ones;
#endif
}

int main(void)
{
    uint32_t n = mailbox.parameter[0], word = mailbox.parameter[1];
    int32_t sum = 0;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        sum += table[i];
    }
    uint32_t checks[][2] = {
        {fibonacci(n), 13},
        {gcd(word, 0x1000), 8},
        {(uint32_t)(((uint64_t)word * word) >> 32), 0x14b66dc},
        {(uint32_t)sum, (uint32_t)-3},
        {(uint32_t)(sum / 2), (uint32_t)-1},
        {(uint32_t)(sum % 2), (uint32_t)-1},
        {word / (n - 7), UINT32_MAX}, /* the hart's answer to a division by zero */
        {zeroed[0] | zeroed[3], 0},
        {count_ones(word), 13},
    };
    uint32_t checksum = 0;
    for (unsigned i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        checksum = (checksum << 5 | checksum >> 27) ^ checks[i][0];
        if (checks[i][0] != checks[i][1]) {
            mailbox.result[3] = checks[i][0];
            return (int)i + 1;
        }
    }
    mailbox.result[0] = 0x4f4c4548; /* "HELO" */
    mailbox.result[1] = sizeof checks / sizeof checks[0];
    mailbox.result[2] = checksum;
    return 0;
}
