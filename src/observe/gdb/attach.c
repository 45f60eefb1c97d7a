/* A client takes processes, and leaves them. */
#include <stdlib.h>

#include "observe/gdb/internal.h"

static enum penrose_hart first_hart(unsigned harts)
{
    unsigned hart = 0;
    while (hart < PENROSE_HARTS && !(harts >> hart & 1)) {
        hart++;
    }
    return (enum penrose_hart)hart;
}

bool gdb_attach(struct gdb *gdb, uint64_t pid)
{
    struct gdb_process process;
    struct penrose_hart_info info;
    if (!gdb_find_pid(gdb, pid, &process) || gdb_process_of(gdb, process.pid) ||
        penrose_hart_info(gdb_chip(gdb, process.chip), process.x, process.y,
                          first_hart(process.harts), &info, NULL) != PENROSE_OK) {
        return false;
    }
    struct gdb_process *list = realloc(gdb->process, (gdb->processes + 1) * sizeof *gdb->process);
    if (!list) {
        return false;
    }
    gdb->process = list;
    process.main = gdb->left_main;
    list[gdb->processes++] = process;
    gdb->general = gdb->resumed = gdb_thread_in(&process, first_hart(process.harts));
    return true;
}

void gdb_detach(struct gdb *gdb, unsigned pid)
{
    size_t kept = 0;
    struct gdb_process *left = gdb_process_of(gdb, pid);
    gdb_breaks_drop(gdb, pid);
    gdb_points_drop(gdb, pid);
    if (left) {
        gdb_let_go(gdb, left);
        gdb_launches_forget(gdb, left);
    }
    for (size_t i = 0; i < gdb->processes; i++) {
        if (gdb->process[i].pid != pid) {
            gdb->process[kept++] = gdb->process[i];
        }
    }
    gdb->processes = kept;
    if (gdb->general.pid == pid) {
        gdb->general = (struct gdb_thread){0};
    }
    if (gdb->resumed.pid == pid) {
        gdb->resumed = (struct gdb_thread){0};
    }
}

void gdb_forget_client(struct gdb *gdb)
{
    gdb_reverse_leave(gdb);
    gdb_cancel_step(gdb);
    gdb_breaks_drop(gdb, 0);
    gdb_points_drop(gdb, 0);
    gdb_close_files(gdb);
    gdb->general = gdb->resumed = (struct gdb_thread){0};
    gdb->event = (struct gdb_event){0};
    gdb->left_pid = 0;
    gdb->left_main = NULL;
    for (size_t i = 0; i < gdb->processes; i++) {
        gdb_let_go(gdb, &gdb->process[i]);
        gdb_launches_forget(gdb, &gdb->process[i]);
    }
    gdb->processes = gdb->pendings = 0;
    gdb->is_held = gdb->is_apart = false;
}
