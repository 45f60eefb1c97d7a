/* When the client is served. */
#include <unistd.h>

#include "isa/host_time.h"
#include "observe/gdb/gdb.h"
#include "observe/gdb/internal.h"

enum { LOOK_NANOSECONDS = 10000000 }; /* so often it is looked whether the client wants something */

void gdb_handle_input(struct gdb *gdb, enum gdb_input input)
{
    if (input == GDB_INPUT_PACKET) {
        gdb_command_packet(gdb, gdb->reader->data, gdb->reader->size);
    }
}

static void lose_client(struct gdb *gdb)
{
    gdb_forget_client(gdb);
    gdb_drop_client(gdb);
}

void gdb_serve(struct gdb *gdb)
{
    enum gdb_input input;
    while (gdb->client >= 0 && gdb->is_held) {
        if (gdb_receive(gdb, -1, &input)) {
            gdb_handle_input(gdb, input);
        } else {
            lose_client(gdb);
        }
    }
}

void gdb_tell(struct gdb *gdb, const struct gdb_event *event)
{
    gdb_announce(gdb, event);
    gdb_serve(gdb);
}

/* ^C of a client whose processes run. */
static void interrupt(struct gdb *gdb)
{
    struct gdb_event event = {.thread = gdb->resumed, .signal = GDB_SIGINT};
    if (event.thread.pid || gdb_thread_at(gdb, 0, &event.thread)) {
        gdb_tell(gdb, &event);
    }
}

/* A client that has come stops the chip. One without a process may ask while it goes on; what others
 * send but ^C waits until it stands. */
static bool serve_waiting(struct gdb *gdb)
{
    enum gdb_input input = GDB_INPUT_PACKET;
    bool is_new = gdb->client < 0, is_served = false;
    if (gdb_is_replaced(gdb)) {
        lose_client(gdb);
    }
    gdb_accept(gdb, false);
    is_new |= gdb->client >= 0 && gdb->is_held;
    if (is_new && gdb->client >= 0) {
        gdb_serve(gdb);
        is_served = true;
    }
    while (gdb->client >= 0 && input != GDB_INPUT_NOTHING) {
        bool is_there =
            gdb->processes > 0 ? gdb_receive_interrupt(gdb, &input) : gdb_receive(gdb, 0, &input);
        is_served |= !is_there || input != GDB_INPUT_NOTHING;
        if (!is_there) {
            lose_client(gdb);
        } else if (gdb->processes > 0 && input == GDB_INPUT_INTERRUPT) {
            interrupt(gdb);
        } else {
            gdb_handle_input(gdb, input);
            gdb_serve(gdb);
        }
    }
    return is_served;
}

bool gdb_look(struct gdb *gdb)
{
    uint64_t now = gdb ? host_nanoseconds() : 0;
    if (!gdb || now < gdb->next_look || !gdb_is_owner(gdb)) {
        return false;
    }
    gdb->next_look = now + LOOK_NANOSECONDS;
    return serve_waiting(gdb);
}

void gdb_stop(struct gdb *gdb, const char *text)
{
    struct gdb_event event = {.signal = GDB_SIGTRAP};
    if (!gdb || gdb->client < 0 || !gdb_is_owner(gdb)) {
        return;
    }
    event.thread = gdb->resumed;
    if (event.thread.pid || gdb_thread_at(gdb, 0, &event.thread)) {
        gdb_put(&gdb->console, "%s\n", text);
        gdb_tell(gdb, &event);
    }
}

void gdb_serve_recording(struct gdb *gdb, struct penrose_history *history)
{
    gdb->history = history;
    gdb->is_recording = true;
    gdb_accept(gdb, gdb->waits);
    gdb_serve(gdb);
}
