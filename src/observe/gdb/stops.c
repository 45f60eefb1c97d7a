/* Why the chips stand, as the client hears of it. */
#include <stdio.h>
#include <string.h>

#include "observe/gdb/internal.h"

void gdb_cancel_step(struct gdb *gdb)
{
    if (gdb->stepped.pid) {
        penrose_hart_step(gdb_chip(gdb, gdb->stepped.chip), gdb->stepped.x, gdb->stepped.y,
                          gdb->stepped.hart, 0, NULL);
        gdb->stepped = (struct gdb_thread){0};
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

void gdb_put_event(struct gdb_text *text, const struct gdb_event *event)
{
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
    gdb_cancel_step(gdb);
    for (size_t i = 0; i < gdb->processes; i++) {
        gdb_let_go(gdb, &gdb->process[i]);
    }
    gdb->event = *event;
    gdb->general = gdb->resumed = event->thread;
    gdb->is_held = true;
    gdb_symbols_look(gdb);
    gdb_breaks_look(gdb);
    tell_instruction(gdb, &event->thread);
    if (gdb->console.size > 0) {
        gdb_send_console(gdb, gdb->console.data);
        gdb_text_clear(&gdb->console);
    }
    gdb_put_event(&payload, event);
    gdb_send(gdb, &payload);
    gdb_text_free(&payload);
}

bool gdb_is_behind_watch(const struct gdb *gdb)
{
    return strstr(gdb->event.reason, "watch:") != NULL;
}

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
