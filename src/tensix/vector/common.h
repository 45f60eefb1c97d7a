/*
 * Shared by the files of the Vector Unit: decoding, starting and executing its instructions.
 *
 * A row of the unit has a handler in the file of its sub-unit,
 *
 *     TENSIX_EXEC_VECTOR(SFPABS)
 *     {
 *         ... tensix, op->vc, lanes ...
 *     }
 *
 * which its runner calls, and schedule.c for instructions that macros have scheduled. It executes
 * at once for `lanes`: the enabled lanes for which VD is no instruction template. Rows that do not
 * ask whether a lane is enabled (SFPENCC, SFPPUSHC ...) get those for which VD is no template, see
 * tensix_vector_ignores_flags(). It returns NULL, or a rule that was broken, in words; nothing has
 * happened then.
 *
 * SPEC: BlackholeA0 VectorUnit, SFPCONFIG (backdoor).
 */
#ifndef TENSIX_VECTOR_COMMON_H
#define TENSIX_VECTOR_COMMON_H

#include "num/kernels.h"
#include "tensix/exec.h"

typedef const char *tensix_vector_exec(struct tensix *tensix, const struct tensix_vector_op *op,
                                       uint32_t lanes);

/* The five sub-units. */
enum tensix_vector_part {
    TENSIX_PART_SIMPLE, /* in the order of a macro's sequence */
    TENSIX_PART_MAD,
    TENSIX_PART_ROUND,
    TENSIX_PART_STORE,
    TENSIX_PART_LOAD,
};

/* --- Operands --- */

static inline struct tensix_vector_op tensix_vector_decode(unsigned row, unsigned thread,
                                                           uint32_t word)
{
    bool is_wide = tensix_has(row, TENSIX_TRAIT_WIDE);
    unsigned vd = is_wide ? word >> 20 & 15 : word >> 4 & 15;
    if (tensix_has(row, TENSIX_TRAIT_SCHEDULES)) {
        vd = (word >> 20 & 3) | (word & 1) << 2;
    }
    return (struct tensix_vector_op){
        .word = word,
        .row = (uint8_t)row,
        .thread = (uint8_t)thread,
        .va = word >> 16 & 15,
        .vb = word >> 12 & 15,
        .vc = word >> 8 & 15,
        .vd = (uint8_t)vd,
        .mod = is_wide ? word >> 16 & 15 : word & 15,
        .is_scheduled = false, /* left out, gcc makes these two by a detour that takes 7 ns */
        .address = 0,
    };
}

/* Bits 23 to 8 and 23 to 12 as numbers. */
static inline uint32_t tensix_vector_imm16(const struct tensix_vector_op *op)
{
    return op->word >> 8 & 0xffff;
}

static inline uint32_t tensix_vector_imm12(const struct tensix_vector_op *op)
{
    return op->word >> 12 & 0xfff;
}

static inline int32_t tensix_vector_simm12(const struct tensix_vector_op *op)
{
    return (int32_t)(op->word << 8) >> 20;
}

/* SPEC: `unsigned VB = VD`, which a macro has done in its own way. */
static inline unsigned tensix_vector_vb_or_vd(const struct tensix_vector_op *op)
{
    return op->is_scheduled ? op->vb : op->vd;
}

/* May VD be written? LReg[8] and up only by SFPCONFIG. */
static inline bool tensix_vector_may_write(unsigned vd)
{
    return vd < TENSIX_LREG_WRITABLE || vd == TENSIX_LREG_MACRO;
}

/* Bits of Mod1 of the MAD sub-unit: each lane's LReg[7] names the LReg that stands for VA or VD. */
enum { TENSIX_MODE_INDIRECT_VA = 1 << 2, TENSIX_MODE_INDIRECT_VD = 1 << 3 };

/* Does an instruction of the MAD sub-unit write where LReg[7] says? SPEC: LReg[16] stays what it is. */
static inline bool tensix_vector_is_indirect(const struct tensix_vector_op *op)
{
    return (op->mod & TENSIX_MODE_INDIRECT_VD) && op->vd != TENSIX_LREG_MACRO;
}

/* The LReg that a lane names. */
static inline unsigned tensix_vector_named(const struct tensix_vector *vector, unsigned lane)
{
    return vector->lreg[TENSIX_LREG_INDEX][lane] & 15;
}

/* --- Hazards (timing.c) --- */

/* SPEC: SFPMAD, instruction scheduling. Called by rows of two cycles once they have executed: their
 * results can be used the cycle after next. `writes`: bits of LRegs. */
static inline void tensix_vector_note_slow(struct tensix *tensix, const struct tensix_vector_op *op,
                                           uint32_t writes)
{
    struct tensix_vector *vector = &tensix->vector;
    vector->slow_start = tensix->now;
    vector->slow_word = op->word;
    vector->slow_writes = writes;
}

/* LRegs that a row reads without the automatic stalls seeing it: HIDDEN of tensix.def. */
static inline uint32_t tensix_vector_hidden_reads(unsigned row, const struct tensix_vector_op *op)
{
    switch (row) {
#define INSN(...)
#define FRONT(...)
#define STUB(...)
#define HIDDEN(reads) return reads;
#define SFPU(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    case TENSIX_ROW_##token:                                                                       \
        cells break;
#include "tensix.def"
    }
    return 0;
}

/* Reports an instruction that reads LRegs whose values have not come: TENSIX_DONE (it is to go on)
 * or TENSIX_STOP. */
enum tensix_exec tensix_vector_report_hazard(struct tensix *tensix,
                                             const struct tensix_vector_op *op, uint32_t reads);

/* --- Starting --- */

static inline bool tensix_vector_has_backdoor(unsigned row)
{
    return !tensix_has(row, TENSIX_TRAIT_OWN_VD);
}

/* Rows whose effect does not depend on LaneEnabled, or that look at it themselves. */
static inline bool tensix_vector_ignores_flags(unsigned row)
{
    return tensix_has(row, TENSIX_TRAIT_IGNORES_FLAGS);
}

/* Writes the word to an instruction template of the lanes whose backdoor is open (config.c);
 * returns the other lanes. */
uint32_t tensix_vector_backdoor(struct tensix_vector *vector, const struct tensix_vector_op *op);

/* An instruction that comes while others are scheduled, or in a timed run: the unit's clock goes
 * on, what is due executes in the same cycle (macro.c). */
enum tensix_exec tensix_vector_issue(struct tensix *tensix, const struct tensix_vector_op *op);

/* A broken rule as a fault. */
enum tensix_exec tensix_vector_fault(struct tensix *tensix, const struct tensix_vector_op *op,
                                     const char *rule);

/* Lanes for which an instruction executes; writes templates first. */
static inline uint32_t tensix_vector_lanes(struct tensix_vector *vector,
                                           const struct tensix_vector_op *op, unsigned row)
{
    uint32_t lanes = UINT32_MAX;
    if (tensix_vector_has_backdoor(row) && !op->is_scheduled && op->vd >= TENSIX_LREG_BACKDOOR) {
        lanes = tensix_vector_backdoor(vector, op);
    }
    return tensix_vector_ignores_flags(row) ? lanes : lanes & tensix_vector_enabled(vector);
}

/* Executes an instruction by itself, while nothing is scheduled. */
static inline enum tensix_exec tensix_vector_execute(struct tensix *tensix, unsigned row,
                                                     const struct tensix_vector_op *op,
                                                     tensix_vector_exec *exec)
{
    struct tensix_vector *vector = &tensix->vector;
    const uint32_t hidden = tensix_vector_hidden_reads(row, op);
    if ((vector->slow_writes & hidden) && vector->slow_start + 1 == tensix->now &&
        tensix_vector_report_hazard(tensix, op, hidden) == TENSIX_STOP) {
        return TENSIX_STOP;
    }
    const char *rule = exec(tensix, op, tensix_vector_lanes(vector, op, row));
    return rule ? tensix_vector_fault(tensix, op, rule) : TENSIX_DONE;
}

static inline enum tensix_exec tensix_vector_start(struct tensix *tensix, unsigned row,
                                                   unsigned thread, uint32_t word,
                                                   tensix_vector_exec *exec)
{
    const struct tensix_vector_op op = tensix_vector_decode(row, thread, word);
    return tensix->vector.schedules || tensix->timing
               ? tensix_vector_issue(tensix, &op)
               : tensix_vector_execute(tensix, row, &op, exec);
}

/* --- Loads (memory.c), for SFPLOADMACRO --- */

/* The address that an SFPLOAD or SFPLOADMACRO comes to; with INT32_ALL the stack pointer moves. */
unsigned tensix_vector_load_address(struct tensix *tensix, const struct tensix_vector_op *op);

/* The load itself, to LReg[vd], which is one of the first eight: format and thread are those of
 * `op`. The address modifier is the caller's. */
void tensix_vector_load(struct tensix *tensix, const struct tensix_vector_op *op, unsigned vd,
                        unsigned address);

/* --- Handlers --- */

#define INSN(...)
#define FRONT(...)
#define STUB(...)
#define SFPU(token, ...) tensix_vector_exec tensix_vector_exec_##token;
#define ABSENT_SFPU      SFPU
#include "tensix.def"

/* As TENSIX_EXEC. Load macros call tensix_vector_exec_SFPABS; in the runner what the row alone
 * decides costs nothing. */
#define TENSIX_EXEC_VECTOR(token)                                                                  \
    static inline const char *exec_##token(struct tensix *tensix,                                  \
                                           const struct tensix_vector_op *op, uint32_t lanes);     \
    enum tensix_exec tensix_exec_##token(struct tensix *tensix, unsigned thread, uint32_t word)    \
    {                                                                                              \
        return tensix_vector_start(tensix, TENSIX_ROW_##token, thread, word, exec_##token);        \
    }                                                                                              \
    const char *tensix_vector_exec_##token(struct tensix *tensix,                                  \
                                           const struct tensix_vector_op *op, uint32_t lanes)      \
    {                                                                                              \
        return exec_##token(tensix, op, lanes);                                                    \
    }                                                                                              \
    static inline const char *exec_##token(struct tensix *tensix,                                  \
                                           const struct tensix_vector_op *op, uint32_t lanes)

#endif
