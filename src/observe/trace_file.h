/* A trace that a library writes: into a file, without stdio, by one process only. */
#ifndef OBSERVE_TRACE_FILE_H
#define OBSERVE_TRACE_FILE_H

#include <penrose/penrose.h>

struct trace_file;

/*
 * Traces the chip into a file, to which lines are added (it is made if there is none).
 * PENROSE_E_FILE, PENROSE_E_MEMORY. A process that forks goes on tracing, its child does not.
 */
enum penrose_status trace_file_start(struct penrose_chip *chip, const char *path,
                                     struct trace_file **result, struct penrose_error *error);

/* Ends tracing and writes what is left. False when not all could be written. NULL does nothing. */
bool trace_file_stop(struct trace_file *trace);

#endif
