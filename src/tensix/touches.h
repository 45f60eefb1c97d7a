/*
 * What an instruction of a unit reads and writes, for observers (OBSERVED_UNIT).
 *
 * Most of it follows from the word, so the row in tensix.def says it:
 *
 *   SOURCE        a GPR
 *   CONFIGURED    the words of Config that config_users.def gives to a unit
 *   TOUCH         a run of state of one kind, by an expression of the operands
 *   TOUCH_EACH    the same for each bit of a mask
 *
 * What depends on addresses is told by the unit itself, from the job that it has worked out:
 * tensix_touch. Bytes of L1 that it tells with tensix_tell count as touches, too. A unit says
 * nothing before it is certain that the instruction executes.
 *
 * The list is made only while somebody wants OBSERVED_UNIT. It begins when the instruction has
 * passed its gate, and is told when its time has been charged. One that stalls is not told. Units of
 * which not everything is told yet say so (`tells_all` of the work).
 */
#ifndef TENSIX_TOUCHES_H
#define TENSIX_TOUCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "observe/observer.h"

enum { TENSIX_TOUCHES = 128 };

/* Beside the state. */
struct tensix_touches {
    struct observed_touch touch[TENSIX_TOUCHES];
    unsigned count;
    unsigned reads, writes; /* kinds of state in the list, a bit each */
    bool is_held;           /* the instruction at hand waits in its unpacker, */
    bool goes_on;           /* or goes on there, */
    uint64_t since;         /* and has passed its gate in this cycle */
    /* By thread: who has changed what its instruction at the gate waits for. */
    struct observed_releaser released[3];
    /* By unpacker: who has given back the bank for which an UNPACR waits there. */
    struct observed_releaser gave_back[2];
};

enum tensix_access { TENSIX_READS = 1, TENSIX_WRITES = 2, TENSIX_CHANGES = 3, TENSIX_AWAITS = 4 };

struct tensix;

/* The instruction at hand reads or writes `count` pieces, both where it changes them, or gets them later. Units call
 * tensix_touch (exec.h), which costs a comparison while nobody wants to know. */
void tensix_add_touch(struct tensix *tensix, enum tensix_access access, enum observed_state state,
                      unsigned first, unsigned count);

/* The same of rows of Dst16b, or of Dst32b, or of their flags (tensix_touch_dst). */
void tensix_add_dst_touch(struct tensix *tensix, enum tensix_access access,
                          enum observed_state state, bool is_32bit, unsigned row, unsigned rows);

/* The instruction at the gate of `thread` goes to its unit. */
void tensix_begin_touches(struct tensix *tensix, unsigned thread, unsigned row);

/* It has executed and is charged; `waited_for` is an enum tensix_wait. */
void tensix_tell_work(struct tensix *tensix, unsigned thread, unsigned row, unsigned waited_for);

/* An UNPACR that waits in its unpacker is told in two parts: what it does at its gate, and the rest
 * when it goes on. tensix_note_held: the one at hand is going to wait. tensix_begin_rest and
 * tensix_end_rest stand around what it does later; `tells` is false where it has stopped at a
 * fault. */
void tensix_note_held(struct tensix *tensix);
void tensix_begin_rest(struct tensix *tensix, unsigned which);
void tensix_end_rest(struct tensix *tensix, unsigned which, bool tells);

#endif
