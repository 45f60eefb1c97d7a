/*
 * What happens in a run that the client is to hear of: stops, ebreaks, faults, new programs. It must not
 * hear of a stop of a hart that it has not let go on. Such a stop is kept, and the hart stays there.
 */
#include <stdio.h>
#include <string.h>

#include "observe/gdb/internal.h"
#include "observe/host_call.h"

/* --- Stops of a run --- */

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
           gdb_start_step(gdb, &gdb->stepped);
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
            gdb_hold_back(gdb, gdb_process_of(gdb, thread.pid), 1u << thread.hart);
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
