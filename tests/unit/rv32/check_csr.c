/*
 * CSRs and interrupt handlers, from the CSRs, InstructionSet and PIC pages and Zicsr.
 *
 * Not asserted, because the pages do not say: reset values other than those of the page, what a
 * write to a read-only CSR does besides not changing it, event counting, mcountinhibit beyond its
 * bits 3 and 4, intp_restore_pc on cores without interrupts.
 */
#include "unit/rv32/rv32_harness.h"

#include <stdio.h>
#include <string.h>

FIXTURE(NULL, harness_destroy_all);

enum {
    FCSR = 0x003,
    VSTART = 0x008,
    VXSAT = 0x009,
    VXRM = 0x00a,
    MSTATUS = 0x300,
    MISA = 0x301,
    CFG0 = 0x7c0,
    CFG1 = 0x7c3,
    MCYCLE = 0xb00,
    MINSTRET = 0xb02,
    MHPMCOUNTER3 = 0xb03,
    MHPMCOUNTER4 = 0xb04,
    MCYCLEH = 0xb80,
    MINSTRETH = 0xb82,
    MHPMCOUNTER3H = 0xb83,
    MHPMCOUNTER4H = 0xb84,
    QSTATUS = 0xbc0,
    BSTATUS = 0xbc1,
    SSTATUS0 = 0xbc2,
    SSTATUS7 = 0xbc9,
    INTP_RESTORE_PC = 0xbca,
    CYCLE = 0xc00,
    INSTRET = 0xc02,
    VL = 0xc20,
    VTYPE = 0xc21,
    VLENB = 0xc22,
    CYCLEH = 0xc80,
    INSTRETH = 0xc82,
    MHARTID = 0xf14,
};

#define BIT(n) (UINT32_C(1) << (n))

enum csr_kind { PLAIN, READ_ONLY, COUNTER, STATUS };

/* The CSRs of the page; `bits`: which of them keep what is written. */
static const struct csr {
    uint32_t number;
    const char *name;
    enum csr_kind kind;
    uint32_t bits, fixed; /* fixed: the value of read-only ones */
    bool vector;
} csrs[] = {
    {FCSR, "fcsr", PLAIN, 0xff, 0, false},
    {VSTART, "vstart", READ_ONLY, 0, 0, true},
    {VXSAT, "vxsat", PLAIN, 1, 0, true},
    {VXRM, "vxrm", PLAIN, 3, 0, true},
    {MSTATUS, "mstatus", READ_ONLY, 0, 0x80006600, false},
    {MISA, "misa", READ_ONLY, 0, 0x40201123, false},
    {0x320, "mcountinhibit", PLAIN, 0x18, 0, false},
    {0x323, "mhpmevent3", PLAIN, 0, 0, false},
    {0x324, "mhpmevent4", PLAIN, 0, 0, false},
    {CFG0, "cfg0", PLAIN, 0xffffffff, 0, false},
    {0x7c1, "pmacfg0", PLAIN, 0xffffffff, 0, false},
    {0x7c2, "pmacfg1", PLAIN, 0xffffffff, 0, false},
    {CFG1, "cfg1", PLAIN, 0xffffffff, 0, false},
    {0x7c4, "hwa_mask", PLAIN, 0xffffffff, 0, false},
    {0x7c5, "hwa_cfg", PLAIN, 0xffffffff, 0, false},
    {0x7c6, "vgsrc", PLAIN, 0xffffffff, 0, false},
    {MCYCLE, "mcycle", COUNTER, 0, 0, false},
    {MINSTRET, "minstret", COUNTER, 0, 0, false},
    {MHPMCOUNTER3, "mhpmcounter3", PLAIN, 0xffffffff, 0, false},
    {MHPMCOUNTER4, "mhpmcounter4", PLAIN, 0xffffffff, 0, false},
    {MCYCLEH, "mcycleh", PLAIN, 0xffffffff, 0, false},
    {MINSTRETH, "minstreth", PLAIN, 0xffffffff, 0, false},
    {MHPMCOUNTER3H, "mhpmcounter3h", PLAIN, 0xffffffff, 0, false},
    {MHPMCOUNTER4H, "mhpmcounter4h", PLAIN, 0xffffffff, 0, false},
    {QSTATUS, "tt_cfg_qstatus", STATUS, 0, 0, false},
    {BSTATUS, "tt_cfg_bstatus", STATUS, 0, 0, false},
    {0xbc2, "tt_cfg_sstatus0", STATUS, 0, 0, false},
    {0xbc3, "tt_cfg_sstatus1", STATUS, 0, 0, false},
    {0xbc4, "tt_cfg_sstatus2", STATUS, 0, 0, false},
    {0xbc5, "tt_cfg_sstatus3", STATUS, 0, 0, false},
    {0xbc6, "tt_cfg_sstatus4", STATUS, 0, 0, false},
    {0xbc7, "tt_cfg_sstatus5", STATUS, 0, 0, false},
    {0xbc8, "tt_cfg_sstatus6", STATUS, 0, 0, false},
    {0xbc9, "tt_cfg_sstatus7", STATUS, 0, 0, false},
    {INTP_RESTORE_PC, "intp_restore_pc", STATUS, 0, 0, false},
    {CYCLE, "cycle", COUNTER, 0, 0, false},
    {INSTRET, "instret", COUNTER, 0, 0, false},
    {VL, "vl", PLAIN, 0xf, 0, true},
    {VTYPE, "vtype", PLAIN, 0x3f, 0, true},
    {VLENB, "vlenb", PLAIN, 0xff, 0, true},
    {CYCLEH, "cycleh", PLAIN, 0xffffffff, 0, false},
    {INSTRETH, "instreth", PLAIN, 0xffffffff, 0, false},
    {MHARTID, "mhartid", READ_ONLY, 0, 0, false},
};

/* csrrs t0, number, x0 at 0x40 */
static uint32_t csr_get(struct harness *h, uint32_t number)
{
    harness_do(h, words_csr(CSR_RS, T0, number, X0));
    return h->hart.x[T0];
}

static void csr_set(struct harness *h, uint32_t number, uint32_t value)
{
    h->hart.x[T1] = value;
    harness_do(h, words_csr(CSR_RW, X0, number, T1));
    ck_assert_uint_eq(h->hart.x[0], 0);
}

/* One CSR instruction with t1 = value at 0x40; true when it went through. t0 gets the old value. */
static bool csr_try(struct harness *h, enum csr_funct funct, uint32_t number, uint32_t value)
{
    uint32_t word = words_csr(funct, T0, number, T1);
    h->hart.x[T1] = value;
    harness_execute(h, 0x40, word);
    if (h->hart.stop != RV32_RUNNING) {
        harness_check_fault(h, PENROSE_FAULT_CSR, 0x40, word);
        return false;
    }
    return true;
}

static bool is_on(const struct csr *csr, enum rv32_core core)
{
    return !csr->vector || core == RV32_T2;
}

/* --- The list --- */

TEST_EACH(named, COUNT(csrs))
{
    const struct csr *csr = &csrs[_i];
    struct harness *h = harness_create(RV32_T2);
    char text[64];
    ck_assert_ptr_nonnull(rv32_csr_name(csr->number));
    ck_assert_str_eq(rv32_csr_name(csr->number), csr->name);
    static const struct {
        enum csr_funct funct;
        const char *format;
    } forms[] = {
        {CSR_RW, "csrrw t0, %s, t1"},  {CSR_RS, "csrrs t0, %s, t1"},  {CSR_RC, "csrrc t0, %s, t1"},
        {CSR_RWI, "csrrwi t0, %s, 6"}, {CSR_RSI, "csrrsi t0, %s, 6"}, {CSR_RCI, "csrrci t0, %s, 6"},
    };
    for (int i = 0; i < COUNT(forms); i++) {
        uint32_t word = words_csr(forms[i].funct, T0, csr->number, T1); /* x6 and 6 */
        snprintf(text, sizeof text, forms[i].format, csr->name);
        harness_check_text(h, word, 0, text);
        ck_assert_uint_eq(harness_encode(text, 0), word);
    }
}

/* Every CSR of the page reads on every core, the others on none. */
TEST_EACH(known_and_unknown, RV32_CORES)
{
    enum rv32_core core = (enum rv32_core)_i;
    struct harness *h = harness_create(core);
    for (uint32_t number = 0; number < 0x1000; number++) {
        const struct csr *csr = NULL;
        for (int i = 0; i < COUNT(csrs); i++) {
            csr = csrs[i].number == number ? &csrs[i] : csr;
        }
        uint32_t word = words_csr(CSR_RS, T0, number, X0);
        if (csr && csr->number == INTP_RESTORE_PC && core != RV32_B && core != RV32_NC) {
            continue;
        }
        h->hart.x[T0] = 0x5a5a5a5a;
        harness_execute(h, 0x40, word);
        if (csr && is_on(csr, core)) {
            ck_assert_msg(h->hart.stop == RV32_RUNNING, "%s does not read: %s", csr->name,
                          h->hart.fault.detail);
            continue;
        }
        harness_check_fault(h, PENROSE_FAULT_CSR, 0x40, word);
        ck_assert_uint_eq(h->hart.fault.address, number);
        ck_assert_uint_eq(h->hart.x[T0], 0x5a5a5a5a);
        word = words_csr(CSR_RW, X0, number, T1);
        harness_execute(h, 0x40, word);
        harness_check_fault(h, PENROSE_FAULT_CSR, 0x40, word);
    }
}

TEST_EACH(reset_values, RV32_CORES)
{
    struct harness *h = harness_create((enum rv32_core)_i);
    ck_assert_uint_eq(csr_get(h, CFG0), 16 << 13);
    for (int i = 0; i < COUNT(csrs); i++) {
        if (csrs[i].kind == READ_ONLY && is_on(&csrs[i], h->hart.core)) {
            ck_assert_uint_eq(csr_get(h, csrs[i].number), csrs[i].fixed);
        }
    }
    if (h->hart.core == RV32_T2) {
        ck_assert_uint_eq(csr_get(h, VLENB), 16);
    }
    /* a second reset brings them back */
    csr_set(h, CFG0, 0xffffffff);
    harness_reset(h);
    ck_assert_uint_eq(csr_get(h, CFG0), 16 << 13);
}

/* --- Reading and writing --- */

static void check_bits(struct harness *h, const struct csr *csr, uint32_t expected)
{
    uint32_t got = csr_get(h, csr->number);
    ck_assert_msg((got & csr->bits) == (expected & csr->bits), "%s holds %#x, not %#x", csr->name,
                  got, expected & csr->bits);
}

/* All six instructions on a CSR that keeps `bits`. */
TEST_EACH(writable, COUNT(csrs))
{
    const struct csr *csr = &csrs[_i];
    for (enum rv32_core core = 0; core < RV32_CORES && csr->kind == PLAIN; core++) {
        if (!is_on(csr, core)) {
            continue;
        }
        struct harness *h = harness_create(core);
        uint32_t number = csr->number, ones = csr->bits, some = csr->bits & 0x5a5a5a5a;
        csr_set(h, number, ones);
        check_bits(h, csr, ones);
        ck_assert(csr_try(h, CSR_RW, number, some));
        ck_assert_uint_eq(h->hart.x[T0] & ones, ones);
        check_bits(h, csr, some);
        ck_assert(csr_try(h, CSR_RS, number, ones & 0x0f0f0f0f));
        ck_assert_uint_eq(h->hart.x[T0] & ones, some);
        check_bits(h, csr, some | 0x0f0f0f0f);
        ck_assert(csr_try(h, CSR_RC, number, ones & 0x33333333));
        check_bits(h, csr, (some | 0x0f0f0f0f) & ~UINT32_C(0x33333333));
        harness_do(h, words_csr(CSR_RWI, T0, number, 21 & ones));
        check_bits(h, csr, 21);
        harness_do(h, words_csr(CSR_RSI, T0, number, 10 & ones));
        ck_assert_uint_eq(h->hart.x[T0] & ones, 21 & ones);
        check_bits(h, csr, 31);
        harness_do(h, words_csr(CSR_RCI, T0, number, 6 & ones));
        check_bits(h, csr, 25);
        /* rd and rs1 are one register; rd is x0 */
        h->hart.x[T1] = some;
        csr_set(h, number, ones);
        h->hart.x[T1] = some;
        harness_do(h, words_csr(CSR_RW, T1, number, T1));
        ck_assert_uint_eq(h->hart.x[T1] & ones, ones);
        check_bits(h, csr, some);
        harness_do(h, words_csr(CSR_RS, X0, number, T0));
        ck_assert_uint_eq(h->hart.x[0], 0);
    }
}

/* fcsr's bits 31:8 read as zero; the vector ones have one and two bits. */
TEST(reserved_bits)
{
    struct harness *h = harness_create(RV32_T2);
    csr_set(h, FCSR, 0xffffffff);
    ck_assert_uint_eq(csr_get(h, FCSR), 0xff);
    for (uint32_t mode = 0; mode < 4; mode++) {
        csr_set(h, VXRM, mode);
        ck_assert_uint_eq(csr_get(h, VXRM), mode);
    }
    csr_set(h, VXSAT, 1);
    ck_assert_uint_eq(csr_get(h, VXSAT), 1);
    /* vxsat and vxrm are no part of fcsr */
    ck_assert_uint_eq(csr_get(h, FCSR), 0xff);
}

/* Read-only CSRs keep their value; csrrs and csrrc with x0, csrrsi and csrrci with 0 only read. */
TEST_EACH(read_only, COUNT(csrs))
{
    const struct csr *csr = &csrs[_i];
    for (enum rv32_core core = 0; core < RV32_CORES && csr->kind == READ_ONLY; core++) {
        if (!is_on(csr, core)) {
            continue;
        }
        struct harness *h = harness_create(core);
        static const enum csr_funct reads[] = {CSR_RS, CSR_RC, CSR_RSI, CSR_RCI};
        for (int i = 0; i < COUNT(reads); i++) {
            harness_do(h, words_csr(reads[i], T0, csr->number, X0));
            ck_assert_uint_eq(h->hart.x[T0], csr->fixed);
        }
        csr_try(h, CSR_RW, csr->number, 0xffffffff);
        ck_assert_uint_eq(csr_get(h, csr->number), csr->fixed);
        csr_try(h, CSR_RC, csr->number, 0xffffffff);
        ck_assert_uint_eq(csr_get(h, csr->number), csr->fixed);
        csr_try(h, CSR_RS, csr->number, 0xffffffff);
        ck_assert_uint_eq(csr_get(h, csr->number), csr->fixed);
    }
}

/* The scratch CSRs are one register each, not a shared one. */
TEST_EACH(independent, RV32_CORES)
{
    struct harness *h = harness_create((enum rv32_core)_i);
    for (uint32_t number = CFG1; number <= 0x7c6; number++) {
        csr_set(h, number, number * 0x10001);
    }
    csr_set(h, 0x7c1, 0);
    csr_set(h, 0x323, 3);
    csr_set(h, 0x324, 4);
    for (uint32_t number = CFG1; number <= 0x7c6; number++) {
        ck_assert_uint_eq(csr_get(h, number), number * 0x10001);
    }
}

/* --- Counters --- */

/* Reads a counter twice with `between` other instructions in between; returns the difference. */
static uint32_t advance(struct harness *h, uint32_t number, unsigned between)
{
    uint32_t pc = 0x200;
    harness_put_word(h, pc, words_csr(CSR_RS, A0, number, X0));
    for (unsigned i = 1; i <= between; i++) {
        harness_put_word(h, pc + 4 * i, WORD_NOP);
    }
    harness_put_word(h, pc + 4 * (between + 1), words_csr(CSR_RS, A1, number, X0));
    h->hart.pc = pc;
    ck_assert_uint_eq(harness_run(h, between + 2), between + 2);
    return h->hart.x[A1] - h->hart.x[A0];
}

TEST_EACH(counters_advance, RV32_CORES)
{
    for (enum harness_mode mode = 0; mode < HARNESS_MODES; mode++) {
        struct harness *h = harness_create((enum rv32_core)_i);
        h->mode = mode;
        for (unsigned between = 0; between < 40; between += 13) {
            ck_assert_uint_eq(advance(h, MINSTRET, between), between + 1);
            ck_assert_uint_eq(advance(h, INSTRET, between), between + 1);
            ck_assert_uint_ge(advance(h, MCYCLE, between), between + 1);
            ck_assert_uint_ge(advance(h, CYCLE, between), between + 1);
        }
        ck_assert_uint_eq(advance(h, MINSTRETH, 5), 0);
        ck_assert_uint_eq(advance(h, MCYCLEH, 5), 0);
        /* mcountinhibit does not inhibit these two */
        csr_set(h, 0x320, 0xffffffff);
        ck_assert_uint_eq(advance(h, MINSTRET, 7), 8);
        ck_assert_uint_ge(advance(h, MCYCLE, 7), 8);
    }
}

/* An instruction that waits does not retire, but time passes. */
TEST(waiting_is_not_retiring)
{
    struct harness *h = harness_create(RV32_B);
    csr_set(h, MINSTRET, 0);
    ck_assert_uint_eq(csr_get(h, MINSTRET), 0);
    uint32_t cycles = csr_get(h, MCYCLE);
    h->waits = 3;
    h->hart.x[T1] = 0xffb12000;
    harness_put_word(h, 0x80, words_i(OPCODE_LOAD, 2, T0, T1, 0));
    h->hart.pc = 0x80;
    while (h->hart.pc == 0x80) {
        harness_run(h, 1);
        h->now += 10;
    }
    ck_assert_uint_eq(csr_get(h, MINSTRET), 3);
    ck_assert_uint_ge(csr_get(h, MCYCLE), cycles + 30);
}

/* A written instret is what the next instruction reads (Zicsr). */
TEST(counter_writes)
{
    for (enum harness_mode mode = 0; mode < HARNESS_MODES; mode++) {
        struct harness *h = harness_create(RV32_T0);
        h->mode = mode;
        static const uint32_t pairs[][2] = {
            {MINSTRET, MINSTRET}, {MINSTRET, INSTRET}, {INSTRET, MINSTRET}, {INSTRET, INSTRET}};
        for (int i = 0; i < COUNT(pairs); i++) {
            csr_set(h, pairs[i][0], 1000);
            ck_assert_uint_eq(csr_get(h, pairs[i][1]), 1000);
        }
        static const uint32_t cycles[][2] = {
            {MCYCLE, MCYCLE}, {MCYCLE, CYCLE}, {CYCLE, MCYCLE}, {CYCLE, CYCLE}};
        for (int i = 0; i < COUNT(cycles); i++) {
            csr_set(h, cycles[i][0], 123456);
            uint32_t got = csr_get(h, cycles[i][1]);
            ck_assert_uint_ge(got, 123456);
            ck_assert_uint_le(got, 123456 + 8);
        }
        static const uint32_t highs[][2] = {{MCYCLEH, CYCLEH},     {CYCLEH, MCYCLEH},
                                            {MINSTRETH, INSTRETH}, {INSTRETH, MINSTRETH},
                                            {MCYCLEH, MCYCLEH},    {INSTRETH, INSTRETH}};
        for (int i = 0; i < COUNT(highs); i++) {
            csr_set(h, highs[i][0], 77 + (uint32_t)i);
            ck_assert_uint_eq(csr_get(h, highs[i][1]), 77 + (uint32_t)i);
        }
    }
}

static const uint32_t wide[][2] = {
    {MCYCLE, MCYCLEH}, {MINSTRET, MINSTRETH}, {CYCLE, CYCLEH}, {INSTRET, INSTRETH}};

/* The low half carries into the high half; a write of one half leaves the other. */
TEST_EACH(counter_halves, COUNT(wide))
{
    struct harness *h = harness_create(RV32_T2);
    uint32_t low = wide[_i][0], high = wide[_i][1];
    h->mode = (enum harness_mode)(_i % HARNESS_MODES);
    csr_set(h, high, 5);
    csr_set(h, low, 0xfffffff0);
    ck_assert_uint_eq(csr_get(h, high), 5);
    advance(h, low, 30);
    ck_assert_uint_eq(csr_get(h, high), 6);
    ck_assert_uint_lt(csr_get(h, low), 100);
    csr_set(h, low, 12);
    ck_assert_uint_eq(csr_get(h, high), 6);
    csr_set(h, high, 0xffffffff);
    ck_assert_uint_lt(csr_get(h, low), 100);
    csr_set(h, low, 0xffffffff);
    advance(h, low, 10);
    ck_assert_uint_eq(csr_get(h, high), 0);
}

/* Setting and clearing bits of a moving counter reads it first. */
TEST(counter_bits)
{
    struct harness *h = harness_create(RV32_B);
    csr_set(h, MINSTRET, 0x100);
    ck_assert(csr_try(h, CSR_RS, MINSTRET, 0x10000));
    ck_assert_uint_eq(h->hart.x[T0], 0x100);
    ck_assert_uint_eq(csr_get(h, INSTRET), 0x10100);
    ck_assert(csr_try(h, CSR_RC, INSTRET, 0x100));
    ck_assert_uint_eq(h->hart.x[T0], 0x10101);
    ck_assert_uint_eq(csr_get(h, MINSTRET), 0x10001);
}

static const uint32_t hpm[] = {MHPMCOUNTER3, MHPMCOUNTER4, MHPMCOUNTER3H, MHPMCOUNTER4H};

/* With PmcClrOnRd a read clears the CSR that was read, and only that one. */
TEST_EACH(clear_on_read, COUNT(hpm))
{
    struct harness *h = harness_create(RV32_T1);
    csr_set(h, 0x320, 0x18);
    for (int i = 0; i < COUNT(hpm); i++) {
        csr_set(h, hpm[i], 0x1000 + hpm[i]);
    }
    for (int i = 0; i < COUNT(hpm); i++) {
        ck_assert_uint_eq(csr_get(h, hpm[i]), 0x1000 + hpm[i]);
        ck_assert_uint_eq(csr_get(h, hpm[i]), 0x1000 + hpm[i]);
    }
    csr_set(h, CFG0, BIT(8));
    ck_assert_uint_eq(csr_get(h, hpm[_i]), 0x1000 + hpm[_i]);
    ck_assert_uint_eq(csr_get(h, hpm[_i]), 0);
    csr_set(h, CFG0, 0);
    for (int i = 0; i < COUNT(hpm); i++) {
        ck_assert_uint_eq(csr_get(h, hpm[i]), i == _i ? 0 : 0x1000 + hpm[i]);
    }
    /* csrrw with x0 as destination does not read */
    csr_set(h, CFG0, BIT(8));
    csr_set(h, hpm[_i], 99);
    ck_assert_uint_eq(csr_get(h, hpm[_i]), 99);
    ck_assert_uint_eq(csr_get(h, hpm[_i]), 0);
}

/* --- What the coprocessor and the overlay show --- */

static bool is_driven(uint32_t number, enum rv32_core core)
{
    return number <= BSTATUS || (core != RV32_B && core != RV32_NC);
}

TEST_EACH(status, RV32_CORES)
{
    struct harness *h = harness_create((enum rv32_core)_i);
    for (unsigned i = 0; i < HARNESS_STATUSES; i++) {
        h->status[i] = 0x100 + i;
    }
    for (uint32_t number = QSTATUS; number <= SSTATUS7; number++) {
        unsigned index = number - QSTATUS;
        if (is_driven(number, h->hart.core)) {
            ck_assert_uint_eq(csr_get(h, number), 0x100 + index);
            h->status[index] = 0x200 + index;
            ck_assert_uint_eq(csr_get(h, number), 0x200 + index);
        } else {
            csr_set(h, number, 0x12340000 + number);
            ck_assert_uint_eq(csr_get(h, number), 0x12340000 + number);
        }
    }
    for (uint32_t number = SSTATUS0; number <= SSTATUS7; number++) {
        if (!is_driven(number, h->hart.core)) {
            ck_assert_uint_eq(csr_get(h, number), 0x12340000 + number);
        }
    }
}

/* DisTTStatusReg freezes them; CSR instructions still change them. */
TEST_EACH(frozen_status, RV32_CORES)
{
    struct harness *h = harness_create((enum rv32_core)_i);
    for (unsigned i = 0; i < HARNESS_STATUSES; i++) {
        h->status[i] = 0x100 + i;
    }
    csr_set(h, CFG0, BIT(29));
    for (unsigned i = 0; i < HARNESS_STATUSES; i++) {
        h->status[i] = 0x200 + i;
    }
    for (uint32_t number = QSTATUS; number <= SSTATUS7; number++) {
        if (!is_driven(number, h->hart.core)) {
            continue;
        }
        ck_assert_msg(csr_get(h, number) == 0x100 + number - QSTATUS, "%#x is not frozen: %#x",
                      number, h->hart.x[T0]);
        csr_set(h, number, 0xabcd0000 + number);
        ck_assert_uint_eq(csr_get(h, number), 0xabcd0000 + number);
        ck_assert(csr_try(h, CSR_RC, number, 0xff000000));
        ck_assert_uint_eq(csr_get(h, number), 0x00cd0000 + number);
    }
    csr_set(h, CFG0, 0);
    for (uint32_t number = QSTATUS; number <= SSTATUS7; number++) {
        if (is_driven(number, h->hart.core)) {
            ck_assert_uint_eq(csr_get(h, number), 0x200 + number - QSTATUS);
        }
    }
}

/* --- Interrupt handlers --- */

enum { HANDLER = 0x800, INTERRUPTED = 0x2fc };

/* A hart that has just been interrupted at INTERRUPTED. */
static struct harness *interrupted(enum rv32_core core)
{
    struct harness *h = harness_create(core);
    h->hart.pc = INTERRUPTED;
    rv32_interrupt(&h->hart, HANDLER);
    ck_assert_uint_eq(h->hart.pc, HANDLER);
    ck_assert(h->hart.in_handler);
    return h;
}

static const enum rv32_core interruptible[] = {RV32_B, RV32_NC};

TEST(mret)
{
    for (int i = 0; i < COUNT(interruptible) * HARNESS_MODES; i++) {
        struct harness *h = interrupted(interruptible[i / HARNESS_MODES]);
        h->mode = (enum harness_mode)(i % HARNESS_MODES);
        static const char *const lines[] = {"addi t0, t0, 1", "mret", "ebreak", NULL};
        harness_program(h, HANDLER, lines);
        harness_words(h, INTERRUPTED, (const uint32_t[]){WORD_NOP, WORD_EBREAK}, 2);
        ck_assert_uint_eq(harness_encode("mret", 0), WORD_MRET);
        harness_run(h, 2);
        ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
        ck_assert_uint_eq(h->hart.pc, INTERRUPTED);
        ck_assert(!h->hart.in_handler);
        harness_run(h, 10);
        ck_assert_int_eq(h->hart.stop, RV32_STOP_PAUSE);
        ck_assert_uint_eq(h->hart.pc, INTERRUPTED + 8);
        ck_assert_uint_eq(h->hart.x[T0], 1);
        /* writes are possible again */
        csr_set(h, CFG1, 7);
        ck_assert_uint_eq(csr_get(h, CFG1), 7);
    }
}

TEST_EACH(mret_elsewhere, RV32_CORES)
{
    struct harness *h = harness_create((enum rv32_core)_i);
    bool has = _i == RV32_B || _i == RV32_NC;
    harness_execute(h, 0x40, WORD_MRET);
    harness_check_fault(h, has ? PENROSE_FAULT_MRET : PENROSE_FAULT_ILLEGAL, 0x40, WORD_MRET);
}

TEST(restore_pc)
{
    for (int i = 0; i < COUNT(interruptible); i++) {
        struct harness *h = interrupted(interruptible[i]);
        ck_assert_uint_eq(csr_get(h, INTP_RESTORE_PC), INTERRUPTED);
        harness_execute(h, 0x40, WORD_MRET);
        ck_assert_uint_eq(h->hart.pc, INTERRUPTED);
        /* a copy: what software writes changes nothing, and the next interrupt overwrites it */
        csr_set(h, INTP_RESTORE_PC, 0x1234);
        h->hart.pc = 0x500;
        rv32_interrupt(&h->hart, HANDLER);
        ck_assert_uint_eq(csr_get(h, INTP_RESTORE_PC), 0x500);
        harness_execute(h, 0x40, WORD_MRET);
        ck_assert_uint_eq(h->hart.pc, 0x500);
    }
}

/* Handlers read CSRs, but no CSR instruction writes in a handler. */
TEST_EACH(writes_in_handler, COUNT(csrs))
{
    static const enum csr_funct writes[] = {CSR_RW, CSR_RS, CSR_RC, CSR_RWI, CSR_RSI, CSR_RCI};
    const struct csr *csr = &csrs[_i];
    for (int i = 0; i < COUNT(interruptible) && !csr->vector; i++) {
        struct harness *h = harness_create(interruptible[i]);
        if (csr->kind == PLAIN) {
            csr_set(h, csr->number, 0x15);
        }
        h->hart.pc = INTERRUPTED;
        rv32_interrupt(&h->hart, HANDLER);
        uint32_t before = csr_get(h, csr->number);
        for (int j = 0; j < COUNT(writes); j++) {
            uint32_t word = words_csr(writes[j], T0, csr->number, T1);
            h->hart.x[T1] = 0x0a;
            h->hart.x[T0] = 0x5a5a5a5a;
            harness_execute(h, 0x40, word);
            harness_check_fault(h, PENROSE_FAULT_CSR, 0x40, word);
            ck_assert_uint_eq(h->hart.x[T0], 0x5a5a5a5a);
        }
        harness_do(h, words_csr(CSR_RC, T0, csr->number, X0));
        harness_do(h, words_csr(CSR_RSI, T0, csr->number, 0));
        harness_do(h, words_csr(CSR_RCI, T0, csr->number, 0));
        if (csr->kind != COUNTER) {
            ck_assert_uint_eq(csr_get(h, csr->number), before);
        }
    }
}
