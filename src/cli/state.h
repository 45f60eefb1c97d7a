/* A chip's state in files, a snapshot or a dump, for `penrose state` and `penrose info`. */
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include <jansson.h>

#include <penrose/penrose.h>

#include "cli/cli.h"
#include "observe/dump/read.h"

enum state_kind { STATE_NONE, STATE_SNAPSHOT, STATE_DUMP };

struct state {
    const struct cli *cli;
    const char *path;
    enum state_kind kind;
    struct penrose_chip *chip;         /* the one of a snapshot that is looked at */
    struct penrose_firmware *firmware; /* of its workers; NULL: not known */
    struct dump_files files;           /* of a dump */
    json_t *manifest;                  /* of a snapshot, what its dump would have */
    struct penrose_place tile[64 * 64];
    size_t tiles;
};

/* What lies there; STATE_NONE: neither of them. */
enum state_kind state_kind(const char *path);

/* Opens a snapshot, of which a chip is looked at, or a dump; to be closed in any case. CLI_REFUSED with
 * a message for what is neither, or damaged, and where there is no such chip. */
enum cli_exit state_open(const struct cli *cli, const char *path, unsigned chip,
                         struct state **state);
void state_close(struct state *state);

/* *chip, the first one of a file, becomes that of the number. CLI_REFUSED with a message where there is
 * none; then it stays what it is. */
enum cli_exit state_choose(const struct cli *cli, const char *path, unsigned number,
                           struct penrose_chip **chip);

/* Says which firmware the workers of a snapshot have. CLI_REFUSED with a message. */
enum cli_exit state_set_firmware(struct state *state, const char *directory);

/* Parts of a tile; to be freed also after an error, which has a message. */
enum cli_exit state_tile(struct state *state, size_t index, unsigned groups,
                         struct dump_tile *tile);

/* Tells what it is, and how the harts of its tiles stand; or the same as JSON, NULL after a
 * message. */
enum cli_exit state_print(struct state *state);
json_t *state_json(struct state *state);

#endif
