/* The register files of a tile's blocks: each word of a row does what its kind promises. */
#include "eth/eth.h"
#include "isa/reg.h"
#include "tile/access.h"
#include "tile/debug.h"
#include "tile/map.h"
#include "unit/tile/mmio_harness.h"

static const struct block {
    const char *name;
    const struct reg_file *file;
    uint32_t base;
    enum tile_type type;
    enum tile_agent agent;
    bool is_set_up; /* what firmware leaves: not all is as rows say */
} blocks[] = {
    {"PIC", &pic_registers, 0xffb13000, TILE_TENSIX, AGENT_NOC, false},
    {"TDMA-RISC", &tdma_registers, 0xffb11000, TILE_TENSIX, AGENT_B, false},
    {"debug", &debug_registers, 0xffb12000, TILE_TENSIX, AGENT_NOC, false},
    {"NIU", &niu_registers, 0xffb20000, TILE_TENSIX, AGENT_NOC, false},
    {"Ethernet", &eth_registers, 0xffb90000, TILE_ETHERNET, AGENT_NOC, true},
    {"DMA", &gddr_dma_registers, 0xfc000000, TILE_DRAM, AGENT_B, false},
    {"control", &tile_control_registers, 0xffb14000, TILE_DRAM, AGENT_NOC, false},
};

enum { SOME_BITS = 0x5a96c3f1 };

static uint32_t read_by(const struct block *block, enum mmio_operation operation, uint32_t address)
{
    return get_by(operation, block->agent, address);
}

static void check_stored(const struct block *block, const struct reg *row, uint32_t address)
{
    uint32_t before = read_by(block, MMIO_PEEK, address), kept = before & row->kept;
    uint32_t written = kept | (SOME_BITS & ~row->kept);
    bool is_read_only = row->kind == REG_DRIVEN || row->kind == REG_BLIND;
    ck_assert_int_eq(try_access(MMIO_POKE, block->agent, address, SOME_BITS), ANSWER_DONE);
    ck_assert_uint_eq(read_by(block, MMIO_PEEK, address), is_read_only ? before : written);
    if (row->kind == REG_WRITE_ONLY) {
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), 0);
    } else if (row->kind == REG_READ_CLEARS) {
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), written);
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), 0);
    } else {
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), is_read_only ? before : written);
    }
    ck_assert_int_eq(try_access(MMIO_POKE, block->agent, address, before), ANSWER_DONE);
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
        ck_assert(block->is_set_up || read_by(block, MMIO_PEEK, address) == row->reset);
        check_stored(block, row, address);
        break;
    case REG_REFUSED:
        ck_assert_int_eq(try_access(MMIO_READ, block->agent, address, 0), ANSWER_UNIMPLEMENTED);
        ck_assert_int_eq(try_access(MMIO_WRITE, block->agent, address, 0), ANSWER_UNIMPLEMENTED);
        return;
    case REG_TRIGGER:
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), 0);
        ck_assert_int_eq(try_access(MMIO_POKE, block->agent, address, SOME_BITS), ANSWER_DONE);
        break;
    case REG_COMPUTED:
        value = read_by(block, MMIO_PEEK, address);
        ck_assert_int_eq(try_access(MMIO_WRITE, block->agent, address, ~value), ANSWER_DONE);
        ck_assert_uint_eq(read_by(block, MMIO_READ, address), value);
        break;
    case REG_ACTS:
        ck_assert(block->is_set_up || read_by(block, MMIO_READ, address) == row->reset);
        break;
    case REG_LIVE:
        ck_assert_int_eq(try_access(MMIO_WRITE, block->agent, address, SOME_BITS), ANSWER_DONE);
        (void)read_by(block, MMIO_PEEK, address);
        break;
    default:
        (void)read_by(block, MMIO_PEEK, address);
        break;
    }
    if (reg_is_written(row)) {
        ck_assert_int_eq(try_narrow(MMIO_WRITE, block->agent, address, 2, &value), ANSWER_NARROW);
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
    unsigned words = 0;
    harness_open_type(H, block->type);
    for (unsigned bank = 0; bank < block->file->banks; bank++) {
        words += check_bank(block, bank);
    }
    ck_assert_uint_ge(words, block->file->rows - 1);
    harness_teardown();
}

TEST_EACH(addresses_ascend_in_the_map, TILE_TYPES)
{
    const struct tile_map *map = &tile_maps[_i];
    for (unsigned i = 0; i < map->count; i++) {
        ck_assert_uint_le(map->range[i].first, map->range[i].last);
        ck_assert(i == 0 || map->range[i - 1].last < map->range[i].first);
        ck_assert_uint_ge(map->last_of[TILE_BLOCK(map->range[i].first)], i);
        ck_assert_uint_ge(map->last_of[TILE_BLOCK(map->range[i].last)], i);
    }
}
