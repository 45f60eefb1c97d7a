/* Register files as data, see reg.h. */
#include "isa/reg.h"

const char *reg_name(const struct reg_file *file, uint32_t offset)
{
    struct reg_place place;
    return reg_find(file, offset, &place) ? place.row->name : NULL;
}

static void reset_bank(const struct reg_file *file, unsigned bank, void *state,
                       reg_word_of *word_of)
{
    const struct reg_bank *its = &file->bank[bank];
    for (unsigned copy = 0; copy < its->copies; copy++) {
        for (uint32_t inside = 0; inside < its->bytes; inside += 4) {
            struct reg_place place;
            if (reg_find_in(file, bank, its->first + copy * its->stride + inside, &place) &&
                place.row->reset && place.row->kind != REG_CONSTANT) {
                *word_of(state, &place) = place.row->reset;
            }
        }
    }
}

void reg_reset(const struct reg_file *file, void *state, reg_word_of *word_of)
{
    for (unsigned bank = 0; bank < file->banks; bank++) {
        reset_bank(file, bank, state, word_of);
    }
}
