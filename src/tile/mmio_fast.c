/*
 * Shortcut of tile_access for aligned words of the registers that kernels use all the time: loads of
 * the wall clock, plain words and counters of NIUs, counters of circular buffers, stores to GPRs,
 * and pushes of TRISCs for whose instruction there is room. Each does what the handler of its range
 * does (mmio.def) where nobody sleeps until the register changes, and leaves the rest to it.
 * Proof: tests/unit/tile/check_mmio_fast.c.
 * Gain: bench/tensix, INCRWC by stores 26 -> 37 M instr/s.
 */
#include "tile/mmio_fast.h"

#include "tile/noc_port.h"
#include "tile/noc_short.h"
#include "tile/overlay_port.h"
#include "tile/tensix_port.h"

enum { WINDOW_SHIFT = 16, WINDOW_MASK = 0xffff };

/* The windows, by the upper half of an address. */
enum {
    DEBUG = 0xffb1,
    OVERLAY = 0xffb4,
    OVERLAY_LAST = 0xffb7,
    GPRS = 0xffe0,
    PUSHES = 0xffe4,
};

/* Does no hart sleep until any of these bytes change? */
static inline bool is_unwatched(const struct tile *tile, uint32_t address, uint32_t size)
{
    return !tile_span_touches(&tile->polled_by_any, address, size) ||
           !tile_is_polled(tile, address, size);
}

/* --- NIUs --- */

enum { BOTH_NIUS = 2 << WINDOW_SHIFT };

static inline uint32_t *niu_word(struct tile *tile, uint32_t address, bool writes)
{
    uint32_t offset = address - TILE_NIU_BASE;
    return niu_plain(&tile->niu[offset >> WINDOW_SHIFT], offset & WINDOW_MASK, writes);
}

static bool put_niu(struct tile *tile, uint32_t address, uint32_t value)
{
    uint32_t *word = niu_word(tile, address, true);
    bool is_free = word && !tile->commands && is_unwatched(tile, address, sizeof value);
    if (is_free) {
        *word = niu_held(address & WINDOW_MASK, value);
    }
    return is_free;
}

static bool get_niu(struct tile *tile, uint32_t address, uint32_t *value)
{
    const uint32_t *word = niu_word(tile, address, false);
    if (!word || tile->commands) {
        return false;
    }
    *value = *word;
    if (tile->unseen_count) {
        tile_noc_look(tile, (address - TILE_NIU_BASE) >> WINDOW_SHIFT, address & WINDOW_MASK,
                      (enum tile_agent)tile->running);
    }
    return true;
}

/* --- Overlay --- */

struct stream_register {
    unsigned stream, index;
};

static struct stream_register stream_register(uint32_t address)
{
    uint32_t offset = address - OVERLAY_REGISTERS_ADDRESS;
    return (struct stream_register){offset / OVERLAY_STREAM_BYTES,
                                    offset % OVERLAY_STREAM_BYTES / 4};
}

static bool change_overlay(struct tile *tile, uint32_t address, uint32_t value)
{
    struct stream_register at = stream_register(address);
    if (tensix_watches(&tile->tensix) ||
        !is_unwatched(tile, address - 4 * at.index, OVERLAY_STREAM_BYTES)) {
        return false;
    }
    overlay_write(&tile->overlay, at.stream, at.index, true, value);
    return true;
}

static bool put_overlay(struct tile *tile, uint32_t address, uint32_t value)
{
    struct stream_register at = stream_register(address);
    if (overlay_is_due(&tile->overlay)) {
        return false;
    }
    switch (overlay_foresee(&tile->overlay, at.stream, at.index, value)) {
    case OVERLAY_CHANGES_NOTHING:
        return true;
    case OVERLAY_CHANGES:
        return change_overlay(tile, address, value);
    case OVERLAY_NOT_PLAIN:
        break;
    }
    return false;
}

static bool get_overlay(struct tile *tile, uint32_t address, uint32_t *value)
{
    struct stream_register at = stream_register(address);
    return !overlay_is_due(&tile->overlay) &&
           overlay_plain_read(&tile->overlay, at.stream, at.index, value);
}

/* --- GPRs --- */

/* Where a store to GPRs by the hart that runs goes, if nothing else is to be done for it, nor for
 * those to its other GPRs. */
static uint32_t *gpr_word(struct tile *tile, uint32_t address)
{
    const unsigned thread = (unsigned)tile->running - RV32_T0;
    const unsigned index = address / 4 % TENSIX_GPRS;
    bool is_free = thread < TENSIX_THREADS && (address & WINDOW_MASK) < TILE_GPR_WINDOW_BYTES &&
                   is_unwatched(tile, TILE_GPR_WINDOW, TILE_GPR_WINDOW_BYTES) &&
                   !tensix_must_wait(&tile->tensix, thread, TENSIX_TRACKS_GPRS, address / 4, true);
    return is_free ? &tile->tensix.gpr[thread][index] : NULL;
}

static bool put_gpr(struct tile *tile, uint32_t address, uint32_t value)
{
    uint32_t *word = gpr_word(tile, address);
    if (word) {
        *word = value;
    }
    return word != NULL;
}

/* --- Pushes --- */

static bool push(struct tile *tile, uint32_t address, uint32_t instruction, uint64_t cycle)
{
    const unsigned thread = (unsigned)tile->running - RV32_T0;
    return address == RV32_PUSH_BASE && thread < TENSIX_THREADS &&
           tensix_accepts(&tile->tensix, thread) &&
           tile_push(tile, (enum tile_agent)tile->running, thread, &instruction, 1, cycle) == 1;
}

/* --- All --- */

bool tile_mmio_fast(struct tile *tile, struct rv32_access *access)
{
    const uint32_t address = access->address;
    if (access->size != 4) {
        return false;
    }
    if (address - TILE_NIU_BASE < BOTH_NIUS) {
        return access->store ? put_niu(tile, address, access->value)
                             : get_niu(tile, address, &access->value);
    }
    switch (address >> WINDOW_SHIFT) {
    case OVERLAY:
    case OVERLAY + 1:
    case OVERLAY + 2:
    case OVERLAY_LAST:
        return access->store ? put_overlay(tile, address, access->value)
                             : get_overlay(tile, address, &access->value);
    case GPRS:
        return access->store && put_gpr(tile, address, access->value);
    case PUSHES:
        return access->store && push(tile, address, access->value, access->cycle);
    case DEBUG:
        return !access->store && debug_clock_quick(tile, address, access->cycle, &access->value);
    }
    return false;
}
