/* Costs of instructions, see timing.h. */
#include "rv32/timing.h"

#include "rv32/exec.h"

const struct rv32_timing rv32_chip_timing = {
#define LOADS(first, result)
#define COST(token, occupied, result) [RV32_ROW_##token] = occupied,
    .row =
        {
#include "hart_times.def"
        },
#undef COST
#define COST(token, occupied, result) [RV32_ROW_##token] = result,
    .result =
        {
#include "hart_times.def"
        },
#undef COST
#undef LOADS
#define COST(token, occupied, result)
#define LOADS(first, result) {first, result},
    .load =
        {
#include "hart_times.def"
        },
#undef COST
#undef LOADS
};

static uint8_t load_time(const struct rv32_timing *timing, uint32_t address)
{
    for (unsigned i = RV32_LOAD_TIMES; i--;) {
        if (timing->load[i].first <= address) {
            return timing->load[i].result;
        }
    }
    return 0;
}

static uint8_t at_least(uint8_t cycles, uint8_t least)
{
    return cycles < least ? least : cycles;
}

struct rv32_cost rv32_cost(struct rv32_hart *hart)
{
    struct rv32_cost cost = {.cycles = 1};
    const struct rv32_timing *timing = hart->timing;
    unsigned position;
    const struct rv32_page *page = timing ? rv32_page_at(hart, hart->pc, &position) : NULL;
    if (!page) {
        return cost;
    }
    int row = page->rows[position];
    if (row < 0) {
        cost.cycles = at_least(timing->push, 1);
        return cost;
    }
    struct rv32_effects effects = rv32_row_effects((unsigned)row, page->words[position]);
    cost.cycles = at_least(timing->row[row], 1);
    cost.result = timing->result[row];
    cost.writes = effects.writes;
    if (effects.class == RV32_CLASS_LOAD) {
        const struct rv32_op *op = &page->ops[position];
        cost.result =
            at_least(cost.result, load_time(timing, hart->x[op->rs1] + (uint32_t)op->imm));
    }
    return cost;
}

unsigned rv32_pending(const struct rv32_hart *hart, unsigned r, uint64_t now)
{
    uint64_t known = hart->known[r];
    /* more than any instruction takes: a snapshot has made it up */
    return known > now && known - now <= RV32_MOST_CYCLES ? (unsigned)(known - now) : 0;
}

uint64_t rv32_charge(struct rv32_hart *hart, struct rv32_cost cost, uint64_t now)
{
    unsigned position, wait = 0;
    if (cost.writes && hart->timing) {
        hart->known[__builtin_ctz(cost.writes)] = now + cost.result;
    }
    now += cost.cycles;
    const struct rv32_page *page = hart->timing ? rv32_page_at(hart, hart->pc, &position) : NULL;
    if (!page || page->rows[position] < 0) {
        return now;
    }
    uint32_t reads = rv32_row_effects((unsigned)page->rows[position], page->words[position]).reads;
    for (; reads; reads &= reads - 1) {
        unsigned pending = rv32_pending(hart, (unsigned)__builtin_ctz(reads), now);
        wait = pending > wait ? pending : wait;
    }
    return now + wait;
}
