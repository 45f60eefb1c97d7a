/*
 * A debugger's view of the chips of a cluster over GDB's remote protocol: `target extended-remote
 * ADDRESS`.
 *
 * Every hart is a process of the target; penrose(1) and docs/DEBUGGING.md say how that looks. No
 * time passes on any chip while GDB holds one. Code that runs a chip calls gdb_run in place of
 * penrose_run, and notices nothing else, because runs that GDB stops go on inside that call.
 */
#ifndef OBSERVE_GDB_GDB_H
#define OBSERVE_GDB_GDB_H

#include <penrose/history.h>
#include <penrose/penrose.h>

struct gdb;

/*
 * Listens at "[HOST:]PORT" (HOST: 127.0.0.1; port 0: any that is free) or "unix:PATH". The first
 * gdb_run waits for a client, unless ",nowait" follows. PENROSE_E_ARGUMENT for another address,
 * PENROSE_E_FILE where nobody can listen, PENROSE_E_MEMORY.
 */
enum penrose_status gdb_create(struct penrose_chip *chip, const char *address, struct gdb **gdb,
                               struct penrose_error *error);

/* Tells the client that the program has ended with `code`; before the chip is destroyed. NULL does
 * nothing. */
void gdb_destroy(struct gdb *gdb, int code);

/* What to type in GDB: "target extended-remote 127.0.0.1:1234". */
const char *gdb_command(const struct gdb *gdb);

/* Will the first gdb_run wait for a client? */
bool gdb_will_wait(const struct gdb *gdb);

/* Harts run bare programs from now on: an ebreak ends one, so that going on does not pass it, or is a
 * semihosting call (host_call.h), of which the client is not told since whoever runs the chip answers
 * it, in `until` of its run or behind that. NULL does nothing. */
void gdb_run_bare(struct gdb *gdb);

/* Lets the caller of gdb_run see each PENROSE_PAUSED before the client does. gdb_run ends with it,
 * and gdb_goes_on says that the next gdb_run goes on from a pause for the client. */
void gdb_share_pauses(struct gdb *gdb);

/* The caller of gdb_run may know programs in a tile of the chip of that number which the chip's images
 * lack. It is asked when the client looks at the tile, and adds them. */
typedef void gdb_learn(void *context, unsigned chip, unsigned x, unsigned y);
void gdb_teach(struct gdb *gdb, gdb_learn *learn, void *context);

/* Was the PENROSE_PAUSED with which gdb_run has ended for the client? NULL: no. */
bool gdb_goes_on(const struct gdb *gdb);

/* The chip has run a recording to its end, to which `history` leads. Waits for a client, which may look
 * at all of it, and answers when it says go on, or goes. The history ends after gdb_destroy. */
void gdb_serve_recording(struct gdb *gdb, struct penrose_history *history);

/* penrose_run of the chip with the client served whenever it wants something, and at faults;
 * PENROSE_PAUSED is for others. NULL: penrose_run. */
enum penrose_outcome gdb_run(struct gdb *gdb, struct penrose_chip *chip,
                             const struct penrose_run *run);

/* The host has written to a tile, perhaps a program. NULL does nothing. */
void gdb_note_write(struct gdb *gdb, uint64_t bytes);

/* Serves a client that wants something while the chip does not run; quick when none does. True: it has
 * had the chip, and may have changed what the chip waits for. NULL does nothing. */
bool gdb_look(struct gdb *gdb);

/* The run is about to end for a reason that a client should see (`text`, a line or more): stops
 * there until it says go on. */
void gdb_stop(struct gdb *gdb, const char *text);

#endif
