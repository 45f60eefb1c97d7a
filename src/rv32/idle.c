#include "rv32/idle.h"

#include <string.h>

#include "rv32/exec.h"

/* A hart that went straight ahead for SCOUT cycles, but for short jumps, is in no loop that waits,
 * or in a long one: that costs less to find out than a search. */
enum { SCOUT = 8, STRAIGHT_BYTES = 4 * SCOUT / 2 };

/* A search and what it is about. */
struct record {
    struct rv32_hart *hart;
    struct rv32_probe *probe;
    struct rv32_idle *idle;
    bool takes_stores;
};

static bool memory_word(const struct rv32_hart *hart, uint32_t address, unsigned size,
                        const uint8_t **at)
{
    if (address & (size - 1)) {
        return false;
    }
    if (address < hart->plain_l1_size) {
        *at = hart->l1 + address;
        return true;
    }
    if (address - RV32_LOCAL_BASE < hart->local_size ||
        address - RV32_LOCAL_BASE < hart->told_local_size) {
        *at = hart->local + (address - RV32_LOCAL_BASE);
        return true;
    }
    return false;
}

/* The value at a place without the side effects of reading it. */
static enum rv32_poll peek(struct rv32_hart *hart, uint32_t address, unsigned size, uint32_t *value)
{
    const uint8_t *at;
    *value = 0;
    if (memory_word(hart, address, size, &at)) {
        memcpy(value, at, size);
        return RV32_POLL_STATE;
    }
    return hart->bus->poll ? hart->bus->poll(hart->owner, hart, address, size, value)
                           : RV32_POLL_EFFECT;
}

static bool add_place(struct rv32_idle *idle, uint32_t address, unsigned size, uint32_t value)
{
    if (idle->places == RV32_IDLE_PLACES) {
        return false;
    }
    idle->place[idle->places++] =
        (struct rv32_idle_place){.address = address, .value = value, .size = (uint8_t)size};
    return true;
}

static uint32_t access_address(const struct rv32_hart *hart, const struct rv32_op *op)
{
    return hart->x[op->rs1] + (uint32_t)op->imm;
}

/* --- The wall clock --- */

static void steady_for(struct record *record, uint64_t ticks)
{
    record->probe->steady = ticks < record->probe->steady ? ticks : record->probe->steady;
}

/* Ticks until `value`, moving with the clock, reaches any place where a comparison with `constant`
 * can change: the constant, its successor, and where signed and unsigned numbers wrap. */
static void compare_with_clock(struct record *record, uint32_t value, enum rv32_follow follow,
                               uint32_t constant)
{
    const uint32_t edges[] = {constant, constant + 1, 0, UINT32_C(0x80000000)};
    for (unsigned i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        uint32_t distance = follow == RV32_FOLLOWS_UP ? edges[i] - value : value - edges[i] + 1;
        steady_for(record, distance ? distance : UINT64_C(1) << 32);
    }
}

static bool compare(struct record *record, unsigned a, uint32_t a_value, unsigned b,
                    uint32_t b_value)
{
    enum rv32_follow fa = a ? record->probe->follow[a] : RV32_FOLLOWS_NOT;
    enum rv32_follow fb = b ? record->probe->follow[b] : RV32_FOLLOWS_NOT;
    if (fa == RV32_FOLLOWS_NOT && fb == RV32_FOLLOWS_NOT) {
        return true;
    }
    if (fa == RV32_FOLLOWS_SOMEHOW || fb == RV32_FOLLOWS_SOMEHOW || (fa && fb)) {
        return false;
    }
    if (fa) {
        compare_with_clock(record, a_value, fa, b_value);
    } else {
        compare_with_clock(record, b_value, fb, a_value);
    }
    return true;
}

static enum rv32_follow follow_sum(enum rv32_follow a, enum rv32_follow b)
{
    if (!a || !b) {
        return a ? a : b;
    }
    return a != b && a != RV32_FOLLOWS_SOMEHOW && b != RV32_FOLLOWS_SOMEHOW ? RV32_FOLLOWS_NOT
                                                                            : RV32_FOLLOWS_SOMEHOW;
}

static enum rv32_follow follow_negative(enum rv32_follow a)
{
    return a == RV32_FOLLOWS_UP ? RV32_FOLLOWS_DOWN : a == RV32_FOLLOWS_DOWN ? RV32_FOLLOWS_UP : a;
}

/* Follows a plain integer instruction; false where the clock enters in a way that is not known. */
static bool follow_plain(struct record *record, const struct rv32_op *op,
                         const struct rv32_effects *effects)
{
    const uint32_t *x = record->hart->x;
    uint8_t *follow = record->probe->follow;
    unsigned rs2 = effects->reads_rs2 ? op->rs2 : 0;
    enum rv32_follow a = effects->reads_rs1 ? follow[op->rs1] : RV32_FOLLOWS_NOT;
    enum rv32_follow b = follow[rs2], result = RV32_FOLLOWS_NOT;
    if (effects->traits & RV32_ADDS) {
        result = follow_sum(a, b);
    } else if (effects->traits & RV32_SUBTRACTS) {
        result = follow_sum(a, follow_negative(b));
    } else if (effects->traits & RV32_COMPARES) {
        if (!compare(record, op->rs1, x[op->rs1], rs2,
                     effects->reads_rs2 ? x[rs2] : (uint32_t)op->imm)) {
            return false;
        }
    } else if (a || b) {
        result = RV32_FOLLOWS_SOMEHOW;
    }
    if (op->rd != RV32_SINK) {
        follow[op->rd] = (uint8_t)result;
    }
    return true;
}

/* --- Recording --- */

static bool record_load(struct record *record, const struct rv32_op *op, unsigned size)
{
    struct rv32_hart *hart = record->hart;
    uint32_t address = access_address(hart, op), value;
    enum rv32_follow follow = RV32_FOLLOWS_NOT;
    if (record->probe->follow[op->rs1] != RV32_FOLLOWS_NOT) {
        return false;
    }
    switch (peek(hart, address, size, &value)) {
    case RV32_POLL_STATE:
        if (!add_place(record->idle, address, size, value)) {
            return false;
        }
        break;
    case RV32_POLL_CLOCK_LOW:
        follow = size == 4 ? RV32_FOLLOWS_UP : RV32_FOLLOWS_SOMEHOW;
        record->idle->reads_clock = true;
        break;
    case RV32_POLL_CLOCK_HIGH: /* constant until the low half wraps */
        steady_for(record, (UINT64_C(1) << 32) - (hart->end & UINT32_MAX));
        record->idle->reads_clock = true;
        break;
    case RV32_POLL_EFFECT:
        return false;
    }
    if (op->rd != RV32_SINK) {
        record->probe->follow[op->rd] = (uint8_t)follow;
    }
    return true;
}

/* A store counts as nothing when it writes plain memory with what is there already. Short searches
 * take none: code that runs again writes what it wrote before, and few loops that wait store. */
static bool record_store(struct record *record, const struct rv32_op *op, unsigned size)
{
    struct rv32_hart *hart = record->hart;
    uint32_t address = access_address(hart, op), old = 0, new = 0;
    const uint8_t *at;
    if (!record->takes_stores || record->probe->follow[op->rs1] || record->probe->follow[op->rs2] ||
        !memory_word(hart, address, size, &at)) {
        return false;
    }
    memcpy(&old, at, size);
    memcpy(&new, &hart->x[op->rs2], size);
    return old == new &&add_place(record->idle, address, size, old);
}

/* Notes what the next instruction is going to do; false when it does more than a waiting hart
 * may. */
static bool record_step(struct record *record)
{
    struct rv32_hart *hart = record->hart;
    unsigned position;
    const struct rv32_page *page = rv32_page_at(hart, hart->pc, &position);
    if (!page || page->rows[position] < 0) {
        return false;
    }
    const struct rv32_op *op = &page->ops[position];
    struct rv32_effects effects =
        rv32_row_effects((unsigned)page->rows[position], page->words[position]);
    const unsigned size = rv32_access_size(effects.traits);
    record->probe->live_in |= effects.reads & ~record->probe->written;
    record->probe->written |= effects.writes;
    switch (effects.class) {
    case RV32_CLASS_PLAIN:
        if (effects.traits & RV32_ADDS && !effects.reads_rs2 && op->rd == op->rs1) {
            record->probe->counted |= effects.writes;
        }
        return follow_plain(record, op, &effects);
    case RV32_CLASS_LOAD:
        return record_load(record, op, size);
    case RV32_CLASS_STORE:
        return record_store(record, op, size);
    case RV32_CLASS_BRANCH:
        return compare(record, op->rs1, hart->x[op->rs1], op->rs2, hart->x[op->rs2]);
    case RV32_CLASS_JUMP:
        if (op->rd != RV32_SINK) {
            record->probe->follow[op->rd] = RV32_FOLLOWS_NOT;
        }
        return !effects.reads_rs1 || !record->probe->follow[op->rs1];
    case RV32_CLASS_FENCE:
        return true;
    case RV32_CLASS_OTHER:
        break;
    }
    return false;
}

enum { CARRIES_VALUES = 1, CARRIES_CLOCK = 2, CARRIES_COUNT = 4, CARRIES_TIME = 8 };

/* What keeps the iteration that ends here from being followed by one just like it: registers that
 * it read before it wrote them and that hold something else now, or the clock; and what is under way, if
 * that is not what was at its start. */
static unsigned carried(const struct record *record, uint64_t now)
{
    const struct rv32_probe *probe = record->probe;
    unsigned what = 0;
    if (record->hart->timing && rv32_pipeline_hash(record->hart, now) != probe->start_pipeline) {
        what |= CARRIES_TIME;
    }
    for (uint32_t rest = probe->live_in & ~UINT32_C(1); rest; rest &= rest - 1) {
        unsigned r = (unsigned)__builtin_ctz(rest);
        if (probe->follow[r]) {
            what |= CARRIES_CLOCK;
        } else if (record->hart->x[r] != probe->start_x[r]) {
            what |= probe->counted >> r & 1 ? CARRIES_COUNT : CARRIES_VALUES;
        }
    }
    return what;
}

/* Fills in what follows from the clock; false when sleeping is not worth while. One iteration is
 * left to run for real, so that registers that hold the clock are set by it. */
static bool finish_record(struct record *record, uint64_t now)
{
    struct rv32_idle *idle = record->idle;
    idle->since = now;
    idle->period = now - record->probe->start;
    idle->instructions = record->hart->retired - record->probe->start_retired;
    idle->wake = UINT64_MAX;
    if (idle->period == 0 || idle->period > RV32_IDLE_MOST_CYCLES ||
        idle->instructions > RV32_IDLE_STEPS) {
        return false; /* a search that a snapshot has made up */
    }
    if (record->probe->steady != UINT64_MAX) {
        uint64_t iterations = (record->probe->steady - 1) / idle->period;
        if (iterations < 4) {
            return false;
        }
        idle->wake = now + (iterations - 2) * idle->period;
    }
    return true;
}

/* The loop is looked for from here: the hart's place at tile time `now`. */
static void start_at(struct record *record, uint64_t now)
{
    struct rv32_probe *probe = record->probe;
    *probe = (struct rv32_probe){.steps = probe->steps,
                                 .start_pc = record->hart->pc,
                                 .start = now,
                                 .start_retired = record->hart->retired,
                                 .steady = UINT64_MAX};
    memcpy(probe->start_x, record->hart->x, sizeof probe->start_x);
    if (record->hart->timing) {
        probe->start_pipeline = rv32_pipeline_hash(record->hart, now);
    }
    record->idle->places = 0;
    record->idle->reads_clock = false;
}

/* A search begins anew at the first place to which the hart jumps back, a loop's head perhaps; where
 * the first iterations take another time than later ones; and where the clock is carried from one iteration
 * to the next, an instruction later each time. */
static void choose_start(struct record *record, uint32_t from, uint64_t now, unsigned carries)
{
    struct rv32_probe *probe = record->probe;
    if (probe->is_late || carries == CARRIES_TIME ||
        (!probe->has_turned && record->hart->pc < from)) {
        start_at(record, now);
        probe->has_turned = true;
    } else {
        probe->is_late = carries & CARRIES_CLOCK;
    }
}

static bool goes_straight(struct rv32_hart *hart, uint64_t *now, uint64_t limit)
{
    uint32_t pc = hart->pc;
    if (*now + SCOUT >= limit) {
        return false;
    }
    *now = rv32_run(hart, *now, *now + SCOUT);
    return hart->stop != RV32_RUNNING || rv32_was_cut(hart, *now) ||
           (hart->pc > pc && hart->pc - pc > STRAIGHT_BYTES);
}

/* The instruction before was a load of a register, which the hart may poll. Loads of memory are no
 * such sign, since they are accesses of the bus only where somebody looks. */
static bool has_just_loaded(const struct rv32_hart *hart, uint64_t now)
{
    const struct rv32_access *access = &hart->access;
    return !access->store && access->cycle + 1 == now &&
           access->address >= hart->code->pages << RV32_PAGE_SHIFT &&
           access->address - RV32_LOCAL_BASE >= hart->told_local_size;
}

enum rv32_probe_result rv32_idle_search(struct rv32_hart *hart, uint64_t *now, uint64_t limit,
                                        unsigned most, struct rv32_probe *probe,
                                        struct rv32_idle *idle)
{
    struct record record = {
        .hart = hart, .probe = probe, .idle = idle, .takes_stores = most == RV32_IDLE_STEPS};
    hart->stop = RV32_RUNNING;
    if (probe->steps == 0) {
        if (!has_just_loaded(hart, *now) && goes_straight(hart, now, limit)) {
            return RV32_PROBE_BUSY;
        }
        start_at(&record, *now);
    }
    while (probe->steps < most && *now < limit) {
        uint32_t pc = hart->pc;
        hart->end = *now;
        probe->steps++;
        if (!record_step(&record)) {
            return RV32_PROBE_BUSY;
        }
        *now = rv32_run(hart, *now, *now + 1);
        if (hart->stop != RV32_RUNNING || rv32_was_cut(hart, *now)) {
            return RV32_PROBE_BUSY;
        }
        bool is_round = hart->pc == probe->start_pc;
        unsigned carries = is_round ? carried(&record, *now) : 0;
        if (carries & CARRIES_COUNT) {
            return RV32_PROBE_BUSY; /* an address or a number of turns */
        }
        if (is_round && !carries) {
            /* others may have run since a place was noted */
            bool is_idle = rv32_idle_unchanged(hart, idle) && finish_record(&record, *now);
            return is_idle ? RV32_PROBE_IDLE : RV32_PROBE_BUSY;
        }
        choose_start(&record, pc, *now, carries);
    }
    return probe->steps < most ? RV32_PROBE_MORE : RV32_PROBE_BUSY;
}

bool rv32_idle_probe(struct rv32_hart *hart, uint64_t *now, uint64_t limit, struct rv32_idle *idle)
{
    struct rv32_probe probe = {0};
    return rv32_idle_search(hart, now, limit, RV32_IDLE_STEPS, &probe, idle) == RV32_PROBE_IDLE;
}

bool rv32_idle_unchanged(struct rv32_hart *hart, const struct rv32_idle *idle)
{
    for (unsigned i = 0; i < idle->places; i++) {
        uint32_t value;
        peek(hart, idle->place[i].address, idle->place[i].size, &value);
        if (value != idle->place[i].value) {
            return false;
        }
    }
    return true;
}

/* What a load with these traits puts into its register. */
static uint32_t extended(unsigned traits, uint32_t value)
{
    if (!(traits & RV32_SIGNED)) {
        return value;
    }
    return rv32_access_size(traits) == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
}

/* One instruction for real. It stops where somebody else has changed pc or code meanwhile. */
static uint64_t run_step(struct rv32_hart *hart, uint64_t now)
{
    uint64_t end = rv32_step(hart, now);
    return end > now ? end : now + 1;
}

/* One instruction of the loop with the old value of the next place in *place; when it is over. */
static uint64_t replay_step(struct rv32_hart *hart, uint64_t now,
                            const struct rv32_idle_place **place)
{
    unsigned position;
    const struct rv32_page *page = rv32_page_at(hart, hart->pc, &position);
    if (!page || page->rows[position] < 0) {
        return run_step(hart, now);
    }
    const struct rv32_op *op = &page->ops[position];
    uint32_t value;
    struct rv32_effects effects =
        rv32_row_effects((unsigned)page->rows[position], page->words[position]);
    bool is_load = effects.class == RV32_CLASS_LOAD &&
                   peek(hart, access_address(hart, op), rv32_access_size(effects.traits), &value) ==
                       RV32_POLL_STATE;
    if (!is_load && effects.class != RV32_CLASS_STORE) {
        return run_step(hart, now);
    }
    struct rv32_cost cost;
    rv32_cost(hart, &cost);
    hart->access.late = 0;
    if (is_load) {
        hart->x[op->rd] = extended(effects.traits, (*place)->value);
    }
    (*place)++;
    hart->pc += 4;
    hart->retired++;
    return rv32_charge(hart, &cost, now);
}

uint64_t rv32_idle_resume(struct rv32_hart *hart, const struct rv32_idle *idle, uint64_t now)
{
    uint64_t iterations = now > idle->since ? (now - idle->since) / idle->period : 0;
    /* Registers that hold the clock, and what is under way, are those of the last
     * whole iteration: run that one too. */
    bool runs_last = iterations && (idle->reads_clock || hart->timing);
    uint64_t skipped = runs_last ? iterations - 1 : iterations;
    const struct rv32_idle_place *place = idle->place;
    uint64_t at = idle->since + skipped * idle->period;
    hart->retired += skipped * idle->instructions;
    if (hart->timing) {
        rv32_pipeline_put_off(hart, idle->since, skipped * idle->period);
    }
    while (at < now) {
        if (place >= idle->place + idle->places) {
            place = idle->place;
        }
        at = replay_step(hart, at, &place);
    }
    return at;
}
