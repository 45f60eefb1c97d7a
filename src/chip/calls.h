/*
 * What the public calls (src/api) ask a chip: functions of the same names and types, which the code
 * that is compiled for each kind of chip has with the prefix chip_. Arguments that are structs with
 * a size have their full size here. None of these writes an entry of a journal for the call itself.
 */
#ifndef CHIP_CALLS_H
#define CHIP_CALLS_H

#include <penrose/debug.h>
#include <penrose/dump.h>
#include <penrose/history.h>
#include <penrose/metal.h>
#include <penrose/trace.h>

struct penrose_cluster;
struct pool;
struct pool_turn;

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

struct chip_calls {
    const char *name; /* of the kind of chip, as struct arch has it */
    bool (*has_card)(const char *name);
    const char *(*cards)(char *text, size_t size); /* their names, with commas between them */
    __typeof__(penrose_chip_create) *create;
    __typeof__(penrose_chip_destroy) *destroy;

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
    /* All units of all chips have run: the time is `end`. */
    void (*window_ran)(struct penrose_chip *chip, uint64_t planned, uint64_t end);
    /* Hands over what was sent. */
    void (*window_close)(struct penrose_chip *chip);
    /* What an observer has stopped goes on. */
    void (*go_on)(struct penrose_chip *chip);
    /* A run is over. */
    void (*ran)(struct penrose_chip *chip, enum penrose_outcome outcome);
#define CALL(name) __typeof__(penrose_##name) *name;
#include "chip/calls.def"
#undef CALL
};

/* A chip begins with these members, whatever kind it is. */
struct chip_head {
    const struct chip_calls *calls;
    struct journal *journal;         /* NULL: nobody records what hosts do */
    struct penrose_cluster *cluster; /* to which it belongs, NULL: not yet; set by it: */
    unsigned number;                 /* of the chip in it */
    struct pool *pool;               /* host threads */
    struct chip_time time;
    uint64_t window;  /* cycles of a window in which several units are awake */
    uint32_t quantum; /* of its options */
    bool timed;       /* of its options */
    bool is_observed; /* any of its tiles has been: one thread runs all chips of the cluster */
};

extern __typeof__(penrose_chip_create) chip_create;
extern __typeof__(penrose_chip_destroy) chip_destroy;
#define CALL(name) extern __typeof__(penrose_##name) chip_##name;
#include "chip/calls.def"
#undef CALL

/* Those of the chip that this is compiled for (calls.c). */
extern const struct chip_calls chip_calls;

#endif
