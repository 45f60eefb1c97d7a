/*
 * Where the cycles of a run went: a fold of the events of its trace (penrose/trace.h).
 *
 * A lane is a hart, or a thread of the coprocessor. At each cycle it is busy, it waits, or (a thread)
 * it has no instruction. A hart is busy from the cycle in which an instruction starts to the one in
 * which the next one does, and those cycles belong to the first one's line. A thread is busy for a
 * cycle with each instruction that passes its gate. An instruction that waits at the gate, and a hart
 * that polls or has no answer, wait for what the trace says.
 *
 * A launch is what harts of workers do in kernels, from the first that begins one to the last that
 * ends. A hart runs one kernel in a launch. A kernel of another tile belongs to the launch in which it
 * begins, and makes that longer if it ends before the next one begins. The critical path of each launch is found (path.h); of a
 * run without kernels, that of all of it.
 *
 * Events come in the order of time, as a trace hands them out. Needed are those of PROFILE_FILTER.
 */
#ifndef OBSERVE_PROFILE_PROFILE_H
#define OBSERVE_PROFILE_PROFILE_H

#include <stdio.h>

#include <penrose/trace.h>

#include "observe/names.h"
#include "observe/profile/host_operations.h"
#include "observe/profile/links.h"
#include "observe/profile/path.h"
#include "observe/profile/peaks.h"
#include "observe/profile/spots.h"
#include "observe/trace/text.h"

#define PROFILE_FILTER "kind=instruction,tensix,noc,wait"

/* Is the event of such a kind? A trace that was read may have others. */
static inline bool profile_uses(const struct penrose_trace_event *event)
{
    return event->kind == PENROSE_TRACE_INSTRUCTION || event->kind == PENROSE_TRACE_TENSIX ||
           event->kind == PENROSE_TRACE_NOC || event->kind == PENROSE_TRACE_WAIT;
}

/* Lanes: harts of workers by enum penrose_hart, harts of other tiles by their names, threads. */
enum {
    PROFILE_OTHERS = PENROSE_HARTS,
    PROFILE_MOST_OTHERS = 4,
    PROFILE_FIRST_THREAD = PROFILE_OTHERS + PROFILE_MOST_OTHERS,
    PROFILE_THREADS = 3,
    PROFILE_LANES = PROFILE_FIRST_THREAD + PROFILE_THREADS,
    PROFILE_NOC_WAVE = PROFILE_LANES,
    PROFILE_DRAM_WAVE,
    PROFILE_ALL_WAVES,
    PROFILE_WAVES = 128,
    PROFILE_SIDE = 64,
    PROFILE_KERNELS = 6, /* that a launch names */
    PROFILE_NAME_BYTES = 768,
};

/* Groups of tiles that take part in a launch, by their harts. */
enum profile_group { PROFILE_WORKERS, PROFILE_ETHERNET, PROFILE_DRAM, PROFILE_GROUPS };

/* Cycles of lanes. */
struct profile_cycles {
    uint64_t busy, waiting, idle;
    uint64_t held; /* of those that a thread waits: for its unit, which is busy */
};

/* Bytes that harts have sent or asked for. */
struct profile_bytes {
    uint64_t sent, asked, dram; /* dram: of both, those of DRAM tiles */
};

/* A lane of a tile. */
struct profile_lane {
    struct profile_cycles cycles;
    uint64_t since;    /* what is under way has been charged up to here */
    uint32_t row;      /* of that, plus one; 0: nothing is */
    uint32_t pc, word; /* where it is; 0: the word of a wait is not known */
    bool is_waiting;   /* in a wait of that row */
    const char *waits; /* a thread: for what, since the latest wait began */
    uint64_t executed; /* instructions */
    uint32_t launch;   /* the latest in which the hart has run a kernel, plus one; 0: none */
    bool is_in_kernel;
    uint32_t zone;      /* of that kernel, plus one; 0: there is none */
    const char *source; /* the file of its latest instruction in that kernel */
};

struct profile_tile {
    unsigned x, y;
    struct profile_lane lane[PROFILE_LANES];
    struct profile_bytes bytes;
    uint8_t lane_of[PENROSE_HARTS]; /* plus one, by agent; 0: it has not been seen */
    uint32_t launch;                /* the latest that it takes part in, plus one; 0: none */
    unsigned running;               /* harts in kernels of that */
    bool is_done;                   /* its brisc waits for the next one */
};

/* A line of source in a lane, and what it waits for there. */
struct profile_row {
    const char *agent, *kernel, *symbol, *source;
    const char *inlined_at; /* as in the trace */
    const char *waits;      /* NULL: the lane is busy */
    const char *ended;      /* what has ended the wait; "": it is not known */
    unsigned line, lane;
    uint32_t number;        /* rows are sorted, this stays */
    uint64_t cycles, count; /* count: of instructions, or of waits */
    uint64_t critical;      /* cycles of the critical paths */
};

/* A launch of kernels, or all of a run without any. */
struct profile_launch {
    const char *kernel[PROFILE_KERNELS]; /* names */
    bool has_more_kernels;
    unsigned kernels;
    const char *operation;   /* of ttnn, as the folder of a kernel's file tells; NULL: none does */
    unsigned operation_rank; /* how much that kernel tells of it; 0: nothing */
    uint32_t program;        /* the number that the host gave to the program; 0: not known */
    const struct host_operation
        *host;            /* that launched it, when the profile has ended; NULL: not known */
    unsigned running;     /* harts of workers that have not left their kernels */
    uint64_t first, last; /* cycles: the first instruction, behind the last one */
    struct profile_cycles lane[PROFILE_LANES];
    unsigned tiles[PROFILE_GROUPS];
    struct profile_bytes bytes[PROFILE_GROUPS]; /* of those tiles */
    uint32_t end;                               /* of its critical path, until that is known */
    bool has_path;                              /* it is */
    uint64_t part[PATH_PARTS];                  /* its cycles */
    struct profile_row longest;                 /* most of them are those of this row */
};

/* A hart's stay in a kernel. */
struct profile_zone {
    uint64_t first,
        last; /* cycles: the first instruction, behind the last one; 0: it has not ended */
    uint32_t tile, lane, launch;
};

struct profile {
    struct profile_peaks peaks;
    struct names names;
    const char *lane_name[PROFILE_LANES]; /* NULL: no tile has it */
    struct profile_tile *tile;
    size_t tiles, tile_room;
    uint16_t tile_at[PROFILE_SIDE][PROFILE_SIDE]; /* by y and x: its number, plus one */
    struct profile_row *row;
    size_t rows, row_room;
    struct trace_text *text; /* for inlined calls */
    uint32_t *slot;          /* a hash table of indices of rows, plus one */
    size_t slots;
    struct profile_launch *launch;
    size_t launches, launch_room;
    struct profile_zone *zone;
    size_t zones, zone_room;
    struct path path;           /* lanes are those of tile[0], of tile[1] and so on */
    bool is_empty, has_failed;  /* no event yet; memory ran out, and some are missing */
    bool has_waits, has_causes; /* waits that have ended; it is known of some who ended them */
    uint64_t first, last;       /* cycles of events */
    /* Busy cycles of each lane, bytes of the NoC, and those of DRAM: of PROFILE_WAVES stretches of time. */
    uint64_t wave[PROFILE_ALL_WAVES][PROFILE_WAVES];
    uint64_t wave_begin, wave_width; /* of the first one; cycles */
    const struct chip_calls *calls;
    unsigned chip; /* its number */
    struct links links;
    struct spots spots;
    struct host_operations host;
};

/* Of a chip of that kind, and its number in its cluster. NULL when memory runs out. */
struct profile *profile_create(const struct chip_calls *calls, unsigned chip,
                               const struct profile_peaks *peaks);
void profile_destroy(struct profile *profile); /* NULL does nothing */

void profile_take(struct profile *profile, const struct penrose_trace_event *event);

/* Before the end: launches are called by the operations that their host has told of, in a file
 * (host_operations.h), by this process (0: by any). False: it cannot be read; errno says why. */
bool profile_know_operations(struct profile *profile, const char *path, long process);

/* Behind the last event: waits under way are charged up to there, and rows are sorted: those of kernels
 * before the others, and the most cycles first. */
void profile_end(struct profile *profile);

/* For qsort: what firmware does, such as polls for work on all tiles, comes behind what kernels do. 0: both
 * are of kernels, or none is. */
static inline int profile_compare_kernels(const struct profile_row *a, const struct profile_row *b)
{
    return (*b->kernel != '\0') - (*a->kernel != '\0');
}

void profile_add_cycles(struct profile_cycles *to, const struct profile_cycles *cycles);
void profile_add_bytes(struct profile_bytes *to, const struct profile_bytes *bytes);

/* Of all tiles. */
struct profile_cycles profile_lane_cycles(const struct profile *profile, unsigned lane);

/* The same in launches alone, if there are any: without boot, and polls of firmware for work. */
struct profile_cycles profile_work_cycles(const struct profile *profile, unsigned lane);

/* Harts or threads have executed something there, or sent something. Others have answered packets at most. */
bool profile_tile_is_active(const struct profile_tile *tile);
size_t profile_active_tiles(const struct profile *profile);

/* The longest wait of a lane, in kernels if there is one; NULL: it has not waited. */
const struct profile_row *profile_wait(const struct profile *profile, unsigned lane);

/* A hart executes an instruction of a kernel, or one outside of any: it may begin one, or end one. */
void profile_note_kernel(struct profile *profile, struct profile_tile *tile, unsigned lane,
                         const struct penrose_trace_event *event);

/* A hart executes an instruction of its kernel. If that is a kernel of ttnn, its launch is an operation. */
void profile_note_source(struct profile *profile, struct profile_tile *tile, unsigned lane,
                         const struct penrose_trace_event *event);

/* The launch that the lane of a tile works for; NULL: none. */
struct profile_launch *profile_launch_of(struct profile *profile, const struct profile_tile *tile,
                                         unsigned lane);

/* The group of a tile that has the lane. */
enum profile_group profile_group_of(const struct profile *profile, unsigned lane);

/* Finds the critical path of each launch that has ended, before steps change their numbers. */
void profile_find_ended(struct profile *profile);

/* The same of all launches, when the profile ends, before rows are sorted. */
void profile_find_paths(struct profile *profile);

/* "ttnn.relu (FILE:12) of 32x64, eltwise/unary: reader_unary, eltwise_sfpu, 64 tiles, 2 of Ethernet": the
 * host's operation, ttnn's operation and the names of its kernels, as far as they are known, and its tiles.
 * Without the host's it begins with "ttnn eltwise/unary". The place in parentheses is that of the caller. */
void profile_launch_name(const struct profile_launch *launch, bool has_caller, char *text,
                         size_t size);

/* That of the host's operation, of ttnn's, or of the kernel that computes. */
const char *profile_operation_name(const struct profile_launch *launch);

/* Launches whose operations are called the same, those with most cycles first, and behind them one without
 * a launch; and the cycles in which there is no launch between the first and the last. To be freed. NULL
 * when memory runs out. */
struct profile_operation {
    const char *name;
    unsigned launches;
    uint64_t cycles;
};
struct profile_operation *profile_sum_operations(const struct profile *profile, uint64_t *between);

/* What bounds the launch, in a sentence. */
void profile_launch_bound(const struct profile *profile, const struct profile_launch *launch,
                          char *text, size_t size);

/* "math", "the NoC". */
const char *profile_part_name(enum path_part part);

/* Rows with cycles of critical paths, those with most first, and behind them a NULL; and the cycles of
 * all of them. To be freed. NULL when memory runs out. */
const struct profile_row **profile_critical_rows(const struct profile *profile, uint64_t *all);

/* What the profile lacks, in sentences, of which each begins with a blank; "": nothing. */
void profile_lacks(const struct profile *profile, char *text, size_t size);

/* What bounds the run, in a sentence: the lane that is busiest, and what that waits for most. */
void profile_bound(const struct profile *profile, char *text, size_t size);

/* An ended profile as text, as a page that needs nothing else, as a table in CSV, its launches as a table in
 * CSV for tt-perf-report, or its kernels as one for what reads the logs of tt-metal's profiler. Text and page
 * show the lines of source files that can be read. */
void profile_text(const struct profile *profile, FILE *file);
void profile_page(const struct profile *profile, FILE *file);
void profile_table(const struct profile *profile, FILE *file);
void profile_operations(const struct profile *profile, FILE *file);
void profile_device_log(const struct profile *profile, FILE *file);

#endif
