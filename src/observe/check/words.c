/*
 * Words that tell something, and data. The code behind a load says which of both it brings: a word
 * decides a branch soon, as in a loop that polls it. Data are added up, copied, or compared in a
 * loop whose address goes on from one datum to the next.
 *
 * An atomic instruction takes a word, a lock for example.
 * Where the code does not say it, the load counts as one of a word, and so it does where the word is
 * updated, which is for the store to tell (races_harts.c). Units and NoC requests read data.
 */
#include "observe/check/check.h"

#include <string.h>

#include "rv32/code.h"

enum {
    SOON = 10,   /* instructions from the load to the branch */
    MOST = 48,   /* instructions of a path */
    STEPS = 512, /* of all paths */
    PASSES = 3,  /* over a loop, until it is known which registers go on */
};

enum { RA = 1, SP = 2, S0 = 8, S1, A0, A1, A7 = 17, S2, S11 = 27 };

static uint32_t register_range(unsigned first, unsigned last)
{
    return (UINT32_C(2) << last) - (UINT32_C(1) << first);
}

/* A search along the paths of the code behind a load. */
struct search {
    const struct tile *tile;
    const struct isa_index *index;
    uint32_t load; /* pc */
    struct rv32_operands path[MOST];
    unsigned steps;
    bool decides, goes_on, updates, is_unknown;
};

static bool read_instruction(const struct search *search, uint32_t pc, struct rv32_operands *insn)
{
    uint32_t word;
    if (pc % sizeof word || pc > search->tile->kind->l1_bytes - sizeof word) {
        return false;
    }
    memcpy(&word, search->tile->l1 + pc, sizeof word);
    *insn = rv32_find_operands(search->index, word, 0);
    return insn->row >= 0 || rv32_is_ttinsn(word);
}

/* Registers that have another value in each round of the loop when it comes to the load again: those
 * that only go on from what they were, and what is made of them. */
static uint32_t find_changing(const struct search *search, unsigned length)
{
    uint32_t steps = 0, begins = 0;
    for (unsigned i = 0; i < length; i++) {
        const struct rv32_operands *insn = &search->path[i];
        steps |= insn->results[RV32_X] & insn->effects.reads;
        begins |= insn->results[RV32_X] & ~insn->effects.reads;
    }
    uint32_t changing = steps & ~begins;
    for (unsigned i = 0; i < PASSES * length; i++) {
        const struct rv32_operands *insn = &search->path[i % length];
        const bool is_made_of_it = insn->effects.reads & changing;
        changing &= ~insn->results[RV32_X];
        changing |= is_made_of_it ? insn->results[RV32_X] : 0;
    }
    return changing;
}

/* Which registers hold what was loaded, behind the instruction. A sum is something else. */
static uint32_t carry(const struct rv32_operands *insn, uint32_t carried)
{
    const uint32_t results = insn->results[RV32_X];
    const bool is_made_of_it = insn->values[RV32_X] & carried && insn->size == 0;
    const bool is_sum = insn->row == RV32_ROW_ADD || insn->row == RV32_ROW_MUL ||
                        insn->values[RV32_X] & results & ~carried;
    return is_made_of_it && !is_sum ? carried | results : carried & ~results;
}

/* Does the instruction store what is made of the loaded value to where that came from? */
static bool updates(const struct search *search, const struct rv32_operands *insn, uint32_t carried)
{
    const struct rv32_operands *load = &search->path[0];
    return insn->effects.class == RV32_CLASS_STORE && insn->rs1 == load->rs1 &&
           insn->imm == load->imm && insn->values[RV32_X] & carried;
}

static bool loads_and_stores(const struct rv32_operands *insn)
{
    return insn->effects.traits & RV32_LOADS && insn->effects.traits & RV32_STORES;
}

static bool is_branch(const struct rv32_operands *insn)
{
    return insn->effects.class == RV32_CLASS_BRANCH;
}

/* Follows the code from `pc` on, behind `length` instructions. `carried` are the registers that hold
 * what was loaded. */
static void follow_code(struct search *search, uint32_t pc, unsigned length, uint32_t carried,
                        bool decides)
{
    while (length < MOST && (carried || decides) && search->steps++ < STEPS) {
        struct rv32_operands *insn = &search->path[length];
        if (pc == search->load) {
            search->goes_on |= decides && find_changing(search, length) >> search->path[0].rs1 & 1;
            return;
        }
        if (!read_instruction(search, pc, insn)) {
            search->is_unknown = true;
            return;
        }
        length++;
        if (is_branch(insn)) {
            decides |= length <= SOON && insn->values[RV32_X] & carried;
            search->decides |= decides;
            follow_code(search, pc + (uint32_t)insn->imm, length, carried, decides);
        } else if (insn->row == RV32_ROW_JALR) { /* back to whoever has called, or anywhere */
            search->is_unknown |=
                (insn->rs1 == RA ? carried & register_range(A0, A1) : carried) != 0;
            return;
        } else if (insn->row == RV32_ROW_JAL && insn->rd == RA) {
            search->is_unknown |= (carried & register_range(A0, A7)) != 0;
            /* what a called function leaves as it is */
            carried &= register_range(SP, SP) | register_range(S0, S1) | register_range(S2, S11);
        } else if (insn->row == RV32_ROW_JAL) {
            pc += (uint32_t)insn->imm;
            continue;
        } else if (insn->row == RV32_ROW_EBREAK) {
            return;
        }
        search->updates |= updates(search, insn, carried);
        carried = carry(insn, carried);
        pc += 4;
    }
}

static bool begin_search(const struct check_scene *scene, uint32_t pc, struct search *search)
{
    *search = (struct search){.tile = scene->tile,
                              .index = rv32_code_store_index(scene->checks->chip->store),
                              .load = pc};
    return read_instruction(search, pc, &search->path[0]);
}

static bool is_load(const struct rv32_operands *insn)
{
    return insn->effects.class == RV32_CLASS_LOAD && insn->results[RV32_X];
}

static void follow_load(struct search *search)
{
    follow_code(search, search->load + 4, 1, search->path[0].results[RV32_X], false);
}

bool check_reads_data(const struct check_scene *scene, uint32_t pc)
{
    struct search search;
    if (!begin_search(scene, pc, &search) || loads_and_stores(&search.path[0])) {
        return false;
    }
    if (!is_load(&search.path[0])) {
        return true;
    }
    follow_load(&search);
    return search.goes_on || !(search.decides || search.updates || search.is_unknown);
}

bool check_updates(const struct check_scene *scene, uint32_t pc)
{
    struct search search;
    if (!begin_search(scene, pc, &search) || !is_load(&search.path[0])) {
        return false;
    }
    follow_load(&search);
    return search.updates;
}
