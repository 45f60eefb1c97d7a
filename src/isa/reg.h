/*
 * Register files as data: the one mechanism of all blocks, from the CSRs of a hart to the registers
 * of a PCIe tile. It is here because it is machinery of tables, and below every block.
 *
 * A block's registers lie in banks: copies of the same words at a stride, such as the command
 * buffers of an NIU or the streams of an overlay. A row is a register, or several of one kind side
 * by side; it says what an access means, and whether the block itself has to act. A file has an
 * index from the words of its banks to rows, so that finding a register is one look into an array.
 *
 * Tables (src/arch) have two macros:
 *
 *   BANK(bank, first offset, copies, stride, bytes that have registers)
 *   REG(bank, offset, words, NAME, kind, traits)
 *
 * with enum reg_kind as kinds. Traits are any of
 *
 *   BITS(mask)     that can be written, where it is not all of them
 *   RESET(value)   of the register after reset, where it is not zero
 *   COPIES(mask)   of the bank that have the register, where not all have it
 *   AT(member)     where the state has its first word, unless the offset tells the block
 *   BY(handler)    what answers where the kind leaves it to the block
 *
 * and the block's own. reg_table.h makes a struct reg_file of a table.
 */
#ifndef ISA_REG_H
#define ISA_REG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What reading and writing mean. Reads give the register's word unless the kind says otherwise. */
enum reg_kind {
    REG_ABSENT,       /* there is no register */
    REG_PLAIN,        /* holds what was written */
    REG_DRIVEN,       /* hardware writes the word; writes are discarded */
    REG_LATER,        /* as PLAIN; what it controls is not modelled */
    REG_ASSUMED,      /* as PLAIN; what another value than that after reset does is not modelled */
    REG_OPAQUE,       /* as LATER; reads show nothing that is modelled either */
    REG_BLIND,        /* as DRIVEN, but nothing here drives it */
    REG_READ_CLEARS,  /* as PLAIN; a read clears it */
    REG_WRITE_CLEARS, /* a write clears the bits that it sets; without effects it stores them */
    REG_WRITE_ONLY,   /* as PLAIN; a read gives zero, a look without effects the word */
    REG_REFUSED,      /* a name is all that is known: accesses are refused */
    REG_ACTS,         /* the block serves writes */
    REG_TRIGGER,    /* as ACTS, but for writes without effects; there is no word, reads give zero */
    REG_CONSTANT,   /* always the value after reset, without a word; writes are discarded */
    REG_COMPUTED,   /* the block serves reads; writes are discarded */
    REG_LIVE,       /* as COMPUTED; a read has effects, or its value changes by itself */
    REG_OWN,        /* the block serves reads and writes */
    REG_OWN_LIVE,   /* as OWN, with such reads as LIVE */
    REG_CLOCK_LOW,  /* as OWN: the low half of the time in cycles */
    REG_CLOCK_HIGH, /* and the high one */
};

/* A handler of a block, which alone knows its type. */
typedef void reg_handler(void);

struct reg {
    const char *name;
    uint32_t offset; /* of the first word in its bank */
    uint16_t words;
    uint16_t at;   /* of the first word in the block's state, in bytes, where the block says so */
    uint8_t kind;  /* enum reg_kind */
    uint8_t group; /* the block's own */
    uint32_t kept; /* bits that a write leaves alone */
    uint32_t reset;
    uint64_t lacking; /* copies of the bank without the register */
    reg_handler *handler;
};

struct reg_bank {
    uint32_t first, stride, bytes;
    unsigned copies, index; /* where it begins in the file's index */
};

struct reg_file {
    const struct reg *row; /* [0] is the absent register */
    const uint8_t *index;  /* by word: the number of its row, 0 without one */
    const struct reg_bank *bank;
    unsigned rows, banks;
};

/* A word of a register. */
struct reg_place {
    const struct reg *row;
    unsigned bank, copy;
    uint32_t offset; /* of the word, in a copy of the bank */
    unsigned word;   /* in the row */
};

/* Finds the register at an offset in the range of a bank. Where there is none it answers false, and
 * the row is the absent register's. */
static inline bool reg_find_in(const struct reg_file *file, unsigned bank, uint32_t offset,
                               struct reg_place *place)
{
    const struct reg_bank *its = &file->bank[bank];
    uint32_t copy = (offset - its->first) / its->stride;
    uint32_t inside = (offset - its->first) % its->stride & ~UINT32_C(3);
    const struct reg *row = file->row;
    if (copy < its->copies && inside < its->bytes) {
        row += file->index[its->index + inside / 4];
    }
    if (row->kind == REG_ABSENT || row->lacking >> copy & 1) {
        place->row = file->row;
        return false;
    }
    place->row = row;
    place->bank = bank;
    place->copy = copy;
    place->offset = inside;
    place->word = (inside - row->offset) / 4;
    return true;
}

/* Looks for the register in each bank. */
static inline bool reg_find(const struct reg_file *file, uint32_t offset, struct reg_place *place)
{
    place->row = file->row;
    for (unsigned bank = 0; bank < file->banks; bank++) {
        if (reg_find_in(file, bank, offset, place)) {
            return true;
        }
    }
    return false;
}

enum reg_reply {
    REG_DONE,
    REG_UNMODELLED, /* done, but the register's behaviour is not modelled */
    REG_DENIED,     /* REFUSED */
    REG_ASK,        /* the row's handler answers */
};

/* The register's word, in a block whose rows say where their words are. */
static inline uint32_t *reg_state_word(void *state, const struct reg_place *place)
{
    return (uint32_t *)(void *)((char *)state + place->row->at) + place->word;
}

/* Gives the register's word the bits of `value` that can be written. Memory stays untouched where
 * nothing changes. */
static inline void reg_store(const struct reg *row, uint32_t *word, uint32_t value)
{
    uint32_t stored = (*word & row->kept) | (value & ~row->kept);
    if (*word != stored) {
        *word = stored;
    }
}

/* Reads as the row says. `word` is the register's, if it has one. Nothing changes without `effects`.
 */
static inline enum reg_reply reg_read(const struct reg *row, uint32_t *word, bool effects,
                                      uint32_t *value)
{
    switch ((enum reg_kind)row->kind) {
    case REG_PLAIN:
    case REG_DRIVEN:
    case REG_LATER:
    case REG_ASSUMED:
    case REG_WRITE_CLEARS:
    case REG_ACTS:
        *value = *word;
        return REG_DONE;
    case REG_OPAQUE:
    case REG_BLIND:
        *value = *word;
        return REG_UNMODELLED;
    case REG_READ_CLEARS:
        *value = *word;
        *word = effects ? 0 : *word;
        return REG_DONE;
    case REG_WRITE_ONLY:
        *value = effects ? 0 : *word;
        return REG_DONE;
    case REG_TRIGGER:
        *value = 0;
        return REG_DONE;
    case REG_CONSTANT:
        *value = row->reset;
        return REG_DONE;
    case REG_COMPUTED:
    case REG_LIVE:
    case REG_OWN:
    case REG_OWN_LIVE:
    case REG_CLOCK_LOW:
    case REG_CLOCK_HIGH:
        return REG_ASK;
    case REG_REFUSED:
    case REG_ABSENT:
        break;
    }
    return REG_DENIED;
}

/* Writes as the row says. */
static inline enum reg_reply reg_write(const struct reg *row, uint32_t *word, bool effects,
                                       uint32_t value)
{
    switch ((enum reg_kind)row->kind) {
    case REG_PLAIN:
    case REG_READ_CLEARS:
    case REG_WRITE_ONLY:
        reg_store(row, word, value);
        return REG_DONE;
    case REG_LATER:
    case REG_OPAQUE:
        reg_store(row, word, value);
        return REG_UNMODELLED;
    case REG_ASSUMED:
        reg_store(row, word, value);
        return value == row->reset ? REG_DONE : REG_UNMODELLED;
    case REG_WRITE_CLEARS:
        reg_store(row, word, effects ? *word & ~value : value);
        return REG_DONE;
    case REG_DRIVEN:
    case REG_BLIND:
    case REG_CONSTANT:
    case REG_COMPUTED:
    case REG_LIVE:
        return REG_DONE;
    case REG_TRIGGER:
        return effects ? REG_ASK : REG_DONE;
    case REG_ACTS:
    case REG_OWN:
    case REG_OWN_LIVE:
    case REG_CLOCK_LOW:
    case REG_CLOCK_HIGH:
        return REG_ASK;
    case REG_REFUSED:
    case REG_ABSENT:
        break;
    }
    return REG_DENIED;
}

/* Does a write have an effect that the row itself tells of? It takes whole words then. */
static inline bool reg_is_written(const struct reg *row)
{
    switch ((enum reg_kind)row->kind) {
    case REG_PLAIN:
    case REG_LATER:
    case REG_ASSUMED:
    case REG_OPAQUE:
    case REG_READ_CLEARS:
    case REG_WRITE_CLEARS:
    case REG_WRITE_ONLY:
    case REG_TRIGGER:
        return true;
    default:
        return false;
    }
}

/* The name of the register at an offset, NULL where there is none. */
const char *reg_name(const struct reg_file *file, uint32_t offset);

/* Gives each word of the file that is not zero after reset its value. `word_of` says where a word
 * is. */
typedef uint32_t *reg_word_of(void *state, const struct reg_place *place);
void reg_reset(const struct reg_file *file, void *state, reg_word_of *word_of);

#endif
