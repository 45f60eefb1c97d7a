/* See names.h. */
#include "arch/names.h"

#include <stddef.h>

static const struct {
    const char *name, *rule;
    enum penrose_policy policy;
} fault_kinds[PENROSE_FAULT_KINDS] = {
#define PENROSE_FAULT_KIND(token, name, policy, rule)                                              \
    [PENROSE_FAULT_##token] = {name, rule, PENROSE_##policy},
#include <penrose/fault_kinds.h>
#undef PENROSE_FAULT_KIND
};

const char *arch_hart_name(enum penrose_hart hart)
{
    static const char *const names[PENROSE_HARTS] = {[PENROSE_BRISC] = "brisc",
                                                     [PENROSE_TRISC0] = "trisc0",
                                                     [PENROSE_TRISC1] = "trisc1",
                                                     [PENROSE_TRISC2] = "trisc2",
                                                     [PENROSE_NCRISC] = "ncrisc"};
    return (unsigned)hart < PENROSE_HARTS ? names[hart] : "noc";
}

const char *arch_tile_kind_name(enum penrose_tile_kind kind)
{
    static const char *const names[PENROSE_TILE_KINDS] = {
        [PENROSE_TILE_EMPTY] = "empty", [PENROSE_TILE_TENSIX] = "Tensix",
        [PENROSE_TILE_DRAM] = "DRAM",   [PENROSE_TILE_ETHERNET] = "Ethernet",
        [PENROSE_TILE_PCIE] = "PCIe",   [PENROSE_TILE_ARC] = "ARC",
        [PENROSE_TILE_L2CPU] = "L2CPU", [PENROSE_TILE_SECURITY] = "security"};
    return kind < PENROSE_TILE_KINDS ? names[kind] : NULL;
}

const char *arch_agent_name(enum penrose_agent agent)
{
    static const char *const names[PENROSE_AGENTS] = {
        [PENROSE_AGENT_NOC] = "noc",           [PENROSE_AGENT_HOST] = "host",
        [PENROSE_AGENT_UNPACKER] = "unpacker", [PENROSE_AGENT_PACKER] = "packer",
        [PENROSE_AGENT_MOVER] = "mover",       [PENROSE_AGENT_SCALAR_UNIT] = "scalar unit",
        [PENROSE_AGENT_ETHERNET] = "ethernet"};
    if ((unsigned)agent < PENROSE_HARTS) {
        return arch_hart_name((enum penrose_hart)agent);
    }
    return (unsigned)agent < PENROSE_AGENTS ? names[agent] : NULL;
}

const char *arch_policy_name(enum penrose_policy policy)
{
    static const char *const names[] = {[PENROSE_DEFAULT] = "default",
                                        [PENROSE_STOP] = "stop",
                                        [PENROSE_WARN] = "warn",
                                        [PENROSE_IGNORE] = "ignore"};
    return policy <= PENROSE_IGNORE ? names[policy] : NULL;
}

const char *arch_fault_name(enum penrose_fault_kind kind)
{
    return (unsigned)kind < PENROSE_FAULT_KINDS ? fault_kinds[kind].name : NULL;
}

const char *arch_fault_rule(enum penrose_fault_kind kind)
{
    return (unsigned)kind < PENROSE_FAULT_KINDS ? fault_kinds[kind].rule : NULL;
}

enum penrose_policy arch_fault_policy(enum penrose_fault_kind kind)
{
    return (unsigned)kind < PENROSE_FAULT_KINDS ? fault_kinds[kind].policy : PENROSE_DEFAULT;
}
