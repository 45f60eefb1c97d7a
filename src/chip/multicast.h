/*
 * Multicasts: who receives one, and along which tree its packets go. SPEC: BlackholeA0
 * NoC/{README, RoutingPaths}.
 */
#ifndef CHIP_MULTICAST_H
#define CHIP_MULTICAST_H

#include "chip/grid.h"
#include "noc/packet.h"
#include "tile/tile.h"

struct penrose_chip;

struct grid_multicast chip_multicast_of(const struct noc_packet *packet);

/* The tile that takes a multicast at a place, in raw coordinates of the NoC. It is made now. NULL: none
 * does. */
struct tile *chip_multicast_receiver(struct penrose_chip *chip, unsigned noc,
                                     struct grid_position on);

/* How many tiles a multicast reaches that leaves now. */
unsigned chip_multicast_receivers(struct penrose_chip *chip, const struct noc_packet *packet);

/* --- What tiles ask (board.c) --- */

/* Does a multicast reach its sender, and at once (not in timed runs)? */
bool chip_loops_back(void *owner, const struct tile *tile, const struct noc_packet *packet);

/* Hops to the farthest router of a multicast's tree. */
unsigned chip_multicast_hops(const struct noc_packet *packet);

#endif
