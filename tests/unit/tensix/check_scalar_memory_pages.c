/*
 * Scalar Unit with memory, from the pages alone: loads and stores of L1, loads and stores of
 * registers, stores to SrcA and SrcB as far as GPRs, waits and faults go, FLUSHDMA; and the
 * encodings of these and of the atomics.
 *
 * SPEC: WormholeB0 LOADIND, STOREIND_L1, STOREIND_MMIO, STOREIND_Src, LOADREG, STOREREG, FLUSHDMA.
 * They say 1464 KiB of L1; Blackhole has 1536.
 */
#include "unit/tensix/pages_l1.h"

enum { CASES = 4000 };

static const uint32_t increments[4] = {0, 2, 4, 16};

static uint32_t half_of(const uint32_t *gprs, unsigned half)
{
    return gprs[half / 2] >> 16 * (half % 2) & 0xffff;
}

static void store_half(uint32_t *gprs, unsigned half, uint32_t value)
{
    unsigned shift = 16 * (half % 2);
    gprs[half / 2] = (gprs[half / 2] & ~(UINT32_C(0xffff) << shift)) | (value & 0xffff) << shift;
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
    Suite *suite = suite_create("memory");
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
    tcase_add_test(tcase, storeind_src_offsets);
    tcase_add_test(tcase, storeind_src_waits);
    tcase_add_loop_test(tcase, waiting_stores_hold_the_unit, 0, 2);
    tcase_add_test(tcase, flushdma_idle);
    tcase_add_test(tcase, encodings);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
