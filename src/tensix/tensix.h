/*
 * The Tensix coprocessor as the rest of the tile sees it: instruction queues, configuration,
 * GPRs, semaphores. In this version instructions are queued, counted and drained one a cycle and
 * thread; nothing executes them yet.
 *
 * SPEC: BlackholeA0 PushTensixInstruction, BackendConfiguration, SyncUnit, SoftReset, AutoTTSync;
 * WormholeB0 ScalarUnit, MOPExpander.
 */
#ifndef TENSIX_TENSIX_H
#define TENSIX_TENSIX_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TENSIX_THREADS = 3,
    TENSIX_FIFO_DEPTH = 32,   /* reached only by a fused push of four */
    TENSIX_FIFO_ACCEPTS = 28, /* above this occupancy nothing is accepted */
    TENSIX_GPRS = 64,
    TENSIX_SEMAPHORES = 8,
    TENSIX_SEMAPHORE_MOST = 15,
    TENSIX_MOP_WORDS = 9,
    TENSIX_STATES = 2,
    TENSIX_STATE_WORDS = 56 * 4, /* CFG_STATE_SIZE: of one Config state */
    TENSIX_THREAD_WORDS = 68,    /* THD_STATE_SIZE */
    TENSIX_THCON_WORD = 64,      /* THCON_CFGREG_BASE_ADDR32 */
    TENSIX_GLOBAL_WORD = 180,    /* GLOBAL_CFGREG_BASE_ADDR32: from here on both states are one */
};

/* Who pushed an instruction: a TRISC pushes in front of its MOP expander, the others behind. */
enum tensix_source { TENSIX_FROM_TRISC, TENSIX_FROM_B, TENSIX_FROM_DEBUG_BUS };

struct tensix_entry {
    uint32_t word;
    enum tensix_source source;
    uint64_t cycle; /* when it was pushed; it leaves later than that */
};

/* fifo[head] is the oldest of `count` entries. */
struct tensix_thread {
    struct tensix_entry fifo[TENSIX_FIFO_DEPTH];
    unsigned head, count;
    uint64_t free_at; /* the first cycle at which the next instruction may leave */
    uint64_t pushed, drained;
    uint32_t mop[TENSIX_MOP_WORDS];
};

struct tensix_semaphore {
    uint8_t value, max;
};

struct tensix {
    struct tensix_thread thread[TENSIX_THREADS];
    uint32_t config[TENSIX_STATES][TENSIX_STATE_WORDS];
    uint16_t thread_config[TENSIX_THREADS][TENSIX_THREAD_WORDS];
    uint32_t gpr[TENSIX_THREADS][TENSIX_GPRS];
    struct tensix_semaphore semaphore[TENSIX_SEMAPHORES];
    uint32_t held; /* SOFT_RESET_0: bits of enum tensix_reset */
};

/* Bits of SOFT_RESET_0 that hold parts of the coprocessor. */
enum tensix_reset {
    TENSIX_RESET_UNPACKERS = 1 << 0 | 1 << 1 | 1 << 7,
    TENSIX_RESET_PACKERS = 15 << 2,
    TENSIX_RESET_MOVER = 1 << 6,
    TENSIX_RESET_TDMA = 1 << 8, /* TDMA-RISC and glue */
    TENSIX_RESET_THCON = 1 << 9,
    TENSIX_RESET_MATH = 1 << 10, /* matrix and vector unit, SrcA data */
    TENSIX_RESET_SRCA_CLIENT = 1 << 15,
    TENSIX_RESET_SRCB = 1 << 16,
    TENSIX_RESET_DST = 1 << 17,
    TENSIX_RESET_SRCA_COLUMNS = 15 << 19,
    TENSIX_RESET_AUTO_TTSYNC = 1 << 23,
};

void tensix_reset(struct tensix *tensix);

/* SOFT_RESET_0 changed from `old` to `value`. */
void tensix_soft_reset(struct tensix *tensix, uint32_t old, uint32_t value);

/* --- Front end (frontend.c) --- */

/* Pushes an instruction to a thread's FIFO at `cycle`; false when it is full. */
bool tensix_push(struct tensix *tensix, unsigned thread, enum tensix_source source, uint32_t word,
                 uint64_t cycle);

/* True when a push would be accepted. */
bool tensix_accepts(const struct tensix *tensix, unsigned thread);

/* Runs the coprocessor until `end` (it has been run until `now`). True when an instruction left a
 * FIFO; *event is then when the last one did. */
bool tensix_run(struct tensix *tensix, uint64_t now, uint64_t end, uint64_t *event);

/* True while any instruction of the thread is queued or executing. */
bool tensix_thread_busy(const struct tensix *tensix, unsigned thread);
bool tensix_busy(const struct tensix *tensix);

/* True while a MOP waits in front of the thread's MOP expander or is being expanded. */
bool tensix_mop_busy(const struct tensix *tensix, unsigned thread);

/* Discards what a held TRISC's MOP expander and the FIFO before it hold. */
void tensix_discard(struct tensix *tensix, unsigned thread);

/* What Auto TTSync tracks; the values are bits of ThreadConfig word TENSIX_TRISC_SYNC. */
enum tensix_resource {
    TENSIX_TRACKS_CONFIG = 1 << 0,
    TENSIX_TRACKS_GPRS = 1 << 2,
    TENSIX_TRACKS_TDMA = 1 << 3,
};

/*
 * Auto TTSync: must an access of TRISC `thread` to the resource wait for pushed instructions? In
 * this version every queued instruction counts as using every resource, which is safe (SPEC:
 * declaring more than needed only stalls longer).
 */
bool tensix_must_wait(const struct tensix *tensix, unsigned thread, enum tensix_resource resource);

/* CSR tt_cfg_qstatus (index 0) or tt_cfg_bstatus (1) as the hart of `thread` sees it, or, with
 * TENSIX_THREADS, as the others do. 0 for other indices, see tensix_status_stream. */
uint32_t tensix_status(const struct tensix *tensix, unsigned thread, unsigned index);

/* The overlay stream behind tt_cfg_sstatus(i) and (4 + i) of a TRISC (GUESS: the streams that
 * STREAMWAIT selects, STREAM_ID_SYNC_SEC[i]). */
unsigned tensix_status_stream(const struct tensix *tensix, unsigned thread, unsigned i);

/* --- Semaphores as SEMPOST, SEMGET and stores to the window change them --- */

void tensix_semaphore_post(struct tensix *tensix, unsigned index);
void tensix_semaphore_get(struct tensix *tensix, unsigned index);

/* --- Backend configuration (backend_config.c) --- */

/* Words from TENSIX_CFG_BASE: Config[0], Config[1], ConfigDualWrite, ThreadConfig[0..2]. */
enum {
    TENSIX_CONFIG_DUAL = TENSIX_STATES * TENSIX_STATE_WORDS,
    TENSIX_CONFIG_THREAD = TENSIX_CONFIG_DUAL + TENSIX_STATE_WORDS,
    TENSIX_CONFIG_WORDS = TENSIX_CONFIG_THREAD + TENSIX_THREADS * TENSIX_THREAD_WORDS,
};

/* What a store to the window asks of the tile beyond storing. */
enum tensix_config_effect {
    TENSIX_CONFIG_STORED,
    TENSIX_CONFIG_IC_INVALIDATE, /* forget decoded code */
    TENSIX_CONFIG_UNMODELLED,    /* stored, but what it controls is not modelled */
    TENSIX_CONFIG_READ_ONLY,     /* ThreadConfig: nothing was stored */
};

/* Reads word `index`; 0 outside the window. */
uint32_t tensix_config_read(const struct tensix *tensix, unsigned index);

/* Stores to word `index` (below TENSIX_CONFIG_WORDS) as a hart does. */
enum tensix_config_effect tensix_config_write(struct tensix *tensix, unsigned index,
                                              uint32_t value);

#endif
