/*
 * Output to terminals. Symbols, paths and names come from files and may have control characters,
 * which terminals obey. So everything that the program prints to stdout and stderr goes through one
 * place. It passes newlines, tabs and UTF-8 (isa/plain_text.h).
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdio.h>

enum { TERMINAL_CHARACTER = 4 /* bytes, at most */ };

/* A stream, and the beginning of a character whose end comes with the next call. */
struct terminal {
    int descriptor;
    FILE *original;
    char held[TERMINAL_CHARACTER];
    size_t holds;
};

/* Puts itself behind stdout and stderr; without memory they stay as they are. */
void terminal_begin(struct terminal terminals[2]);

/* Gives them back. */
void terminal_end(const struct terminal terminals[2]);

/* The descriptor of one of the two, as fileno() knows none. */
int terminal_descriptor(FILE *file);

/* A control sequence of the program's own. */
void terminal_control(FILE *file, const char *sequence);

#endif
