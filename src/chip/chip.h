/*
 * A chip: the grid of tiles, the scheduler, the fault records and the programs that were loaded.
 *
 * A tile is made when it is first touched; until then it counts as a tile in reset. Time advances
 * in windows. Within a window units (a tile, or a DRAM bank with its tiles) do not affect each
 * other, and threads run them in any order. Between windows packets are handed over (exchange.c).
 * chip->head.time.now is the start of the current window, and every tile has been run at least that
 * far.
 *
 * Hosts name tiles by translated coordinates of NoC 0, as software does. The code here uses raw
 * coordinates; `place` is noc_node(x, y) of these.
 */
#ifndef CHIP_CHIP_H
#define CHIP_CHIP_H

#include <penrose/metal.h>
#include <penrose/penrose.h>

#include "chip/arc.h"
#include "arch/names.h"
#include "chip/calls.h"
#include "chip/dram.h"
#include "chip/grid.h"
#include "chip/pcie.h"
#include "chip/pool.h"
#include "loader/images.h"
#include "num/kernels.h"
#include "chip/journal.h"
#include "tile/tile.h"

enum { CHIP_FAULTS = 256, CHIP_UNMODELLED = 512, CHIP_UNITS = NOC_NODES + GRID_BANKS };
enum { CHIP_CARD = 32 /* bytes of a card's name, with a 0 */ };

/* A fault record without the texts that penrose_fault_get adds. */
struct chip_fault {
    struct tile_fault fault;
    uint64_t repeated;
    enum penrose_policy policy;
    unsigned x, y; /* as hosts name the tile */
    uint8_t gap[4];
};

/* What a tile or bank reports while others run too (its member `notes`, NULL: nothing yet): kept
 * apart until the window is over. */
enum { NOTES_FAULTS = CHIP_FAULTS, NOTES_UNMODELLED = CHIP_UNMODELLED, NOTES_CLAIMS = 4 };
struct chip_notes {
    struct chip_fault fault[NOTES_FAULTS];
    unsigned faults;
    struct tile_fault claim[NOTES_CLAIMS]; /* of which nobody knows yet whether they are right */
    unsigned claims;
    struct penrose_unmodelled unmodelled[NOTES_UNMODELLED];
    unsigned unmodelled_count;
};

/* Who is told of guest faults that were recorded, while no unit runs. */
struct chip_judge {
    /* False: the chip is to forget it, unless its policy is to stop. */
    bool (*fault)(void *context, const struct chip_fault *fault);
    void (*free)(void *context); /* when the chip is destroyed */
    void *context;
    struct chip_judge *next; /* of the chip */
};

/* Reads of GDDR that a port has not counted yet. */
struct chip_reads {
    uint32_t requests, flits;
};

/* What the scheduler runs, with what it needs to know while it sleeps. */
struct chip_unit {
    struct tile *tile;      /* NULL: a bank */
    struct dram_bank *bank; /* NULL: a tile */
    uint64_t order;         /* units are sorted by it */
    uint64_t now, next;     /* how far it was run; when it has something to do */
    bool touched;           /* something outside time may have changed it: what it noted is stale */
    bool stopped;           /* by a fault */
    bool paused;            /* by an observer */
    bool is_held;        /* it ran on to a pause when it was recorded (observe/history/rerun.c) */
    bool sends, reports; /* packets or frames, notes: since it was run */
    uint32_t has_read[GRID_NOCS]; /* reads of GDDR in this window: ports, a bit each (gddr.c) */
    struct chip_reads reads[GRID_NOCS][GRID_BANKS * DRAM_PORTS];
};

/* What stands at a place. */
struct chip_place {
    struct tile *tile;         /* with harts; NULL until it is made */
    struct chip_unit *unit;    /* that runs it, NULL: nobody does */
    struct dram_port *port;    /* DRAM */
    struct sparse *memory;     /* a tile that is only memory; NULL until it is written */
    struct penrose_chip *peer; /* the other end of an Ethernet tile's link; NULL: no link */
    uint16_t peer_place;
    const struct penrose_firmware *firmware; /* that booted here, NULL: none */
};

struct penrose_chip {
    struct chip_head head; /* comes first: see chip/calls.h */

    struct arc arc;
    struct pcie pcie[2];
    struct niu plain_niu[GRID_PLAIN_TILES][GRID_NOCS]; /* L2CPU, security and empty tiles */
    struct noc_ways edge_ways[GRID_NOCS][NOC_NODES];   /* of places without a time of their own */
    uint64_t edge_sequence;
    struct chip_identity identity;

    /* Beside the state: what it is. */
    const struct arch *arch;
    struct penrose_options options;
    char card[CHIP_CARD];              /* the name of its product */
    const struct num_kernels *kernels; /* that compute what its tiles do */
    struct grid grid;
    struct rv32_code_store *store;
    struct timing costs;           /* of timed runs */
    struct rv32_timing hart_costs; /* the harts' part of them */
    struct tile_board board;
    struct chip_place place[NOC_NODES];
    struct chip_unit *unit[CHIP_UNITS]; /* in their order */
    unsigned units;
    struct dram_bank bank[GRID_BANKS];
    struct noc_queue edge;   /* packets for tiles that have no time of their own */
    struct noc_queue on_way; /* packets between routers, in timed runs */
    struct links *links;     /* that they pass; NULL unless runs are timed */
    struct noc_pool packets;
    uint64_t (*flow)[NOC_NODES *
                     NOC_NODES]; /* of each NoC, timed or under --schedule random: see exchange.c */
    struct penrose_host_memory host, device; /* callbacks; `device` answers to DMA */

    /* The window under way. */
    struct chip_unit *runnable[CHIP_UNITS];
    size_t runnable_count;
    uint64_t window_end;
    bool shares_time;                  /* units are running: what they report goes to their notes */
    bool touched;                      /* all units are */
    bool any_touched;                  /* any unit is */
    struct chip_awake awake;           /* as it was last looked at */
    uint64_t idle_until;               /* nothing happens before, unless something is touched */
    bool takes_part;                   /* in the window under way */
    bool stands;                       /* the only unit has paused; what it has sent leaves later */
    struct dram_bank *due[GRID_BANKS]; /* that have something to do between windows (gddr.c) */
    size_t due_packets;

    /* Reports and observers. */
    struct chip_fault fault[CHIP_FAULTS];
    size_t faults;
    struct penrose_unmodelled unmodelled[CHIP_UNMODELLED];
    size_t unmodelled_count;
    struct chip_judge *judges;
    unsigned searches;          /* for firmware, because of claims (reports.c) */
    struct observer *observers; /* see observers.c */
    struct debugger *debugger;  /* observe/debugger.c; NULL: nobody debugs */
    bool shortcuts;             /* tile_allow_shortcuts, of tiles made later too */
    struct history *history;    /* observe/history/history.c; NULL: nobody looks back */
    struct past *past; /* this chip is made again of the journal of `present`, whose images and */
    const struct penrose_chip *present; /* firmware it has; NULL: it is a chip of its own */
};

/* A call begins that is an entry of the journal; see journal_begin. */
#define CHIP_ENTRY(chip, kind, bytes, size, ...)                                                   \
    JOURNAL_BEGIN((chip)->head.journal, (chip)->head.number, kind, bytes, size, __VA_ARGS__)

/* The name of the product whose grid the chip has (life.c). */
const char *chip_card(const struct penrose_chip *chip);

/* What makes another one like it (life.c). */
struct plan_chip chip_plan(const struct penrose_chip *chip);

/* Are its units in the middle of a window? */
bool chip_is_running(const struct penrose_chip *chip);

/* The place that a host's (x, y) means; false when there is none. */
bool chip_find(const struct penrose_chip *chip, unsigned x, unsigned y, uint16_t *place);

/* Who did something at `pc`: "trisc0 (pack.h:12, kernel.c:30)", with the lines of the calls that
 * were inlined there, or "trisc0 at pc 0x0000a724" where no line is known. `text` is also the
 * result. */
enum { CHIP_PLACE = 200 };
const char *chip_place_text(struct penrose_chip *chip, unsigned x, unsigned y, const char *hart,
                            uint32_t pc, char text[CHIP_PLACE]);

/* A place in a text: "trisc0 at pc 0x0000a724". */
struct chip_named_place {
    const char *at; /* where the text names it; NULL: it names none */
    size_t length;
    const char *hart;
    uint32_t pc;
};
struct chip_named_place chip_next_place(const char *text);

/* Gives places in the text of a tile's fault their lines, where they are known. */
void chip_name_places(struct penrose_chip *chip, unsigned x, unsigned y, char *text, size_t size);

/* What has jumped to address 0, where a hart of the tile went on, and what to do about it, in
 * words; false: nothing has. */
bool chip_null_jump(struct penrose_chip *chip, const struct tile *tile, enum rv32_core core,
                    char *text, size_t size);

/* How a hart came to `target`, where it has fetched no instruction of a program, in words: its
 * latest jump, with what led it there. `found` is what there is at the target, " (zeros)" for
 * example. False: that jump is not known. */
bool chip_lost_jump(struct penrose_chip *chip, const struct tile *tile, enum rv32_core core,
                    uint32_t target, const char *found, char *text, size_t size);

/* Which ELF lies where; a past chip has those of the present one. */
static inline const struct images *chip_images(const struct penrose_chip *chip)
{
    return chip->present ? &chip->present->head.images : &chip->head.images;
}

/* What tiles of a kind are to src/tile; TILE_TYPES for those without harts. */
enum tile_type chip_tile_type(enum penrose_tile_kind kind);

/* Does software call a tile of that kind (x, y)? Other coordinates may lead to it too. */
bool chip_has_tile(const struct penrose_chip *chip, enum penrose_tile_kind kind, unsigned x,
                   unsigned y);
struct grid_position chip_position(uint16_t place);

/* What the grid has at a place, and whether that has harts. */
const struct grid_tile *chip_grid_tile(const struct penrose_chip *chip, uint16_t place);
bool chip_has_harts(const struct grid_tile *tile);

enum { CHIP_PLACES_TEXT = 64 };

/* Where hosts find the tiles of a kind, in words: "x 1-7 and 10-16, y 2-11". */
const char *chip_list_places(const struct penrose_chip *chip, enum penrose_tile_kind kind,
                             char text[CHIP_PLACES_TEXT]);

/* How hosts name the tile at a place. */
struct grid_position chip_logical(const struct penrose_chip *chip, uint16_t place);

/* *tile is the tile with harts at (x, y), for the caller to do with as he likes; made if need be.
 * PENROSE_E_ARGUMENT when there is none, PENROSE_E_MEMORY. */
enum penrose_status chip_tile(struct penrose_chip *chip, unsigned x, unsigned y, struct tile **tile,
                              struct penrose_error *error);

/* The tile at such a place, which hosts call (x, y), brought to the present. PENROSE_E_MEMORY. */
enum penrose_status chip_take_tile(struct penrose_chip *chip, uint16_t place, unsigned x,
                                   unsigned y, struct tile **tile, struct penrose_error *error);

/* The tile at a place that has harts and is not fused off. NULL when memory runs out. */
struct tile *chip_make_tile(struct penrose_chip *chip, uint16_t place);

/* Sets the registers of a tile's NIUs as ARC's firmware does: where the tile is, and which
 * coordinates mean what. */
void chip_configure_nius(struct penrose_chip *chip, struct tile *tile);

/* Is there a register of the NIUs of a tile with harts? Which NIU, and where in it. */
bool chip_is_niu_of_tile(const struct penrose_chip *chip, uint16_t place, uint64_t address,
                         unsigned *noc, uint32_t *offset);

/* An access over a NoC to a tile that has no time of its own, or is fused off; NULL, or the rule
 * that it breaks, perhaps in `rule`. */
const char *chip_edge_access(struct penrose_chip *chip, uint16_t place, unsigned noc,
                             enum mmio_operation operation, uint64_t address, void *bytes,
                             uint32_t size, char rule[GRID_RULE_BYTES]);

/* The NIU of a tile that cannot start requests. */
struct niu *chip_edge_niu(struct penrose_chip *chip, uint16_t place, unsigned noc);

/* Adds a unit among the others; NULL when memory runs out. */
struct chip_unit *chip_add_unit(struct penrose_chip *chip, const struct chip_unit *unit);

/* To be called when what stands at a place may have changed other than by running: the scheduler
 * looks at it again. A look at each tile costs more than most polls of a host. */
static inline void chip_touch(struct penrose_chip *chip, uint16_t place)
{
    if (chip->place[place].unit) {
        chip->place[place].unit->touched = chip->any_touched = true;
    }
}

/* --- Between windows (exchange.c) --- */

/* Hands over what units sent, and serves what arrives at the edge before `end`. */
void chip_exchange(struct penrose_chip *chip, uint64_t end);

/* --- Loading (load.c) --- */

/* Bytes into the L1 of a tile, in which they lie, and a word into a register that always
 * answers. */
void chip_load(struct penrose_chip *chip, struct tile *tile, uint32_t address, const void *bytes,
               uint32_t size);
void chip_load_word(struct penrose_chip *chip, struct tile *tile, uint32_t address, uint32_t value);

/* Holds a tile's harts in reset; lets the first one go unless it is to be held too. */
void chip_hold_harts(struct penrose_chip *chip, struct tile *tile, bool first_too);

/* --- Ethernet tiles (ethernet.c) --- */

/* Base firmware has been there: what it leaves in L1; it runs where there is a link. */
void chip_start_ethernet(struct penrose_chip *chip, struct tile *tile);

bool chip_has_link(const struct tile *tile);

/* --- Harts (harts.c) --- */

/* The tile of a hart that it has. PENROSE_E_ARGUMENT, PENROSE_E_MEMORY. */
enum penrose_status chip_hart_tile(struct penrose_chip *chip, unsigned x, unsigned y,
                                   enum penrose_hart hart, struct tile **tile,
                                   struct penrose_error *error);

/* --- Observers (observers.c) --- */

/* Adds one to those who look, or has them asked again which tiles they want; of tiles made later,
 * too. PENROSE_E_STATE when there are too many. */
enum penrose_status chip_observe(struct penrose_chip *chip, struct observer *observer,
                                 struct penrose_error *error);

/* Asks all of them again. */
enum penrose_status chip_look_again(struct penrose_chip *chip, struct penrose_error *error);

/* The context of the observer that sees by this function; NULL: there is none. */
void *chip_observing(const struct penrose_chip *chip,
                     bool (*see)(void *context, struct tile *tile, const struct observed *event));

/* It looks no longer. */
void chip_unobserve(struct penrose_chip *chip, struct observer *observer);

/* Tells observers that a window is over. */
void chip_tell_window(const struct penrose_chip *chip);

/* --- What the cluster asks (sched.c); chip/calls.h has the meaning of each --- */

void chip_look_around(struct penrose_chip *chip, struct chip_awake *awake);
uint32_t chip_granularity(const struct penrose_chip *chip);
size_t chip_window_open(struct penrose_chip *chip, uint64_t end, struct pool_turn *turn);
void chip_window_alone(struct penrose_chip *chip, bool is_long);
uint64_t chip_window_stop(struct penrose_chip *chip, uint64_t planned);
void chip_window_ran(struct penrose_chip *chip);
void chip_window_close(struct penrose_chip *chip);
void chip_go_on(struct penrose_chip *chip);

/* A window is over at `end`: packets are exchanged. */
void chip_end_window(struct penrose_chip *chip, uint64_t end);

/* --- What hosts do is recorded (record.c) --- */

/* The units have run: those that an observer has stopped. */
void chip_record_pauses(struct penrose_chip *chip);

/* The bus of PCIe tile `instance`: the host's memory and the device's, answers recorded. */
void chip_connect_bus(struct penrose_chip *chip, unsigned instance, struct pcie_bus *bus);

/* --- Windows that were recorded run again (sched.c) --- */

/* Begins one that was to end at `planned` and ended at `actual`. */
void chip_rerun_begin(struct penrose_chip *chip, uint64_t planned, uint64_t actual);

/* Runs its units to there, those that `goes_on` chooses to `planned`; again after a pause. */
void chip_rerun_units(struct penrose_chip *chip, uint64_t planned, uint64_t actual,
                      bool (*goes_on)(const struct penrose_chip *chip,
                                      const struct chip_unit *unit));

/* --- What tiles ask (board.c) --- */

void chip_board_init(struct tile_board *board, const struct penrose_options *options,
                     const struct timing *timing, uint64_t window);

/* --- Reports (reports.c) --- */

static inline enum penrose_hart chip_hart_of(enum tile_agent agent)
{
    return agent < AGENT_NOC ? (enum penrose_hart)agent : PENROSE_NO_HART;
}

/* Notes a fault at a place; while units run, among the notes at *notes. */
enum penrose_policy chip_note_fault(struct penrose_chip *chip, void **notes, uint16_t place,
                                    const struct tile_fault *fault);

/* The same of what is a fault only if a kernel that tt-metal has launched does it. Where nobody knows
 * that yet, it is found out when no unit runs, and the tile goes on until then. */
enum penrose_policy chip_note_claim(struct penrose_chip *chip, struct tile *tile,
                                    const struct tile_fault *fault);

/* Can firmware be looked for, because of a claim? */
bool chip_may_search(const struct penrose_chip *chip);

/* Notes that a tile used what is not modelled. */
void chip_note_use(struct penrose_chip *chip, struct tile *tile, struct penrose_unmodelled *use);

/* A request that a tile sent broke a rule where no unit runs. True: a policy lets it pass. */
bool chip_packet_fault(struct penrose_chip *chip, const struct noc_packet *packet,
                       enum penrose_fault_kind kind, const char *text);

/* All reports, perhaps in an order that does not depend on where windows end. Room for CHIP_FAULTS
 * and CHIP_UNMODELLED. */
void chip_list_reports(const struct penrose_chip *chip, bool in_order,
                       const struct chip_fault **fault, const struct penrose_unmodelled **use);

/* Takes over what units reported while they ran. */
void chip_merge_notes(struct penrose_chip *chip);
void chip_merge_bank(struct penrose_chip *chip, struct dram_bank *bank);

#endif
