/* The chip whose tables are on the include path, as data; see arch.h. */
#include "arch/arch.h"

#include "addresses.h"
#include "geometry.h"

static const struct bar_region regions[] = {
#define REGION(token, bar, first, last, title) {REGION_##token, bar, first, last, title},
#include "bar.def"
#undef REGION
};

const struct arch arch = {
    .name = CHIP_NAME,
    .clock_mhz = CLOCK_MHZ,
    .pci_id = PCI_DEVICE_AND_VENDOR,
    .tiles = GRID_TILES,
    .columns = GRID_COLUMNS,
    .rows = GRID_ROWS,
    .l1_bytes = {[PENROSE_TILE_TENSIX] = TILE_L1_BYTES,
                 [PENROSE_TILE_ETHERNET] = TILE_E_L1_BYTES,
                 [PENROSE_TILE_DRAM] = TILE_DRAM_L1_BYTES},
    .local_ram = AT_LOCAL_RAM,
    .local_bytes = TILE_B_LOCAL_BYTES,
    .gddr_bytes = END_GDDR,
    .soft_reset = AT_SOFT_RESET_0,
    .debugger = AT_DEBUG,
    .debugger_end = END_DEBUGGER,
    .streams = AT_OVERLAY,
    .bar_region = regions,
    .bar_regions = sizeof regions / sizeof regions[0],
};
