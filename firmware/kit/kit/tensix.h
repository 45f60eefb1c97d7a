/*
 * The Tensix coprocessor as a TRISC uses it:
 *
 *   TTI_MVMUL(0, 0, 0, 0)               pushes an instruction; its operands are constants
 *   tensix_push(TT_OP_MVMUL(0, 0, m, 0))  the same with other operands
 *   config_set(NAME, value)             changes a field of Config by this hart's own stores
 *   thread_config_set(NAME, value)      pushes a write of a whole word of ThreadConfig
 *
 * Instructions run in order within the thread of this hart, beside the hart itself. What a hart
 * stores to Config is seen by instructions behind config_wait() alone; what instructions do is seen
 * by the hart behind tensix_wait().
 */
#ifndef TENSIX_H
#define TENSIX_H

#include "hart.h"
#include "tensix_ops.h"
#include "ttinsn.h"

#define TTI(word) __asm__ volatile(TTINSN_TEXT : : "i"(TTINSN_BITS(word)) : "memory")

static inline void tensix_push(uint32_t word)
{
    REGISTER(AT_INSTRN_BUF) = word;
}

/* Waits until all that this hart has pushed is done. */
static inline void tensix_wait(void)
{
    REGISTER(AT_COPROCESSOR_DONE) = 0;
    consume(REGISTER(AT_COPROCESSOR_DONE));
}

/* --- Data formats, by their codes --- */

enum { FLOAT32 = 0, FLOAT16 = 1, FLOAT16_B = 5, BFP8_B = 6, INT32 = 8, INT8 = 14 };

/* --- STALLWAIT and SEMWAIT --- */

/* What waits, */
enum {
    BLOCK_TDMA = 0x1,
    BLOCK_SYNC = 0x2,
    BLOCK_PACK = 0x4,
    BLOCK_UNPACK = 0x8,
    BLOCK_SCALAR = 0x20,
    BLOCK_MATRIX = 0x40,
    BLOCK_CONFIG = 0x80,
    BLOCK_VECTOR = 0x100,
};

/* for which unit to be done with this thread's instructions, */
enum {
    UNTIL_SCALAR = 0x1,
    UNTIL_UNPACK0 = 0x2,
    UNTIL_UNPACK1 = 0x4,
    UNTIL_PACK = 0x8,
    UNTIL_MATRIX = 0x10,
    UNTIL_CONFIG_OF_HART = 0x400,
    UNTIL_VECTOR = 0x800,
};

/* and while which semaphores are so. */
enum { WHILE_ZERO = 0x1, WHILE_MAX = 0x2 };

/* --- Configuration --- */

#define CONFIG_WORD(i) REGISTER(AT_CONFIG + 4 * (i))

#define config_set(NAME, value)                                                                    \
    (CONFIG_WORD(NAME##_ADDR32) = (CONFIG_WORD(NAME##_ADDR32) & ~(uint32_t)NAME##_MASK) |          \
                                  ((uint32_t)(value) << NAME##_SHAMT & (uint32_t)NAME##_MASK))

#define thread_config_set(NAME, value) tensix_push(TT_OP_SETC16(NAME##_ADDR32, value))

static inline void config_wait(void)
{
    TTI_STALLWAIT(BLOCK_CONFIG | BLOCK_UNPACK | BLOCK_PACK | BLOCK_MATRIX, UNTIL_CONFIG_OF_HART);
}

/* --- GPRs, which are two halves of 16 bits each --- */

static inline void gpr_set(unsigned gpr, uint32_t value)
{
    tensix_push(TT_OP_SETDMAREG(0, value & 0xffff, 0, 2 * gpr));
    tensix_push(TT_OP_SETDMAREG(0, value >> 16, 0, 2 * gpr + 1));
}

/* --- Address counters: bits of which units' an instruction sets --- */

enum { OF_UNPACKER0 = 1, OF_UNPACKER1 = 2, OF_PACKER = 4 };

#endif
