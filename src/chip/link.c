/* Links between Ethernet tiles, see link.h. */
#include "chip/link.h"

#include <stdlib.h>

#include "chip/chip.h"
#include "isa/error.h"
#include "tile/eth_window.h"

/* --- Making links --- */

/* *tile is the Ethernet tile at (x, y), which nobody uses yet. */
static enum penrose_status find_end(struct penrose_chip *chip, unsigned x, unsigned y,
                                    struct tile **tile, struct penrose_error *error)
{
    enum penrose_status status = chip_tile(chip, x, y, tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (!(*tile)->eth) {
        char ethernet[CHIP_PLACES_TEXT];
        return error_set(error, PENROSE_E_ARGUMENT, "%s has no link; Ethernet tiles are at %s",
                         (*tile)->name, chip_list_places(chip, PENROSE_TILE_ETHERNET, ethernet));
    }
    if (chip->place[(*tile)->node].peer) {
        return error_set(error, PENROSE_E_STATE, "%s has a link already", (*tile)->name);
    }
    for (unsigned core = 0; core < RV32_CORES; core++) {
        if ((*tile)->run[core].state != HART_HELD) {
            return error_set(error, PENROSE_E_STATE,
                             "%s: %s runs already; make its link before booting", (*tile)->name,
                             (*tile)->kind->hart[core]);
        }
    }
    return PENROSE_OK;
}

static void connect(struct penrose_chip *chip, const struct tile *tile, struct penrose_chip *peer,
                    const struct tile *peer_tile)
{
    struct chip_place *place = &chip->place[tile->node];
    place->peer = peer;
    place->peer_place = peer_tile->node;
}

/* Both ends know of each other: the port comes up, and base firmware starts. */
static void bring_up(struct penrose_chip *chip, struct tile *tile, enum eth_link link)
{
    eth_set_link(tile->eth, link, tile->now);
    chip_start_ethernet(chip, tile);
}

enum penrose_status chip_ethernet_link(struct penrose_chip *chip_a, unsigned x_a, unsigned y_a,
                                       struct penrose_chip *chip_b, unsigned x_b, unsigned y_b,
                                       struct penrose_error *error)
{
    struct tile *a, *b;
    enum penrose_status status = find_end(chip_a, x_a, y_a, &a, error);
    status = status ? status : find_end(chip_b, x_b, y_b, &b, error);
    if (status != PENROSE_OK) {
        return status;
    }
    connect(chip_a, a, chip_b, b);
    connect(chip_b, b, chip_a, a);
    bring_up(chip_a, a, a == b ? ETH_LINK_LOOPBACK : ETH_LINK_UP);
    if (a != b) {
        bring_up(chip_b, b, ETH_LINK_UP);
    }
    return PENROSE_OK;
}

static void bring_down(struct penrose_chip *chip, uint16_t at)
{
    struct chip_place *place = &chip->place[at];
    place->peer = NULL;
    tile_catch_up(place->tile, chip->head.time.now);
    tile_eth_lose(place->tile);
    eth_set_link(place->tile->eth, ETH_LINK_DOWN, place->tile->now);
    chip_touch(chip, at);
}

enum penrose_status chip_ethernet_unlink(struct penrose_chip *chip, unsigned x, unsigned y,
                                         struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = chip_tile(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    struct chip_place *place = &chip->place[tile->node];
    struct penrose_chip *peer = place->peer;
    const uint16_t there = place->peer_place;
    if (!peer) {
        return error_set(error, PENROSE_E_STATE, "%s has no link", tile->name);
    }
    bring_down(chip, tile->node);
    if (peer != chip || there != tile->node) {
        bring_down(peer, there);
    }
    return PENROSE_OK;
}

/* --- Frames --- */

static void exchange_frames(struct penrose_chip *chip, struct tile *tile)
{
    struct chip_place *place = &chip->place[tile->node];
    for (struct tile_frame *frame; (frame = tile->frames_sent);) {
        tile->frames_sent = frame->next;
        frame->arrival = frame->sent + chip->head.window;
        tile_eth_arrives(place->peer->place[place->peer_place].tile, frame);
        chip_touch(place->peer, place->peer_place);
    }
}

void chip_exchange_frames(struct penrose_chip *chip)
{
    for (size_t i = 0; i < chip->runnable_count; i++) {
        struct tile *tile = chip->runnable[i]->tile;
        if (tile && tile->frames_sent) {
            exchange_frames(chip, tile);
        }
    }
}
