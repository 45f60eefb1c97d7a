/* Options of users in environment variables. Not while another thread changes the environment. */
#ifndef HOST_ENVIRONMENT_H
#define HOST_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* A variable's value, which lives until the environment changes; NULL where it is not set, or
 * empty. */
const char *host_variable(const char *name);

/* The number that a variable's text is, from 1 to `most`; false, and *count is as it was, when it is
 * none of these. */
bool host_count(const char *text, unsigned most, unsigned *count);

/* What a variable's text switches: "on" or "off"; false, and *is_on is as it was, when it is
 * neither. */
bool host_switch(const char *text, bool *is_on);

/* The path of a file that may be named from the working directory; false when it does not fit into
 * `size` bytes. */
bool host_absolute(char *path, size_t size, const char *file);

/* The folder for what is fetched and made once: $PENROSE_CACHE, or `penrose` in $XDG_CACHE_HOME or
 * in $HOME/.cache; an absolute path. False when none of them is set, or the path does not fit into
 * `size` bytes. */
bool host_cache(char *path, size_t size);

#endif
