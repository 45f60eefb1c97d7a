/*
 * A hart: one baby RISC-V core of a Tensix tile (SPEC: BlackholeA0 BabyRISCV pages).
 *
 * rv32 knows no tile: L1 and the local RAM are plain memory that the owner lends, everything else
 * goes through struct rv32_bus. Instructions run from decoded pages (rv32/code.h): a page holds one
 * struct rv32_op for each word, so the address of an op gives its pc. A handler does its work and
 * goes on to the next op through rv32_next. `left` counts the instructions that the burst may still
 * run, of one cycle each. If instructions have costs (rv32/timing.h), a burst is one instruction.
 * Invariants:
 *  - between bursts `pc` is the next instruction and `page` is NULL; inside a burst the position
 *    is `op`, passed from handler to handler, and pc is derived (rv32_current_pc);
 *  - an instruction that cannot finish (waits, faults) has had no effect at all;
 *  - x[0] is always 0: decoding sends writes of x0 to x[RV32_SINK].
 */
#ifndef RV32_RV32_H
#define RV32_RV32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "addresses.h"
#include "isa/answer.h"
#include "isa/isa.h"
#include "isa/reg.h"
#include "rv32/names.h"
#include "rv32/operands.h"

enum rv32_core { RV32_B, RV32_T0, RV32_T1, RV32_T2, RV32_NC, RV32_CORES };

enum { RV32_SINK = 32, RV32_VLEN_BYTES = 16, RV32_STATUS_WORDS = 10 };

/* Which instructions a row belongs to; a hart has all of them except where noted. */
enum rv32_extension {
    RV32_EXT_I,
    RV32_EXT_M,
    RV32_EXT_ZICSR,
    RV32_EXT_ZAAMO,
    RV32_EXT_ZBA,
    RV32_EXT_ZBB,
    RV32_EXT_BITMANIP, /* pack, brev8, grevi */
    RV32_EXT_F,
    RV32_EXT_ZFH,
    RV32_EXT_V,       /* T2 only */
    RV32_EXT_MACHINE, /* mret: B and NC only */
    RV32_EXT_TTINSN,
};

/* Those that the chip's harts have, a bit each. */
enum {
    RV32_EXTENSIONS = 0
#define EXTENSION(name) | 1 << RV32_EXT_##name
#include "extensions.def"
#undef EXTENSION
};

/* Why a burst ended before its cycles were used up. */
enum rv32_stop {
    RV32_RUNNING = 0,
    RV32_STOP_WAIT,  /* the access described in `access` cannot be served yet; retry the op */
    RV32_STOP_FAULT, /* `fault` says what the guest did wrong; pc is at the culprit */
    RV32_STOP_PAUSE, /* ebreak or ecall: a debug pause; pc is past it */
};

/* One access that leaves the hart. `cycle` is the tile's time at which it happens. */
struct rv32_access {
    uint32_t address;
    uint32_t value; /* of a store; the result of a load */
    uint64_t cycle;
    uint8_t size; /* 1, 2, 4 */
    bool store;
    bool atomic;  /* half of an atomic instruction: must not be buffered */
    uint8_t late; /* cycles by which its result is later than its address says; timed runs only */
    uint8_t gap[4];
};

struct rv32_fault {
    enum penrose_fault_kind kind;
    uint32_t pc, word;
    uint32_t address;               /* of the access, or the CSR number */
    char detail[PENROSE_RULE_TEXT]; /* the violated rule in words; may be empty */
};

/* What reading a place means for a hart that polls it (rv32/idle.h). */
enum rv32_poll {
    RV32_POLL_STATE,      /* memory-like: reading has no effect, time alone does not change it */
    RV32_POLL_CLOCK_LOW,  /* the low word of the tile's time */
    RV32_POLL_CLOCK_HIGH, /* its high word */
    RV32_POLL_EFFECT,     /* reading does something, may wait or fault */
};

/* What a hart asks of the board around it. All functions may set hart->fault and answer
 * ANSWER_REFUSED; a function that answers ANSWER_WAIT has had no effect. */
struct rv32_hart;
struct rv32_bus {
    /* Loads and stores outside the memory that the hart reaches by itself, or inside it where a
     * line is marked in l1_marks (stores only: the store has not been done yet). */
    enum answer (*access)(void *owner, struct rv32_hart *hart, struct rv32_access *access);
    /* A Tensix instruction that a .ttinsn, or a store of a word, puts at an address from
     * RV32_PUSH_BASE up to RV32_PUSH_END. False: it was not pushed, and `access` says why. */
    bool (*push)(void *owner, struct rv32_hart *hart, uint32_t address, uint32_t word,
                 uint64_t cycle);
    /* A fence, or what precedes an atomic. */
    enum answer (*fence)(void *owner, struct rv32_hart *hart, uint64_t cycle);
    /* What polling [address, address + size) means, and for RV32_POLL_STATE the value there, read
     * without effect. NULL: everything outside the hart's memory has effects. */
    enum rv32_poll (*poll)(void *owner, struct rv32_hart *hart, uint32_t address, unsigned size,
                           uint32_t *value);
    /* True where accesses have no effect but to load or store: those of an instruction that had to
     * wait can be done again. NULL: nowhere outside the hart's memory. */
    bool (*repeatable)(void *owner, struct rv32_hart *hart, uint32_t address);
    /* The hardware's view of tt_cfg_qstatus .. tt_cfg_sstatus7 (CSR 0xbc0 + index). */
    uint32_t (*status)(void *owner, struct rv32_hart *hart, unsigned index);
    /* What looks at each instruction; both are NULL while nothing does. `starts` comes before it,
     * and false puts it off. `finished` comes after one that has retired, which stands at `pc`. */
    bool (*starts)(void *owner, struct rv32_hart *hart, uint64_t now);
    void (*finished)(void *owner, struct rv32_hart *hart, uint32_t pc, uint64_t now);
};

/* CSRs that hold state (SPEC: CSRs). Counters are derived, see rv32_csr_read. */
struct rv32_csrs {
    uint64_t mhpmcounter[2]; /* SPEC names no events: they hold what software writes */
    uint64_t cycle_offset, instret_offset; /* mcycle = tile time + offset */
    uint32_t fcsr, vxsat, vxrm;
    uint32_t vl, vtype, vlenb;
    uint32_t mcountinhibit, mhpmevent[2];
    uint32_t cfg0, pmacfg[2], cfg1, hwa_mask, hwa_cfg, vgsrc;
    uint32_t scratch[RV32_STATUS_WORDS]; /* 0xbc0 + i where the hardware does not drive it */
    uint32_t intp_restore_pc;
    uint8_t gap[4];
};

struct rv32_page;
struct rv32_code;
struct rv32_op;
struct rv32_timing;

/* How much a hart has under way in a timed run. */
enum {
#define QUEUE(token, entries) RV32_QUEUE_##token = (entries),
#include "hart_times.def"
};

/* A store that has not gone out, or one that went out long ago. */
struct rv32_late_store {
    uint64_t leaves;  /* from when its entry is free */
    uint32_t address; /* of the line of 16 bytes; */
    uint16_t bytes;   /* which of them, a bit each */
    uint8_t gap[2];
};

/* A jump or branch that the hart remembers. */
struct rv32_branch {
    uint32_t pc, target; /* where it stands; where it went when it was last taken */
    int32_t counter;     /* of two bits: taken the next time if it is above zero; -1 to 2 */
};

/* What is under way in a timed run (timing.h). Times are the tile's, and all zero in a functional
 * run. Entry 0 of a queue is the oldest. */
struct rv32_pipeline {
    uint64_t known[32];                  /* from when the value of a register can be had, */
    uint64_t single[32];                 /* and at most one instruction is going to write it, */
    uint64_t settled[32];                /* and none */
    uint64_t retires[RV32_QUEUE_RETIRE]; /* from when entries of instructions are free */
    uint64_t answers[RV32_QUEUE_LOAD];   /* when loads have been answered */
    struct rv32_late_store store[RV32_QUEUE_STORE];
    uint64_t merges_until;          /* before that the latest store can grow; 0: it cannot */
    uint32_t merges_at;             /* the address of what it consists of last */
    uint32_t line[RV32_QUEUE_LINE]; /* 1 + the number of a line in the L0 data cache; 0: none */
    struct rv32_branch branch[RV32_QUEUE_BRANCH]; /* by the low bits of pc */
    uint8_t fused;                                /* .ttinsn that have begun in this cycle */
    bool is_behind_store; /* the next instruction loads what a store has just left */
    uint8_t gap[2];
};

struct rv32_hart_state {
    uint32_t x[33];
    uint32_t pc;
    uint32_t f[32]; /* Zfh values are NaN-boxed */
    uint8_t v[32][RV32_VLEN_BYTES];
    struct rv32_csrs csr;
    struct rv32_pipeline pipeline;
    uint64_t retired;          /* instructions since reset, without those of the running burst */
    struct rv32_access access; /* of RV32_STOP_WAIT */
    struct rv32_fault fault;   /* of RV32_STOP_FAULT */
    enum rv32_stop stop;       /* why the latest burst ended */
    uint32_t resume_pc;        /* where mret goes; meaningful while in_handler */
    bool in_handler;
    uint8_t gap[7];
};

struct rv32_hart {
    struct rv32_hart_state;

    /* The burst under way. */
    const struct rv32_op *op;
    const struct rv32_page *page;
    uint32_t page_pc;
    uint64_t end;    /* tile time at which the burst's cycles are used up */
    int64_t granted; /* cycles that the burst had at its start */
    uint64_t cut;    /* the earliest end that a bus function asked for; UINT64_MAX if none */
    bool is_put_off; /* it ended before an instruction that `starts` of the bus did not let begin:
                        `stop` is that of the burst before */

    /* For reports. */
    uint32_t null_jump; /* 1 + the pc of the latest jalr to address 0; 0: none */
    struct {
        uint32_t behind; /* 4 + its pc; 0: none */
        uint32_t target;
    } jump; /* the latest through a register or out of its page */

    /* What the owner sets and lends. */
    enum rv32_core core;
    uint8_t *l1;
    uint32_t l1_direct; /* bytes of L1 behind RV32_NULL_BYTES that the hart reaches by itself */
    const uint8_t *l1_marks; /* a byte for each 64 bytes of L1; non-zero: stores go to the bus */
    uint8_t *local;
    uint32_t local_size;
    uint32_t plain_l1_size;   /* bytes of L1, from 0 on, that are plain memory over the bus, too */
    uint32_t told_local_size; /* what goes to the bus only since somebody looks */
    struct rv32_code *code;
    struct rv32_code *iram; /* of its own instruction RAM; NULL: it has none */
    const struct rv32_bus *bus;
    const struct rv32_timing *timing; /* NULL: each instruction takes a cycle */
    void *owner;
};

enum {
    RV32_L1_MARK_SHIFT = 6,
    RV32_NULL_BYTES = 16, /* of L1, which null pointers lead to: they are reached over the bus */
};
#define RV32_LOCAL_BASE AT_LOCAL_RAM
#define RV32_PUSH_BASE  AT_INSTRN_BUF
#define RV32_PUSH_END   END_INSTRN_BUF

/* Registers, CSRs and burst state as after leaving soft reset at tile time `now`; `pc` is the reset
 * vector. What the owner lent stays. */
void rv32_reset(struct rv32_hart *hart, uint32_t pc, uint64_t now);

/*
 * Runs from tile time `now` until `end` (end > now) or until something stops the hart. Returns the
 * time reached: beyond `end` only as far as the last instruction, which began before, goes on. On
 * return hart->stop says why; hart->pc is the next instruction. A call with end == now + 1 runs
 * exactly one instruction. Where the bus wants to know of each instruction it is told.
 */
uint64_t rv32_run(struct rv32_hart *hart, uint64_t now, uint64_t end);

/* Runs one instruction from `now` on, of which nobody is told; returns the time reached. */
uint64_t rv32_step(struct rv32_hart *hart, uint64_t now);

/* The pc of the instruction that runs (inside a bus function) or comes next. */
uint32_t rv32_current_pc(const struct rv32_hart *hart);

/* Asks a running burst to end at `end` at the latest (from inside a bus function). */
static inline void rv32_cut(struct rv32_hart *hart, uint64_t end)
{
    hart->cut = end < hart->cut ? end : hart->cut;
}

/* Was the latest burst, which ended at `now`, asked to end there? Somebody has something to do. */
static inline bool rv32_was_cut(const struct rv32_hart *hart, uint64_t now)
{
    return hart->cut <= now;
}

/* Takes an interrupt: saves pc for mret and goes to the handler. */
void rv32_interrupt(struct rv32_hart *hart, uint32_t handler);

/* Records a fault for a bus function and returns ANSWER_REFUSED; pc and word are filled in
 * later. */
enum answer rv32_bus_fault(struct rv32_hart *hart, enum penrose_fault_kind kind, uint32_t address,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* --- Instruction table --- */

extern const struct isa_row rv32_rows[RV32_ROWS];
enum rv32_extension rv32_row_extension(unsigned row);
bool rv32_row_is_stub(unsigned row);

/*
 * Disassembles `word` at `pc` into text[size]: never fails, ".word 0x..." where nothing matches,
 * ".ttinsn 0x..." for pushes. Returns the length as snprintf does. `index` comes from
 * rv32_index_build, for those who do this often; NULL searches the table.
 */
int rv32_disassemble(const struct isa_index *index, uint32_t word, uint32_t pc, char *text,
                     size_t size);

/* Assembles one instruction, mnemonic and operands, at `pc`. */
enum penrose_status rv32_assemble(const char *text, uint32_t pc, uint32_t *word,
                                  struct penrose_error *error);

bool rv32_index_build(struct isa_index *index);

/* --- CSRs (csr.c) --- */

/* Reads or writes a CSR as an instruction at tile time `cycle` does; false when there is no such
 * CSR on this core (read) or the write is not possible; hart->fault then says why. */
bool rv32_csr_read(struct rv32_hart *hart, uint32_t number, uint64_t cycle, uint32_t *value);
bool rv32_csr_write(struct rv32_hart *hart, uint32_t number, uint64_t cycle, uint32_t value);

extern const struct reg_file rv32_csr_registers;

/* Fields of cfg0 that change what instructions do, or their time in timed runs. */
#define RV32_CFG0_DIS_LOW_CASH   (UINT32_C(1) << 3)
#define RV32_CFG0_DIS_ST_MERGE   (UINT32_C(1) << 12)
#define RV32_CFG0_ST_MERGE_TIMER 13 /* the first of 5 bits */
#define RV32_CFG0_DIS_FUSION     (UINT32_C(1) << 18)
#define RV32_CFG0_PMC_CLR_ON_RD  (UINT32_C(1) << 8)
#define RV32_CFG0_DIS_TT_STATUS  (UINT32_C(1) << 29)
#define RV32_CFG0_EN_BFLOAT      (UINT32_C(1) << 30)
#define RV32_CFG0_EN_BFLOAT_RTNE (UINT32_C(1) << 31)

#endif
