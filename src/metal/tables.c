/*
 * Bank tables and the map of logical tiles, as tt-metal's host gives them to firmware.
 * SPEC: tt-metal's firmware's tables (src/loader/firmware.h).
 */
#include <penrose/metal.h>

#include "chip/chip.h"
#include "metal/tables.h"

#include <string.h>

#include "metal/firmware.h"

enum { BANKS_OF_COLUMN = GRID_BANKS / 2 };

static unsigned metal_banks(const struct penrose_chip *chip)
{
    return GRID_BANKS - (unsigned)__builtin_popcount(chip->grid.fused.banks);
}

bool chip_dram_bank(const struct penrose_chip *chip, unsigned noc, unsigned bank, unsigned *x,
                    unsigned *y)
{
    static const uint8_t port[GRID_BANKS] = {
#define GRID_BANK(bank, x, y0, y1, y2, port) [bank] = port,
#include "grid.def"
    };
    if (bank >= metal_banks(chip) || noc >= GRID_NOCS) {
        return false;
    }
    *x = NAMED_DRAM_X + bank / BANKS_OF_COLUMN;
    *y = NAMED_DRAM_Y + GRID_PORTS * (bank % BANKS_OF_COLUMN) + (noc ? 1u : port[bank]);
    return true;
}

unsigned chip_firmware_dram_banks(const struct penrose_firmware *firmware)
{
    return firmware->loader->tables.dram_banks;
}

static uint16_t name_of_tile(unsigned x, unsigned y)
{
    return (uint16_t)(y << 6 | x);
}

/* The columns and rows in which the chip has workers. */
struct worker_lines {
    unsigned columns, rows;
};

static struct worker_lines worker_lines(const struct penrose_chip *chip)
{
    const struct grid_fused *fused = &chip->grid.fused;
    return (struct worker_lines){.columns =
                                     GRID_COLUMNS - (unsigned)__builtin_popcount(fused->columns),
                                 .rows = GRID_ROWS - (unsigned)__builtin_popcount(fused->rows)};
}

/* GUESS: banks in L1 go row by row over as many columns as their number fills; tt-metal's allocator
 * may shuffle them. */
static void fill_l1_banks(struct worker_lines lines, unsigned banks, uint16_t *xy)
{
    unsigned used = (banks + lines.rows - 1) / lines.rows;
    for (unsigned bank = 0; used && used <= lines.columns && bank < banks; bank++) {
        struct grid_position name = grid_worker_name(bank % used, bank / used);
        xy[bank] = xy[banks + bank] = name_of_tile(name.x, name.y);
    }
}

void metal_boot_tables(const struct penrose_chip *chip, const struct loader_tables *sizes,
                       struct metal_tables *tables, struct loader_boot *boot)
{
    const struct worker_lines lines = worker_lines(chip);
    unsigned x, y;
    *tables = (struct metal_tables){0};
    for (unsigned bank = 0; bank < sizes->dram_banks; bank++) {
        for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
            if (chip_dram_bank(chip, noc, bank, &x, &y)) {
                tables->dram_xy[noc * sizes->dram_banks + bank] = name_of_tile(x, y);
            }
        }
    }
    fill_l1_banks(lines, sizes->l1_banks, tables->l1_xy);
    for (unsigned i = 0; i < sizes->columns && i < lines.columns; i++) {
        tables->columns[i] = grid_worker_name(i, 0).x;
    }
    for (unsigned i = 0; i < sizes->rows && i < lines.rows; i++) {
        tables->rows[i] = grid_worker_name(0, i).y;
    }
    boot->dram_bank_to_noc_xy = tables->dram_xy;
    boot->l1_bank_to_noc_xy = tables->l1_xy;
    boot->bank_to_dram_offset = tables->dram_offset;
    boot->bank_to_l1_offset = tables->l1_offset;
    boot->column_to_virtual = tables->columns;
    boot->row_to_virtual = tables->rows;
}

/* A variable of BRISC. */
static void keep_table(const struct tile *tile, const struct loader_elf *brisc, const char *name,
                       void *table, size_t room)
{
    const struct loader_symbol *symbol = loader_elf_symbol(brisc, name);
    uint32_t at = symbol ? symbol->value - RV32_LOCAL_BASE : UINT32_MAX;
    if (symbol && symbol->size <= room && at <= TILE_B_LOCAL_BYTES &&
        symbol->size <= TILE_B_LOCAL_BYTES - at) {
        memcpy(table, tile->local[RV32_B] + at, symbol->size);
    }
}

void metal_keep_tables(struct tile *tile, const struct loader_firmware *firmware,
                       struct metal_tables *tables)
{
    const struct loader_elf *brisc = firmware->elf[LOADER_BRISC];
    uint16_t dram_xy[2 * METAL_TABLE_BANKS] = {0};
    keep_table(tile, brisc, "dram_bank_to_noc_xy", dram_xy, sizeof dram_xy);
    if (tile->run[RV32_B].state == HART_HELD || !dram_xy[0] ||
        !loader_is_loaded(brisc, firmware->entry[LOADER_BRISC], metal_l1(tile))) {
        return; /* or it has not come to copy them yet */
    }
    memcpy(tables->dram_xy, dram_xy, sizeof dram_xy);
    keep_table(tile, brisc, "l1_bank_to_noc_xy", tables->l1_xy, sizeof tables->l1_xy);
    keep_table(tile, brisc, "bank_to_dram_offset", tables->dram_offset, sizeof tables->dram_offset);
    keep_table(tile, brisc, "bank_to_l1_offset", tables->l1_offset, sizeof tables->l1_offset);
    keep_table(tile, brisc, "worker_logical_col_to_virtual_col", tables->columns,
               sizeof tables->columns);
    keep_table(tile, brisc, "worker_logical_row_to_virtual_row", tables->rows, sizeof tables->rows);
}
