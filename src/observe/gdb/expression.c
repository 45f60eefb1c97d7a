#include "observe/gdb/expression.h"

#include <string.h>

enum { STACK = 64, MOST_STEPS = 10000 };

enum op {
    OP_ADD = 0x02,
    OP_SUB = 0x03,
    OP_MUL = 0x04,
    OP_DIV_SIGNED = 0x05,
    OP_DIV_UNSIGNED = 0x06,
    OP_REM_SIGNED = 0x07,
    OP_REM_UNSIGNED = 0x08,
    OP_LSH = 0x09,
    OP_RSH_SIGNED = 0x0a,
    OP_RSH_UNSIGNED = 0x0b,
    OP_LOG_NOT = 0x0e,
    OP_BIT_AND = 0x0f,
    OP_BIT_OR = 0x10,
    OP_BIT_XOR = 0x11,
    OP_BIT_NOT = 0x12,
    OP_EQUAL = 0x13,
    OP_LESS_SIGNED = 0x14,
    OP_LESS_UNSIGNED = 0x15,
    OP_EXT = 0x16,
    OP_REF8 = 0x17,
    OP_REF16 = 0x18,
    OP_REF32 = 0x19,
    OP_REF64 = 0x1a,
    OP_IF_GOTO = 0x20,
    OP_GOTO = 0x21,
    OP_CONST8 = 0x22,
    OP_CONST16 = 0x23,
    OP_CONST32 = 0x24,
    OP_CONST64 = 0x25,
    OP_REG = 0x26,
    OP_END = 0x27,
    OP_DUP = 0x28,
    OP_POP = 0x29,
    OP_ZERO_EXT = 0x2a,
    OP_SWAP = 0x2b,
    OP_PICK = 0x32,
    OP_ROT = 0x33,
};

/* A program that runs. is_wrong ends it. */
struct machine {
    const uint8_t *code;
    size_t size, at;
    const struct gdb_values *values;
    uint64_t stack[STACK];
    unsigned depth;
    bool is_wrong;
};

/* The next `bytes` bytes of the program as a number, the highest first. */
static uint64_t take_operand(struct machine *machine, unsigned bytes)
{
    uint64_t value = 0;
    if (machine->size - machine->at < bytes) {
        machine->is_wrong = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++) {
        value = value << 8 | machine->code[machine->at++];
    }
    return value;
}

static void push_value(struct machine *machine, uint64_t value)
{
    if (machine->depth == STACK) {
        machine->is_wrong = true;
        return;
    }
    machine->stack[machine->depth++] = value;
}

static uint64_t pop_value(struct machine *machine)
{
    if (machine->depth == 0) {
        machine->is_wrong = true;
        return 0;
    }
    return machine->stack[--machine->depth];
}

static uint64_t shift_value(enum op op, uint64_t a, uint64_t b)
{
    bool is_far = b > 63;
    if (op == OP_RSH_SIGNED) {
        return (uint64_t)((int64_t)a >> (is_far ? 63 : b));
    }
    return is_far ? 0 : op == OP_LSH ? a << b : a >> b;
}

static uint64_t divide(struct machine *machine, enum op op, uint64_t a, uint64_t b)
{
    bool is_signed = op == OP_DIV_SIGNED || op == OP_REM_SIGNED;
    bool is_division = op == OP_DIV_SIGNED || op == OP_DIV_UNSIGNED;
    if (b == 0) {
        machine->is_wrong = true;
        return 0;
    }
    if (is_signed && b == UINT64_MAX) { /* the most negative number has no opposite */
        return is_division ? 0 - a : 0;
    }
    if (is_signed) {
        return (uint64_t)(is_division ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
    }
    return is_division ? a / b : a % b;
}

/* What takes two values and leaves one. */
static uint64_t apply_operator(struct machine *machine, enum op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_BIT_AND:
        return a & b;
    case OP_BIT_OR:
        return a | b;
    case OP_BIT_XOR:
        return a ^ b;
    case OP_EQUAL:
        return a == b;
    case OP_LESS_SIGNED:
        return (int64_t)a < (int64_t)b;
    case OP_LESS_UNSIGNED:
        return a < b;
    case OP_LSH:
    case OP_RSH_SIGNED:
    case OP_RSH_UNSIGNED:
        return shift_value(op, a, b);
    default:
        return divide(machine, op, a, b);
    }
}

/* The lowest `bits` bits of a value, with their sign or zeros above. */
static uint64_t extend_value(struct machine *machine, uint64_t value, uint64_t bits, bool is_signed)
{
    if (bits == 0 || bits > 64) {
        machine->is_wrong = true;
        return 0;
    }
    uint64_t mask = UINT64_MAX >> (64 - bits);
    bool is_negative = is_signed && value >> (bits - 1) & 1;
    return is_negative ? value | ~mask : value & mask;
}

static void load_value(struct machine *machine, unsigned bytes)
{
    uint64_t value = 0, address = pop_value(machine);
    machine->is_wrong = machine->is_wrong ||
                        !machine->values->memory(machine->values->context, address, &value, bytes);
    push_value(machine, value);
}

static void push_register(struct machine *machine, uint64_t number)
{
    uint64_t value = 0;
    machine->is_wrong = machine->is_wrong ||
                        !machine->values->reg(machine->values->context, (unsigned)number, &value);
    push_value(machine, value);
}

static void go_to(struct machine *machine, uint64_t target, bool is_taken)
{
    machine->at = is_taken ? (size_t)target : machine->at;
    machine->is_wrong |= machine->at >= machine->size;
}

static void pick_value(struct machine *machine, uint64_t depth)
{
    bool is_there = depth < machine->depth;
    machine->is_wrong |= !is_there;
    push_value(machine, is_there ? machine->stack[machine->depth - 1 - depth] : 0);
}

/* The value on top goes below the two under it. */
static void rotate_values(struct machine *machine)
{
    uint64_t c = pop_value(machine), b = pop_value(machine), a = pop_value(machine);
    push_value(machine, c);
    push_value(machine, a);
    push_value(machine, b);
}

static void swap_values(struct machine *machine)
{
    uint64_t b = pop_value(machine), a = pop_value(machine);
    push_value(machine, b);
    push_value(machine, a);
}

/* One of the others than those that move about. */
static void apply_plain(struct machine *machine, enum op op)
{
    if (op == OP_LOG_NOT || op == OP_BIT_NOT) {
        uint64_t value = pop_value(machine);
        push_value(machine, op == OP_LOG_NOT ? !value : ~value);
    } else if (op >= OP_ADD && op <= OP_LESS_UNSIGNED && op != OP_RSH_UNSIGNED + 1 &&
               op != OP_RSH_UNSIGNED + 2) {
        uint64_t b = pop_value(machine), a = pop_value(machine);
        push_value(machine, apply_operator(machine, op, a, b));
    } else {
        machine->is_wrong = true;
    }
}

static void execute_op(struct machine *machine, enum op op)
{
    switch (op) {
    case OP_CONST8:
    case OP_CONST16:
    case OP_CONST32:
    case OP_CONST64:
        push_value(machine, take_operand(machine, 1u << (op - OP_CONST8)));
        break;
    case OP_REF8:
    case OP_REF16:
    case OP_REF32:
    case OP_REF64:
        load_value(machine, 1u << (op - OP_REF8));
        break;
    case OP_REG:
        push_register(machine, take_operand(machine, 2));
        break;
    case OP_EXT:
    case OP_ZERO_EXT:
        push_value(machine, extend_value(machine, pop_value(machine), take_operand(machine, 1),
                                         op == OP_EXT));
        break;
    case OP_GOTO:
        go_to(machine, take_operand(machine, 2), true);
        break;
    case OP_IF_GOTO: {
        uint64_t target = take_operand(machine, 2);
        go_to(machine, target, pop_value(machine) != 0);
        break;
    }
    case OP_DUP:
        pick_value(machine, 0);
        break;
    case OP_PICK:
        pick_value(machine, take_operand(machine, 1));
        break;
    case OP_POP:
        pop_value(machine);
        break;
    case OP_SWAP:
        swap_values(machine);
        break;
    case OP_ROT:
        rotate_values(machine);
        break;
    default:
        apply_plain(machine, op);
    }
}

bool gdb_evaluate(const uint8_t *code, size_t size, const struct gdb_values *values,
                  uint64_t *value)
{
    struct machine machine = {.code = code, .size = size, .values = values};
    for (unsigned steps = 0; steps < MOST_STEPS && !machine.is_wrong; steps++) {
        enum op op = (enum op)take_operand(&machine, 1);
        if (op == OP_END && !machine.is_wrong) {
            *value = pop_value(&machine);
            return !machine.is_wrong;
        }
        if (!machine.is_wrong) {
            execute_op(&machine, op);
        }
    }
    return false;
}
