/*
 * Data that nobody has written, and what depends on them.
 *
 * Every byte of L1 and GDDR is unwritten until a host, a hart, a packet or a unit writes it. A byte
 * is tainted if what was written is undefined. Frames on stacks are tainted when they are made.
 * Registers of harts have a mask of undefined bits, which follows values through instructions as
 * far as the bits that they can change. A register that a rule below does not know counts as
 * defined.
 *
 * Copies are not reported. A report is due where such a value decides: a branch, an address, a word
 * for a register of hardware; where an unpacker reads nothing else; and where a host reads what was
 * computed from it. Programs may poll a word of L1 until somebody writes it, so a branch on L1 is
 * reported only if the hart goes on without loading it again.
 *
 * Memory of a chip begins as zeros. A byte of L1 that is none was written by somebody of whom
 * nobody was told.
 */
#include "observe/check/bits.h"
#include "observe/check/check.h"
#include "observe/check/races.h"
#include "observe/check/undefined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "chip/dram.h"
#include "noc/packet.h"
#include "tensix/table.h"
#include "tile/fault.h"
#include "tile/noc_serve.h"
#include "tile/tell.h"

enum {
    SP = 2,
    A0 = 10,
    BANK_PAGES = 1 << 16, /* 4 GiB */
    LOCAL_BYTES = 8192,
    READS = 64,    /* of a tile that are under way, to the NoC */
    PATIENCE = 24, /* instructions until a branch on L1 is reported */
};

/* A branch that is reported unless the hart loads the word again. */
struct pending {
    unsigned patience; /* 0: there is none */
    uint32_t pc;
    struct uninit_origin origin;
};

struct hart_bits {
    bool is_known;
    /* the instruction under way may read or write a register that has undefined bits */
    bool names_any;
    uint64_t retired;
    uint32_t any;                      /* registers that have undefined bits, a bit each */
    uint32_t a, b, a_bits, b_bits, sp; /* operands of the instruction under way; a and b where it
                                          names any */
    uint32_t loaded;
    struct pending pending;
    uint32_t undefined[32];
    struct uninit_origin origin[32], loaded_origin;
    uint32_t a0_at; /* pc of the instruction that has written undefined bits to a0 last */
    uint64_t local[LOCAL_BYTES / BITS_WORD];
};

struct read_request {
    bool is_there;
    uint16_t node;
    uint8_t hart;
    uint32_t pc, to, size;
    uint64_t from;
};

struct unpacked {
    uint32_t bytes, undefined, address;
};

struct uninit_tile {
    struct uninit_memory l1, stacks; /* of stacks only the taints */
    struct hart_bits hart[RV32_CORES];
    struct read_request read[READS];
    unsigned reads;
    struct unpacked unpacked;
    struct uninit_gprs gprs;
    struct uninit_rows *rows; /* NULL: no unit has touched one yet */
};

struct check_uninit {
    struct uninit_tile *tile[NOC_NODES];
    struct uninit_memory bank[GRID_BANKS];
    struct uninit_pieces
        *pieces; /* of the instruction of a unit at hand; NULL: there was none yet */
};

/* Local RAMs of all harts are at the same addresses. */
static uint64_t in_stacks(unsigned hart, uint32_t address)
{
    return (uint64_t)hart << 32 | address;
}

/* --- Registers --- */

/* Bits above the lowest undefined one may change with it. */
static uint32_t upwards(uint32_t undefined)
{
    return undefined | -(undefined & -undefined);
}

static uint32_t all_if(uint32_t undefined)
{
    return undefined ? UINT32_MAX : 0;
}

/* The undefined bits of a sum: where it is another one with all of them 0 than with all of them 1. */
static uint32_t sum_bits(uint32_t x, uint32_t a, uint32_t y, uint32_t b)
{
    uint32_t least = (x & ~a) + (y & ~b), most = (x | a) + (y | b);
    return a | b | (least ^ most);
}

struct range {
    uint32_t least, most;
};

static struct range range_of(uint32_t value, uint32_t undefined, bool is_signed)
{
    uint32_t flip = is_signed ? UINT32_C(1) << 31 : 0;
    return (struct range){(value ^ flip) & ~undefined, (value ^ flip) | undefined};
}

/* Does the comparison come out the same, whatever the undefined bits are? */
static bool is_decided(const struct hart_bits *bits, uint32_t b, uint32_t b_bits, bool is_signed)
{
    struct range x = range_of(bits->a, bits->a_bits, is_signed), y = range_of(b, b_bits, is_signed);
    return x.most < y.least || x.least >= y.most;
}

static uint32_t shifted(int row, uint32_t bits, unsigned by)
{
    switch (row) {
    case RV32_ROW_SLL:
    case RV32_ROW_SLLI:
        return bits << by;
    case RV32_ROW_SRL:
    case RV32_ROW_SRLI:
        return bits >> by;
    default:
        return (uint32_t)((int32_t)bits >> by);
    }
}

/* The undefined bits of the result. */
static uint32_t result_bits(const struct hart_bits *bits, const struct rv32_operands *insn)
{
    uint32_t a = bits->a_bits, b = bits->b_bits, x = bits->a, y = bits->b;
    uint32_t imm = (uint32_t)insn->imm;
    switch (insn->row) {
    case RV32_ROW_LB:
        return (uint32_t)(int8_t)bits->loaded;
    case RV32_ROW_LH:
        return (uint32_t)(int16_t)bits->loaded;
    case RV32_ROW_LW:
    case RV32_ROW_LBU:
    case RV32_ROW_LHU:
        return bits->loaded;
    case RV32_ROW_ADDI:
        return sum_bits(x, a, imm, 0);
    case RV32_ROW_ADD:
        return sum_bits(x, a, y, b);
    case RV32_ROW_SUB:
        return sum_bits(~x, a, y, b); /* as x - y = ~(~x + y) */
    case RV32_ROW_SH1ADD:
        return sum_bits(x << 1, a << 1, y, b);
    case RV32_ROW_SH2ADD:
        return sum_bits(x << 2, a << 2, y, b);
    case RV32_ROW_SH3ADD:
        return sum_bits(x << 3, a << 3, y, b);
    case RV32_ROW_MUL:
        return upwards(a | b);
    case RV32_ROW_ANDI:
        return a & imm;
    case RV32_ROW_ORI:
        return a & ~imm;
    case RV32_ROW_XORI:
        return a;
    case RV32_ROW_AND:
        return (a & b) | (a & y) | (b & x);
    case RV32_ROW_ANDN:
        return (a & b) | (a & ~y) | (b & x);
    case RV32_ROW_OR:
        return (a & b) | (a & ~y) | (b & ~x);
    case RV32_ROW_XOR:
    case RV32_ROW_XNOR:
        return a | b;
    case RV32_ROW_SLLI:
    case RV32_ROW_SRLI:
    case RV32_ROW_SRAI:
        return shifted(insn->row, a, imm & 31);
    case RV32_ROW_SLL:
    case RV32_ROW_SRL:
    case RV32_ROW_SRA:
        return b & 31 ? all_if(b) : shifted(insn->row, a, y & 31);
    case RV32_ROW_SLTIU:
        return (a != 0) && !is_decided(bits, imm, 0, false);
    case RV32_ROW_SLTI:
        return (a != 0) && !is_decided(bits, imm, 0, true);
    case RV32_ROW_SLTU:
        return (a | b) != 0 && !is_decided(bits, y, b, false);
    case RV32_ROW_SLT:
        return (a | b) != 0 && !is_decided(bits, y, b, true);
    case RV32_ROW_ZEXT_H:
        return a & 0xffff;
    case RV32_ROW_SEXT_H:
        return (uint32_t)(int16_t)a;
    case RV32_ROW_SEXT_B:
        return (uint32_t)(int8_t)a;
    case RV32_ROW_MULHU:
    case RV32_ROW_DIVU:
    case RV32_ROW_DIV:
    case RV32_ROW_REMU:
    case RV32_ROW_REM:
    case RV32_ROW_MIN:
    case RV32_ROW_MINU:
    case RV32_ROW_MAX:
    case RV32_ROW_MAXU:
        return all_if(a | b);
    default:
        return 0;
    }
}

static bool branch_depends(const struct hart_bits *bits, int row)
{
    uint32_t undefined = bits->a_bits | bits->b_bits;
    switch (row) {
    case RV32_ROW_BEQ:
    case RV32_ROW_BNE:
        return undefined && ((bits->a ^ bits->b) & ~undefined) == 0;
    case RV32_ROW_BLTU:
    case RV32_ROW_BGEU:
        return undefined && !is_decided(bits, bits->b, bits->b_bits, false);
    case RV32_ROW_BLT:
    case RV32_ROW_BGE:
        return undefined && !is_decided(bits, bits->b, bits->b_bits, true);
    default:
        return false;
    }
}

/* --- Harts --- */

static void set_undefined(struct hart_bits *bits, unsigned x, uint32_t undefined)
{
    const uint32_t bit = UINT32_C(1) << x;
    bits->undefined[x] = undefined;
    bits->any = undefined ? bits->any | bit : bits->any & ~bit;
}

static struct uninit_tile *uninit_of(const struct check_scene *scene)
{
    return scene->checks->uninit->tile[scene->tile->node];
}

/* Reports something that a hart does. What follows from the same bytes is no further mistake: they
 * count as defined from now on. */
static void report_hart(const struct check_scene *scene, uint32_t pc, struct uninit_origin origin,
                        const char *what)
{
    struct uninit_tile *own = uninit_of(scene);
    struct hart_bits *bits = &own->hart[scene->hart];
    uint32_t word = origin.address & ~UINT32_C(3);
    const bool has_number = origin.kind == ORIGIN_REGISTER || origin.kind == ORIGIN_GPR;
    uninit_report(scene, scene->hart, pc, &origin, what);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t apart = bits->origin[i].address ^ origin.address;
        bool is_same =
            bits->origin[i].kind == origin.kind && (has_number ? apart == 0 : apart < sizeof word);
        set_undefined(bits, i, is_same ? 0 : bits->undefined[i]);
    }
    if (origin.kind == ORIGIN_L1) {
        uninit_define(&own->l1, word, sizeof word);
    } else if ((origin.kind == ORIGIN_STACK || origin.kind == ORIGIN_LOCAL) &&
               word - RV32_LOCAL_BASE < LOCAL_BYTES) {
        bits_set(own->hart[origin.hart].local, word - RV32_LOCAL_BASE, sizeof word, false);
    }
}

static void settle_pending(const struct check_scene *scene, struct hart_bits *bits, bool is_over)
{
    struct pending *pending = &bits->pending;
    if (pending->patience > 0 && (is_over || --pending->patience == 0)) {
        pending->patience = 0;
        report_hart(scene, pending->pc, pending->origin, "a branch depends on");
    }
}

static void judge_branch(const struct check_scene *scene, struct hart_bits *bits,
                         const struct rv32_operands *insn)
{
    const struct uninit_origin *origin = &bits->origin[bits->a_bits ? insn->rs1 : insn->rs2];
    if (!branch_depends(bits, insn->row)) {
        return;
    }
    if (origin->kind != ORIGIN_L1) {
        report_hart(scene, scene->event->pc, *origin, "a branch depends on");
    } else if (bits->pending.patience == 0) {
        bits->pending =
            (struct pending){.patience = PATIENCE, .pc = scene->event->pc, .origin = *origin};
    }
}

static void judge_instruction(const struct check_scene *scene, struct hart_bits *bits,
                              const struct rv32_operands *insn)
{
    bool has_address = insn->size > 0 && insn->effects.traits & (RV32_LOADS | RV32_STORES);
    if (!check_is_of_kernel(scene, scene->event->pc)) {
        return;
    }
    judge_branch(scene, bits, insn);
    if (bits->a_bits && (has_address || insn->row == RV32_ROW_JALR)) {
        report_hart(scene, scene->event->pc, bits->origin[insn->rs1],
                    insn->row == RV32_ROW_JALR          ? "a jump goes to an address from"
                    : insn->effects.traits & RV32_LOADS ? "a load has an address from"
                                                        : "a store has an address from");
    }
}

/* EBREAK ends a program with a0 as its value, or asks the host, who answers there. A program that gives no
 * value leaves a0 as it was after reset. */
static void judge_exit(const struct check_scene *scene, const struct hart_bits *bits)
{
    const struct uninit_origin *origin = &bits->origin[A0];
    bool is_given = origin->kind != ORIGIN_REGISTER || origin->is_computed || origin->address != A0;
    if (bits->undefined[A0] && is_given && check_is_of_kernel(scene, scene->event->pc)) {
        report_hart(scene, origin->taken_at ? origin->taken_at : bits->a0_at, *origin,
                    "the program ends with a value from");
    }
}

/* What a loader puts into the hart's local RAM is written. */
static void define_loaded(const struct check_scene *scene, struct hart_bits *bits)
{
    const struct check_memory *memory = &scene->own->memory;
    check_spans_find(scene);
    for (unsigned i = 0; i < memory->spans; i++) {
        const struct check_span *span = &memory->span[i];
        const uint32_t first = span->first - RV32_LOCAL_BASE;
        if (span->is_local && span->hart == scene->hart && first < LOCAL_BYTES) {
            const uint32_t left = LOCAL_BYTES - first;
            bits_set(bits->local, first, span->size < left ? span->size : left, false);
        }
    }
}

/* Local RAM begins as zeros, too, but for what a loader has put there. What it holds when its hart is
 * reset again is not known. */
static void know_hart(const struct check_scene *scene, struct hart_bits *bits)
{
    const struct rv32_hart *hart = &scene->tile->hart[scene->hart];
    const uint8_t *local = scene->tile->local[scene->hart];
    const bool begins = !bits->is_known && hart->retired == 0;
    const uint32_t size = begins ? tile_local_size((enum rv32_core)scene->hart) : 0;
    *bits = (struct hart_bits){.is_known = true};
    for (uint32_t i = 0; i < size; i++) {
        bits->local[i / BITS_WORD] |= (uint64_t)(local[i] == 0) << i % BITS_WORD;
    }
    if (begins) {
        define_loaded(scene, bits);
    }
    for (unsigned i = 1; i < 32 && hart->retired == 0; i++) {
        set_undefined(bits, i, hart->x[i] == 0 ? UINT32_MAX : 0);
        bits->origin[i] = (struct uninit_origin){.kind = ORIGIN_REGISTER, .address = i};
    }
}

void check_uninit_starts(const struct check_scene *scene)
{
    struct uninit_tile *own = uninit_of(scene);
    const struct rv32_hart *hart = &scene->tile->hart[scene->hart];
    const uint32_t word = scene->event->word;
    const bool may_move_sp = check_named_result(word) == SP;
    if (!own) {
        return;
    }
    struct hart_bits *bits = &own->hart[scene->hart];
    if (!bits->is_known || hart->retired < bits->retired) { /* it was reset */
        know_hart(scene, bits);
    }
    bits->retired = hart->retired;
    bits->sp = hart->x[SP];
    bits->loaded = bits->a_bits = bits->b_bits = 0;
    bits->names_any = bits->any & check_named_registers(word);
    if (may_move_sp) {
        tile_ask(scene->tile, (enum rv32_core)scene->hart);
    }
    if (!bits->names_any && !bits->pending.patience && !check_has_opcode(word, RV32_ROW_EBREAK)) {
        return; /* as most do */
    }
    const struct rv32_operands *insn = check_instruction(scene);
    bits->names_any = bits->any & (insn->effects.reads | insn->results[RV32_X]);
    bits->a = hart->x[insn->rs1];
    bits->b = hart->x[insn->rs2];
    bits->a_bits = insn->row >= 0 && insn->effects.reads_rs1 ? bits->undefined[insn->rs1] : 0;
    bits->b_bits = insn->row >= 0 && insn->effects.reads_rs2 ? bits->undefined[insn->rs2] : 0;
    settle_pending(scene, bits, insn->row == RV32_ROW_EBREAK);
    if (insn->row == RV32_ROW_EBREAK) {
        judge_exit(scene, bits);
        set_undefined(bits, A0, 0); /* a host may answer there */
    }
    if (bits->names_any) {
        tile_ask(scene->tile, (enum rv32_core)scene->hart);
    }
    if (insn->row >= 0 && (bits->a_bits | bits->b_bits)) {
        judge_instruction(scene, bits, insn);
    }
}

/* A frame is made: nobody has set what lies in it. */
static void taint_frame(const struct check_scene *scene, struct uninit_tile *own, uint32_t first,
                        uint32_t end)
{
    struct hart_bits *bits = &own->hart[scene->hart];
    uint32_t floor = scene->own->memory.stack[scene->hart].floor;
    first = first < floor ? floor : first;
    uint32_t size = end - first;
    if (first >= end || first < RV32_LOCAL_BASE || end - RV32_LOCAL_BASE > LOCAL_BYTES ||
        size > LOCAL_BYTES) {
        return;
    }
    bits_set(bits->local, first - RV32_LOCAL_BASE, size, true);
    const struct uninit_taint taint = {
        .first = in_stacks(scene->hart, first),
        .size = size,
        .hart = scene->hart,
        .origin = {
            .kind = ORIGIN_STACK, .address = first, .hart = scene->hart, .pc = scene->event->pc}};
    uninit_note_taint(&own->stacks, &taint);
}

void check_uninit_finished(const struct check_scene *scene)
{
    struct uninit_tile *own = uninit_of(scene);
    struct hart_bits *bits = own ? &own->hart[scene->hart] : NULL;
    const uint32_t sp = scene->tile->hart[scene->hart].x[SP];
    if (!bits || !bits->is_known || !(bits->names_any || bits->loaded || sp != bits->sp)) {
        return; /* nothing undefined goes into a result or is overwritten by one */
    }
    const struct rv32_operands *insn = check_instruction(scene);
    if (!insn->results[RV32_X]) {
        return;
    }
    bool uses_any = bits->a_bits | bits->b_bits | bits->loaded;
    uint32_t undefined = uses_any ? result_bits(bits, insn) : 0;
    bool is_load = insn->effects.traits & RV32_LOADS;
    if (undefined) {
        struct uninit_origin origin = is_load        ? bits->loaded_origin
                                      : bits->a_bits ? bits->origin[insn->rs1]
                                                     : bits->origin[insn->rs2];
        bool copies = is_load || (insn->row == RV32_ROW_ADDI && insn->imm == 0);
        const bool is_taken = is_load || (!copies && !origin.taken_at);
        origin.taken_at = is_taken ? scene->event->pc : origin.taken_at;
        origin.is_computed |= !copies;
        bits->origin[insn->rd] = origin;
    }
    set_undefined(bits, insn->rd, insn->rd ? undefined : 0);
    bits->a0_at = insn->rd == A0 && undefined ? scene->event->pc : bits->a0_at;
    if (insn->rd == SP && sp < bits->sp && insn->rs1 == SP) {
        taint_frame(scene, own, sp, bits->sp);
    }
}

static void hart_loads(const struct check_scene *scene, struct uninit_tile *own)
{
    struct hart_bits *bits = &own->hart[scene->hart];
    const struct observed *event = scene->event;
    unsigned owner; /* of the local RAM */
    const uint32_t address = check_local_address(scene, &owner), local = address - RV32_LOCAL_BASE;
    const uint64_t *locals = own->hart[owner].local;
    if (bits->pending.patience > 0 && bits->pending.origin.address / 4 == address / 4) {
        bits->pending.patience = 0; /* it polls */
    }
    const uint32_t size = event->size < 4 ? event->size : 4;
    unsigned thread, gpr;
    if (check_is_gpr(scene, &thread, &gpr)) {
        bits->loaded =
            uninit_gpr_loaded(scene, &own->gprs, thread * TENSIX_GPRS + gpr, &bits->loaded_origin);
        tile_ask(scene->tile, (enum rv32_core)scene->hart);
        return;
    }
    if (local < LOCAL_BYTES - 4 ? bits_count(locals, local, size) == 0
                                : uninit_count(&own->l1, address, size) == 0) {
        return;
    }
    tile_ask(scene->tile, (enum rv32_core)scene->hart);
    for (uint32_t i = 0; i < size; i++) {
        bool is_bad = local < LOCAL_BYTES - 4 ? bits_get(locals, local + i)
                                              : uninit_is_undefined(&own->l1, address + i);
        if (is_bad && !bits->loaded) {
            const struct uninit_taint *taint =
                local < LOCAL_BYTES ? uninit_find_taint(&own->stacks, in_stacks(owner, address + i))
                                    : NULL;
            bits->loaded_origin =
                local >= LOCAL_BYTES ? uninit_origin_in(&own->l1, address + i, event->pc)
                : taint              ? taint->origin
                                     : (struct uninit_origin){
                                           .kind = ORIGIN_LOCAL, .hart = owner, .address = address + i};
            if (local < LOCAL_BYTES && bits->loaded_origin.kind == ORIGIN_STACK) {
                bits->loaded_origin.address = address + i;
            }
        }
        bits->loaded |= is_bad ? UINT32_C(0xff) << 8 * i : 0;
    }
}

/* The undefined bits of what the hart's instruction stores. */
static uint32_t stored_bits(const struct check_scene *scene, const struct hart_bits *bits)
{
    int row = bits->b_bits ? check_instruction(scene)->row : -1;
    return row == RV32_ROW_SW || row == RV32_ROW_SH || row == RV32_ROW_SB ? bits->b_bits : 0;
}

/* The bits that count of a word for a register of the hardware. RMWCIB leaves bits of Config alone
 * that its mask does not name. */
static uint32_t bits_that_count(uint32_t address, uint32_t word)
{
    enum { VALUE_AT = 8 };
    const bool is_pushed = address - AT_INSTRN_BUF < END_INSTRN_BUF - AT_INSTRN_BUF;
    if (!is_pushed || races_reach(word) == UINT32_MAX) {
        return UINT32_MAX;
    }
    return ~((uint32_t)(uint8_t)~tensix_decode_RMWCIB0(word).mask << VALUE_AT);
}

static void hart_stores(const struct check_scene *scene, struct uninit_tile *own)
{
    struct hart_bits *bits = &own->hart[scene->hart];
    const struct observed *event = scene->event;
    unsigned owner; /* of the local RAM */
    const uint32_t address = check_local_address(scene, &owner), local = address - RV32_LOCAL_BASE;
    uint64_t *locals = own->hart[owner].local;
    const uint32_t undefined = stored_bits(scene, bits), size = event->size < 4 ? event->size : 4;
    bool is_l1 = address < scene->tile->kind->l1_bytes, is_tainted = false;
    unsigned thread, gpr;
    if (check_is_gpr(scene, &thread, &gpr)) {
        own->gprs.gpr[thread * TENSIX_GPRS + gpr].undefined = 0;
    }
    if (is_l1) {
        uninit_define(&own->l1, address, event->size);
    } else if (local < LOCAL_BYTES - 4) {
        bits_set(locals, local, size, false);
    }
    for (uint32_t i = 0; undefined && i < size; i++) {
        bool is_bad = (undefined >> 8 * i & 0xff) == 0xff;
        is_tainted |= is_bad;
        if (local < LOCAL_BYTES - 4) {
            bits_set(locals, local + i, 1, is_bad);
        } else if (is_l1 && is_bad) {
            uninit_taint_byte(&own->l1, address + i);
        }
    }
    const unsigned rs2 = undefined ? check_instruction(scene)->rs2 : 0;
    if (is_tainted && (is_l1 || local < LOCAL_BYTES)) {
        const struct uninit_taint taint = {.first = is_l1 ? address : in_stacks(owner, address),
                                           .size = event->size,
                                           .matters = bits->origin[rs2].is_computed,
                                           .node = scene->tile->node,
                                           .hart = scene->hart,
                                           .pc = event->pc,
                                           .origin = bits->origin[rs2]};
        uninit_note_taint(is_l1 ? &own->l1 : &own->stacks, &taint);
    } else if (undefined & bits_that_count(address, event->value) && !is_l1 &&
               local >= LOCAL_BYTES && check_is_of_kernel(scene, event->pc)) {
        report_hart(scene, event->pc, bits->origin[rs2],
                    "a register of the hardware, or an instruction for the coprocessor, gets a "
                    "value from");
    }
}

/* --- Packets, hosts and units --- */

/* The memory at an address of a place; NULL: none that is followed. */
static struct uninit_memory *memory_at(struct checks *checks, uint16_t node, uint64_t *address)
{
    const struct chip_place *place = &checks->chip->place[node % NOC_NODES];
    uint64_t local;
    if (place->port) {
        bool is_bank = !tile_dram_address(*address, &local);
        return is_bank ? &checks->uninit->bank[place->port->bank->number] : NULL;
    }
    struct uninit_tile *tile = checks->uninit->tile[node % NOC_NODES];
    return tile && *address < place->tile->kind->l1_bytes ? &tile->l1 : NULL;
}

static struct read_request *find_read(struct uninit_tile *own, uint32_t to, uint32_t size)
{
    for (unsigned i = 0; own && i < READS; i++) {
        struct read_request *read = &own->read[(own->reads + i) % READS];
        if (read->is_there && read->to == to && read->size == size) {
            return read;
        }
    }
    return NULL;
}

static void packet_writes(const struct check_scene *scene, struct uninit_memory *to)
{
    const struct observed *event = scene->event;
    struct uninit_memory *from = NULL;
    uint64_t source = event->back;
    struct uninit_taint taint = {.hart = event->asker, .pc = event->pc};
    taint.origin = (struct uninit_origin){
        .kind = ORIGIN_BROUGHT, .hart = event->asker, .pc = event->pc, .is_dram = false};
    if (event->packet == NOC_WRITE && source != UINT64_MAX && event->asker < RV32_CORES) {
        from = memory_at(scene->checks, event->node, &source);
        taint.matters = true;
        taint.node = event->node;
    } else if (event->packet == NOC_READ_RESPONSE && !event->is_gddr) {
        struct read_request *read =
            find_read(uninit_of(scene), (uint32_t)event->address, event->size);
        if (read) {
            read->is_there = false;
            source = read->from;
            from = memory_at(scene->checks, read->node, &source);
            taint.origin.is_dram = scene->checks->chip->place[read->node].port != NULL;
            taint.origin.pc = read->pc;
            taint.origin.hart = read->hart;
        }
    }
    uninit_copy(to, event->address, from, source, event->size, &taint);
}

static void host_reads(const struct check_scene *scene, struct uninit_memory *memory)
{
    const struct observed *event = scene->event;
    for (unsigned i = 0; i < UNINIT_TAINTS && i < memory->taints; i++) {
        const struct uninit_taint *taint = &memory->taint[i];
        bool is_read = taint->first < event->address + event->size &&
                       event->address < taint->first + taint->size;
        const struct check_scene of_maker = check_scene_at(scene, taint->node);
        if (is_read && taint->matters && taint->hart < RV32_CORES && of_maker.own) {
            uint64_t at = taint->first > event->address ? taint->first : event->address;
            if (uninit_is_undefined(memory, at)) {
                uninit_report(&of_maker, taint->hart, taint->pc, &taint->origin,
                              "a host reads what this has computed or sent from");
            }
        }
    }
}

/* Has the page of a circular buffer that holds the address any defined byte? Kernels fill parts of
 * tiles where they use no more of the results. */
static bool has_defined_page(const struct check_scene *scene, struct uninit_memory *l1,
                             uint32_t address)
{
    const struct loader_launched *launched = &scene->own->launched;
    for (unsigned i = 0; i < launched->buffers; i++) {
        const struct loader_circular_buffer *buffer = &launched->buffer[i];
        uint32_t in = address - buffer->address;
        if (in < buffer->size) {
            uint32_t page = buffer->address + in / buffer->page_size * buffer->page_size;
            return uninit_count(l1, page, buffer->page_size) < buffer->page_size;
        }
    }
    return false;
}

void check_uninit_unit_over(const struct check_scene *scene)
{
    struct uninit_tile *own = uninit_of(scene);
    struct unpacked *unpacked = own ? &own->unpacked : NULL;
    if (own) {
        uninit_gpr_unit(scene, &own->gprs);
    }
    if (!unpacked || unpacked->bytes == 0) {
        return;
    }
    if (unpacked->bytes == unpacked->undefined && scene->hart < RV32_CORES &&
        check_is_of_kernel(scene, scene->event->pc) &&
        !has_defined_page(scene, &own->l1, unpacked->address)) {
        struct uninit_origin origin =
            uninit_origin_in(&own->l1, unpacked->address, scene->event->pc);
        uninit_report(scene, scene->hart, scene->event->pc, &origin, "unpacks nothing but");
        check_uninit_forgive(scene);
    }
    *unpacked = (struct unpacked){0};
}

void check_uninit_rows(const struct check_scene *scene)
{
    struct uninit_tile *own = uninit_of(scene);
    if (own) {
        uninit_rows_unit(scene, &own->l1, &own->rows, &scene->checks->uninit->pieces);
    }
}

void check_uninit_forgive(const struct check_scene *scene)
{
    const struct uninit_tile *own = uninit_of(scene);
    uninit_rows_forgive(own ? own->rows : NULL);
}

static void unit_reads(const struct check_scene *scene, struct uninit_tile *own)
{
    const struct observed *event = scene->event;
    struct unpacked *unpacked = &own->unpacked;
    unpacked->address = unpacked->bytes ? unpacked->address : (uint32_t)event->address;
    unpacked->bytes += event->size;
    unpacked->undefined += uninit_count(&own->l1, event->address, event->size);
}

static struct uninit_tile *take_uninit(const struct check_scene *scene)
{
    struct uninit_tile **own = &scene->checks->uninit->tile[scene->tile->node];
    const struct tile_kind *kind = scene->tile->kind;
    if (!*own && kind->type == TILE_TENSIX) {
        *own = calloc(1, sizeof **own);
        unsigned pages = (kind->l1_bytes + UNINIT_PAGE_BYTES - 1) >> UNINIT_PAGE_SHIFT;
        if (*own) {
            (*own)->l1.page = calloc(pages, sizeof(struct uninit_page *));
            (*own)->l1.pages = (*own)->l1.page ? pages : 0;
            (*own)->l1.bytes = scene->tile->l1;
            (*own)->gprs.l1 = &(*own)->l1;
        }
    }
    return *own;
}

static struct uninit_memory *memory_of_event(const struct check_scene *scene,
                                             struct uninit_tile *own)
{
    const struct observed *event = scene->event;
    const struct chip_place *place = &scene->checks->chip->place[scene->tile->node];
    if (event->is_gddr) {
        return place->port ? &scene->checks->uninit->bank[place->port->bank->number] : NULL;
    }
    return own && event->address < scene->tile->kind->l1_bytes ? &own->l1 : NULL;
}

void check_uninit_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct uninit_tile *own = take_uninit(scene);
    struct uninit_memory *memory = memory_of_event(scene, own);
    bool writes = event->kind != OBSERVED_READ;
    if (event->agent <= OBSERVED_NCRISC && own && !event->is_gddr) {
        if (writes) {
            hart_stores(scene, own);
        } else {
            hart_loads(scene, own);
        }
    } else if (!memory) {
        return;
    } else if (!writes && event->agent == OBSERVED_UNPACKER) {
        unit_reads(scene, own);
    } else if (!writes && event->agent == OBSERVED_HOST) {
        host_reads(scene, memory);
    } else if (writes && event->agent == OBSERVED_NOC) {
        packet_writes(scene, memory);
    } else if (writes) {
        uninit_define(memory, event->address, event->size);
    }
}

bool check_uninit_lacks(const struct check_scene *scene, uint32_t address)
{
    struct uninit_tile *own = scene->checks->uninit ? take_uninit(scene) : NULL;
    return own && uninit_count(&own->l1, address, sizeof address) == sizeof address;
}

void check_uninit_sent(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct uninit_tile *own = take_uninit(scene);
    if (own && event->packet == NOC_READ && event->back < scene->tile->kind->l1_bytes &&
        event->asker < RV32_CORES) {
        own->read[own->reads++ % READS] = (struct read_request){.is_there = true,
                                                                .node = event->node,
                                                                .hart = event->asker,
                                                                .pc = event->pc,
                                                                .to = (uint32_t)event->back,
                                                                .size = event->size,
                                                                .from = event->address};
    }
}

/* --- Beginning and end --- */

bool check_uninit_make(struct checks *checks)
{
    checks->uninit = calloc(1, sizeof *checks->uninit);
    for (unsigned i = 0; i < GRID_BANKS && checks->uninit; i++) {
        checks->uninit->bank[i].page = calloc(BANK_PAGES, sizeof(struct uninit_page *));
        checks->uninit->bank[i].pages = checks->uninit->bank[i].page ? BANK_PAGES : 0;
    }
    return checks->uninit != NULL;
}

void check_uninit_free(struct checks *checks)
{
    for (unsigned i = 0; i < NOC_NODES && checks->uninit; i++) {
        if (checks->uninit->tile[i]) {
            uninit_free_memory(&checks->uninit->tile[i]->l1);
            free(checks->uninit->tile[i]->rows);
            free(checks->uninit->tile[i]);
        }
    }
    for (unsigned i = 0; i < GRID_BANKS && checks->uninit; i++) {
        uninit_free_memory(&checks->uninit->bank[i]);
    }
    if (checks->uninit) {
        free(checks->uninit->pieces);
    }
    free(checks->uninit);
}
