/*
 * What the tests of the Sync Unit and of the wait gate share: a coprocessor in which all conditions
 * of STALLWAIT are met, programs as text, and whether an instruction stands at the gate.
 */
#ifndef SYNC_WORLD_H
#define SYNC_WORLD_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "unit/random.h"
#include "unit/test.h"
#include "tensix/exec.h"
#include "unit/tensix/tensix_harness.h"

enum { A_WHILE = 40 };

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static uint64_t dice;

/* All conditions of STALLWAIT are met: the unpackers have their banks, the Matrix Unit its. */
static inline void setup(void)
{
    tensix_harness_open(&harness);
    dice = 1;
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        tensix->src[src] = (struct tensix_src_banks){
            .matrix_bank = 0, .unpack_bank = 1, .matrix_may = {true, false}};
    }
}

static inline void teardown(void)
{
    tensix_harness_close(&harness);
}

/* Queues instructions, separated by "; ", without running anything. */
static inline void queue(unsigned thread, const char *text)
{
    struct tensix_origin origin = {.pc = 0x1000, .pusher = (uint8_t)(TENSIX_BY_T0 + thread)};
    while (*text) {
        char line[80];
        size_t length = strcspn(text, ";");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        uint32_t word = tensix_harness_assemble(line);
        ck_assert(tensix_push(tensix, thread, origin, &word, 1, harness.time));
        text += length + (text[length] != 0);
        text += strspn(text, " ");
    }
}

static inline void go(void)
{
    tensix_harness_go(&harness, A_WHILE);
}

static inline void run(unsigned thread, const char *text)
{
    queue(thread, text);
    go();
}

/* An instruction of the thread stands at the gate. */
static inline bool is_held(unsigned thread)
{
    return tensix->thread[thread].has_next;
}

#endif
