/* Small functions that the blocks behind the address map share. */
#ifndef TILE_REPORT_H
#define TILE_REPORT_H

#include "isa/reg.h"
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
static inline enum answer mmio_refuse(struct mmio_access *access, enum answer answer,
                                      const char *rule)
{
    access->rule = rule;
    return answer;
}

/* A register that hardware drives: reads give `value`, writes are discarded. */
static inline enum answer mmio_driven(struct mmio_access *access, uint32_t value)
{
    return mmio_is_write(access) ? ANSWER_DONE : mmio_value(access, value);
}

/* True when the access was a write with effects that was done. */
static inline bool mmio_wrote(const struct mmio_access *access, enum answer answer)
{
    return answer == ANSWER_DONE && access->operation == MMIO_WRITE;
}

/* An access by the register's row, whose handler is a tile's. `word` is the register's. */
static inline enum answer mmio_register(struct tile *tile, struct mmio_access *access,
                                        const struct reg_place *place, uint32_t *word)
{
    const bool writes = mmio_is_write(access), effects = mmio_has_effects(access);
    const struct reg *row = place->row;
    uint32_t value = access->value;
    if (writes && access->size != 4 && reg_is_written(row)) {
        return ANSWER_NARROW;
    }
    switch (writes ? reg_write(row, word, effects, value) : reg_read(row, word, effects, &value)) {
    case REG_DONE:
        break;
    case REG_UNMODELLED:
        tile_report_unmodelled(tile, access);
        break;
    case REG_DENIED:
        return ANSWER_UNIMPLEMENTED;
    case REG_ASK:
        access->copy = (uint8_t)place->copy;
        access->word = (uint8_t)place->word;
        return ((tile_mmio_handler *)row->handler)(tile, access);
    }
    return writes ? ANSWER_DONE : mmio_value(access, value);
}

/* What the row says to a hart that polls the register. */
static inline enum rv32_poll mmio_poll(const struct reg *row)
{
    switch ((enum reg_kind)row->kind) {
    case REG_READ_CLEARS:
    case REG_LIVE:
    case REG_OWN_LIVE:
        return RV32_POLL_EFFECT;
    case REG_CLOCK_LOW:
        return RV32_POLL_CLOCK_LOW;
    case REG_CLOCK_HIGH:
        return RV32_POLL_CLOCK_HIGH;
    default:
        return RV32_POLL_STATE;
    }
}

/* The Tensix thread of a TRISC's access. */
static inline unsigned mmio_thread(const struct mmio_access *access)
{
    return (unsigned)access->agent - AGENT_T0;
}

#endif
