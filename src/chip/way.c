/* See way.h. */
#include "chip/way.h"

#include "chip/chip.h"
#include "chip/multicast.h"

bool way_is_multicast(const struct noc_packet *packet)
{
    return packet->is_multicast && packet->kind <= NOC_ATOMIC;
}

struct grid_way way_of_packet(const struct noc_packet *packet)
{
    const struct grid_position from = chip_position(packet->from), to = chip_position(packet->to);
    if (!way_is_multicast(packet)) {
        return grid_way(packet->noc, from, to);
    }
    const bool is_y_first = packet->span.y_is_major;
    const unsigned extent = is_y_first ? GRID_HEIGHT : GRID_WIDTH;
    return (struct grid_way){.from = grid_mirror(packet->noc, from),
                             .to = grid_mirror(packet->noc, to),
                             /* a damaged snapshot may have any */
                             .turn = (uint8_t)(packet->span.turn % extent),
                             .is_y_first = is_y_first};
}

unsigned way_left(const struct noc_packet *packet)
{
    const struct grid_way way = way_of_packet(packet);
    const unsigned all = grid_way_hops(&way), passed = packet->links;
    return passed >= all ? 0 : all - passed;
}

void way_set_end(struct noc_packet *packet, struct grid_position end)
{
    const struct grid_position to = grid_mirror(packet->noc, end);
    packet->to = noc_node(to.x, to.y);
}

struct grid_position way_place(const struct noc_packet *packet)
{
    const struct grid_way way = way_of_packet(packet);
    return way_left(packet) == 0
               ? way.to
               : grid_mirror(packet->noc, grid_hop(packet->noc, &way, packet->links).from);
}

bool way_turn_into_branch(struct noc_packet *packet)
{
    const struct grid_multicast multicast = chip_multicast_of(packet);
    const struct grid_way way = way_of_packet(packet);
    const struct grid_position at = way_place(packet);
    const bool is_on_stem = (way.is_y_first ? at.y : at.x) == way.turn;
    const bool is_in_last = way.is_y_first ? at.x == way.to.x : at.y == way.to.y;
    way_set_end(packet, (struct grid_position){.x = way.is_y_first ? at.x : way.to.x,
                                               .y = way.is_y_first ? way.to.y : at.y});
    return is_on_stem && !is_in_last && grid_has_branch(&multicast, at);
}
