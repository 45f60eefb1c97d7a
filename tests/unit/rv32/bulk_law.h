/*
 * The law of loops that run whole turns at a time (rv32/fill.h, rv32/copy.h): a hart in bursts of
 * any length does the same as a hart that runs one instruction at a time, which never takes the
 * short way.
 */
#ifndef BULK_LAW_H
#define BULK_LAW_H

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rv32/exec.h"
#include "unit/rv32/rv32_harness.h"

enum { CODE = 0x400, MOST_LINES = 24, LOOPS = 3000, MOST_CYCLES = 400 };

/* A loop as lines of assembly. */
struct text {
    char line[MOST_LINES][40];
    const char *lines[MOST_LINES + 1];
    unsigned count;
};

static inline void add(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text->line[text->count], sizeof text->line[0], format, arguments);
    va_end(arguments);
    text->lines[text->count] = text->line[text->count];
    text->lines[++text->count] = NULL;
}

/* Does the instruction at `pc` have this handler? */
static inline bool runs_by(struct harness *h, uint32_t pc, rv32_handler *handler)
{
    const struct rv32_page *page = rv32_code_page(&h->code, pc >> RV32_PAGE_SHIFT);
    ck_assert_ptr_nonnull(page);
    return page->ops[pc / 4 % RV32_PAGE_OPS].run == handler;
}

static inline bool is_found_at(uint32_t pc, const char *const *lines, rv32_handler *handler)
{
    struct harness *h = harness_create(RV32_B);
    harness_program(h, pc, lines);
    bool found = runs_by(h, pc, handler);
    harness_destroy(h);
    return found;
}

static inline uint32_t below(uint64_t *random, uint32_t limit)
{
    return harness_random(random) % limit;
}

/* The branch of a loop that jumps to it, not always back to the loop's start. */
static inline uint32_t branch_elsewhere(struct harness *h, struct harness *other, uint64_t *random,
                                        const char *branch)
{
    uint32_t at = below(random, 2) ? CODE - 8 : CODE - 0x180;
    const char *const lines[] = {branch, below(random, 2) ? "jal zero, 0x40" : "addi t2, t2, 1",
                                 NULL};
    harness_program(h, at, lines);
    harness_program(other, at, lines);
    return at;
}

static inline void compare(const struct harness *a, const struct harness *b,
                           const struct text *text)
{
    const char *head = text->line[0];
    ck_assert_msg(a->hart.pc == b->hart.pc, "%s: pc 0x%x, 0x%x", head, a->hart.pc, b->hart.pc);
    ck_assert_msg(a->now == b->now && a->hart.retired == b->hart.retired, "%s: cycles", head);
    ck_assert_msg(a->hart.stop == b->hart.stop, "%s: stop", head);
    for (unsigned i = 0; i < 32; i++) {
        ck_assert_msg(a->hart.x[i] == b->hart.x[i], "%s: x%u is 0x%x, 0x%x", head, i, a->hart.x[i],
                      b->hart.x[i]);
    }
    ck_assert_msg(memcmp(a->local, b->local, sizeof a->local) == 0, "%s: local RAM", head);
    ck_assert_msg(memcmp(a->l1, b->l1, sizeof a->l1) == 0, "%s: L1", head);
    ck_assert_msg(a->accesses == b->accesses, "%s: accesses", head);
}

/* Two harts that run a loop: one in bursts, the other, which is the same, in steps. */
static inline void obey(struct harness *a, struct harness *b, uint64_t *random,
                        const struct text *text)
{
    b->mode = HARNESS_STEPS;
    for (unsigned done = 0; done < MOST_CYCLES && a->hart.stop == RV32_RUNNING;) {
        unsigned burst = 1 + below(random, below(random, 2) ? 12 : 200);
        harness_run(a, burst);
        harness_run(b, burst);
        compare(a, b, text);
        done += burst;
    }
}

/* Where the board has memory, but none for a whole turn. */
static inline uint8_t *no_room(void *owner, uint32_t address, uint32_t *bytes)
{
    static uint8_t word[4];
    (void)owner, (void)address;
    *bytes = 0;
    return word;
}

static inline void *run_long(void *harness)
{
    struct harness *h = harness;
    harness_run(h, 1 << 20);
    return NULL;
}

/* A loop of which no turn can be done at once needs no more of the host's stack the longer it runs:
 * here it has little. */
static inline void needs_no_stack(const char *const *lines)
{
    enum { STACK = 256 << 10 };
    struct harness *h = harness_create(RV32_B);
    pthread_attr_t attributes;
    pthread_t thread;
    harness_program(h, CODE, lines);
    h->hart.pc = CODE;
    h->bus.room = no_room;
    pthread_attr_init(&attributes);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, run_long, h), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    ck_assert_uint_ge(h->now, 1 << 20);
    harness_destroy(h);
}

/* How a loop ends: `branch`, or a jump to one, and what comes behind it. */
static inline void add_end(struct text *text, struct harness *h, struct harness *other,
                           uint64_t *random, const char *branch, uint32_t code)
{
    if (below(random, 2)) {
        add(text, "%s", branch);
    } else {
        add(text, "jal zero, 0x%x", branch_elsewhere(h, other, random, branch));
    }
    add(text, "addi s1, s1, 1");
    add(text, "jal zero, 0x%x", code + 4 * (below(random, 3) ? text->count : text->count - 1));
}

/* Tests of what is found, and of how it runs. */
static inline void add_tests(Suite *suite, const TTest *const *finds, const TTest *const *runs)
{
    TCase *finding = tcase_create("finding"), *running = tcase_create("running");
    for (; *finds; finds++) {
        tcase_add_test(finding, *finds);
    }
    for (; *runs; runs++) {
        tcase_add_test(running, *runs);
    }
    tcase_set_timeout(running, 120);
    suite_add_tcase(suite, finding);
    suite_add_tcase(suite, running);
}

#endif
