/* Shared by the files of load macros and of timing: the LRegs that an instruction of the Vector
 * Unit reads and writes (USES of tensix.def), and one cycle of the unit. */
#ifndef TENSIX_VECTOR_SCHEDULE_H
#define TENSIX_VECTOR_SCHEDULE_H

#include "tensix/vector/common.h"

/* --- timing.c --- */

/* What a row is, whatever its operands. */
struct tensix_vector_row {
    uint8_t part; /* enum tensix_vector_part */
    bool has_vb, has_vc;
};

const struct tensix_vector_row *tensix_vector_row(unsigned row);

/* May the sub-unit execute the row? SPEC: SFPLOADMACRO, the table at its top. */
bool tensix_vector_can_execute(enum tensix_vector_part part, unsigned row);

/* What an instruction does to LRegs, as bits. */
struct tensix_vector_uses {
    uint32_t reads, writes;
    uint32_t seen_reads, assumed_writes; /* what the automatic stalls take for that */
    bool is_slow;                        /* its result can be used the cycle after next only */
    bool holds_unit;                     /* the unit accepts nothing but SFPNOP in the next cycle */
    bool is_for_all_lanes;               /* whatever flags say; see ALL_LANES */
};

struct tensix_vector_uses tensix_vector_uses(const struct tensix_vector *vector,
                                             const struct tensix_vector_op *op);

/* An ordinary instruction has started at `now`: what those that follow are stalled by. */
void tensix_vector_note_start(struct tensix_vector *vector, const struct tensix_vector_op *op,
                              uint64_t now);

/* Do the automatic stalls keep the instruction from starting at `now`? For one cycle at most. */
bool tensix_vector_must_stall(const struct tensix_vector *vector, const struct tensix_vector_op *op,
                              uint64_t now);

/* Reports that an instruction reads LRegs whose values come a cycle later; `writer` is the row that
 * computes them. */
enum tensix_exec tensix_vector_report_late(struct tensix *tensix, const struct tensix_vector_op *op,
                                           unsigned writer, uint32_t lregs);

/* --- Rules --- */

/* The rule that an instruction is going to break for `lanes`, or NULL: what RULE of tensix.def
 * names. Handlers ask the same. */
typedef const char *tensix_vector_check(const struct tensix_vector *vector,
                                        const struct tensix_vector_op *op, uint32_t lanes);

tensix_vector_check tensix_vector_check_push, tensix_vector_check_pop;    /* flags.c */
tensix_vector_check tensix_vector_check_round, tensix_vector_check_shift; /* round.c */
tensix_vector_check tensix_vector_check_immediate;                        /* memory.c */

/* --- simple.c --- */

/* Lanes in which an SFPSWAP is going to exchange its operands, whether they are enabled or not. */
uint32_t tensix_vector_misordered(const struct tensix *tensix, const struct tensix_vector_op *op);

/* --- schedule.c --- */

extern tensix_vector_exec *const tensix_vector_execs[TENSIX_ROWS];

/* One cycle of the unit while anything is scheduled; `ordinary` is the instruction that a thread
 * has issued, or NULL. */
enum tensix_exec tensix_vector_cycle(struct tensix *tensix,
                                     const struct tensix_vector_op *ordinary);

/* --- macro.c --- */

/* The rule that a macro breaks, or NULL; the load of one; what it schedules. */
const char *tensix_vector_check_macro(const struct tensix_vector *vector,
                                      const struct tensix_vector_op *op);
void tensix_vector_macro_load(struct tensix *tensix, const struct tensix_vector_op *op,
                              unsigned address);
void tensix_vector_schedule_macro(struct tensix_vector *vector, const struct tensix_vector_op *op,
                                  unsigned address);

#endif
