/*
 * Debugging: stopping, stepping and looking into the harts and coprocessors of a chip.
 *
 * First set what stops a run (penrose_point_set, penrose_hart_step). penrose_run then ends with
 * PENROSE_PAUSED, penrose_stop_get says what stopped it and why, and the next penrose_run goes on
 * from there. Stops are exact: before the instruction of a breakpoint, right behind the access of a
 * watchpoint. The rest of that tile stops at that moment of its schedule. Its agents run in bursts
 * of up to penrose_options.quantum cycles; with PENROSE_LOCKSTEP they are at the same cycle. Other
 * tiles go on to the end of the window, at most 512 cycles later.
 *
 * Nothing here changes what a guest sees, its results or its cycles, unless a function says that it
 * writes. Pauses do not change the run of a program either, except under PENROSE_RANDOM, which then
 * makes other choices. A tile with a breakpoint, a watchpoint or a step runs without shortcuts,
 * several times slower. Its harts do not sleep while they poll, so a chip in which they wait for
 * ever is not PENROSE_QUIET.
 *
 * The rules of penrose/penrose.h hold. PENROSE_E_ARGUMENT also means that there is no such
 * register, name or address.
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

/* What accesses memory or registers. Harts have the numbers of enum penrose_hart, before these. */
enum penrose_agent {
    PENROSE_AGENT_NOC = PENROSE_HARTS, /* a packet that a request of some tile has caused */
    PENROSE_AGENT_HOST,                /* penrose_read, penrose_write */
    PENROSE_AGENT_UNPACKER,
    PENROSE_AGENT_PACKER,
    PENROSE_AGENT_MOVER,
    PENROSE_AGENT_SCALAR_UNIT,
    PENROSE_AGENT_ETHERNET, /* a frame that arrived over the link of an Ethernet tile */
    PENROSE_AGENTS,
};

/* "brisc", ..., "noc", "host", "unpacker", "packer", "mover", "scalar unit", "ethernet"; NULL out
 * of range. Any thread. */
const char *penrose_agent_name(enum penrose_agent agent);

/* What ends a run: an instruction that is about to execute, or an access that was made. */
enum penrose_point_kind { PENROSE_BREAKPOINT, PENROSE_WATCHPOINT };

struct penrose_stop;

/* A place at which a run ends. It is sized as struct penrose_options: {.size = sizeof point}. */
struct penrose_point {
    size_t size;
    enum penrose_point_kind kind;
    unsigned x, y;
    enum penrose_hart hart; /* PENROSE_NO_HART: any hart, or any agent of a watchpoint */
    /* Of the instruction, or of the first byte, as the tile's harts see it. A watchpoint may be on
     * L1, on the local RAM of `hart`, on registers as harts, packets and the host access them, or on
     * GDDR. */
    uint32_t address;
    uint32_t bytes;     /* of a watchpoint: how many, at least 1 */
    bool reads, writes; /* of a watchpoint: what is watched, at least one of them */
    bool once;          /* the point is removed when the run ends at it: "run to" */
    unsigned id;        /* set by penrose_point_set; never 0 */
    uint64_t hits;      /* how often the run ended there */
    /* Whether the run ends there this time. Called in the thread of the run, with the stop that this
     * would be; its `id` is not set yet. It may only read registers and peek. NULL: it ends each
     * time. */
    bool (*condition)(struct penrose_chip *chip, const struct penrose_stop *stop, void *context);
    void *context;
    /* Of a watchpoint on a DRAM tile: the address is one of its bank's GDDR, as in accesses of hosts
     * and packets. Accesses through all of the bank's tiles are watched. */
    bool gddr;
    /* Of a goal (penrose/history.h): the number of the chip in its cluster. penrose_point_set does not
     * look at it. */
    unsigned chip;
};

/* Adds a point; *id (optional) is its number from now on. A hart that is at the address of a
 * breakpoint since the latest stop first executes that instruction. PENROSE_E_ARGUMENT: a wrong
 * size, or a place at which nothing can stop. */
enum penrose_status penrose_point_set(struct penrose_chip *chip, const struct penrose_point *point,
                                      unsigned *id, struct penrose_error *error);
/* Removes a point. PENROSE_E_ARGUMENT: there is none with that number. */
enum penrose_status penrose_point_clear(struct penrose_chip *chip, unsigned id,
                                        struct penrose_error *error);
/* Finds a point; points are in the order in which they were set. point->size says how many bytes
 * the caller has. False if there is none, and for a wrong size. */
bool penrose_point_get(const struct penrose_chip *chip, size_t index, struct penrose_point *point);

/* Lets the next run end when the hart has executed `count` more instructions. 0 cancels that. Other
 * harts run as always, and the hart may have to wait for them. An instruction that is skipped after
 * a fault counts. */
enum penrose_status penrose_hart_step(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, uint64_t count,
                                      struct penrose_error *error);

/* Lets the next run end when the coprocessor of a worker has executed `count` more instructions of
 * thread 0, 1 or 2. 0 cancels that. Instructions that MOP and REPLAY make count one by one. */
enum penrose_status penrose_tensix_step(struct penrose_chip *chip, unsigned x, unsigned y,
                                        unsigned thread, uint64_t count,
                                        struct penrose_error *error);

/* Ends the run of the chip that is under way in another thread, or the next one, at the end of a
 * window with PENROSE_PAUSED. Any thread. */
void penrose_stop_request(struct penrose_chip *chip);

/* The kinds of stops. */
enum penrose_stop_reason {
    PENROSE_STOP_BREAKPOINT,
    PENROSE_STOP_WATCHPOINT,
    PENROSE_STOP_STEP,
    PENROSE_STOP_EBREAK, /* a hart executed ebreak or ecall on a tile that is debugged. It is
                            PENROSE_HART_PAUSED, and goes on after penrose_hart_resume */
    PENROSE_STOP_TENSIX, /* the coprocessor executed an instruction of `thread`, which the hart
                            pushed at `pc` */
};

/* Why a run ended with PENROSE_PAUSED. */
struct penrose_stop {
    enum penrose_stop_reason reason;
    unsigned id; /* of the point; 0: a step or an ebreak */
    unsigned x, y;
    enum penrose_agent agent; /* the hart; of a watchpoint the agent of the access */
    uint64_t cycle;           /* of the chip's time */
    /* Of a breakpoint that of the hart's next instruction. Of a watchpoint that of the instruction
     * that made the access, pushed the unit's instruction, or made the request (in the tile that
     * sent it). 0: none. */
    uint32_t pc;
    /* Watchpoints: */
    int thread;             /* of the coprocessor, whose unit accessed; -1: none */
    uint32_t address, size; /* of the access */
    bool write;
    unsigned from_x, from_y; /* PENROSE_AGENT_NOC: the tile whose request caused the packet;
                                PENROSE_AGENT_ETHERNET: the tile that sent the frame */
    unsigned chip;           /* its number in its cluster */
    unsigned from_chip;      /* that of the tile at from_x, from_y */
};

/* A stop of the latest run; there is none after penrose_stop_request. More than one tile may stop
 * within a window, and an instruction may stop for more than one reason. 16 stops are kept. */
bool penrose_stop_get(const struct penrose_chip *chip, size_t index, struct penrose_stop *stop);

/* Formats a line about a stop: "watchpoint 2: packer of (1, 2) wrote 64 bytes at 0x4000, pushed at
 * pc 0x6a10, in cycle 1234". Any thread. */
int penrose_stop_format(const struct penrose_stop *stop, char *text, size_t size);

/* Pauses a hart until it is resumed; everything else runs on. The debug registers of a tile pause a
 * hart in the same way, so a guest may see it. PENROSE_E_STATE: the hart is in reset, or a hart to
 * resume is not paused. */
enum penrose_status penrose_hart_pause(struct penrose_chip *chip, unsigned x, unsigned y,
                                       enum penrose_hart hart, struct penrose_error *error);
enum penrose_status penrose_hart_resume(struct penrose_chip *chip, unsigned x, unsigned y,
                                        enum penrose_hart hart, struct penrose_error *error);

/* --- Registers and memory of a hart --- */

/* Kinds of registers, with the numbers of each. */
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

/* Finds a register by its name: "a0", "x10", "pc", "f3", "v31", "mcycle", "csr0x7c0". For other
 * names it is false and leaves *number as it was. `chip` is there for its kind; NULL: Blackhole. Any
 * thread. */
bool penrose_register_find(const struct penrose_chip *chip, const char *name,
                           struct penrose_register *number);

/* Reads or writes a register as a debugger does. A CSR that a guest's read clears is not cleared. A
 * CSR that cannot be written is PENROSE_E_ARGUMENT. value[0] has the 32 bits; PENROSE_V uses all
 * four words, the lowest first. A hart that was asleep in a polling loop is awake afterwards. */
enum penrose_status penrose_register_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                          enum penrose_hart hart, struct penrose_register number,
                                          uint32_t value[4], struct penrose_error *error);
enum penrose_status penrose_register_write(struct penrose_chip *chip, unsigned x, unsigned y,
                                           enum penrose_hart hart, struct penrose_register number,
                                           const uint32_t value[4], struct penrose_error *error);

/*
 * Reads or writes memory as the hart sees it, including its local RAM at 0xffb00000, without side
 * effects. Registers show what a load would find, and a poke only stores a value. Under
 * PENROSE_RANDOM the access does not go through caches and store queues. A release from reset
 * clears the local RAM, unless it was poked while the hart was held. PENROSE_E_ARGUMENT names the
 * first address that does not answer; bytes before it were transferred.
 */
enum penrose_status penrose_hart_peek(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, uint32_t address, void *bytes,
                                      size_t size, struct penrose_error *error);
enum penrose_status penrose_hart_poke(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, uint32_t address, const void *bytes,
                                      size_t size, struct penrose_error *error);

/* The instruction at an address: its word (optional), and its text as by penrose_disassemble. -1 if
 * harts cannot fetch from there. */
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
 * Allows or forbids shortcuts from now on. Shortcuts are second ways to the same results, which
 * exist for speed alone. Without them the core executes every instruction and access, several times
 * slower. What a guest sees, cycles and penrose_state_hash do not change. A new chip allows
 * shortcuts unless PENROSE_SHORTCUTS is "off". A library built with --disable-shortcuts has none.
 * Not while the chip runs.
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
 * Counts from zero, on all tiles, each Tensix instruction that is executed. Instructions that MOP
 * and REPLAY make count one by one. An instruction that had to wait counts once, when it starts.
 * `counts` false ends this and forgets the counts. While it counts, the coprocessor takes no
 * shortcuts and is several times slower.
 */
enum penrose_status penrose_tensix_counting(struct penrose_chip *chip, bool counts,
                                            struct penrose_error *error);

/* The counts of the worker tile (x, y): one entry for each form of an instruction that was executed
 * at all, in the order of opcodes. False past the last, if nothing is counted, and if there is no
 * worker. */
bool penrose_tensix_count_get(struct penrose_chip *chip, unsigned x, unsigned y, size_t index,
                              struct penrose_tensix_count *count);

/*
 * Cycles that a hart of the worker tile (x, y) has waited for others since penrose_tensix_counting
 * began to count. It waits in a loop that polls, or at an access that is not answered. A loop
 * counts from the moment at which it is recognised, some of its turns after it began. 0 if nothing
 * is counted, and if there is no worker.
 */
uint64_t penrose_hart_waited(const struct penrose_chip *chip, unsigned x, unsigned y,
                             enum penrose_hart hart);

/* --- The coprocessor: Dst --- */

/* The format in which 16 data of Dst are read. Dst itself does not store its format. */
enum penrose_dst_format {
    PENROSE_DST_FP32, /* rows 0 to 511: a float's bit pattern */
    PENROSE_DST_BF16, /* rows 0 to 1023: the pattern in the low half of an element */
    PENROSE_DST_FP16, /* the same */
};

/* Reads a row of Dst of the worker tile (x, y), as the Matrix Unit would find it now, in the tile's
 * address mapping. Rows that ZEROACC has cleared are 0. PENROSE_E_ARGUMENT: a row or format does
 * not exist. Source: BlackholeA0 Dst. */
enum penrose_status penrose_dst_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                     unsigned row, enum penrose_dst_format format,
                                     uint32_t datum[PENROSE_DST_COLUMNS],
                                     struct penrose_error *error);

/* --- The coprocessor: its state --- */

/* Reads a row of SrcA or SrcB: bank 0 or 1, rows 0 to 63, data of 19 bits in the hardware's order
 * of bits. Source: BlackholeA0 SrcASrcB. */
enum penrose_status penrose_src_read(struct penrose_chip *chip, unsigned x, unsigned y, bool src_b,
                                     unsigned bank, unsigned row,
                                     uint32_t datum[PENROSE_SRC_COLUMNS],
                                     struct penrose_error *error);
/* Reads LReg 0 to 16, 32 bits a lane. Source: BlackholeA0 LReg. */
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

/* The wait gate of a thread. */
struct penrose_gate {
    bool has_instruction; /* an instruction is at the gate: */
    uint32_t word;
    char text[80];   /* its disassembly */
    uint32_t pc;     /* of the hart's instruction that pushed it */
    char waits[160]; /* why it does not start; empty if it can, or if there is none */
    unsigned queued; /* instructions in the FIFOs behind it, before expansion */
};

/* Reads the gate of thread 0, 1 or 2 of a worker. */
enum penrose_status penrose_gate_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                      unsigned thread, struct penrose_gate *gate,
                                      struct penrose_error *error);

/* --- Checks --- */

/*
 * Looks for mistakes of kernels that hurt only sometimes, from now on until the chip is destroyed.
 * `checks` is a list with commas between the names, or "all":
 *   core  nothing but the rules that are always on, at no cost; they are findings with the others, too
 *   noc   requests to the NoC for which nobody waits (fault kinds noc-unwaited, noc-source, noc-open,
 *         noc-order, noc-count, stale-load)
 *   cb    circular buffers of tt-metal (cb-count, cb-access, cb-format)
 *   races units of the coprocessor that do not wait for one another (race-dst, race-l1, race-open,
 *         race-state, config-race, gpr-hazard, mop-config-race)
 *   memory  code, stacks, return addresses, null pointers and arguments (code-overwritten,
 *         stack-overflow, return-address, null-access, argument-range, out-of-bounds)
 *   uninit  data that nobody has written (undefined-data)
 *   config  state of the coprocessor that an earlier launch has left, or that nobody has set (config-leak,
 *           config-unset), and Dst beyond a thread's half (dst-section)
 * Settings may stand in the list, as NAME=VALUE: report=FILE (SARIF), suppress=FILE, baseline=FILE,
 * generate=FILE, kernel=PATTERN, tile=X-Y, launch=N; see docs/CHECKS.md. Files are written when the chip is
 * destroyed.
 * Findings are faults of these kinds, with the policies that the chip has for them: one for each
 * instruction that breaks a rule, on the first tile that executes it. The tile's firmware must be
 * known. While a chip is checked (by more than `core`), its shortcuts are not taken, and only the caller's
 * thread runs it.
 * PENROSE_E_ARGUMENT names what is no check or no setting, or a file that cannot be read or written; no
 * check is on then. PENROSE_E_MEMORY. PENROSE_E_STATE: too many observers, or time has passed and
 * `uninit` is among them. Like every call for a chip, this one is for the thread that uses it.
 */
enum penrose_status penrose_check(struct penrose_chip *chip, const char *checks,
                                  struct penrose_error *error);

/*
 * Holds up what is not ordered, so that a program that relies on luck fails. Rules are separated by
 * commas:
 *   [X-Y:]HART[.WHAT]@PC[/N]=CYCLES
 * When the hart ("brisc", "trisc0", ...) comes to the instruction at PC, on the tile X-Y (as hosts
 * name it) or on all tiles, the N-th time or each time, then for so many cycles (up to 100 million)
 *   without WHAT  the hart itself stands before the instruction
 *   thread        the TRISC's thread of the coprocessor stands: what the instruction pushes waits,
 *                 and what was pushed before and has not started
 *   departure     the NoC request that the instruction starts stays in its NIU, and those behind it
 *   arrival       the NoC request that the instruction starts is under way for longer. Others
 *                 overtake it where the hardware lets them
 * Rules with "arrival" have to be given before the first cycle. A program that waits for all that
 * it relies on has the same results. Shortcuts are not taken then, and only the caller's thread
 * runs the chip. Neither a recording nor a snapshot has the delays.
 * PENROSE_E_ARGUMENT names what is no rule. PENROSE_E_MEMORY. PENROSE_E_STATE: too many observers,
 * or time has passed and there is an arrival among the rules; the chip then is as it was.
 */
enum penrose_status penrose_delay(struct penrose_chip *chip, const char *rules,
                                  struct penrose_error *error);

#ifdef __cplusplus
}
#endif

#endif
