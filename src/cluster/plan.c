/* Making what is planned; see plan.h. */
#include "cluster/plan.h"

#include <stdio.h>

#include "isa/error.h"

static enum penrose_status plan_make_chips(const struct cluster_plan *plan,
                                           const struct penrose_options *options,
                                           struct penrose_cluster *cluster,
                                           struct penrose_error *error)
{
    enum penrose_status status = PENROSE_OK;
    for (unsigned i = 0; status == PENROSE_OK && i < plan->chips; i++) {
        struct penrose_chip *chip;
        status = plan->kind->create(options, &plan->chip[i], &chip, error);
        status = status ? status : cluster_add(cluster, chip, error);
    }
    return status;
}

static enum penrose_status plan_make_link(const struct cluster_plan *plan,
                                          const struct plan_link *link,
                                          const struct penrose_cluster *cluster,
                                          struct penrose_error *error)
{
    struct penrose_chip *chip[2];
    struct penrose_place at[2];
    for (unsigned end = 0; end < 2; end++) {
        chip[end] = cluster->chip[link->chip[end]];
        if (!plan->kind->tile_at(chip[end], PENROSE_TILE_ETHERNET, link->port[end], &at[end])) {
            return error_set(error, PENROSE_E_ARGUMENT, "chip %u has no port %u", link->chip[end],
                             link->port[end]);
        }
    }
    return plan->kind->ethernet_link(chip[0], at[0].x, at[0].y, chip[1], at[1].x, at[1].y, error);
}

enum penrose_status cluster_of_plan(const struct cluster_plan *plan,
                                    const struct penrose_options *options,
                                    struct penrose_cluster **cluster, struct penrose_error *error)
{
    enum penrose_status status = cluster_create(options->threads, cluster, error);
    status = status ? status : plan_make_chips(plan, options, *cluster, error);
    for (unsigned i = 0; status == PENROSE_OK && i < plan->links; i++) {
        status = plan_make_link(plan, &plan->link[i], *cluster, error);
    }
    if (status != PENROSE_OK) {
        cluster_destroy(*cluster);
        *cluster = NULL;
    }
    return status;
}
