/*
 * The model of the Vector Unit: one lane after the other, as the pages write it, without the
 * product's kernels. It keeps what the pages keep, a flag or a stack for each lane, and runs either
 * single instructions (f_execute) or cycles with load macros under way (f_cycle).
 *
 * SPEC: BlackholeA0 VectorUnit, LReg, SFP*, SFPLOADMACRO, Dst; Miscellaneous/FMA. Later versions of
 * the pages win over earlier ones.
 */
#ifndef LANE_MODEL_H
#define LANE_MODEL_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>

#include "unit/random.h"
#include "tensix/config/regs.h"
#include "unit/tensix/tensix_harness.h"

enum {
    F_LANES = 32,
    F_LREGS = 17,
    F_STACK = 8,
    F_PENDING = 64,
    F_LREG_MACRO = 16,
    F_FIRST_OP = 0x70,
    F_OPS = 42
};

enum f_op {
    F_SFPLOAD = 0x70,
    F_SFPLOADI,
    F_SFPSTORE,
    F_SFPLUT,
    F_SFPMULI,
    F_SFPADDI,
    F_SFPDIVP2,
    F_SFPEXEXP,
    F_SFPEXMAN,
    F_SFPIADD,
    F_SFPSHFT,
    F_SFPSETCC,
    F_SFPMOV,
    F_SFPABS,
    F_SFPAND,
    F_SFPOR,
    F_SFPNOT,
    F_SFPLZ,
    F_SFPSETEXP,
    F_SFPSETMAN,
    F_SFPMAD,
    F_SFPADD,
    F_SFPMUL,
    F_SFPPUSHC,
    F_SFPPOPC,
    F_SFPSETSGN,
    F_SFPENCC,
    F_SFPCOMPC,
    F_SFPTRANSP,
    F_SFPXOR,
    F_SFP_STOCH_RND,
    F_SFPNOP,
    F_SFPCAST,
    F_SFPCONFIG,
    F_SFPSWAP,
    F_SFPLOADMACRO,
    F_SFPSHFT2,
    F_SFPLUTFP32,
    F_SFPLE,
    F_SFPGT,
    F_SFPMUL24,
    F_SFPARECIP,
};

enum f_part { F_SIMPLE, F_MAD, F_ROUND, F_STORE, F_LOAD, F_PARTS };

/* LaneConfig. */
enum {
    F_FP16A_INF = 1 << 0,
    F_NO_BACKDOOR = 1 << 1,
    F_DEST_INDEX = 1 << 2,
    F_CAPTURE_INDEX = 1 << 3,
    F_BLOCK_STORE = 1 << 4,
    F_BLOCK_LOAD = 1 << 5,
    F_LOAD_ODD = 1 << 6,
    F_STORE_ODD = 1 << 7,
    F_EXCHANGE = 1 << 8,
    F_ROW_MASK_SHIFT = 12,
};

struct f_insn {
    uint32_t word;
    enum f_op op;
    unsigned thread, va, vb, vc, vd, mod;
    bool scheduled;
    bool vb_is_given; /* by the macro: the page's own choice of VB is skipped */
    bool vc_is_given;
    unsigned address; /* of a scheduled store */
};

struct f_pending {
    struct f_insn insn;
    enum f_part part;
    unsigned delay;
    bool counts_instructions;
};

/* What instructions change. */
struct f_state {
    uint32_t lreg[F_LREGS][F_LANES];
    bool flags[F_LANES], uses_flags[F_LANES];
    struct {
        bool flags, uses_flags;
    } stack[F_LANES][F_STACK];
    unsigned depth[F_LANES];
    uint32_t generator[F_LANES];
    uint32_t lane_config[F_LANES];
    struct {
        uint32_t instruction[4], sequence[4];
        uint32_t misc;
    } macro[F_LANES];
    uint16_t dst[1024][16];
    bool cleared[1024]; /* rows that ZEROACC has made undefined, which are read as 0 */
    struct tensix_rwc rwc[3];
    unsigned sp[3];
};

struct f_model {
    const struct tensix *tensix; /* for its configuration */
    struct f_state state;
    struct f_pending pending[F_PENDING];
    unsigned pendings;
    struct f_late {
        uint32_t lregs; /* that are written, as bits */
        uint32_t lanes[F_LREGS], value[F_LREGS][F_LANES];
        bool needs_idle; /* SFPSWAP, SFPSHFT2 between lanes: nothing else may execute */
    } late;              /* results that come a cycle later */
    bool undefined;      /* the program has left what the pages define */
    unsigned discarded;  /* instructions that lost their sub-unit to a scheduled one */
};

/* --- Random source --- */

/* A word of which many are near what FP32 and integers have for special cases. */
uint32_t f_word(uint64_t *state);

/* --- Model --- */

/* All that is random at the start of an instruction: LRegs, flags, stacks of one to seven entries
 * (equal in all lanes), generators, Dst. LaneConfig is 0, macros are none. */
void f_fill(struct f_model *model, const struct tensix *tensix, uint64_t *random);

/* The same but for Dst, which stays. */
void f_refill(struct f_model *model, uint64_t *random);

/* A random LaneConfig. */
void f_configure(struct f_model *model, uint64_t *random);

/* Makes the coprocessor what the model is, but for what has no place in it (Sp). */
void f_put(const struct f_model *model, struct tensix *tensix);

/* Fails the test with `what` where the two are not the same. */
void f_compare(const struct f_model *model, const struct tensix *tensix, const char *what);

/* The next instruction. False where the pages have no behaviour for it; nothing has happened. */
bool f_execute(struct f_model *model, unsigned thread, uint32_t word);

/* Its parts: operands; an instruction without the backdoor; SFPLOAD, which answers the address;
 * SFPSTORE; is the lane one for which VD is no template? */
struct f_insn f_decode(unsigned thread, uint32_t word);
bool f_do(struct f_model *model, const struct f_insn *insn);
unsigned f_do_load(struct f_model *model, const struct f_insn *insn);
void f_do_store(struct f_model *model, const struct f_insn *insn);
bool f_is_closed(const struct f_state *state, const struct f_insn *insn, unsigned lane);

/* --- Cycles (lane_model_cycles.c) --- */

/* A cycle, in which `word` comes or, where it is 0, none for the Vector Unit. */
void f_cycle(struct f_model *model, unsigned thread, uint32_t word);

/* The sub-unit of a row. */
enum f_part f_part_of(enum f_op op);

uint32_t f_mad(uint32_t x, uint32_t y, uint32_t z);
bool f_enabled(const struct f_state *state, unsigned lane);

/* SPEC: AdvancePRNG. */
uint32_t f_next_random(struct f_state *state, unsigned lane);

/* --- Words --- */

static inline uint32_t f_insn(enum f_op op, uint32_t imm12, uint32_t vc, uint32_t vd, uint32_t mod)
{
    return (uint32_t)op << 24 | (imm12 & 0xfff) << 12 | vc << 8 | vd << 4 | mod;
}

static inline uint32_t f_insn4(enum f_op op, uint32_t va, uint32_t vb, uint32_t vc, uint32_t vd,
                               uint32_t mod)
{
    return f_insn(op, va << 4 | vb, vc, vd, mod);
}

static inline uint32_t f_insn16(enum f_op op, uint32_t imm16, uint32_t vd, uint32_t mod)
{
    return (uint32_t)op << 24 | (imm16 & 0xffff) << 8 | vd << 4 | mod;
}

/* SFPLOAD, SFPSTORE. */
static inline uint32_t f_memory(enum f_op op, uint32_t vd, uint32_t mod0, uint32_t addr_mod,
                                uint32_t imm10)
{
    return (uint32_t)op << 24 | vd << 20 | mod0 << 16 | addr_mod << 13 | imm10;
}

static inline uint32_t f_loadi(uint32_t vd, uint32_t mod0, uint32_t imm16)
{
    return (uint32_t)F_SFPLOADI << 24 | vd << 20 | mod0 << 16 | (imm16 & 0xffff);
}

static inline uint32_t f_macro(uint32_t index, uint32_t vd, uint32_t mod0, uint32_t addr_mod,
                               uint32_t imm10)
{
    return f_memory(F_SFPLOADMACRO, index << 2 | (vd & 3), mod0, addr_mod,
                    (imm10 & 0x3fe) | vd >> 2);
}

/* --- The coprocessor --- */

/* Sets of kernels, by name. */
enum { F_SETS = 3 };
extern const char *const f_sets[F_SETS];

struct f_world {
    struct tensix_harness harness;
    struct f_model model;
    uint64_t random;
};

/* A coprocessor with this set of kernels (NULL: the fastest), and a filled model, which f_put has
 * yet to give to it. NULL where this host cannot run the set. */
struct f_world *f_open_world(const char *set, uint64_t seed);
void f_close_world(struct f_world *world);

/* The harness with an instruction that no other comes near to in time. */
static inline void f_push(struct tensix_harness *harness, unsigned thread, uint32_t word)
{
    harness->time += 4;
    tensix_harness_push(harness, thread, word);
}

#define F_CONFIG(tensix, name, value)                                                              \
    tensix_set_config_field((tensix), 0, TENSIX_FIELD_##name, (uint32_t)(value))
#define F_THREAD(tensix, name, value)                                                              \
    tensix_set_thread_field((tensix), 0, TENSIX_FIELD_##name, (uint32_t)(value))

/* For loops over data: ck_assert_msg tells Check about every success, which takes far longer. */
#define F_EXPECT(condition, ...)                                                                   \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ck_abort_msg(__VA_ARGS__);                                                             \
        }                                                                                          \
    } while (0)

/* The row of an opcode, and a random word of it with these VD and mode where it has them. */
const struct isa_row *f_row_of(enum f_op op);
uint32_t f_random_word(enum f_op op, unsigned vd, unsigned mod, uint64_t *random);

#endif
