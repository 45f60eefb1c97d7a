/*
 * Scalar Unit with memory, from the pages alone: loads, stores and atomics on L1, loads and stores
 * of registers, stores to SrcA and SrcB as far as GPRs, waits and faults go, FLUSHDMA. Runs are
 * functional: a result is there when the instruction is done.
 *
 * SPEC: WormholeB0 LOADIND, STOREIND_L1, STOREIND_MMIO, STOREIND_Src, LOADREG, STOREREG, ATINCGET,
 * ATINCGETPTR, ATSWAP, ATCAS, FLUSHDMA. They say 1464 KiB of L1; Blackhole has 1536.
 */
#include "check_reader_a_common.h"

enum { CASES = 4000, LINES = L1_SIZE / 16 };

static const uint32_t increments[4] = {0, 2, 4, 16};

static void fill_l1(void)
{
    for (uint32_t i = 0; i < L1_SIZE; i += 4) {
        set_l1(i, next_random());
    }
}

static void open_with_l1(void)
{
    open_coprocessor();
    fill_l1();
}

static uint32_t half_of(const uint32_t *gprs, unsigned half)
{
    return gprs[half / 2] >> 16 * (half % 2) & 0xffff;
}

static void store_half(uint32_t *gprs, unsigned half, uint32_t value)
{
    unsigned shift = 16 * (half % 2);
    gprs[half / 2] = (gprs[half / 2] & ~(UINT32_C(0xffff) << shift)) | (value & 0xffff) << shift;
}

static uint32_t expected_word(uint32_t address)
{
    uint32_t value;
    memcpy(&value, expected_l1 + address, sizeof value);
    return value;
}

static void expect_word(uint32_t address, uint32_t value)
{
    memcpy(expected_l1 + address, &value, sizeof value);
}

/* A line of L1: often the first or one of the last, sometimes just beyond. */
static uint32_t any_line(void)
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
static void run_predicted(unsigned thread, uint32_t word, bool is_fault, uint32_t address)
{
    if (is_fault) {
        execute_fault(thread, word, TENSIX_FAULT_UNDEFINED);
    } else {
        execute_and_check(thread, word);
    }
    check_l1_near(word, is_fault ? 0 : address);
}

/* --- LOADIND and STOREIND to L1 --- */

struct indirect {
    unsigned thread, size, offset_half, increment, data, address;
};

static uint32_t loadind_word(const struct indirect *i)
{
    return OP(0x49) | i->size << 22 | i->offset_half << 14 | i->increment << 12 | i->data << 6 |
           i->address;
}

static uint32_t storeind_l1_word(const struct indirect *i)
{
    return OP(0x66) | 1u << 23 | i->size << 21 | i->offset_half << 14 | i->increment << 12 |
           i->data << 6 | i->address;
}

static uint32_t indirect_address(const struct indirect *i, const uint32_t *gprs)
{
    return gprs[i->address] * 16 + half_of(gprs, i->offset_half);
}

static bool indirect_uses_data(const struct indirect *i, unsigned reg)
{
    return i->size ? reg == i->data : reg / 4 == i->data / 4;
}

/* Random operands; the data's registers are neither the address nor the offset. */
static struct indirect any_indirect(void)
{
    struct indirect i;
    do {
        i = (struct indirect){below(3), below(4), below(128), below(4), below(64), below(64)};
    } while (indirect_uses_data(&i, i.address) || indirect_uses_data(&i, i.offset_half / 2));
    return i;
}

/* Registers with which the address is in L1 most of the time. */
static void set_up_indirect(const struct indirect *i)
{
    uint32_t *gprs = tt->gpr[i->thread];
    randomize_gprs();
    gprs[i->address] = any_line();
    if (i->address != i->offset_half / 2) {
        store_half(gprs, i->offset_half, below(2) ? below(64) : next_random());
        uint32_t lines = half_of(gprs, i->offset_half) / 16;
        if (below(8) && gprs[i->address] >= lines) {
            gprs[i->address] -= lines;
        }
    }
}

/* The first step; false where the address is not in L1. */
static bool indirect_address_model(const struct indirect *i, uint32_t *address)
{
    uint32_t *gprs = expected.gpr[i->thread];
    *address = indirect_address(i, gprs);
    if (*address >= L1_SIZE) {
        return false;
    }
    store_half(gprs, i->offset_half, half_of(gprs, i->offset_half) + increments[i->increment]);
    return true;
}

static void loadind_case(const struct indirect *i)
{
    uint32_t address, *gpr = &expected.gpr[i->thread][i->data];
    read_state(&expected);
    bool in_l1 = indirect_address_model(i, &address);
    if (in_l1) {
        switch (i->size) {
        case 0:
            memcpy(&expected.gpr[i->thread][i->data & ~3u], expected_l1 + (address & ~15u), 16);
            break;
        case 1:
            *gpr = expected_word(address & ~3u);
            break;
        case 2:
            *gpr =
                (*gpr & 0xffff0000) | (expected_word(address & ~3u) >> 8 * (address & 2) & 0xffff);
            break;
        case 3:
            *gpr = (*gpr & 0xffffff00) | expected_l1[address];
            break;
        }
    }
    run_predicted(i->thread, loadind_word(i), !in_l1, address);
}

START_TEST(loadind_random)
{
    for (int n = 0; n < CASES; n++) {
        struct indirect i = any_indirect();
        set_up_indirect(&i);
        loadind_case(&i);
    }
    check_l1();
}
END_TEST

/* All sizes at all positions in a line and all increments, also where the offset wraps. */
START_TEST(loadind_positions)
{
    for (unsigned n = 0; n < 16 * 4 * 4 * 2; n++) {
        struct indirect i = {1, n >> 4 & 3, 2 * 7 + (n >> 8), n >> 6 & 3, 21, 9};
        randomize_gprs();
        tt->gpr[1][9] = 0x100;
        store_half(tt->gpr[1], i.offset_half, 0xfff0 | (n & 15));
        loadind_case(&i);
    }
    check_l1();
}
END_TEST

/* The data is written after the offset has been incremented and the address has been taken. */
START_TEST(loadind_result_is_address_or_offset)
{
    for (int n = 0; n < CASES; n++) {
        struct indirect i = any_indirect();
        switch (n % 4) {
        case 0:
            i.data = i.address;
            break;
        case 1:
            i.data = i.offset_half / 2;
            break;
        case 2: /* in the same group of four */
            i.data = i.address ^ below(4);
            break;
        case 3:
            i.data = i.offset_half / 2 ^ below(4);
            break;
        }
        set_up_indirect(&i);
        loadind_case(&i);
    }
}
END_TEST

/* One register gives address and offset. */
START_TEST(indirect_address_is_offset)
{
    for (int n = 0; n < CASES; n++) {
        struct indirect i = any_indirect();
        i.offset_half = 2 * i.address + below(2);
        if (indirect_uses_data(&i, i.address)) {
            continue;
        }
        randomize_gprs();
        tt->gpr[i.thread][i.address] = below(LINES - 0x1000);
        loadind_case(&i);
    }
}
END_TEST

static void storeind_case(const struct indirect *i)
{
    uint32_t address, *gprs = expected.gpr[i->thread];
    read_state(&expected);
    bool in_l1 = indirect_address_model(i, &address);
    if (in_l1) {
        switch (i->size) {
        case 0:
            memcpy(expected_l1 + (address & ~15u), &gprs[i->data & ~3u], 16);
            break;
        case 1:
            memcpy(expected_l1 + (address & ~3u), &gprs[i->data], 4);
            break;
        case 2:
            memcpy(expected_l1 + (address & ~1u), &gprs[i->data], 2);
            break;
        case 3:
            memcpy(expected_l1 + address, &gprs[i->data], 1);
            break;
        }
    }
    run_predicted(i->thread, storeind_l1_word(i), !in_l1, address);
}

START_TEST(storeind_l1_random)
{
    for (int n = 0; n < CASES; n++) {
        struct indirect i = any_indirect();
        set_up_indirect(&i);
        storeind_case(&i);
    }
    check_l1();
}
END_TEST

START_TEST(storeind_l1_positions)
{
    for (unsigned n = 0; n < 16 * 4 * 4 * 2; n++) {
        struct indirect i = {2, n >> 4 & 3, 2 * 7 + (n >> 8), n >> 6 & 3, 21, 9};
        randomize_gprs();
        tt->gpr[2][9] = 0x100;
        store_half(tt->gpr[2], i.offset_half, 0xfff0 | (n & 15));
        storeind_case(&i);
    }
    check_l1();
}
END_TEST

/* Data that is the address is stored as it is; data that holds the offset with the offset
 * incremented, since the page increments first. */
START_TEST(storeind_l1_data_is_address)
{
    for (int n = 0; n < CASES; n++) {
        struct indirect i = any_indirect();
        i.data = i.address ^ (n % 2 ? 0 : below(4));
        if (indirect_uses_data(&i, i.offset_half / 2)) {
            continue;
        }
        set_up_indirect(&i);
        storeind_case(&i);
    }
    check_l1();
}
END_TEST

START_TEST(storeind_l1_data_is_offset)
{
    for (int n = 0; n < CASES; n++) {
        struct indirect i = any_indirect();
        i.data = i.offset_half / 2 ^ (n % 2 ? 0 : below(4));
        set_up_indirect(&i);
        storeind_case(&i);
    }
    check_l1();
}
END_TEST

/* The last byte of L1, the first beyond, and sums beyond 32 bits (they wrap: uint32_t). */
START_TEST(indirect_limits)
{
    static const struct {
        uint32_t base, offset;
    } cases[] = {{LINES - 1, 15},         {LINES - 1, 16},    {LINES - 0x1000, 0xffff},
                 {LINES - 0xfff, 0xffff}, {LINES, 0},         {0x0fffffff, 15},
                 {0x0fffffff, 16},        {0x10000000, 0},    {0xffffffff, 0x10},
                 {0xffffffff, 0x0f},      {0x80000000, 0x20}, {0x08000000, 0}};
    for (int n = 0; n < COUNT(cases) * 4; n++) {
        struct indirect i = {0, (unsigned)n % 4, 2 * 30, 1, 20, 10};
        randomize_gprs();
        tt->gpr[0][10] = cases[n / 4].base;
        tt->gpr[0][30] = cases[n / 4].offset;
        loadind_case(&i);
        tt->gpr[0][30] = cases[n / 4].offset;
        storeind_case(&i);
    }
    check_l1();
}
END_TEST

/* --- STOREIND to registers --- */

enum { REGISTER_CASES = 4000 };

static uint32_t storeind_mmio_word(unsigned offset_half, unsigned increment, unsigned data,
                                   unsigned address)
{
    return OP(0x66) | 1u << 22 | offset_half << 14 | increment << 12 | data << 6 | address;
}

/* Only this register was written, once, with this value. */
static void check_register(uint32_t address, uint32_t value)
{
    ck_assert_uint_eq(harness.regs, 1);
    ck_assert_uint_eq(harness.reg[0].address, address);
    ck_assert_uint_eq(harness.reg[0].value, value);
    ck_assert_uint_eq(harness.reg[0].writes, 1);
    ck_assert_uint_eq(harness.reg[0].reads, 0);
}

static void forget_registers(void)
{
    memset(harness.reg, 0, sizeof harness.reg);
    harness.regs = 0;
}

static void storeind_mmio_case(unsigned thread, unsigned offset_half, unsigned increment,
                               unsigned data, unsigned address_reg)
{
    uint32_t *gprs = expected.gpr[thread];
    uint32_t word = storeind_mmio_word(offset_half, increment, data, address_reg);
    forget_registers();
    read_state(&expected);
    uint32_t address = gprs[address_reg] + (half_of(gprs, offset_half) >> 4);
    address = UINT32_C(0xffb00000) + (address & 0x000ffffc);
    if (address < UINT32_C(0xffb11000)) {
        execute_fault(thread, word, TENSIX_FAULT_UNDEFINED);
        ck_assert_uint_eq(harness.regs, 0);
        return;
    }
    uint32_t value = gprs[data]; /* written before the offset is incremented */
    store_half(gprs, offset_half, half_of(gprs, offset_half) + increments[increment]);
    execute_and_check(thread, word);
    check_register(address, value);
}

START_TEST(storeind_mmio_random)
{
    for (int n = 0; n < REGISTER_CASES; n++) {
        unsigned thread = below(3), offset_half = below(128), address = below(64);
        unsigned data = n % 4 == 0 ? offset_half / 2 : n % 4 == 1 ? address : below(64);
        randomize_gprs();
        storeind_mmio_case(thread, offset_half, below(4), data, address);
    }
    check_l1();
}
END_TEST

START_TEST(storeind_mmio_limits)
{
    static const struct {
        uint32_t base, offset;
    } cases[] = {{0x10ffc, 0},      {0x11000, 0},      {0x10fff, 0x000f}, {0x10fff, 0x0010},
                 {0x10001, 0xffff}, {0x10002, 0xffff}, {0xfffff, 0},      {0xfffff, 0x10},
                 {0xffffffff, 0},   {0x00110ffc, 0},   {0x7ff11003, 0},   {0xffb11000, 0}};
    for (int i = 0; i < COUNT(cases); i++) {
        for (unsigned increment = 0; increment < 4; increment++) {
            randomize_gprs();
            tt->gpr[1][2] = cases[i].base;
            store_half(tt->gpr[1], 9, cases[i].offset);
            storeind_mmio_case(1, 9, increment, 3, 2);
        }
    }
}
END_TEST

/* A register that is not ready: the thread waits, nothing has happened, and then it happens once.
 */
START_TEST(storeind_mmio_waits)
{
    randomize_gprs();
    tt->gpr[0][4] = 0x20000;
    tt->gpr[0][5] = 0x00f00123;
    uint32_t word = storeind_mmio_word(2 * 5, 2, 6, 4);
    read_state(&expected);
    harness.registers_busy = true;
    tensix_harness_push(&harness, 0, word);
    ck_assert(tensix_thread_busy(tt, 0));
    check_state(word);
    tensix_harness_go(&harness, 0);
    check_state(word);
    harness.registers_busy = false;
    tensix_harness_go(&harness, 0);
    ck_assert(!tensix_thread_busy(tt, 0));
    expected.gpr[0][5] = 0x00f00127;
    check_state(word);
    check_register(UINT32_C(0xffb20010), tt->gpr[0][6]); /* 0x20000 + 0x12, in words */
}
END_TEST

/* --- LOADREG and STOREREG --- */

START_TEST(loadreg_random)
{
    for (int n = 0; n < REGISTER_CASES; n++) {
        unsigned thread = below(3), result = below(64);
        uint32_t lo = n % 8 == 0   ? 0x11000 / 4 + below(4) - 2
                      : n % 8 == 1 ? 0x3ffff
                                   : below(1 << 18);
        uint32_t address = UINT32_C(0xffb00000) + lo * 4, value = any_value();
        uint32_t word = OP(0x68) | result << 18 | lo;
        forget_registers();
        randomize_gprs();
        tensix_harness_set_register(&harness, address, value);
        if (address < UINT32_C(0xffb11000)) {
            execute_fault(thread, word, TENSIX_FAULT_UNDEFINED);
            ck_assert_uint_eq(harness.reg[0].reads, 0);
            continue;
        }
        read_state(&expected);
        expected.gpr[thread][result] = value;
        execute_and_check(thread, word);
        ck_assert_uint_eq(harness.regs, 1);
        ck_assert_uint_eq(harness.reg[0].reads, 1);
        ck_assert_uint_eq(harness.reg[0].writes, 0);
    }
}
END_TEST

START_TEST(loadreg_waits)
{
    uint32_t word = OP(0x68) | 3u << 18 | 0x20000 / 4;
    tensix_harness_set_register(&harness, UINT32_C(0xffb20000), 77);
    randomize_gprs();
    read_state(&expected);
    harness.registers_busy = true;
    tensix_harness_push(&harness, 2, word);
    ck_assert(tensix_thread_busy(tt, 2));
    check_state(word);
    harness.registers_busy = false;
    tensix_harness_go(&harness, 0);
    expected.gpr[2][3] = 77;
    check_state(word);
    ck_assert(!tensix_thread_busy(tt, 2));
    ck_assert_uint_eq(harness.reg[0].reads, 1);
}
END_TEST

static enum tensix_reply refuse_read(void *owner, unsigned thread, uint32_t address, uint64_t cycle,
                                     uint32_t *value, const char **rule)
{
    (void)owner, (void)thread, (void)address, (void)cycle;
    *value = 0x600dbad;
    *rule = "there is nothing at this place";
    return TENSIX_REFUSED;
}

static enum tensix_reply refuse_write(void *owner, unsigned thread, uint32_t address,
                                      uint64_t cycle, uint32_t value, const char **rule)
{
    uint32_t ignored;
    (void)value;
    return refuse_read(owner, thread, address, cycle, &ignored, rule);
}

/* An address with nothing behind it is a fault that says so; nothing has changed. */
START_TEST(registers_that_are_refused)
{
    static const uint32_t words[] = {OP(0x68) | 3u << 18 | 0x20000 / 4,
                                     OP(0x67) | 3u << 18 | 0x20000 / 4,
                                     OP(0x66) | 1u << 22 | 20 << 14 | 3 << 12 | 5 << 6 | 6};
    harness.board.read = refuse_read;
    harness.board.write = refuse_write;
    for (int i = 0; i < COUNT(words); i++) {
        randomize_gprs();
        tt->gpr[1][6] = 0x20000;
        read_state(&expected);
        execute(1, words[i]);
        check_state(words[i]);
        ck_assert_int_eq(harness.faults, i + 1);
        ck_assert_ptr_nonnull(strstr(harness.fault.text, "nothing at this place"));
    }
}
END_TEST

START_TEST(storereg_random)
{
    for (int n = 0; n < REGISTER_CASES; n++) {
        unsigned thread = below(3), data = below(64);
        uint32_t lo = n % 8 == 0   ? 0x11000 / 4 + below(4) - 2
                      : n % 8 == 1 ? 0x3ffff
                                   : below(1 << 18);
        uint32_t address = UINT32_C(0xffb00000) + lo * 4, word = OP(0x67) | data << 18 | lo;
        forget_registers();
        randomize_gprs();
        if (address < UINT32_C(0xffb11000)) {
            execute_fault(thread, word, TENSIX_FAULT_UNDEFINED);
            ck_assert_uint_eq(harness.regs, 0);
            continue;
        }
        read_state(&expected);
        execute_and_check(thread, word);
        check_register(address, tt->gpr[thread][data]);
    }
}
END_TEST

/* --- ATINCGET --- */

static uint32_t atincget_word(unsigned width, unsigned ofs, unsigned in_out, unsigned address)
{
    return OP(0x61) | width << 14 | ofs << 12 | in_out << 6 | address;
}

static void atincget_case(unsigned thread, unsigned width, unsigned ofs, unsigned in_out,
                          unsigned address_reg)
{
    uint32_t word = atincget_word(width, ofs, in_out, address_reg);
    read_state(&expected);
    uint32_t *gprs = expected.gpr[thread];
    uint32_t address = gprs[address_reg] * 16 + ofs * 4;
    bool in_l1 = address < L1_SIZE;
    if (in_l1) {
        uint32_t mask = width == 31 ? UINT32_MAX : (UINT32_C(2) << width) - 1;
        uint32_t original = expected_word(address), sum = original + gprs[in_out];
        expect_word(address, (sum & mask) | (original & ~mask));
        gprs[in_out] = original;
    }
    run_predicted(thread, word, !in_l1, address);
}

/* All widths, at a line of L1 that is anywhere, with increments that carry out of the width. */
START_TEST(atincget_random)
{
    unsigned width = (unsigned)_i;
    for (int n = 0; n < 300; n++) {
        unsigned thread = below(3), ofs = below(4), in_out = below(64), address = below(64);
        randomize_gprs();
        tt->gpr[thread][address] = any_line();
        if (tt->gpr[thread][address] < LINES && n % 2) {
            set_l1(tt->gpr[thread][address] * 16 + ofs * 4, any_value());
        }
        atincget_case(thread, width, ofs, in_out, address);
    }
    check_l1();
}
END_TEST

/* The register holds address and increment. */
START_TEST(atincget_in_out_is_address)
{
    for (unsigned line = 0; line < LINES; line += 97) {
        tt->gpr[1][12] = line;
        atincget_case(1, line % 32, line % 4, 12, 12);
    }
    check_l1();
}
END_TEST

START_TEST(atomics_outside_l1)
{
    static const uint32_t lines[] = {LINES,      LINES + 1,  0x0fffffff, 0x00ffffff, 0x7fffffff,
                                     0x80018000, 0xffffffff, 0x08000000, 0x1001ffff};
    for (int i = 0; i < COUNT(lines); i++) {
        tt->gpr[0][1] = lines[i];
        for (unsigned ofs = 0; ofs < 4; ofs++) {
            execute_fault(0, atincget_word(31, ofs, 2, 1), TENSIX_FAULT_UNDEFINED);
            execute_fault(0, OP(0x62) | 4u << 14 | ofs << 12 | 2u << 6 | 1, TENSIX_FAULT_UNDEFINED);
            execute_fault(0, OP(0x64) | ofs << 12 | 1, TENSIX_FAULT_UNDEFINED);
        }
        execute_fault(0, OP(0x63) | 0xffu << 14 | 2u << 6 | 1, TENSIX_FAULT_UNDEFINED);
    }
    check_l1();
}
END_TEST

/* The multiplication by 16 has 32 bits. */
START_TEST(atomics_address_wraps)
{
    for (int n = 0; n < 200; n++) {
        tt->gpr[0][1] = below(16) << 28 | below(LINES);
        tt->gpr[0][2] = any_value();
        atincget_case(0, below(32), below(4), 2, 1);
    }
    check_l1();
}
END_TEST

/* --- ATINCGETPTR --- */

static uint32_t atincgetptr_word(bool no_incr, unsigned incr_log2, unsigned width, unsigned ofs,
                                 unsigned result, unsigned address)
{
    return OP(0x62) | (uint32_t)no_incr << 22 | incr_log2 << 18 | width << 14 | ofs << 12 |
           result << 6 | address;
}

/* False where it waits. */
static bool atincgetptr_model(uint32_t line, bool no_incr, unsigned incr_log2, unsigned width,
                              unsigned ofs, uint32_t *result)
{
    uint32_t size = expected_word(line + 4) - expected_word(line);
    if (ofs & 1) {
        uint32_t capacity = width ? UINT32_C(1) << (width - 1) : 0x8000;
        if (size % capacity == 0 && size != 0) {
            return false;
        }
    } else if (size == 0) {
        return false;
    }
    uint32_t mask = (UINT32_C(1) << width) - 1, original = expected_word(line + ofs * 4);
    uint32_t sum = original + (no_incr ? 0 : UINT32_C(1) << incr_log2);
    expect_word(line + ofs * 4, (sum & mask) | (original & ~mask));
    *result = original;
    return true;
}

/* Counters of a FIFO as software has them: `width` bits; sometimes any words. */
static void set_fifo(uint32_t line, unsigned width)
{
    uint32_t mask = (UINT32_C(1) << width) - 1, rd = next_random(), capacity;
    capacity = width ? UINT32_C(1) << (width - 1) : 1;
    uint32_t filled = below(3) == 0 ? 0 : below(2) ? capacity : next_random() % (capacity + 1);
    if (below(4) == 0) {
        set_l1(line, any_value());
        set_l1(line + 4, any_value());
    } else {
        set_l1(line, rd & mask);
        set_l1(line + 4, (rd + filled) & mask);
    }
    set_l1(line + 8, any_value());
    set_l1(line + 12, any_value());
}

/* Where it waits, other contents let it go on. */
START_TEST(atincgetptr_random)
{
    unsigned width = (unsigned)_i;
    for (int n = 0; n < 500; n++) {
        unsigned thread = below(3), ofs = below(4), incr = below(16), result = below(64);
        unsigned address = below(64);
        bool no_incr = below(2);
        uint32_t word = atincgetptr_word(no_incr, incr, width, ofs, result, address);
        uint32_t line = below(LINES) * 16, original;
        randomize_gprs();
        tt->gpr[thread][address] = line / 16;
        set_fifo(line, width);
        read_state(&expected);
        bool waits = !atincgetptr_model(line, no_incr, incr, width, ofs, &original);
        if (waits) {
            tensix_harness_push(&harness, thread, word);
            ck_assert_msg(tensix_thread_busy(tt, thread), "0x%08" PRIx32 " does not wait", word);
            check_state(word);
            check_l1_near(word, line);
            ck_assert_uint_eq(harness.watched & ~15u, line);
            bool pushes = ofs & 1;
            set_l1(line, 1);
            set_l1(line + 4, pushes ? 1 : 2);
            ck_assert(atincgetptr_model(line, no_incr, incr, width, ofs, &original));
            tensix_harness_go(&harness, 0);
            ck_assert_msg(!tensix_thread_busy(tt, thread), "0x%08" PRIx32 " still waits", word);
        } else {
            execute(thread, word);
        }
        expected.gpr[thread][result] = original;
        check_state(word);
        check_l1_near(word, line);
        ck_assert_uint_eq(harness.faults, 0);
    }
    check_l1();
}
END_TEST

/* A FIFO of four is filled and emptied again. The push on the full one waits, with what is behind
 * it, until a hart has popped; a thread's pop would not get into the Scalar Unit, which is busy. */
START_TEST(atincgetptr_fifo)
{
    enum { LINE = 0x4000, PUSH = 1, POP = 0 };
    uint32_t push = atincgetptr_word(false, 0, 3, PUSH, 5, 1);
    uint32_t pop = atincgetptr_word(false, 0, 3, POP, 6, 2);
    uint32_t full_test = atincgetptr_word(true, 9, 3, PUSH, 7, 1);
    tt->gpr[0][1] = tt->gpr[1][2] = LINE / 16;
    set_l1(LINE, 6);
    set_l1(LINE + 4, 6);
    for (unsigned i = 0; i < 4; i++) {
        execute(0, full_test);
        ck_assert_uint_eq(tt->gpr[0][7], (6 + i) % 8);
        execute(0, push);
        ck_assert_uint_eq(tt->gpr[0][5], (6 + i) % 8);
    }
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE + 4), 2); /* 6 + 4 of 3 bits */
    tensix_harness_push(&harness, 0, push);
    tensix_harness_push(&harness, 0, OP(0x45) | 99u << 8 | 2 * 40);
    tensix_harness_push(&harness, 1, pop);
    ck_assert(tensix_thread_busy(tt, 0));
    ck_assert(tensix_thread_busy(tt, 1));
    ck_assert_uint_eq(tt->gpr[0][40], 0);
    set_l1(LINE, 7);
    tensix_harness_go(&harness, 0);
    ck_assert(!tensix_thread_busy(tt, 0));
    ck_assert_uint_eq(tt->gpr[0][5], 2);
    ck_assert_uint_eq(tt->gpr[0][40], 99);
    ck_assert(!tensix_thread_busy(tt, 1));
    ck_assert_uint_eq(tt->gpr[1][6], 7);
    for (unsigned i = 0; i < 3; i++) {
        execute(1, pop);
        ck_assert_uint_eq(tt->gpr[1][6], i);
    }
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE), 3);
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE + 4), 3);
    tensix_harness_push(&harness, 1, pop);
    ck_assert(tensix_thread_busy(tt, 1));
}
END_TEST

/* --- ATSWAP --- */

static void atswap_case(unsigned thread, bool single, unsigned mask, unsigned data,
                        unsigned address_reg)
{
    uint32_t word = OP(0x63) | (uint32_t)single << 22 | mask << 14 | data << 6 | address_reg;
    read_state(&expected);
    const uint32_t *gprs = expected.gpr[thread];
    uint32_t address = gprs[address_reg] * 16, to_write[4] = {0};
    bool in_l1 = address < L1_SIZE;
    if (single) {
        to_write[data & 3] = gprs[data];
    } else {
        memcpy(to_write, &gprs[data & ~3u], 16);
    }
    for (unsigned i = 0; in_l1 && i < 8; i++) {
        if (mask >> i & 1) {
            memcpy(expected_l1 + address + 2 * i, (const char *)to_write + 2 * i, 2);
        }
    }
    run_predicted(thread, word, !in_l1, address);
}

/* Every mask; data may hold the address. */
START_TEST(atswap_masks)
{
    bool single = _i;
    for (unsigned mask = 0; mask < 256; mask++) {
        for (int n = 0; n < 10; n++) {
            unsigned thread = below(3), address = below(64);
            unsigned data = n < 3 ? address ^ (unsigned)n : below(64);
            randomize_gprs();
            tt->gpr[thread][address] = any_line();
            atswap_case(thread, single, mask, data, address);
        }
    }
    check_l1();
}
END_TEST

/* --- ATCAS --- */

static uint32_t atcas_word(unsigned set, unsigned compare, unsigned ofs, unsigned data,
                           unsigned address)
{
    return OP(0x64) | set << 18 | compare << 14 | ofs << 12 | data << 6 | address;
}

/* All pairs of values; the whole word is compared; a thread that waits goes on when it fits. */
START_TEST(atcas_values)
{
    for (unsigned n = 0; n < 16 * 16 * 8; n++) {
        unsigned set = n & 15, compare = n >> 4 & 15, ofs = below(4), thread = below(3);
        unsigned address_reg = below(64);
        uint32_t address = below(LINES) * 16 + 4 * ofs;
        uint32_t word = atcas_word(set, compare, ofs, below(64), address_reg);
        randomize_gprs();
        tt->gpr[thread][address_reg] = address / 16;
        read_state(&expected);
        uint32_t before = n >> 8 < 2   ? compare
                          : n >> 8 < 4 ? compare | 1u << (4 + below(28))
                          : n >> 8 < 6 ? below(16)
                                       : any_value();
        set_l1(address, before);
        tensix_harness_push(&harness, thread, word);
        bool waits = before != compare;
        ck_assert_msg(tensix_thread_busy(tt, thread) == waits, "0x%08" PRIx32 " finds 0x%" PRIx32,
                      word, before);
        if (waits) {
            check_state(word);
            check_l1_near(word, address);
            ck_assert_uint_eq(harness.watched & ~15u, address & ~15u);
            set_l1(address, compare);
            tensix_harness_go(&harness, 0);
            ck_assert(!tensix_thread_busy(tt, thread));
        }
        expect_word(address, set);
        check_state(word);
        check_l1_near(word, address);
        ck_assert_uint_eq(harness.faults, 0);
    }
    check_l1();
}
END_TEST

/* A lock in L1: one thread holds it, the others take it in turn when it is released. */
START_TEST(atcas_lock)
{
    enum { LINE = 0x100 };
    uint32_t lock = atcas_word(1, 0, 2, 0, 3), unlock = atcas_word(0, 1, 2, 0, 3);
    tt->gpr[0][3] = tt->gpr[1][3] = tt->gpr[2][3] = LINE;
    set_l1(LINE * 16 + 8, 0);
    execute(0, lock);
    tensix_harness_push(&harness, 1, lock);
    tensix_harness_push(&harness, 2, lock);
    ck_assert(tensix_thread_busy(tt, 1) && tensix_thread_busy(tt, 2));
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE * 16 + 8), 1);
    set_l1(LINE * 16 + 8, 0); /* as a hart releases it */
    tensix_harness_go(&harness, 0);
    ck_assert(tensix_thread_busy(tt, 1) != tensix_thread_busy(tt, 2));
    unsigned holder = tensix_thread_busy(tt, 1) ? 2 : 1;
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE * 16 + 8), 1);
    set_l1(LINE * 16 + 8, 0);
    tensix_harness_go(&harness, 0);
    ck_assert(!tensix_thread_busy(tt, 1) && !tensix_thread_busy(tt, 2));
    execute(holder, unlock);
    ck_assert_uint_eq(tensix_harness_l1(&harness, LINE * 16 + 8), 0);
}
END_TEST

/* The Scalar Unit is busy while an instruction in it tries again and again: no other thread's
 * instruction enters it, but instructions of other units go on. 1: timed. */
START_TEST(scalar_unit_is_held)
{
    static const struct {
        uint32_t word, line[2];
    } cases[] = {{OP(0x64) | 5u << 14 | 3, {0, 5}},           /* ATCAS, compares with 5 */
                 {OP(0x62) | 4u << 14 | 7u << 6 | 3, {0, 5}}, /* pop of an empty FIFO */
                 {OP(0x62) | 4u << 14 | 1u << 12 | 7u << 6 | 3, {8, 1}}}; /* push on a full one */
    tt->timed = _i;
    for (int i = 0; i < COUNT(cases); i++) {
        bool is_cas = cases[i].word >> 24 == 0x64;
        tt->gpr[0][3] = 0x100;
        set_l1(0x1000, is_cas ? cases[i].line[0] : 0);
        set_l1(0x1004, cases[i].line[0]);
        tt->gpr[1][0] = 0;
        tt->semaphore[0].value = 0;
        tensix_harness_push(&harness, 0, cases[i].word);
        ck_assert(tensix_thread_busy(tt, 0));
        execute(2, OP(0xa4) | 1u << 2); /* SEMPOST */
        ck_assert_uint_eq(tt->semaphore[0].value, 1);
        tensix_harness_push(&harness, 1, OP(0x58) | 1u << 23 | 1u << 6); /* ADDDMAREG */
        ck_assert_uint_eq(tt->gpr[1][0], 0);
        ck_assert(tensix_thread_busy(tt, 1));
        set_l1(is_cas ? 0x1000 : 0x1004, cases[i].line[1]);
        tensix_harness_go(&harness, 0);
        ck_assert(!tensix_thread_busy(tt, 0) && !tensix_thread_busy(tt, 1));
        ck_assert_uint_eq(tt->gpr[1][0], 1);
    }
}
END_TEST

/* --- STOREIND to SrcA and SrcB --- */

static uint32_t storeind_src_word(bool src_b, unsigned offset_half, unsigned increment,
                                  unsigned data, unsigned address)
{
    return OP(0x66) | (uint32_t)src_b << 21 | offset_half << 14 | increment << 12 | data << 6 |
           address;
}

static bool src_address_is_valid(uint32_t address, bool src_b, bool override)
{
    if (address & 0xf0000) {
        return false;
    }
    int row = (int)(address >> 2) - (src_b ? 0 : 4);
    return row < (!src_b && override ? 64 : 16);
}

/* GPRs and faults, with the banks free for the unpackers. */
START_TEST(storeind_src_offsets)
{
    enum { SRCA_SET = 5 }; /* bit 2: SetOvrdWithAddr */
    for (int n = 0; n < CASES; n++) {
        unsigned thread = below(3), offset_half = below(128), increment = below(4);
        unsigned data = below(64), address_reg;
        bool src_b = below(2), override = below(2);
        do {
            address_reg = below(64);
        } while (address_reg == offset_half / 2);
        randomize_gprs();
        uint32_t target = below(8) ? below(80 * 4) : below(1 << 20);
        uint32_t offset = below(16) | below(4096) << 4;
        tt->gpr[thread][address_reg] = (target - (offset >> 4)) & 0xfffff;
        tt->gpr[thread][address_reg] |= next_random() & 0xfff00000; /* of which 20 bits count */
        store_half(tt->gpr[thread], offset_half, offset);
        tt->thread_config[thread][SRCA_SET] = (uint16_t)(override << 2);
        tt->src[0].unpack_bank = (uint8_t)below(2);
        tt->src[1].unpack_bank = (uint8_t)below(2);
        uint32_t word = storeind_src_word(src_b, offset_half, increment, data, address_reg);
        if (!src_address_is_valid(target, src_b, override)) {
            execute_fault(thread, word, TENSIX_FAULT_UNDEFINED);
            continue;
        }
        read_state(&expected);
        store_half(expected.gpr[thread], offset_half, offset + increments[increment]);
        execute_and_check(thread, word);
    }
    check_l1();
}
END_TEST

/* It waits for the bank that the unpackers use next, of the right one of SrcA and SrcB. */
START_TEST(storeind_src_waits)
{
    for (unsigned n = 0; n < 64; n++) {
        bool src_b = n & 1, other = n >> 3 & 1, other_src = n >> 4 & 1, is_held = n >> 5;
        unsigned bank = n >> 1 & 1, thread = below(3);
        struct tensix_src_banks *src = &tt->src[src_b];
        randomize_gprs();
        tt->gpr[thread][3] = 5 * 4; /* row 5, which is row 1 of SrcA */
        tt->gpr[thread][4] = 0;
        src->unpack_bank = (uint8_t)bank;
        src->matrix_bank = (uint8_t)(n >> 2 & 1);
        src->matrix_may[bank] = is_held;
        src->matrix_may[!bank] = other;
        tt->src[!src_b].matrix_may[0] = tt->src[!src_b].matrix_may[1] = other_src;
        uint32_t word = storeind_src_word(src_b, 2 * 4 + 1, 3, 8, 3);
        read_state(&expected);
        tensix_harness_push(&harness, thread, word);
        ck_assert_msg(tensix_thread_busy(tt, thread) == is_held, "case %u", n);
        if (is_held) {
            check_state(word);
            src->matrix_may[bank] = expected.src[src_b].matrix_may[bank] = false;
            tensix_harness_go(&harness, 0);
            ck_assert(!tensix_thread_busy(tt, thread));
        }
        expected.gpr[thread][4] = 0x00100000;
        check_state(word);
        ck_assert_uint_eq(harness.faults, 0);
    }
}
END_TEST

/* An instruction that waits for a bank or for a register keeps the unit, too. */
START_TEST(waiting_stores_hold_the_unit)
{
    static const uint32_t words[] = {OP(0x66) | 20 << 14 | 5 << 6 | 6,
                                     OP(0x66) | 1u << 21 | 20 << 14 | 5 << 6 | 6,
                                     OP(0x66) | 1u << 22 | 20 << 14 | 5 << 6 | 7,
                                     OP(0x67) | 5u << 18 | 0x8000, OP(0x68) | 5u << 18 | 0x8000};
    tt->timed = _i;
    tt->gpr[2][6] = 20;
    tt->gpr[2][7] = 0x20000;
    for (int i = 0; i < COUNT(words); i++) {
        tt->gpr[1][0] = 0;
        harness.registers_busy = true;
        tt->src[0].matrix_may[0] = tt->src[1].matrix_may[0] = true;
        tensix_harness_push(&harness, 2, words[i]);
        ck_assert(tensix_thread_busy(tt, 2));
        tensix_harness_push(&harness, 1, OP(0x58) | 1u << 23 | 1u << 6);
        ck_assert_uint_eq(tt->gpr[1][0], 0);
        ck_assert(tensix_thread_busy(tt, 1));
        harness.registers_busy = false;
        tt->src[0].matrix_may[0] = tt->src[1].matrix_may[0] = false;
        tensix_harness_go(&harness, 0);
        ck_assert(!tensix_thread_busy(tt, 1) && !tensix_thread_busy(tt, 2));
        ck_assert_uint_eq(tt->gpr[1][0], 1);
    }
}
END_TEST

/* --- FLUSHDMA --- */

/* With nothing under way it changes nothing and waits for nothing. */
START_TEST(flushdma_idle)
{
    for (unsigned mask = 0; mask < 16; mask++) {
        for (unsigned thread = 0; thread < 3; thread++) {
            randomize_gprs();
            read_state(&expected);
            execute_and_check(thread, OP(0x46) | mask);
        }
    }
    check_l1();
}
END_TEST

/* --- Encodings --- */

START_TEST(encodings)
{
    struct indirect i = {0, 2, 0x55, 3, 0x2a, 0x15};
    assembles_to("LOADIND 2, 0x55, 3, 0x2a, 0x15", loadind_word(&i));
    assembles_to("STOREIND 1, 1, 0, 0x55, 3, 0x2a, 0x15", storeind_l1_word(&i));
    i.size = 1;
    assembles_to("STOREIND 1, 0, 1, 0x55, 3, 0x2a, 0x15", storeind_l1_word(&i));
    assembles_to("STOREIND 0, 1, 0, 0x55, 3, 0x2a, 0x15", storeind_mmio_word(0x55, 3, 0x2a, 0x15));
    assembles_to("STOREIND 0, 0, 1, 0x55, 3, 0x2a, 0x15",
                 storeind_src_word(true, 0x55, 3, 0x2a, 0x15));
    assembles_to("LOADREG 0x2a, 0x15555", OP(0x68) | 0x2au << 18 | 0x15555);
    assembles_to("STOREREG 0x2a, 0x35555", OP(0x67) | 0x2au << 18 | 0x35555);
    assembles_to("ATINCGET 0, 0x1f, 2, 0x2a, 0x15", atincget_word(31, 2, 0x2a, 0x15));
    assembles_to("ATINCGETPTR 0, 1, 9, 5, 2, 0x2a, 0x15",
                 atincgetptr_word(true, 9, 5, 2, 0x2a, 0x15));
    assembles_to("ATSWAP 0, 0x15a, 0x2a, 0x15", OP(0x63) | 0x15au << 14 | 0x2au << 6 | 0x15);
    assembles_to("ATCAS 0, 9, 5, 2, 0x2a, 0x15", atcas_word(9, 5, 2, 0x2a, 0x15));
    assembles_to("FLUSHDMA 5", OP(0x46) | 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reader A: memory");
    TCase *tcase = tcase_create("memory");
    tcase_add_checked_fixture(tcase, open_with_l1, close_coprocessor);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, loadind_random);
    tcase_add_test(tcase, loadind_positions);
    tcase_add_test(tcase, loadind_result_is_address_or_offset);
    tcase_add_test(tcase, indirect_address_is_offset);
    tcase_add_test(tcase, storeind_l1_random);
    tcase_add_test(tcase, storeind_l1_positions);
    tcase_add_test(tcase, storeind_l1_data_is_address);
    tcase_add_test(tcase, storeind_l1_data_is_offset);
    tcase_add_test(tcase, indirect_limits);
    tcase_add_test(tcase, storeind_mmio_random);
    tcase_add_test(tcase, storeind_mmio_limits);
    tcase_add_test(tcase, storeind_mmio_waits);
    tcase_add_test(tcase, loadreg_random);
    tcase_add_test(tcase, loadreg_waits);
    tcase_add_test(tcase, registers_that_are_refused);
    tcase_add_test(tcase, storereg_random);
    tcase_add_loop_test(tcase, atincget_random, 0, 32);
    tcase_add_test(tcase, atincget_in_out_is_address);
    tcase_add_test(tcase, atomics_outside_l1);
    tcase_add_test(tcase, atomics_address_wraps);
    tcase_add_loop_test(tcase, atincgetptr_random, 0, 16);
    tcase_add_test(tcase, atincgetptr_fifo);
    tcase_add_loop_test(tcase, atswap_masks, 0, 2);
    tcase_add_test(tcase, atcas_values);
    tcase_add_test(tcase, atcas_lock);
    tcase_add_loop_test(tcase, scalar_unit_is_held, 0, 2);
    tcase_add_test(tcase, storeind_src_offsets);
    tcase_add_test(tcase, storeind_src_waits);
    tcase_add_loop_test(tcase, waiting_stores_hold_the_unit, 0, 2);
    tcase_add_test(tcase, flushdma_idle);
    tcase_add_test(tcase, encodings);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
