/*
 * Timed runs: when the Matrix Unit and the Vector Unit may use Dst.
 *
 * Both units have pipelines. A block of eight rows that the Matrix Unit has written cannot be read for a
 * while. Of one thread, the pipeline of a unit must be empty before the other unit may use Dst. The units
 * share the way to Dst: together they make one access a cycle. Moves between registers hold up others in
 * the next cycle.
 */
#ifndef TENSIX_DST_TIMES_H
#define TENSIX_DST_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/timing.h"

struct tensix;

/* More than the Matrix Unit starts before the oldest can be read. */
enum { TENSIX_DST_WRITES = 8 };

struct tensix_dst_times {
    struct timing_resource port;
    struct {
        uint64_t at; /* when it started */
        uint64_t block;
    } write[TENSIX_DST_WRITES]; /* the latest; those of cycle 0 are none */
    uint64_t writes;            /* how many there were, modulo a power of two */
    uint64_t moved_at;          /* the latest move, */
    uint64_t move;              /* enum tensix_dst_move */
};

/* What a thread did to Dst last. */
struct tensix_dst_turn {
    uint64_t at;
    uint32_t unit;  /* enum tensix_unit */
    uint32_t count; /* accesses of that unit one after the other: 0, 1, or 2 for more */
};

enum tensix_dst_move { TENSIX_MOVES_NOTHING, TENSIX_MOVES_TO_DST, TENSIX_MOVES_TO_SRC };

/* What an instruction will do. It is worked out before the instruction changes counters. */
struct tensix_dst_use {
    bool uses, reads, writes;
    unsigned unit;   /* enum tensix_unit */
    unsigned block;  /* of the Matrix Unit: rows / 8 */
    unsigned cycles; /* in which nobody else uses Dst */
    enum tensix_dst_move move;
};

struct tensix_dst_use tensix_dst_use_of(const struct tensix *tensix, unsigned thread, unsigned row,
                                        uint32_t word);

/* The first cycle from `now` on at which such an instruction may start. */
uint64_t tensix_dst_start_at(const struct tensix *tensix, unsigned thread,
                             const struct tensix_dst_use *use, uint64_t now);

/* It has started at `now`. */
void tensix_dst_note(struct tensix *tensix, unsigned thread, const struct tensix_dst_use *use,
                     uint64_t now);

#endif
