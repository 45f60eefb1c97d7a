/*
 * The Vector Unit for tests, lane by lane and cycle by cycle, from the pages alone: what a
 * SFPLOADMACRO schedules, when it executes, and what the scheduled instructions do. In a cycle all
 * instructions read what there was before it, then they write; results of two cycles are written
 * at the end of the second one.
 *
 * Where the pages do not say what happens, or where they make it software's duty that it does not,
 * the model sets `unclear`; random programs that come to such a place are thrown away. SFPLUT,
 * SFPLUTFP32 and the two exotic modes of SFPARECIP are not modelled.
 *
 * SPEC: BlackholeA0 VectorUnit, LReg, SFPLOADMACRO, SFPCONFIG and the pages of the instructions.
 */
#include "unit/tensix/sfp_model_cycle.h"
#include "unit/random.h"

#include <check.h>
#include <string.h>

/* --- Executing --- */

unsigned part_of(enum code code)
{
    switch (code) {
    case MULI:
    case ADDI:
    case LUT:
    case LUTFP32:
    case MAD:
    case ADD:
    case MUL:
    case MUL24:
        return PART_MAD;
    case SHFT2:
    case STOCH_RND:
        return PART_ROUND;
    case STORE:
        return PART_STORE;
    case LOAD:
    case LOADI:
    case LOADMACRO:
    case SFPNOP:
        return PART_LOAD;
    default:
        return PART_SIMPLE;
    }
}

/* Of an instruction by itself, before it does anything. */
static bool is_undefined(const struct registers *reg, const struct op *op, uint32_t lanes)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(lanes >> lane & 1)) {
            continue;
        }
        unsigned depth = reg->depth[lane];
        if ((op->code == PUSHC && (op->mod ? depth == 0 : depth == DEPTH)) ||
            (op->code == POPC && !op->mod && depth == 0)) {
            return true;
        }
    }
    return false;
}

static void execute(struct cycle *cycle, const struct op *op, uint32_t lanes)
{
    struct unit *unit = cycle->unit;
    enum part part = (enum part)part_of(op->code);
    if (op->code == SFPNOP) {
        return;
    }
    if (is_undefined(&cycle->old, op, lanes)) {
        unit->undefined = true;
        if (op->scheduled || unit->waits) {
            cycle_unclear(cycle, "an undefined instruction among macros");
        }
        return;
    }
    if (op->code == SWAP) {
        cycle_swap(cycle, op, lanes);
    } else if (op->code == TRANSP) {
        if (lanes && lanes != UINT32_MAX) {
            cycle_unclear(cycle, "SFPTRANSP of some columns");
        }
        if (lanes) {
            cycle_transpose(cycle);
        }
    } else if (op->code == LOADI) {
        cycle_load_immediate(cycle, op, lanes);
    } else if (op->code == LOAD) {
        cycle_load(cycle, op->vd, op->mod,
                   unit_address(unit, cycle->tensix, op->mod, op->word & 0x3ff), lanes);
        unit_step(unit, cycle->tensix, op->word >> 13 & 7);
    } else if (op->code == STORE) {
        unsigned address = op->scheduled
                               ? op->address
                               : unit_address(unit, cycle->tensix, op->mod, op->word & 0x3ff);
        cycle_store(cycle, op, address, lanes);
        if (!op->scheduled) {
            unit_step(unit, cycle->tensix, op->word >> 13 & 7);
        }
    } else {
        for (unsigned lane = 0; lane < LANES; lane++) {
            if (!(lanes >> lane & 1)) {
                continue;
            }
            if (part == PART_MAD) {
                cycle_multiply_add(cycle, op, lane);
            } else if (part == PART_ROUND) {
                cycle_round(cycle, op, lane);
            } else {
                cycle_simple(cycle, op, lane);
            }
        }
    }
}

/* VD from 12 on: the word becomes a template of the lanes that let it. Returns the others. */
static uint32_t backdoor(struct unit *unit, const struct op *op)
{
    uint32_t lanes = UINT32_MAX;
    if (op->code == CONFIG || op->code == SFPNOP || op->code == LOADMACRO || op->vd < 12) {
        return lanes;
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(unit->reg.lane_config[lane] >> 1 & 1)) {
            unit->reg.macro[lane].instruction[op->vd - 12] = op->word;
            lanes &= ~(UINT32_C(1) << lane);
        }
    }
    return lanes;
}

/* --- SFPLOADMACRO --- */

static bool can_execute(enum part part, enum code code)
{
    if (code == SFPNOP) {
        return part != PART_STORE;
    }
    return code >= LOAD && code <= ARECIP && part_of(code) == (unsigned)part;
}

static bool has_vb_field(enum code code)
{
    return code == AND || code == OR || code == MAD || code == ADD || code == MUL ||
           code == MUL24 || code == SHFT2 || code == STOCH_RND || code == ARECIP;
}

static bool has_vc_field(enum code code)
{
    return code != ADDI && code != MULI && code != LUT && code != LUTFP32 && code != CONFIG &&
           code != ENCC && code != PUSHC && code != POPC && code != COMPC && code != TRANSP;
}

static bool same_op(const struct op *a, const struct op *b)
{
    return a->code == b->code && a->word == b->word && a->va == b->va && a->vb == b->vb &&
           a->vc == b->vc && a->vd == b->vd && a->mod == b->mod && a->address == b->address &&
           a->has_vb == b->has_vb;
}

static void forget(struct cycle *cycle, enum part part, unsigned delay, uint32_t lanes,
                   unsigned before, bool is_empty)
{
    struct unit *unit = cycle->unit;
    for (unsigned i = 0; i < before && delay != 7; i++) {
        struct waiting *w = &unit->waiting[i];
        if (w->part != part || w->delay != delay || !(w->lanes & lanes)) {
            continue;
        }
        if (is_empty) { /* by the page; LLK relies on the byte 0 not forgetting anything */
            if (delay) {
                cycle_unclear(cycle, "does an empty byte with a delay forget?");
            }
            continue;
        }
        w->lanes &= ~lanes;
        unit->forgotten++;
    }
}

/* The instruction that a byte of a sequence stands for; false: undefined. */
static bool build(const struct registers *reg, const struct op *by, enum part part, unsigned lane,
                  unsigned address, struct op *op)
{
    unsigned index = by->word >> 22 & 3, vd = (by->word & 1) << 2 | (by->word >> 20 & 3);
    uint32_t byte = reg->macro[lane].sequence[index] >> (part * 8) & 0xff;
    uint32_t misc = reg->macro[lane].misc;
    switch (byte & 7) {
    case 1:
        return false;
    case 2:
        *op = parse_word((uint32_t)SFPNOP << 24);
        break;
    case 3:
        *op = parse_word((uint32_t)STORE << 24);
        break;
    default:
        *op = parse_word(reg->macro[lane].instruction[(byte & 7) - 4]);
        break;
    }
    if (!can_execute(part, op->code)) {
        *op = parse_word((uint32_t)SFPNOP << 24);
        if (part == PART_STORE) {
            return false;
        }
    }
    op->scheduled = true;
    if (part == PART_STORE) {
        op->vd = byte & 0x40 ? STAGED : byte & 0x80 ? op->vd : vd;
        op->mod = misc >> (4 + index) & 1 ? by->mod : misc & 15;
        op->address = address;
        return true;
    }
    if (byte & 0x80) {
        op->vb = vd;
        op->has_vb = true;
        op->vc = has_vc_field(op->code) ? op->vc : op->vd;
    } else {
        op->vc = vd;
        op->vb = has_vb_field(op->code) ? op->vb : op->vd;
    }
    op->vd = byte & 0x40 ? STAGED : vd;
    return true;
}

static void add(struct unit *unit, unsigned before, const struct waiting *waiting)
{
    for (unsigned i = before; i < unit->waits; i++) {
        struct waiting *w = &unit->waiting[i];
        if (w->part == waiting->part && w->delay == waiting->delay &&
            w->counts_instructions == waiting->counts_instructions &&
            same_op(&w->op, &waiting->op)) {
            w->lanes |= waiting->lanes;
            return;
        }
    }
    if (unit->waits >= WAITING) {
        ck_abort_msg("too many wait");
    }
    unit->waiting[unit->waits++] = *waiting;
}

static bool macro_is_undefined(const struct registers *reg, const struct op *by)
{
    unsigned index = by->word >> 22 & 3, stores = 0;
    for (unsigned column = 0; column < 8; column++) {
        uint32_t bytes = reg->macro[column].sequence[index];
        for (unsigned part = 0; part < 4; part++, bytes >>= 8) {
            struct op op;
            if (bytes & 7 && !build(reg, by, (enum part)part, column, 0, &op)) {
                return true;
            }
        }
        stores += (reg->macro[column].sequence[index] >> 24 & 7) != 0;
    }
    return stores && stores < 8;
}

static void load_macro(struct cycle *cycle, const struct op *by)
{
    struct unit *unit = cycle->unit;
    unsigned index = by->word >> 22 & 3, vd = (by->word & 1) << 2 | (by->word >> 20 & 3);
    unsigned address = unit_address(unit, cycle->tensix, by->mod, by->word & 0x3ff);
    unsigned before = unit->waits;
    cycle_load(cycle, vd, by->mod, address, UINT32_MAX);
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned part = 0; part < 4; part++) {
            uint32_t byte = cycle->old.macro[lane].sequence[index] >> (part * 8) & 0xff;
            struct waiting waiting = {
                .part = (enum part)part,
                .delay = byte >> 3 & 7,
                .counts_instructions = cycle->old.macro[lane].misc >> (8 + part) & 1,
                .lanes = UINT32_C(1) << lane,
            };
            forget(cycle, waiting.part, waiting.delay, waiting.lanes, before, !(byte & 7));
            if (byte & 7) {
                (void)build(&cycle->old, by, waiting.part, lane, address, &waiting.op);
                add(unit, before, &waiting);
            }
        }
    }
    unit_step(unit, cycle->tensix, by->word >> 13 & 7);
}

/* --- A cycle --- */

/* Rules for software about what meets in a cycle. */
static void occupy(struct cycle *cycle, const struct op *op)
{
    struct unit *unit = cycle->unit;
    unsigned part = part_of(op->code);
    if (op->code == SFPNOP || part == PART_LOAD) {
        return;
    }
    cycle->part_busy[part] = true;
    cycle->part_vd[part][op->vd == STAGED] = true;
    if (part != PART_STORE && unit->swapped) {
        cycle_unclear(cycle, "SFPSWAP or a shuffle is not followed by an idle cycle");
    }
    if (op->code == SWAP) {
        cycle->swap_due = true;
    }
    if (op->code == SWAP || (op->code == SHFT2 && op->mod >= 2 && op->mod <= 4)) {
        cycle->swapped = true;
    }
}

static void check_meeting(struct cycle *cycle)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        if (cycle->part_vd[PART_SIMPLE][kind] && cycle->part_vd[PART_ROUND][kind]) {
            cycle_unclear(cycle, "Simple and Round with the same kind of VD");
        }
    }
    if (cycle->swap_due && cycle->part_busy[PART_MAD]) {
        cycle_unclear(cycle, "SFPSWAP beside the MAD sub-unit");
    }
    for (unsigned row = 0; row < ROWS; row++) {
        if (cycle->dst_read[row] && cycle->dst_written[row]) {
            cycle_unclear(cycle, "Dst read and written in a cycle");
        }
    }
}

/* Ordinary instructions after which hardware may stall the next one. */
static void check_stall(struct cycle *cycle, const struct op *op)
{
    enum code last = cycle->last;
    struct op earlier = parse_word(cycle->last_word);
    bool is_load = (op->code == LOADI && op->mod < 8) ||
                   ((op->code == LOAD || op->code == LOADMACRO) && op->mod < LO16_ONLY);
    if (!last || op->code == SFPNOP) {
        return;
    }
    if (last == SWAP || (last == SHFT2 && earlier.mod >= 2 && earlier.mod <= 4)) {
        cycle_unclear(cycle, "an automatic stall after SFPSWAP or SFPSHFT2");
    }
    if (part_of(last) == PART_MAD && !is_load) {
        cycle_unclear(cycle, "perhaps an automatic stall");
    }
}

static void ordinary(struct cycle *cycle, uint32_t word)
{
    struct unit *unit = cycle->unit;
    struct op op = parse_word(word);
    unsigned part = part_of(op.code);
    bool is_taken = false;
    check_stall(cycle, &op);
    for (unsigned i = 0; i < unit->waits; i++) {
        if (unit->waiting[i].delay == 0 && (unsigned)unit->waiting[i].part == part) {
            is_taken = true;
            if (unit->waiting[i].lanes != UINT32_MAX) {
                cycle_unclear(cycle, "does a part of the lanes discard an ordinary instruction?");
            }
            if (op.vd >= 12) {
                cycle_unclear(cycle, "is a template discarded?");
            }
        }
    }
    if (is_taken) { /* whether it still stalls the next one is open, too */
        unit->discarded++;
        unit->last = op.code;
        unit->last_word = word;
        return;
    }
    uint32_t lanes = backdoor(unit, &op);
    if (lanes) {
        occupy(cycle, &op);
        unit->last = op.code;
        unit->last_word = word;
    }
    if (op.code != LOADMACRO) {
        execute(cycle, &op, lanes);
    }
}

static void finish_late(struct cycle *cycle)
{
    struct unit *unit = cycle->unit;
    const unsigned count = cycle->late;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            if (!(unit->late[i].lanes >> lane & 1)) {
                continue;
            }
            if (unit->late[i].is_swap) {
                uint32_t c = cycle->old.lreg[unit->late[i].vc][lane];
                cycle_put(cycle, unit->late[i].vc, lane, cycle->old.lreg[unit->late[i].vd][lane]);
                cycle_put(cycle, unit->late[i].vd, lane, c);
            } else {
                cycle_put(cycle, unit->late[i].vd, lane, unit->late[i].value[lane]);
            }
        }
    }
    memmove(unit->late, unit->late + count, (LATE - count) * sizeof unit->late[0]);
    memset(unit->late + LATE - count, 0, count * sizeof unit->late[0]);
}

static void mark_late(struct cycle *cycle)
{
    const struct unit *unit = cycle->unit;
    unsigned count = 0;
    while (count < LATE && unit->late[count].is_there) {
        cycle->was_late[unit->late[count].vd] |= unit->late[count].lanes;
        if (unit->late[count].is_swap) {
            cycle->was_late[unit->late[count].vc] |= unit->late[count].lanes;
        }
        count++;
    }
    cycle->late = count;
}

/* Those that have executed go, the others count. */
static void count_down(struct cycle *cycle, bool is_instruction)
{
    struct unit *unit = cycle->unit;
    bool counts_instructions = false, leaving = false;
    unsigned left = 0;
    for (unsigned i = 0; i < unit->waits; i++) {
        if (unit->waiting[i].delay) {
            counts_instructions |= unit->waiting[i].counts_instructions;
        } else {
            leaving |= unit->waiting[i].counts_instructions;
        }
    }
    for (unsigned i = 0; i < unit->waits; i++) {
        struct waiting w = unit->waiting[i];
        if (w.delay && w.lanes) {
            if (!is_instruction && leaving && !counts_instructions) {
                cycle_unclear(cycle, "do those that leave make the others count instructions?");
            }
            w.delay -= is_instruction || !counts_instructions;
            unit->waiting[left++] = w;
        }
    }
    unit->waits = left;
}

void unit_cycle(struct unit *unit, const struct tensix *tensix, uint32_t word)
{
    static struct cycle cycle;
    memset(&cycle, 0, sizeof cycle);
    cycle.unit = unit;
    cycle.tensix = tensix;
    cycle.old = unit->reg;
    mark_late(&cycle);
    struct op op = parse_word(word);
    unit->undefined = false;
    if (word && op.code == LOADMACRO && macro_is_undefined(&unit->reg, &op)) {
        unit->undefined = true;
        word = 0;
        cycle_unclear(&cycle, unit->waits ? "an undefined macro while others wait" : NULL);
    }
    for (unsigned i = 0; i < unit->waits; i++) {
        struct waiting *w = &unit->waiting[i];
        if (!w->delay && w->lanes) {
            occupy(&cycle, &w->op);
            execute(&cycle, &w->op, w->lanes);
            unit->executed[w->part]++;
        }
    }
    cycle.last = unit->last;
    cycle.last_word = unit->last_word;
    unit->last = (enum code)0;
    if (word) {
        ordinary(&cycle, word);
    }
    check_meeting(&cycle);
    finish_late(&cycle);
    count_down(&cycle, word != 0);
    if (word && op.code == LOADMACRO) {
        load_macro(&cycle, &op);
        for (unsigned row = 0; row < ROWS; row++) {
            if (cycle.dst_read[row] && cycle.dst_written[row]) {
                cycle_unclear(&cycle, "Dst read and written in a cycle");
            }
        }
    }
    unit->swapped = cycle.swapped;
}

bool unit_rest(struct unit *unit, const struct tensix *tensix)
{
    for (unsigned i = 0; i < 20; i++) {
        unit_cycle(unit, tensix, 0);
    }
    return unit->waits != 0;
}

void unit_alone(struct unit *unit, const struct tensix *tensix, uint32_t word)
{
    unit_cycle(unit, tensix, word);
    bool undefined = unit->undefined;
    unit_cycle(unit, tensix, 0);
    unit_cycle(unit, tensix, 0);
    unit->undefined = undefined;
}

/* --- Between the model and the coprocessor --- */

void unit_take(struct unit *unit, const struct tensix *tensix)
{
    const struct tensix_vector *vector = &tensix->vector;
    memset(unit, 0, sizeof *unit);
    memcpy(unit->reg.lreg, vector->lreg, sizeof unit->reg.lreg);
    memcpy(unit->reg.generator, vector->generator, sizeof unit->reg.generator);
    memcpy(unit->dst, tensix->dst.bits, sizeof unit->dst);
    unit->rwc_dst = tensix->thread[0].rwc.dst;
    for (unsigned lane = 0; lane < LANES; lane++) {
        unit->reg.now[lane].flag = vector->flags >> lane & 1;
        unit->reg.now[lane].use = vector->uses_flags >> lane & 1;
        unsigned depth = 0;
        while (depth < DEPTH && vector->stack[depth].used >> lane & 1) {
            depth++;
        }
        unit->reg.depth[lane] = depth;
        for (unsigned i = 0; i < depth; i++) {
            const struct tensix_flag_level *level = &vector->stack[depth - 1 - i];
            unit->reg.stack[lane][i].flag = level->flags >> lane & 1;
            unit->reg.stack[lane][i].use = level->uses_flags >> lane & 1;
        }
        unit->reg.lane_config[lane] = vector->lane_config[lane & 7];
        const struct tensix_macro_config *macro = &vector->macro[lane & 7];
        memcpy(unit->reg.macro[lane].instruction, macro->instruction, sizeof macro->instruction);
        memcpy(unit->reg.macro[lane].sequence, macro->sequence, sizeof macro->sequence);
        unit->reg.macro[lane].misc = macro->misc;
    }
}

void unit_give(const struct unit *unit, struct tensix *tensix)
{
    struct tensix_vector *vector = &tensix->vector;
    memset(vector, 0, sizeof *vector);
    tensix_vector_init(vector);
    memcpy(vector->lreg, unit->reg.lreg, sizeof vector->lreg);
    memcpy(vector->generator, unit->reg.generator, sizeof vector->generator);
    memcpy(tensix->dst.bits, unit->dst, sizeof unit->dst);
    tensix->thread[0].rwc.dst = unit->rwc_dst;
    vector->flags = vector->uses_flags = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t bit = UINT32_C(1) << lane;
        vector->flags |= unit->reg.now[lane].flag ? bit : 0;
        vector->uses_flags |= unit->reg.now[lane].use ? bit : 0;
        for (unsigned i = 0; i < unit->reg.depth[lane]; i++) {
            struct tensix_flag_level *level = &vector->stack[unit->reg.depth[lane] - 1 - i];
            level->used |= bit;
            level->flags |= unit->reg.stack[lane][i].flag ? bit : 0;
            level->uses_flags |= unit->reg.stack[lane][i].use ? bit : 0;
        }
        vector->lane_config[lane & 7] = unit->reg.lane_config[lane];
        struct tensix_macro_config *macro = &vector->macro[lane & 7];
        memcpy(macro->instruction, unit->reg.macro[lane].instruction, sizeof macro->instruction);
        memcpy(macro->sequence, unit->reg.macro[lane].sequence, sizeof macro->sequence);
        macro->misc = (uint16_t)unit->reg.macro[lane].misc;
    }
    tensix_vector_derive(vector);
}

static void compare_lane(const struct registers *wanted, const struct registers *real,
                         unsigned lane, const char *what)
{
    if (!(wanted->generator[lane] == real->generator[lane])) {
        ck_abort_msg("%s: generator %u is %08x, not %08x", what, lane, real->generator[lane],
                     wanted->generator[lane]);
    }
    if (!(wanted->now[lane].flag == real->now[lane].flag &&
          wanted->now[lane].use == real->now[lane].use)) {
        ck_abort_msg("%s: lane %u has flag %d, use %d, not %d, %d", what, lane,
                     real->now[lane].flag, real->now[lane].use, wanted->now[lane].flag,
                     wanted->now[lane].use);
    }
    if (!(wanted->depth[lane] == real->depth[lane])) {
        ck_abort_msg("%s: lane %u has a stack of %u, not %u", what, lane, real->depth[lane],
                     wanted->depth[lane]);
    }
    for (unsigned i = 0; i < wanted->depth[lane]; i++) {
        const struct flags *a = &wanted->stack[lane][i], *b = &real->stack[lane][i];
        if (!(a->flag == b->flag && a->use == b->use)) {
            ck_abort_msg("%s: lane %u, entry %u of %u is %d, %d, not %d, %d", what, lane, i,
                         wanted->depth[lane], b->flag, b->use, a->flag, a->use);
        }
    }
    if (!(wanted->lane_config[lane] == real->lane_config[lane])) {
        ck_abort_msg("%s: LaneConfig[%u] is %05x, not %05x", what, lane, real->lane_config[lane],
                     wanted->lane_config[lane]);
    }
    if (!(!memcmp(&wanted->macro[lane], &real->macro[lane], sizeof wanted->macro[lane]))) {
        ck_abort_msg("%s: LoadMacroConfig[%u] differs", what, lane);
    }
}

void unit_compare(const struct unit *unit, const struct tensix *tensix, const char *what)
{
    static struct unit real;
    unit_take(&real, tensix);
    for (unsigned r = 0; r < LREGS; r++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            if (!(unit->reg.lreg[r][lane] == real.reg.lreg[r][lane])) {
                ck_abort_msg("%s: LReg[%u][%u] is %08x, not %08x", what, r, lane,
                             real.reg.lreg[r][lane], unit->reg.lreg[r][lane]);
            }
        }
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        compare_lane(&unit->reg, &real.reg, lane, what);
    }
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            if (!(unit->dst[row][column] == real.dst[row][column])) {
                ck_abort_msg("%s: physical row %u of Dst, column %u is %04x, not %04x", what, row,
                             column, real.dst[row][column], unit->dst[row][column]);
            }
        }
    }
    if (!(unit->rwc_dst == real.rwc_dst)) {
        ck_abort_msg("%s: the counter of Dst is %u, not %u", what, real.rwc_dst, unit->rwc_dst);
    }
}

/* --- Random --- */

uint32_t dice_next(struct dice *dice)
{
    return random_next(&dice->state);
}

uint32_t dice_number(struct dice *dice)
{
    static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                       0xff800000, 0x7fc00000, 0xffffffff, 0x7fffffff, 1,
                                       0x00800000, 0x47000000, 0xc2b10000, 0x437f0000, 0x4b000000};
    uint32_t x = dice_next(dice);
    switch (dice_below(dice, 8)) {
    case 0:
        return special[dice_below(dice, sizeof special / sizeof special[0])];
    case 1:
        return x & 0xff;
    case 2:
        return 0 - (x & 0xff);
    case 3:
        return x & 0xffff;
    case 4:
    case 5:
    case 6:
        return (x & 0x807fffff) | (120 + dice_below(dice, 14)) << 23;
    default:
        return x;
    }
}

void dice_fill(struct dice *dice, struct tensix *tensix)
{
    struct tensix_vector *vector = &tensix->vector;
    for (unsigned r = 0; r < LREGS; r++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            bool is_programmable = r >= 11 && r < 15;
            if (r < 8 || r == STAGED || (is_programmable && lane < 8)) {
                vector->lreg[r][lane] = dice_number(dice);
            } else if (is_programmable) {
                vector->lreg[r][lane] = vector->lreg[r][lane - 8];
            }
        }
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        vector->generator[lane] = dice_next(dice);
    }
    for (unsigned i = 0; i < ROWS * COLUMNS; i++) {
        tensix->dst.bits[i / COLUMNS][i % COLUMNS] = (uint16_t)dice_next(dice);
        tensix->dst.cleared[i / COLUMNS] = false;
    }
}

/* --- Running --- */

void burst(struct tensix_harness *harness, const uint32_t *words, unsigned count)
{
    struct tensix_origin origin = {.pc = 0x1000, .pusher = TENSIX_BY_T0};
    ck_assert_uint_le(count, TENSIX_FIFO_ACCEPTS);
    for (unsigned i = 0; i < count; i++) {
        ck_assert(tensix_push(&harness->tensix, 0, origin, &words[i], 1, harness->time));
    }
    tensix_harness_go(harness, 0);
}

void settle(struct tensix_harness *harness)
{
    harness->time += 64;
    tensix_vector_settle(&harness->tensix, &harness->tensix.vector, harness->time);
}

void put_template(struct tensix *tensix, unsigned index, uint32_t word)
{
    for (unsigned column = 0; column < 8; column++) {
        tensix->vector.macro[column].instruction[index] = word;
    }
}

void put_sequence(struct tensix *tensix, unsigned index, uint32_t value)
{
    for (unsigned column = 0; column < 8; column++) {
        tensix->vector.macro[column].sequence[index] = value;
    }
}

void put_misc(struct tensix *tensix, uint32_t value)
{
    for (unsigned column = 0; column < 8; column++) {
        tensix->vector.macro[column].misc = (uint16_t)value;
    }
}
