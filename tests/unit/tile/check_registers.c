/*
 * The register files of a tile's blocks: each word of each copy of each row does what its kind
 * promises, and what no row has is not there.
 */
#include <string.h>

#include "isa/reg.h"
#include "unit/tile/mmio_harness.h"

static const struct block {
    const char *name;
    const struct reg_file *file;
    uint32_t base;
    enum tile_type type;
    enum tile_agent agent;
} blocks[] = {
    {"PIC", &pic_registers, 0xffb13000, TILE_TENSIX, AGENT_NOC},
    {"TDMA-RISC", &tdma_registers, 0xffb11000, TILE_TENSIX, AGENT_B},
    {"DMA", &gddr_dma_registers, 0xfc000000, TILE_DRAM, AGENT_B},
};

enum { SOME_BITS = 0x5a96c3f1 };

static bool needs_handler(const struct reg *row)
{
    return row->kind == REG_ACTS || (row->kind >= REG_TRIGGER && row->kind <= REG_CLOCK_HIGH);
}

TEST_EACH(rows_are_complete, COUNT(blocks))
{
    const struct reg_file *file = blocks[_i].file;
    ck_assert_int_eq(file->row[0].kind, REG_ABSENT);
    for (unsigned i = 1; i < file->rows; i++) {
        const struct reg *row = &file->row[i];
        if (!row->name || !row->words || (row->handler != NULL) != needs_handler(row) ||
            (row->reset & row->kept)) {
            ck_abort_msg("%s: row %u, %s", blocks[_i].name, i, row->name);
        }
        for (unsigned other = 1; other < i; other++) {
            ck_assert_str_ne(row->name, file->row[other].name);
        }
    }
}

static uint32_t read_by(const struct block *block, enum mmio_operation operation, uint32_t address)
{
    return get_by(operation, block->agent, address);
}

static void check_stored(const struct block *block, const struct reg *row, uint32_t address)
{
    uint32_t before = read_by(block, MMIO_PEEK, address), kept = before & row->kept;
    uint32_t written = kept | (SOME_BITS & ~row->kept);
    bool is_read_only = row->kind == REG_DRIVEN || row->kind == REG_BLIND;
    ck_assert_int_eq(try_access(MMIO_POKE, block->agent, address, SOME_BITS), MMIO_OK);
    ck_assert_uint_eq(read_by(block, MMIO_PEEK, address), is_read_only ? before : written);
    if (row->kind == REG_WRITE_ONLY) {
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), 0);
    } else if (row->kind == REG_READ_CLEARS) {
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), written);
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), 0);
    } else {
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), is_read_only ? before : written);
    }
    ck_assert_int_eq(try_access(MMIO_POKE, block->agent, address, before), MMIO_OK);
}

static void check_word(const struct block *block, const struct reg *row, uint32_t address)
{
    uint32_t value = 0;
    switch ((enum reg_kind)row->kind) {
    case REG_PLAIN:
    case REG_DRIVEN:
    case REG_LATER:
    case REG_ASSUMED:
    case REG_OPAQUE:
    case REG_BLIND:
    case REG_READ_CLEARS:
    case REG_WRITE_ONLY:
        ck_assert_uint_eq(read_by(block, MMIO_PEEK, address), row->reset);
        check_stored(block, row, address);
        break;
    case REG_REFUSED:
        ck_assert_int_eq(try_access(MMIO_READ, block->agent, address, 0), MMIO_UNIMPLEMENTED);
        ck_assert_int_eq(try_access(MMIO_WRITE, block->agent, address, 0), MMIO_UNIMPLEMENTED);
        return;
    case REG_TRIGGER:
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), 0);
        ck_assert_int_eq(try_access(MMIO_POKE, block->agent, address, SOME_BITS), MMIO_OK);
        break;
    case REG_COMPUTED:
        value = read_by(block, MMIO_PEEK, address);
        ck_assert_int_eq(try_access(MMIO_WRITE, block->agent, address, ~value), MMIO_OK);
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), value);
        break;
    case REG_ACTS:
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), row->reset);
        break;
    case REG_LIVE:
        ck_assert_int_eq(try_access(MMIO_WRITE, block->agent, address, SOME_BITS), MMIO_OK);
        (void)read_by(block, MMIO_PEEK, address);
        break;
    default:
        (void)read_by(block, MMIO_PEEK, address);
        break;
    }
    if (reg_is_written(row)) {
        ck_assert_int_eq(try_narrow(MMIO_WRITE, block->agent, address, 2, &value), MMIO_NARROW);
    }
}

/* How many words of a bank have a row, each of which was looked at. */
static unsigned check_bank(const struct block *block, unsigned number)
{
    const struct reg_bank *bank = &block->file->bank[number];
    unsigned words = 0;
    for (uint32_t at = bank->first; at < bank->first + bank->copies * bank->stride; at += 4) {
        struct reg_place place;
        if (!reg_find_in(block->file, number, at, &place)) {
            continue;
        }
        ck_assert_uint_eq(bank->first + place.copy * bank->stride + place.offset, at);
        ck_assert_uint_eq(place.row->offset + 4 * place.word, place.offset);
        ck_assert_uint_lt(place.word, place.row->words);
        ck_assert_str_eq(reg_name(block->file, at), place.row->name);
        check_word(block, place.row, block->base + at);
        words++;
    }
    return words;
}

TEST_EACH(words_keep_the_promise_of_their_kind, COUNT(blocks))
{
    const struct block *block = &blocks[_i];
    unsigned words = 0, wanted = 0;
    harness_open_type(H, block->type);
    for (unsigned bank = 0; bank < block->file->banks; bank++) {
        words += check_bank(block, bank);
    }
    for (unsigned i = 1; i < block->file->rows; i++) {
        wanted += block->file->row[i].words;
    }
    ck_assert_uint_ge(words, wanted); /* rows share no words */
    harness_teardown();
}
