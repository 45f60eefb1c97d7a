/* Programs as text, and the state that a golden case expects. */
#ifndef DIFFTEST_NOC_TEXT_H
#define DIFFTEST_NOC_TEXT_H

#include <stdio.h>

#include "program.h"

enum { LINE_SIZE = 600, ERROR_SIZE = 200 };

/* "case N", then a line for the program, each memory, agent and transaction. */
void program_print(const struct program *program, FILE *to);

/* Reads from a "case" line up to the next one, to "state", or the end. 1: there is one, which was
 * checked; 0: the end of the file; -1: *error says why not. *line counts lines. */
int program_read(struct program *program, FILE *from, unsigned *line, char error[ERROR_SIZE]);

#endif
