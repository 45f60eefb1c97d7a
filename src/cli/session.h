/*
 * A chip on its way from the options to the report, for boot and run.
 *
 *   session_open, then any of session_boot, session_launch, session_run, then session_close
 *
 * A function that does not return CLI_DONE has printed the reason on stderr.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <penrose/metal.h>
#include <penrose/penrose.h>

#include "cli/console.h"
#include "cli/machine_options.h"
#include "cli/work.h"
#include "observe/gdb/gdb.h"

struct session {
    struct cli *cli;
    const struct machine_options *options;
    struct penrose_cluster *cluster; /* of several chips; NULL: the chip is alone */
    struct penrose_chip *chip;
    struct penrose_firmware *firmware; /* NULL for bare programs */
    struct program_files *files;       /* of firmware in a chip that was restored; NULL: none */
    struct penrose_history *history;   /* for --last-writer; NULL: none */
    struct trace_file *trace;          /* NULL: none */
    struct look *look;                 /* NULL before the first run */
    struct console console;
    struct gdb *gdb;    /* NULL: nobody debugs */
    uint64_t opened_at; /* cycle; not 0 in a chip that was restored */
    bool at_limit;      /* the latest run went on to the cycle limit */
    bool warnings_told;
    double loading_ms, running_ms; /* host time */
    struct {
        bool enabled, shown;
        double started, next;
        uint64_t first_cycle;
    } progress;
};

/* What a run is to reach. */
struct goal {
    bool (*reached)(struct session *session, void *context);
    /* Writes what has not been reached, for messages: "booting" or "brisc, trisc0". */
    void (*describe)(struct session *session, void *context, char *text, size_t size);
    /* How many tiles of the options have not reached it; NULL: nobody knows. */
    unsigned (*busy)(struct session *session, void *context);
    void *context;
    bool
        is_endless; /* the programs never end: to run until the cycle limit is all that is wanted */
};

/* Makes the chip. Adds its first worker to options that name no tile. */
enum cli_exit session_open(struct session *session, struct cli *cli,
                           struct machine_options *options);

/* Adds the first tiles of a kind, at most `wanted`; returns how many of them the chip has. */
unsigned session_add_tiles(struct session *session, struct machine_options *options,
                           enum penrose_tile_kind kind, unsigned wanted);

/* Adds so many workers of the chip to the options, row by row; CLI_TILES: all that the card has. */
enum cli_exit session_add_workers(struct session *session, struct machine_options *options,
                                  unsigned wanted);

/* Runs until the goal is reached (CLI_DONE), a fault, the cycle limit or a deadlock. */
enum cli_exit session_run(struct session *session, const struct goal *goal);

/* Opens the firmware and boots all tiles of the options to their ready state. */
enum cli_exit session_boot(struct session *session, const char *directory);

/* Launches kernels on all workers and waits until they are done, `launch->repeat` times. */
enum cli_exit session_launch(struct session *session, const struct launch_options *launch,
                             const struct memory_options *memory);

/* Runs until kernels that were launched on all tiles of the options are done; `what` names the work
 * in messages. */
enum cli_exit session_wait(struct session *session, const char *what);

/* To be called when kernels have been launched and nothing has run since. */
enum cli_exit session_note_launch(struct session *session);

/* Warnings and unmodelled registers go to stderr, everything is released. Returns `exit`, or
 * CLI_REFUSED when the trace could not be written. */
enum cli_exit session_close(struct session *session, enum cli_exit exit);

#endif
