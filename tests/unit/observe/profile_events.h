/* Profiles of events that are made by hand, for tests of what becomes of them. */
#ifndef PROFILE_EVENTS_H
#define PROFILE_EVENTS_H

#include <stdio.h>

#include "observe/profile/profile.h"

enum { MATH = PROFILE_FIRST_THREAD + 1, MADE_CHIP = 3 };

extern struct profile *profile;

void begin_profile(void);
void end_profile(void);

/* Of trisc1 of tile 1,2, in kernel_main of kernel.c. */
struct penrose_trace_event made_event(enum penrose_trace_kind kind, uint64_t cycle, int thread,
                                      unsigned line);

/* That hart, and its thread. */
void executes(uint64_t cycle, unsigned line);
void waits(uint64_t cycle, unsigned line, const char *what);
void goes_on(uint64_t cycle, uint64_t waited);
void math_waits(uint64_t cycle, const char *what);
void math_executes(uint64_t cycle, uint64_t waited, unsigned line);

void expect_cycles(unsigned lane, uint64_t busy, uint64_t waiting, uint64_t idle);

/* The row of a line, busy or in that wait. */
const struct profile_row *row_at(unsigned lane, unsigned line, const char *what);

void expect_row(unsigned lane, unsigned line, const char *what, uint64_t cycles, uint64_t count);

/* A hart of a tile of row 2 executes an instruction of the kernel (empty: of firmware). */
void runs(unsigned x, enum penrose_hart hart, const char *kernel, uint64_t cycle, unsigned line);

/* It waits until somebody makes the wait end. */
void is_released(unsigned x, enum penrose_hart hart, uint64_t since, uint64_t cycle,
                 const char *what, unsigned by_x, enum penrose_hart by, uint64_t by_cycle);

void sends(unsigned x, enum penrose_hart hart, const char *what, uint64_t cycle, unsigned bytes,
           enum penrose_tile_kind to);

const struct profile_launch *launch_at(size_t number);

/* erisc0 of tile 9,2 does. */
void erisc_runs(const char *kernel, uint64_t cycle);

/* To be freed. */
char *shown(void (*show)(const struct profile *profile, FILE *file));

void expect_written(void (*write)(const struct profile *profile, FILE *file), const char *wanted);

#endif
