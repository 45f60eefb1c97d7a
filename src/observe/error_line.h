/*
 * The line by which scripts for ttsim recognise an error. LLK's harness and its report of a run
 * look for it in the output of a test:
 *     [CLOCK] ERROR: CATEGORY: FUNCTION: DETAILS
 */
#ifndef OBSERVE_ERROR_LINE_H
#define OBSERVE_ERROR_LINE_H

#include <penrose/penrose.h>

/* The line of a fault, without a newline: the function is its kind, the details are what the first
 * line of penrose_fault_format says besides. Returns its length, as snprintf does. */
int error_line_format(const struct penrose_fault *fault, char *text, size_t size);

/*
 * Is the line of this fault to be printed? ttsim ends with its first error, so a warning has none.
 * PENROSE_ERROR_STYLE says whether others have one, "ttsim" or "penrose"; without it, or with
 * another value, they do where LLK's tests run in this process.
 */
bool error_line_wanted(const struct penrose_fault *fault);

/* PENROSE_E_ARGUMENT when PENROSE_ERROR_STYLE has another value. */
enum penrose_status error_line_check(struct penrose_error *error);

#endif
