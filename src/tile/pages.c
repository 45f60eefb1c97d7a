/* See pages.h. */
#include "tile/pages.h"

#include <stdio.h>

bool tile_pops_too_many(const struct tile *tile, uint32_t address, char text[TILE_PAGES_TEXT])
{
    const struct overlay *overlay = &tile->overlay;
    const unsigned stream = (address - AT_OVERLAY) / STEP_STREAM;
    const uint32_t popped = overlay_stored(overlay, stream, OVERLAY_REMOTE_DEST_BUF_START);
    const uint32_t pushed = overlay_stored(overlay, stream, OVERLAY_REMOTE_DEST_BUF_SIZE);
    const int16_t excess = (int16_t)(popped - pushed);
    if (excess <= 0 || !tile->board->claim || !tile->board->knows_launches(tile->owner, tile)) {
        return false;
    }
    snprintf(text, TILE_PAGES_TEXT,
             "%d more %s popped than were pushed; cb_wait_front() is missing", excess,
             excess == 1 ? "page is" : "pages are");
    return true;
}
