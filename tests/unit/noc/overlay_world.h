/*
 * Overlays of a few tiles and a small NoC between them, for the tests of overlay streams: packets
 * wait until the test lets them arrive, in order between two tiles and otherwise at random, and
 * packets leave L1 some time after they were sent.
 */
#ifndef OVERLAY_WORLD_H
#define OVERLAY_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noc/overlay.h"
#include "unit/random.h"
#include "unit/test.h"

enum {
    TILES = 4,
    L1_BYTES = 1 << 18,
    DRAM_BYTES = 1 << 18,
    FLIGHTS = 96,
    DRAM_X = 9, /* where DRAM answers; tile t is at (t + 1, 2) */
    TILE_Y = 2,
    NOBODY = 99,
};

/* Fields, written down a second time. */
enum {
    AUTO_CONFIG = 1 << 0, /* ONETIME_MISC_CFG */
    AUTO_ADVANCE = 1 << 1,
    DATA_NOC = 1 << 1, /* MISC_CFG */
    UPDATE_NOC = 1 << 2,
    GATHERS = 1 << 3,
    FROM_SOFTWARE = 1 << 4,
    FROM_REMOTE = 1 << 5,
    TO_SOFTWARE = 1 << 6,
    TO_GATHERER = 1 << 7,
    TO_REMOTE = 1 << 8,
    SRC_CHANGE = 1 << 11,
    DEST_CHANGE = 1 << 12,
    NO_FLOW = 1 << 13,
    DEST_NO_FLOW = 1 << 14,
    RING = 1 << 15,
    DEST_RING = 1 << 16,
    SRC_IS_MCAST = 1 << 17,
    NO_FLUSH = 1 << 18,
    ENDLESS = 1 << 21,
    IDLE = 0x01, /* WAIT_STATUS */
    READY = 0x19,
    RUNS = 0x2c,
    FLUSHES = 0x22,
};

struct flight {
    bool used;
    unsigned from;
    uint64_t order;
    struct overlay_packet packet;
    uint8_t *bytes;
};

struct world;

struct world_tile {
    struct world *world;
    unsigned number;
    struct overlay overlay;
    void *memory;
    uint8_t *l1;
    unsigned leaving[64];    /* packets of a stream that have not left */
    unsigned leaves, flying; /* in all */
};

struct world {
    struct world_tile tile[TILES];
    uint8_t *dram;
    struct flight flight[FLIGHTS];
    uint64_t order, cycle, random;
    unsigned refuses; /* of 8 packets, so many are refused at first */
    unsigned packets, registers, changes, faults, linked, ring_stores;
    unsigned fault_stream;
    uint32_t largest; /* packet */
    bool is_held;     /* nothing arrives */
    char fault[256];
};

static inline uint32_t any(struct world *w)
{
    return random_next(&w->random);
}

static inline uint32_t below(struct world *w, uint32_t limit)
{
    return any(w) % limit;
}

static inline bool world_send(void *owner, const struct overlay_packet *packet, uint64_t cycle)
{
    struct world_tile *tile = owner;
    struct world *w = tile->world;
    (void)cycle;
    if (below(w, 8) < w->refuses) {
        return false;
    }
    for (unsigned i = 0; i < FLIGHTS; i++) {
        struct flight *flight = &w->flight[i];
        if (flight->used) {
            continue;
        }
        *flight = (struct flight){.used = true,
                                  .from = tile->number,
                                  .order = w->order++,
                                  .packet = *packet,
                                  .bytes = malloc(packet->size)};
        ck_assert_ptr_nonnull(flight->bytes);
        memcpy(flight->bytes, packet->bytes, packet->size);
        w->packets += !packet->is_register;
        w->registers += packet->is_register;
        w->linked += packet->is_linked;
        w->largest = packet->size > w->largest ? packet->size : w->largest;
        tile->leaving[packet->sender] += !packet->is_register;
        tile->leaves += !packet->is_register;
        tile->flying++;
        return true;
    }
    return false;
}

static inline uint32_t world_node(void *owner, unsigned noc)
{
    const struct world_tile *tile = owner;
    (void)noc;
    return (tile->number + 1) | TILE_Y << 6;
}

static inline void world_fault(void *owner, unsigned stream, const char *text, uint64_t cycle)
{
    struct world_tile *tile = owner;
    (void)cycle;
    tile->world->faults++;
    tile->world->fault_stream = stream;
    snprintf(tile->world->fault, sizeof tile->world->fault, "%s", text);
}

static inline void world_changed(void *owner, uint64_t cycle)
{
    struct world_tile *tile = owner;
    (void)cycle;
    tile->world->changes++;
}

static const struct overlay_board world_board = {world_send, world_node, world_fault,
                                                 world_changed};

static inline void open_world(struct world *w, unsigned streams, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->random = seed * 2 + 1;
    w->dram = calloc(1, DRAM_BYTES);
    for (unsigned t = 0; t < TILES; t++) {
        struct world_tile *tile = &w->tile[t];
        tile->world = w;
        tile->number = t;
        tile->memory = calloc(1, OVERLAY_MEMORY_BYTES);
        tile->l1 = calloc(1, L1_BYTES);
        ck_assert(tile->memory && tile->l1);
        overlay_attach(&tile->overlay, streams, tile->memory, tile->l1, L1_BYTES, &world_board,
                       tile);
    }
}

static inline void close_world(struct world *w)
{
    for (unsigned i = 0; i < FLIGHTS; i++) {
        free(w->flight[i].bytes);
    }
    for (unsigned t = 0; t < TILES; t++) {
        free(w->tile[t].memory);
        free(w->tile[t].l1);
    }
    free(w->dram);
}

/* --- The NoC --- */

static inline bool reaches(const struct flight *flight, unsigned t)
{
    const struct overlay_packet *packet = &flight->packet;
    if (packet->is_ethernet) {
        return t == (flight->from ^ 1); /* links between tiles 0 and 1, 2 and 3 */
    }
    if (!packet->is_multicast) {
        return t + 1 == packet->x && packet->y == TILE_Y;
    }
    return t != flight->from && t + 1 >= packet->x && t + 1 <= packet->end_x &&
           packet->y <= TILE_Y && TILE_Y <= packet->end_y;
}

static inline void deliver_to(struct world *w, const struct flight *flight, unsigned t)
{
    const struct overlay_packet *packet = &flight->packet;
    struct world_tile *tile = &w->tile[t];
    if (packet->is_register) {
        uint32_t offset = (uint32_t)packet->address - OVERLAY_REGISTERS_ADDRESS, value;
        memcpy(&value, flight->bytes, sizeof value);
        ck_assert_int_ne(overlay_write(&tile->overlay, offset / OVERLAY_STREAM_BYTES,
                                       offset % OVERLAY_STREAM_BYTES / 4, true, value),
                         ANSWER_REFUSED);
        return;
    }
    ck_assert_uint_le(packet->address + packet->size, L1_BYTES);
    memcpy(tile->l1 + packet->address, flight->bytes, packet->size);
    if (packet->stores_header) {
        ck_assert_uint_le(packet->header_address + 16, L1_BYTES);
        memcpy(tile->l1 + packet->header_address, flight->bytes, 16);
    }
    if (packet->delivers) {
        overlay_packet_arrived(&tile->overlay, packet->stream, packet->first, packet->last,
                               packet->size, w->cycle);
    }
}

static inline void deliver(struct world *w, struct flight *flight)
{
    const struct overlay_packet *packet = &flight->packet;
    bool found = false;
    if (!packet->is_multicast && packet->x == DRAM_X && !packet->is_ethernet) {
        ck_assert(!packet->delivers && packet->address + packet->size <= DRAM_BYTES);
        memcpy(w->dram + packet->address, flight->bytes, packet->size);
        found = true;
    }
    for (unsigned t = 0; t < TILES; t++) {
        if (reaches(flight, t)) {
            deliver_to(w, flight, t);
            found = true;
        }
    }
    ck_assert_msg(found, "a packet goes to nobody, (%u, %u)", packet->x, packet->y);
    free(flight->bytes);
    flight->bytes = NULL;
    flight->used = false;
    w->tile[flight->from].flying--;
}

/* The oldest packet of a tile. */
static inline struct flight *oldest(struct world *w, unsigned from)
{
    struct flight *best = NULL;
    for (unsigned i = 0; i < FLIGHTS && w->tile[from].flying; i++) {
        struct flight *flight = &w->flight[i];
        if (flight->used && flight->from == from && (!best || flight->order < best->order)) {
            best = flight;
        }
    }
    return best;
}

/* Lets something happen on the NoC, at random; false when nothing can. */
static inline bool world_step(struct world *w)
{
    bool any_left = false;
    unsigned start = below(w, TILES);
    w->cycle++;
    for (unsigned i = 0; i < TILES; i++) {
        struct world_tile *tile = &w->tile[(start + i) % TILES];
        struct flight *flight = w->is_held ? NULL : oldest(w, tile->number);
        if (flight && below(w, 4)) {
            deliver(w, flight);
        }
        any_left |= flight != NULL;
        for (unsigned s = 0; s < 64 && tile->leaves; s++) {
            if (tile->leaving[s] && below(w, 2)) {
                tile->leaving[s]--;
                tile->leaves--;
                overlay_sent(&tile->overlay, s, w->cycle);
            }
            any_left |= tile->leaving[s] > 0;
        }
    }
    for (unsigned t = 0; t < TILES; t++) {
        any_left |= overlay_run(&w->tile[t].overlay, w->cycle);
    }
    return any_left;
}

/* Until nothing happens any more. */
static inline void settle(struct world *w)
{
    for (unsigned quiet = 0, steps = 0; quiet < 4 && steps < 100000; steps++) {
        quiet = world_step(w) ? 0 : quiet + 1;
    }
}

/* --- Software --- */

static inline uint32_t read_stream(struct world *w, unsigned t, unsigned s, unsigned index)
{
    uint32_t value;
    ck_assert_int_ne(overlay_read(&w->tile[t].overlay, s, index, true, &value), ANSWER_REFUSED);
    return value;
}

static inline void write_stream(struct world *w, unsigned t, unsigned s, unsigned index,
                                uint32_t value)
{
    enum answer effect = overlay_write(&w->tile[t].overlay, s, index, true, value);
    ck_assert_msg(effect == ANSWER_DONE, "%s = 0x%x: %s", reg_name(&overlay_registers, 4 * index),
                  value, w->tile[t].overlay.rule);
}

/* A word of a blob for a register. */
static inline uint32_t blob_word(unsigned index, uint32_t value)
{
    return index | value << 8;
}

static inline void put_word(struct world *w, unsigned t, uint32_t address, uint32_t value)
{
    memcpy(w->tile[t].l1 + address, &value, sizeof value);
}

static inline uint32_t node_of(unsigned t, unsigned s)
{
    return (t + 1) | TILE_Y << 6 | s << 12;
}

#endif
