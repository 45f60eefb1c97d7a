/*
 * A set of firmware for the loader's tests: five small ELFs with the start code, symbols and debug
 * information that the loader reads, written to a temporary folder.
 */
#ifndef LOADER_SET_H
#define LOADER_SET_H

#include "loader/firmware.h"
#include "unit/loader/loader_debug.h"

struct set_options {
    const struct arch *facts;         /* of the kind of chip for which it is opened */
    bool newer;                       /* the layout, see debug_mailboxes */
    const char *without;              /* what its debug information lacks */
    bool flat;                        /* all files in one folder */
    int left_out;                     /* the file of this processor is not written; -1: all are */
    const char *attributes;           /* contents of .riscv.attributes */
    uint32_t text[LOADER_PROCESSORS]; /* addresses */
    uint32_t scratch[LOADER_PROCESSORS]; /* 0: main() copies no data */
    uint32_t dram_banks, l1_banks;
};

/* For Blackhole, the addresses of January 2026, 7 DRAM and 110 L1 banks, tt-metal's folders. */
struct set_options set_defaults(void);

/* One file of the set, not finished. */
struct image *set_image(const struct set_options *options, enum loader_processor processor);

/* Writes the set, opens it and removes it again. */
enum penrose_status set_open(const struct set_options *options, struct loader_firmware **firmware,
                             struct penrose_error *error);

/* set_open that must succeed. */
struct loader_firmware *set_opened(const struct set_options *options);

/* Local memory of the files: data of BRISC and NCRISC, then .bss with these variables. */
#define SET_GLOBAL_POINTER UINT32_C(0xffb007f0)
#define SET_RTA_L1_BASE    UINT32_C(0xffb00018)
#define SET_CB_INTERFACE   UINT32_C(0xffb00048)
#define SET_LDM_END        UINT32_C(0xffb00830)

#endif
