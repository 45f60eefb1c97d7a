/* The chip whose tables are on the include path, as data; see arch.h. */
#include "arch/arch.h"

#include "addresses.h"
#include "geometry.h"

static const struct bar_region regions[] = {
#define REGION(token, bar, first, last, title) {REGION_##token, bar, first, last, title, 0, 0},
#define WINDOWS(window, shift, bar, first, last, title)                                            \
    {REGION_WINDOWS, bar, first, last, title, window, shift},
#include "bar.def"
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
    .hart_local_bytes = {[PENROSE_BRISC] = TILE_B_LOCAL_BYTES,
                         [PENROSE_TRISC0] = TILE_T_LOCAL_BYTES,
                         [PENROSE_TRISC1] = TILE_T_LOCAL_BYTES,
                         [PENROSE_TRISC2] = TILE_T_LOCAL_BYTES,
                         [PENROSE_NCRISC] = TILE_B_LOCAL_BYTES},
    .compiler_mark = COMPILER_MARK,
    .iram_image_bytes = METAL_IRAM_IMAGE_BYTES,
    .gddr_bytes = END_GDDR,
    .soft_reset = AT_SOFT_RESET_0,
    .debugger = AT_DEBUG,
    .debugger_end = END_DEBUGGER,
    .streams = AT_OVERLAY,
    .noc_local_bits = NOC_LOCAL_BITS,
    .bar_bytes =
        {
#define BAR(number, bytes) [number] = UINT64_C(bytes),
#include "bar.def"
        },
    .window_words = WINDOW_WORDS,
    .windows_strided = WINDOWS_STRIDED,
    .window_bits =
        {
#define WINDOW_FIELD(name, first, count) [WINDOW_##name] = {first, count},
#include "bar.def"
        },
    .bar_region = regions,
    .bar_regions = sizeof regions / sizeof regions[0],
};
