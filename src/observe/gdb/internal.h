/*
 * Shared by the parts of the GDB server. Each calls those below it only:
 *
 *   gdb.c        life, and runs with a client
 *   events.c     what happens in a run that the client hears of
 *   serve.c      when the client is served
 *   commands.c   what a packet asks for
 *   query.c, monitor.c, monitor_tensix.c   q packets and qXfer, `monitor`
 *   resume.c     going on
 *   attach.c     processes that the client takes and leaves
 *   reverse.c    time that runs backwards
 *   stops.c      why the chips stand
 *   breaks.c     places that Penrose finds
 *   points.c     breakpoints and watchpoints
 *   symbols.c    programs that only the host knows
 *   registers.c, features.c   registers, their XML
 *   target.c     processes, threads, memory
 *   files.c      files that the server has named
 *   server.c     the socket, and packets over it
 *   words.c, packet.c, expression.c   texts
 *
 * A process is a hart, or all harts of a tile as its threads. Its number is decimal for people:
 * 1XXYYH on chip 0 and 2XXYYH on chip 1, where H is 0 for the tile and otherwise the hart's number
 * plus 1. A thread's number is that of the hart plus 1.
 */
#ifndef OBSERVE_GDB_INTERNAL_H
#define OBSERVE_GDB_INTERNAL_H

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <penrose/debug.h>
#include <penrose/history.h>

#include "cluster/cluster.h"
#include "observe/gdb/gdb.h"
#include "observe/gdb/packet.h"

/* Signals as the protocol numbers them. */
enum gdb_signal {
    GDB_SIGINT = 2,
    GDB_SIGILL = 4,
    GDB_SIGTRAP = 5,
    GDB_SIGABRT = 6,
    GDB_SIGSEGV = 11,
};

struct gdb_process {
    unsigned pid;
    unsigned chip, x, y;
    unsigned harts;      /* a bit for each */
    unsigned going;      /* those that the client has let go on, */
    unsigned held;       /* and those that stand still because it has not */
    unsigned placed;     /* those whose pc it has set since they stopped */
    const void *main;    /* the program that the client was told is its file; NULL: none */
    unsigned images;     /* changes of the chip's programs of which the client knows */
    unsigned launch, go; /* points at messages by which kernels launch others; 0: none yet */
};

/* pid 0: none. */
struct gdb_thread {
    unsigned pid;
    unsigned chip, x, y;
    enum penrose_hart hart;
};

/* Z packets: software and hardware breakpoints, watchpoints for writes, reads and both. */
enum gdb_point_type { GDB_SOFT, GDB_HARD, GDB_WRITES, GDB_READS, GDB_ACCESSES, GDB_POINT_TYPES };

enum { GDB_CONDITION_BYTES = 4096 };

/*
 * A point that the client has set. One that it takes back stays until the chip goes on as a whole:
 * a client takes all of them back at each stop, and while it steps one hart; others must not miss
 * theirs then.
 */
struct gdb_point {
    struct gdb_point *next;
    struct gdb *gdb;
    enum gdb_point_type type;
    struct gdb_thread thread; /* that was current; its process */
    uint32_t address, bytes;
    unsigned id;                 /* of penrose_point_set, on its chip */
    const struct gdb_break *own; /* that it belongs to; NULL: the client has set it */
    bool is_wanted;
    uint8_t *conditions; /* each with its length in two bytes before it; NULL: none */
    size_t condition_bytes;
};

/* Where a register's value comes from. */
enum gdb_register_kind {
    GDB_REGISTER_PLAIN,  /* penrose_register_read */
    GDB_REGISTER_LREG,   /* penrose_lreg_read */
    GDB_REGISTER_NAMED,  /* penrose_tensix_read */
    GDB_REGISTER_CONFIG, /* the same, in the state of Config that the thread uses */
    GDB_REGISTER_GATE,   /* penrose_gate_read */
};

struct gdb_register {
    char name[80];
    const char *feature, *group, *type;
    unsigned bits;
    enum gdb_register_kind kind;
    struct penrose_register plain;
    unsigned number;
    char value[80]; /* its name for penrose_tensix_read; "T." in front: of the hart's thread */
};

enum { GDB_X = 0, GDB_PC = 32, GDB_GENERAL = 33, GDB_PENDING = 16, GDB_FILES = 16 };

/* A stop of one of the chips. */
struct gdb_stop {
    unsigned chip;
    struct penrose_stop stop;
};

/* Why the chips stand. */
struct gdb_event {
    struct gdb_thread thread;
    enum gdb_signal signal;
    char reason[48]; /* for the stop reply: "swbreak:;"; may be empty */
    uint64_t cycle;  /* in which it stopped; 0: at the end of a window of time */
};

struct gdb {
    struct penrose_chip *chip;       /* of the cluster that is looked at: the present, or a past */
    struct penrose_chip *present;    /* of the one that runs */
    struct penrose_chip *past;       /* NULL: the present is looked at */
    struct penrose_history *history; /* NULL: time does not run backwards */
    bool is_recording;               /* the present is its end, and the history is not ours */

    /* The connection. */
    int listener, client; /* -1: none */
    pid_t owner;          /* not a child of it */
    char command[160];
    char *unix_path;         /* to be removed; NULL: none */
    struct stat unix_socket; /* what was made there */
    bool waits, has_begun;
    bool is_bare;       /* see gdb_run_bare */
    bool shares_pauses; /* see gdb_share_pauses; */
    bool goes_on;       /* the latest one was for the client */
    uint64_t next_look; /* host time */
    uint8_t input[4096];
    size_t input_at, input_size;
    struct gdb_reader *reader;
    struct gdb_text payload, frame; /* the answer that is made, and the latest that was sent */
    bool has_no_acks, has_swbreak, is_extended;

    /* The target. */
    bool is_held; /* it stands until the client says go on */
    struct gdb_process *process;
    size_t processes;
    struct gdb_thread general; /* that registers and memory are about */
    struct gdb_thread resumed; /* that goes on, where packets do not say */
    struct gdb_event event;    /* the latest */
    unsigned left_pid;         /* of the process that the client has left last, */
    const void *left_main;     /* and its file, which a client keeps for the next one */
    struct gdb_register *reg;
    size_t registers;
    struct gdb_point *points;
    struct gdb_text features; /* the XML of the latest process that was asked about */
    unsigned features_pid;

    /* Going on. */
    struct gdb_thread stepped;       /* steps one instruction, or while it is in the range */
    uint32_t range_start, range_end; /* end 0: none */
    struct gdb_stop pending[GDB_PENDING];
    size_t pendings;              /* stops that the client does not know yet */
    bool is_apart;                /* it lets some processes go on without the others */
    size_t faults[CLUSTER_CHIPS]; /* records of each chip that it was told */

    /* Files that it has named, and those that are open. */
    char **path;
    size_t paths;
    int file[GDB_FILES]; /* -1: none */

    struct gdb_break *breaks; /* of `monitor break` */
    unsigned breaks_images;   /* changes of the chip's images that those have seen */
    gdb_learn *learn;         /* see gdb_teach */
    void *learn_context;
    struct program_files *symbols; /* programs of the host; NULL: none were named */
    uint64_t next_files;           /* for new files of them, in host time */
    bool may_be_programs;          /* since they were looked for */
    struct gdb_config *config;     /* what monitor config-diff compares with; NULL: nothing yet */
    struct gdb_text console;       /* what the client is told when it goes on */
};

/* --- Chips --- */

static inline unsigned gdb_chips(const struct gdb *gdb)
{
    return cluster_of(gdb->present)->chips;
}

/* Of those that are looked at, and of those that run. */
static inline struct penrose_chip *gdb_chip(const struct gdb *gdb, unsigned number)
{
    return cluster_of(gdb->chip)->chip[number];
}

static inline struct penrose_chip *gdb_present(const struct gdb *gdb, unsigned number)
{
    return cluster_of(gdb->present)->chip[number];
}

/* Is nothing to be changed in what is looked at? */
static inline bool gdb_is_past(const struct gdb *gdb)
{
    return gdb->past || gdb->is_recording;
}

/* Programs of the present: a past has no others. */
static inline const struct images *gdb_images(const struct gdb *gdb, unsigned number)
{
    return &chip_head(gdb_present(gdb, number))->images;
}

/* --- server.c --- */

enum penrose_status gdb_listen(struct gdb *gdb, const char *address, struct penrose_error *error);
void gdb_close(struct gdb *gdb);
/* Takes a client if one waits, refuses it if there is one. `wait`: until there is one. */
void gdb_accept(struct gdb *gdb, bool wait);
void gdb_drop_client(struct gdb *gdb);
/* Has a client that runs hung up, and does another one wait? */
bool gdb_is_replaced(const struct gdb *gdb);
/* The next thing that the client sends; NOTHING where none comes within a time (-1: it is waited for).
 * False: it has gone. */
bool gdb_receive(struct gdb *gdb, int milliseconds, enum gdb_input *input);
/* Receives at once from a client that waits for the chip to stop: INTERRUPT or NOTHING. */
bool gdb_receive_interrupt(struct gdb *gdb, enum gdb_input *input);
void gdb_send(struct gdb *gdb, const struct gdb_text *payload);
/* A line or more on the client's console; while it runs. */
void gdb_send_console(struct gdb *gdb, const char *text);

/* --- target.c --- */

void gdb_put_thread(struct gdb_text *text, const struct gdb_thread *thread);
/* "chip 1 ", where there are several. */
void gdb_put_chip(const struct gdb *gdb, struct gdb_text *text, unsigned chip);
/* The number of the process that all harts of a tile are. */
unsigned gdb_pid(unsigned chip, unsigned x, unsigned y);
/* The hart that a process number means, with a hart of the tile for one of all; false: none. */
bool gdb_find_pid(struct gdb *gdb, uint64_t pid, struct gdb_process *process);
struct gdb_process *gdb_process_of(struct gdb *gdb, unsigned pid);
/* May a hart of the process run the program? */
bool gdb_may_run(const struct gdb_process *process, const struct image *image);
/* Thread `index` of all that are attached. */
bool gdb_thread_at(const struct gdb *gdb, size_t index, struct gdb_thread *thread);
/* The attached thread of a hart, that of a process of its own first. */
bool gdb_thread_of(const struct gdb *gdb, unsigned chip, unsigned x, unsigned y,
                   enum penrose_hart hart, struct gdb_thread *thread);
struct gdb_thread gdb_thread_in(const struct gdb_process *process, enum penrose_hart hart);
/* What is known of a tile, which is made if need be. */
bool gdb_tile_facts(const struct gdb *gdb, unsigned chip, unsigned x, unsigned y,
                    struct tile_facts *facts);
/* Where a hart is shown: at the ebreak that has paused it. */
uint32_t gdb_stands_at(const struct gdb *gdb, const struct gdb_thread *thread);
/* The thread that an id means: with any or all, the first one, or `usual` if it fits. */
bool gdb_select(const struct gdb *gdb, const struct gdb_id *id, const struct gdb_thread *usual,
                struct gdb_thread *thread);
const char *gdb_hart_name(const struct gdb *gdb, const struct gdb_thread *thread);
enum penrose_hart_state gdb_hart_state(const struct gdb *gdb, const struct gdb_thread *thread);
const char *gdb_state_name(enum penrose_hart_state state);
/* Why a hart executes nothing though the client lets it go on; NULL: it executes. */
const char *gdb_why_it_rests(const struct gdb *gdb, const struct gdb_thread *thread);
bool gdb_is_worker(const struct gdb *gdb, const struct gdb_thread *thread);
/* The thread of the coprocessor that the hart feeds; -1: none. */
int gdb_tensix_thread(const struct gdb *gdb, const struct gdb_thread *thread);
/* Memory as the hart sees it; answers how many bytes were there. */
size_t gdb_peek(struct gdb *gdb, const struct gdb_thread *thread, uint64_t address, void *bytes,
                size_t size);
bool gdb_poke(struct gdb *gdb, const struct gdb_thread *thread, uint64_t address, const void *bytes,
              size_t size);
/* Is there a local RAM, of each hart its own? */
bool gdb_is_local(const struct gdb *gdb, uint32_t address);
/* --- registers.c, features.c --- */

bool gdb_registers_make(struct gdb *gdb);
/* Its bytes, `bits` / 8 of them; false: the hart has none. */
bool gdb_register_read(struct gdb *gdb, const struct gdb_thread *thread, uint64_t number,
                       uint32_t *words);
bool gdb_register_write(struct gdb *gdb, const struct gdb_thread *thread, uint64_t number,
                        const uint32_t *words);
enum { GDB_REGISTER_WORDS = 32 };
/* The pc of a hart. */
uint32_t gdb_pc(struct gdb *gdb, const struct gdb_thread *thread);
/* Does any hart of the process have it? */
bool gdb_has_register(const struct gdb *gdb, const struct gdb_process *process,
                      const struct gdb_register *reg);
/* The XML of a process; kept until it is asked about another. */
const struct gdb_text *gdb_features(struct gdb *gdb, const struct gdb_process *process);

/* --- points.c --- */

/* Z and z packets, from behind the letter on; false: there is an error in *error. */
bool gdb_point_packet(struct gdb *gdb, bool sets, const char *packet, struct penrose_error *error);
/* All those of a process (0: of all) go at once. */
void gdb_points_drop(struct gdb *gdb, unsigned pid);
/* A breakpoint for one of `monitor break`; false: it is none, or there is no memory. */
bool gdb_point_add_own(struct gdb *gdb, const struct gdb_thread *thread, uint32_t address,
                       const struct gdb_break *own);
void gdb_points_drop_of(struct gdb *gdb, const struct gdb_break *own);
/* Those that the client has taken back go. */
void gdb_points_sweep(struct gdb *gdb);
struct gdb_point *gdb_point_of(const struct gdb *gdb, unsigned chip, unsigned id);

/* As penrose_point_set takes it. */
struct penrose_point gdb_point_on_chip(struct gdb *gdb, const struct gdb_point *point);
/* Is its condition met on a chip, at a stop that it would be? */
bool gdb_point_wants(const struct gdb_point *point, struct penrose_chip *chip,
                     const struct penrose_stop *stop);

/* --- stops.c --- */

/* Ends the step of a hart that is under way, if there is one. */
void gdb_cancel_step(struct gdb *gdb);
/* Harts that stand still go on with the others. */
void gdb_let_go(struct gdb *gdb, struct gdb_process *process);
/* Was the latest event the hit of a watchpoint? */
bool gdb_is_behind_watch(const struct gdb *gdb);
/* The event that a stop at a point is. */
void gdb_point_event(struct gdb *gdb, const struct gdb_point *point,
                     const struct penrose_stop *stop, struct gdb_event *event);
/* Tells of a stop. */
void gdb_announce(struct gdb *gdb, const struct gdb_event *event);
void gdb_put_event(struct gdb_text *text, const struct gdb_event *event);
/* The event that there are programs of which the client does not know for the thread's process: it
 * reads symbols for one process at a time. False: there are none. */
bool gdb_programs_event(struct gdb *gdb, const struct gdb_thread *thread, struct gdb_event *event);

/* --- reverse.c --- */

void gdb_reverse_start(struct gdb *gdb);
void gdb_reverse_end(struct gdb *gdb);
/* Back to the present. */
void gdb_reverse_leave(struct gdb *gdb);
/* To the beginning of the history; false: there is none. */
bool gdb_reverse_to_begin(struct gdb *gdb);
/* A step, or until a point, back or, in a past, forward; tells where it has ended. False: there is
 * no history. */
bool gdb_reverse_search(struct gdb *gdb, bool is_step, bool is_back);

/* --- attach.c --- */

bool gdb_attach(struct gdb *gdb, uint64_t pid);
void gdb_detach(struct gdb *gdb, unsigned pid);
/* Leaves everything that belongs to a client. */
void gdb_forget_client(struct gdb *gdb);

/* --- query.c, files.c, monitor.c --- */

void gdb_query(struct gdb *gdb, const char *packet, struct gdb_text *answer);
/* Lets the client open a file. */
void gdb_name_file(struct gdb *gdb, const char *path);
void gdb_file_packet(struct gdb *gdb, const char *packet, struct gdb_text *answer);
void gdb_close_files(struct gdb *gdb);
void gdb_monitor(struct gdb *gdb, char *command, struct gdb_text *out);

/* --- words.c --- */

/* Words of a command. */
struct gdb_words {
    char *word[8];
    unsigned count;
};
/* Are the words from `first` to `last`, those that are there, numbers? */
bool gdb_words_are_numbers(const struct gdb_words *words, unsigned first, unsigned last);
/* All commands. */
void gdb_put_help(struct gdb_text *out);
/* How the command is written. */
void gdb_put_usage(struct gdb_text *out, const struct gdb_words *words);

/* --- Commands of `monitor` --- */

/* reverse.c: the last write of a place. */
void gdb_monitor_last_writer(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out);
/* symbols.c: programs of a file or folder, from now on; looks where they are. */
void gdb_monitor_symbols(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out);
void gdb_symbols_look(struct gdb *gdb);
/* Is it the stop at which a kernel launches others, of which the client does not hear? */
bool gdb_is_launch(const struct gdb *gdb, const struct gdb_stop *at);
/* The process goes: its tile is watched for launches no longer. */
void gdb_launches_forget(struct gdb *gdb, const struct gdb_process *process);
void gdb_symbols_free(struct gdb *gdb);
/* breaks.c: breakpoints at places that Penrose finds. */
void gdb_monitor_break(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out);
void gdb_monitor_unbreak(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out);
const char *gdb_break_text(const struct gdb_break *shown);
/* Those of a process go; 0: all. */
void gdb_breaks_drop(struct gdb *gdb, unsigned pid);
/* Looks for their places in programs that have come. */
void gdb_breaks_look(struct gdb *gdb);
/* monitor_tensix.c: true, it knew the command. */
bool gdb_monitor_tensix(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out);

/* --- resume.c --- */

/* The actions of vCont: ";s:p1.1;c". False where they make no sense, and the chip stays. */
bool gdb_resume(struct gdb *gdb, const char *actions);
/* Begins a step of one instruction; false: the hart cannot. */
bool gdb_start_step(struct gdb *gdb, const struct gdb_thread *thread);
/* Some of its harts stand still, until gdb_let_go. */
void gdb_hold_back(struct gdb *gdb, struct gdb_process *process, unsigned harts);
/* Does any hart? It does not count for what a run is for. */
bool gdb_holds_any(const struct gdb *gdb);
/* A hart that the client has let go on, and that an ebreak has paused; false: there is none. */
bool gdb_find_ebreak(struct gdb *gdb, struct gdb_thread *thread);

/* --- events.c --- */

/* After a run that ended with PENROSE_PAUSED; false: that was not for the client. */
bool gdb_paused(struct gdb *gdb);
/* Tells of a hart that gdb_find_ebreak finds; false: there is none. */
bool gdb_tell_ebreak(struct gdb *gdb);
/* Before the chip runs: tells the stops that the client can hear of. */
void gdb_tell_pending(struct gdb *gdb);
void gdb_tell_fault(struct gdb *gdb);
void gdb_tell_programs(struct gdb *gdb);

/* --- commands.c --- */

/* Carries out a packet, and answers. */
void gdb_command_packet(struct gdb *gdb, const char *packet, size_t size);

/* --- serve.c --- */

/* After a fork the connection is the parent's. */
static inline bool gdb_is_owner(const struct gdb *gdb)
{
    return gdb->owner == getpid();
}

/* What has come while the chip stands. */
void gdb_handle_input(struct gdb *gdb, enum gdb_input input);
/* Serves packets until the client lets the chip go on, or goes. */
void gdb_serve(struct gdb *gdb);
/* Tells of a stop, and serves the client. */
void gdb_tell(struct gdb *gdb, const struct gdb_event *event);

#endif
