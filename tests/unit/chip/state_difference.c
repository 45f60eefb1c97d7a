/* Differences between states, see state_difference.h: a walk over the rows of snapshot.def. */
#include "unit/chip/state_difference.h"

#include <stdio.h>
#include <string.h>

#include "chip/chip.h"
#include "chip/links.h"
#include "chip/snapshot.h"
#include "tile/present.h"

static char text[300];

static void add(const char *part, uint32_t index, bool is_array)
{
    size_t at = strlen(text);
    snprintf(text + at, sizeof text - at, is_array ? "%s[%u]" : "%s", part, index);
}

/* Appends where numbers begin to differ, and what is there. */
static void add_bytes(const uint8_t *a, const uint8_t *b, uint32_t size)
{
    uint32_t at = 0;
    uint64_t value = 0, other = 0;
    while (at + sizeof value < size && memcmp(a + at, b + at, sizeof value) == 0) {
        at += sizeof value;
    }
    memcpy(&value, a + at, size - at < sizeof value ? size - at : sizeof value);
    memcpy(&other, b + at, size - at < sizeof other ? size - at : sizeof other);
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, " at %u: 0x%llx, 0x%llx", at,
             (unsigned long long)value, (unsigned long long)other);
}

static bool find_in_bytes(const char *name, const uint8_t *a, const uint8_t *b, uint32_t size)
{
    bool differs = memcmp(a, b, size) != 0;
    if (differs) {
        add(name, 0, false);
        add_bytes(a, b, size);
    }
    return differs;
}

/* Appends the name of what differs. */
static bool find_in_object(const struct snapshot_type *type, const uint8_t *a, const uint8_t *b)
{
    if (type->is_state) {
        add(" ", 0, false);
        return find_in_bytes(type->name, a, b, type->size);
    }
    for (uint32_t i = 0; i < type->members; i++) {
        const struct snapshot_member *member = &type->member[i];
        const uint8_t *at = a + member->offset, *other = b + member->offset;
        uint32_t unit = member->size;
        if (member->kind == SNAPSHOT_HINTS) {
            return false;
        }
        if (member->kind == SNAPSHOT_LEAVE || member->kind == SNAPSHOT_BESIDE ||
            memcmp(at, other, member->size) == 0) {
            continue;
        }
        unit = member->kind == SNAPSHOT_INNER ? member->type->size : unit;
        for (uint32_t done = 0; done < member->size; done += unit) {
            size_t length = strlen(text);
            add(" ", 0, false);
            add(member->name, done / unit, member->size > unit);
            if (member->kind != SNAPSHOT_INNER) {
                add_bytes(at, other, member->size);
                return true;
            }
            if (find_in_object(member->type, at + done, other + done)) {
                return true;
            }
            text[length] = 0;
        }
    }
    return false;
}

static const struct snapshot_type *tile_rows(void)
{
    const struct snapshot_type *type;
    for (size_t i = 0; (type = snapshot_type_at(i)); i++) {
        if (strcmp(type->name, "tile") == 0) {
            break;
        }
    }
    return type;
}

static bool find_in_tile(const struct tile *tile, const struct tile *other)
{
    bool is_found = find_in_object(tile_rows(), (const uint8_t *)tile, (const uint8_t *)other) ||
                    find_in_bytes(": L1", tile->l1, other->l1, tile->kind->l1_bytes);
    for (unsigned core = 0; core < RV32_CORES && !is_found; core++) {
        is_found = find_in_bytes(": local RAM", tile->local[core], other->local[core],
                                 tile_local_size((enum rv32_core)core));
    }
    return is_found;
}

/* Packets that are on their way, in order. */
static bool find_in_queue(const char *name, const struct noc_queue *queue,
                          const struct noc_queue *same)
{
    const struct noc_packet *packet = queue->head, *other = same->head;
    bool is_found = false;
    for (unsigned i = 0; (packet || other) && !is_found; i++) {
        text[0] = 0;
        add(name, i, true);
        is_found = !packet || !other ||
                   find_in_bytes("", (const uint8_t *)packet, (const uint8_t *)other,
                                 sizeof(struct noc_packet_state));
        packet = packet ? packet->next : NULL;
        other = other ? other->next : NULL;
    }
    return is_found;
}

static bool find_between_tiles(const struct penrose_chip *chip, const struct penrose_chip *other)
{
    bool is_found = false;
    for (unsigned i = 0; i < NOC_NODES && !is_found; i++) {
        const struct tile *tile = chip->place[i].tile, *same = other->place[i].tile;
        is_found = tile && find_in_queue(tile->name, &tile->inbox, &same->inbox);
    }
    for (unsigned i = 0; i < GRID_BANKS && !is_found; i++) {
        is_found = find_in_queue("bank", &chip->bank[i].inbox, &other->bank[i].inbox);
    }
    if (is_found) {
        return true;
    }
    text[0] = 0;
    return (chip->links &&
            find_in_bytes("links", (const uint8_t *)&chip->links->state,
                          (const uint8_t *)&other->links->state, sizeof chip->links->state)) ||
           find_in_queue("on the way", &chip->on_way, &other->on_way) ||
           find_in_queue("edge", &chip->edge, &other->edge);
}

const char *state_difference(struct penrose_chip *chip, struct penrose_chip *other)
{
    static struct tile_past past, other_past;
    bool is_found = false;
    for (unsigned i = 0; i < NOC_NODES && !is_found; i++) {
        struct tile *tile = chip->place[i].tile, *same = other->place[i].tile;
        if (!tile && !same) {
            continue;
        }
        snprintf(text, sizeof text, "%s", tile ? tile->name : same->name);
        if (!tile || !same) {
            return text;
        }
        tile_to_present(tile, chip->head.time.now, &past);
        tile_to_present(same, other->head.time.now, &other_past);
        is_found = find_in_tile(tile, same);
        tile_to_past(tile, &past);
        tile_to_past(same, &other_past);
    }
    return is_found || find_between_tiles(chip, other) ? text : "not in a tile, nor between tiles";
}
