/*
 * What the files of the program share. Each command is one file, cmd_<name>.c, with one function;
 * main.c has the table. Results go to stdout, messages to stderr; every function that can fail
 * prints its message where the reason is known and returns an exit code, which its callers pass up.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>

enum cli_exit {
    CLI_DONE = 0,
    CLI_FAULT = 1,     /* the guest did something wrong */
    CLI_DIFFERENT = 1, /* compare: there are differences */
    CLI_REFUSED = 2,   /* wrong usage, a bad file, or the host cannot */
    CLI_CYCLES = 3,    /* not finished within --max-cycles */
    CLI_DEADLOCK = 4,  /* nothing can happen any more, and harts have not finished */
    CLI_CUT = 5,       /* a recording has no end; what is there is the same */
};

/* "done", "fault", "error", "cycle-limit", "deadlock", "cut" */
const char *cli_exit_name(enum cli_exit exit);

struct penrose_chip;
struct chip_calls;

/* Somebody who looks on while a command runs a program again: then it writes no results. */
struct cli_witness {
    enum cli_exit (*opened)(void *context, struct penrose_chip *chip); /* before it runs */
    void (*ended)(void *context, struct penrose_chip *chip);           /* before it is destroyed */
    void *context;
    unsigned chip; /* of several chips of a recording, the one that is meant */
};

struct json_t;

/* What --json prints when the command is over: one of these. NULL: there is none. */
struct cli_answer {
    struct json_t *result, *error; /* the first error */
};

/* One call of the program. */
struct cli {
    const char *command;               /* "boot"; NULL before it is known */
    bool json;                         /* the result is one JSON object on stdout */
    const struct chip_calls *kind;     /* of chip: that of --arch, or the first one */
    struct cli_answer *answer;         /* with json */
    const struct cli_witness *witness; /* NULL: none */
};

struct cli_command {
    const char *name;
    const char *summary; /* a line for `penrose help` */
    /* argv[0] is "penrose NAME". */
    enum cli_exit (*run)(struct cli *cli, int argc, char **argv);
};

enum cli_exit cmd_asm(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_boot(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_compare(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_disasm(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_doctor(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_exec(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_explain(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_hunt(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_info(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_new(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_replay(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_run(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_state(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_trace(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_waits(struct cli *cli, int argc, char **argv);
enum cli_exit cmd_what_if(struct cli *cli, int argc, char **argv);

#endif
