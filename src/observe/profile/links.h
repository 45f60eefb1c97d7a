/*
 * Links between routers of the NoC, for profiles: what packets have put on each of them.
 *
 * The way of a packet follows from the rules of routing. A link carries a flit in a cycle.
 *
 * A packet counts for all of its links in the cycle in which it was sent, a response in the one in which
 * it came. So more flits can count for a link in a stretch of time than it carries: packets of timed runs
 * that have waited on their way (chip/links.h), multicasts, which do not wait, and all packets of
 * functional runs.
 */
#ifndef OBSERVE_PROFILE_LINKS_H
#define OBSERVE_PROFILE_LINKS_H

#include <stddef.h>
#include <stdio.h>

#include <penrose/trace.h>

enum {
    LINKS_NOCS = 2,
    LINKS_DIRECTIONS =
        2, /* along x, along y: to the right and down on NoC 0, else to the left and up */
    LINKS_SIDE = 32,
    LINKS_STRETCH = 1024, /* cycles */
};

struct link_use {
    uint64_t flits;            /* of 64 bytes, headers included */
    uint64_t stretch;          /* the latest, counted from cycle 0, */
    uint64_t in_stretch, most; /* and flits in it, and in the busiest one */
};

/* The tile of a router, as hosts name it. */
struct link_tile {
    bool is_known;
    unsigned x, y;
};

struct links {
    /* By y and x of the router that it leaves, in raw coordinates of NoC 0. */
    struct link_use use[LINKS_NOCS][LINKS_SIDE][LINKS_SIDE][LINKS_DIRECTIONS];
    struct link_tile tile[LINKS_SIDE][LINKS_SIDE];
    uint64_t packets, first, last; /* of which cycles they are */
    uint64_t lost;                 /* packets whose way is not known */
};

/* A link, by its place in `use`. */
struct link_place {
    unsigned noc, x, y, direction;
};

struct chip_calls;

/* Does the event say that a packet has crossed links? Each packet has one such event. */
bool links_uses(const struct penrose_trace_event *event);

/* Adds the packet of such an event. */
void links_take(struct links *links, const struct chip_calls *calls,
                const struct penrose_trace_event *event);

/* Flits in a cycle, which are also the share of what a link can carry: between the first packet and the
 * last one, and in its busiest stretch. */
double links_share(const struct links *links, const struct link_use *use);
double links_most(const struct link_use *use);

/* The `room` links with most flits, the busiest first; returns how many have any, at most `room`. */
size_t links_busiest(const struct links *links, struct link_place *place, size_t room);

const struct link_use *links_at(const struct links *links, const struct link_place *place);

/* "NoC 0, right from router 3,4 (tile 2,3)" */
void links_name(const struct links *links, const struct link_place *place, char *text, size_t size);

/* A picture for each NoC, for a page. */
void links_page(const struct links *links, const struct chip_calls *calls, FILE *file);

#endif
