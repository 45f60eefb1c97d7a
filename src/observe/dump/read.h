/*
 * Reading dumps (docs/DUMPS.md): the manifest is checked when a dump is opened, files are read when
 * they are asked for.
 *
 * Invariants of an open dump: its version is one that Penrose knows; no two of its tiles have the
 * same place; the name of each file lies in the dump's folder.
 */
#ifndef OBSERVE_DUMP_READ_H
#define OBSERVE_DUMP_READ_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "observe/dump/dump.h"

enum { DUMP_TILE_NAME = 16 };

struct dump_files_tile {
    unsigned x, y;
    char name[DUMP_TILE_NAME]; /* "1-2" */
    json_t *about;             /* what the manifest says of it: an object with */
    json_t *parts;             /* an object, */
    json_t *l1_map;            /* and an array, or NULL */
};

struct dump_files {
    char *path;       /* the folder */
    json_t *manifest; /* an object */
    struct dump_files_tile *tile;
    size_t tiles;
};

extern const char dump_manifest_name[];

/* The path of a file in a folder; false where it is too long, as dump_path_too_long says. */
bool dump_path(char path[PATH_MAX], const char *directory, const char *name);
enum penrose_status dump_path_too_long(struct penrose_error *error, const char *directory);

/* Has the folder tiles of a dump, but no manifest, which is written last? */
bool dump_is_cut(const char *directory);

/* The manifest of the dump in a folder, checked as far as its version; to be given back by json_decref.
 * PENROSE_E_FILE, PENROSE_E_FORMAT, PENROSE_E_MEMORY. */
enum penrose_status dump_read_manifest(const char *directory, json_t **manifest,
                                       struct penrose_error *error);

/*
 * Opens the dump in a folder. PENROSE_E_FILE, PENROSE_E_FORMAT (no dump, a greater version, a
 * manifest that is broken or names files outside of the folder), PENROSE_E_MEMORY.
 */
enum penrose_status dump_open(const char *path, struct dump_files *dump,
                              struct penrose_error *error);
void dump_close(struct dump_files *dump);

/* A member of the manifest that is a string; "" where there is none. */
const char *dump_text(const struct dump_files *dump, const char *member);

/* The tile at a place; NULL: the dump has none. */
const struct dump_files_tile *dump_tile_at(const struct dump_files *dump, unsigned x, unsigned y);

/* The part of a tile, if it has a file; else NULL. */
json_t *dump_tile_part(const struct dump_files_tile *tile, const char *name);

/* Why a part that was asked for is not there; NULL: it is, or nobody asked. */
const char *dump_tile_missing(const struct dump_files_tile *tile, const char *name);

/* Reads the file of a part: an array, to be freed with loader_npy_free, or a JSON object or array. */
enum penrose_status dump_part_array(const struct dump_files *dump, const json_t *part,
                                    struct loader_npy *array, struct penrose_error *error);
enum penrose_status dump_part_json(const struct dump_files *dump, const json_t *part, json_t **json,
                                   struct penrose_error *error);

/* Is the file of a part an array? */
bool dump_part_is_array(const json_t *part);

/* Reads the parts of tile `index` that are in these groups; to be freed also after an error. */
enum penrose_status dump_read_tile(const struct dump_files *dump, size_t index, unsigned groups,
                                   struct dump_tile *tile, struct penrose_error *error);

#endif
