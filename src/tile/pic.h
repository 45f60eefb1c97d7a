/* The interrupt controller of a Tensix tile (SPEC: BlackholeA0 PIC) and the pc snapshots behind it. */
#ifndef TILE_PIC_H
#define TILE_PIC_H

#include <stdbool.h>
#include <stdint.h>

#include "rv32/rv32.h"

enum { PIC_SOFTWARE = 32, PIC_HARDWARE = 4 };

struct pic {
    uint32_t software[PIC_SOFTWARE]; /* non-zero: raised, with this value */
    bool hardware[PIC_HARDWARE];
    uint32_t software_pc[PIC_SOFTWARE], hardware_pc[PIC_HARDWARE];
    uint32_t software_enable[2], hardware_enable[2]; /* of B and of NC */
    uint32_t interrupt_number[2];
    unsigned turn[2]; /* where the round-robin search of each core starts */
};

struct tile;

/* When an enabled interrupt is pending for B or NC (which is in no handler): picks one round-robin,
 * latches its number and returns true with the handler's address. False for the TRISCs. */
bool pic_take(struct tile *tile, enum rv32_core core, uint32_t *handler);

/* The hardware side: raises or clears hardware IRQ `index`; an event when it changes. */
void pic_set_hardware(struct tile *tile, unsigned index, bool raised, uint64_t cycle);

#endif
