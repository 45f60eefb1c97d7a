/*
 * The instruction table of the coprocessor (tensix.def) and the text tools on top of it.
 *
 * A row is named by its token (SETC16, UNPACR_FLUSH) and numbered by TENSIX_ROW_<token>. From the
 * same rows come
 *   struct tensix_args_<token>    its operands, by the names of FIELD, KEY, PART and SIGNED cells
 *   tensix_decode_<token>(word)   the operands of a word that the row matches
 *   tensix_rows[]                 match and mask, for the decoder, the disassembler, the assembler
 * Nothing here refers to handlers, see exec.h.
 */
#ifndef TENSIX_TABLE_H
#define TENSIX_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

enum tensix_unit {
    TENSIX_UNIT_FRONTEND, /* consumed by the MOP expander, the replay buffer or Auto TTSync */
    TENSIX_UNIT_SYNC,
    TENSIX_UNIT_MATRIX,
    TENSIX_UNIT_VECTOR,
    TENSIX_UNIT_UNPACK,
    TENSIX_UNIT_PACK,
    TENSIX_UNIT_SCALAR,
    TENSIX_UNIT_CONFIG,
    TENSIX_UNIT_MOVER,
    TENSIX_UNIT_MISC,
    TENSIX_UNITS
};

/* Bits of the block mask of STALLWAIT, SEMWAIT and STREAMWAIT. */
enum tensix_block {
#define BLOCK(NAME, bit) TENSIX_BLOCK_##NAME = 1 << (bit),
#include "waits.def"
#define BLOCK(NAME, bit) | TENSIX_BLOCK_##NAME
    TENSIX_BLOCK_MASK = 0
#include "waits.def"
};

/* What sets a row apart from others of its unit. */
enum tensix_trait {
    /* Others may start in its unit in the same cycle. SPEC: mutexes are apart from the
     * rest and take up to three requests a cycle. GUESS: SETC16, rows of the Miscellaneous Unit. */
    TENSIX_TRAIT_SHARES = 1 << 0,
    /* Runs while the rest of the Scalar Unit is held in reset. SPEC: SoftReset. */
    TENSIX_TRAIT_GLUE_ONLY = 1 << 1,
    /* Sends an atomic request, one in twelve cycles. SPEC: ScalarUnit. */
    TENSIX_TRAIT_ATOMIC = 1 << 2,
    /* Takes a cycle more where its operands are in different groups of four GPRs, and has them
     * where ADDDMAREG has them. SPEC: ScalarUnit. */
    TENSIX_TRAIT_GPR_GROUPS = 1 << 3,
    /* Vector Unit: has VD and Mod0 in bits 23 to 16. SPEC: the page of each row. */
    TENSIX_TRAIT_WIDE = 1 << 4,
    /* Vector Unit: VD names no instruction template. SPEC: BH SFPCONFIG, whose VD is what it writes
     * to; SFPNOP and SFPLOADMACRO have none that could be 12. */
    TENSIX_TRAIT_OWN_VD = 1 << 5,
    /* Vector Unit: does not depend on LaneEnabled, or looks at it itself. SPEC: the page of
     * each. */
    TENSIX_TRAIT_IGNORES_FLAGS = 1 << 6,
    /* Vector Unit: does nothing, and so may come to any sub-unit but the one that stores. */
    TENSIX_TRAIT_IDLE = 1 << 7,
    /* Vector Unit: reads in two cycles, and writes in the second one. SPEC: BH SFPSWAP. */
    TENSIX_TRAIT_SWAPS = 1 << 8,
    /* Vector Unit: changes what others go by, and LRegs that are constants for them. */
    TENSIX_TRAIT_CONFIGURES = 1 << 9,
    /* Vector Unit: schedules others, and has VD in three bits of its own. SPEC: BH SFPLOADMACRO. */
    TENSIX_TRAIT_SCHEDULES = 1 << 10,
    /* Vector Unit: loads from Dst, which LaneConfig can block. SPEC: BH SFPLOAD. */
    TENSIX_TRAIT_LOADS_DST = 1 << 11,
    /* Holds its thread until the memory requests are over that it names. SPEC: WH FLUSHDMA. */
    TENSIX_TRAIT_DRAINS = 1 << 12,
    /* Matrix Unit, Vector Unit: has a place in Dst; the Matrix Unit reads there, writes there. */
    TENSIX_TRAIT_DST = 1 << 13,
    TENSIX_TRAIT_READS_DST = 1 << 14,
    TENSIX_TRAIT_WRITES_DST = 1 << 15,
    /* It reads Dst only where add_dst is set, which it has where ELWADD has it. */
    TENSIX_TRAIT_ADDS_DST = 1 << 16,
    /* Matrix Unit: moves rows to Dst, from Dst or SrcB to Src; eight rows to Dst, as MOVA2D has
     * them. SPEC: WormholeB0, the pages of moves. */
    TENSIX_TRAIT_MOVES_TO_DST = 1 << 17,
    TENSIX_TRAIT_MOVES_TO_SRC = 1 << 18,
    TENSIX_TRAIT_MOVES_EIGHT = 1 << 19,
    /* Hands over a bank of Src without waiting for it. SPEC: WH UNPACR_NOP_SETDVALID. */
    TENSIX_TRAIT_UNASKED = 1 << 20,
    /* Vector Unit: moves LRegs as they are, or keeps a part of the one that it writes: it computes
     * nothing with what it reads. */
    TENSIX_TRAIT_CARRIES = 1 << 21,
    /* Waits for what its unpacker has done before where its field wait_like_unpacr says so. HW: LLK
     * changes formats behind it. */
    TENSIX_TRAIT_WAITS_LIKE_UNPACR = 1 << 22,
    /* Sets a half of a GPR to a constant. */
    TENSIX_TRAIT_SETS_HALF = 1 << 23,
    /* Unpackers: does not start while an UNPACR waits in the unpacker, which it names where UNPACR
     * does. */
    TENSIX_TRAIT_FOLLOWS = 1 << 24,
};

/* Row numbers, in the order of tensix_rows. What is absent has the number of no row. */
enum tensix_row {
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    TENSIX_ROW_##token,
#include "tensix.def"
    TENSIX_ROWS,
    TENSIX_OPCODES = 256,
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)
#define ABSENT_INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)      \
    TENSIX_ROW_##token = TENSIX_ROWS,
#include "tensix.def"
};

/* The high byte of a word, by token: TENSIX_OPCODE_MOP. What is absent has a number that no byte
 * is, so that no word comes to it. */
enum tensix_opcode {
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    TENSIX_OPCODE_##token = (opcode),
#define ABSENT_INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)      \
    TENSIX_OPCODE_##token = TENSIX_OPCODES + (opcode),
#include "tensix.def"
};

/* Operands: struct tensix_args_SETC16 {word, cfg_index, new_value} and so on. */
#define FIELD(name, hi, lo)  uint32_t name;
#define KEY(name, hi, lo)    FIELD(name, hi, lo)
#define PART(name, hi, lo)   FIELD(name, hi, lo)
#define ABSENT(name)         uint32_t name;
#define SIGNED(name, hi, lo) int32_t name;
#define ABSENT_INSN          INSN
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    struct tensix_args_##token {                                                                   \
        uint32_t word;                                                                             \
        cells                                                                                      \
    };
#include "tensix.def"

#define FIELD(name, hi, lo)  .name = word >> (lo) & ((UINT32_C(1) << ((hi) - (lo) + 1)) - 1),
#define KEY(name, hi, lo)    FIELD(name, hi, lo)
#define PART(name, hi, lo)   FIELD(name, hi, lo)
#define SIGNED(name, hi, lo) .name = (int32_t)(word << (31 - (hi))) >> (31 - (hi) + (lo)),
#define ABSENT_INSN          INSN
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    static inline struct tensix_args_##token tensix_decode_##token(uint32_t word)                  \
    {                                                                                              \
        return (struct tensix_args_##token){.word = word, cells};                                  \
    }
#include "tensix.def"

/* Traits of a row; TENSIX_ROWS has none. A constant where the row is one, so that code made for one
 * row asks nothing. */
static inline unsigned tensix_traits(unsigned row)
{
    enum {
        TRAIT_SHARES = TENSIX_TRAIT_SHARES,
        TRAIT_GLUE_ONLY = TENSIX_TRAIT_GLUE_ONLY,
        TRAIT_ATOMIC = TENSIX_TRAIT_ATOMIC,
        TRAIT_GPR_GROUPS = TENSIX_TRAIT_GPR_GROUPS,
        TRAIT_WIDE = TENSIX_TRAIT_WIDE,
        TRAIT_OWN_VD = TENSIX_TRAIT_OWN_VD,
        TRAIT_IGNORES_FLAGS = TENSIX_TRAIT_IGNORES_FLAGS,
        TRAIT_IDLE = TENSIX_TRAIT_IDLE,
        TRAIT_SWAPS = TENSIX_TRAIT_SWAPS,
        TRAIT_CONFIGURES = TENSIX_TRAIT_CONFIGURES,
        TRAIT_SCHEDULES = TENSIX_TRAIT_SCHEDULES,
        TRAIT_DRAINS = TENSIX_TRAIT_DRAINS,
        TRAIT_UNASKED = TENSIX_TRAIT_UNASKED,
        TRAIT_WAITS_LIKE_UNPACR = TENSIX_TRAIT_WAITS_LIKE_UNPACR,
        TRAIT_CARRIES = TENSIX_TRAIT_CARRIES,
        TRAIT_SETS_HALF = TENSIX_TRAIT_SETS_HALF,
        TRAIT_FOLLOWS = TENSIX_TRAIT_FOLLOWS,
        TRAIT_LOADS_DST = TENSIX_TRAIT_LOADS_DST,
        TRAIT_DST = TENSIX_TRAIT_DST,
        TRAIT_READS_DST = TENSIX_TRAIT_READS_DST,
        TRAIT_WRITES_DST = TENSIX_TRAIT_WRITES_DST,
        TRAIT_ADDS_DST = TENSIX_TRAIT_ADDS_DST,
        TRAIT_CHANGES_DST = TRAIT_DST | TRAIT_READS_DST | TRAIT_WRITES_DST,
        TRAIT_FILLS_DST = TRAIT_DST | TRAIT_WRITES_DST | TENSIX_TRAIT_MOVES_TO_DST,
        TRAIT_EMPTIES_DST = TRAIT_DST | TRAIT_READS_DST | TENSIX_TRAIT_MOVES_TO_SRC,
        TRAIT_MOVES_TO_SRC = TENSIX_TRAIT_MOVES_TO_SRC,
        TRAIT_MOVES_EIGHT = TENSIX_TRAIT_MOVES_EIGHT,
    };
    static const uint32_t traits_of[TENSIX_ROWS + 1] = {
    /* the last is no row */
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells) traits,
#include "tensix.def"
    };
    return traits_of[row];
}

/* Has the row this trait? */
static inline bool tensix_has(unsigned row, enum tensix_trait trait)
{
    return tensix_traits(row) & trait;
}

struct tensix_row_info {
    enum tensix_unit unit;
    uint16_t blocks;            /* bits of enum tensix_block, see tensix_is_blocked */
    uint8_t occupancy, latency; /* cycles, as tensix.def defines them */
    bool is_stub;               /* no public source defines what it does */
    bool needs_all_blocks;      /* NOP: held only where every bit of the mask is set */
};

extern const struct isa_row tensix_rows[TENSIX_ROWS];
extern const struct tensix_row_info tensix_row_infos[TENSIX_ROWS + 1]; /* the last is no row */

/* "matrix", "vector", ..., "front end"; "none" for the Miscellaneous Unit. */
const char *tensix_unit_name(enum tensix_unit unit);

/* The mnemonic of what `word` is on another chip, where this one has nothing of its opcode; NULL:
 * that is not known. */
const char *tensix_absent_name(uint32_t word);

/* What is known of a STUB. */
struct tensix_sought {
    const char *places; /* where public sources were looked for */
    const char *found;  /* all that they say */
};

/* NULL for a row that is executed. */
const struct tensix_sought *tensix_sought_of(unsigned row);

/* Does a latched wait with this block mask hold the row's instructions at the wait gate? */
static inline bool tensix_is_blocked(const struct tensix_row_info *info, uint32_t block_mask)
{
    uint32_t common = info->blocks & block_mask;
    return info->needs_all_blocks ? common == TENSIX_BLOCK_MASK : common != 0;
}

/* The bits of a GPR of its thread that an instruction of the row reads: SOURCE of tensix.def. */
uint32_t tensix_gpr_bits_read(unsigned row, uint32_t word, unsigned gpr);

/* The half of a GPR that an instruction of the row sets to a constant; UINT32_MAX: it sets none. */
uint32_t tensix_gpr_half_set(unsigned row, uint32_t word);

/* The bits of a word of Config that an instruction of the row changes where it writes one. */
uint32_t tensix_config_bits_changed(unsigned row, uint32_t word);

/* An operand of which bits are set that do not count: IGNORES of tensix.def. */
struct tensix_ignored {
    uint32_t value;
    const char *text; /* NULL: there is none */
};

/* The first such operand of an instruction of the row. */
struct tensix_ignored tensix_find_ignored(unsigned row, uint32_t word);

/* Does an instruction of the row depend on what was in the rows of Dst that it writes? */
bool tensix_depends_on_dst(unsigned row, uint32_t word);

/* An index for isa_index_find, for frequent decoding; release with isa_index_free. */
bool tensix_index_build(struct isa_index *index);

/* The row that matches `word`, or -1. Slower than an index, but needs none. Thread-safe. */
int tensix_find(uint32_t word);

/* The first row of an opcode (the high byte of a word), or -1. */
int tensix_find_opcode(unsigned opcode);

/*
 * What keeps `word` from being an instruction: the bits of it in which it differs from the nearest
 * row of its opcode, and in *row the number of that row. 0 where a row matches, and then *row is
 * that one; UINT32_MAX and *row = -1 where there is no such opcode.
 */
uint32_t tensix_wrong_bits(uint32_t word, int *row);

/*
 * Writes the instruction as text: "SETC16 5, 0x10", upper-case mnemonic, all operands as unsigned
 * numbers in the order of LLK's TT_OP_ macro. A word that is none is written as
 * ".word 0x4b000001 # TBUFCMD with reserved bits 0x1". Returns the length as snprintf does.
 */
int tensix_disassemble(uint32_t word, char *text, size_t size);

/*
 * The inverse. Takes mnemonics in any case, with or without the TT, TT_ or TTI_ of LLK and
 * sfpi-binutils, operands in decimal or 0x hexadecimal, ".word NUMBER", and a comment after '#'.
 * Where a mnemonic has several forms, operands pick one. Bits that the hardware ignores become 0.
 * PENROSE_E_ARGUMENT with the operand and what was expected when the text is no instruction.
 */
enum penrose_status tensix_assemble(const char *text, uint32_t *word, struct penrose_error *error);

#endif
