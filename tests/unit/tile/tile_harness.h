/* A tile of its own for tests, with a board that remembers faults. */
#ifndef TILE_HARNESS_H
#define TILE_HARNESS_H

#include "tile/tile.h"

struct tile_harness {
    struct rv32_code_store *store;
    struct tile *tile;
    struct tile_board board;
    enum penrose_policy policy; /* what the board answers to faults */
    struct tile_fault fault;    /* the last one */
    unsigned faults, unmodelled;
};

/* Makes (and releases) a Tensix tile, or one of another type, at (1, 2); fails the test without
 * memory. */
void harness_open(struct tile_harness *harness);
void harness_open_type(struct tile_harness *harness, enum tile_type type);
void harness_close(struct tile_harness *harness);

/* Assembles a program to L1 from `address` on: instructions with "; " between them. "N:" before one
 * defines label N (one digit), which branches and jumps name as "Nb" or "Nf" does in GNU as:
 * "1: addi a0, a0, 1; bne a0, a1, 1b". */
void harness_assemble(struct tile_harness *harness, uint32_t address, const char *program);

/* The same for a line each, and one for each label, with NULL at the end. */
void harness_assemble_lines(struct tile_harness *harness, uint32_t address,
                            const char *const *lines);

/* Takes a hart out of reset at `pc`. */
void harness_release(struct tile_harness *harness, enum rv32_core core, uint32_t pc);

uint32_t harness_word(const struct tile_harness *harness, uint32_t address);
void harness_set_word(struct tile_harness *harness, uint32_t address, uint32_t value);

/* An access as `agent` performs it between rounds. */
enum answer harness_access(struct tile_harness *harness, enum mmio_operation operation,
                           enum tile_agent agent, uint32_t address, uint32_t *value);

/* Somebody looks at the tile's harts from now on: they take no shortcuts. */
void harness_look(struct tile *tile, bool looks);

#endif
