/*
 * How the chip goes on.
 *
 * A run with GDB is the run without it, to the cycle, if the client lets all its processes go on
 * together ("set schedule-multiple on") or has only one. When a client then steps one hart over a
 * breakpoint, time moves for all of them. A client that lets only some processes go on assumes that
 * the others stand still, so their harts are paused.
 */
#include <string.h>

#include "observe/gdb/internal.h"

bool gdb_start_step(struct gdb *gdb, const struct gdb_thread *thread)
{
    gdb->stepped = *thread;
    return penrose_hart_step(gdb_chip(gdb, thread->chip), thread->x, thread->y, thread->hart, 1,
                             NULL) == PENROSE_OK;
}

/* One action of vCont. */
struct action {
    char what; /* c, s, r or t */
    uint64_t first, end;
    bool is_for_all;
    struct gdb_id id;
};

/* "s:p1.1", "C05", "r100,120:p1.1" */
static bool take_action(const char **at, struct action *action)
{
    uint64_t signal;
    *action = (struct action){.what = **at, .is_for_all = true};
    if (!**at || !strchr("cCsSrt", **at)) {
        return false;
    }
    (*at)++;
    if (action->what == 'C' || action->what == 'S') { /* there are no signals to pass on */
        action->what = action->what == 'C' ? 'c' : 's';
        if (!gdb_take_hex(at, &signal)) {
            return false;
        }
    }
    if (action->what == 'r' && (!gdb_take_hex(at, &action->first) || !gdb_take_text(at, ",") ||
                                !gdb_take_hex(at, &action->end))) {
        return false;
    }
    if (gdb_take_text(at, ":")) {
        action->is_for_all = false;
        return gdb_take_id(at, &action->id);
    }
    return true;
}

static bool is_action_for(const struct action *action, const struct gdb_process *process,
                          unsigned hart)
{
    bool is_process = action->id.process <= 0 || action->id.process == process->pid;
    bool is_thread = action->id.thread <= 0 || action->id.thread == (int64_t)hart + 1;
    return action->is_for_all || (is_process && is_thread);
}

enum { ACTIONS = 64 };

static unsigned take_actions(const char *text, struct action *actions)
{
    unsigned count = 0;
    while (count < ACTIONS && gdb_take_text(&text, ";")) {
        if (!take_action(&text, &actions[count++])) {
            return 0;
        }
    }
    return *text ? 0 : count;
}

/* The harts that go on: for each, the first action that is for it counts. */
static void choose_going(struct gdb *gdb, const struct action *actions, unsigned count)
{
    for (size_t i = 0; i < gdb->processes; i++) {
        struct gdb_process *process = &gdb->process[i];
        process->going = 0;
        for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
            unsigned k = 0;
            while (k < count && !is_action_for(&actions[k], process, hart)) {
                k++;
            }
            bool goes = k < count && actions[k].what != 't';
            process->going |= (unsigned)goes << hart & process->harts;
        }
    }
}

void gdb_hold_back(struct gdb *gdb, struct gdb_process *process, unsigned harts)
{
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        struct gdb_thread thread = gdb_thread_in(process, (enum penrose_hart)hart);
        if (harts & ~process->held & process->harts & 1u << hart &&
            gdb_hart_state(gdb, &thread) != PENROSE_HART_PAUSED &&
            penrose_hart_pause(gdb_chip(gdb, thread.chip), thread.x, thread.y, thread.hart, NULL) ==
                PENROSE_OK) {
            process->held |= 1u << hart;
        }
    }
}

bool gdb_holds_any(const struct gdb *gdb)
{
    unsigned held = 0;
    for (size_t i = 0; i < gdb->processes; i++) {
        held |= gdb->process[i].held;
    }
    return held != 0;
}

/* Harts that the client leaves behind, unless it only steps over a breakpoint. */
static void hold_others(struct gdb *gdb, bool is_step)
{
    bool are_others = false;
    for (size_t i = 0; i < gdb->processes; i++) {
        are_others |= gdb->process[i].going != gdb->process[i].harts;
    }
    if (!is_step && are_others && !gdb->is_apart) {
        gdb_put(&gdb->console, "Processes that GDB does not let go on stand still; 'set "
                               "schedule-multiple on' lets all of them go on.\n");
    }
    gdb->is_apart = is_step ? gdb->is_apart : are_others;
    for (size_t i = 0; gdb->is_apart && i < gdb->processes; i++) {
        gdb_hold_back(gdb, &gdb->process[i], ~gdb->process[i].going);
    }
}

/* A hart that an ebreak has paused, or a debugger by the chip's registers; not one that we hold. */
static bool is_paused_itself(struct gdb *gdb, const struct gdb_thread *thread)
{
    const struct gdb_process *process = gdb_process_of(gdb, thread->pid);
    return !gdb->is_bare && process->going & ~process->held & 1u << thread->hart &&
           gdb_hart_state(gdb, thread) == PENROSE_HART_PAUSED;
}

bool gdb_find_ebreak(struct gdb *gdb, struct gdb_thread *thread)
{
    for (size_t i = 0; gdb->client >= 0 && gdb_thread_at(gdb, i, thread); i++) {
        if (is_paused_itself(gdb, thread)) {
            return true;
        }
    }
    return false;
}

static void pass_ebreaks(struct gdb *gdb)
{
    struct gdb_thread thread;
    for (size_t i = 0; gdb_thread_at(gdb, i, &thread); i++) {
        if (is_paused_itself(gdb, &thread)) {
            penrose_hart_resume(gdb_chip(gdb, thread.chip), thread.x, thread.y, thread.hart, NULL);
        }
    }
}

static const struct action *find_step(const struct action *actions, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (actions[i].what == 's' || actions[i].what == 'r') {
            return &actions[i];
        }
    }
    return NULL;
}

/* GDB steps a hart behind each hit of a watchpoint, as RISC-V's triggers fire before the access. Ours
 * have it behind them, so the step of a hart that executes nothing is done. */
static bool is_step_done(struct gdb *gdb, const struct gdb_thread *thread)
{
    return gdb_is_behind_watch(gdb) && gdb_why_it_rests(gdb, thread) != NULL;
}

bool gdb_resume(struct gdb *gdb, const char *text)
{
    struct action actions[ACTIONS];
    unsigned count = take_actions(text, actions);
    const struct action *step = find_step(actions, count), *first = step ? step : actions;
    struct gdb_thread thread;
    if (count == 0 || !gdb_select(gdb, &first->id, &gdb->resumed, &thread)) {
        return false;
    }
    gdb->resumed = thread;
    if (gdb->past) {
        return gdb_reverse_search(gdb, step != NULL, false);
    }
    if (step && is_step_done(gdb, &thread)) {
        gdb_announce(gdb, &(struct gdb_event){.thread = thread, .signal = GDB_SIGTRAP});
        return true;
    }
    choose_going(gdb, actions, count);
    for (size_t i = 0; i < gdb->processes; i++) {
        gdb->process[i].placed = 0;
    }
    pass_ebreaks(gdb);
    hold_others(gdb, step && count == 1);
    gdb->range_end = 0;
    if (step) {
        gdb_start_step(gdb, &thread);
    } else {
        gdb_points_sweep(gdb);
    }
    if (step && step->what == 'r') {
        gdb->range_start = (uint32_t)step->first;
        gdb->range_end = (uint32_t)step->end;
    }
    gdb->is_held = false;
    return true;
}
