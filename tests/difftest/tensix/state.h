/*
 * The state that is compared: which words the guest reads back, and the named values in them.
 *
 * A probe word is one word of the dump that a program leaves in L1: words 0 to 191 are the GPRs of
 * T0, T1 and T2, then come configuration state 0, state 1, the rows of probes.def and some of L1.
 * An item is a value with a name: a probe word, or some bits of the debug bus. A unit that joins
 * adds rows to probes.def, or a kind of probe word with its way of reading.
 */
#ifndef DIFFTEST_TENSIX_STATE_H
#define DIFFTEST_TENSIX_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/ending.h"
#include "program.h"

enum probe_kind {
    PROBE_GPR,    /* `address`, by the hart of `thread` alone */
    PROBE_PLAIN,  /* `address`, by any of the three harts */
    PROBE_CONFIG, /* the same; `number` is the word of state 0 */
    PROBE_RDCFG,  /* word `number` of state 1, by an instruction: the window shows state 0 */
    PROBE_BUS,    /* the debug bus, selected by `address` */
};

struct probe {
    enum probe_kind kind;
    uint8_t thread;
    uint16_t number;
    uint32_t address;
    uint32_t known; /* bits that are part of an item */
};

enum { MOST_PROBES = 512, MOST_ITEMS = 640, NAME_SIZE = 48, SCRATCH_WORDS = 16 };
enum { ITEM_PIECES = 2 };

struct item {
    char name[NAME_SIZE];
    uint16_t probe; /* the first word */
    uint8_t lsb, width;
    uint32_t reset; /* its value in a tile that has done nothing */
};

struct state_map {
    struct probe probe[MOST_PROBES];
    struct item item[MOST_ITEMS];
    unsigned probes, items;
};

/* Access of a configuration word, see words.def. */
enum word_access { WORD_NONE, WORD_RW, WORD_GLOBAL, WORD_WO, WORD_RO, WORD_SCRATCH, WORD_SEED };
enum { CONFIG_WORDS = 224 };

struct config_word {
    enum word_access access;
    uint32_t legal, unnamed;
};

extern const struct config_word config_words[CONFIG_WORDS];

/* Built once, before threads are started. */
void state_map_build(struct state_map *map);

/* Leaves out the items whose name contains the text; their number. */
unsigned state_map_ignore(struct state_map *map, const char *text);

/* The number of the item with this name, or -1. */
int state_item_find(const struct state_map *map, const char *name);

/* The probe word of GPR, configuration word (state 0), semaphore; -1 where there is none. */
int state_probe_find(const struct state_map *map, enum probe_kind kind, uint8_t thread,
                     uint16_t number);

/* The name of a probe word (the first item in it), and back. */
const char *state_probe_name(const struct state_map *map, unsigned probe);
int state_probe_named(const struct state_map *map, const char *name);

/* The value of an item in a dump. */
uint32_t state_item_value(const struct item *item, const uint32_t *dump);

/* --- What a run leaves --- */

enum { MOST_LOG = 4096, MOST_SCENE = 0x4000 };

struct outcome {
    enum ending ending;
    uint32_t dump[MOST_PROBES];
    uint32_t logs[THREADS]; /* words of each thread's log, which follow each other in log[] */
    uint32_t log[MOST_LOG];
    uint32_t scene_words; /* of a scene: packed L1, Dst, Src (epilogue.h); else 0 */
    uint32_t scene[MOST_SCENE];
    char message[MESSAGE_SIZE]; /* the last line that the library printed */
};

bool outcome_equal(const struct state_map *map, const struct outcome *a, const struct outcome *b);

#endif
