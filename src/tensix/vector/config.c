/*
 * SFPCONFIG: constants, LaneConfig and LoadMacroConfig; instruction templates; the effects of
 * power-on, soft reset and the seed register (SPEC: BlackholeA0 SFPCONFIG, LReg, VectorUnit,
 * SoftReset).
 *
 * Invariants: bits of lane_config above TENSIX_LANE_CONFIG_MASK and of misc above its 12 are 0;
 * `sets` says what lane_config says. Of LReg[0] and of the flags SFPCONFIG looks at the first row
 * of lanes only.
 */
#include "tensix/vector/common.h"

/* A lane of each column, and that in all four rows. */
enum { FIRST_ROW = 0xff };
#define ALL_ROWS UINT32_C(0x01010101)

/* --- Power-on, soft reset, seed --- */

/* What SFPCONFIG writes to LReg[11] to LReg[14] where the value is not LReg[0]'s. SPEC: of
 * LReg[12] older pages have 1/65536; the newest one has 1/512, as ttsim does. */
static const uint32_t defaults[] = {
    0xbf800000, /* -1 */
    0x3b000000, /* 1 / 512 */
    0xbf2cc4c7, /* -0.67487759 */
    0xbeb08ff9, /* -0.34484843 */
};

enum { LREG_DEFAULTS = 11, LREG_0_8373 = 8, LREG_NUMBERS = 15 };

static void fill_lreg(uint32_t *lreg, uint32_t value)
{
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        lreg[lane] = value;
    }
}

void tensix_vector_init(struct tensix_vector *vector)
{
    fill_lreg(vector->lreg[LREG_0_8373], UINT32_C(0x3f56594b));
    fill_lreg(vector->lreg[TENSIX_LREG_ONE], UINT32_C(0x3f800000));
    for (unsigned i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        fill_lreg(vector->lreg[LREG_DEFAULTS + i], defaults[i]);
    }
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        vector->lreg[LREG_NUMBERS][lane] = 2 * lane;
    }
}

/*
 * SPEC: scheduled instructions are forgotten on entering, all else is reset on leaving; nobody can
 * look at it in between. GUESS: LaneFlags and the generators become 0, as after power-on.
 */
void tensix_vector_soft_reset(struct tensix *tensix, uint32_t entering, uint32_t leaving)
{
    struct tensix_vector *vector = &tensix->vector;
    if (entering & TENSIX_RESET_MATH) {
        vector->schedules = vector->entries = 0;
        vector->swaps = 0;
        vector->swap_lanes = 0;
        memset(vector->scheduled, 0, sizeof vector->scheduled);
        memset(vector->late, 0, sizeof vector->late);
    }
    if (leaving & TENSIX_RESET_MATH) {
        memset(vector, 0, sizeof *vector);
        tensix_vector_init(vector);
    }
}

/* GUESS: no page says how; ttsim shifts the seed through all lanes, the last one first. */
void tensix_vector_seed(struct tensix *tensix, uint32_t seed)
{
    struct tensix_vector *vector = &tensix->vector;
    tensix_vector_settle(tensix, vector, tensix->now);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        (void)num_lane_random(&seed);
    }
    for (unsigned lane = NUM_LANES; lane-- > 0;) {
        (void)num_lane_random(&seed);
        (void)num_lane_random(&seed);
        vector->generator[lane] = seed;
    }
}

/* --- Lanes, by what their LaneConfig says --- */

void tensix_vector_derive(struct tensix_vector *vector)
{
    enum { ROW_MASK_SHIFT = 12, MOVES_SHIFT = 9 };
    struct tensix_lane_sets sets = {.masked = 0};
    uint32_t captures = 0;
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        const uint32_t config = vector->lane_config[column];
        const uint32_t lanes = ALL_ROWS << column;
        sets.fp16_infinities |= config & TENSIX_LANE_ENABLE_FP16A_INF ? lanes : 0;
        sets.backdoor_closed |= config & TENSIX_LANE_DISABLE_BACKDOOR_LOAD ? lanes : 0;
        sets.dest_index |= config & TENSIX_LANE_ENABLE_DEST_INDEX ? lanes : 0;
        captures |= config & TENSIX_LANE_CAPTURE_DEFAULT_DEST_INDEX ? lanes : 0;
        sets.no_stores |= config & TENSIX_LANE_BLOCK_DEST_WR_FROM_SFPU ? lanes : 0;
        sets.no_loads |= config & TENSIX_LANE_BLOCK_SFPU_RD_FROM_DEST ? lanes : 0;
        sets.odd_loads |= config & TENSIX_LANE_DEST_RD_COL_EXCHANGE ? lanes : 0;
        sets.odd_stores |= config & TENSIX_LANE_DEST_WR_COL_EXCHANGE ? lanes : 0;
        sets.exchanges |= config & TENSIX_LANE_EXCHANGE_SRCB_SRCC ? lanes : 0;
        sets.blocked_moves |= (uint16_t)((config >> MOVES_SHIFT & 3) << 2 * column);
        for (unsigned row = 0; row < NUM_LANES_ROWS; row++) {
            bool is_masked = config >> (ROW_MASK_SHIFT + row) & 1;
            sets.masked |= (uint32_t)is_masked << (NUM_LANES_A_ROW * row + column);
        }
    }
    sets.captures_index = captures & sets.dest_index;
    vector->sets = sets;
}

/* --- Instruction templates --- */

/* GUESS: whether lanes are enabled does not matter; pages ask for VD first. */
uint32_t tensix_vector_backdoor(struct tensix_vector *vector, const struct tensix_vector_op *op)
{
    const uint32_t closed = vector->sets.backdoor_closed;
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        if (!(closed >> column & 1)) {
            vector->macro[column].instruction[op->vd - TENSIX_LREG_BACKDOOR] = op->word;
        }
    }
    return closed;
}

/* --- SFPCONFIG --- */

enum mod { IMM16_IS_VALUE = 1, BITWISE = 6, IMM16_IS_LANE_MASK = 8 };
enum bitwise { WRITE = 0, OR = 2, AND = 4, XOR = 6 };

/* VD, as the first of a group. */
enum destination {
    TO_TEMPLATE = 0,
    TO_SEQUENCE = 4,
    TO_MISC = 8,
    TO_LREG = 11,
    TO_LANE_CONFIG = 15
};

/* Columns for which it executes. SPEC: ROW_MASK does not matter. */
static unsigned chosen_columns(const struct tensix_vector *vector,
                               const struct tensix_vector_op *op, uint32_t lanes)
{
    uint32_t columns = lanes & (vector->flags | ~vector->uses_flags) & FIRST_ROW;
    for (unsigned column = 0; op->mod & IMM16_IS_LANE_MASK && column < TENSIX_LANE_COLUMNS;
         column++) {
        if (!(tensix_vector_imm16(op) >> 2 * column & 1)) {
            columns &= ~(UINT32_C(1) << column);
        }
    }
    return columns;
}

static uint32_t combine_config(unsigned mod, uint32_t old, uint32_t value)
{
    switch ((enum bitwise)(mod & BITWISE)) {
    case OR:
        return old | value;
    case AND:
        return old & value;
    case XOR:
        return old ^ value;
    case WRITE:
        break;
    }
    return value;
}

/* SPEC: 16 bits do not reach the upper bits of LaneConfig, which stay. */
static uint32_t new_lane_config(unsigned mod, uint32_t old, uint32_t value)
{
    const uint32_t upper = TENSIX_LANE_CONFIG_MASK & ~UINT32_C(0xffff);
    uint32_t config = combine_config(mod, old, value) & TENSIX_LANE_CONFIG_MASK;
    return mod & IMM16_IS_VALUE ? config | (old & upper) : config;
}

static void write_lreg(struct tensix *tensix, const struct tensix_vector_op *op, unsigned columns)
{
    struct tensix_vector *vector = &tensix->vector;
    uint32_t *lreg = vector->lreg[op->vd];
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        unsigned column = lane % NUM_LANES_A_ROW;
        if (columns >> column & 1) {
            lreg[lane] = op->mod & IMM16_IS_VALUE ? defaults[op->vd - LREG_DEFAULTS]
                                                  : vector->lreg[0][column];
        }
    }
}

/* A group below LReg[11]: LoadMacroConfig. */
static void write_macro(struct tensix_macro_config *macro, const struct tensix_vector_op *op,
                        uint32_t lreg0)
{
    const uint32_t misc_bits = 0xfff;
    uint32_t value = op->mod & IMM16_IS_VALUE ? tensix_vector_imm16(op) : lreg0;
    if (op->vd < TO_SEQUENCE) { /* SPEC: never the immediate */
        macro->instruction[op->vd - TO_TEMPLATE] = lreg0;
    } else if (op->vd < TO_MISC) {
        macro->sequence[op->vd - TO_SEQUENCE] = value;
    } else if (op->vd == TO_MISC) {
        macro->misc = (uint16_t)(combine_config(op->mod, macro->misc, value) & misc_bits);
    }
}

/* SPEC: VD 9 and 10 do nothing. So does VD 16 of a macro, for which the page has no case. */
TENSIX_EXEC_VECTOR(SFPCONFIG)
{
    struct tensix_vector *vector = &tensix->vector;
    const unsigned columns = chosen_columns(vector, op, lanes);
    if (op->vd >= TO_LREG && op->vd < TO_LANE_CONFIG) {
        write_lreg(tensix, op, columns);
        return NULL;
    }
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        if (!(columns >> column & 1)) {
            continue;
        }
        uint32_t lreg0 = vector->lreg[0][column];
        if (op->vd == TO_LANE_CONFIG) {
            uint32_t value = op->mod & IMM16_IS_VALUE ? tensix_vector_imm16(op) : lreg0;
            uint32_t *config = &vector->lane_config[column];
            *config = new_lane_config(op->mod, *config, value);
        } else {
            write_macro(&vector->macro[column], op, lreg0);
        }
    }
    if (op->vd == TO_LANE_CONFIG) {
        tensix_vector_derive(vector);
    }
    return NULL;
}

/* --- Faults --- */

enum tensix_exec tensix_vector_fault(struct tensix *tensix, const struct tensix_vector_op *op,
                                     const char *rule)
{
    return tensix_fault_of(tensix, op->thread, op->word, PENROSE_FAULT_TENSIX_UNDEFINED, "%s%s: %s",
                           op->is_scheduled ? "scheduled " : "", tensix_rows[op->row].mnemonic,
                           rule);
}
