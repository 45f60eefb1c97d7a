/*
 * The Tensix coprocessor as the rest of the tile sees it: three threads of instructions, the state
 * on which they work, and the windows of the harts on that state. It knows no hart and no tile; it
 * reaches L1, registers and streams through struct tensix_board.
 *
 * An instruction goes through these stages, each of which keeps the order of its thread:
 *
 *   front FIFO    pushes of the thread's TRISC
 *   MOP expander  mop.[ch]
 *   back FIFO     pushes of B and of the debug bus enter here
 *   replay buffer replay.[ch]
 *   wait gate     wait_gate.c: holds it until it may start
 *   unit          sync.c, config.c, scalar.c, misc.c, matrix.c, ...: a handler for each row
 *
 * Time. Every thread has a time of its own, the first cycle at which its next instruction may pass
 * the gate. A functional run charges one cycle an instruction and its results are there at once;
 * in a timed run occupancy and latency of tensix.def count. Handlers are the same.
 *
 * SPEC: BlackholeA0 PushTensixInstruction, BackendConfiguration, SyncUnit, ConfigurationUnit,
 * SoftReset, AutoTTSync; WormholeB0 MOPExpander, REPLAY, WaitGate, ScalarUnit, ADCs, RWCs.
 */
#ifndef TENSIX_TENSIX_H
#define TENSIX_TENSIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "geometry.h"
#include "isa/answer.h"
#include "isa/timing.h"
#include "observe/observer.h"
#include "tensix/dst.h"
#include "tensix/dst_times.h"
#include "tensix/matrix/matrix.h"
#include "tensix/frontend/mop.h"
#include "tensix/mover.h"
#include "tensix/pack/pack.h"
#include "tensix/race.h"
#include "tensix/frontend/replay.h"
#include "tensix/src_file.h"
#include "tensix/touches.h"
#include "tensix/unpack/unpack.h"
#include "tensix/vector/vector.h"

enum {
    TENSIX_THREADS = 3,
    TENSIX_FIFO_DEPTH = 32,   /* of the front FIFO; reached only by a fused push of four */
    TENSIX_FIFO_ACCEPTS = 28, /* above this occupancy nothing is accepted */
    TENSIX_BACK_DEPTH = 8,
    TENSIX_FUSED = 4, /* the most that one push can hold */
    TENSIX_GPRS = 64,
    TENSIX_SEMAPHORES = 8,
    TENSIX_SEMAPHORE_MOST = 15,
    TENSIX_MUTEXES = 5, /* of which 1 does not exist */
    TENSIX_MOP_WORDS = MOP_WORDS,
    TENSIX_STATES = 2,
    TENSIX_CLASSES = 16,    /* of instructions, as Auto TTSync sees them */
    TENSIX_RESULTS = 32,    /* at most so many results are under way in a timed run */
    TENSIX_UNIT_COUNT = 10, /* TENSIX_UNITS of table.h */
};

/* --- What leaves the coprocessor --- */

/* The pusher of an instruction, by the tile's numbers. The tile needs them only for reports. */
enum tensix_pusher {
    TENSIX_BY_B,
    TENSIX_BY_T0, /* T1 and T2 follow */
    TENSIX_BY_DEBUG_BUS = 5,
};

struct tensix_origin {
    uint32_t pc; /* of the hart's instruction that pushed */
    uint32_t pusher;
};

struct tensix_fault {
    enum penrose_fault_kind kind;
    unsigned thread;
    uint64_t cycle;
    uint32_t word; /* the instruction */
    struct tensix_origin origin;
    char text[PENROSE_RULE_TEXT]; /* the violated rule */
};

/* What the coprocessor needs of its tile. */
struct tensix_board {
    /* Registers from AT_REGISTERS on, as LOADREG, STOREREG and STOREIND reach them; *rule says why
     * one is refused. */
    enum answer (*read)(void *owner, unsigned thread, uint32_t address, uint64_t cycle,
                        uint32_t *value, const char **rule);
    enum answer (*write)(void *owner, unsigned thread, uint32_t address, uint64_t cycle,
                         uint32_t value, const char **rule);
    /* L1 was written; call after the write. */
    void (*l1_written)(void *owner, uint32_t address, uint32_t size, uint64_t cycle);
    /* The same of NC's instruction RAM, where it has one. */
    void (*iram_written)(void *owner, uint32_t offset, uint32_t size);
    /* A thread waits for a change of these bytes of L1: something must call tensix_run again when
     * they have been written. */
    void (*l1_watch)(void *owner, uint32_t address, uint32_t size);
    uint32_t (*stream)(void *owner, unsigned stream, unsigned index);
    /* Records a fault; true when the chip is to stop. */
    bool (*fault)(void *owner, const struct tensix_fault *fault);
    /* The thread's instruction sets a field of the configuration that this version does not look
     * at, in word `index` of the harts' window. May be NULL. */
    void (*unmodelled)(void *owner, unsigned thread, unsigned index, const char *field);
    /* Something happened that is in `observed`; the tile fills in whose instruction it was. */
    void (*observe)(void *owner, struct observed *event);
};

/* --- State --- */

/* What became of an instruction that was offered to its unit. */
enum tensix_exec {
    TENSIX_DONE,  /* executed, or skipped after a fault */
    TENSIX_STALL, /* cannot start: nothing has happened, and thread->wait says why; it is offered
                     again when something has changed */
    TENSIX_STOP,  /* a fault under the policy "stop": nothing has happened */
};

/* Why nothing goes on. A fault outweighs an observer. */
enum tensix_stop {
    TENSIX_GOES,
    TENSIX_FAULTED, /* under the policy "stop": before the instruction at hand */
    TENSIX_PAUSED,  /* by an observer: behind it, or behind where it could not start */
};

/*
 * What a push or a run has come to: the tile decides by it who has to look again. In struct tensix
 * it gathers what instructions, and accesses of harts, have changed since the latest outcome.
 */
struct tensix_outcome {
    uint64_t event; /* the cycle of the latest change for which somebody may wait */
    bool is_taken;  /* of a push: there was room */
    bool passed;    /* of a run: an instruction has passed its gate, or the mover has moved */
    bool changed;   /* something that harts can see */
    bool moved;     /* a queue or an expander: harts look that wait for room or the end of a MOP */
    bool holds;     /* instructions may have to wait: for what is latched, in reset or stopped */
    bool has_stopped; /* and nothing goes on */
    bool is_cut;      /* by an observer: the next call goes on, and returns the whole outcome */
    uint8_t gap;
};

struct num_kernels;
struct tensix;
typedef enum tensix_exec tensix_runner(struct tensix *tensix, unsigned thread, uint32_t word);

struct tensix_entry {
    uint64_t cycle; /* when it was pushed; it leaves later than that */
    struct tensix_origin origin;
    uint32_t word;
    uint8_t gap[4];
};

/* entry[head] is the oldest of `count`. */
struct tensix_fifo {
    struct tensix_entry entry[TENSIX_FIFO_DEPTH];
    unsigned head, count;
};

/* SPEC: RWCs. Each field holds no more bits than the hardware's. */
struct tensix_rwc {
    uint32_t dst, src_a, src_b, fidelity; /* 10, 6, 6 and 2 bits */
    uint32_t dst_cr, src_a_cr, src_b_cr;
    uint32_t extra_mod; /* 1 bit */
    uint32_t sp;        /* stack pointer of SFPLOAD and SFPSTORE; 10 bits */
};

/* SPEC: ADCs. Counters and checkpoints have names, and are arrays by axis. */
enum tensix_adc_axis { TENSIX_ADC_X, TENSIX_ADC_Y, TENSIX_ADC_Z, TENSIX_ADC_W, TENSIX_ADC_AXES };
struct tensix_adc_channel {
    union {
        uint32_t counter[TENSIX_ADC_AXES];
        struct {
            uint32_t x, y, z, w; /* 18, 13, 13 and 13 bits */
        };
    };
    union {
        uint32_t checkpoint[TENSIX_ADC_AXES];
        struct {
            uint32_t x_cr, y_cr, z_cr, w_cr;
        };
    };
};

struct tensix_adc {
    struct tensix_adc_channel channel[2];
};

enum tensix_adc_unit { TENSIX_ADC_UNPACKER0, TENSIX_ADC_UNPACKER1, TENSIX_ADC_PACKER, TENSIX_ADCS };

/* The right to use the two banks of SrcA or SrcB, and the bank that each side uses next. */
enum tensix_src { TENSIX_SRC_A, TENSIX_SRC_B, TENSIX_SRCS };
struct tensix_src_banks {
    uint8_t matrix_bank, unpack_bank;
    bool matrix_may[2]; /* AllowedClient is the Matrix Unit, otherwise the unpackers ("valid") */
    uint8_t gap[4];
    uint64_t given_at[2]; /* timed runs: from when on, since data come after the instruction, */
    uint64_t freed_at[2]; /* and from when on the unpackers may, after it was given back */
};

struct tensix_semaphore {
    uint8_t value, max;
};

/* What has become of a semaphore's posts, for reports. */
struct tensix_posts {
    bool any;                /* since the latest SEMINIT */
    uint8_t thread;          /* that executed it, */
    uint16_t undone;         /* by that SEMINIT: so much higher the semaphore was before it */
    struct tensix_origin by; /* and where */
};

enum { TENSIX_MUTEX_FREE = TENSIX_THREADS };

/* A latched wait instruction (SPEC: WaitGate). Nothing is latched where block_mask is 0. */
struct tensix_latch {
    uint64_t open_at;            /* the first cycle at which what it blocks may pass */
    uint32_t word;               /* the instruction, */
    struct tensix_origin origin; /* the hart that pushed it, for reports */
    uint32_t target;
    uint32_t block_mask;
    uint32_t conditions;                       /* of STALLWAIT: bits of enum tensix_condition */
    uint16_t semaphores, semaphore_conditions; /* of SEMWAIT */
    bool waits_for_stream;                     /* of STREAMWAIT */
    bool met;                                  /* the conditions have been met; opens at open_at */
    uint8_t stream_select, stream_condition;
};

/* What a latched wait still waits for. */
struct tensix_unmet {
    uint32_t conditions;   /* bits of enum tensix_condition */
    bool is_zero, is_full; /* a semaphore is, of SEMWAIT */
};

/* Why the instruction at a thread's gate does not start; reports turn it into words. */
enum tensix_wait {
    TENSIX_WAITS_FOR_NOTHING,
    TENSIX_WAITS_FOR_LATCH,
    TENSIX_WAITS_FOR_MUTEX,    /* detail: index */
    TENSIX_WAITS_FOR_RESET,    /* of its unit to be lifted */
    TENSIX_WAITS_FOR_SRC,      /* detail: enum tensix_src, and which bank of it in bit 1 */
    TENSIX_WAITS_FOR_L1,       /* detail: address */
    TENSIX_WAITS_FOR_DEVICE,   /* detail: address */
    TENSIX_WAITS_FOR_RESULTS,  /* memory requests of FLUSHDMA and the like */
    TENSIX_WAITS_FOR_UNIT,     /* timed runs: busy with another instruction */
    TENSIX_WAITS_FOR_UNPACKER, /* detail: in which an UNPACR waits for its bank of Src */
};

struct tensix_thread {
    struct tensix_fifo front, back;
    struct mop_expander mop;
    struct replay_buffer replay;
    /* The instruction at the wait gate. */
    uint32_t next;
    struct tensix_origin origin;
    struct tensix_origin mop_origin; /* of the MOP that is being expanded */
    enum tensix_wait wait;
    uint32_t wait_detail;
    bool has_next;
    bool blocked;    /* it waits for a change, not for a time; `wait` says for what */
    uint16_t parent; /* opcode of the MOP or REPLAY of the TRISC that `next` comes from, or 0 */
    struct tensix_latch latch;
    uint64_t time;        /* the first cycle at which the next instruction may pass */
    uint64_t stream_time; /* timed runs: the same of the front end */
    uint64_t pushed, drained;
    uint16_t declared[TENSIX_CLASSES]; /* resources by class, see auto_ttsync.c */
    /* What it works on. */
    struct tensix_rwc rwc;
    struct tensix_adc adc[TENSIX_ADCS];
    uint8_t gap[4];
    /* Timed runs: until when its latest instruction in each unit is under way. */
    uint64_t busy_until[TENSIX_UNIT_COUNT];
    struct tensix_dst_turn dst_turn;
};

/* A result that is under way (timed runs): 32-bit words for GPRs or for Config. */
struct tensix_result {
    uint64_t due;
    uint64_t issued; /* when, by the instruction `word` */
    uint32_t word;
    struct tensix_origin origin;
    uint32_t mask; /* bits of each word that are written */
    uint32_t value[4];
    uint16_t first;            /* GPR or configuration word */
    bool is_config, requested; /* requested: a memory request of the Scalar Unit (STALLWAIT C0) */
    uint8_t thread, state, count;
    uint8_t gap;
};

/* A run (tensix_run) that an observer has stopped, and where: the next one goes on there. */
struct tensix_cut {
    bool is_cut;
    bool any;        /* instructions have passed, */
    bool progress;   /* or, since the first thread had its latest turn, or something like it */
    bool asks_again; /* functional runs: since a thread has waited politely */
    uint32_t turn;   /* whose it is; in timed runs: how many threads have had theirs in the cycle */
    uint64_t cycle;  /* timed runs: that is under way */
};

/* An instruction that a hart pushes at `cycle`; its thread may run up to `end`. */
struct tensix_pushed {
    unsigned thread;
    uint32_t word;
    struct tensix_origin origin;
    uint64_t cycle, end;
};

/* A push (tensix_push_and_run) that an observer has stopped: its hart does it again, and that goes
 * on with it. */
struct tensix_push_cut {
    uint64_t end; /* up to which the thread runs */
    bool is_cut;
    bool was_busy;  /* the thread, before the push */
    bool is_pushed; /* there was room */
    bool progress;  /* of the thread, so that there is some now */
    uint8_t gap[4];
};

/* The state of parts that have no owner of their own. */
struct tensix_state {
    struct tensix_semaphore semaphore[TENSIX_SEMAPHORES];
    uint64_t semaphore_changed[TENSIX_SEMAPHORES]; /* when, the latest time */
    /* Timed runs: what instructions share, of which they ask (isa/timing.h). */
    struct timing_resource unit[TENSIX_UNIT_COUNT]; /* each takes one instruction at a time */
    struct timing_resource atomics;                 /* requests of the Scalar Unit */
    struct timing_resource pack_output;             /* bytes of a row, by PACRs */
    struct tensix_dst_times dst_times;
    struct tensix_cut cut;
    struct tensix_src_banks src[TENSIX_SRCS];
    struct tensix_mover mover;
    struct tensix_flight flight[TENSIX_FLIGHTS];
    struct tensix_matrix matrix;
    uint32_t config[TENSIX_STATES][TENSIX_STATE_WORDS];
    uint16_t thread_config[TENSIX_THREADS][TENSIX_THREAD_WORDS];
    uint32_t gpr[TENSIX_THREADS][TENSIX_GPRS];
    uint32_t held;            /* SOFT_RESET_0: bits of enum tensix_reset */
    unsigned results;         /* in `result` */
    enum tensix_stop stopped; /* the tile clears it */
    uint8_t scalar_held_by;   /* 1 + the thread whose instruction waits inside the Scalar Unit */
    bool dst_high_half;       /* see struct tensix_dst_map; the tile sets it */
    uint8_t mutex[TENSIX_MUTEXES];      /* the thread that holds it, or TENSIX_MUTEX_FREE */
    uint8_t mutex_next[TENSIX_MUTEXES]; /* after a release: the first thread if several wait */
};

/* Results do not depend on what a snapshot has of this. */
struct tensix_hints {
    uint64_t now;                  /* the cycle of the instruction that executes */
    uint64_t clock;                /* until which it has run */
    struct tensix_outcome outcome; /* of what goes on, up to now */
    struct tensix_posts posts[TENSIX_SEMAPHORES];
    bool is_polite;      /* a thread waits only as long as others can go on (src_banks.h) */
    bool frees_unpacker; /* the instruction at hand: an UNPACR that waits may have its bank */
    uint8_t gap[6];
};

/* All that a reset makes zero, before tensix_init. What start-up code uses stands together, from
 * vector.lreg to dst.cleared, and large arrays around it: a host page that nobody touches costs
 * nothing, and a chip has 140 of these. */
struct tensix_units {
    struct tensix_vector vector;
    struct tensix_thread thread[TENSIX_THREADS];
    struct tensix_state;
    struct tensix_dst dst;
    struct tensix_src_file src_file[TENSIX_SRCS];
    struct tensix_result result[TENSIX_RESULTS];
    struct tensix_unpacker unpacker[TENSIX_UNPACKERS];
    struct tensix_packer packer[TENSIX_PACKERS];
    struct tensix_hints;

    /* What follows from the state. */
    uint32_t stale; /* units that must derive again what they keep, see config/users.h */
};

struct tensix {
    struct tensix_units;
    struct tensix_touches touches; /* of the instruction that executes */
    struct tensix_fresh fresh;

    /* What the tile sets and lends. */
    uint8_t *l1;
    uint32_t l1_size;
    uint8_t *iram; /* instruction RAM of NC, which the mover fills; NULL: there is none */
    uint32_t iram_size;
    bool shortcuts;    /* may be taken (isa/shortcuts.h) */
    uint8_t executing; /* the thread whose instruction is offered to its unit, or TENSIX_THREADS */
    unsigned observed; /* kinds of observe/observer.h, a bit each, that somebody wants to know of */
    const struct num_kernels *kernels; /* the fastest, unless the tile chooses another set */
    const struct tensix_board *board;
    void *owner;
    const struct timing *timing; /* NULL in a functional run */
    bool rounds_to_nearest; /* the Matrix Unit and the packer, where the guest turns on stochastic
                               rounding */
};

/* Bits of SOFT_RESET_0 that hold parts of the coprocessor. */
enum tensix_reset {
#define RESET_PART(name, bits) TENSIX_RESET_##name = (bits),
#include "resets.def"
#define RESET_PART(name, bits) TENSIX_RESET_##name |
    TENSIX_RESET_PARTS =
#include "resets.def"
        0,
};

/* Makes zeroed memory a coprocessor as after power-on, without touching more of it than that
 * takes. */
void tensix_init(struct tensix *tensix);

/* Everything as after power-on; what the tile lent or has set (`timing`, rounds_to_nearest,
 * dst_high_half) stays. */
void tensix_reset(struct tensix *tensix);

/* SOFT_RESET_0 changed from `old` to `value`. */
void tensix_soft_reset(struct tensix *tensix, uint32_t old, uint32_t value);

/* --- Front end (frontend.c) --- */

/*
 * Pushes `count` instructions (1 to TENSIX_FUSED) at `cycle`: to the front FIFO where the pusher is
 * the thread's TRISC, to the back FIFO otherwise. All or nothing: false when the FIFO does not
 * accept, and then nothing has happened.
 */
bool tensix_push(struct tensix *tensix, unsigned thread, struct tensix_origin origin,
                 const uint32_t *words, unsigned count, uint64_t cycle);

/* True when a TRISC's push would be accepted. */
bool tensix_accepts(const struct tensix *tensix, unsigned thread);

/*
 * Runs all threads until `end` or until none can go on. Nothing that starts at `end` or later is
 * started. Where an observer has stopped it, the next call has the same `end`.
 */
struct tensix_outcome tensix_run(struct tensix *tensix, uint64_t end);

/* Pushes an instruction in a functional run, and runs its thread. *cut is zeros, or what an
 * observer has stopped. */
struct tensix_outcome tensix_push_and_run(struct tensix *tensix, const struct tensix_pushed *pushed,
                                          struct tensix_push_cut *cut);

/* Runs one thread in a functional run; true when an instruction passed its gate, or ended in the
 * front end. */
bool tensix_run_thread(struct tensix *tensix, unsigned thread, uint64_t end);

/* What keeps the wait closed that the thread has latched (wait_gate.c). */
struct tensix_unmet tensix_unmet(const struct tensix *tensix, unsigned thread, uint64_t now);

/* True while a wait instruction is latched whose conditions have not been met. */
bool tensix_watches(const struct tensix *tensix);

/* What latched waits look at outside (mover, harts, streams) changed at `now`: those that are met
 * stay met, however soon it changes again. */
void tensix_look(struct tensix *tensix, uint64_t now);

/* Something outside that a blocked thread may wait for changed at `cycle`. */
void tensix_wake(struct tensix *tensix, uint64_t cycle);

/* The earliest time at which something can happen without a change from outside: a time that may
 * have passed, or UINT64_MAX where all is done or waits. */
uint64_t tensix_next_event(const struct tensix *tensix);

/* True while any instruction of the thread is queued or under way. */
bool tensix_thread_busy(const struct tensix *tensix, unsigned thread);
bool tensix_busy(const struct tensix *tensix);

/* True while a MOP waits in front of the thread's MOP expander or is being expanded. */
bool tensix_mop_busy(const struct tensix *tensix, unsigned thread);

/* Discards what a held TRISC's MOP expander and the FIFO before it hold. */
void tensix_discard(struct tensix *tensix, unsigned thread);

/* Why a thread does not go on, in words: "ATGETM 2 waits for mutex 2, which thread 0 holds". False
 * where nothing waits. */
bool tensix_wait_text(const struct tensix *tensix, unsigned thread, char *text, size_t size);

/* The same of an UNPACR that waits in unpacker `which`; false where none does. */
bool tensix_held_text(const struct tensix *tensix, unsigned which, char *text, size_t size);

/* --- Auto TTSync (auto_ttsync.c) --- */

/* What Auto TTSync tracks; the values are bits of ThreadConfig word TENSIX_TRISC_SYNC. */
enum tensix_resource {
    TENSIX_TRACKS_CONFIG = 1 << 0,
    TENSIX_TRACKS_GPRS = 1 << 2,
    TENSIX_TRACKS_TDMA = 1 << 3,
};

/* Must an access of TRISC `thread` wait for instructions that were pushed before? `index` is the
 * word in the configuration window (tensix_config_read) for TENSIX_TRACKS_CONFIG. */
bool tensix_must_wait(const struct tensix *tensix, unsigned thread, enum tensix_resource resource,
                      unsigned index, bool is_store);

/* --- Status CSRs (status.c) --- */

/* CSR tt_cfg_qstatus (index 0) or tt_cfg_bstatus (1) as the hart of `thread` sees it, or, with
 * TENSIX_THREADS, as the others do. 0 for other indices, see tensix_status_stream. */
uint32_t tensix_status(const struct tensix *tensix, unsigned thread, unsigned index);

/* The overlay stream behind tt_cfg_sstatus(i) and (4 + i) of a TRISC (GUESS, by its name:
 * STREAM_ID_TRISC_SEC[i]). */
unsigned tensix_status_stream(const struct tensix *tensix, unsigned thread, unsigned i);

/* --- Semaphores as stores of harts to the window change them (sync.c) --- */

void tensix_semaphore_post(struct tensix *tensix, unsigned index, uint64_t cycle);
void tensix_semaphore_get(struct tensix *tensix, unsigned index, uint64_t cycle);

/* --- Debug bus (debug_signals.c) --- */

/* The 128 signals of a daisychain group; false (all zero) where they are not modelled. */
bool tensix_debug_signals(const struct tensix *tensix, unsigned daisy, unsigned signal,
                          uint32_t data[4]);

/* --- Backend configuration (config/backend.c) --- */

/* Words from TENSIX_CFG_BASE: Config[0], Config[1], ConfigDualWrite, ThreadConfig[0..2]. */
enum {
    TENSIX_CONFIG_DUAL = TENSIX_STATES * TENSIX_STATE_WORDS,
    TENSIX_CONFIG_THREAD = TENSIX_CONFIG_DUAL + TENSIX_STATE_WORDS,
    TENSIX_CONFIG_WORDS = TENSIX_CONFIG_THREAD + TENSIX_THREADS * TENSIX_THREAD_WORDS,
};

/* Reads word `index`; 0 outside the window. */
uint32_t tensix_config_read(const struct tensix *tensix, unsigned index);

/* Stores to word `index` (below TENSIX_CONFIG_WORDS) as a hart does; those of ThreadConfig
 * are ANSWER_READ_ONLY. */
enum answer tensix_config_write(struct tensix *tensix, unsigned index, uint32_t value);

#endif
