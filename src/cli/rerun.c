/* Running again; see rerun.h. */
#include "cli/rerun.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"

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
    struct cli again = {.command = runnable[which].name, .witness = witness};
    enum cli_exit exit = words ? CLI_DONE : complain(cli, "no memory to run the program again");
    for (size_t i = 1; i < count && !exit; i++) { /* strings: compare_dump_open does not look */
        const char *word = json_string_value(json_array_get(command, i));
        words[i - 1] = (char *)(uintptr_t)(word ? word : "");
    }
    if (!exit) {
        words[0] = runnable[which].words;
        int kept = close_stdout();
        exit = runnable[which].run(&again, (int)count - 1, words);
        reopen_stdout(kept);
    }
    free(words);
    return exit;
}

enum cli_exit rerun_command(struct cli *cli, const struct compare_dump *dump,
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
