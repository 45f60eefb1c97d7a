/*
 * Times requests to the NoC, as tt-metal's kernels make them: a request waits until its command buffer
 * is ready, fills in what differs from the one before, and starts. A barrier waits for the answers.
 *
 * Parameters: enum parameter. Results: cycles from before the first request to behind the last barrier,
 * and those of the clock itself.
 */
#include "bare.h"

enum parameter {
    WRITES, /* 1: writes; 0: reads */
    NOC,
    TILE_OF_PEER, /* y << 6 | x */
    AT_PEER,      /* address, */
    AT_HOME,
    SIZE,     /* bytes of a request, at most 16 KiB */
    REQUESTS, /* between two barriers */
    BARRIERS,
    STEP,  /* bytes to the next request's address at the peer, */
    STEPS, /* so often, and then from the beginning again */
};

MAILBOX = {.parameter = {[REQUESTS] = 1, [BARRIERS] = 1}};

#define NIU(offset)         REGISTER(AT_NIU + STEP_NIU * noc + (offset))
#define NIU_COUNTER(number) NIU(0x200 + 4 * (number))

enum niu_register {
    TARGET = 0x00, /* three words: low, middle, high */
    RETURN = 0x0c,
    CONTROL = 0x1c,
    LENGTH = 0x20,
    COMMAND = 0x40,
    ID_LOGICAL = 0x148,
};

enum { WRITES_ANSWERED = 1, READS_ANSWERED = 2 };

enum {
#define NIU_CONTROL(name, first, bits) CTRL_##name = 1 << (first),
#include "niu.def"
};

static inline uint32_t now(void)
{
    return WALL_CLOCK_LOW;
}

/* As tt-metal's firmware has it: no L0 data cache, no fusion of .ttinsn. */
static inline void set_up_hart(void)
{
    __asm__ volatile("csrw 0x7c0, %0" : : "r"(0x60008));
}

int main(void)
{
    set_up_hart();
    const uint32_t noc = mailbox.parameter[NOC], writes = mailbox.parameter[WRITES];
    const uint32_t size = mailbox.parameter[SIZE], requests = mailbox.parameter[REQUESTS];
    const uint32_t step = mailbox.parameter[STEP], steps = mailbox.parameter[STEPS];
    const uint32_t at_peer = mailbox.parameter[AT_PEER];
    const unsigned counter = writes ? WRITES_ANSWERED : READS_ANSWERED;
    const unsigned peer = writes ? RETURN : TARGET, home = writes ? TARGET : RETURN;
    uint32_t due = NIU_COUNTER(counter);
    NIU(CONTROL) =
        CTRL_RESPONSE | CTRL_STATIC | CTRL_CHANNEL | (writes ? (uint32_t)CTRL_TYPE << 1 : 0);
    NIU(home) = mailbox.parameter[AT_HOME];
    NIU(home + 4) = 0;
    NIU(home + 8) = NIU(ID_LOGICAL) & 0xfff;
    NIU(peer + 4) = 0;
    uint32_t begin = now(), first = now();
    for (uint32_t left = mailbox.parameter[BARRIERS]; left > 0; left--) {
        uint32_t at = at_peer, in_row = steps;
        for (uint32_t i = requests; i > 0; i--) {
            while (NIU(COMMAND) != 0) {
            }
            NIU(peer) = at;
            NIU(peer + 8) = mailbox.parameter[TILE_OF_PEER];
            NIU(LENGTH) = size;
            NIU(COMMAND) = 1;
            at += step;
            if (--in_row == 0) {
                in_row = steps;
                at = at_peer;
            }
        }
        due += requests;
        while (NIU_COUNTER(counter) != due) {
        }
    }
    mailbox.result[0] = now() - first;
    mailbox.result[1] = first - begin;
    return 0;
}
