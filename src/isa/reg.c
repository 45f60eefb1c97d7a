/* Register files as data, see reg.h. */
#include "isa/reg.h"

const char *reg_name(const struct reg_file *file, uint32_t offset)
{
    struct reg_place place;
    return reg_find(file, offset, &place) ? place.row->name : NULL;
}

/* In all copies of a bank that the row belongs to. */
static void reset_row(const struct reg_file *file, const struct reg *row, unsigned bank,
                      void *state, reg_word_of *word_of)
{
    const struct reg_bank *its = &file->bank[bank];
    uint32_t end = row->offset + 4 * row->words;
    for (unsigned copy = 0; copy < its->copies; copy++) {
        for (uint32_t inside = row->offset; inside < end && inside < its->bytes; inside += 4) {
            struct reg_place place;
            if (reg_find_in(file, bank, its->first + copy * its->stride + inside, &place) &&
                place.row == row) {
                *word_of(state, &place) = row->reset;
            }
        }
    }
}

void reg_reset(const struct reg_file *file, void *state, reg_word_of *word_of)
{
    for (const struct reg *row = file->row; row < file->row + file->rows; row++) {
        for (unsigned bank = 0; bank < file->banks; bank++) {
            if (row->reset && row->kind != REG_CONSTANT) {
                reset_row(file, row, bank, state, word_of);
            }
        }
    }
}
