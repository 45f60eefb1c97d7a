/*
 * The chain of dependencies that made a run as long as it is.
 *
 * Each lane of each tile has a chain of stretches of time, back to the first event. A stretch of work
 * follows the one before it. One that waited follows the stretch in which somebody else brought its
 * end about, from that cycle on; where nobody is known, the one before it. So the chain of the lane
 * that ends last, back to the begin, has each cycle once, and says who was waited for.
 */
#ifndef OBSERVE_PROFILE_PATH_H
#define OBSERVE_PROFILE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a cycle was spent on. */
enum path_part {
    PATH_UNPACK, /* by threads 0, 1 and 2 of the coprocessor */
    PATH_MATH,
    PATH_PACK,
    PATH_HARTS, /* instructions of harts */
    PATH_NOC,   /* packets under way */
    PATH_DRAM,  /* such from DRAM */
    PATH_WAITS, /* nobody is known */
    PATH_PARTS
};

/* A stretch of a lane. Those before `begin` of the next in a chain count. */
struct path_step {
    uint64_t begin, end; /* cycles */
    uint32_t row;        /* of the profile, plus one */
    uint32_t before;     /* in the chain; plus one, as below; 0: none */
    uint32_t earlier;    /* of the same lane */
    enum path_part part;
};

struct path {
    struct path_step *step;
    size_t steps, room;
    uint32_t *latest; /* step of each lane */
    size_t lanes;
    uint64_t forgotten; /* steps that ended before this cycle are not known any more */
    bool has_failed;    /* memory ran out */
};

void path_free(struct path *path);

/* So many lanes there are; new ones have no step. False when memory runs out. */
bool path_lanes(struct path *path, size_t lanes);

/* The lane has worked from `begin` to `end`, or waited for nobody that is known. */
void path_add(struct path *path, size_t lane, uint32_t row, enum path_part part, uint64_t begin,
              uint64_t end);

/* It has waited until `end`, for what the lane `by` did in the cycle `cycle`. */
void path_add_wait(struct path *path, size_t lane, uint32_t row, enum path_part part, uint64_t end,
                   size_t by, uint64_t cycle);

/* The step that is at the end of the lane's chain, plus one. */
uint32_t path_end(const struct path *path, size_t lane);

/* There is no room for many more steps. */
bool path_is_full(const struct path *path);

/* Forgets steps that no chain of a lane has from that cycle on. Where that is not enough, chains lose
 * their beginnings. False when memory runs out. Numbers of steps change. */
bool path_sweep(struct path *path, uint64_t from);

/* Calls `take` with the steps of a chain from one cycle to before another one, the last step first, and
 * their cycles. */
void path_walk(const struct path *path, uint32_t end, uint64_t first, uint64_t last,
               void (*take)(void *context, const struct path_step *step, uint64_t begin,
                            uint64_t end),
               void *context);

#endif
