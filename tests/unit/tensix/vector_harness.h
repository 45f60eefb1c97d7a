/*
 * The Vector Unit in tests: a model that has its state lane by lane as the ISA's pages write it,
 * and random state for it. A test draws a model, copies it to the coprocessor and compares.
 */
#ifndef VECTOR_HARNESS_H
#define VECTOR_HARNESS_H

#include "num/kernels.h"
#include "tensix/vector/schedule.h"
#include "unit/tensix/tensix_harness.h"

/* What the pages have under `lanewise`. LaneConfig and LoadMacroConfig are the same in all rows of
 * a column. */
struct vector_lane {
    uint32_t lreg[TENSIX_LREGS];
    bool flags, uses_flags;
    struct {
        bool flags, uses_flags;
    } stack[TENSIX_FLAG_STACK]; /* the last of `depth` is the top */
    unsigned depth;
    uint32_t generator;
    uint32_t config;
    struct tensix_macro_config macro;
};

struct vector_model {
    struct vector_lane lane[NUM_LANES];
};

/* --- Random numbers, the same in each run --- */

void vector_seed(uint64_t seed);
uint32_t vector_random(void);
unsigned vector_below(unsigned limit);
bool vector_chance(unsigned percent);

/* A word as lanes hold it: small numbers, powers of two and their neighbours, special and ordinary
 * floats, anything. */
uint32_t vector_datum(void);

/* --- States --- */

/* What vector_randomise draws; what it does not is as after power-on. */
enum vector_parts {
    VECTOR_LREGS = 1 << 0, /* LReg[0] to [7], [11] to [14] and [16] */
    VECTOR_FLAGS = 1 << 1, /* LaneFlags and UseLaneFlagsForLaneEnable */
    VECTOR_STACK = 1 << 2, /* of different depths in different lanes */
    VECTOR_PRNG = 1 << 3,
    VECTOR_BACKDOOR = 1 << 4, /* DISABLE_BACKDOOR_LOAD by column */
    VECTOR_CONFIG = 1 << 5,   /* the other bits of LaneConfig, ROW_MASK included */
    VECTOR_MACROS = 1 << 6,   /* LoadMacroConfig */
    VECTOR_ALL = 0x7f,
};

/* SPEC: LReg, SoftReset. */
void vector_power_on(struct vector_model *model);
void vector_randomise(struct vector_model *model, unsigned parts);

/* Makes the coprocessor's unit the model's. Nothing is scheduled. */
void vector_store(const struct vector_model *model, struct tensix *tensix);

/* Fails the test with the disassembled word and `what` where they differ, or where words of lanes
 * are not what LaneConfig says. */
void vector_compare(const struct vector_model *model, const struct tensix *tensix, uint32_t word,
                    const char *what);

/* SPEC: VectorUnit, IsLaneEnabled. */
bool vector_is_enabled(const struct vector_model *model, unsigned lane);

/* SPEC: AdvancePRNG. */
uint32_t vector_advance(struct vector_lane *lane);

#endif
