/*
 * A cycle of the Vector Unit, in which up to five instructions execute: one that a thread has
 * issued, and those that SFPLOADMACRO has scheduled for it (SPEC: BlackholeA0 SFPLOADMACRO).
 *
 * All of them see LRegs and flags as they are at the start of the cycle, and write at its end;
 * results of SFPMAD's kind, of SFPSWAP and of SFPSHFT2 that moves lanes are written a cycle later.
 * They execute in place, first those whose operands others overwrite. A value is held back only if
 * that does not help, and for late results. GUESS: if several values come to an LReg at the end of
 * one cycle, that of the ordinary instruction stays, or else that of a scheduled one, or else the
 * late one. LLK's column reduction relies on this.
 */
#include "tensix/vector/schedule.h"

enum { MOST_STEPS = 4 * TENSIX_LANE_COLUMNS + 1 };

/* An instruction that executes in this cycle. */
struct step {
    struct tensix_vector_op op;
    struct tensix_vector_uses uses;
    uint32_t lanes;
    uint16_t macro; /* as of struct tensix_scheduled; 0: an ordinary one */
    uint8_t part;   /* enum tensix_vector_part: where it executes */
    uint8_t rank;   /* in what order */
};

struct cycle {
    struct step step[MOST_STEPS];
    unsigned steps;
    uint32_t flags, uses_flags;         /* at the start */
    uint32_t new_flags, new_uses_flags; /* at the end */
    uint32_t written;                   /* LRegs that are written at the end of this cycle */
    struct tensix_vector_late *old,
        *next; /* what comes at the end of this cycle; of the next one */
    /* What comes at the end of this one, computed in it; that of the ordinary instruction. */
    struct tensix_vector_late held, ordinary;
    unsigned address; /* of an SFPLOADMACRO */
};

tensix_vector_exec *const tensix_vector_execs[TENSIX_ROWS] = {
#define INSN(...)
#define FRONT(...)
#define STUB(...)
#define SFPU(token, ...) [TENSIX_ROW_##token] = tensix_vector_exec_##token,
#include "tensix.def"
};

static bool is_nop(const struct step *step)
{
    return tensix_has(step->op.row, TENSIX_TRAIT_IDLE);
}

/* --- Which instructions execute --- */

/* Downstream first, so that nobody overwrites what another one is still to read. A load must not
 * see what is stored in the same cycle; SFPCONFIG changes what all others go by. */
static unsigned rank_of(const struct tensix_vector_op *op, unsigned part, bool stores)
{
    enum { FIRST, STORE, ROUND, MAD, SIMPLE, LAST, CONFIG };
    static const uint8_t ranks[] = {
        [TENSIX_PART_STORE] = STORE, [TENSIX_PART_ROUND] = ROUND,   [TENSIX_PART_MAD] = MAD,
        [TENSIX_PART_LOAD] = LAST,   [TENSIX_PART_SIMPLE] = SIMPLE,
    };
    if (part == TENSIX_PART_LOAD && stores) {
        return FIRST;
    }
    return tensix_has(op->row, TENSIX_TRAIT_CONFIGURES) ? CONFIG : ranks[part];
}

static void insert(const struct tensix_vector *vector, struct cycle *cycle,
                   const struct tensix_scheduled *entry, bool stores)
{
    unsigned rank = rank_of(&entry->op, entry->unit, stores), i = cycle->steps++;
    for (; i > 0 && cycle->step[i - 1].rank > rank; i--) {
        cycle->step[i] = cycle->step[i - 1];
    }
    cycle->step[i] = (struct step){
        .op = entry->op,
        .uses = tensix_vector_uses(vector, &entry->op),
        .lanes = entry->lanes,
        .macro = entry->macro,
        .part = entry->unit,
        .rank = (uint8_t)rank,
    };
}

/* What is due, and the ordinary instruction. */
static void gather(const struct tensix_vector *vector, struct cycle *cycle,
                   const struct tensix_vector_op *ordinary)
{
    bool stores = false;
    cycle->steps = 0;
    for (unsigned i = 0; i < vector->entries; i++) {
        const struct tensix_scheduled *entry = &vector->scheduled[i];
        if (entry->delay == 0) {
            insert(vector, cycle, entry, false);
            stores |= entry->unit == TENSIX_PART_STORE;
        }
    }
    if (ordinary) {
        const struct tensix_scheduled entry = {
            .op = *ordinary, .lanes = UINT32_MAX, .unit = tensix_vector_row(ordinary->row)->part};
        insert(vector, cycle, &entry, stores);
    }
}

/* --- Broken rules --- */

/* SPEC: what is scheduled goes first, and the ordinary instruction is discarded. */
static enum tensix_exec discard(struct tensix *tensix, const struct cycle *cycle,
                                struct step *ordinary)
{
    static const char *const names[] = {
        [TENSIX_PART_SIMPLE] = "simple", [TENSIX_PART_MAD] = "MAD",   [TENSIX_PART_ROUND] = "round",
        [TENSIX_PART_STORE] = "store",   [TENSIX_PART_LOAD] = "load",
    };
    const struct step *first = NULL;
    for (unsigned i = 0; i < cycle->steps; i++) {
        const struct step *step = &cycle->step[i];
        if (step->op.is_scheduled && step->part == ordinary->part) {
            ordinary->lanes &= ~step->lanes;
            first = step;
        }
    }
    if (!first) {
        return TENSIX_DONE;
    }
    unsigned row = ordinary->op.row;
    if (!ordinary->lanes) {
        ordinary->op.row = TENSIX_ROW_SFPNOP;
        ordinary->uses = (struct tensix_vector_uses){0};
    }
    return tensix_fault(tensix, ordinary->op.thread, PENROSE_FAULT_VECTOR_HAZARD,
                        "%s is discarded: a scheduled %s takes the %s sub-unit in this cycle; put "
                        "an SFPNOP before it",
                        tensix_rows[row].mnemonic, tensix_rows[first->op.row].mnemonic,
                        names[ordinary->part]);
}

/*
 * Two instructions of a cycle that must not meet, in words, or NULL. LLK leaves the MAD sub-unit
 * idle where the page has an SFPNOP for it. GUESS: an instruction that writes no LReg does not
 * count where one of a simple and a round instruction has to write LReg[16].
 */
static const char *conflict(const struct step *x, const struct step *y)
{
    bool in_simple = x->part == TENSIX_PART_SIMPLE;
    if (!in_simple || is_nop(x) || is_nop(y) || !(x->lanes & y->lanes)) {
        return NULL;
    }
    if (tensix_has(x->op.row, TENSIX_TRAIT_SWAPS) && y->part == TENSIX_PART_MAD) {
        return "a MAD instruction comes in the same cycle; give one of them another delay";
    }
    bool to_macro = x->op.vd == TENSIX_LREG_MACRO;
    if (y->part == TENSIX_PART_ROUND && x->uses.writes && y->uses.writes &&
        to_macro == (y->op.vd == TENSIX_LREG_MACRO)) {
        return "a round instruction comes in the same cycle; one of them, and one only, must have "
               "VD = 16";
    }
    return NULL;
}

/* In the second cycle of a scheduled SFPSWAP. */
static bool disturbs_swap(const struct tensix_vector *vector, const struct step *step)
{
    bool is_near = step->part == TENSIX_PART_SIMPLE || step->part == TENSIX_PART_ROUND;
    return is_near && !is_nop(step) && (vector->swap_lanes & step->lanes);
}

/* Reports what the pages leave undefined before anything of the cycle has happened. */
static enum tensix_exec check_undefined(struct tensix *tensix, const struct cycle *cycle)
{
    const struct tensix_vector *vector = &tensix->vector;
    for (unsigned i = 0; i < cycle->steps; i++) {
        const struct step *x = &cycle->step[i];
        const char *rule = NULL;
        if (disturbs_swap(vector, x)) {
            rule = "a scheduled SFPSWAP is in its second cycle, when only SFPNOP may come to the "
                   "simple and round sub-units";
        }
        for (unsigned j = 0; j < cycle->steps && !rule; j++) {
            rule = conflict(x, &cycle->step[j]);
        }
        if (rule && tensix_vector_fault(tensix, &x->op, rule) == TENSIX_STOP) {
            return TENSIX_STOP;
        }
    }
    return TENSIX_DONE;
}

/* LRegs that SFPSWAPs of a macro write at the end of this cycle. */
static uint32_t swapped_by(const struct tensix_vector *vector, uint16_t macro)
{
    uint32_t writes = 0;
    for (unsigned i = 0; i < vector->swaps; i++) {
        const struct tensix_scheduled *swap = &vector->swap[i];
        writes |= swap->macro == macro ? tensix_vector_uses(vector, &swap->op).writes : 0;
    }
    return writes & vector->swap_early;
}

/*
 * Reads of results that come at the end of this cycle. SPEC: software must not. But in LLK's
 * reciprocals macros that overlap read on purpose what an LReg still holds, so only instructions of
 * the same macro, and ordinary ones that the stalls miss, are judged.
 */
static enum tensix_exec check_hazards(struct tensix *tensix, const struct cycle *cycle)
{
    const struct tensix_vector_late *old = cycle->old;
    for (unsigned i = 0; i < cycle->steps; i++) {
        const struct step *step = &cycle->step[i];
        uint32_t early = old->macro == step->macro ? old->lregs & old->early : 0;
        early &= step->uses.reads;
        unsigned row = early ? old->row : (unsigned)TENSIX_ROW_SFPSWAP;
        if (!early) {
            early = swapped_by(&tensix->vector, step->macro) & step->uses.reads;
        }
        if (early && step->lanes &&
            tensix_vector_report_late(tensix, &step->op, row, early) == TENSIX_STOP) {
            return TENSIX_STOP;
        }
    }
    return TENSIX_DONE;
}

/* By the flags of the start, and before any template is written. */
static const char *broken_rule(const struct tensix_vector *vector, const struct step *step)
{
    const struct tensix_vector_op *op = &step->op;
    uint32_t lanes = step->lanes;
    if (tensix_vector_has_backdoor(op->row) && !op->is_scheduled &&
        op->vd >= TENSIX_LREG_BACKDOOR) {
        lanes &= vector->sets.backdoor_closed;
    }
    if (!tensix_vector_ignores_flags(op->row)) {
        lanes &= tensix_vector_enabled(vector);
    }
    switch (op->row) {
#define INSN(...)
#define FRONT(...)
#define STUB(...)
#define RULE(check) return check(vector, op, lanes);
#define SFPU(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    case TENSIX_ROW_##token:                                                                       \
        cells break;
#include "tensix.def"
    }
    return NULL;
}

static void skip(struct step *step)
{
    step->op.row = TENSIX_ROW_SFPNOP;
    step->uses = (struct tensix_vector_uses){0};
}

/* What breaks a rule by itself is skipped. */
static enum tensix_exec check_rules(struct tensix *tensix, struct cycle *cycle)
{
    for (unsigned i = 0; i < cycle->steps; i++) {
        struct step *step = &cycle->step[i];
        const char *rule = broken_rule(&tensix->vector, step);
        if (rule && tensix_vector_fault(tensix, &step->op, rule) == TENSIX_STOP) {
            return TENSIX_STOP;
        }
        if (rule) {
            skip(step);
        }
    }
    return TENSIX_DONE;
}

/* --- Executing --- */

static void copy_lanes(const struct tensix *tensix, uint32_t *to, const uint32_t *from,
                       uint32_t lanes)
{
    tensix->kernels->lanes->op[NUM_LANES_COPY](to, NULL, NULL, from, 0, lanes);
}

/* SPEC: SFPLOAD; besides VD it may write where the data come from. */
static uint32_t loaded_lanes(const struct tensix_vector *vector, const struct tensix_vector_op *op,
                             unsigned lreg)
{
    uint32_t lanes = op->mod == NUM_LANES_INT32_ALL ? UINT32_MAX : tensix_vector_enabled(vector);
    return lanes & ~vector->sets.no_loads &
           (lreg == op->vd ? UINT32_MAX : vector->sets.captures_index);
}

/* Lanes of an LReg that an instruction writes which is executed for `lanes`. */
static uint32_t written_lanes(const struct tensix_vector *vector, const struct step *step,
                              unsigned lreg)
{
    const struct tensix_vector_op *op = &step->op;
    uint32_t lanes = step->lanes;
    if (step->part == TENSIX_PART_MAD && tensix_vector_is_indirect(op)) {
        for (unsigned lane = 0; lane < NUM_LANES; lane++) {
            bool is_it = tensix_vector_named(vector, lane) == lreg;
            lanes &= ~((uint32_t)!is_it << lane);
        }
    }
    if (tensix_has(op->row, TENSIX_TRAIT_LOADS_DST)) {
        return lanes & loaded_lanes(vector, op, lreg);
    }
    bool knows_lanes = !tensix_vector_ignores_flags(op->row) || step->uses.is_for_all_lanes;
    return knows_lanes ? lanes : lanes & tensix_vector_enabled(vector);
}

/* No rule is broken: check_rules. */
static void call(struct tensix *tensix, const struct cycle *cycle, const struct step *step)
{
    if (tensix_has(step->op.row, TENSIX_TRAIT_SCHEDULES)) {
        tensix_vector_macro_load(tensix, &step->op, cycle->address);
    } else {
        (void)tensix_vector_execs[step->op.row](tensix, &step->op, step->lanes);
    }
}

/* Executes an instruction whose results are to come later than others read. */
static void hold_back(struct tensix *tensix, const struct cycle *cycle, const struct step *step,
                      struct tensix_vector_late *late)
{
    struct tensix_vector *vector = &tensix->vector;
    uint32_t before[TENSIX_LREGS][NUM_LANES], lanes[TENSIX_LREGS] = {0};
    for (uint32_t rest = step->uses.writes; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        lanes[i] = written_lanes(vector, step, i);
        memcpy(before[i], vector->lreg[i], sizeof before[i]);
    }
    call(tensix, cycle, step);
    for (uint32_t rest = step->uses.writes; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        if (lanes[i]) {
            copy_lanes(tensix, late->value[i], vector->lreg[i], lanes[i]);
            late->lanes[i] = (late->lregs >> i & 1 ? late->lanes[i] : 0) | lanes[i];
            late->lregs |= UINT32_C(1) << i;
            late->row = step->op.row;
            late->macro = step->macro;
        }
        memcpy(vector->lreg[i], before[i], sizeof before[i]);
    }
}

/* SPEC: SFPSWAP reads twice. In its first cycle it finds the lanes that are to be swapped. Those of
 * a cycle are for different columns. */
static void start_swap(struct tensix *tensix, const struct step *step)
{
    struct tensix_vector *vector = &tensix->vector;
    uint32_t lanes = step->lanes & tensix_vector_misordered(tensix, &step->op);
    vector->swap_lanes |= step->op.is_scheduled ? step->lanes : 0;
    if (lanes && vector->swaps < TENSIX_LANE_COLUMNS) {
        struct tensix_scheduled *swap = &vector->swap[vector->swaps++];
        *swap = (struct tensix_scheduled){.op = step->op, .lanes = lanes, .macro = step->macro};
        swap->op.mod = 0; /* unconditionally */
    }
}

/* In its second one it swaps what is there now. */
static void finish_swaps(struct tensix *tensix, struct cycle *cycle)
{
    struct tensix_vector *vector = &tensix->vector;
    for (unsigned i = 0; i < vector->swaps; i++) {
        const struct tensix_scheduled *swap = &vector->swap[i];
        const struct step step = {.op = swap->op,
                                  .uses = tensix_vector_uses(vector, &swap->op),
                                  .lanes = swap->lanes,
                                  .macro = swap->macro};
        hold_back(tensix, cycle, &step, cycle->old);
    }
    vector->swaps = 0;
    vector->swap_lanes = 0;
}

/* What is written now takes the place of what was to come. */
static void outrun(const struct tensix_vector *vector, struct tensix_vector_late *late,
                   const struct step *step)
{
    for (uint32_t rest = step->uses.writes & late->lregs; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        late->lanes[i] &= ~written_lanes(vector, step, i);
    }
}

/* `read`, `written`: by those that execute after it. */
static void execute_step(struct tensix *tensix, struct cycle *cycle, const struct step *step,
                         uint32_t read, uint32_t written)
{
    struct tensix_vector *vector = &tensix->vector;
    if (tensix_has(step->op.row, TENSIX_TRAIT_SWAPS)) {
        start_swap(tensix, step);
        return;
    }
    if (step->uses.is_slow) {
        hold_back(tensix, cycle, step, cycle->next);
        return;
    }
    cycle->written |= step->uses.writes;
    outrun(vector, cycle->old, step);
    if (!step->op.is_scheduled && step->uses.writes & (read | written)) {
        hold_back(tensix, cycle, step, &cycle->ordinary);
        return;
    }
    outrun(vector, &cycle->held, step);
    if (step->uses.writes & read) {
        hold_back(tensix, cycle, step, &cycle->held);
    } else {
        call(tensix, cycle, step);
    }
}

static void arrive(struct tensix *tensix, struct tensix_vector_late *late)
{
    for (uint32_t rest = late->lregs; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        copy_lanes(tensix, tensix->vector.lreg[i], late->value[i], late->lanes[i]);
    }
    late->lregs = 0;
}

/* Executes what is due. Flags are those of the start for each instruction, and change at the end. */
static void execute_cycle(struct tensix *tensix, struct cycle *cycle)
{
    struct tensix_vector *vector = &tensix->vector;
    cycle->flags = cycle->new_flags = vector->flags;
    cycle->uses_flags = cycle->new_uses_flags = vector->uses_flags;
    cycle->held.lregs = cycle->ordinary.lregs = cycle->next->lregs = 0;
    for (unsigned i = 0; i < cycle->steps; i++) {
        struct step *step = &cycle->step[i];
        step->lanes &= tensix_vector_lanes(vector, &step->op, step->op.row);
    }
    finish_swaps(tensix, cycle);
    cycle->written = cycle->old->lregs;
    for (unsigned i = 0; i < cycle->steps; i++) {
        const struct step *step = &cycle->step[i];
        const uint32_t slow_word = vector->slow_word, slow_writes = vector->slow_writes;
        const uint64_t slow_start = vector->slow_start;
        uint32_t read = 0, written = 0;
        if (is_nop(step)) {
            continue;
        }
        for (unsigned j = i + 1; j < cycle->steps; j++) {
            read |= cycle->step[j].uses.reads;
            written |= cycle->step[j].uses.writes;
        }
        execute_step(tensix, cycle, step, read, written);
        cycle->new_flags ^= vector->flags ^ cycle->flags; /* other lanes may be another one's */
        cycle->new_uses_flags ^= vector->uses_flags ^ cycle->uses_flags;
        vector->flags = cycle->flags;
        vector->uses_flags = cycle->uses_flags;
        if (step->op.is_scheduled) { /* stalls and hazards of ordinary ones go by ordinary ones */
            vector->slow_word = slow_word;
            vector->slow_writes = slow_writes;
            vector->slow_start = slow_start;
        }
    }
    arrive(tensix, cycle->old);
    arrive(tensix, &cycle->held);
    arrive(tensix, &cycle->ordinary);
    vector->flags = cycle->new_flags;
    vector->uses_flags = cycle->new_uses_flags;
}

/* --- Time --- */

/* SPEC: a single instruction that waits for instructions makes all of them wait for instructions.
 */
static void count_down(struct tensix_vector *vector, bool is_issued)
{
    unsigned left = 0;
    bool counts = true;
    for (unsigned i = 0; i < vector->entries; i++) {
        if (vector->scheduled[i].delay > 0) {
            vector->scheduled[left++] = vector->scheduled[i];
            counts &= is_issued || !vector->scheduled[i].counts_instructions;
        }
    }
    vector->entries = (uint16_t)left;
    for (unsigned i = 0; i < left; i++) {
        vector->scheduled[i].delay = (uint8_t)(vector->scheduled[i].delay - counts);
    }
}

/* The end of a cycle: what is late comes next. */
static void turn(struct tensix_vector *vector, struct cycle *cycle)
{
    cycle->next->early = cycle->next->lregs & ~cycle->written;
    vector->turn ^= 1;
    vector->swap_early = ~cycle->written;
}

static void recount(struct tensix_vector *vector)
{
    bool more = vector->late[vector->turn].lregs || vector->swaps || vector->swap_lanes;
    vector->schedules = (uint16_t)(vector->entries + more);
}

static struct step *ordinary_of(struct cycle *cycle)
{
    unsigned i = 0;
    while (i < cycle->steps && cycle->step[i].op.is_scheduled) {
        i++;
    }
    return &cycle->step[i];
}

enum tensix_exec tensix_vector_cycle(struct tensix *tensix, const struct tensix_vector_op *ordinary)
{
    struct tensix_vector *vector = &tensix->vector;
    struct cycle cycle;
    bool is_macro = ordinary && tensix_has(ordinary->row, TENSIX_TRAIT_SCHEDULES);
    const struct tensix_vector_op *op = ordinary;
    cycle.old = &vector->late[vector->turn];
    cycle.next = &vector->late[vector->turn ^ 1];
    const char *rule = is_macro ? tensix_vector_check_macro(vector, op) : NULL;
    if (rule) {
        if (tensix_vector_fault(tensix, op, rule) == TENSIX_STOP) {
            return TENSIX_STOP;
        }
        op = NULL; /* skipped */
        is_macro = false;
    }
    gather(vector, &cycle, op);
    if ((op && discard(tensix, &cycle, ordinary_of(&cycle)) == TENSIX_STOP) ||
        check_undefined(tensix, &cycle) == TENSIX_STOP ||
        check_hazards(tensix, &cycle) == TENSIX_STOP ||
        check_rules(tensix, &cycle) == TENSIX_STOP) {
        return TENSIX_STOP;
    }
    cycle.address = is_macro ? tensix_vector_load_address(tensix, op) : 0;
    execute_cycle(tensix, &cycle);
    count_down(vector, ordinary != NULL);
    turn(vector, &cycle);
    if (is_macro) {
        tensix_vector_schedule_macro(vector, op, cycle.address);
    }
    recount(vector);
    return TENSIX_DONE;
}
