/*
 * The Tensix coprocessor as the harts see it. In this version instructions are queued, counted and
 * drained one a cycle and thread; nothing executes them yet.
 */
#ifndef TENSIX_TENSIX_H
#define TENSIX_TENSIX_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TENSIX_THREADS = 3,
    TENSIX_FIFO_DEPTH = 32,  /* reached only by a fused push of four */
    TENSIX_FIFO_ACCEPTS = 28, /* above this occupancy nothing is accepted */
    TENSIX_GPRS = 64,
    TENSIX_SEMAPHORES = 8,
    TENSIX_MOP_WORDS = 9,
    TENSIX_STATE_WORDS = 224, /* of one Config state */
    TENSIX_THREAD_WORDS = 64,
};

struct tensix_entry {
    uint32_t word;
    uint64_t cycle; /* when it was pushed; it leaves later than that */
};

struct tensix_thread {
    struct tensix_entry fifo[TENSIX_FIFO_DEPTH];
    unsigned head, count;
    uint64_t free_at; /* the first cycle at which the next instruction may leave */
    uint64_t pushed, drained;
    uint32_t mop[TENSIX_MOP_WORDS];
};

struct tensix_semaphore {
    uint8_t value, max;
};

struct tensix {
    struct tensix_thread thread[TENSIX_THREADS];
    uint32_t config[2][TENSIX_STATE_WORDS];
    uint16_t thread_config[TENSIX_THREADS][TENSIX_THREAD_WORDS];
    uint32_t gpr[TENSIX_THREADS][TENSIX_GPRS];
    struct tensix_semaphore semaphore[TENSIX_SEMAPHORES];
};

void tensix_reset(struct tensix *tensix);

/* Pushes an instruction to a thread's FIFO at `cycle`; false when it is full. */
bool tensix_push(struct tensix *tensix, unsigned thread, uint32_t word, uint64_t cycle);

/* Runs the coprocessor until `end` (it has been run until `now`). True when an instruction left a
 * FIFO; *event is then when the last one did. */
bool tensix_run(struct tensix *tensix, uint64_t now, uint64_t end, uint64_t *event);

/* True while any instruction of the thread is queued or executing. */
bool tensix_thread_busy(const struct tensix *tensix, unsigned thread);
bool tensix_busy(const struct tensix *tensix);

/* Discards what a held TRISC's MOP expander and the FIFO before it hold. */
void tensix_discard(struct tensix *tensix, unsigned thread);

#endif
