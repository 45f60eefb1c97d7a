/*
 * Fuzzes the Vector Unit against itself: one program on several coprocessors that must all come to
 * the same state. They differ in their kernels, in how a run is divided into calls, in whether
 * pushes are queued, and in whether faults stop (the instruction is then offered again, so a fault
 * must not have done anything). Two more are timed, one of them cycle by cycle.
 *
 * Bytes: steps, each an operation and its operands. Programs are words of all SFP rows and of some
 * others that the unit meets, on one thread; state (LRegs, LaneConfig, LoadMacroConfig, Dst,
 * addressing) is set from outside. Inputs need no seeds.
 *
 * After every step that waits until all has ended the states are compared, after others those of
 * coprocessors that are at the same cycle; invariants of struct tensix_vector hold in each.
 */
#include "fuzz/fuzz_coprocessor.h"
#include "num/random.h"
#include "tensix/frontend/issue_fast.h"
#include "tensix/rwc.h"
#include "tensix/vector/common.h"
#include "tile/timing.h"

const unsigned fuzz_inputs = 200;

enum {
    THREAD = 1,
    SCHEDULED_PARTS = TENSIX_PART_STORE + 1,
    MOST_STEPS = 256,
    MOST_WORDS = 12,
    SETTLES_WITHIN = 160, /* cycles for that many words and what macros schedule */
    MOST_RETRIES = 600,   /* of the faults of a run: a cycle has at most a few dozen */
    MOST_KNOWN = 64,
};

enum side_kind {
    SIDE_REFERENCE, /* queued, functional, in one run; the others are compared with it */
    SIDE_AVX2,
    SIDE_AVX512,
    SIDE_PIECES,
    SIDE_STOPS,
    SIDE_AT_ONCE,
    SIDE_TIMED,
    SIDE_TIMED_PIECES,
    SIDES
};

struct side {
    struct tensix tensix;
    enum side_kind kind;
    uint32_t faults, digest; /* of all reports */
    /* What SIDE_STOPS has stopped for in this cycle, and goes on with when it comes again. */
    uint32_t known[MOST_KNOWN];
    unsigned knows;
    uint64_t known_cycle;
    bool is_off; /* it cannot be compared until it is the reference again */
};

struct bench {
    struct side *side[SIDES];
    struct fuzz_input input;
    uint64_t time;
    uint32_t random;
    bool has_macros; /* results may depend on time */
};

/* --- The board --- */

static uint32_t digest_of(const struct tensix_fault *fault)
{
    uint32_t digest = fault->kind; /* of scheduled instructions `word` is what comes next */
    for (const char *c = fault->text; *c; c++) {
        digest = digest * 31 + (uint8_t)*c;
    }
    return digest;
}

static bool is_known(struct side *side, const struct tensix_fault *fault, uint32_t digest)
{
    if (side->known_cycle != fault->cycle) {
        side->knows = 0;
    }
    side->known_cycle = fault->cycle;
    for (unsigned i = 0; i < side->knows; i++) {
        if (side->known[i] == digest) {
            return true;
        }
    }
    if (side->knows < MOST_KNOWN) {
        side->known[side->knows++] = digest;
    }
    return false;
}

static bool board_fault(void *owner, const struct tensix_fault *fault)
{
    struct side *side = owner;
    uint32_t digest = digest_of(fault);
    fuzz_check_fault(fault);
    if (side->kind == SIDE_STOPS && !is_known(side, fault, digest)) {
        unsigned row = tensix_row_of(fault->word);
        /* An instruction of another unit has made the macros go on, and executes all the same. */
        side->is_off |= row < TENSIX_ROWS && tensix_row_infos[row].unit != TENSIX_UNIT_VECTOR;
        return true;
    }
    side->faults++;
    side->digest = side->digest * 31 + digest;
    return false;
}

/* Nothing here reaches L1 or registers. */
static const struct tensix_board board = {
    .fault = board_fault,
};

/* --- Input --- */

static uint32_t take(struct bench *bench, unsigned bytes)
{
    return fuzz_take(&bench->input, bytes);
}

static uint32_t draw(struct bench *bench)
{
    return num_random_next(&bench->random);
}

static uint32_t below(struct bench *bench, uint32_t limit)
{
    return draw(bench) % limit;
}

/* Words that lanes hold: ends of ranges, numbers of LRegs, ordinary floats, anything. */
static uint32_t draw_datum(struct bench *bench)
{
    static const uint32_t special[] = {0,          0x80000000, 1,          0x7fffffff, 0xffffffff,
                                       0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x007fffff,
                                       0x00800000, 0x3f800000, 0xbf800000, 0x40400000, 0x477fe000};
    uint32_t bits = draw(bench);
    switch (below(bench, 5)) {
    case 0:
        return special[bits % (sizeof special / sizeof special[0])];
    case 1:
        return bits & 15;
    case 2:
        return (bits & 0x807fffff) | (0x70 + (bits >> 24 & 31)) << 23;
    case 3:
        return bits & 1 ? ~(bits >> 20) : bits >> 20;
    default:
        return bits;
    }
}

/* --- Words --- */

static unsigned vector_row(unsigned choice)
{
    unsigned row = choice % TENSIX_ROWS;
    while (tensix_row_infos[row].unit != TENSIX_UNIT_VECTOR) {
        row = (row + 1) % TENSIX_ROWS;
    }
    return row;
}

static uint32_t vector_word(struct bench *bench)
{
    const uint32_t plain_lregs = UINT32_C(0x77777f); /* no template is written */
    uint32_t operands = draw(bench);
    if (below(bench, 3)) {
        operands &= plain_lregs;
    }
    if (below(bench, 4) == 0) {
        operands &= ~UINT32_C(15);
    }
    return fuzz_match_row(vector_row(draw(bench)), operands);
}

/* What stands between SFP instructions: counters, address modifiers, waits, cleared rows of Dst. */
static uint32_t other_word(struct bench *bench)
{
    static const uint8_t words[] = {TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr, /* and 7 more of each */
                                    TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr};
    uint32_t bits = draw(bench);
    switch (below(bench, 8)) {
    case 0:
        return fuzz_match_row(TENSIX_ROW_SETRWC, bits & 0x3fffff);
    case 1:
        return fuzz_match_row(TENSIX_ROW_INCRWC, bits);
    case 2:
        return fuzz_match_row(TENSIX_ROW_SETC16,
                              (words[bits & 1] + (bits >> 1 & 7)) << 16 | bits >> 16);
    case 3: /* for the Vector and Matrix Units */
        return fuzz_match_row(TENSIX_ROW_STALLWAIT,
                              bits & 1 ? 0x1ffu << 15 | TENSIX_C_VECTOR
                                       : 1u << 23 | TENSIX_C_VECTOR | TENSIX_C_MATRIX);
    case 4:
        return fuzz_match_row(TENSIX_ROW_ZEROACC, (bits & 3) << 19 | (bits & 0x403fff));
    case 5: /* the seed of the generators, byte by byte */
        return fuzz_match_row(TENSIX_ROW_RMWCIB0,
                              0xffu << 16 | (bits & 0xff00) | TENSIX_WORD_PRNG_SEED_Seed_Val);
    default:
        return fuzz_match_row(TENSIX_ROW_NOP, 0);
    }
}

static uint32_t draw_word(struct bench *bench)
{
    unsigned choice = below(bench, 16);
    if (choice < 3) {
        bench->has_macros = true;
        return fuzz_match_row(TENSIX_ROW_SFPLOADMACRO, draw(bench));
    }
    if (choice < 5) {
        return fuzz_match_row(TENSIX_ROW_SFPNOP, 0);
    }
    return choice < 7 ? other_word(bench) : vector_word(bench);
}

/* --- Invariants --- */

static void check_lanes(const struct tensix_vector *vector)
{
    static const unsigned constants[] = {8, TENSIX_LREG_ZERO, TENSIX_LREG_ONE, 15};
    static const uint32_t values[] = {0x3f56594b, 0, 0x3f800000, 0};
    for (unsigned i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        for (unsigned lane = 0; lane < NUM_LANES; lane++) {
            uint32_t expected = constants[i] == 15 ? 2 * lane : values[i];
            REQUIRE(vector->lreg[constants[i]][lane] == expected);
        }
    }
    struct tensix_vector derived = {.flags = 0};
    memcpy(derived.lane_config, vector->lane_config, sizeof derived.lane_config);
    tensix_vector_derive(&derived);
    REQUIRE(memcmp(&derived.sets, &vector->sets, sizeof derived.sets) == 0);
}

/* No two entries would execute at the same time in the same lane. */
static void check_schedules(const struct tensix *tensix)
{
    const struct tensix_vector *vector = &tensix->vector;
    uint32_t taken[SCHEDULED_PARTS][8] = {{0}};
    for (unsigned i = 0; i < vector->entries; i++) {
        const struct tensix_scheduled *entry = &vector->scheduled[i];
        REQUIRE(entry->unit < SCHEDULED_PARTS && entry->delay < 8 && entry->lanes);
        REQUIRE(entry->op.is_scheduled && entry->op.row < TENSIX_ROWS);
        REQUIRE(entry->op.va < 16 && entry->op.vb < 16 && entry->op.vc < 16);
        REQUIRE(entry->op.vd <= TENSIX_LREG_MACRO && entry->op.mod < 16);
        REQUIRE((taken[entry->unit][entry->delay] & entry->lanes) == 0);
        taken[entry->unit][entry->delay] |= entry->lanes;
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        REQUIRE(tensix->thread[i].rwc.sp <= TENSIX_RWC_SP_MASK);
        REQUIRE(tensix->thread[i].rwc.dst < 1 << 10);
    }
}

static void check(const struct side *side)
{
    check_lanes(&side->tensix.vector);
    fuzz_check_vector(&side->tensix.vector);
    check_schedules(&side->tensix);
}

/* --- Comparing --- */

static bool same_op(const struct tensix_vector_op *x, const struct tensix_vector_op *y)
{
    return x->word == y->word && x->row == y->row && x->va == y->va && x->vb == y->vb &&
           x->vc == y->vc && x->vd == y->vd && x->mod == y->mod && x->address == y->address;
}

static void compare_late(const struct tensix_vector_late *x, const struct tensix_vector_late *y)
{
    REQUIRE(x->lregs == y->lregs && x->lregs < 1u << TENSIX_LREGS);
    for (unsigned i = 0; i < TENSIX_LREGS; i++) {
        if (!(x->lregs >> i & 1)) {
            continue;
        }
        REQUIRE(x->lanes[i] == y->lanes[i]);
        for (unsigned lane = 0; lane < NUM_LANES; lane++) {
            REQUIRE(!(x->lanes[i] >> lane & 1) || x->value[i][lane] == y->value[i][lane]);
        }
    }
}

static void compare_schedules(const struct tensix_vector *x, const struct tensix_vector *y)
{
    REQUIRE(x->schedules == y->schedules && x->entries == y->entries);
    for (unsigned i = 0; i < x->entries; i++) {
        const struct tensix_scheduled *a = &x->scheduled[i], *b = &y->scheduled[i];
        REQUIRE(same_op(&a->op, &b->op) && a->lanes == b->lanes && a->unit == b->unit);
        REQUIRE(a->delay == b->delay && a->counts_instructions == b->counts_instructions);
    }
    REQUIRE(x->swaps == y->swaps && x->swap_lanes == y->swap_lanes);
    if (x->schedules) {
        compare_late(&x->late[x->turn], &y->late[y->turn]);
    }
}

#define REQUIRE_SAME(what) REQUIRE(memcmp(&x->what, &y->what, sizeof x->what) == 0)

static void compare(const struct side *one, const struct side *other)
{
    const struct tensix *x = &one->tensix, *y = &other->tensix;
    REQUIRE_SAME(vector.lreg);
    REQUIRE_SAME(vector.flags);
    REQUIRE_SAME(vector.uses_flags);
    REQUIRE_SAME(vector.stack);
    REQUIRE_SAME(vector.generator);
    REQUIRE_SAME(vector.lane_config);
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        REQUIRE_SAME(vector.macro[column].instruction);
        REQUIRE_SAME(vector.macro[column].sequence);
        REQUIRE_SAME(vector.macro[column].misc);
    }
    REQUIRE_SAME(dst.bits);
    REQUIRE_SAME(dst.cleared);
    REQUIRE_SAME(thread[THREAD].rwc);
    REQUIRE_SAME(config);
    REQUIRE_SAME(thread_config);
    compare_schedules(&x->vector, &y->vector);
}

/* Functional sides at any time, but for the one that runs ahead; timed ones where nothing depends
 * on time. */
static bool is_comparable(const struct bench *bench, unsigned i, bool is_settled)
{
    const struct side *side = bench->side[i];
    if (side->tensix.timing) {
        return is_settled && !bench->has_macros;
    }
    return !side->is_off && (is_settled || i != SIDE_AT_ONCE);
}

/* Those that have gone their own way begin again as the reference. */
static void align(struct bench *bench)
{
    const struct tensix *reference = &bench->side[SIDE_REFERENCE]->tensix;
    for (unsigned i = 0; i < SIDES; i++) {
        struct tensix *tensix = &bench->side[i]->tensix;
        if (bench->side[i]->is_off || (tensix->timing && bench->has_macros)) {
            tensix->vector = reference->vector;
            tensix->dst = reference->dst;
            tensix->thread[THREAD].rwc = reference->thread[THREAD].rwc;
            bench->side[i]->is_off = false;
        }
    }
    bench->has_macros = reference->vector.schedules;
}

static void compare_all(struct bench *bench, bool is_settled)
{
    const struct side *reference = bench->side[SIDE_REFERENCE];
    for (unsigned i = 0; i < SIDES; i++) {
        const struct side *side = bench->side[i];
        check(side);
        if (!is_comparable(bench, i, is_settled)) {
            continue;
        }
        compare(reference, side);
        /* SIDE_STOPS hears of the others of a cycle again with each one that stops it. */
        if (!side->tensix.timing && i != SIDE_STOPS) {
            REQUIRE(side->faults == reference->faults && side->digest == reference->digest);
        }
    }
    if (is_settled) {
        compare(bench->side[SIDE_TIMED], bench->side[SIDE_TIMED_PIECES]);
        align(bench);
    }
}

/* --- Running --- */

static void run_until(struct side *side, uint64_t end)
{
    struct tensix *tensix = &side->tensix;
    (void)tensix_run(tensix, end);
    for (unsigned i = 0; tensix->stopped; i++) {
        REQUIRE(side->kind == SIDE_STOPS && i < MOST_RETRIES);
        tensix->stopped = false;
        (void)tensix_run(tensix, end);
    }
}

static void run(struct bench *bench, unsigned cycles, unsigned piece)
{
    uint64_t end = bench->time + cycles;
    for (unsigned i = 0; i < SIDES; i++) {
        struct side *side = bench->side[i];
        bool in_pieces = i == SIDE_PIECES || i == SIDE_TIMED_PIECES;
        for (uint64_t time = bench->time; in_pieces && time < end; time += piece) {
            run_until(side, time);
        }
        run_until(side, end);
    }
    bench->time = end;
}

static void settle(struct bench *bench)
{
    run(bench, SETTLES_WITHIN, 1);
    for (unsigned i = 0; i < SIDES; i++) {
        const struct tensix *tensix = &bench->side[i]->tensix;
        REQUIRE(!tensix_thread_busy(tensix, THREAD));
        REQUIRE(!tensix_vector_goes_on(tensix, TENSIX_THREADS));
    }
    compare_all(bench, true);
}

static void push(struct bench *bench, const uint32_t *words, unsigned count)
{
    struct tensix_origin origin = {.pc = 0x1000, .pusher = TENSIX_BY_T0 + THREAD};
    for (unsigned i = 0; i < SIDES; i++) {
        struct tensix *tensix = &bench->side[i]->tensix;
        unsigned done = 0;
        if (SHORTCUTS_BUILT && i == SIDE_AT_ONCE) {
            struct tensix_pushed pushed = {.thread = THREAD,
                                           .origin = origin,
                                           .cycle = bench->time,
                                           .end = bench->time + SETTLES_WITHIN};
            for (bool is_taken = true; is_taken && done < count; done += is_taken) {
                pushed.word = words[done];
                is_taken = tensix_execute(tensix, &pushed).is_taken;
            }
        }
        for (; done < count; done++) {
            REQUIRE(tensix_push(tensix, THREAD, origin, words + done, 1, bench->time));
        }
    }
}

/* --- Operations --- */

static void push_words(struct bench *bench, bool from_input)
{
    uint32_t words[MOST_WORDS];
    unsigned count = 1 + take(bench, 1) % MOST_WORDS, cycles = take(bench, 1);
    for (unsigned i = 0; i < count; i++) {
        words[i] = from_input ? fuzz_match_row(vector_row(take(bench, 1)), take(bench, 3))
                              : draw_word(bench);
        bench->has_macros |= words[i] >> 24 == tensix_rows[TENSIX_ROW_SFPLOADMACRO].match >> 24;
    }
    push(bench, words, count);
    run(bench, cycles % 16, 1 + cycles / 16 % 4);
    compare_all(bench, false);
    settle(bench);
}

/* Several groups with time between them. */
static void push_groups(struct bench *bench)
{
    for (unsigned i = 1 + take(bench, 1) % 3; i > 0; i--) {
        uint32_t words[MOST_WORDS / 3];
        unsigned count = 1 + below(bench, MOST_WORDS / 3);
        for (unsigned j = 0; j < count; j++) {
            words[j] = draw_word(bench);
        }
        push(bench, words, count);
        run(bench, below(bench, 12), 1 + below(bench, 3));
        compare_all(bench, false);
    }
    settle(bench);
}

/* The same for each side. */
#define EACH_SIDE(bench, tensix)                                                                   \
    for (unsigned side_ = 0; side_ < SIDES && (tensix = &(bench)->side[side_]->tensix, true);      \
         side_++)

static void set_lregs(struct bench *bench)
{
    unsigned first = take(bench, 1) % TENSIX_LREG_WRITABLE, last = first + take(bench, 1) % 8;
    struct tensix *tensix;
    for (unsigned i = first; i <= last && i < TENSIX_LREG_WRITABLE; i++) {
        for (unsigned lane = 0; lane < NUM_LANES; lane++) {
            uint32_t datum = i == 7 && draw(bench) & 3 ? below(bench, 20) : draw_datum(bench);
            EACH_SIDE(bench, tensix)
            {
                tensix->vector.lreg[i][lane] = datum;
            }
        }
    }
}

static void set_flags(struct bench *bench)
{
    uint32_t flags = take(bench, 4), uses = take(bench, 1) & 1 ? UINT32_MAX : take(bench, 4);
    struct tensix *tensix;
    EACH_SIDE(bench, tensix)
    {
        tensix->vector.flags = flags;
        tensix->vector.uses_flags = uses;
    }
}

/* Single bits of LaneConfig, or any; ROW_MASK seldom. */
static void set_lane_config(struct bench *bench)
{
    unsigned columns = take(bench, 1);
    uint32_t config = take(bench, 3) & TENSIX_LANE_CONFIG_MASK;
    config = columns & 1 ? config : UINT32_C(1) << config % 18;
    struct tensix *tensix;
    EACH_SIDE(bench, tensix)
    {
        for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
            if (columns >> column & 1) {
                tensix->vector.lane_config[column] = config;
            }
        }
        tensix_vector_derive(&tensix->vector);
    }
}

/* A byte of a sequence; the reserved source seldom, and mostly a store where one belongs. */
static uint32_t draw_slot(struct bench *bench, bool stores)
{
    uint32_t bits = draw(bench);
    if (stores && bits >> 8 & 15) {
        return (bits & 0xf8) | (bits >> 12 & 1 ? 3 : 0);
    }
    return (bits & 7) == 1 && bits >> 8 & 15 ? bits & 0xf8 : bits & 0xff;
}

/* LoadMacroConfig of some columns: template by template what a word may be. */
static void set_macro(struct bench *bench)
{
    unsigned columns = take(bench, 1);
    columns = columns & 1 ? 0xff : columns;
    struct tensix_macro_config macro = {.misc = (uint16_t)(take(bench, 2) & 0xfff)};
    for (unsigned i = 0; i < TENSIX_MACRO_TEMPLATES; i++) {
        macro.instruction[i] = below(bench, 8) ? vector_word(bench) : draw(bench);
        for (unsigned part = 0; part < 4; part++) {
            macro.sequence[i] |= draw_slot(bench, part == 3) << 8 * part;
        }
    }
    struct tensix *tensix;
    EACH_SIDE(bench, tensix)
    {
        for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
            if (columns >> column & 1) {
                tensix->vector.macro[column] = macro;
            }
        }
    }
}

static void fill_dst(struct bench *bench)
{
    bool clears = take(bench, 1) & 1;
    struct tensix_dst *dst = &bench->side[0]->tensix.dst;
    for (unsigned row = 0; row < sizeof dst->bits / sizeof dst->bits[0]; row++) {
        for (unsigned column = 0; column < TENSIX_DST_COLUMNS; column++) {
            uint32_t datum = draw_datum(bench);
            dst->bits[row][column] = (uint16_t)(row & 1 ? datum >> 16 : datum);
        }
        if (row < sizeof dst->cleared / sizeof dst->cleared[0]) {
            dst->cleared[row] = clears && draw(bench) & 1;
        }
    }
    for (unsigned i = 1; i < SIDES; i++) {
        bench->side[i]->tensix.dst = *dst;
    }
}

/* What addresses and formats go by. */
static void set_field(struct bench *bench)
{
    static const enum tensix_field_id fields[] = {
        TENSIX_FIELD_CFG_STATE_ID_StateID,
        TENSIX_FIELD_DEST_TARGET_REG_CFG_MATH_Offset,
        TENSIX_FIELD_SFPU_DEST_FMT_Enable,
        TENSIX_FIELD_SFPU_DEST_FMT_Base,
        TENSIX_FIELD_SFPU_STACK_Incr,
        TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcB_val,
        TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcB_override,
        TENSIX_FIELD_ALU_FORMAT_SPEC_REG1_SrcB,
        TENSIX_FIELD_ALU_ACC_CTRL_SFPU_Fp32_enabled,
        TENSIX_FIELD_DEST_REGW_BASE_Base,
        TENSIX_FIELD_DEST_SP_BASE_Base,
        TENSIX_FIELD_DEST_ACCESS_CFG_swizzle_32b,
        TENSIX_FIELD_DEST_ACCESS_CFG_remap_addrs,
    };
    enum tensix_field_id id = fields[take(bench, 1) % (sizeof fields / sizeof fields[0])];
    uint32_t value = take(bench, 2);
    bool high_half = value >> 15;
    struct tensix *tensix;
    EACH_SIDE(bench, tensix)
    {
        if (tensix_fields[id].thread) {
            tensix_set_thread_field(tensix, THREAD, id, value);
        } else {
            tensix_set_config_field(tensix, 0, id, value);
            tensix_set_config_field(tensix, 1, id, value);
        }
        tensix->dst_high_half = high_half;
    }
}

static void seed_generators(struct bench *bench)
{
    uint32_t seed = take(bench, 4);
    struct tensix *tensix;
    EACH_SIDE(bench, tensix)
    {
        (void)tensix_config_write(tensix, TENSIX_WORD_PRNG_SEED_Seed_Val, seed);
    }
}

/* In the middle of whatever is scheduled: what counts instructions may wait for them. */
static void soft_reset(struct bench *bench)
{
    unsigned order = take(bench, 1);
    struct tensix *tensix;
    EACH_SIDE(bench, tensix)
    {
        tensix_soft_reset(tensix, 0, TENSIX_RESET_MATH);
        REQUIRE(!tensix_vector_goes_on(tensix, TENSIX_THREADS));
        tensix_soft_reset(tensix, TENSIX_RESET_MATH, 0);
    }
    if (order & 1) {
        run(bench, order, 3);
    }
    compare_all(bench, true);
}

static void push_input_words(struct bench *bench)
{
    push_words(bench, true);
}

static void push_drawn_words(struct bench *bench)
{
    push_words(bench, false);
}

/* What happens more often stands twice. */
static void (*const operations[])(struct bench *bench) = {
    push_input_words, push_drawn_words, push_drawn_words, push_groups, push_groups,
    set_lregs,        set_flags,        set_lane_config,  set_macro,   set_macro,
    fill_dst,         set_field,        seed_generators,  soft_reset,
};

static void step(struct bench *bench)
{
    unsigned operation = take(bench, 1) % (sizeof operations / sizeof operations[0]);
    bench->random = bench->random * 0x10001 + take(bench, 2);
    operations[operation](bench);
}

static const char *kernels_of(enum side_kind kind)
{
    return kind == SIDE_REFERENCE ? "reference"
           : kind == SIDE_AVX2    ? "avx2"
           : kind == SIDE_AVX512  ? "avx512"
                                  : NULL;
}

static struct side *make_side(enum side_kind kind)
{
    struct side *side = calloc(1, sizeof *side);
    REQUIRE(side);
    side->kind = kind;
    side->tensix.board = &board;
    side->tensix.owner = side;
    side->tensix.timing = kind == SIDE_TIMED || kind == SIDE_TIMED_PIECES ? &tile_costs : NULL;
    side->tensix.shortcuts = true;
    tensix_init(&side->tensix);
    const struct num_kernels *kernels = num_kernels_find(kernels_of(kind));
    if (kernels) { /* NULL: not on this host */
        side->tensix.kernels = kernels;
    }
    return side;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct bench bench = {.input = {.byte = bytes, .left = size}, .random = 1};
    for (unsigned i = 0; i < SIDES; i++) {
        bench.side[i] = make_side((enum side_kind)i);
    }
    for (unsigned i = 0; i < MOST_STEPS && bench.input.left > 0; i++) {
        step(&bench);
    }
    for (unsigned i = 0; i < SIDES; i++) {
        free(bench.side[i]);
    }
    return 0;
}
