/*
 * Loads and stores of the Scalar Unit: the end of L1, registers that wait or refuse, SrcA and
 * SrcB, faults (what ordinary ones do is in check_scalar_random.c). Then time: when results
 * arrive, what FLUSHDMA waits for, and how long each instruction occupies the unit.
 */
#include "unit/tensix/scalar_world.h"

enum { LOAD_LATENCY = 10 };

static uint32_t indirect(unsigned opcode, uint32_t form, unsigned half, unsigned increment,
                         unsigned data, unsigned address)
{
    return op(opcode, form | half << 14 | increment << 12 | data << 6 | address);
}

static uint32_t loadind(unsigned size, unsigned half, unsigned increment, unsigned result,
                        unsigned address)
{
    return indirect(0x49, size << 22, half, increment, result, address);
}

static uint32_t storeind_mmio(unsigned half, unsigned increment, unsigned data, unsigned address)
{
    return indirect(0x66, 1u << 22, half, increment, data, address);
}

static uint32_t storeind_src(bool is_b, unsigned half, unsigned increment, unsigned data,
                             unsigned address)
{
    return indirect(0x66, (uint32_t)is_b << 21, half, increment, data, address);
}

/* STOREREG (0x67) and LOADREG (0x68). */
static uint32_t by_address(unsigned opcode, unsigned reg, uint32_t address)
{
    return op(opcode, reg << 18 | (address >> 2 & 0x3ffff));
}

static uint8_t byte(uint32_t address)
{
    return harness.l1[address];
}

/* --- LOADIND --- */

static const unsigned bytes_of[] = {16, 4, 2, 1};
static const uint16_t increments[] = {0, 2, 4, 16};

FIXTURE(setup, teardown);

TEST_EACH(loadind_ends_with_l1, 4)
{
    unsigned size = (unsigned)_i;
    fill_l1(L1_END - LINE, LINE);
    fill_gprs();
    *gpr(0) = L1_END / LINE - 1;
    *gpr(1) = 15;
    run(loadind(size, 2, 1, 8, 0)); /* the last byte */
    assert_done();
    ck_assert_uint_eq(*gpr(1), 17);
    ck_assert_uint_eq(*gpr(8) & 0xff, byte(L1_END - bytes_of[size]));
    fill_gprs();
    *gpr(0) = L1_END / LINE - 1;
    *gpr(1) = 16;
    run(loadind(size, 2, 1, 8, 0)); /* one too far */
    assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, "LOADIND: address 0x00180000 is not in L1");
    ck_assert_uint_eq(*gpr(1), 16);
    ck_assert_uint_eq(*gpr(8), pattern(0, 8));
    *gpr(0) = 0x0fffffff; /* 0xfffffff0: beyond, and not before the end of the address space */
    *gpr(1) = 0;
    run(loadind(size, 2, 0, 8, 0));
    assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, "0xfffffff0");
    *gpr(1) = 0x10; /* addresses have 32 bits: 0 */
    run(loadind(size, 2, 0, 8, 0));
    assert_done();
}

/* --- Registers --- */

static enum answer refuse_write(void *owner, unsigned thread, uint32_t address, uint64_t cycle,
                                uint32_t value, const char **rule)
{
    (void)owner;
    (void)thread;
    (void)address;
    (void)cycle;
    (void)value;
    *rule = "this register is read-only";
    return ANSWER_REFUSED;
}

static enum answer refuse_read(void *owner, unsigned thread, uint32_t address, uint64_t cycle,
                               uint32_t *value, const char **rule)
{
    (void)owner;
    (void)thread;
    (void)address;
    (void)cycle;
    (void)value;
    (void)rule;
    return ANSWER_REFUSED;
}

TEST_EACH(registers_begin_at_0xffb11000, 3)
{
    static const uint32_t addresses[] = {0xffb00000, 0xffb00ffc, 0xffb10ffc};
    uint32_t address = addresses[_i];
    fill_gprs();
    run(by_address(0x67, 1, address));
    assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, "STOREREG: address 0xffb");
    run(by_address(0x68, 1, address));
    assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, "from 0xffb11000 on");
    *gpr(2) = address & 0xfffff;
    *gpr(3) = 0;
    run(storeind_mmio(6, 1, 1, 2));
    assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, "STOREIND: address 0xffb");
    ck_assert_uint_eq(*gpr(3), 0);
    ck_assert_uint_eq(harness.regs, 0);
}

TEST_EACH(storeind_to_a_register, 5)
{
    static const struct {
        uint32_t base, offset, address;
    } cases[] = {
        {0x11000, 0, 0xffb11000},
        {0xffb12000, 0x1b0 << 4, 0xffb121b0},
        {0x12000, 0x1b3f, 0xffb121b0},       /* what is no multiple of four words' sixteenths */
        {0xfffff, 0xffff, 0xffb00ffe & ~3u}, /* 20 bits of address; too low */
        {0x20003, 0x00ff, 0xffb20010},
    };
    for (unsigned increment = 0; increment < 4; increment++) {
        uint32_t offset = cases[_i].offset;
        harness.regs = 0;
        harness.faults = 0;
        fill_gprs();
        *gpr(10) = cases[_i].base;
        *gpr(11) = offset << 16 | 0xbeef;
        run(storeind_mmio(23, increment, 12, 10));
        if (cases[_i].address < 0xffb11000) {
            assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, "STOREIND: address 0xffb00ffc");
            ck_assert_uint_eq(*gpr(11), offset << 16 | 0xbeef);
            continue;
        }
        assert_done();
        ck_assert_uint_eq(harness.regs, 1);
        ck_assert_uint_eq(harness.reg[0].address, cases[_i].address);
        ck_assert_uint_eq(harness.reg[0].value, pattern(0, 12));
        ck_assert_uint_eq(*gpr(11), (offset + increments[increment]) << 16 | 0xbeef);
        memset(harness.reg, 0, sizeof harness.reg);
    }
}

TEST_EACH(a_register_that_does_not_answer_is_waited_for, 3)
{
    const uint32_t words[] = {by_address(0x67, 1, 0xffb20000), by_address(0x68, 1, 0xffb20000),
                              storeind_mmio(6, 2, 1, 2)};
    fill_gprs();
    *gpr(2) = 0x20000;
    *gpr(3) = 0;
    tensix_harness_set_register(&harness, 0xffb20000, 0x1001);
    harness.registers_busy = true;
    run(words[_i]);
    assert_waits(TENSIX_WAITS_FOR_DEVICE, 0xffb20000);
    ck_assert_uint_eq(*gpr(1), pattern(0, 1));
    ck_assert_uint_eq(*gpr(3), 0);
    tensix_harness_go(&harness, 0);
    assert_waits(TENSIX_WAITS_FOR_DEVICE, 0xffb20000);
    harness.registers_busy = false;
    tensix_harness_go(&harness, 0);
    assert_done();
    ck_assert_uint_eq(harness.reg[0].reads + harness.reg[0].writes, 1);
    ck_assert_uint_eq(*gpr(1), _i == 1 ? 0x1001 : pattern(0, 1));
    ck_assert_uint_eq(*gpr(3), _i == 2 ? 4 : 0);
}

TEST(a_register_that_refuses_is_a_fault)
{
    fill_gprs();
    harness.board.write = refuse_write;
    harness.board.read = refuse_read;
    run(by_address(0x67, 1, 0xffb20000));
    assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED,
                 "STOREREG: address 0xffb20000: this register is read-only");
    run(by_address(0x68, 1, 0xffb20004));
    assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, "LOADREG: address 0xffb20004: nothing is there");
    *gpr(2) = 0x20008;
    *gpr(3) = 0;
    run(storeind_mmio(6, 1, 1, 2));
    assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, "STOREIND: address 0xffb20008: this register");
    *gpr(2) = pattern(0, 2);
    ck_assert_uint_eq(*gpr(3), 0);
    *gpr(3) = pattern(0, 3);
    assert_gprs_kept(0, 0);
}

/* --- STOREIND to SrcA and SrcB --- */

/* How many datums of both banks of SrcA and SrcB are there. */
static unsigned stored_datums(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 2 * 2 * 64 * 16; i++) {
        sum += tensix->src_file[i / 2048].bank[i / 1024 % 2][i / 16 % 64][i % 16] != 0;
    }
    return sum;
}

TEST_EACH(storeind_to_src, 2)
{
    *gpr(0) = 16; /* row 4, and row 0 behind the four that SrcA does not have */
    *gpr(1) = 0x00200000;
    *gpr(4) = 0x40810183; /* sign, exponent, mantissa; sign, mantissa, exponent */
    *gpr(5) = 0;
    run(storeind_src(_i, 3, 1, 4, 0));
    assert_done();
    const uint32_t *row = tensix->src_file[_i].bank[0][_i ? 4 : 0];
    ck_assert_uint_eq(row[8], 0x1 << 11 | 0x83);
    ck_assert_uint_eq(row[9], 0x1 << 11 | 0x81);
    ck_assert_uint_eq(stored_datums(), 2);
    ck_assert_uint_eq(*gpr(1), 0x00220000);
}

TEST(storeind_before_the_first_row_of_src_a)
{
    for (unsigned address = 0; address < 16; address++) {
        *gpr(0) = address;
        *gpr(1) = 0;
        *gpr(4) = *gpr(5) = UINT32_MAX;
        run(storeind_src(false, 2, 2, 4, 0));
        ck_assert_uint_eq(*gpr(1), 4);
    }
    assert_done();
    ck_assert_uint_eq(stored_datums(), 0);
    run(storeind_src(true, 3, 0, 4, 0)); /* SrcB has them */
    ck_assert_uint_eq(stored_datums(), 4);
}

/* The last address of SrcA (16 rows), SrcA with SetOvrdWithAddr (64 rows), SrcB (16 rows). */
TEST_EACH(storeind_rows_of_src_end, 3)
{
    static const uint32_t ends[] = {(4 + 16) * 4, (4 + 64) * 4, 16 * 4};
    static const uint32_t beyond[] = {0, 1, 0x1000, 0x10000 - 1, 0x10000, 0xf0000, 0xffe00};
    uint32_t end = ends[_i];
    if (_i != 0) { /* it means nothing for SrcB */
        tensix_set_thread_field(tensix, 0, TENSIX_FIELD_SRCA_SET_SetOvrdWithAddr, 1);
    }
    *gpr(0) = end - 1;
    *gpr(4) = *gpr(5) = UINT32_MAX;
    run(storeind_src(_i == 2, 2, 0, 4, 0));
    assert_done();
    ck_assert_uint_eq(stored_datums(), 4);
    tensix_src_file_fill(&tensix->src_file[_i == 2], TENSIX_SRC_FILE_BOTH, 0);
    for (unsigned i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        *gpr(0) = end - 1 + beyond[i];
        *gpr(1) = 0x00010010;
        run(storeind_src(_i == 2, 2, 1, 4, 0));
        assert_fault(PENROSE_FAULT_TENSIX_UNDEFINED, _i == 2 ? "of SrcB" : "of SrcA");
        ck_assert_uint_eq(*gpr(1), 0x00010010);
    }
    ck_assert_uint_eq(stored_datums(), 0);
    *gpr(0) = 0x100000 + end - 1; /* addresses have 20 bits */
    *gpr(1) = 0;
    run(storeind_src(_i == 2, 2, 0, 4, 0));
    assert_done();
    ck_assert_uint_eq(stored_datums(), 4);
}

TEST_EACH(storeind_waits_for_a_bank_of_src, 2)
{
    enum tensix_src src = _i ? TENSIX_SRC_B : TENSIX_SRC_A;
    *gpr(0) = 20;
    *gpr(4) = *gpr(5) = UINT32_MAX;
    tensix_src_give(tensix, src);
    run(storeind_src(_i, 2, 1, 4, 0)); /* the other bank is free */
    assert_done();
    tensix_src_give(tensix, src);
    run(storeind_src(_i, 2, 1, 4, 0));
    assert_waits(TENSIX_WAITS_FOR_SRC, src); /* for bank 0, it has given both */
    ;
    ck_assert_uint_eq(*gpr(1), 2);
    ck_assert_uint_eq(stored_datums(), 4);
    tensix_src_release(tensix, src, false);
    tensix_harness_go(&harness, 0);
    assert_done();
    ck_assert_uint_eq(*gpr(1), 4);
    ck_assert_uint_eq(stored_datums(), 8);
    ck_assert_uint_eq(harness.unmodelled, 0);
}

/* --- Faults that stop --- */

TEST(a_fault_that_stops_can_be_tried_again)
{
    harness.stop = true;
    *gpr(0) = L1_END / LINE;
    *gpr(1) = 0;
    run(loadind(1, 2, 1, 4, 0));
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_uint_eq(harness.fault.word, loadind(1, 2, 1, 4, 0));
    ck_assert(tensix->stopped && tensix->thread[0].has_next);
    ck_assert_uint_eq(*gpr(1), 0);
    tensix_harness_set_l1(&harness, 0, 0x600d);
    *gpr(0) = 0;
    tensix->stopped = false;
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert(!tensix->thread[0].has_next);
    ck_assert_uint_eq(*gpr(4), 0x600d);
    ck_assert_uint_eq(*gpr(1), 2);
}

/* --- Time --- */

/* Cycles from the start of the instruction until *place is `value`. */
static unsigned cycles_until(const uint32_t *place, uint32_t value)
{
    unsigned cycles = 0;
    while (*place != value) {
        ck_assert_uint_lt(cycles, 100);
        tensix_harness_go(&harness, 1);
        cycles++;
    }
    return cycles;
}

static void queue(uint32_t word)
{
    struct tensix_origin origin = {.pc = 0, .pusher = TENSIX_BY_T0};
    ck_assert(tensix_push(tensix, 0, origin, &word, 1, harness.time));
}

static bool starts(void)
{
    return tensix->thread[0].pushed == tensix->thread[0].drained;
}

/* Runs until the instruction has passed its gate. */
static void until_it_starts(void)
{
    for (unsigned i = 0; !starts(); i++) {
        ck_assert_uint_lt(i, 100);
        tensix_harness_go(&harness, 1);
    }
}

TEST_EACH(results_of_memory_take_their_time, 4)
{
    const uint32_t words[] = {loadind(1, 2, 1, 4, 0), by_address(0x68, 4, 0xffb20000),
                              atincget(31, 0, 4, 0), atincgetptr(true, 0, 8, 0, 4, 0)};
    static const unsigned latency[] = {LOAD_LATENCY, LOAD_LATENCY, LOAD_LATENCY, 15};
    tensix->timing = &harness.costs;
    *gpr(0) = 0x10;
    *gpr(4) = 5;
    tensix_harness_set_l1(&harness, 0x100, 0xfeed);
    tensix_harness_set_register(&harness, 0xffb20000, 0xfeed);
    queue(words[_i]);
    until_it_starts();
    ck_assert_uint_eq(*gpr(4), 5);
    ck_assert_uint_eq(*gpr(1), _i == 0 ? 2 : 0); /* the offset is incremented at once */
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x100), _i == 2 ? 0xfeed + 5 : 0xfeed);
    ck_assert(tensix_requests_pending(tensix, 0));
    ck_assert(!tensix_requests_pending(tensix, 1));
    ck_assert_uint_eq(cycles_until(gpr(4), 0xfeed), latency[_i]);
    ck_assert(!tensix_requests_pending(tensix, 0));
    assert_done();
}

TEST(four_words_arrive_together)
{
    tensix->timing = &harness.costs;
    fill_l1(0x40, LINE);
    *gpr(0) = 4;
    queue(loadind(0, 2, 0, 14, 0));
    until_it_starts();
    (void)cycles_until(gpr(15), tensix_harness_l1(&harness, 0x4c));
    ck_assert_mem_eq(gpr(12), harness.l1 + 0x40, LINE);
    assert_done();
}

/* The same for units: busy[] of whom each bit waits for. */
TEST_EACH(flushdma_waits_for_units, 16)
{
    unsigned mask = (unsigned)_i, all = mask ? mask : 15;
    for (unsigned i = 0; i < 2; i++) {
        unsigned unit = i ? TENSIX_UNIT_PACK : TENSIX_UNIT_UNPACK;
        bool waits = all & (i ? 8 : 6);
        uint64_t until = harness.time + 40;
        tensix->timing = &harness.costs;
        tensix->thread[0].busy_until[unit] = until;
        queue(op(0x46, mask));
        tensix_harness_go(&harness, 20);
        ck_assert_msg(starts() == !waits, "mask %u unit %u", mask, unit);
        until_it_starts();
        ck_assert(!waits || harness.time >= until);
        tensix_harness_go(&harness, 60);
        assert_done();
    }
}

TEST(flushdma_waits_for_its_own_thread)
{
    tensix->timing = &harness.costs;
    tensix->thread[1].busy_until[TENSIX_UNIT_PACK] = 1000;
    tensix->result[tensix->results++] =
        (struct tensix_result){.due = 1000, .thread = 2, .requested = true};
    queue(op(0x46, 15));
    tensix_harness_go(&harness, 20);
    assert_done();
}

TEST(a_functional_run_has_nothing_to_flush)
{
    tensix_harness_set_l1(&harness, 0, 0xfeed);
    run(loadind(1, 2, 0, 4, 0));
    ck_assert_uint_eq(*gpr(4), 0xfeed);
    for (unsigned mask = 0; mask < 16; mask++) {
        tensix->thread[0].busy_until[TENSIX_UNIT_PACK] = UINT64_MAX; /* means nothing here */
        run(op(0x46, mask));
        assert_done();
    }
}
