/*
 * What a program of the Vector Unit ends with: flags of all levels, LRegs and the states of the
 * generators go to the slots of Dst that programs leave alone (they hold 0 until then).
 *
 * What a level enables shows in a store of 1.0 under its flags. Whether flags are in use there
 * shows in a second store, once an SFPGT of an LReg with itself has cleared them: then nothing is
 * stored.
 */
#include "epilogue.h"

#include "generate.h"
#include "model_internal.h"
#include "vector.h"

enum { ONE_LREG = 10, INT32_MODE = 4, LAST_STORED = 11, ALL_LANES = 2, FROM_GENERATOR = 8 };

static void push(struct program *to, uint32_t word)
{
    program_add(to, (struct step){.kind = STEP_PUSH, .word = word});
}

static void store(struct program *to, uint32_t lreg, unsigned slot)
{
    push(to, instruction(TENSIX_ROW_SFPSTORE, "vd", lreg, "mod0", (uint32_t)INT32_MODE, "imm10",
                         vector_slot_row(slot), NULL));
}

static void show_levels(struct program *to, const struct model_vector *v)
{
    for (unsigned i = 0; i <= v->depth; i++) {
        store(to, ONE_LREG, VECTOR_SLOT_ENABLED + i);
        push(to, instruction(TENSIX_ROW_SFPGT, "mod1", UINT32_C(1), NULL));
        store(to, ONE_LREG, VECTOR_SLOT_CLEARED + i);
        if (i < v->depth) {
            push(to, instruction(TENSIX_ROW_SFPPOPC, NULL));
        }
    }
}

/* The last ones can only be stored from LReg[0], which was stored first. */
static void show_lregs(struct program *to)
{
    push(to, instruction(TENSIX_ROW_SFPENCC, "mod1", UINT32_C(10), "imm2", UINT32_C(3), NULL));
    for (uint32_t i = 0; i < VECTOR_LREGS; i++) {
        if (i > LAST_STORED) {
            push(to, instruction(TENSIX_ROW_SFPMOV, "vc", i, "mod1", (uint32_t)ALL_LANES, NULL));
        }
        store(to, i > LAST_STORED ? 0 : i, VECTOR_SLOT_LREGS + i);
    }
    push(to,
         instruction(TENSIX_ROW_SFPMOV, "vc", UINT32_C(9), "mod1", (uint32_t)FROM_GENERATOR, NULL));
    store(to, 0, VECTOR_SLOT_GENERATOR);
}

void epilogue_vector(struct program *to, const struct model *model)
{
    if (model->vector.started) {
        show_levels(to, &model->vector);
        show_lregs(to);
    }
    program_add(to, (struct step){.kind = STEP_SYNC});
}

/* --- Names --- */

void epilogue_vector_name(uint32_t word, char *name, size_t size)
{
    unsigned slot = word / VECTOR_LANES, lane = word % VECTOR_LANES;
    if (slot < VECTOR_FREE_SLOTS) {
        snprintf(name, size, "dst32[%u] lane %u", (unsigned)vector_slot_row(slot), lane);
    } else if (slot < VECTOR_SLOT_CLEARED) {
        snprintf(name, size, "flags of level %u, lane %u", slot - VECTOR_SLOT_ENABLED, lane);
    } else if (slot < VECTOR_SLOT_LREGS) {
        snprintf(name, size, "use of flags of level %u, lane %u", slot - VECTOR_SLOT_CLEARED, lane);
    } else if (slot < VECTOR_SLOT_GENERATOR) {
        snprintf(name, size, "LReg[%u] lane %u", slot - VECTOR_SLOT_LREGS, lane);
    } else {
        snprintf(name, size, "generator of lane %u", lane);
    }
}

void epilogue_vector_order(const uint32_t *rows, uint32_t *slots)
{
    enum { ROW_WORDS = 16 };
    for (unsigned slot = 0; slot < VECTOR_SLOTS; slot++) {
        for (unsigned lane = 0; lane < VECTOR_LANES; lane++) {
            unsigned row = slot / 2 * 4 + lane / 8, column = lane % 8 * 2 + slot % 2;
            *slots++ = rows[row * ROW_WORDS + column];
        }
    }
}
