/*
 * Benchmarks whose guest programs are made here, with our assembler: TRISCs that push Tensix
 * instructions in a loop, on our library and on any other with the libttsim ABI.
 *
 * A program sets itself up, runs its loop as often as its mailbox says, waits until its thread is
 * drained, and then shows GPR 0, which tells that the instructions were executed and not only
 * taken.
 */
#ifndef BENCH_GUEST_H
#define BENCH_GUEST_H

#include <stdint.h>

#include "bench.h"

enum {
    GUEST_THREADS = 3,
    GUEST_CODE = 0x10000, /* of T0; the other TRISCs follow in steps of GUEST_CODE_STEP */
    GUEST_CODE_STEP = 0x4000,
    GUEST_MARK = 0x5a5a, /* what a program leaves in GPR 0 at its end */
};

struct guest_code {
    uint32_t word[GUEST_CODE_STEP / 4];
    unsigned words;
    uint32_t base;
};

/* What is measured: `threads` TRISCs with the same program; or BRISC, if `by_brisc`, which has the
 * GPRs and instruction buffer of thread 0. */
struct guest_workload {
    const char *name, *title;
    unsigned threads;
    bool by_brisc;
    unsigned loop_instructions; /* that count, of one turn of the loop of one thread */
    const char *unit;           /* "M instr/s" and the like */
    /* Emits what comes before the loop, which may use a4, a5, t0 to t6. May be NULL. */
    void (*set_up)(struct guest_code *code, unsigned variant);
    void (*turn)(struct guest_code *code, unsigned variant); /* emits the loop's body */
    unsigned variant;
    /* GPR 0 at the end; NULL: GUEST_MARK, which the program sets by itself. */
    uint32_t (*last_gpr)(unsigned variant, uint32_t loops);
    /* Fills L1 before the program starts. May be NULL. */
    void (*prepare)(struct bench_device *device, unsigned x, unsigned y, unsigned variant);
};

/* The word of a Tensix instruction. */
uint32_t guest_tensix_word(const char *text);

/* Appends one RISC-V instruction; returns its address. Tensix instructions: ".ttinsn NAME ...". */
uint32_t __attribute__((format(printf, 2, 3)))
guest_emit(struct guest_code *code, const char *format, ...);

/* reg = value; changes nothing else. */
void guest_load(struct guest_code *code, const char *reg, uint32_t value);

/* Stores a word, by a4 and t0. */
void guest_store(struct guest_code *code, uint32_t address, uint32_t value);

/* A MOP template 1 that plays a loop of `inner` times `op`, ends with `last`; by guest_store. */
void guest_mop(struct guest_code *code, unsigned inner, const char *op, const char *last);

/* Measures both libraries in turns, so that a busy moment of the host hits both. */
struct bench_figure guest_figure(const struct bench_options *options,
                                 const struct guest_workload *workload);

/* The whole of a benchmark: options, figures, exit code. */
int guest_main(int argc, char **argv, const char *doc, const struct guest_workload *workloads,
               unsigned count);

#endif
