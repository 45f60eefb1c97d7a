/*
 * Load macros for tests: all that executes in a cycle is given a snapshot of its start, one after
 * the other, and what it has changed is put together at the end. LoadMacroConfig is that of column
 * 0 for all lanes. The rows compute, so this is about time and operands alone.
 *
 * SPEC: BlackholeA0 SFPLOADMACRO.
 */
#include "unit/tensix/macro_model.h"

#include <check.h>
#include <string.h>

static void take(const struct macro_model *model, struct macro_registers *to)
{
    const struct tensix_vector *vector = &model->harness.tensix.vector;
    memcpy(to->lreg, vector->lreg, sizeof to->lreg);
    to->flags = vector->flags;
    to->uses_flags = vector->uses_flags;
}

static void put(struct macro_model *model, const struct macro_registers *from)
{
    struct tensix_vector *vector = &model->harness.tensix.vector;
    memcpy(vector->lreg, from->lreg, sizeof vector->lreg);
    vector->flags = from->flags;
    vector->uses_flags = from->uses_flags;
}

/* Copies the lanes that `lanes` has for each LReg. */
static void merge(struct macro_registers *to, const struct macro_registers *from,
                  const uint32_t lanes[TENSIX_LREGS])
{
    for (unsigned i = 0; i < TENSIX_LREGS; i++) {
        for (unsigned lane = 0; lane < NUM_LANES; lane++) {
            if (lanes[i] >> lane & 1) {
                to->lreg[i][lane] = from->lreg[i][lane];
            }
        }
    }
}

/* --- Executing --- */

static void call_row(struct macro_model *model, const struct tensix_vector_op *op, uint32_t lanes)
{
    struct tensix_vector_op load = *op;
    if (op->row == TENSIX_ROW_SFPLOADMACRO) {
        load.row = TENSIX_ROW_SFPLOAD;
    }
    ck_assert_ptr_null(tensix_vector_execs[load.row](&model->harness.tensix, &load, lanes));
}

/* Executes on the snapshot; what changes goes to `to`, the lanes of it to `changed`. */
static void execute(struct macro_model *model, const struct macro_registers *before,
                    struct macro_registers *to, const struct tensix_vector_op *op, uint32_t lanes,
                    uint32_t changed[TENSIX_LREGS])
{
    enum { INDIRECT_VD = 8, INDEX_LREG = 7 };
    struct tensix_vector *vector = &model->harness.tensix.vector;
    put(model, before);
    uint32_t active = lanes & tensix_vector_lanes(vector, op, op->row);
    uint32_t enabled = active & tensix_vector_enabled(vector);
    uint32_t writes = tensix_vector_uses(vector, op).writes;
    bool indirect = tensix_vector_row(op->row)->part == TENSIX_PART_MAD && op->mod & INDIRECT_VD &&
                    op->vd != TENSIX_LREG_MACRO;
    writes = op->row == TENSIX_ROW_SFPSWAP ? 0 : writes; /* not in all lanes */
    call_row(model, op, active);
    for (unsigned i = 0; i < TENSIX_LREGS; i++) {
        for (unsigned lane = 0; lane < NUM_LANES; lane++) {
            bool written = vector->lreg[i][lane] != before->lreg[i][lane] ||
                           (writes >> i & 1 && enabled >> lane & 1 &&
                            (!indirect || (before->lreg[INDEX_LREG][lane] & 15) == i));
            if (written) {
                to->lreg[i][lane] = vector->lreg[i][lane];
                changed[i] |= UINT32_C(1) << lane;
            }
        }
    }
    if (vector->flags != before->flags || vector->uses_flags != before->uses_flags) {
        to->flags = vector->flags;
        to->uses_flags = vector->uses_flags;
    }
}

/* SPEC: SFPSWAP compares in its first cycle, and reads again in its second one. */
static void start_swap(struct macro_model *model, const struct macro_registers *before,
                       const struct tensix_vector_op *op, uint32_t lanes)
{
    uint32_t changed[TENSIX_LREGS] = {0}, swaps = 0;
    struct macro_registers scratch;
    execute(model, before, &scratch, op, lanes, changed);
    for (unsigned i = 0; i < TENSIX_LREGS; i++) {
        swaps |= changed[i];
    }
    model->swap = (struct macro_pending){.op = *op, .lanes = swaps};
    model->swap.op.mod = 0;
}

static void finish_swap(struct macro_model *model, const struct macro_registers *before,
                        struct macro_registers *after)
{
    const struct macro_pending swap = model->swap;
    struct macro_registers start = *before, end;
    uint32_t changed[TENSIX_LREGS] = {0};
    model->swap.lanes = 0;
    if (swap.lanes) {
        start.flags = start.uses_flags = 0; /* the lanes are known */
        execute(model, &start, &end, &swap.op, swap.lanes, changed);
        merge(after, &end, changed);
    }
}

/* --- Scheduling --- */

/* The row and word that a byte of the sequence stands for. */
static unsigned chosen(const struct tensix_macro_config *config, unsigned bits, unsigned part,
                       uint32_t *word)
{
    enum { NOP = 2, STORE = 3 };
    unsigned source = bits & 7;
    *word = source == NOP     ? tensix_rows[TENSIX_ROW_SFPNOP].match
            : source == STORE ? tensix_rows[TENSIX_ROW_SFPSTORE].match
                              : config->instruction[source - 4];
    unsigned row = tensix_row_of(*word);
    if (part != TENSIX_PART_STORE && tensix_vector_row(row)->part != part) {
        *word = tensix_rows[TENSIX_ROW_SFPNOP].match;
        return TENSIX_ROW_SFPNOP;
    }
    return row;
}

static void override(struct tensix_vector_op *own, unsigned bits, unsigned vd)
{
    const struct tensix_vector_row *row = tensix_vector_row(own->row);
    unsigned old = own->vd;
    if (bits & 0x80) {
        own->vb = (uint8_t)vd;
        own->vc = (uint8_t)(row->has_vc ? own->vc : old);
    } else {
        own->vc = (uint8_t)vd;
        own->vb = (uint8_t)(row->has_vb ? own->vb : old);
    }
    own->vd = (uint8_t)(bits & 0x40 ? TENSIX_LREG_MACRO : vd);
    if (own->row == TENSIX_ROW_SFPSWAP && !(bits & 0xc0)) {
        own->vd = own->vb;
    }
}

static void forget(struct macro_model *model, unsigned part, unsigned delay)
{
    for (unsigned i = 0; i < model->count; i++) {
        if (model->pending[i].part == part && model->pending[i].delay == delay) {
            model->pending[i] = model->pending[--model->count];
            return;
        }
    }
}

static void schedule(struct macro_model *model, const struct tensix_vector_op *op, unsigned address)
{
    const struct tensix_macro_config *config = &model->harness.tensix.vector.macro[0];
    unsigned index = op->word >> 22 & 3, vd = op->vd;
    for (unsigned part = 0; part < 4; part++) {
        unsigned bits = config->sequence[index] >> part * 8 & 0xff, delay = bits >> 3 & 7;
        uint32_t word;
        if ((bits & 7) == 0) {
            continue;
        }
        forget(model, part, delay);
        unsigned row = chosen(config, bits, part, &word);
        struct macro_pending *entry = &model->pending[model->count++];
        *entry = (struct macro_pending){.op = tensix_vector_decode(row, op->thread, word),
                                        .lanes = UINT32_MAX,
                                        .part = part,
                                        .delay = delay,
                                        .counts_instructions = config->misc >> (8 + part) & 1};
        entry->op.is_scheduled = true;
        if (part != TENSIX_PART_STORE) {
            override(&entry->op, bits, vd);
            continue;
        }
        entry->op.address = (uint16_t)address;
        entry->op.mod = config->misc >> (4 + index) & 1 ? op->mod : config->misc & 15;
        entry->op.vd = (uint8_t)(bits & 0x40 ? 16 : bits & 0x80 ? entry->op.vd : vd);
    }
}

/* --- A cycle --- */

/* Takes what is due; *counts: the others go by cycles. */
static unsigned take_due(struct macro_model *model, struct macro_pending *due, bool *counts)
{
    unsigned count = 0, left = 0;
    *counts = true;
    for (unsigned i = 0; i < model->count; i++) {
        if (model->pending[i].delay == 0) {
            due[count++] = model->pending[i];
        } else {
            model->pending[left++] = model->pending[i];
            *counts &= !model->pending[i].counts_instructions;
        }
    }
    model->count = left;
    return count;
}

/* What the ordinary instruction writes stays, so it goes to `last`. */
static void execute_one(struct macro_model *model, const struct macro_registers *before,
                        struct macro_registers *after, const struct macro_pending *due,
                        struct macro_registers *last, uint32_t last_lanes[TENSIX_LREGS])
{
    const struct tensix_vector_op *op = &due->op;
    uint32_t changed[TENSIX_LREGS] = {0};
    put(model, before);
    if (op->row == TENSIX_ROW_SFPSWAP) {
        start_swap(model, before, op, due->lanes);
    } else if (tensix_vector_uses(&model->harness.tensix.vector, op).is_slow) {
        execute(model, before, &model->late, op, due->lanes, model->late_lanes);
    } else if (op->is_scheduled) {
        execute(model, before, after, op, due->lanes, changed);
    } else {
        execute(model, before, last, op, due->lanes, last_lanes);
        if (last->flags != before->flags || last->uses_flags != before->uses_flags) {
            after->flags = last->flags;
            after->uses_flags = last->uses_flags;
        }
    }
}

/* Loads first, stores, then all others, which see the snapshot. */
static void execute_due(struct macro_model *model, const struct macro_registers *before,
                        struct macro_registers *after, const struct macro_pending *due,
                        unsigned count)
{
    static const unsigned order[] = {TENSIX_PART_LOAD, TENSIX_PART_STORE, TENSIX_PART_ROUND,
                                     TENSIX_PART_MAD, TENSIX_PART_SIMPLE};
    struct macro_registers last = *before;
    uint32_t last_lanes[TENSIX_LREGS] = {0};
    for (unsigned k = 0; k < sizeof order / sizeof order[0]; k++) {
        for (unsigned i = 0; i < count; i++) {
            if (due[i].part == order[k] && due[i].op.row != TENSIX_ROW_SFPNOP) {
                execute_one(model, before, after, &due[i], &last, last_lanes);
            }
        }
    }
    merge(after, &last, last_lanes);
}

void macro_model_cycle(struct macro_model *model, const struct tensix_vector_op *ordinary)
{
    struct macro_registers before, after;
    struct macro_pending due[MACRO_PENDING + 1];
    unsigned part = ordinary ? tensix_vector_row(ordinary->row)->part : 0, address = 0;
    bool all_cycles, executes = ordinary != NULL;
    take(model, &before);
    after = before;
    merge(&after, &model->late, model->late_lanes);
    memset(model->late_lanes, 0, sizeof model->late_lanes);
    finish_swap(model, &before, &after);
    unsigned count = take_due(model, due, &all_cycles);
    for (unsigned i = 0; i < count; i++) { /* what is scheduled goes first */
        executes &= due[i].part != part;
    }
    put(model, &before);
    if (executes) {
        if (ordinary->row == TENSIX_ROW_SFPLOADMACRO) {
            address = tensix_vector_load_address(&model->harness.tensix, ordinary);
        }
        due[count++] = (struct macro_pending){.op = *ordinary, .lanes = UINT32_MAX, .part = part};
    }
    execute_due(model, &before, &after, due, count);
    put(model, &after);
    for (unsigned i = 0; i < model->count; i++) {
        model->pending[i].delay -= all_cycles || ordinary;
    }
    if (executes && ordinary->row == TENSIX_ROW_SFPLOADMACRO) {
        schedule(model, ordinary, address);
    }
}

void macro_model_take(struct macro_model *model, const struct tensix *from)
{
    struct tensix *own = &model->harness.tensix;
    tensix_reset(own);
    own->vector = from->vector;
    own->dst = from->dst;
    memcpy(own->thread_config, from->thread_config, sizeof own->thread_config);
    model->count = 0;
    model->swap.lanes = 0;
    memset(model->late_lanes, 0, sizeof model->late_lanes);
}
