/* Running again; see rerun.h. */
#include "api/api.h"
#include "cli/rerun.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/output.h"
#include "isa/error.h"
#include "observe/history/recording.h"
#include "observe/inside.h"

enum { MOST_WORDS = 4096 };

static const struct {
    const char *name;
    char *words; /* argv[0] of the command */
    enum cli_exit (*run)(struct cli *cli, int argc, char **argv);
} runnable[] = {{"run", "penrose run", cmd_run}, {"boot", "penrose boot", cmd_boot}};

enum { RUNNABLE = sizeof runnable / sizeof runnable[0] };

/* Which of them a command line is; RUNNABLE: none. */
static unsigned find_runnable(const json_t *command)
{
    const char *program = json_string_value(json_array_get(command, 0));
    const char *name = json_string_value(json_array_get(command, 1));
    const char *slash = program ? strrchr(program, '/') : NULL;
    bool is_penrose = program && strstr(slash ? slash : program, "penrose");
    unsigned i = 0;
    while (i < RUNNABLE && !(is_penrose && name && strcmp(runnable[i].name, name) == 0)) {
        i++;
    }
    return i;
}

/* Standard output goes nowhere while the program runs again: its results are known. */
static int close_stdout(void)
{
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept >= 0 && nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
    }
    if (nowhere >= 0) {
        close(nowhere);
    }
    return kept;
}

static void reopen_stdout(int kept)
{
    fflush(stdout);
    if (kept >= 0) {
        dup2(kept, STDOUT_FILENO);
        close(kept);
    }
}

static enum cli_exit run_again(struct cli *cli, unsigned which, const json_t *command,
                               const struct cli_witness *witness)
{
    size_t count = json_array_size(command);
    char **words = calloc(count, sizeof *words);
    struct cli_answer unseen = {0};
    struct cli again = {.command = runnable[which].name, .answer = &unseen, .witness = witness};
    enum cli_exit exit = words ? CLI_DONE : complain(cli, "no memory to run the program again");
    for (size_t i = 1; i < count && !exit; i++) { /* strings: dump_open does not look */
        const char *word = json_string_value(json_array_get(command, i));
        words[i - 1] = (char *)(uintptr_t)(word ? word : "");
    }
    if (!exit) {
        words[0] = runnable[which].words;
        again.kind = options_find_kind((int)count - 1, words);
        int kept = close_stdout();
        exit = output_answer(&again, runnable[which].run(&again, (int)count - 1, words));
        reopen_stdout(kept);
    }
    free(words);
    return exit;
}

bool rerun_is_possible(const struct dump_files *dump)
{
    return find_runnable(json_object_get(dump->manifest, "command")) != RUNNABLE;
}

enum cli_exit rerun_command(struct cli *cli, const struct dump_files *dump,
                            const struct cli_witness *witness)
{
    const json_t *command = json_object_get(dump->manifest, "command");
    unsigned which = find_runnable(command);
    if (!json_array_size(command) || json_array_size(command) > MOST_WORDS) {
        return complain(cli,
                        "%s does not say by which command it was made: run the program by "
                        "'penrose run --dump-state'",
                        dump->path);
    }
    if (which == RUNNABLE) {
        return complain(cli,
                        "%s was not made by 'penrose run' or 'penrose boot', so its program "
                        "cannot be run again here",
                        dump->path);
    }
    return run_again(cli, which, command, witness);
}

/* --- Recordings --- */

static enum penrose_status run_recording(struct penrose_cluster *cluster,
                                         const struct journal *journal, uint64_t at,
                                         struct penrose_error *error)
{
    const struct inside *kind = inside(cluster->chip[0]);
    struct rerun *rerun;
    enum penrose_status status = kind->replay_begin(cluster, journal, at, false, &rerun, error);
    enum rerun_end end = RERUN_DONE;
    while (!status && (end == RERUN_DONE || end == RERUN_STOPPED)) {
        end = kind->replay_step(rerun);
    }
    if (end == RERUN_DIFFERS) {
        status = error_set(error, PENROSE_E_STATE, "the recording runs otherwise here: %.300s",
                           kind->replay_difference(rerun));
    }
    kind->replay_end(rerun);
    return status;
}

static enum cli_exit run_recording_of(struct cli *cli, const char *path,
                                      const struct journal *journal,
                                      const struct cli_witness *witness)
{
    struct recording_head head;
    struct penrose_error error;
    struct penrose_cluster *cluster = NULL;
    if (recording_head(journal, &head, &error) != PENROSE_OK) {
        return complain(cli, "%s: %s", path, error.text);
    }
    const struct chip_calls *kind = api_chip_of_name(head.kind);
    if (!kind || kind->layout() != head.layout) {
        return complain(cli, "%s: recorded by %s; explain needs the build that recorded", path,
                        head.made_by);
    }
    if (recording_make(journal, kind, &head.options, &cluster, &error) != PENROSE_OK) {
        return complain(cli, "%s: %s", path, error.text);
    }
    struct penrose_chip *chip = penrose_cluster_chip(cluster, witness->chip);
    if (!chip) {
        penrose_cluster_destroy(cluster);
        return complain(cli, "%s: there is no chip %u in this recording", path, witness->chip);
    }
    enum cli_exit exit = witness->opened(witness->context, chip);
    if (!exit && run_recording(cluster, journal, head.at, &error) != PENROSE_OK) {
        exit = complain(cli, "%s: %s", path, error.text);
    }
    witness->ended(witness->context, chip);
    penrose_cluster_destroy(cluster);
    return exit;
}

enum cli_exit rerun_recording(struct cli *cli, const char *path, uint64_t most,
                              const struct cli_witness *witness)
{
    struct journal *journal = NULL;
    struct penrose_error error;
    enum journal_ending ending;
    if (journal_load(path, most, &journal, &ending, &error) != PENROSE_OK) {
        return complain(cli, "%s", error.text);
    }
    enum cli_exit exit = run_recording_of(cli, path, journal, witness);
    journal_destroy(journal);
    return exit;
}

/* --- Symbols --- */

enum cli_exit rerun_open_symbols(struct cli *cli, const char *path, struct program_files **files)
{
    *files = path ? program_files_create() : NULL;
    if (path && !(*files && program_files_add(*files, path))) {
        return complain(cli, "--symbols: there is no file or folder %s", path);
    }
    return CLI_DONE;
}
