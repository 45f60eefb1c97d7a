/* --last-writer X,Y:ADDRESS: finds the last write of a word. */
#ifndef CLI_LAST_WRITER_H
#define CLI_LAST_WRITER_H

#include <argp.h>

#include <penrose/history.h>

#include "metal/program_files.h"
#include "cli/cli.h"

struct last_writer_option {
    bool is_wanted;
    struct penrose_place tile;
    uint32_t address;
};

/* Prints a message and returns EINVAL for bad text. */
error_t last_writer_parse(const struct cli *cli, const char *text,
                          struct last_writer_option *option);

/* Prints who did: on stdout, or with --json not at all. CLI_REFUSED with a message. Programs (NULL:
 * none) are looked for in what the chip was then. */
enum cli_exit last_writer_tell(const struct cli *cli, const struct last_writer_option *option,
                               struct penrose_chip *chip, struct penrose_history *history,
                               struct program_files *programs);

#endif
