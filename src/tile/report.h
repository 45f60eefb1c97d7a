/* Small helpers that the blocks behind the address map share. */
#ifndef TILE_REPORT_H
#define TILE_REPORT_H

#include "tile/tile.h"

/* Tells the board that a field of the configuration was set that nothing reads. */
static inline void tile_report_unread(struct tile *tile, const struct mmio_access *access,
                                      const char *field)
{
    if (mmio_has_effects(access) && tile->board->unmodelled) {
        tile->board->unmodelled(tile->owner, tile, access, field);
    }
}

/* Tells the board that a place was used whose behaviour is not modelled. */
static inline void tile_report_unmodelled(struct tile *tile, const struct mmio_access *access)
{
    tile_report_unread(tile, access, NULL);
}

/* A refusal with the rule that the guest broke. */
static inline enum mmio_reply mmio_refuse(struct mmio_access *access, enum mmio_reply reply,
                                          const char *rule)
{
    access->rule = rule;
    return reply;
}

/* A register that hardware drives: reads give `value`, writes are discarded. */
static inline enum mmio_reply mmio_driven(struct mmio_access *access, uint32_t value)
{
    return mmio_is_write(access) ? MMIO_OK : mmio_value(access, value);
}

/* True when the access was a write with effects that was done. */
static inline bool mmio_wrote(const struct mmio_access *access, enum mmio_reply reply)
{
    return reply == MMIO_OK && access->operation == MMIO_WRITE;
}

/* The Tensix thread of a TRISC's access. */
static inline unsigned mmio_thread(const struct mmio_access *access)
{
    return (unsigned)access->agent - AGENT_T0;
}

#endif
