/*
 * SFPI, Tenstorrent's compiler, without which ttnn opens no device: it compiles firmware and
 * kernels. It is looked for where tt-metal itself looks, then where scripts/fetch-sfpi puts it, then
 * in the Python package jax-tt-plugin, whose library carries it inside.
 *
 * tt-metal finds it only below its own root. Where it is elsewhere, there is a second root in the
 * cache, made of links to the first one and of one more to the compiler; nothing is written to the
 * user's Python.
 */
#ifndef CLI_COMPILER_H
#define CLI_COMPILER_H

#include <limits.h>
#include <stdbool.h>

enum compiler_place {
    COMPILER_NOWHERE,
    COMPILER_USUAL, /* tt-metal finds it */
    COMPILER_CACHED,
    COMPILER_PACKED, /* in jax-tt-plugin */
};

struct compiler {
    enum compiler_place place;
    char folder[PATH_MAX];  /* with compiler/ and include/; empty when it is packed or nowhere */
    char library[PATH_MAX]; /* that it is packed in */
};

/* `root` is tt-metal's, NULL: there is none; `python` may have the package, NULL: there is none. */
void compiler_find(const char *root, const char *python, struct compiler *compiler);

/* Unpacks a packed one into the cache, by the Python whose package it is. False, and the reason in
 * 256 bytes, when that cannot be done. */
bool compiler_unpack(struct compiler *compiler, const char *python, char *reason);

/* Makes the second root, or adds to it what `root` has got since; false and errno. */
bool compiler_root(const char *root, const struct compiler *compiler, char path[PATH_MAX]);

/* The command that gets one: a script of the source tree that this program was built in, or pip. */
void compiler_remedy(const char *python, char text[PATH_MAX + 128]);

/* The version that tt-metal's root names, such as "7.89.0"; empty when it names none. */
void compiler_wanted(const char *root, char version[16]);

#endif
