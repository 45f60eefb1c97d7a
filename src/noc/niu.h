/* A network interface unit: command buffers, configuration and counters (SPEC: NoC MemoryMap). */
#ifndef NOC_NIU_H
#define NOC_NIU_H

#include <stdint.h>

enum { NIU_WORDS = 0x4000 / 4, NIU_BUFFERS = 4 };

struct niu {
    uint32_t word[NIU_WORDS]; /* as last written, and counters */
};

/* Register values after reset for the tile at (x, y) of NoC `noc` (0 or 1). */
void niu_reset(struct niu *niu, unsigned noc, unsigned x, unsigned y);

#endif
