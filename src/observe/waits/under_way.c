/* Packets that have left and have not arrived, see under_way.h. */
#include "observe/waits/under_way.h"

#include "chip/links.h"

struct visitor {
    void (*visit)(void *context, const struct noc_packet *packet);
    void *context;
};

static void visit_chain(const struct visitor *visitor, const struct noc_packet *packet)
{
    for (; packet; packet = packet->next) {
        visitor->visit(visitor->context, packet);
    }
}

static void visit_queue(const struct visitor *visitor, const struct noc_queue *queue)
{
    visit_chain(visitor, queue->head);
    visit_chain(visitor, queue->fresh);
}

void under_way_visit(const struct penrose_chip *chip,
                     void (*visit)(void *context, const struct noc_packet *packet), void *context)
{
    const struct visitor visitor = {visit, context};
    for (unsigned i = 0; i < NOC_NODES; i++) {
        const struct tile *tile = chip->place[i].tile;
        if (tile) {
            visit_chain(&visitor, tile->sent.head);
            visit_queue(&visitor, &tile->inbox);
        }
    }
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        visit_chain(&visitor, chip->bank[i].sent.head);
        visit_queue(&visitor, &chip->bank[i].inbox);
    }
    visit_queue(&visitor, &chip->edge);
    visit_queue(&visitor, &chip->on_way);
    chip_links_visit(chip, visit, context);
}

void under_way_add(struct under_way *under_way, uint16_t place)
{
    under_way->packets++;
    for (unsigned i = 0; i < under_way->places; i++) {
        if (under_way->place[i] == place) {
            return;
        }
    }
    if (under_way->places == UNDER_WAY_PLACES) {
        under_way->has_more = true;
        return;
    }
    under_way->place[under_way->places++] = place;
}

void under_way_put_place(struct sink *sink, const struct penrose_chip *chip, uint16_t place)
{
    struct grid_position name = chip_logical(chip, place);
    enum penrose_tile_kind kind =
        (enum penrose_tile_kind)grid_tile(&chip->grid, chip_position(place))->kind;
    sink_put(sink, "%s (%u, %u)",
             kind == PENROSE_TILE_TENSIX ? "worker" : arch_tile_kind_name(kind), name.x, name.y);
}

void under_way_put_far_place(struct sink *sink, const struct penrose_chip *home,
                             const struct penrose_chip *chip, uint16_t place)
{
    if (chip != home) {
        sink_put(sink, "chip %u ", chip->head.number);
    }
    under_way_put_place(sink, chip, place);
}

void under_way_put(struct sink *sink, const struct penrose_chip *chip,
                   const struct under_way *under_way, const char *what, const char *where)
{
    if (!under_way->packets) {
        sink_put(sink, "no %s is under way", what);
        return;
    }
    sink_put(sink, "%u %s%s under way, %s ", under_way->packets, what,
             under_way->packets == 1 ? " is" : "s are", where);
    for (unsigned i = 0; i < under_way->places; i++) {
        sink_put(sink, "%s", i ? ", " : "");
        under_way_put_place(sink, chip, under_way->place[i]);
    }
    sink_put(sink, "%s", under_way->has_more ? " and others" : "");
}
