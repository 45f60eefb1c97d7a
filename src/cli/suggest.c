/* The nearest of several words; see suggest.h. */
#include "cli/suggest.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_LETTERS = 63 };

static unsigned least_distance(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The number of letters to insert, remove, replace or swap with a neighbour that makes one word the
 * other. Words longer than MOST_LETTERS are far from everything. */
static unsigned word_distance(const char *a, const char *b)
{
    size_t length_a = strlen(a), length_b = strlen(b);
    unsigned rows[3][MOST_LETTERS + 1];
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    if (length_a > MOST_LETTERS || length_b > MOST_LETTERS) {
        return UINT_MAX;
    }
    for (unsigned j = 0; j <= length_b; j++) {
        before[j] = row[j] = 0;
        above[j] = j;
    }
    for (unsigned i = 1; i <= length_a; i++) {
        row[0] = i;
        for (unsigned j = 1; j <= length_b; j++) {
            unsigned replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least_distance(replaced, least_distance(above[j], row[j - 1]) + 1);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) {
                row[j] = least_distance(row[j], before[j - 2] + 1);
            }
        }
        unsigned *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[length_b];
}

void suggest(struct suggestion *suggestion, const char *candidate)
{
    size_t length = strlen(suggestion->word);
    unsigned distance = word_distance(suggestion->word, candidate);
    /* A word that was cut short is near, too. */
    if (length >= 3 && strncmp(suggestion->word, candidate, length) == 0) {
        distance = 1;
    }
    bool near = distance <= length / 3 + 1 && distance < length && distance < strlen(candidate);
    if (near && (!suggestion->best || distance < suggestion->distance)) {
        suggestion->best = candidate;
        suggestion->distance = distance;
    }
}
