/* Control and status registers. The rows of csr.def describe them. The counters mcycle and minstret
 * are the tile's time and the retired instructions, plus an offset that writes change. */
#include <stdio.h>
#include <string.h>

#include "rv32/exec.h"

enum kind { KIND_WORD, KIND_FIXED, KIND_LOW, KIND_HIGH, KIND_STATUS };
enum counter { COUNTER_CYCLE, COUNTER_INSTRET, COUNTER_HPM3, COUNTER_HPM4 };

struct csr_row {
    uint16_t number;
    uint8_t kind;
    bool vector_only;
    const char *name;
    uint32_t value; /* FIXED: what it reads as; WORD: mask; LOW, HIGH: counter; STATUS: index */
    size_t field;   /* WORD: offset in struct rv32_csrs */
};

#define WORD(number, name, field, mask)                                                            \
    {number, KIND_WORD, false, name, mask, offsetof(struct rv32_csrs, field)},
#define VECTOR(number, name, field, mask)                                                          \
    {number, KIND_WORD, true, name, mask, offsetof(struct rv32_csrs, field)},
#define COPY(number, name, field)         WORD(number, name, field, 0xffffffff)
#define FIXED(number, name, value)        {number, KIND_FIXED, false, name, value, 0},
#define VECTOR_FIXED(number, name, value) {number, KIND_FIXED, true, name, value, 0},
#define LOW(number, name, counter)        {number, KIND_LOW, false, name, COUNTER_##counter, 0},
#define HIGH(number, name, counter)       {number, KIND_HIGH, false, name, COUNTER_##counter, 0},
#define STATUS(number, index, name)       {number, KIND_STATUS, false, name, index, 0},

static const struct csr_row csr_rows[] = {
#include "csr.def"
};

enum { CSR_ROWS = sizeof csr_rows / sizeof csr_rows[0], FIRST_STREAM_STATUS = 2 };

static const struct csr_row *find_row(uint32_t number)
{
    for (unsigned i = 0; i < CSR_ROWS; i++) {
        if (csr_rows[i].number == number) {
            return &csr_rows[i];
        }
    }
    return NULL;
}

const char *rv32_csr_name(uint32_t number)
{
    const struct csr_row *row = find_row(number);
    return row ? row->name : NULL;
}

static const struct csr_row *row_of_hart(struct rv32_hart *hart, uint32_t number)
{
    const struct csr_row *row = find_row(number);
    if (!row) {
        rv32_bus_fault(hart, RV32_FAULT_CSR, number, "there is no CSR 0x%03x", number);
    } else if (row->vector_only && hart->core != RV32_T2) {
        rv32_bus_fault(hart, RV32_FAULT_CSR, number, "only RISCV T2 has the vector CSR %s",
                       row->name);
        row = NULL;
    }
    return row;
}

static uint32_t *word_of(struct rv32_hart *hart, const struct csr_row *row)
{
    return (uint32_t *)(void *)((char *)&hart->csr + row->field);
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

static uint32_t counter_half(struct rv32_hart *hart, const struct csr_row *row, uint64_t cycle)
{
    unsigned shift = row->kind == KIND_HIGH ? 32 : 0;
    enum counter counter = (enum counter)row->value;
    uint64_t value = counter_read(hart, counter, cycle);
    if (counter >= COUNTER_HPM3 && hart->csr.cfg0 & RV32_CFG0_PMC_CLR_ON_RD) {
        counter_write(hart, counter, cycle, value & ~((uint64_t)UINT32_MAX << shift));
    }
    return (uint32_t)(value >> shift);
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

static void write_word(struct rv32_hart *hart, const struct csr_row *row, uint32_t value)
{
    uint32_t *word = word_of(hart, row);
    bool is_cfg0 = word == &hart->csr.cfg0;
    for (uint32_t i = 0; is_cfg0 && value & RV32_CFG0_DIS_TT_STATUS && i < RV32_STATUS_WORDS; i++) {
        sample_status(hart, i); /* they freeze at what they show */
    }
    *word = value & row->value;
}

bool rv32_csr_read(struct rv32_hart *hart, uint32_t number, uint64_t cycle, uint32_t *value)
{
    const struct csr_row *row = row_of_hart(hart, number);
    if (!row) {
        return false;
    }
    switch ((enum kind)row->kind) {
    case KIND_WORD:
        *value = *word_of(hart, row) & row->value;
        break;
    case KIND_FIXED:
        *value = row->value;
        break;
    case KIND_LOW:
    case KIND_HIGH:
        *value = counter_half(hart, row, cycle);
        break;
    case KIND_STATUS:
        sample_status(hart, row->value);
        *value = hart->csr.scratch[row->value];
        break;
    }
    return true;
}

bool rv32_csr_write(struct rv32_hart *hart, uint32_t number, uint64_t cycle, uint32_t value)
{
    const struct csr_row *row = row_of_hart(hart, number);
    if (!row) {
        return false;
    }
    if (hart->in_handler) {
        rv32_bus_fault(hart, RV32_FAULT_CSR, number,
                       "write of %s inside an interrupt handler: the hardware drops it", row->name);
        return false;
    }
    unsigned shift = row->kind == KIND_HIGH ? 32 : 0;
    switch ((enum kind)row->kind) {
    case KIND_WORD:
        write_word(hart, row, value);
        break;
    case KIND_FIXED:
        break;
    case KIND_LOW:
    case KIND_HIGH: {
        uint64_t old = counter_read(hart, (enum counter)row->value, cycle);
        counter_write(hart, (enum counter)row->value, cycle,
                      (old & ~((uint64_t)UINT32_MAX << shift)) | (uint64_t)value << shift);
        break;
    }
    case KIND_STATUS:
        hart->csr.scratch[row->value] = value;
        break;
    }
    return true;
}

/* --- Instructions --- */

enum csr_action { CSR_WRITE, CSR_SET, CSR_CLEAR };

static int64_t csr_access(struct rv32_hart *hart, const struct rv32_op *op, int64_t left,
                          enum csr_action action, uint32_t operand, bool writes)
{
    uint32_t number = (uint32_t)op->imm >> 20;
    uint64_t now = rv32_now(hart, left);
    uint32_t old = 0;
    bool reads = action != CSR_WRITE || op->rd != RV32_SINK;
    if (reads && !rv32_csr_read(hart, number, now, &old)) {
        return rv32_refused(hart, op, left, RV32_FAULTED);
    }
    uint32_t value = action == CSR_WRITE ? operand
                     : action == CSR_SET ? old | operand
                                         : old & ~operand;
    if (writes && !rv32_csr_write(hart, number, now, value)) {
        return rv32_refused(hart, op, left, RV32_FAULTED);
    }
    hart->x[op->rd] = old;
    return rv32_next(hart, op + 1, left);
}

/* csrrs and csrrc write only when they name a register other than x0 (an immediate other than
 * 0). */
#define CSR_INSN(token, action, operand, writes)                                                   \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        return csr_access(hart, op, left, action, operand, writes);                                \
    }

CSR_INSN(CSRRW, CSR_WRITE, hart->x[op->rs1], true)
CSR_INSN(CSRRS, CSR_SET, hart->x[op->rs1], op->rs1 != 0)
CSR_INSN(CSRRC, CSR_CLEAR, hart->x[op->rs1], op->rs1 != 0)
CSR_INSN(CSRRWI, CSR_WRITE, op->rs1, true)
CSR_INSN(CSRRSI, CSR_SET, op->rs1, op->rs1 != 0)
CSR_INSN(CSRRCI, CSR_CLEAR, op->rs1, op->rs1 != 0)
