/* See route.h. What thins out a multicast is not in a route: such a tree is counted as if it were
 * whole. */
#include "observe/profile/route.h"

#include "chip/grid.h"

struct route_visitor {
    void (*take)(void *context, unsigned x, unsigned y, bool is_along_y);
    void *context;
};

static void visit_link(void *context, struct grid_position from, enum grid_direction direction)
{
    const struct route_visitor *visitor = context;
    visitor->take(visitor->context, from.x, from.y, direction == GRID_ALONG_Y);
}

struct route_extent route_extent(void)
{
    return (struct route_extent){GRID_WIDTH, GRID_HEIGHT};
}

bool route_visit(unsigned noc, const struct penrose_trace_route *route,
                 void (*take)(void *context, unsigned x, unsigned y, bool is_along_y),
                 void *context)
{
    struct route_visitor visitor = {take, context};
    const struct grid_link_visitor links = {visit_link, &visitor};
    const struct grid_position from = {.x = route->from_x, .y = route->from_y},
                               to = {.x = route->to_x, .y = route->to_y},
                               last = {.x = route->last_x, .y = route->last_y};
    if (!route->is_known || !grid_is_inside(from) || !grid_is_inside(to) || !grid_is_inside(last)) {
        return false;
    }
    if (route->is_multicast) {
        const struct grid_multicast multicast = {.source = grid_mirror(noc, from),
                                                 .start = grid_mirror(noc, to),
                                                 .end = grid_mirror(noc, last),
                                                 .is_y_major = route->is_y_major};
        grid_visit_tree(noc, &multicast, &links);
    } else {
        grid_visit_way(noc, from, to, &links);
    }
    return true;
}
