/*
 * Moments of a run at which a user wants to look, for the first or the n-th time: when a hart comes
 * to a function, a line or a pc, when the coprocessor has executed a Tensix instruction, at a
 * cycle, or before a launch.
 *
 * At an instruction of a hart the run ends with PENROSE_PAUSED, before it, as at a breakpoint of
 * penrose/debug.h. After a Tensix instruction `look` is called in the middle of the run, which ends
 * with the window. The run must not stop there, because what units do next depends on the order in
 * which threads go on. Each tile counts by itself without ending the run, and the first tile that
 * gets there decides. The caller counts cycles and launches.
 */
#ifndef OBSERVE_MOMENTS_H
#define OBSERVE_MOMENTS_H

#include <penrose/penrose.h>

#include "loader/places.h"

enum moment_kind {
    MOMENT_FUNCTION,
    MOMENT_LINE,
    MOMENT_PC,
    MOMENT_TENSIX,
    MOMENT_CYCLE,
    MOMENT_LAUNCH
};

enum { MOMENT_NAME = 160 };

struct moment {
    enum moment_kind kind;
    const char *text;        /* as the user wrote it; the caller's */
    char name[MOMENT_NAME];  /* of the function, the file or the instruction */
    uint64_t number;         /* the line, the pc, the cycle, the launch */
    uint64_t nth;            /* from 1 on */
    int only;                /* the hart that is meant; -1: any */
    bool is_over;            /* it was reached */
    bool is_known;           /* some program had such a place */
    struct penrose_place at; /* where it was reached, */
    int hart;                /* by which hart (which pushed the instruction), -1: none, */
    uint64_t cycle;          /* and when */
};

struct moments;

/*
 * Understands "FUNCTION", "FILE:LINE", "0xPC" and "MNEMONIC", each with "HART:" before it where one
 * hart alone is meant and ":N" behind it for the N-th time, "cycle:N" and "launch:N". PENROSE_E_ARGUMENT says what is wrong. `text` stays the caller's.
 */
enum penrose_status moment_parse(const char *text, struct moment *moment,
                                 struct penrose_error *error);

/* Called behind a Tensix instruction that is the moment `index`: may look at the tile, and nothing
 * else. */
typedef void moment_look(void *context, unsigned index);

/* Looks out for these moments, which stay the caller's, on these tiles. PENROSE_E_MEMORY,
 * PENROSE_E_STATE. *moments is NULL where nothing of code is among them. */
enum penrose_status moments_start(struct penrose_chip *chip, struct moment *moment, unsigned count,
                                  const struct penrose_place *tiles, unsigned tiles_count,
                                  moment_look *look, void *context, struct moments **moments,
                                  struct penrose_error *error);

/* To be called before a run: programs may have been loaded since. */
void moments_prepare(struct moments *moments);

/* Looks no longer, once all of those are over that it looks for. NULL does nothing here and below. */
void moments_rest(struct moments *moments);

/* Looks no longer, and frees it. */
void moments_end(struct moments *moments);

#endif
