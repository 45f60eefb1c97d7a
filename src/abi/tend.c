/* Removes what a guest fault or a hang has left in a coprocessor, once the host, or a hart, has put the
 * tile's TRISCs into reset. */
#include "abi/device.h"

enum { MOST_DRAIN = 1 << 13, DRAIN_STEP = 1024 }; /* cycles */

static enum penrose_hart_state state_of(struct device *device, unsigned x, unsigned y,
                                        unsigned hart)
{
    struct penrose_hart_info info;
    bool is_there =
        penrose_hart_info(device->chip, x, y, (enum penrose_hart)hart, &info, NULL) == PENROSE_OK;
    return is_there ? info.state : PENROSE_HART_HELD;
}

bool device_triscs_held(struct device *device, unsigned x, unsigned y)
{
    return state_of(device, x, y, PENROSE_TRISC0) == PENROSE_HART_HELD &&
           state_of(device, x, y, PENROSE_TRISC1) == PENROSE_HART_HELD &&
           state_of(device, x, y, PENROSE_TRISC2) == PENROSE_HART_HELD;
}

static bool can_heal(struct device *device, unsigned x, unsigned y)
{
    return device_triscs_held(device, x, y) &&
           state_of(device, x, y, PENROSE_BRISC) != PENROSE_HART_FAULTED &&
           state_of(device, x, y, PENROSE_NCRISC) != PENROSE_HART_FAULTED;
}

/* Whether instructions stay in a coprocessor whose TRISCs are in reset. Those that are under way
 * come to their end on hardware, before a host can do anything else. */
static bool is_stuck(struct device *device, unsigned x, unsigned y)
{
    enum penrose_outcome outcome = PENROSE_CYCLES;
    for (unsigned waited = 0; waited < MOST_DRAIN && outcome == PENROSE_CYCLES &&
                              penrose_coprocessor_busy(device->chip, x, y);
         waited += DRAIN_STEP) {
        struct penrose_run run = {.size = sizeof run, .cycles = DRAIN_STEP};
        outcome = device_run(device, &run);
    }
    return penrose_coprocessor_busy(device->chip, x, y);
}

static void heal(struct device *device, unsigned x, unsigned y)
{
    bool is_ailing = tile_set_has(&device->ailing, x, y);
    if ((is_ailing || is_stuck(device, x, y)) &&
        penrose_coprocessor_reset(device->chip, x, y, NULL) == PENROSE_OK && !is_ailing) {
        report(
            device,
            "tile (%u, %u): instructions were stuck in its coprocessor when its TRISCs were put "
            "into reset; they are dropped, and it is as after power-on. Hardware keeps them, and "
            "they disturb what is loaded next",
            x, y);
    }
    tile_set_remove(&device->ailing, x, y);
    tile_set_remove(&device->suspect, x, y);
}

static void tend_tile(struct device *device, unsigned x, unsigned y)
{
    if (!tile_set_has(&device->ailing, x, y) && !penrose_coprocessor_busy(device->chip, x, y)) {
        tile_set_remove(&device->suspect, x, y); /* it was not stuck, then */
    } else if (can_heal(device, x, y)) {
        heal(device, x, y);
    }
}

void device_tend(struct device *device)
{
    if (device->in_dma || device->ailing.count + device->suspect.count == 0) {
        return;
    }
    for (unsigned y = 0; y < 64; y++) {
        uint64_t row = device->ailing.row[y] | device->suspect.row[y];
        for (unsigned x = 0; x < 64 && row >> x; x++) {
            if (row >> x & 1) {
                tend_tile(device, x, y);
            }
        }
    }
}
