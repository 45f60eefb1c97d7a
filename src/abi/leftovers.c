/* See leftovers.h. */
#include "abi/leftovers.h"

#include <stdlib.h>
#include <string.h>

#include "abi/device.h"
#include "observe/inside.h"

enum { MOST_SEARCHES = 2 };

static const char title[] = "kernels have returned, but did not wait for what they asked the NoC "
                            "for; results may be wrong:\n";

static uint64_t hash_left(const struct response_left *left)
{
    return left->code ^ left->pc ^ (uint64_t)left->hart << 32 ^ (uint64_t)left->kind << 40 ^
           (uint64_t)left->noc << 48;
}

static void note_left(void *context, const struct response_left *left)
{
    struct leftovers *leftovers = context;
    uint64_t hash = hash_left(left);
    for (unsigned i = 0; i < leftovers->count; i++) {
        if (leftovers->told[i] == hash) {
            return;
        }
    }
    if (leftovers->count < MOST_LEFTOVERS) {
        leftovers->told[leftovers->count++] = hash;
        leftovers->has_new = true;
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
    leftovers->has_new = false;
    know_firmware(device);
    inside(device->chip)->responses_visit_left(device->chip, note_left, leftovers);
    if (!leftovers->has_new) {
        return;
    }
    host_programs_know(device->programs);
    int length = inside(device->chip)->waits_left_report(device->chip, NULL, 0);
    char *text = length > 0 ? malloc(sizeof title + (size_t)length) : NULL;
    if (text) {
        memcpy(text, title, sizeof title);
        inside(device->chip)
            ->waits_left_report(device->chip, text + sizeof title - 1, (size_t)length + 1);
        text[sizeof title + (size_t)length - 2] = 0; /* the last newline */
        report_text(device, text);
    }
    host_programs_forget(device->programs);
    free(text);
}
