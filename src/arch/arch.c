/* The chip whose tables are on the include path, as data; see arch.h. */
#include "arch/arch.h"

#include "geometry.h"

const struct arch arch = {.name = CHIP_NAME, .clock_mhz = CLOCK_MHZ};
