/* Items of the coprocessor's state, see tensix_items.h. */
#include "observe/tensix_items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensix/tensix.h"

static const struct {
    enum tensix_item_group group;
    const char *name;
    unsigned count;
} tensix_items[TENSIX_ITEMS] = {
#define TENSIX_ITEM(token, group, name, count, from) {ITEMS_##group, name, count},
#include "observe/tensix_items.def"
};

unsigned tensix_item_count(enum tensix_item item)
{
    return tensix_items[item].count;
}

enum tensix_item_group tensix_item_group(enum tensix_item item)
{
    return tensix_items[item].group;
}

static bool is_of_thread(enum tensix_item item)
{
    return item < TENSIX_ITEMS && tensix_items[item].group <= ITEMS_THREAD_GPR;
}

const char *tensix_item_name(struct tensix_item_at at, char name[TENSIX_ITEM_NAME])
{
    bool is_thread = is_of_thread(at.item);
    size_t length = 0;
    for (const char *from = tensix_items[at.item].name; *from; from++) {
        if (*from == '#') {
            length += (size_t)snprintf(name + length, TENSIX_ITEM_NAME - length, "%u",
                                       is_thread ? at.thread : at.index);
            is_thread = false; /* the next one is the index */
        } else {
            name[length++] = *from;
        }
    }
    name[length] = 0;
    return name;
}

uint32_t tensix_item_value(const struct tensix *tensix, struct tensix_item_at at)
{
    const unsigned thread = at.thread, index = at.index;
    (void)index;
    switch (at.item) {
#define TENSIX_ITEM(token, group, name, count, from)                                               \
    case ITEM_##token:                                                                             \
        return tensix->from;
#include "observe/tensix_items.def"
    case TENSIX_ITEMS:
        break;
    }
    return 0;
}

/* --- By name --- */

/* Takes a number below `end`, up to a dot. */
static bool take_item_number(const char **name, unsigned end, unsigned *number)
{
    char *rest;
    if (**name < '0' || **name > '9') {
        return false;
    }
    unsigned long value = strtoul(*name, &rest, 10);
    if (value >= end || (*rest != '.' && *rest)) {
        return false;
    }
    *number = (unsigned)value;
    *name = rest;
    return true;
}

/* Compares word by word. False: *rest is the first word that is another one, or that is too much. */
static bool matches_item(enum tensix_item item, const char *name, struct tensix_item_at *at,
                         const char **rest)
{
    bool is_thread = is_of_thread(item);
    *at = (struct tensix_item_at){.item = item};
    *rest = name;
    for (const char *word = tensix_items[item].name; *word;) {
        const size_t length = strcspn(word, ".");
        const char *end = *rest + length;
        bool is_same = *word != '#' && strncmp(*rest, word, length) == 0 && (!*end || *end == '.');
        if (*word == '#') {
            end = *rest;
            is_same = take_item_number(&end, is_thread ? TENSIX_THREADS : tensix_items[item].count,
                                       is_thread ? &at->thread : &at->index);
            is_thread = false;
        }
        if (!is_same) {
            return false;
        }
        *rest = end + (*end == '.');
        word += length + (word[length] == '.');
    }
    return !**rest;
}

bool tensix_item_find(const char *name, struct tensix_item_at *at, const char **rest)
{
    const char *unknown = name;
    for (unsigned item = 0; item < TENSIX_ITEMS; item++) {
        if (matches_item((enum tensix_item)item, name, at, rest)) {
            return true;
        }
        unknown = *rest > unknown ? *rest : unknown;
    }
    *rest = unknown;
    return false;
}

/* --- In order --- */

/* The last item of a group, or the first one. */
static unsigned edge_of_group(unsigned item, int step)
{
    while (item + (unsigned)step < TENSIX_ITEMS &&
           tensix_items[item + (unsigned)step].group == tensix_items[item].group) {
        item += (unsigned)step;
    }
    return item;
}

bool tensix_item_next(struct tensix_item_at *at, bool *has_begun)
{
    const unsigned item = at->item;
    if (!*has_begun) {
        *has_begun = true;
        *at = (struct tensix_item_at){.item = (enum tensix_item)0};
        return true;
    }
    if (item != edge_of_group(item, 1)) {
        at->item = (enum tensix_item)(item + 1);
    } else if (at->index + 1 < tensix_items[item].count) {
        at->index++;
        at->item = (enum tensix_item)edge_of_group(item, -1);
    } else {
        const bool goes_on = is_of_thread((enum tensix_item)(item + 1));
        const bool is_next_thread =
            is_of_thread(at->item) && !goes_on && at->thread + 1 < TENSIX_THREADS;
        *at = (struct tensix_item_at){.item = (enum tensix_item)(is_next_thread ? 0 : item + 1),
                                      .thread = is_next_thread ? at->thread + 1
                                                : goes_on      ? at->thread
                                                               : 0};
    }
    return at->item < TENSIX_ITEMS;
}
