/* The items of tensix_items.def: their names, and their values. */
#ifndef OBSERVE_TENSIX_ITEMS_H
#define OBSERVE_TENSIX_ITEMS_H

#include <stdbool.h>
#include <stdint.h>

enum tensix_item {
#define TENSIX_ITEM(token, group, name, count, from) ITEM_##token,
#include "observe/tensix_items.def"
    TENSIX_ITEMS,
};

/* In the order in which dumps have them; items of a group alternate. */
enum tensix_item_group {
    ITEMS_THREAD_RWC,
    ITEMS_THREAD_ADC_UNPACKER0,
    ITEMS_THREAD_ADC_UNPACKER1,
    ITEMS_THREAD_ADC_PACKER,
    ITEMS_THREAD_GPR,
    ITEMS_SEMAPHORE,
    ITEMS_MUTEX,
    ITEMS_SRCA_IN_USE,
    ITEMS_SRCA_VALID,
    ITEMS_SRCB_IN_USE,
    ITEMS_SRCB_VALID,
    ITEMS_GROUPS,
};

enum { TENSIX_ITEM_NAME = 40 };

struct tensix;

/* One of an item: of a thread (0 where the item is of none) and an index. */
struct tensix_item_at {
    enum tensix_item item;
    unsigned thread, index;
};

/* How many of an item there are, of each thread. */
unsigned tensix_item_count(enum tensix_item item);

enum tensix_item_group tensix_item_group(enum tensix_item item);

/* Its name, as penrose_tensix_read takes it; returns `name`. */
const char *tensix_item_name(struct tensix_item_at at, char name[TENSIX_ITEM_NAME]);

uint32_t tensix_item_value(const struct tensix *tensix, struct tensix_item_at at);

/* The item of a name. False: there is none, and *rest is the word of the name, and what follows it,
 * that is unknown. */
bool tensix_item_find(const char *name, struct tensix_item_at *at, const char **rest);

/* The first item and the next ones, in the order of dumps: thread by thread, then what belongs to
 * none. False: there is none left. */
bool tensix_item_next(struct tensix_item_at *at, bool *has_begun);

#endif
