/*
 * When instructions of the Vector Unit may follow each other: automatic stalls, and hazards that
 * are left to software (SPEC: BlackholeA0 SFPMAD, SFPSWAP, SFPSHFT2, SFPLUTFP32, instruction
 * scheduling).
 *
 * The stalls keep an instruction for one cycle. They assume that instructions read and write
 * certain LRegs, which is not always true (USES of tensix.def).
 */
#include "tensix/vector/schedule.h"

/* --- The table --- */

enum { HAS_VB = 1, HAS_VC = 2 };
enum { NOTHING, ANYTHING }; /* what the unit accepts in the next cycle */
enum {
    HALVES = 14, /* Mod0 of SFPLOAD from here on leaves a half of VD */
    WRITABLE = 0xff | 1 << TENSIX_LREG_MACRO,
    CONSTANTS = 0xf << 11, /* by SFPCONFIG */
};

#define L(i)        (UINT32_C(1) << (i))
#define FIRST(n)    (L(n) - 1)
#define VA          L(op->va)
#define VB          L(op->vb)
#define VC          L(op->vc)
#define VD          L(op->vd)
#define OLD         (op->is_scheduled ? VB : VD)
#define ADDEND      (op->is_scheduled ? VC : VD)
#define MODE(bits)  ((op->mod & (bits)) != 0)
#define IS_INDIRECT tensix_vector_is_indirect(op)
#define INDIRECT    (IS_INDIRECT ? FIRST(8) : VD)
#define TARGETS     (IS_INDIRECT ? L(TENSIX_LREG_INDEX) : 0)
#define FACTOR      (MODE(TENSIX_MODE_INDIRECT_VA) ? named_lregs(vector) | L(TENSIX_LREG_INDEX) : VA)
#define FACTOR_SEEN (MODE(TENSIX_MODE_INDIRECT_VA) ? FIRST(8) : VA)
#define MIRROR      (op->word >> 16 & 8)
#define CAPTURED    captured(vector, op->vd)
#define PARTNERS    (vector->sets.dest_index ? L(4 + (op->vc & 3)) | L(4 + (op->vd & 3)) : 0)
#define DESCALES    ((op->mod & 6) == 4 && !MODE(8))
#define DESCALE_VB  (DESCALES ? VB : 0)
#define IS_SHUFFLE  (op->mod >= 2 && op->mod <= 4)
#define SHUFFLED    shuffled(op)

/* LRegs that the lanes of LReg[7] name. */
static uint32_t named_lregs(const struct tensix_vector *vector)
{
    uint32_t named = 0;
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        named |= L(tensix_vector_named(vector, lane));
    }
    return named;
}

/* What SFPLOAD writes besides VD. */
static uint32_t captured(const struct tensix_vector *vector, unsigned vd)
{
    return vd < 4 && vector->sets.captures_index ? L(vd + 4) : 0;
}

/* What SFPSHFT2 reads, by mode. */
static uint32_t shuffled(const struct tensix_vector_op *op)
{
    const uint32_t reads[] = {FIRST(4) & ~L(0), FIRST(4), VC | (FIRST(4) & ~L(0)), VC, VC,
                              VB | VC,          VB};
    return op->mod < sizeof reads / sizeof reads[0] ? reads[op->mod] : 0;
}

const struct tensix_vector_row *tensix_vector_row(unsigned row)
{
    static const struct tensix_vector_row rows[TENSIX_ROWS] = {
#define USES(sub_unit, fields, reads, seen, writes, assumed, cycles, then)                         \
    .part = TENSIX_PART_##sub_unit, .has_vb = ((fields)&HAS_VB) != 0,                              \
    .has_vc = ((fields)&HAS_VC) != 0,
#define INSN(...)
#define FRONT(...)
#define STUB(...)
#define SFPU(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    [TENSIX_ROW_##token] = {cells},
#include "tensix.def"
    };
    return &rows[row];
}

bool tensix_vector_can_execute(enum tensix_vector_part part, unsigned row)
{
    if (tensix_row_infos[row].unit != TENSIX_UNIT_VECTOR || part == TENSIX_PART_LOAD) {
        return false;
    }
    return tensix_has(row, TENSIX_TRAIT_IDLE) ? part != TENSIX_PART_STORE
                                              : part == tensix_vector_row(row)->part;
}

struct tensix_vector_uses tensix_vector_uses(const struct tensix_vector *vector,
                                             const struct tensix_vector_op *op)
{
    const uint32_t writable = tensix_has(op->row, TENSIX_TRAIT_CONFIGURES) ? CONSTANTS : WRITABLE;
    struct tensix_vector_uses uses = {0};
    switch (op->row) {
#define USES(sub_unit, fields, reads_, seen_, writes_, assumed_, cycles, then)                     \
    uses = (struct tensix_vector_uses){                                                            \
        .reads = (reads_),                                                                         \
        .seen_reads = (seen_),                                                                     \
        .writes = (writes_)&writable,                                                              \
        .assumed_writes = (assumed_)&FIRST(8),                                                     \
        .is_slow = (cycles) > 1,                                                                   \
        .holds_unit = (then) == NOTHING,                                                           \
    };
#define ALL_LANES(condition) uses.is_for_all_lanes = (condition);
#define INSN(...)
#define FRONT(...)
#define STUB(...)
#define SFPU(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    case TENSIX_ROW_##token:                                                                       \
        cells break;
#include "tensix.def"
    }
    return uses;
}

/* --- Automatic stalls --- */

void tensix_vector_note_start(struct tensix_vector *vector, const struct tensix_vector_op *op,
                              uint64_t now)
{
    const struct tensix_vector_uses uses = tensix_vector_uses(vector, op);
    vector->stalls.start = now;
    vector->stalls.holds_unit = uses.holds_unit;
    vector->stalls.writes = uses.is_slow ? uses.assumed_writes : 0;
}

bool tensix_vector_must_stall(const struct tensix_vector *vector, const struct tensix_vector_op *op,
                              uint64_t now)
{
    if (vector->stalls.start + 1 != now) {
        return false;
    }
    if (vector->stalls.holds_unit) {
        return !tensix_has(op->row, TENSIX_TRAIT_IDLE);
    }
    return vector->stalls.writes &&
           (vector->stalls.writes & tensix_vector_uses(vector, op).seen_reads);
}

uint64_t tensix_vector_start_at(const struct tensix *tensix, unsigned thread, unsigned row,
                                uint32_t word, uint64_t now)
{
    const struct tensix_vector_op op = tensix_vector_decode(row, thread, word);
    return now + tensix_vector_must_stall(&tensix->vector, &op, now);
}

/* --- Hazards --- */

static const char *name_of_row(unsigned row)
{
    return row < TENSIX_ROWS ? tensix_rows[row].mnemonic : "?";
}

enum tensix_exec tensix_vector_report_late(struct tensix *tensix, const struct tensix_vector_op *op,
                                           unsigned writer, uint32_t lregs)
{
    return tensix_fault_of(tensix, op->thread, op->word, PENROSE_FAULT_VECTOR_HAZARD,
                           "%s%s reads LReg[%u] 1 cycle after %s wrote it; it comes after 2: %s",
                           op->is_scheduled ? "scheduled " : "", name_of_row(op->row),
                           (unsigned)__builtin_ctz(lregs), name_of_row(writer),
                           op->is_scheduled ? "make the delay longer" : "put an SFPNOP between");
}

/* SPEC: SFPMAD. No hazard where the stalls see another operand of the instruction coming. */
enum tensix_exec tensix_vector_report_hazard(struct tensix *tensix,
                                             const struct tensix_vector_op *op, uint32_t reads)
{
    const struct tensix_vector *vector = &tensix->vector;
    unsigned writer = tensix_row_of(vector->slow_word);
    const struct tensix_vector_op slow =
        tensix_vector_decode(writer, op->thread, vector->slow_word);
    const struct tensix_vector_uses uses = tensix_vector_uses(vector, op);
    uint32_t early = reads & uses.reads & vector->slow_writes;
    bool stalls = tensix_vector_uses(vector, &slow).assumed_writes & uses.seen_reads;
    return !early || stalls ? TENSIX_DONE : tensix_vector_report_late(tensix, op, writer, early);
}
