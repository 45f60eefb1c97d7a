/*
 * Links between routers, in timed runs: packets that are on their way from one NIU to another.
 *
 * SPEC: BlackholeA0 NoC/{README, RoutingPaths}. The head of a packet comes from one router to the next
 * in NOC_HOP cycles, and its other flits follow, one in a cycle. A link has sixteen virtual channels.
 * Of two packets that want the same channel the later one waits until the other has passed as a
 * whole. Packets on other channels share the link.
 *
 * A packet that waits holds up those behind it: its flits stay where they are, and keep the channels of
 * the links that they lie on. The same is so where a packet waits for the NIU of its receiver.
 *
 * GUESS: as many flits lie between two routers as the head takes cycles from one to the other. A packet
 * of no more flits holds up nobody behind it.
 * GUESS: a link serves whole packets one after the other, whatever their channels.
 *
 * A multicast goes along a tree: a stem, and branches that leave it. It takes the channels of all its links
 * at once, before it goes, and waits for none of them on its way. Then it passes each link once, as a
 * unicast packet does, and another packet goes on where a branch begins. Receivers get copies on the way.
 * Multicasts and other packets never have the same channels.
 *
 * GUESS: multicasts that want the same channels have their turns in the order in which they come. So they
 * do where software has not set NOC_CMD_PATH_RESERVE, and silicon could come to a deadlock.
 * GUESS: a branch that waits holds up those behind it and behind its stem, and no other branch.
 *
 * Packets stand in one queue, in the order of time and of the canonical order where times are equal. A
 * packet's time is when its head comes to a router, or when its turn at a channel is. The queue is
 * worked off between windows, up to the first cycle in which something that has not left yet could come
 * to a router. So results do not depend on where windows end, but for the answers to requests that no
 * tile takes and that a policy lets pass: those leave when the window is over.
 */
#ifndef CHIP_LINKS_H
#define CHIP_LINKS_H

#include "chip/grid.h"
#include "isa/timing.h"
#include "noc/packet.h"

struct penrose_chip;

enum { LINKS_CHANNELS = 16 };

/* A virtual channel of a link. */
struct links_channel {
    uint64_t free_at;    /* when all packets that have come so far will have passed */
    uint64_t used_until; /* by multicasts that had their turn */
    uint64_t held; /* cycles by which packets that had their turn were held up, all together */
};

struct links_link {
    struct timing_resource way; /* all channels share it */
    struct links_channel channel[LINKS_CHANNELS];
};

/* Of a chip whose runs are timed. */
struct links {
    struct links_link link[GRID_NOCS][NOC_NODES]
                          [GRID_DIRECTIONS];          /* from each router, see grid_hop */
    struct timing_resource end[GRID_NOCS][NOC_NODES]; /* from a router to its NIU */
};

/* A packet that has left its NIU is on its way from now on. A multicast was checked. */
void chip_links_enter(struct penrose_chip *chip, struct noc_packet *packet);

/* A window is over: lets packets go on. Those that reach the NIU of their receiver, and the copies of
 * multicasts, are put into `arrived`, with the time when that has the last flit. */
void chip_links_run(struct penrose_chip *chip, struct noc_list *arrived);

/* Packets have nothing to do in a window that ends at this cycle or before; UINT64_MAX: there are none. */
uint64_t chip_links_due(const struct penrose_chip *chip);

/* No packet that is on its way arrives before this cycle; UINT64_MAX: there is none. */
uint64_t chip_links_next(const struct penrose_chip *chip);

#endif
