/* Values inside a hart, see values.h. */
#include "observe/explain/values.h"

#include <string.h>

static void add_value_source(struct value_sources *sources, const struct writers_source *source)
{
    for (unsigned i = 0; i < sources->count; i++) {
        if (sources->source[i].address == source->address &&
            sources->source[i].value == source->value) {
            return;
        }
    }
    if (sources->count < WRITERS_SOURCES) {
        sources->source[sources->count++] = *source;
    }
}

static void add_value_sources(struct value_sources *sources, const struct value_sources *more)
{
    for (unsigned i = 0; i < more->count; i++) {
        add_value_source(sources, &more->source[i]);
    }
}

/* A vector load and an atomic instruction make several accesses. */
void values_load(struct hart_values *values, const struct writers_source *read,
                 const struct value_sources *local)
{
    if (!values->has_loaded) {
        values->loaded.count = 0;
    }
    values->has_loaded = true;
    if (local) {
        add_value_sources(&values->loaded, local);
    } else {
        add_value_source(&values->loaded, read);
    }
}

/* Most sets are small, or empty. */
static void copy_value_sources(struct value_sources *to, const struct value_sources *from)
{
    to->count = from->count;
    memcpy(to->source, from->source, from->count * sizeof *from->source);
}

/* Adds what values come from that an instruction reads from registers. */
static void add_sources_of_registers(const struct hart_values *values,
                                     const struct rv32_operands *insn,
                                     struct value_sources *sources)
{
    for (unsigned file = 0; file < RV32_FILES; file++) {
        for (uint32_t rest = insn->values[file]; rest; rest &= rest - 1) {
            add_value_sources(sources, &values->of_register[file][__builtin_ctz(rest)]);
        }
    }
}

/* Where the result of an instruction comes from. A jump writes its own address, and no value is
 * followed through a CSR. */
static void find_sources_of_result(const struct hart_values *values,
                                   const struct rv32_operands *insn, struct value_sources *sources)
{
    sources->count = 0;
    if (insn->effects.class == RV32_CLASS_JUMP ||
        rv32_row_extension((unsigned)insn->row) == RV32_EXT_ZICSR) {
        return;
    }
    if (!(insn->effects.traits & RV32_STORES)) { /* an atomic's operand was stored */
        add_sources_of_registers(values, insn, sources);
    }
    if (values->has_loaded) {
        add_value_sources(sources, &values->loaded);
    }
}

void values_finish(struct hart_values *values, const struct rv32_operands *insn)
{
    if (insn->results[RV32_X] | insn->results[RV32_F] | insn->results[RV32_V]) {
        struct value_sources result;
        find_sources_of_result(values, insn, &result);
        for (unsigned file = 0; file < RV32_FILES; file++) {
            for (uint32_t rest = insn->results[file]; rest; rest &= rest - 1) {
                copy_value_sources(&values->of_register[file][__builtin_ctz(rest)], &result);
            }
        }
    }
    values->has_loaded = false;
}

void values_stored(const struct hart_values *values, const struct rv32_operands *insn,
                   struct value_sources *sources)
{
    sources->count = 0;
    if (insn->row >= 0 && insn->effects.traits & RV32_STORES) {
        add_sources_of_registers(values, insn, sources);
        if (values->has_loaded && !(insn->effects.traits & RV32_SWAPS)) {
            add_value_sources(sources, &values->loaded);
        }
    }
}
