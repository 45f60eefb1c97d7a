/*
 * The cards of this kind of chip: what cards.def says, as plans.
 */
#ifndef CHIP_CARDS_H
#define CHIP_CARDS_H

#include <stddef.h>

#include "chip/plan.h"

/* The name of a card; NULL: beyond the last. */
const char *chip_card_at(size_t index);

/* The plan of a card that there is. */
void chip_plan_card(const char *name, struct cluster_plan *plan);

#endif
