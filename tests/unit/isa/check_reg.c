/* Laws of the register files of all blocks: what a row does by itself, and that rows are apart. */
#include "isa/reg.h"

#include "chip/arc.h"
#include "chip/pcie.h"
#include "eth/eth.h"
#include "tile/tile.h"
#include "unit/test.h"

static const struct reg_file *const files[] = {
    &pic_registers, &tdma_registers, &gddr_dma_registers, &debug_registers,   &niu_registers,
    &eth_registers, &arc_registers,  &pcie_registers,     &overlay_registers, &rv32_csr_registers,
};

enum { SOME_BITS = 0x5a96c3f1, OTHER_BITS = 0x33cc55aa };

/* What a kind promises of a word. */
static const struct promise {
    enum reg_reply read, write;
    bool stores, shows; /* a write, the word; a read */
} promises[] = {
    [REG_PLAIN] = {REG_DONE, REG_DONE, true, true},
    [REG_DRIVEN] = {REG_DONE, REG_DONE, false, true},
    [REG_LATER] = {REG_DONE, REG_UNMODELLED, true, true},
    [REG_ASSUMED] = {REG_DONE, REG_UNMODELLED, true, true},
    [REG_OPAQUE] = {REG_UNMODELLED, REG_UNMODELLED, true, true},
    [REG_BLIND] = {REG_UNMODELLED, REG_DONE, false, true},
    [REG_READ_CLEARS] = {REG_DONE, REG_DONE, true, true},
    [REG_WRITE_CLEARS] = {REG_DONE, REG_DONE, true, true},
    [REG_WRITE_ONLY] = {REG_DONE, REG_DONE, true, false},
    [REG_REFUSED] = {REG_DENIED, REG_DENIED, false, false},
    [REG_ACTS] = {REG_DONE, REG_ASK, false, true},
    [REG_TRIGGER] = {REG_DONE, REG_ASK, false, false},
    [REG_CONSTANT] = {REG_DONE, REG_DONE, false, false},
    [REG_COMPUTED] = {REG_ASK, REG_DONE, false, false},
    [REG_LIVE] = {REG_ASK, REG_DONE, false, false},
    [REG_OWN] = {REG_ASK, REG_ASK, false, false},
    [REG_OWN_LIVE] = {REG_ASK, REG_ASK, false, false},
    [REG_CLOCK_LOW] = {REG_ASK, REG_ASK, false, false},
    [REG_CLOCK_HIGH] = {REG_ASK, REG_ASK, false, false},
};

static void check_row(const struct reg *row)
{
    const struct promise *promise = &promises[row->kind];
    bool is_asked = promise->read == REG_ASK || promise->write == REG_ASK;
    uint32_t word = OTHER_BITS, value = 0;
    ck_assert(row->name && row->words && (row->handler != NULL) == is_asked);
    ck_assert_int_eq(reg_read(row, &word, false, &value), promise->read);
    ck_assert_uint_eq(word, OTHER_BITS);
    if (promise->read == REG_DONE) {
        bool peeks = promise->shows || row->kind == REG_WRITE_ONLY;
        ck_assert_uint_eq(value, peeks ? OTHER_BITS : row->reset);
    }
    (void)reg_read(row, &word, true, &value);
    ck_assert_uint_eq(word, row->kind == REG_READ_CLEARS ? 0 : OTHER_BITS);
    word = OTHER_BITS;
    ck_assert_int_eq(reg_write(row, &word, true, SOME_BITS), promise->write);
    uint32_t written = row->kind == REG_WRITE_CLEARS ? OTHER_BITS & ~SOME_BITS : SOME_BITS;
    ck_assert_uint_eq(word, promise->stores ? (OTHER_BITS & row->kept) | (written & ~row->kept)
                                            : (uint32_t)OTHER_BITS);
}

TEST_EACH(rows_do_what_their_kind_says, COUNT(files))
{
    const struct reg_file *file = files[_i];
    ck_assert_int_eq(file->row[0].kind, REG_ABSENT);
    for (unsigned i = 1; i < file->rows; i++) {
        check_row(&file->row[i]);
        for (unsigned other = 1; other < i; other++) {
            ck_assert_str_ne(file->row[i].name, file->row[other].name);
        }
    }
}

/* Each row has the words that it says, each of them in one row: no two rows overlap. */
TEST_EACH(every_word_of_a_row_is_found, COUNT(files))
{
    const struct reg_file *file = files[_i];
    unsigned found = 0, words = 0;
    for (unsigned number = 0; number < file->banks; number++) {
        const struct reg_bank *bank = &file->bank[number];
        for (uint32_t inside = 0; inside < bank->bytes; inside += 4) {
            found += file->index[bank->index + inside / 4] != 0;
        }
    }
    for (unsigned i = 1; i < file->rows; i++) {
        words += file->row[i].words;
    }
    ck_assert_uint_eq(found, words);
}
