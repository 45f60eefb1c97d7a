/* Golden cases: small programs with the state that they must leave. */
#ifndef DIFFTEST_NOC_GOLDEN_H
#define DIFFTEST_NOC_GOLDEN_H

#include "../common/golden.h"
#include "bench.h"
#include "generate.h"

/* Writes `count` programs to each of a few files of the folder, with the reference's answers. */
enum golden_result golden_record(struct bench *bench, uint64_t seed, unsigned count,
                                 const char *folder);

/*
 * Runs the cases of a file, or of the .case files of a folder, on our side and compares with what
 * they say; those without a state (saved mismatches) run on both sides if `both`.
 */
enum golden_result golden_replay(struct bench *bench, const char *path, bool both);

#endif
