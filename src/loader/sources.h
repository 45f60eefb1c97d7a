/* Whether a source file is the user's own, or part of the libraries and firmware that all programs
 * are compiled with. */
#ifndef LOADER_SOURCES_H
#define LOADER_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/elf.h"

/*
 * False for headers and sources of compilers and their libraries, of tt-metal's firmware and device
 * headers, of LLK and SFPI; by folders in the path. Kernels in tt-metal's tree are somebody's own.
 */
bool loader_is_own_source(const char *file);

/*
 * Calls that were inlined, for a line: ", inlined at FILE:LINE, FILE:LINE, FILE:LINE". Of many calls
 * these stay: the innermost, up to four in files of the user's own, of which the outermost is one,
 * and the outermost of all. Empty where nothing was inlined.
 */
void loader_calls_text(const struct loader_call *call, unsigned calls, bool has_folders, char *text,
                       size_t size);

#endif
