/* Tables of a chip that firmware finds in the L1 of a booting tile: places of banks and logical
 * tiles. */
#ifndef METAL_TABLES_H
#define METAL_TABLES_H

#include "chip/chip.h"
#include "loader/firmware.h"

enum { METAL_TABLE_BANKS = 256, METAL_TABLE_MAPPED = 256 }; /* more do not fit in L1 */

/* Entries behind those that the chip has are zero. */
struct metal_tables {
    uint16_t dram_xy[2 * METAL_TABLE_BANKS], l1_xy[2 * METAL_TABLE_BANKS];
    int32_t dram_offset[METAL_TABLE_BANKS], l1_offset[METAL_TABLE_BANKS];
    uint8_t columns[METAL_TABLE_MAPPED], rows[METAL_TABLE_MAPPED];
};

/* Fills in tables of the sizes that the firmware has, and points `boot` to them. */
void metal_boot_tables(const struct penrose_chip *chip, const struct loader_tables *sizes,
                       struct metal_tables *tables, struct loader_boot *boot);

/* Puts tables that a host gave to this firmware in their place, where it runs on the tile: BRISC
 * keeps them in its local RAM. */
void metal_keep_tables(struct tile *tile, const struct loader_firmware *firmware,
                       struct metal_tables *tables);

#endif
