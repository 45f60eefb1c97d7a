/*
 * Reading dumps (docs/DUMPS.md): the manifest is checked, files are read when they are asked for.
 *
 * Invariants of an open dump: its version is one that Penrose knows; it has at least one tile, no
 * two of which have the same place; the name of each file lies in the dump's folder.
 */
#ifndef OBSERVE_COMPARE_DUMP_H
#define OBSERVE_COMPARE_DUMP_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include <penrose/error.h>

#include "loader/npy.h"

enum { COMPARE_TILE_NAME = 16 };

struct compare_tile {
    unsigned x, y;
    char name[COMPARE_TILE_NAME]; /* "1-2" */
    json_t *parts;                /* an object; of the manifest */
    json_t *l1_map;               /* an array, or NULL */
};

struct compare_dump {
    char *path;       /* the folder */
    json_t *manifest; /* an object */
    struct compare_tile *tile;
    size_t tiles;
};

/*
 * Opens the dump in a folder. PENROSE_E_FILE, PENROSE_E_FORMAT (no dump, a greater version, a
 * manifest that is broken or names files outside of the folder), PENROSE_E_MEMORY.
 */
enum penrose_status compare_dump_open(const char *path, struct compare_dump *dump,
                                      struct penrose_error *error);
void compare_dump_close(struct compare_dump *dump);

/* A member of the manifest that is a string; "" where there is none. */
const char *compare_dump_text(const struct compare_dump *dump, const char *member);

/* The tile at a place; NULL: the dump has none. */
const struct compare_tile *compare_dump_tile(const struct compare_dump *dump, unsigned x,
                                             unsigned y);

/* The part of a tile, if it has a file; else NULL. */
json_t *compare_tile_part(const struct compare_tile *tile, const char *name);

/* Why a part that was asked for is not there; NULL: it is, or nobody asked. */
const char *compare_tile_missing(const struct compare_tile *tile, const char *name);

/* Reads the file of a part: an array, to be freed with loader_npy_free, or a JSON object or array. */
enum penrose_status compare_part_array(const struct compare_dump *dump, const json_t *part,
                                       struct loader_npy *array, struct penrose_error *error);
enum penrose_status compare_part_json(const struct compare_dump *dump, const json_t *part,
                                      json_t **json, struct penrose_error *error);

/* Is the file of a part an array? */
bool compare_part_is_array(const json_t *part);

#endif
