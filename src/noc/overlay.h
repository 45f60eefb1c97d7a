/* The 64 overlay streams of a Tensix tile: register files (SPEC: NoC Overlay pages). */
#ifndef NOC_OVERLAY_H
#define NOC_OVERLAY_H

#include <stdbool.h>
#include <stdint.h>

enum { OVERLAY_STREAMS = 64, OVERLAY_REGISTERS = 0x400 };

struct overlay {
    uint32_t (*stream)[OVERLAY_REGISTERS]; /* OVERLAY_STREAMS of them; memory that the tile lends,
                                              zero until touched */
};

#endif
