/* When to search for polling loops; see suspect.h. */
#include "tile/suspect.h"

/* A search is worth while at once, and then ever more seldom: at each power of two. */
void tile_found_again(struct tile *tile, struct tile_load *load, uint64_t cycle)
{
    struct tile_hart *run = &tile->run[tile->running];
    load->repeats++;
    load->cycle = cycle;
    bool is_time = !(load->repeats & (load->repeats - 1));
    if (is_time && run->probe_at > cycle) {
        run->probe_at = cycle + 1;
        rv32_cut(&tile->hart[tile->running], cycle + 1);
    }
}
