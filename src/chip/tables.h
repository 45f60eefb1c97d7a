/* What a chip's tables in the L1 of a booting tile say: where banks and logical tiles are. */
#ifndef CHIP_TABLES_H
#define CHIP_TABLES_H

#include "chip/chip.h"
#include "loader/firmware.h"

enum { CHIP_TABLE_BANKS = 256, CHIP_TABLE_MAPPED = 256 }; /* more do not fit in L1 */

/* Entries behind those that the chip has are zero. */
struct chip_tables {
    uint16_t dram_xy[2 * CHIP_TABLE_BANKS], l1_xy[2 * CHIP_TABLE_BANKS];
    int32_t dram_offset[CHIP_TABLE_BANKS], l1_offset[CHIP_TABLE_BANKS];
    uint8_t columns[CHIP_TABLE_MAPPED], rows[CHIP_TABLE_MAPPED];
};

/* Fills in tables of the sizes that the firmware has, and points `boot` to them. */
void chip_boot_tables(const struct penrose_chip *chip, const struct loader_tables *sizes,
                      struct chip_tables *tables, struct loader_boot *boot);

/* Puts tables that a host gave to this firmware in their place, where it runs on the tile: BRISC
 * keeps them in its local RAM. */
void chip_keep_tables(struct tile *tile, const struct loader_firmware *firmware,
                      struct chip_tables *tables);

#endif
