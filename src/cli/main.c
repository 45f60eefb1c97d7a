/* The program `penrose`: picks the command, and turns what it returns into the exit code. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <penrose/penrose.h>

#include "api/api.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "cli/terminal.h"

static const struct cli_command commands[] = {
    {"boot", "boot tt-metal firmware on tiles, and launch kernels on it", cmd_boot},
    {"run", "run bare programs on a tile, or a program of kernels on a grid of tiles", cmd_run},
    {"new", "make a folder with a program to begin from", cmd_new},
    {"asm", "assemble single instructions", cmd_asm},
    {"disasm", "disassemble a program or single words", cmd_disasm},
    {"info", "tell what is in a program or a firmware folder", cmd_info},
    {"state", "show what tiles hold, from a snapshot or a dump", cmd_state},
    {"compare", "compare two dumps, arrays, images of memory or measurements", cmd_compare},
    {"explain", "say who made the first difference of two dumps, and from what", cmd_explain},
    {"exec", "run a program of tt-metal, ttnn, LLK or tt-exalens on the chip", cmd_exec},
    {"trace", "show what is in a trace that was written to a .ptrace file", cmd_trace},
    {"replay", "run a recording again, and compare what the chip answers", cmd_replay},
    {"waits", "tell who waits for whom in a snapshot", cmd_waits},
    {"hunt", "make a program fail that is right by luck", cmd_hunt},
    {"what-if", "run a program with other costs, and say what bounds it", cmd_what_if},
    {"doctor", "check what is installed, and say what to do", cmd_doctor},
};

enum { COMMANDS = sizeof commands / sizeof commands[0], MOST_NAME = 32 };

static void print_help(FILE *file)
{
    fputs("Usage: penrose COMMAND [OPTION...]\n"
          "Penrose emulates the tiles of a Tenstorrent Blackhole chip: their five RISC-V harts\n"
          "run the same firmware and kernel ELFs as the chip.\n\n"
          "Commands:\n",
          file);
    for (unsigned i = 0; i < COMMANDS; i++) {
        fprintf(file, "  %-8s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("  help     this text, or the help of a command: penrose help run\n\n"
          "Examples:\n"
          "  penrose boot pre-compiled/1234     boots tt-metal's firmware on tile 1,2\n"
          "  penrose new hello                  makes a program to begin from, with a Makefile\n"
          "  penrose run hello.elf --trace      runs a program on brisc and shows what it does\n"
          "  penrose exec -- python3 model.py   runs a program that uses ttnn\n\n"
          "Results go to stdout, messages to stderr. Exit codes: 0 done, 1 guest fault,\n"
          "2 usage or bad file, 3 cycle limit, 4 deadlock. The manual is penrose(1).\n",
          file);
}

static const struct cli_command *find_command(const char *name)
{
    for (unsigned i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static enum cli_exit refuse_command(const struct cli *cli, const char *name)
{
    struct suggestion nearest = {.word = name};
    for (unsigned i = 0; i < COMMANDS; i++) {
        suggest(&nearest, commands[i].name);
    }
    suggest(&nearest, "help");
    const char *what = name[0] == '-' ? "option" : "command";
    if (nearest.best) {
        return complain(cli,
                        "there is no %s '%s'; did you mean '%s'? 'penrose help' lists the "
                        "commands",
                        what, name, nearest.best);
    }
    return complain(cli, "there is no %s '%s'; 'penrose help' lists the commands", what, name);
}

static enum cli_exit run_command(struct cli *cli, const struct cli_command *command, int argc,
                                 char **argv)
{
    char name[MOST_NAME];
    snprintf(name, sizeof name, "penrose %s", command->name);
    argv[0] = name;
    cli->command = command->name;
    return command->run(cli, argc, argv);
}

static bool is_help(const char *name)
{
    return strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
}

static enum cli_exit help(struct cli *cli, const char *name)
{
    const struct cli_command *command = name ? find_command(name) : NULL;
    char option[] = "--help", nothing[] = "";
    char *argv[] = {nothing, option, NULL};
    if (name && !is_help(name) && !command) {
        return refuse_command(cli, name);
    }
    if (command) {
        return run_command(cli, command, 2, argv);
    }
    print_help(stdout);
    return CLI_DONE;
}

static enum cli_exit dispatch(struct cli *cli, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        print_help(stderr);
        return CLI_REFUSED;
    }
    if (is_help(name)) {
        return help(cli, argc > 2 ? argv[2] : NULL);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("penrose %s\n", penrose_version());
        return CLI_DONE;
    }
    const struct cli_command *command = find_command(name);
    return command ? run_command(cli, command, argc - 1, argv + 1) : refuse_command(cli, name);
}

int main(int argc, char **argv)
{
    struct cli_answer answer = {0};
    struct cli cli = {.answer = &answer};
    struct terminal terminals[2];
    terminal_begin(terminals);
    /* So that messages about other options are JSON, too. Behind -- is the command of somebody else. */
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        cli.json |= strcmp(argv[i], "--json") == 0;
    }
    cli.kind = options_find_kind(argc, argv); /* of which other options may be */
    enum cli_exit exit = output_answer(&cli, dispatch(&cli, argc, argv));
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "penrose: cannot write the result: %s\n", strerror(errno));
        exit = CLI_REFUSED;
    }
    terminal_end(terminals);
    return (int)exit;
}
