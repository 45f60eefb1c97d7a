/* The table of an agent: what its hart does, entry by entry; see link.h. */
#ifndef DIFFTEST_NOC_TABLE_H
#define DIFFTEST_NOC_TABLE_H

#include "program.h"

#define NIU_FIRST  UINT32_C(0xffb20000)
#define NIU_STRIDE UINT32_C(0x00010000)

/* L1 of a tile with agents. */
enum {
    INTERPRETER = 0x200, /* bytes of one; HART_B's is the first */
    CONTROL = 0x1000,
    CONTROL_ZERO = CONTROL,           /* a word that is 0 */
    CONTROL_GO = CONTROL + 0x10,      /* the phase that may begin */
    CONTROL_ARRIVED = CONTROL + 0x20, /* agents at barriers, of the tile of agent 0 */
    CONTROL_DONE = CONTROL + 0x30,    /* a line for each agent of the tile */
    CONTROL_OLD = CONTROL + 0x60,     /* old values that are not compared */
    CONTROL_BEFORE = CONTROL + 0x80,  /* counters at the start, a line for each NoC */
    CONTROL_PHASE = CONTROL + 0x100,  /* a line for each phase with its number */
    CONTROL_FLUSH = CONTROL + 0x200,  /* a line for each agent of the program */
    CONTROL_BYTES = 0x1000,
    TABLE = 0x2000,
    TABLE_BYTES = 0x1e000, /* of one of two */
    TABLE_ENTRY = 16,
};

enum entry_kind {
    ENTRY_STORE, /* value to address */
    ENTRY_WAIT,  /* until the word at address is value plus the word at `other` */
    ENTRY_COPY,  /* the word at address to `other` */
    ENTRY_END,   /* value to address, then stop */
};

struct entry {
    uint32_t kind, address, value, other;
};

struct table {
    struct entry *entry;
    uint32_t entries;
    bool ok;
};

/* Registers of a command buffer as an agent left them. */
struct shadow {
    uint32_t word[11];
    bool known;
};

struct writer {
    const struct program *program;
    uint32_t agent;
    struct table table;
    struct shadow shadow[NOCS][BUFFERS];
    uint32_t expected[NOCS][3]; /* responses: of atomics, writes, reads */
    uint64_t started;
};

/* Which of the two agents of its tile an agent is. */
uint32_t agent_slot(const struct program *program, uint32_t agent);

/* Is the memory L1 of a tile that runs guest code? All of the arena are. */
bool has_agents(const struct program *program, uint64_t memory);

/* Soft reset of a tile with all harts held. */
uint32_t reset_bits(const struct program *program, uint64_t memory);

/* Soft reset of a tile when these agents of it run, as a value of the register. */
uint32_t reset_value(const struct program *program, uint64_t tile, bool with_launched);

/* Is the agent started by another one? */
bool is_launched(const struct program *program, uint32_t agent);

/* The whole table of an agent; table.entry is to be freed. */
struct mutant;
void table_write(struct writer *w, const struct program *program, uint32_t agent,
                 const struct mutant *mutant);

#endif
