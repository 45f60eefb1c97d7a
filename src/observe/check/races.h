/*
 * Races inside a tile: what an instruction reads or writes while another one, on whose being over it
 * cannot rely (order.h), is still at it.
 *
 * For each row of Dst and each line of L1 the latest instructions are noted that have written or
 * read it; for each unit the latest one that uses its configuration; for GPRs loads under way.
 */
#ifndef OBSERVE_CHECK_RACES_H
#define OBSERVE_CHECK_RACES_H

#include "observe/check/order.h"

enum { RACES_LINE = 16 /* bytes of L1 */ };

/* A piece of Dst: who has written it last, and who has read that, by unit. */
struct races_row {
    struct order_stamp written, read[ORDER_UNITS];
};

/* Lines of L1 have a lane in the high bits and the number of its instruction in the low ones, since there
 * are so many of them; 0: none. */
struct races_l1 {
    uint32_t packed, unpacked;
};

/* The latest instruction of a thread that changes words of Config, and is not over in the next cycle. */
struct races_late {
    struct order_stamp stamp;
    unsigned first, count;
};

/* Something that was given and not taken yet: a post of a semaphore, a bank of Src. */
struct races_given {
    bool is_open;
    uint32_t hart, pc, word; /* word 0: by the hart itself */
};

struct check_races {
    struct order order;
    struct races_row dst[TENSIX_DST_ROWS];
    struct order_stamp load[TENSIX_THREADS][TENSIX_GPRS];
    struct order_stamp uses[ORDER_LANES]; /* the latest one that uses Config, */
    uint8_t state[ORDER_LANES];           /* and which state of it */
    uint32_t config[TENSIX_STATES][TENSIX_STATE_WORDS];
    struct order_stamp at_hand[TENSIX_THREADS]; /* number 0: it has been told as a whole */
    struct races_late late[TENSIX_THREADS];
    struct races_given post[TENSIX_SEMAPHORES], bank[2 * TENSIX_SRCS];
    uint8_t semaphore[TENSIX_SEMAPHORES]; /* their values */
    struct races_l1 l1[];
};

#endif
