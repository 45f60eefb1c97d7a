/*
 * Makes the register file of a table (isa/reg.h), in the one file of a block that owns it. Include
 * it with these defined:
 *
 *   REG_FILE          the name of the struct reg_file
 *   REG_TABLE         "pic.def"
 *   REG_STATE         the struct whose members AT names, where rows have AT
 *   REG_BY(handler)   the function that BY names, where that has another name
 *   REG_PREFIX        of names, where the table leaves it out
 *
 * It defines the file and BANK_<bank>, the numbers of its banks. Two rows that have a word in
 * common do not compile, nor does a row that leaves its bank.
 */
#include "isa/reg.h"

#ifndef REG_PREFIX
#define REG_PREFIX ""
#endif
#ifndef REG_BY
#define REG_BY(handler) handler
#endif
#define BITS(mask)   .kept = (uint32_t) ~(mask),
#define RESET(value) .reset = (value),
#define COPIES(mask) .lacking = ~UINT64_C(mask),
#define AT(member)   .at = offsetof(REG_STATE, member),
#define BY(function) .handler = (reg_handler *)REG_BY(function),

enum {
#define BANK(bank, first, copies, stride, bytes) BANK_##bank,
#include REG_TABLE
    REG_BANKS,
};

enum {
#define BANK(bank, first, copies, stride, bytes)                                                   \
    BANK_INDEX_##bank, BANK_BYTES_##bank = (bytes),                                                \
                       BANK_LAST_##bank = BANK_INDEX_##bank + (bytes) / 4 - 1,
#include REG_TABLE
    BANK_INDEX_WORDS,
};

enum {
    ROW_ABSENT,
#define REG(bank, offset, words, name, kind, traits) ROW_##name,
#include REG_TABLE
    REG_ROWS,
};
_Static_assert(REG_ROWS <= UINT8_MAX + 1, "the index has bytes");

#define REG(bank, offset, words, name, kind, traits)                                               \
    _Static_assert((offset) % 4 == 0 && (offset) + 4 * (words) <= BANK_BYTES_##bank, #name);
#include REG_TABLE

static const struct reg reg_rows[REG_ROWS] = {
    {.kind = REG_ABSENT},
#define REG(bank, first, count, title, what, traits)                                               \
    {.name = REG_PREFIX #title, .offset = (first), .words = (count), .kind = REG_##what, traits},
#include REG_TABLE
};

__extension__ static const uint8_t reg_index[BANK_INDEX_WORDS] = {
#define REG(bank, offset, words, name, kind, traits)                                               \
    [BANK_INDEX_##bank + (offset) / 4 ... BANK_INDEX_##bank + (offset) / 4 + (words)-1] =          \
        ROW_##name,
#include REG_TABLE
};

static const struct reg_bank reg_banks[REG_BANKS] = {
#define BANK(bank, first, copies, stride, bytes) {first, stride, bytes, copies, BANK_INDEX_##bank},
#include REG_TABLE
};

const struct reg_file REG_FILE = {reg_rows, reg_index, reg_banks, REG_ROWS, REG_BANKS};

#undef BITS
#undef RESET
#undef COPIES
#undef AT
#undef BY
#undef REG_BY
#undef REG_PREFIX
#undef REG_STATE
#undef REG_TABLE
#undef REG_FILE
