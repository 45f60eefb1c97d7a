/* `--trace`: a line for each instruction and each access to a register. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <penrose/penrose.h>

#include "cli/cli.h"

struct trace;

/* Starts tracing to `path` (NULL: stderr). CLI_REFUSED with a message when that cannot be. */
enum cli_exit trace_start(const struct cli *cli, struct penrose_chip *chip, const char *path,
                          struct trace **trace);

/* Other code has been loaded: what was remembered of the old is forgotten. NULL is allowed. */
void trace_forget(struct trace *trace);

/* Ends tracing; CLI_REFUSED with a message when the file could not be written. */
enum cli_exit trace_stop(const struct cli *cli, struct trace *trace);

#endif
