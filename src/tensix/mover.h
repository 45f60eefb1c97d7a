/* The mover, and its queue of commands from TDMA-RISC (mover.c describes it). */
#ifndef TENSIX_MOVER_H
#define TENSIX_MOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TENSIX_MOVE_UNIT = 16,      /* bytes: addresses and sizes are multiples of it */
    TENSIX_MOVER_QUEUE = 4,     /* commands */
    TENSIX_MOVER_PARAMETERS = 2 /* of which so many may have parameters */
};

/* As Transfer_direction and XMOV_DIRECTION number them. */
enum tensix_move_mode {
    TENSIX_MOVE_ZEROS_TO_L1,
    TENSIX_MOVE_L1_TO_CONFIG,
    TENSIX_MOVE_ZEROS_TO_CONFIG,
    TENSIX_MOVE_L1_TO_L1,
};

struct tensix_move {
    uint32_t to, from, size; /* bytes */
    enum tensix_move_mode mode;
};

enum tensix_command_kind {
    TENSIX_COMMAND_MOVE,
    TENSIX_COMMAND_WAIT,  /* until the mover is not busy */
    TENSIX_COMMAND_STORE, /* to L1 */
    TENSIX_COMMAND_NOP,
};

struct tensix_command {
    enum tensix_command_kind kind;
    uint32_t has_parameters;
    struct tensix_move move; /* of a store: to and size (4 or 8) */
    uint64_t value;          /* what is stored */
    uint64_t at;             /* when it was queued; tensix_command fills it in */
};

struct tensix_mover {
    struct tensix_command queue[TENSIX_MOVER_QUEUE]; /* queue[head] is the oldest of `count` */
    unsigned head, count;
    uint64_t next_at; /* timed runs: when the next command may be looked at */
    uint64_t free_at; /* timed runs: first cycle at which no move is under way */
    bool is_moving;   /* and tensix_mover_run has not seen that cycle yet */
    uint8_t gap[7];
};

struct tensix;

/* What is undefined about a move, in words; NULL: it may be made. */
const char *tensix_move_rule(const struct tensix *tensix, const struct tensix_move *move);

/* True, with words, where a move at `now` would change Config under a unit that may be using it.
 * `writer` and `by_hart` as for tensix_race_text. */
bool tensix_move_race(const struct tensix *tensix, const struct tensix_move *move, uint64_t now,
                      const char *writer, bool by_hart, char *text, size_t size);

/* Queues a command at `cycle`, the moves of which tensix_move_rule knows to be right; what can
 * start does so at once. False: the queue is full, and nothing has happened. */
bool tensix_command(struct tensix *tensix, const struct tensix_command *command, uint64_t cycle);

/* How many of the queued commands have parameters. */
unsigned tensix_mover_parameters(const struct tensix *tensix);

/* Is a move under way, or about to start? */
bool tensix_mover_busy(const struct tensix *tensix);

/* Ends the move and starts the commands that are due at `now`; true: there were any commands. */
bool tensix_mover_run(struct tensix *tensix, uint64_t now);

/* When the mover or its queue does something next; UINT64_MAX: never. */
uint64_t tensix_mover_next(const struct tensix *tensix);

/* Bits of enum tensix_reset that have just been raised. */
void tensix_mover_soft_reset(struct tensix *tensix, uint32_t entering);

#endif
