/* The test of the tester: falsified instructions must be found and isolated. */
#ifndef DIFFTEST_TENSIX_SELFTEST_H
#define DIFFTEST_TENSIX_SELFTEST_H

#include "campaign.h"

/*
 * Falsifies the rows of mutants.def one by one on our side (both sides are the same library) and
 * demands that each is found, and shrunk to a few steps that contain the row. Then demands that
 * without falsification nothing is found. True: all is well; otherwise stdout says what is not.
 */
bool selftest(const struct campaign *campaign, bool verbose);

/* A falsification of the row by its name; false: there is none. */
bool mutant_named(struct mutant *mutant, const char *token);

#endif
