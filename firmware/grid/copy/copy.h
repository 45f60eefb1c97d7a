/* What the two kernels of a copy share: each tile takes adjacent pages, about as many as the
 * others. */
#ifndef GRID_COPY_H
#define GRID_COPY_H

#include "grid/dataflow.h"

enum { PAGES = 0 };                                  /* circular buffer */
enum { ARG_FROM, ARG_TO, ARG_PAGE_SIZE, ARG_COUNT }; /* common arguments: COUNT pages in all */
enum { ARG_INDEX, ARG_TILES };                       /* arguments: which tile of how many */

struct share {
    uint32_t first, end;
};

static inline struct share own_share(void)
{
    const uint32_t count = common_argument(ARG_COUNT);
    const uint32_t index = get_argument(ARG_INDEX), tiles = get_argument(ARG_TILES);
    return (struct share){count * index / tiles, count * (index + 1) / tiles};
}

#endif
