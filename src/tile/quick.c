/* Frequent accesses to registers; see quick.h. */
#include "tile/quick.h"

#include "tile/noc_port.h"
#include "tile/noc_short.h"
#include "tile/overlay_port.h"
#include "tile/tensix_port.h"
#include "tile/tile.h"

enum { WINDOW_SHIFT = 16, WINDOW_MASK = 0xffff };

/* The windows, by the upper half of an address. */
enum {
    DEBUG = 0xffb1,
    NIU_0 = 0xffb2,
    NIU_1 = 0xffb3,
    OVERLAY = 0xffb4,
    OVERLAY_LAST = 0xffb7,
    GPRS = 0xffe0,
};

static __attribute__((noinline)) bool wake_pollers(struct tile *tile, uint32_t address,
                                                   uint32_t size, uint64_t cycle)
{
    tile_polled_changed(tile, address, size, cycle);
    return true;
}

/* As tile_registers_changed; always true. */
static inline bool tell_changed(struct tile *tile, uint32_t address, uint32_t size, uint64_t cycle)
{
    return !tile_span_touches(&tile->polled_by_any, address, size) ||
           wake_pollers(tile, address, size, cycle);
}

/* Each window has a function of its own, so that what one needs costs the others nothing. */
#define WINDOW static __attribute__((noinline))

/* --- NIUs --- */

static uint32_t *niu_word(struct tile *tile, uint32_t address, bool writes)
{
    uint32_t offset = address - TILE_NIU_BASE;
    return tile->commands
               ? NULL
               : niu_plain(&tile->niu[offset >> WINDOW_SHIFT], offset & WINDOW_MASK, writes);
}

WINDOW bool put_niu(struct tile *tile, uint32_t address, uint32_t value, uint64_t cycle)
{
    uint32_t *word = niu_word(tile, address, true);
    if (!word) {
        return false;
    }
    *word = niu_held(address & WINDOW_MASK, value);
    return tell_changed(tile, address, 4, cycle);
}

WINDOW bool get_niu(struct tile *tile, uint32_t address, uint32_t *value)
{
    const uint32_t *word = niu_word(tile, address, false);
    if (!word) {
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

WINDOW bool put_overlay(struct tile *tile, uint32_t address, uint32_t value, uint64_t cycle)
{
    struct stream_register at = stream_register(address);
    enum overlay_plain foreseen = overlay_is_due(&tile->overlay)
                                      ? OVERLAY_NOT_PLAIN
                                      : overlay_foresee(&tile->overlay, at.stream, at.index, value);
    if (foreseen != OVERLAY_CHANGES) {
        return foreseen == OVERLAY_CHANGES_NOTHING;
    }
    if (tensix_watches(&tile->tensix)) {
        return false;
    }
    overlay_write(&tile->overlay, at.stream, at.index, true, value);
    return tell_changed(tile, address - 4 * at.index, OVERLAY_STREAM_BYTES, cycle);
}

WINDOW bool get_overlay(struct tile *tile, uint32_t address, uint32_t *value)
{
    struct stream_register at = stream_register(address);
    return !overlay_is_due(&tile->overlay) &&
           overlay_plain_read(&tile->overlay, at.stream, at.index, value);
}

/* --- GPRs --- */

WINDOW bool put_gpr(struct tile *tile, uint32_t address, uint32_t value, uint64_t cycle)
{
    const unsigned thread = (unsigned)tile->running - RV32_T0;
    const unsigned index = address / 4 % TENSIX_GPRS;
    if (thread >= TENSIX_THREADS || (address & WINDOW_MASK) >= TILE_GPR_WINDOW_BYTES ||
        tensix_must_wait(&tile->tensix, thread, TENSIX_TRACKS_GPRS, address / 4, true)) {
        return false;
    }
    tile->tensix.gpr[thread][index] = value;
    return tell_changed(tile, TILE_GPR_WINDOW, TILE_GPR_WINDOW_BYTES, cycle);
}

/* --- All --- */

bool tile_quick_put(struct tile *tile, uint32_t address, uint32_t value, uint64_t cycle)
{
    unsigned window = address >> WINDOW_SHIFT;
    if (tile->tracing || window < NIU_0 || (window > OVERLAY_LAST && window != GPRS)) {
        return false;
    }
    return window == GPRS    ? put_gpr(tile, address, value, cycle)
           : window <= NIU_1 ? put_niu(tile, address, value, cycle)
                             : put_overlay(tile, address, value, cycle);
}

bool tile_quick_get(struct tile *tile, uint32_t address, uint64_t cycle, uint32_t *value)
{
    unsigned window = address >> WINDOW_SHIFT;
    if (tile->tracing || window < DEBUG || window > OVERLAY_LAST) {
        return false;
    }
    return window == DEBUG   ? debug_clock_quick(tile, address, cycle, value)
           : window <= NIU_1 ? get_niu(tile, address, value)
                             : get_overlay(tile, address, value);
}
