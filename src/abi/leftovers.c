/* See leftovers.h. */
#include "abi/leftovers.h"

#include <stdlib.h>
#include <string.h>

#include "abi/device.h"
#include "metal/firmware.h"
#include "observe/waits/responses.h"
#include "observe/waits/waits.h"

enum { MOST_SEARCHES = 2 };

static const char title[] = "kernels have returned, but did not wait for what they asked the NoC "
                            "for; results may be wrong:\n";

/* Kernels follow one another at the same addresses: their code tells them apart. */
static uint64_t hash_left(const struct tile *tile, const struct response_left *left)
{
    enum { NEAR = 64 };
    uint32_t first = left->pc & ~(NEAR - 1u);
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ left->pc ^ (uint64_t)left->core << 32 ^
                    (uint64_t)left->kind << 40 ^ (uint64_t)left->noc << 48;
    for (unsigned i = 0; i < NEAR && first <= tile->kind->l1_bytes - NEAR; i++) {
        hash = (hash ^ tile->l1[first + i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void note_left(void *context, const struct tile *tile, const struct response_left *left)
{
    struct leftovers *leftovers = context;
    uint64_t hash = hash_left(tile, left);
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
    for (unsigned i = 0; i < NOC_NODES && leftovers->searches < MOST_SEARCHES; i++) {
        const struct tile *tile = device->chip->place[i].tile;
        is_unknown |= tile && tile->unseen_count && tile->kind->type == TILE_TENSIX &&
                      !metal_layout(device->chip, tile);
    }
    if (is_unknown) {
        leftovers->searches++;
        device_know_firmware(device);
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
    responses_visit_left(device->chip, note_left, leftovers);
    if (!leftovers->has_new) {
        return;
    }
    device_know_programs(device);
    int length = waits_left_report(device->chip, NULL, 0);
    char *text = length > 0 ? malloc(sizeof title + (size_t)length) : NULL;
    if (text) {
        memcpy(text, title, sizeof title);
        waits_left_report(device->chip, text + sizeof title - 1, (size_t)length + 1);
        text[sizeof title + (size_t)length - 2] = 0; /* the last newline */
        report_text(device, text);
    }
    device_forget_programs(device);
    free(text);
}
