/*
 * Follows values inside a hart. It knows from which words of memory and which registers of hardware
 * the values in the hart's registers and local RAM were made. An observer tells it of the hart's
 * loads and of each instruction that is over, and asks it at each store.
 */
#ifndef OBSERVE_EXPLAIN_VALUES_H
#define OBSERVE_EXPLAIN_VALUES_H

#include "observe/explain/writers.h"
#include "rv32/rv32.h"

enum { VALUES_LOCAL_WORDS = 2048, VALUES_REGISTERS = 32 };

/* What a value was made from, each once; of very many the first ones. */
struct value_sources {
    struct writers_source source[WRITERS_SOURCES];
    unsigned count;
};

struct hart_values {
    struct value_sources of_register[RV32_FILES][VALUES_REGISTERS];
    struct value_sources of_local[VALUES_LOCAL_WORDS];
    struct value_sources loaded; /* by the instruction under way */
    bool has_loaded;
};

/* The instruction under way has loaded `read`, or (not NULL) the local word with these sources. */
void values_load(struct hart_values *values, const struct writers_source *read,
                 const struct value_sources *local);

/* The instruction is over. */
void values_finish(struct hart_values *values, const struct rv32_operands *insn);

/* What the instruction under way stores was made from. */
void values_stored(const struct hart_values *values, const struct rv32_operands *insn,
                   struct value_sources *sources);

#endif
