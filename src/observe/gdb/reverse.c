/*
 * Time that runs backwards for GDB (penrose/history.h). While the client looks at a past, gdb->chip
 * is that past. All reads go there, nothing is written, and going on is a search until the present,
 * which stands still meanwhile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/calls.h"
#include "observe/gdb/internal.h"

void gdb_reverse_start(struct gdb *gdb)
{
    const struct penrose_history_options options = {.size = sizeof options};
    if (penrose_history_start(gdb->present, &options, &gdb->history, NULL) != PENROSE_OK) {
        gdb->history = NULL; /* then there is no way back */
    }
}

void gdb_reverse_leave(struct gdb *gdb)
{
    if (gdb->past) {
        penrose_chip_destroy(gdb->past);
        gdb->past = NULL;
    }
    gdb->chip = gdb->present;
}

void gdb_reverse_end(struct gdb *gdb)
{
    gdb_reverse_leave(gdb);
    if (!gdb->is_recording) {
        penrose_history_end(gdb->history);
    }
    gdb->history = NULL;
}

/* --- Goals --- */

static bool accept_stop(void *context, struct penrose_chip *past, const struct penrose_stop *stop)
{
    const struct gdb_point *point = gdb_point_of(context, chip_head(past)->number, stop->id);
    return point && gdb_point_wants(point, past, stop);
}

/* The points that the client has set, for the processes that go on with this one. */
static struct penrose_point *collect_points(struct gdb *gdb, size_t *count)
{
    size_t room = 1;
    for (const struct gdb_point *point = gdb->points; point; point = point->next) {
        room++;
    }
    struct penrose_point *list = calloc(room, sizeof *list);
    *count = 0;
    for (const struct gdb_point *point = gdb->points; list && point; point = point->next) {
        bool is_meant = !gdb->is_apart || point->thread.pid == gdb->resumed.pid;
        if (point->is_wanted && is_meant) {
            list[*count] = gdb_point_on_chip(gdb, point);
            list[*count].chip = point->thread.chip;
            list[(*count)++].id = point->id;
        }
    }
    return list;
}

/* --- Searches --- */

static enum penrose_status search(struct gdb *gdb, const struct penrose_goal *goal, bool is_back,
                                  enum penrose_history_end *end, struct penrose_error *error)
{
    return is_back ? penrose_history_back(gdb->history, &gdb->past, goal, end, error)
                   : penrose_history_forward(gdb->history, gdb->past, goal, end, error);
}

static enum penrose_status go_to_begin(struct gdb *gdb, struct penrose_error *error)
{
    struct penrose_history_info info;
    struct penrose_chip *past = NULL;
    penrose_history_info(gdb->history, &info);
    enum penrose_status status = penrose_history_past(gdb->history, info.begin, &past, error);
    if (status == PENROSE_OK) {
        gdb_reverse_leave(gdb);
        gdb->chip = gdb->past = past;
    }
    return status;
}

/* Where nothing has happened yet the beginning is the present, which can be changed. */
bool gdb_reverse_to_begin(struct gdb *gdb)
{
    struct penrose_history_info info = {0};
    if (gdb->history) {
        penrose_history_info(gdb->history, &info);
    }
    if (gdb->history && info.begin == penrose_now(gdb->present)) {
        gdb_reverse_leave(gdb);
        return true;
    }
    return gdb->history && go_to_begin(gdb, NULL) == PENROSE_OK;
}

/* Without points there is only the beginning, or the present. */
static enum penrose_status search_points(struct gdb *gdb, struct penrose_goal *goal, bool is_back,
                                         enum penrose_history_end *end, struct penrose_error *error)
{
    struct penrose_point *points = collect_points(gdb, &goal->points);
    enum penrose_status status;
    goal->kind = PENROSE_GOAL_POINTS;
    goal->point = points;
    if (goal->points > 0 || !points) {
        status = points ? search(gdb, goal, is_back, end, error) : PENROSE_E_MEMORY;
    } else if (is_back) {
        status = go_to_begin(gdb, error);
        *end = PENROSE_HISTORY_BEGIN;
    } else {
        *end = PENROSE_HISTORY_PRESENT;
        status = PENROSE_OK;
    }
    free(points);
    return status;
}

/* A step that arrives at the present is a step as any other. So is the one that GDB makes behind each
 * hit of a watchpoint: it takes time that has ended there for a step that has not, and waits for ever. */
static void tell_end(struct gdb *gdb, enum penrose_history_end end, bool is_step)
{
    bool is_plain = is_step && (end == PENROSE_HISTORY_PRESENT || gdb_is_behind_watch(gdb));
    struct gdb_event event = {.thread = gdb->resumed, .signal = GDB_SIGTRAP};
    struct penrose_stop stop;
    if (end == PENROSE_HISTORY_STOP && penrose_history_stop_get(gdb->chip, 0, &stop)) {
        const struct gdb_point *point = is_step ? NULL : gdb_point_of(gdb, stop.chip, stop.id);
        event.cycle = stop.cycle;
        if (point) {
            gdb_point_event(gdb, point, &stop, &event);
        }
    } else if (end != PENROSE_HISTORY_STOP && !is_plain) {
        snprintf(event.reason, sizeof event.reason, "replaylog:%s;",
                 end == PENROSE_HISTORY_BEGIN ? "begin" : "end");
    }
    gdb_announce(gdb, &event);
}

bool gdb_reverse_search(struct gdb *gdb, bool is_step, bool is_back)
{
    struct penrose_error error = {0};
    enum penrose_history_end end;
    struct penrose_goal goal = {.size = sizeof goal,
                                .kind = PENROSE_GOAL_STEP,
                                .chip = gdb->resumed.chip,
                                .x = gdb->resumed.x,
                                .y = gdb->resumed.y,
                                .hart = gdb->resumed.hart,
                                .accepts = is_step ? NULL : accept_stop,
                                .context = gdb};
    struct gdb_event programs;
    if (!gdb->history || !gdb->resumed.pid) {
        return false;
    }
    if (gdb_programs_event(gdb, &gdb->resumed,
                           &programs)) { /* the client reads them, and asks again */
        gdb_announce(gdb, &programs);
        return true;
    }
    enum penrose_status status = is_step ? search(gdb, &goal, is_back, &end, &error)
                                         : search_points(gdb, &goal, is_back, &end, &error);
    if (status != PENROSE_OK) {
        gdb_put(&gdb->console, "%s\n", error.text);
        end = is_back ? PENROSE_HISTORY_BEGIN : PENROSE_HISTORY_PRESENT;
    }
    if (!is_back && end == PENROSE_HISTORY_PRESENT) {
        gdb_reverse_leave(gdb);
    }
    gdb->chip = gdb->past ? gdb->past : gdb->present;
    tell_end(gdb, end, is_step);
    return true;
}

/* --- The last writer --- */

static void tell_writer(const struct gdb *gdb, const struct penrose_stop *stop,
                        const struct penrose_cluster *past, struct gdb_text *out)
{
    char text[256], symbol[128], source[256], calls[1024];
    const bool is_of_other =
        stop->agent == PENROSE_AGENT_NOC || stop->agent == PENROSE_AGENT_ETHERNET;
    const unsigned number = is_of_other ? stop->from_chip : stop->chip;
    struct penrose_chip *chip = penrose_cluster_chip(past, number);
    penrose_stop_format(stop, text, sizeof text);
    const char *what = strstr(text, ": "); /* behind the number of the point */
    gdb_put(out, "%s\n", what ? what + 2 : text);
    const unsigned x = is_of_other ? stop->from_x : stop->x;
    const unsigned y = is_of_other ? stop->from_y : stop->y;
    if (stop->pc &&
        penrose_locate(chip, x, y, stop->pc, symbol, sizeof symbol, source, sizeof source)) {
        images_calls_text(gdb_images(gdb, number), x, y, stop->pc, true, calls, sizeof calls);
        gdb_put(out, "  in %s%s%s%s\n", symbol, *symbol && *source ? ", " : "", source, calls);
    }
}

/* "ADDRESS" of the thread's tile as its harts see it, or "X,Y:ADDRESS" of any as hosts do. */
static bool take_writer_place(const struct gdb *gdb, const char *text, struct gdb_thread *place,
                              uint32_t *address)
{
    char *end;
    *place = gdb->general;
    unsigned long number = strtoul(text, &end, 0);
    if (*end == ',') {
        place->x = (unsigned)number;
        place->y = (unsigned)strtoul(end + 1, &end, 0);
        place->hart = PENROSE_NO_HART;
        if (*end != ':') {
            return false;
        }
        number = strtoul(end + 1, &end, 0);
    } else if (!gdb_is_local(gdb, (uint32_t)number) &&
               penrose_tile_kind(gdb_chip(gdb, place->chip), place->x, place->y) !=
                   PENROSE_TILE_DRAM) {
        place->hart = PENROSE_NO_HART;
    }
    *address = (uint32_t)number;
    return end != text && *end == '\0' && number <= UINT32_MAX;
}

/* As penrose_history_last_writer, on any chip. */
static enum penrose_status find_writer(const struct gdb *gdb, const struct penrose_point *point,
                                       struct penrose_chip **past, enum penrose_history_end *end,
                                       struct penrose_error *error)
{
    const struct penrose_goal goal = {
        .size = sizeof goal, .kind = PENROSE_GOAL_POINTS, .point = point, .points = 1};
    return penrose_history_back(gdb->history, past, &goal, end, error);
}

void gdb_monitor_last_writer(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    struct penrose_error error = {0};
    struct penrose_chip *past = NULL;
    struct penrose_stop stop;
    enum penrose_history_end end;
    struct gdb_thread place;
    uint32_t address;
    uint32_t bytes = words->count > 2 ? (uint32_t)strtoul(words->word[2], NULL, 0) : 4;
    if (words->count < 2 || !gdb->history || !gdb_words_are_numbers(words, 2, 2) ||
        !take_writer_place(gdb, words->word[1], &place, &address)) {
        gdb_put(out, gdb->history ? "" : "there is no history\n");
        if (gdb->history) {
            gdb_put_usage(out, words);
        }
        return;
    }
    bool is_dram =
        penrose_tile_kind(gdb_chip(gdb, place.chip), place.x, place.y) == PENROSE_TILE_DRAM;
    const struct penrose_point point = {.size = sizeof point,
                                        .kind = PENROSE_WATCHPOINT,
                                        .chip = place.chip,
                                        .x = place.x,
                                        .y = place.y,
                                        .hart = place.hart,
                                        .address = address,
                                        .bytes = bytes,
                                        .writes = true,
                                        .gddr = is_dram && place.hart == PENROSE_NO_HART};
    if (find_writer(gdb, &point, &past, &end, &error) != PENROSE_OK) {
        gdb_put(out, "%s\n", error.text);
    } else if (end == PENROSE_HISTORY_STOP && penrose_history_stop_get(past, 0, &stop)) {
        tell_writer(gdb, &stop, penrose_chip_cluster(past, NULL), out);
    } else {
        gdb_put(out, "nobody has written there since GDB was waited for\n");
    }
    penrose_chip_destroy(past);
}
