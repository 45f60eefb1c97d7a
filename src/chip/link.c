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
        return error_set(error, PENROSE_E_ARGUMENT,
                         "%s has no link; Ethernet tiles are at (%d-%d, %d)", (*tile)->name,
                         NAMED_ETHERNET_X, NAMED_ETHERNET_X + NAMED_ETHERNET - 1, NAMED_ETHERNET_Y);
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

void chip_cut_links(struct penrose_chip *chip)
{
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct penrose_chip *peer = chip->place[i].peer;
        if (!peer || peer == chip) {
            continue;
        }
        struct chip_place *end = &peer->place[chip->place[i].peer_place];
        end->peer = NULL;
        eth_set_link(end->tile->eth, ETH_LINK_DOWN, end->tile->now);
        chip_touch(peer, chip->place[i].peer_place);
    }
}

/* --- Frames --- */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* When a frame arrives, in the time of the peer. */
static uint64_t arrival_of(const struct penrose_chip *chip, const struct penrose_chip *peer,
                           const struct tile_frame *frame)
{
    uint64_t latency = later(chip->window, peer->window);
    uint64_t elapsed = later(frame->sent, chip->together_since) - chip->together_since;
    return later(peer->together_since + elapsed + latency, peer->now);
}

static void exchange_frames(struct penrose_chip *chip, struct tile *tile)
{
    struct chip_place *place = &chip->place[tile->node];
    for (struct tile_frame *frame; (frame = tile->frames_sent);) {
        tile->frames_sent = frame->next;
        if (!place->peer) { /* the other end went away */
            free(frame);
            continue;
        }
        frame->arrival = arrival_of(chip, place->peer, frame);
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

/* --- Several chips --- */

static uint64_t longest_window(struct penrose_chip *const *chips, size_t count)
{
    uint64_t longest = 1;
    for (size_t i = 0; i < count; i++) {
        longest = later(longest, chips[i]->window);
    }
    return longest;
}

/* Runs one chip until `elapsed` cycles after the start, whatever happens elsewhere. */
static enum penrose_outcome catch_up(struct penrose_chip *chip, uint64_t elapsed)
{
    uint64_t until = chip->together_since + elapsed;
    struct penrose_run run = {.size = sizeof run,
                              .cycles = until > chip->now ? until - chip->now : 0,
                              .pass_quiet_time = true};
    return chip_run(chip, &run);
}

/* What a chip says without being run. */
static enum penrose_outcome ask(struct penrose_chip *chip)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 0};
    return chip_run(chip, &run);
}

/* PENROSE_FAULT where any chip has one, else PENROSE_PAUSED, PENROSE_QUIET when all are quiet. */
static enum penrose_outcome ask_all(struct penrose_chip *const *chips, size_t count)
{
    bool is_quiet = true, is_paused = false;
    for (size_t i = 0; i < count; i++) {
        enum penrose_outcome outcome = ask(chips[i]);
        if (outcome == PENROSE_FAULT) {
            return PENROSE_FAULT;
        }
        is_quiet &= outcome == PENROSE_QUIET;
        is_paused |= outcome == PENROSE_PAUSED;
    }
    return is_paused ? PENROSE_PAUSED : is_quiet ? PENROSE_QUIET : PENROSE_CYCLES;
}

enum penrose_outcome chip_run_together(struct penrose_chip *const *chips, size_t count,
                                       const struct penrose_run *run)
{
    uint64_t window = longest_window(chips, count);
    for (size_t i = 0; i < count; i++) {
        chip_go_on(chips[i]);
        chips[i]->together_since = chips[i]->now;
        bool is_entry = JOURNAL_BEGIN(chips[i]->journal, JOURNAL_TOGETHER, NULL, 0, 0);
        (void)journal_done(chips[i]->journal, is_entry, PENROSE_OK);
    }
    for (uint64_t elapsed = 0;;) {
        enum penrose_outcome outcome = ask_all(chips, count);
        bool goes_on =
            outcome == PENROSE_CYCLES || (outcome == PENROSE_QUIET && run->pass_quiet_time);
        if (!goes_on) {
            return outcome;
        }
        if (elapsed >= run->cycles) {
            return PENROSE_CYCLES;
        }
        uint64_t left = run->cycles - elapsed;
        elapsed += left < window ? left : window;
        for (size_t i = 0; i < count; i++) {
            catch_up(chips[i], elapsed);
        }
        outcome = ask_all(chips, count);
        if (run->until && outcome != PENROSE_FAULT && outcome != PENROSE_PAUSED &&
            run->until(chips[0], run->context)) {
            return PENROSE_CONDITION;
        }
    }
}
