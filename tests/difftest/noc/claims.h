/* Who uses which bytes within a phase: what makes programs free of races. */
#ifndef DIFFTEST_NOC_CLAIMS_H
#define DIFFTEST_NOC_CLAIMS_H

#include "program.h"

enum claim_mode {
    CLAIM_READ,  /* goes with other reads */
    CLAIM_WRITE, /* goes with nothing */
    CLAIM_ADD,   /* goes with other additions */
};

struct claim {
    uint64_t first, end;
    enum claim_mode mode;
};

enum { MOST_CLAIMS = 256, MOST_NOTES = 4 }; /* of a memory; by one transaction */

struct claims {
    struct claim claim[MOST_MEMORIES][MOST_CLAIMS];
    uint32_t count[MOST_MEMORIES];
};

void claims_clear(struct claims *claims);

/* May these bytes of a memory be used so? */
bool claims_allow(const struct claims *claims, uint64_t memory, uint64_t first, uint64_t bytes,
                  enum claim_mode mode);

/* Notes that they are; the claim was allowed. */
void claims_note(struct claims *claims, uint64_t memory, uint64_t first, uint64_t bytes,
                 enum claim_mode mode);

#endif
