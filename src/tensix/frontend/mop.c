/* The MOP expander: see mop.h for the state and its invariants. */
#include <assert.h>
#include <string.h>

#include "tensix/frontend/mop.h"
#include "tensix/table.h"

/* SPEC: IsNop goes by the opcode alone, and knows neither DMANOP nor SFPNOP. */
static bool is_nop(uint32_t instruction)
{
    return instruction >> 24 == TENSIX_OPCODE_NOP;
}

void mop_config(struct mop_expander *expander, uint32_t word)
{
    expander->mask_high = (uint16_t)tensix_decode_MOP_CFG(word).mask_hi;
}

/* --- Template 0: a list of instructions for each bit of the mask --- */

static void start_masked(struct mop_expansion *expansion, uint32_t count, uint32_t mask)
{
    const uint32_t *word = expansion->word;
    uint32_t *taken = expansion->list[0], *skipped = expansion->list[1];
    uint32_t n = 0;

    taken[n++] = word[MOP_A0];
    if (word[MOP_FLAGS] & MOP_HAS_A123) {
        for (unsigned i = 1; i <= 3; i++) {
            taken[n++] = word[MOP_A0 + i];
        }
    }
    skipped[0] = word[MOP_SKIP_A0];
    expansion->length[1] = 1;
    if (word[MOP_FLAGS] & MOP_HAS_B) {
        taken[n++] = word[MOP_B];
        skipped[expansion->length[1]++] = word[MOP_SKIP_B];
    }
    expansion->length[0] = n;
    expansion->mask = mask;
    expansion->iterations = count;
}

static uint32_t next_masked(struct mop_expansion *expansion)
{
    uint32_t bit = expansion->mask & 1;
    uint32_t instruction = expansion->list[bit][expansion->position++];
    if (expansion->position == expansion->length[bit]) {
        expansion->position = 0;
        expansion->mask >>= 1;
        expansion->iterations--;
    }
    return instruction;
}

/* --- Template 1: a loop in a loop --- */

static void start_loop(struct mop_expansion *expansion, uint32_t outer, uint32_t inner)
{
    const uint32_t *word = expansion->word;
    bool alternates = !is_nop(word[MOP_LOOP1]);

    expansion->starts = is_nop(word[MOP_START]) ? 0 : 1;
    expansion->inner = alternates ? inner * 2 : inner;
    expansion->ends = is_nop(word[MOP_END0]) ? 0 : is_nop(word[MOP_END1]) ? 1 : 2;
    expansion->loop[0] = word[MOP_LOOP0];
    expansion->loop[1] = word[alternates ? MOP_LOOP1 : MOP_LOOP0];
    if (outer == 1 && inner == 0 && expansion->starts == 0 && expansion->ends != 0) {
        /* SPEC: a hardware bug makes this 129 iterations, with counts of seven bits.
         * GUESS: the counter goes once around, hence 1025 with ten. */
        outer += 1 << MOP_COUNT_BITS;
    }
    bool is_empty = expansion->starts + expansion->inner + expansion->ends == 0;
    expansion->iterations = is_empty ? 0 : outer;
}

static uint32_t next_of_loop(struct mop_expansion *expansion)
{
    const uint32_t *word = expansion->word;
    uint32_t before_end = expansion->starts + expansion->inner;
    uint32_t position = expansion->position++;
    uint32_t instruction;

    if (position < expansion->starts) {
        instruction = word[MOP_START];
    } else if (position >= before_end) {
        instruction = word[MOP_END0 + (position - before_end)];
    } else if (position == before_end - 1) {
        instruction = word[expansion->iterations == 1 ? MOP_LAST_OF_ALL : MOP_LAST_OF_INNER];
    } else {
        instruction = expansion->loop[(position - expansion->starts) & 1];
    }
    if (expansion->position == before_end + expansion->ends) {
        expansion->position = 0;
        expansion->iterations--;
    }
    return instruction;
}

/* --- Both --- */

bool mop_is_sound(const struct mop_expansion *expansion)
{
    const uint32_t *length = expansion->length;
    enum { LIST = sizeof expansion->list[0] / sizeof expansion->list[0][0] };
    uint64_t end = expansion->is_loop
                       ? (uint64_t)expansion->starts + expansion->inner + expansion->ends
                       : length[expansion->mask & 1];
    bool has_words = expansion->starts <= 1 && expansion->ends <= 2;
    bool has_lists = length[0] <= LIST && length[1] <= LIST && length[0] && length[1];
    return expansion->iterations == 0 ||
           (expansion->position < end && (expansion->is_loop ? has_words : has_lists));
}

void mop_start(struct mop_expander *expander, uint32_t word)
{
    struct tensix_args_MOP args = tensix_decode_MOP(word);
    struct mop_expansion *expansion = &expander->expansion;

    assert(!mop_busy(expander));
    memcpy(expansion->word, expander->config, sizeof(expansion->word));
    expansion->position = 0;
    expansion->is_loop = args.template_number == 1;
    if (expansion->is_loop) {
        uint32_t outer = args.outer_count, inner = args.inner_count;
        start_loop(expansion, outer ? outer : expander->config[MOP_OUTER_COUNT] & MOP_COUNT_MASK,
                   inner ? inner : expander->config[MOP_INNER_COUNT] & MOP_COUNT_MASK);
    } else {
        uint32_t mask = (uint32_t)expander->mask_high << 16 | args.mask_lo;
        start_masked(expansion, (uint32_t)args.count1 + 1, mask);
    }
}

bool mop_next(struct mop_expander *expander, uint32_t *instruction)
{
    struct mop_expansion *expansion = &expander->expansion;
    if (!mop_busy(expander)) {
        return false;
    }
    *instruction = expansion->is_loop ? next_of_loop(expansion) : next_masked(expansion);
    return true;
}

void mop_discard(struct mop_expander *expander)
{
    expander->expansion.iterations = 0;
}
