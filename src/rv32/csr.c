/* Control and status registers. The rows of csr.def describe them. The counters mcycle and minstret
 * are the tile's time and the retired instructions, plus an offset that writes change. */
#include <stdio.h>
#include <string.h>

#include "isa/reg.h"
#include "rv32/exec.h"

enum counter { COUNTER_CYCLE, COUNTER_INSTRET, COUNTER_HPM3, COUNTER_HPM4 };
enum csr_group { IN_ALL, IN_T2 };
enum { FIRST_STREAM_STATUS = 2 };

/* What BY and the halves of counters name in csr.def. */
struct csr_use {
    bool writes;
    uint32_t value; /* written or, as the answer, read */
    uint64_t cycle;
};
typedef void csr_handler(struct rv32_hart *hart, const struct reg *row, struct csr_use *use);
static csr_handler csr_cfg0, csr_counter_low, csr_counter_high, csr_status;

#define REG_FILE    rv32_csr_registers
#define REG_TABLE   "csr.def"
#define REG_STATE   struct rv32_csrs
#define REG_BY(has) csr_##has
#define IN(harts)   .group = IN_##harts,
/* Of the halves of a counter, `at` is four times its number. */
#define LOW(counter)  .at = 4 * COUNTER_##counter, BY(counter_low)
#define HIGH(counter) .at = 4 * COUNTER_##counter, BY(counter_high)
#define STATUS(index) AT(scratch[index]) BY(status)
#include "isa/reg_table.h"

static const struct reg *find_csr(uint32_t number)
{
    struct reg_place place;
    bool is_there = reg_find_in(&rv32_csr_registers, BANK_CSR, 4 * number, &place);
    return is_there ? place.row : NULL;
}

const char *rv32_csr_name(uint32_t number)
{
    return reg_name(&rv32_csr_registers, 4 * number);
}

static const struct reg *row_of_hart(struct rv32_hart *hart, uint32_t number)
{
    const struct reg *row = find_csr(number);
    if (!row) {
        rv32_bus_fault(hart, PENROSE_FAULT_CSR, number, "there is no CSR 0x%03x", number);
    } else if (row->group == IN_T2 && hart->core != RV32_T2) {
        rv32_bus_fault(hart, PENROSE_FAULT_CSR, number, "only RISCV T2 has the vector CSR %s",
                       row->name);
        row = NULL;
    }
    return row;
}

/* Instructions retired before the one at tile time `cycle` of the running burst. */
static uint64_t retired_at(const struct rv32_hart *hart, uint64_t cycle)
{
    if (!hart->page) {
        return hart->retired; /* between bursts */
    }
    int64_t left = (int64_t)(hart->end - cycle);
    return hart->retired + (uint64_t)(hart->granted - left);
}

static uint64_t counter_read(const struct rv32_hart *hart, enum counter counter, uint64_t cycle)
{
    switch (counter) {
    case COUNTER_CYCLE:
        return cycle + hart->csr.cycle_offset;
    case COUNTER_INSTRET:
        return retired_at(hart, cycle) + hart->csr.instret_offset;
    case COUNTER_HPM3:
    case COUNTER_HPM4:
        break;
    }
    return hart->csr.mhpmcounter[counter - COUNTER_HPM3];
}

static void counter_write(struct rv32_hart *hart, enum counter counter, uint64_t cycle,
                          uint64_t value)
{
    switch (counter) {
    case COUNTER_CYCLE:
        hart->csr.cycle_offset = value - cycle;
        break;
    case COUNTER_INSTRET: /* SPEC: Zicsr; the next instruction reads what this one writes */
        hart->csr.instret_offset = value - (retired_at(hart, cycle) + 1);
        break;
    case COUNTER_HPM3:
    case COUNTER_HPM4:
        hart->csr.mhpmcounter[counter - COUNTER_HPM3] = value;
        break;
    }
}

static void access_counter(struct rv32_hart *hart, enum counter counter, unsigned shift,
                           struct csr_use *use)
{
    uint64_t value = counter_read(hart, counter, use->cycle);
    uint64_t others = value & ~((uint64_t)UINT32_MAX << shift);
    if (use->writes) {
        counter_write(hart, counter, use->cycle, others | (uint64_t)use->value << shift);
        return;
    }
    if (counter >= COUNTER_HPM3 && hart->csr.cfg0 & RV32_CFG0_PMC_CLR_ON_RD) {
        counter_write(hart, counter, use->cycle, others);
    }
    use->value = (uint32_t)(value >> shift);
}

static void csr_counter_low(struct rv32_hart *hart, const struct reg *row, struct csr_use *use)
{
    access_counter(hart, (enum counter)(row->at / 4), 0, use);
}

static void csr_counter_high(struct rv32_hart *hart, const struct reg *row, struct csr_use *use)
{
    access_counter(hart, (enum counter)(row->at / 4), 32, use);
}

/* tt_cfg_*status*: driven by the coprocessor and the overlay, unless cfg0 freezes them; the stream
 * words of B and NC are scratch. */
static bool is_driven(const struct rv32_hart *hart, uint32_t index)
{
    bool has_streams = rv32_is_trisc(hart);
    return !(hart->csr.cfg0 & RV32_CFG0_DIS_TT_STATUS) &&
           (index < FIRST_STREAM_STATUS || has_streams);
}

/* What a driven status word shows now. */
static void sample_status(struct rv32_hart *hart, uint32_t index)
{
    if (is_driven(hart, index)) {
        hart->csr.scratch[index] = hart->bus->status(hart->owner, hart, index);
    }
}

static void csr_status(struct rv32_hart *hart, const struct reg *row, struct csr_use *use)
{
    uint32_t index = (row->at - (uint32_t)offsetof(struct rv32_csrs, scratch)) / 4;
    if (use->writes) {
        hart->csr.scratch[index] = use->value;
    } else {
        sample_status(hart, index);
        use->value = hart->csr.scratch[index];
    }
}

/* Status words freeze at what they show. */
static void csr_cfg0(struct rv32_hart *hart, const struct reg *row, struct csr_use *use)
{
    (void)row;
    for (uint32_t i = 0; use->value & RV32_CFG0_DIS_TT_STATUS && i < RV32_STATUS_WORDS; i++) {
        sample_status(hart, i);
    }
    hart->csr.cfg0 = use->value;
}

static uint32_t *word_of_csr(struct rv32_hart *hart, const struct reg *row)
{
    const struct reg_place place = {.row = row};
    return reg_state_word(&hart->csr, &place);
}

bool rv32_csr_read(struct rv32_hart *hart, uint32_t number, uint64_t cycle, uint32_t *value)
{
    const struct reg *row = row_of_hart(hart, number);
    struct csr_use use = {.cycle = cycle};
    if (!row) {
        return false;
    }
    if (reg_read(row, word_of_csr(hart, row), true, &use.value) == REG_ASK) {
        ((csr_handler *)row->handler)(hart, row, &use);
    }
    *value = use.value & ~row->kept;
    return true;
}

bool rv32_csr_write(struct rv32_hart *hart, uint32_t number, uint64_t cycle, uint32_t value)
{
    const struct reg *row = row_of_hart(hart, number);
    if (!row) {
        return false;
    }
    if (hart->in_handler) {
        rv32_bus_fault(hart, PENROSE_FAULT_CSR, number,
                       "write of %s inside an interrupt handler: the hardware drops it", row->name);
        return false;
    }
    struct csr_use use = {.writes = true, .value = value, .cycle = cycle};
    if (reg_write(row, word_of_csr(hart, row), true, value) == REG_ASK) {
        ((csr_handler *)row->handler)(hart, row, &use);
    }
    return true;
}
