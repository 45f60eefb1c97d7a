/*
 * The interrupt controller of a Tensix tile and the pc snapshots behind it (SPEC: BlackholeA0 PIC,
 * BabyRISCV README).
 */
#ifndef TILE_PIC_H
#define TILE_PIC_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/reg.h"
#include "rv32/rv32.h"

enum { PIC_SOFTWARE = 32, PIC_HARDWARE = 4, PIC_IRQS = PIC_SOFTWARE + PIC_HARDWARE, PIC_CORES = 2 };

/* The hardware IRQs. */
enum pic_source { PIC_OVERLAY, PIC_NIU0, PIC_NIU1, PIC_WATCHDOG };

/* An IRQ's number is that of a software IRQ, or PIC_SOFTWARE plus that of a hardware IRQ; [0] is
 * of B, [1] of NC. */
struct pic {
    uint32_t software[PIC_SOFTWARE]; /* non-zero: raised, with this value */
    bool hardware[PIC_HARDWARE];
    uint32_t handler[PIC_IRQS]; /* pcs */
    uint32_t software_enable[PIC_CORES], hardware_enable[PIC_CORES];
    uint32_t interrupt_number[PIC_CORES];
    unsigned turn[PIC_CORES]; /* where the round-robin search starts */
};

extern const struct reg_file pic_registers;

struct tile;

/* Has the core, B or NC, any interrupt enabled? Mostly it has not. */
static inline bool pic_listens(const struct pic *pic, enum rv32_core core)
{
    unsigned index = core != RV32_B;
    return (core == RV32_B || core == RV32_NC) &&
           (pic->software_enable[index] | pic->hardware_enable[index]);
}

/* Is IRQ `number` raised and enabled for the core? */
static inline bool pic_is_pending(const struct pic *pic, unsigned index, unsigned number)
{
    if (number < PIC_SOFTWARE) {
        return pic->software[number] && pic->software_enable[index] >> number & 1;
    }
    number -= PIC_SOFTWARE;
    return pic->hardware[number] && pic->hardware_enable[index] >> number & 1;
}

/* Is an enabled interrupt of B or NC pending? False for the TRISCs. */
static inline bool pic_pending(const struct pic *pic, enum rv32_core core)
{
    bool is_any = false;
    for (unsigned number = 0; number < PIC_IRQS && pic_listens(pic, core) && !is_any; number++) {
        is_any = pic_is_pending(pic, core != RV32_B, number);
    }
    return is_any;
}

/* When one is pending for a core that is in no handler: picks one round-robin, latches its number
 * and returns true with the handler's address. */
bool pic_take(struct tile *tile, enum rv32_core core, uint32_t *handler);

/* The hardware side: raises or clears a hardware IRQ; an event when it changes. */
void pic_set_hardware(struct tile *tile, enum pic_source source, bool raised, uint64_t cycle);

#endif
