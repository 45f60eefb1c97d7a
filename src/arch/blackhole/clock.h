/* The clock of harts, coprocessors and NoCs, once the power management has raised it. SPEC: the
 * vendor's firmware (AICLK, busy). */
#ifndef ARCH_BLACKHOLE_CLOCK_H
#define ARCH_BLACKHOLE_CLOCK_H

enum { CLOCK_MHZ = 1350 };

#endif
