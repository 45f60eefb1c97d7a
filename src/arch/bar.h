/*
 * A chip's BARs: the rows of its bar.def. A kind of region that the chip lacks has no row.
 *
 * The windows onto the NoC are numbered through all regions that have some; two regions may lead to
 * the same ones. A window has words of configuration, in the order of numbers: its place in the tile
 * (the local address without the bits that lie inside the window), and behind that the fields of
 * enum window_field.
 */
#ifndef ARCH_BAR_H
#define ARCH_BAR_H

#include <stdint.h>

enum bar_token {
    REGION_WINDOWS,
    REGION_TLB,
    REGION_NIU0,
    REGION_NIU1,
    REGION_ARC,
    REGION_DMA,
    REGION_IATU,
};

struct bar_region {
    enum bar_token token;
    unsigned bar;
    uint64_t first, last;
    const char *title;
    unsigned window, shift; /* of windows: number of the first one, logarithm of their size */
};

/* The end is the receiver of unicast requests. */
enum window_field {
    WINDOW_X_END,
    WINDOW_Y_END,
    WINDOW_X_START,
    WINDOW_Y_START,
    WINDOW_NOC,
    WINDOW_MULTICAST,
    WINDOW_FIELDS
};

struct window_bits {
    uint8_t first, count; /* from the first bit behind the local address on */
};

enum { BARS = 6 /* that configuration space has room for */ };

#endif
