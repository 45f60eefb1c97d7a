/*
 * Vector loads and stores. See rv32/vector.h.
 *
 * Each of them becomes a plan: the place of each field of each element in memory and in registers.
 * The whole plan is checked before the first access, so that a fault has no effect:
 *  - elements must be aligned to their size (the harts have no misaligned accesses);
 *  - L1, local RAM and what the board calls repeatable (Dst) take any number of elements. What
 *    lies outside of them may have side effects, and an access that had to wait would repeat those
 *    before it; so an instruction that reaches outside must have one active element and one field.
 *    More is PENROSE_FAULT_UNIMPLEMENTED.
 * If the board makes an access to L1 wait, the whole instruction is done again. Loads reach
 * registers only when all are done, and stores that were done store their values again.
 *
 * GUESS: fault-only-first loads end in front of the first element but 0 that is misaligned or
 * outside L1 and local RAM. The hardware has no faults for these loads, and no page mentions them.
 */
#include <string.h>

#include "rv32/vector.h"

enum { MOP_UNIT, MOP_UNORDERED, MOP_STRIDED, MOP_ORDERED };
enum { UNIT_PLAIN = 0, UNIT_WHOLE = 8, UNIT_MASK = 11, UNIT_FAULT_FIRST = 16 };
enum { OPCODE_STORE_FP = 0x27, OPCODE_BITS = 0x7f, MOST_REGISTERS = 8 };

struct plan {
    struct vector v;
    bool is_store, is_indexed, ends_at_fault;
    struct vector_group data;  /* of one field */
    struct vector_group index; /* where is_indexed */
    uint32_t fields;
    uint32_t count; /* elements */
    uint32_t base;
    uint32_t stride; /* between elements, where not indexed */
};

static unsigned registers(const struct plan *plan)
{
    return plan->data.emul > 0 ? 1u << plan->data.emul : 1;
}

static uint32_t address_of(const struct plan *plan, uint32_t element, uint32_t field)
{
    uint32_t offset = plan->is_indexed
                          ? vector_read(plan->v.hart, plan->index.first, plan->index.log, element)
                          : element * plan->stride;
    return plan->base + offset + (field << plan->data.log);
}

static unsigned first_register(const struct plan *plan, uint32_t field)
{
    return plan->data.first + field * registers(plan);
}

/* --- Making a plan --- */

/* Registers and masks as they are: neither vtype nor vl (for masks: not vtype) plays a part. */
static bool plan_whole(struct plan *plan, uint32_t registers_moved)
{
    plan->v.masked = false;
    plan->data.emul = registers_moved == 8 ? 3 : (int)registers_moved >> 1;
    plan->fields = 1;
    plan->count = registers_moved * RV32_VLEN_BYTES >> plan->data.log;
    return vector_check_group(plan->v.hart, plan->data);
}

/* Destination and fields in range, and nothing that a masked load must not overwrite. */
static bool check_fields(struct plan *plan)
{
    struct rv32_hart *hart = plan->v.hart;
    uint32_t all = plan->fields * registers(plan);
    bool is_fine = plan->is_store ? vector_check_group(hart, plan->data)
                                  : vector_check_destination(&plan->v, plan->data);
    if (is_fine && (all > MOST_REGISTERS || plan->data.first + all > 32)) {
        rv32_bus_fault(hart, PENROSE_FAULT_VECTOR, 0,
                       "%u fields with EMUL %u from v%u: at most 8 registers, up to v31",
                       plan->fields, registers(plan), plan->data.first);
        return false;
    }
    return is_fine;
}

static bool plan_indexed(struct plan *plan, const struct rv32_op *op, int index_log)
{
    struct rv32_hart *hart = plan->v.hart;
    plan->is_indexed = true;
    plan->data = vector_group(&plan->v, plan->data.name, op->rd, 0);
    plan->index = vector_group(&plan->v, "vs2", op->rs2, index_log - plan->v.type.log);
    if (!vector_check_group(hart, plan->index) || !check_fields(plan)) {
        return false;
    }
    if (plan->is_store) {
        return true;
    }
    if (plan->fields == 1) {
        return vector_check_overlap(hart, plan->data, plan->index);
    }
    for (uint32_t field = 0; field < plan->fields; field++) {
        struct vector_group group = plan->data;
        group.first = first_register(plan, field);
        if (!vector_check_disjoint(hart, group, plan->index)) {
            return false;
        }
    }
    return true;
}

static int width_log(uint32_t word)
{
    unsigned code = word >> 12 & 7; /* 0, 5, 6: 8, 16, 32 bits */
    return code ? (int)code - 4 : 0;
}

static bool plan_accesses(struct plan *plan, struct rv32_hart *hart, const struct rv32_op *op)
{
    uint32_t word = (uint32_t)op->imm;
    unsigned mop = word >> 26 & 3;
    int log = width_log(word);
    *plan = (struct plan){.v = {.hart = hart},
                          .is_store = (word & OPCODE_BITS) == OPCODE_STORE_FP,
                          .fields = (word >> 29) + 1,
                          .base = hart->x[op->rs1]};
    plan->data = (struct vector_group){plan->is_store ? "vs3" : "vd", op->rd, log, 0};
    plan->stride = mop == MOP_STRIDED ? hart->x[op->rs2] : plan->fields << log;
    if (mop == MOP_UNIT && op->rs2 == UNIT_WHOLE) {
        plan->stride = 1u << log;
        return vector_check_core(hart) && plan_whole(plan, plan->fields);
    }
    if (!vector_begin(&plan->v, hart, op)) {
        return false;
    }
    plan->count = plan->v.vl;
    if (mop == MOP_UNIT && op->rs2 == UNIT_MASK) {
        plan->count = (plan->v.vl + 7) / 8;
        return true;
    }
    if (mop == MOP_UNORDERED || mop == MOP_ORDERED) {
        return plan_indexed(plan, op, log);
    }
    plan->ends_at_fault = mop == MOP_UNIT && op->rs2 == UNIT_FAULT_FIRST;
    plan->data = vector_group(&plan->v, plan->data.name, op->rd, log - plan->v.type.log);
    return check_fields(plan);
}

/* --- Checking it --- */

static bool is_memory(const struct rv32_hart *hart, uint32_t address)
{
    return address < hart->code->pages << RV32_PAGE_SHIFT ||
           address - RV32_LOCAL_BASE < hart->local_size;
}

static bool is_repeatable(const struct plan *plan, uint32_t address)
{
    struct rv32_hart *hart = plan->v.hart;
    return is_memory(hart, address) ||
           (hart->bus->repeatable && hart->bus->repeatable(hart->owner, hart, address));
}

static bool check_aligned(const struct plan *plan, uint32_t address)
{
    unsigned size = 1u << plan->data.log;
    if (address & (size - 1)) {
        rv32_bus_fault(plan->v.hart, PENROSE_FAULT_MISALIGNED, address,
                       "vector element of %u bytes at 0x%08x is not aligned", size, address);
        return false;
    }
    return true;
}

static bool check_addresses(struct plan *plan)
{
    struct rv32_hart *hart = plan->v.hart;
    uint32_t accesses = 0, outside = 0, address_outside = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        if (!vector_is_active(&plan->v, i)) {
            continue;
        }
        for (uint32_t field = 0; field < plan->fields; field++) {
            uint32_t address = address_of(plan, i, field);
            bool is_aligned = check_aligned(plan, address);
            bool is_inside = is_repeatable(plan, address);
            if (plan->ends_at_fault && i > 0 && !(is_aligned && is_inside)) {
                plan->count = i;
                return true;
            }
            if (!is_aligned) {
                return false;
            }
            accesses++;
            outside += !is_inside;
            address_outside = is_inside ? address_outside : address;
        }
    }
    if (outside && accesses > 1) {
        rv32_bus_fault(hart, PENROSE_FAULT_UNIMPLEMENTED, address_outside,
                       "vector access to more than one element outside L1 and local RAM");
        return false;
    }
    return true;
}

/* --- Doing it --- */

/* Loads into a copy of the destination, which replaces it only when everything is there. */
static enum answer load_all(const struct plan *plan, uint64_t now)
{
    struct rv32_hart *hart = plan->v.hart;
    uint8_t copy[MOST_REGISTERS * RV32_VLEN_BYTES];
    uint8_t *destination = hart->v[plan->data.first];
    size_t size = (size_t)plan->fields * registers(plan) * RV32_VLEN_BYTES;
    memcpy(copy, destination, size);
    for (uint32_t i = 0; i < plan->count; i++) {
        if (!vector_is_active(&plan->v, i)) {
            continue;
        }
        for (uint32_t field = 0; field < plan->fields; field++) {
            uint32_t value;
            enum answer answer =
                rv32_load(hart, address_of(plan, i, field), 1u << plan->data.log, now, &value);
            if (answer != ANSWER_DONE) {
                return answer;
            }
            memcpy(copy + field * registers(plan) * RV32_VLEN_BYTES + (i << plan->data.log), &value,
                   (size_t)1 << plan->data.log);
        }
    }
    memcpy(destination, copy, size);
    return ANSWER_DONE;
}

static enum answer store_all(const struct plan *plan, uint64_t now)
{
    struct rv32_hart *hart = plan->v.hart;
    for (uint32_t i = 0; i < plan->count; i++) {
        if (!vector_is_active(&plan->v, i)) {
            continue;
        }
        for (uint32_t field = 0; field < plan->fields; field++) {
            uint32_t value = vector_read(hart, first_register(plan, field), plan->data.log, i);
            enum answer answer =
                rv32_store(hart, address_of(plan, i, field), 1u << plan->data.log, now, value);
            if (answer != ANSWER_DONE) {
                return answer;
            }
        }
    }
    return ANSWER_DONE;
}

/* The memory of elements that follow each other, where it is reached directly; NULL for others. */
static uint8_t *direct_memory(const struct plan *plan)
{
    const struct rv32_hart *hart = plan->v.hart;
    uint32_t size = plan->count << plan->data.log;
    uint32_t local = plan->base - RV32_LOCAL_BASE;
    if (plan->v.masked || plan->is_indexed || plan->fields > 1 || plan->count == 0 ||
        plan->stride != 1u << plan->data.log || plan->base & (plan->stride - 1)) {
        return NULL;
    }
    if (local < hart->local_size && size <= hart->local_size - local) {
        return hart->local + local;
    }
    uint32_t l1 = plan->base - RV32_NULL_BYTES;
    if (l1 >= hart->l1_direct || size > hart->l1_direct - l1) {
        return NULL;
    }
    uint32_t last = (plan->base + size - 1) >> RV32_L1_MARK_SHIFT;
    for (uint32_t line = plan->base >> RV32_L1_MARK_SHIFT; line <= last; line++) {
        if (plan->is_store && hart->l1_marks[line]) {
            return NULL;
        }
    }
    return hart->l1 + plan->base;
}

/* Does the plan in one go where memory and registers hold the same bytes in the same order. */
static bool copy_direct(const struct plan *plan)
{
    uint8_t *memory = direct_memory(plan);
    uint8_t *elements = plan->v.hart->v[plan->data.first];
    if (memory) {
        size_t size = (size_t)plan->count << plan->data.log;
        memcpy(plan->is_store ? memory : elements, plan->is_store ? elements : memory, size);
    }
    return memory != NULL;
}

static RV32_APART enum answer access_elements(struct rv32_hart *hart, const struct rv32_op *op,
                                              uint64_t now)
{
    struct plan plan;
    hart->op = op; /* for the bus */
    if (!plan_accesses(&plan, hart, op)) {
        return ANSWER_REFUSED;
    }
    if (copy_direct(&plan)) {
        return ANSWER_DONE;
    }
    if (!check_addresses(&plan)) {
        return ANSWER_REFUSED;
    }
    if (plan.is_store) {
        return store_all(&plan, now);
    }
    enum answer answer = load_all(&plan, now);
    if (answer == ANSWER_DONE && plan.ends_at_fault) {
        hart->csr.vl = plan.count;
    }
    return answer;
}

static inline int64_t run_vector_memory(struct rv32_hart *hart, const struct rv32_op *op,
                                        int64_t left)
{
    enum answer answer = access_elements(hart, op, rv32_now(hart, left));
    if (answer != ANSWER_DONE) {
        return rv32_refused(hart, op, left, answer);
    }
    return rv32_after_bus(hart, op + 1, left);
}

/* What tells the rows apart is in the word. */
#define INSN(token, mnemonic, extension, match, mask, format, traits)                              \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        return run_vector_memory(hart, op, left);                                                  \
    }
#define STUB(token, mnemonic, extension, match, mask, format, traits)
#include "rv32/rv32_vector_memory.def"
#undef INSN
#undef STUB
