/* An opened firmware directory, and what booting and launching share. */
#ifndef METAL_FIRMWARE_H
#define METAL_FIRMWARE_H

#include <penrose/metal.h>

#include "chip/calls.h"
#include "loader/companion.h"
#include "loader/firmware.h"

struct tile;

struct penrose_firmware {
    const struct chip_calls
        *calls; /* of the kind of chip that it was opened for; the first member */
    char *directory;
    struct loader_firmware *loader;
    struct loader_companion *companion[LOADER_COMPANIONS]; /* NULL until a tile needs it */
};

/* The firmware for a tile that is no worker, opened when it is first needed. */
enum penrose_status metal_find_companion(struct penrose_firmware *firmware, const struct tile *tile,
                                         struct loader_companion **companion,
                                         struct penrose_error *error);

/* Writes into the L1 of a tile, in order. */
enum penrose_status metal_apply_writes(struct penrose_chip *chip, struct tile *tile,
                                       const struct loader_writes *writes,
                                       struct penrose_error *error);

/* The layout of the mailboxes of the firmware that booted on a tile; NULL: none did. */
const struct loader_layout *metal_layout(const struct penrose_chip *chip, const struct tile *tile);

/* See struct chip_calls, and claims.c. */
enum chip_proof metal_prove(const struct penrose_chip *chip, struct tile *tile,
                            struct tile_fault *claim);

/* Makes it the firmware, for reports, of all tiles that hold its code, after a snapshot was loaded
 * or a host has written it. It stays open as long as the chip. NULL does nothing. False: no tile
 * holds it. */
bool metal_assume(struct penrose_chip *chip, struct penrose_firmware *firmware);

/* loader_memory over the L1 of a tile. */
struct loader_memory metal_l1(struct tile *tile);

/* What tt-metal calls each hart: it numbers NCRISC second, the address map last. */
extern const enum loader_processor metal_processors[PENROSE_HARTS];

/* The hart that an enum loader_processor means. */
enum penrose_hart metal_hart_of(unsigned processor);

enum penrose_status metal_no_memory(struct penrose_error *error);

#endif
