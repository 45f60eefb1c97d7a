/*
 * Clusters made of plans (chip/plan.h).
 */
#ifndef CLUSTER_PLAN_H
#define CLUSTER_PLAN_H

#include "cluster/cluster.h"

/* Makes the cluster that is planned, with all chips and links. options->card does not count, and
 * threads are those of the cluster. PENROSE_E_ARGUMENT, PENROSE_E_MEMORY. */
enum penrose_status cluster_of_plan(const struct cluster_plan *plan,
                                    const struct penrose_options *options,
                                    struct penrose_cluster **cluster, struct penrose_error *error);

#endif
