/* See links.h. */
#include "observe/profile/links.h"

#include <inttypes.h>
#include <string.h>

#include "observe/inside.h"
#include "observe/profile/route.h"
#include "observe/sink.h"

enum { FLIT_BYTES = 64 };

/* --- Packets --- */

static bool is_response_name(const char *what)
{
    return strstr(what, "response") || strstr(what, "acknowledgement");
}

bool links_uses(const struct penrose_trace_event *event)
{
    return event->kind == PENROSE_TRACE_NOC && event->begins != is_response_name(event->what);
}

/* A header, and data if there are any: of writes, and of answers to reads. */
static uint64_t flits_of(const struct penrose_trace_event *event)
{
    const bool is_response = is_response_name(event->what);
    const bool has_data = is_response ? strcmp(event->what, "read response") == 0
                                      : strstr(event->what, "write") != NULL;
    return 1 + (has_data ? (event->address % FLIT_BYTES + event->size + FLIT_BYTES - 1) / FLIT_BYTES
                         : 0);
}

struct link_addition {
    struct links *links;
    unsigned noc;
    uint64_t flits, cycle;
};

static void add_to_link(void *context, unsigned x, unsigned y, bool is_along_y)
{
    const struct link_addition *addition = context;
    struct link_use *use =
        &addition->links->use[addition->noc][y % LINKS_SIDE][x % LINKS_SIDE][is_along_y];
    const uint64_t stretch = addition->cycle / LINKS_STRETCH;
    use->in_stretch = stretch == use->stretch ? use->in_stretch + addition->flits : addition->flits;
    use->stretch = stretch;
    use->most = use->in_stretch > use->most ? use->in_stretch : use->most;
    use->flits += addition->flits;
}

static void name_router(struct links *links, unsigned raw_x, unsigned raw_y, unsigned x, unsigned y)
{
    links->tile[raw_y % LINKS_SIDE][raw_x % LINKS_SIDE] = (struct link_tile){true, x, y};
}

/* A packet that is sent comes from the event's tile, a response from the other one. */
static void name_ends(struct links *links, const struct penrose_trace_event *event)
{
    const struct penrose_trace_route *route = &event->route;
    const bool is_sent = event->begins;
    name_router(links, is_sent ? route->from_x : route->to_x, is_sent ? route->from_y : route->to_y,
                event->x, event->y);
    if (!route->is_multicast) {
        name_router(links, is_sent ? route->to_x : route->from_x,
                    is_sent ? route->to_y : route->from_y, event->peer_x, event->peer_y);
    }
}

void links_take(struct links *links, const struct chip_calls *calls,
                const struct penrose_trace_event *event)
{
    struct link_addition addition = {links, event->noc % LINKS_NOCS, flits_of(event), event->cycle};
    if (!calls->inside->route_visit(addition.noc, &event->route, add_to_link, &addition)) {
        links->lost++;
        return;
    }
    links->first = links->packets == 0 || event->cycle < links->first ? event->cycle : links->first;
    links->last = event->cycle > links->last ? event->cycle : links->last;
    links->packets++;
    name_ends(links, event);
}

/* --- What they have carried --- */

double links_share(const struct links *links, const struct link_use *use)
{
    return (double)use->flits / (double)(links->last - links->first + 1);
}

double links_most(const struct link_use *use)
{
    return (double)use->most / LINKS_STRETCH;
}

const struct link_use *links_at(const struct links *links, const struct link_place *place)
{
    return &links->use[place->noc][place->y][place->x][place->direction];
}

/* Puts a link where it belongs among those that are the busiest so far. */
static size_t keep_busiest(const struct links *links, struct link_place *place, size_t count,
                           size_t room, const struct link_place *next)
{
    const uint64_t flits = links_at(links, next)->flits;
    size_t at = count;
    while (at > 0 && links_at(links, &place[at - 1])->flits < flits) {
        at--;
    }
    if (at == room) {
        return count;
    }
    count = count < room ? count + 1 : room;
    memmove(&place[at + 1], &place[at], (count - at - 1) * sizeof *place);
    place[at] = *next;
    return count;
}

size_t links_busiest(const struct links *links, struct link_place *place, size_t room)
{
    size_t count = 0;
    for (unsigned i = 0; i < LINKS_NOCS * LINKS_SIDE * LINKS_SIDE * LINKS_DIRECTIONS; i++) {
        const struct link_place next = {.direction = i % LINKS_DIRECTIONS,
                                        .x = i / LINKS_DIRECTIONS % LINKS_SIDE,
                                        .y = i / LINKS_DIRECTIONS / LINKS_SIDE % LINKS_SIDE,
                                        .noc = i / LINKS_DIRECTIONS / LINKS_SIDE / LINKS_SIDE};
        if (links_at(links, &next)->flits > 0) {
            count = keep_busiest(links, place, count, room, &next);
        }
    }
    return count;
}

void links_name(const struct links *links, const struct link_place *place, char *text, size_t size)
{
    static const char *const ways[LINKS_NOCS][LINKS_DIRECTIONS] = {{"right", "down"},
                                                                   {"left", "up"}};
    const struct link_tile *tile = &links->tile[place->y][place->x];
    struct sink sink = {.text = text, .size = size};
    sink_put(&sink, "NoC %u, %s from router %u,%u", place->noc, ways[place->noc][place->direction],
             place->x, place->y);
    if (tile->is_known) {
        sink_put(&sink, " (tile %u,%u)", tile->x, tile->y);
    }
}
