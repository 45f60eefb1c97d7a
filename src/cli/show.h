/*
 * State of tiles for people: --show of boot, run and state. It prints what a dump has, whether that was
 * collected from a chip or read from files (observe/dump/dump.h).
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <stdio.h>

#include "cli/cli.h"
#include "observe/dump/dump.h"

/* What can be shown, a bit each. */
enum show_item {
#define SHOW_ITEM(token, name, groups) SHOW_##token##_NUMBER,
#include "cli/show_items.def"
    SHOW_ITEMS,
};

/* The bits of "dst,lregs", or of all of them for "all"; false, after a message, for other words. */
bool show_parse(const struct cli *cli, const char *option, const char *text, unsigned *items);

/* The groups of a dump that these items are in. */
unsigned show_groups(unsigned items);

/* Prints items of a tile. */
void show_tile(FILE *file, const struct dump_tile *tile, unsigned items);

/* Prints items of tiles of a chip; CLI_REFUSED with a message where that is not possible. */
enum cli_exit show_chip(const struct cli *cli, struct penrose_chip *chip,
                        const struct penrose_place *tiles, unsigned count, unsigned items);

#endif
