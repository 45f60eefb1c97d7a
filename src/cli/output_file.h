/*
 * Files that a run leaves: places are checked before anything runs, contents go to a new file
 * beside the old one, and a rename puts it there when all others have been written too. A link is
 * followed, and what it points to is replaced.
 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"

struct output_file {
    const char *label; /* what messages begin with: "--output" */
    const char *path;
    char *target;  /* path with links followed */
    char *pending; /* the file that will be renamed to target */
};

/* Can a file be put there? Sets target. CLI_REFUSED with a message if not. */
enum cli_exit output_file_check(const struct cli *cli, struct output_file *file);

/* Can something be added to this file, or a new one of that name? Devices and pipes will do.
 * Nothing is made. `label` is what messages begin with. CLI_REFUSED with a message if not. */
enum cli_exit output_file_check_added(const struct cli *cli, const char *label, const char *path);

/* Writes the contents beside the target. */
enum cli_exit output_file_write(const struct cli *cli, struct output_file *file,
                                const uint8_t *bytes, size_t size);

/* After output_file_write of all files: puts this one in its place when `exit` is CLI_DONE, else
 * removes what was written. Returns `exit`, or CLI_REFUSED. */
enum cli_exit output_file_finish(const struct cli *cli, struct output_file *file,
                                 enum cli_exit exit);

void output_file_free(struct output_file *file);

#endif
