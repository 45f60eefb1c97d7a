/* Integer loads and stores, pushes, and atomics. L1 and the local RAM are reached directly. */
#include <string.h>

#include "rv32/decode.h"
#include "rv32/exec.h"

enum { SIZE_1 = 0, SIZE_2 = 1, SIZE_4 = 2 }; /* logarithms */

static inline uint32_t rotate_word_right(uint32_t value, unsigned by)
{
    return by ? value >> by | value << (32 - by) : value;
}

/* True when an aligned access of 1 << log bytes at `offset` lies in a memory of `size` bytes. The
 * rotation brings misalignment bits to the top, so that one comparison checks both. */
static inline bool inside(uint32_t offset, unsigned log, uint32_t size)
{
    return rotate_word_right(offset, log) < size >> log;
}

/* The place of an aligned access in L1 behind RV32_NULL_BYTES, NULL elsewhere. */
static inline uint8_t *direct_l1(const struct rv32_hart *hart, uint32_t address, unsigned log)
{
    uint32_t offset = address - RV32_NULL_BYTES;
    return inside(offset, log, hart->l1_direct) ? hart->l1 + RV32_NULL_BYTES + offset : NULL;
}

static inline const uint8_t *readable(const struct rv32_hart *hart, uint32_t address, unsigned log)
{
    const uint8_t *l1 = direct_l1(hart, address, log);
    if (l1 != NULL) {
        return l1;
    }
    if (inside(address - RV32_LOCAL_BASE, log, hart->local_size)) {
        return hart->local + (address - RV32_LOCAL_BASE);
    }
    return NULL;
}

static inline uint8_t *writable(const struct rv32_hart *hart, uint32_t address, unsigned log)
{
    if (inside(address - RV32_LOCAL_BASE, log, hart->local_size)) {
        return hart->local + (address - RV32_LOCAL_BASE);
    }
    uint8_t *l1 = direct_l1(hart, address, log);
    return l1 && !hart->l1_marks[address >> RV32_L1_MARK_SHIFT] ? l1 : NULL;
}

static inline uint32_t get(const uint8_t *from, unsigned log)
{
    uint32_t value = 0;
    memcpy(&value, from, (size_t)1 << log);
    return value;
}

static enum answer misaligned(struct rv32_hart *hart, uint32_t address, unsigned size, bool store,
                              const char *what_happens)
{
    return rv32_bus_fault(hart, PENROSE_FAULT_MISALIGNED, address,
                          "%s of %u bytes at 0x%08x is not aligned; %s", store ? "store" : "load",
                          size, address, what_happens);
}

/* Into L1: what the hardware does goes before the fault. Bytes keep the lanes that they have in an
 * aligned store, and none gets beyond its line (SOURCE: tt-exalens, test_l1_mem_access). */
static enum answer store_in_lanes(struct rv32_hart *hart, uint32_t address, unsigned size,
                                  uint64_t now, uint32_t value)
{
    enum { LINE_BYTES = 16 };
    uint32_t end = (address / LINE_BYTES + 1) * LINE_BYTES;
    end = address + size < end ? address + size : end;
    for (uint32_t at = address; at < end; at++) {
        uint32_t byte = value >> 8 * (at % size) & 0xff;
        enum answer answer = rv32_store(hart, at, 1, now, byte);
        if (answer != ANSWER_DONE) {
            return answer;
        }
    }
    return misaligned(hart, address, size, true,
                      "its bytes stay in their lanes, within a line of 16 bytes, which puts them "
                      "in another order than meant");
}

static enum answer not_aligned(struct rv32_hart *hart, uint32_t address, unsigned size,
                               uint64_t now, bool store, uint32_t value)
{
    if (store && address < hart->code->pages << RV32_PAGE_SHIFT) {
        return store_in_lanes(hart, address, size, now, value);
    }
    return misaligned(hart, address, size, store, "the harts have no misaligned accesses");
}

/* `value` is stored; what was loaded is hart->access.value. */
static enum answer over_bus(struct rv32_hart *hart, uint32_t address, unsigned size, uint64_t now,
                            bool store, uint32_t value)
{
    if (address & (size - 1)) {
        return not_aligned(hart, address, size, now, store, value);
    }
    hart->access = (struct rv32_access){
        .address = address, .value = value, .size = (uint8_t)size, .store = store, .cycle = now};
    return hart->bus->access(hart->owner, hart, &hart->access);
}

enum answer rv32_load(struct rv32_hart *hart, uint32_t address, unsigned size, uint64_t now,
                      uint32_t *value)
{
    unsigned log = size >> 1;
    const uint8_t *from = readable(hart, address, log);
    if (from) {
        *value = get(from, log);
        return ANSWER_DONE;
    }
    enum answer answer = over_bus(hart, address, size, now, false, 0);
    *value = hart->access.value;
    return answer;
}

enum answer rv32_store(struct rv32_hart *hart, uint32_t address, unsigned size, uint64_t now,
                       uint32_t value)
{
    uint8_t *to = writable(hart, address, size >> 1);
    if (to) {
        memcpy(to, &value, size);
        return ANSWER_DONE;
    }
    return over_bus(hart, address, size, now, true, value);
}

/* --- Loads --- */

static uint32_t extend(uint32_t value, unsigned log, bool is_signed)
{
    if (!is_signed || log == SIZE_4) {
        return value;
    }
    return log == SIZE_1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
}

static uint32_t address_of(const struct rv32_hart *hart, const struct rv32_op *op)
{
    return hart->x[op->rs1] + (uint32_t)op->imm;
}

static RV32_APART int64_t load_over_bus(struct rv32_hart *hart, const struct rv32_op *op,
                                        int64_t left, unsigned log, bool is_signed)
{
    uint32_t address = address_of(hart, op);
    hart->op = op;
    enum answer answer = over_bus(hart, address, 1u << log, rv32_now(hart, left), false, 0);
    if (answer != ANSWER_DONE) {
        return rv32_refused(hart, op, left, answer);
    }
    hart->x[op->rd] = extend(hart->access.value, log, is_signed);
    return rv32_after_bus(hart, op + 1, left);
}

static inline int64_t load_integer(struct rv32_hart *hart, const struct rv32_op *op, int64_t left,
                                   unsigned log, bool is_signed)
{
    const uint8_t *from = readable(hart, hart->x[op->rs1] + (uint32_t)op->imm, log);
    if (!from) {
        return load_over_bus(hart, op, left, log, is_signed);
    }
    hart->x[op->rd] = extend(get(from, log), log, is_signed);
    return rv32_next(hart, op + 1, left);
}

#define LOAD(token, log, is_signed)                                                                \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        return load_integer(hart, op, left, log, is_signed);                                       \
    }

LOAD(LB, SIZE_1, true)
LOAD(LH, SIZE_2, true)
LOAD(LW, SIZE_4, false)
LOAD(LBU, SIZE_1, false)
LOAD(LHU, SIZE_2, false)

/* --- Stores --- */

static bool is_push(uint32_t address)
{
    return address - RV32_PUSH_BASE < RV32_PUSH_END - RV32_PUSH_BASE && address % 4 == 0;
}

static uint32_t stored_by(const struct rv32_hart *hart, const struct rv32_op *op, bool is_ttinsn)
{
    return is_ttinsn ? (uint32_t)op->imm : hart->x[op->rs2];
}

/* A store, or a .ttinsn, which is one to RV32_PUSH_BASE. */
static inline int64_t store_beyond(struct rv32_hart *hart, const struct rv32_op *op, int64_t left,
                                   uint32_t address, unsigned log, bool is_ttinsn)
{
    hart->op = op;
    uint32_t value = stored_by(hart, op, is_ttinsn);
    if (log == SIZE_4 && is_push(address) &&
        hart->bus->push(hart->owner, hart, address, value, rv32_now(hart, left))) {
        return rv32_after_bus(hart, op + 1, left);
    }
    enum answer answer = over_bus(hart, address, 1u << log, rv32_now(hart, left), true, value);
    if (answer != ANSWER_DONE) {
        return rv32_refused(hart, op, left, answer);
    }
    return rv32_after_bus(hart, op + 1, left);
}

static RV32_APART int64_t store_over_bus(struct rv32_hart *hart, const struct rv32_op *op,
                                         int64_t left, unsigned log)
{
    return store_beyond(hart, op, left, address_of(hart, op), log, false);
}

int64_t rv32_exec_ttinsn(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    return store_beyond(hart, op, left, RV32_PUSH_BASE, SIZE_4, true);
}

static inline int64_t store_integer(struct rv32_hart *hart, const struct rv32_op *op, int64_t left,
                                    unsigned log)
{
    uint8_t *to = writable(hart, hart->x[op->rs1] + (uint32_t)op->imm, log);
    if (!to) {
        return store_over_bus(hart, op, left, log);
    }
    memcpy(to, &hart->x[op->rs2], (size_t)1 << log);
    return rv32_next(hart, op + 1, left);
}

#define STORE(token, log)                                                                          \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        return store_integer(hart, op, left, log);                                                 \
    }

STORE(SB, SIZE_1)
STORE(SH, SIZE_2)
STORE(SW, SIZE_4)

/* --- Zaamo: L1 only (SPEC: InstructionSet) --- */

static enum answer atomic_half(struct rv32_hart *hart, uint32_t address, uint64_t now, bool store,
                               uint32_t value)
{
    hart->access = (struct rv32_access){.address = address,
                                        .value = value,
                                        .size = 4,
                                        .store = store,
                                        .atomic = true,
                                        .cycle = now};
    return hart->bus->access(hart->owner, hart, &hart->access);
}

/* Checks the address and reads the old value; the caller stores what replaces it. */
static enum answer atomic_read(struct rv32_hart *hart, uint32_t address, uint64_t now,
                               uint32_t *old)
{
    if (address >= hart->code->pages << RV32_PAGE_SHIFT) {
        return rv32_bus_fault(hart, PENROSE_FAULT_ATOMIC, address,
                              "atomic instructions reach only the tile's L1, not 0x%08x", address);
    }
    enum answer answer = hart->bus->fence(hart->owner, hart, now);
    if (answer != ANSWER_DONE) {
        return answer;
    }
    const uint8_t *l1 = direct_l1(hart, address, SIZE_4);
    if (l1) {
        *old = get(l1, SIZE_4);
        return ANSWER_DONE;
    }
    answer = address & 3 ? over_bus(hart, address, 4, now, false, 0)
                         : atomic_half(hart, address, now, false, 0);
    *old = hart->access.value;
    return answer;
}

static enum answer atomic_write(struct rv32_hart *hart, uint32_t address, uint64_t now,
                                uint32_t value)
{
    uint8_t *to = writable(hart, address, SIZE_4);
    if (to) {
        memcpy(to, &value, sizeof value);
        return ANSWER_DONE;
    }
    return atomic_half(hart, address, now, true, value);
}

static inline int64_t atomic_end(struct rv32_hart *hart, const struct rv32_op *op, int64_t left,
                                 enum answer answer)
{
    if (answer != ANSWER_DONE) {
        return rv32_refused(hart, op, left, answer);
    }
    return rv32_after_bus(hart, op + 1, left);
}

#define ATOMIC(token, expression)                                                                  \
    static RV32_APART enum answer atomic_##token(struct rv32_hart *hart, const struct rv32_op *op, \
                                                 uint64_t now)                                     \
    {                                                                                              \
        uint32_t old = 0;                                                                          \
        uint32_t address = hart->x[op->rs1];                                                       \
        uint32_t operand = hart->x[op->rs2];                                                       \
        hart->op = op;                                                                             \
        enum answer answer = atomic_read(hart, address, now, &old);                                \
        if (answer == ANSWER_DONE) {                                                               \
            answer = atomic_write(hart, address, now, expression);                                 \
        }                                                                                          \
        hart->x[op->rd] = answer == ANSWER_DONE ? old : hart->x[op->rd];                           \
        return answer;                                                                             \
    }                                                                                              \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        return atomic_end(hart, op, left, atomic_##token(hart, op, rv32_now(hart, left)));         \
    }

ATOMIC(AMOADD_W, old + operand)
ATOMIC(AMOSWAP_W, operand)
ATOMIC(AMOXOR_W, old ^ operand)
ATOMIC(AMOOR_W, old | operand)
ATOMIC(AMOAND_W, old &operand)
ATOMIC(AMOMIN_W, (int32_t)old < (int32_t)operand ? old : operand)
ATOMIC(AMOMAX_W, (int32_t)old > (int32_t)operand ? old : operand)
ATOMIC(AMOMINU_W, old < operand ? old : operand)
ATOMIC(AMOMAXU_W, old > operand ? old : operand)
