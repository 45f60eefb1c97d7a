/*
 * Carries out a journal (chip/journal.h) on the chips of a cluster again. A step is an entry or a window
 * of time. Windows end where they ended, so nothing depends on threads, shortcuts or observers. The
 * journal takes the place of host memory: a chip reads what it read then, and its writes are
 * compared.
 *
 * An observer stops chips where history.c wants it, and at pauses that are in the journal. No
 * packets are exchanged between stops, so a stop in the middle of a window changes nothing.
 */
#ifndef OBSERVE_RERUN_H
#define OBSERVE_RERUN_H

#include "chip/chip.h"
#include "cluster/cluster.h"
#include "observe/history/replay.h"

/*
 * A moment of a journal: before what a tile tells of is over. Those of one tile are in the order in
 * which they happened; within a window, tiles come one after the other, chip by chip. Events are counted by kinds,
 * so moments that are counted by different ones are compared where both are counted.
 */
struct rerun_moment {
    uint64_t at, index; /* place of the entry; number of the window in it */
    unsigned place;     /* of the tile, see rerun_place; RERUN_ALL: behind all that happens then */
    unsigned kinds;     /* of events: a bit each */
    uint64_t ordinal;   /* of the event among those that the tile told then; from 1 */
};

enum { RERUN_ALL = CLUSTER_CHIPS * NOC_NODES };

/* The place of a tile among those of all chips. */
static inline unsigned rerun_place(unsigned chip, const struct tile *tile)
{
    return chip * NOC_NODES + tile->node;
}

static inline unsigned rerun_chip_of(unsigned place)
{
    return place / NOC_NODES;
}

/* Negative, 0, positive: a is before, at, behind b. */
int rerun_compare(const struct rerun_moment *a, const struct rerun_moment *b);

struct rerun_mark { /* a pause of the journal */
    uint64_t at;    /* its entry */
    unsigned place; /* as rerun_place */
    struct observed event;
    bool is_reached;
};

enum { RERUN_MARKS = 64, RERUN_TEXT = 400 };

/* What belongs to a chip. */
struct rerun_chip {
    struct rerun *rerun;
    struct penrose_chip *chip;
    struct observer observer;
    struct rerun_tile {
        uint64_t events, others; /* of this step */
        bool stands;             /* it stopped before this instruction, of which it tells again */
        enum observed_agent agent;
        uint32_t pc;
        uint64_t retired;
    } tile[NOC_NODES];
};

struct rerun {
    struct penrose_cluster *cluster;
    struct rerun_chip *chip; /* of all chips */
    unsigned chips;
    const struct journal *journal;
    uint64_t at;               /* the next entry */
    struct journal_entry step; /* the one under way */
    uint64_t index;            /* of its window */

    bool in_window;                  /* which somebody has stopped */
    uint64_t start, planned, actual; /* of it */
    struct rerun_mark mark[RERUN_MARKS];
    unsigned marks;

    bool is_free; /* see rerun_free.h */
    bool differs; /* the chip went another way: */
    char difference[RERUN_TEXT];

    /* The kinds of events that the observers want, with a bit for each. If `see` is true the run stops
     * there. `see` also gets the number of events of `other_kinds` in the tile, including this one. */
    unsigned kinds, other_kinds;
    bool (*wants)(void *context, unsigned chip, const struct tile *tile);
    bool (*see)(void *context, struct tile *tile, const struct observed *event,
                const struct rerun_moment *moment, uint64_t others, bool is_present);
    void *context;
    bool has_stopped;

    uint8_t *bytes; /* of an access */
    size_t room;
};

/* Begins with chips that are what they were before window `index` (or 0) of the entry at `at`.
 * PENROSE_E_STATE, PENROSE_E_MEMORY. It has to stay where it is until rerun_finish. */
enum penrose_status rerun_begin(struct rerun *rerun, struct penrose_cluster *cluster,
                                const struct journal *journal, uint64_t at, uint64_t index,
                                struct penrose_error *error);

enum rerun_end rerun_step(struct rerun *rerun);

/* What the next step begins with, unless one has stopped. */
void rerun_next(const struct rerun *rerun, uint64_t *at, uint64_t *index);

/* Asks `wants` again, of all tiles, and takes other kinds. */
void rerun_look_again(struct rerun *rerun);

/* What it has allocated; the cluster, which observes no longer, is the caller's. */
void rerun_finish(struct rerun *rerun);

/* --- For other ways to replay (rerun_free.c) --- */

/* Carries out an entry that is neither a window nor of host memory; its answer is in rerun->bytes.
 * False: it cannot be one of this chip's. */
bool rerun_carry_out(struct rerun *rerun, const struct journal_entry *entry,
                     enum penrose_status *status, struct penrose_error *error);

/* The text of an access for messages: "read of 4 bytes at 0x1000 of tile (1, 2)". */
void rerun_describe(const struct journal_entry *entry, char *text, size_t size);

/* Notes a difference; the first stays. False. */
bool rerun_differ(struct rerun *rerun, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Compares an answer with what was kept of it; tells how they differ. */
bool rerun_compare_answer(const struct journal_entry *answer, enum penrose_status status,
                          const uint8_t *bytes, size_t size, char *text, size_t room);

#endif
