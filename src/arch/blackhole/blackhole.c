/* Blackhole as data; see arch.h. */
#include "arch/arch.h"

#include "arch/blackhole/clock.h"

const struct arch arch_blackhole = {.name = "blackhole", .clock_mhz = CLOCK_MHZ};
