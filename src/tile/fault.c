/* Fault records, see tile/fault.h. */
#include "tile/fault.h"

#include <stdio.h>
#include <string.h>

uint32_t tile_word_at(const struct tile *tile, enum rv32_core core, uint32_t pc)
{
    uint32_t word;
    const uint8_t *at = tile_code_at(tile, core, pc & ~UINT32_C(3));
    memcpy(&word, at ? at : tile->l1 + pc % tile->kind->l1_bytes / 4 * 4, sizeof word);
    return word;
}

struct tile_fault tile_fault_of(const struct tile *tile, enum penrose_fault_kind kind,
                                enum tile_agent agent, uint32_t pc, uint64_t cycle,
                                const char *text)
{
    struct tile_fault fault = {.kind = kind, .agent = agent, .cycle = cycle};
    if (agent < AGENT_NOC) {
        fault.pc = pc;
        fault.word = tile_word_at(tile, (enum rv32_core)agent, pc);
    }
    snprintf(fault.text, sizeof fault.text, "%s", text);
    return fault;
}

struct tile_fault tile_fault_of_packet(const struct noc_packet *packet,
                                       enum penrose_fault_kind kind, const char *text)
{
    struct tile_fault fault = {.kind = kind,
                               .agent = (enum tile_agent)packet->agent,
                               .is_remote = true,
                               .origin = packet->origin,
                               .cycle = packet->sent, /* as its pc */
                               .pc = packet->pc,
                               .address = (uint32_t)packet->address};
    snprintf(fault.text, sizeof fault.text, "%s", text);
    return fault;
}

static enum penrose_policy obey(struct tile *tile, enum penrose_policy policy)
{
    if (policy == PENROSE_STOP) {
        tile->halt = TILE_FAULTED;
    }
    return policy;
}

enum penrose_policy tile_fault(struct tile *tile, const struct tile_fault *fault)
{
    return obey(tile, tile->board->fault(tile->owner, tile, fault));
}

enum penrose_policy tile_claim(struct tile *tile, const struct tile_fault *fault)
{
    return obey(tile, tile->board->claim(tile->owner, tile, fault));
}

static bool judge_agent(struct tile *tile, enum penrose_fault_kind kind, enum tile_agent agent,
                        uint64_t cycle, uint32_t address, const char *text, bool is_claim)
{
    uint32_t pc = agent < AGENT_NOC ? rv32_current_pc(&tile->hart[agent]) : 0;
    struct tile_fault fault = tile_fault_of(tile, kind, agent, pc, cycle, text);
    fault.address = address;
    if ((is_claim ? tile_claim : tile_fault)(tile, &fault) != PENROSE_STOP) {
        return true;
    }
    if (agent < AGENT_NOC) {
        rv32_cut(&tile->hart[agent], cycle + 1);
    }
    return false;
}

bool tile_agent_fault(struct tile *tile, enum penrose_fault_kind kind, enum tile_agent agent,
                      uint64_t cycle, uint32_t address, const char *text)
{
    return judge_agent(tile, kind, agent, cycle, address, text, false);
}

void tile_hart_claim(struct tile *tile, enum penrose_fault_kind kind, enum rv32_core core,
                     uint64_t cycle, uint32_t address, const char *text)
{
    judge_agent(tile, kind, (enum tile_agent)core, cycle, address, text, true);
}
