/*
 * The Vector Unit in tests: a model that has its state lane by lane as the ISA's pages write it,
 * random state for it, and single instructions on a coprocessor of their own. A test draws a model,
 * copies it to the coprocessor, executes a word in both, and compares.
 */
#ifndef VECTOR_HARNESS_H
#define VECTOR_HARNESS_H

#include "num/kernels.h"
#include "tensix/vector_common.h"
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

struct vector_harness {
    struct tensix_harness base;
    const char *kernels; /* name of the set */
};

/* Names of the sets of kernels that may exist, for loop tests; vector_open says which do here. */
enum { VECTOR_KERNEL_SETS = 3 };
extern const char *const vector_kernel_sets[VECTOR_KERNEL_SETS];

/* A coprocessor as after power-on that uses this set (NULL: the fastest). False, and nothing to be
 * closed, where the host or this version has no such set; never for the reference. */
bool vector_open(struct vector_harness *harness, const char *kernels);
void vector_close(struct vector_harness *harness);

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

/* Do the pages' `VD < 12 || LaneConfig.DISABLE_BACKDOOR_LOAD` hold? */
bool vector_is_open(const struct vector_model *model, unsigned lane, unsigned vd);

/* SPEC: AdvancePRNG, SignMagIsSmaller. */
uint32_t vector_advance(struct vector_lane *lane);
bool vector_is_smaller(uint32_t x, uint32_t y);

/* SPEC: SFPCONFIG, backdoor: the word goes to the templates of lanes that take it. */
void vector_model_backdoor(struct vector_model *model, uint32_t word, unsigned vd);

/* --- Execution --- */

/* Executes a word at the unit, long after the one before. Returns the fault's text, or NULL. */
const char *vector_execute(struct vector_harness *harness, uint32_t word);

/* Executes the row's function as a scheduled instruction in `lanes`; `vb`, `vc` and `vd` (up to
 * TENSIX_LREG_MACRO) override those of the word. Returns the broken rule, or NULL. */
const char *vector_execute_scheduled(struct vector_harness *harness, uint32_t word, unsigned vb,
                                     unsigned vc, unsigned vd, uint32_t lanes);

/* --- Rows against models --- */

/* Operands of an instruction as the pages name them. Where it is scheduled by a macro, these are
 * what the macro made of them. */
struct vector_call {
    uint32_t word;
    unsigned vb, vc, vd, mod, imm12;
    bool is_scheduled;
    uint32_t lanes; /* of a scheduled instruction */
};

/* `unsigned VB = VD`, which a macro skips. */
unsigned vector_vb(const struct vector_call *call);

/* vector_is_open, which a macro replaces by `true` for its lanes. */
bool vector_takes(const struct vector_model *model, const struct vector_call *call, unsigned lane);

/* Does what the page says, backdoors apart. False where it has undefined behaviour; nothing has
 * happened then. */
typedef bool vector_row_model(struct vector_model *model, const struct vector_call *call);

struct vector_row {
    const char *name;
    uint8_t opcode;
    uint32_t operands; /* bits of the word that are drawn */
    vector_row_model *model;
    uint8_t least_vd; /* VD of ordinary instructions is drawn from here on */
};

/* Executes `rounds` chains of a few instructions of the row with random operands, in random states
 * (`parts`); with `is_scheduled` as a macro does. Fails the test where the unit and the model
 * differ, where a rule is broken and no fault says so, or where a fault has other effects. */
void vector_check_row(struct vector_harness *harness, const struct vector_row *row, unsigned rounds,
                      unsigned parts, bool is_scheduled);

#endif
