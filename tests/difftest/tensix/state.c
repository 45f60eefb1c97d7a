#include "state.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "guest.h"

#define CONFIG_WINDOW UINT32_C(0xffef0000)
#define GPR_WINDOW    UINT32_C(0xffe00000)

#define WORD(number, access, legal, unnamed) [number] = {WORD_##access, legal, unnamed},
const struct config_word config_words[CONFIG_WORDS] = {
#include "words.def"
};

/* --- Building --- */

static unsigned add_probe(struct state_map *map, struct probe probe)
{
    assert(map->probes < MOST_PROBES);
    map->probe[map->probes] = probe;
    return map->probes++;
}

static void add_item(struct state_map *map, const char *name, unsigned probe, unsigned lsb,
                     unsigned width, uint32_t reset)
{
    assert(map->items < MOST_ITEMS && strlen(name) < NAME_SIZE);
    struct item *item = &map->item[map->items++];
    *item = (struct item){.probe = (uint16_t)(probe + lsb / 32),
                          .lsb = (uint8_t)(lsb % 32),
                          .width = (uint8_t)width,
                          .reset = reset};
    snprintf(item->name, sizeof item->name, "%s", name);
    uint64_t bits = ((UINT64_C(1) << width) - 1) << item->lsb;
    map->probe[item->probe].known |= (uint32_t)bits;
    if (bits >> 32) {
        map->probe[item->probe + 1].known |= (uint32_t)(bits >> 32);
    }
}

static void add_gprs(struct state_map *map)
{
    char name[NAME_SIZE];
    for (unsigned i = 0; i < THREADS * GPRS; i++) {
        unsigned probe = add_probe(map, (struct probe){.kind = PROBE_GPR,
                                                       .thread = (uint8_t)(i / GPRS),
                                                       .number = (uint16_t)(i % GPRS),
                                                       .address = GPR_WINDOW + 4 * (i % GPRS)});
        snprintf(name, sizeof name, "T%u.gpr[%u]", i / GPRS, i % GPRS);
        add_item(map, name, probe, 0, 32, 0);
    }
}

static void add_config(struct state_map *map, enum probe_kind kind)
{
    char name[NAME_SIZE];
    for (unsigned word = 0; word < CONFIG_WORDS; word++) {
        bool is_global = config_words[word].access == WORD_GLOBAL;
        if (config_words[word].access != WORD_RW && !(is_global && kind == PROBE_CONFIG)) {
            continue;
        }
        unsigned probe = add_probe(map, (struct probe){.kind = kind,
                                                       .number = (uint16_t)word,
                                                       .address = CONFIG_WINDOW + 4 * word});
        snprintf(name, sizeof name, "config[%u][%u]", kind == PROBE_RDCFG, word);
        add_item(map, name, probe, 0, 32, 0);
    }
}

enum {
#define BUS(token, daisy, signal, first, words) BUS_##token,
#include "probes.def"
    BUSES
};

static const struct plain_row {
    const char *name;
    uint32_t address;
    uint8_t width;
} plain_rows[] = {
#define PLAIN(name, address, width) {name, address, width},
#include "probes.def"
};

static const struct bus_row {
    uint8_t daisy, signal, first, words;
} bus_rows[BUSES] = {
#define BUS(token, daisy, signal, first, words) {daisy, signal, first, words},
#include "probes.def"
};

static const struct field_row {
    const char *name;
    uint8_t bus, lsb, width, reset;
} field_rows[] = {
#define FIELD(token, name, lsb, width, reset) {name, BUS_##token, lsb, width, reset},
#include "probes.def"
};

static void add_rows(struct state_map *map)
{
    for (unsigned i = 0; i < sizeof plain_rows / sizeof plain_rows[0]; i++) {
        const struct plain_row *row = &plain_rows[i];
        struct probe probe = {.kind = PROBE_PLAIN, .address = row->address};
        add_item(map, row->name, add_probe(map, probe), 0, row->width, 0);
    }
    unsigned start[BUSES];
    for (unsigned b = 0; b < BUSES; b++) {
        const struct bus_row *row = &bus_rows[b];
        start[b] = map->probes;
        for (unsigned i = row->first; i < row->first + row->words; i++) {
            uint32_t select = guest_bus_select(row->daisy, row->signal + i / 4, i % 4);
            add_probe(map, (struct probe){.kind = PROBE_BUS, .address = select});
        }
    }
    for (unsigned i = 0; i < sizeof field_rows / sizeof field_rows[0]; i++) {
        const struct field_row *row = &field_rows[i];
        unsigned lsb = row->lsb - 32u * bus_rows[row->bus].first;
        add_item(map, row->name, start[row->bus], lsb, row->width, row->reset);
    }
}

void state_map_build(struct state_map *map)
{
    char name[NAME_SIZE];
    *map = (struct state_map){0};
    add_gprs(map);
    add_config(map, PROBE_CONFIG);
    add_config(map, PROBE_RDCFG);
    add_rows(map);
    for (unsigned i = 0; i < SCRATCH_WORDS; i++) {
        unsigned probe =
            add_probe(map, (struct probe){.kind = PROBE_PLAIN, .address = GUEST_SCRATCH + 4 * i});
        snprintf(name, sizeof name, "l1.scratch[%u]", i);
        add_item(map, name, probe, 0, 32, 0);
    }
}

unsigned state_map_ignore(struct state_map *map, const char *text)
{
    unsigned kept = 0, before = map->items;
    for (unsigned i = 0; i < before; i++) {
        if (!strstr(map->item[i].name, text)) {
            map->item[kept++] = map->item[i];
        }
    }
    map->items = kept;
    return before - kept;
}

/* --- Looking up --- */

int state_item_find(const struct state_map *map, const char *name)
{
    for (unsigned i = 0; i < map->items; i++) {
        if (!strcmp(map->item[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}

int state_probe_find(const struct state_map *map, enum probe_kind kind, uint8_t thread,
                     uint16_t number)
{
    for (unsigned i = 0; i < map->probes; i++) {
        const struct probe *probe = &map->probe[i];
        if (probe->kind == kind && probe->number == number &&
            (kind != PROBE_GPR || probe->thread == thread)) {
            return (int)i;
        }
    }
    return -1;
}

const char *state_probe_name(const struct state_map *map, unsigned probe)
{
    for (unsigned i = 0; i < map->items; i++) {
        if (map->item[i].probe == probe) {
            return map->item[i].name;
        }
    }
    return "?";
}

int state_probe_named(const struct state_map *map, const char *name)
{
    int item = state_item_find(map, name);
    return item < 0 ? -1 : map->item[item].probe;
}

uint32_t state_item_value(const struct item *item, const uint32_t *dump)
{
    uint64_t bits = dump[item->probe];
    if (item->lsb + item->width > 32) {
        bits |= (uint64_t)dump[item->probe + 1] << 32;
    }
    return (uint32_t)(bits >> item->lsb & ((UINT64_C(1) << item->width) - 1));
}

bool outcome_equal(const struct state_map *map, const struct outcome *a, const struct outcome *b)
{
    if (a->ending != b->ending) {
        return false;
    }
    if (a->ending != ENDED) {
        return true;
    }
    for (unsigned i = 0; i < map->items; i++) {
        if (state_item_value(&map->item[i], a->dump) != state_item_value(&map->item[i], b->dump)) {
            return false;
        }
    }
    uint32_t words = a->logs[0] + a->logs[1] + a->logs[2];
    return !memcmp(a->logs, b->logs, sizeof a->logs) &&
           !memcmp(a->log, b->log, words * sizeof a->log[0]) && a->scene_words == b->scene_words &&
           !memcmp(a->scene, b->scene, a->scene_words * sizeof a->scene[0]);
}
