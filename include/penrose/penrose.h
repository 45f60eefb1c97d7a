/*
 * libpenrose: an emulator of Tenstorrent chips, whole tiles of Blackhole.
 *
 * A program creates a chip, loads it, runs it and inspects it. The library never prints and never
 * exits. A mistake of the caller is an enum penrose_status with a message (penrose/error.h). A
 * mistake of the guest is a fault record of the chip.
 *
 * These rules hold for all functions of all headers, unless one says otherwise:
 * - Threads: a process may have any number of chips. One thread at a time uses a chip; different
 *   threads may use different chips at once. "Any thread" means that a function may be called at
 *   any time, also while a chip runs.
 * - Pointers are not NULL, except `error` and pointers to results that are called optional. The
 *   library reads a struct of the caller only during the call. Strings that a function returns live
 *   as long as the library.
 * - Tiles are named by (x, y). These are NoC 0 coordinates as software writes them into NIUs with
 *   the tables of the chip's firmware; rows 0 and 1 are raw. penrose_tile_at finds the tiles of a
 *   chip. PENROSE_E_ARGUMENT means that (x, y) names no tile, that the tile lacks what the function
 *   needs, or that it lacks the hart. A tile is made when it is first used, so any function that
 *   names one may return PENROSE_E_MEMORY. Source: BlackholeA0 NoC/Coordinates.
 * - Addresses count bytes. Those of a tile are as its own NoC interface sees them: L1 from 0 on,
 *   registers from 0xffb00000 on (BlackholeA0 NoC/MemoryMap). Bytes are little-endian.
 * - Times are cycles of the chip's clock (penrose_clock_mhz).
 * - A function that writes text into a buffer of `size` bytes ends it with a 0, and returns the
 *   length of the whole text, as snprintf does. If size is 0 the buffer may be NULL.
 * - penrose_..._get(chip, index, ...) counts from 0. Past the last it is false and leaves the
 *   result as it was.
 *
 * Structs that begin with `size` may grow (struct penrose_options says how). The others do not
 * change as long as the library's soname does not.
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

/* Harts, by their names in workers. penrose_hart_name_at tells which harts a tile has. */
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
    PENROSE_RANDOM,   /* bursts have random length and order, from `seed`. L0 data caches and store
                         queues show stale and reordered data as the hardware may */
};

/* What happens at a guest fault. */
enum penrose_policy {
    /* Only in options: the policy that fault_kinds.h has for the kind. */
    PENROSE_DEFAULT,
    /* The tile stands still, and the run ends with PENROSE_FAULT. For Tensix instructions that were
     * injected through debug registers this acts as PENROSE_WARN. */
    PENROSE_STOP,
    /* There is a record, and the run goes on. An instruction that cannot be executed is skipped. A
     * NoC request is carried out as far as the hardware would, counted and answered. */
    PENROSE_WARN,
    /* As PENROSE_WARN, but without a record. */
    PENROSE_IGNORE,
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

enum { PENROSE_FAULT_ROOM = 64 }; /* there will be no more kinds of fault */

/*
 * Options of a new chip. `size` is sizeof(struct penrose_options), and zeros are the defaults:
 *     struct penrose_options options = {.size = sizeof options, .timed = true};
 * Later versions may add members at the end. Zeros in them mean what the library did before. The
 * library reads the members that the caller's header has. It refuses members that it does not know
 * unless they are zeros.
 */
struct penrose_options {
    size_t size;
    enum penrose_schedule schedule;
    uint64_t seed;    /* of PENROSE_RANDOM */
    uint32_t quantum; /* cycles of a burst, 1 to 65536; 0: 1 in lockstep, else 128 */
    /* True: instructions of coprocessor and harts take the times of their tables, and results arrive
     * late. If `quantum` is 0, the order is that of PENROSE_LOCKSTEP in place of PENROSE_FAST.
     * False: each instruction takes one cycle. */
    bool timed;
    /* How the Matrix Unit and the packer round where a guest turns on stochastic rounding. True: to
     * nearest. False: by a generator of Penrose, the same in every run, since no page describes that
     * of the hardware. The Vector Unit's generator is documented and always used. */
    bool rounds_to_nearest;
    enum penrose_policy policy[PENROSE_FAULT_ROOM]; /* by enum penrose_fault_kind */
    unsigned
        threads; /* host threads that run tiles, up to 256. 0: the number in PENROSE_THREADS, or 1
                         without it. Results do not depend on it */
    const char *card; /* "unharvested", "p150a", "p100a" or "p100"; NULL: "unharvested" */
    /* The host instructions that compute for the coprocessor: "reference" (plain C), "avx2",
     * "avx512", or PENROSE_FASTEST_KERNELS, the fastest that the host has. NULL: those that
     * PENROSE_KERNELS names, or the fastest without it. Results do not depend on them. */
    const char *kernels;
    /* Other costs than the chip's, to see what bounds a program (timed runs): "NAME=VALUE", separated by
     * commas. NAME is a row of the table of costs or how several begin, as in "dst-turn" and "noc";
     * "noc.bandwidth" (those that are rates) or "noc.latency" (times); a unit: "unpack", "matrix",
     * "vector", "pack", "math" (matrix, vector and Dst) and others; or "guesses", all without a source.
     * VALUE is a number (of one row), "Nx" for N times as fast, or "free": as fast as can be. NULL: none.
     * Such a chip cannot be recorded (PENROSE_E_STATE). */
    const char *costs;
};

#define PENROSE_FASTEST_KERNELS "fastest"

/*
 * Creates a chip with all harts in reset. NULL options are the defaults. The function reads the
 * environment variables that the options name, and PENROSE_SHORTCUTS (penrose/debug.h). After an
 * error *chip is NULL. PENROSE_E_ARGUMENT: a wrong size, an option out of range, an unknown name,
 * or kernels that this host cannot run. PENROSE_E_MEMORY. Any thread.
 */
enum penrose_status penrose_chip_create(const struct penrose_options *options,
                                        struct penrose_chip **chip, struct penrose_error *error);
/* Frees a chip and everything that belongs to it; NULL does nothing. A chip that penrose_cluster_add
 * has made goes with its cluster; this does nothing to it. */
void penrose_chip_destroy(struct penrose_chip *chip);

/* Cycles in a microsecond. */
double penrose_clock_mhz(const struct penrose_chip *chip);

/* The name of the chosen kernels, as in options. */
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

/* The kind of the tile at (x, y), which may be any numbers. */
enum penrose_tile_kind penrose_tile_kind(const struct penrose_chip *chip, unsigned x, unsigned y);

/* Finds tile `index` of a kind, counted from 0 row by row (y, then x) over tiles that are not fused
 * off. It is false past the last. The first worker is penrose_tile_at(chip, PENROSE_TILE_TENSIX, 0,
 * &at). */
bool penrose_tile_at(const struct penrose_chip *chip, enum penrose_tile_kind kind, size_t index,
                     struct penrose_place *at);

/* Finds the coordinates of the tile that NoC 1 calls (x, y). They differ in rows 0 and 1 only. It
 * is false if there is no tile. Source: BlackholeA0 NoC/Coordinates. */
bool penrose_from_noc1(const struct penrose_chip *chip, unsigned x, unsigned y, unsigned *noc0_x,
                       unsigned *noc0_y);

/* --- Host memory --- */

/*
 * Functions by which the chip reaches the memory of its host over PCIe. They read or write `size`
 * bytes at a PCIe address, and are false if nothing answers. The thread that runs the chip calls
 * them between windows, in an order that depends on simulated time alone. They must not run the
 * chip.
 */
struct penrose_host_memory {
    bool (*read)(void *context, uint64_t address, void *bytes, uint32_t size);
    bool (*write)(void *context, uint64_t address, const void *bytes, uint32_t size);
    void *context;
};

/* Replaces these functions. NULLs in it mean that there is no memory. A chip starts without
 * memory. */
void penrose_host_memory_set(struct penrose_chip *chip, const struct penrose_host_memory *memory);

/* --- The host's side of PCIe --- */

/*
 * Reads or writes a 32-bit register in BAR `bar` of the PCIe tile to which the host is connected.
 * `offset` is a multiple of 4. BAR 0 has the NIUs of that tile and, on PCIe tile 1, the path to
 * ARC. BAR 2 has the DMA engine and the iATU. A write to a doorbell runs the transfer before the
 * call returns.
 *
 * PENROSE_E_ARGUMENT: nothing is there, the register is not modelled, or the access breaks a rule.
 * A read then gives 0 for a register that is not modelled, and all ones otherwise. The caller keeps
 * the windows onto the NoC and their registers. Source: BlackholeA0 PCIExpressTile.
 */
enum penrose_status penrose_pcie_register_read(struct penrose_chip *chip, unsigned bar,
                                               uint64_t offset, uint32_t *value,
                                               struct penrose_error *error);
enum penrose_status penrose_pcie_register_write(struct penrose_chip *chip, unsigned bar,
                                                uint64_t offset, uint32_t value,
                                                struct penrose_error *error);

/*
 * Sets the functions by which DMA transfers reach the device. Their device addresses are offsets in
 * BAR 0, whose windows the caller keeps. NULLs in it mean that nothing answers. A chip starts
 * without such functions. They are called while the host writes a doorbell, or between windows if a
 * guest has written one. They may use penrose_read and penrose_write, but not penrose_run.
 */
void penrose_pcie_device_set(struct penrose_chip *chip, const struct penrose_host_memory *device);

/* A multicast of the host. */
struct penrose_multicast {
    unsigned noc;              /* 0 or 1; the coordinates are what that NoC calls the tiles */
    unsigned x_start, y_start; /* the rectangle, in the direction in which data flow there */
    unsigned x_end, y_end;
    uint32_t strided;           /* the fourth word of the host's window; 0: the whole rectangle */
    struct penrose_place *tile; /* the result: tiles in the order of the routing tree */
    unsigned room;              /* how many places `tile` has */
    unsigned count;             /* the result: the number of tiles, perhaps more than `room` */
};

/* Finds the worker tiles that a multicast reaches. PENROSE_E_ARGUMENT: there are none, or the
 * multicast breaks a rule. Source: BlackholeA0 PCIExpressTile/HostToDeviceTLBs,
 * NoC/RoutingPaths. */
enum penrose_status penrose_multicast_targets(struct penrose_chip *chip,
                                              struct penrose_multicast *multicast,
                                              struct penrose_error *error);

/* --- Memory and registers --- */

/*
 * Reads or writes `size` bytes at an address of a tile, as a NoC request of the host would, with
 * the side effects of registers. A bank is reached through any of its DRAM tiles. At most 4 GiB at
 * once. PENROSE_E_ARGUMENT names an address that does not answer. PENROSE_E_STATE: a register would
 * keep the request waiting; let time pass and ask again.
 */
enum penrose_status penrose_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                 uint64_t address, void *bytes, size_t size,
                                 struct penrose_error *error);
enum penrose_status penrose_write(struct penrose_chip *chip, unsigned x, unsigned y,
                                  uint64_t address, const void *bytes, size_t size,
                                  struct penrose_error *error);

/* How many bytes lie between an address of the tile at (x, y) and its next register: memory, and
 * what is beyond its end. 0: there are registers at the address, which take a word at a time. */
uint64_t penrose_memory_span(const struct penrose_chip *chip, unsigned x, unsigned y,
                             uint64_t address);

/* Read or write in this way without side effects, for debuggers and dumps. A poke of a register
 * only stores its value. PENROSE_E_ARGUMENT: that is not possible. */
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
    PENROSE_HART_POLLING, /* in a loop that waits for a change */
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

/* Describes the state of a hart of the tile. */
enum penrose_status penrose_hart_info(struct penrose_chip *chip, unsigned x, unsigned y,
                                      enum penrose_hart hart, struct penrose_hart_info *info,
                                      struct penrose_error *error);

/* Release takes a hart out of soft reset, so that it starts at `pc`. Hold puts it into reset. The
 * tile's reset register does the same. PENROSE_E_STATE: a hart to release is not in reset. */
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
                             is held, is paused, or waits for an event that nothing will cause */
    PENROSE_CONDITION, /* `until` was true */
    PENROSE_PAUSED,    /* a breakpoint or the like, or penrose_stop_request: see penrose/debug.h */
    PENROSE_REFUSED,   /* nothing happened: `size` of the struct penrose_run is wrong, or it has
                          members that this version does not know */
};

/* How long a run lasts. It is sized as struct penrose_options: {.size = sizeof run}. */
struct penrose_run {
    size_t size;
    /* The run ends after that many cycles at most, rounded up to a multiple of the schedule's
     * quantum unless `exactly` is true. */
    uint64_t cycles;
    /* False: a quiet chip ends the run at once with PENROSE_QUIET. True: quiet time passes, as on
     * hardware, and the run ends with PENROSE_CYCLES. That is for hosts that will do something
     * later. */
    bool pass_quiet_time;
    /*
     * True: the run ends after exactly `cycles`, perhaps in the middle of a burst of the schedule.
     * After that harts of a tile may interleave in another way than in a run that does not end
     * there. This does not happen with PENROSE_LOCKSTEP and in timed runs, whose quantum is 1.
     */
    bool exactly;
    /* Called after every window, which has at most 512 cycles while more than one tile is awake.
     * True ends the run with PENROSE_CONDITION. It may look at the chip, but not run it. It may be
     * NULL. */
    bool (*until)(struct penrose_chip *chip, void *context);
    void *context;
};

/* The time: cycles since the chip was created. */
uint64_t penrose_now(const struct penrose_chip *chip);

/* The time of the last instruction that a hart executed, instructions of polling loops left out. It
 * is exact, whereas penrose_now is the end of a window. */
uint64_t penrose_last_activity(const struct penrose_chip *chip);

/* Lets time pass on the chip, and on all others of its cluster. After a fault the run ends with the window in which it happened. Further runs end
 * at once, until penrose_fault_clear or penrose_fault_isolate. */
enum penrose_outcome penrose_run(struct penrose_chip *chip, const struct penrose_run *run);

/* --- Clusters: several chips under one clock --- */

/*
 * Every chip belongs to a cluster. penrose_chip_create makes a chip that is alone in one, and
 * everything about chips holds for it as it stands. The chips of a larger cluster have one time: a
 * run of one of them is a run of all, and ends for what happens on any. One thread at a time uses
 * the chips of a cluster. Their products may differ; schedule, quantum and timed are the same.
 *
 * A snapshot of a chip is one of its whole cluster, and so are its recording and its history.
 */
struct penrose_cluster;

/* Creates a cluster without chips. `threads` is as in struct penrose_options; those of its chips do
 * not count. PENROSE_E_ARGUMENT, PENROSE_E_MEMORY. Any thread. */
enum penrose_status penrose_cluster_create(unsigned threads, struct penrose_cluster **cluster,
                                           struct penrose_error *error);
/* Frees a cluster with all its chips; NULL does nothing. */
void penrose_cluster_destroy(struct penrose_cluster *cluster);

/* Creates a chip in a cluster that has not run yet. Chips are numbered from 0, and there are at most
 * 64. Errors are those of penrose_chip_create. PENROSE_E_STATE: time has passed, or the cluster is that
 * of a chip from penrose_chip_create. *chip is NULL after an error. */
enum penrose_status penrose_cluster_add(struct penrose_cluster *cluster,
                                        const struct penrose_options *options,
                                        struct penrose_chip **chip, struct penrose_error *error);

/* Creates the cluster of a card: options->card may also be "p300", "p300x2", "quietbox" or "galaxy",
 * which have several chips and links between them. options->threads are those of the cluster. Errors
 * are those of penrose_chip_create; *cluster is NULL then. Any thread. */
enum penrose_status penrose_cluster_of_card(const struct penrose_options *options,
                                            struct penrose_cluster **cluster,
                                            struct penrose_error *error);

/* Creates the cluster that a file describes, a cluster descriptor of UMD in YAML (docs/CLUSTERS.md).
 * options->card is NULL, and options->threads are those of the cluster. PENROSE_E_FILE: the file cannot
 * be read. PENROSE_E_FORMAT: it is broken, or describes what cannot be; the message has its line.
 * PENROSE_E_ARGUMENT: its chips are not emulated. Other errors are those of penrose_chip_create;
 * *cluster is NULL after an error. Any thread. */
enum penrose_status penrose_cluster_of_file(const struct penrose_options *options, const char *path,
                                            struct penrose_cluster **cluster,
                                            struct penrose_error *error);

/* Chip `number` of the cluster; NULL past the last. */
struct penrose_chip *penrose_cluster_chip(const struct penrose_cluster *cluster, size_t number);

/* The cluster of a chip, and the chip's number in it (optional). */
struct penrose_cluster *penrose_chip_cluster(const struct penrose_chip *chip, unsigned *number);

/* A hash of the state of all chips, see penrose_state_hash. 0 if memory runs out. */
uint64_t penrose_cluster_state_hash(struct penrose_cluster *cluster);

/*
 * Makes a link between two Ethernet tiles, of one chip or of two of a cluster, or from a tile to
 * itself. The ports of both ends come up, and base firmware starts on their first harts. Call it
 * before the tiles boot. Data arrive a window (512 cycles; 10 in timed runs) after they were sent.
 * PENROSE_E_ARGUMENT: other kinds of tile, chips of two clusters. PENROSE_E_STATE: a tile has a link
 * already, or its harts run.
 */
enum penrose_status penrose_ethernet_link(struct penrose_chip *chip_a, unsigned x_a, unsigned y_a,
                                          struct penrose_chip *chip_b, unsigned x_b, unsigned y_b,
                                          struct penrose_error *error);

/* Cuts the link of an Ethernet tile, as if its cable were pulled: the ports of both ends go down, and
 * frames that are under way are lost. PENROSE_E_STATE: there is no link. */
enum penrose_status penrose_ethernet_unlink(struct penrose_chip *chip, unsigned x, unsigned y,
                                            struct penrose_error *error);

/* What goes wrong on a link, in both directions. */
struct penrose_link_errors {
    size_t size;       /* sizeof(struct penrose_link_errors) */
    double rate;       /* share of frames that arrive with a wrong CRC, 0 to 1 */
    uint64_t seed;     /* by which these frames are chosen */
    uint64_t down, up; /* cycles at which the link goes away and comes back; 0: it does not */
};

/*
 * From now on this goes wrong on the link of an Ethernet tile. The receiver's RX classifier drops
 * damaged frames, and TX queues in TT-link mode send them again; those in raw mode do not. While a
 * link is away frames are lost, and PCS_STATUS of both ends says so. Which frames are damaged depends on the seed and on
 * how many have arrived, so each run is the same. Base firmware's live counters in L1 count damaged frames, times
 * that the link went away, and times that it came back.
 * PENROSE_E_ARGUMENT: a rate outside 0 to 1, a link that comes back before it goes. PENROSE_E_STATE:
 * there is no link, or it is away.
 */
enum penrose_status penrose_ethernet_errors(struct penrose_chip *chip, unsigned x, unsigned y,
                                            const struct penrose_link_errors *errors,
                                            struct penrose_error *error);

/* What an Ethernet tile's link has come to. */
struct penrose_link_info {
    struct penrose_chip *peer; /* the other end, and its tile; NULL: the tile has no link */
    struct penrose_place at;
    bool is_up;
    uint64_t sent, received; /* frames */
    uint64_t damaged, lost;  /* of these: with a wrong CRC; sent while the link was away */
    uint64_t resends;        /* times that a TX queue went back to the oldest packet */
    uint64_t unacknowledged; /* packets that the peer has not acknowledged */
    uint64_t down; /* cycle at which penrose_ethernet_errors took the link away; 0: it is there */
};

/* PENROSE_E_ARGUMENT: another kind of tile. */
enum penrose_status penrose_ethernet_info(struct penrose_chip *chip, unsigned x, unsigned y,
                                          struct penrose_link_info *info,
                                          struct penrose_error *error);

/* --- Snapshots --- */

/*
 * A snapshot is the whole state of a chip and of all others of its cluster: tiles with their memory,
 * harts, coprocessors and registers, DRAM, packets on their way, links with their errors and the frames
 * on them, the time, options, fault records. Chips that are loaded from it, in another process or on
 * another host, go on exactly as those that were saved. Only the build that made a snapshot can load it.
 * The chips of a snapshot are of one kind (Blackhole).
 *
 * A snapshot does not have what belongs to the host. The loaded chip has host threads and kernels
 * (PENROSE_KERNELS) of its own. It has no trace, no host memory (penrose_host_memory_set) and no
 * programs. So reports have neither symbols nor source lines until programs are loaded again, and
 * penrose_boot and penrose_load_program write to tiles when they load them.
 *
 * A check sum finds damage. It is no defence against a snapshot that was made to do harm: load only
 * what you would run.
 */

/* Saves a chip that is not running. `until` of penrose_run may call it, too. The file gets its name
 * when it is complete; an older file of that name stays until then. PENROSE_E_FILE,
 * PENROSE_E_MEMORY. PENROSE_E_STATE: the chip runs, or chips of its cluster are of several kinds. */
enum penrose_status penrose_snapshot_save(struct penrose_chip *chip, const char *path,
                                          struct penrose_error *error);

/*
 * Makes a chip from a snapshot, with all others of its cluster. *chip is the first one, and
 * penrose_chip_cluster leads to the others. penrose_chip_destroy of any of them frees them all, and no
 * chip can be added. NULL options are the defaults. These options count:
 *   threads  as in penrose_chip_create
 *   timed    the chips go on in a timed run, also those of a functional one. Those get the quantum of new
 *            timed chips in place of their own
 *   costs    of chips that go on timed; only with `timed`. Costs are not saved, so without them the chips
 *            have the usual ones, whatever they had before
 * The other options are as they were saved, so chips of PENROSE_RANDOM that become timed stay random.
 * PENROSE_E_FILE: the file cannot be read. PENROSE_E_FORMAT: it is no snapshot, is damaged, or is of
 * another build. PENROSE_E_ARGUMENT: `costs` without `timed`. Other errors are those of
 * penrose_chip_create.
 */
enum penrose_status penrose_snapshot_load(const struct penrose_options *options, const char *path,
                                          struct penrose_chip **chip, struct penrose_error *error);

/* Save a snapshot to memory, which the caller releases with free(), and load it from there. *bytes
 * and *chip are NULL after an error. */
enum penrose_status penrose_snapshot_to_memory(struct penrose_chip *chip, void **bytes,
                                               size_t *size, struct penrose_error *error);
enum penrose_status penrose_snapshot_from_memory(const struct penrose_options *options,
                                                 const void *bytes, size_t size,
                                                 struct penrose_chip **chip,
                                                 struct penrose_error *error);

/*
 * A hash of the state that a snapshot would have. How far Penrose has recognised that harts wait
 * does not count: they are hashed as if they had polled all along.
 *
 * Chips that were made and used in the same way have the same hash, whatever the number of host
 * threads, the kernels and the shortcuts (penrose_shortcuts_set). So have a chip and a chip that
 * was loaded from its snapshot. So has a chip with a trace, a debugger or counts, except under
 * PENROSE_RANDOM, where observation draws other random numbers.
 *
 * Taking the hash changes nothing. But the first read or peek of a tile makes the tile, which does
 * change the hash. Not for a chip that is running. 0 if memory runs out.
 */
uint64_t penrose_state_hash(struct penrose_chip *chip);

/* --- Guest faults --- */

enum { PENROSE_INLINED = 32 }; /* at most so many calls are kept */

#define PENROSE_RULE_TEXT 400

/* A rule that a guest broke. Texts that are too long are cut. */
struct penrose_fault {
    enum penrose_fault_kind kind;
    enum penrose_policy policy; /* that was applied */
    unsigned x, y;
    /* PENROSE_NO_HART: the NoC or the host, or a Tensix instruction that was injected through debug
     * registers. */
    enum penrose_hart hart;
    const char *hart_name; /* as its tile calls it: "brisc", "erisc0", "drisc", "noc", ... */
    int thread;            /* of the coprocessor, whose instruction `hart` pushed; -1: none */
    uint64_t cycle;        /* when it happened first */
    uint32_t pc, word;     /* of the instruction */
    uint32_t address;      /* that it is about; 0: none */
    char rule[PENROSE_RULE_TEXT]; /* the violated rule, with the values at hand */
    /* Of `word`. It is empty, and `word` is 0, if no instruction is at fault but a NoC request that was
     * made at `pc`, or if there is no hart. */
    char disassembly[80];
    char symbol[128];  /* "main+0x1c", empty when unknown */
    char source[256];  /* "brisc.cc:123", empty when unknown */
    uint64_t repeated; /* times that the same fault came from the same pc */
    /* "file:line" of all calls through which the compiler inlined that line, from the innermost to
     * the outermost, and then empty. */
    char inlined_at[PENROSE_INLINED][256];
    char hint[200]; /* what the cause may be, empty when unknown */
};

/* "unmapped-address" and so on; NULL out of range. Any thread. */
const char *penrose_fault_name(enum penrose_fault_kind kind);
/* The rule of fault_kinds.h; NULL out of range. Any thread. */
const char *penrose_fault_rule(enum penrose_fault_kind kind);

/* Fault records since creation or penrose_fault_clear; at most 256 different ones are kept. */
size_t penrose_fault_count(const struct penrose_chip *chip);
/* A record. This is slow if symbols and source lines have to be found. */
bool penrose_fault_get(struct penrose_chip *chip, size_t index, struct penrose_fault *fault);
/* Forgets all records and lets stopped tiles go on; harts at fault try their instruction again. */
void penrose_fault_clear(struct penrose_chip *chip);

/*
 * Lets the chip go on without the harts and units at fault, for hosts that serve more than one
 * program. A hart at fault stays PENROSE_HART_FAULTED until it is put into reset. So does a hart
 * that made a wrong NoC request, or pushed a wrong Tensix instruction. After a wrong Tensix
 * instruction the coprocessor, and the harts that wait for it, stand still until
 * penrose_coprocessor_reset.
 *
 * Records of faults that stop are forgotten, and the others are kept. Call it whenever penrose_run
 * has returned PENROSE_FAULT, after reading the records. At other times a call does no harm.
 */
void penrose_fault_isolate(struct penrose_chip *chip);

/* True while the coprocessor of a worker has instructions that were pushed and are not executed
 * yet. False for other tiles. */
bool penrose_coprocessor_busy(struct penrose_chip *chip, unsigned x, unsigned y);

/*
 * Returns the coprocessor of a worker to its state after power-on: queues, semaphores,
 * configuration, registers. A reset of harts does less, on hardware as here: instructions that have
 * left the MOP expander, semaphores and banks stay as they are, and disturb the next program.
 * PENROSE_E_STATE: the three TRISCs are not all in reset. PENROSE_E_ARGUMENT: there is no
 * coprocessor.
 */
enum penrose_status penrose_coprocessor_reset(struct penrose_chip *chip, unsigned x, unsigned y,
                                              struct penrose_error *error);

/* Formats a report of a fault, with several lines. Any thread. */
int penrose_fault_format(const struct penrose_fault *fault, char *text, size_t size);

/*
 * Whether two faults are one mistake, perhaps on different tiles. They are if one instruction of
 * the source breaks a rule of one kind, at any address. Instructions into which the compiler has
 * unrolled the line count as one. If a record has no instruction, the texts of the rules are
 * compared too. If it has no hart, addresses are compared too. Any thread.
 */
bool penrose_fault_alike(const struct penrose_fault *fault, const struct penrose_fault *other);

/*
 * Formats a line that names other places of a mistake, in place of a report of each, if many tiles
 * run one program. There are `count` places, of which the line names some. The fault's own tile
 * among them stands for another time there. `count` may exceed the records that the chip has kept.
 * Any thread.
 */
int penrose_fault_format_others(const struct penrose_fault *fault,
                                const struct penrose_place *tiles, size_t count, char *text,
                                size_t size);

/*
 * Reports who waits for what, for every tile with a hart out of reset. It begins with chains: the
 * missing event, and behind it the harts and threads that wait, one after the other. Then it names
 * the counter of a NIU, page count of a circular buffer, semaphore or go message that a hart polls,
 * and where requests that could change it are under way. It also names loops without effect,
 * accesses that are not answered, packets that a tile cannot take yet, and responses that are lost.
 *
 * Harts without work are left out if anything else waits. Tiles with the same wait share a line.
 * There are at most some 40 lines.
 */
int penrose_wait_report(struct penrose_chip *chip, char *text, size_t size);

/* The lines of that report about threads of the coprocessor. There are none if every instruction
 * that was pushed has started or can start. */
int penrose_tensix_wait_report(struct penrose_chip *chip, char *text, size_t size);

/*
 * Lists NoC requests of workers' harts for which code has not waited: their responses are still to
 * come, or they came at once, as in functional runs, and the counters of the NIU were not read
 * since. There is a line for each NoC, hart and kind of request. Kernels should wait before they
 * end.
 */
int penrose_noc_wait_report(struct penrose_chip *chip, char *text, size_t size);

/* --- Unmodelled registers --- */

/* A register that a guest used and that this version does not model. */
struct penrose_unmodelled {
    uint32_t address;
    bool written, read;
    uint64_t times;
    unsigned x, y; /* where it was first touched */
    enum penrose_hart hart;
    uint32_t pc;
    uint32_t word;     /* of the Tensix instruction that wrote it; 0: a hart or the NoC wrote it */
    const char *range; /* the name of the place, or of the field of the configuration */
};

/* Lists registers that were touched and fields of the configuration that were set, and that only
 * hold their value in this version, in the order in which they were found. */
bool penrose_unmodelled_get(struct penrose_chip *chip, size_t index,
                            struct penrose_unmodelled *entry);

/* --- Programs --- */

/*
 * Loads a bare program, an ELF for RV32. Every PT_LOAD segment is written into the tile. Segments
 * in the range of the local RAM go to the RAM of `hart`, which has to be in reset or paused. The
 * chip keeps the program's symbols and debug information for reports. *entry (optional) is the
 * entry point.
 *
 * The next release from reset keeps these data in local RAM, which is zero elsewhere. A later
 * release clears them. Data of local RAM are also written to the place from which the program's own
 * start-up code copies them: the section .loader_init, or the physical address of their segment.
 *
 * PENROSE_E_FILE, PENROSE_E_FORMAT. PENROSE_E_ARGUMENT: a segment does not fit. PENROSE_E_STATE:
 * the hart runs.
 */
enum penrose_status penrose_load_program(struct penrose_chip *chip, unsigned x, unsigned y,
                                         enum penrose_hart hart, const char *path, uint32_t *entry,
                                         struct penrose_error *error);

/* --- Names and text ---
 *
 * Names of registers and instructions depend on the kind of chip. Functions that need nothing else of a
 * chip take one for its kind alone; NULL stands for the first kind of the library, Blackhole. */

/* "symbol+0x10" and "file:line" of an address in code that was loaded into the tile. Both buffers
 * are optional. Symbols of C++ and Rust are spelled as in their programs: "a::b". If nothing is
 * known it is false, and the texts are empty. */
bool penrose_locate(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t pc, char *symbol,
                    size_t symbol_size, char *source, size_t source_size);

/* The name of what is at an address of a worker, as `hart` or the NoC (PENROSE_NO_HART) sees it.
 * Any thread. */
const char *penrose_range_name(const struct penrose_chip *chip, enum penrose_hart hart,
                               uint32_t address);

/* Disassembles one RISC-V word at `pc`. A word that pushes a Tensix instruction becomes ".ttinsn
 * SETC16 5, 0x10". The assembler makes the word of that text again. Any thread. */
int penrose_disassemble(const struct penrose_chip *chip, uint32_t word, uint32_t pc, char *text,
                        size_t size);
/* Assembles one RISC-V instruction. PENROSE_E_ARGUMENT says what is wrong with the text. Any
 * thread. */
enum penrose_status penrose_assemble(const struct penrose_chip *chip, const char *text, uint32_t pc,
                                     uint32_t *word, struct penrose_error *error);

/* Disassemble and assemble a Tensix instruction in the form of MOP and replay buffers: "SETC16 5,
 * 0x10". All operands are numbers, in the order of LLK's TT_OP_ macros. Mnemonics may have any
 * case, and LLK's prefixes TT_ and TTI_. Any thread. */
int penrose_tensix_disassemble(const struct penrose_chip *chip, uint32_t word, char *text,
                               size_t size);
enum penrose_status penrose_tensix_assemble(const struct penrose_chip *chip, const char *text,
                                            uint32_t *word, struct penrose_error *error);

/* The version of the library, such as "1.2.3". Any thread. */
const char *penrose_version(void);

#ifdef __cplusplus
}
#endif
#endif
