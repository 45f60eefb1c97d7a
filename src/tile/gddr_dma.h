/*
 * The DMA engine of a DRAM tile between its L1 and the GDDR of its bank, and the part of the memory
 * controller that the tile's hart sees. Only that hart reaches both. SPEC: tt-metal's headers
 * (gddr_dma.def).
 */
#ifndef TILE_GDDR_DMA_H
#define TILE_GDDR_DMA_H

#include <stdint.h>

#include "isa/reg.h"

enum {
    GDDR_DMA_STREAMS = 2,
    GDDR_DMA_STREAM_WORDS = 32,
    GDDR_DMA_CONTROL_WORDS = 6,
    GDDR_DMA_WEIGHTS = 3,
};

struct gddr_dma {
    uint32_t stream[GDDR_DMA_STREAMS][GDDR_DMA_STREAM_WORDS];
    uint32_t control[GDDR_DMA_CONTROL_WORDS];
    uint32_t weight[GDDR_DMA_WEIGHTS]; /* of the controller's ports: stored, time depends on them */
};

extern const struct reg_file gddr_dma_registers;

/* As it is after a reset of the chip. */
void gddr_dma_reset(struct gddr_dma *dma);

#endif
