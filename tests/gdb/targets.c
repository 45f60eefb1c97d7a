/*
 * What the tests of GDB debug: five harts of three tiles, each a program of its own (-DROLE).
 *
 *   COUNTER  brisc of (1, 2): visits 100,000 times, then says so to the host
 *   FEEDER   trisc1 of (1, 2): sets registers of the coprocessor again and again
 *   SENDER   brisc of (2, 2): writes a word into tile (1, 2) over the NoC, again and again
 *   IDLER    brisc and trisc0 of (3, 2): count, and halt when somebody has asked for it
 */
#include "tensix.h"

#define COUNTER 0
#define FEEDER  1
#define SENDER  2
#define IDLER   3

enum { VISITS = 100000, DONE = 0x9000, SUM = 0x9004, SENT = 0x9100, IDLE = 0x9200, HALT = 0x9300 };

MAILBOX = {.parameter = {0}};

#if ROLE == COUNTER

__attribute__((noinline)) uint32_t visit(uint32_t turn)
{
    __asm__ volatile("" : : : "memory");
    return turn & 0xff;
}

int main(void)
{
    uint32_t sum = 0;
    for (uint32_t turn = 0; turn < VISITS; turn++) {
        sum += visit(turn);
    }
    REGISTER(SUM) = sum;
    REGISTER(DONE) = 1;
    return 0;
}

#elif ROLE == FEEDER

#define TT_SFPLOADI(lreg, mode, value)                                                             \
    (TT_WORD(0x71) | TT_FIELD(lreg, 20) | TT_FIELD(mode, 16) | (value))
#define TT_SETC16(word, value) (TT_WORD(0xb2) | TT_FIELD(word, 16) | (value))

__attribute__((noinline)) void feed(void)
{
    TT(SETDMAREG(LOW_HALF(4), 0x1234)); /* first */
    TT(SETC16(1, 64));                  /* DEST_TARGET_REG_CFG_MATH_Offset */
    TT(SFPLOADI(3, 0, 0x3fc0));         /* 1.5 */
    TT(SFPLOADI(5, 0, 0xc000));         /* -2 */
    TT(SETDMAREG(HIGH_HALF(4), 0x5678));
    tensix_wait(); /* last */
}

int main(void)
{
    for (;;) {
        feed();
    }
}

#elif ROLE == SENDER

enum { NIU = 0xffb20000 };
enum { TARGET, TARGET_MIDDLE, TARGET_TILE, BACK, BACK_MIDDLE, BACK_TILE, CONTROL = 7, LENGTH = 8 };
enum { COMMAND = 16, WRITE_WITH_RESPONSE = 0x12, HERE = 2 | 2 << 6, THERE = 1 | 2 << 6 };

int main(void)
{
    volatile uint32_t *niu = (volatile uint32_t *)NIU;
    for (uint32_t turn = 1;; turn++) {
        REGISTER(SENT) = turn;
        fence();
        niu[TARGET] = SENT;
        niu[TARGET_MIDDLE] = 0;
        niu[TARGET_TILE] = HERE;
        niu[BACK] = SENT;
        niu[BACK_MIDDLE] = 0;
        niu[BACK_TILE] = THERE;
        niu[CONTROL] = WRITE_WITH_RESPONSE;
        niu[LENGTH] = 4;
        niu[COMMAND] = 1;
        for (volatile unsigned i = 0; i < 100; i++) {
        }
    }
}

#else

int main(void)
{
    for (uint32_t turn = 0;; turn++) {
        REGISTER(IDLE + 4 * HART) = turn;
        if (HART == 0 && REGISTER(HALT)) {
            REGISTER(HALT) = 0;
            __asm__ volatile("ebreak");
        }
    }
}

#endif
