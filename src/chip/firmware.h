/* An opened firmware directory, and what booting and launching share. */
#ifndef CHIP_FIRMWARE_H
#define CHIP_FIRMWARE_H

#include <penrose/metal.h>

#include "chip/chip.h"
#include "loader/companion.h"
#include "loader/firmware.h"

struct penrose_firmware {
    char *directory;
    struct loader_firmware *loader;
    struct loader_companion *companion[LOADER_COMPANIONS]; /* NULL until a tile needs it */
};

/* Writes into the L1 of a tile, in order. */
enum penrose_status chip_apply_writes(struct penrose_chip *chip, struct tile *tile,
                                      const struct loader_writes *writes,
                                      struct penrose_error *error);

/* One of them, which lies in its L1, and a write to a register that always answers. */
void chip_load(struct penrose_chip *chip, struct tile *tile, uint32_t address, const void *bytes,
               uint32_t size);
void chip_load_word(struct penrose_chip *chip, struct tile *tile, uint32_t address, uint32_t value);

/* The layout of the mailboxes of the firmware that booted on a tile; NULL: none did. */
const struct loader_layout *chip_firmware_layout(const struct penrose_chip *chip,
                                                 const struct tile *tile);

/* Reports take it for the firmware of all tiles in which its code lies, as in a snapshot, or where a
 * host has written it; it stays open as long as the chip. NULL does nothing. False: it lies in none. */
bool chip_firmware_assume(struct penrose_chip *chip, struct penrose_firmware *firmware);

/* loader_memory over the L1 of a tile. */
struct loader_memory chip_l1(struct tile *tile);

/* The hart that an enum loader_processor means. */
enum penrose_hart chip_hart_of(unsigned processor);

enum penrose_status chip_no_memory(struct penrose_error *error);

/* The base firmware of an Ethernet tile: what it leaves in L1; it runs where there is a link. */
void chip_start_ethernet(struct penrose_chip *chip, struct tile *tile);

#endif
