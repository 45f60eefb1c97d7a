/*
 * For BRISC of a chip whose NCRISC has an instruction RAM: lets the mover fill it with a program, starts
 * NCRISC there, and gives back what that has found to be its own address.
 */
#include "bare/bare.h"

MAILBOX = {.parameter = {0}};

enum tdma_register {
#define REG(bank, offset, words, name, kind, traits) TDMA_##name = (offset),
#include "tdma.def"
};

enum debug_register {
#define REG(bank, offset, words, name, kind, traits) DEBUG_##name = (offset),
#include "debug_registers.def"
};

enum held {
#define RESET_HART(hart, bit, ram, pc, pc_register, override_register, override_bit)               \
    HELD_##hart = 1 << (bit),
#include "resets.def"
};

enum {
#define IRAM(KIND, hart, first, bytes) IRAM_BYTES = (bytes),
#include "iram.def"
};

static const uint32_t iram_first =
#define IRAM(KIND, hart, first, bytes) first;
#include "iram.def"

#define TDMA(offset) REGISTER(AT_TDMA + (offset))
#define TILE(offset) REGISTER(AT_DEBUG + (offset))

    enum {
        ANSWER = 0x9000,
        LINE = 16,
        LINES = IRAM_BYTES / LINE,
        L1_TO_OTHERS = 1,
        MOVE = 0x40
    };
enum { BUSY = 1 /* of the mover's status */ };

/* The second half is in another page of 256 bytes. */
static uint32_t program[IRAM_BYTES / 4] __attribute__((aligned(16))) = {
    [0] = 0x00000297 /* auipc t0, 0 */,   [1] = 0x1fc0006f /* jal x0, 0x1fc */,
    [128] = 0x00009337 /* lui t1, 0x9 */, [129] = 0x00532023 /* sw t0, 0(t1) */,
    [130] = 0x0000006f /* jal x0, 0 */,
};

int main(void)
{
    volatile uint32_t *answer = (volatile uint32_t *)ANSWER;
    *answer = 0;
    fence();
    TDMA(TDMA_XMOV_PARAMETERS) = (uint32_t)program / LINE;
    TDMA(TDMA_XMOV_PARAMETERS + 4) = XMOV_INSTRUCTION_RAM / LINE;
    TDMA(TDMA_XMOV_PARAMETERS + 8) = LINES;
    TDMA(TDMA_XMOV_PARAMETERS + 12) = L1_TO_OTHERS;
    TDMA(TDMA_COMMAND_ADDR) = MOVE;
    while (TDMA(TDMA_STATUS) & BUSY) {
    }
    TILE(DEBUG_NCRISC_RESET_PC) = iram_first;
    TILE(DEBUG_NCRISC_RESET_PC_OVERRIDE) = 1;
    TILE(DEBUG_SOFT_RESET_0) &= ~(uint32_t)HELD_NC;
    while (*answer == 0) {
        fence();
    }
    return (int)*answer;
}
