/* Cards, and what is installed beside the program. What client programs need around it:
 * python/commands/installation.py. */
#ifndef CLI_INSTALLATION_H
#define CLI_INSTALLATION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"

/* What PENROSE_CARD says, right or wrong; the first card unless it is set. */
const char *default_card(void);

/* "/a/b" of its parts; false when it does not fit. */
bool path_join(char path[PATH_MAX], const char *folder, const char *name);

bool path_exists(const char *path);

/* Removes a file, or a folder with all that is in it; follows no links. */
void path_remove(const char *path);

/* Makes a folder and those above it; false and errno. */
bool path_make(const char *path);

/* The folder of this program, without a slash at its end. */
bool find_own_folder(char path[PATH_MAX]);

/* A folder of the program's data: "kit", which `penrose new` copies, or "commands", which are written
 * in Python. It is that of the build tree that this program lies in, or installed. False when there
 * is none; `path` is then where it should be. */
bool find_data(const char *name, char path[PATH_MAX]);

/* The guest program of ours that `name` is where no file has this relative path: of the build tree, or
 * installed. */
bool find_guest(const char *name, char path[PATH_MAX]);

/* A program as execvp finds it. */
bool find_program(const char *name, char path[PATH_MAX]);

#endif
