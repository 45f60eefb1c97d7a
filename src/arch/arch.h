/*
 * A chip as data. The tables of a chip are in the folder of its name. The files that work on them
 * (harts, coprocessor, NoC, Ethernet, tiles, chip, debug) include them by their bare names. They
 * are compiled for each chip, with that folder on the include path, so the place of a field is a
 * constant. Files that do not depend on a chip are compiled once.
 */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include <stddef.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "arch/bar.h"

/* What files that are compiled once ask of a chip. Code that is compiled for each chip has its tables. */
struct arch {
    const char *name; /* as soc_descriptor.yaml has it, in lower case */
    unsigned clock_mhz;
    uint32_t pci_id;                          /* device and vendor, as configuration space has it */
    unsigned tiles, columns, rows;            /* places of the grid; of workers */
    uint32_t l1_bytes[PENROSE_TILE_KINDS];    /* 0: the kind has no harts */
    uint32_t local_ram, local_bytes;          /* of each hart its own: the address, the most */
    uint32_t hart_local_bytes[PENROSE_HARTS]; /* of a worker's harts */
    const char *compiler_mark; /* that the vendor's compiler for it leaves in attributes */
    uint32_t iram_image_bytes; /* room for NCRISC's instruction RAM where tt-metal boots from */
    uint64_t gddr_bytes;       /* of a bank */
    uint64_t soft_reset;       /* the register, of workers */
    uint64_t debugger, debugger_end; /* registers by which debuggers look at harts */
    uint64_t streams;                /* registers of overlay streams */
    unsigned noc_local_bits;         /* of an address on the NoC, below the coordinates of a tile */
    uint64_t bar_bytes[BARS];        /* 0: there is none */
    unsigned window_words, windows_strided;        /* of each window; windows with a word more */
    struct window_bits window_bits[WINDOW_FIELDS]; /* see arch/bar.h */
    const struct bar_region *bar_region;           /* sorted */
    unsigned bar_regions;
};

/* NULL: the chip has no such region. */
static inline const struct bar_region *arch_bar_region(const struct arch *of, enum bar_token token)
{
    for (unsigned i = 0; i < of->bar_regions; i++) {
        if (of->bar_region[i].token == token) {
            return &of->bar_region[i];
        }
    }
    return NULL;
}

/* How many windows the chip has. */
static inline unsigned arch_windows(const struct arch *of)
{
    uint64_t windows = 0;
    for (unsigned i = 0; i < of->bar_regions; i++) {
        const struct bar_region *region = &of->bar_region[i];
        uint64_t end = region->window + ((region->last + 1 - region->first) >> region->shift);
        windows = region->token == REGION_WINDOWS && end > windows ? end : windows;
    }
    return (unsigned)windows;
}

extern const struct arch arch;

/* An address of addresses.h in texts: ARCH_TEXT(AT_DEBUG) is "0xffb12000". It must be a bare number there. */
#define ARCH_TEXT(address)   ARCH_SPELLED(address)
#define ARCH_SPELLED(number) #number

#endif
