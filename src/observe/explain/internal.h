/* What the files of explain share: a datum, the tiles and the run under way. */
#ifndef OBSERVE_EXPLAIN_INTERNAL_H
#define OBSERVE_EXPLAIN_INTERNAL_H

#include "observe/explain/explain.h"

enum { EXPLAIN_TILES = 8 };

/* An input that differed when it was read, and has been overwritten since. */
struct explain_followed {
    struct explain_followed *next;
    struct compare_part part;
    struct compare_item item;
    struct explain_datum datum;
};

/* A run of one side, and what it is watched for: data up to a moment of the side's own. */
struct explain_watch {
    enum explain_side side;
    struct explain_datum *datum;
    size_t count;
    struct writers_limit until;
    bool is_to_end; /* as the dump was made at the end, the states are compared there */
    bool ends_otherwise;
    struct writers *writers[EXPLAIN_TILES];
};

struct explain {
    const struct comparison *comparison;
    struct explain_runs runs;
    bool runs_both;
    struct explain_datum *datum; /* one for each difference that can be followed */
    size_t data;
    struct explain_followed *followed;        /* the latest first */
    struct penrose_place tile[EXPLAIN_TILES]; /* with differences */
    unsigned tiles;
    struct explain_watch watch; /* the run under way */
};

/* --- data.c: which data differ --- */

/* Makes a datum of each difference that can be watched; false without memory. */
bool explain_collect_data(struct explain *explain);

/* The index of a tile; EXPLAIN_TILES: there are too many. */
unsigned explain_tile(struct explain *explain, unsigned x, unsigned y);

/* Is datum `a` earlier? In one tile the order of its events counts, else that of their cycles. */
bool explain_is_earlier(const struct explain_datum *a, const struct explain_datum *b);

/* --- runs.c: running a side again --- */

/* Finds the last writes of these data before `until`. False, with a message: it cannot be run. */
bool explain_run(struct explain *explain, enum explain_side side, struct explain_datum *data,
                 size_t count, struct writers_limit until);

/* --- inputs.c --- */

#endif
