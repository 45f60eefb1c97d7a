/*
 * Loops that fill the local RAM, or GPRs, with one word, as start-up code does with what must be
 * zero: some stores in a row, an addition to their base, and a branch back, or a jump to one. They
 * run whole turns at a time, with the effects and the cycles of their instructions.
 */
#ifndef RV32_FILL_H
#define RV32_FILL_H

#include "rv32/exec.h"

/* Finds such loops in a page whose ops are decoded. */
void rv32_fill_find(struct rv32_page *page);

/* The handler of the first store of such a loop. */
rv32_handler rv32_exec_fill;

#endif
