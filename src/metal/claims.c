/*
 * Claims: what breaks a rule that kernels of tt-metal keep, and other programs need not. Its firmware
 * has code and scratch in the first bytes of L1, and other software uses registers of streams as it
 * likes. So a claim is right only of an instruction of a kernel, which is known if the tile holds a
 * firmware whose layout is known: kernels lie from the image on to which the launch message refers.
 */
#include "metal/firmware.h"

#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "chip/chip.h"
#include "loader/launched.h"
#include "metal/buffers.h"

/* Who was loaded by name, by a command that knows more, has the rule without a claim. */
static bool is_null_pointer(const struct penrose_chip *chip, const struct tile *tile,
                            const struct tile_fault *claim)
{
    const struct image *image = images_find(chip_images(chip), tile->x, tile->y, claim->pc);
    return !image || image->is_found;
}

/* The launch has the circular buffer to which the counter at claim->address belongs. Counters have 16
 * bits: one of so many pages that they do not tell which of them is ahead is left out, and so are launches
 * with remote buffers, whose kernels may move what is local. */
static bool is_popped_in_excess(const struct loader_layout *layout,
                                const struct loader_launched *launched, struct tile_fault *claim)
{
    const unsigned id =
        (claim->address - AT_OVERLAY) / STEP_STREAM - metal_first_buffer_stream(layout);
    for (unsigned i = 0; i < launched->buffers && !launched->has_remote_buffers; i++) {
        if (launched->buffer[i].id == id && launched->buffer[i].num_pages <= INT16_MAX) {
            char text[sizeof claim->text];
            memcpy(text, claim->text, sizeof text);
            snprintf(claim->text, sizeof claim->text, "circular buffer %u: %.*s", id,
                     PENROSE_RULE_TEXT - 32, text);
            return true;
        }
    }
    return false;
}

enum chip_proof metal_prove(const struct penrose_chip *chip, struct tile *tile,
                            struct tile_fault *claim)
{
    const struct loader_layout *layout = metal_layout(chip, tile);
    struct loader_launched launched;
    if (!layout) {
        return CHIP_UNKNOWN;
    }
    loader_launched_read(layout, metal_l1(tile), &launched);
    const bool is_right =
        launched.base && claim->pc >= launched.base &&
        (claim->kind == PENROSE_FAULT_NULL_ACCESS ? is_null_pointer(chip, tile, claim)
                                                  : is_popped_in_excess(layout, &launched, claim));
    return is_right ? CHIP_PROVEN : CHIP_REFUTED;
}
