/*
 * Posted writes: what hosts write to L1 and to reset registers while another thread does it.
 *
 * A host loads its programs in bursts of thousands of writes, with computations of its own between
 * them. As on PCIe, such a write is over for the host when it was handed in; it is done before
 * anybody can tell, since whoever looks at the chip calls posted_settle first. One thread hands in,
 * and settles; an idle thread of the chip's pool does the writes, in the order in which they came,
 * or else who settles; where it falls behind, who hands in writes to another tile meanwhile. The chip
 * is the same in any case.
 */
#ifndef ABI_POSTED_H
#define ABI_POSTED_H

#include <stdbool.h>
#include <stdint.h>

#include <penrose/penrose.h>

struct posted;

/* For writes to a chip, which has idle threads from then on; the chip lives longer than its threads
 * need this, see posted_destroy. NULL when memory runs out. */
struct posted *posted_create(struct penrose_chip *chip);

/* After the chip and its threads are gone. NULL does nothing. */
void posted_destroy(struct posted *posted);

/* Hands in a write to the L1 of a tile that has one there, or to a register of it, as
 * penrose_write() takes it. False, and nothing is done, for more bytes than it takes, and while
 * writes stand still after a fault. */
bool posted_write(struct posted *posted, unsigned x, unsigned y, uint64_t address,
                  const void *bytes, uint32_t size);

/* What is left when posted_settle returns. No other thread is at the chip then, but that one may
 * ask the host for memory of tiles. */
enum posted_rest {
    POSTED_NOTHING, /* all that was handed in is done */
    POSTED_MORE,    /* the latest write was to a register, and those behind it stand still until
                       posted_settle is called with `careful` */
};

/* Does what was handed in, up to a write to a register that leads to a fault; `careful`: up to any
 * write to a register, and goes on where it stood still. When a write failed *error tells of the
 * first one; else its text is empty. */
enum posted_rest posted_settle(struct posted *posted, bool careful, struct penrose_error *error);

/* Harts are going to run: they touch what they need by themselves, so nobody need prepare it. After
 * posted_settle. */
void posted_time_passes(struct posted *posted);

/* Keeps other threads away until posted_release, for a fork; what was handed in is done before.
 * False, and nothing is to be released, where the caller has interrupted posted_settle or
 * posted_write. */
bool posted_hold(struct posted *posted);
void posted_release(struct posted *posted);

#endif
