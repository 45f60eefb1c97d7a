/* Counts of a campaign: instructions by row, refusals by message. */
#ifndef DIFFTEST_TENSIX_TALLY_H
#define DIFFTEST_TENSIX_TALLY_H

#include "bench.h"
#include "tensix/table.h"

enum { MOST_REFUSALS = 200, TALLY_MODES = 16 };

struct refusal {
    char kind[MESSAGE_SIZE]; /* the message without its numbers */
    char example[MESSAGE_SIZE];
    uint64_t example_case, count;
};

struct tally {
    uint64_t row[TENSIX_ROWS];               /* executed in programs that both sides agreed on */
    uint64_t mode[TENSIX_ROWS][TALLY_MODES]; /* of the Vector Unit's, by mod0 or mod1 */
    uint64_t instructions, same, different, refused, endless;
    struct refusal refusal[MOST_REFUSALS];
    unsigned refusals;
};

/* Adds the verdict on a program. `message` is the reference's. */
void tally_add(struct tally *tally, const struct isa_index *index, const struct program *program,
               enum verdict verdict, const char *message);

/* Adds the counts of another tally; the result does not depend on the order. */
void tally_merge(struct tally *to, const struct tally *from);

void tally_print(struct tally *tally, FILE *to);

#endif
