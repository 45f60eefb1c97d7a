/* The test of the tester: falsified transactions must be found and isolated. */
#ifndef DIFFTEST_NOC_SELFTEST_H
#define DIFFTEST_NOC_SELFTEST_H

#include "campaign.h"

/*
 * Falsifies the rows of mutants.def one by one on our side (both sides are the same library) and
 * demands that each is found, and shrunk to a few transactions. Then demands that without
 * falsification nothing is found. True: all is well; otherwise stdout says what is not.
 */
bool selftest(const struct campaign *campaign, bool verbose);

/* A row of mutants.def by its name; NULL: there is none. */
const struct mutant *mutant_named(const char *name);

#endif
