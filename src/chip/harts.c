/* The harts and coprocessors of a chip's tiles, as penrose.h shows them. */
#include <string.h>

#include "addresses.h"
#include "chip/chip.h"
#include "isa/error.h"

const char *chip_hart_name_at(const struct penrose_chip *chip, unsigned x, unsigned y,
                              enum penrose_hart hart)
{
    enum tile_type type = chip_tile_type(chip_tile_kind(chip, x, y));
    return type < TILE_TYPES && (unsigned)hart < PENROSE_HARTS ? tile_kinds[type].hart[hart] : NULL;
}

enum penrose_status chip_hart_tile(struct penrose_chip *chip, unsigned x, unsigned y,
                                   enum penrose_hart hart, struct tile **tile,
                                   struct penrose_error *error)
{
    if ((unsigned)hart >= PENROSE_HARTS) {
        error_set(error, PENROSE_E_ARGUMENT, "hart %d is unknown; there are %d", (int)hart,
                  PENROSE_HARTS);
        return PENROSE_E_ARGUMENT; /* spelled out: the compiler knows then that `hart` is good */
    }
    enum penrose_status status = chip_tile(chip, x, y, tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (!((*tile)->kind->harts >> hart & 1)) {
        return error_set(error, PENROSE_E_ARGUMENT, "tile %s has no hart %s", (*tile)->name,
                         arch_hart_name(hart));
    }
    return PENROSE_OK;
}

static const enum penrose_hart_state public_states[] = {
    [HART_HELD] = PENROSE_HART_HELD,       [HART_READY] = PENROSE_HART_RUNNING,
    [HART_WAITING] = PENROSE_HART_WAITING, [HART_ASLEEP] = PENROSE_HART_POLLING,
    [HART_PAUSED] = PENROSE_HART_PAUSED,   [HART_FAULTED] = PENROSE_HART_FAULTED,
};

enum penrose_status chip_hart_info(struct penrose_chip *chip, unsigned x, unsigned y,
                                   enum penrose_hart hart, struct penrose_hart_info *info,
                                   struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = chip_hart_tile(chip, x, y, hart, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    const struct rv32_hart *core = &tile->hart[hart];
    const struct tile_hart *run = &tile->run[hart];
    *info = (struct penrose_hart_info){.state = public_states[run->state],
                                       .pc = core->pc,
                                       .retired = core->retired,
                                       .wake = UINT64_MAX};
    memcpy(info->x, core->x, sizeof info->x);
    if (run->state == HART_WAITING) {
        info->wait_address[info->wait_addresses++] = core->access.address;
        info->wait_store = core->access.store;
    } else if (run->state == HART_ASLEEP) {
        info->wake = run->idle.wake;
        for (unsigned i = 0; i < run->idle.places; i++) {
            info->wait_address[info->wait_addresses++] = run->idle.place[i].address;
        }
    }
    return PENROSE_OK;
}

uint32_t chip_stands_at(struct penrose_chip *chip, unsigned x, unsigned y, enum penrose_hart hart)
{
    struct tile *tile;
    return chip_hart_tile(chip, x, y, hart, &tile, NULL) == PENROSE_OK
               ? debug_stands_at(tile, (enum rv32_core)hart)
               : 0;
}

bool chip_hart_jump(struct penrose_chip *chip, unsigned x, unsigned y, enum penrose_hart hart,
                    struct hart_jump *jump)
{
    struct tile *tile;
    if (chip_hart_tile(chip, x, y, hart, &tile, NULL) != PENROSE_OK) {
        return false;
    }
    const struct rv32_hart *core = &tile->hart[hart];
    *jump = (struct hart_jump){core->jump.behind, core->jump.target, core->null_jump};
    return true;
}

static enum penrose_status set_reset(struct tile *tile, enum penrose_hart hart, bool held,
                                     struct penrose_error *error)
{
    uint32_t bit = tile_reset_bit(tile, (enum rv32_core)hart);
    struct mmio_access access = {.operation = MMIO_PEEK,
                                 .agent = AGENT_NOC,
                                 .size = 4,
                                 .address = AT_SOFT_RESET_0,
                                 .cycle = tile->now};
    if (tile_access(tile, &access) == ANSWER_DONE) {
        access.operation = MMIO_WRITE;
        access.value = held ? access.value | bit : access.value & ~bit;
        if (tile_access(tile, &access) == ANSWER_DONE) {
            return PENROSE_OK;
        }
    }
    return error_set(error, PENROSE_E_STATE, "%s: its reset register does not answer", tile->name);
}

enum penrose_status chip_hart_release(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, uint32_t pc,
                                      struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = chip_hart_tile(chip, x, y, hart, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (tile->run[hart].state != HART_HELD) {
        return error_set(error, PENROSE_E_STATE, "%s of tile (%u, %u) is not in reset",
                         arch_hart_name(hart), x, y);
    }
    status = set_reset(tile, hart, false, error);
    tile->hart[hart].pc = pc;
    return status;
}

enum penrose_status chip_hart_hold(struct penrose_chip *chip, unsigned x, unsigned y,
                                   enum penrose_hart hart, struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = chip_hart_tile(chip, x, y, hart, &tile, error);
    return status == PENROSE_OK ? set_reset(tile, hart, true, error) : status;
}

bool chip_coprocessor_busy(struct penrose_chip *chip, unsigned x, unsigned y)
{
    struct tile *tile;
    return chip_tile(chip, x, y, &tile, NULL) == PENROSE_OK && tensix_busy(&tile->tensix);
}

enum penrose_status chip_coprocessor_reset(struct penrose_chip *chip, unsigned x, unsigned y,
                                           struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = chip_tile(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (tile->kind->type != TILE_TENSIX) {
        return error_set(error, PENROSE_E_ARGUMENT, "%s has no coprocessor", tile->name);
    }
    for (unsigned core = RV32_T0; core <= RV32_T2; core++) {
        if (tile->run[core].state != HART_HELD) {
            return error_set(error, PENROSE_E_STATE, "%s: %s is not in reset", tile->name,
                             arch_hart_name((enum penrose_hart)core));
        }
    }
    uint32_t held = tile->tensix.held;
    tensix_reset(&tile->tensix);
    tensix_soft_reset(&tile->tensix, 0, held);
    tile->tensix_idle = false;
    tile_event(tile, tile->now);
    return PENROSE_OK;
}
