/*
 * TLB windows. SPEC: BlackholeA0 PCIExpressTile/HostToDeviceTLBs.
 *
 * A window has three words: its place in the tile, the tile or rectangle, and how requests are
 * sent. Requests complete before the call returns, so `ordering` and the virtual channel bits have
 * no effect here. The first 32 windows have a fourth word that thins out a multicast rectangle.
 */
#include "abi/endpoint.h"

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
    bool is_large = index >= device->small_windows;
    uint64_t local_offset = is_large ? word[0] : word[0] | (uint64_t)(word[1] & 0x7ff) << 32;
    uint64_t rest = ((uint64_t)word[2] << 32 | word[1]) >> (is_large ? 0 : 11);
    return (struct window){.base = local_offset << (is_large ? 32 : 21),
                           .x = {.end = rest & 63, .start = rest >> 12 & 63},
                           .y = {.end = rest >> 6 & 63, .start = rest >> 18 & 63},
                           .noc = rest >> 24 & 1,
                           .is_multicast = rest >> 26 & 1};
}

/* --- Multicast --- */

static bool multicast(struct device *device, const struct window *window, unsigned index,
                      uint64_t address, struct transfer transfer)
{
    struct penrose_error error;
    struct penrose_place tile[MOST_TILES];
    struct penrose_multicast multicast = {
        .tile = tile,
        .room = MOST_TILES,
        .noc = window->noc,
        .x_start = window->x.start,
        .y_start = window->y.start,
        .x_end = window->x.end,
        .y_end = window->y.end,
        .strided = index < STRIDED_WINDOWS ? device->tlb[3 * (size_t)device->windows + index] : 0};
    bool is_answered = true;
    if (penrose_multicast_targets(device->chip, &multicast, &error) != PENROSE_OK) {
        report(device, "write through window %u: %s", index, error.text);
        return false;
    }
    for (unsigned i = 0; i < multicast.count; i++) {
        struct endpoint endpoint = {.x = tile[i].x, .y = tile[i].y, .address = address};
        is_answered &= device_endpoint_write(device, endpoint, transfer);
    }
    return is_answered;
}

/* --- Unicast --- */

/* NoC 1 names some tiles otherwise. */
static bool find_tile(struct device *device, const struct window *window, struct endpoint *endpoint)
{
    if (window->noc == 0) {
        return true; /* or the access will tell */
    }
    if (penrose_from_noc1(device->chip, window->x.end, window->y.end, &endpoint->x, &endpoint->y)) {
        return true;
    }
    report(device, "there is no tile at (%u, %u) of NoC 1: reads give all ones, writes are ignored",
           window->x.end, window->y.end);
    return false;
}

bool device_window_access(struct device *device, unsigned index, uint64_t offset,
                          struct transfer transfer)
{
    struct window window = decode(device, index);
    struct endpoint endpoint = {
        .x = window.x.end, .y = window.y.end, .address = window.base + offset};
    if (window.is_multicast && transfer.from) {
        return multicast(device, &window, index, endpoint.address, transfer);
    }
    if (window.is_multicast) {
        report(device, "window %u is set up for multicast and cannot be read", index);
        device_no_answer(transfer);
        return false;
    }
    if (!find_tile(device, &window, &endpoint)) {
        device_no_answer(transfer);
        return false;
    }
    return transfer.from ? device_endpoint_write(device, endpoint, transfer)
                         : device_endpoint_read(device, endpoint, transfer);
}
