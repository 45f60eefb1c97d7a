/* The regions of a chip's BARs: the rows of its bar.def. A kind that the chip lacks has no row. */
#ifndef ARCH_BAR_H
#define ARCH_BAR_H

#include <stdint.h>

enum bar_token {
    REGION_WINDOWS_2M,
    REGION_WINDOWS_4G,
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
};

#endif
