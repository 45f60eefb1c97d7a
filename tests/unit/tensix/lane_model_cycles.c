/*
 * The model of load macros: a cycle at a time, in which up to five instructions execute on
 * what the LRegs, flags and Dst were when it began. What the page leaves open sets `undefined`, and
 * programs that do so are not compared: two writes of an LReg in one cycle, reads of a result that
 * is on its way, delays of both kinds of which only one is just ending.
 *
 * SPEC: BlackholeA0 SFPLOADMACRO; SFPMAD, SFPSWAP and SFPSHFT2 on what takes two cycles.
 */
#include "unit/tensix/lane_model.h"

#include <string.h>

enum { LREGS_0_TO_7 = 0xff };

enum f_part f_part_of(enum f_op op)
{
    switch (op) {
    case F_SFPLOAD:
    case F_SFPLOADI:
    case F_SFPLOADMACRO:
    case F_SFPNOP:
        return F_LOAD;
    case F_SFPSTORE:
        return F_STORE;
    case F_SFPADD:
    case F_SFPADDI:
    case F_SFPLUT:
    case F_SFPLUTFP32:
    case F_SFPMAD:
    case F_SFPMUL:
    case F_SFPMULI:
    case F_SFPMUL24:
        return F_MAD;
    case F_SFPSHFT2:
    case F_SFP_STOCH_RND:
        return F_ROUND;
    default:
        return F_SIMPLE;
    }
}

static bool takes_two_cycles(const struct f_insn *i)
{
    return f_part_of(i->op) == F_MAD || i->op == F_SFPSWAP ||
           (i->op == F_SFPSHFT2 && i->mod >= 2 && i->mod <= 4);
}

static bool needs_idle(const struct f_insn *i)
{
    return f_part_of(i->op) != F_MAD && takes_two_cycles(i);
}

/* --- What an instruction reads and writes, as bits of LRegs --- */

static bool reads_vb(const struct f_insn *i)
{
    switch (i->op) {
    case F_SFPXOR:
    case F_SFPGT:
    case F_SFPLE:
    case F_SFPAND:
    case F_SFPOR:
        return true;
    case F_SFPIADD:
    case F_SFPSETEXP:
    case F_SFPSETMAN:
    case F_SFPSETSGN:
        return !(i->mod & 1);
    case F_SFPSHFT:
        return (i->mod & 5) != 5;
    default:
        return false;
    }
}

static uint32_t reads(const struct f_insn *i)
{
    uint32_t vb = 1u << (i->vb_is_given ? i->vb : i->vd), vc = 1u << i->vc, vd = 1u << i->vd;
    switch (i->op) {
    case F_SFPNOP:
    case F_SFPLOADI:
    case F_SFPENCC:
    case F_SFPPUSHC:
    case F_SFPPOPC:
    case F_SFPCOMPC:
        return i->op == F_SFPLOADI && i->mod >= 8 ? vd : 0;
    case F_SFPLOAD:
    case F_SFPLOADMACRO:
        return i->mod >= 14 ? vd : 0;
    case F_SFPSTORE:
        return vd;
    case F_SFPLUT:
    case F_SFPLUTFP32:
    case F_SFPTRANSP:
        return LREGS_0_TO_7;
    case F_SFPMAD:
    case F_SFPADD:
    case F_SFPMUL:
    case F_SFPMUL24:
        return (i->mod & 4 ? UINT32_MAX : 1u << i->va) | 1u << i->vb | vc | (i->mod & 8) << 4;
    case F_SFPADDI:
    case F_SFPMULI:
        return (i->vc_is_given ? vc : vd) | (i->mod & 8) << 4;
    case F_SFPSHFT2:
        return i->mod < 2 ? 15 : i->mod == 2 ? 15 | vc : i->mod < 5 ? vc : 1u << i->vb | vc;
    case F_SFP_STOCH_RND:
    case F_SFPARECIP:
        return vc | 1u << i->vb;
    case F_SFPSWAP:
        return vc | vd;
    default:
        return vc |
               (reads_vb(i) ? i->op == F_SFPAND || i->op == F_SFPOR ? 1u << i->vb | vd : vb : 0);
    }
}

/* SPEC: SFPLOAD; besides VD a lane may get where its datum comes from. */
static bool captures_index(const struct f_state *s)
{
    uint32_t both = F_DEST_INDEX | F_CAPTURE_INDEX;
    bool captures = false;
    for (unsigned lane = 0; lane < F_LANES; lane++) {
        captures |= (s->lane_config[lane] & both) == both;
    }
    return captures;
}

static uint32_t writes(const struct f_state *s, const struct f_insn *i)
{
    uint32_t writable = LREGS_0_TO_7 | 1u << F_LREG_MACRO, vd = 1u << i->vd & writable;
    switch (i->op) {
    case F_SFPLOAD:
    case F_SFPLOADMACRO:
        return i->vd < 4 && captures_index(s) ? vd | vd << 4 : vd;
    case F_SFPNOP:
    case F_SFPSTORE:
    case F_SFPENCC:
    case F_SFPPUSHC:
    case F_SFPPOPC:
    case F_SFPCOMPC:
    case F_SFPSETCC:
        return 0;
    case F_SFPTRANSP:
        return LREGS_0_TO_7;
    case F_SFPSWAP:
        return (1u << i->vc | 1u << i->vd) & writable;
    case F_SFPSHFT2:
        return i->mod < 3 ? 15 : vd;
    case F_SFPGT:
    case F_SFPLE:
        return i->mod & 8 ? vd : 0;
    default:
        return f_part_of(i->op) == F_MAD && i->mod & 8 && i->vd != F_LREG_MACRO ? LREGS_0_TO_7 : vd;
    }
}

/* --- Executing on the state at the start of a cycle --- */

static void merge(struct f_model *m, const struct f_state *start, const struct f_state *after,
                  struct f_state *end, const struct f_insn *i)
{
    uint32_t written = writes(start, i);
    for (unsigned r = 0; r < F_LREGS; r++) {
        for (unsigned lane = 0; lane < F_LANES && written >> r & 1; lane++) {
            if (after->lreg[r][lane] == start->lreg[r][lane]) {
                continue;
            }
            if (takes_two_cycles(i)) {
                m->late.lanes[r] |= UINT32_C(1) << lane;
                m->late.value[r][lane] = after->lreg[r][lane];
            } else {
                end->lreg[r][lane] = after->lreg[r][lane];
            }
        }
    }
    if (takes_two_cycles(i)) {
        m->late.lregs |= written;
        m->late.needs_idle |= needs_idle(i);
    }
    if (f_part_of(i->op) == F_SIMPLE) {
        memcpy(end->flags, after->flags, sizeof end->flags);
        memcpy(end->uses_flags, after->uses_flags, sizeof end->uses_flags);
        memcpy(end->stack, after->stack, sizeof end->stack);
        memcpy(end->depth, after->depth, sizeof end->depth);
    }
    if (memcmp(after->generator, start->generator, sizeof end->generator) != 0) {
        m->undefined |= memcmp(end->generator, start->generator, sizeof end->generator) != 0;
        memcpy(end->generator, after->generator, sizeof end->generator);
    }
    for (unsigned row = 0; row < 1024 && i->op == F_SFPSTORE; row++) {
        for (unsigned column = 0; column < 16; column++) {
            if (after->dst[row][column] != start->dst[row][column]) {
                end->dst[row][column] = after->dst[row][column];
            }
        }
    }
    if (f_part_of(i->op) == F_LOAD || f_part_of(i->op) == F_STORE) {
        if (!i->scheduled) {
            memcpy(end->rwc, after->rwc, sizeof end->rwc);
            memcpy(end->sp, after->sp, sizeof end->sp);
        }
    }
}

/* Does a load put an index where a result is on its way, in the same lane? */
static bool meets_index(const struct f_state *s, const struct f_insn *load,
                        const struct f_late *coming)
{
    uint32_t both = F_DEST_INDEX | F_CAPTURE_INDEX;
    bool meets = false;
    for (unsigned lane = 0; load->vd < 4 && lane < F_LANES; lane++) {
        meets |= (s->lane_config[lane] & both) == both && coming->lanes[load->vd + 4] >> lane & 1;
    }
    return meets;
}

/* Conflicts of what executes in one cycle, and with what is on its way. */
static void judge(struct f_model *m, const struct f_insn *const insn[F_PARTS],
                  const struct f_late *coming)
{
    uint32_t written = coming->lregs;
    if (insn[F_LOAD] && captures_index(&m->state)) {
        written &= ~(1u << (insn[F_LOAD]->vd + 4)); /* by lane: meets_index */
    }
    const struct f_insn *simple = insn[F_SIMPLE], *round = insn[F_ROUND], *mad = insn[F_MAD];
    for (unsigned part = 0; part < F_PARTS; part++) {
        const struct f_insn *i = insn[part];
        if (i == NULL || i->op == F_SFPNOP) {
            continue;
        }
        m->undefined |= (writes(&m->state, i) & written) != 0 || (reads(i) & coming->lregs) != 0;
        m->undefined |= part == F_LOAD && meets_index(&m->state, i, coming);
        m->undefined |= coming->needs_idle && part != F_LOAD && part != F_STORE;
        written |= writes(&m->state, i);
        /* The instruction will read again what it exchanges. */
        for (unsigned other = 0; other < F_PARTS && i->op == F_SFPSWAP; other++) {
            m->undefined |=
                other != part && insn[other] && writes(&m->state, insn[other]) & reads(i);
        }
    }
    if (simple && round && simple->op != F_SFPNOP && round->op != F_SFPNOP) {
        m->undefined |= (simple->vd == F_LREG_MACRO) == (round->vd == F_LREG_MACRO);
    }
    m->undefined |= simple && simple->op == F_SFPSWAP && mad && mad->op != F_SFPNOP;
}

/* --- Scheduling --- */

static bool has_vb(enum f_op op)
{
    return op == F_SFPMAD || op == F_SFPADD || op == F_SFPMUL || op == F_SFPMUL24 ||
           op == F_SFPAND || op == F_SFPOR || op == F_SFPARECIP || op == F_SFPSHFT2 ||
           op == F_SFP_STOCH_RND;
}

static bool has_vc(enum f_op op)
{
    return op != F_SFPADDI && op != F_SFPMULI && op != F_SFPLUT && op != F_SFPLUTFP32 &&
           op != F_SFPPUSHC && op != F_SFPPOPC && op != F_SFPENCC && op != F_SFPCOMPC &&
           op != F_SFPTRANSP && op != F_SFPCONFIG && op != F_SFPNOP;
}

static void forget(struct f_model *m, unsigned part, unsigned delay)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < m->pendings; i++) {
        if (m->pending[i].part != part || m->pending[i].delay != delay) {
            m->pending[kept++] = m->pending[i];
        }
    }
    m->pendings = kept;
}

static void override(struct f_insn *i, unsigned bits, unsigned vd)
{
    if (bits & 0x80) {
        i->vb = vd;
        if (!has_vc(i->op)) {
            i->vc = i->vd;
        }
    } else {
        i->vc = vd;
        if (!has_vb(i->op)) {
            i->vb = i->vd;
        }
    }
    i->vb_is_given = i->vc_is_given = true;
    i->vd = bits & 0x40 ? F_LREG_MACRO : vd;
}

static bool schedule(struct f_model *m, const struct f_insn *macro, unsigned address, unsigned part)
{
    const struct f_state *s = &m->state;
    unsigned index = macro->word >> 22 & 3, misc = s->macro[0].misc;
    unsigned bits = s->macro[0].sequence[index] >> 8 * part & 0xff, delay = bits >> 3 & 7;
    /* The page forgets before it looks at the code. LLK's typecast of uint32 to fp32 schedules an
     * SFPMAD that a macro without one, all zeros, would then make forgotten, so code 0 does not. */
    if ((bits & 7) == 0) {
        return true;
    }
    if (delay != 7) {
        forget(m, part, delay);
    }
    struct f_insn i = {.op = F_SFPNOP};
    if ((bits & 7) == 3) {
        i = (struct f_insn){.op = F_SFPSTORE, .word = (uint32_t)F_SFPSTORE << 24};
    } else if ((bits & 7) > 3) {
        i = f_decode(macro->thread, s->macro[0].instruction[bits & 3]);
    }
    if (i.op != F_SFPNOP && f_part_of(i.op) != (enum f_part)part) {
        i = (struct f_insn){.op = F_SFPNOP};
    }
    if ((bits & 7) == 1 || (part == F_STORE && i.op == F_SFPNOP)) {
        return false;
    }
    i.scheduled = true;
    i.thread = macro->thread;
    if (part != F_STORE) {
        override(&i, bits, macro->vd);
    } else {
        i.vd = bits & 0x40 ? F_LREG_MACRO : bits & 0x80 ? i.vd : macro->vd;
        i.mod = misc >> (4 + index) & 1 ? macro->mod : misc & 15;
        i.address = address;
    }
    ck_assert_uint_lt(m->pendings, F_PENDING);
    m->pending[m->pendings++] =
        (struct f_pending){i, (enum f_part)part, delay, misc >> (8 + part) & 1};
    return true;
}

static void count_down(struct f_model *m, bool has_instruction, bool counter_ends)
{
    bool by_instructions = false;
    for (unsigned i = 0; i < m->pendings; i++) {
        by_instructions |= m->pending[i].counts_instructions;
    }
    /* Does one that counts instructions and executes now still make all others do so? */
    m->undefined |= counter_ends && !by_instructions && m->pendings > 0 && !has_instruction;
    for (unsigned i = 0; i < m->pendings && (has_instruction || !by_instructions); i++) {
        m->pending[i].delay--;
    }
}

void f_cycle(struct f_model *m, unsigned thread, uint32_t word)
{
    struct f_insn due[F_PARTS], regular = f_decode(thread, word ? word : (uint32_t)F_SFPNOP << 24);
    const struct f_insn *insn[F_PARTS] = {NULL};
    bool counter_ends = false;
    unsigned kept = 0;
    for (unsigned i = 0; i < m->pendings; i++) {
        const struct f_pending *p = &m->pending[i];
        if (p->delay > 0) {
            m->pending[kept++] = *p;
            continue;
        }
        counter_ends |= p->counts_instructions;
        due[p->part] = p->insn;
        insn[p->part] = &due[p->part];
    }
    m->pendings = kept;
    enum f_part part = f_part_of(regular.op);
    if (word) {
        m->discarded += insn[part] != NULL;
        insn[part] = insn[part] ? insn[part] : &regular;
    }
    if (regular.op == F_SFPLOADMACRO) {
        regular.vd = (word >> 20 & 3) | (word & 1) << 2;
    }
    struct f_late coming = m->late;
    judge(m, insn, &coming);
    memset(&m->late, 0, sizeof m->late);
    struct f_state start = m->state, end = start;
    unsigned address = 0;
    for (unsigned p = 0; p < F_PARTS; p++) {
        if (insn[p] == NULL) {
            continue;
        }
        m->state = start;
        if (insn[p]->op == F_SFPLOADMACRO) {
            address = f_do_load(m, insn[p]);
        } else if (!f_do(m, insn[p])) {
            m->undefined = true;
        }
        struct f_state after = m->state;
        merge(m, &start, &after, &end, insn[p]);
    }
    m->state = end;
    for (unsigned r = 0; r < F_LREGS; r++) {
        for (unsigned lane = 0; lane < F_LANES; lane++) {
            if (coming.lanes[r] >> lane & 1) {
                m->state.lreg[r][lane] = coming.value[r][lane];
            }
        }
    }
    count_down(m, word != 0, counter_ends);
    for (unsigned p = 0; p < F_LOAD && regular.op == F_SFPLOADMACRO; p++) {
        m->undefined |= !schedule(m, &regular, address, p);
    }
}
