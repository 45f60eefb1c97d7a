/*
 * The generator. A random program is made of fragments: an instruction with what it needs in
 * front, a loop (MOP, REPLAY), a hand-over between threads. A rule of rules.def names the function
 * that makes fragments of its row, its maker.
 *
 * Free of races: every configuration word, scratch register, stream and semaphore belongs to one
 * thread; words change hands only by a semaphore with one thread on each side, which is waited for
 * with every unit blocked. What several threads change (the shared word, the bank numbers) they
 * change in ways whose order does not matter. Free of deadlocks: the fragments in the order in
 * which they are made are a schedule that runs through.
 *
 * The same seed makes the same programs everywhere: no expression draws two random numbers, since
 * C leaves the order of arguments and initialisers open.
 */
#ifndef DIFFTEST_TENSIX_GENERATE_H
#define DIFFTEST_TENSIX_GENERATE_H

#include "rules.h"
#include "state.h"

struct generate_options {
    uint32_t steps; /* about so many; 0: random */
    bool free;      /* without what protects the reference */
    bool unfenced;
    bool unnamed; /* sets configuration bits of no field */
    bool compact; /* one thread, few GPRs: for golden cases */
    enum program_family family;
};

/* Case `number` of a seed; !program->ok: no memory. */
void program_generate(struct program *program, const struct rules *rules,
                      const struct state_map *map, uint64_t seed, uint64_t number,
                      const struct generate_options *options);

/* --- For the makers (make_*.c) --- */

enum {
    WORD_GROUPS = CONFIG_WORDS / 4, /* words are owned by fours: WRCFG can write four */
    NOBODY = THREADS,
    MOST_EXPANSION = 360, /* instructions of a fragment, below what the reference's queue holds */
    MOST_BRISC = 300,     /* pushed by BRISC for a thread, which waits for nothing */
    ALL_BLOCKS = TENSIX_BLOCK_MASK,
    SEMAPHORE_MOST = 15,
};

struct semaphore_plan {
    uint8_t value, max, owner, peer; /* peer: who gets what the owner posts, or NOBODY */
    uint32_t group;                  /* of its SEMINIT; 0: none yet (channels) */
};

struct bank_plan {
    bool valid[2];
    uint8_t unpack, matrix;
};

struct thread_plan {
    bool by_brisc, closed;
    unsigned pushed;      /* expanded instructions */
    uint32_t keeps_valid; /* CLR_DVALID, as the thread last set it */
};

struct scene;

struct generator {
    struct program *program;
    const struct rules *rules;
    const struct state_map *map;
    const struct generate_options *options;
    struct random random;
    struct thread_plan thread[THREADS];
    uint8_t active[THREADS];
    unsigned actives;
    uint8_t owner[WORD_GROUPS];
    uint32_t owner_group[WORD_GROUPS]; /* the hand-over that made the owner so, or 0 */
    uint16_t shared_word;              /* everybody changes bits of their own */
    struct semaphore_plan semaphore[SEMAPHORES];
    struct bank_plan bank[2]; /* SrcA, SrcB */
    bool banks_unknown;       /* a loop flipped them */
    uint8_t bus_owner;        /* the one that may sample the debug bus */
    uint32_t group, groups, needs;
    bool in_loop;
    struct scene *scene; /* or NULL */
};

static inline uint32_t below(struct generator *g, uint32_t limit)
{
    return random_below(&g->random, limit);
}

static inline bool once_in(struct generator *g, uint32_t times)
{
    return random_once_in(&g->random, times);
}

/* A GPR. Boundary values are as likely as elsewhere, so that programs read what they wrote. */
static inline uint32_t random_gpr(struct generator *g)
{
    return random_bits(&g->random, 6);
}

/* The bits of a configuration word that may be set. */
uint32_t legal_bits(const struct generator *g, unsigned word);

/* Adds a step of the thread, in the group that is open. */
void add_step(struct generator *g, unsigned thread, enum step_kind kind, unsigned number,
              uint32_t word);

/* Adds a push: .ttinsn, or now and then a store. */
void add_push(struct generator *g, unsigned thread, uint32_t word);

/* Steps between these belong together. */
void open_group(struct generator *g);
void close_group(struct generator *g);

/* The row with these operands: pairs of names and values, then NULL; the rest is 0. */
uint32_t instruction(unsigned row, ...);

/* SETDMAREG twice: GPR `reg` = value. */
void add_gpr_value(struct generator *g, unsigned thread, unsigned reg, uint32_t value);

/* A random instruction that can stand in a loop; false when the rows in use have none.
 * `traits` are those it must not have. */
bool loop_word(struct generator *g, unsigned thread, unsigned without, uint32_t *word);

/* A fragment of a rule's row. False: nothing fits now. */
typedef bool maker_function(struct generator *g, unsigned thread, const struct rule *rule);
maker_function make_plain, make_setc16, make_wrcfg, make_rdcfg, make_rmwcib, make_shiftmask;
maker_function make_storereg, make_setrwc, make_semaphore, make_mutex, make_mop, make_replay;
maker_function make_bank;
maker_function make_vector;

/* Of scenes (make_scene.c); by maker, NULL for the others. */
extern maker_function *const scene_makers[MAKERS];

/* The word alone, for loops: operands of makers that are a single instruction. */
bool config_word_of(struct generator *g, unsigned thread, const struct rule *rule, uint32_t *word);
uint32_t setrwc_word(struct generator *g, unsigned thread, const struct rule *rule);

#endif
