/*
 * Mailboxes between B, T0, T1 and T2, and the PCBufs from B to the TRISCs with the places around
 * them: TTSync and the semaphores (SPEC: BlackholeA0 Mailboxes, PCBufs, ManualTTSync, SyncUnit).
 *
 * Invariants: a mailbox holds at most MAILBOX_DEPTH words, and so do all mailboxes of one writer
 * together; a PCBuf holds at most PC_BUF_DEPTH.
 *
 * Harts run in bursts, so a hart may find what another one has done at a later time: a word in a
 * FIFO, room for one, a semaphore's value. Its access waits until that time, so no hart sees the
 * future.
 */
#ifndef TILE_MAILBOX_H
#define TILE_MAILBOX_H

#include <stdint.h>

#include "rv32/rv32.h"

enum { MAILBOX_DEPTH = 4, PC_BUF_DEPTH = 16, MAILBOX_CORES = 4, PC_BUFS = 3 };

/* values[0] is the oldest. */
struct word_fifo {
    uint32_t values[PC_BUF_DEPTH];
    uint64_t pushed, popped; /* when the latest word came, and left */
    uint8_t count;
    uint8_t gap[7];
};

/* The harts by their numbers: RV32_B, RV32_T0, RV32_T1, RV32_T2. */
struct mailboxes {
    struct word_fifo pc_buf[PC_BUFS];
    struct word_fifo box[MAILBOX_CORES][MAILBOX_CORES]; /* [from][to] */
};

struct tile;

/* What entering (leaving) soft reset discards for a core. */
void mailbox_enter_reset(struct tile *tile, enum rv32_core core);
void mailbox_leave_reset(struct tile *tile, enum rv32_core core);

#endif
