/*
 * A coprocessor of its own for tests, on a board that a test can look at: plain L1, registers from
 * 0xffb00000 on as a sparse list, streams, and a memory for faults.
 */
#ifndef TENSIX_HARNESS_H
#define TENSIX_HARNESS_H

#include "tensix/tensix.h"
#include "tile/timing.h"

enum { TENSIX_HARNESS_L1 = 1536 * 1024, TENSIX_HARNESS_REGISTERS = 64 };

struct tensix_harness {
    struct tensix tensix;
    struct tensix_board board;
    uint8_t *l1;
    struct {
        uint32_t address, value;
        unsigned reads, writes;
    } reg[TENSIX_HARNESS_REGISTERS];
    unsigned regs;
    uint32_t stream[64][1024];
    bool registers_busy;       /* registers answer ANSWER_WAIT */
    bool stop;                 /* what the board answers to faults */
    struct tensix_fault fault; /* the last one */
    unsigned faults, unmodelled;
    unsigned unmodelled_index;    /* the last one: a word of the harts' window on Config */
    const char *unmodelled_field; /* and the field that was set */
    uint32_t watched;             /* the address of the last l1_watch */
    uint64_t time;                /* until which it has run */
    bool changed;                 /* a run has told of a change */
    /* Of timed runs. Pushes are at the gate in the next cycle: tests of units begin there. */
    struct timing costs;
};

/* A coprocessor as after power-on; fails the test without memory. */
void tensix_harness_open(struct tensix_harness *harness);
void tensix_harness_close(struct tensix_harness *harness);

/* Assembles `text`, instructions separated by ';' or newlines, pushes them to the front FIFO of
 * `thread`, and runs until nothing goes on. Fails the test on text that is no instruction. */
void tensix_harness_run(struct tensix_harness *harness, unsigned thread, const char *text);

/* The same for words. */
void tensix_harness_push(struct tensix_harness *harness, unsigned thread, uint32_t word);

/* Runs what is queued for `cycles` more cycles (0: until nothing goes on). */
void tensix_harness_go(struct tensix_harness *harness, unsigned cycles);

/* Makes the mover busy with a move that never ends, or idle. */
void tensix_harness_set_mover(struct tensix_harness *harness, bool is_busy);

/* The word of one instruction. */
uint32_t tensix_harness_assemble(const char *text);

/* Words of L1 and registers. */
uint32_t tensix_harness_l1(const struct tensix_harness *harness, uint32_t address);
void tensix_harness_set_l1(struct tensix_harness *harness, uint32_t address, uint32_t value);
uint32_t tensix_harness_register(const struct tensix_harness *harness, uint32_t address);
void tensix_harness_set_register(struct tensix_harness *harness, uint32_t address, uint32_t value);

#endif
