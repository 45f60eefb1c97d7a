/* See path.h. A step stands behind those that it follows, so one pass finds what chains still have. */
#include "observe/profile/path.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_ROOM = 1 << 12,
    MOST_STEPS = 1 << 23,
    RECENT = 1 << 11, /* cycles; so long a packet may be under way */
    SPARE = 16,
};

void path_free(struct path *path)
{
    free(path->step);
    free(path->latest);
    *path = (struct path){0};
}

bool path_lanes(struct path *path, size_t lanes)
{
    uint32_t *latest = realloc(path->latest, lanes * sizeof *latest);
    if (!latest) {
        path->has_failed = true;
        return false;
    }
    memset(latest + path->lanes, 0, (lanes - path->lanes) * sizeof *latest);
    path->latest = latest;
    path->lanes = lanes;
    return true;
}

uint32_t path_end(const struct path *path, size_t lane)
{
    return path->latest[lane];
}

/* --- Steps --- */

static void append_step(struct path *path, size_t lane, const struct path_step *step)
{
    if (path->steps == path->room) {
        size_t room = path->room ? path->room * 2 : FIRST_ROOM;
        struct path_step *grown =
            room <= MOST_STEPS ? realloc(path->step, room * sizeof *grown) : NULL;
        path->has_failed |= !grown;
        path->step = grown ? grown : path->step;
        path->room = grown ? room : path->room;
    }
    if (path->steps < path->room) {
        path->step[path->steps++] = *step;
        path->latest[lane] = (uint32_t)path->steps;
    }
}

void path_add(struct path *path, size_t lane, uint32_t row, enum path_part part, uint64_t begin,
              uint64_t end)
{
    uint32_t latest = path->latest[lane];
    struct path_step *step = latest ? &path->step[latest - 1] : NULL;
    if (step && step->row == row && step->end == begin && step->part == part) {
        step->end = end;
        return;
    }
    append_step(path, lane,
                &(struct path_step){.begin = begin,
                                    .end = end,
                                    .row = row,
                                    .before = latest,
                                    .earlier = latest,
                                    .part = part});
}

/* The step of the lane that was under way in that cycle, or the one before. */
static uint32_t find_step(const struct path *path, size_t lane, uint64_t cycle)
{
    uint32_t at = path->latest[lane];
    while (at && path->step[at - 1].begin > cycle) {
        at = path->step[at - 1].earlier;
    }
    return at;
}

void path_add_wait(struct path *path, size_t lane, uint32_t row, enum path_part part, uint64_t end,
                   size_t by, uint64_t cycle)
{
    uint32_t before = find_step(path, by, cycle);
    uint32_t latest = path->latest[lane];
    if (!before) { /* it was not seen */
        path_add(path, lane, row, part, latest ? path->step[latest - 1].end : cycle, end);
        return;
    }
    const uint64_t known = path->step[before - 1].end; /* of `by` up to that cycle */
    append_step(path, lane,
                &(struct path_step){.begin = known < cycle ? known : cycle,
                                    .end = end,
                                    .row = row,
                                    .before = before,
                                    .earlier = latest,
                                    .part = part});
}

/* --- Forgetting --- */

/* Packs the steps that are marked; a mark becomes the new number, plus one. */
static void pack_steps(struct path *path, uint32_t *mark)
{
    size_t packed = 0;
    for (size_t i = 0; i < path->steps; i++) {
        struct path_step step = path->step[i];
        if (mark[i]) {
            step.before = step.before ? mark[step.before - 1] : 0;
            step.earlier = step.earlier ? mark[step.earlier - 1] : 0;
            path->step[packed++] = step;
            mark[i] = (uint32_t)packed;
        }
    }
    path->steps = packed;
    for (size_t i = 0; i < path->lanes; i++) {
        path->latest[i] = path->latest[i] ? mark[path->latest[i] - 1] : 0;
    }
}

/* Marks the steps of all chains, as far as they are wanted, and those that ended lately. Returns how
 * many there are. */
static size_t mark_steps(const struct path *path, uint32_t *mark, uint64_t from)
{
    const uint64_t now = path->step[path->steps - 1].end;
    size_t marked = 0;
    for (size_t i = 0; i < path->lanes; i++) {
        if (path->latest[i]) {
            mark[path->latest[i] - 1] = 1;
        }
    }
    for (size_t i = path->steps; i-- > 0;) {
        mark[i] |= path->step[i].end + RECENT >= now;
        if (mark[i] && path->step[i].before && path->step[i].begin > from) {
            mark[path->step[i].before - 1] = 1;
        }
        marked += mark[i] != 0;
    }
    return marked;
}

bool path_is_full(const struct path *path)
{
    return path->steps + SPARE > MOST_STEPS;
}

bool path_sweep(struct path *path, uint64_t from)
{
    uint32_t *mark = calloc(path->steps, sizeof *mark);
    if (!mark) {
        return false;
    }
    if (mark_steps(path, mark, from) > MOST_STEPS / 4 * 3) {
        memset(mark, 0, path->steps / 2 * sizeof *mark);
        path->forgotten = path->step[path->steps / 2].end;
    }
    pack_steps(path, mark);
    free(mark);
    return true;
}

/* --- The chain --- */

void path_walk(const struct path *path, uint32_t end, uint64_t first, uint64_t last,
               void (*take)(void *context, const struct path_step *step, uint64_t begin,
                            uint64_t end),
               void *context)
{
    uint64_t until = last;
    for (uint32_t at = end; at && until > first;) {
        const struct path_step *step = &path->step[at - 1];
        uint64_t begin = step->begin > first ? step->begin : first;
        uint64_t stop = step->end < until ? step->end : until;
        if (stop > begin) {
            take(context, step, begin, stop);
        }
        until = begin < until ? begin : until;
        at = step->before;
    }
}
