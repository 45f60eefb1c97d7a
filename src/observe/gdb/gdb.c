/* The GDB server's life, and runs with a client. */
#include "observe/gdb/gdb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/error.h"
#include "isa/host_time.h"
#include "observe/gdb/internal.h"

/* --- Life --- */

enum penrose_status gdb_create(struct penrose_chip *chip, const char *address, struct gdb **gdb,
                               struct penrose_error *error)
{
    struct gdb *made = calloc(1, sizeof *made);
    *gdb = NULL;
    if (!made) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for GDB");
    }
    *made = (struct gdb){
        .chip = chip, .present = chip, .listener = -1, .client = -1, .owner = getpid()};
    for (unsigned i = 0; i < GDB_FILES; i++) {
        made->file[i] = -1;
    }
    made->reader = calloc(1, sizeof *made->reader);
    enum penrose_status status = made->reader && gdb_registers_make(made)
                                     ? gdb_listen(made, address, error)
                                     : error_set(error, PENROSE_E_MEMORY, "no memory for GDB");
    if (status != PENROSE_OK) {
        gdb_destroy(made, 0);
        return status;
    }
    gdb_reverse_start(made);
    *gdb = made;
    return PENROSE_OK;
}

void gdb_run_bare(struct gdb *gdb)
{
    if (gdb) {
        gdb->is_bare = true;
    }
}

void gdb_share_pauses(struct gdb *gdb)
{
    gdb->shares_pauses = true;
}

void gdb_teach(struct gdb *gdb, gdb_learn *learn, void *context)
{
    gdb->learn = learn;
    gdb->learn_context = context;
}

bool gdb_goes_on(const struct gdb *gdb)
{
    return gdb && gdb->goes_on;
}

const char *gdb_command(const struct gdb *gdb)
{
    return gdb->command;
}

bool gdb_will_wait(const struct gdb *gdb)
{
    return gdb->waits && !gdb->has_begun;
}

/* --- The end --- */

static void send_exit(struct gdb *gdb, int code)
{
    struct gdb_text payload = {0};
    unsigned pid = gdb_process_of(gdb, gdb->resumed.pid) ? gdb->resumed.pid : gdb->process[0].pid;
    gdb_put(&payload, "W%02x;process:%x", (unsigned)code & 0xff, pid);
    gdb_send(gdb, &payload);
    gdb_text_free(&payload);
    gdb_detach(gdb, pid);
    gdb->is_held = true;
}

/* Each process ends when the client lets it go on; it asks some things in between. */
static void tell_exit(struct gdb *gdb, int code)
{
    enum { LINGER_MS = 300 };
    enum gdb_input input = GDB_INPUT_PACKET;
    gdb->is_held = false;
    while (gdb->client >= 0 && input != GDB_INPUT_NOTHING) {
        if (!gdb->is_held && gdb->processes > 0) {
            send_exit(gdb, code);
        }
        if (!gdb_receive(gdb, LINGER_MS, &input)) {
            return;
        }
        gdb_handle_input(gdb, input);
    }
}

void gdb_destroy(struct gdb *gdb, int code)
{
    if (!gdb) {
        return;
    }
    if (!gdb_is_owner(gdb)) {
        free(gdb->unix_path);
        gdb->unix_path = NULL;
    }
    if (gdb->client >= 0 && gdb_is_owner(gdb)) {
        tell_exit(gdb, code);
    }
    gdb_forget_client(gdb);
    gdb_close(gdb);
    gdb_reverse_end(gdb);
    gdb_symbols_free(gdb);
    gdb_text_free(&gdb->payload);
    gdb_text_free(&gdb->frame);
    gdb_text_free(&gdb->features);
    gdb_text_free(&gdb->console);
    for (size_t i = 0; i < gdb->paths; i++) {
        free(gdb->path[i]);
    }
    free(gdb->path);
    free(gdb->config);
    free(gdb->process);
    free(gdb->reader);
    free(gdb->reg);
    free(gdb);
}

/* --- Running --- */

struct gdb_watch {
    struct gdb *gdb;
    const struct penrose_run *run;
    bool is_reached; /* what the run is for */
};

/* After each window. */
static bool look_for_client(struct penrose_chip *chip, void *context)
{
    struct gdb_watch *watch = context;
    const struct penrose_run *run = watch->run;
    struct gdb_thread thread;
    watch->is_reached = run->until && !gdb_holds_any(watch->gdb) && run->until(chip, run->context);
    return watch->is_reached || gdb_find_ebreak(watch->gdb, &thread) ||
           host_nanoseconds() >= watch->gdb->next_look;
}

static void begin_run(struct gdb *gdb)
{
    if (!gdb->has_begun) {
        gdb->has_begun = true;
        if (gdb->waits) {
            gdb_accept(gdb, true);
            gdb_serve(gdb);
        }
    }
    gdb_look(gdb);
}

static void look_for_programs(struct gdb *gdb)
{
    if (gdb->may_be_programs) {
        gdb->may_be_programs = false;
        gdb_symbols_look(gdb);
    }
}

void gdb_note_write(struct gdb *gdb, uint64_t bytes)
{
    enum { LEAST_PROGRAM = 64 };
    if (gdb && bytes >= LEAST_PROGRAM) {
        gdb->may_be_programs = true;
    }
}

enum penrose_outcome gdb_run(struct gdb *gdb, struct penrose_chip *chip,
                             const struct penrose_run *run)
{
    if (!gdb || !gdb_is_owner(gdb)) {
        return penrose_run(chip, run);
    }
    struct gdb_watch watch = {.gdb = gdb, .run = run};
    uint64_t now = penrose_now(chip), most = UINT64_MAX / 2 - now;
    uint64_t end = now + (run->cycles < most ? run->cycles : most);
    begin_run(gdb);
    for (;;) {
        look_for_programs(gdb);
        gdb_tell_programs(gdb);
        gdb_tell_pending(gdb);
        gdb_breaks_look(gdb);
        now = penrose_now(chip);
        struct penrose_run part = {.size = sizeof part,
                                   .cycles = end > now ? end - now : 0,
                                   .pass_quiet_time = run->pass_quiet_time,
                                   .exactly = run->exactly,
                                   .until = look_for_client,
                                   .context = &watch};
        enum penrose_outcome outcome = penrose_run(chip, &part);
        gdb->goes_on = outcome == PENROSE_PAUSED && gdb_paused(gdb);
        if (gdb->goes_on && !gdb->shares_pauses) {
            continue;
        }
        if (outcome == PENROSE_CONDITION && !watch.is_reached) {
            if (!gdb_tell_ebreak(gdb)) {
                gdb_look(gdb);
            }
            continue;
        }
        if (outcome == PENROSE_QUIET && gdb_holds_any(gdb)) {
            gdb_stop(gdb, "Nothing can happen any more while harts stand still that GDB does not "
                          "let go on; 'set schedule-multiple on' lets all of them go on.");
            continue;
        }
        if (outcome == PENROSE_FAULT) {
            gdb_tell_fault(gdb);
        }
        return outcome;
    }
}
