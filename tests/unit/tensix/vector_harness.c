#include "unit/tensix/vector_harness.h"

#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "unit/random.h"

/* --- Random numbers --- */

static uint64_t random_state;

void vector_seed(uint64_t seed)
{
    random_state = seed;
}

uint32_t vector_random(void)
{
    return random_next(&random_state);
}

unsigned vector_below(unsigned limit)
{
    return vector_random() % limit;
}

bool vector_chance(unsigned percent)
{
    return vector_below(100) < percent;
}

uint32_t vector_datum(void)
{
    static const uint32_t special[] = {
        0,          0x80000000, 1,          0x80000001, 0x7fffffff, 0xffffffff, 0x7f800000,
        0xff800000, 0x7f800001, 0xff800001, 0x7fc00000, 0xffc00000, 0x00800000, 0x80800000,
        0x007fffff, 0x807fffff, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x3f000000,
        0x40000000, 0x40400000, 0x40800000, 0x4b000000, 0x4f000000, 0xcf000000, 0x42b17218};
    switch (vector_below(6)) {
    case 0:
        return special[vector_below(sizeof special / sizeof special[0])];
    case 1: /* small numbers of either kind */
        return vector_below(80) - 40;
    case 2:
        return vector_below(80) | UINT32_C(0x80000000);
    case 3: /* around powers of two */
        return (UINT32_C(1) << vector_below(32)) + vector_below(3) - 1;
    case 4: /* floats of ordinary size */
        return (vector_random() & UINT32_C(0x807fffff)) | (100 + vector_below(56)) << 23;
    default:
        return vector_random();
    }
}

/* --- States --- */

void vector_power_on(struct vector_model *model)
{
    memset(model, 0, sizeof *model);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        uint32_t *lreg = model->lane[i].lreg;
        lreg[8] = UINT32_C(0x3f56594b);
        lreg[10] = UINT32_C(0x3f800000);
        lreg[11] = UINT32_C(0xbf800000);
        lreg[12] = UINT32_C(0x3b000000);
        lreg[13] = UINT32_C(0xbf2cc4c7);
        lreg[14] = UINT32_C(0xbeb08ff9);
        lreg[15] = 2 * i;
    }
}

static void draw_lregs(struct vector_model *model)
{
    for (unsigned r = 0; r < TENSIX_LREGS; r++) {
        if ((r >= 8 && r <= 10) || r == 15) {
            continue;
        }
        bool as_before = r > 0 && r < 8 && vector_chance(15);
        for (unsigned i = 0; i < NUM_LANES; i++) {
            uint32_t *lreg = model->lane[i].lreg;
            lreg[r] = as_before && vector_chance(70) ? lreg[r - 1] : vector_datum();
        }
    }
}

/* A word of lanes: none, all, some, or whole rows. */
static uint32_t draw_lanes(void)
{
    switch (vector_below(6)) {
    case 0:
        return 0;
    case 1:
        return UINT32_MAX;
    case 2:
        return vector_random() & vector_random() & vector_random();
    case 3:
        return vector_chance(50) ? 0x00ff00ff : 0xffff0000;
    default:
        return vector_random();
    }
}

static void draw_flags(struct vector_model *model)
{
    uint32_t flags = draw_lanes(), uses_flags = draw_lanes();
    for (unsigned i = 0; i < NUM_LANES; i++) {
        model->lane[i].flags = flags >> i & 1;
        model->lane[i].uses_flags = uses_flags >> i & 1;
    }
}

/* Mostly as software leaves it, the same in all lanes. */
static void draw_stack(struct vector_model *model)
{
    bool is_even = vector_chance(50);
    unsigned depth = vector_below(TENSIX_FLAG_STACK + 1);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        memset(lane->stack, 0, sizeof lane->stack);
        lane->depth = is_even ? depth : vector_below(TENSIX_FLAG_STACK + 1);
        for (unsigned level = 0; level < lane->depth; level++) {
            lane->stack[level].flags = vector_chance(50);
            lane->stack[level].uses_flags = vector_chance(70);
        }
    }
}

static void draw_config(struct vector_model *model, unsigned parts)
{
    bool is_even = vector_chance(50);
    uint32_t config = 0;
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        if (column == 0 || !is_even) {
            config = 0;
            if (parts & VECTOR_CONFIG) {
                config = vector_random() & (TENSIX_LANE_CONFIG_MASK & ~2u);
                config &= vector_chance(60) ? ~(uint32_t)TENSIX_LANE_ROW_MASK : UINT32_MAX;
            }
            if (parts & VECTOR_BACKDOOR && vector_chance(50)) {
                config |= TENSIX_LANE_DISABLE_BACKDOOR_LOAD;
            }
        }
        for (unsigned i = column; i < NUM_LANES; i += TENSIX_LANE_COLUMNS) {
            model->lane[i].config = config;
        }
    }
}

static void draw_macros(struct vector_model *model)
{
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        struct tensix_macro_config macro;
        memset(&macro, 0, sizeof macro);
        for (unsigned i = 0; i < TENSIX_MACROS; i++) {
            macro.instruction[i] = vector_random();
            macro.sequence[i] = vector_random();
        }
        macro.misc = vector_random() & 0xfff;
        for (unsigned i = column; i < NUM_LANES; i += TENSIX_LANE_COLUMNS) {
            model->lane[i].macro = macro;
        }
    }
}

void vector_randomise(struct vector_model *model, unsigned parts)
{
    vector_power_on(model);
    if (parts & VECTOR_LREGS) {
        draw_lregs(model);
    }
    if (parts & VECTOR_FLAGS) {
        draw_flags(model);
    }
    if (parts & VECTOR_STACK) {
        draw_stack(model);
    }
    for (unsigned i = 0; parts & VECTOR_PRNG && i < NUM_LANES; i++) {
        model->lane[i].generator = vector_random();
    }
    if (parts & (VECTOR_CONFIG | VECTOR_BACKDOOR)) {
        draw_config(model, parts);
    }
    if (parts & VECTOR_MACROS) {
        draw_macros(model);
    }
}

void vector_store(const struct vector_model *model, struct tensix *tensix)
{
    struct tensix_vector *vector = &tensix->vector;
    memset(vector, 0, sizeof *vector);
    tensix_vector_init(vector);
    vector->flags = vector->uses_flags = 0;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        const struct vector_lane *lane = &model->lane[i];
        for (unsigned r = 0; r < TENSIX_LREGS; r++) {
            vector->lreg[r][i] = lane->lreg[r];
        }
        vector->flags |= (uint32_t)lane->flags << i;
        vector->uses_flags |= (uint32_t)lane->uses_flags << i;
        for (unsigned level = 0; level < lane->depth; level++) {
            struct tensix_flag_level *to = &vector->stack[lane->depth - 1 - level];
            to->used |= UINT32_C(1) << i;
            to->flags |= (uint32_t)lane->stack[level].flags << i;
            to->uses_flags |= (uint32_t)lane->stack[level].uses_flags << i;
        }
        vector->generator[i] = lane->generator;
        vector->lane_config[i % TENSIX_LANE_COLUMNS] = lane->config;
        vector->macro[i % TENSIX_LANE_COLUMNS] = lane->macro;
    }
    tensix_vector_derive(vector);
}

static void vector_load(struct vector_model *model, const struct tensix *tensix)
{
    const struct tensix_vector *vector = &tensix->vector;
    memset(model, 0, sizeof *model);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model->lane[i];
        for (unsigned r = 0; r < TENSIX_LREGS; r++) {
            lane->lreg[r] = vector->lreg[r][i];
        }
        lane->flags = vector->flags >> i & 1;
        lane->uses_flags = vector->uses_flags >> i & 1;
        while (lane->depth < TENSIX_FLAG_STACK && vector->stack[lane->depth].used >> i & 1) {
            lane->depth++;
        }
        for (unsigned level = 0; level < lane->depth; level++) {
            const struct tensix_flag_level *from = &vector->stack[lane->depth - 1 - level];
            lane->stack[level].flags = from->flags >> i & 1;
            lane->stack[level].uses_flags = from->uses_flags >> i & 1;
        }
        lane->generator = vector->generator[i];
        lane->config = vector->lane_config[i % TENSIX_LANE_COLUMNS];
        lane->macro = vector->macro[i % TENSIX_LANE_COLUMNS];
    }
}

static void check_lane(uint32_t wanted, uint32_t got, const char *part, unsigned number,
                       unsigned lane, uint32_t word, const char *what)
{
    char text[160];
    if (wanted == got) {
        return;
    }
    tensix_disassemble(word, text, sizeof text);
    ck_abort_msg("%s: 0x%08" PRIx32 " %s: %s %u of lane %u is 0x%08" PRIx32 ", not 0x%08" PRIx32,
                 what, word, text, part, number, lane, got, wanted);
}

/* Words of lanes by bits of LaneConfig. */
static void compare_sets(const struct vector_model *model, const struct tensix *tensix,
                         uint32_t word, const char *what)
{
    enum { SETS = 9, CAPTURES = 3, INDICES = 2, ROW_MASK = 12 };
    const struct tensix_lane_sets *sets = &tensix->vector.sets;
    const uint32_t derived[SETS] = {sets->fp16_infinities, sets->backdoor_closed, sets->dest_index,
                                    sets->captures_index,  sets->no_stores,       sets->no_loads,
                                    sets->odd_loads,       sets->odd_stores,      sets->exchanges};
    uint32_t wanted[SETS] = {0}, masked = 0;
    for (unsigned i = 0; i < NUM_LANES; i++) {
        uint32_t config = model->lane[i].config;
        for (unsigned bit = 0; bit < SETS; bit++) {
            wanted[bit] |= (config >> bit & 1) << i;
        }
        masked |= (config >> (ROW_MASK + i / NUM_LANES_A_ROW) & 1) << i;
    }
    wanted[CAPTURES] &= wanted[INDICES]; /* SFPLOAD: it needs both */
    for (unsigned bit = 0; bit < SETS; bit++) {
        check_lane(wanted[bit], derived[bit], "lanes of LaneConfig bit", bit, 0, word, what);
    }
    check_lane(masked, sets->masked, "lanes of ROW_MASK", 0, 0, word, what);
}

void vector_compare(const struct vector_model *model, const struct tensix *tensix, uint32_t word,
                    const char *what)
{
    static struct vector_model got;
    vector_load(&got, tensix);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        const struct vector_lane *a = &model->lane[i], *b = &got.lane[i];
        if (memcmp(a, b, sizeof *a) == 0) {
            continue;
        }
        for (unsigned r = 0; r < TENSIX_LREGS; r++) {
            check_lane(a->lreg[r], b->lreg[r], "LReg", r, i, word, what);
        }
        check_lane(a->flags, b->flags, "LaneFlags", 0, i, word, what);
        check_lane(a->uses_flags, b->uses_flags, "UseLaneFlags", 0, i, word, what);
        check_lane(a->depth, b->depth, "stack's depth", 0, i, word, what);
        for (unsigned level = 0; level < a->depth; level++) {
            check_lane(a->stack[level].flags, b->stack[level].flags, "flags of level", level, i,
                       word, what);
            check_lane(a->stack[level].uses_flags, b->stack[level].uses_flags, "uses of level",
                       level, i, word, what);
        }
        check_lane(a->generator, b->generator, "generator", 0, i, word, what);
        check_lane(a->config, b->config, "LaneConfig", 0, i, word, what);
        for (unsigned k = 0; k < TENSIX_MACROS; k++) {
            check_lane(a->macro.instruction[k], b->macro.instruction[k], "template", k, i, word,
                       what);
            check_lane(a->macro.sequence[k], b->macro.sequence[k], "sequence", k, i, word, what);
        }
        check_lane(a->macro.misc, b->macro.misc, "misc", 0, i, word, what);
    }
    compare_sets(model, tensix, word, what);
    /* Levels that are not in use hold nothing, so that states can be compared as memory. */
    for (unsigned level = 0; level < TENSIX_FLAG_STACK; level++) {
        const struct tensix_flag_level *entry = &tensix->vector.stack[level];
        ck_assert_uint_eq((entry->flags | entry->uses_flags) & ~entry->used, 0);
        ck_assert(level == 0 || !(entry->used & ~tensix->vector.stack[level - 1].used));
    }
    ck_assert_uint_eq(tensix->vector.schedules, 0);
}

bool vector_is_enabled(const struct vector_model *model, unsigned lane)
{
    const struct vector_lane *own = &model->lane[lane];
    if (own->config >> (12 + lane / 8) & 1) {
        return false;
    }
    return own->uses_flags ? own->flags : true;
}

uint32_t vector_advance(struct vector_lane *lane)
{
    uint32_t result = lane->generator;
    uint32_t taps = result ^ result >> 1 ^ result >> 21 ^ result >> 31;
    lane->generator = (taps & 1 ? 0 : UINT32_C(0x80000000)) | result >> 1;
    return result;
}
