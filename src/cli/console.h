/*
 * The output of guests by RISC-V semihosting calls. By such a call a hart asks its debugger for
 * something, and stops until that is done. The call is `slli x0, x0, 31; ebreak; srai x0, x0, 7`
 * with a number in a0 and an argument in a1; any other ebreak ends a program. SPEC: RISC-V
 * Semihosting 1.0 (SYS_WRITEC, SYS_WRITE0, SYS_WRITE, SYS_EXIT, SYS_EXIT_EXTENDED; -1 answers all
 * others).
 */
#ifndef CLI_CONSOLE_H
#define CLI_CONSOLE_H

#include <stdbool.h>

#include <jansson.h>

#include <penrose/penrose.h>

enum { CONSOLE_LINE = 1024 }; /* longer lines are cut into several */

struct console {
    struct penrose_place tile;
    unsigned harts;  /* that may talk, a bit each; 0: nobody */
    bool names;      /* lines begin with the name of the hart */
    json_t *lines;   /* where they go; NULL: to stdout */
    unsigned exited; /* harts that have said that they are done, a bit each */
    struct console_line {
        char text[CONSOLE_LINE];
        unsigned length;
    } line[PENROSE_HARTS]; /* that have not ended */
};

/* Does any hart stand in a call? */
bool console_is_called(const struct console *console, struct penrose_chip *chip);

/* Does what harts ask for, and lets them go on unless they asked to end. False: none did. */
bool console_serve(struct console *console, struct penrose_chip *chip);

/* Prints lines that have not ended. */
void console_finish(struct console *console);

#endif
