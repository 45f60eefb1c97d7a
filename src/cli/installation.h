/*
 * What a client program needs around it: our library with its descriptor, a Python with the
 * vendor's packages, tt-metal's files. The compiler for kernels: compiler.h.
 */
#ifndef CLI_INSTALLATION_H
#define CLI_INSTALLATION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"

/* The cards of arch/blackhole/grid.def: the name of one that lives as long as the program; NULL: there is
 * none of that name, or beyond the last. */
const char *find_card(const char *name);
const char *card_at(size_t index);

/* What PENROSE_CARD says, right or wrong; the first card unless it is set. */
const char *default_card(void);

/* "/a/b" of its parts; false when it does not fit. */
bool path_join(char path[PATH_MAX], const char *folder, const char *name);

bool path_exists(const char *path);
bool path_is_program(const char *path);

/* Removes a file, or a folder with all that is in it; follows no links. */
void path_remove(const char *path);

/* Makes a folder and those above it; false and errno. */
bool path_make(const char *path);

/* The folder of this program, without a slash at its end. */
bool find_own_folder(char path[PATH_MAX]);

/*
 * The library of a card: in the build tree that this program lies in, or installed; or a link to the
 * installed one, made in the cache, where what was installed has no links (a Python wheel cannot).
 * False when there is none; `path` is then where it should be.
 */
bool find_library(const char *card, char path[PATH_MAX]);

/* A folder of the program's data: "kit", which `penrose new` copies, or "commands", which are written
 * in Python. It is that of the build tree that this program lies in, or installed. False when there
 * is none; `path` is then where it should be. */
bool find_data(const char *name, char path[PATH_MAX]);

/* The file that UMD looks for beside a library. */
bool find_descriptor(const char *library, char path[PATH_MAX]);

/* The guest program of ours that `name` is where no file has this relative path: of the build tree, or
 * installed. */
bool find_guest(const char *name, char path[PATH_MAX]);

/* A program as execvp finds it. */
bool find_program(const char *name, char path[PATH_MAX]);

/*
 * The Python that a command runs on: the first of its words that is one ("timeout 60 python x.py"),
 * or the interpreter that the first line of its program names, or that which PENROSE_PYTHON names (a
 * wheel's program sets it to the Python that it is installed in), or python3 from PATH; NULL for
 * `command` means the last two. False when there is none.
 */
bool find_python(char *const *command, char path[PATH_MAX]);

/*
 * The root of tt-metal's files: TT_METAL_RUNTIME_ROOT or TT_METAL_HOME, or the folder of the Python
 * package ttnn. False when there is none; `python` may be NULL.
 */
bool find_metal_root(const char *python, char path[PATH_MAX]);

#endif
