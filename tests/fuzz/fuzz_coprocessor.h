/* What the fuzzers of the coprocessor have in common: words of rows, and what holds at any time. */
#ifndef TESTS_FUZZ_COPROCESSOR_H
#define TESTS_FUZZ_COPROCESSOR_H

#include "fuzz/fuzz.h"
#include "isa/shortcuts.h"
#include "tensix/exec.h"

/* Their inputs need no seeds: bytes by chance are programs. */
bool fuzz_seed(unsigned number, struct fuzz_bytes *seed)
{
    (void)number;
    (void)seed;
    return false;
}

static inline uint32_t fuzz_match_row(unsigned row, uint32_t operands)
{
    return (operands & ~tensix_rows[row].mask) | tensix_rows[row].match;
}

static inline void fuzz_check_fault(const struct tensix_fault *fault)
{
    enum { MOST_TEXT = 190 }; /* longer ones are cut */
    REQUIRE(fault->kind < PENROSE_FAULT_KINDS && fault->thread < TENSIX_THREADS);
    REQUIRE(fault->text[0] && memchr(fault->text, 0, MOST_TEXT));
}

static inline void fuzz_check_vector(const struct tensix_vector *vector)
{
    uint32_t above = UINT32_MAX;
    REQUIRE(vector->entries <= TENSIX_SCHEDULED && vector->turn <= 1);
    REQUIRE(vector->entries <= vector->schedules && vector->schedules <= vector->entries + 1);
    for (unsigned i = 0; i < TENSIX_FLAG_STACK; i++) {
        const struct tensix_flag_level *level = &vector->stack[i];
        REQUIRE((level->used & ~above) == 0);
        REQUIRE(((level->flags | level->uses_flags) & ~level->used) == 0);
        above = level->used;
    }
    for (unsigned i = 0; i < TENSIX_LANE_COLUMNS; i++) {
        REQUIRE(vector->lane_config[i] <= TENSIX_LANE_CONFIG_MASK);
        REQUIRE(vector->macro[i].misc < 1 << 12);
    }
}

#endif
