/*
 * The ways of packets between routers (links.c), and a walk along the stem and the branches of a multicast's
 * tree: `links` of the packet that walks tells how far it has come. That of a packet on its way is 0.
 */
#ifndef CHIP_WAY_H
#define CHIP_WAY_H

#include "chip/grid.h"
#include "noc/packet.h"

/* Does the packet go along a tree? The answers to a multicast do not. */
bool way_is_multicast(const struct noc_packet *packet);

struct grid_way way_of_packet(const struct noc_packet *packet);

/* The links of its way that it has not passed. */
unsigned way_left(const struct noc_packet *packet);

/* Where it is, and sets where it ends: in raw coordinates of its NoC. */
struct grid_position way_place(const struct noc_packet *packet);
void way_set_end(struct noc_packet *packet, struct grid_position end);

/* Makes the packet, which is on a multicast's stem, one that goes along the branch that begins here. False:
 * none does. The stem itself leads into the last branch. */
bool way_turn_into_branch(struct noc_packet *packet);

#endif
