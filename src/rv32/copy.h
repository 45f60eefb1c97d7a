/*
 * Loops that copy words from L1 to the local RAM (or GPRs), as start-up code does with initial data:
 * some loads in a row, stores of what they have loaded, additions to both bases and perhaps to a
 * count in between, and a branch back, or a jump to one. They run whole turns at a time, with the
 * effects and the cycles of their instructions.
 */
#ifndef RV32_COPY_H
#define RV32_COPY_H

#include "rv32/exec.h"

/* Finds what looks like such a loop, as far as the page shows it, in a page whose ops are decoded
 * and whose loops that fill were found. */
void rv32_copy_find(struct rv32_page *page);

/* The handler of the first load of such a loop. */
rv32_handler rv32_exec_copy;

#endif
