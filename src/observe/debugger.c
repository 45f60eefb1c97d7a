/*
 * Breakpoints, watchpoints and steps: an observer of the tiles that have any; see penrose/debug.h.
 *
 * Invariant: a hart has not moved since a stop exactly if its pc and its count of retired
 * instructions are those of the stop. A breakpoint there is not new then.
 */
#include <penrose/debug.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "chip/chip.h"
#include "chip/link.h"
#include "cluster/cluster.h"
#include "isa/error.h"
#include "observe/points.h"

enum { STOPS = 16 };

/* Where a hart stood when the chip was stopped, and for how long it steps. */
struct debugged_hart {
    bool stands;
    uint32_t pc;
    uint64_t retired; /* then */
    uint64_t steps;   /* left */
};

struct debugger {
    struct observer observer;
    struct penrose_chip *chip;
    struct penrose_point *point;
    size_t points;
    unsigned latest_id;
    struct penrose_stop stop[STOPS];
    size_t stops;
    unsigned pauses; /* of the chip, when they were noted: later ones begin a new list */
    struct debugged_hart hart[NOC_NODES][RV32_CORES];
    uint64_t tensix_steps[NOC_NODES][TENSIX_THREADS]; /* left */
};

_Static_assert((int)PENROSE_AGENT_NOC == (int)OBSERVED_NOC &&
                   (int)PENROSE_AGENT_ETHERNET == (int)OBSERVED_ETHERNET,
               "agents of observers have the public numbers");

/* --- Stopping --- */

struct penrose_stop point_stop(const struct penrose_chip *chip, const struct tile *tile,
                               const struct observed *event, enum penrose_stop_reason reason,
                               unsigned id)
{
    struct grid_position from = chip_logical(chip, event->node);
    const struct penrose_chip *sender =
        event->agent == OBSERVED_ETHERNET ? chip_link_peer(tile, &from) : NULL;
    bool is_answer = event->agent == OBSERVED_NOC && event->packet > NOC_ATOMIC;
    return (struct penrose_stop){.reason = reason,
                                 .chip = chip->head.number,
                                 .id = id,
                                 .x = tile->x,
                                 .y = tile->y,
                                 .agent = (enum penrose_agent)event->agent,
                                 .cycle = event->cycle,
                                 .pc = is_answer ? 0 : event->pc,
                                 .thread = event->thread < TENSIX_THREADS ? (int)event->thread : -1,
                                 .address = (uint32_t)event->address,
                                 .size = event->size,
                                 .write = event->kind == OBSERVED_WRITTEN,
                                 .from_x = from.x,
                                 .from_y = from.y,
                                 .from_chip = (sender ? sender : chip)->head.number};
}

/* Notes a stop, unless the point does not want it; true, as an observer answers that wants one. */
static bool note_stop(struct debugger *debugger, struct tile *tile, const struct observed *event,
                      enum penrose_stop_reason reason, struct penrose_point *point)
{
    struct penrose_stop stop = point_stop(debugger->chip, tile, event, reason, 0);
    if (point && point->condition && !point->condition(debugger->chip, &stop, point->context)) {
        return false;
    }
    if (debugger->pauses != cluster_of(debugger->chip)->pauses) {
        debugger->pauses = cluster_of(debugger->chip)->pauses;
        debugger->stops = 0;
    }
    if (debugger->stops < STOPS) {
        stop.id = point ? point->id : 0;
        debugger->stop[debugger->stops++] = stop;
    }
    if (point) {
        point->hits++;
    }
    for (unsigned core = 0; core < RV32_CORES; core++) {
        struct debugged_hart *hart = &debugger->hart[tile->node][core];
        hart->stands = event->agent == (enum observed_agent)core;
        hart->pc = tile->hart[core].pc;
        hart->retired = tile->hart[core].retired;
    }
    return true;
}

static void remove_point(struct debugger *debugger, size_t at)
{
    debugger->points--;
    for (size_t i = at; i < debugger->points; i++) {
        debugger->point[i] = debugger->point[i + 1];
    }
}

/* Removes a point at which the run ends once; answers how many that are. */
static size_t forget_once(struct debugger *debugger, size_t at)
{
    bool is_once = debugger->point[at].once;
    if (is_once) {
        remove_point(debugger, at);
    }
    return is_once;
}

bool point_is_on(const struct penrose_point *point, const struct tile *tile)
{
    const struct penrose_chip *chip = tile->owner;
    const struct dram_port *port = chip->place[tile->node].port;
    uint16_t place;
    if (point->x == tile->x && point->y == tile->y) {
        return true;
    }
    return point->gddr && port && chip_find(chip, point->x, point->y, &place) &&
           chip->place[place].port && chip->place[place].port->bank == port->bank;
}

bool point_starts_again(const struct tile *tile, const struct observed *event)
{
    return event->kind == OBSERVED_STARTS && tile->hart[event->agent].stop == RV32_STOP_WAIT;
}

bool point_is_met(const struct penrose_point *point, const struct tile *tile,
                  const struct observed *event)
{
    bool is_access = event->kind == OBSERVED_READ || event->kind == OBSERVED_WRITTEN;
    bool is_by = point->hart == PENROSE_NO_HART || point->hart == (enum penrose_hart)event->agent;
    if (!is_by || event->is_gddr != point->gddr || !point_is_on(point, tile)) {
        return false;
    }
    if (point->kind == PENROSE_BREAKPOINT) {
        return event->kind == OBSERVED_STARTS && point->address == event->pc &&
               !point_starts_again(tile, event);
    }
    return is_access && (event->kind == OBSERVED_WRITTEN ? point->writes : point->reads) &&
           point->address < event->address + event->size &&
           event->address < (uint64_t)point->address + point->bytes;
}

static bool look_at_start(struct debugger *debugger, struct tile *tile,
                          const struct observed *event)
{
    const struct debugged_hart *hart = &debugger->hart[tile->node][event->agent];
    bool stops = false;
    if (hart->stands && hart->pc == event->pc &&
        hart->retired == tile->hart[event->agent].retired) {
        return false;
    }
    for (size_t i = 0; i < debugger->points; i++) {
        struct penrose_point *point = &debugger->point[i];
        if (point_is_met(point, tile, event)) {
            if (note_stop(debugger, tile, event, PENROSE_STOP_BREAKPOINT, point)) {
                stops = true;
                i -= forget_once(debugger, i);
            }
        }
    }
    return stops;
}

static bool look_at_end(struct debugger *debugger, struct tile *tile, const struct observed *event)
{
    struct debugged_hart *hart = &debugger->hart[tile->node][event->agent];
    return hart->steps > 0 && --hart->steps == 0 &&
           note_stop(debugger, tile, event, PENROSE_STOP_STEP, NULL);
}

static bool look_at_access(struct debugger *debugger, struct tile *tile,
                           const struct observed *event)
{
    bool stops = false;
    for (size_t i = 0; i < debugger->points; i++) {
        struct penrose_point *point = &debugger->point[i];
        if (point_is_met(point, tile, event)) {
            if (note_stop(debugger, tile, event, PENROSE_STOP_WATCHPOINT, point)) {
                stops = true;
                i -= forget_once(debugger, i);
            }
        }
    }
    return stops;
}

static bool look_at_tensix(struct debugger *debugger, struct tile *tile,
                           const struct observed *event)
{
    uint64_t *steps = &debugger->tensix_steps[tile->node][event->thread];
    return *steps > 0 && --*steps == 0 &&
           note_stop(debugger, tile, event, PENROSE_STOP_TENSIX, NULL);
}

static bool see(void *context, struct tile *tile, const struct observed *event)
{
    switch (event->kind) {
    case OBSERVED_STARTS:
        return look_at_start(context, tile, event);
    case OBSERVED_FINISHED:
        return look_at_end(context, tile, event);
    case OBSERVED_TENSIX:
        return look_at_tensix(context, tile, event);
    case OBSERVED_PAUSED:
        return note_stop(context, tile, event, PENROSE_STOP_EBREAK, NULL);
    case OBSERVED_READ:
    case OBSERVED_WRITTEN:
        return look_at_access(context, tile, event);
    default:
        return false;
    }
}

static bool wants_tile(void *context, const struct tile *tile)
{
    const struct debugger *debugger = context;
    for (size_t i = 0; i < debugger->points; i++) {
        if (point_is_on(&debugger->point[i], tile)) {
            return true;
        }
    }
    for (unsigned core = 0; core < RV32_CORES; core++) {
        if (debugger->hart[tile->node][core].steps > 0) {
            return true;
        }
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (debugger->tensix_steps[tile->node][thread] > 0) {
            return true;
        }
    }
    return false;
}

/* --- The debugger of a chip --- */

static void free_debugger(void *context)
{
    struct debugger *debugger = context;
    free(debugger->point);
    free(debugger);
}

/* Made when it is first needed. */
static enum penrose_status take_debugger(struct penrose_chip *chip, struct debugger **debugger,
                                         struct penrose_error *error)
{
    *debugger = chip->debugger;
    if (*debugger) {
        return PENROSE_OK;
    }
    struct debugger *made = calloc(1, sizeof *made);
    if (!made) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for a debugger");
    }
    made->chip = chip;
    made->observer = (struct observer){.kinds = OBSERVED_OF_HARTS | 1 << OBSERVED_TENSIX,
                                       .see = see,
                                       .wants = wants_tile,
                                       .free = free_debugger,
                                       .context = made};
    enum penrose_status status = chip_observe(chip, &made->observer, error);
    if (status != PENROSE_OK) {
        free_debugger(made);
        return status;
    }
    *debugger = chip->debugger = made;
    return PENROSE_OK;
}

/* The tiles that it wants have changed. A hart that sleeps on one of them has to be looked at. */
static enum penrose_status look_again(struct debugger *debugger, struct tile *tile,
                                      struct penrose_error *error)
{
    for (unsigned core = 0; tile && core < RV32_CORES; core++) {
        tile_wake(tile, (enum rv32_core)core);
    }
    return chip_look_again(debugger->chip, error);
}

enum penrose_status point_check(const struct tile *tile, const struct penrose_point *point,
                                struct penrose_error *error)
{
    bool is_any = point->hart == PENROSE_NO_HART;
    if (!is_any &&
        ((unsigned)point->hart >= PENROSE_HARTS || !(tile->kind->harts >> point->hart & 1))) {
        return error_set(error, PENROSE_E_ARGUMENT, "%s has no hart %d", tile->name,
                         (int)point->hart);
    }
    bool is_local = !point->gddr && point->address - RV32_LOCAL_BASE < TILE_B_LOCAL_BYTES;
    if (point->kind == PENROSE_BREAKPOINT) { /* a debugger's calls return to the stack */
        return point->address % 4 == 0 && (point->address < tile->kind->l1_bytes || is_local)
                   ? PENROSE_OK
                   : error_set(error, PENROSE_E_ARGUMENT,
                               "instructions lie at multiples of four below 0x%x, not at 0x%x",
                               tile->kind->l1_bytes, point->address);
    }
    if (point->gddr && (tile->kind->type != TILE_DRAM || point->address >= END_GDDR)) {
        return error_set(
            error, PENROSE_E_ARGUMENT,
            "GDDR is behind DRAM tiles, and ends at " ARCH_TEXT(END_GDDR) "; %s has none at 0x%x",
            tile->name, point->address);
    }
    if (point->kind != PENROSE_WATCHPOINT || point->bytes == 0 ||
        !(point->reads || point->writes)) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "a watchpoint has at least one byte that is read or written");
    }
    return !is_local || !is_any
               ? PENROSE_OK
               : error_set(error, PENROSE_E_ARGUMENT,
                           "every hart has a local RAM of its own at 0x%08x", RV32_LOCAL_BASE);
}

enum penrose_status chip_point_set(struct penrose_chip *chip, const struct penrose_point *point,
                                   unsigned *id, struct penrose_error *error)
{
    struct debugger *debugger;
    struct tile *tile;
    enum penrose_status status = chip_tile(chip, point->x, point->y, &tile, error);
    status = status == PENROSE_OK ? point_check(tile, point, error) : status;
    status = status == PENROSE_OK ? take_debugger(chip, &debugger, error) : status;
    if (status != PENROSE_OK) {
        return status;
    }
    struct penrose_point *points =
        realloc(debugger->point, (debugger->points + 1) * sizeof *points);
    if (!points) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for a point");
    }
    debugger->point = points;
    struct penrose_point *added = &points[debugger->points++];
    *added = *point;
    added->x = tile->x; /* other coordinates may lead there too */
    added->y = tile->y;
    added->hits = 0;
    added->id = ++debugger->latest_id;
    if (id) {
        *id = added->id;
    }
    return look_again(debugger, tile, error);
}

enum penrose_status chip_point_clear(struct penrose_chip *chip, unsigned id,
                                     struct penrose_error *error)
{
    struct debugger *debugger = chip->debugger;
    for (size_t i = 0; debugger && i < debugger->points; i++) {
        if (debugger->point[i].id == id) {
            remove_point(debugger, i);
            return look_again(debugger, NULL, error);
        }
    }
    return error_set(error, PENROSE_E_ARGUMENT, "there is no point %u", id);
}

bool chip_point_get(const struct penrose_chip *chip, size_t index, struct penrose_point *point)
{
    const struct debugger *debugger = chip->debugger;
    size_t size = point->size;
    if (!debugger || index >= debugger->points ||
        size < offsetof(struct penrose_point, condition)) {
        return false;
    }
    memcpy(point, &debugger->point[index], size < sizeof *point ? size : sizeof *point);
    point->size = size;
    return true;
}

/* --- Harts --- */

enum penrose_status chip_hart_step(struct penrose_chip *chip, unsigned x, unsigned y,
                                   enum penrose_hart hart, uint64_t count,
                                   struct penrose_error *error)
{
    struct debugger *debugger;
    struct tile *tile;
    enum penrose_status status = chip_hart_tile(chip, x, y, hart, &tile, error);
    status = status == PENROSE_OK ? take_debugger(chip, &debugger, error) : status;
    if (status != PENROSE_OK) {
        return status;
    }
    debugger->hart[tile->node][hart].steps = count;
    return look_again(debugger, tile, error);
}

enum penrose_status chip_tensix_step(struct penrose_chip *chip, unsigned x, unsigned y,
                                     unsigned thread, uint64_t count, struct penrose_error *error)
{
    struct debugger *debugger;
    struct tile *tile;
    enum penrose_status status = chip_tile(chip, x, y, &tile, error);
    if (status == PENROSE_OK &&
        (tile->kind->type != TILE_TENSIX || thread >= (unsigned)TENSIX_THREADS)) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "threads 0 to 2 of workers have Tensix instructions, thread %u of %s has "
                         "none",
                         thread, tile->name);
    }
    status = status == PENROSE_OK ? take_debugger(chip, &debugger, error) : status;
    if (status != PENROSE_OK) {
        return status;
    }
    debugger->tensix_steps[tile->node][thread] = count;
    return look_again(debugger, tile, error);
}

enum penrose_status chip_hart_pause(struct penrose_chip *chip, unsigned x, unsigned y,
                                    enum penrose_hart hart, struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = chip_hart_tile(chip, x, y, hart, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (tile->run[hart].state == HART_HELD) {
        return error_set(error, PENROSE_E_STATE, "%s of %s is in reset", arch_hart_name(hart),
                         tile->name);
    }
    tile_pause(tile, (enum rv32_core)hart);
    return PENROSE_OK;
}

enum penrose_status chip_hart_resume(struct penrose_chip *chip, unsigned x, unsigned y,
                                     enum penrose_hart hart, struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = chip_hart_tile(chip, x, y, hart, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (tile->run[hart].state != HART_PAUSED) {
        return error_set(error, PENROSE_E_STATE, "%s of %s is not paused", arch_hart_name(hart),
                         tile->name);
    }
    tile_resume(tile, (enum rv32_core)hart, tile->now);
    return PENROSE_OK;
}

/* --- What stopped --- */

bool chip_stop_get(const struct penrose_chip *chip, size_t index, struct penrose_stop *stop)
{
    const struct debugger *debugger = chip->debugger;
    bool is_of_this_pause =
        debugger && chip->head.time.is_paused && debugger->pauses + 1 == cluster_of(chip)->pauses;
    if (!is_of_this_pause || index >= debugger->stops) {
        return false;
    }
    *stop = debugger->stop[index];
    return true;
}
