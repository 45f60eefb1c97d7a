/*
 * The atomics of the Scalar Unit on L1: FIFOs of every width, all masks of ATSWAP, what
 * waits and whom it holds up, and the end of L1.
 */
#include "unit/tensix/scalar_world.h"

static uint32_t atswap(bool single, unsigned mask, unsigned data, unsigned address)
{
    return op(0x63, (uint32_t)single << 22 | mask << 14 | data << 6 | address);
}

static uint32_t atcas(unsigned set, unsigned cmp, unsigned ofs, unsigned address)
{
    return op(0x64, set << 18 | cmp << 14 | ofs << 12 | address);
}

FIXTURE(setup, teardown);

static uint32_t fifo_mask(unsigned width)
{
    return (1u << width) - 1;
}

/* What ATINCGETPTR waits for, in terms of a FIFO of 2^(width - 1) with counters of `width` bits. */
static bool fifo_is_ready(uint32_t read, uint32_t write, unsigned ofs, unsigned width)
{
    uint32_t size = write - read, capacity = width ? (1u << width) / 2 : 0x8000;
    bool is_full = size != 0 && size / capacity * capacity == size;
    return ofs % 2 ? !is_full : size != 0;
}

TEST_EACH(atincgetptr_pushes_and_pops, 16)
{
    static const uint32_t counters[] = {0,  1,  2,      3,      4,      7,     8,
                                        15, 16, 0x3fff, 0x4000, 0x7fff, 0x8000};
    enum { COUNTERS = sizeof counters / sizeof counters[0] };
    unsigned width = (unsigned)_i;
    for (unsigned i = 0; i < COUNTERS * COUNTERS * 8; i++) {
        unsigned ofs = i & 3, log2 = i * 5 / 8 & 15;
        bool no_incr = i >> 2 & 1;
        uint32_t read = counters[i / 8 / COUNTERS], write = counters[i / 8 % COUNTERS];
        uint32_t words[4] = {read, write, 0x11111111, 0x22222222};
        tensix_reset(tensix);
        fill_gprs();
        *gpr(3) = 0x80;
        memcpy(harness.l1 + 0x800, words, sizeof words);
        memset(&seen, 0, sizeof seen);
        run(atincgetptr(no_incr, log2, width, ofs, 4, 3));
        if (!fifo_is_ready(read, write, ofs, width)) {
            assert_waits(TENSIX_WAITS_FOR_L1, 0x800);
            ck_assert_uint_eq(seen.watched, 0x800);
            ck_assert_uint_eq(seen.watched_bytes, 8);
            ck_assert_uint_eq(*gpr(4), pattern(0, 4));
            ck_assert_mem_eq(harness.l1 + 0x800, words, sizeof words);
            continue;
        }
        assert_done();
        ck_assert_uint_eq(*gpr(4), words[ofs]);
        if (!no_incr) {
            uint32_t sum = words[ofs] + (1u << log2), mask = fifo_mask(width);
            words[ofs] = (sum & mask) | (words[ofs] & ~mask);
        }
        ck_assert_mem_eq(harness.l1 + 0x800, words, sizeof words);
        ck_assert_uint_eq(seen.count, !no_incr);
        ck_assert_uint_eq(seen.watches, 0);
    }
}

/* A FIFO of four with counters of three bits, filled and emptied around the end of the counters. */
TEST(atincgetptr_runs_a_fifo)
{
    *gpr(3) = 0x80;
    tensix_harness_set_l1(&harness, 0x800, 6);
    tensix_harness_set_l1(&harness, 0x804, 6);
    for (unsigned i = 0; i < 4; i++) {
        run(atincgetptr(false, 0, 3, 1, 4, 3));
        ck_assert_uint_eq(*gpr(4), (6 + i) % 8);
    }
    assert_done();
    run(atincgetptr(false, 0, 3, 1, 4, 3));
    assert_waits(TENSIX_WAITS_FOR_L1, 0x800);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x804), 2);
    tensix_harness_go(&harness, 0);
    assert_waits(TENSIX_WAITS_FOR_L1, 0x800);
    tensix_harness_set_l1(&harness, 0x800, 7); /* somebody pops */
    tensix_harness_go(&harness, 0);
    assert_done();
    ck_assert_uint_eq(*gpr(4), 2);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x804), 3);
    tensix_harness_set_l1(&harness, 0x800, 3);
    run(atincgetptr(false, 1, 3, 0, 5, 3)); /* empty */
    assert_waits(TENSIX_WAITS_FOR_L1, 0x800);
    tensix_harness_set_l1(&harness, 0x804, 5);
    tensix_harness_go(&harness, 0);
    assert_done();
    ck_assert_uint_eq(*gpr(5), 3);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x800), 5);
}

TEST_EACH(atcas_waits_for_a_value, 16)
{
    unsigned cmp = (unsigned)_i;
    for (unsigned set = 0; set < 16; set++) {
        for (unsigned ofs = 0; ofs < 4; ofs++) {
            uint32_t address = 0x400 + 4 * ofs;
            memset(&seen, 0, sizeof seen);
            memset(harness.l1 + 0x400, 0xaa, LINE);
            tensix_harness_set_l1(&harness, address, cmp ^ (1u << (set + 4)));
            *gpr(2) = 0x40;
            run(atcas(set, cmp, ofs, 2));
            assert_waits(TENSIX_WAITS_FOR_L1, address); /* all 32 bits count */
            ck_assert_uint_ge(seen.watches, 1);
            ck_assert_uint_eq(seen.watched, address);
            ck_assert_uint_eq(seen.watched_bytes, 4);
            ck_assert_uint_eq(seen.count, 0);
            tensix_harness_go(&harness, 0);
            assert_waits(TENSIX_WAITS_FOR_L1, address);
            tensix_harness_set_l1(&harness, address, cmp);
            tensix_harness_go(&harness, 0);
            assert_done();
            ck_assert_uint_eq(tensix_harness_l1(&harness, address), set);
            ck_assert_uint_eq(seen.count, 1);
            ck_assert_uint_eq(seen.write[0].address, address);
            ck_assert_uint_eq(tensix_harness_l1(&harness, 0x400 + (ofs ^ 1) * 4), 0xaaaaaaaa);
        }
    }
}

/* data_reg is an operand without a use. */
TEST(atcas_ignores_its_data_register)
{
    fill_gprs();
    *gpr(0) = 0x40;
    run(atcas(5, 0, 0, 0) | 63u << 6);
    assert_done();
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x400), 5);
    *gpr(0) = pattern(0, 0);
    assert_gprs_kept(0, 0);
}

TEST_EACH(atswap_writes_the_halves_of_its_mask, 256)
{
    unsigned mask = (unsigned)_i;
    for (unsigned data = 16; data < 24; data++) {
        for (unsigned single = 0; single < 2; single++) {
            uint32_t words[4] = {0};
            uint8_t expected[LINE], source[LINE];
            fill_gprs();
            fill_l1(0x500, LINE);
            memset(&seen, 0, sizeof seen);
            *gpr(1) = 0x50;
            if (single) {
                words[data & 3] = *gpr(data);
            } else {
                memcpy(words, gpr(data & ~3u), LINE);
            }
            memcpy(source, words, LINE);
            memcpy(expected, harness.l1 + 0x500, LINE);
            for (unsigned i = 0; i < LINE; i++) {
                expected[i] = mask >> i / 2 & 1 ? source[i] : expected[i];
            }
            run(atswap(single, mask, data, 1));
            ck_assert_mem_eq(harness.l1 + 0x500, expected, LINE);
            unsigned bytes = 0;
            for (unsigned i = 0; i < seen.count; i++) {
                ck_assert_uint_eq(mask >> (seen.write[i].address - 0x500) / 2 & 1, 1);
                bytes += seen.write[i].size;
            }
            ck_assert_uint_eq(bytes, 2u * (unsigned)__builtin_popcount(mask));
            *gpr(1) = pattern(0, 1);
            assert_gprs_kept(0, 0);
        }
    }
    assert_done();
}

TEST_EACH(atomics_end_with_l1, 4)
{
    const uint32_t words[] = {atincget(31, 3, 2, 1), atincgetptr(false, 0, 8, 3, 2, 1),
                              atswap(false, 0xff, 4, 1), atcas(5, 0, 3, 1)};
    static const char *const names[] = {"ATINCGET: ", "ATINCGETPTR: ", "ATSWAP: ", "ATCAS: "};
    *gpr(1) = L1_END / LINE - 1;
    *gpr(2) = 1;
    *gpr(7) = 0x01000000;
    tensix_harness_set_l1(&harness, L1_END - LINE,
                          _i == 1); /* a FIFO that is neither full nor empty */
    run(words[_i]);
    assert_done();
    ck_assert_uint_ge(seen.count, 1);
    ck_assert_mem_ne(harness.l1 + L1_END - 4, "\0\0\0\0", 4);
    seen.count = 0;
    *gpr(1) = L1_END / LINE;
    *gpr(2) = 1;
    run(words[_i]);
    assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, names[_i]);
    ck_assert_uint_eq(seen.count, 0);
    ck_assert_uint_eq(seen.watches, 0);
    ck_assert_uint_eq(*gpr(2), 1);
}
