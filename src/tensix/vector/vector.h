/*
 * State of the Vector Unit (SPEC: BlackholeA0 VectorUnit, LReg, SFPCONFIG, SFPLOADMACRO).
 *
 * A flag that the pages have for each lane is a word with a bit for each lane here. SFPCONFIG
 * writes equal values to all four rows of lanes, so they are kept for the eight columns. Words of
 * lanes that follow from them are derived at the write (config.c).
 */
#ifndef TENSIX_VECTOR_UNIT_H
#define TENSIX_VECTOR_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "num/lanes.h"

struct tensix;

enum {
    TENSIX_LREGS = 17,
    TENSIX_LREG_ZERO = 9,
    TENSIX_LREG_ONE = 10,
    TENSIX_LREG_INDEX = 7,     /* whose lanes name LRegs, see tensix_vector_is_indirect */
    TENSIX_LREG_WRITABLE = 8,  /* LReg[0] to LReg[7] are */
    TENSIX_LREG_BACKDOOR = 12, /* from here on VD names an instruction template */
    TENSIX_LREG_MACRO = 16,    /* of scheduled instructions only */
    TENSIX_LANE_COLUMNS = NUM_LANES_A_ROW,
    TENSIX_FLAG_STACK = 8,
    TENSIX_MACRO_TEMPLATES = 4,
    TENSIX_MACROS = 4,
    TENSIX_SCHEDULED = 256, /* instructions that wait: by sub-unit, delay and column */
};

/* LaneConfig, as SFPCONFIG writes it. */
enum tensix_lane_config {
    TENSIX_LANE_ENABLE_FP16A_INF = 1 << 0,
    TENSIX_LANE_DISABLE_BACKDOOR_LOAD = 1 << 1,
    TENSIX_LANE_ENABLE_DEST_INDEX = 1 << 2,
    TENSIX_LANE_CAPTURE_DEFAULT_DEST_INDEX = 1 << 3,
    TENSIX_LANE_BLOCK_DEST_WR_FROM_SFPU = 1 << 4,
    TENSIX_LANE_BLOCK_SFPU_RD_FROM_DEST = 1 << 5,
    TENSIX_LANE_DEST_RD_COL_EXCHANGE = 1 << 6,
    TENSIX_LANE_DEST_WR_COL_EXCHANGE = 1 << 7,
    TENSIX_LANE_EXCHANGE_SRCB_SRCC = 1 << 8,
    TENSIX_LANE_BLOCK_DEST_MOV = 3 << 9,
    TENSIX_LANE_ROW_MASK = 15 << 12,
    TENSIX_LANE_CONFIG_MASK = 0x3ffff,
};

/* LoadMacroConfig of a column. */
struct tensix_macro_config {
    uint32_t instruction[TENSIX_MACRO_TEMPLATES];
    uint32_t sequence[TENSIX_MACROS];
    uint32_t misc; /* 12 bits */
};

/* An entry of the flag stack, for all lanes. */
struct tensix_flag_level {
    uint32_t used; /* lanes whose stacks are that deep */
    uint32_t flags, uses_flags;
};

/* Lanes, by what their LaneConfig says. */
struct tensix_lane_sets {
    uint32_t masked;          /* ROW_MASK: never enabled */
    uint32_t backdoor_closed; /* DISABLE_BACKDOOR_LOAD */
    uint32_t fp16_infinities, dest_index, captures_index, no_stores, no_loads, odd_loads,
        odd_stores, exchanges;
    uint16_t blocked_moves; /* BLOCK_DEST_MOV: a bit for each of the 16 columns of Dst and Src */
};

/* An instruction of the Vector Unit with its operands where every row has them; a macro overrides
 * some. */
struct tensix_vector_op {
    uint32_t word;
    uint8_t row; /* of tensix.def */
    uint8_t thread;
    uint8_t va, vb, vc,
        vd;            /* numbers of LRegs; vd may be TENSIX_LREG_MACRO where it is scheduled */
    uint8_t mod;       /* Mod0 or Mod1 */
    bool is_scheduled; /* by SFPLOADMACRO: VB and VC are what they are, backdoors are closed */
    uint32_t address;  /* of a scheduled SFPSTORE: what `Addr` comes to in its page */
};

/* An instruction that SFPLOADMACRO has scheduled (macro.c). */
struct tensix_scheduled {
    struct tensix_vector_op op;
    uint32_t lanes;               /* whose LoadMacroConfig says so */
    uint8_t unit;                 /* enum tensix_vector_part */
    uint8_t delay;                /* cycles or instructions to go */
    uint16_t macro;               /* counts SFPLOADMACROs; those of one have the same */
    uint32_t counts_instructions; /* WaitForElapsedInstructions */
};

/* Values that LRegs get at the end of a cycle, or of the next one (schedule.c). What `lregs`
 * does not name is not looked at. */
struct tensix_vector_late {
    uint32_t lregs; /* bits */
    uint32_t early; /* of these: a read in the next cycle is one too early */
    uint32_t lanes[TENSIX_LREGS];
    uint32_t value[TENSIX_LREGS][NUM_LANES];
    uint16_t macro; /* of the instruction that computed them, 0: of none */
    uint16_t row;
};

/* What the automatic stalls go by (timing.c). */
struct tensix_vector_stalls {
    uint64_t start;  /* of the latest ordinary instruction */
    uint32_t writes; /* LRegs that are taken to be written a cycle later */
    uint32_t holds_unit;
};

struct tensix_vector_state {
    /* Load macros under way, of which `entries`, `macros` and `schedules` tell. Large and seldom in
     * use, hence first (see struct tensix). */
    struct tensix_scheduled scheduled[TENSIX_SCHEDULED];
    struct tensix_vector_late late[2]; /* late[turn]: of the cycle before */
    /* SFPSWAPs in their second cycle; lanes and columns of each are its own. */
    struct tensix_scheduled swap[TENSIX_LANE_COLUMNS];
    struct tensix_macro_config macro[TENSIX_LANE_COLUMNS];
    uint8_t gap[32];

    _Alignas(64) uint32_t lreg[TENSIX_LREGS][NUM_LANES]; /* as vectors of the host like it */
    uint32_t flags;                                      /* LaneFlags */
    uint32_t uses_flags;                                 /* UseLaneFlagsForLaneEnable */
    struct tensix_flag_level stack[TENSIX_FLAG_STACK];   /* [0] is the top */
    uint32_t generator[NUM_LANES];
    uint32_t lane_config[TENSIX_LANE_COLUMNS];

    uint8_t turn;
    uint8_t swaps;
    uint16_t entries;    /* of `scheduled` */
    uint16_t macros;     /* the latest of struct tensix_scheduled, never 0 */
    uint16_t schedules;  /* not 0 while anything of the above is to come */
    uint32_t swap_early; /* LRegs that others have not written in the first cycle: as `early` */
    uint32_t swap_lanes; /* of scheduled ones, whether they swap or not */
    uint64_t clock;      /* the last cycle that the unit has run; kept while `schedules` is not 0 */
    struct tensix_vector_stalls stalls; /* kept while `schedules` is not 0, and in timed runs */

    /* The latest instruction whose result takes two cycles: what hazards are judged by
     * (timing.c). */
    uint64_t slow_start;
    uint32_t slow_word;
    uint32_t slow_writes; /* bits of LRegs */
};

struct tensix_vector {
    struct tensix_vector_state;
    struct tensix_lane_sets sets; /* follow from lane_config */
};

/* As after power-on; memory is zeroed. */
void tensix_vector_init(struct tensix_vector *vector);

/* Derives `sets` after a change of lane_config. */
void tensix_vector_derive(struct tensix_vector *vector);

/* PRNG_SEED was written. */
void tensix_vector_seed(struct tensix *tensix, uint32_t seed);

/* Bits of SOFT_RESET_0 that become set and clear. */
void tensix_vector_soft_reset(struct tensix *tensix, uint32_t entering, uint32_t leaving);

/*
 * Lets scheduled instructions execute whose time has come by cycle `now`, in a functional run all
 * of those that count cycles: to be called before anything else looks at what they change. Cheap
 * where nothing is scheduled.
 */
void tensix_vector_run_schedules(struct tensix *tensix, uint64_t now);

/* Lets only those execute that are due before cycle `now`, in functional runs too, because time
 * passes. */
void tensix_vector_pass(struct tensix *tensix, uint64_t now);

/* Is anything scheduled by a thread (TENSIX_THREADS: by any) that executes without further
 * instructions? What counts instructions, and does not get them, is nothing that a thread waits
 * for. */
bool tensix_vector_goes_on(const struct tensix *tensix, unsigned thread);

/* Timed runs: the first cycle from `now` on at which the automatic stalls let an instruction start.
 */
uint64_t tensix_vector_start_at(const struct tensix *tensix, unsigned thread, unsigned row,
                                uint32_t word, uint64_t now);

static inline void tensix_vector_settle(struct tensix *tensix, const struct tensix_vector *vector,
                                        uint64_t now)
{
    if (vector->schedules) {
        tensix_vector_run_schedules(tensix, now);
    }
}

/* Lanes that are enabled (SPEC: VectorUnit, IsLaneEnabled). */
static inline uint32_t tensix_vector_enabled(const struct tensix_vector *vector)
{
    return ~vector->sets.masked & (vector->flags | ~vector->uses_flags);
}

#endif
