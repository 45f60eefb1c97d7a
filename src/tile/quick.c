/* Frequent accesses to registers; see quick.h. */
#include "tile/quick.h"

#include "isa/shortcuts.h"
#include "tile/noc_port.h"
#include "tile/noc_short.h"
#include "tile/overlay_port.h"
#include "tile/suspect.h"
#include "tile/tensix_port.h"
#include "tile/tile.h"

enum { WINDOW_SHIFT = 16, WINDOW_MASK = 0xffff };

/* The windows, by the upper half of an address. */
enum {
    DEBUG = 0xffb1,
    OVERLAY = 0xffb4,
    OVERLAY_LAST = 0xffb7,
    GPRS = 0xffe0,
};

/* Each window has a function of its own, so that what one needs costs the others nothing. */
#define WINDOW static __attribute__((noinline))

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

WINDOW bool put_watched_niu(struct tile *tile, uint32_t address, uint32_t value)
{
    bool is_polled = tile_is_polled(tile, address, sizeof value);
    if (!is_polled) {
        *niu_word(tile, address, true) = niu_held(address & WINDOW_MASK, value);
    }
    return !is_polled;
}

/* A store to NOC_CMD_CTRL. */
WINDOW bool start_request(struct tile *tile, uint32_t address, uint32_t value, uint64_t cycle)
{
    unsigned noc = (address - TILE_NIU_BASE) >> WINDOW_SHIFT;
    uint32_t offset = address & WINDOW_MASK;
    if (niu_write(&tile->niu[noc], offset, true, value) == NIU_COMMAND) {
        tile_noc_request(tile, noc, offset / NIU_BUFFER_BYTES, (enum tile_agent)tile->running,
                         cycle);
        tile_niu_changed(tile, noc, cycle);
    } else {
        tile_registers_changed(tile, address, sizeof value, cycle);
    }
    return true;
}

WINDOW bool put_niu(struct tile *tile, uint32_t address, uint32_t value, uint64_t cycle)
{
    uint32_t offset = address & WINDOW_MASK;
    uint32_t *word = niu_word(tile, address, true);
    if (tile->commands) {
        return false;
    }
    if (!word) {
        bool is_command = offset < NIU_BYTES && offset % NIU_BUFFER_BYTES == NIU_CMD_CTRL;
        return is_command && start_request(tile, address, value, cycle);
    }
    if (tile_span_touches(&tile->polled_by_any, address, sizeof value)) {
        return put_watched_niu(tile, address, value);
    }
    *word = niu_held(offset, value);
    return true;
}

WINDOW bool get_niu(struct tile *tile, uint32_t address, uint32_t pc, uint64_t cycle,
                    uint32_t *value)
{
    const uint32_t *word = niu_word(tile, address, false);
    if (!word || tile->commands) {
        return false;
    }
    *value = *word;
    return tile_suspect(tile, pc, address, *value, cycle);
}

/* What a hart finds here tells of responses, and somebody wants to know. */
WINDOW bool get_counter(struct tile *tile, uint32_t address, uint32_t pc, uint64_t cycle,
                        uint32_t *value)
{
    bool is_done = get_niu(tile, address, pc, cycle, value);
    if (is_done) {
        tile_noc_look(tile, (address - TILE_NIU_BASE) >> WINDOW_SHIFT, address & WINDOW_MASK,
                      (enum tile_agent)tile->running);
    }
    return is_done;
}

/* --- Registers of command buffers that harts store to by themselves --- */

_Static_assert(TILE_NIU_BYTES == 1 << RV32_BANK_SHIFT, "a bank is an NIU");

static bool is_lent(uint32_t address)
{
    uint32_t offset = (address - TILE_NIU_BASE) & WINDOW_MASK;
    return address - TILE_NIU_BASE < BOTH_NIUS && offset < NIU_BYTES && niu_held_place[offset / 4];
}

static bool polls_lent(const struct tile *tile, enum rv32_core core)
{
    const struct tile_hart *run = &tile->run[core];
    bool polls = false;
    if (run->state == HART_ASLEEP &&
        tile_span_touches(&tile->polled[core], TILE_NIU_BASE, BOTH_NIUS)) {
        for (unsigned i = 0; i < run->idle.places; i++) {
            polls |= is_lent(run->idle.place[i].address);
        }
    }
    return polls;
}

void tile_lend_registers(struct tile *tile)
{
    bool minds = !shortcuts_on(tile->shortcuts) || tile->commands > 0 || tile->poll_lent;
    tile->registers = (struct rv32_registers){.base = TILE_NIU_BASE,
                                              .bytes = minds ? 0 : NIU_BYTES,
                                              .place = niu_held_place,
                                              .bank = {tile->niu[0].word, tile->niu[1].word}};
}

void tile_lend_unless_polled(struct tile *tile, enum rv32_core core)
{
    if (polls_lent(tile, core) != (tile->poll_lent >> core & 1)) {
        tile->poll_lent ^= (uint8_t)(1u << core);
        tile_lend_registers(tile);
    }
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

WINDOW bool change_overlay(struct tile *tile, uint32_t address, uint32_t value)
{
    struct stream_register at = stream_register(address);
    if (tensix_watches(&tile->tensix) ||
        !is_unwatched(tile, address - 4 * at.index, OVERLAY_STREAM_BYTES)) {
        return false;
    }
    overlay_write(&tile->overlay, at.stream, at.index, true, value);
    return true;
}

WINDOW bool put_overlay(struct tile *tile, uint32_t address, uint32_t value)
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

WINDOW bool get_overlay(struct tile *tile, uint32_t address, uint32_t pc, uint64_t cycle,
                        uint32_t *value)
{
    struct stream_register at = stream_register(address);
    return !overlay_is_due(&tile->overlay) &&
           overlay_plain_read(&tile->overlay, at.stream, at.index, value) &&
           tile_suspect(tile, pc, address, *value, cycle);
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

WINDOW bool put_gpr(struct tile *tile, uint32_t address, uint32_t value)
{
    uint32_t *word = gpr_word(tile, address);
    if (word) {
        *word = value;
    }
    return word != NULL;
}

/* --- The debug registers --- */

WINDOW bool get_debug(struct tile *tile, uint32_t address, uint32_t pc, uint64_t cycle,
                      uint32_t *value)
{
    return debug_clock_quick(tile, address, cycle, value) &&
           tile_suspect(tile, pc, address, *value, cycle);
}

/* --- All --- */

static bool is_overlay(uint32_t address)
{
    unsigned window = address >> WINDOW_SHIFT;
    return window >= OVERLAY && window <= OVERLAY_LAST;
}

bool tile_quick_put(void *owner, uint32_t address, uint32_t value, uint64_t cycle)
{
    struct tile *tile = owner;
    if (!shortcuts_on(tile->shortcuts)) {
        return false;
    }
    if (address - TILE_NIU_BASE < BOTH_NIUS) {
        return put_niu(tile, address, value, cycle);
    }
    return is_overlay(address)               ? put_overlay(tile, address, value)
           : address >> WINDOW_SHIFT == GPRS ? put_gpr(tile, address, value)
                                             : false;
}

bool tile_quick_get(void *owner, uint32_t address, uint32_t pc, uint64_t cycle, uint32_t *value)
{
    struct tile *tile = owner;
    if (!shortcuts_on(tile->shortcuts)) {
        return false;
    }
    if (address - TILE_NIU_BASE < BOTH_NIUS) {
        bool tells = tile->unseen_count && (address & WINDOW_MASK) >= NIU_COUNTERS;
        return tells ? get_counter(tile, address, pc, cycle, value)
                     : get_niu(tile, address, pc, cycle, value);
    }
    return is_overlay(address)                ? get_overlay(tile, address, pc, cycle, value)
           : address >> WINDOW_SHIFT == DEBUG ? get_debug(tile, address, pc, cycle, value)
                                              : false;
}
