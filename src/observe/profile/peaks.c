#include "observe/profile/peaks.h"

#include "geometry.h"
#include "tile/timing.h"

struct profile_peaks profile_peaks(void)
{
    return (struct profile_peaks){.niu = tile_costs.rate[TIMING_NOC_NIU_BYTES],
                                  .dram = GRID_BANKS * tile_costs.rate[TIMING_DRAM_BANK_BYTES]};
}
