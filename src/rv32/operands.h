/*
 * The rows of the instruction table, and what an instruction does to registers: what is the same for all
 * chips, for those who look at instructions that they do not execute. A file that is compiled once is
 * handed rv32_find_operands of a kind of chip.
 */
#ifndef RV32_OPERANDS_H
#define RV32_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

/* The rows of rv32.def in order. */
enum rv32_row {
#define INSN(token, mnemonic, extension, match, mask, format, traits) RV32_ROW_##token,
#define STUB                                                          INSN
#include "rv32/rv32.def"
#undef INSN
#undef STUB
    RV32_ROWS
};

/* Which registers an instruction reads and writes (bit n: xn), and what it may do besides. */
enum rv32_class {
    RV32_CLASS_PLAIN,  /* integer registers only */
    RV32_CLASS_LOAD,   /* integer load */
    RV32_CLASS_STORE,  /* integer store */
    RV32_CLASS_BRANCH, /* conditional */
    RV32_CLASS_JUMP,   /* jal, jalr */
    RV32_CLASS_FENCE,
    RV32_CLASS_OTHER, /* CSRs, atomics, float, vector, pushes, pauses */
};
enum rv32_trait {
    /* What follows the wall clock through an instruction (rv32/idle.h): its second operand is rs2 or
     * the immediate. */
    RV32_ADDS = 1 << 0,
    RV32_SUBTRACTS = 1 << 1,
    RV32_COMPARES = 1 << 2, /* 1 where the first operand is less */
    /* Accesses to memory; without a size an access has that of the elements, as vtype says. */
    RV32_LOADS = 1 << 3,
    RV32_STORES = 1 << 4,
    RV32_BYTE = 1 << 5,
    RV32_HALF = 1 << 6,
    RV32_WORD = 1 << 7,
    RV32_SIGNED = 1 << 8, /* what is loaded is sign-extended */
    RV32_SWAPS = 1 << 9, /* what an atomic instruction has loaded plays no part in what it stores */
    /* How many registers the destination of a vector instruction is. */
    RV32_SINGLE = 1 << 10, /* one, whatever LMUL says */
    RV32_WIDE = 1 << 11,   /* twice LMUL */
};
struct rv32_effects {
    enum rv32_class class;
    unsigned traits;
    bool reads_rs1, reads_rs2;
    uint32_t reads, writes;
};
struct rv32_effects rv32_row_effects(unsigned row, uint32_t word);

/* The bytes of one access of an instruction with these traits; 0: it has none, or of no fixed size. */
static inline unsigned rv32_access_size(unsigned traits)
{
    return traits / RV32_BYTE & 7;
}

/* Does the word push itself, rotated, to the coprocessor? */
static inline bool rv32_is_ttinsn(uint32_t word)
{
    return (word & 3) != 3;
}

enum rv32_file { RV32_X, RV32_F, RV32_V, RV32_FILES };

/*
 * The operands of an instruction, for those who look at one that they do not execute. Sets of
 * registers have bit n for register n of a file. A vector operand is LMUL registers there.
 */
struct rv32_operands {
    int row; /* -1: the word is a .ttinsn, or no instruction; the rest is zero then */
    struct rv32_effects effects;
    unsigned rd, rs1, rs2;
    int32_t imm;                  /* of formats that have one */
    uint32_t values[RV32_FILES];  /* that are read, but for those that make an address */
    uint32_t results[RV32_FILES]; /* that are written */
    unsigned size;                /* of an access to memory, which begins at x[rs1] + imm; or 0 */
};

/* `vtype` as the hart has it plays a part for vector operands only. `index` as below. */
struct rv32_operands rv32_find_operands(const struct isa_index *index, uint32_t word,
                                        uint32_t vtype);
typedef struct rv32_operands rv32_operands_of(const struct isa_index *index, uint32_t word,
                                              uint32_t vtype);

#endif
