/*
 * Hashes of the parts of the coprocessor after the latest event that may have changed them. Also
 * the changes of Dst, by which packers that have read it too early are found.
 */
#ifndef OBSERVE_EXPLAIN_HELD_H
#define OBSERVE_EXPLAIN_HELD_H

#include "observe/explain/writers.h"
#include "tensix/tensix.h"

/* A change of Dst by event number `sequence`. */
struct held_change {
    uint64_t sequence;
    struct writers_dst_change what;
};

struct held {
    struct tensix_dst dst;
    struct tensix_src_file src[TENSIX_SRCS];
    uint32_t lreg[TENSIX_LREGS][NUM_LANES];
    uint32_t config[TENSIX_STATES][TENSIX_STATE_WORDS];
    uint16_t thread_config[TENSIX_THREADS][TENSIX_THREAD_WORDS];
    uint64_t hash[WRITERS_PARTS]; /* of it, when */
    uint64_t hashed;              /* the number of the latest event was this */
    struct held_change *change;   /* of Dst, in the order of time */
    size_t changes, change_room;
};

void held_start(struct held *held, const struct tensix *tensix);
void held_free(struct held *held);

/* Event number `sequence` may have changed something. */
void held_look(struct held *held, const struct tensix *tensix, const struct observed *event,
               uint64_t sequence);

/* The hashes before event number `sequence`, which is under way. */
const uint64_t *held_hashes(struct held *held, uint64_t sequence);

/* A hash of bytes and of one `before`. */
uint64_t held_hash_bytes(uint64_t before, const void *bytes, size_t size);

/* The first change of Dst behind event number `sequence`; not is_there: none. */
struct writers_dst_change held_dst_change(const struct held *held, uint64_t sequence);

#endif
