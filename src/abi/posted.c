/*
 * Posted writes, see posted.h: a ring of bytes with one thread that fills it and one at a time that
 * empties it, its owner. The ring is in the caches of the thread that fills it; others look at it
 * now and then, and are woken when much has come together, since that costs a microsecond or more.
 *
 * Who finds the ring full goes past it: it writes to a tile by itself while the other thread has
 * nothing to do there, so that both load tiles at the same time. The order of writes to a tile is
 * kept, and those to registers are passed by nobody, since they may lead to faults.
 */
#include "abi/posted.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "chip/idle.h"
#include "host/pages.h"
#include "isa/host_time.h"
#include "tile/tile.h"

enum {
    RING_BYTES = 1 << 18,
    MOST_BYTES = RING_BYTES / 8, /* of a write */
    CALL_WORK = 24 << 10,        /* bytes that are worth waking a thread for */
    REGISTER_WORK = 1 << 10,     /* the same of a write to a register, which may make a tile */
    UNIT = 16,                   /* where entries begin */
    PAUSES_PER_YIELD = 4096,
    SKIP = 0,        /* the size of an entry that stands for the rest of the ring */
    IDLE_LOOKS = 32, /* some ten microseconds */
    NOWHERE = CHIP_PLACES,
};

/* A write; its bytes follow. */
struct entry {
    uint32_t size;
    uint16_t x, y;
    uint64_t address;
};

_Static_assert(sizeof(struct entry) == UNIT, "entries begin at multiples of their size");

enum owner { OWNER_NOBODY, OWNER_HELPER, OWNER_FILLER };

struct posted {
    struct penrose_chip *chip;
    uint8_t *ring;
    bool has_failed; /* the owner's, as are the next ones */
    struct penrose_error error;
    bool stands_still; /* after a fault, until the thread that fills the ring has seen to it */
    struct tile *reset[CHIP_PLACES]; /* whose reset registers were written, each once */
    bool is_noted[CHIP_PLACES];      /* the owner's */
    _Atomic unsigned resets;         /* so many; others look at them */
    _Atomic unsigned rams, lows;     /* of those, whose memory of each sort was asked for */
    unsigned idle_looks;             /* of who helps, since there was something to do */
    uint64_t known_tail; /* of the thread that fills the ring, as are those up to `head` */
    uint64_t work;       /* handed in since somebody was called */
    uint16_t x, y;       /* of the latest write, */
    uint16_t place;      /* and where that is */
    uint16_t beside;     /* the place to which writes go past the ring, or NOWHERE */
    uint64_t latest[CHIP_PLACES + 1]; /* the end of the latest entry for each place */
    uint64_t latest_register;         /* and of the latest for a register */
    /* Bytes since the beginning; what is written by different threads is in lines of its own. */
    _Alignas(64) _Atomic uint64_t head;
    _Alignas(64) _Atomic uint64_t tail;
    _Alignas(64) _Atomic enum owner owner;
    atomic_bool hurries; /* the thread that fills the ring wants to be the owner */
};

/* --- Emptying --- */

/* An exchange, so that a signal handler of the owner's thread can tell who it is. */
static bool own(struct posted *posted, enum owner who)
{
    enum owner nobody = OWNER_NOBODY;
    return atomic_compare_exchange_strong_explicit(&posted->owner, &nobody, who,
                                                   memory_order_acquire, memory_order_relaxed);
}

static void disown(struct posted *posted)
{
    atomic_store_explicit(&posted->owner, OWNER_NOBODY, memory_order_release);
}

/* Passes a moment until another thread has got on; it may want this processor for that. */
static void wait_briefly(unsigned *waits)
{
    host_pause();
    if (++*waits % PAUSES_PER_YIELD == 0) {
        sched_yield();
    }
}

static struct entry *entry_at(const struct posted *posted, uint64_t position)
{
    return (struct entry *)(posted->ring + position % RING_BYTES);
}

/* The room that an entry takes. */
static uint64_t room_of(const struct entry *entry, uint64_t position)
{
    return entry->size == SKIP ? RING_BYTES - position % RING_BYTES
                               : UNIT + (entry->size + UNIT - 1) / UNIT * UNIT;
}

static bool is_register(const struct entry *entry)
{
    return entry->size != SKIP && entry->address >= TILE_L1_BYTES;
}

/* Only a write to a register makes it stand still, so that who has seen the last of these done may
 * look. */
static void do_write(struct posted *posted, const struct entry *entry)
{
    struct penrose_error error;
    size_t faults = penrose_fault_count(posted->chip);
    if (penrose_write(posted->chip, entry->x, entry->y, entry->address, entry + 1, entry->size,
                      &error) != PENROSE_OK &&
        !posted->has_failed) {
        posted->has_failed = true;
        posted->error = error;
    }
    if (is_register(entry)) {
        posted->stands_still = penrose_fault_count(posted->chip) > faults;
    }
}

/* Whose harts a host holds will run in a while. Notes it; for the owner. */
static void note_reset(struct posted *posted, const struct entry *entry)
{
    unsigned place = chip_place_of(posted->chip, entry->x, entry->y);
    struct tile *tile = chip_made_tile(posted->chip, place);
    unsigned resets = atomic_load_explicit(&posted->resets, memory_order_relaxed);
    if (tile && !posted->is_noted[place]) {
        posted->is_noted[place] = true;
        posted->reset[resets] = tile;
        atomic_store_explicit(&posted->resets, resets + 1, memory_order_relaxed);
    }
}

static bool is_prepared(struct posted *posted)
{
    unsigned resets = atomic_load_explicit(&posted->resets, memory_order_relaxed);
    return atomic_load_explicit(&posted->rams, memory_order_relaxed) >= resets &&
           atomic_load_explicit(&posted->lows, memory_order_relaxed) >= resets;
}

/* One more, unless posted_time_passes has counted all meanwhile. */
static void count_one(_Atomic unsigned *counter, unsigned before)
{
    atomic_compare_exchange_strong_explicit(counter, &before, before + 1, memory_order_relaxed,
                                            memory_order_relaxed);
}

/* Has the host make room for something that such a worker needs, one a call: other work may come
 * up. Low L1 only when nothing else was to do for a while: a host that is loading already is
 * faster, as two threads that ask for pages disturb each other. For who helps, as the owner; false
 * where nothing was done. */
static bool prepare(struct posted *posted)
{
    unsigned resets = atomic_load_explicit(&posted->resets, memory_order_relaxed);
    unsigned rams = atomic_load_explicit(&posted->rams, memory_order_relaxed);
    unsigned lows = atomic_load_explicit(&posted->lows, memory_order_relaxed);
    if (atomic_load_explicit(&posted->hurries, memory_order_relaxed)) {
        return false;
    }
    if (rams < resets) {
        tile_fill_rams(posted->reset[rams]);
        count_one(&posted->rams, rams);
        return true;
    }
    if (lows >= resets || posted->idle_looks++ < IDLE_LOOKS) {
        return false;
    }
    tile_fill_low(posted->reset[lows]);
    count_one(&posted->lows, lows);
    return true;
}

static void after_register(struct posted *posted, const struct entry *entry, bool helps,
                           bool careful)
{
    if (!is_register(entry)) {
        return; /* others may look at stands_still meanwhile */
    }
    if (careful) {
        posted->stands_still = true;
    }
    if (helps) {
        note_reset(posted, entry);
    }
}

/* Does what there is up to `end`, or up to a write after which the others have to stand still. Who
 * helps stops when the other thread hurries. For the owner. */
static void empty(struct posted *posted, uint64_t end, bool helps, bool careful)
{
    uint64_t tail = atomic_load_explicit(&posted->tail, memory_order_relaxed);
    while (tail < end && !posted->stands_still &&
           !(helps && atomic_load_explicit(&posted->hurries, memory_order_relaxed))) {
        const struct entry *entry = entry_at(posted, tail);
        if (entry->size != SKIP) {
            do_write(posted, entry);
            after_register(posted, entry, helps, careful);
        }
        tail += room_of(entry, tail);
        atomic_store_explicit(&posted->tail, tail, memory_order_release);
    }
}

/* What an idle thread does. */
static bool help(void *context)
{
    struct posted *posted = context;
    uint64_t head = atomic_load_explicit(&posted->head, memory_order_acquire);
    if ((head == atomic_load_explicit(&posted->tail, memory_order_relaxed) &&
         is_prepared(posted)) ||
        atomic_load_explicit(&posted->hurries, memory_order_relaxed) ||
        !own(posted, OWNER_HELPER)) {
        return false;
    }
    bool has_work = head != atomic_load_explicit(&posted->tail, memory_order_relaxed);
    if (has_work) {
        posted->idle_looks = 0;
        has_work = !posted->stands_still;
        empty(posted, head, true, false);
    } else {
        has_work = prepare(posted);
    }
    disown(posted);
    return has_work;
}

/* Becomes the owner, for the thread that fills the ring. */
static void take_over(struct posted *posted)
{
    unsigned waits = 0;
    atomic_store_explicit(&posted->hurries, true, memory_order_relaxed);
    while (!own(posted, OWNER_FILLER)) {
        wait_briefly(&waits);
    }
    atomic_store_explicit(&posted->hurries, false, memory_order_relaxed);
}

/* --- Filling --- */

static uint64_t head_of(const struct posted *posted)
{
    return atomic_load_explicit(&posted->head, memory_order_relaxed);
}

static bool has_room(struct posted *posted, uint64_t needed)
{
    if (head_of(posted) + needed <= posted->known_tail + RING_BYTES) {
        return true;
    }
    posted->known_tail = atomic_load_explicit(&posted->tail, memory_order_acquire);
    return head_of(posted) + needed <= posted->known_tail + RING_BYTES;
}

/* Waits for who empties the ring, or does half of it; false where it stands still. */
static bool make_room(struct posted *posted, uint64_t needed)
{
    bool stands_still = false;
    for (unsigned waits = 0; !stands_still && !has_room(posted, needed);) {
        if (own(posted, OWNER_FILLER)) {
            empty(posted, head_of(posted) - RING_BYTES / 2, false, false);
            stands_still = posted->stands_still;
            disown(posted);
        } else {
            wait_briefly(&waits);
        }
    }
    return !stands_still;
}

/* Adds an entry, for which there is room. */
static void put(struct posted *posted, const struct entry *entry, const void *bytes)
{
    uint64_t head = head_of(posted);
    struct entry *at = entry_at(posted, head);
    *at = *entry;
    memcpy(at + 1, bytes, entry->size);
    atomic_store_explicit(&posted->head, head + room_of(entry, head), memory_order_release);
}

/* Somebody else may begin. */
static void call(struct posted *posted)
{
    posted->work = 0;
    chip_call_idle(posted->chip);
}

/* The place of a write: mostly that of the one before. */
static uint16_t find_place(struct posted *posted, const struct entry *entry)
{
    if (entry->x != posted->x || entry->y != posted->y || posted->place == NOWHERE) {
        posted->x = entry->x;
        posted->y = entry->y;
        posted->place = (uint16_t)chip_place_of(posted->chip, entry->x, entry->y);
    }
    return posted->place;
}

/* May L1 at the place be written at once, while another thread empties the ring? Neither it nor a
 * register may be written by what is in there; the tile must have been made. */
static bool may_go_beside(const struct posted *posted, uint16_t place)
{
    return place != NOWHERE && posted->latest[place] <= posted->known_tail &&
           posted->latest_register <= posted->known_tail && !posted->stands_still &&
           chip_made_tile(posted->chip, place) &&
           atomic_load_explicit(&posted->owner, memory_order_relaxed) == OWNER_HELPER;
}

/* Writes past the ring, where it is full and another thread is at it, or where the writes before
 * went past it; false where that cannot be. */
static bool write_beside(struct posted *posted, const struct entry *entry, const void *bytes,
                         bool is_full)
{
    uint16_t place = find_place(posted, entry);
    if (is_register(entry) ||
        (place != posted->beside && !(is_full && may_go_beside(posted, place)))) {
        posted->beside = NOWHERE;
        return false;
    }
    struct penrose_error error;
    bool is_done = penrose_write(posted->chip, entry->x, entry->y, entry->address, bytes,
                                 entry->size, &error) == PENROSE_OK;
    posted->beside = is_done ? place : NOWHERE;
    return is_done;
}

bool posted_write(struct posted *posted, unsigned x, unsigned y, uint64_t address,
                  const void *bytes, uint32_t size)
{
    const struct entry entry = {
        .size = size, .x = (uint16_t)x, .y = (uint16_t)y, .address = address};
    if (size == 0 || size > MOST_BYTES) {
        return size == 0;
    }
    uint64_t room = room_of(&entry, 0), left = RING_BYTES - head_of(posted) % RING_BYTES;
    uint64_t skipped = left < room ? left : 0;
    bool is_full = !has_room(posted, skipped + room);
    if (write_beside(posted, &entry, bytes, is_full)) {
        return true;
    }
    if (is_full && !make_room(posted, skipped + room)) {
        return false;
    }
    if (skipped) {
        put(posted, &(struct entry){.size = SKIP}, bytes);
    }
    put(posted, &entry, bytes);
    posted->latest[posted->place] = head_of(posted);
    posted->latest_register = is_register(&entry) ? head_of(posted) : posted->latest_register;
    posted->work += address < TILE_L1_BYTES ? room : REGISTER_WORK;
    if (posted->work >= CALL_WORK) {
        call(posted);
    }
    return true;
}

/* --- Settling --- */

static bool is_empty(const struct posted *posted)
{
    return atomic_load_explicit(&posted->tail, memory_order_acquire) == head_of(posted);
}

bool posted_hold(struct posted *posted)
{
    if (atomic_load_explicit(&posted->owner, memory_order_relaxed) == OWNER_FILLER) {
        return false;
    }
    take_over(posted);
    empty(posted, head_of(posted), false, false);
    return true;
}

void posted_release(struct posted *posted)
{
    disown(posted);
}

enum posted_rest posted_settle(struct posted *posted, bool careful, struct penrose_error *error)
{
    error->text[0] = '\0';
    posted->work = 0;
    posted->beside = NOWHERE;
    if (is_empty(posted) && !posted->has_failed && !posted->stands_still) {
        return POSTED_NOTHING;
    }
    take_over(posted);
    posted->stands_still &= !careful; /* the caller has seen to it */
    empty(posted, head_of(posted), false, careful);
    bool rests = posted->stands_still;
    if (posted->has_failed) {
        *error = posted->error;
        posted->has_failed = false;
    }
    disown(posted);
    return rests ? POSTED_MORE : POSTED_NOTHING;
}

void posted_time_passes(struct posted *posted)
{
    unsigned resets = atomic_load_explicit(&posted->resets, memory_order_relaxed);
    atomic_store_explicit(&posted->rams, resets, memory_order_relaxed);
    atomic_store_explicit(&posted->lows, resets, memory_order_relaxed);
}

/* --- Life --- */

struct posted *posted_create(struct penrose_chip *chip)
{
    struct posted *posted = aligned_alloc(_Alignof(struct posted), sizeof *posted);
    uint8_t *ring = host_pages_map(RING_BYTES);
    if (!posted || !ring) {
        free(posted);
        if (ring) {
            host_pages_unmap(ring, RING_BYTES);
        }
        return NULL;
    }
    *posted = (struct posted){.chip = chip, .ring = ring, .place = NOWHERE, .beside = NOWHERE};
    chip_set_idle(chip, help, posted);
    return posted;
}

void posted_destroy(struct posted *posted)
{
    if (posted) {
        host_pages_unmap(posted->ring, RING_BYTES);
        free(posted);
    }
}
