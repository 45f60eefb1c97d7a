/* A trace in a file, or a profile, which is made of the events of a trace. By the end of the file's name
 * a trace is text or, ".ptrace", binary; a profile is text, a page (".html") or a trace for Perfetto
 * (".pftrace"); file.c has the list. Written by one process only; a text, page or table of a profile when
 * all is over. */
#ifndef OBSERVE_TRACE_FILE_H
#define OBSERVE_TRACE_FILE_H

#include <penrose/trace.h>

struct trace_file;
struct chip_calls;

struct trace_file_options {
    const char *path;   /* NULL: stderr, as text, line by line */
    const char *filter; /* see penrose/trace.h; NULL: none */
    /* To what the file has; else that goes. A page or table of a profile takes the place of what the file
     * has in any case. */
    bool appends;
    bool is_profile;
    bool is_perfetto;       /* a profile in Perfetto's form, whatever the file is called */
    unsigned chip;          /* its number in its cluster */
    const char *operations; /* a file in which the host tells its operations; NULL: it does not */
};

/*
 * Traces the chip into a file. PENROSE_E_FILE, PENROSE_E_MEMORY, PENROSE_E_ARGUMENT for a wrong filter.
 * A process that forks goes on tracing, its child does not.
 */
enum penrose_status trace_file_start(struct penrose_chip *chip,
                                     const struct trace_file_options *options,
                                     struct trace_file **result, struct penrose_error *error);

/* Each chip of several has a file of its own: of "t.ptrace" chip 1 has "t.chip1.ptrace", and chip 0 has
 * the file itself. `own` has PATH_MAX bytes; the result is that, or the path. */
const char *trace_file_of_chip(const char *path, unsigned chip, char *own);

/* A profile of events that come from elsewhere, by trace_file_take. Of the options it takes `path`,
 * `is_perfetto` and `operations`. NULL: *error says why not. */
struct trace_file *trace_file_profile(const struct trace_file_options *options,
                                      const struct chip_calls *calls, struct penrose_error *error);
void trace_file_take(void *trace, const struct penrose_trace_event *event);

/* Ends tracing and writes what is left. False when not all could be written; errno says why. NULL
 * does nothing. */
bool trace_file_stop(struct trace_file *trace);

#endif
