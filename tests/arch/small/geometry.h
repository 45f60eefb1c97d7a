/*
 * Sizes of a made-up small chip, whose tables differ from Blackhole's in what units must not know by
 * themselves: grid, names of tiles, addresses, sizes, places of fields. Tables that are not in this
 * folder are Blackhole's. Names are explained there.
 */
#ifndef SMALL_GEOMETRY_H
#define SMALL_GEOMETRY_H

#define CHIP_NAME "small"

#define COMPILER_MARK "xtttensixsm"

/* As configuration space has it; SPEC: PCI IDs of the vendor's driver. */
#define PCI_DEVICE_AND_VENDOR UINT32_C(0xb1411e52)

enum { CLOCK_MHZ = 250 };

enum {
    GRID_WIDTH = 5,
    GRID_HEIGHT = 6,
    GRID_TILES = GRID_WIDTH * GRID_HEIGHT,
    GRID_NOCS = 2,
    GRID_COLUMNS = 2,
    GRID_ROWS = 3,
    GRID_TENSIX_TILES = GRID_COLUMNS * GRID_ROWS,
    GRID_ETHERNET_TILES = 4,
    GRID_BANKS = 2,
    GRID_PORTS = 3,
    GRID_L2CPUS = 1,
    GRID_ROUTERS = 9,
};

enum {
    GRID_WEST_DRAM_X = 0,
    GRID_EAST_DRAM_X = 4,
};

enum {
    NAMED_DRAM_X = 6,
    NAMED_DRAM_Y = 7,
    NAMED_PCIE_X = 9,
    NAMED_PCIE_Y = 10,
    NAMED_ETHERNET_X = 10,
    NAMED_ETHERNET_Y = 11,
    NAMED_ETHERNET_COLUMNS = 2,
    NAMED_ETHERNET_ROWS = 2,
    NAMED_ETHERNET = NAMED_ETHERNET_COLUMNS * NAMED_ETHERNET_ROWS,
    NAMED_ETHERNET_LAST_X = NAMED_ETHERNET_X + NAMED_ETHERNET_COLUMNS - 1,
    NAMED_ETHERNET_LAST_Y = NAMED_ETHERNET_Y + NAMED_ETHERNET_ROWS - 1,
    NAMED_L2CPU_Y = 13,
    NAMED_SECURITY_Y = 14,
};

enum { NOC_LOCAL_BITS = 36 };
#define NOC_COORDINATES "MID"

enum {
    WINDOW_WORDS = 2,
    WINDOWS_STRIDED = 0,
};

enum {
    TILE_L1_BYTES = 1024 * 1024,
    TILE_E_L1_BYTES = 256 * 1024,
    TILE_DRAM_L1_BYTES = 64 * 1024,
    TILE_B_LOCAL_BYTES = 8192,
    TILE_T_LOCAL_BYTES = 4096,
    METAL_IRAM_IMAGE_BYTES = 0x400,
};

/* moved.awk moves fields accordingly. */
enum {
    TENSIX_STATE_WORDS = 228,
    TENSIX_THREAD_WORDS = 72,
    TENSIX_THCON_WORD = 72,
    TENSIX_GLOBAL_WORD = 185,
};

enum {
    TENSIX_PACKERS = 2,
    TENSIX_IMPLIES_FORMATS = 0,
    MOP_COUNT_BITS = 7,
};

#endif
