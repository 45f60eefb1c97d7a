/* `penrose info --isa`: which instructions of the coprocessor are executed, and what is not modelled. */
#ifndef OBSERVE_LISTING_H
#define OBSERVE_LISTING_H

#include <jansson.h>

/* For people, on stdout. */
void listing_print(void);

/* Sets members of the object. */
void listing_json(json_t *object);

#endif
