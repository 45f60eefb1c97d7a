/*
 * Cycles by instruction: what lines of a profile spend, at which addresses. The page shows functions
 * instruction by instruction, each below its line of source.
 */
#ifndef OBSERVE_PROFILE_SPOTS_H
#define OBSERVE_PROFILE_SPOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct profile;

/* Cycles of a row of the profile at an instruction; `word` is 0 where it is not known. */
struct spots_cell {
    uint32_t row; /* plus one; 0: none */
    uint32_t pc, word;
    uint64_t cycles, times;
};

struct spots {
    struct spots_cell *cell; /* a hash table with open addressing */
    size_t room, count;
};

void spots_free(struct spots *spots);

/* `row` is a number that a row keeps, plus one. False when memory runs out. */
bool spots_add(struct spots *spots, uint32_t row, uint32_t pc, uint32_t word, uint64_t cycles,
               uint64_t times);

/* The functions of an ended profile in which most cycles were spent. */
void spots_page(const struct profile *profile, FILE *file);

#endif
