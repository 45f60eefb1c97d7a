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

struct check_races {
    struct order order;
    struct races_row dst[TENSIX_DST_ROWS];
    struct order_stamp load[TENSIX_THREADS][TENSIX_GPRS];
    struct order_stamp uses[ORDER_LANES]; /* the latest one that uses Config, */
    uint8_t state[ORDER_LANES];           /* and which state of it */
    uint32_t config[TENSIX_STATES][TENSIX_STATE_WORDS];
    uint8_t semaphore[TENSIX_SEMAPHORES]; /* their values when the kernels began */
    bool matrix_may[TENSIX_SRCS][2];
    bool has_begun;
    struct races_l1 l1[];
};

#endif
