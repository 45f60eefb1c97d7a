/* What the tests of load macros share: a coprocessor, the model, and templates that only move. */
#ifndef MACRO_WORLD_H
#define MACRO_WORLD_H

#include "unit/tensix/sfp_model.h"

#include <check.h>

#include "tensix/regs.h"

enum { TEXT = 160 };

/* A template that only moves its operand: MOV, x * 1 + -0, a shift by 0. */
enum { ONE = 10, ZEROES = 9, NEGATES_C = 2 };

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static struct unit unit;
static struct dice dice;

static inline void setup(void)
{
    tensix_harness_open(&harness);
    dice.state = 6;
    dice_fill(&dice, tensix);
}

static inline void teardown(void)
{
    tensix_harness_close(&harness);
}

static inline uint32_t lreg(unsigned r, unsigned lane)
{
    return tensix->vector.lreg[r][lane];
}

static inline void fill_lreg(unsigned r, uint32_t value)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        tensix->vector.lreg[r][lane] = value;
    }
}

static inline void set_dst(unsigned row, uint16_t value)
{
    for (unsigned i = 0; i < 4 * COLUMNS; i++) {
        tensix->dst.bits[row + i / COLUMNS][i % COLUMNS] = value;
    }
}

/* That an ordinary instruction is discarded may be reported, but changes nothing. */
static inline void no_faults(const char *what)
{
    bool is_notice = unit.discarded && harness.fault.kind == TENSIX_FAULT_HAZARD;
    ck_assert_msg(!harness.faults || is_notice, "%s: %s", what, harness.fault.text);
    harness.faults = 0;
}

/* Templates of three sub-units that bring their operand, VD of the macro, to LReg[16]. */
static inline uint32_t mover(unsigned part)
{
    switch (part) {
    case PART_SIMPLE:
        return narrow(MOV, 0, 0, 0, 0);
    case PART_MAD:
        return mad(MAD, ONE, 0, ZEROES, 0, NEGATES_C);
    default:
        return narrow(SHFT2, 0, 0, 0, 6);
    }
}

static inline uint32_t slot_for(unsigned part, unsigned delay)
{
    unsigned flags = INTO_STAGED | (part == PART_SIMPLE ? 0 : INTO_VB);
    return part == PART_STORE ? slot(0, delay, THE_STORE) << 24 : slot(flags, delay, 4) << part * 8;
}

#endif
