#include "cli/last_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/output.h"

enum { WORD_BYTES = 4, MOST_PLACE = 32 };

error_t last_writer_parse(const struct cli *cli, const char *text,
                          struct last_writer_option *option)
{
    char place[MOST_PLACE] = "";
    uint64_t address = 0;
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;
    if (length > 0 && length < sizeof place) {
        memcpy(place, text, length);
    }
    if (!options_place(place, &option->tile)) {
        return options_refuse(cli,
                              "--last-writer: '%s' names no place; write X,Y:ADDRESS, for example "
                              "1,2:0x4000",
                              text);
    }
    option->is_wanted = true;
    error_t error = options_number(cli, "--last-writer", colon + 1, UINT32_MAX, &address);
    option->address = (uint32_t)address;
    return error;
}

static void tell_stop(struct penrose_chip *chip, const struct penrose_stop *stop)
{
    char text[300], symbol[128] = "", source[256] = "", calls[1024];
    const char *line = text;
    penrose_stop_format(stop, text, sizeof text);
    if (strncmp(line, "watchpoint: ", strlen("watchpoint: ")) == 0) {
        line += strlen("watchpoint: ");
    }
    printf("last writer: %s\n", line);
    /* Of a program of another tile, which may be one of another chip. */
    bool is_of_other = stop->agent == PENROSE_AGENT_NOC || stop->agent == PENROSE_AGENT_ETHERNET;
    unsigned x = is_of_other ? stop->from_x : stop->x, y = is_of_other ? stop->from_y : stop->y;
    chip = is_of_other ? penrose_cluster_chip(penrose_chip_cluster(chip, NULL), stop->from_chip)
                       : chip;
    if (stop->pc &&
        penrose_locate(chip, x, y, stop->pc, symbol, sizeof symbol, source, sizeof source)) {
        output_calls(chip, x, y, stop->pc, calls, sizeof calls);
        printf("  in %s%s%s%s\n", *symbol ? symbol : source, *symbol && *source ? ", " : "",
               *symbol ? source : "", calls);
    }
}

enum cli_exit last_writer_tell(const struct cli *cli, const struct last_writer_option *option,
                               struct penrose_chip *chip, struct penrose_history *history,
                               struct program_files *programs)
{
    struct penrose_error error;
    struct penrose_chip *past = NULL;
    struct penrose_stop stop;
    enum penrose_history_end end;
    if (penrose_history_last_writer(history, &past, option->tile.x, option->tile.y, PENROSE_NO_HART,
                                    option->address, WORD_BYTES, &stop, &end,
                                    &error) != PENROSE_OK) {
        return complain(cli, "--last-writer: %s", error.text);
    }
    if (cli->json) {
        note("--last-writer is told without --json only");
    } else if (end == PENROSE_HISTORY_STOP) {
        if (programs) {
            program_files_place_all(programs, chip, past);
        }
        tell_stop(chip, &stop);
    } else {
        printf(
            "last writer: nobody has written the 4 bytes at 0x%x of tile %u,%u, but for what was "
            "loaded there\n",
            option->address, option->tile.x, option->tile.y);
    }
    penrose_chip_destroy(past);
    return CLI_DONE;
}
