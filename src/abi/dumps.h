/* Dumps of the device (penrose/dump.h) that the environment asks for: PENROSE_DUMP_ON and its kin. */
#ifndef ABI_DUMPS_H
#define ABI_DUMPS_H

#include <stdbool.h>

#include <penrose/penrose.h>

#include "observe/settings.h"

struct dumps {
    unsigned events;             /* that the user has named, a bit each */
    struct penrose_place *tiles; /* NULL: all that were used */
    unsigned tiles_count;
    unsigned made; /* in this process, so far */
};

struct device;

/* Takes the wishes from the environment; what is wrong with them is complained about. */
void dumps_init(struct device *device);
void dumps_free(struct dumps *dumps);

static inline bool dumps_wants(const struct dumps *dumps, enum settings_dump_event event)
{
    return dumps->events >> event & 1;
}

/* Makes a dump, if it is wanted at such an event, and reports where it is. */
void dumps_make(struct device *device, enum settings_dump_event event, const char *text);

#endif
