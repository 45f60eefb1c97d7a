/*
 * What the programs share that were written from the ISA pages alone: a coprocessor, a copy of all
 * that its pages call state, and random numbers. Their models repeat a page's functional model, and
 * their words are made from the encoding diagrams, not from tensix.def.
 *
 * A case sets state up, lets a model change a copy of it (struct state), executes the instruction,
 * and compares everything: what must not change is compared too.
 */
#ifndef PAGES_WORLD_H
#define PAGES_WORLD_H

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/random.h"
#include "unit/test.h"
#include "tensix/table.h"
#include "tensix/tensix.h"
#include "unit/tensix/tensix_harness.h"

#define OP(code) ((uint32_t)(code) << 24)

enum {
    L1_SIZE = TENSIX_HARNESS_L1,
};

struct state {
    uint32_t gpr[TENSIX_THREADS][TENSIX_GPRS];
    uint32_t config[TENSIX_STATES][TENSIX_STATE_WORDS];
    uint16_t thread_config[TENSIX_THREADS][TENSIX_THREAD_WORDS];
    struct tensix_rwc rwc[TENSIX_THREADS];
    struct tensix_adc adc[TENSIX_THREADS][TENSIX_ADCS];
    struct tensix_semaphore semaphore[TENSIX_SEMAPHORES];
    uint8_t mutex[TENSIX_MUTEXES];
    struct tensix_src_banks src[TENSIX_SRCS];
};

static struct tensix_harness harness;
static struct tensix *const tt = &harness.tensix;
static uint64_t random_state;
static struct state expected;
static uint8_t expected_l1[L1_SIZE];

static inline void open_coprocessor(void)
{
    random_state = 20240229;
    memset(expected_l1, 0, sizeof expected_l1);
    tensix_harness_open(&harness);
}

static inline void close_coprocessor(void)
{
    tensix_harness_close(&harness);
}

/* --- Random numbers --- */

static inline uint32_t next_random(void)
{
    return random_next(&random_state);
}

static inline unsigned below(unsigned limit)
{
    return (unsigned)((uint64_t)next_random() * limit >> 32);
}

/* Half of them near values at which something changes. */
static inline uint32_t any_value(void)
{
    static const uint32_t edges[] = {0,          1,          2,          31,         32,
                                     33,         63,         64,         0x7fff,     0x8000,
                                     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0xffff0000,
                                     0xffff8000, 0xfffffffe, 0xffffffff, 0x55555555, 0xaaaaaaaa};
    switch (below(4)) {
    case 0:
        return edges[below(COUNT(edges))];
    case 1:
        return edges[below(COUNT(edges))] + below(5) - 2;
    default:
        return next_random();
    }
}

static inline void randomize_gprs(void)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned i = 0; i < TENSIX_GPRS; i++) {
            tt->gpr[thread][i] = any_value();
        }
    }
}

/* --- State --- */

static inline void read_state(struct state *state)
{
    memcpy(state->gpr, tt->gpr, sizeof state->gpr);
    memcpy(state->config, tt->config, sizeof state->config);
    memcpy(state->thread_config, tt->thread_config, sizeof state->thread_config);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        memcpy(&state->rwc[i], &tt->thread[i].rwc, sizeof state->rwc[i]);
        memcpy(state->adc[i], tt->thread[i].adc, sizeof state->adc[i]);
    }
    memcpy(state->semaphore, tt->semaphore, sizeof state->semaphore);
    memcpy(state->mutex, tt->mutex, sizeof state->mutex);
    memcpy(state->src, tt->src, sizeof state->src);
}

static inline bool rwc_differs(const struct state *got, unsigned t, char *text, size_t size)
{
    const struct tensix_rwc *a = &got->rwc[t], *b = &expected.rwc[t];
    if (!memcmp(a, b, sizeof *a)) {
        return false;
    }
    snprintf(text, size,
             "RWCs of thread %u: dst %u/%u a %u/%u b %u/%u fidelity %u extra %u, not dst %u/%u a "
             "%u/%u b %u/%u fidelity %u extra %u",
             t, a->dst, a->dst_cr, a->src_a, a->src_a_cr, a->src_b, a->src_b_cr, a->fidelity,
             a->extra_mod, b->dst, b->dst_cr, b->src_a, b->src_a_cr, b->src_b, b->src_b_cr,
             b->fidelity, b->extra_mod);
    return true;
}

static inline bool adc_differs(const struct state *got, unsigned t, unsigned i, char *text,
                               size_t size)
{
    const struct tensix_adc_channel *a = &got->adc[t][i / 2].channel[i % 2];
    const struct tensix_adc_channel *b = &expected.adc[t][i / 2].channel[i % 2];
    if (!memcmp(a, b, sizeof *a)) {
        return false;
    }
    snprintf(text, size,
             "ADC %u channel %u of thread %u: x %" PRIx32 "/%" PRIx32
             " y %x/%x z %x/%x w %x/%x, not x %" PRIx32 "/%" PRIx32 " y %x/%x z %x/%x w %x/%x",
             i / 2, i % 2, t, a->x, a->x_cr, a->y, a->y_cr, a->z, a->z_cr, a->w, a->w_cr, b->x,
             b->x_cr, b->y, b->y_cr, b->z, b->z_cr, b->w, b->w_cr);
    return true;
}

/* Where a thread's state differs first, in words; false where it does not. */
static inline bool thread_differs(const struct state *got, unsigned t, char *text, size_t size)
{
    for (unsigned i = 0; i < TENSIX_GPRS; i++) {
        if (got->gpr[t][i] != expected.gpr[t][i]) {
            snprintf(text, size, "GPR %u of thread %u is 0x%" PRIx32 ", not 0x%" PRIx32, i, t,
                     got->gpr[t][i], expected.gpr[t][i]);
            return true;
        }
    }
    for (unsigned i = 0; i < TENSIX_THREAD_WORDS; i++) {
        if (got->thread_config[t][i] != expected.thread_config[t][i]) {
            snprintf(text, size, "ThreadConfig[%u][%u] is 0x%x, not 0x%x", t, i,
                     got->thread_config[t][i], expected.thread_config[t][i]);
            return true;
        }
    }
    for (unsigned i = 0; i < TENSIX_ADCS * 2; i++) {
        if (adc_differs(got, t, i, text, size)) {
            return true;
        }
    }
    return rwc_differs(got, t, text, size);
}

/* The same of what threads share. */
static inline bool shared_differs(const struct state *got, char *text, size_t size)
{
    for (unsigned i = 0; i < TENSIX_STATES * TENSIX_STATE_WORDS; i++) {
        unsigned s = i / TENSIX_STATE_WORDS, word = i % TENSIX_STATE_WORDS;
        if (got->config[s][word] != expected.config[s][word]) {
            snprintf(text, size, "Config[%u][%u] is 0x%" PRIx32 ", not 0x%" PRIx32, s, word,
                     got->config[s][word], expected.config[s][word]);
            return true;
        }
    }
    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        const struct tensix_semaphore *a = &got->semaphore[i], *b = &expected.semaphore[i];
        if (a->value != b->value || a->max != b->max) {
            snprintf(text, size, "semaphore %u is %u of %u, not %u of %u", i, a->value, a->max,
                     b->value, b->max);
            return true;
        }
    }
    for (unsigned i = 0; i < TENSIX_MUTEXES; i++) {
        if (got->mutex[i] != expected.mutex[i]) {
            snprintf(text, size, "mutex %u: holder is %u, not %u", i, got->mutex[i],
                     expected.mutex[i]);
            return true;
        }
    }
    if (memcmp(got->src, expected.src, sizeof got->src)) {
        snprintf(text, size, "banks of SrcA or SrcB differ");
        return true;
    }
    return false;
}

/* All state is as in `expected`. */
static inline void check_state(uint32_t word)
{
    static struct state got;
    char text[400], insn[200];
    read_state(&got);
    bool differs = shared_differs(&got, text, sizeof text);
    for (unsigned t = 0; t < TENSIX_THREADS && !differs; t++) {
        differs = thread_differs(&got, t, text, sizeof text);
    }
    if (differs) {
        tensix_disassemble(word, insn, sizeof insn);
        ck_abort_msg("after %s (0x%08" PRIx32 "): %s", insn, word, text);
    }
}

/* L1 is as in expected_l1, near `address` or everywhere. */
static inline void check_l1_near(uint32_t word, uint32_t address)
{
    uint32_t from = address < 64 ? 0 : address - 64;
    uint32_t to = address > L1_SIZE - 128 ? L1_SIZE : address + 128;
    for (uint32_t i = from; i < to; i++) {
        if (harness.l1[i] != expected_l1[i]) {
            char insn[200];
            tensix_disassemble(word, insn, sizeof insn);
            ck_abort_msg("after %s (0x%08" PRIx32 "): L1 0x%" PRIx32 " is 0x%x, not 0x%x", insn,
                         word, i, harness.l1[i], expected_l1[i]);
        }
    }
}

static inline void check_l1(void)
{
    ck_assert_msg(!memcmp(harness.l1, expected_l1, L1_SIZE),
                  "something was written to L1 far from where it should have been");
}

static inline void set_l1(uint32_t address, uint32_t value)
{
    memcpy(expected_l1 + address, &value, sizeof value);
    tensix_harness_set_l1(&harness, address, value);
}

/* --- Executing --- */

/* Executes `word` on `thread` to its end. */
static inline void execute(unsigned thread, uint32_t word)
{
    tensix_harness_push(&harness, thread, word);
    if (tensix_thread_busy(tt, thread)) {
        char insn[200], text[300] = "";
        tensix_disassemble(word, insn, sizeof insn);
        tensix_wait_text(tt, thread, text, sizeof text);
        ck_abort_msg("%s (0x%08" PRIx32 ") does not end: %s", insn, word, text);
    }
}

/* Executes it where no fault may be reported, and compares all state with `expected`. */
static inline void execute_and_check(unsigned thread, uint32_t word)
{
    unsigned faults = harness.faults;
    execute(thread, word);
    ck_assert_msg(harness.faults == faults, "0x%08" PRIx32 ": %s", word, harness.fault.text);
    check_state(word);
}

/* Executes what must be a fault of this kind, under a policy that skips it: nothing changes. */
static inline void execute_fault(unsigned thread, uint32_t word, enum penrose_fault_kind kind)
{
    unsigned faults = harness.faults;
    char insn[200];
    tensix_disassemble(word, insn, sizeof insn);
    read_state(&expected);
    execute(thread, word);
    ck_assert_msg(harness.faults == faults + 1, "%s (0x%08" PRIx32 "): %u faults instead of one",
                  insn, word, harness.faults - faults);
    ck_assert_msg(harness.fault.kind == kind, "%s: a fault of kind %d instead of %d: %s", insn,
                  harness.fault.kind, kind, harness.fault.text);
    ck_assert_msg(harness.fault.thread == thread && harness.fault.word == word,
                  "%s: the fault names thread %u and word 0x%08" PRIx32, insn, harness.fault.thread,
                  harness.fault.word);
    ck_assert_msg(harness.fault.text[0], "%s: a fault without a text", insn);
    check_state(word);
}

#endif
