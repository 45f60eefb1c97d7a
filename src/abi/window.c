/*
 * TLB windows. SPEC: BlackholeA0 PCIExpressTile/HostToDeviceTLBs, NoC/MemoryMap (broadcast spans).
 *
 * Three words a window: where it points to in the tile, which tile or rectangle, how requests are
 * sent. Requests complete before the call returns, so `ordering` and the virtual channel bits have
 * no effect here. The first 32 windows have a fourth word that thins out a multicast rectangle.
 */
#include "abi/endpoint.h"

enum { WIDTH = 17, HEIGHT = 12 };

struct axis {
    unsigned start, end; /* translated coordinates */
};

struct window {
    uint64_t base;
    struct axis x, y; /* end is the target of unicast requests */
    unsigned noc;
    bool is_multicast;
};

static struct window decode(const struct device *device, unsigned index)
{
    const uint32_t *word = device->tlb + 3 * (size_t)index;
    bool is_large = index >= WINDOWS_2M;
    uint64_t local_offset = is_large ? word[0] : word[0] | (uint64_t)(word[1] & 0x7ff) << 32;
    uint64_t rest = ((uint64_t)word[2] << 32 | word[1]) >> (is_large ? 0 : 11);
    return (struct window){.base = local_offset << (is_large ? 32 : 21),
                           .x = {.end = rest & 63, .start = rest >> 12 & 63},
                           .y = {.end = rest >> 6 & 63, .start = rest >> 18 & 63},
                           .noc = rest >> 24 & 1,
                           .is_multicast = rest >> 26 & 1};
}

/* --- Multicast --- */

/* Word of a strided window, 0 for the others: the whole rectangle. */
struct strides {
    unsigned x_keep, x_skip, y_keep, y_skip;
    unsigned x_exclude, y_exclude;
    bool x_above, y_above, has_exclusion;
};

static struct strides decode_strides(const struct device *device, unsigned index)
{
    uint32_t word = index < STRIDED_WINDOWS ? device->tlb[3 * WINDOWS + index] : 0;
    return (struct strides){.x_keep = word & 3,
                            .x_skip = word >> 2 & 3,
                            .y_keep = word >> 4 & 3,
                            .y_skip = word >> 6 & 3,
                            .x_exclude = word >> 8 & 31,
                            .y_exclude = word >> 13 & 15,
                            .x_above = word >> 17 & 1,
                            .y_above = word >> 18 & 1,
                            .has_exclusion = word >> 19 & 1};
}

/* Is a raw coordinate in the span, and does the keep/skip pattern that begins at its start keep it?
 * A span whose start is above its end wraps around. */
static bool is_in_span(struct axis raw, unsigned keep, unsigned skip, unsigned at)
{
    bool is_inside =
        raw.start <= raw.end ? at >= raw.start && at <= raw.end : at <= raw.end || at >= raw.start;
    bool is_masked = keep && skip;
    return is_inside && (!is_masked || ((at - raw.start) & 63) % (keep + skip) < keep);
}

/* GUESS: for wrapped spans the exact rule is not published; the plain one is applied. */
static bool is_excluded(const struct strides *strides, unsigned x, unsigned y)
{
    bool in_x = strides->x_above ? x >= strides->x_exclude : x <= strides->x_exclude;
    bool in_y = strides->y_above ? y >= strides->y_exclude : y <= strides->y_exclude;
    return strides->has_exclusion && in_x && in_y;
}

/* Patterns and exclusion are about raw coordinates, which on NoC 1 count from the other corner.
 * All NIUs but those of workers have opted out of multicast. */
static bool reaches(const struct window *window, const struct strides *strides, unsigned x,
                    unsigned y)
{
    bool mirrored = window->noc == 1;
    struct axis span_x = window->x, span_y = window->y;
    if (mirrored) {
        span_x = (struct axis){.start = WIDTH - 1 - span_x.start, .end = WIDTH - 1 - span_x.end};
        span_y = (struct axis){.start = HEIGHT - 1 - span_y.start, .end = HEIGHT - 1 - span_y.end};
        x = WIDTH - 1 - x;
        y = HEIGHT - 1 - y;
    }
    return is_in_span(span_x, strides->x_keep, strides->x_skip, x) &&
           is_in_span(span_y, strides->y_keep, strides->y_skip, y) && !is_excluded(strides, x, y);
}

static void multicast(struct device *device, const struct window *window, unsigned index,
                      uint64_t address, struct transfer transfer)
{
    struct strides strides = decode_strides(device, index);
    unsigned reached = 0;
    bool in_grid = window->x.start < WIDTH && window->x.end < WIDTH && window->y.start < HEIGHT &&
                   window->y.end < HEIGHT;
    for (unsigned y = 0; in_grid && y < HEIGHT; y++) {
        for (unsigned x = 0; x < WIDTH; x++) {
            if (penrose_is_worker(x, y) && reaches(window, &strides, x, y)) {
                device_endpoint_write(
                    device,
                    (struct endpoint){.noc = window->noc, .x = x, .y = y, .address = address},
                    transfer);
                reached++;
            }
        }
    }
    if (reached == 0) {
        report(device,
               "a multicast write through window %u reaches no worker tile: the rectangle is "
               "(%u, %u) to (%u, %u) on NoC %u",
               index, window->x.start, window->y.start, window->x.end, window->y.end, window->noc);
    }
}

/* --- Access --- */

void device_window_access(struct device *device, unsigned index, uint64_t offset,
                          struct transfer transfer)
{
    struct window window = decode(device, index);
    struct endpoint endpoint = {
        .noc = window.noc, .x = window.x.end, .y = window.y.end, .address = window.base + offset};
    if (window.is_multicast && transfer.from) {
        multicast(device, &window, index, endpoint.address, transfer);
    } else if (window.is_multicast) {
        report(device, "window %u is set up for multicast and cannot be read", index);
        device_no_answer(transfer);
    } else if (transfer.from) {
        device_endpoint_write(device, endpoint, transfer);
    } else {
        device_endpoint_read(device, endpoint, transfer);
    }
}
