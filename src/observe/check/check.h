/*
 * Checks: observers that find programs of tt-metal which are right by luck (penrose_check).
 *
 * A check keeps a shadow of what a program can rely on, and reports an access that relies on more.
 * It knows nothing but events (observe/observer.h), and what the launch message of the tile says.
 * Findings are guest faults (tile/fault.h), so that policies, reports and debuggers treat them as
 * such. Where a check is in doubt it says nothing.
 *
 * The parts, from below: spans.c finds where programs lie, undefined.c which bytes nobody has
 * written; noc.c follows requests of kernels to the NoC, credits.c what they tell other tiles of
 * them, unread.c what these have not read, cache.c what L0 caches may hold, races.c the units of
 * the coprocessor by order.c, config.c what kernels set of it, ignored.c what instructions are
 * given for nothing, buffers.c circular buffers, asked.c what waits for their pages, memory.c what
 * lies where, ranges.c what was allocated, uninit.c data that nobody has written, with gprs.c and
 * carried.c what units do to them, rows.c rows of Dst and Src that nobody has written; check.c hands
 * events to them, and finds where kernels end.
 */
#ifndef OBSERVE_CHECK_H
#define OBSERVE_CHECK_H

#include "chip/chip.h"
#include "loader/launched.h"
#include "noc/packet.h"
#include "observe/check/pieces.h"
#include "observe/check/findings.h"
#include "observe/check/names.h"
#include "observe/check/tell.h"

enum {
    CHECK_REQUESTS = 128, /* of a hart that it has not waited for; further ones are not followed */
    CHECK_NO_HART = RV32_CORES,
    CHECK_TOLD = 512,  /* the latest */
    CHECK_FRAMES = 64, /* of a stack whose return addresses are known, the innermost ones */
    CHECK_SPANS = 32,
    CHECK_PAGES = 4096, /* of a buffer, which are followed */
    CHECK_GROWTHS = 4,
    CHECK_MULTICASTS = 8,
    CHECK_WORDS = 16, /* a power of two */
    CHECK_LINES = 4,  /* SPEC: BabyRISCV README: the L0 data cache has four lines of 16 bytes */
    CHECK_LINE_BYTES = 16,
    CHECK_LINE_WORDS = 4,
    CHECK_DECODED = 4096, /* a power of two */
    CHECK_ARRIVALS = 16,  /* the latest of a tile */
    CHECK_UNREAD = 16,
};

/* --- Requests to the NoC --- */

enum check_request_kind { CHECK_READ, CHECK_WRITE, CHECK_ATOMIC };

struct check_request {
    enum check_request_kind kind;
    uint8_t noc, channel, transaction;
    bool is_answered;
    bool has_left;    /* a write for whose departure the hart has waited */
    bool is_told;     /* a finding names it already */
    bool has_word;    /* a write: a request that tells of it follows it on its way */
    bool has_arrived; /* a write or an atomic, in its hart's own tile, */
    bool is_seen;     /* and the hart has waited for that: it has loaded what tells of it */
    bool is_multicast, is_posted;
    unsigned receivers, answers; /* answers that will come, and that have come */
    uint32_t number;             /* of the chip's requests */
    uint32_t stores;             /* of its hart before it, for who has learned of a later one */
    uint32_t pc;
    uint32_t first,
        size;      /* the bytes of L1 that a read, or the answer of an atomic, brings or that a
                             write sends; 0: none */
    uint16_t node; /* where it goes, */
    struct noc_span span; /* or a multicast */
    uint64_t address;     /* there: bytes that it writes or changes */
    uint32_t length;
};

/* A load of a counter of an NIU, which the hart may compare with what it expects. */
struct check_look {
    unsigned patience; /* instructions; 0: there is none */
    enum check_request_kind kind;
    uint8_t noc;
    uint32_t value, pc;
    bool is_final; /* no answer is on its way to the NIU */
    const struct check_request
        *open; /* a multicast of the hart that still gets answers; NULL: none */
};

/* A multicast, and by how much counters of the program have grown right behind it. */
struct check_multicast {
    struct check_request request;
    uint32_t growth[CHECK_GROWTHS];
    unsigned growths;
};

/* A word of a hart's local RAM, as it has loaded or stored it. */
struct check_word {
    uint32_t address, value;
};

/* A request of an initiator of which the hart does not know that it has left. */
struct check_started {
    uint32_t pc; /* 0: there is none */
    bool is_delivered;
};

struct check_delivered {
    uint32_t pc;
    uint64_t sent; /* the cycle in which it left */
};

/* Those of a hart, in their order. A request goes when the hart has waited for it. */
struct check_requests {
    struct check_request request[CHECK_REQUESTS];
    unsigned count;
    bool is_short; /* more were under way than are followed */
    struct check_multicast
        multicast[CHECK_MULTICASTS]; /* the latest of each place in the program */
    struct check_multicast *latest;  /* no request has followed it; NULL: it is of no interest */
    struct check_word word[CHECK_WORDS];
    unsigned words; /* ever */
    struct check_look look;
    struct check_started started[GRID_NOCS][NIU_BUFFERS];
    /* The highest pc of a load of the counter since the kernel before; 0: none. */
    uint32_t looked_from[GRID_NOCS][NIU_COUNTER_COUNT];
    /* The first request that changes the counter; 0: none, or the kernel knew where it stood. */
    uint32_t unknown_at[GRID_NOCS][NIU_COUNTER_COUNT];
    struct check_delivered delivered; /* the latest, which may come before `started` is set; pc 0:
                                         the hart has learned of it */
};

/* Bytes that the NoC has brought. */
struct check_arrival {
    uint32_t first, size;
};

/* A word that a hart of another tile has changed over the NoC, and that nobody has read since. */
struct check_unread {
    uint32_t address, value, pc;
    uint16_t node;
    uint8_t hart;
};

/* --- Caches --- */

/* A line of L1 that the hart has loaded since its last fence. */
struct check_line {
    bool is_there;
    uint32_t address;
    uint32_t loaded_at[CHECK_LINE_WORDS]; /* pc; 0: the word was not loaded */
    bool is_changed[CHECK_LINE_WORDS];    /* by another agent since it was cached, */
    enum observed_agent changed_by[CHECK_LINE_WORDS];
    uint32_t changed_at[CHECK_LINE_WORDS]; /* at this pc, */
    uint16_t changed_in[CHECK_LINE_WORDS]; /* in this tile */
};

struct check_cache {
    struct check_line line[CHECK_LINES];
    unsigned victim;
    uint64_t fenced_at;   /* the cycle of the latest fence */
    bool is_fenced_again; /* the hart sleeps in a loop that has one */
};

/* --- Circular buffers --- */

/* Somebody who did something. */
struct check_who {
    uint8_t hart;
    uint32_t pc;
};

/* A page since it was popped last. */
struct check_page {
    uint32_t
        filled;    /* bytes from its start on that NoC reads or the packer have written, one behind
                        the other */
    bool is_mixed; /* it was written in another way, too */
    bool is_pushed;
    uint32_t pushed_to,
        popped_to;    /* the counter behind the push, or the pop, of which it was part */
    bool is_unpacked; /* TRISC0 has read it since it was pushed last */
    bool was_written; /* since the launch */
    uint8_t readers;  /* harts that have read it since the launch: a bit each */
    struct check_who filler, pusher, packer;
    struct check_who
        late; /* brought data over the NoC after the page was pushed; pc 0: nobody did so */
    uint16_t late_node; /* in this tile */
    struct check_who
        skipper;            /* has pushed the page before, when this one was filled; pc 0: nobody */
    struct check_who adder; /* Pack_L1_Acc onto what nobody had written; pc 0: nobody did so */
    uint8_t format;         /* 1 + that of the packer's latest data; 0: it has written none */
    unsigned overwritten_by; /* 1 + the buffer as whose page it was overwritten; 0: it was not */
    struct check_who overwriter;
};

/* Pages since the launch. What harts have seen of the other side's counter is what they may use. */
struct check_buffer {
    struct loader_circular_buffer about; /* num_pages 0: the kernels have no such buffer */
    uint16_t received, acknowledged;     /* the registers */
    uint32_t pushed, popped;
    uint32_t seen_pushed[RV32_CORES], seen_popped[RV32_CORES];
    uint8_t consumers, producers;    /* harts that have popped, or pushed: a bit each */
    struct check_who pusher, popper; /* the latest; pc 0: nobody yet */
    struct check_page *page;         /* about.num_pages of them; NULL: they are not followed */
};

/* The latest load of a counter of a buffer by a hart, which may belong to a loop that waits. */
struct check_asked {
    struct check_buffer *buffer;
    uint32_t pc;
    uint32_t before, now; /* what the hart had seen of the counter, and what it has loaded */
    uint32_t carried; /* registers with what is made of that; 0: it is of no interest any more */
    unsigned patience;
    bool is_over; /* the loop is, and the hart knows what it has asked for */
};

/* The firmware's table of circular buffers in the local RAM of a hart, as its kernel names it. */
struct check_table {
    unsigned changes;      /* 1 + images->changes for which this is right */
    uint32_t first, bytes; /* none: it is not known */
};

/* --- Memory --- */

/* A segment of a program where it lies in the tile, or in the local RAM of its hart. */
struct check_span {
    uint32_t first, size;
    uint32_t link; /* the address of `first` in the ELF */
    unsigned hart;
    bool is_local, is_kernel;
    const struct loader_segment *segment;
    const struct loader_elf *elf;
};

/* A return address that a function has saved on the stack. */
struct check_slot {
    uint32_t address, value;
    uint32_t saved_at; /* pc */
    bool is_changed;   /* by the instruction at `changed_at` of this hart */
    unsigned changed_by;
    uint32_t changed_at;
};

/* Slots from the outermost frame on: their addresses go down. */
struct check_stack {
    uint32_t sp;    /* before the instruction under way */
    uint32_t floor; /* below which it has grown by mistake; 0: it has not */
    struct check_slot slot[CHECK_FRAMES];
    unsigned count;
};

struct check_memory {
    struct check_span span[CHECK_SPANS];
    unsigned spans, changes; /* 1 + images->changes for which the spans are right */
    struct check_stack stack[RV32_CORES];
    bool knows_arguments[RV32_CORES];
    uint32_t arguments[RV32_CORES][2]; /* as struct image has them */
};

/* --- A tile --- */

struct check_races;
struct check_rows;

struct check_tile {
    bool is_known;          /* the launch of the kernels that run */
    bool waits[RV32_CORES]; /* the hart has loaded a counter of late, for which it may wait */
    /* The word of the instruction under way, and (NULL: nobody has asked yet) what it is, of `decoded`.
     * No other one starts before it has finished. */
    uint32_t word[RV32_CORES];
    const struct rv32_operands *insn[RV32_CORES];
    bool knows_programs;  /* those of this launch were looked for, */
    unsigned forgettings; /* and have not been forgotten since (loader/images.h) */
    struct loader_launched launched;
    unsigned first_stream; /* that of circular buffer 0 */
    struct check_requests requests[RV32_CORES];
    uint32_t initiator[GRID_NOCS][NIU_BUFFERS][NIU_BUFFER_WORDS]; /* as harts have stored them */
    struct check_arrival arrival[CHECK_ARRIVALS];
    unsigned arrivals; /* ever */
    struct check_unread unread[CHECK_UNREAD];
    unsigned unreads;
    struct check_cache cache[RV32_CORES];
    struct check_buffer buffer[LOADER_MOST_BUFFERS];
    struct check_asked asked[RV32_CORES][2]; /* pages popped, and pushed */
    struct check_page *moved;    /* that the instruction of a unit at hand has read or written */
    unsigned moved_in;           /* this buffer */
    struct check_races *races;   /* NULL: nothing of the check races has happened yet */
    struct check_config *config; /* the same of the check config */
    struct check_rows *rows;     /* and of rows of Dst and Src */
    struct check_table table[RV32_CORES];
    struct check_memory memory;
};

/* An instruction word that was decoded, for a vtype. */
struct check_decoded {
    bool is_there;
    uint32_t word, vtype;
    struct rv32_operands operands;
};

/* Which finding it is that the instruction at `pc` of such a hart breaks such a rule in this
 * launch, by the number that the host gave it. Tiles of a launch may have different programs at
 * `pc`. */
struct check_told {
    bool is_there, is_of_check;
    enum penrose_fault_kind kind;
    unsigned hart;
    uint32_t pc, launch;
    uint64_t program; /* check_program_at */
    unsigned finding; /* FINDINGS: it is not reported */
};

struct checks {
    struct observer observer;
    struct chip_judge judge;
    struct penrose_chip *chip;
    bool does[CHECKS];
    bool is_late;      /* time had passed when the checks began */
    unsigned searches; /* for firmware of a host */
    struct findings findings;
    struct check_told told[CHECK_TOLD];
    unsigned tellings;
    struct finding_other other[FINDING_OTHERS]; /* what the next report is about, too */
    unsigned others;
    struct check_decoded *decoded; /* CHECK_DECODED of them, by a hash of the word; NULL: no check
                                      wants instructions */
    struct check_uninit *uninit;   /* NULL: it is not looked for */
    struct check_credits *credits; /* NULL: nobody has told anybody of data yet */
    struct check_heard *heard;     /* NULL: no tile has sent anything to another one yet */
    struct check_ranges *ranges;   /* NULL: nobody has told what a program has allocated */
    struct config_places places;
    uint32_t requests;                  /* ever, of all harts */
    struct check_tile *tile[NOC_NODES]; /* NULL: none of its kernels has done anything yet */
};

/* What a check looks at. */
struct check_scene {
    struct checks *checks;
    struct tile *tile;
    struct check_tile *own;
    const struct observed *event;
    const struct tile *at; /* where it happens: `tile` may be another one that it concerns */
    unsigned hart;         /* that acts, or that has pushed the instruction of the unit that does */
};

/* --- report.c --- */

/* The core has seen a fault, as struct chip_judge has it: it is a finding like those of checks. */
bool check_fault(void *checks, const struct chip_fault *fault);

/* Reports that the hart breaks a rule by the instruction at `pc`. */
void check_report(const struct check_scene *scene, enum penrose_fault_kind kind, unsigned hart,
                  uint32_t pc, uint32_t address, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* The next report for this event is about that instruction, too. */
void check_concerns(const struct check_scene *scene, unsigned hart, uint32_t pc);

/* A hash of the path of the program at `pc`; 0: it is not known. */
uint64_t check_program_at(const struct check_scene *scene, uint32_t pc);

/* Looks for the programs of this launch, once. What was found before may have been overwritten. */
void check_know_programs(const struct check_scene *scene);

/* "brisc (writer.cpp:12)": who did something at `pc`, in `text`, which is also the result. The next
 * report is about it, too. */
enum { CHECK_PLACE = CHIP_PLACE };
const char *check_place(const struct check_scene *scene, unsigned hart, uint32_t pc,
                        char text[CHECK_PLACE]);

/* --- scene.c --- */

/* Does the hart load or store a GPR? It is this one of the thread. */
bool check_is_gpr(const struct check_scene *scene, unsigned *thread, unsigned *gpr);

/* The address as the hart has it to whose local RAM the slow path leads from there, and which hart that
 * is; else the same address, and the scene's hart. */
uint32_t check_local_address(const struct check_scene *scene, unsigned *hart);

/* The tile's shadow, made if need be; NULL: memory has run out, or the tile is DRAM. */
struct check_tile *check_take_tile(struct checks *checks, const struct tile *tile);

/* The layout of tt-metal's firmware, which is looked for if nobody knows it yet; NULL: there is none. */
const struct loader_layout *check_layout(const struct check_scene *scene);

/* Reads what was launched on the tile. */
void check_read_launch(const struct check_scene *scene);

/* The same scene in another tile, for the place of what one of its harts has done. `tile` and `own`
 * are NULL where there are none. */
struct check_scene check_scene_at(const struct check_scene *scene, uint16_t node);

/* What the firmware itself does is not looked at. Without firmware all is the program's. */
bool check_is_of_kernel(const struct check_scene *scene, uint32_t pc);

/* The instruction under way of the scene's hart. Most are of no interest, and those that are not asked
 * for need not be decoded. */
const struct rv32_operands *check_instruction(const struct check_scene *scene);

/* Has the word the opcode of the row, its lowest seven bits? */
static inline bool check_has_opcode(uint32_t word, enum rv32_row row)
{
    enum { OPCODE = 0x7f };
    return ((word ^ rv32_rows[row].match) & OPCODE) == 0;
}

/* The register where instructions name rd: the word writes no other one. */
static inline unsigned check_named_result(uint32_t word)
{
    enum { REGISTER = 31, RD = 7 };
    return word >> RD & REGISTER;
}

/* Registers, a bit each, where instructions name rd, rs1 and rs2: the word reads and writes no others. */
static inline uint32_t check_named_registers(uint32_t word)
{
    enum { REGISTER = 31, RS1 = 15, RS2 = 20 };
    return UINT32_C(1) << check_named_result(word) | UINT32_C(1) << (word >> RS1 & REGISTER) |
           UINT32_C(1) << (word >> RS2 & REGISTER);
}

/* --- noc.c --- */

/* A hart's request leaves, or an answer is there. */
void check_noc_sent(const struct check_scene *scene);
void check_noc_answered(const struct check_scene *scene);
/* A request of a hart, also of another tile, has done in this tile what it came for. */
void check_noc_delivered(const struct check_scene *scene);
/* The NoC has written memory or a register of the tile. */
void check_noc_arrived(const struct check_scene *scene);
/* A hart has loaded from L1 or from a register. */
void check_noc_loaded(const struct check_scene *scene);
/* A hart has loaded, or stored to, a register of an NIU. */
void check_noc_looked(const struct check_scene *scene);
void check_noc_prepares(const struct check_scene *scene);
/* A hart reads or writes its local RAM. */
void check_noc_local(const struct check_scene *scene);
/* Somebody reads or writes L1. */
void check_noc_access(const struct check_scene *scene);
/* The hart hands bytes of L1 on: to the consumer of a circular buffer, or back to its producer. */
void check_noc_handed(const struct check_scene *scene, enum check_request_kind kind, uint32_t first,
                      uint32_t size, unsigned buffer);
/* A kernel of the hart ends. */
void check_noc_ended(const struct check_scene *scene);

/* A hart that has loaded a counter of late is about to execute an instruction. May it still compare
 * that? */
bool check_noc_starts(const struct check_scene *scene);

/* --- credits.c --- */

/* Does the second of two requests of an NIU arrive behind the first one? */
bool check_keeps_order(const struct check_request *first, const struct check_request *second);

/* A hart's request leaves. */
void check_credits_sent(const struct check_scene *scene);
/* Somebody reads or writes L1 or a register. */
void check_credits_access(const struct check_scene *scene);
/* A kernel of the hart ends. */
void check_credits_ended(const struct check_scene *scene);

/* --- unread.c --- */

/* The NoC has written memory of the tile. */
void check_unread_brought(const struct check_scene *scene);
/* A hart or a unit of the tile reads or writes L1, or a request of a hart leaves. */
void check_unread_access(const struct check_scene *scene);

/* --- cache.c --- */

/* Somebody, also of another tile, reads or writes L1. */
void check_cache_access(const struct check_scene *scene);
/* A hart is about to execute an instruction. */
void check_cache_starts(const struct check_scene *scene);
void check_cache_polls(const struct check_scene *scene);

/* --- races.c --- */

/* An instruction of a unit has executed. */
void check_races_unit(const struct check_scene *scene);
/* A hart or a unit reads or writes L1 or a register. */
void check_races_access(const struct check_scene *scene);
/* A hart pushes an instruction to the coprocessor, which is no access. */
void check_races_pushed(const struct check_scene *scene);
/* The NoC has written memory or a register of the tile. */
void check_races_arrived(const struct check_scene *scene);
/* A hart's request leaves. */
void check_races_sent(const struct check_scene *scene);
/* Bytes of L1 are handed on: pages are pushed, or popped. */
void check_races_handed(const struct check_scene *scene, bool popped, uint32_t first, uint32_t size,
                        unsigned buffer);
/* Kernels begin whose launch is known now; all kernels of the tile have ended. */
void check_races_begin(const struct check_scene *scene);
void check_races_ended(const struct check_scene *scene);
void check_races_free(struct check_races *races); /* may be NULL */

/* How many stores the hart has made; how many of `other` it has learned of. 0 without the check races. */
uint32_t check_races_stores(const struct check_scene *scene);
uint32_t check_races_learned(const struct check_scene *scene, unsigned other);

/* --- words.c --- */

/* Does the instruction at `pc` read data? False: it may load a word that tells something. */
bool check_reads_data(const struct check_scene *scene, uint32_t pc);

/* Does the instruction at `pc` load what is changed and stored back soon? */
bool check_updates(const struct check_scene *scene, uint32_t pc);

/* --- ignored.c --- */

/* An instruction of a unit has executed, of which check_config_unit knows. */
void check_ignored_unit(const struct check_scene *scene);

/* --- config.c --- */

/* An instruction of a unit has executed. */
void check_config_unit(const struct check_scene *scene);
/* A hart has stored to a register. */
void check_config_stored(const struct check_scene *scene);
/* Bits of a GPR, of all threads, that nothing has written since reset. 0 where firmware runs, which
 * knows launches, and where the checks began late. */
uint32_t check_config_unset_gpr(const struct check_scene *scene, unsigned index);
/* The front end takes an instruction that it expands. */
void check_config_expands(const struct check_scene *scene);
/* Kernels begin whose launch is known now; all kernels of the tile have ended. */
void check_config_begin(const struct check_scene *scene);
void check_config_ended(const struct check_scene *scene);
void check_config_free(struct checks *checks);

/* --- buffers.c --- */

/* A register of a stream was read or written, by a kernel or by firmware, which sets the counters
 * back. */
void check_buffers_register(const struct check_scene *scene, bool is_by_kernel);
/* Somebody reads or writes L1. */
void check_buffers_access(const struct check_scene *scene);
/* Somebody, also of another tile, writes L1. */
void check_buffers_written(const struct check_scene *scene);
/* An instruction of a unit has executed. */
void check_buffers_unit(const struct check_scene *scene);
/* The buffer whose size, or that of whose pages, the hart accesses in its local RAM;
 * LOADER_MOST_BUFFERS: it accesses none. It has changed one, so the buffer is not followed any more. */
unsigned check_buffers_sized(const struct check_scene *scene);
void check_buffers_resize(const struct check_scene *scene, unsigned id);
/* Kernels begin whose launch is known now; all kernels of the tile have ended. */
void check_buffers_begin(const struct check_scene *scene);
void check_buffers_ended(const struct check_scene *scene);
void check_buffers_forget(struct check_tile *own);

/* --- asked.c --- */

/* A hart loads the counter of pages that were pushed, or popped. */
void check_asked_loads(const struct check_scene *scene, struct check_buffer *buffer,
                       bool is_received);
/* A hart that has loaded one of late is about to execute an instruction. May what follows still tell for
 * how many it has asked? */
bool check_asked_starts(const struct check_scene *scene);

/* --- spans.c --- */

/* Finds the segments of the programs that the tile holds, for `memory` of the scene. */
void check_spans_find(const struct check_scene *scene);

/* Was the image launched last, if it is a kernel? Others may be gone. */
struct image;
bool check_spans_is_current(const struct check_scene *scene, const struct image *image);

/* --- memory.c --- */

/* A hart is about to execute an instruction, and has executed it. */
void check_memory_starts(const struct check_scene *scene);
void check_memory_finished(const struct check_scene *scene);
/* Somebody reads or writes, of harts also their local RAM. */
void check_memory_access(const struct check_scene *scene);
/* A hart's request leaves. */
void check_memory_sent(const struct check_scene *scene);
/* A request of a hart, also of another tile, has written memory of the tile. */
void check_memory_arrived(const struct check_scene *scene);
/* Kernels begin whose launch is known now. */
void check_memory_begin(const struct check_scene *scene);

/* --- ranges.c --- */

/* A program has allocated a buffer; see check_allocated. */
bool check_ranges_add(struct checks *checks, const struct check_allocation *allocation);
/* Kernels begin whose launch is known now. */
void check_ranges_begin(const struct check_scene *scene);
/* A hart or a unit reads or writes L1 for a kernel. */
void check_ranges_access(const struct check_scene *scene);
/* A request of a kernel leaves. */
void check_ranges_sent(const struct check_scene *scene);
void check_ranges_free(struct checks *checks);

/* --- uninit.c --- */

bool check_uninit_make(struct checks *checks);
void check_uninit_free(struct checks *checks);
/* A hart is about to execute an instruction, and has executed it. */
void check_uninit_starts(const struct check_scene *scene);
void check_uninit_finished(const struct check_scene *scene);
/* Somebody, also of another tile, reads or writes memory of a tile or GDDR; or a loader writes
 * it. */
void check_uninit_access(const struct check_scene *scene);
/* A hart's request leaves. */
void check_uninit_sent(const struct check_scene *scene);
/* Has nobody written any byte of this word of the tile's L1? False without the check uninit. */
bool check_uninit_lacks(const struct check_scene *scene, uint32_t address);
/* The coprocessor has executed an instruction. */
void check_uninit_unit_over(const struct check_scene *scene);
/* It has executed one, or a part of it: what that does to undefined data. */
void check_uninit_rows(const struct check_scene *scene);
/* What is wrong with rows of Src and Dst was reported. */
void check_uninit_forgive(const struct check_scene *scene);

/* --- rows.c --- */

/* Kernels begin whose launch is known now. */
void check_rows_begin(const struct check_scene *scene);
/* What an instruction of a unit has read and written. */
void check_rows_unit(const struct check_scene *scene);
/* Somebody has written Dst in a way of which nothing else is told. */
void check_rows_lost(const struct check_scene *scene);
void check_rows_free(struct check_rows *rows); /* may be NULL */

#endif
