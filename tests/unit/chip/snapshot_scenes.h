/*
 * Chips in the middle of things, for tests of snapshots and of host threads: scenes that are made
 * anew and run, whatever options a chip has.
 */
#ifndef SNAPSHOT_SCENES_H
#define SNAPSHOT_SCENES_H

#include <penrose/penrose.h>

struct scene {
    const char *name;
    /* Makes the scene of a new chip; false where something that it needs is not installed. */
    bool (*make)(struct penrose_chip *chip, uint32_t seed);
    uint64_t step; /* cycles between moments that are worth a look */
    unsigned steps;
    enum penrose_policy policy; /* for all faults */
};

/* NULL past the last. */
const struct scene *scene_at(unsigned index);

/* A new chip for a scene (NULL: for none); fails the test where there is none. `schedule` counts
 * ways to take turns from 0. */
enum { SCENE_SCHEDULES = 5 };
struct penrose_chip *scene_chip(const struct scene *scene, unsigned schedule, unsigned threads);

/* Pseudo-random numbers below `limit`. */
uint32_t scene_random(uint32_t *state, uint32_t limit);

#endif
