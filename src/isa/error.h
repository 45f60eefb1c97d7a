/* The one way host errors are filled in; every folder uses it. */
#ifndef ISA_ERROR_H
#define ISA_ERROR_H

#include <penrose/error.h>

/*
 * Fills *error (which may be NULL) with a printf-style message and returns `status`, so that a
 * failing function can end in `return error_set(...)`. Truncates at PENROSE_ERROR_TEXT.
 * Thread-safe.
 */
enum penrose_status error_set(struct penrose_error *error, enum penrose_status status,
                              const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
