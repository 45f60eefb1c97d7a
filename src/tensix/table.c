/*
 * Rows of tensix.def as isa_rows: each pass below includes the table with other cells, and builds
 * one piece of a row from them.
 */
#include "tensix/table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "isa/error.h"
#include "tensix/config/fixed_bits.h"

enum { OPCODE_LSB = 24, OPCODE_WIDTH = 8 };

/* Operand templates, ", result_reg, right, left_reg"; without the leading comma once used. */
#define FIELD(name, hi, lo)         ", " #name
#define KEY(name, hi, lo)           ", " #name
#define SELECT(name, hi, lo, value) ", " #name
#define BLANK(name)                 ", " #name
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    static const char text_##token[] = "" cells;
#include "tensix.def"

/* Bits that the hardware ignores. */
#define ANY(hi, lo) {lo, (hi) - (lo) + 1, lo},
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    static const struct isa_field any_##token = {"ignored", ISA_NUMBER, {cells{0, 0, 0}}, NULL, 0, \
                                                 NULL,      NULL};
#include "tensix.def"

/* Operands, in order. */
#define OPERAND(name, kind, hi, lo)                                                                \
    &(const struct isa_field){#name, kind, {{lo, (hi) - (lo) + 1, 0}}, NULL, 0, NULL, NULL},
#define FIELD(name, hi, lo)         OPERAND(name, ISA_NUMBER, hi, lo)
#define KEY(name, hi, lo)           OPERAND(name, ISA_FIXABLE, hi, lo)
#define SELECT(name, hi, lo, value) OPERAND(name, ISA_FIXABLE, hi, lo)
#define BLANK(name)                 OPERAND(name, ISA_FIXABLE, -1, 0)
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    static const struct isa_format format_##token = {                                              \
        &text_##token[sizeof text_##token > 1 ? 2 : 0], {cells NULL}, {&any_##token}};
#include "tensix.def"
#undef OPERAND

#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    {mnemonic, UINT32_C(opcode) << OPCODE_LSB | match_##token,                                     \
     UINT32_C(0xff) << OPCODE_LSB | mask_##token, &format_##token},
const struct isa_row tensix_rows[TENSIX_ROWS] = {
#include "tensix.def"
};

/* Blocks as tensix.def spells them. */
enum {
    BLK_NONE = 0,
#define BLOCK(NAME, bit) BLK_##NAME = TENSIX_BLOCK_##NAME,
#include "waits.def"
    BLK_ANY_SET = TENSIX_BLOCK_MASK,
    BLK_ALL_SET = TENSIX_BLOCK_MASK | 1 << 15, /* a bit that is none of the hardware's */
};

#define ROW_INFO(unit, blocks, occupancy, latency, is_stub)                                        \
    {TENSIX_UNIT_##unit,     (blocks)&TENSIX_BLOCK_MASK, occupancy, latency, is_stub,              \
     (blocks) == BLK_ALL_SET},
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    ROW_INFO(unit, blocks, occupancy, latency, false)
#define STUB(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    ROW_INFO(unit, blocks, occupancy, latency, true)
const struct tensix_row_info tensix_row_infos[TENSIX_ROWS + 1] = {
#include "tensix.def"
};
#undef ROW_INFO

const char *tensix_unit_name(enum tensix_unit unit)
{
    static const char *const names[TENSIX_UNITS] = {
        [TENSIX_UNIT_FRONTEND] = "front end", [TENSIX_UNIT_SYNC] = "sync",
        [TENSIX_UNIT_MATRIX] = "matrix",      [TENSIX_UNIT_VECTOR] = "vector",
        [TENSIX_UNIT_UNPACK] = "unpack",      [TENSIX_UNIT_PACK] = "pack",
        [TENSIX_UNIT_SCALAR] = "scalar",      [TENSIX_UNIT_CONFIG] = "config",
        [TENSIX_UNIT_MOVER] = "mover",        [TENSIX_UNIT_MISC] = "none",
    };
    return names[unit];
}

const char *tensix_absent_name(uint32_t word)
{
    const char *name = NULL;
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    if (word >> OPCODE_LSB == (opcode)) {                                                          \
        return NULL;                                                                               \
    }
#define ABSENT_INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)      \
    if (word >> OPCODE_LSB == (opcode)) {                                                          \
        name = mnemonic;                                                                           \
    }
#include "tensix.def"
    return name;
}

const struct tensix_sought *tensix_sought_of(unsigned row)
{
#define SOUGHT(places, found)                                                                      \
    {                                                                                              \
        places, found                                                                              \
    }
#define INSN(...)                                                                      {NULL, NULL},
#define STUB(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells) cells,
    static const struct tensix_sought sought[TENSIX_ROWS] = {
#include "tensix.def"
    };
    return sought[row].found ? &sought[row] : NULL;
}

/* --- GPRs that an instruction reads, see SOURCE --- */

static uint32_t gpr_word(unsigned gpr, unsigned reg)
{
    return gpr == reg ? UINT32_MAX : 0;
}

static uint32_t gpr_half(unsigned gpr, unsigned half)
{
    return gpr == half / 2 ? UINT32_C(0xffff) << half % 2 * 16 : 0;
}

/* An aligned group of four. */
static uint32_t gpr_group(unsigned gpr, unsigned reg)
{
    return gpr / 4 == reg / 4 ? UINT32_MAX : 0;
}

/* 128, 32, 16 or 8 bits. */
static uint32_t gpr_sized(unsigned gpr, unsigned size, unsigned reg)
{
    static const uint32_t low_bits[] = {UINT32_MAX, UINT32_MAX, 0xffff, 0xff};
    return (size ? gpr_word(gpr, reg) : gpr_group(gpr, reg)) & low_bits[size];
}

/* A bit of `mask` is a half. */
static uint32_t gpr_halves(unsigned mask)
{
    return (mask & 1 ? UINT32_C(0xffff) : 0) | (mask & 2 ? UINT32_C(0xffff0000) : 0);
}

uint32_t tensix_gpr_bits_read(unsigned row, uint32_t word, unsigned gpr)
{
    switch (row) {
#define SOURCE(name, hi, lo, bits) | (bits)
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    case TENSIX_ROW_##token: {                                                                     \
        const struct tensix_args_##token args = tensix_decode_##token(word);                       \
        (void)args;                                                                                \
        return 0 cells;                                                                            \
    }
#include "tensix.def"
    }
    return 0;
}

uint32_t tensix_gpr_half_set(unsigned row, uint32_t word)
{
    return tensix_has(row, TENSIX_TRAIT_SETS_HALF)
               ? gpr_halves(1u << tensix_decode_SETDMAREG_IMM(word).result_half_reg % 2)
               : UINT32_MAX;
}

/* --- What an instruction leaves as it is, or does not look at --- */

uint32_t tensix_config_bits_changed(unsigned row, uint32_t word)
{
    switch (row) {
#define CHANGES_BITS(bits) &(bits)
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    case TENSIX_ROW_##token: {                                                                     \
        const struct tensix_args_##token args = tensix_decode_##token(word);                       \
        (void)args;                                                                                \
        return UINT32_MAX cells;                                                                   \
    }
#include "tensix.def"
    }
    return UINT32_MAX;
}

static void note_ignored(struct tensix_ignored *first, uint32_t value, uint32_t bits,
                         const char *text)
{
    if (value & bits && !first->text) {
        *first = (struct tensix_ignored){value, text};
    }
}

struct tensix_ignored tensix_find_ignored(unsigned row, uint32_t word)
{
    struct tensix_ignored first = {0};
    switch (row) {
#define IGNORES(name, bits, text) note_ignored(&first, args.name, bits, text);
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    case TENSIX_ROW_##token: {                                                                     \
        const struct tensix_args_##token args = tensix_decode_##token(word);                       \
        (void)args;                                                                                \
        cells                                                                                      \
    } break;
#include "tensix.def"
    }
    return first;
}

bool tensix_depends_on_dst(unsigned row, uint32_t word)
{
    return !tensix_has(row, TENSIX_TRAIT_MOVES_TO_DST) &&
           !(tensix_has(row, TENSIX_TRAIT_ADDS_DST) && !tensix_decode_ELWADD(word).add_dst);
}

/* --- Lookups --- */

bool tensix_index_build(struct isa_index *index)
{
    return isa_index_build(index, tensix_rows, TENSIX_ROWS, OPCODE_LSB, OPCODE_WIDTH);
}

int tensix_find(uint32_t word)
{
    for (int row = 0; row < TENSIX_ROWS; row++) {
        if ((word & tensix_rows[row].mask) == tensix_rows[row].match) {
            return row;
        }
    }
    return -1;
}

int tensix_find_opcode(unsigned opcode)
{
    for (int row = 0; row < TENSIX_ROWS; row++) {
        if (tensix_rows[row].match >> OPCODE_LSB == opcode) {
            return row;
        }
    }
    return -1;
}

static unsigned count_bits(uint32_t bits)
{
    unsigned count = 0;
    for (; bits; bits &= bits - 1) {
        count++;
    }
    return count;
}

uint32_t tensix_wrong_bits(uint32_t word, int *row)
{
    uint32_t least = UINT32_MAX;
    *row = -1;
    for (int i = 0; i < TENSIX_ROWS; i++) {
        uint32_t wrong = (word ^ tensix_rows[i].match) & tensix_rows[i].mask;
        bool is_opcode = wrong >> OPCODE_LSB == 0;
        if (is_opcode && (*row < 0 || count_bits(wrong) < count_bits(least))) {
            least = wrong;
            *row = i;
        }
    }
    return least;
}

/* --- Text --- */

int tensix_disassemble(uint32_t word, char *text, size_t size)
{
    int row;
    uint32_t wrong = tensix_wrong_bits(word, &row);
    if (row < 0) {
        return snprintf(text, size, ".word 0x%08" PRIx32, word);
    }
    if (wrong) {
        return snprintf(text, size, ".word 0x%08" PRIx32 " # %s with reserved bits 0x%" PRIx32,
                        word, tensix_rows[row].mnemonic, wrong);
    }
    return isa_print(&tensix_rows[row], word, 0, text, size);
}

/* What stands in front of mnemonics elsewhere; the longest that fits is skipped. */
static size_t prefix_length(const char *text, size_t length)
{
    static const char *const prefixes[] = {"TTI_", "TT_", "TT"};
    for (unsigned i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t prefix = strlen(prefixes[i]);
        if (length > prefix && !strncasecmp(text, prefixes[i], prefix)) {
            return prefix;
        }
    }
    return 0;
}

static enum penrose_status assemble_word(const char *text, uint32_t *word,
                                         struct penrose_error *error)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)*text) || *end || value > UINT32_MAX) {
        return error_set(error, PENROSE_E_ARGUMENT, "\"%s\" is no 32-bit word", text);
    }
    *word = (uint32_t)value;
    return PENROSE_OK;
}

/* Tries the forms of a mnemonic; when none fits, the first one's complaint stands. */
static enum penrose_status assemble_forms(const char *mnemonic, size_t length, const char *operands,
                                          uint32_t *word, struct penrose_error *error)
{
    bool any = false;
    for (unsigned row = 0; row < TENSIX_ROWS; row++) {
        const char *name = tensix_rows[row].mnemonic;
        if (strlen(name) != length || strncasecmp(name, mnemonic, length) != 0) {
            continue;
        }
        if (isa_parse(&tensix_rows[row], operands, 0, word, any ? NULL : error) == PENROSE_OK) {
            return PENROSE_OK;
        }
        any = true;
    }
    return any ? PENROSE_E_ARGUMENT
               : error_set(error, PENROSE_E_ARGUMENT,
                           "\"%.*s\" is no instruction of the coprocessor", (int)length, mnemonic);
}

enum penrose_status tensix_assemble(const char *text, uint32_t *word, struct penrose_error *error)
{
    char line[256];
    text += strspn(text, " \t");
    size_t used = strcspn(text, "#\n");
    while (used > 0 && isspace((unsigned char)text[used - 1])) {
        used--;
    }
    if (used == 0 || used >= sizeof line) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "expected an instruction of at most %zu characters", sizeof line - 1);
    }
    memcpy(line, text, used);
    line[used] = 0;
    size_t length = strcspn(line, " \t");
    const char *operands = line + length + strspn(line + length, " \t");
    if (length == strlen(".word") && !strncasecmp(line, ".word", length)) {
        return assemble_word(operands, word, error);
    }
    size_t prefix = prefix_length(line, length);
    return assemble_forms(line + prefix, length - prefix, operands, word, error);
}
