/*
 * `penrose run PROGRAM.json`: boots a grid of tiles, fills buffers, launches kernels on all of
 * them, waits until they are done, and writes what they have computed.
 */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "cli/machine_options.h"

struct program_options {
    const char *path;
    const char *firmware; /* NULL: the description names it */
    const char *kernels;  /* folder of kernels' paths, NULL: the description's */
    const char *data;     /* folder of .npy files, NULL: the description's */
    bool trusts_outputs;  /* they may lie anywhere, and have any size */
    bool counts_units;    /* tells what units of the coprocessor did */
};

/* Does an argument of `penrose run` look like a description? */
bool program_is_description(const char *path);

enum cli_exit program_run(struct cli *cli, struct machine_options *machine,
                          const struct program_options *options);

#endif
