/*
 * What the hardware orders inside a tile: who can rely on what being over.
 *
 * Penrose executes an instruction at once. In hardware it is under way in its unit for a while, and
 * nobody can rely on its being over without having waited for it. A clock says how far somebody can
 * rely on each lane. A lane is a unit, or the way through the wait gate, for instructions of one
 * thread, which counts them. Instructions of one lane are in order.
 *
 *   An instruction knows what its thread's gate knows: what the hart knew that has pushed it, and
 *   what waits have told since.
 *   STALLWAIT tells the instructions that it blocks of the units of its condition mask.
 *   SEMWAIT tells of the post that must have happened, counted, so that it does not matter how far
 *   the poster has got in this run; or of the get.
 *   An UNPACR that waits in its unpacker is one of its lane from its gate on, and what it waits for
 *   its thread knows when it goes on.
 *   A bank of Src that is handed over, a mutex, and data that are stored for others take along what
 *   their giver knows.
 *   A hart learns from loads: the coprocessor-done check, semaphores, whatever others store.
 *
 * Harts have lanes, too. One counts a hart's stores, which others learn of where they meet it. The
 * other one counts its stores to the coprocessor's registers, which arrive on a way of their own: a
 * hart knows that they are there when it has loaded from there, a thread by STALLWAIT on TRISC_CFG.
 * One more lane counts what the NoC has brought from other tiles: a hart knows of it when it has loaded
 * a word, or the end of a block, that has come then or later.
 *
 * Where it is in doubt it lets somebody know too much, so that nothing right is reported.
 */
#ifndef OBSERVE_CHECK_ORDER_H
#define OBSERVE_CHECK_ORDER_H

#include "tensix/table.h"
#include "tensix/tensix.h"
#include "tile/tile.h"

enum order_unit {
    ORDER_GATE, /* has passed it */
    ORDER_UNPACKER0,
    ORDER_UNPACKER1,
    ORDER_MATRIX,
    ORDER_VECTOR,
    ORDER_PACKER,
    ORDER_SCALAR, /* its memory requests, too */
    ORDER_CONFIG,
    ORDER_MOVER,
    ORDER_PASSED, /* has passed the gate, as it is known to those who have waited for that */
    ORDER_UNITS,
    ORDER_UNIT_LANES = TENSIX_THREADS * ORDER_UNITS,
    ORDER_STORES = ORDER_UNIT_LANES, /* a lane for each hart */
    ORDER_ARRIVED = ORDER_STORES + RV32_CORES,
    ORDER_BROUGHT = ORDER_ARRIVED + RV32_CORES, /* by the NoC, for harts of other tiles */
    ORDER_LANES,
};

struct order_clock {
    uint32_t at[ORDER_LANES];
};

/* An instruction that has passed the gate; number 0: none. */
struct order_stamp {
    uint32_t number; /* the number-th of its lane, */
    uint32_t passed; /* and of its thread */
    uint32_t pc, word;
    uint8_t lane, thread, unit; /* lane: order_lane of both */
    uint8_t hart;               /* that has pushed it */
    bool is_of_flags; /* it has changed flags of rows of Dst alone, which it does at once */
};

/* A wait that is latched: what it tells those whom it blocks. */
struct order_wait {
    uint32_t blocks; /* 0: none */
    struct order_clock tells;
    unsigned src; /* conditions on banks of Src */
    unsigned semaphores, conditions;
    bool is_for_stream;
};

enum { ORDER_HISTORY = TENSIX_SEMAPHORE_MOST + 1 };

/* Posts and gets since SEMINIT: what those knew who did the latest of them and all before it. */
struct order_steps {
    uint32_t count;
    unsigned by; /* agents, a bit each: where there are several their order is not known */
    struct order_clock history[ORDER_HISTORY];
};

struct order_semaphore {
    struct order_steps posts, gets;
    int64_t base;             /* its value without these */
    struct order_clock begun; /* what the SEMINIT knew */
};

/* What somebody knew who has given something. */
struct order_gift {
    struct order_clock clock;
    unsigned known_by; /* threads that have learned it since, a bit each */
};

/* What a thread's front end knows. */
struct order_thread {
    struct order_clock clock;
    struct order_wait wait;
    uint32_t heard[RV32_CORES]; /* of which version of each hart's clock */
    bool is_begun;              /* the instruction at hand has passed */
    bool holds;                 /* it has waited for a post and has not got it yet */
    bool acquires; /* it has waited since the launch until a semaphore was below its maximum */
    unsigned asks; /* semaphores since then and since their SEMINIT, a bit each: it has waited while
                      they were 0, or its hart has loaded them */
    struct order_stamp handed; /* its latest instruction that told others how far it is */
};

struct order_hart {
    struct order_clock clock;
    uint32_t version; /* grows with the clock, but for the lane of the hart's own stores */
};

enum {
    ORDER_RECENT = 2048,
    ORDER_PLACE_BITS = 12,
    ORDER_PLACES = 1 << ORDER_PLACE_BITS, /* in which all addresses share */
    ORDER_SENT = 64,
};

struct order {
    uint32_t count[ORDER_LANES];
    struct order_thread thread[TENSIX_THREADS];
    struct order_hart hart[RV32_CORES];
    /* What those knew who have stored something at a place: 1 + which of `known`; 0: nobody has. A program
     * stores at few places of many. */
    uint16_t place[ORDER_PLACES];
    struct order_clock *known; /* `knowns` of them, with room for more */
    size_t knowns, room;
    struct order_clock lost; /* of all places for which there was no memory */
    /* What those knew who have sent something over the NoC: now, and before. A place to which the NoC
     * has brought something has the number of what they knew then, and learns it when somebody
     * looks. So what comes need not be learned line by line. */
    struct order_clock sent[ORDER_SENT];
    unsigned sent_now;
    bool is_sent_used;          /* a place has the number of what they know now */
    uint8_t came[ORDER_PLACES]; /* 1 + the number; 0: the place has learned all */
    struct order_semaphore semaphore[TENSIX_SEMAPHORES];
    struct order_clock mutex[TENSIX_MUTEXES];
    /* Banks that were given to the Matrix Unit, or back to the unpackers. */
    struct order_gift given[TENSIX_SRCS][2], returned[TENSIX_SRCS][2];
    struct order_stamp recent[ORDER_UNIT_LANES][ORDER_RECENT];
};

static inline unsigned order_lane(unsigned thread, enum order_unit unit)
{
    return thread * ORDER_UNITS + unit;
}

/* An instruction of `thread` passes the gate; `pusher` is the hart that has pushed it. Once
 * for each instruction, however often it is called before order_ended. */
void order_passes(struct order *order, const struct tensix *tensix, unsigned thread, unsigned row,
                  unsigned pusher);
/* It is told with all that it has touched: its stamp. */
void order_ended(struct order *order, const struct tensix *tensix, const struct observed *event,
                 struct order_stamp *stamp);
/* The rest of an UNPACR that has waited in its unpacker is told: its bank has come back. */
void order_goes_on(struct order *order, const struct tensix *tensix, const struct observed *event);
/* Then others learn what it tells them, and what it has latched. */
void order_handed(struct order *order, const struct tensix *tensix, const struct observed *event,
                  const struct order_stamp *stamp);

/* Does the instruction read what it writes there, as SEMPOST does and SEMINIT does not? */
bool order_reads_too(const struct observed_work *work, const struct observed_touch *written);

/* A hart has loaded or stored at an address. */
void order_hart_access(struct order *order, const struct tensix *tensix, unsigned hart,
                       const struct observed *event);

/* Has it passed its gate, for who has waited for that or is told by who has? */
static inline bool order_is_known_to_pass(const struct order_clock *clock,
                                          const struct order_stamp *stamp)
{
    return stamp->number == 0 ||
           clock->at[stamp->thread * ORDER_UNITS + ORDER_PASSED] >= stamp->passed;
}

/* A hart sends a request to the NoC, which may come back to this tile. */
void order_sent(struct order *order, unsigned hart);
/* Something has come over the NoC: who loads it knows what those knew who have sent something. Who
 * loads its end knows that it has come. */
void order_arrived(struct order *order, uint32_t address, uint32_t size, bool is_of_other_tile);

/* Has `thread` waited since the launch for what tells of room in Dst? That are semaphores below their
 * maximum, and those that `packs`, which packs what it computes, changes, or nobody else yet. */
bool order_acquires(const struct order *order, unsigned thread, unsigned packs);

/* Nothing is under way any more. */
void order_all(struct order *order);

void order_free(struct order *order);

/* Can who has this clock rely on the instruction being over? On its having passed its gate? */
static inline bool order_is_over(const struct order_clock *clock, const struct order_stamp *stamp)
{
    return stamp->number == 0 || clock->at[stamp->lane] >= stamp->number;
}

static inline bool order_has_passed(const struct order_clock *clock,
                                    const struct order_stamp *stamp)
{
    return clock->at[stamp->thread * ORDER_UNITS + ORDER_GATE] >= stamp->passed;
}

/* The instruction with this number; NULL: it was too long ago. */
const struct order_stamp *order_find(const struct order *order, unsigned lane, uint32_t number);

/* The unit of a row as lanes count it; ORDER_GATE: none that takes time. */
enum order_unit order_unit_of(unsigned row, uint32_t word);

#endif
