/* metal/tables.h: DRAM banks as firmware's tables name them, on every card. */
#include <string.h>

#include <penrose/metal.h>

#include "metal/firmware.h"
#include "metal/tables.h"
#include "unit/loader/cached_firmware.h"
#include "unit/test.h"

static const struct {
    const char *card;
    unsigned banks, columns;
} cards[] = {{"unharvested", 8, 14}, {"p150a", 8, 14}, {"p100a", 7, 12}};

enum { CARDS = sizeof cards / sizeof cards[0], NOCS = 2 };

static struct penrose_chip *chip_of(const char *card)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    struct penrose_error error;
    options.card = card;
    ck_assert_msg(penrose_chip_create(&options, &chip, &error) == PENROSE_OK, "%s", error.text);
    return chip;
}

TEST_EACH(every_bank_has_a_tile_for_each_noc, CARDS)
{
    struct penrose_chip *chip = chip_of(cards[_i].card);
    unsigned x, y, of_noc1_x, of_noc1_y;
    for (unsigned noc = 0; noc < NOCS; noc++) {
        for (unsigned bank = 0; bank < cards[_i].banks; bank++) {
            ck_assert(penrose_dram_bank(chip, noc, bank, &x, &y));
            ck_assert_msg(penrose_tile_kind(chip, x, y) == PENROSE_TILE_DRAM,
                          "bank %u is at (%u, %u)", bank, x, y);
            ck_assert(penrose_from_noc1(chip, x, y, &of_noc1_x, &of_noc1_y));
            ck_assert_uint_eq(of_noc1_x, x);
            ck_assert_uint_eq(of_noc1_y, y);
        }
        ck_assert(!penrose_dram_bank(chip, noc, cards[_i].banks, &x, &y));
        ck_assert(!penrose_dram_bank(chip, noc, UINT32_MAX, &x, &y));
    }
    ck_assert(!penrose_dram_bank(chip, NOCS, 0, &x, &y));
    penrose_chip_destroy(chip);
}

/* What is written for a bank through one NoC's tile is there through the other's, and nowhere
 * else. */
TEST_EACH(banks_are_different_memories, CARDS)
{
    enum { ADDRESS = 0x123440 };
    struct penrose_chip *chip = chip_of(cards[_i].card);
    unsigned x = 0, y = 0;
    for (uint32_t bank = 0; bank < cards[_i].banks; bank++) {
        uint32_t word = 0xba000000 + bank;
        penrose_dram_bank(chip, bank % NOCS, bank, &x, &y);
        ck_assert_int_eq(penrose_write(chip, x, y, ADDRESS, &word, sizeof word, NULL), PENROSE_OK);
    }
    for (uint32_t bank = 0; bank < cards[_i].banks; bank++) {
        for (unsigned noc = 0; noc < NOCS; noc++) {
            uint32_t word = 0;
            penrose_dram_bank(chip, noc, bank, &x, &y);
            ck_assert_int_eq(penrose_peek(chip, x, y, ADDRESS, &word, sizeof word, NULL),
                             PENROSE_OK);
            ck_assert_uint_eq(word, 0xba000000 + bank);
        }
    }
    penrose_chip_destroy(chip);
}

TEST_EACH(tables_have_what_the_chip_has, CARDS)
{
    struct penrose_chip *chip = chip_of(cards[_i].card);
    static const struct loader_tables sizes[] = {
        {.dram_banks = 7, .l1_banks = 110, .columns = 20, .rows = 12},
        {.dram_banks = 8, .l1_banks = 140, .columns = 20, .rows = 12},
        {.dram_banks = 2, .l1_banks = 35, .columns = 4, .rows = 3},
        {0},
    };
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct loader_tables *size = &sizes[i];
        struct metal_tables tables;
        struct loader_boot boot = {0};
        unsigned x = 0, y = 0;
        metal_boot_tables(chip, size, &tables, &boot);
        for (unsigned bank = 0; bank < 2 * size->dram_banks; bank++) {
            bool is_there =
                penrose_dram_bank(chip, bank / size->dram_banks, bank % size->dram_banks, &x, &y);
            ck_assert_uint_eq(boot.dram_bank_to_noc_xy[bank], is_there ? y << 6 | x : 0);
        }
        bool has_all = size->l1_banks <= cards[_i].columns * 10;
        for (unsigned bank = 0; bank < 2 * size->l1_banks; bank++) {
            unsigned xy = boot.l1_bank_to_noc_xy[bank];
            ck_assert(has_all ? penrose_tile_kind(chip, xy & 63, xy >> 6) == PENROSE_TILE_TENSIX
                              : xy == 0);
            for (unsigned other = 0; has_all && other < bank % size->l1_banks; other++) {
                ck_assert_uint_ne(boot.l1_bank_to_noc_xy[other], xy);
            }
        }
        for (unsigned column = 0; column < size->columns; column++) {
            unsigned at = boot.column_to_virtual[column];
            ck_assert(column < cards[_i].columns
                          ? penrose_tile_kind(chip, at, 2) == PENROSE_TILE_TENSIX
                          : at == 0);
        }
        for (unsigned row = 0; row < size->rows; row++) {
            ck_assert_uint_eq(boot.row_to_virtual[row], row < 10 ? row + 2 : 0);
        }
    }
    penrose_chip_destroy(chip);
}

/* --- Booting again --- */

/* Fills the variable of BRISC. */
static uint32_t fill_variable(struct tile *tile, const struct loader_elf *brisc, const char *name,
                              uint16_t value)
{
    const struct loader_symbol *symbol = loader_elf_symbol(brisc, name);
    ck_assert_ptr_nonnull(symbol);
    for (uint32_t at = 0; at < symbol->size; at += sizeof value) {
        memcpy(tile->local[RV32_B] + (symbol->value - RV32_LOCAL_BASE) + at, &value, sizeof value);
    }
    return symbol->size / (uint32_t)sizeof value;
}

/* What a host gave to a firmware that runs stays when it is booted again: tt-metal's tables may
 * differ from ours. */
TEST(tables_of_a_host_are_kept)
{
    enum { X = 1, Y = 2, BANK = 0x1234, L1_BANK = 0x2345 };
    const char *set = cached_firmware_set();
    if (!set) {
        return;
    }
    struct penrose_chip *chip = chip_of("unharvested");
    struct loader_firmware *firmware;
    struct penrose_error error;
    struct metal_tables tables, ours;
    struct loader_boot boot = {0};
    struct tile *tile;
    ck_assert_int_eq(loader_firmware_open(&arch, rv32_find_operands, set, &firmware, &error),
                     PENROSE_OK);
    const struct loader_elf *brisc = firmware->elf[LOADER_BRISC];
    const struct loader_segment *code = loader_elf_segment_at(brisc, firmware->entry[LOADER_BRISC]);
    ck_assert_int_eq(chip_tile(chip, X, Y, &tile, &error), PENROSE_OK);
    metal_boot_tables(chip, &firmware->tables, &ours, &boot);
    uint32_t banks = fill_variable(tile, brisc, "dram_bank_to_noc_xy", BANK);
    uint32_t l1_banks = fill_variable(tile, brisc, "l1_bank_to_noc_xy", L1_BANK);
    for (unsigned step = 0; step < 3; step++) { /* held; held with its code; running */
        tables = ours;
        metal_keep_tables(tile, firmware, &tables);
        ck_assert_int_eq(tables.dram_xy[0] == BANK, step == 2);
        ck_assert_int_eq(tables.l1_xy[0] == L1_BANK, step == 2);
        if (step == 0) {
            ck_assert_int_eq(
                penrose_poke(chip, X, Y, code->vaddr, code->bytes, code->filesz, &error),
                PENROSE_OK);
        } else if (step == 1) {
            ck_assert_int_eq(penrose_hart_release(chip, X, Y, PENROSE_BRISC,
                                                  firmware->entry[LOADER_BRISC], &error),
                             PENROSE_OK);
        }
    }
    ck_assert_uint_eq(tables.dram_xy[banks - 1], BANK);
    ck_assert_uint_eq(tables.dram_xy[banks], 0);
    ck_assert_uint_eq(tables.l1_xy[l1_banks - 1], L1_BANK);
    fill_variable(tile, brisc, "dram_bank_to_noc_xy", 0); /* not copied yet */
    tables = ours;
    metal_keep_tables(tile, firmware, &tables);
    ck_assert_mem_eq(&tables, &ours, sizeof ours);
    penrose_chip_destroy(chip);
    loader_firmware_close(firmware);
}
