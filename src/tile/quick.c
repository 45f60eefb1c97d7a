/* Frequent accesses to registers; see quick.h. */
#include "tile/quick.h"

#include "tile/noc_short.h"
#include "tile/overlay_port.h"
#include "tile/tile.h"

enum { WINDOW_SHIFT = 16, WINDOW_MASK = 0xffff };
#define NIU_BASE UINT32_C(0xffb20000)

/* --- NIUs --- */

static bool quick_niu(struct tile *tile, struct rv32_access *access)
{
    uint32_t offset = access->address - NIU_BASE;
    struct niu *niu = &tile->niu[offset >> WINDOW_SHIFT];
    uint32_t *word = niu_plain(niu, offset & WINDOW_MASK, access->store);
    if (!word || tile->commands) {
        return false;
    }
    if (access->store) {
        *word = niu_held(offset, access->value);
        tile_registers_changed(tile, access->address, 4, access->cycle);
        return true;
    }
    access->value = *word;
    if (tile->unseen_count) {
        tile_noc_look(tile, offset >> WINDOW_SHIFT, offset & WINDOW_MASK,
                      (enum tile_agent)tile->running);
    }
    return true;
}

/* --- Overlay --- */

static bool quick_overlay(struct tile *tile, struct rv32_access *access)
{
    uint32_t offset = access->address - OVERLAY_REGISTERS_ADDRESS;
    unsigned stream = offset / OVERLAY_STREAM_BYTES, index = offset % OVERLAY_STREAM_BYTES / 4;
    if (overlay_is_due(&tile->overlay)) {
        return false;
    }
    if (!access->store) {
        return overlay_plain_read(&tile->overlay, stream, index, &access->value);
    }
    enum overlay_plain write =
        tensix_watches(&tile->tensix)
            ? OVERLAY_NOT_PLAIN
            : overlay_plain_write(&tile->overlay, stream, index, access->value);
    if (write == OVERLAY_CHANGED) {
        tile_registers_changed(tile, access->address - offset % OVERLAY_STREAM_BYTES,
                               OVERLAY_STREAM_BYTES, access->cycle);
    }
    return write != OVERLAY_NOT_PLAIN;
}

/* --- All --- */

bool tile_quick(struct tile *tile, struct rv32_access *access)
{
    if (access->size != 4 || tile->tracing) {
        return false;
    }
    switch (access->address >> WINDOW_SHIFT) {
    case 0xffb1:
        return debug_clock_quick(tile, access);
    case 0xffb2:
    case 0xffb3:
        return quick_niu(tile, access);
    case 0xffb4:
    case 0xffb5:
    case 0xffb6:
    case 0xffb7:
        return quick_overlay(tile, access);
    default:
        return false;
    }
}
