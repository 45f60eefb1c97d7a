/*
 * A set of firmware for a Tensix tile: the five ELFs that tt-metal builds, and the data that a host
 * writes into a tile's L1 to boot it.
 *
 * A loader_firmware is read-only once open and serves any number of tiles and threads (but see
 * loader_elf_source). Invariants: all five texts, the mailboxes and the initialisation area
 * (scratch) lie in L1 and do not overlap.
 */
#ifndef LOADER_FIRMWARE_H
#define LOADER_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "loader/elf.h"
#include "loader/layout.h"
#include "loader/writes.h"
#include "rv32/operands.h"

/* The harts of a tile, in the order of tt-metal's processor index. */
enum loader_processor {
    LOADER_BRISC,
    LOADER_NCRISC,
    LOADER_TRISC0,
    LOADER_TRISC1,
    LOADER_TRISC2,
    LOADER_PROCESSORS,
};

/* "brisc", "ncrisc", "trisc0", ... */
const char *loader_processor_name(enum loader_processor processor);

/*
 * Tables in L1 that BRISC and NCRISC copy at start. Counts are 0 when the firmware has none.
 * From bank_address on: u16 dram_bank_to_noc_xy[2][dram_banks], u16 l1_bank_to_noc_xy[2][l1_banks],
 * i32 bank_to_dram_offset[dram_banks], i32 bank_to_l1_offset[l1_banks]; from map_address on:
 * u8 column_to_virtual[columns], u8 row_to_virtual[rows] at the next multiple of 4.
 */
struct loader_tables {
    uint32_t bank_address, dram_banks, l1_banks;
    uint32_t map_address, columns, rows;
};

struct loader_firmware {
    const struct arch *facts; /* of the kind of chip for which it was opened */
    rv32_operands_of *operands_of;
    struct loader_elf *elf[LOADER_PROCESSORS];
    struct loader_layout layout;
    uint32_t entry[LOADER_PROCESSORS];   /* where each hart's text starts, as reset PCs want it */
    uint32_t scratch[LOADER_PROCESSORS]; /* where each hart's .data image goes before boot */
    uint32_t ring_base; /* of the kernel_config ring; reuses the scratch area after boot */
    struct loader_tables tables;
};

/*
 * Opens the set in `directory`: either tt-metal's layout (brisc/brisc.elf, ncrisc/ncrisc.elf,
 * trisc0/trisc0.elf, ...) or all five ELFs in the directory itself, for the kind of chip with these facts,
 * whose harts read instructions by `operands_of`. Close with loader_firmware_close. Errors: PENROSE_E_FILE (a file is missing; names it and what was looked
 * for), PENROSE_E_FORMAT (not an ELF for a hart, files of different builds or for another chip),
 * PENROSE_E_LAYOUT (debug information of brisc.elf lacks something), PENROSE_E_MEMORY.
 */
enum penrose_status loader_firmware_open(const struct arch *facts, rv32_operands_of *operands_of,
                                         const char *directory, struct loader_firmware **firmware,
                                         struct penrose_error *error);

/* NULL is allowed. */
void loader_firmware_close(struct loader_firmware *firmware);

/* What differs from tile to tile. All zero is a good boot; NULL tables are written as zeros. */
struct loader_boot {
    uint8_t logical_x, logical_y; /* absolute logical coordinates of the tile */
    /* Entries as kernels use them: xy = y << 6 | x; NoC 0's first, then NoC 1's. */
    const uint16_t *dram_bank_to_noc_xy; /* [2 * tables.dram_banks] */
    const uint16_t *l1_bank_to_noc_xy;   /* [2 * tables.l1_banks] */
    const int32_t *bank_to_dram_offset;  /* [tables.dram_banks] */
    const int32_t *bank_to_l1_offset;    /* [tables.l1_banks] */
    const uint8_t *column_to_virtual;    /* [tables.columns] */
    const uint8_t *row_to_virtual;       /* [tables.rows] */
};

/*
 * Appends the writes that boot a tile: texts, .data images, the jump at address 0, tables, and the
 * mailboxes with go_messages[0] = INIT. To be applied while all harts are held in reset. On an
 * error (PENROSE_E_MEMORY) the list may have some of them. Thread-safe.
 */
enum penrose_status loader_firmware_boot(const struct loader_firmware *firmware,
                                         const struct loader_boot *boot,
                                         struct loader_writes *writes, struct penrose_error *error);

/* Reads `size` bytes of a tile's L1 without side effects; false when that is not possible. */
struct loader_memory {
    bool (*read)(void *context, uint32_t address, void *bytes, size_t size);
    void *context;
};

/* Does memory hold the code with which the program starts, at `entry`? Memory of zeros looks like
 * firmware that waits. */
bool loader_is_loaded(const struct loader_elf *elf, uint32_t entry, struct loader_memory memory);

/*
 * Is the firmware loaded, have all five harts finished their initialisation and are they waiting
 * for a launch? (Then the go signal is DONE, and so are NCRISC, TRISC1 and TRISC2; TRISC0 may still
 * clear registers.)
 */
bool loader_firmware_ready(const struct loader_firmware *firmware, struct loader_memory memory);

#endif
