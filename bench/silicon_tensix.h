/*
 * Programs for rows of silicon_tensix.def: harts that push Tensix instructions and read the clock.
 *
 * A program is made by assembling for T0, T1 and T2. Markers around what is measured are those of the
 * source: a load of the clock and a store of what it said. An emitter makes the programs of a kind of
 * rows. Registers t0 to t6 may change in all that is emitted here.
 */
#ifndef BENCH_SILICON_TENSIX_H
#define BENCH_SILICON_TENSIX_H

#include "guest.h"
#include "silicon.h"

enum { THREAD_COUNT = 3, UNPACKING = 0, MATH = 1, PACKING = 2 };

struct silicon_program {
    struct guest_code code[THREAD_COUNT]; /* of T0, T1 and T2; those without words do not run */
    unsigned marks;
};

struct tensix_row;
typedef void silicon_emitter(struct silicon_program *program, const struct tensix_row *row,
                             unsigned turns);

/*
 * What a row runs. The result is what `turns` of it take, over `each`. With `more` it is the difference
 * that so many turns more make. `without` is what the source has taken off: an empty loop.
 */
struct tensix_row {
    const char *name;
    double cycles;
    const char *reason;
    silicon_emitter *emit, *without;
    unsigned turns, more;
    double each;
    const char *op, *also, *drain; /* instructions, by emitter */
    unsigned count, group, format; /* by emitter */
    bool fuses; /* harts push up to four .ttinsn at once, as the source had them do */
};

/* Where marks are stored. */
#define SILICON_RESULTS UINT32_C(0x16f010)

/* --- Lines --- */

/* Tensix instructions, with " ; " between them: `.ttinsn`, pushed to the hart's own thread. */
void silicon_push(struct guest_code *code, const char *text);

/* One of them by a store, after as many instructions as its source needs to compute an operand. */
void silicon_push_by_store(struct guest_code *code, const char *text);

/* Like silicon_push, with `first` for each @ and `second` for each #. */
void silicon_push_with(struct guest_code *code, const char *text, unsigned first, unsigned second);

/* The same, `times` times. */
void silicon_repeat(struct guest_code *code, unsigned times, const char *text);

void silicon_li(struct guest_code *code, const char *reg, uint32_t value);
void silicon_store(struct guest_code *code, uint32_t address, uint32_t value);

/* Waits until all that was pushed has executed. */
void silicon_sync(struct guest_code *code);

/* Waits until a word of L1 is 1. */
void silicon_await(struct guest_code *code, uint32_t address);

/* Programs MOP template 1; NULL is NOP. */
struct silicon_mop {
    unsigned outer, inner;
    const char *start, *end[2], *loop[2], *last, *outer_last;
};
void silicon_mop(struct guest_code *code, const struct silicon_mop *mop);

/* The same where only loop[0], last and outer_last are others than before. */
void silicon_change_mop(struct guest_code *code, const struct silicon_mop *mop);

/* Records instructions, and programs a MOP that plays them `times` times. */
void silicon_record(struct guest_code *code, unsigned index, const char *text);
void silicon_play(struct guest_code *code, unsigned index, const char *text, unsigned times);

/* Begins or ends what is measured, and stores the time at once. */
void silicon_mark(struct silicon_program *program, unsigned thread);

/* Begins and ends one of several intervals; both times are stored at its end. s2 and s3 change. */
void silicon_begin(struct silicon_program *program, unsigned thread);
void silicon_end(struct silicon_program *program, unsigned thread);

/* A loop that counts s0 down, between two readings of the clock. a2, a4 to a7 and s0 change. What
 * begins gives its address, which ends it. */
uint32_t silicon_begin_loop(struct guest_code *code, unsigned turns);
void silicon_end_loop(struct silicon_program *program, unsigned thread, uint32_t loop);

/* --- Units, as the source's helpers set them up --- */

enum { SILICON_FP32 = 0, SILICON_TF32 = 4, SILICON_BF16 = 5, SILICON_FP8 = 10 };

struct silicon_unpacker {
    unsigned which, from, to; /* formats */
    uint32_t address;
    unsigned row; /* of Dst */
    bool to_dst;
};

void silicon_set_up_unpacker(struct guest_code *code, const struct silicon_unpacker *unpacker);
void silicon_set_base(struct guest_code *code, unsigned which, uint32_t address);
void silicon_commit(struct guest_code *code, unsigned which);
void silicon_set_up_packer(struct guest_code *code, unsigned format, uint32_t relu);

/* Where the packer reads in Dst, and where in L1 it puts that, by way of GPRs. t0, t1, t3 and t4 change. */
void silicon_set_row(struct guest_code *code, unsigned row);
void silicon_set_output(struct guest_code *code, uint32_t to);

/* Programs the MOP that packs so many rows of Dst. */
void silicon_row_mop(struct guest_code *code, unsigned rows);

/* Packs by the MOP from a row of Dst on, and waits. */
void silicon_pack_rows(struct guest_code *code, unsigned row, uint32_t to);

/* The semaphores 1, 2, 5 and 7, by which threads hand data over. */
void silicon_seminit(struct guest_code *code);

/* --- Emitters --- */

silicon_emitter silicon_empty, silicon_loop, silicon_turns, silicon_played, silicon_streams,
    silicon_mixed, silicon_split, silicon_interval, silicon_waits, silicon_flags, silicon_macros;
silicon_emitter silicon_packs, silicon_published, silicon_scatters, silicon_paths, silicon_rows,
    silicon_contexts, silicon_tiles;
silicon_emitter silicon_sums, silicon_rms_norm, silicon_rms_article;
silicon_emitter silicon_whole_pack, silicon_whole_unpack;

#endif
