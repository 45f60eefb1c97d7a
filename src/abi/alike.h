/* Mistakes that many tiles make because they run one program. The first is reported in full; of the
 * others only the places are named. */
#ifndef ABI_ALIKE_H
#define ABI_ALIKE_H

#include <penrose/penrose.h>
#include <stdbool.h>

enum { ALIKE_GROUPS = 8, ALIKE_PLACES = 256 };

struct alike_group {
    struct penrose_fault first;
    struct penrose_place other[ALIKE_PLACES];
    unsigned others;
};

/* `groups` 0: none yet. */
struct alike {
    struct alike_group group[ALIKE_GROUPS];
    unsigned groups;
};

/* True when the fault is like one before, which is noted: it need not be told in full. */
bool alike_has(struct alike *alike, const struct penrose_fault *fault);

#endif
