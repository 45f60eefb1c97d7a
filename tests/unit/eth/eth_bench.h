/* Just enough of an Ethernet tile to run firmware: two harts that take turns, L1, local RAM, soft
 * reset with the two reset PCs, the wall clock, NIU registers that hold what is written, and the
 * Ethernet subsystems without a peer. */
#ifndef ETH_BENCH_H
#define ETH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "eth/eth.h"
#include "rv32/code.h"
#include "rv32/rv32.h"

enum {
    BENCH_L1_BYTES = 512 * 1024,
    BENCH_LOCAL_BYTES = 8192,
    BENCH_HARTS = 2,
    BENCH_NIU_WORDS = 0x20000 / 4,
};

struct bench {
    struct eth eth;
    struct rv32_hart hart[BENCH_HARTS];
    bool held[BENCH_HARTS];
    uint32_t soft_reset, reset_pc[BENCH_HARTS];
    struct rv32_code code;
    struct rv32_code_store *store;
    struct rv32_page *map[BENCH_L1_BYTES / RV32_PAGE_BYTES];
    uint8_t l1[BENCH_L1_BYTES];
    uint8_t marks[BENCH_L1_BYTES >> RV32_L1_MARK_SHIFT];
    uint8_t local[BENCH_HARTS][BENCH_LOCAL_BYTES];
    uint32_t niu[BENCH_NIU_WORDS];
    uint32_t pic[16];
    uint64_t now, latched;
    char stray[120]; /* the first access to nothing */
};

struct bench *bench_create(enum eth_link link);
void bench_destroy(struct bench *bench);

/* As a host does. */
uint32_t bench_read(struct bench *bench, uint32_t address);
void bench_write(struct bench *bench, uint32_t address, uint32_t value);
void bench_write_l1(void *owner, uint32_t address, uint32_t value);

/* Runs both harts; false when one of them stopped, bench->stray or its fault says why. */
bool bench_run(struct bench *bench, uint64_t cycles);

/* Runs until the word at `address` has `value` under `mask`, at most `cycles`. */
bool bench_wait(struct bench *bench, uint32_t address, uint32_t mask, uint32_t value,
                uint64_t cycles);

#endif
