/*
 * The start of a firmware's main() clears .bss and then copies .data, unless source and
 * destination are the same:
 *
 *     lui  a1, scratch >> 12            (some other instructions may stand between)
 *     addi a0, gp, .data - gp
 *     addi a1, a1, scratch & 0xfff
 *     beq  a0, a1, ...                  or, without that test, a call with a0 and a1
 *
 * The scan follows the constants in the registers straight through the code, loops and branches
 * not taken, until such a comparison or call has .data on one side and an L1 address on the other.
 * HW: so in all firmware builds seen, of January to autumn 2026, on all five harts.
 */
#include "loader/scratch.h"

#include <string.h>

#include "loader/layout.h"

enum { MAX_INSTRUCTIONS = 256 };

enum { RA = 1, GP = 3, T0 = 5, T2 = 7, A0 = 10, A1 = 11, A7 = 17, T3 = 28, T6 = 31 };

/* Values of registers where known; x0 always is, and is 0. And what the search is for. */
struct registers {
    uint32_t value[32];
    bool known[32];
    uint32_t data, l1_bytes; /* the start of .data; of L1 */
    rv32_operands_of *operands_of;
};

static void forget_register(struct registers *registers, unsigned number)
{
    registers->known[number] = number == 0;
}

static void set(struct registers *registers, unsigned number, uint32_t value)
{
    if (number) {
        registers->value[number] = value;
        registers->known[number] = true;
    }
}

/* After a call the caller-saved registers hold anything. */
static void forget_call(struct registers *registers)
{
    for (unsigned i = RA; i <= T6; i++) {
        bool is_saved_by_caller =
            i == RA || (i >= T0 && i <= T2) || (i >= A0 && i <= A7) || i >= T3;
        if (is_saved_by_caller) {
            forget_register(registers, i);
        }
    }
}

/* Is one of the registers the start of .data and the other one an address in L1? */
static bool is_copy(const struct registers *registers, unsigned a, unsigned b, uint32_t *source)
{
    const uint32_t data = registers->data;
    if (!registers->known[a] || !registers->known[b]) {
        return false;
    }
    uint32_t x = registers->value[a], y = registers->value[b];
    *source = x == data ? y : x;
    return (x == data || y == data) && *source && *source < registers->l1_bytes;
}

/* Executes what matters of one instruction; true when it is the copy, with its source. */
static bool step_registers(struct registers *registers, uint32_t instruction, uint32_t *source)
{
    const struct rv32_operands insn = registers->operands_of(NULL, instruction, 0);
    switch (insn.row) {
    case RV32_ROW_LUI:
        set(registers, insn.rd, (uint32_t)insn.imm << 12);
        return false;
    case RV32_ROW_BEQ:
    case RV32_ROW_BNE:
        return is_copy(registers, insn.rs1, insn.rs2, source);
    case RV32_ROW_JAL:
        if (insn.rd == RA && is_copy(registers, A0, A1, source)) {
            return true;
        }
        if (insn.rd == RA) {
            forget_call(registers);
        }
        return false;
    default:
        if (insn.row == RV32_ROW_ADDI && registers->known[insn.rs1]) {
            set(registers, insn.rd, registers->value[insn.rs1] + (uint32_t)insn.imm);
        } else if (insn.results[RV32_X]) {
            forget_register(registers, insn.rd);
        }
        return false;
    }
}

/* The start of .data in local memory: the linker script's symbol, else the segment. */
static bool find_data(const struct loader_elf *elf, uint32_t l1_bytes, uint32_t *data)
{
    const struct loader_symbol *symbol = loader_elf_symbol(elf, "__ldm_data_start");
    if (symbol) {
        *data = symbol->value;
        return true;
    }
    unsigned count;
    const struct loader_segment *segment = loader_elf_segments(elf, &count);
    for (unsigned i = 0; i < count; i++) {
        if (segment[i].vaddr >= l1_bytes) {
            *data = segment[i].vaddr;
            return true;
        }
    }
    return false;
}

/* In firmware that base firmware calls, the compiler has renamed it. */
static const struct loader_symbol *find_main(const struct loader_elf *elf)
{
    const struct loader_symbol *symbol = loader_elf_symbol(elf, "main");
    return symbol ? symbol : loader_elf_symbol(elf, "main.isra.0");
}

bool loader_scratch_find(const struct loader_elf *elf, uint32_t l1_bytes,
                         rv32_operands_of *operands_of, uint32_t *address)
{
    struct registers registers = {
        .known = {true}, .l1_bytes = l1_bytes, .operands_of = operands_of};
    if (!find_data(elf, l1_bytes, &registers.data)) {
        return false;
    }
    const struct loader_symbol *start = find_main(elf);
    const struct loader_symbol *gp = loader_elf_symbol(elf, "__global_pointer$");
    uint32_t pc = start ? start->value : loader_elf_entry(elf);
    const struct loader_segment *text = loader_elf_segment_at(elf, pc);
    if (gp) {
        set(&registers, GP, gp->value);
    }
    for (unsigned i = 0; text && i < MAX_INSTRUCTIONS; i++, pc += 4) {
        uint32_t instruction, offset = pc - text->vaddr;
        if (text->filesz < 4 || offset > text->filesz - 4) {
            return false;
        }
        memcpy(&instruction, text->bytes + offset, sizeof instruction);
        if (step_registers(&registers, instruction, address)) {
            return true;
        }
    }
    return false;
}
