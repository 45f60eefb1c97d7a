/* Breakpoints and watchpoints of the client. Their conditions are evaluated while the chip runs, so
 * one that is not met costs no conversation. */
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "observe/gdb/expression.h"
#include "observe/gdb/internal.h"

/* --- Conditions --- */

struct condition_place {
    struct gdb *gdb;
    struct gdb_thread thread;
};

static bool condition_register(void *context, unsigned number, uint64_t *value)
{
    struct condition_place *place = context;
    uint32_t words[GDB_REGISTER_WORDS] = {0};
    bool is_read = number < place->gdb->registers && place->gdb->reg[number].bits == 32 &&
                   gdb_register_read(place->gdb, &place->thread, number, words);
    *value = words[0];
    return is_read;
}

static bool condition_memory(void *context, uint64_t address, void *bytes, size_t size)
{
    struct condition_place *place = context;
    return gdb_peek(place->gdb, &place->thread, (uint32_t)address, bytes, size) == size;
}

static bool is_any_met(const struct gdb_point *point, struct condition_place *place)
{
    const struct gdb_values values = {condition_register, condition_memory, place};
    for (size_t at = 0; at + 2 <= point->condition_bytes;) {
        size_t size = (size_t)point->conditions[at] << 8 | point->conditions[at + 1];
        uint64_t value;
        if (!gdb_evaluate(point->conditions + at + 2, size, &values, &value) || value != 0) {
            return true;
        }
        at += 2 + size;
    }
    return point->condition_bytes == 0;
}

/* A condition that cannot be evaluated is met. */
bool gdb_point_wants(const struct gdb_point *point, struct penrose_chip *chip,
                     const struct penrose_stop *stop)
{
    struct condition_place place = {.gdb = point->gdb, .thread = point->thread};
    struct penrose_chip *looked_at = point->gdb->chip;
    if ((unsigned)stop->agent < PENROSE_HARTS) {
        place.thread.hart = (enum penrose_hart)stop->agent;
    }
    point->gdb->chip = chip;
    bool wants = is_any_met(point, &place);
    point->gdb->chip = looked_at;
    return wants;
}

static bool is_met(struct penrose_chip *chip, const struct penrose_stop *stop, void *context)
{
    return gdb_point_wants(context, chip, stop);
}

/* "X3,aabbccX1,dd", each after a ';' or the one before. */
static bool take_conditions(const char **at, struct gdb_point *point)
{
    uint8_t bytes[GDB_CONDITION_BYTES];
    size_t used = 0;
    while (gdb_take_text(at, ";X") || gdb_take_text(at, "X")) {
        uint64_t size;
        if (!gdb_take_hex(at, &size) || !gdb_take_text(at, ",") || size > sizeof bytes ||
            used + 2 + size > sizeof bytes || !gdb_take_bytes(at, bytes + used + 2, (size_t)size)) {
            return false;
        }
        bytes[used] = (uint8_t)(size >> 8);
        bytes[used + 1] = (uint8_t)size;
        used += 2 + (size_t)size;
    }
    point->conditions = used ? malloc(used) : NULL;
    point->condition_bytes = point->conditions ? used : 0;
    if (point->conditions) {
        memcpy(point->conditions, bytes, used);
    }
    return **at == '\0';
}

/* --- The list --- */

static void free_point(struct gdb_point *point)
{
    free(point->conditions);
    free(point);
}

/* Removes a point from the list and from the chip. */
static void remove_gdb_point(struct gdb *gdb, struct gdb_point **link)
{
    struct gdb_point *point = *link;
    *link = point->next;
    penrose_point_clear(gdb_present(gdb, point->thread.chip), point->id, NULL);
    free_point(point);
}

void gdb_points_drop(struct gdb *gdb, unsigned pid)
{
    for (struct gdb_point **link = &gdb->points; *link;) {
        if (pid == 0 || (*link)->thread.pid == pid) {
            remove_gdb_point(gdb, link);
        } else {
            link = &(*link)->next;
        }
    }
}

void gdb_points_sweep(struct gdb *gdb)
{
    for (struct gdb_point **link = &gdb->points; *link;) {
        if (!(*link)->is_wanted) {
            remove_gdb_point(gdb, link);
        } else {
            link = &(*link)->next;
        }
    }
}

struct gdb_point *gdb_point_of(const struct gdb *gdb, unsigned chip, unsigned id)
{
    struct gdb_point *point = gdb->points;
    while (point && (point->thread.chip != chip || point->id != id)) {
        point = point->next;
    }
    return point;
}

static bool is_same_point(const struct gdb_point *a, const struct gdb_point *b)
{
    return a->type == b->type && a->thread.pid == b->thread.pid && a->address == b->address &&
           a->bytes == b->bytes && a->own == b->own;
}

static bool has_same_conditions(const struct gdb_point *a, const struct gdb_point *b)
{
    return a->condition_bytes == b->condition_bytes &&
           (!a->condition_bytes || memcmp(a->conditions, b->conditions, a->condition_bytes) == 0);
}

/* The harts of a tile that are one process share its points; local RAM is a hart's. */
struct penrose_point gdb_point_on_chip(struct gdb *gdb, const struct gdb_point *point)
{
    const struct gdb_process *process = gdb_process_of(gdb, point->thread.pid);
    bool is_breakpoint = point->type == GDB_SOFT || point->type == GDB_HARD;
    bool is_local = gdb_is_local(gdb, point->address);
    bool is_tile = process && process->harts & (process->harts - 1);
    bool is_of_all = is_breakpoint ? is_tile : !is_local;
    return (struct penrose_point){.size = sizeof(struct penrose_point),
                                  .kind = is_breakpoint ? PENROSE_BREAKPOINT : PENROSE_WATCHPOINT,
                                  .x = point->thread.x,
                                  .y = point->thread.y,
                                  .hart = is_of_all ? PENROSE_NO_HART : point->thread.hart,
                                  .address = point->address,
                                  .bytes = is_breakpoint ? 0 : point->bytes,
                                  .reads = point->type == GDB_READS || point->type == GDB_ACCESSES,
                                  .writes =
                                      point->type == GDB_WRITES || point->type == GDB_ACCESSES};
}

static enum penrose_status set_on_chip(struct gdb *gdb, struct gdb_point *point,
                                       struct penrose_error *error)
{
    struct penrose_point on_chip = gdb_point_on_chip(gdb, point);
    on_chip.condition = point->condition_bytes ? is_met : NULL;
    on_chip.context = point;
    return penrose_point_set(gdb_present(gdb, point->thread.chip), &on_chip, &point->id, error);
}

static struct gdb_point **find_point(struct gdb *gdb, const struct gdb_point *wanted)
{
    struct gdb_point **link = &gdb->points;
    while (*link && !is_same_point(*link, wanted)) {
        link = &(*link)->next;
    }
    return link;
}

static bool add_point(struct gdb *gdb, struct gdb_point *point, struct penrose_error *error)
{
    struct gdb_point **known = find_point(gdb, point);
    if (*known && has_same_conditions(*known, point)) {
        (*known)->is_wanted = true;
        free_point(point);
        return true;
    }
    if (*known) {
        remove_gdb_point(gdb, known);
    }
    if (set_on_chip(gdb, point, error) != PENROSE_OK) {
        free_point(point);
        return false;
    }
    point->is_wanted = true;
    point->next = gdb->points;
    gdb->points = point;
    return true;
}

static bool take_back(struct gdb *gdb, const struct gdb_point *point)
{
    struct gdb_point *known = *find_point(gdb, point);
    if (known) {
        known->is_wanted = false;
    }
    return true; /* what is not there is gone */
}

bool gdb_point_add_own(struct gdb *gdb, const struct gdb_thread *thread, uint32_t address,
                       const struct gdb_break *own)
{
    struct gdb_point *point = calloc(1, sizeof *point);
    if (!point) {
        return false;
    }
    *point = (struct gdb_point){
        .gdb = gdb, .type = GDB_HARD, .thread = *thread, .address = address, .own = own};
    return add_point(gdb, point, NULL);
}

void gdb_points_drop_of(struct gdb *gdb, const struct gdb_break *own)
{
    for (struct gdb_point **link = &gdb->points; *link;) {
        if ((*link)->own == own) {
            remove_gdb_point(gdb, link);
        } else {
            link = &(*link)->next;
        }
    }
}

/* "TYPE,ADDRESS,KIND" and what follows. */
static bool take_point(const char *packet, struct gdb_point *point)
{
    uint64_t type, address, bytes;
    if (!gdb_take_hex(&packet, &type) || !gdb_take_text(&packet, ",") ||
        !gdb_take_hex(&packet, &address) || !gdb_take_text(&packet, ",") ||
        !gdb_take_hex(&packet, &bytes) || type >= GDB_POINT_TYPES || address > UINT32_MAX ||
        bytes > UINT32_MAX) {
        return false;
    }
    point->type = (enum gdb_point_type)type;
    point->address = (uint32_t)address;
    point->bytes = (uint32_t)bytes;
    return take_conditions(&packet, point);
}

bool gdb_point_packet(struct gdb *gdb, bool sets, const char *packet, struct penrose_error *error)
{
    struct gdb_point *point = calloc(1, sizeof *point);
    if (!point) {
        error_set(error, PENROSE_E_MEMORY, "no memory for a point");
        return false;
    }
    point->gdb = gdb;
    point->thread = gdb->general;
    if (!gdb->general.pid || !take_point(packet, point)) {
        error_set(error, PENROSE_E_ARGUMENT, "the packet names no point of a process");
        free_point(point);
        return false;
    }
    if (sets) {
        return add_point(gdb, point, error);
    }
    take_back(gdb, point);
    free_point(point);
    return true;
}
