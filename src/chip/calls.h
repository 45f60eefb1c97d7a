/*
 * What the public calls (src/api) ask a chip: functions of the same names (chip/calls.def), which the
 * code that is compiled for each kind of chip has with the prefix chip_. Arguments that are structs with
 * a size have their full size here. None of these writes an entry of a journal for the call itself.
 */
#ifndef CHIP_CALLS_H
#define CHIP_CALLS_H

#include <penrose/debug.h>
#include <penrose/dump.h>
#include <penrose/history.h>
#include <penrose/metal.h>
#include <penrose/trace.h>

#include "arch/arch.h"
#include "chip/plan.h"
#include "loader/firmware.h"
#include "loader/images.h"

struct penrose_cluster;
struct inside;
struct tile;
struct tile_fault;
struct pool;
struct pool_turn;
struct snapshot_reader;
struct snapshot_writer;

/* Where a run ended in the middle of a window: the next one goes on to there. */
struct chip_cut {
    uint64_t end;    /* of the window in which the pause came */
    uint64_t window; /* cycles of the one behind it; 0: no run is to go on */
};

/* The clock of a cluster; each of its chips has a copy. */
struct chip_time {
    uint64_t now;   /* the start of the window under way */
    bool is_paused; /* the latest run ended with PENROSE_PAUSED; the next goes on */
    struct chip_cut cut;
};

/* What becomes of a claim: nobody knows yet what was launched, it is wrong, or it is right. */
enum chip_proof { CHIP_UNKNOWN, CHIP_REFUTED, CHIP_PROVEN };

/* Who has something to do on one or more chips. */
struct chip_awake {
    unsigned units;
    bool any_stopped, any_paused;
    uint64_t next, second; /* the earliest event of any unit, and of any other */
    uint64_t bank;         /* of any bank */
};

#define CHIP_NOBODY_AWAKE                                                                          \
    {                                                                                              \
        .next = UINT64_MAX, .second = UINT64_MAX, .bank = UINT64_MAX                               \
    }

/* A tile with harts, for code that is compiled once. It stays true until the chip runs. */
struct tile_facts {
    unsigned x, y; /* as hosts name it */
    enum penrose_tile_kind kind;
    unsigned harts;   /* that it has: a bit for each enum penrose_hart */
    unsigned streams; /* of the overlay */
    unsigned unseen;  /* responses for which nobody has looked */
    const uint8_t *l1;
    uint32_t l1_bytes;
    struct loader_memory memory;        /* its L1 */
    const struct loader_layout *layout; /* of the firmware that booted there; NULL: none did */
};

/* What a jump of a hart has left, see struct rv32_hart. */
struct hart_jump {
    uint32_t behind, target; /* where a call would return to, where it went */
    uint32_t null;           /* the latest one to address 0 */
};

/* What a product has of its chip. */
struct card_size {
    unsigned columns, rows, banks; /* of workers; of DRAM */
};

struct chip_look;

struct chip_calls {
    const struct arch *arch;
    const struct inside *inside; /* what parts of Penrose ask each other: observe/inside.h */
    uint64_t (*layout)(void);    /* of its state, as this build has it */
    const char *(*card)(const struct penrose_chip *chip);
    struct plan_chip (*plan)(
        const struct penrose_chip *chip); /* by which another one can be made */
    const struct penrose_options *(*options)(const struct penrose_chip *chip);
    const char *(*card_at)(size_t index); /* NULL: beyond the last */
    /* The plan of a card that there is. */
    void (*plan_card)(const char *name, struct cluster_plan *plan);
    void (*size_of)(const struct grid_product *product, struct card_size *size);
    /* The tile at a place, which is made if nobody has used it and `makes`. False: there is none. */
    bool (*tile_facts)(struct penrose_chip *chip, unsigned x, unsigned y, bool makes,
                       struct tile_facts *facts);
    /* The next tile that was ever used, from *index on, which is 0 at first. False: there is none. */
    bool (*next_tile)(struct penrose_chip *chip, unsigned *index, struct tile_facts *facts);
    /* As debug_stands_at; 0 where there is no such hart. */
    uint32_t (*stands_at)(struct penrose_chip *chip, unsigned x, unsigned y,
                          enum penrose_hart hart);
    bool (*hart_jump)(struct penrose_chip *chip, unsigned x, unsigned y, enum penrose_hart hart,
                      struct hart_jump *jump);
    /* As penrose_chip_create, but for the card; the chip belongs to no cluster yet. */
    enum penrose_status (*create)(const struct penrose_options *options,
                                  const struct plan_chip *plan, struct penrose_chip **chip,
                                  struct penrose_error *error);
    __typeof__(penrose_chip_destroy) *destroy;

    /* Is what breaks a rule of tt-metal's kernels the work of one (metal/claims.c)? Adds to its text
     * what the launch tells. */
    enum chip_proof (*prove)(const struct penrose_chip *chip, struct tile *tile,
                             struct tile_fault *claim);

    /* As chip/look.h has it. */
    struct chip_look *(*look_take)(const struct penrose_chip *chip);
    bool (*look_is_still)(const struct chip_look *before, const struct chip_look *now);

    /* What its cluster asks, window by window. */
    size_t units; /* it has at most so many */
    /* Adds what it has to do. */
    void (*look_around)(struct penrose_chip *chip, struct chip_awake *awake);
    /* A run ends at a multiple of so many cycles. */
    uint32_t (*granularity)(const struct penrose_chip *chip);
    /* A window begins that ends at `end`; the turns that it takes there, and how many. */
    size_t (*window_open)(struct penrose_chip *chip, uint64_t end, struct pool_turn *turn);
    /* Its unit is the only one in the window, and may end a long one early. */
    void (*window_alone)(struct penrose_chip *chip, bool is_long);
    /* Where that unit has ended the window. */
    uint64_t (*window_stop)(struct penrose_chip *chip, uint64_t planned);
    /* All units of all chips have run. */
    void (*window_ran)(struct penrose_chip *chip);
    /* Hands over what was sent. */
    void (*window_close)(struct penrose_chip *chip);
    /* What an observer has stopped goes on. */
    void (*go_on)(struct penrose_chip *chip);
    /* Are its units in the middle of a window? */
    bool (*is_running)(const struct penrose_chip *chip);

    /* What cluster/snapshot.c asks; chip/snapshot.h has the meaning. */
    bool (*save)(struct snapshot_writer *writer, struct penrose_chip *chip);
    void (*save_links)(struct snapshot_writer *writer, const struct penrose_chip *chip);
    enum penrose_status (*load)(struct snapshot_reader *reader, struct penrose_chip **chip,
                                struct penrose_error *error);
    void (*load_links)(struct snapshot_reader *reader, struct penrose_chip *chip,
                       struct penrose_chip *const *chips, unsigned count);
    void (*check_links)(struct snapshot_reader *reader, const struct penrose_chip *chip);
#define CALL(name)                        __typeof__(penrose_##name) *name;
#define KIND_CALL(type, name, parameters) type(*name) parameters;
#include "chip/calls.def"
};

/* A chip begins with these members, whatever kind it is. */
struct chip_head {
    const struct chip_calls *calls;
    struct journal *journal;         /* of its cluster; NULL: nobody records what hosts do */
    struct penrose_cluster *cluster; /* to which it belongs, NULL: not yet; set by it: */
    unsigned number;                 /* of the chip in it */
    struct pool *pool;               /* host threads */
    struct chip_time time;
    uint64_t window;      /* cycles of a window in which several units are awake */
    bool is_observed;     /* any of its tiles has been: one thread runs all chips of the cluster */
    struct images images; /* which ELF lies where */
    /* Looks for the programs of a tile that nobody has loaded, but a host written; NULL: there is no
     * such host. */
    void (*find_programs)(void *context, unsigned x, unsigned y);
    void *find_context;
};

static inline struct chip_head *chip_head(const struct penrose_chip *chip)
{
    return (struct chip_head *)(uintptr_t)chip;
}

/* The calls of a chip, of a history or of a firmware: all begin with a pointer to them. */
static inline const struct chip_calls *chip_calls_of(const void *object)
{
    return *(const struct chip_calls *const *)object;
}

bool chip_tile_facts(struct penrose_chip *chip, unsigned x, unsigned y, bool makes,
                     struct tile_facts *facts);
bool chip_next_tile(struct penrose_chip *chip, unsigned *index, struct tile_facts *facts);
uint32_t chip_stands_at(struct penrose_chip *chip, unsigned x, unsigned y, enum penrose_hart hart);
bool chip_hart_jump(struct penrose_chip *chip, unsigned x, unsigned y, enum penrose_hart hart,
                    struct hart_jump *jump);
extern const struct inside chip_inside;

extern __typeof__(*((struct chip_calls *)0)->create) chip_create;
extern __typeof__(penrose_chip_destroy) chip_destroy;
#define CALL(name)                        extern __typeof__(penrose_##name) chip_##name;
#define KIND_CALL(type, name, parameters) type chip_##name parameters;
#include "chip/calls.def"

/* Those of the chip that this is compiled for (calls.c). */
extern const struct chip_calls chip_calls;

#endif
