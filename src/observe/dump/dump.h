/*
 * Dumps in memory (docs/DUMPS.md), tile by tile, collected from a chip or read from files. Code
 * that writes, prints and draws dumps works only on these.
 *
 * Invariants of a tile: every part has either JSON or an array. `about` has what the manifest says
 * of it, without file, dtype and shape, which follow from the array.
 */
#ifndef OBSERVE_DUMP_H
#define OBSERVE_DUMP_H

#include <jansson.h>

#include <penrose/dump.h>

#include "loader/npy.h"

enum { DUMP_VERSION = 1, DUMP_DIMENSIONS = 3, DUMP_NAME = 32 };

/* Groups of parts, a bit each. */
enum dump_group {
#define DUMP_GROUP(token, name) DUMP_##token##_NUMBER,
#include "observe/dump/groups.def"
    DUMP_GROUPS,
};

enum {
#define DUMP_GROUP(token, name) DUMP_##token = 1 << DUMP_##token##_NUMBER,
#include "observe/dump/groups.def"
    DUMP_ALL = ((1 << DUMP_GROUPS) - 1) & ~DUMP_GDDR, /* what there is unless parts are named */
};

struct dump_part {
    char name[DUMP_NAME];
    json_t *about;
    json_t *json;            /* NULL: it is the array */
    struct loader_npy array; /* no data: it is JSON */
    uint32_t shape[DUMP_DIMENSIONS];
    unsigned dimensions;
};

struct chip_calls;

struct dump_tile {
    const struct chip_calls *kind; /* of chip */
    unsigned x, y;
    json_t *about; /* what the manifest says of the tile, but parts */
    struct dump_part *part;
    unsigned parts;
    bool failed; /* memory ran out: the tile lacks something */
};

/* The bits of groups that `names` has, which are separated by commas; NULL: DUMP_ALL. PENROSE_E_ARGUMENT
 * with what is unknown. */
enum penrose_status dump_groups(const char *names, unsigned *groups, struct penrose_error *error);

/* What a tile with harts is now; to be freed also after an error. `firmware` as in
 * penrose_dump_options. PENROSE_E_ARGUMENT, PENROSE_E_MEMORY. */
enum penrose_status dump_collect(struct penrose_chip *chip, struct penrose_place at,
                                 unsigned groups, const struct penrose_firmware *firmware,
                                 struct dump_tile *tile, struct penrose_error *error);

/* Does dump_collect of the tile `at` have the bank's GDDR? The first of its tiles that was touched
 * does. */
bool dump_has_gddr(const struct penrose_chip *chip, unsigned bank, struct penrose_place at);

/* GDDR of a bank alone, as what its tile `at` is. */
void dump_collect_bank(struct penrose_chip *chip, unsigned bank, struct penrose_place at,
                       struct dump_tile *tile);

/* What the manifest has besides its tiles; NULL without memory. */
json_t *dump_manifest(struct penrose_chip *chip, const char *reason, const char *text);

/* FILE:LINE of the calls that were inlined at a fault, the innermost first; a new array. */
json_t *dump_fault_calls(const struct penrose_fault *fault);

/* The part of that name; NULL: the tile has none. */
const struct dump_part *dump_find(const struct dump_tile *tile, const char *name);

/* An element of an array as a number, whatever its type. */
double dump_number(const struct loader_npy *array, size_t index);

void dump_tile_free(struct dump_tile *tile);

/* --- Writing files (file.c); reading them is in read.h --- */

/* May a dump be put into this folder? Nothing is made. PENROSE_E_FILE. */
enum penrose_status dump_check_directory(const char *directory, struct penrose_error *error);

/* Makes the folder, if need be, and removes the manifest of an older dump. */
enum penrose_status dump_begin(const char *directory, struct penrose_error *error);

/* Writes the parts of a tile into its folder in `directory` and adds the tile to the manifest. */
enum penrose_status dump_write_tile(const char *directory, const struct dump_tile *tile,
                                    json_t *manifest, struct penrose_error *error);

/* Writes the manifest, which makes the folder a dump. */
enum penrose_status dump_finish(const char *directory, const json_t *manifest,
                                struct penrose_error *error);

/* A file of a dump that is made anew: what had its name is removed before, so that nothing is written
 * through a link. -1 and errno. */
int dump_create_file(const char *path);

#endif
