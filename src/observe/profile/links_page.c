/* Pictures of the links of both NoCs; see links.h. */
#include <inttypes.h>

#include "observe/inside.h"
#include "observe/profile/links.h"
#include "observe/profile/route.h"

/* Pixels, and steps of colour, whose classes are l0 (nothing) to l5. */
enum {
    PITCH_X = 58,
    PITCH_Y = 42,
    BOX_X = 34,
    BOX_Y = 16,
    STUB = 14,
    AXIS = 12,
    STEPS = 5,
    TABLE_LINKS = 12
};

/* A link is a wedge that points to where it leads. Those around the edge end there. */
static void put_wedge(const struct link_place *place, const struct route_extent *extent,
                      double half_width, FILE *file)
{
    const int sign = place->noc == 0 ? 1 : -1;
    const int x = (int)(place->x * PITCH_X + PITCH_X), y = (int)(place->y * PITCH_Y + PITCH_Y);
    const unsigned edge_x = place->noc == 0 ? extent->columns - 1 : 0;
    const unsigned edge_y = place->noc == 0 ? extent->rows - 1 : 0;
    if (place->direction == 0) {
        const int begin = x + sign * BOX_X / 2;
        const int end = place->x == edge_x ? begin + sign * STUB : x + sign * (PITCH_X - BOX_X / 2);
        fprintf(file, "%d,%.1f %d,%.1f %d,%d", begin, y - half_width, begin, y + half_width, end,
                y);
    } else {
        const int begin = y + sign * BOX_Y / 2;
        const int end = place->y == edge_y ? begin + sign * STUB : y + sign * (PITCH_Y - BOX_Y / 2);
        fprintf(file, "%.1f,%d %.1f,%d %d,%d", x - half_width, begin, x + half_width, begin, x,
                end);
    }
}

/* Shares at which the classes l2 to l5 begin. */
static const double step_begin[STEPS - 1] = {0.1, 0.25, 0.5, 0.75};

static unsigned step_of(const struct link_use *use, double share)
{
    unsigned step = use->flits > 0;
    while (step > 0 && step < STEPS && share >= step_begin[step - 1]) {
        step++;
    }
    return step;
}

static void put_link(const struct links *links, const struct link_place *place,
                     const struct route_extent *extent, double top, FILE *file)
{
    const struct link_use *use = links_at(links, place);
    const double share = links_share(links, use);
    char name[80];
    fprintf(file, "<polygon class=\"l%u\" points=\"", step_of(use, share));
    put_wedge(place, extent, use->flits == 0 ? 1 : 2 + 4 * share / top, file);
    fputs("\">", file);
    if (use->flits > 0) {
        links_name(links, place, name, sizeof name);
        fprintf(file, "<title>%s: %" PRIu64 " flits, %.1f %%; busiest %d cycles %.1f %%</title>",
                name, use->flits, 100 * share, LINKS_STRETCH, 100 * links_most(use));
    }
    fputs("</polygon>\n", file);
}

static void put_router(const struct links *links, unsigned x, unsigned y, FILE *file)
{
    const struct link_tile *tile = &links->tile[y][x];
    fprintf(file,
            "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\">"
            "<title>router %u,%u</title></rect>",
            tile->is_known ? "tile" : "router", x * PITCH_X + PITCH_X - BOX_X / 2,
            y * PITCH_Y + PITCH_Y - BOX_Y / 2, BOX_X, BOX_Y, x, y);
    if (tile->is_known) {
        fprintf(file, "<text x=\"%u\" y=\"%u\">%u,%u</text>\n", x * PITCH_X + PITCH_X,
                y * PITCH_Y + PITCH_Y + 4, tile->x, tile->y);
    }
}

static void put_noc(const struct links *links, unsigned noc, const struct route_extent *extent,
                    double top, FILE *file)
{
    fprintf(file, "<h3>NoC %u: %s</h3>\n<svg class=\"links\" width=\"%u\" height=\"%u\">\n", noc,
            noc == 0 ? "to the right, then down" : "up, then to the left",
            (extent->columns + 1) * PITCH_X, (extent->rows + 1) * PITCH_Y);
    for (unsigned i = 0; i < extent->columns * extent->rows * LINKS_DIRECTIONS; i++) {
        const struct link_place place = {.noc = noc,
                                         .direction = i % LINKS_DIRECTIONS,
                                         .x = i / LINKS_DIRECTIONS % extent->columns,
                                         .y = i / LINKS_DIRECTIONS / extent->columns};
        put_link(links, &place, extent, top, file);
    }
    for (unsigned x = 0; x < extent->columns; x++) {
        fprintf(file, "<text x=\"%u\" y=\"%d\">%u</text>", x * PITCH_X + PITCH_X, AXIS, x);
    }
    for (unsigned y = 0; y < extent->rows; y++) {
        fprintf(file, "<text x=\"%d\" y=\"%u\">%u</text>", AXIS, y * PITCH_Y + PITCH_Y + 4, y);
    }
    for (unsigned i = 0; i < extent->columns * extent->rows; i++) {
        put_router(links, i % extent->columns, i / extent->columns, file);
    }
    fputs("</svg>\n", file);
}

static void put_legend(FILE *file)
{
    fputs("<p>", file);
    for (unsigned step = 1; step <= STEPS; step++) {
        fprintf(file,
                "<svg class=\"links key\" width=\"16\" height=\"12\"><rect class=\"l%u\" "
                "width=\"12\" height=\"12\"/></svg>from %.0f %% ",
                step, step > 1 ? 100 * step_begin[step - 2] : 0);
    }
    fputs("</p>\n", file);
}

static void put_busiest(const struct links *links, const struct link_place *place, size_t count,
                        FILE *file)
{
    char name[80];
    fprintf(file,
            "<table><tr><th>link</th><th>flits</th><th>share</th><th>busiest %d cycles</th>"
            "</tr>\n",
            LINKS_STRETCH);
    for (size_t i = 0; i < count; i++) {
        const struct link_use *use = links_at(links, &place[i]);
        links_name(links, &place[i], name, sizeof name);
        fprintf(file,
                "<tr><td>%s</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%.1f %%</td>"
                "<td class=\"n\">%.1f %%</td></tr>\n",
                name, use->flits, 100 * links_share(links, use), 100 * links_most(use));
    }
    fputs("</table>\n", file);
}

void links_page(const struct links *links, const struct chip_calls *calls, FILE *file)
{
    struct link_place busiest[TABLE_LINKS];
    const size_t count = links_busiest(links, busiest, TABLE_LINKS);
    const struct route_extent extent = calls->inside->route_extent();
    if (count == 0) {
        return;
    }
    const double top = links_share(links, links_at(links, &busiest[0]));
    fprintf(
        file,
        "<h2>Links of the NoC</h2>\n<p>A link carries a flit of 64 bytes in a cycle. Colours are "
        "shares of that, from the first packet to the last one (%" PRIu64 " cycles). A wedge "
        "points to where its link leads, and is the broader the more passes; at an edge it leads "
        "to "
        "the opposite edge. Routers are numbered at the edges, and tiles in the boxes.</p>\n",
        links->last - links->first + 1);
    put_legend(file);
    for (unsigned noc = 0; noc < LINKS_NOCS; noc++) {
        put_noc(links, noc, &extent, top, file);
    }
    put_busiest(links, busiest, count, file);
}
