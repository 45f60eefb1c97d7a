/*
 * Firmware of the tiles beside the workers: tt-metal's active_erisc and idle_erisc with their
 * subordinates for Ethernet tiles, drisc for DRAM tiles. It is a smaller loader_firmware: a main
 * hart, perhaps a second one that it starts, mailboxes, .data images in L1.
 *
 * What tt-metal compiles itself has active_erisc without a subordinate: it is made for erisc1 alone,
 * while base firmware keeps erisc0.
 *
 * A loader_companion is read-only once open and serves any number of tiles and threads.
 */
#ifndef LOADER_COMPANION_H
#define LOADER_COMPANION_H

#include "loader/firmware.h"

enum loader_companion_kind {
    LOADER_ACTIVE_ETHERNET, /* beside the base firmware of a tile with a link */
    LOADER_IDLE_ETHERNET,
    LOADER_DRAM,
    LOADER_COMPANIONS,
};

enum { LOADER_COMPANION_HARTS = 2 };

struct loader_companion {
    const struct arch *facts;
    rv32_operands_of *operands_of;
    enum loader_companion_kind kind;
    unsigned harts;
    struct loader_elf *elf[LOADER_COMPANION_HARTS]; /* the main hart's first */
    uint32_t entry[LOADER_COMPANION_HARTS];
    uint32_t scratch[LOADER_COMPANION_HARTS]; /* where .data goes before boot; 0: it has none */
    struct loader_layout layout;
};

/* Opens it in `directory`, in the layouts that loader_firmware_open knows; errors as there.
 * Close with loader_companion_close. */
enum penrose_status loader_companion_open(const struct arch *facts, rv32_operands_of *operands_of,
                                          const char *directory, enum loader_companion_kind kind,
                                          struct loader_companion **companion,
                                          struct penrose_error *error);
void loader_companion_close(struct loader_companion *companion); /* NULL is allowed */

/* Appends the writes of L1 that boot a tile, to be applied while its harts are held or run base
 * firmware. Errors: PENROSE_E_MEMORY. */
enum penrose_status loader_companion_boot(const struct loader_companion *companion,
                                          const struct loader_boot *boot,
                                          struct loader_writes *writes,
                                          struct penrose_error *error);

/* Is it loaded, and has it finished its initialisation? */
bool loader_companion_ready(const struct loader_companion *companion, struct loader_memory memory);

#endif
