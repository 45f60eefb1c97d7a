/* Lines of source files, for profiles. */
#ifndef OBSERVE_PROFILE_LINES_H
#define OBSERVE_PROFILE_LINES_H

#include <stdbool.h>

enum { PROFILE_LINE_BYTES = 200 };

/* The line of that number (from 1) in a file, without the blanks around it. False: the file cannot be
 * read, or has no such line. Longer lines are cut. */
bool profile_source_line(const char *path, unsigned number, char line[PROFILE_LINE_BYTES]);

#endif
