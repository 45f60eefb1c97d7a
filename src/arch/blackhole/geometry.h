/* Sizes of Blackhole: of the grid and its parts, and the clock. grid.def says where each tile is.
 * SPEC: BlackholeA0 NoC/Coordinates, with the table of translated coordinates. */
#ifndef ARCH_BLACKHOLE_GEOMETRY_H
#define ARCH_BLACKHOLE_GEOMETRY_H

#define CHIP_NAME "blackhole" /* as soc_descriptor.yaml has it, in lower case */

/* The chip in the attributes of what the vendor's compiler makes. */
#define COMPILER_MARK "xtttensixbh"

/* As configuration space has it; SPEC: PCI IDs of the vendor's driver. */
#define PCI_DEVICE_AND_VENDOR UINT32_C(0xb1401e52)

/* Of harts, coprocessors and NoCs, once the power management has raised it. SPEC: the vendor's
 * firmware (AICLK, busy). */
enum { CLOCK_MHZ = 1350 };

enum {
    GRID_WIDTH = 17,
    GRID_HEIGHT = 12,
    GRID_TILES = GRID_WIDTH * GRID_HEIGHT,
    GRID_NOCS = 2,
    GRID_COLUMNS = 14, /* of Tensix tiles */
    GRID_ROWS = 10,    /* of Tensix tiles */
    GRID_TENSIX_TILES = GRID_COLUMNS * GRID_ROWS,
    GRID_ETHERNET_TILES = 14,
    GRID_BANKS = 8, /* half of them in each column of DRAM tiles */
    GRID_PORTS = 3, /* DRAM tiles of a bank */
    GRID_L2CPUS = 4,
    GRID_ROUTERS = 18, /* without a tile */
};

/* Raw NoC 0 coordinates of the columns of DRAM tiles. */
enum {
    GRID_WEST_DRAM_X = 0,
    GRID_EAST_DRAM_X = 9,
};

/* Where software finds tiles: translated coordinates. */
enum {
    NAMED_DRAM_X = 17, /* and beside it */
    NAMED_DRAM_Y = 12,
    NAMED_PCIE_X = 19,
    NAMED_PCIE_Y = 24,
    NAMED_ETHERNET_X = 20,
    NAMED_ETHERNET_Y = 25,
    NAMED_ETHERNET_COLUMNS = 12,
    NAMED_ETHERNET_ROWS = 1,
    NAMED_ETHERNET = NAMED_ETHERNET_COLUMNS * NAMED_ETHERNET_ROWS, /* so many have names */
    NAMED_ETHERNET_LAST_X = NAMED_ETHERNET_X + NAMED_ETHERNET_COLUMNS - 1,
    NAMED_ETHERNET_LAST_Y = NAMED_ETHERNET_Y + NAMED_ETHERNET_ROWS - 1,
    NAMED_L2CPU_Y = 26,
    NAMED_SECURITY_Y = 30,
};

/* Of an address on the NoC: so many bits are the place in a tile; above them are the coordinates of the
 * tile. The word of NOC_TARG_ADDR and NOC_RET_ADDR in which these begin has this name. */
enum { NOC_LOCAL_BITS = 64 };
#define NOC_COORDINATES "HI"

/* What a host's window has in its configuration; bar.def has the rest. The words of strided ones lie
 * behind all others, one a window: multicasts through them leave out some tiles. */
enum {
    WINDOW_WORDS = 3,
    WINDOWS_STRIDED = 32, /* the first ones */
};

/* Memory of tiles. */
enum {
    TILE_L1_BYTES = 1536 * 1024,
    TILE_E_L1_BYTES = 512 * 1024,
    TILE_DRAM_L1_BYTES = 128 * 1024,
    TILE_B_LOCAL_BYTES = 8192,
    TILE_T_LOCAL_BYTES = 4096,
    /* Room for an image of NCRISC's instruction RAM, which Blackhole has not. SPEC: tt-metal's
     * memory map: between the images of local RAM and the bank tables. */
    METAL_IRAM_IMAGE_BYTES = 0x2000,
};

/* Of the backend configuration; what is in which word says regs.def. */
enum {
    TENSIX_STATE_WORDS = 56 * 4, /* CFG_STATE_SIZE: of one Config state */
    TENSIX_THREAD_WORDS = 68,    /* THD_STATE_SIZE */
    TENSIX_THCON_WORD = 64,      /* THCON_CFGREG_BASE_ADDR32 */
    TENSIX_GLOBAL_WORD = 180,    /* GLOBAL_CFGREG_BASE_ADDR32: from here on both states are one */
};

/* What differs from chip to chip in the coprocessor. */
enum {
    TENSIX_PACKERS = 1,         /* packers.def says which words of Config each has of its own */
    TENSIX_IMPLIES_FORMATS = 1, /* a bank of Src has the format that its unpacker gave it */
    /* Bits of a loop count of a MOP's template 1. GUESS: ten, also in the configuration words. WH has
     * seven there; YAML has ten in the MOP of Blackhole, and LLK's tests for Blackhole configure 128
     * and 1000, of which seven bits leave 0 and 104. */
    MOP_COUNT_BITS = 10,
};

#endif
