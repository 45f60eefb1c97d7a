/*
 * For BRISC of one of two tiles: fetches the other tile's matrices and what is to be done with them,
 * starts the TRISCs, which multiply them, and gives the other tile the product and a sign that it is
 * there. Addresses, registers and requests are those of the tables of the chip that it is built for.
 *
 * Parameters: the other tile, y << 6 | x. The exit value is the sum of those of the TRISCs.
 */
#include <stdbool.h>

#include "bare/bare.h"
#include "geometry.h"
#include "tensor/arguments.h"

MAILBOX = {.parameter = {0}};

enum niu_register {
#define REG(bank, offset, words, name, kind, traits) name = (offset),
#include "niu.def"
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

#define NIU0(offset) REGISTER(AT_NIU + (offset))
#define TILE(offset) REGISTER(AT_DEBUG + (offset))

/* L1 of both tiles */
enum {
    INPUTS = 0x50000,
    INPUT_BYTES = 0x1000,
    RESULT = 0x51000,
    RESULT_BYTES = 0x800,
    SIGN = 0x51800
};

/* NOC_CTRL: one request with an answer, on static channel 1 */
enum {
#define NIU_CONTROL(name, first, bits) CTRL_##name = 1 << (first),
#include "niu.def"
    ANSWERED = CTRL_RESPONSE | CTRL_STATIC | CTRL_CHANNEL,
    READ = ANSWERED,
    ATOMIC = ANSWERED | CTRL_TYPE,
    WRITE = ANSWERED | CTRL_TYPE << 1
};
enum { INCREMENT = 0x107c, OLD_SIGN = 0x51810 };
enum { ATOMICS_ANSWERED = 0, WRITES_ANSWERED = 1, READS_ANSWERED = 2 };
enum { OWN_TILE = 0xfff, TRISC_TEXT = 0x10000, TRISC_MAILBOX = 0x8100 };

/* A place in a tile, and above it the tile. */
static void put_address(unsigned at, uint32_t tile, uint32_t address)
{
    const bool is_apart = NOC_LOCAL_BITS == 64;
    const uint64_t low = address | (is_apart ? 0 : (uint64_t)tile << NOC_LOCAL_BITS % 64);
    NIU0(at) = (uint32_t)low;
    NIU0(at + 4) = (uint32_t)(low >> 32);
    NIU0(at + 8) = is_apart ? tile : 0;
}

static void request(uint32_t control, uint32_t target, uint32_t from, uint32_t answer, uint32_t to,
                    uint32_t length)
{
    put_address(NOC_ADDR, target, from);
    put_address(NOC_ADDR + 12, answer, to);
    NIU0(NOC_PACKET_TAG) = 0;
    NIU0(NOC_CTRL) = control;
    NIU0(NOC_AT_LEN_BE) = length;
    NIU0(NOC_CMD_CTRL) = 1;
    while (NIU0(NOC_CMD_CTRL) != 0) {
    }
}

static void wait_for_answers(unsigned counter, uint32_t count)
{
    while (NIU0(NIU_COUNTER + 4 * counter) != count) {
    }
    fence();
}

static uint32_t run_triscs(void)
{
    uint32_t exit_values = 0;
    for (unsigned thread = 0; thread < 3; thread++) {
        TILE(DEBUG_TRISC0_RESET_PC + 4 * thread) = TRISC_TEXT * (thread + 1);
    }
    TILE(DEBUG_TRISC_RESET_PC_OVERRIDE) = 7;
    TILE(DEBUG_SOFT_RESET_0) &= ~(uint32_t)(HELD_T0 | HELD_T1 | HELD_T2);
    for (unsigned thread = 0; thread < 3; thread++) {
        volatile struct mailbox *its = (struct mailbox *)(TRISC_MAILBOX + 0x100 * thread);
        while (!its->done) {
            fence();
        }
        exit_values += its->exit_value;
    }
    return exit_values;
}

int main(void)
{
    const uint32_t other = mailbox.parameter[0], own = NIU0(NOC_ID_LOGICAL) & OWN_TILE;
    request(READ, other, INPUTS, own, INPUTS, INPUT_BYTES);
    request(READ, other, ARGUMENTS, own, ARGUMENTS, 4 * ARGUMENTS_END);
    wait_for_answers(READS_ANSWERED, 2);
    uint32_t exit_values = run_triscs();
    request(WRITE, own, RESULT, other, RESULT, RESULT_BYTES);
    wait_for_answers(WRITES_ANSWERED, 1);
    NIU0(NOC_AT_DATA) = 5;
    request(ATOMIC, other, SIGN, own, OLD_SIGN, INCREMENT);
    wait_for_answers(ATOMICS_ANSWERED, 1);
    return (int)exit_values;
}
