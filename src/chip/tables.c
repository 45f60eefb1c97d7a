/*
 * Bank tables and the map of logical tiles, as tt-metal's host gives them to firmware.
 * SPEC: tt-metal's firmware's tables (src/loader/firmware.h).
 */
#include <penrose/metal.h>

#include "chip/tables.h"

#include "chip/firmware.h"
#include "isa/export.h"

enum { BANKS_OF_COLUMN = GRID_BANKS / 2, ROWS = GRID_HEIGHT - GRID_TENSIX_ROW };

static unsigned chip_banks(const struct penrose_chip *chip)
{
    return GRID_BANKS - (unsigned)__builtin_popcount(chip->grid.fused.banks);
}

PENROSE_EXPORT bool penrose_dram_bank(const struct penrose_chip *chip, unsigned noc, unsigned bank,
                                      unsigned *x, unsigned *y)
{
    static const uint8_t port[GRID_BANKS] = {
#define GRID_BANK(bank, x, y0, y1, y2, port) [bank] = port,
#include "grid.def"
    };
    if (bank >= chip_banks(chip) || noc >= GRID_NOCS) {
        return false;
    }
    *x = NAMED_DRAM_X + bank / BANKS_OF_COLUMN;
    *y = NAMED_DRAM_Y + GRID_PORTS * (bank % BANKS_OF_COLUMN) + (noc ? 1u : port[bank]);
    return true;
}

PENROSE_EXPORT unsigned penrose_firmware_dram_banks(const struct penrose_firmware *firmware)
{
    return firmware->loader->tables.dram_banks;
}

static uint16_t name_of(unsigned x, unsigned y)
{
    return (uint16_t)(y << 6 | x);
}

/* The columns in which the chip has workers, from the left. */
static unsigned worker_columns(const struct penrose_chip *chip, uint8_t column[GRID_COLUMNS])
{
    unsigned count = 0;
    for (unsigned x = 0; x < GRID_WIDTH && count < GRID_COLUMNS; x++) {
        if (chip_has_tile(chip, PENROSE_TILE_TENSIX, x, GRID_TENSIX_ROW)) {
            column[count++] = (uint8_t)x;
        }
    }
    return count;
}

/* GUESS: banks in L1 go row by row over as many columns as their number fills; tt-metal's allocator
 * may shuffle them. */
static void fill_l1_banks(const uint8_t *column, unsigned columns, unsigned banks, uint16_t *xy)
{
    unsigned used = (banks + ROWS - 1) / ROWS;
    for (unsigned bank = 0; used && used <= columns && bank < banks; bank++) {
        xy[bank] = xy[banks + bank] = name_of(column[bank % used], GRID_TENSIX_ROW + bank / used);
    }
}

void chip_boot_tables(const struct penrose_chip *chip, const struct loader_tables *sizes,
                      struct chip_tables *tables, struct loader_boot *boot)
{
    uint8_t column[GRID_COLUMNS];
    unsigned columns = worker_columns(chip, column), x, y;
    *tables = (struct chip_tables){0};
    for (unsigned bank = 0; bank < sizes->dram_banks; bank++) {
        for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
            if (penrose_dram_bank(chip, noc, bank, &x, &y)) {
                tables->dram_xy[noc * sizes->dram_banks + bank] = name_of(x, y);
            }
        }
    }
    fill_l1_banks(column, columns, sizes->l1_banks, tables->l1_xy);
    for (unsigned i = 0; i < sizes->columns && i < columns; i++) {
        tables->columns[i] = column[i];
    }
    for (unsigned i = 0; i < sizes->rows && i < ROWS; i++) {
        tables->rows[i] = (uint8_t)(GRID_TENSIX_ROW + i);
    }
    boot->dram_bank_to_noc_xy = tables->dram_xy;
    boot->l1_bank_to_noc_xy = tables->l1_xy;
    boot->column_to_virtual = tables->columns;
    boot->row_to_virtual = tables->rows;
}
