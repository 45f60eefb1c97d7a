/* A bench for firmware of Ethernet tiles. */
#include "unit/eth/eth_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURN = 64, HELD_0 = 1 << 11, HELD_1 = 1 << 12 };
#define SOFT_RESET UINT32_C(0xffb121b0)
#define CLOCK      UINT32_C(0xffb121f0)
#define RESET_PC   UINT32_C(0xffb14000)
#define PIC        UINT32_C(0xffb14020)
#define NIU        UINT32_C(0xffb20000)

/* --- Registers --- */

static void soft_reset(struct bench *bench, uint32_t value)
{
    static const uint32_t bits[BENCH_HARTS] = {HELD_0, HELD_1};
    for (unsigned i = 0; i < BENCH_HARTS; i++) {
        bool held = value & bits[i];
        if (bench->held[i] && !held) {
            memset(bench->local[i], 0, sizeof bench->local[i]);
            rv32_reset(&bench->hart[i], bench->reset_pc[i], bench->now);
        }
        if (held && !bench->held[i]) { /* a running hart stops where it is */
            rv32_cut(&bench->hart[i], bench->now);
        }
        bench->held[i] = held;
    }
    bench->soft_reset = value;
}

static uint32_t *plain_register(struct bench *bench, uint32_t address)
{
    if (address == RESET_PC || address == RESET_PC + 8) {
        return &bench->reset_pc[(address - RESET_PC) / 8];
    }
    if (address - PIC < sizeof bench->pic) {
        return &bench->pic[(address - PIC) / 4];
    }
    return address - NIU < sizeof bench->niu ? &bench->niu[(address - NIU) / 4] : NULL;
}

static bool access_register(struct bench *bench, uint32_t address, bool store, uint32_t *value,
                            uint64_t cycle)
{
    if (address - ETH_REGISTER_BASE < ETH_REGISTER_BYTES) {
        uint32_t offset = address - ETH_REGISTER_BASE;
        enum eth_effect effect = store ? eth_write(&bench->eth, offset, true, *value, cycle)
                                       : eth_read(&bench->eth, offset, true, value, cycle);
        return effect == ETH_DONE || effect == ETH_UNMODELLED;
    }
    if (address == SOFT_RESET && store) {
        soft_reset(bench, *value);
        return true;
    }
    if (address == SOFT_RESET || address == CLOCK || address == CLOCK + 8) {
        bench->latched = address == CLOCK ? cycle : bench->latched;
        *value = address == SOFT_RESET ? bench->soft_reset
                 : address == CLOCK    ? (uint32_t)cycle
                                       : (uint32_t)(bench->latched >> 32);
        return !store;
    }
    uint32_t *word = plain_register(bench, address);
    if (word) {
        *(store ? word : value) = *(store ? value : word);
    }
    return word != NULL;
}

/* --- The bus of the harts --- */

static enum rv32_reply bus_access(void *owner, struct rv32_hart *hart, struct rv32_access *access)
{
    struct bench *bench = owner;
    uint32_t address = access->address;
    if (address < BENCH_L1_BYTES) {
        uint8_t *at = bench->l1 + address;
        for (unsigned i = 0; i < access->size; i++) {
            if (access->store) {
                at[i] = (uint8_t)(access->value >> 8 * i);
            } else {
                access->value = (i ? access->value : 0) | (uint32_t)at[i] << 8 * i;
            }
        }
        if (access->store) {
            rv32_code_written(&bench->code, address, access->size);
        }
        return RV32_OK;
    }
    if (access->size == 4 &&
        access_register(bench, address, access->store, &access->value, access->cycle)) {
        return RV32_OK;
    }
    snprintf(bench->stray, sizeof bench->stray, "%s of %u bytes at 0x%" PRIx32 ", pc 0x%" PRIx32,
             access->store ? "store" : "load", access->size, address, rv32_current_pc(hart));
    return rv32_bus_fault(hart, RV32_FAULT_UNMAPPED, address, "nothing there");
}

static enum rv32_reply bus_fence(void *owner, struct rv32_hart *hart, uint64_t cycle)
{
    (void)owner;
    (void)hart;
    (void)cycle;
    return RV32_OK;
}

static const struct rv32_bus bus = {.access = bus_access, .fence = bus_fence};

/* --- The Ethernet subsystems' board: a port whose peer never answers --- */

static void l1_written(void *owner, uint32_t address, uint32_t size, uint64_t cycle)
{
    struct bench *bench = owner;
    (void)cycle;
    rv32_code_written(&bench->code, address, size);
}

static void mmio_write(void *owner, uint32_t address, uint32_t value, uint64_t cycle)
{
    access_register(owner, address, true, &value, cycle);
}

static void transmit(void *owner, const struct eth_frame *frame, uint64_t cycle)
{
    (void)owner;
    (void)frame;
    (void)cycle;
}

static void fault(void *owner, const char *text, uint64_t cycle)
{
    struct bench *bench = owner;
    (void)cycle;
    snprintf(bench->stray, sizeof bench->stray, "%s", text);
}

static void changed(void *owner, uint64_t cycle)
{
    (void)owner;
    (void)cycle;
}

/* --- The bench --- */

static void open_hart(struct bench *bench, unsigned index)
{
    struct rv32_hart *hart = &bench->hart[index];
    bench->held[index] = true;
    hart->core = RV32_B;
    hart->l1 = bench->l1;
    hart->l1_size = BENCH_L1_BYTES;
    hart->l1_marks = bench->marks;
    hart->local = bench->local[index];
    hart->local_size = BENCH_LOCAL_BYTES;
    hart->code = &bench->code;
    hart->bus = &bus;
    hart->owner = bench;
}

struct bench *bench_create(enum eth_link link)
{
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench || !(bench->store = rv32_code_store_create())) {
        free(bench);
        return NULL;
    }
    bench->code = (struct rv32_code){
        .map = bench->map,
        .pages = BENCH_L1_BYTES / RV32_PAGE_BYTES,
        .l1 = bench->l1,
        .marks = bench->marks,
        .store = bench->store,
    };
    struct eth_board board = {
        .owner = bench,
        .l1 = bench->l1,
        .l1_size = BENCH_L1_BYTES,
        .l1_written = l1_written,
        .mmio_write = mmio_write,
        .transmit = transmit,
        .fault = fault,
        .changed = changed,
    };
    memset(&bench->eth, 0, sizeof(struct eth));
    eth_init(&bench->eth, &board);
    eth_set_link(&bench->eth, link, 0);
    bench->soft_reset = HELD_0 | HELD_1;
    for (unsigned i = 0; i < BENCH_HARTS; i++) {
        open_hart(bench, i);
        bench->niu[(i * 0x10000 + 0x148) / 4] = 20 | 25 << 6;
    }
    return bench;
}

void bench_destroy(struct bench *bench)
{
    rv32_code_invalidate(&bench->code);
    rv32_code_store_destroy(bench->store);
    free(bench);
}

uint32_t bench_read(struct bench *bench, uint32_t address)
{
    uint32_t value = 0;
    if (address < BENCH_L1_BYTES) {
        memcpy(&value, bench->l1 + address, 4);
    } else {
        access_register(bench, address, false, &value, bench->now);
    }
    return value;
}

void bench_write(struct bench *bench, uint32_t address, uint32_t value)
{
    if (address < BENCH_L1_BYTES) {
        memcpy(bench->l1 + address, &value, 4);
        rv32_code_written(&bench->code, address, 4);
    } else {
        access_register(bench, address, true, &value, bench->now);
    }
}

void bench_write_l1(void *owner, uint32_t address, uint32_t value)
{
    bench_write(owner, address, value);
}

bool bench_run(struct bench *bench, uint64_t cycles)
{
    uint64_t end = bench->now + cycles;
    while (bench->now < end) {
        for (unsigned i = 0; i < BENCH_HARTS; i++) {
            if (!bench->held[i]) {
                rv32_run(&bench->hart[i], bench->now, bench->now + TURN);
            }
            if (!bench->held[i] && bench->hart[i].stop != RV32_RUNNING) {
                return false;
            }
        }
        bench->now += TURN;
    }
    return true;
}

bool bench_wait(struct bench *bench, uint32_t address, uint32_t mask, uint32_t value,
                uint64_t cycles)
{
    uint64_t end = bench->now + cycles;
    while ((bench_read(bench, address) & mask) != value) {
        if (bench->now >= end || !bench_run(bench, TURN)) {
            return false;
        }
    }
    return true;
}
