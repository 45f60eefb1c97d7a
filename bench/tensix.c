/*
 * Speed of the coprocessor's front end and of its simplest units, in one run, as ratios.
 *
 * Figures, in instructions that pass the wait gate, per second of host time:
 *   incrwc     INCRWC that a TRISC pushes by .ttinsn, 64 in a loop
 *   store      the same, pushed by stores to the instruction buffer
 *   computed   the same, with an instruction before each store that computes the word
 *   brisc      the same as store, by BRISC
 *   mop        MOPs that repeat the replay buffer: 32 RWC and ADC instructions, 14 times, and an
 *              ADDDMAREG that counts the MOPs
 *   incrwc3    incrwc on three TRISCs at once
 *   mop3       mop on three TRISCs at once
 *
 * The longest expansion is one that ttsim accepts: its queue has room for 459 at least, after a
 * push that it did not hold back.
 */
#include <stdio.h>

#include "guest.h"

enum {
    PUSHES = 64,   /* of the loops that push single instructions */
    REPLAYED = 32, /* instructions in the replay buffer */
    REPEATED = 14, /* how often a MOP plays them */
    MOPS = 8,      /* of the loop that pushes MOPs */
};

enum variant { BY_TTINSN, BY_STORE, BY_COMPUTED };

#define ONE_INCRWC "INCRWC 0, 1, 1, 1"

static void set_up_incrwc(struct guest_code *code, unsigned variant)
{
    (void)variant;
    guest_load(code, "a4", 0xffe40000);
    guest_load(code, "a5", guest_tensix_word(ONE_INCRWC));
}

static void push_incrwc(struct guest_code *code, unsigned variant)
{
    for (unsigned i = 0; i < PUSHES; i++) {
        if (variant == BY_COMPUTED) {
            guest_emit(code, "or a5, a5, zero");
        }
        guest_emit(code, variant == BY_TTINSN ? ".ttinsn " ONE_INCRWC : "sw a5, 0(a4)");
    }
}

static void set_up_mop(struct guest_code *code, unsigned variant)
{
    /* What LLK's inner loops do between data instructions. */
    static const char *const body[] = {
        "INCRWC 0, 8, 0, 8",          "INCADCXY 1, 0, 0, 1, 0",    "INCRWC 0, 8, 8, 8",
        "INCADCZW 1, 0, 1, 0, 1",     "SETRWC 0, 4, 8, 0, 0, 4",   "SETADCZW 3, 0, 0, 0, 0, 15",
        "INCRWC 4, 4, 0, 0",          "ADDRCRXY 4, 0, 0, 1, 0, 2", "SETRWC 0, 0, 0, 0, 0, 15",
        "SETADCXY 4, 0, 0, 0, 0, 10", "INCRWC 0, 0, 1, 0",         "ADDRCRZW 4, 0, 1, 0, 1, 1",
        "INCRWC 0, 1, 2, 3",          "SETADCXX 3, 255, 0",        "SETRWC 0, 0, 0, 1, 2, 3",
        "SETADC 4, 0, 2, 3",
    };
    enum { BODY = sizeof body / sizeof body[0] };
    char play[40];
    (void)variant;
    snprintf(play, sizeof play, "REPLAY 0, %d, 0, 0", REPLAYED);
    guest_mop(code, REPEATED, play, "ADDDMAREG 0, 0, 1, 0"); /* GPR 0 += GPR 1 */
    guest_emit(code, ".ttinsn REPLAY 0, %d, 0, 1", REPLAYED);
    for (unsigned i = 0; i < REPLAYED; i++) {
        guest_emit(code, ".ttinsn %s", body[i % BODY]);
    }
    guest_emit(code, "fence 15, 15");
}

static void push_mops(struct guest_code *code, unsigned variant)
{
    (void)variant;
    for (unsigned i = 0; i < MOPS; i++) {
        guest_emit(code, ".ttinsn MOP 1, 0, 0");
    }
}

static uint32_t mops_of(unsigned variant, uint32_t loops)
{
    (void)variant;
    return MOPS * loops;
}

static struct guest_workload incrwc(unsigned threads, enum variant variant)
{
    return (struct guest_workload){.threads = threads,
                                   .unit = "M instr/s",
                                   .loop_instructions = PUSHES,
                                   .set_up = set_up_incrwc,
                                   .turn = push_incrwc,
                                   .variant = variant};
}

static struct guest_workload by_brisc(struct guest_workload workload)
{
    workload.by_brisc = true;
    return workload;
}

static struct guest_workload mop(unsigned threads)
{
    return (struct guest_workload){.threads = threads,
                                   .unit = "M instr/s",
                                   .loop_instructions = MOPS * (REPEATED * REPLAYED + 1),
                                   .set_up = set_up_mop,
                                   .turn = push_mops,
                                   .last_gpr = mops_of};
}

static struct guest_workload named(struct guest_workload workload, const char *name,
                                   const char *title)
{
    workload.name = name;
    workload.title = title;
    return workload;
}

int main(int argc, char **argv)
{
    const struct guest_workload workloads[] = {
        named(incrwc(1, BY_TTINSN), "incrwc", "INCRWC by .ttinsn, one TRISC"),
        named(incrwc(1, BY_STORE), "store", "INCRWC by stores, one TRISC"),
        named(incrwc(1, BY_COMPUTED), "computed", "INCRWC by stores of computed words"),
        named(by_brisc(incrwc(1, BY_STORE)), "brisc", "INCRWC by stores of BRISC"),
        named(mop(1), "mop", "MOP + REPLAY of RWC and ADC, one TRISC"),
        named(incrwc(GUEST_THREADS, BY_TTINSN), "incrwc3", "INCRWC by .ttinsn, three TRISCs"),
        named(mop(GUEST_THREADS), "mop3", "MOP + REPLAY of RWC and ADC, three TRISCs"),
    };
    return guest_main(argc, argv,
                      "Measures the speed of the coprocessor's front end and simple units.",
                      workloads, sizeof workloads / sizeof workloads[0]);
}
