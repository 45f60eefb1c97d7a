/* Whose a source file is: the user's own, or of what everybody compiles with. */
#ifndef LOADER_SOURCES_H
#define LOADER_SOURCES_H

#include <stdbool.h>

/*
 * False for headers and sources of compilers and their libraries, of tt-metal's firmware and device
 * headers, of LLK and SFPI; by folders in the path. Kernels in tt-metal's tree are somebody's own.
 */
bool loader_is_own_source(const char *file);

#endif
