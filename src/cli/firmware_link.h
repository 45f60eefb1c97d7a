/*
 * Stock ttnn finds the firmware that it ships, though the chip is emulated.
 *
 * tt-metal looks for firmware in <root>/tt_metal/pre-compiled/<build key>. The keys of the shipped
 * sets are those of silicon; with a simulator the key is another, and tt-metal compiles firmware,
 * which takes long and needs SFPI. The images would be the same: the key differs in what is said
 * about multi-ERISC mode and DRAM cores, which worker firmware does not depend on.
 *
 * So there is a second root in the cache, made of links to the first one and of two more, from the
 * keys (for one command queue, and for two) to the shipped set that has the card's numbers of
 * banks. Nothing is written to the user's Python. A key cannot be computed from outside: it is that
 * of the folder which ttnn makes in its cache as soon as it is to compile firmware, and ttnn is
 * stopped then; the answers are kept.
 */
#ifndef CLI_FIRMWARE_LINK_H
#define CLI_FIRMWARE_LINK_H

#include <limits.h>
#include <stdbool.h>

enum firmware_link {
    FIRMWARE_LINKED,  /* TT_METAL_RUNTIME_ROOT is to be `root` */
    FIRMWARE_AS_IS,   /* nothing to do: no shipped firmware here, or its own key is there */
    FIRMWARE_COMPILED /* ttnn will compile firmware: `reason` */
};

struct firmware_link_request {
    char *const *command; /* that will run; its Python is asked */
    const char *library, *card;
};

struct firmware_link_answer {
    char root[PATH_MAX];
    char reason[512];
};

enum firmware_link firmware_link_make(const struct firmware_link_request *request,
                                      struct firmware_link_answer *answer);

/* The shipped set in `folder` that fits a card: its numbers of banks, dispatch on Tensix tiles.
 * False when none does; *sets are those that are Blackhole's. */
bool firmware_link_choose(const char *folder, const char *card, char path[PATH_MAX],
                          unsigned *sets);

#endif
