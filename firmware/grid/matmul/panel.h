/*
 * A panel on its way from DRAM to the tiles of a row or a column of the grid.
 *
 * READY, at the sender: how many receivers have room for the next part. VALID, at each receiver:
 * the part has come. The sender's own VALID is 1 all the time, as that is what it multicasts. As
 * all have the same circular buffer, a part has the same address everywhere.
 */
#ifndef GRID_PANEL_H
#define GRID_PANEL_H

#include "grid/dataflow.h"
#include "grid/matmul/matmul.h"

struct panel {
    struct pages pages;
    uint32_t first, step_inner, step_other; /* page of the first tile; between neighbours */
    unsigned inner, other, depth;           /* tiles along both dimensions, and of a part */
    unsigned cb, ready, valid;
    bool is_sender;
    uint32_t sender, rectangle;
    unsigned receivers;
};

static inline void panel_read(const struct panel *panel, unsigned inner)
{
    uint32_t to = cb_interface[panel->cb].write;
    for (unsigned k = inner; k < inner + panel->depth; k++) {
        for (unsigned i = 0; i < panel->other; i++) {
            page_read(&panel->pages, panel->first + k * panel->step_inner + i * panel->step_other,
                      to);
            to += panel->pages.size;
        }
    }
    read_barrier();
}

static inline void panel_send(const struct panel *panel)
{
    const uint32_t part = cb_interface[panel->cb].write;
    const uint32_t size = panel->depth * panel->other * panel->pages.size;
    if (panel->receivers == 0) {
        return;
    }
    semaphore_wait(panel->ready, panel->receivers);
    semaphore_set(panel->ready, 0);
    noc_multicast(part, panel->rectangle, part, size, panel->receivers);
    write_departure();
    semaphore_multicast(panel->valid, panel->rectangle, panel->receivers);
}

static inline void panel_receive(const struct panel *panel)
{
    semaphore_set(panel->valid, 0);
    semaphore_add(panel->ready, panel->sender, 1);
    semaphore_wait(panel->valid, 1);
}

static inline void panel_move(const struct panel *panel)
{
    const unsigned part = panel->depth * panel->other;
    if (panel->is_sender) {
        semaphore_set(panel->valid, 1);
    }
    for (unsigned k = 0; k < panel->inner; k += panel->depth) {
        cb_reserve_pages(panel->cb, part);
        if (panel->is_sender) {
            panel_read(panel, k);
            panel_send(panel);
        } else {
            panel_receive(panel);
        }
        cb_push_pages(panel->cb, part);
    }
    write_barrier();
    atomic_barrier();
}

#endif
