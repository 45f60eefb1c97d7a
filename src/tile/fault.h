/* Guest faults as the tile tells of them: the one place that makes a struct tile_fault of what is
 * known where a rule is broken. */
#ifndef TILE_FAULT_H
#define TILE_FAULT_H

#include "tile/tile.h"

/* The word of the hart's instruction at `pc`. */
uint32_t tile_word_at(const struct tile *tile, enum rv32_core core, uint32_t pc);

/* The record of an agent's fault. Of a hart `pc` is the instruction, and L1 has its word. */
struct tile_fault tile_fault_of(const struct tile *tile, enum penrose_fault_kind kind,
                                enum tile_agent agent, uint32_t pc, uint64_t cycle,
                                const char *text);

/* The record of a packet's, whoever serves it: the one that sent it is at fault. */
struct tile_fault tile_fault_of_packet(const struct noc_packet *packet,
                                       enum penrose_fault_kind kind, const char *text);

/* Tells the board of a fault; a tile that is to stop is stopped. */
enum penrose_policy tile_fault(struct tile *tile, const struct tile_fault *fault);

/* The same of what is a fault only if a kernel that tt-metal has launched does it, where the board
 * knows launches (struct tile_board). */
enum penrose_policy tile_claim(struct tile *tile, const struct tile_fault *fault);

/* An agent breaks a rule, a hart by its instruction at hand, which accesses `address`. False: the
 * policy stops the tile, and the hart's burst ends behind that instruction. */
bool tile_agent_fault(struct tile *tile, enum penrose_fault_kind kind, enum tile_agent agent,
                      uint64_t cycle, uint32_t address, const char *text);

/* A hart does so, if its instruction is one of a kernel that tt-metal has launched. */
void tile_hart_claim(struct tile *tile, enum penrose_fault_kind kind, enum rv32_core core,
                     uint64_t cycle, uint32_t address, const char *text);

#endif
