/* Short forms of accesses for the tests of what is behind the address map. */
#ifndef MMIO_HARNESS_H
#define MMIO_HARNESS_H

#include "unit/test.h"
#include "unit/tile/tile_harness.h"

/* The reply to an access; the value read is dropped. */
static inline enum mmio_reply try_access(struct tile_harness *harness,
                                         enum mmio_operation operation, enum tile_agent agent,
                                         uint32_t address, uint32_t value)
{
    return harness_access(harness, operation, agent, address, &value);
}

static inline uint32_t get_by(struct tile_harness *harness, enum mmio_operation operation,
                              enum tile_agent agent, uint32_t address)
{
    uint32_t value = 0;
    ck_assert_msg(harness_access(harness, operation, agent, address, &value) == MMIO_OK,
                  "%s cannot read 0x%08x", tile_agent_names[agent], address);
    return value;
}

static inline uint32_t get(struct tile_harness *harness, enum tile_agent agent, uint32_t address)
{
    return get_by(harness, MMIO_READ, agent, address);
}

static inline uint32_t peek(struct tile_harness *harness, enum tile_agent agent, uint32_t address)
{
    return get_by(harness, MMIO_PEEK, agent, address);
}

static inline void put(struct tile_harness *harness, enum tile_agent agent, uint32_t address,
                       uint32_t value)
{
    ck_assert_msg(harness_access(harness, MMIO_WRITE, agent, address, &value) == MMIO_OK,
                  "%s cannot write 0x%08x", tile_agent_names[agent], address);
}

/* An access of one or two bytes. */
static inline enum mmio_reply try_narrow(struct tile_harness *harness,
                                         enum mmio_operation operation, enum tile_agent agent,
                                         uint32_t address, uint8_t size, uint32_t *value)
{
    struct mmio_access access = {.operation = operation,
                                 .agent = agent,
                                 .size = size,
                                 .address = address,
                                 .value = *value,
                                 .cycle = harness->tile->now};
    enum mmio_reply reply = tile_access(harness->tile, &access);
    *value = access.value;
    return reply;
}

/* Every access with effects that changed something bumps the epoch. */
#define ck_assert_event(harness, action)                                                           \
    do {                                                                                           \
        uint64_t epoch_before = (harness)->tile->epoch;                                            \
        action;                                                                                    \
        ck_assert_uint_ne((harness)->tile->epoch, epoch_before);                                   \
    } while (0)

#define ck_assert_no_event(harness, action)                                                        \
    do {                                                                                           \
        uint64_t epoch_before = (harness)->tile->epoch;                                            \
        action;                                                                                    \
        ck_assert_uint_eq((harness)->tile->epoch, epoch_before);                                   \
    } while (0)

#endif
