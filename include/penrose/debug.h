/*
 * Debugging: stopping, stepping and looking into the harts and coprocessors of a chip.
 *
 * What stops a run is set first (penrose_point_set, penrose_hart_step). penrose_run then ends with
 * PENROSE_PAUSED, penrose_stop_get says who stopped it and why, and the next penrose_run goes on
 * from there. Stops are exact: before the instruction of a breakpoint, right behind the access of a
 * watchpoint. The rest of that tile stands still at that moment of its schedule: its agents run in
 * bursts of up to penrose_options.quantum cycles, with PENROSE_LOCKSTEP they are together to the
 * cycle. Other tiles have come to the end of the window, at most 512 cycles later.
 *
 * Nothing here changes what a guest sees, its results or its cycles, unless a function says that it
 * writes; with pauses a program runs as without them, except under PENROSE_RANDOM, which chooses
 * anew. A tile with a breakpoint, a watchpoint or a step runs without shortcuts, some times slower,
 * and its harts do not sleep while they poll: a chip where they wait for ever is not PENROSE_QUIET.
 *
 * The rules of penrose/penrose.h hold. PENROSE_E_ARGUMENT also means: no such register, name or
 * address.
 */
#ifndef PENROSE_DEBUG_H
#define PENROSE_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/error.h>
#include <penrose/penrose.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Breakpoints, watchpoints, steps --- */

/* Who accesses memory or registers. The first ones are numbers of enum penrose_hart. */
enum penrose_agent {
    PENROSE_AGENT_NOC = PENROSE_HARTS, /* a packet that another tile, or this one, has asked for */
    PENROSE_AGENT_HOST,                /* penrose_read, penrose_write */
    PENROSE_AGENT_UNPACKER,
    PENROSE_AGENT_PACKER,
    PENROSE_AGENT_MOVER,
    PENROSE_AGENT_SCALAR_UNIT,
    PENROSE_AGENTS,
};

/* "brisc", ..., "noc", "host", "unpacker", "packer", "mover", "scalar unit"; NULL out of range. Any
 * thread. */
const char *penrose_agent_name(enum penrose_agent agent);

/* What ends a run: an instruction that is about to execute, or an access that was made. */
enum penrose_point_kind { PENROSE_BREAKPOINT, PENROSE_WATCHPOINT };

struct penrose_stop;

/* Where a run ends. Sized as struct penrose_options is: {.size = sizeof point}. */
struct penrose_point {
    size_t size;
    enum penrose_point_kind kind;
    unsigned x, y;
    enum penrose_hart hart; /* PENROSE_NO_HART: any hart; of watchpoints: any agent */
    uint32_t address;       /* of the instruction; of the first byte, as the tile's harts see it.
                                 Watched are L1, local RAMs (of `hart`; it must be one) and
                                 registers as harts, packets and the host access them; or GDDR */
    uint32_t bytes;         /* of a watchpoint: so many, at least 1 */
    bool reads, writes;     /* of a watchpoint: what is watched, at least one of them */
    bool once;              /* it goes when the run ends at it: "run to" */
    unsigned id;            /* set by penrose_point_set; never 0 */
    uint64_t hits;          /* how often the run ended there */
    /* Does the run end there this time? Called while it is under way, in its thread, with the stop
     * that it would be (of which `id` is not set yet); it may read registers and peek, and nothing
     * else. NULL: each time. */
    bool (*condition)(struct penrose_chip *chip, const struct penrose_stop *stop, void *context);
    void *context;
    bool
        gddr; /* of a watchpoint on a DRAM tile: the address is one of its bank's GDDR, as hosts and
                  packets have it, through whichever of the bank's tiles it is accessed */
};

/* Adds a point; *id (optional) is its number from now on. A hart that stands at the address of a
 * breakpoint since the latest stop executes it first. PENROSE_E_ARGUMENT for a wrong size, and where
 * nothing can stop. */
enum penrose_status penrose_point_set(struct penrose_chip *chip, const struct penrose_point *point,
                                      unsigned *id, struct penrose_error *error);
/* Removes a point. PENROSE_E_ARGUMENT when there is none of that number. */
enum penrose_status penrose_point_clear(struct penrose_chip *chip, unsigned id,
                                        struct penrose_error *error);
/* A point, in the order in which they were set, into what point->size says that there is. False where
 * there is none, and for a wrong size. */
bool penrose_point_get(const struct penrose_chip *chip, size_t index, struct penrose_point *point);

/*
 * The next run ends when the hart has executed `count` more instructions (0: no longer). Other harts
 * run as always, and the hart may have to wait for them; an instruction that is skipped after a
 * fault counts.
 */
enum penrose_status penrose_hart_step(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, uint64_t count,
                                      struct penrose_error *error);

/*
 * The next run ends when the coprocessor of a worker has executed `count` more instructions of
 * thread 0, 1 or 2 (0: no longer), those that MOP and REPLAY expand to one by one.
 */
enum penrose_status penrose_tensix_step(struct penrose_chip *chip, unsigned x, unsigned y,
                                        unsigned thread, uint64_t count,
                                        struct penrose_error *error);

/* Ends the run of the chip that is under way in another thread, or the next one, at the end of a
 * window with PENROSE_PAUSED. Any thread. */
void penrose_stop_request(struct penrose_chip *chip);

/* What ended a run. */
enum penrose_stop_reason {
    PENROSE_STOP_BREAKPOINT,
    PENROSE_STOP_WATCHPOINT,
    PENROSE_STOP_STEP,
    PENROSE_STOP_EBREAK, /* a hart executed ebreak or ecall on a tile that is debugged: it is
                            PENROSE_HART_PAUSED, and goes on after penrose_hart_resume */
    PENROSE_STOP_TENSIX, /* the coprocessor executed an instruction of `thread`, which the hart
                            pushed at `pc` */
};

/* Why a run ended with PENROSE_PAUSED. */
struct penrose_stop {
    enum penrose_stop_reason reason;
    unsigned id; /* of the point; 0: a step or an ebreak */
    unsigned x, y;
    enum penrose_agent agent; /* the hart; of a watchpoint who accessed */
    uint64_t cycle;           /* of the chip's time */
    uint32_t pc; /* of the hart's next instruction (breakpoint), or the one that did it:
                                 of a unit's access, that which pushed its instruction; of a
                                 request's, that of the tile it came from; 0: none */
    /* Watchpoints: */
    int thread;             /* of the coprocessor, whose unit accessed; -1: none */
    uint32_t address, size; /* of the access */
    bool write;
    unsigned from_x, from_y; /* PENROSE_AGENT_NOC: the tile that asked for the packet */
};

/* A stop of the latest run; none after penrose_stop_request. More than one tile may stop within a
 * window, and an instruction may do so for more than one reason; 16 are kept. */
bool penrose_stop_get(const struct penrose_chip *chip, size_t index, struct penrose_stop *stop);

/* A line about a stop: "watchpoint 2: packer of (1, 2) wrote 64 bytes at 0x4000, pushed at pc
 * 0x6a10, in cycle 1234". Any thread. */
int penrose_stop_format(const struct penrose_stop *stop, char *text, size_t size);

/* A hart does not run, while all else does, until it is resumed; as the debug registers of a tile
 * pause it, which a guest may see. PENROSE_E_STATE for a hart in reset, and to resume one that is
 * not paused. */
enum penrose_status penrose_hart_pause(struct penrose_chip *chip, unsigned x, unsigned y,
                                       enum penrose_hart hart, struct penrose_error *error);
enum penrose_status penrose_hart_resume(struct penrose_chip *chip, unsigned x, unsigned y,
                                        enum penrose_hart hart, struct penrose_error *error);

/* --- Registers and memory of a hart --- */

/* Sorts of registers, with the numbers that each has. */
enum penrose_register_file {
    PENROSE_X, /* 0 to 31, 0 is always 0 */
    PENROSE_F, /* 0 to 31, bit patterns; 16-bit floats are NaN-boxed */
    PENROSE_V, /* 0 to 31, 128 bits, of trisc2 */
    PENROSE_CSR,
    PENROSE_PC, /* 0 */
};

struct penrose_register {
    enum penrose_register_file file;
    unsigned number;
};

/* A register by its name: "a0", "x10", "pc", "f3", "v31", "mcycle", "csr0x7c0"; false, with *number as
 * it was, for other names. Any thread. */
bool penrose_register_find(const char *name, struct penrose_register *number);

/*
 * Reads or writes a register as a debugger does: a CSR that reading clears is not cleared, a CSR
 * that cannot be written is PENROSE_E_ARGUMENT. value[0] holds 32 bits, of PENROSE_V all four words
 * count, the lowest first. A hart that polled in its sleep is awake afterwards.
 */
enum penrose_status penrose_register_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                          enum penrose_hart hart, struct penrose_register number,
                                          uint32_t value[4], struct penrose_error *error);
enum penrose_status penrose_register_write(struct penrose_chip *chip, unsigned x, unsigned y,
                                           enum penrose_hart hart, struct penrose_register number,
                                           const uint32_t value[4], struct penrose_error *error);

/*
 * Memory as the hart sees it, its local RAM at 0xffb00000 included, without side effects:
 * registers show what a load would find, and a poke stores without doing anything. (Under
 * PENROSE_RANDOM caches and store queues are passed by.) A release from reset clears the local RAM
 * unless it was poked while the hart was held. PENROSE_E_ARGUMENT names the first address
 * that does not answer; bytes before it were transferred.
 */
enum penrose_status penrose_hart_peek(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, uint32_t address, void *bytes,
                                      size_t size, struct penrose_error *error);
enum penrose_status penrose_hart_poke(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, uint32_t address, const void *bytes,
                                      size_t size, struct penrose_error *error);

/* The instruction at an address: its word (optional), and its text as penrose_disassemble has it. -1
 * where harts fetch nothing. */
int penrose_hart_disassemble(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t address,
                             uint32_t *word, char *text, size_t size);

/* --- The coprocessor: what it has executed --- */

/* Shapes of the coprocessor. */
enum {
    PENROSE_TENSIX_THREADS = 3,
    PENROSE_DST_COLUMNS = 16, /* data in a row of Dst, */
    PENROSE_SRC_COLUMNS = 16, /* and of SrcA and SrcB */
    PENROSE_LANES = 32,       /* of an LReg */
};

/*
 * Allows or forbids shortcuts from now on: second ways to the same results that exist for speed
 * alone. Without them every instruction and access takes the way of the core, some times slower; what
 * a guest sees, cycles and penrose_state_hash stay as they are. A new chip allows them unless
 * PENROSE_SHORTCUTS is "off"; a library built with --disable-shortcuts has none. Not while the chip
 * runs.
 */
void penrose_shortcuts_set(struct penrose_chip *chip, bool allows);

/* How often a tile has executed one form of a Tensix instruction. */
struct penrose_tensix_count {
    const char *mnemonic; /* "MVMUL"; lives as long as the library */
    const char *unit; /* that executes it: "matrix", "vector", "unpack", "pack", "scalar", "sync",
                             "config", "mover", "front end" or "none" (SFPNOP has a unit, NOP none) */
    uint64_t executed[PENROSE_TENSIX_THREADS]; /* by the thread that it came from */
    uint64_t waited[PENROSE_TENSIX_THREADS]; /* cycles that they stood at the thread's wait gate */
};

/*
 * Counts from zero, on all tiles, each Tensix instruction that is executed: those that MOP and
 * REPLAY expand to one by one, those that a wait holds once, when it starts. `counts` false ends it
 * and forgets the counts. While it counts, the coprocessor takes no shortcuts and is some times
 * slower.
 */
enum penrose_status penrose_tensix_counting(struct penrose_chip *chip, bool counts,
                                            struct penrose_error *error);

/*
 * The counts of the worker tile (x, y), NoC 0 coordinates: one entry for each form of an instruction
 * that was executed at all, in the order of opcodes. False past the last, where nobody counts, and
 * where no worker is.
 */
bool penrose_tensix_count_get(struct penrose_chip *chip, unsigned x, unsigned y, size_t index,
                              struct penrose_tensix_count *count);

/*
 * Cycles that a hart of the worker tile (x, y), NoC 0 coordinates, has waited for others since
 * penrose_tensix_counting began to count: asleep in a loop that polls, or at an access that nobody
 * answered. A loop counts from where it was recognised, some of its turns after it began. 0 where
 * nobody counts, and where no worker is.
 */
uint64_t penrose_hart_waited(const struct penrose_chip *chip, unsigned x, unsigned y,
                             enum penrose_hart hart);

/* --- The coprocessor: Dst --- */

/* How 16 data of Dst are read. Dst itself does not know what it holds. */
enum penrose_dst_format {
    PENROSE_DST_FP32, /* rows 0 to 511: a float's bit pattern */
    PENROSE_DST_BF16, /* rows 0 to 1023: the pattern in the low half of an element */
    PENROSE_DST_FP16, /* the same */
};

/*
 * A row of Dst of the worker tile (x, y), as the Matrix Unit would find it now, in the tile's
 * address mapping. Rows that ZEROACC has cleared are 0. PENROSE_E_ARGUMENT for a row or format that
 * does not exist. Source: BlackholeA0 Dst.
 */
enum penrose_status penrose_dst_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                     unsigned row, enum penrose_dst_format format,
                                     uint32_t datum[PENROSE_DST_COLUMNS],
                                     struct penrose_error *error);

/* --- The coprocessor: its state --- */

/* A row of SrcA or SrcB: bank 0 or 1, rows 0 to 63, data of 19 bits in the hardware's order of bits.
 * Source: BlackholeA0 SrcASrcB. */
enum penrose_status penrose_src_read(struct penrose_chip *chip, unsigned x, unsigned y, bool src_b,
                                     unsigned bank, unsigned row,
                                     uint32_t datum[PENROSE_SRC_COLUMNS],
                                     struct penrose_error *error);
/* LReg 0 to 16, 32 bits a lane. Source: BlackholeA0 LReg. */
enum penrose_status penrose_lreg_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                      unsigned lreg, uint32_t lane[PENROSE_LANES],
                                      struct penrose_error *error);

/*
 * A value by its name, where T is a thread, 0 to 2:
 *   T.rwc.dst, .srca, .srcb, .fidelity, and .dst_cr, .srca_cr, .srcb_cr   counters of RWCs
 *   T.adc.U.C.A and T.adc.U.C.A_cr   U: unpacker0, unpacker1, packer; C: 0 or 1; A: x, y, z, w
 *   T.gpr.N                          N: 0 to 63
 *   T.NAME, config.S.NAME            a field of ThreadConfig, of state S (0, 1) of Config, spelled
 *                                    as in cfg_defines.h: config.0.ALU_FORMAT_SPEC_REG0_SrcA
 *   semaphore.N.value, semaphore.N.max   N: 0 to 7
 *   mutex.N                          the thread that holds it, 3: none
 *   srca.matrix_bank, srca.unpack_bank, srca.N.valid, and srcb   whose turn bank N is: valid, the
 *                                    Matrix Unit's
 * PENROSE_E_ARGUMENT says which part of the name is unknown.
 */
enum penrose_status penrose_tensix_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                        const char *name, uint32_t *value,
                                        struct penrose_error *error);

/* What stands at the wait gate of a thread. */
struct penrose_gate {
    bool has_instruction; /* one stands there: */
    uint32_t word;
    char text[80];   /* its disassembly */
    uint32_t pc;     /* of the hart's instruction that pushed it */
    char waits[160]; /* why it does not start; empty where it can, or where nothing stands */
    unsigned queued; /* instructions in the FIFOs behind it, before expansion */
};

/* The gate of thread 0, 1 or 2 of a worker. */
enum penrose_status penrose_gate_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                      unsigned thread, struct penrose_gate *gate,
                                      struct penrose_error *error);

#ifdef __cplusplus
}
#endif

#endif
