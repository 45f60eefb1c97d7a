/* See python.h. */
#include "cli/python.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "cli/installation.h"
#include "cli/output.h"
#include "host/environment.h"

static void python_add(struct python_command *command, const char *word)
{
    char **grown = reallocarray(command->words, command->count + 2, sizeof *grown);
    command->words = grown ? grown : command->words;
    char *copy = grown ? strdup(word) : NULL;
    if (!copy) {
        command->lacks_memory = true;
        return;
    }
    grown[command->count++] = copy;
    grown[command->count] = NULL;
}

void python_tell(struct python_command *command, const char *name, const char *format, ...)
{
    va_list arguments;
    char *value = NULL, *word = NULL;
    va_start(arguments, format);
    bool done = vasprintf(&value, format, arguments) >= 0;
    va_end(arguments);
    if (done && asprintf(&word, "%s=%s", name, value) >= 0) {
        python_add(command, word);
        free(word);
    } else {
        command->lacks_memory = true;
    }
    if (done) {
        free(value);
    }
}

/* The commands run on the Python that a wheel is installed in, or on the system's, since the first
 * one in PATH may be a script that changes the environment. */
static bool find_interpreter(char path[PATH_MAX])
{
    const char *own = host_variable("PENROSE_PYTHON");
    return (own && find_program(own, path)) || find_program("/usr/bin/python3", path) ||
           find_program("python3", path);
}

void python_begin(struct python_command *command, struct cli *cli, const char *module)
{
    /* Nothing that the user has for his own Python is looked at, and nothing is left behind. */
    static const char *const options[] = {"-I", "-S", "-B", "-X", "utf8"};
    char python[PATH_MAX] = "", folder[PATH_MAX] = "";
    *command = (struct python_command){.cli = cli};
    python_add(command, find_interpreter(python) ? python : "");
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
        python_add(command, options[i]);
    }
    find_data("commands", folder);
    python_add(command, folder);
    python_add(command, module);
    python_tell(command, "command", "%s", cli->command);
    python_tell(command, "schema", "%d", JSON_SCHEMA);
    if (cli->json) {
        python_tell(command, "json", "1");
    }
}

void python_tell_installation(struct python_command *command, const char *card)
{
    char own[PATH_MAX] = "";
    find_own_folder(own);
    python_tell(command, "own", "%s", own);
    python_tell(command, "cards", "%s", PENROSE_CARDS_DIR);
    python_tell(command, "card", "%s", card);
    python_tell(command, "chip", "%s", api_chip_of_card(card)->arch->name);
    python_tell(command, "first_card", "%s", command->cli->kind->card_at(0));
}

void python_tell_program(struct python_command *command)
{
    char path[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    python_tell(command, "program", "%s", path);
}

static enum cli_exit python_exec(const struct python_command *command)
{
    enum { FOLDER = 6 };
    const struct cli *cli = command->cli;
    if (command->lacks_memory) {
        return complain(cli, "no memory for the command");
    }
    const char *python = command->words[0], *folder = command->words[FOLDER];
    if (!*python) {
        return complain(cli, "this is done in Python 3, and there is no python3 in PATH");
    }
    if (!path_exists(folder)) {
        return complain(cli, "%s is missing: run 'make install', or 'make' in the build tree",
                        folder);
    }
    fflush(stdout);
    execv(python, command->words);
    return complain(cli, "%s: %s", python, strerror(errno));
}

enum cli_exit python_become(struct python_command *command, char *const rest[])
{
    if (rest) {
        python_add(command, "--");
    }
    for (; rest && *rest; rest++) {
        python_add(command, *rest);
    }
    enum cli_exit exit = python_exec(command);
    for (unsigned i = 0; i < command->count; i++) {
        free(command->words[i]);
    }
    free(command->words);
    return exit;
}
