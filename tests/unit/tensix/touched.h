/*
 * Holds units to what they tell observers of the state that they touch (OBSERVED_UNIT).
 *
 * Each byte of struct tensix belongs to a piece of state in the terms of enum observed_state, or to
 * what observers are not told of: queues, time, notes for reports, and what follows from the state.
 */
#ifndef TESTS_TOUCHED_H
#define TESTS_TOUCHED_H

#include "unit/tensix/tensix_harness.h"

/* Notes what is told of work from now on. */
void touched_open(struct tensix_harness *harness);
void touched_close(void);

/*
 * Executes a word, and fails the test
 *   where a byte has changed that it has not told to write, and
 *   where it does something else once all that it has not told to read is random: the rest of L1
 *   from `l1` on, `size` bytes, and pieces of the coprocessor.
 * True if it has executed. The state is what the first execution has left.
 */
bool touched_check(struct tensix_harness *harness, unsigned thread, uint32_t word, uint64_t *dice,
                   uint32_t l1, uint32_t size);

/* The latest work that was told; its touches stay until the next word. */
const struct observed_work *touched_work(void);

/* How often a piece of this kind was told, for tests that must not be empty. */
unsigned touched_times(enum observed_state state, bool is_write);

#endif
