/*
 * Tensix instructions as a TRISC pushes them: encodings, and what orders a hart and its thread.
 *
 * Names and operands are those of the ISA's pages. Write TT(SEMPOST(1 << 2)); operands must be
 * constants, and tensix_push takes others.
 */
#ifndef BARE_TENSIX_H
#define BARE_TENSIX_H

#include "bare.h"

#define TT(instruction) TTINSN(TT_##instruction)

#define TT_WORD(opcode)    ((uint32_t)(opcode) << 24)
#define TT_FIELD(value, n) ((uint32_t)(value) << (n))

/* Front end */
#define TT_MOP(template, count1, mask)                                                             \
    (TT_WORD(0x01) | TT_FIELD(template, 23) | TT_FIELD(count1, 16) | (mask))
#define TT_MOP_CFG(mask_high) (TT_WORD(0x03) | (mask_high))
#define TT_REPLAY(index, count, exec, load)                                                        \
    (TT_WORD(0x04) | TT_FIELD(index, 14) | TT_FIELD(count, 4) | TT_FIELD(exec, 1) | (load))
#define TT_NOP TT_WORD(0x02)

/* Synchronisation. Blocks and conditions: all blocks, memory requests of the thread. */
#define TT_ALL_BLOCKS                    0x1ff
#define TT_REQUESTS                      0x1
#define TT_ATGETM(index)                 (TT_WORD(0xa0) | (index))
#define TT_ATRELM(index)                 (TT_WORD(0xa1) | (index))
#define TT_STALLWAIT(blocks, conditions) (TT_WORD(0xa2) | TT_FIELD(blocks, 15) | (conditions))
#define TT_SEMINIT(max, value, mask)                                                               \
    (TT_WORD(0xa3) | TT_FIELD(max, 20) | TT_FIELD(value, 16) | TT_FIELD(mask, 2))
#define TT_SEMPOST(mask) (TT_WORD(0xa4) | TT_FIELD(mask, 2))
#define TT_SEMGET(mask)  (TT_WORD(0xa5) | TT_FIELD(mask, 2))
#define TT_SEMWAIT(blocks, mask, conditions)                                                       \
    (TT_WORD(0xa6) | TT_FIELD(blocks, 15) | TT_FIELD(mask, 2) | (conditions))
#define TT_WHILE_ZERO 1 /* conditions of SEMWAIT */
#define TT_WHILE_MAX  2

/* GPRs */
#define TT_SETDMAREG(half, value)     (TT_WORD(0x45) | TT_FIELD(value, 8) | (half))
#define TT_REGS(result, left, right)  (TT_FIELD(result, 12) | TT_FIELD(right, 6) | (uint32_t)(left))
#define TT_ADD(result, left, right)   (TT_WORD(0x58) | TT_REGS(result, left, right))
#define TT_ADD_IMM(result, left, imm) (TT_ADD(result, left, imm) | TT_FIELD(1, 23))
#define TT_MUL(result, left, right)   (TT_WORD(0x5a) | TT_REGS(result, left, right))
#define TT_MUL_IMM(result, left, imm) (TT_MUL(result, left, imm) | TT_FIELD(1, 23))

/* L1, at 16 * GPR `base` + half GPR `offset`, which then grows by 0, 2, 4 or 16 */
enum { TT_128_BITS = 0, TT_32_BITS = 1, TT_KEEP = 0, TT_NEXT_WORD = 2, TT_NEXT_16_BYTES = 3 };
#define TT_L1(offset, step, reg, base)                                                             \
    (TT_FIELD(offset, 14) | TT_FIELD(step, 12) | TT_FIELD(reg, 6) | (uint32_t)(base))
#define TT_LOADIND(size, offset, step, result, base)                                               \
    (TT_WORD(0x49) | TT_FIELD(size, 22) | TT_L1(offset, step, result, base))
#define TT_STOREIND(size, offset, step, data, base)                                                \
    (TT_WORD(0x66) | TT_FIELD(1, 23) | TT_FIELD(size, 21) | TT_L1(offset, step, data, base))
/* Adds a GPR to a word at 16 * GPR `base`, of which it takes the old value. */
#define TT_ATINCGET(reg, base) (TT_WORD(0x61) | TT_FIELD(31, 14) | TT_FIELD(reg, 6) | (base))

/* Address counters */
#define TT_INCRWC(cr, dst, src_b, src_a)                                                           \
    (TT_WORD(0x38) | TT_FIELD(cr, 18) | TT_FIELD(dst, 14) | TT_FIELD(src_b, 10) |                  \
     TT_FIELD(src_a, 6))
#define TT_INCADCXY(units, y1, x1, y0, x0)                                                         \
    (TT_WORD(0x52) | TT_FIELD(units, 21) | TT_FIELD(y1, 15) | TT_FIELD(x1, 12) | TT_FIELD(y0, 9) | \
     TT_FIELD(x0, 6))
#define TT_INCADCZW(units, w1, z1, w0, z0)                                                         \
    (TT_WORD(0x55) | TT_FIELD(units, 21) | TT_FIELD(w1, 15) | TT_FIELD(z1, 12) | TT_FIELD(w0, 9) | \
     TT_FIELD(z0, 6))

#define LOW_HALF(gpr)  (2 * (gpr))
#define HIGH_HALF(gpr) (2 * (gpr) + 1)

/* GPR = constant */
#define TT_SET(gpr, value)                                                                         \
    do {                                                                                           \
        TTINSN(TT_SETDMAREG(LOW_HALF(gpr), (uint32_t)(value)&0xffff));                             \
        TTINSN(TT_SETDMAREG(HIGH_HALF(gpr), (uint32_t)(value) >> 16));                             \
    } while (0)

/* Nothing of the thread goes on before its loads and stores are done. */
#define TT_FINISH_REQUESTS TT(STALLWAIT(TT_ALL_BLOCKS, TT_REQUESTS))

#define INSTRUCTION_BUFFER REGISTER(AT_INSTRN_BUF)
#define MOP_EXPANDER_DONE  REGISTER(AT_MOP_EXPANDER_DONE)
#define MOP_CONFIG(i)      REGISTER(AT_MOP_CFG + 4 * (i))
#define GPR(i)             REGISTER(AT_GPR + 4 * (i))

static inline void tensix_push(uint32_t word)
{
    INSTRUCTION_BUFFER = word;
}

/* Stands until a load has its value: nothing after it starts before. */
static inline void consume(uint32_t value)
{
    __asm__ volatile("and zero, zero, %0" : : "r"(value) : "memory");
}

/* Writes the MOP configuration once the MOPs before have been expanded. */
static inline void mop_configure(const uint32_t word[9])
{
    MOP_EXPANDER_DONE = 0;
    consume(MOP_EXPANDER_DONE);
    for (unsigned i = 0; i < 9; i++) {
        MOP_CONFIG(i) = word[i];
    }
    fence();
}

/* A GPR when all that was pushed has executed. */
static inline uint32_t gpr_read(unsigned gpr)
{
    tensix_wait();
    return GPR(gpr);
}

/* Writes a GPR before anything that is pushed from now on executes. */
static inline void gpr_write(unsigned gpr, uint32_t value)
{
    GPR(gpr) = value;
    consume(GPR(gpr));
}

/* Writes a word of L1 before anything that this hart does from now on. */
static inline void l1_write(uint32_t address, uint32_t value)
{
    REGISTER(address) = value;
    fence();
    consume(REGISTER(address));
}

/* Reads a word of L1 that others write. */
static inline uint32_t l1_read(uint32_t address)
{
    fence();
    return REGISTER(address);
}

#endif
