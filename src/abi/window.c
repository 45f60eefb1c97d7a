/*
 * TLB windows. SPEC: BlackholeA0 PCIExpressTile/HostToDeviceTLBs.
 *
 * A window's words say its place in the tile, the tile or rectangle, and how requests are sent
 * (arch/bar.h). Requests complete before the call returns, so `ordering` and the virtual channel bits
 * have no effect here. Strided windows have one word more, that thins out a multicast rectangle.
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

static unsigned field_of(const struct arch *of, uint64_t rest, enum window_field field)
{
    const struct window_bits *bits = &of->window_bits[field];
    return (unsigned)(rest >> bits->first) & ((1u << bits->count) - 1);
}

/* `shift` is the logarithm of the window's size. */
static struct window decode(const struct device *device, unsigned index, unsigned shift)
{
    const struct arch *of = device->arch;
    const uint32_t *word = device->tlb + of->window_words * (size_t)index;
    const uint64_t low = word[0] | (uint64_t)word[1] << 32;
    const uint64_t high = of->window_words > 2 ? word[2] : 0;
    const unsigned local = of->noc_local_bits - shift; /* bits; less than 64 */
    const uint64_t rest = low >> local | high << (64 - local);
    return (struct window){
        .base = (low & ((UINT64_C(1) << local) - 1)) << shift,
        .x = {.end = field_of(of, rest, WINDOW_X_END), .start = field_of(of, rest, WINDOW_X_START)},
        .y = {.end = field_of(of, rest, WINDOW_Y_END), .start = field_of(of, rest, WINDOW_Y_START)},
        .noc = field_of(of, rest, WINDOW_NOC),
        .is_multicast = field_of(of, rest, WINDOW_MULTICAST)};
}

/* --- Multicast --- */

static uint32_t window_stride(const struct device *device, unsigned index)
{
    const struct arch *of = device->arch;
    return index < of->windows_strided
               ? device->tlb[of->window_words * (size_t)arch_windows(of) + index]
               : 0;
}

static bool multicast(struct device *device, const struct window *window, unsigned index,
                      uint64_t address, struct transfer transfer)
{
    struct penrose_error error;
    struct penrose_place tile[MOST_TILES];
    struct penrose_multicast multicast = {.tile = tile,
                                          .room = MOST_TILES,
                                          .noc = window->noc,
                                          .x_start = window->x.start,
                                          .y_start = window->y.start,
                                          .x_end = window->x.end,
                                          .y_end = window->y.end,
                                          .strided = window_stride(device, index)};
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

bool device_window_access(struct device *device, const struct bar_region *region, uint64_t offset,
                          struct transfer transfer)
{
    const unsigned index = region->window + (unsigned)(offset >> region->shift);
    const uint64_t inside = offset & ((UINT64_C(1) << region->shift) - 1);
    struct window window = decode(device, index, region->shift);
    struct endpoint endpoint = {
        .x = window.x.end, .y = window.y.end, .address = window.base + inside};
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
