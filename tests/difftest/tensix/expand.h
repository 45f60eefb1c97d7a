/*
 * What reaches the wait gates: a program with its MOPs and REPLAYs expanded. A model of its own,
 * for counting executed instructions and for shrinking; it knows what the generator makes.
 */
#ifndef DIFFTEST_TENSIX_EXPAND_H
#define DIFFTEST_TENSIX_EXPAND_H

#include "program.h"

/* `step` is the number of the step that the instruction came from. */
typedef void expand_visit(void *context, uint32_t step, uint8_t thread, uint32_t word);

/* Calls `visit` for every instruction that executes, MOP, MOP_CFG and REPLAY themselves included,
 * in the order of the program. False: not sound, see below. */
bool program_expand(const struct program *program, expand_visit *visit, void *context);

/* False: the program plays what it did not record, records MOP or REPLAY, or leaves a recording
 * unfinished. */
bool program_is_sound(const struct program *program);

/* The same program without MOP and REPLAY; false: no memory. */
bool program_unroll(struct program *to, const struct program *from);

#endif
