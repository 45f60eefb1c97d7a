/* Running the program of a dump again. */
#ifndef CLI_RERUN_H
#define CLI_RERUN_H

#include "metal/program_files.h"
#include "cli/cli.h"
#include "observe/dump/read.h"

/*
 * Runs the command line that the manifest names, `penrose run` or `penrose boot`, in this process,
 * with the witness looking on and without its results. The outcome is that of the run, but CLI_REFUSED
 * (with a message) where it cannot be run again.
 */
enum cli_exit rerun_command(struct cli *cli, const struct dump_files *dump,
                            const struct cli_witness *witness);

/* Does the manifest name such a command line? */
bool rerun_is_possible(const struct dump_files *dump);

/* Runs a recording (observe/history/recording.h) again. `most`: see journal_load. */
enum cli_exit rerun_recording(struct cli *cli, const char *path, uint64_t most,
                              const struct cli_witness *witness);

/* Opens the programs that --symbols DIR names (path NULL: none, *files is NULL). CLI_REFUSED with a
 * message. */
enum cli_exit rerun_open_symbols(struct cli *cli, const char *path, struct program_files **files);

#endif
