/* The table of cards; see cards.h. */
#include "chip/cards.h"

#include <string.h>

#include "chip/calls.h"
#include "chip/grid.h"

/* A row of cards.def: the one that begins a card has a name, a chip has a product. */
static const struct card_row {
    const char *card, *product;
    uint8_t board, location, bus;
    struct plan_link link[2];
} card_rows[] = {
#define CARD(name) {.card = (name)},
#define CHIP(product_, board_, location_, bus_)                                                    \
    {.product = (product_), .board = (board_), .location = (location_), .bus = (bus_)},
#define LINKS(a, m, n, b, o, p)                                                                    \
    {.link = {{.chip = {a, b}, .port = {m, o}}, {.chip = {a, b}, .port = {n, p}}}},
#include "cards.def"
};

enum { CARD_ROWS = sizeof card_rows / sizeof *card_rows };

const char *chip_card_at(size_t index)
{
    for (size_t row = 0; row < CARD_ROWS; row++) {
        if (card_rows[row].card && index-- == 0) {
            return card_rows[row].card;
        }
    }
    return NULL;
}

static void plan_add_chip(struct cluster_plan *plan, const struct card_row *row)
{
    const struct grid_product *product = grid_product(row->product);
    uint64_t board = product->board + row->board;
    unsigned rank = 0;
    for (unsigned i = 0; i < plan->chips; i++) {
        rank += plan->chip[i].identity.board == board;
    }
    plan->chip[plan->chips++] = (struct plan_chip){
        .product = *product, .identity = plan_identity(board, rank, row->location)};
    plan->chip[plan->chips - 1].identity.bus = row->bus;
}

void chip_plan_card(const char *name, struct cluster_plan *plan)
{
    size_t row = 0;
    *plan = (struct cluster_plan){.kind = &chip_calls};
    while (!card_rows[row].card || strcmp(card_rows[row].card, name) != 0) {
        row++;
    }
    for (row++; row < CARD_ROWS && !card_rows[row].card; row++) {
        if (card_rows[row].product) {
            plan_add_chip(plan, &card_rows[row]);
        } else {
            memcpy(&plan->link[plan->links], card_rows[row].link, sizeof card_rows[row].link);
            plan->links += 2;
        }
    }
    if (plan->chips == 1) {
        plan->chip[0].identity.asic = 0; /* HW: see ASIC_ID in arc.def */
    }
}
