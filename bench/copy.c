/* Copying DRAM to DRAM: see copy.h. */
#include "copy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "noc/niu.h"

enum {
    /* L1 */
    SHARED = 0x8400,
    READER = 0x34000,
    WRITER = 0x38000,
    BUFFERS = 0x3c000,
    /* in SHARED */
    READ = 0x00, /* pages that are in the buffers or have left them */
    WRITTEN = 0x04,
    PAGES = 0x08,
    SOURCE = 0x0c, /* where the share starts in each bank */
    TARGET = 0x10,
    DONE = 0x14,
    BANK = 0x20, /* coordinates of each, as NIUs take them */
    /* NOC_CTRL */
    CTRL_WRITE = 1 << 1,
    CTRL_RESPONSE = 1 << 4,
    CTRL_STATIC_CHANNEL = 1 << 7,
    CTRL_CHANNEL_1 = 1 << 13,
    CTRL = CTRL_RESPONSE | CTRL_STATIC_CHANNEL | CTRL_CHANNEL_1,
};

#define NCRISC_RESET_PC          UINT32_C(0xffb12238)
#define NCRISC_RESET_PC_OVERRIDE UINT32_C(0xffb1223c)
#define NIU_OF_NOC_0             UINT32_C(0xffb20000)
#define NIU_OF_NOC_1             UINT32_C(0xffb30000)

/* --- The programs --- */

/* One of the two: what differs. */
struct side {
    uint32_t base, niu, control;
    unsigned far_low, far_high, near_low, near_high; /* the NIU's addresses of DRAM and of L1 */
    unsigned counter, start;
};

static const struct side reader = {
    .base = READER,
    .niu = NIU_OF_NOC_0,
    .control = CTRL,
    .far_low = NIU_TARG_ADDR_LO,
    .far_high = NIU_TARG_ADDR_HI,
    .near_low = NIU_RET_ADDR_LO,
    .near_high = NIU_RET_ADDR_HI,
    .counter = NIU_MST_RD_RESP_RECEIVED,
    .start = SOURCE,
};

static const struct side writer = {
    .base = WRITER,
    .niu = NIU_OF_NOC_1,
    .control = CTRL | CTRL_WRITE,
    .far_low = NIU_RET_ADDR_LO,
    .far_high = NIU_RET_ADDR_HI,
    .near_low = NIU_TARG_ADDR_LO,
    .near_high = NIU_TARG_ADDR_HI,
    .counter = NIU_MST_WR_ACK_RECEIVED,
    .start = TARGET,
};

/* s0: NIU; s1: SHARED; s2: pages in all; s3: address in the bank; s4: pages done; s5: what the
 * counter will be; s6: buffers; s7: size of a page; s8: 1. */
static void emit_start(struct guest_code *code, const struct side *side)
{
    guest_load(code, "s0", side->niu);
    guest_load(code, "s1", SHARED);
    guest_load(code, "s6", BUFFERS);
    guest_load(code, "s7", COPY_PAGE);
    guest_emit(code, "lw s2, %d(s1)", PAGES);
    guest_emit(code, "lw s3, %u(s1)", side->start);
    guest_emit(code, "addi s4, zero, 0");
    guest_emit(code, "lw s5, %u(s0)", NIU_COUNTERS + 4 * side->counter);
    guest_emit(code, "addi s8, zero, 1");
    guest_load(code, "t0", side->control);
    guest_emit(code, "sw t0, %d(s0)", NIU_CTRL);
    guest_emit(code, "lw t0, %d(s0)", NIU_ID_LOGICAL);
    guest_emit(code, "sw t0, %u(s0)", side->near_high);
    guest_emit(code, "sw zero, %d(s0)", NIU_TARG_ADDR_MID);
    guest_emit(code, "sw zero, %d(s0)", NIU_RET_ADDR_MID);
    guest_emit(code, "sw s7, %d(s0)", NIU_AT_LEN_BE);
}

/* Until there is a page to read, or room for one: two buffers. */
static void emit_wait(struct guest_code *code, const struct side *side)
{
    uint32_t wait;
    if (side == &reader) {
        guest_emit(code, "addi t1, zero, 2");
        wait = guest_emit(code, "lw t0, %d(s1)", WRITTEN);
        guest_emit(code, "sub t0, s4, t0");
        guest_emit(code, "bge t0, t1, %" PRIu32, wait);
    } else {
        wait = guest_emit(code, "lw t0, %d(s1)", READ);
        guest_emit(code, "beq t0, s4, %" PRIu32, wait);
    }
}

static void emit_request(struct guest_code *code, const struct side *side)
{
    guest_emit(code, "andi t0, s4, %d", COPY_BANKS - 1);
    guest_emit(code, "slli t0, t0, 2");
    guest_emit(code, "add t0, t0, s1");
    guest_emit(code, "lw t0, %d(t0)", BANK);
    guest_emit(code, "andi t1, s4, 1");
    guest_emit(code, "slli t1, t1, 11");
    guest_emit(code, "add t1, t1, s6");
    uint32_t wait = guest_emit(code, "lw t2, %d(s0)", NIU_CMD_CTRL);
    guest_emit(code, "bne t2, zero, %" PRIu32, wait);
    guest_emit(code, "sw t0, %u(s0)", side->far_high);
    guest_emit(code, "sw s3, %u(s0)", side->far_low);
    guest_emit(code, "sw t1, %u(s0)", side->near_low);
    guest_emit(code, "sw s8, %d(s0)", NIU_CMD_CTRL);
    guest_emit(code, "addi s5, s5, 1");
    uint32_t barrier = guest_emit(code, "lw t2, %u(s0)", NIU_COUNTERS + 4 * side->counter);
    guest_emit(code, "bne t2, s5, %" PRIu32, barrier);
}

static void make(struct guest_code *code, const struct side *side)
{
    code->words = 0;
    code->base = side->base;
    emit_start(code, side);
    uint32_t loop = code->base + 4 * code->words;
    emit_wait(code, side);
    emit_request(code, side);
    guest_emit(code, "addi s4, s4, 1");
    guest_emit(code, "sw s4, %d(s1)", side == &reader ? READ : WRITTEN);
    guest_emit(code, "andi t0, s4, %d", COPY_BANKS - 1);
    uint32_t skip = code->base + 4 * code->words;
    guest_emit(code, "bne t0, zero, %" PRIu32, skip + 8);
    guest_emit(code, "add s3, s3, s7");
    guest_emit(code, "bne s4, s2, %" PRIu32, loop);
    if (side == &writer) {
        guest_emit(code, "sw s8, %d(s1)", DONE);
    }
    uint32_t here = guest_emit(code, "addi zero, zero, 0");
    guest_emit(code, "jal zero, %" PRIu32, here);
}

/* --- The host --- */

void copy_bank_at(unsigned bank, unsigned *x, unsigned *y)
{
    *x = 17 + bank / 4;
    *y = 12 + 3 * (bank % 4);
}

static uint32_t share(unsigned worker, unsigned pages)
{
    return worker * (pages / COPY_BANKS) * COPY_PAGE;
}

void copy_load(struct bench_device *device, unsigned worker, unsigned pages)
{
    struct guest_code *code = malloc(sizeof *code);
    uint32_t shared[BANK / 4 + COPY_BANKS] = {0};
    unsigned x, y;
    if (!code) {
        bench_die("guest program", "no memory");
    }
    shared[PAGES / 4] = pages;
    shared[SOURCE / 4] = COPY_SOURCES + share(worker, pages);
    shared[TARGET / 4] = COPY_TARGETS + share(worker, pages);
    for (unsigned bank = 0; bank < COPY_BANKS; bank++) {
        copy_bank_at(bank, &x, &y);
        shared[BANK / 4 + bank] = y << 6 | x;
    }
    bench_worker(worker, &x, &y);
    bench_write(device, x, y, SHARED, shared, sizeof shared);
    make(code, &reader);
    bench_write(device, x, y, code->base, code->word, 4 * code->words);
    make(code, &writer);
    bench_write(device, x, y, code->base, code->word, 4 * code->words);
    code->base = code->words = 0;
    guest_emit(code, "jal zero, %d", READER); /* where BRISC starts */
    bench_write(device, x, y, 0, code->word, 4);
    bench_write_word(device, x, y, NCRISC_RESET_PC, WRITER);
    bench_write_word(device, x, y, NCRISC_RESET_PC_OVERRIDE, 1);
    free(code);
}

bool copy_is_done(struct bench_device *device, unsigned worker)
{
    unsigned x, y;
    bench_worker(worker, &x, &y);
    return bench_word(device, x, y, SHARED + DONE) != 0;
}

/* The words of a page differ from one another and from other pages'. */
static void fill_page(uint32_t page[COPY_PAGE / 4], unsigned bank, uint32_t address)
{
    uint32_t state = address + bank;
    for (unsigned i = 0; i < COPY_PAGE / 4; i++) {
        state = state * 1664525 + 1013904223;
        page[i] = state;
    }
}

void copy_fill(struct bench_device *device, unsigned workers, unsigned pages)
{
    uint32_t page[COPY_PAGE / 4], end = share(workers, pages);
    unsigned x, y;
    for (unsigned bank = 0; bank < COPY_BANKS; bank++) {
        copy_bank_at(bank, &x, &y);
        for (uint32_t at = 0; at < end; at += COPY_PAGE) {
            fill_page(page, bank, at);
            bench_write(device, x, y, COPY_SOURCES + at, page, sizeof page);
        }
    }
}

bool copy_is_right(struct bench_device *device, unsigned workers, unsigned pages)
{
    uint32_t page[COPY_PAGE / 4], wanted[COPY_PAGE / 4], end = share(workers, pages);
    bool is_right = true;
    unsigned x, y;
    for (unsigned bank = 0; bank < COPY_BANKS; bank++) {
        copy_bank_at(bank, &x, &y);
        for (uint32_t at = 0; at < end && is_right; at += COPY_PAGE) {
            fill_page(wanted, bank, at);
            bench_read(device, x, y, COPY_TARGETS + at, page, sizeof page);
            is_right = memcmp(page, wanted, sizeof page) == 0;
        }
    }
    return is_right;
}
