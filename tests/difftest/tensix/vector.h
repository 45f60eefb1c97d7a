/*
 * Programs of the Vector Unit: data in Dst, vectors of it in LRegs, and random instructions under
 * random flags, kept to what the reference accepts by the model (model_vector.c).
 *
 * A slot is a place of Dst for one vector of 32 words, as SFPSTORE writes them: the even or the odd
 * columns of four rows of 32 bits. The first slots hold the data; instructions store to others, so
 * that values are seen before they are overwritten; the last ones are the epilogue's.
 */
#ifndef DIFFTEST_TENSIX_VECTOR_H
#define DIFFTEST_TENSIX_VECTOR_H

#include "generate.h"

enum {
    VECTOR_LANES = 32,
    VECTOR_LREGS = 16,
    VECTOR_COMPACT_LREGS = 3, /* have data in golden cases */
    VECTOR_LEVELS = 9,        /* of flags: those in use, and what the stack holds */
    VECTOR_DATA_SLOTS = 32,
    VECTOR_SLOTS = 256,
    VECTOR_FREE_SLOTS = 216,                                   /* not the epilogue's */
    VECTOR_SLOT_ENABLED = VECTOR_FREE_SLOTS,                   /* lanes that a level enables */
    VECTOR_SLOT_CLEARED = VECTOR_SLOT_ENABLED + VECTOR_LEVELS, /* the same, all flags cleared */
    VECTOR_SLOT_LREGS = VECTOR_SLOT_CLEARED + VECTOR_LEVELS,
    VECTOR_SLOT_GENERATOR = VECTOR_SLOT_LREGS + VECTOR_LREGS,
};

/* What SFPLOAD and SFPSTORE of 32 bits have as address of a slot. */
static inline uint32_t vector_slot_row(unsigned slot)
{
    return slot / 2 * 4 + slot % 2 * 2;
}

/* Makes a program of about so many steps in g->program; g->rules are those of the Vector Unit. */
void vector_generate(struct generator *g, uint32_t steps);

/* vector_plan.c: the start of a program, and changes of configuration on its way. */
void vector_plan_start(struct generator *g);
void vector_change_config(struct generator *g);

/* make_vector.c: adds an instruction, behind an SFPNOP where software has to wait. */
bool vector_try_word(struct generator *g, uint32_t word);

/* An instruction of a rule, within what its cells say; the model may still refuse it. */
uint32_t vector_propose(struct generator *g, const struct rule *rule);

#endif
