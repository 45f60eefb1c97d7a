/* When to search for polling loops; see suspect.h. */
#include "tile/suspect.h"

enum { MANY_REPEATS = 16, CLOCK_REPEATS = 1 };

/* A search is worth while at once while searches have not failed, else now and then. */
void tile_found_again(struct tile *tile, struct tile_load *load, uint64_t cycle)
{
    struct tile_hart *run = &tile->run[tile->running];
    load->repeats++;
    load->cycle = cycle;
    bool is_clock = load->address == AT_WALL_CLOCK_LOW && load->repeats <= CLOCK_REPEATS;
    bool is_time = run->probe_fails <= TILE_PROBES_SOON || is_clock ||
                   (load->repeats >= MANY_REPEATS && !(load->repeats & (load->repeats - 1)));
    if (is_time && run->probe_at > cycle) {
        run->probe_at = cycle + 1;
        rv32_cut(&tile->hart[tile->running], cycle + 1);
    }
}
