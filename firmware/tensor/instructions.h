/*
 * Tensix instructions and configuration fields by name, from the emulator's own tables: operands
 * are those of src/arch/blackhole/tensix.def, fields those of src/arch/blackhole/regs.def.
 *
 *   PUSH(MVMUL, .addr_mod = 1)         pushes an instruction; operands must be constants
 *   tensix_push(WORD(MVMUL, ...))      the same with others
 *   CONFIG(name)                       the word of Config that has the field, state 0
 *   CONFIG_FIELD_BITS(name, value)     the field's bits of that word
 *   config_change(name, value)         changes the field alone, in order with pushed instructions
 *   thread_config(name, value)         stores to a word of ThreadConfig
 */
#ifndef TENSOR_INSTRUCTIONS_H
#define TENSOR_INSTRUCTIONS_H

#include "../bare/tensix.h"

/* --- Instructions --- */

#define FIELD(name, hi, lo)  uint32_t name;
#define KEY(name, hi, lo)    uint32_t name;
#define PART(name, hi, lo)   uint32_t name;
#define SIGNED(name, hi, lo) uint32_t name;
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    struct word_##token {                                                                          \
        cells                                                                                      \
    };
#include "tensix.def"

#define PLACED(name, hi, lo)        | (operand.name & ((2u << ((hi) - (lo))) - 1)) << (lo)
#define FIELD                       PLACED
#define KEY                         PLACED
#define PART                        PLACED
#define SIGNED                      PLACED
#define FIXED(hi, lo, value)        | (uint32_t)(value) << (lo)
#define SELECT(name, hi, lo, value) | (uint32_t)(value) << (lo)
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    static inline __attribute__((always_inline))                                                   \
    uint32_t word_##token(struct word_##token operand)                                             \
    {                                                                                              \
        (void)operand;                                                                             \
        return (uint32_t)(opcode) << 24 cells;                                                     \
    }
#include "tensix.def"

#define WORD(token, ...) word_##token((struct word_##token){__VA_ARGS__})
#define PUSH(token, ...) TTINSN(WORD(token, __VA_ARGS__))

/* Operands of STALLWAIT and SEMWAIT. */
enum {
#define BLOCK(NAME, bit) BLOCK_##NAME = 1 << (bit),
#include "waits.def"
#define CONDITION(NAME, bit, words) WAIT_##NAME = 1 << (bit),
#include "waits.def"
    WHILE_ZERO = 0x1,
    WHILE_MAX = 0x2,
};

enum { ADC_UNPACKER0 = 1, ADC_UNPACKER1 = 2, ADC_PACKER = 4 }; /* cnt_set_mask */
enum { COUNTER_Z = 2, COUNTER_W = 3 };                         /* of SETADC */

/* --- Configuration --- */

#define CONFIG_FIELD(name, word, shift, width)                                                     \
    enum { name##_WORD = (word), name##_SHIFT = (shift), name##_WIDTH = (width) };
#define THREAD_FIELD CONFIG_FIELD
#define CONFIG_ALIAS CONFIG_FIELD
#include "regs.def"

#define CONFIG_WORD(i) REGISTER(AT_CONFIG + 4 * (i))
#define CONFIG(name)   CONFIG_WORD(name##_WORD)

#define FIELD_ONES(width) ((width) < 32 ? (1u << ((width)&31)) - 1 : ~0u)
#define CONFIG_FIELD_BITS(name, value)                                                             \
    (((uint32_t)(value)&FIELD_ONES(name##_WIDTH)) << name##_SHIFT)

/* Changes bits of a word by up to four pushed instructions, which the Configuration Unit executes
 * without anybody between: other threads may own other bits of the bytes. */
static inline void config_change_bits(unsigned word, uint32_t mask, uint32_t bits)
{
    if (mask & 0xff) {
        tensix_push(WORD(RMWCIB0, .mask = mask, .new_value = bits, .index4 = word));
    }
    if (mask & 0xff00) {
        tensix_push(WORD(RMWCIB1, .mask = mask >> 8, .new_value = bits >> 8, .index4 = word));
    }
    if (mask & 0xff0000) {
        tensix_push(WORD(RMWCIB2, .mask = mask >> 16, .new_value = bits >> 16, .index4 = word));
    }
    if (mask & 0xff000000) {
        tensix_push(WORD(RMWCIB3, .mask = mask >> 24, .new_value = bits >> 24, .index4 = word));
    }
}

/* Instructions that change or use configuration wait for this hart's own stores to it. */
static inline void config_stored(void)
{
    PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG | BLOCK_UNPACK | BLOCK_PACK,
         .condition_mask = WAIT_HART);
}

#define config_change(name, value)                                                                 \
    config_change_bits(name##_WORD, CONFIG_FIELD_BITS(name, ~0u), CONFIG_FIELD_BITS(name, value))

#define thread_config(name, value)                                                                 \
    tensix_push(WORD(SETC16, .cfg_index = name##_WORD, .new_value = (value)))

/* --- GPRs, MOPs, replay --- */

static inline void gpr_set(unsigned gpr, uint32_t value)
{
    tensix_push(WORD(SETDMAREG_IMM, .result_half_reg = LOW_HALF(gpr), .new_value = value));
    tensix_push(WORD(SETDMAREG_IMM, .result_half_reg = HIGH_HALF(gpr), .new_value = value >> 16));
}

/* Template 1: outer times (start, inner times loop, end). The last loop instruction of an inner
 * loop is replaced; LLK's name for the template is ckernel_template. */
struct mop_loops {
    uint32_t outer, inner, start, end[2], loop[2], last_of_all, last_of_inner;
};

/* A loop around one instruction. */
static inline struct mop_loops mop_loops(unsigned outer, unsigned inner, uint32_t instruction)
{
    const uint32_t nop = WORD(NOP, );
    return (struct mop_loops){.outer = outer,
                              .inner = inner,
                              .start = nop,
                              .end = {nop, nop},
                              .loop = {instruction, nop},
                              .last_of_all = instruction,
                              .last_of_inner = instruction};
}

/* A loop around two. */
static inline struct mop_loops mop_loops_of_two(unsigned outer, unsigned inner, uint32_t first,
                                                uint32_t second)
{
    struct mop_loops loops = mop_loops(outer, inner, first);
    loops.loop[1] = loops.last_of_all = loops.last_of_inner = second;
    return loops;
}

static inline void mop_use_loops(const struct mop_loops *loops)
{
    const uint32_t word[9] = {loops->outer,   loops->inner,       loops->start,
                              loops->end[0],  loops->end[1],      loops->loop[0],
                              loops->loop[1], loops->last_of_all, loops->last_of_inner};
    mop_configure(word);
}

/* Template 0 as a choice: runs one of two instructions, by the bits of a mask. */
static inline void mop_use_choice(uint32_t of_zeros, uint32_t of_ones)
{
    const uint32_t nop = WORD(NOP, );
    const uint32_t word[9] = {0, 0, nop, of_zeros, nop, nop, nop, of_ones, nop};
    mop_configure(word);
}

static inline void mop_run(void)
{
    PUSH(MOP, .template_number = 1);
}

/* What follows, `count` instructions, is kept and not executed. */
static inline void replay_record(unsigned index, unsigned count)
{
    tensix_push(WORD(REPLAY, .index = index, .count = count, .load = 1));
}

#define REPLAY_WORD(at, length) WORD(REPLAY, .index = (at), .count = (length))

#endif
