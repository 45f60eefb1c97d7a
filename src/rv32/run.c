/* Bursts: entering code, ending, waiting and faulting. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rv32/exec.h"
#include "rv32/timing.h"

static int64_t leave_at(struct rv32_hart *hart, uint32_t pc, int64_t left)
{
    hart->page = NULL;
    hart->pc = pc;
    return left;
}

static inline int64_t go_on(struct rv32_hart *hart, const struct rv32_page *page, uint32_t pc,
                            int64_t left)
{
    hart->page = page;
    hart->page_pc = pc & ~(uint32_t)(RV32_PAGE_BYTES - 1);
    const struct rv32_op *op = &page->ops[pc >> 2 & (RV32_PAGE_OPS - 1)];
    hart->op = op;
#ifdef RV32_TAIL_CALLS
    return op->run(hart, op, left);
#else
    return left;
#endif
}

static int64_t no_fetch(struct rv32_hart *hart, uint32_t pc, int64_t left, const char *why)
{
    hart->stop = RV32_STOP_FAULT;
    hart->fault = (struct rv32_fault){.kind = PENROSE_FAULT_FETCH, .pc = pc, .address = pc};
    snprintf(hart->fault.detail, sizeof hart->fault.detail, "%s", why);
    return leave_at(hart, pc, left);
}

/* Where there is no decoded page of L1 yet, or no page at all, or one of the instruction RAM. */
static RV32_APART int64_t enter_anew(struct rv32_hart *hart, uint32_t pc, int64_t left)
{
    unsigned position;
    if (pc & 3 || !(rv32_code_has(hart->code, pc) || rv32_code_has(hart->iram, pc))) {
        return no_fetch(hart, pc, left,
                        pc & 3       ? "instructions lie at multiples of four"
                        : hart->iram ? "the hart fetches from L1 and its instruction RAM only"
                                     : "harts fetch instructions from L1 only");
    }
    const struct rv32_page *page = rv32_page_at(hart, pc, &position);
    return page ? go_on(hart, page, pc, left)
                : no_fetch(hart, pc, left, "the host has no memory for decoded code");
}

int64_t rv32_enter(struct rv32_hart *hart, uint32_t pc, int64_t left)
{
    uint32_t number = pc >> RV32_PAGE_SHIFT;
    if (left <= 0) {
        return leave_at(hart, pc, left);
    }
    if (!(pc & 3) && rv32_code_is_decoded(hart->code, number)) {
        return go_on(hart, hart->code->map[number], pc, left);
    }
    return enter_anew(hart, pc, left);
}

int64_t rv32_jump(struct rv32_hart *hart, uint32_t pc, int64_t left)
{
    return rv32_enter(hart, pc, left - 1);
}

int64_t rv32_apply_cut(struct rv32_hart *hart, int64_t left)
{
    if (hart->cut < hart->end) {
        int64_t less = (int64_t)(hart->end - hart->cut);
        hart->end = hart->cut;
        hart->granted -= less;
        left -= less;
    }
    return left;
}

int64_t rv32_after_change(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    left = rv32_apply_cut(hart, left);
    if (hart->code->stale) {
        hart->code->stale = false;
        return rv32_jump(hart, rv32_op_pc(hart, op), left);
    }
    return rv32_next(hart, op, left);
}

int64_t rv32_refused(struct rv32_hart *hart, const struct rv32_op *op, int64_t left,
                     enum answer answer)
{
    hart->stop = answer == ANSWER_WAIT ? RV32_STOP_WAIT : RV32_STOP_FAULT;
    if (answer == ANSWER_REFUSED) {
        hart->fault.pc = rv32_op_pc(hart, op);
        hart->fault.word = rv32_op_word(hart, op);
    }
    return rv32_suspend(hart, op, left);
}

int64_t rv32_fault_at(struct rv32_hart *hart, const struct rv32_op *op, int64_t left,
                      enum penrose_fault_kind kind, uint32_t address, const char *format, ...)
{
    va_list arguments;
    hart->fault = (struct rv32_fault){.kind = kind, .address = address};
    va_start(arguments, format);
    vsnprintf(hart->fault.detail, sizeof hart->fault.detail, format, arguments);
    va_end(arguments);
    return rv32_refused(hart, op, left, ANSWER_REFUSED);
}

/* Inside a burst the position is known where it was last written down: at the entry of the page or
 * at the latest access that left the hart, but for those that need it not. */
uint32_t rv32_current_pc(const struct rv32_hart *hart)
{
    return hart->page ? rv32_op_pc(hart, hart->op) : hart->pc;
}

/* Instructions of a cycle each. */
static uint64_t run_burst(struct rv32_hart *hart, uint64_t now, uint64_t end)
{
    int64_t left = (int64_t)(end - now);
    hart->stop = RV32_RUNNING;
    hart->end = end;
    hart->cut = UINT64_MAX;
    hart->granted = left;
    hart->code->stale = false;
    left = rv32_enter(hart, hart->pc, left);
    while (left > 0 && hart->stop == RV32_RUNNING) {
        left = hart->page ? hart->op->run(hart, hart->op, left) : rv32_enter(hart, hart->pc, left);
    }
    if (hart->page) {
        hart->pc = rv32_op_pc(hart, hart->op);
        hart->page = NULL;
    }
    hart->retired += (uint64_t)(hart->granted - left);
    return hart->end - (uint64_t)left;
}

/* Runs one instruction of that cost from `now` on; *cost is that of the next one then. */
static uint64_t run_one(struct rv32_hart *hart, struct rv32_cost *cost, uint64_t now)
{
    hart->access.late = 0;
    bool has_run = run_burst(hart, now, now + 1) > now;
    return has_run ? rv32_charge(hart, cost, now) : now;
}

uint64_t rv32_step(struct rv32_hart *hart, uint64_t now)
{
    struct rv32_cost cost;
    rv32_cost(hart, &cost);
    return run_one(hart, &cost, now);
}

/* Instructions that have costs, or at which somebody looks, run one by one. */
uint64_t rv32_run(struct rv32_hart *hart, uint64_t now, uint64_t end)
{
    const struct rv32_bus *bus = hart->bus;
    hart->is_put_off = false;
    if (!hart->timing && !bus->starts) {
        return run_burst(hart, now, end);
    }
    uint64_t cut = UINT64_MAX;
    struct rv32_cost cost;
    rv32_cost(hart, &cost);
    do {
        const uint32_t pc = hart->pc;
        hart->is_put_off = bus->starts && !bus->starts(hart->owner, hart, now);
        if (hart->is_put_off) {
            cut = now;
            break;
        }
        now = run_one(hart, &cost, now);
        cut = hart->cut < cut ? hart->cut : cut;
        if (bus->finished && (hart->stop == RV32_RUNNING || hart->stop == RV32_STOP_PAUSE)) {
            bus->finished(hart->owner, hart, pc, now);
            rv32_cost(hart, &cost); /* who looks may have changed something */
        }
    } while (now < end && now < cut && hart->stop == RV32_RUNNING);
    hart->cut = cut;
    return now;
}

void rv32_reset(struct rv32_hart *hart, uint32_t pc, uint64_t now)
{
    *(struct rv32_hart_state *)hart = (struct rv32_hart_state){
        .csr = {.cfg0 = UINT32_C(16) << RV32_CFG0_ST_MERGE_TIMER,
                .vlenb = RV32_VLEN_BYTES,
                .cycle_offset = -now},
        .pc = pc,
    };
    hart->page = NULL;
    hart->op = NULL;
    hart->null_jump = 0;
    hart->jump.behind = 0;
}

void rv32_interrupt(struct rv32_hart *hart, uint32_t handler)
{
    hart->resume_pc = hart->pc;
    hart->csr.intp_restore_pc = hart->pc;
    hart->in_handler = true;
    hart->pc = handler;
    hart->stop = RV32_RUNNING; /* what waited begins anew behind the handler */
}
