/* Pages of circular buffers that are popped and that nobody has pushed. tt-metal counts pages in two
 * registers of a stream, 16 bits each: what was pushed, and what was popped. Other software uses them for
 * something else, so who pops too many only claims a fault (tile/fault.h). */
#ifndef TILE_PAGES_H
#define TILE_PAGES_H

#include "addresses.h"
#include "tile/tile.h"

enum { TILE_PAGES_TEXT = 80 };

/* Is it a register that counts what was popped? */
static inline bool tile_counts_pops(uint32_t address)
{
    const uint32_t offset = address - AT_OVERLAY;
    return offset % STEP_STREAM == 4 * OVERLAY_REMOTE_DEST_BUF_START &&
           offset < OVERLAY_STREAMS * STEP_STREAM;
}

/* Does it count more than were pushed, where that may be a fault? Then `text` says so. */
bool tile_pops_too_many(const struct tile *tile, uint32_t address, char text[TILE_PAGES_TEXT]);

#endif
