/* Functions that the stages of the coprocessor's front end call in each other. */
#ifndef TENSIX_FRONTEND_H
#define TENSIX_FRONTEND_H

#include "tensix/exec.h"

/* Brings the next instruction of a thread to the gate (frontend.c); false when there is none that
 * gets there before `end`. Only while there is none at the gate. */
bool tensix_fetch(struct tensix *tensix, unsigned thread, uint64_t end);

/* Is anything of the thread in the front end? */
bool tensix_has_more(const struct tensix_thread *thread);

#endif
