/*
 * UNPACR as its page writes it, datum by datum, for tests: addresses are fractions of bytes, every
 * datum is converted on its own.
 */
#ifndef UNPACK_MODEL_H
#define UNPACK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/tensix.h"

/* Does to `tensix` (a copy; L1 is only read) what an UNPACR of `thread` does. False: the page calls
 * it undefined, and `tensix` may be half changed. */
bool unpack_model(struct tensix *tensix, unsigned thread, uint32_t word);

#endif
