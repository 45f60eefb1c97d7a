/*
 * What the tests of the Scalar Unit share: a coprocessor whose writes to L1 are noted, recognisable
 * GPRs, and how an instruction can end. Words are built bit by bit, so that the instruction table
 * is not asked whether it is right.
 */
#ifndef SCALAR_WORLD_H
#define SCALAR_WORLD_H

#include <check.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/exec.h"
#include "unit/tensix/tensix_harness.h"

enum { L1_END = TENSIX_HARNESS_L1, LINE = 16, WRITES = 64 };

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;

/* What the board was told, beyond what the harness keeps. */
static struct {
    unsigned count, watches;
    struct {
        uint32_t address, size;
    } write[WRITES];
    uint32_t watched, watched_bytes;
} seen;

static inline void note_write(void *owner, uint32_t address, uint32_t size, uint64_t cycle)
{
    (void)owner;
    (void)cycle;
    ck_assert_uint_lt(seen.count, WRITES);
    seen.write[seen.count].address = address;
    seen.write[seen.count++].size = size;
}

static inline void note_watch(void *owner, uint32_t address, uint32_t size)
{
    (void)owner;
    seen.watches++;
    seen.watched = address;
    seen.watched_bytes = size;
}

static inline void setup(void)
{
    tensix_harness_open(&harness);
    memset(&seen, 0, sizeof seen);
    harness.board.l1_written = note_write;
    harness.board.l1_watch = note_watch;
}

static inline void teardown(void)
{
    tensix_harness_close(&harness);
}

/* --- Words --- */

enum { IMM = 1 << 23 };

static inline uint32_t op(unsigned opcode, uint32_t operands)
{
    return (uint32_t)opcode << 24 | operands;
}

static inline uint32_t atincget(unsigned width, unsigned ofs, unsigned reg, unsigned address)
{
    return op(0x61, width << 14 | ofs << 12 | reg << 6 | address);
}

static inline uint32_t atincgetptr(bool no_incr, unsigned log2, unsigned width, unsigned ofs,
                                   unsigned reg, unsigned address)
{
    return op(0x62,
              (uint32_t)no_incr << 22 | log2 << 18 | width << 14 | ofs << 12 | reg << 6 | address);
}

/* --- Helpers --- */

/* Operands around what is special about 5, 16 and 32 bits. */
static const uint32_t values[] = {0,          1,          2,          31,         32,
                                  33,         63,         0x7fff,     0x8000,     0xffff,
                                  0x10000,    0x10001,    0x12345678, 0x7fffffff, 0x80000000,
                                  0x80000001, 0xfffffffe, 0xffffffff};
enum { VALUES = sizeof values / sizeof values[0] };

static inline void run(uint32_t word)
{
    tensix_harness_push(&harness, 0, word);
}

static inline uint32_t *gpr(unsigned index)
{
    return &tensix->gpr[0][index];
}

/* Something recognisable in every GPR of all threads. */
static inline uint32_t pattern(unsigned thread, unsigned index)
{
    return UINT32_C(0x9e3779b9) * (thread * TENSIX_GPRS + index + 1);
}

static inline void fill_gprs(void)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned i = 0; i < TENSIX_GPRS; i++) {
            tensix->gpr[thread][i] = pattern(thread, i);
        }
    }
}

/* All GPRs are as fill_gprs left them, apart from `count` of thread 0 from `first` on. */
static inline void assert_gprs_kept(unsigned first, unsigned count)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned i = 0; i < TENSIX_GPRS; i++) {
            if (thread != 0 || i < first || i >= first + count) {
                ck_assert_msg(tensix->gpr[thread][i] == pattern(thread, i), "thread %u GPR %u",
                              thread, i);
            }
        }
    }
}

static inline void assert_done(void)
{
    ck_assert_msg(harness.faults == 0, "%s", harness.fault.text);
    ck_assert(!tensix->thread[0].has_next);
}

/* One fault of this kind, whose text has `words`; the instruction has left the gate. */
static inline void assert_fault(enum penrose_fault_kind kind, const char *words)
{
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_int_eq((int)harness.fault.kind, (int)kind);
    ck_assert_msg(strstr(harness.fault.text, words), "%s", harness.fault.text);
    ck_assert(!tensix->thread[0].has_next);
    harness.faults = 0;
}

static inline void assert_waits(enum tensix_wait wait, uint32_t detail)
{
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert(tensix->thread[0].has_next);
    ck_assert_int_eq((int)tensix->thread[0].wait, (int)wait);
    ck_assert_uint_eq(tensix->thread[0].wait_detail, detail);
}

static inline void fill_l1(uint32_t address, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        harness.l1[address + i] = (uint8_t)(address + i * 7 + 1);
    }
}

#endif
