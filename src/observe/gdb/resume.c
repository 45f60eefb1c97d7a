/*
 * Going on, and telling why the chip has stopped.
 *
 * A run with GDB is the run without it, to the cycle, if the client lets all its processes go on
 * together ("set schedule-multiple on") or has only one. When a client then steps one hart over a
 * breakpoint, time moves for all of them. A client that lets only some processes go on assumes that
 * the others stand still, so their harts are paused. It must not hear of a stop of a hart that it
 * has not let go. Such a stop is kept, and the hart stays there.
 */
#include <stdio.h>
#include <string.h>

#include "chip/calls.h"
#include "observe/gdb/internal.h"
#include "observe/host_call.h"

/* --- Going on --- */

static void cancel_steps(struct gdb *gdb)
{
    if (gdb->stepped.pid) {
        penrose_hart_step(gdb_chip(gdb, gdb->stepped.chip), gdb->stepped.x, gdb->stepped.y,
                          gdb->stepped.hart, 0, NULL);
        gdb->stepped = (struct gdb_thread){0};
    }
}

static bool start_step(struct gdb *gdb, const struct gdb_thread *thread)
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

/* Some of its harts stand still, until gdb_let_go. */
static void hold_back(struct gdb *gdb, struct gdb_process *process, unsigned harts)
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

void gdb_let_go(struct gdb *gdb, struct gdb_process *process)
{
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (process->held >> hart & 1) {
            penrose_hart_resume(gdb_chip(gdb, process->chip), process->x, process->y,
                                (enum penrose_hart)hart, NULL);
        }
    }
    process->held = 0;
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
        hold_back(gdb, &gdb->process[i], ~gdb->process[i].going);
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

bool gdb_is_behind_watch(const struct gdb *gdb)
{
    return strstr(gdb->event.reason, "watch:") != NULL;
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
        start_step(gdb, &thread);
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

/* --- Telling --- */

void gdb_put_event(struct gdb *gdb, struct gdb_text *text, const struct gdb_event *event)
{
    (void)gdb;
    if (!event->thread.pid) {
        gdb_put(text, "W00");
        return;
    }
    gdb_put(text, "T%02x%sthread:", (unsigned)event->signal, event->reason);
    gdb_put_thread(text, &event->thread);
    gdb_put(text, ";");
}

/* A word for the coprocessor is nothing that the client can disassemble. */
static void tell_instruction(struct gdb *gdb, const struct gdb_thread *thread)
{
    char text[160];
    uint32_t pc = gdb_pc(gdb, thread);
    if (penrose_hart_disassemble(gdb_chip(gdb, thread->chip), thread->x, thread->y, pc, NULL, text,
                                 sizeof text) >= 0 &&
        strncmp(text, ".ttinsn 0x", 10) != 0 && strncmp(text, ".ttinsn", 7) == 0) {
        gdb_put(&gdb->console, "=> 0x%08x:\t%s\n", pc, text);
    }
}

void gdb_announce(struct gdb *gdb, const struct gdb_event *event)
{
    struct gdb_text payload = {0};
    if (gdb->client < 0) {
        return;
    }
    cancel_steps(gdb);
    for (size_t i = 0; i < gdb->processes; i++) {
        gdb_let_go(gdb, &gdb->process[i]);
    }
    gdb->event = *event;
    gdb->general = gdb->resumed = event->thread;
    gdb->is_held = true;
    gdb_symbols_look(gdb);
    tell_instruction(gdb, &event->thread);
    if (gdb->console.size > 0) {
        gdb_send_console(gdb, gdb->console.data);
        gdb_text_clear(&gdb->console);
    }
    gdb_put_event(gdb, &payload, event);
    gdb_send(gdb, &payload);
    gdb_text_free(&payload);
}

void gdb_tell(struct gdb *gdb, const struct gdb_event *event)
{
    gdb_announce(gdb, event);
    gdb_serve(gdb);
}

/* --- Stops of a run --- */

void gdb_point_event(struct gdb *gdb, const struct gdb_point *point,
                     const struct penrose_stop *stop, struct gdb_event *event)
{
    static const char *const names[GDB_POINT_TYPES] = {
        [GDB_WRITES] = "watch", [GDB_READS] = "rwatch", [GDB_ACCESSES] = "awatch"};
    event->thread = point->thread;
    const struct gdb_process *process = gdb_process_of(gdb, point->thread.pid);
    if (process && (unsigned)stop->agent < PENROSE_HARTS && process->harts >> stop->agent & 1) {
        event->thread.hart = (enum penrose_hart)stop->agent;
    }
    if (point->own) { /* of which the client knows nothing: it must not look for its own there */
        gdb_put(&gdb->console, "Breakpoint of Penrose at %s: ", gdb_break_text(point->own));
        gdb_put_chip(gdb, &gdb->console, event->thread.chip);
        gdb_put(&gdb->console, "%s of (%u, %u)\n", gdb_hart_name(gdb, &event->thread), stop->x,
                stop->y);
    } else if (names[point->type]) {
        char text[256];
        penrose_stop_format(stop, text, sizeof text);
        char *what = strstr(text, ": "); /* the numbers of points are the client's own */
        gdb_put(&gdb->console, "Watched: ");
        gdb_put_chip(gdb, &gdb->console, event->thread.chip);
        gdb_put(&gdb->console, "%s\n", what ? what + 2 : text);
        snprintf(event->reason, sizeof event->reason, "%s:%x;", names[point->type], point->address);
    } else if (gdb->has_swbreak) {
        snprintf(event->reason, sizeof event->reason, "%s:;",
                 point->type == GDB_SOFT ? "swbreak" : "hwbreak");
    }
}

static bool is_step_of(const struct gdb_thread *stepped, const struct gdb_stop *at)
{
    const struct penrose_stop *stop = &at->stop;
    return stop->reason == PENROSE_STOP_STEP && stepped->pid && at->chip == stepped->chip &&
           stop->x == stepped->x && stop->y == stepped->y &&
           (unsigned)stop->agent == (unsigned)stepped->hart;
}

static bool is_ebreak_seen(struct gdb *gdb, const struct gdb_stop *at, struct gdb_event *event)
{
    const struct penrose_stop *stop = &at->stop;
    char text[256];
    if (!gdb_thread_of(gdb, at->chip, stop->x, stop->y, (enum penrose_hart)stop->agent,
                       &event->thread)) {
        return false; /* it pauses, and nobody has asked about it */
    }
    if (gdb->is_bare && host_call_at(gdb_chip(gdb, at->chip), stop->x, stop->y,
                                     (enum penrose_hart)stop->agent, stop->pc + 4)) {
        return false;
    }
    penrose_stop_format(stop, text, sizeof text);
    gdb_put_chip(gdb, &gdb->console, at->chip);
    gdb_put(&gdb->console, "%s; the hart is paused ('%s' lets it go on behind it)\n", text,
            gdb->is_bare ? "monitor resume" : "continue");
    return true;
}

static bool is_tensix_seen(struct gdb *gdb, const struct gdb_stop *at, struct gdb_event *event)
{
    const struct penrose_stop *stop = &at->stop;
    char text[256];
    if (!gdb_thread_of(gdb, at->chip, stop->x, stop->y,
                       (enum penrose_hart)((int)PENROSE_TRISC0 + stop->thread), &event->thread)) {
        return false;
    }
    penrose_stop_format(stop, text, sizeof text);
    gdb_put_chip(gdb, &gdb->console, at->chip);
    gdb_put(&gdb->console, "%s\n", text);
    if (penrose_hart_disassemble(gdb_chip(gdb, at->chip), stop->x, stop->y, stop->pc, NULL, text,
                                 sizeof text) >= 0) {
        gdb_put(&gdb->console, "   0x%08x:\t%s\n", stop->pc, text);
    }
    return true;
}

/* Is a stop one that the client wants to know? */
static bool is_for_client(struct gdb *gdb, const struct gdb_stop *at, struct gdb_event *event)
{
    *event = (struct gdb_event){.signal = GDB_SIGTRAP, .cycle = at->stop.cycle};
    switch (at->stop.reason) {
    case PENROSE_STOP_STEP:
        event->thread = gdb->stepped;
        return is_step_of(&gdb->stepped, at);
    case PENROSE_STOP_EBREAK:
        return is_ebreak_seen(gdb, at, event);
    case PENROSE_STOP_TENSIX:
        return is_tensix_seen(gdb, at, event);
    case PENROSE_STOP_BREAKPOINT:
    case PENROSE_STOP_WATCHPOINT:
        break;
    }
    const struct gdb_point *point = gdb_point_of(gdb, at->chip, at->stop.id);
    if (point) {
        gdb_point_event(gdb, point, &at->stop, event);
    }
    return point != NULL;
}

/* Can the client hear of it now? It must have let the hart go on, and what happens while it steps is
 * the end of the step to it. */
static bool can_be_told(struct gdb *gdb, const struct penrose_stop *stop,
                        const struct gdb_thread *thread)
{
    const struct gdb_process *process = gdb_process_of(gdb, thread->pid);
    bool is_going = process && process->going >> thread->hart & 1;
    return is_going && (stop->reason != PENROSE_STOP_TENSIX || !gdb->stepped.pid);
}

/* The range of a step goes on. */
static bool is_within_range(struct gdb *gdb, const struct gdb_stop *stop)
{
    if (!is_step_of(&gdb->stepped, stop)) {
        return false;
    }
    uint32_t pc = gdb_pc(gdb, &gdb->stepped);
    return gdb->range_end && pc >= gdb->range_start && pc < gdb->range_end &&
           start_step(gdb, &gdb->stepped);
}

/* The end of a step comes first: it is what the client waits for. */
static void keep_stop(struct gdb *gdb, const struct gdb_stop *stop)
{
    if (gdb->pendings == GDB_PENDING || is_within_range(gdb, stop)) {
        return;
    }
    size_t at = stop->stop.reason == PENROSE_STOP_STEP ? 0 : gdb->pendings;
    memmove(&gdb->pending[at + 1], &gdb->pending[at],
            (gdb->pendings - at) * sizeof gdb->pending[0]);
    gdb->pending[at] = *stop;
    gdb->pendings++;
}

static void drop_stop(struct gdb *gdb, size_t at)
{
    gdb->pendings--;
    memmove(&gdb->pending[at], &gdb->pending[at + 1],
            (gdb->pendings - at) * sizeof gdb->pending[0]);
}

bool gdb_paused(struct gdb *gdb)
{
    bool has_stopped = false;
    for (unsigned chip = 0; chip < gdb_chips(gdb) && gdb->client >= 0; chip++) {
        struct gdb_stop at = {.chip = chip};
        for (size_t i = 0; penrose_stop_get(gdb_chip(gdb, chip), i, &at.stop); i++) {
            has_stopped = true;
            if (gdb_is_launch(gdb, &at)) {
                gdb->may_be_programs = true;
            } else {
                keep_stop(gdb, &at);
            }
        }
    }
    return has_stopped;
}

/* Tells the first that can be told; false: there is none. */
static bool tell_next(struct gdb *gdb)
{
    for (size_t i = 0; i < gdb->pendings; i++) {
        struct gdb_stop stop = gdb->pending[i];
        struct gdb_event event;
        size_t said = gdb->console.size;
        if (!is_for_client(gdb, &stop, &event)) {
            drop_stop(gdb, i--);
        } else if (can_be_told(gdb, &stop.stop, &event.thread)) {
            drop_stop(gdb, i);
            gdb_tell(gdb, &event);
            return true;
        } else {
            gdb->console.size = said;
        }
    }
    return false;
}

void gdb_tell_pending(struct gdb *gdb)
{
    while (gdb->client >= 0 && tell_next(gdb)) {
    }
    for (size_t i = 0; i < gdb->pendings; i++) {
        struct gdb_thread thread;
        const struct penrose_stop *stop = &gdb->pending[i].stop;
        if (stop->reason != PENROSE_STOP_TENSIX && (unsigned)stop->agent < PENROSE_HARTS &&
            gdb_thread_of(gdb, gdb->pending[i].chip, stop->x, stop->y,
                          (enum penrose_hart)stop->agent, &thread)) {
            hold_back(gdb, gdb_process_of(gdb, thread.pid), 1u << thread.hart);
        }
    }
}

/* --- Faults, programs --- */

bool gdb_tell_ebreak(struct gdb *gdb)
{
    struct gdb_event event = {.signal = GDB_SIGTRAP};
    if (!gdb_find_ebreak(gdb, &event.thread)) {
        return false;
    }
    gdb_put_chip(gdb, &gdb->console, event.thread.chip);
    gdb_put(&gdb->console,
            "%s of (%u, %u) is paused, by an ebreak or a debugger on the chip ('continue' lets it "
            "go on)\n",
            gdb_hart_name(gdb, &event.thread), event.thread.x, event.thread.y);
    gdb_tell(gdb, &event);
    return true;
}

static enum gdb_signal signal_of(enum penrose_fault_kind kind)
{
    switch (kind) {
    case PENROSE_FAULT_ILLEGAL:
    case PENROSE_FAULT_STUB:
    case PENROSE_FAULT_UNIMPLEMENTED:
    case PENROSE_FAULT_TENSIX_ILLEGAL:
    case PENROSE_FAULT_TENSIX_UNDEFINED:
        return GDB_SIGILL;
    case PENROSE_FAULT_FETCH:
    case PENROSE_FAULT_UNMAPPED:
    case PENROSE_FAULT_MISALIGNED:
    case PENROSE_FAULT_READ_ONLY:
    case PENROSE_FAULT_NARROW:
    case PENROSE_FAULT_NOC_ADDRESS:
        return GDB_SIGSEGV;
    default:
        return GDB_SIGABRT; /* SIGTRAP would be the end of a step */
    }
}

/* The latest fault of a chip that stops, if the client was not told of it. */
static bool find_new_fault(struct gdb *gdb, unsigned chip, struct penrose_fault *fault)
{
    bool is_found = false;
    size_t count = penrose_fault_count(gdb_chip(gdb, chip));
    struct penrose_fault other;
    for (size_t i = count < gdb->faults[chip] ? 0 : gdb->faults[chip]; i < count; i++) {
        if (penrose_fault_get(gdb_chip(gdb, chip), i, &other) && other.policy == PENROSE_STOP) {
            *fault = other;
            is_found = true;
        }
    }
    gdb->faults[chip] = count;
    return is_found;
}

/* The hart of the fault. A client that is attached to others alone gets it as one more process. */
static bool find_culprit(struct gdb *gdb, unsigned chip, const struct penrose_fault *fault,
                         struct gdb_thread *thread)
{
    const unsigned hart = fault->hart, x = fault->x, y = fault->y;
    return hart < PENROSE_HARTS && (gdb_thread_of(gdb, chip, x, y, fault->hart, thread) ||
                                    (gdb_attach(gdb, gdb_pid(chip, x, y) + hart + 1) &&
                                     gdb_thread_of(gdb, chip, x, y, fault->hart, thread)));
}

static void tell_fault_of(struct gdb *gdb, unsigned chip)
{
    enum { REPORT = 8192 };
    char text[REPORT];
    struct penrose_fault fault;
    struct gdb_event event = {.thread = gdb->resumed, .signal = GDB_SIGABRT};
    if (gdb->client < 0 || gdb->processes == 0 || !find_new_fault(gdb, chip, &fault)) {
        return;
    }
    event.cycle = fault.cycle;
    penrose_fault_format(&fault, text, sizeof text);
    gdb_put(&gdb->console, "Guest fault ");
    gdb_put_chip(gdb, &gdb->console, chip);
    gdb_put(&gdb->console, "%s", text);
    if (find_culprit(gdb, chip, &fault, &event.thread)) {
        event.signal = signal_of(fault.kind);
    }
    if (event.thread.pid || gdb_thread_at(gdb, 0, &event.thread)) {
        gdb_tell(gdb, &event);
    }
}

void gdb_tell_fault(struct gdb *gdb)
{
    for (unsigned i = 0; i < gdb_chips(gdb); i++) {
        tell_fault_of(gdb, i);
    }
}

bool gdb_programs_event(struct gdb *gdb, const struct gdb_thread *thread, struct gdb_event *event)
{
    struct gdb_process *process = gdb_process_of(gdb, thread->pid);
    const unsigned changes = gdb_images(gdb, thread->chip)->changes;
    bool is_new = process && process->images != changes;
    *event = (struct gdb_event){.thread = *thread, .signal = GDB_SIGTRAP, .reason = "library:;"};
    if (is_new) {
        process->images = changes;
    }
    return is_new && gdb->client >= 0;
}

static void tell_programs_of(struct gdb *gdb, struct gdb_thread thread)
{
    const struct gdb_process *process = gdb_process_of(gdb, thread.pid);
    bool is_going = !gdb->is_held && process && process->going >> thread.hart & 1;
    struct gdb_event event;
    if (is_going && gdb_programs_event(gdb, &thread, &event)) {
        gdb_tell(gdb, &event);
    }
}

void gdb_tell_programs(struct gdb *gdb)
{
    struct gdb_thread thread;
    tell_programs_of(gdb, gdb->resumed);
    for (size_t i = 0; gdb_thread_at(gdb, i, &thread); i++) {
        tell_programs_of(gdb, thread);
    }
}
