/* Golden cases: small programs with the state that they must leave, a file for each row. */
#ifndef DIFFTEST_TENSIX_GOLDEN_H
#define DIFFTEST_TENSIX_GOLDEN_H

#include "../common/golden.h"
#include "generate.h"
#include "tally.h"

/* Writes `per_row` cases for every row of the rules that the reference executes to a file of the
 * folder, by its answers. */
enum golden_result golden_record(struct bench *bench, const struct rules *rules, uint64_t seed,
                                 unsigned per_row, const char *folder);

/*
 * Runs the cases of a file, or of the .case files of a folder, on our side, and compares with what
 * they say; those without a state (saved mismatches) run on both sides if `both`.
 */
enum golden_result golden_replay(struct bench *bench, const char *path, bool both);

#endif
