/*
 * Links between routers, in timed runs: packets that are on their way from one NIU to another.
 *
 * SPEC: BlackholeA0 NoC/{README, RoutingPaths}. The head of a packet comes from one router to the next
 * in NOC_HOP cycles, and its other flits follow, one in a cycle. A link has sixteen virtual channels.
 * A packet that is to pass a link takes a channel of it, and gives it back when all its flits have
 * passed. Another packet that wants the same channel waits until then. Flits of packets on several
 * channels take turns on the link.
 *
 * Flits that cannot go on stay behind the link that they have passed last. There is room for a few of
 * each channel. Where that is used up, the channel brings no more, so a packet that waits stands on
 * several links, and keeps their channels from others.
 *
 * Flits go in pieces, so that a link has to be looked at once for several of them. So packets on
 * several channels take turns piece by piece.
 *
 * SPEC: WormholeB0 DRAMTile, performance: a channel has room for 16 flits behind its link. GUESS: it has on
 * Blackhole, too, whose flits are twice as long, and others never take that room from it.
 *
 * A read that comes to a DRAM tile whose NIU has NOC_DRAM_READS under way waits at the last router, on its channel. So
 * where many ask one bank, their requests fill the room on the way to it, and hold up those to other banks.
 * GUESS: turns go round the channels from which packets come, whether their links are the same or not.
 *
 * A multicast goes along a tree. It takes the channels of all its links at once, before it goes. Where the
 * tree parts, each piece goes on along all branches, and its room is free when it has left on all of them.
 * Multicasts and other packets never have the same channels.
 *
 * GUESS: of multicasts that want the same channels the one that came first is first. That holds for those
 * without NOC_CMD_PATH_RESERVE, too, by which silicon could come to a deadlock.
 *
 * Time goes cycle by cycle, and all links that may pass something in a cycle are looked at in their order.
 * That is done between windows, up to the first cycle in which something that has not left yet could come
 * to a router. So results do not depend on where windows end, but for the answers to requests that no
 * tile takes and that a policy lets pass: those leave when the window is over.
 */
#ifndef CHIP_LINKS_H
#define CHIP_LINKS_H

#include "chip/grid.h"
#include "isa/timing.h"
#include "noc/packet.h"

struct penrose_chip;

enum {
    LINKS_CHANNELS = 16,
    LINKS_FLITS = 8, /* of a piece, at most */
    LINKS_ROOM = 16, /* for flits */
    LINKS_PACKETS = 8192,
    LINKS_SOON = 64, /* cycles */
};

/* Ways on from a router: to the next ones, as grid_direction has them, and to its NIU. */
enum { LINKS_TO_NIU = GRID_DIRECTIONS, LINKS_WAYS };

/* An NIU sends requests and answers, which do not wait for each other there. */
enum { LINKS_REQUESTS, LINKS_ANSWERS, LINKS_KINDS };

/* Where packets come to a router from: in a direction, or of a kind from its NIU. */
enum { LINKS_FROM_NIU = GRID_DIRECTIONS };

/* The places at a router where pieces lie have numbers: the channels of the links that lead to it, and then the
 * kinds of its NIU. */
enum { LINKS_OF_NIU = GRID_DIRECTIONS * LINKS_CHANNELS, LINKS_PLACES = LINKS_OF_NIU + LINKS_KINDS };

/* A piece of a packet. */
struct links_piece {
    uint64_t ready;  /* when it can go on */
    uint16_t packet; /* its number on the links */
    uint16_t number; /* within the packet */
    uint32_t gap;
};

/* A virtual channel of a link. Packets and channels have numbers, from 1. */
struct links_channel {
    struct links_piece piece[LINKS_ROOM]; /* behind the link, the first one first */
    uint16_t owner;                       /* whose pieces pass; 0: it is free */
    uint16_t claim; /* the multicast that waits for it and came first; 0: none does */
    uint8_t feed;   /* where the owner's pieces come from */
    uint8_t pieces;
    uint8_t taken; /* ways on that the first piece has gone already, a bit each */
    uint8_t flits; /* of the pieces */
};

struct links_link {
    struct timing_resource way; /* all channels share it */
    struct links_channel channel[LINKS_CHANNELS];
    uint32_t has_pieces; /* behind it: a bit for each channel */
    uint32_t turn;       /* the place whose turn is first */
};

/* What an NIU sends: one packet after the other. */
struct links_source {
    uint64_t begin;   /* of the packet that is leaving: when its first piece left */
    uint32_t blocked; /* the channel that the multicast which is the first waits for; 0: none */
    uint8_t taken;    /* as of a channel */
    uint8_t gap[3];
};

/* Of GDDR, which the NIU of a DRAM tile has under way. */
struct links_reads {
    uint64_t at_once; /* when it has taken one last that did not have to wait */
    uint64_t count;
};

enum { LINKS_ALL = GRID_NOCS * NOC_NODES * LINKS_WAYS, LINKS_WORDS = (LINKS_ALL + 63) / 64 };

/* While no packet has come to a router, no cycle is worked on, and no link is to be looked at. */
struct links_state {
    uint64_t now;                          /* the cycle that is worked on next, 0: none is */
    uint64_t due[LINKS_SOON][LINKS_WORDS]; /* links to look at in a cycle: a bit each */
    struct links_link link[GRID_NOCS][NOC_NODES][LINKS_WAYS]; /* from each router */
    struct links_source source[GRID_NOCS][NOC_NODES][LINKS_KINDS];
    struct links_reads reads[GRID_NOCS][NOC_NODES];
};

/* Of a chip whose runs are timed. */
struct links {
    struct links_state state;

    /* Beside the state. */
    struct noc_packet *packet[LINKS_PACKETS]; /* by numbers, less 1 */
    unsigned first_free;                      /* no number before it is */
    unsigned active;                          /* packets that have come to a router */
    struct noc_list waiting[GRID_NOCS][NOC_NODES][LINKS_KINDS];
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

/* A read that has come to its receiver is not answered from there. */
void chip_links_drop(struct penrose_chip *chip, const struct noc_packet *packet);

/* --- For snapshots (links_state.c) --- */

/* Puts all packets into chip->on_way, and back where their members say that they are. */
void chip_links_gather(struct penrose_chip *chip);
void chip_links_scatter(struct penrose_chip *chip);

/* All packets of a snapshot are in chip->on_way: puts them in their places, and what a damaged snapshot says
 * right. */
void chip_links_restore(struct penrose_chip *chip);

/* Pieces of a packet, flits of one, which is a header alone or data, and the kind of what its NIU sends. */
uint32_t chip_links_pieces(const struct noc_packet *packet);
unsigned chip_links_flits(const struct noc_packet *packet, unsigned piece);
unsigned chip_links_kind(const struct noc_packet *packet);

/* Is given the packets that have come to a router, each once. */
void chip_links_visit(const struct penrose_chip *chip,
                      void (*visit)(void *context, const struct noc_packet *packet), void *context);

#endif
