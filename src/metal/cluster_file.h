/*
 * Clusters as UMD describes them: what a cluster descriptor says, as a plan. metal/descriptor.h has what
 * writes one.
 *
 * SPEC: UMD's docs/yaml_schemas/cluster_descriptor.yaml (1.0.0), and what UMD 0.9.14 reads. Of the
 * chips, links, boards, locations, ids, PCI buses and what is fused off become a plan. Links to devices
 * that are not in the file are checked and left out. All other keys do not matter.
 */
#ifndef METAL_CLUSTER_FILE_H
#define METAL_CLUSTER_FILE_H

#include "chip/plan.h"
#include "loader/yaml.h"

/* PENROSE_E_ARGUMENT: its chips are of another kind. PENROSE_E_FORMAT: what it says cannot be. */
enum penrose_status metal_plan_descriptor(const struct loader_yaml *yaml, struct cluster_plan *plan,
                                          struct penrose_error *error);

#endif
