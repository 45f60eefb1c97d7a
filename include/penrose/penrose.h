/*
 * libpenrose: an emulator of Tenstorrent chips, whole tiles of Blackhole.
 *
 * A chip is created, loaded, run and inspected. The library never prints and never exits. What the
 * caller did wrong is an enum penrose_status with a message (penrose/error.h); what the guest did
 * wrong is a fault record of the chip.
 *
 * Rules for all functions of all headers, unless one says otherwise:
 * - Threads: any number of chips live in a process. A chip is used by one thread at a time, different
 *   chips by different threads at once. "Any thread" means at any time, also while a chip runs.
 * - Pointers are not NULL. Of `error` and of pointers to results that are said to be optional they
 *   may be. A struct that the caller fills in is read during the call; strings that a function
 *   returns live as long as the library.
 * - Tiles are named by (x, y), NoC 0 coordinates as software writes them into NIUs with the tables of
 *   the chip's firmware; rows 0 and 1 are raw. penrose_tile_at tells which there are. A pair that
 *   names no tile, one without what is asked for, and a hart that the tile lacks are
 *   PENROSE_E_ARGUMENT. A tile is made when it is first used, so any function that names one may say
 *   PENROSE_E_MEMORY. Source: BlackholeA0 NoC/Coordinates.
 * - Addresses are bytes. Those of a tile are as its own NoC interface sees them: L1 from 0 on,
 *   registers from 0xffb00000 on (BlackholeA0 NoC/MemoryMap). Bytes are little-endian.
 * - Times are cycles of the chip's clock (penrose_clock_mhz).
 * - A function that writes text into a buffer of `size` bytes ends it with a 0 and returns how long
 *   the whole text is, as snprintf does; with size 0 the buffer may be NULL.
 * - penrose_..._get(chip, index, ...) counts from 0, and is false, with the result as it was, past
 *   the last.
 *
 * Structs that begin with `size` may grow (struct penrose_options says how); the others stay as they
 * are for as long as the library's soname does.
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

/* Where a tile is. */
struct penrose_place {
    unsigned x, y;
};

/* Harts by the names that workers have for them; penrose_hart_name_at tells which a tile has. */
enum penrose_hart {
    PENROSE_BRISC,
    PENROSE_TRISC0,
    PENROSE_TRISC1,
    PENROSE_TRISC2,
    PENROSE_NCRISC,
    PENROSE_HARTS,
    PENROSE_NO_HART = PENROSE_HARTS,
};

/* In which order the agents of a tile (harts, coprocessor) run. */
enum penrose_schedule {
    PENROSE_FAST,     /* harts run in bursts of `quantum` cycles */
    PENROSE_LOCKSTEP, /* every agent runs one cycle in turn */
    PENROSE_RANDOM,   /* bursts of random length and order from `seed`; L0 data caches and store
                         queues may show stale and reordered data as the hardware may */
};

/* What happens at a guest fault. */
enum penrose_policy {
    PENROSE_DEFAULT, /* in options alone: what fault_kinds.h says for the kind */
    PENROSE_STOP, /* the tile stands still, and the run ends with PENROSE_FAULT; as PENROSE_WARN for
                       Tensix instructions that were injected through debug registers */
    PENROSE_WARN, /* a record; an instruction that cannot be executed is skipped, a NoC request is
                       carried out as far as the hardware would, counted and answered */
    PENROSE_IGNORE, /* the same without a record */
};

/* "default", "stop", "warn", "ignore"; NULL out of range. Any thread. */
const char *penrose_policy_name(enum penrose_policy policy);

/* The rules are in fault_kinds.h. */
enum penrose_fault_kind {
#define PENROSE_FAULT_KIND(token, name, policy, rule) PENROSE_FAULT_##token,
#include <penrose/fault_kinds.h>
#undef PENROSE_FAULT_KIND
    PENROSE_FAULT_KINDS,
};

enum { PENROSE_FAULT_ROOM = 64 }; /* at most so many kinds of fault will there be */

/*
 * Options of a new chip. `size` is sizeof(struct penrose_options), zeros are the defaults:
 *     struct penrose_options options = {.size = sizeof options, .timed = true};
 * Later versions add members at the end, where zeros mean what was before. The library reads what
 * the caller's header has, and refuses members that it does not know unless they are zeros.
 */
struct penrose_options {
    size_t size;
    enum penrose_schedule schedule;
    uint64_t seed;    /* of PENROSE_RANDOM */
    uint32_t quantum; /* cycles of a burst, 1 to 65536; 0: 1 in lockstep, else 128 */
    bool timed;       /* instructions of coprocessor and harts take the time of their tables, and
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
 * Creates a chip with all harts in reset. NULL options are the defaults. Reads the environment
 * variables that the options name, and PENROSE_SHORTCUTS (penrose/debug.h). *chip is NULL after an
 * error: PENROSE_E_ARGUMENT for a wrong size, an option out of range, and a name that is unknown or
 * that this host cannot run; PENROSE_E_MEMORY. Any thread.
 */
enum penrose_status penrose_chip_create(const struct penrose_options *options,
                                        struct penrose_chip **chip, struct penrose_error *error);
/* Frees a chip and all that belongs to it; NULL does nothing. */
void penrose_chip_destroy(struct penrose_chip *chip);

/* Cycles in a microsecond. */
double penrose_clock_mhz(const struct penrose_chip *chip);

/* The name of the kernels that were chosen, as in options. */
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

/* "Tensix", "DRAM", "Ethernet", "PCIe", "ARC", "L2CPU", "security" or "empty"; NULL for others. Any
 * thread. */
const char *penrose_tile_kind_name(enum penrose_tile_kind kind);

/* What stands at (x, y), which may be any numbers. */
enum penrose_tile_kind penrose_tile_kind(const struct penrose_chip *chip, unsigned x, unsigned y);

/*
 * Where tile `index` of a kind is, counted from 0 row by row (y, then x) over those that are not
 * fused off; false past the last. The first worker is penrose_tile_at(chip, PENROSE_TILE_TENSIX, 0,
 * &at).
 */
bool penrose_tile_at(const struct penrose_chip *chip, enum penrose_tile_kind kind, size_t index,
                     struct penrose_place *at);

/* The coordinates of the tile that NoC 1 calls (x, y); they differ in rows 0 and 1 only. False where
 * there is nothing. Source: BlackholeA0 NoC/Coordinates. */
bool penrose_from_noc1(const struct penrose_chip *chip, unsigned x, unsigned y, unsigned *noc0_x,
                       unsigned *noc0_y);

/* --- Host memory --- */

/*
 * How the chip reaches the memory of its host over PCIe: `size` bytes at a PCIe address, false where
 * nothing answers. Called by the thread that runs the chip, between windows, in an order that depends
 * on simulated time alone; it must not run the chip.
 */
struct penrose_host_memory {
    bool (*read)(void *context, uint64_t address, void *bytes, uint32_t size);
    bool (*write)(void *context, uint64_t address, const void *bytes, uint32_t size);
    void *context;
};

/* Replaces them; NULLs in it: there is no memory, which is how a chip starts. */
void penrose_host_memory_set(struct penrose_chip *chip, const struct penrose_host_memory *memory);

/* --- The host's side of PCIe --- */

/*
 * A 32-bit register in BAR `bar` of the PCIe tile that the host is connected to, by its offset, a
 * multiple of 4: in BAR 0 the NIUs of that tile and, on PCIe tile 1, the path to ARC; in BAR 2 the
 * DMA engine and the iATU. Writing a doorbell runs the transfer before the call returns.
 * PENROSE_E_ARGUMENT when nothing is there, the register is not modelled, or the access breaks a
 * rule; a read then gives all ones, 0 where the register is not modelled. Windows onto the NoC, and
 * their registers, are the caller's. Source: BlackholeA0 PCIExpressTile.
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

/* A multicast of the host. */
struct penrose_multicast {
    unsigned noc;              /* 0 or 1; the coordinates are what that NoC calls the tiles */
    unsigned x_start, y_start; /* the rectangle, in the direction in which data flow there */
    unsigned x_end, y_end;
    uint32_t strided;           /* the fourth word of the host's window; 0: the whole rectangle */
    struct penrose_place *tile; /* where the answer goes, in the order of the routing tree, */
    unsigned room;              /* which has room for so many */
    unsigned count;             /* the answer: so many there are, perhaps more than `room` */
};

/* Finds the worker tiles that a multicast reaches. PENROSE_E_ARGUMENT when there are none or when it
 * breaks a rule. Source: BlackholeA0 PCIExpressTile/HostToDeviceTLBs, NoC/RoutingPaths. */
enum penrose_status penrose_multicast_targets(struct penrose_chip *chip,
                                              struct penrose_multicast *multicast,
                                              struct penrose_error *error);

/* --- Memory and registers --- */

/*
 * Reads or writes `size` bytes at an address of a tile as a NoC request of the host would, with the
 * side effects of registers; of a bank through any of its DRAM tiles. At most 4 GiB at once.
 * PENROSE_E_ARGUMENT names an address that does not answer. PENROSE_E_STATE: a register would keep
 * the request waiting; let time pass and ask again.
 */
enum penrose_status penrose_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                 uint64_t address, void *bytes, size_t size,
                                 struct penrose_error *error);
enum penrose_status penrose_write(struct penrose_chip *chip, unsigned x, unsigned y,
                                  uint64_t address, const void *bytes, size_t size,
                                  struct penrose_error *error);

/* The same without side effects, for debuggers and dumps. A poke of a register stores its value
 * without doing anything; PENROSE_E_ARGUMENT where that is not possible. */
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
    uint32_t pc;               /* of the next instruction, or the one that waits or is at fault */
    uint32_t x[32];            /* registers x0 to x31 */
    uint64_t retired;          /* instructions since it left reset */
    uint32_t wait_address[16]; /* WAITING: the access; POLLING: the places polled */
    unsigned wait_addresses;
    bool wait_store; /* WAITING: it is a store */
    uint64_t wake;   /* POLLING: cycle at which the clock wakes it, UINT64_MAX: none */
};

/* How a hart of the tile stands. */
enum penrose_status penrose_hart_info(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, struct penrose_hart_info *info,
                                      struct penrose_error *error);

/* Takes a hart out of soft reset so that it starts at `pc`, and puts it (back) into reset, as the
 * tile's reset register does. To release one that is not in reset is PENROSE_E_STATE. */
enum penrose_status penrose_hart_release(struct penrose_chip *chip, unsigned x, unsigned y,
                                         enum penrose_hart hart, uint32_t pc,
                                         struct penrose_error *error);
enum penrose_status penrose_hart_hold(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, struct penrose_error *error);

/* "brisc", "trisc0", "trisc1", "trisc2", "ncrisc"; "noc" for others. Any thread. */
const char *penrose_hart_name(enum penrose_hart hart);

/*
 * What a hart is called on the tile at (x, y): PENROSE_BRISC and PENROSE_NCRISC of an Ethernet tile
 * are "erisc0" and "erisc1", PENROSE_BRISC of a DRAM tile is "drisc". NULL where there is none.
 */
const char *penrose_hart_name_at(const struct penrose_chip *chip, unsigned x, unsigned y,
                                 enum penrose_hart hart);

/* --- Time --- */

/* Why a run has ended. */
enum penrose_outcome {
    PENROSE_CYCLES,    /* the cycles asked for have passed */
    PENROSE_FAULT,     /* a guest fault with the policy PENROSE_STOP: penrose_fault_get */
    PENROSE_QUIET,     /* nothing can happen any more unless the host does something: every hart
                          is held, paused, or waits for something that nobody will do */
    PENROSE_CONDITION, /* `until` said so */
    PENROSE_PAUSED,    /* a breakpoint or the like, or penrose_stop_request: see penrose/debug.h */
    PENROSE_REFUSED,   /* nothing happened: `size` of the struct penrose_run is wrong, or it has
                          members that this version does not know */
};

/* How long time shall pass. Sized as struct penrose_options is: {.size = sizeof run}. */
struct penrose_run {
    size_t size;
    uint64_t cycles; /* at most so many, rounded up to a multiple of the schedule's quantum, */
    /* False: a quiet chip ends the run at once with PENROSE_QUIET. True: quiet time passes, as on
     * hardware, and the run ends with PENROSE_CYCLES; for hosts that will do something later. */
    bool pass_quiet_time;
    /* unless this is true: then the run ends after exactly `cycles`, in the middle of a burst of the
     * schedule. Harts of a tile may interleave otherwise behind that than in a run without an end
     * there, but not with PENROSE_LOCKSTEP and in timed runs, whose quantum is 1. penrose_run only. */
    bool exactly;
    /* Called after every window, at most 512 cycles long while more than one tile is awake; true ends
     * the run with PENROSE_CONDITION. It may look at the chip but not run it. May be NULL. */
    bool (*until)(struct penrose_chip *chip, void *context);
    void *context;
};

/* The time: cycles since the chip was created. */
uint64_t penrose_now(const struct penrose_chip *chip);

/* When something happened last: the time of the last instruction that a hart ran for other than
 * polling. It is exact, while penrose_now is the end of a window. */
uint64_t penrose_last_activity(const struct penrose_chip *chip);

/* Lets time pass. After a fault the run ends with the window in which it happened, and so does each
 * further one at once, until penrose_fault_clear or penrose_fault_isolate. */
enum penrose_outcome penrose_run(struct penrose_chip *chip, const struct penrose_run *run);

/* --- Links between Ethernet tiles --- */

/*
 * A link between two Ethernet tiles, of the same or of two chips, or from one to itself: both ends'
 * ports come up, and base firmware starts on their first harts. To be made before the tiles boot.
 * What is sent arrives at least a window (512 cycles) later. Two chips that are linked are used by
 * one thread at a time, as if they were one; when one of them is destroyed the other's port goes
 * down. PENROSE_E_ARGUMENT for other kinds of tile, PENROSE_E_STATE when one has a link already or its
 * harts run.
 */
enum penrose_status penrose_ethernet_link(struct penrose_chip *chip_a, unsigned x_a, unsigned y_a,
                                          struct penrose_chip *chip_b, unsigned x_b, unsigned y_b,
                                          struct penrose_error *error);

/*
 * Lets time pass on several chips, window by window, so that what they send each other arrives at
 * times that depend on nothing but what they do: their clocks may differ, and go on from where they
 * are. Ends as penrose_run does: PENROSE_FAULT after the window in which any chip stopped,
 * PENROSE_QUIET when all are quiet; run->until is called once a window, with chips[0]. `count` is at
 * least 1.
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
 * Makes a chip of a snapshot. Of the options `threads` alone counts, all else is as it was saved;
 * NULL: the defaults. PENROSE_E_FILE where it cannot be read, PENROSE_E_FORMAT where it is no snapshot,
 * damaged or of another build; otherwise as penrose_chip_create.
 */
enum penrose_status penrose_snapshot_load(const struct penrose_options *options, const char *path,
                                          struct penrose_chip **chip, struct penrose_error *error);

/* The same to memory, which the caller gives back with free(), and from there; *bytes and *chip are
 * NULL after an error. */
enum penrose_status penrose_snapshot_to_memory(struct penrose_chip *chip, void **bytes,
                                               size_t *size, struct penrose_error *error);
enum penrose_status penrose_snapshot_from_memory(const struct penrose_options *options,
                                                 const void *bytes, size_t size,
                                                 struct penrose_chip **chip,
                                                 struct penrose_error *error);

/*
 * A hash of a chip's state: of what a snapshot would hold, but for how far harts that wait were
 * found to wait; they count as if they had polled all along. Chips that were made and used in the
 * same way have the same, whatever the number of host threads, the kernels, and whether shortcuts
 * were taken (penrose_shortcuts_set); so have a chip and what was loaded from its snapshot, and one
 * at which somebody looks (a trace, a debugger, counts), but under PENROSE_RANDOM, where it draws
 * other random numbers. Taking the hash changes nothing. (A tile is made when somebody first reads or
 * peeks there, which does change it.) Not for a chip that is running. 0 when memory runs out.
 */
uint64_t penrose_state_hash(struct penrose_chip *chip);

/* --- Guest faults --- */

enum { PENROSE_INLINED = 32 }; /* so many calls are kept, at most */

/* A rule that a guest broke. Texts are cut where they are too long. */
struct penrose_fault {
    enum penrose_fault_kind kind;
    enum penrose_policy policy; /* that was applied */
    unsigned x, y;
    enum penrose_hart
        hart; /* PENROSE_NO_HART: the NoC or the host; a Tensix instruction was injected
                               through debug registers */
    const char *hart_name; /* as its tile calls it: "brisc", "erisc0", "drisc", "noc", ... */
    int thread;            /* of the coprocessor, whose instruction `hart` pushed; -1: none */
    uint64_t cycle;        /* when it happened first */
    uint32_t pc, word;     /* of the instruction */
    uint32_t address;      /* that it is about; 0: none */
    char rule[200];        /* the violated rule, with the values at hand */
    char disassembly[80]; /* of word; empty where no instruction is at fault, but a NoC request that
                              `pc` made, or no hart; then word is 0 */
    char symbol[128];     /* "main+0x1c", empty when unknown */
    char source[256];     /* "brisc.cc:123", empty when unknown */
    uint64_t repeated;    /* times that the same fault came from the same pc */
    /* "file:line" of the calls through which the compiler inlined that line, all of them: the
     * innermost first, the outermost last; then empty. */
    char inlined_at[PENROSE_INLINED][256];
    char hint[200]; /* what the cause may be, empty when unknown */
};

/* "unmapped-address" and so on; NULL out of range. Any thread. */
const char *penrose_fault_name(enum penrose_fault_kind kind);
/* The rule of fault_kinds.h; NULL out of range. Any thread. */
const char *penrose_fault_rule(enum penrose_fault_kind kind);

/* Fault records since creation or penrose_fault_clear; at most 256 different ones are kept. */
size_t penrose_fault_count(const struct penrose_chip *chip);
/* A record; slow where it looks for symbols and source lines. */
bool penrose_fault_get(struct penrose_chip *chip, size_t index, struct penrose_fault *fault);
/* Forgets all records and lets stopped tiles go on; harts at fault try their instruction again. */
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
 * executed; false for other tiles. */
bool penrose_coprocessor_busy(struct penrose_chip *chip, unsigned x, unsigned y);

/*
 * Makes the coprocessor of a worker what it is after power-on: queues, semaphores, configuration,
 * registers. Resetting harts does less: on hardware, and here, instructions that have left the MOP
 * expander, semaphores and banks stay as they are, and disturb what is loaded next. PENROSE_E_STATE
 * unless the three TRISCs are in reset, PENROSE_E_ARGUMENT where there is no coprocessor.
 */
enum penrose_status penrose_coprocessor_reset(struct penrose_chip *chip, unsigned x, unsigned y,
                                              struct penrose_error *error);

/* A report of a fault, several lines. Any thread. */
int penrose_fault_format(const struct penrose_fault *fault, char *text, size_t size);

/* Is it the same mistake, perhaps on another tile: does the same instruction of the same source, or
 * one of its kind into which the compiler has unrolled the line, break a rule of the same kind,
 * whatever the address is? Where the record has no instruction, the texts of the rules are
 * compared too, and where it has no hart, addresses. Any thread. */
bool penrose_fault_alike(const struct penrose_fault *fault, const struct penrose_fault *other);

/* One line on who else made the mistake, at `count` places, of which some are named: for many tiles
 * that run one program, in place of a report of each; a place of the fault's own tile is another
 * time there. (There may be more than the chip has kept
 * records of.) Any thread. */
int penrose_fault_format_others(const struct penrose_fault *fault,
                                const struct penrose_place *tiles, size_t count, char *text,
                                size_t size);

/*
 * Who waits for what, for every tile with a hart out of reset. First chains: the event that is
 * missing, and who waits for it, one behind the other. Then which counter of a NIU, page count of a
 * circular buffer, semaphore or go message a hart polls, and where requests that could change it are
 * under way; loops without effect; accesses that nobody answers; packets that a tile cannot take
 * yet; responses that are lost. Harts without work are left out where anybody else waits. Tiles that
 * wait for the same share a line, and there are at most some 40 lines.
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

/* --- Unmodelled registers --- */

/* What a guest used and this version does not model. */
struct penrose_unmodelled {
    uint32_t address;
    bool written, read;
    uint64_t times;
    unsigned x, y; /* where it was first touched */
    enum penrose_hart hart;
    uint32_t pc;
    uint32_t word;     /* of the Tensix instruction that wrote there; 0: a hart did, or the NoC */
    const char *range; /* what lies at the address; of the configuration, the field that was set */
};

/* Registers that were touched, and fields of the configuration that were set, and only hold their
 * value in this version, in the order in which they were found. */
bool penrose_unmodelled_get(struct penrose_chip *chip, size_t index,
                            struct penrose_unmodelled *entry);

/* --- Programs --- */

/*
 * Loads a bare program, an ELF for RV32: every PT_LOAD segment is written into the tile (those in the
 * range of the local RAM go to the RAM of `hart`, which is in reset or paused), and the chip keeps
 * its symbols and debug information for reports. *entry (optional) is the entry point. The next
 * release from reset, whoever makes it, keeps these data in local RAM, which is zero elsewhere; a
 * later one clears them. Data of local RAM are also put where the program's own start-up code
 * copies them from: into the section .loader_init, or to the physical address of their segment.
 * PENROSE_E_FILE, PENROSE_E_FORMAT; PENROSE_E_ARGUMENT where a segment does not fit;
 * PENROSE_E_STATE while the hart runs.
 */
enum penrose_status penrose_load_program(struct penrose_chip *chip, unsigned x, unsigned y,
                                         enum penrose_hart hart, const char *path, uint32_t *entry,
                                         struct penrose_error *error);

/* --- Names and text --- */

/* "symbol+0x10" and "file:line" of an address in code that was loaded into the tile; both buffers are
 * optional. Symbols of C++ and Rust are as their programs spell them: "a::b". False when nothing is
 * known; they are then empty strings. */
bool penrose_locate(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t pc, char *symbol,
                    size_t symbol_size, char *source, size_t source_size);

/* What lies at an address of a worker as `hart`, or the NoC (PENROSE_NO_HART), sees it. Any thread. */
const char *penrose_range_name(enum penrose_hart hart, uint32_t address);

/*
 * Disassembles one RISC-V word at `pc`, as ".ttinsn SETC16 5, 0x10" where it pushes a Tensix
 * instruction. Assembling that text gives the word back. Any thread.
 */
int penrose_disassemble(uint32_t word, uint32_t pc, char *text, size_t size);
/* Assembles one RISC-V instruction. PENROSE_E_ARGUMENT says what is wrong with the text. Any
 * thread. */
enum penrose_status penrose_assemble(const char *text, uint32_t pc, uint32_t *word,
                                     struct penrose_error *error);

/*
 * The same for a Tensix instruction as it stands in a MOP or replay buffer: "SETC16 5, 0x10", all
 * operands as numbers in the order of LLK's TT_OP_ macros. Mnemonics are taken in any case, also
 * with LLK's prefixes TT_ and TTI_. Any thread.
 */
int penrose_tensix_disassemble(uint32_t word, char *text, size_t size);
enum penrose_status penrose_tensix_assemble(const char *text, uint32_t *word,
                                            struct penrose_error *error);

/* The version of the library, such as "1.2.3". Any thread. */
const char *penrose_version(void);

#ifdef __cplusplus
}
#endif
#endif
