/*
 * Commands that are written in Python: see python/commands. The program checks the options, tells the
 * command by words NAME=VALUE what it has to know, and becomes it.
 */
#ifndef CLI_PYTHON_H
#define CLI_PYTHON_H

#include "cli/cli.h"

struct python_command {
    struct cli *cli;
    char **words;
    unsigned count;
    bool lacks_memory;
};

/* `module` is its file in python/commands, without .py. */
void python_begin(struct python_command *command, struct cli *cli, const char *module);

void python_tell(struct python_command *command, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Where the program and its libraries are, and the card. */
void python_tell_installation(struct python_command *command, const char *card);

/* The program itself, for commands that start it. */
void python_tell_program(struct python_command *command);

/* Returns after a message, with CLI_REFUSED; `rest`, up to NULL, goes behind "--". */
enum cli_exit python_become(struct python_command *command, char *const rest[]);

#endif
