/* See leftovers.h. */
#include "abi/leftovers.h"

#include "abi/device.h"
#include "observe/inside.h"

enum { MOST_SEARCHES = 2 };

static uint64_t hash_left(const struct response_left *left)
{
    return left->code ^ left->pc ^ (uint64_t)left->hart << 32 ^ (uint64_t)left->kind << 40 ^
           (uint64_t)left->noc << 48;
}

static void note_left(void *context, const struct response_left *left)
{
    struct device *device = context;
    struct leftovers *leftovers = &device->leftovers;
    uint64_t hash = hash_left(left);
    for (unsigned i = 0; i < leftovers->count; i++) {
        if (leftovers->told[i] == hash) {
            return;
        }
    }
    if (leftovers->count < MOST_LEFTOVERS) {
        leftovers->told[leftovers->count++] = hash;
        (void)inside(device->chip)->responses_note_left(device->chip, left);
    }
}

/* Only firmware tells when a kernel has returned. */
static void know_firmware(struct device *device)
{
    struct leftovers *leftovers = &device->leftovers;
    bool is_unknown = false;
    struct tile_facts tile;
    unsigned next = 0;
    while (leftovers->searches < MOST_SEARCHES &&
           chip_calls_of(device->chip)->next_tile(device->chip, &next, &tile)) {
        is_unknown |= tile.unseen > 0 && tile.kind == PENROSE_TILE_TENSIX && !tile.layout;
    }
    if (is_unknown) {
        leftovers->searches++;
        host_programs_know_firmware(device->programs);
    }
}

void leftovers_tell(struct device *device)
{
    struct leftovers *leftovers = &device->leftovers;
    uint64_t now = penrose_now(device->chip);
    if (leftovers->checked == now || leftovers->count == MOST_LEFTOVERS) {
        return;
    }
    leftovers->checked = now;
    know_firmware(device);
    inside(device->chip)->responses_visit_left(device->chip, false, note_left, device);
    device_tell_faults(device);
}
