/*
 * What is run and compared: NoC transactions that agents (harts of the tiles of an arena, which is
 * a rectangle of 4 to 20 Tensix tiles, and of Ethernet tiles) start, in phases with barriers
 * between them.
 *
 * Invariant (race-freeness): within a phase no byte that a transaction writes is read or written by
 * another one, except that several may add to a word whose old value is not compared. So what is
 * left depends on neither time nor order. Dropping transactions, agents or phases keeps this.
 */
#ifndef DIFFTEST_NOC_PROGRAM_H
#define DIFFTEST_NOC_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/worker.h"

enum {
    MOST_TILES = 20,
    MOST_AGENTS = 2 * MOST_TILES + 12,
    MOST_MEMORIES = 64,
    MOST_PHASES = 8,
    MOST_BYTES = 16384, /* of a transaction */
    REGION_BYTES = 0x10000,
    COLUMNS = 14,
    ROWS = 10,
    NOCS = 2,
    BUFFERS = 4,
};

enum memory_kind {
    MEMORY_L1,
    MEMORY_DRAM,
    MEMORY_ETHERNET,
    MEMORY_CSM,  /* of ARC */
    MEMORY_HOST, /* over PCIe */
    MEMORY_KINDS
};
enum hart { HART_B, HART_T0, HART_T1, HART_T2, HART_NC, HART_E0, HART_E1, HARTS };

enum transaction_kind {
    KIND_READ,
    KIND_WRITE,
    KIND_INLINE,
    KIND_ATOMIC,
    KIND_MULTICAST,
    KIND_LAUNCH, /* an inline write to the soft reset of the agent whose number is `data` */
    /* A write to the tile of agent `data`, then of a flag on the same channel; that agent waits for
     * the flag and writes the bytes on. */
    KIND_FORWARD,
    KINDS
};
extern const char *const kind_names[KINDS];

struct memory {
#define MEMORY(name) uint64_t name;
#include "fields.def"
};

struct agent {
#define AGENT(name) uint64_t name;
#include "fields.def"
};

struct transaction {
#define TRANSACTION(name) uint64_t name;
#include "fields.def"
};

struct program {
    uint64_t number;
#define PROGRAM(name) uint64_t name;
#include "fields.def"
    struct memory memory[MOST_MEMORIES]; /* the L1s of the arena's tiles come first */
    struct agent agent[MOST_AGENTS];     /* agent 0 keeps the barrier */
    struct transaction *transaction;
    uint32_t memories, agents, transactions, room;
    bool ok; /* false: memory ran out */
};

void program_init(struct program *program);
void program_free(struct program *program);
bool program_copy(struct program *to, const struct program *from);
struct transaction *program_add(struct program *program, const struct transaction *transaction);

/* Does the transaction need the agent number `data` too? */
static inline bool has_partner(const struct transaction *transaction)
{
    return transaction->kind == KIND_LAUNCH || transaction->kind == KIND_FORWARD;
}

/* Takes away an agent and all that has to do with it. */
void program_drop_agent(struct program *program, uint32_t agent);

static inline uint32_t program_tiles(const struct program *program)
{
    return (uint32_t)(program->width * program->height);
}

/* The command buffer of a tile that its agents do not use: its registers are targets for others. */
static inline uint32_t idle_buffer(uint64_t tile)
{
    return (uint32_t)(tile % BUFFERS);
}

/* Is everything where it may be, so that it can be linked? NULL, or what is not. */
const char *program_fault(const struct program *program);

/* --- Names --- */

/* Of a tile of the arena, and of a memory by one of its ports, as software writes them. */
struct coordinates tile_coordinates(const struct program *program, uint64_t tile);
struct coordinates memory_coordinates(const struct program *program, uint64_t memory,
                                      uint64_t port);

/* "L1 of (1, 2)" */
void memory_name(const struct program *program, uint64_t memory, char *text, size_t size);

/* Does the multicast reach this tile of the arena? */
bool multicast_reaches(const struct program *program, const struct transaction *transaction,
                       uint64_t tile);

/* Registers of a tile, where they are on the NoC. */
#define REGISTERS_FIRST UINT64_C(0xff000000)

static inline bool is_register(const struct program *program, uint64_t memory, uint64_t address)
{
    uint64_t kind = program->memory[memory].kind;
    return address >= REGISTERS_FIRST && (kind == MEMORY_L1 || kind == MEMORY_ETHERNET);
}

#endif
