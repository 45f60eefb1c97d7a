/*
 * What the tests of the Scalar Unit with memory share: L1 full of random words with a copy that
 * models change, lines that are near its ends, and words of atomics. Runs are functional: a result
 * is there when the instruction is done.
 */
#ifndef PAGES_L1_H
#define PAGES_L1_H

#include "unit/tensix/pages_world.h"

enum { LINES = L1_SIZE / 16 };

static inline void fill_l1(void)
{
    for (uint32_t i = 0; i < L1_SIZE; i += 4) {
        set_l1(i, next_random());
    }
}

static inline void open_with_l1(void)
{
    open_coprocessor();
    fill_l1();
}

static inline uint32_t expected_word(uint32_t address)
{
    uint32_t value;
    memcpy(&value, expected_l1 + address, sizeof value);
    return value;
}

/* A line of L1: often the first or one of the last, sometimes just beyond. */
static inline uint32_t any_line(void)
{
    switch (below(8)) {
    case 0:
        return below(2);
    case 1:
        return LINES - 1 - below(2);
    case 2:
        return below(4) ? below(LINES) : LINES + below(3);
    default:
        return below(LINES);
    }
}

/* Executes what the model has predicted: done in `expected`, or a fault. */
static inline void run_predicted(unsigned thread, uint32_t word, bool is_fault, uint32_t address)
{
    if (is_fault) {
        execute_fault(thread, word, TENSIX_FAULT_UNDEFINED);
    } else {
        execute_and_check(thread, word);
    }
    check_l1_near(word, is_fault ? 0 : address);
}

static inline uint32_t atincget_word(unsigned width, unsigned ofs, unsigned in_out,
                                     unsigned address)
{
    return OP(0x61) | width << 14 | ofs << 12 | in_out << 6 | address;
}

static inline uint32_t atincgetptr_word(bool no_incr, unsigned incr_log2, unsigned width,
                                        unsigned ofs, unsigned result, unsigned address)
{
    return OP(0x62) | (uint32_t)no_incr << 22 | incr_log2 << 18 | width << 14 | ofs << 12 |
           result << 6 | address;
}

static inline uint32_t atcas_word(unsigned set, unsigned compare, unsigned ofs, unsigned data,
                                  unsigned address)
{
    return OP(0x64) | set << 18 | compare << 14 | ofs << 12 | data << 6 | address;
}

#endif
