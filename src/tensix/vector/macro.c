/*
 * SFPLOADMACRO: loads that schedule up to four instructions for the cycles to come, and how time
 * goes by for these (SPEC: BlackholeA0 SFPLOADMACRO).
 *
 * While nothing is scheduled, an instruction executes by itself (tensix_vector_start). From the
 * first macro on the unit has a clock: `clock` is the last cycle, in the time of threads, that it
 * has run. The entries of `scheduled` differ in sub-unit, delay or lanes; delay 0 is due in the
 * next cycle.
 */
#include "tensix/rwc.h"
#include "tensix/vector/schedule.h"

/* What a byte of a macro's sequence says. */
enum {
    SEQUENCE_SOURCE = 7,
    SEQUENCE_DELAY_SHIFT = 3,
    SEQUENCE_TO_MACRO = 0x40, /* VD = 16 */
    SEQUENCE_AS_VB = 0x80,    /* the loaded LReg is VB, not VC; of a store: VD is the template's */
    DELAY_MASK = 7,
};
enum source { SOURCE_NOTHING, SOURCE_RESERVED, SOURCE_NOP, SOURCE_STORE, SOURCE_TEMPLATES };
enum { MISC_STORE_MOD0 = 15, MISC_LOAD_MOD0_SHIFT = 4, MISC_DELAY_KIND_SHIFT = 8 };
enum { SCHEDULED_PARTS = TENSIX_PART_STORE + 1 };

/* --- Columns --- */

_Static_assert(sizeof(struct tensix_macro_config) ==
                   sizeof(uint32_t) * (TENSIX_MACRO_TEMPLATES + TENSIX_MACROS + 1),
               "LoadMacroConfig is compared byte by byte");

/* Lanes of the columns from `first` on whose LoadMacroConfig is that of `first`; 0 where an earlier
 * one has the same. */
static uint32_t lanes_like(const struct tensix_vector *vector, unsigned first)
{
    const uint32_t lanes_of_column = 0x01010101;
    const struct tensix_macro_config *macro = vector->macro;
    uint32_t lanes = 0;
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        if (memcmp(&macro[column], &macro[first], sizeof *macro) == 0) {
            if (column < first) {
                return 0;
            }
            lanes |= lanes_of_column << column;
        }
    }
    return lanes;
}

static unsigned sequence_of(const struct tensix_macro_config *config,
                            const struct tensix_vector_op *op, unsigned part)
{
    unsigned macro = op->word >> 22 & 3;
    return config->sequence[macro] >> 8 * part & 0xff;
}

/* The row that a sequence byte brings to a sub-unit. SPEC: what cannot execute there becomes
 * SFPNOP, which takes care of templates that are macros themselves. */
static unsigned row_of(const struct tensix_macro_config *config, unsigned sequence, unsigned part)
{
    unsigned source = sequence & SEQUENCE_SOURCE, row = TENSIX_ROW_SFPNOP;
    if (source == SOURCE_STORE) {
        row = TENSIX_ROW_SFPSTORE;
    } else if (source >= SOURCE_TEMPLATES) {
        unsigned opcode = config->instruction[source - SOURCE_TEMPLATES] >> 24;
        row = tensix_last_row[opcode] ? tensix_last_row[opcode] - 1u : TENSIX_ROW_SFPNOP;
    }
    return tensix_vector_can_execute((enum tensix_vector_part)part, row) ? row : TENSIX_ROW_SFPNOP;
}

/* --- What the page leaves undefined --- */

static const char *check_column(const struct tensix_macro_config *config,
                                const struct tensix_vector_op *op)
{
    for (unsigned part = 0; part < SCHEDULED_PARTS; part++) {
        if ((sequence_of(config, op, part) & SEQUENCE_SOURCE) == SOURCE_RESERVED) {
            return "source 1 in a macro's sequence is reserved: 0 schedules nothing, 2 an SFPNOP, "
                   "3 "
                   "an SFPSTORE, 4 to 7 a template";
        }
    }
    unsigned store = sequence_of(config, op, TENSIX_PART_STORE);
    if (store & SEQUENCE_SOURCE &&
        tensix_has(row_of(config, store, TENSIX_PART_STORE), TENSIX_TRAIT_IDLE)) {
        return "the store sub-unit executes SFPSTORE alone: source 3 in the sequence schedules "
               "one, "
               "0 nothing";
    }
    return NULL;
}

const char *tensix_vector_check_macro(const struct tensix_vector *vector,
                                      const struct tensix_vector_op *op)
{
    uint32_t stores = 0;
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        const struct tensix_macro_config *config = &vector->macro[column];
        uint32_t lanes = lanes_like(vector, column);
        const char *rule = lanes ? check_column(config, op) : NULL;
        if (rule) {
            return rule;
        }
        bool has_store = sequence_of(config, op, TENSIX_PART_STORE) & SEQUENCE_SOURCE;
        stores |= has_store ? lanes : 0;
        if (lanes == UINT32_MAX) {
            return NULL;
        }
    }
    return stores && ~stores ? "LoadMacroConfig has a store for some columns only; give one to all "
                               "or to none"
                             : NULL;
}

/* --- Scheduling --- */

/* SPEC: what the macro puts in place of the template's operands. */
static struct tensix_vector_op compose(const struct tensix_macro_config *config,
                                       const struct tensix_vector_op *macro, unsigned sequence,
                                       unsigned part)
{
    unsigned row = row_of(config, sequence, part), vd = macro->vd;
    unsigned source = sequence & SEQUENCE_SOURCE;
    uint32_t word = source >= SOURCE_TEMPLATES && !tensix_has(row, TENSIX_TRAIT_IDLE)
                        ? config->instruction[source - SOURCE_TEMPLATES]
                        : tensix_rows[row].match;
    struct tensix_vector_op op = tensix_vector_decode(row, macro->thread, word);
    const struct tensix_vector_row *fields = tensix_vector_row(row);
    op.is_scheduled = true;
    if (sequence & SEQUENCE_AS_VB) {
        op.vc = fields->has_vc ? op.vc : op.vd;
        op.vb = (uint8_t)vd;
    } else {
        op.vb = fields->has_vb ? op.vb : op.vd;
        op.vc = (uint8_t)vd;
    }
    op.vd = (uint8_t)(sequence & SEQUENCE_TO_MACRO ? TENSIX_LREG_MACRO : vd);
    if (tensix_has(row, TENSIX_TRAIT_SWAPS) && !(sequence & (SEQUENCE_AS_VB | SEQUENCE_TO_MACRO))) {
        /* HW: by the page it would swap VD with itself. LLK's exponential clamps to LReg[14] by a
         * template with VD = 14, so the second operand is VB, as of other simple instructions. */
        op.vd = op.vb;
    }
    return op;
}

static struct tensix_vector_op compose_store(const struct tensix_macro_config *config,
                                             const struct tensix_vector_op *macro,
                                             unsigned sequence, unsigned address)
{
    unsigned source = sequence & SEQUENCE_SOURCE, index = macro->word >> 22 & 3;
    uint32_t word = source >= SOURCE_TEMPLATES ? config->instruction[source - SOURCE_TEMPLATES]
                                               : tensix_rows[TENSIX_ROW_SFPSTORE].match;
    struct tensix_vector_op op = tensix_vector_decode(TENSIX_ROW_SFPSTORE, macro->thread, word);
    bool uses_mod0 = config->misc >> (MISC_LOAD_MOD0_SHIFT + index) & 1;
    op.is_scheduled = true;
    op.address = (uint16_t)address;
    op.mod = uses_mod0 ? macro->mod : config->misc & MISC_STORE_MOD0;
    if (sequence & SEQUENCE_TO_MACRO) {
        op.vd = TENSIX_LREG_MACRO;
    } else if (!(sequence & SEQUENCE_AS_VB)) {
        op.vd = macro->vd;
    }
    return op;
}

/* SPEC: an instruction takes the place of one that would execute at the same time. */
static void forget_scheduled(struct tensix_vector *vector, unsigned part, unsigned delay,
                             uint32_t lanes)
{
    unsigned left = 0;
    for (unsigned i = 0; i < vector->entries; i++) {
        struct tensix_scheduled *entry = &vector->scheduled[i];
        if (entry->unit == part && entry->delay == delay) {
            entry->lanes &= ~lanes;
        }
        if (entry->lanes) {
            vector->scheduled[left++] = *entry;
        }
    }
    vector->entries = (uint16_t)left;
}

/*
 * HW: on the page a sub-unit for which nothing is to be scheduled forgets what is due in the cycle
 * after as well (delay 0). LLK's reciprocals would lose instructions by that, so it does not here.
 */
static void schedule_part(struct tensix_vector *vector, const struct tensix_vector_op *op,
                          const struct tensix_macro_config *config, unsigned part, uint32_t lanes,
                          unsigned address)
{
    unsigned sequence = sequence_of(config, op, part);
    unsigned delay = sequence >> SEQUENCE_DELAY_SHIFT & DELAY_MASK;
    if ((sequence & SEQUENCE_SOURCE) == SOURCE_NOTHING) {
        return;
    }
    forget_scheduled(vector, part, delay, lanes);
    vector->scheduled[vector->entries++] = (struct tensix_scheduled){
        .op = part == TENSIX_PART_STORE ? compose_store(config, op, sequence, address)
                                        : compose(config, op, sequence, part),
        .lanes = lanes,
        .unit = (uint8_t)part,
        .delay = (uint8_t)delay,
        .macro = vector->macros,
        .counts_instructions = config->misc >> (MISC_DELAY_KIND_SHIFT + part) & 1,
    };
}

void tensix_vector_schedule_macro(struct tensix_vector *vector, const struct tensix_vector_op *op,
                                  unsigned address)
{
    vector->macros = (uint16_t)(vector->macros + 1 ? vector->macros + 1 : 1);
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        uint32_t lanes = lanes_like(vector, column);
        for (unsigned part = 0; lanes && part < SCHEDULED_PARTS; part++) {
            schedule_part(vector, op, &vector->macro[column], part, lanes, address);
        }
        if (lanes == UINT32_MAX) {
            break;
        }
    }
}

void tensix_vector_macro_load(struct tensix *tensix, const struct tensix_vector_op *op,
                              unsigned address)
{
    tensix_vector_load(tensix, op, op->vd, address);
    tensix_apply_partial_addr_mod(tensix, op->thread, op->word >> 13 & 7);
}

/* A macro while nothing is scheduled: later instructions go through tensix_vector_issue. */
TENSIX_EXEC_VECTOR(SFPLOADMACRO)
{
    struct tensix_vector *vector = &tensix->vector;
    const char *rule = tensix_vector_check_macro(vector, op);
    (void)lanes; /* VD is below 8 */
    if (rule) {
        return rule;
    }
    unsigned address = tensix_vector_load_address(tensix, op);
    tensix_vector_macro_load(tensix, op, address);
    tensix_vector_schedule_macro(vector, op, address);
    vector->schedules = vector->entries;
    vector->clock = tensix->now;
    tensix_vector_note_start(vector, op, tensix->now);
    return NULL;
}

/* --- Time --- */

bool tensix_vector_goes_on(const struct tensix *tensix, unsigned thread)
{
    const struct tensix_vector *vector = &tensix->vector;
    bool waits = false, counts = true, is_due = false;
    if (vector->schedules == 0) {
        return false;
    }
    for (unsigned i = 0; i < vector->entries; i++) {
        const struct tensix_scheduled *entry = &vector->scheduled[i];
        bool is_own = thread == TENSIX_THREADS || entry->op.thread == thread;
        waits |= is_own;
        is_due |= is_own && entry->delay == 0;
        counts &= !entry->counts_instructions;
    }
    return vector->schedules > vector->entries || is_due || (waits && counts);
}

/* A cycle in which nothing is issued. False: a fault stops it, and it has not begun. */
static bool idle_cycle(struct tensix *tensix)
{
    if (tensix_vector_cycle(tensix, NULL) == TENSIX_STOP) {
        return false;
    }
    tensix->vector.clock++;
    return true;
}

void tensix_vector_pass(struct tensix *tensix, uint64_t now)
{
    struct tensix_vector *vector = &tensix->vector;
    while (vector->clock + 1 < now && tensix_vector_goes_on(tensix, TENSIX_THREADS)) {
        if (!idle_cycle(tensix)) {
            return;
        }
    }
    vector->clock = vector->clock + 1 < now ? now - 1 : vector->clock;
}

void tensix_vector_run_schedules(struct tensix *tensix, uint64_t now)
{
    if (tensix->timing) {
        tensix_vector_pass(tensix, now);
        return;
    }
    while (tensix_vector_goes_on(tensix, TENSIX_THREADS) && idle_cycle(tensix)) {
    }
}

/* --- Issuing --- */

enum tensix_exec tensix_vector_issue(struct tensix *tensix, const struct tensix_vector_op *op)
{
    struct tensix_vector *vector = &tensix->vector;
    const uint64_t now = tensix->now;
    if (vector->schedules) {
        tensix_vector_pass(tensix, now);
        if (tensix->stopped) {
            return TENSIX_STOP;
        }
    }
    if (vector->schedules == 0) {
        enum tensix_exec result =
            tensix_vector_execute(tensix, op->row, op, tensix_vector_execs[op->row]);
        if (result == TENSIX_DONE) {
            tensix_vector_note_start(vector, op, now);
        }
        return result;
    }
    /* In a timed run the thread has waited, in a functional one its time does not show it. */
    if (!tensix->timing && tensix_vector_must_stall(vector, op, now)) {
        if (tensix_vector_cycle(tensix, NULL) == TENSIX_STOP) {
            return TENSIX_STOP;
        }
        vector->stalls.start = 0; /* once */
    }
    enum tensix_exec result = tensix_vector_cycle(tensix, op);
    if (result == TENSIX_DONE) {
        tensix_vector_note_start(vector, op, now);
        vector->clock = now > vector->clock ? now : vector->clock;
    }
    return result;
}
