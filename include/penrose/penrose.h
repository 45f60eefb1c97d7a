/*
 * libpenrose: a full-tile system emulator of Tenstorrent Blackhole.
 *
 * A chip is created with options, loaded, run, and inspected. Any number of chips live in one
 * process; a chip may be used by one thread at a time, different chips by different threads. The
 * library never prints and never exits. What the caller did wrong comes back as an enum
 * penrose_status with a message; what the guest did wrong is a fault record of the chip.
 *
 * Tiles are named by NoC 0 coordinates (x, y): worker tiles are x in 1..7 and 10..16, y in 2..11.
 * Addresses are those that the tile's own NoC interface sees: L1 from 0, registers from 0xffb00000.
 */
#ifndef PENROSE_PENROSE_H
#define PENROSE_PENROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Chips --- */

struct penrose_chip;

/* A tile, in NoC 0 coordinates. */
struct penrose_place {
    unsigned x, y;
};

enum penrose_hart {
    PENROSE_BRISC,
    PENROSE_TRISC0,
    PENROSE_TRISC1,
    PENROSE_TRISC2,
    PENROSE_NCRISC,
    PENROSE_HARTS,
    PENROSE_NO_HART = PENROSE_HARTS,
};

enum penrose_schedule {
    PENROSE_FAST,     /* harts run in bursts of `quantum` cycles */
    PENROSE_LOCKSTEP, /* every agent runs one cycle in turn */
    PENROSE_RANDOM,   /* bursts of random length and order from `seed`; L0 data caches and store
                         queues may show stale and reordered data as the hardware may */
};

/* What happens at a guest fault. */
enum penrose_policy {
    PENROSE_DEFAULT, /* in options alone: what fault_kinds.h says for the kind */
    PENROSE_STOP,    /* the tile stands still, and the run ends with PENROSE_FAULT */
    PENROSE_WARN,    /* a record, and the instruction is skipped */
    PENROSE_IGNORE,  /* the instruction is skipped */
};

/* "default", "stop", "warn", "ignore"; NULL out of range. Any thread. */
const char *penrose_policy_name(enum penrose_policy policy);

enum penrose_fault_kind {
#define PENROSE_FAULT_KIND(token, name, policy, rule) PENROSE_FAULT_##token,
#include <penrose/fault_kinds.h>
#undef PENROSE_FAULT_KIND
    PENROSE_FAULT_KINDS,
};

enum { PENROSE_FAULT_ROOM = 64 }; /* at most so many kinds of fault will there be */

/*
 * Options of a new chip. `size` is the size of this struct: struct penrose_options options = {.size =
 * sizeof options}; zeros elsewhere are the defaults. Versions to come add members at the end, with
 * zeros for what was before. So a library reads what the caller's header has, and refuses what it
 * does not know, unless it is zeros.
 */
struct penrose_options {
    size_t size;
    enum penrose_schedule schedule;
    uint64_t seed;    /* of PENROSE_RANDOM */
    uint32_t quantum; /* cycles of a burst, 1 to 65536; 0: 1 in lockstep, else 128 */
    bool timed;       /* the coprocessor charges occupancy and latency of each instruction, and
                         results arrive late; otherwise one cycle an instruction. Implies the order
                         of PENROSE_LOCKSTEP in place of PENROSE_FAST where `quantum` is 0 */
    bool rounds_to_nearest; /* where a guest turns on stochastic rounding of the Matrix Unit or the
                               packer, whose generators no page describes: round to nearest; else
                               a generator of our own, the same in every run. The Vector Unit's is
                               the hardware's and always used */
    enum penrose_policy policy[PENROSE_FAULT_ROOM]; /* by enum penrose_fault_kind */
    unsigned threads; /* host threads that run tiles, up to 256; 0: as many as PENROSE_THREADS says,
                         1 without it. Results do not depend on it */
    const char *card; /* "unharvested", "p150a" or "p100a"; NULL: "unharvested" */
    /* The host instructions that compute what the coprocessor does: "reference" (plain C), "avx2",
     * "avx512" or PENROSE_FASTEST_KERNELS of what the host has; NULL: what PENROSE_KERNELS names,
     * the fastest without it. Results do not depend on it. */
    const char *kernels;
};

#define PENROSE_FASTEST_KERNELS "fastest"

/*
 * Creates a Blackhole chip with all harts in reset; NULL `options` are the defaults. Reads the
 * environment variables that the options name, and PENROSE_SHORTCUTS (penrose/debug.h).
 * PENROSE_E_ARGUMENT for a wrong size, options out of range and names that are unknown or that the host cannot
 * run, PENROSE_E_MEMORY.
 */
enum penrose_status penrose_chip_create(const struct penrose_options *options,
                                        struct penrose_chip **chip, struct penrose_error *error);
void penrose_chip_destroy(struct penrose_chip *chip);

/* How fast the chip's clock is, in MHz: what cycles are as time. */
double penrose_clock_mhz(const struct penrose_chip *chip);

/* The kernels that were chosen for this chip. */
const char *penrose_kernels(const struct penrose_chip *chip);

/* --- Tiles --- */

enum penrose_tile_kind {
    PENROSE_TILE_EMPTY, /* a router without anything attached */
    PENROSE_TILE_TENSIX,
    PENROSE_TILE_DRAM,
    PENROSE_TILE_ETHERNET,
    PENROSE_TILE_PCIE,
    PENROSE_TILE_ARC,
    PENROSE_TILE_L2CPU,
    PENROSE_TILE_SECURITY,
    PENROSE_TILE_KINDS,
    PENROSE_NO_TILE = PENROSE_TILE_KINDS, /* nothing, or something that is fused off */
};

/* "Tensix", "DRAM", "Ethernet", "PCIe", "ARC", "L2CPU", "security" or "empty"; NULL for
 * PENROSE_NO_TILE. Lives as long as the library. Any thread. */
const char *penrose_tile_kind_name(enum penrose_tile_kind kind);

/* What stands at (x, y). Any numbers will do. */
enum penrose_tile_kind penrose_tile_kind(const struct penrose_chip *chip, unsigned x, unsigned y);

/*
 * The coordinates of tile `index` of a kind, counted from 0 by y and then by x; what is fused off
 * does not count. False, and *at stays, past the last. So a caller needs to know no coordinates:
 * penrose_tile_at(chip, PENROSE_TILE_TENSIX, 0, &at) is the first worker.
 */
bool penrose_tile_at(const struct penrose_chip *chip, enum penrose_tile_kind kind, size_t index,
                     struct penrose_place *at);

/* The coordinates, as above, of what NoC 1 calls (x, y); they differ in rows 0 and 1 only. False
 * where there is nothing. */
bool penrose_from_noc1(const struct penrose_chip *chip, unsigned x, unsigned y, unsigned *noc0_x,
                       unsigned *noc0_y);

/* --- Host memory --- */

/* How the chip reaches the memory of its host over PCIe; each returns false when nothing answers.
 * Called from the thread that runs the chip, between windows, in an order that depends on nothing
 * but the simulated time. */
struct penrose_host_memory {
    bool (*read)(void *context, uint64_t address, void *bytes, uint32_t size);
    bool (*write)(void *context, uint64_t address, const void *bytes, uint32_t size);
    void *context;
};

/* NULLs in it: there is none, which is how a chip starts. */
void penrose_host_memory_set(struct penrose_chip *chip, const struct penrose_host_memory *memory);

/* --- The host's side of PCIe --- */

/*
 * A register in a BAR of the PCIe tile that the host is connected to, by its offset, a multiple of
 * four: in BAR 0 its NIUs (0x1fd04000, 0x1fd14000) and, on PCIe tile 1, the path to ARC
 * (0x1fe00000); in BAR 2 the DMA engine (0x0) and the iATU (0x1000). Writing a doorbell runs the
 * transfer. PENROSE_E_ARGUMENT when nothing is there, when the register is not modelled, or when
 * the access breaks a rule; a read then gives all ones, zero where the register is not modelled.
 * Windows onto the NoC, and their registers, are left to the caller.
 */
enum penrose_status penrose_pcie_register_read(struct penrose_chip *chip, unsigned bar,
                                               uint64_t offset, uint32_t *value,
                                               struct penrose_error *error);
enum penrose_status penrose_pcie_register_write(struct penrose_chip *chip, unsigned bar,
                                                uint64_t offset, uint32_t value,
                                                struct penrose_error *error);

/*
 * Where DMA transfers find the device: their device addresses are offsets in BAR 0, whose windows
 * the caller keeps. NULLs in it: nothing answers, which is how a chip starts. Called while a
 * doorbell is written, be it by the host or, between windows, by a guest: what is called may use
 * penrose_read and penrose_write, but not penrose_run.
 */
void penrose_pcie_device_set(struct penrose_chip *chip, const struct penrose_host_memory *device);

/* A multicast of the host: a rectangle of translated coordinates on a NoC, from start to end in the
 * direction in which data flow there; what a window's fourth word leaves of it (0: everything); and
 * the worker tiles that it reaches. */
struct penrose_multicast {
    unsigned noc, x_start, y_start, x_end, y_end;
    uint32_t strided;
    struct penrose_place *tile; /* the caller's, in the order of the routing tree */
    unsigned room;              /* for so many of them */
    unsigned count;             /* that there are; those beyond `room` are not written */
};

/* Fills in the tiles that it reaches. PENROSE_E_ARGUMENT when there are none or when it breaks a
 * rule, PENROSE_E_MEMORY. */
enum penrose_status penrose_multicast_targets(struct penrose_chip *chip,
                                              struct penrose_multicast *multicast,
                                              struct penrose_error *error);

/* --- Memory and registers --- */

/*
 * Reads or writes `size` bytes at `address` of a tile as a NoC request from the host would: with
 * the side effects of registers. PENROSE_E_ARGUMENT names an address that does not answer;
 * PENROSE_E_STATE a register that would keep the request waiting.
 */
enum penrose_status penrose_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                 uint64_t address, void *bytes, size_t size,
                                 struct penrose_error *error);
enum penrose_status penrose_write(struct penrose_chip *chip, unsigned x, unsigned y,
                                  uint64_t address, const void *bytes, size_t size,
                                  struct penrose_error *error);

/* The same without any side effect, for debuggers and dumps. */
enum penrose_status penrose_peek(struct penrose_chip *chip, unsigned x, unsigned y,
                                 uint64_t address, void *bytes, size_t size,
                                 struct penrose_error *error);
enum penrose_status penrose_poke(struct penrose_chip *chip, unsigned x, unsigned y,
                                 uint64_t address, const void *bytes, size_t size,
                                 struct penrose_error *error);

/* --- Harts --- */

enum penrose_hart_state {
    PENROSE_HART_HELD, /* in soft reset */
    PENROSE_HART_RUNNING,
    PENROSE_HART_WAITING, /* in an access that the hardware has not answered */
    PENROSE_HART_POLLING, /* in a loop that waits for something to change */
    PENROSE_HART_PAUSED,  /* by ebreak or a debugger */
    PENROSE_HART_FAULTED,
};

struct penrose_hart_info {
    enum penrose_hart_state state;
    uint32_t pc;
    uint32_t x[32];
    uint64_t retired;          /* instructions since it left reset */
    uint32_t wait_address[16]; /* WAITING: the access; POLLING: the places polled */
    unsigned wait_addresses;
    bool wait_store; /* WAITING: it is a store */
    uint64_t wake;   /* POLLING: cycle at which the clock wakes it, UINT64_MAX: none */
};

/* Fills *info. PENROSE_E_ARGUMENT when there is no such tile or hart. */
enum penrose_status penrose_hart_info(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, struct penrose_hart_info *info,
                                      struct penrose_error *error);

/* Takes one hart out of soft reset so that it starts at `pc`, or puts it (back) into reset. */
enum penrose_status penrose_hart_release(struct penrose_chip *chip, unsigned x, unsigned y,
                                         enum penrose_hart hart, uint32_t pc,
                                         struct penrose_error *error);
enum penrose_status penrose_hart_hold(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, struct penrose_error *error);

/* "brisc", "trisc0", ... */
const char *penrose_hart_name(enum penrose_hart hart);

/*
 * What the hart is called on the tile at (x, y): PENROSE_BRISC and PENROSE_NCRISC of an Ethernet
 * tile are "erisc0" and "erisc1", PENROSE_BRISC of a DRAM tile is "drisc". NULL where it is not.
 */
const char *penrose_hart_name_at(const struct penrose_chip *chip, unsigned x, unsigned y,
                                 enum penrose_hart hart);

/* --- Time --- */

enum penrose_outcome {
    PENROSE_CYCLES,    /* the cycles asked for have passed */
    PENROSE_FAULT,     /* a guest fault with the policy "stop"; see the last fault record */
    PENROSE_QUIET,     /* nothing can happen any more unless the host does something: every hart
                          is held, paused, or waits for something that nobody will do */
    PENROSE_CONDITION, /* `until` said so */
    PENROSE_PAUSED,    /* a breakpoint or the like, or penrose_stop_request: see penrose/debug.h */
};

struct penrose_run {
    uint64_t cycles; /* at most so many (rounded up to whole rounds) */
    /* False: a quiet chip ends the run at once with PENROSE_QUIET. True: quiet time passes, as on
     * hardware, and the run ends with PENROSE_CYCLES; for hosts that will do something later. */
    bool pass_quiet_time;
    /* Called after every window; true ends the run with PENROSE_CONDITION. May be NULL. */
    bool (*until)(struct penrose_chip *chip, void *context);
    void *context;
};

/* Cycles since the chip was created. */
uint64_t penrose_now(const struct penrose_chip *chip);

/* Up to when something happened: the time of the last instruction that a hart ran for other than
 * polling. Unlike penrose_now it is exact, not rounded up to a window. */
uint64_t penrose_last_activity(const struct penrose_chip *chip);

/* Lets time pass. A chip that stopped with a fault goes on only after penrose_fault_clear. */
enum penrose_outcome penrose_run(struct penrose_chip *chip, const struct penrose_run *run);

/* --- Links between Ethernet tiles --- */

/*
 * A link between two Ethernet tiles, of the same or of two chips, or from one to itself: both ends'
 * ports come up, and base firmware starts on their first harts. To be made before the tiles boot.
 * What is sent arrives at least a window (512 cycles) later. Two chips that are linked are used by
 * one thread at a time, as if they were one; when one of them is destroyed the other's port goes
 * down. PENROSE_E_ARGUMENT when there is no Ethernet tile, PENROSE_E_STATE when it has a link or its
 * harts run, PENROSE_E_MEMORY.
 */
enum penrose_status penrose_ethernet_link(struct penrose_chip *chip_a, unsigned x_a, unsigned y_a,
                                          struct penrose_chip *chip_b, unsigned x_b, unsigned y_b,
                                          struct penrose_error *error);

/*
 * Lets time pass on several chips, window by window, so that what they send each other arrives at
 * times that depend on nothing but what they do: their clocks may differ, and go on from where they
 * are. Ends as penrose_run does: PENROSE_FAULT after the window in which any chip stopped,
 * PENROSE_QUIET when all are quiet; run->until is called once a window, with chips[0].
 */
enum penrose_outcome penrose_run_together(struct penrose_chip *const *chips, size_t count,
                                          const struct penrose_run *run);

/* --- Snapshots --- */

/*
 * A snapshot is all that a chip is: tiles with their memory, harts, coprocessors and registers,
 * DRAM, what is on its way between them, the time, options, fault records. A chip that is loaded
 * from one, in another process or on another host, goes on exactly as the one that was saved.
 * Snapshots are for the build that made them; others refuse them.
 *
 * Not in it: what belongs to the host. The loaded chip has host threads and kernels
 * (PENROSE_KERNELS) of its own, no trace, no host memory (penrose_host_memory_set), and no
 * programs: reports have neither symbols nor source lines until programs are loaded again, which
 * penrose_boot and penrose_load_program cannot do without writing to tiles.
 *
 * Damage is found by a check sum and reported. That is no defence against a snapshot which somebody
 * has made to do harm: load only what you would run.
 */

/*
 * Saves a chip that is not running (in `until` of penrose_run it may be). The file appears under
 * its name when it is complete; until then one of that name stays as it is. PENROSE_E_FILE,
 * PENROSE_E_MEMORY; PENROSE_E_STATE while it runs, or where an Ethernet link leads to another chip.
 */
enum penrose_status penrose_snapshot_save(struct penrose_chip *chip, const char *path,
                                          struct penrose_error *error);

/*
 * Makes a chip of a snapshot. Of `options` only `threads` counts, all else is as it was saved;
 * NULL: defaults. PENROSE_E_FILE where it cannot be read, PENROSE_E_FORMAT where it is no snapshot,
 * damaged or of another build; otherwise as penrose_chip_create.
 */
enum penrose_status penrose_snapshot_load(const struct penrose_options *options, const char *path,
                                          struct penrose_chip **chip, struct penrose_error *error);

/* The same to memory, which the caller gives back with free(), and from there. */
enum penrose_status penrose_snapshot_to_memory(struct penrose_chip *chip, void **bytes,
                                               size_t *size, struct penrose_error *error);
enum penrose_status penrose_snapshot_from_memory(const struct penrose_options *options,
                                                 const void *bytes, size_t size,
                                                 struct penrose_chip **chip,
                                                 struct penrose_error *error);

/*
 * A hash of all that a snapshot would hold. Chips that were made and used in the same way have the
 * same, whatever the number of host threads and the kernels; so have a chip and what was loaded
 * from its snapshot. (Reading or peeking may change it: a tile that slept catches up with the
 * time.) Not for a chip that is running. 0 when memory runs out.
 */
uint64_t penrose_state_hash(struct penrose_chip *chip);

/* --- Guest faults --- */

enum { PENROSE_INLINED = 4 };

struct penrose_fault {
    enum penrose_fault_kind kind;
    enum penrose_policy policy; /* that was applied */
    unsigned x, y;
    enum penrose_hart hart; /* PENROSE_NO_HART: the NoC or the host */
    const char *hart_name;  /* as its tile calls it: "brisc", "erisc0", "drisc", "noc", ... */
    int thread;             /* of the coprocessor, whose instruction `hart` pushed; -1: none */
    uint64_t cycle;
    uint32_t pc, word, address;
    char rule[200];       /* the violated rule, with the values at hand */
    char disassembly[80]; /* of word; empty where no instruction is at fault, but a NoC request that
                              `pc` made, or no hart; then word is 0 */
    char symbol[128];     /* "main+0x1c", empty when unknown */
    char source[256];     /* "brisc.cc:123", empty when unknown */
    uint64_t repeated;    /* times that the same fault came from the same pc */
    /* Calls through which the compiler inlined that line: penrose_locate_call 0, 1, ..., the last
     * is the outermost; then empty. */
    char inlined_at[PENROSE_INLINED][256];
    char hint[200]; /* what the cause may be, empty when unknown */
};

/* "unmapped-address" and so on; NULL out of range. */
const char *penrose_fault_name(enum penrose_fault_kind kind);
/* The rule of fault_kinds.h. */
const char *penrose_fault_rule(enum penrose_fault_kind kind);

/* Fault records since creation or penrose_fault_clear; at most 256 different ones are kept. */
size_t penrose_fault_count(const struct penrose_chip *chip);
/* Record `index`; false when there is none. */
bool penrose_fault_get(struct penrose_chip *chip, size_t index, struct penrose_fault *fault);
/* Forgets all records and lets a stopped chip run again; faulted harts retry their instruction. */
void penrose_fault_clear(struct penrose_chip *chip);

/*
 * The other way to go on, for hosts that serve more than one program: the chip goes on without
 * whoever is at fault. A hart at fault stays PENROSE_HART_FAULTED until it is put into reset; so
 * does one that made a wrong NoC request, or pushed a wrong Tensix instruction. After the latter
 * the coprocessor stands still, and with it who waits for it, until penrose_coprocessor_reset.
 * Records of faults that stop are forgotten, the others kept. To be called whenever penrose_run has
 * said PENROSE_FAULT, after the records were read; calling it at other times does no harm.
 */
void penrose_fault_isolate(struct penrose_chip *chip);

/* True while instructions that were pushed to the coprocessor of a worker have not all been
 * executed. */
bool penrose_coprocessor_busy(struct penrose_chip *chip, unsigned x, unsigned y);

/*
 * Makes the coprocessor of a worker what it is after power-on: queues, semaphores, configuration,
 * registers. Resetting harts does less: on hardware, and here, instructions that have left the MOP
 * expander, semaphores and banks stay as they are, and disturb what is loaded next. PENROSE_E_STATE
 * unless the three TRISCs are in reset, PENROSE_E_ARGUMENT where there is no coprocessor.
 */
enum penrose_status penrose_coprocessor_reset(struct penrose_chip *chip, unsigned x, unsigned y,
                                              struct penrose_error *error);

/* Writes a report of a fault, several lines, into text[size]; returns the length as snprintf. */
int penrose_fault_format(const struct penrose_fault *fault, char *text, size_t size);

/* Is it the same mistake, perhaps on another tile: does the same instruction of the same source
 * break a rule of the same kind? Where the record has no instruction, the texts of the rules are
 * compared too, and where it has no hart, addresses. Any thread. */
bool penrose_fault_alike(const struct penrose_fault *fault, const struct penrose_fault *other);

/* One line on who else made the mistake, on `count` tiles, of which some are named: for many tiles
 * that run one program, in place of a report of each. (There may be more than the chip has kept
 * records of.) Length as snprintf. Any thread. */
int penrose_fault_format_others(const struct penrose_fault *fault,
                                const struct penrose_place *tiles, size_t count, char *text,
                                size_t size);

/*
 * Writes who waits for what, for every tile with a hart out of reset: which counter of a NIU, page
 * count of a circular buffer, semaphore or go message a hart polls, and where requests that could
 * change it are under way; loops without effect; accesses that nobody answers; packets that a tile
 * cannot take yet; responses that are lost. Tiles that wait for the same share a line, and there
 * are at most some 40 lines. Returns the length as snprintf does.
 */
int penrose_wait_report(struct penrose_chip *chip, char *text, size_t size);

/* The lines of it that are about threads of the coprocessor; none where every instruction that was
 * pushed has started or can start. */
int penrose_tensix_wait_report(struct penrose_chip *chip, char *text, size_t size);

/* NoC requests of workers' harts whose responses are still to come, or came without delay as they
 * do in functional runs and were not looked for, in the counters of the NIU; a line for each NoC,
 * hart and kind of request; none where there are none. Kernels that have ended should have waited.
 */
int penrose_noc_wait_report(struct penrose_chip *chip, char *text, size_t size);

/* --- Trace and unmodelled registers --- */

struct penrose_trace_event {
    enum { PENROSE_TRACE_INSTRUCTION, PENROSE_TRACE_ACCESS } type;
    uint64_t cycle;
    unsigned x, y;
    enum penrose_hart hart;
    uint32_t pc, word;       /* of an instruction */
    uint32_t address, value; /* of an access outside L1 and local RAM */
    unsigned size;
    bool store;
    const char *range; /* what lies at the address */
};

/* Calls `trace` for each instruction and each access outside memory, before it has its effect for
 * instructions and after it for accesses. NULL ends tracing. Slow. */
void penrose_trace(struct penrose_chip *chip,
                   void (*trace)(void *context, const struct penrose_trace_event *event),
                   void *context);

struct penrose_unmodelled {
    uint32_t address;
    bool written, read;
    uint64_t times;
    unsigned x, y; /* where it was first touched */
    enum penrose_hart hart;
    uint32_t pc;
    const char *range;
    uint32_t word; /* a Tensix instruction that was skipped, for want of its unit; 0: a register */
};

/* Registers that were touched and only store their value in this version, and Tensix instructions
 * that it skipped; false past the last. */
bool penrose_unmodelled_get(struct penrose_chip *chip, size_t index,
                            struct penrose_unmodelled *entry);

/* --- Programs --- */

/*
 * Loads a bare program: every PT_LOAD segment is written into the tile (segments in the local RAM
 * range go to the RAM of `hart`, which must be in reset or paused), and the chip keeps its symbols
 * and debug information for reports. *entry (may be NULL) is the entry point.
 */
enum penrose_status penrose_load_program(struct penrose_chip *chip, unsigned x, unsigned y,
                                         enum penrose_hart hart, const char *path, uint32_t *entry,
                                         struct penrose_error *error);

/* --- Names and text --- */

/* "symbol+0x10" and "file:line" of an address in code that was loaded into the tile for `hart`;
 * either buffer may be NULL. False when nothing is known; the buffers are then empty strings. */
bool penrose_locate(struct penrose_chip *chip, unsigned x, unsigned y, enum penrose_hart hart,
                    uint32_t pc, char *symbol, size_t symbol_size, char *source,
                    size_t source_size);

/*
 * "file:line" of a call through which the compiler inlined the code at an address: the innermost
 * for `level` 0, that which contains it for 1, and so on. False past the outermost, which stands in
 * a function that was not inlined; *source is empty then. Slower than penrose_locate.
 */
bool penrose_locate_call(struct penrose_chip *chip, unsigned x, unsigned y, enum penrose_hart hart,
                         uint32_t pc, unsigned level, char *source, size_t source_size);

/* What lies at an address of a tile as `hart` (or the NoC, PENROSE_NO_HART) sees it. */
const char *penrose_range_name(enum penrose_hart hart, uint32_t address);

/*
 * Disassembles one RISC-V word at `pc`, as ".ttinsn SETC16 5, 0x10" where it pushes a Tensix
 * instruction; returns the length as snprintf does. Assembling that text gives the word back.
 */
int penrose_disassemble(uint32_t word, uint32_t pc, char *text, size_t size);
/* Assembles one RISC-V instruction. PENROSE_E_ARGUMENT says what is wrong with the text. */
enum penrose_status penrose_assemble(const char *text, uint32_t pc, uint32_t *word,
                                     struct penrose_error *error);

/*
 * The same for a Tensix instruction as it stands in a MOP or replay buffer: "SETC16 5, 0x10", all
 * operands as numbers in the order of LLK's TT_OP_ macros. Mnemonics are taken in any case, also
 * with LLK's prefixes TT_ and TTI_.
 */
int penrose_tensix_disassemble(uint32_t word, char *text, size_t size);
enum penrose_status penrose_tensix_assemble(const char *text, uint32_t *word,
                                            struct penrose_error *error);

/* "0.1.0" */
const char *penrose_version(void);

#ifdef __cplusplus
}
#endif
#endif
