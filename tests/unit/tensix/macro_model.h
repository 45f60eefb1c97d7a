/* See macro_model.c. */
#ifndef MACRO_MODEL_H
#define MACRO_MODEL_H

#include "tensix/vector/schedule.h"
#include "unit/tensix/tensix_harness.h"

enum { MACRO_PENDING = 300 };

/* An instruction that is to come, for these lanes. */
struct macro_pending {
    struct tensix_vector_op op;
    uint32_t lanes;
    unsigned part, delay;
    bool counts_instructions;
};

/* What instructions of a cycle have a snapshot of. */
struct macro_registers {
    uint32_t lreg[TENSIX_LREGS][NUM_LANES], flags, uses_flags;
};

struct macro_model {
    struct tensix_harness harness; /* whose rows compute, and whose Dst is the model's */
    struct macro_pending pending[MACRO_PENDING];
    unsigned count;
    struct macro_registers late; /* what comes at the end of the next cycle */
    uint32_t late_lanes[TENSIX_LREGS];
    struct macro_pending swap; /* in its second cycle */
};

/* Makes the model's unit that of the coprocessor. Nothing is scheduled. */
void macro_model_take(struct macro_model *model, const struct tensix *from);

/* A cycle with the instruction that a thread issues, or NULL. */
void macro_model_cycle(struct macro_model *model, const struct tensix_vector_op *ordinary);

#endif
