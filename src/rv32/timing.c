/* Costs of instructions, see timing.h. */
#include "rv32/timing.h"

#include <string.h>

#include "rv32/exec.h"

enum { LINE_BYTES = 16 };

const struct rv32_timing rv32_chip_timing = {
    .row =
        {
#define COST(token, occupied, result) [RV32_ROW_##token] = occupied,
#include "hart_times.def"
        },
    .result =
        {
#define COST(token, occupied, result) [RV32_ROW_##token] = result,
#include "hart_times.def"
        },
    .has_queues = true,
    .delay =
        {
#define DELAY(token, cycles) [RV32_DELAY_##token] = cycles,
#include "hart_times.def"
        },
    .load =
        {
#define LOADS(first, result) {first, result},
#include "hart_times.def"
        },
};

void rv32_timing_free_guesses(struct rv32_timing *timing)
{
#define GUESSED(token) timing->delay[RV32_DELAY_##token] = 0;
#include "hart_times.def"
}

static uint8_t at_least(uint8_t cycles, uint8_t least)
{
    return cycles < least ? least : cycles;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Cycles from `now` to `time`, unless that is over. */
static uint64_t cycles_ahead(uint64_t time, uint64_t now)
{
    return time > now && time - now <= RV32_MOST_AHEAD ? time - now : 0;
}

static bool is_in_l1(const struct rv32_hart *hart, uint32_t address)
{
    return address < hart->code->pages << RV32_PAGE_SHIFT;
}

/* --- The L0 data cache --- */

static uint32_t line_number(uint32_t address)
{
    return 1 + address / LINE_BYTES;
}

static bool is_cached(const struct rv32_hart *hart, uint32_t address)
{
    const uint32_t *line = hart->pipeline.line;
    for (unsigned i = 0; i < RV32_QUEUE_LINE; i++) {
        if (line[i] == line_number(address)) {
            return true;
        }
    }
    return false;
}

static bool has_cache(const struct rv32_hart *hart, uint32_t address)
{
    return hart->timing->has_queues && is_in_l1(hart, address) &&
           !(hart->csr.cfg0 & RV32_CFG0_DIS_LOW_CASH);
}

/* GUESS: the line that has been there longest goes. */
static void cache_line(struct rv32_pipeline *pipeline, uint32_t address)
{
    memmove(pipeline->line, pipeline->line + 1, sizeof pipeline->line - sizeof *pipeline->line);
    pipeline->line[RV32_QUEUE_LINE - 1] = line_number(address);
}

static void drop_line(struct rv32_pipeline *pipeline, uint32_t address)
{
    for (unsigned i = 0; i < RV32_QUEUE_LINE; i++) {
        if (pipeline->line[i] == line_number(address)) {
            pipeline->line[i] = 0;
        }
    }
}

/* --- Costs --- */

static uint8_t load_time(const struct rv32_hart *hart, uint32_t address)
{
    const struct rv32_timing *timing = hart->timing;
    if (has_cache(hart, address) && is_cached(hart, address)) {
        return timing->delay[RV32_DELAY_LINE_HIT];
    }
    unsigned i = 0;
    while (i + 1 < RV32_LOAD_TIMES && timing->load[i + 1].first <= address) {
        i++;
    }
    return timing->load[i].result;
}

static bool is_signed_division(unsigned row)
{
    return row == RV32_ROW_DIV || row == RV32_ROW_REM;
}

static bool is_division(unsigned row)
{
    return row >= RV32_ROW_DIV && row <= RV32_ROW_REMU;
}

static uint8_t division_time(const struct rv32_timing *timing, unsigned row, uint32_t dividend,
                             uint32_t divisor)
{
    bool is_negative = is_signed_division(row) && dividend >> 31;
    unsigned bits = 0;
    if (divisor <= 1 || (is_signed_division(row) && dividend == UINT32_C(1) << 31 && !~divisor)) {
        return timing->delay[RV32_DELAY_DIVIDE_NOTHING];
    }
    for (uint32_t rest = is_negative ? -dividend : dividend; rest; rest >>= 1) {
        bits++;
    }
    unsigned cycles = timing->delay[RV32_DELAY_DIVIDE_BITS] + bits;
    unsigned most = timing->delay[RV32_DELAY_DIVIDE_MOST];
    return at_least((uint8_t)(cycles < most ? cycles : most), timing->row[row]);
}

static bool is_atomic(const struct rv32_effects *effects)
{
    const unsigned both = RV32_LOADS | RV32_STORES;
    return (effects->traits & both) == both;
}

static void find_cost(struct rv32_hart *hart, unsigned row, struct rv32_cost *cost)
{
    const struct rv32_timing *timing = hart->timing;
    const struct rv32_op *op = &cost->page->ops[cost->position];
    cost->effects = rv32_row_effects(row, cost->page->words[cost->position]);
    cost->cycles = at_least(timing->row[row], 1);
    cost->result = timing->result[row];
    switch (cost->effects.class) {
    case RV32_CLASS_LOAD:
        cost->address = hart->x[op->rs1] + (uint32_t)op->imm;
        cost->result = at_least(cost->result, load_time(hart, cost->address));
        if (hart->pipeline.is_behind_store) {
            cost->result += timing->delay[RV32_DELAY_LOAD_BEHIND_STORE];
        }
        break;
    case RV32_CLASS_STORE:
        cost->address = hart->x[op->rs1] + (uint32_t)op->imm;
        break;
    default:
        if (timing->has_queues && is_division(row)) {
            cost->cycles = division_time(timing, row, hart->x[op->rs1], hart->x[op->rs2]);
            cost->result = cost->cycles;
        }
    }
}

void rv32_cost(struct rv32_hart *hart, struct rv32_cost *cost)
{
    const struct rv32_timing *timing = hart->timing;
    cost->pc = hart->pc;
    cost->cycles = 1;
    cost->page = timing ? rv32_page_at(hart, hart->pc, &cost->position) : NULL;
    if (!cost->page) {
        return;
    }
    int row = cost->page->rows[cost->position];
    if (row < 0) {
        cost->cycles = at_least(timing->push, 1);
        cost->result = 0;
        cost->effects = (struct rv32_effects){.class = RV32_CLASS_OTHER};
    } else {
        find_cost(hart, (unsigned)row, cost);
    }
}

/* --- Stores under way --- */

static uint16_t bytes_of_line(uint32_t address, unsigned size)
{
    return (uint16_t)(((1u << size) - 1) << address % LINE_BYTES);
}

/* When the latest store has gone if it begins to go at `now` or behind the one before. */
static uint64_t leaves_at(const struct rv32_hart *hart, uint64_t now)
{
    const struct rv32_late_store *rear = &hart->pipeline.store[RV32_QUEUE_STORE - 1];
    bool is_narrow = is_in_l1(hart, rear->address) && rear->bytes != UINT16_MAX;
    return later(now, rear[-1].leaves) +
           hart->timing->delay[is_narrow ? RV32_DELAY_STORE_L1 : RV32_DELAY_STORE_OTHER];
}

/* Something comes that the latest store does not grow by: it waits no longer for more. */
static void send_store(struct rv32_hart *hart, uint64_t now)
{
    struct rv32_pipeline *pipeline = &hart->pipeline;
    if (pipeline->merges_until > now) {
        pipeline->store[RV32_QUEUE_STORE - 1].leaves = leaves_at(hart, now);
    }
    pipeline->merges_until = 0;
}

/* SPEC: the same line, and first bytes that are not further apart than 4. */
static bool can_merge(const struct rv32_hart *hart, uint32_t address, uint64_t now)
{
    const struct rv32_pipeline *pipeline = &hart->pipeline;
    enum { MOST_APART = 4 };
    return pipeline->merges_until > now &&
           address / LINE_BYTES == pipeline->merges_at / LINE_BYTES &&
           address - pipeline->merges_at + MOST_APART <= 2 * MOST_APART;
}

static void add_store(struct rv32_hart *hart, uint32_t address, unsigned size, uint64_t now)
{
    struct rv32_pipeline *pipeline = &hart->pipeline;
    struct rv32_late_store *rear = &pipeline->store[RV32_QUEUE_STORE - 1];
    const uint32_t timer = hart->csr.cfg0 >> RV32_CFG0_ST_MERGE_TIMER & 31;
    const bool waits =
        is_in_l1(hart, address) && !(hart->csr.cfg0 & RV32_CFG0_DIS_ST_MERGE) && timer;
    if (can_merge(hart, address, now)) {
        rear->bytes |= bytes_of_line(address, size);
    } else {
        send_store(hart, now);
        for (unsigned i = 0; i < RV32_QUEUE_STORE - 1; i++) {
            pipeline->store[i] = pipeline->store[i + 1].leaves > now
                                     ? pipeline->store[i + 1]
                                     : (struct rv32_late_store){.leaves = 0};
        }
        *rear = (struct rv32_late_store){.address = address - address % LINE_BYTES,
                                         .bytes = bytes_of_line(address, size)};
    }
    /* a cycle in EX1, and one until it stands in the queue */
    pipeline->merges_until = waits ? now + timer : 0;
    pipeline->merges_at = address;
    rear->leaves = leaves_at(hart, waits ? now + timer : now + 2);
}

static bool is_later_than_store(const struct rv32_late_store *store, uint64_t now)
{
    return store->leaves > now + 1;
}

/* When a load can follow what is stored to its bytes. It goes to memory as that goes. */
static uint64_t load_behind_stores(struct rv32_hart *hart, struct rv32_cost *next, uint64_t now)
{
    struct rv32_pipeline *pipeline = &hart->pipeline;
    const uint32_t address = next->address;
    const uint16_t bytes = bytes_of_line(address, rv32_access_size(next->effects.traits));
    uint64_t begin = now;
    for (unsigned i = 0; i < RV32_QUEUE_STORE; i++) {
        const struct rv32_late_store *store = &pipeline->store[i];
        if (store->address / LINE_BYTES != address / LINE_BYTES || !(store->bytes & bytes) ||
            !is_later_than_store(store, now)) {
            continue;
        }
        if (i == RV32_QUEUE_STORE - 1) {
            send_store(hart, now);
        }
        begin = later(begin, now + cycles_ahead(store->leaves - 1, now));
        pipeline->is_behind_store = is_in_l1(hart, address);
    }
    if (pipeline->is_behind_store) {
        next->result += hart->timing->delay[RV32_DELAY_LOAD_BEHIND_STORE];
    }
    return begin;
}

/* When a fence no longer waits for the store. */
static uint64_t gone_at(const struct rv32_hart *hart, const struct rv32_late_store *store)
{
    const uint8_t more = hart->timing->delay[RV32_DELAY_FENCE_BEHIND_STORE];
    return store->leaves + (is_in_l1(hart, store->address) ? 0 : more);
}

/* When all stores have gone and all loads have been answered, for a fence. */
static uint64_t all_done(struct rv32_hart *hart, uint64_t now)
{
    struct rv32_pipeline *pipeline = &hart->pipeline;
    uint64_t done = now;
    send_store(hart, now);
    for (unsigned i = 0; i < RV32_QUEUE_STORE; i++) {
        done = later(done, now + cycles_ahead(gone_at(hart, &pipeline->store[i]), now));
    }
    for (unsigned i = 0; i < RV32_QUEUE_LOAD; i++) {
        done = later(done, now + cycles_ahead(pipeline->answers[i], now));
    }
    return done;
}

/* --- Branches --- */

/* Does the hart go where it had not expected? It expects what it does not remember to go straight on. */
static bool is_mispredicted(struct rv32_hart *hart, const struct rv32_cost *cost)
{
    enum { LEAST = -1, MOST = 2 };
    struct rv32_branch *branch = &hart->pipeline.branch[cost->pc / 4 % RV32_QUEUE_BRANCH];
    bool is_known = branch->pc == cost->pc;
    bool is_taken = hart->pc != cost->pc + 4;
    uint32_t expected = is_known && branch->counter > 0 ? branch->target : cost->pc + 4;
    bool is_wrong = expected != hart->pc;
    if (!is_known && is_taken) {
        *branch = (struct rv32_branch){.pc = cost->pc, .target = hart->pc, .counter = 1};
    } else if (is_known) {
        branch->target = is_taken ? hart->pc : branch->target;
        branch->counter += is_taken ? branch->counter < MOST : -(branch->counter > LEAST);
    }
    return is_wrong;
}

/* --- What has run, and what comes --- */

/* What is over is 0: the state of a hart tells no more than what matters from now on, and so is the same
 * whether the hart has slept in a polling loop or not. */
static uint64_t unless_over(uint64_t time, uint64_t now)
{
    return time > now ? time : 0;
}

static void push_time(uint64_t *queue, unsigned entries, uint64_t time, uint64_t now)
{
    for (unsigned i = 0; i < entries - 1; i++) {
        queue[i] = unless_over(queue[i + 1], now);
    }
    queue[entries - 1] = time;
}

static bool is_push_of(const struct rv32_page *page, unsigned position)
{
    return position < RV32_PAGE_OPS && rv32_is_ttinsn(page->words[position]);
}

/* Do this .ttinsn and the next one begin in the same cycle? */
static bool is_fused(struct rv32_hart *hart, const struct rv32_cost *cost)
{
    struct rv32_pipeline *pipeline = &hart->pipeline;
    bool goes_on = rv32_is_trisc(hart) && !(hart->csr.cfg0 & RV32_CFG0_DIS_FUSION) &&
                   is_push_of(cost->page, cost->position) &&
                   is_push_of(cost->page, cost->position + 1) && hart->pc == cost->pc + 4 &&
                   pipeline->fused < RV32_QUEUE_FUSED - 1;
    pipeline->fused = goes_on ? pipeline->fused + 1 : 0;
    return goes_on;
}

/* The instruction has an entry of the retire queue from `now` on, and its result at `known`. */
static void enter_queue(struct rv32_pipeline *pipeline, const struct rv32_cost *cost, uint64_t now,
                        uint64_t known)
{
    uint64_t *retires = pipeline->retires;
    uint64_t retired = later(now + cycles_ahead(retires[RV32_QUEUE_RETIRE - 1], now), known) + 1;
    push_time(retires, RV32_QUEUE_RETIRE, retired, now);
    if (cost->effects.writes) {
        unsigned r = (unsigned)__builtin_ctz(cost->effects.writes);
        pipeline->single[r] = unless_over(pipeline->settled[r], now);
        pipeline->settled[r] = retired;
    }
}

static void note_memory(struct rv32_hart *hart, const struct rv32_cost *cost, uint64_t now,
                        uint64_t known)
{
    struct rv32_pipeline *pipeline = &hart->pipeline;
    const unsigned size = rv32_access_size(cost->effects.traits);
    pipeline->is_behind_store = false;
    switch (cost->effects.class) {
    case RV32_CLASS_LOAD:
        push_time(pipeline->answers, RV32_QUEUE_LOAD, known, now);
        if (has_cache(hart, cost->address) && !is_cached(hart, cost->address)) {
            cache_line(pipeline, cost->address);
        }
        break;
    case RV32_CLASS_STORE:
        add_store(hart, cost->address, size, now);
        drop_line(pipeline, cost->address);
        break;
    case RV32_CLASS_FENCE:
        memset(pipeline->line, 0, sizeof pipeline->line);
        break;
    default:
        if (is_atomic(&cost->effects)) {
            push_time(pipeline->answers, RV32_QUEUE_LOAD, known, now);
            memset(pipeline->line, 0, sizeof pipeline->line);
        }
    }
}

/* From when on the Load/Store Unit takes the instruction that comes, which is in EX1 from `now` on. */
static uint64_t begin_in_queues(struct rv32_hart *hart, struct rv32_cost *next, uint64_t now)
{
    const struct rv32_pipeline *pipeline = &hart->pipeline;
    switch (next->effects.class) {
    case RV32_CLASS_LOAD:
        now += cycles_ahead(pipeline->answers[0], now);
        return load_behind_stores(hart, next, now);
    case RV32_CLASS_STORE:
        return can_merge(hart, next->address, now) || !is_later_than_store(&pipeline->store[0], now)
                   ? now
                   : now + cycles_ahead(pipeline->store[0].leaves - 1, now);
    case RV32_CLASS_FENCE:
        return all_done(hart, now);
    default:
        return is_atomic(&next->effects) ? all_done(hart, now) : now;
    }
}

/* From when on the instruction that comes has its operands and an entry of the retire queue, so that it can
 * enter EX1. A value that becomes known just then comes from the unit that made it. One that was known before
 * comes from the queue, which can tell it only if no other entry writes the register. */
static uint64_t operands_known(const struct rv32_hart *hart, const struct rv32_cost *next,
                               uint64_t end)
{
    const struct rv32_pipeline *pipeline = &hart->pipeline;
    uint64_t begin = end + cycles_ahead(pipeline->retires[0], end), before;
    for (uint32_t reads = next->effects.reads; reads; reads &= reads - 1) {
        begin = later(begin, end + cycles_ahead(pipeline->known[__builtin_ctz(reads)], end));
    }
    do {
        before = begin;
        for (uint32_t reads = next->effects.reads; reads; reads &= reads - 1) {
            unsigned r = (unsigned)__builtin_ctz(reads);
            if (pipeline->known[r] != before) {
                begin = later(begin, end + cycles_ahead(pipeline->single[r], end));
            }
        }
    } while (begin > before);
    return begin;
}

/* When the instruction that comes can begin, if EX1 is free at `end`. */
static uint64_t begin_next(struct rv32_hart *hart, struct rv32_cost *next, uint64_t end)
{
    uint64_t begin = operands_known(hart, next, end);
    return hart->timing->has_queues ? begin_in_queues(hart, next, begin) : begin;
}

uint64_t rv32_charge(struct rv32_hart *hart, struct rv32_cost *cost, uint64_t now)
{
    const struct rv32_timing *timing = hart->timing;
    struct rv32_pipeline *pipeline = &hart->pipeline;
    uint64_t end = now + cost->cycles;
    if (cost->page) {
        const enum rv32_class class = cost->effects.class;
        const uint64_t known = now + at_least(cost->result, cost->cycles) + hart->access.late;
        if (cost->effects.writes) {
            pipeline->known[__builtin_ctz(cost->effects.writes)] = known;
        }
        if (timing->has_queues && is_fused(hart, cost)) {
            end = now;
        } else if (timing->has_queues) {
            enter_queue(pipeline, cost, now, known);
            note_memory(hart, cost, now, known);
            bool jumps = class == RV32_CLASS_BRANCH || class == RV32_CLASS_JUMP;
            end +=
                jumps && is_mispredicted(hart, cost) ? timing->delay[RV32_DELAY_MISPREDICTED] : 0;
        }
    }
    rv32_cost(hart, cost);
    return cost->page ? begin_next(hart, cost, end) : end;
}

/* --- Polling loops --- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
}

uint64_t rv32_pipeline_hash(const struct rv32_hart *hart, uint64_t now)
{
    const struct rv32_pipeline *pipeline = &hart->pipeline;
    uint64_t hash = 0;
    for (unsigned r = 1; r < 32; r++) {
        hash = mix(hash, cycles_ahead(pipeline->known[r], now));
        hash = mix(hash, cycles_ahead(pipeline->single[r], now));
        hash = mix(hash, cycles_ahead(pipeline->settled[r], now));
    }
    for (unsigned i = 0; i < RV32_QUEUE_RETIRE; i++) {
        hash = mix(hash, cycles_ahead(pipeline->retires[i], now));
    }
    for (unsigned i = 0; i < RV32_QUEUE_LOAD; i++) {
        hash = mix(hash, cycles_ahead(pipeline->answers[i], now));
    }
    for (unsigned i = 0; i < RV32_QUEUE_STORE; i++) {
        const struct rv32_late_store *store = &pipeline->store[i];
        uint64_t ahead = cycles_ahead(gone_at(hart, store), now);
        hash = mix(hash, ahead);
        hash = mix(hash, ahead ? store->address + store->bytes : 0);
    }
    uint64_t merges = cycles_ahead(pipeline->merges_until, now);
    hash = mix(hash, merges);
    hash = mix(hash, merges ? pipeline->merges_at : 0);
    for (unsigned i = 0; i < RV32_QUEUE_LINE; i++) {
        hash = mix(hash, pipeline->line[i]);
    }
    for (unsigned i = 0; i < RV32_QUEUE_BRANCH; i++) {
        const struct rv32_branch *branch = &pipeline->branch[i];
        hash = mix(hash, branch->pc ^ (uint64_t)branch->target << 32);
        hash = mix(hash, (uint64_t)(int64_t)branch->counter);
    }
    return hash;
}

static void put_off(uint64_t *time, uint64_t since, uint64_t cycles)
{
    *time += *time > since ? cycles : 0;
}

void rv32_pipeline_put_off(struct rv32_hart *hart, uint64_t since, uint64_t cycles)
{
    struct rv32_pipeline *pipeline = &hart->pipeline;
    for (unsigned r = 1; r < 32; r++) {
        put_off(&pipeline->known[r], since, cycles);
        put_off(&pipeline->single[r], since, cycles);
        put_off(&pipeline->settled[r], since, cycles);
    }
    for (unsigned i = 0; i < RV32_QUEUE_RETIRE; i++) {
        put_off(&pipeline->retires[i], since, cycles);
    }
    for (unsigned i = 0; i < RV32_QUEUE_LOAD; i++) {
        put_off(&pipeline->answers[i], since, cycles);
    }
    for (unsigned i = 0; i < RV32_QUEUE_STORE; i++) {
        struct rv32_late_store *store = &pipeline->store[i];
        store->leaves += gone_at(hart, store) > since ? cycles : 0;
    }
    put_off(&pipeline->merges_until, since, cycles);
}
