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

const struct penrose_chip *chip_link_peer(const struct tile *tile, struct grid_position *at)
{
    const struct penrose_chip *chip = tile->owner;
    const struct chip_place *place = &chip->place[tile->node];
    if (place->peer) {
        *at = chip_logical(place->peer, place->peer_place);
    }
    return place->peer;
}

/* --- What goes wrong on them --- */

/* Both ends are damaged in different places. */
static void spoil(struct penrose_chip *chip, struct tile *tile, struct eth_errors errors)
{
    errors.seed += (uint64_t)chip->head.number << 48 | (uint64_t)tile->node << 32;
    tile_catch_up(tile, chip->head.time.now);
    eth_set_errors(tile->eth, &errors, tile->now);
    chip_touch(chip, tile->node);
}

enum penrose_status chip_ethernet_errors(struct penrose_chip *chip, unsigned x, unsigned y,
                                         const struct penrose_link_errors *given,
                                         struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = chip_tile(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (!(given->rate >= 0 && given->rate <= 1)) {
        return error_set(error, PENROSE_E_ARGUMENT, "the rate %g is not between 0 and 1",
                         given->rate);
    }
    if (given->up && given->up <= given->down) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "a link that goes away at cycle %llu cannot come back at %llu",
                         (unsigned long long)given->down, (unsigned long long)given->up);
    }
    struct chip_place *place = &chip->place[tile->node];
    if (!chip_has_link(tile)) {
        return error_set(error, PENROSE_E_STATE, "%s has no link", tile->name);
    }
    const struct eth_errors errors = {
        .damaged = given->rate >= 1 ? UINT64_MAX : (uint64_t)(given->rate * 0x1p64),
        .seed = given->seed,
        .down = given->down,
        .up = given->up,
    };
    spoil(chip, tile, errors);
    if (place->peer != chip || place->peer_place != tile->node) {
        spoil(place->peer, place->peer->place[place->peer_place].tile, errors);
    }
    return PENROSE_OK;
}

enum penrose_status chip_ethernet_info(struct penrose_chip *chip, unsigned x, unsigned y,
                                       struct penrose_link_info *info, struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = chip_tile(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (!tile->eth) {
        return error_set(error, PENROSE_E_ARGUMENT, "%s is no Ethernet tile", tile->name);
    }
    const struct chip_place *place = &chip->place[tile->node];
    const struct eth *eth = tile->eth;
    *info = (struct penrose_link_info){
        .peer = place->peer,
        .is_up = eth->link != ETH_LINK_DOWN,
        .down = eth->errors.kept == ETH_LINK_DOWN ? 0 : eth->errors.down,
        .sent = eth->statistics.transmitted,
        .received = eth->statistics.received,
        .damaged = eth->statistics.damaged,
        .lost = eth->statistics.lost,
        .unacknowledged = eth_held(eth),
        .resends = eth_resends(eth),
    };
    if (place->peer) {
        const struct tile *peer = place->peer->place[place->peer_place].tile;
        info->at = (struct penrose_place){peer->x, peer->y};
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
