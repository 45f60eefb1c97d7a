/* A trace in a file: text, or the binary form where the file's name ends in ".ptrace". Written as it
 * goes, without stdio, by one process only. */
#ifndef OBSERVE_TRACE_FILE_H
#define OBSERVE_TRACE_FILE_H

#include <penrose/trace.h>

#define TRACE_FILE_SUFFIX ".ptrace"

struct trace_file;

struct trace_file_options {
    const char *path;   /* NULL: stderr, as text, line by line */
    const char *filter; /* see penrose/trace.h; NULL: none */
    bool appends;       /* to what the file has; else that goes */
};

/*
 * Traces the chip into a file. PENROSE_E_FILE, PENROSE_E_MEMORY, PENROSE_E_ARGUMENT for a wrong filter.
 * A process that forks goes on tracing, its child does not.
 */
enum penrose_status trace_file_start(struct penrose_chip *chip,
                                     const struct trace_file_options *options,
                                     struct trace_file **result, struct penrose_error *error);

/* Ends tracing and writes what is left. False when not all could be written; errno says why. NULL
 * does nothing. */
bool trace_file_stop(struct trace_file *trace);

#endif
