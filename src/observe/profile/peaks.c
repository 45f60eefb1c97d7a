#include "observe/profile/peaks.h"

#include "chip/chip.h"

struct profile_peaks profile_peaks(const struct penrose_chip *chip)
{
    const unsigned banks = GRID_BANKS - (unsigned)__builtin_popcount(chip->grid.fused.banks);
    return (struct profile_peaks){.niu = chip->costs.rate[TIMING_NOC_NIU_BYTES],
                                  .dram = banks * chip->costs.rate[TIMING_DRAM_BANK_BYTES]};
}
