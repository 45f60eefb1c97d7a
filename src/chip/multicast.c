/* See multicast.h. */
#include "chip/multicast.h"

#include "chip/chip.h"

/* Does the NIU at a place take multicasts? Its own masks say so. */
static bool has_opted_out(const struct tile *tile, unsigned noc, struct grid_position at)
{
    const uint32_t *word = tile->niu[noc].word;
    return word[NIU_ROUTER_CFG_1 / 4] >> at.x & 1 || word[NIU_ROUTER_CFG_3 / 4] >> at.y & 1;
}

struct grid_multicast chip_multicast_of(const struct noc_packet *packet)
{
    const struct noc_span *span = &packet->span;
    return (struct grid_multicast){.source = grid_mirror(packet->noc, chip_position(packet->from)),
                                   .start = {.x = span->start_x, .y = span->start_y},
                                   .end = {.x = span->end_x, .y = span->end_y},
                                   .is_y_major = span->y_is_major,
                                   .includes_source = span->includes_source,
                                   .exclusion = grid_exclusion_of_niu(span->exclude)};
}

struct tile *chip_multicast_receiver(struct penrose_chip *chip, unsigned noc,
                                     struct grid_position on)
{
    struct grid_position at = grid_mirror(noc, on);
    const struct grid_tile *there = grid_tile(&chip->grid, at);
    struct tile *tile = there->kind == PENROSE_TILE_TENSIX && !there->is_fused_off
                            ? chip_make_tile(chip, noc_node(at.x, at.y))
                            : NULL;
    return tile && !has_opted_out(tile, noc, on) ? tile : NULL;
}

unsigned chip_multicast_receivers(struct penrose_chip *chip, const struct noc_packet *packet)
{
    struct grid_multicast multicast = chip_multicast_of(packet);
    struct grid_target target[GRID_TILES];
    unsigned count = grid_multicast_check(&multicast) ? 0 : grid_multicast(&multicast, target);
    unsigned reached = packet->span.has_looped;
    for (unsigned i = 0; i < count; i++) {
        reached += chip_multicast_receiver(chip, packet->noc, target[i].at) != NULL;
    }
    return reached;
}

bool chip_loops_back(void *owner, const struct tile *tile, const struct noc_packet *packet)
{
    const struct penrose_chip *chip = owner;
    struct grid_multicast multicast = chip_multicast_of(packet);
    return !chip->options.timed && tile->kind->type == TILE_TENSIX &&
           !has_opted_out(tile, packet->noc, multicast.source) &&
           !grid_multicast_check(&multicast) &&
           grid_multicast_reaches(&multicast, multicast.source);
}

unsigned chip_multicast_hops(const struct noc_packet *packet)
{
    const struct grid_multicast multicast = chip_multicast_of(packet);
    const struct grid_way stem = grid_stem(&multicast);
    return grid_multicast_check(&multicast) ? 0 : grid_way_hops(&stem);
}
