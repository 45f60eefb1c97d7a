/* `penrose new`: makes a folder with a first program for the five harts of a tile. It is a copy of
 * the kit, which is a complete project. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/installation.h"
#include "cli/options.h"
#include "cli/output.h"
#include "isa/json_text.h"

static const char cross_compiler[] = "riscv64-unknown-elf-gcc";

struct new_options {
    struct cli *cli;
    const char *folder;
};

static error_t parse_new(int key, char *argument, struct argp_state *state)
{
    struct new_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->cli;
        return 0;
    case ARGP_KEY_ARG:
        if (options->folder) {
            return options_refuse(options->cli, "one folder is enough; what is '%s'?", argument);
        }
        options->folder = argument;
        return 0;
    case ARGP_KEY_END:
        return options->folder && *options->folder
                   ? 0
                   : options_refuse(options->cli,
                                    "name the folder to make, for example: penrose new hello");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&json_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .parser = parse_new,
    .args_doc = "DIR",
    .doc = "Makes a folder with a program for the five harts of a tile: C files, start-up code, "
           "linker "
           "scripts, registers and instructions of the chip as headers, a Makefile and a test. It "
           "multiplies two matrices by the coprocessor and prints whether that went well."
           "\vExample:\n"
           "  penrose new hello && make -C hello test\n\n"
           "It takes riscv64-unknown-elf-gcc, or another compiler for RV32: make CROSS=PREFIX-.\n"
           "Exit codes: 0 done, 2 usage, a folder that is not empty, or one that cannot be made.",
    .children = children,
};

/* --- Copying --- */

/* A message about a file or folder, for errno. */
static enum cli_exit complain_of(const struct cli *cli, const char *path)
{
    return complain(cli, "new: %s: %s", path, strerror(errno));
}

static enum cli_exit copy_file(const struct cli *cli, const char *from, const char *to)
{
    char bytes[4096];
    size_t size = 0;
    FILE *source = fopen(from, "r");
    if (!source) {
        return complain_of(cli, from);
    }
    FILE *target = fopen(to, "wx");
    bool is_copied = target != NULL;
    while (is_copied && (size = fread(bytes, 1, sizeof bytes, source)) > 0) {
        is_copied = fwrite(bytes, 1, size, target) == size;
    }
    is_copied &= !ferror(source);
    if (target) {
        is_copied &= fclose(target) == 0;
    }
    enum cli_exit exit = is_copied ? CLI_DONE : complain_of(cli, to);
    fclose(source);
    return exit;
}

static enum cli_exit copy_folder(const struct cli *cli, const char *from, const char *to);

static enum cli_exit copy_entry(const struct cli *cli, const char *from, const char *to,
                                const char *name)
{
    char source[PATH_MAX], target[PATH_MAX];
    struct stat status;
    if (!path_join(source, from, name) || !path_join(target, to, name)) {
        errno = ENAMETOOLONG;
        return complain_of(cli, to);
    }
    if (stat(source, &status) != 0) {
        return complain_of(cli, source);
    }
    return S_ISDIR(status.st_mode) ? copy_folder(cli, source, target)
                                   : copy_file(cli, source, target);
}

static enum cli_exit copy_folder(const struct cli *cli, const char *from, const char *to)
{
    enum cli_exit exit = CLI_DONE;
    if (!path_make(to)) {
        return complain_of(cli, to);
    }
    DIR *folder = opendir(from);
    if (!folder) {
        return complain_of(cli, from);
    }
    for (struct dirent *entry; !exit && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            exit = copy_entry(cli, from, to, entry->d_name);
        }
    }
    closedir(folder);
    return exit;
}

/* --- The folder --- */

static enum cli_exit check_free(const struct cli *cli, const char *path)
{
    DIR *folder = opendir(path);
    unsigned entries = 0;
    if (!folder) {
        return errno == ENOENT ? CLI_DONE : complain_of(cli, path);
    }
    while (readdir(folder)) {
        entries++; /* "." and ".." are two */
    }
    closedir(folder);
    return entries <= 2
               ? CLI_DONE
               : complain(cli, "new: %s is not empty; name a folder that does not exist yet", path);
}

/* Removes what was made, and leaves a folder that was there. */
static void remove_made(const char *path, bool was_there)
{
    char inner[PATH_MAX];
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            path_join(inner, path, entry->d_name)) {
            path_remove(inner);
        }
    }
    if (folder) {
        closedir(folder);
    }
    if (!was_there) {
        rmdir(path);
    }
}

/* Which Penrose the Makefile runs, wherever it is. */
static enum cli_exit name_program(const struct cli *cli, const char *folder)
{
    char own[PATH_MAX], path[PATH_MAX];
    if (!find_own_folder(own) || !path_join(path, folder, "penrose.mk")) {
        return CLI_DONE; /* the Makefile takes the one on PATH */
    }
    FILE *file = fopen(path, "wx");
    if (!file) {
        return complain_of(cli, path);
    }
    fprintf(file, "# Made by `penrose new`.\nPENROSE ?= '%s/penrose'\n", own);
    return fclose(file) == 0 ? CLI_DONE : complain_of(cli, path);
}

static void tell_next(const struct new_options *options)
{
    char found[PATH_MAX];
    if (!options->cli->json) {
        printf("%s: a program for five harts. Next:\n    cd %s\n    make test\n", options->folder,
               options->folder);
    }
    if (!find_program(cross_compiler, found)) {
        note("new: there is no %s here, which the Makefile wants: apt install "
             "gcc-riscv64-unknown-elf, or make CROSS=PREFIX-",
             cross_compiler);
    }
}

enum cli_exit cmd_new(struct cli *cli, int argc, char **argv)
{
    struct new_options options = {.cli = cli};
    char kit[PATH_MAX];
    enum cli_exit exit;
    if (!options_parse(cli, &argp, argc, argv, &options, &exit)) {
        return exit;
    }
    if (!find_data("kit", kit)) {
        return complain(cli,
                        "new: the kit is not at %s: run 'make install', or 'make' in the build "
                        "tree",
                        kit);
    }
    exit = check_free(cli, options.folder);
    if (exit) {
        return exit;
    }
    bool was_there = path_exists(options.folder);
    exit = copy_folder(cli, kit, options.folder);
    exit = exit ? exit : name_program(cli, options.folder);
    if (exit) {
        remove_made(options.folder, was_there);
        return exit;
    }
    tell_next(&options);
    return cli->json ? output_json(cli, json_pack("{s:s, s:s, s:i, s:o}", "command", cli->command,
                                                  "outcome", cli_exit_name(CLI_DONE), "exit_status",
                                                  CLI_DONE, "folder", json_text(options.folder)))
                     : CLI_DONE;
}
