/* The regions of the BARs, from bar.def, sorted. */
#ifndef ARCH_BAR_H
#define ARCH_BAR_H

#include <stdint.h>

enum bar_token {
#define REGION(token, bar, first, last, title) REGION_##token,
#include "bar.def"
#undef REGION
    BAR_REGIONS
};

struct bar_region {
    enum bar_token token;
    unsigned bar;
    uint64_t first, last;
    const char *title;
};

static const struct bar_region bar_regions[BAR_REGIONS] = {
#define REGION(token, bar, first, last, title) {REGION_##token, bar, first, last, title},
#include "bar.def"
#undef REGION
};

#endif
