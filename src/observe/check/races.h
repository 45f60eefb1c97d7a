/*
 * Races inside a tile: what an instruction reads or writes while another one, on whose being over
 * it cannot rely (order.h), is still at it.
 *
 * For each row of Dst and each line of L1 the latest instructions are noted that have written or
 * read it; for each unit the latest one that uses its configuration; for GPRs loads under way.
 */
#ifndef OBSERVE_CHECK_RACES_H
#define OBSERVE_CHECK_RACES_H

#include "observe/check/order.h"
#include "tensix/exec.h"

enum {
    RACES_LINE = 16, /* bytes of L1 */
    RACES_WORD = 4,  /* what the NoC brings of so many bytes tells something, and is no data */
};

/* A piece of Dst: who has written it last, and which units have read that (`dst_read` of
 * check_races). */
struct races_row {
    struct order_stamp written;
    unsigned readers; /* a bit each */
    uint32_t seen;    /* the first instruction of the writer's thread that has read it since, as the
                         thread counts them, if hardware holds up such reads; 0: none */
};

/* Lines of L1 have a lane in the high bits and the number of its instruction in the low ones,
 * since there are so many of them; 0: none. */
struct races_l1 {
    uint32_t packed, unpacked;
    uint32_t brought; /* when the NoC has brought data there, as ORDER_BROUGHT counts; 0: never */
    uint32_t used;    /* the latest of `reading` of check_races; 0: none */
};

/* Data of a hart of another tile. */
struct races_brought {
    uint32_t number, pc;
    uint16_t node;
    uint8_t hart;
};

/* A kernel reads lines of L1. */
struct races_use {
    uint32_t number, pc;
    uint32_t sent; /* requests that the tile had sent to others by then */
    uint8_t hart;
    bool was_brought; /* what it has read, over the NoC in this launch */
};

/* A word that the NoC has changed for a hart of another tile in this launch, and the latest store of a
 * hart of this tile to it. */
struct races_told {
    uint32_t address, value;
    uint32_t pc, sent; /* pc 0: nobody has stored there since; as in struct races_use */
    uint8_t hart;
};

enum { RACES_BROUGHT = 1024, RACES_USES = 1024, RACES_TOLD = 32 /* the latest */ };

/* The latest instruction of a thread that changes words of Config, and is not over in the next
 * cycle. */
struct races_late {
    struct order_stamp stamp;
    unsigned first, count;
};

/* A hart's store to a word of Config, or to a GPR, which may not have arrived yet. */
struct races_store {
    uint32_t number;  /* in the hart's lane of stores that arrive; 0: none */
    uint32_t index;   /* state * TENSIX_STATE_WORDS + word, or the GPR */
    uint32_t changed; /* bits */
    uint32_t hart, pc;
    uint64_t cycle;
};

enum { RACES_STORES = 16 };

/* The latest stores of a hart. */
struct races_stores {
    struct races_store store[RACES_STORES];
    unsigned next;
    uint64_t latest; /* cycle */
};

/* A byte of L1 as a hart, or the Scalar Unit for a thread, has stored it. */
struct races_byte {
    uint32_t number, pc; /* of the store, in its lane; number 0: none */
    uint8_t hart, lane, value;
    uint8_t loaded;   /* by harts and threads since then, a bit each, */
    uint8_t by_luck;  /* who has learned of the store by loading the byte alone */
    bool accumulates; /* the hart has changed what it had stored before */
    bool is_atomic;   /* an atomic instruction has stored it */
    uint8_t stale;    /* who knows no more than what was there before that, a bit each */
};

/* The latest loads of a hart, from L1 and elsewhere; load[count % RACES_LOADS] is the latest. */
enum { RACES_LOADS = 4 };
struct races_load {
    uint32_t pc, address;
};
struct races_loads {
    struct races_load load[RACES_LOADS];
    uint32_t count; /* ever */
};

enum { RACES_PAGE = 1024 /* bytes of L1 whose stores are noted together */ };
struct races_page {
    struct races_byte byte[RACES_PAGE];
};

/* The latest change of a byte of Config: by an instruction, or (its number is 0) by a store. */
struct races_change {
    struct order_stamp stamp;
    uint32_t number, hart, pc; /* of the store */
    uint32_t bits;             /* that it may have changed; 0: nobody has changed the word */
    bool is_told;              /* of a load that comes too early */
};

/* An access to state that all threads can reach: a counter, an LReg, a word of Config. */
struct races_shared {
    struct order_stamp written, read[TENSIX_THREADS];
    unsigned readers; /* threads that have read it since, a bit each */
};

enum {
    RACES_CONTEXTS = 4, /* of an unpacker, whose addresses lie one behind the other */
    RACES_ADCS = TENSIX_THREADS * TENSIX_ADCS * 2 * TENSIX_ADC_AXES,
    RACES_LREGS = 16,
};

/* Something that was given and not taken yet: a post of a semaphore, a bank of Src; or a mutex that was
 * taken and not released. */
struct races_given {
    bool is_open;
    uint32_t hart, pc, word; /* word 0: by the hart itself */
};

struct check_races {
    struct order order;
    struct races_row dst[TENSIX_DST_ROWS];
    struct order_stamp dst_read[ORDER_UNITS][TENSIX_DST_ROWS]; /* the latest of each unit */
    struct order_stamp load[TENSIX_THREADS][TENSIX_GPRS];
    struct order_stamp uses[ORDER_LANES]; /* the latest one that uses Config, */
    uint8_t state[ORDER_LANES];           /* and which state of it */
    uint32_t config[TENSIX_STATES][TENSIX_STATE_WORDS];
    struct order_stamp at_hand[TENSIX_THREADS];       /* number 0: it has been told as a whole */
    struct order_stamp in_unpacker[TENSIX_UNPACKERS]; /* UNPACRs of which the rest comes later */
    struct races_late late[TENSIX_THREADS];
    struct races_given post[TENSIX_SEMAPHORES], bank[2 * TENSIX_SRCS], mutex[TENSIX_MUTEXES];
    uint32_t mail[MAILBOX_CORES][MAILBOX_CORES]; /* [from][to]: pc of the latest store; 0: none */
    unsigned mail_before[MAILBOX_CORES][MAILBOX_CORES]; /* words there before the launch's first */
    uint8_t semaphore[TENSIX_SEMAPHORES];               /* their values, */
    /* And the latest SEMINIT of each thread in this launch, and what else it does with them. */
    struct order_stamp begun[TENSIX_THREADS][TENSIX_SEMAPHORES];
    struct order_stamp stepped[TENSIX_THREADS][TENSIX_SEMAPHORES];
    struct order_stamp mop[TENSIX_THREADS]; /* the latest instruction that comes from a MOP, */
    bool is_mop_done[TENSIX_THREADS];       /* but for MOPs that the hart has seen expanded */
    struct order_stamp gpr_read[TENSIX_THREADS][TENSIX_GPRS];
    struct order_stamp gpr_written[TENSIX_THREADS][TENSIX_GPRS];
    struct order_stamp base[TENSIX_THREADS][TENSIX_UNPACKERS][RACES_CONTEXTS];
    struct races_stores config_stores[RV32_CORES], gpr_stores[RV32_CORES];
    struct races_shared adc[RACES_ADCS], lreg[RACES_LREGS];
    struct races_change change[TENSIX_STATES][TENSIX_STATE_WORDS][sizeof(uint32_t)];
    bool has_bank[2 * TENSIX_SRCS]; /* the Matrix Unit, before the instruction at hand */
    struct order_stamp given[2 * TENSIX_SRCS], returned[2 * TENSIX_SRCS]; /* by whom */
    struct races_brought brought[RACES_BROUGHT];
    struct races_use reading[RACES_USES];
    struct races_told told[RACES_TOLD];
    unsigned tolds;                           /* ever */
    uint32_t readings;                        /* ever, */
    uint32_t readings_before, brought_before; /* and before this launch */
    uint32_t l1_bytes;
    struct races_loads loads[RV32_CORES];
    struct races_page **page; /* of L1; NULL: no hart has stored anything there */
    struct races_l1 l1[];
};

struct check_scene;

/* --- Words for reports (races_words.c) --- */

static inline unsigned races_thread(const struct order_stamp *stamp)
{
    return stamp->thread;
}

static inline enum order_unit races_unit(const struct order_stamp *stamp)
{
    return (enum order_unit)stamp->unit;
}

/* The name of its condition of STALLWAIT, as LLK has it, and of a block that holds such an
 * instruction. */
const char *races_condition_name(enum order_unit unit);

/* Bits of a word of Config that a unit looks at while it works, without those that it reads for
 * each instruction alone. */
uint32_t races_bits_of_unit(unsigned word, enum order_unit unit);

/* Bits of a word of Config that an instruction changes: the Configuration Unit reads and writes
 * those of RMWCIB at once; others have the word. */
static inline uint32_t races_reach(uint32_t word)
{
    return tensix_config_bits_changed(tensix_row_of(word), word);
}

/* Words with an unpacker's addresses, by context; and that with the address from which an UNPACR
 * reads now (TENSIX_STATE_WORDS: it reads none). */
bool races_is_base(unsigned word);
unsigned races_base_word(const struct tensix *tensix, unsigned thread, uint32_t word);

/* "MVMUL of trisc1 (math.h:12)", in `text`, which is also the result. */
enum { RACES_WHO = 240 };
const char *races_who(const struct check_scene *scene, const struct order_stamp *stamp,
                      char text[RACES_WHO]);

/* --- races_bytes.c --- */

/* What is known of a byte of L1; NULL: nothing, or there is no memory to note it (`makes`). */
struct races_byte *races_byte_of(const struct check_scene *scene, uint32_t address, bool makes);

/* The hart that has stored the byte of L1 of which who has this clock does not know; RV32_CORES: there
 * is none. */
unsigned races_bytes_find(const struct check_scene *scene, const struct order_clock *clock,
                          uint32_t address, uint32_t *pc);

/* Somebody else has written bytes of L1. */
void races_bytes_forget(const struct check_scene *scene, uint32_t first, uint32_t size);

/* --- races_harts.c --- */

/* An instruction has executed, whose stamp this is: what it has used of a hart's stores. */
void races_harts_unit(const struct check_scene *scene, const struct order_stamp *stamp);
/* A hart has loaded or stored, or pushed an instruction. */
void races_harts_access(const struct check_scene *scene);
void races_harts_pushed(const struct check_scene *scene);
/* A hart has changed these bits of a word of Config. */
void races_harts_config(const struct check_scene *scene, unsigned state, unsigned word,
                        uint32_t changed);
void races_harts_free(struct check_races *races);

/* --- races_heard.c --- */

/* The hart of the scene stores to L1. */
void races_heard_store(const struct check_scene *scene);
/* The hart of the scene loads, and, once it knows what that tells, has learned something of what the
 * NoC has brought. */
void races_heard_load(const struct check_scene *scene);
void races_heard_learns(const struct check_scene *scene);
/* A unit or a NoC request, for an instruction of the hart at `pc`, reads bytes of L1. */
void races_heard_read(const struct check_scene *scene, const struct order_clock *clock, uint32_t pc,
                      uint32_t first, uint32_t size);
/* The NoC has written memory or a register of the tile; a hart sends something to another tile. */
void races_heard_arrived(const struct check_scene *scene);
void races_heard_sent(const struct check_scene *scene);
/* Kernels begin. */
void races_heard_begin(struct check_races *races);

/* --- races_shared.c --- */

/* An instruction has executed, whose stamp this is: state that other threads reach, too. */
void races_shared_unit(const struct check_scene *scene, const struct order_stamp *stamp);

/* An instruction, or (NULL) the hart of the scene, which knows `clock`, writes these bits of a
 * word of Config. */
void races_shared_config(const struct check_scene *scene, const struct order_clock *clock,
                         const struct order_stamp *stamp, unsigned state, unsigned word,
                         uint32_t bits);

#endif
