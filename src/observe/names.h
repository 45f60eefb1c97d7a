/* Strings that are kept once, so that equal strings have equal pointers. */
#ifndef OBSERVE_NAMES_H
#define OBSERVE_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct names {
    char **slot; /* a hash table with open addressing */
    size_t room, count;
};

/* The name's only copy, which lives until names_free; "" when memory runs out. */
const char *names_keep(struct names *names, const char *text, size_t length);
void names_free(struct names *names);

#endif
