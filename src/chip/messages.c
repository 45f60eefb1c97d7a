/*
 * Messages to ARC that concern the rest of the chip. SPEC: the vendor's published firmware for the
 * tile (reset.c, pcie_dma.c, tensix_init.c, and the layouts in msgqueue.h).
 *
 * A reset leaves a worker in the state in which the firmware leaves it. NIUs are set up again at
 * once; for that hosts send REINIT_TENSIX. L1 keeps its contents, except at TRIGGER_RESET.
 */
#include "chip/chip.h"
#include "chip/messages.h"

enum message_code {
#define ARC_MESSAGE(code, NAME, kind, value) MESSAGE_##NAME = (code),
#include "arc.def"
};

enum { DONE = 0, FAILED = 1 };

/* --- Resets --- */

static bool reset_tile(struct penrose_chip *chip, unsigned x, unsigned y, bool wipes_l1)
{
    struct tile *tile;
    if (!chip_has_tile(chip, PENROSE_TILE_TENSIX, x, y) ||
        chip_tile(chip, x, y, &tile, NULL) != PENROSE_OK) {
        return false;
    }
    tile_reset(tile, tile->now);
    chip_configure_nius(chip, tile);
    if (wipes_l1) {
        tile_wipe_l1(tile, tile->now);
    }
    return true;
}

/* Workers that nobody has touched are as after a reset. */
static uint8_t reset_tiles(struct penrose_chip *chip, bool wipes_l1)
{
    for (uint16_t place = 0; place < NOC_NODES; place++) {
        const struct tile *tile = chip->place[place].tile;
        if (tile && tile->kind->type == TILE_TENSIX) {
            struct grid_position name = chip_logical(chip, place);
            reset_tile(chip, name.x, name.y, wipes_l1);
        }
    }
    return DONE;
}

static uint8_t reset_single(struct penrose_chip *chip, uint32_t where, uint32_t *response)
{
    bool is_done = reset_tile(chip, where & 0xff, where >> 8 & 0xff, false);
    response[0] = is_done ? DONE : FAILED;
    return is_done ? DONE : FAILED;
}

static uint8_t set_up_nius(struct penrose_chip *chip)
{
    for (uint16_t place = 0; place < NOC_NODES; place++) {
        if (chip->place[place].tile) {
            chip_configure_nius(chip, chip->place[place].tile);
            chip_touch(chip, place);
        }
    }
    return DONE;
}

/* --- DMA --- */

static uint64_t joined(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

static uint8_t transfer(struct penrose_chip *chip, const uint32_t *request,
                        enum pcie_direction direction)
{
    const struct pcie_transfer transfer = {.size = request[1],
                                           .chip = joined(&request[2]),
                                           .host = joined(&request[4]),
                                           .message_address = joined(&request[6]),
                                           .message = request[0] >> 8 & 0xff};
    pcie_transfer(&chip->pcie[chip->grid.pcie & 1], direction, &transfer);
    return DONE; /* how it ended the host learns from the message that it is sent */
}

uint8_t chip_message(void *context, const uint32_t request[ARC_MESSAGE_WORDS],
                     uint32_t response[ARC_MESSAGE_WORDS])
{
    struct penrose_chip *chip = context;
    switch (request[0] & 0xff) {
    case MESSAGE_REINIT_TENSIX:
        return set_up_nius(chip);
    case MESSAGE_TRIGGER_RESET:
        return reset_tiles(chip, true);
    case MESSAGE_TOGGLE_TENSIX_RESET:
        return reset_tiles(chip, false);
    case MESSAGE_TOGGLE_SINGLE_TENSIX_RESET:
        return reset_single(chip, request[1], response);
    case MESSAGE_PCIE_DMA_CHIP_TO_HOST:
        return transfer(chip, request, PCIE_WRITE);
    case MESSAGE_PCIE_DMA_HOST_TO_CHIP:
        return transfer(chip, request, PCIE_READ);
    default: /* DEBUG_NOC_TRANSLATION: coordinates stay as they are */
        return FAILED;
    }
}
