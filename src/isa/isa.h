/*
 * Instruction tables: what both instruction sets (src/rv32, src/tensix) share.
 *
 * A row gives a mnemonic, a match/mask pair and a format. A format is a text template such as
 * "rd, imm(rs1)" whose names are fields; a field is a list of bit pieces and a kind that says how
 * it is written. The same rows feed the decoder (isa_index_find), the disassembler (isa_print)
 * and the assembler (isa_parse). The laws that rows must obey (isa_check_rows) are tests:
 * match lies in mask; two rows match the same word only where the first is a special case of the
 * second (its mask covers more); fields and mask together name every bit, and once only, save
 * where a field is ISA_FIXABLE.
 */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/error.h>

/* Bits [lsb + width - 1 : lsb] of the word are bits [shift + width - 1 : shift] of the value. */
struct isa_piece {
    uint8_t lsb, width, shift;
};

enum { ISA_MAX_PIECES = 4, ISA_MAX_FIELDS = 14 };

enum isa_kind {
    ISA_NUMBER,   /* unsigned, written in decimal below 10 and hexadecimal above */
    ISA_SIGNED,   /* two's complement, written in decimal */
    ISA_TARGET,   /* signed displacement from the instruction's address, written as an address */
    ISA_REGISTER, /* index into the field's `names` */
    ISA_NAMED,    /* a value with a name in `names` (NULL entries and values past the end are
                     written as numbers); for sparse names see isa_field.name_of */
    ISA_OPTIONAL, /* last in its format: as ISA_NAMED, but the value `names_count` is written as
                     nothing at all, without even the comma in front of it */
    ISA_FIXABLE,  /* as ISA_NUMBER, but the row's mask may fix some of its bits, or all; with no
                     bits at all it is always 0 */
};

struct isa_field {
    const char *name; /* as formats spell it */
    enum isa_kind kind;
    struct isa_piece piece[ISA_MAX_PIECES]; /* ends at the first piece of width 0 */
    const char *const *names;               /* ISA_REGISTER and ISA_NAMED */
    unsigned names_count;
    /* Sparse names: returns the name of a value or NULL. Used instead of `names` when set. */
    const char *(*name_of)(uint32_t value);
    /* The inverse of name_of; false when the text names no value. */
    bool (*value_of)(const char *text, size_t length, uint32_t *value);
};

struct isa_format {
    const char *text;                               /* "rd, rs1, imm"; "" when no operands */
    const struct isa_field *field[ISA_MAX_FIELDS];  /* every field, in the order of `text` */
    const struct isa_field *hidden[ISA_MAX_FIELDS]; /* fields not written: don't-care bits */
};

struct isa_row {
    const char *mnemonic; /* as written in assembly */
    uint32_t match, mask;
    const struct isa_format *format;
};

/* The value of a field in `word`, sign-extended for ISA_SIGNED and ISA_TARGET. */
int32_t isa_field_get(const struct isa_field *field, uint32_t word);

/* Puts `value` into `*word`; false (word unchanged) when it does not fit the field. */
bool isa_field_put(const struct isa_field *field, uint32_t *word, int64_t value);

/* The bits of the word that the field covers. */
uint32_t isa_field_bits(const struct isa_field *field);

/*
 * An index over a table of rows, keyed by the low seven bits of the word when every row's mask
 * covers them, else by the high eight. Built once by its owner, then read-only.
 */
struct isa_index {
    const struct isa_row *rows;
    unsigned rows_count;
    unsigned key_lsb, key_width;
    uint16_t first[257];
    uint16_t *order;
};

/* Builds an index; false when memory runs out. Release with isa_index_free. */
bool isa_index_build(struct isa_index *index, const struct isa_row *rows, unsigned count,
                     unsigned key_lsb, unsigned key_width);
void isa_index_free(struct isa_index *index);

/* The number of the row that matches `word`, or -1. Thread-safe on a built index. */
int isa_index_find(const struct isa_index *index, uint32_t word);

/*
 * Writes "mnemonic operands" of `word`, which `row` must match, into text[size].
 * `pc` is the instruction's address (for ISA_TARGET). Returns the length, as snprintf does.
 */
int isa_print(const struct isa_row *row, uint32_t word, uint32_t pc, char *text, size_t size);

/*
 * Assembles the operands in `text` for `row` into *word (match bits included). `pc` as above.
 * Returns PENROSE_E_ARGUMENT with the operand and what was expected when the text does not fit.
 */
enum penrose_status isa_parse(const struct isa_row *row, const char *text, uint32_t pc,
                              uint32_t *word, struct penrose_error *error);

/* Checks the laws above over a table; on a violation returns false and says which in *error. */
bool isa_check_rows(const struct isa_row *rows, unsigned count, struct penrose_error *error);

#endif
