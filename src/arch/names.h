/* The names of what all chips have in common: harts, kinds of tiles and of faults, policies, agents.
 * Messages and files use them. */
#ifndef ARCH_NAMES_H
#define ARCH_NAMES_H

#include <penrose/debug.h>

/* "brisc" and so on; "noc" for PENROSE_NO_HART. */
const char *arch_hart_name(enum penrose_hart hart);

/* NULL out of range, as for all that follow. */
const char *arch_tile_kind_name(enum penrose_tile_kind kind);
const char *arch_agent_name(enum penrose_agent agent);
const char *arch_policy_name(enum penrose_policy policy);

/* A row of penrose/fault_kinds.h: its name, its rule in words, its default policy. */
const char *arch_fault_name(enum penrose_fault_kind kind);
const char *arch_fault_rule(enum penrose_fault_kind kind);
enum penrose_policy arch_fault_policy(enum penrose_fault_kind kind);

#endif
