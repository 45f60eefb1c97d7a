/*
 * Words of L1 by which other tiles tell something: semaphores, which the NoC changes by atomics and
 * by writes of four bytes. A hart that stores to such a word before anybody in the tile has read it
 * takes away what it told: a post that nobody will ever see, if it does not come later by luck.
 */
#include "observe/check/check.h"

#include <string.h>

#include "noc/request.h"

enum { WORD_BYTES = 4 };

static uint32_t word_of(const struct tile *tile, uint32_t address)
{
    uint32_t word;
    memcpy(&word, tile->l1 + address, sizeof word);
    return word;
}

static void forget_unread(struct check_tile *own, unsigned index)
{
    own->unread[index] = own->unread[--own->unreads];
}

/* Where there are too many, one of them goes. */
static void note_brought(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_tile *own = scene->own;
    const uint32_t address = (uint32_t)event->address;
    for (unsigned i = own->unreads; i-- > 0;) {
        if (own->unread[i].address == address) {
            forget_unread(own, i);
        }
    }
    if (own->unreads == CHECK_UNREAD) {
        forget_unread(own, 0);
    }
    own->unread[own->unreads++] = (struct check_unread){.address = address,
                                                        .value = word_of(scene->tile, address),
                                                        .pc = event->pc,
                                                        .node = event->node,
                                                        .hart = event->asker};
}

static void report_lost(const struct check_scene *scene, const struct check_unread *unread)
{
    const struct check_scene of_sender = check_scene_at(scene, unread->node);
    char sender[CHECK_PLACE];
    if (of_sender.own) {
        check_report(scene, PENROSE_FAULT_RACE_L1, scene->hart, scene->event->pc, unread->address,
                     "stores over 0x%x, which %s of tile (%u, %u) has changed over the NoC, and "
                     "which nobody here has loaded since: what it told gets lost; "
                     "noc_semaphore_wait() is missing",
                     unread->address, check_place(&of_sender, unread->hart, unread->pc, sender),
                     of_sender.tile->x, of_sender.tile->y);
    }
}

void check_unread_brought(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    bool is_word = event->address % WORD_BYTES == 0 && event->size == WORD_BYTES &&
                   event->address < scene->tile->kind->l1_bytes;
    if (is_word && scene->own->is_known && event->asker < RV32_CORES &&
        event->node != scene->tile->node &&
        (event->packet == NOC_ATOMIC || event->packet == NOC_WRITE)) {
        note_brought(scene);
    }
}

void check_unread_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_tile *own = scene->own;
    const bool is_sent = event->kind == OBSERVED_SENT;
    const uint64_t first = is_sent ? event->back : event->address, end = first + event->size;
    for (unsigned i = own->unreads; i-- > 0;) {
        const struct check_unread unread = own->unread[i];
        if (unread.address >= end || first >= unread.address + WORD_BYTES) {
            continue;
        }
        if (event->kind == OBSERVED_WRITTEN && check_is_of_kernel(scene, event->pc) &&
            word_of(scene->tile, unread.address) != unread.value) {
            report_lost(scene, &unread);
        }
        forget_unread(own, i);
    }
}
