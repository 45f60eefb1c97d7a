/* The links that a packet crosses, for profiles; by the rules of the chip. */
#ifndef OBSERVE_PROFILE_ROUTE_H
#define OBSERVE_PROFILE_ROUTE_H

#include <penrose/trace.h>

/* Columns and rows of routers. */
struct route_extent {
    unsigned columns, rows;
};

struct route_extent route_extent(void);

/* Calls `take` with each link of the route on that NoC, once: it leaves the router (x, y), in raw
 * coordinates of NoC 0, along x or along y. False: the route is not known, or leads out of the grid. */
bool route_visit(unsigned noc, const struct penrose_trace_route *route,
                 void (*take)(void *context, unsigned x, unsigned y, bool is_along_y),
                 void *context);

#endif
