/* A tile for each test of what is behind the address map, and short forms of accesses to it. */
#ifndef MMIO_HARNESS_H
#define MMIO_HARNESS_H

#include "unit/test.h"
#include "unit/tile/tile_harness.h"

static struct tile_harness harness;
#define H (&harness)

static inline void harness_setup(void)
{
    harness_open(H);
}

static inline void harness_teardown(void)
{
    harness_close(H);
}

/* The reply to an access; the value read is dropped. */
static inline enum answer try_access(enum mmio_operation operation, enum tile_agent agent,
                                     uint32_t address, uint32_t value)
{
    return harness_access(H, operation, agent, address, &value);
}

static inline uint32_t get_by(enum mmio_operation operation, enum tile_agent agent,
                              uint32_t address)
{
    uint32_t value = 0;
    ck_assert_msg(harness_access(H, operation, agent, address, &value) == ANSWER_DONE,
                  "%s cannot read 0x%08x", tile_agent_name(agent), address);
    return value;
}

static inline uint32_t get(enum tile_agent agent, uint32_t address)
{
    return get_by(MMIO_READ, agent, address);
}

static inline uint32_t peek(enum tile_agent agent, uint32_t address)
{
    return get_by(MMIO_PEEK, agent, address);
}

static inline void put(enum tile_agent agent, uint32_t address, uint32_t value)
{
    ck_assert_msg(harness_access(H, MMIO_WRITE, agent, address, &value) == ANSWER_DONE,
                  "%s cannot write 0x%08x", tile_agent_name(agent), address);
}

/* An access of one or two bytes. */
static inline enum answer try_narrow(enum mmio_operation operation, enum tile_agent agent,
                                     uint32_t address, uint8_t size, uint32_t *value)
{
    struct mmio_access access = {.operation = operation,
                                 .agent = agent,
                                 .size = size,
                                 .address = address,
                                 .value = *value,
                                 .cycle = harness.tile->now};
    enum answer reply = tile_access(harness.tile, &access);
    *value = access.value;
    return reply;
}

/* Every access with effects that changed something bumps the epoch. */
#define ck_assert_event(action)                                                                    \
    do {                                                                                           \
        uint64_t epoch_before = harness.tile->epoch;                                               \
        action;                                                                                    \
        ck_assert_uint_ne(harness.tile->epoch, epoch_before);                                      \
    } while (0)

#define ck_assert_no_event(action)                                                                 \
    do {                                                                                           \
        uint64_t epoch_before = harness.tile->epoch;                                               \
        action;                                                                                    \
        ck_assert_uint_eq(harness.tile->epoch, epoch_before);                                      \
    } while (0)

#endif
