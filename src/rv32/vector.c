/* Vector types, register groups, and the rules of V 1.0 for them; see rv32/vector.h. */
#include "rv32/vector.h"

enum { LMUL_RESERVED = 4 };

#define VTYPE_BITS UINT32_C(0xff)
#define VM_BIT     (UINT32_C(1) << 25)

bool vector_check_core(struct rv32_hart *hart)
{
    if (hart->core != RV32_T2) {
        rv32_bus_fault(hart, PENROSE_FAULT_ILLEGAL, 0, "only RISCV T2 has the vector extension");
        return false;
    }
    return true;
}

/* The hardware has no vill bit, and no page says what vtypes that V 1.0 reserves do. */
bool vector_type_decode(struct rv32_hart *hart, uint32_t vtype, struct vector_type *type)
{
    unsigned lmul = vtype & 7;
    *type = vector_type_of(vtype);
    if (vtype & ~VTYPE_BITS || lmul == LMUL_RESERVED) {
        rv32_bus_fault(hart, PENROSE_FAULT_VECTOR, 0,
                       "vtype 0x%x: bits 8 to 31 and LMUL code 4 are reserved", vtype);
        return false;
    }
    if (type->log > VECTOR_ELEN_LOG) {
        rv32_bus_fault(hart, PENROSE_FAULT_VECTOR, 0,
                       "vtype 0x%x: SEW %u exceeds ELEN, which is 32", vtype, 8u << type->log);
        return false;
    }
    if (type->log - type->lmul > VECTOR_ELEN_LOG) {
        rv32_bus_fault(hart, PENROSE_FAULT_VECTOR, 0,
                       "vtype 0x%x: SEW %u exceeds LMUL 1/%u times ELEN, which is 32", vtype,
                       8u << type->log, 1u << -type->lmul);
        return false;
    }
    type->vlmax = ((uint32_t)RV32_VLEN_BYTES << 3) >> (3 - type->lmul) >> type->log;
    return true;
}

bool vector_begin(struct vector *v, struct rv32_hart *hart, const struct rv32_op *op)
{
    *v = (struct vector){.hart = hart, .vl = hart->csr.vl, .masked = !((uint32_t)op->imm & VM_BIT)};
    if (!vector_check_core(hart) || !vector_type_decode(hart, hart->csr.vtype, &v->type)) {
        return false;
    }
    if (v->vl > v->type.vlmax) { /* software can write vl and vtype as CSRs */
        rv32_bus_fault(hart, PENROSE_FAULT_VECTOR, 0, "vl is %u, but VLMAX of vtype 0x%x is %u",
                       v->vl, hart->csr.vtype, v->type.vlmax);
        return false;
    }
    return true;
}

struct vector_group vector_group(const struct vector *v, const char *name, unsigned first,
                                 int wider)
{
    return (struct vector_group){name, first, v->type.log + wider, v->type.lmul + wider};
}

struct vector_group vector_mask_group(const char *name, unsigned first)
{
    return (struct vector_group){name, first, VECTOR_MASK_LOG, 0};
}

static unsigned registers(struct vector_group group)
{
    return group.emul > 0 ? 1u << group.emul : 1;
}

bool vector_check_group(struct rv32_hart *hart, struct vector_group group)
{
    if (group.log != VECTOR_MASK_LOG && (group.log < 0 || group.log > VECTOR_ELEN_LOG)) {
        rv32_bus_fault(hart, PENROSE_FAULT_VECTOR, 0,
                       "%s would have elements of %u bits; there are 8, 16 and 32", group.name,
                       64u >> (3 - group.log));
        return false;
    }
    if (group.emul < VECTOR_LEAST_LMUL || group.emul > VECTOR_MOST_LMUL) {
        rv32_bus_fault(hart, PENROSE_FAULT_VECTOR, 0,
                       "EMUL of %s would be %s; it goes from 1/8 to 8", group.name,
                       group.emul > 0 ? "16 or more" : "1/16 or less");
        return false;
    }
    if (group.first % registers(group)) {
        rv32_bus_fault(hart, PENROSE_FAULT_VECTOR, 0,
                       "%s is v%u, but with EMUL %u it must be a multiple of %u", group.name,
                       group.first, registers(group), registers(group));
        return false;
    }
    return true;
}

bool vector_check_destination(const struct vector *v, struct vector_group destination)
{
    if (!vector_check_group(v->hart, destination)) {
        return false;
    }
    if (v->masked && destination.first == 0 && destination.log != VECTOR_MASK_LOG) {
        rv32_bus_fault(v->hart, PENROSE_FAULT_VECTOR, 0,
                       "%s is v0, which is the mask of this instruction", destination.name);
        return false;
    }
    return true;
}

static bool do_overlap(struct vector_group a, struct vector_group b)
{
    return a.first < b.first + registers(b) && b.first < a.first + registers(a);
}

bool vector_check_disjoint(struct rv32_hart *hart, struct vector_group destination,
                           struct vector_group source)
{
    if (do_overlap(destination, source)) {
        rv32_bus_fault(hart, PENROSE_FAULT_VECTOR, 0,
                       "%s (from v%u) overlaps %s (from v%u); this instruction allows no overlap",
                       destination.name, destination.first, source.name, source.first);
        return false;
    }
    return true;
}

bool vector_check_overlap(struct rv32_hart *hart, struct vector_group destination,
                          struct vector_group source)
{
    unsigned destination_end = destination.first + registers(destination);
    unsigned source_end = source.first + registers(source);
    bool is_lowest = destination.first == source.first;
    bool is_highest = destination_end == source_end && source.emul >= 0;
    if (!do_overlap(destination, source) || destination.log == source.log ||
        (destination.log < source.log ? is_lowest : is_highest)) {
        return true;
    }
    rv32_bus_fault(hart, PENROSE_FAULT_VECTOR, 0, "%s (from v%u) overlaps %s (from v%u), %s",
                   destination.name, destination.first, source.name, source.first,
                   destination.log < source.log
                       ? "which is wider, elsewhere than at its lowest register"
                       : "which is narrower, elsewhere than in the highest registers");
    return false;
}

/* HW: rvv-bench calls the hardware a subset of Zve32f, and Zvfh is claimed nowhere. */
bool vector_check_float(const struct vector *v, int wider)
{
    int log = v->type.log + wider;
    if (log != VECTOR_ELEN_LOG) {
        rv32_bus_fault(v->hart, PENROSE_FAULT_VECTOR, 0,
                       "with SEW %u the floats would have %u bits; vectors have FP32 only",
                       8u << v->type.log, 8u << log);
        return false;
    }
    return true;
}
